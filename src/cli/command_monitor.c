#include <poll.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/os.h"
#include "base/paths.h"
#include "cli/cli.h"
#include "process/launch.h"
#include "run/monitor.h"
#include "sample/procfs.h"
#include "sample/sampler.h"

struct request {
	struct arena *arena;
	const struct options *options;
	struct monitor monitor;
	int pid;   /* of the process to sample, with --attach; -1: its text is not a number */
	int error; /* why the sampler could not begin */
};

/* ---- what is asked for ---- */

static int read_options(struct request *m)
{
	struct sampler_order *order = &m->monitor.order;
	const struct options *options = m->options;
	const char *attach = options->monitor.attach, *levels = options->monitor.levels;
	struct slice rest = slice_from(levels == NULL ? "" : levels), word;
	if (options->operands.count > 0 || (attach == NULL) == (options->command.count == 0))
		return message_usage(m->arena,
		                     "'monitor' requires either '-- COMMAND' or --attach");
	if (options->monitor.output != NULL && strcmp(options->monitor.output, "-") == 0)
		return message_usage(m->arena, "'--output' requires a file, not standard output");
	if (monitor_read_interval(m->arena, "--interval", options->monitor.interval,
	                          &order->interval) != EXIT_DONE)
		return EXIT_USAGE;
	/* "process,user"; the program's own level is always one of them. */
	if (levels != NULL)
		order->levels = 1u << LEVEL_PROCESS;
	while (slice_next_part(&rest, ',', &word)) {
		enum level level = level_find(slice_trim(word));
		if (level == LEVEL_COUNT)
			return message_usage(m->arena, "'--levels' knows no '%.*s'",
			                     SLICE_ARG(slice_trim(word)));
		order->levels |= 1u << level;
	}
	if ((order->levels & 1u << LEVEL_SLURM) != 0 && getenv("SLURM_JOB_ID") == NULL)
		return message_usage(m->arena, "'--levels=slurm' is for jobs of Slurm");
	if (options->monitor.marks && attach == NULL)
		return message_usage(m->arena, "'--marks' requires --attach");
	order->marks = options->monitor.marks ? STDIN_FILENO : -1;
	order->answers = STDOUT_FILENO;
	if (attach != NULL && m->pid < 0)
		return message_usage(
		        m->arena, "'--attach' requires the number of a process, not '%s'", attach);
	return EXIT_DONE;
}

/* Returns EXIT_DONE where all has been sampled, else EXIT_SYSTEM. */
static int say_end(struct request *m, int status)
{
	if (m->monitor.sampler == NULL)
		return message_fail(m->arena, EXIT_SYSTEM, "", "cannot sample: %s",
		                    strerror(m->error));
	status = monitor_end(&m->monitor, status);
	if (m->options->monitor.quiet || status != EXIT_DONE)
		return status;
	return message_fail(m->arena, EXIT_DONE, "",
	                    "samples are in '%s', which 'nbscorep report' shows", m->monitor.path);
}

/* ---- a command ---- */

static int run_command(struct request *m)
{
	struct launch_guard guard;
	struct launch_result result;
	jmp_buf out_of_memory;
	m->monitor.order.adopts = true;
	bool samples = monitor_begin(&m->monitor) == 0;
	m->error = errno;
	const struct launch_order order = {.argv = m->options->command.items,
	                                   .environment = environ,
	                                   .independent = true,
	                                   .watches = {samples ? &m->monitor.watch : NULL}};
	launch_guard_begin(&guard);
	int started = launch(&order, &guard, &result), error = errno;
	/* The command's status counts even without memory for a message. */
	jmp_buf *before = arena_set_handler(m->arena, &out_of_memory);
	if (setjmp(out_of_memory) != 0)
		(void)os_write_all(STDERR_FILENO, slice_from("nbscorep: out of memory\n"));
	else if (started == 0)
		(void)say_end(m, result.status);
	arena_set_handler(m->arena, before);
	/* What asks for an end asks the command, which has ended by now; the file is to be whole. */
	launch_guard_end(&guard);
	if (started != 0)
		return cli_command_failed(m->arena, &m->options->command, error);
	return cli_command_status(result.status);
}

/* ---- a process that runs ---- */

/* Samples until the process ends, or a signal requests this program to end. */
static int sample_process(struct request *m, int process)
{
	sigset_t set;
	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGHUP);
	sigprocmask(SIG_BLOCK, &set, NULL);
	signal(SIGPIPE, SIG_IGN); /* the reader of the answers may have ended */
	int signals = signalfd(-1, &set, SFD_CLOEXEC);
	bool samples = signals >= 0 && monitor_begin(&m->monitor) == 0;
	m->error = errno;
	if (samples) {
		struct sampler *sampler = m->monitor.sampler;
		struct pollfd descriptors[] = {
		        {.fd = process, .events = POLLIN},
		        {.fd = signals, .events = POLLIN},
		        {.fd = sampler_descriptor(sampler), .events = POLLIN}};
		sampler_begin(sampler, m->pid);
		while (descriptors[0].revents == 0 && descriptors[1].revents == 0 &&
		       !sampler_is_over(sampler)) {
			(void)poll(descriptors, 3, -1);
			sampler_look(sampler);
		}
	}
	int status = say_end(m, SERIES_NO_STATUS);
	os_close_quietly(signals);
	return status;
}

int command_monitor(struct arena *arena, struct options *options)
{
	const text_list *command = &options->command;
	const char *attach = options->monitor.attach, *output = options->monitor.output;
	struct request m = {.arena = arena, .options = options, .pid = -1};
	struct procfs_stat stat = {.parent = getppid()};
	struct arena_guard guard;
	uint64_t number;
	if (attach != NULL && slice_read_number(slice_from(attach), INT32_MAX, &number))
		m.pid = (int)number;
	/* What has started the ranks: the parent of the first one. */
	if (attach != NULL && !procfs_read_stat(m.pid, &stat))
		stat.parent = 0;
	bool is_first = monitor_init(&m.monitor, arena, stat.parent);
	int status = read_options(&m);
	if (status != EXIT_DONE)
		return status;
	/* One sampler for each node is enough: the first rank's, which sees the others. */
	if (attach == NULL && !is_first) {
		execvp(command->items[0], (char *const *)(const void *)command->items);
		return cli_command_failed(arena, command, errno);
	}
	struct strbuf words = {.arena = arena}; /* of the command, for people */
	for (size_t i = 0; i < command->count; i++)
		strbuf_printf(&words, "%s%s", i > 0 ? " " : "", command->items[i]);
	m.monitor.order.command = strbuf_slice(&words);
	m.monitor.path = attach != NULL && output != NULL
	                         ? output
	                         : monitor_path(arena,
	                                        command->count == 0
	                                                ? SLICE("monitor")
	                                                : path_file(slice_from(command->items[0])),
	                                        output);
	int process = -1; /* becomes readable when the process has ended */
	if (attach != NULL && (process = (int)syscall(SYS_pidfd_open, m.pid, 0)) < 0)
		return message_fail(arena, EXIT_SYSTEM, "", "cannot watch process %d: %s", m.pid,
		                    strerror(errno));
	arena_guard(arena, &guard, monitor_close, &m.monitor);
	status = monitor_open(&m.monitor, options->monitor.force);
	if (status == EXIT_DONE)
		status = process >= 0 ? sample_process(&m, process) : run_command(&m);
	arena_unguard(arena);
	os_close_quietly(process);
	return status;
}
