#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/os.h"
#include "base/paths.h"
#include "cli/cli.h"
#include "process/launch.h"
#include "run/monitor.h"
#include "sample/procfs.h"
#include "sample/sampler.h"

struct monitor {
	struct arena *arena;
	const struct options *options;
	struct sampler_order order;
	int pid; /* of the process to sample, with --attach */
	const char *path;
	struct sampler *sampler; /* NULL: it could not begin, because of ERROR */
	int error;
};

/* ---- what is asked for ---- */

/* Else it could always be read, or it is closed. */
static bool can_be_waited_for(int fd)
{
	struct stat status;
	return isatty(fd) ||
	       (fstat(fd, &status) == 0 && (S_ISFIFO(status.st_mode) || S_ISSOCK(status.st_mode)));
}

static int read_options(struct monitor *m)
{
	const struct options *options = m->options;
	const char *attach = options->monitor.attach, *levels = options->monitor.levels;
	struct slice rest = slice_from(levels == NULL ? "" : levels), word;
	uint64_t number = 0;
	const char *interval = options->monitor.interval == NULL ? "1" : options->monitor.interval;
	if (options->operands.count > 0 || (attach == NULL) == (options->command.count == 0))
		return message_usage(m->arena,
		                     "'monitor' requires either '-- COMMAND' or --attach");
	if (options->monitor.output != NULL && strcmp(options->monitor.output, "-") == 0)
		return message_usage(m->arena, "'--output' requires a file, not standard output");
	if (monitor_read_interval(m->arena, "--interval", interval, &m->order.interval) !=
	    EXIT_DONE)
		return EXIT_USAGE;
	/* "process,user"; the program's own level is always one of them. */
	m->order.levels = levels == NULL ? monitor_standard_levels() : 1u << LEVEL_PROCESS;
	while (slice_next_part(&rest, ',', &word)) {
		enum level level = level_find(slice_trim(word));
		if (level == LEVEL_COUNT)
			return message_usage(m->arena, "'--levels' knows no '%.*s'",
			                     SLICE_ARG(slice_trim(word)));
		m->order.levels |= 1u << level;
	}
	if ((m->order.levels & 1u << LEVEL_SLURM) != 0 && getenv("SLURM_JOB_ID") == NULL)
		return message_usage(m->arena, "'--levels=slurm' is for jobs of Slurm");
	if (options->monitor.marks && attach == NULL)
		return message_usage(m->arena, "'--marks' requires --attach");
	if (options->monitor.marks && !can_be_waited_for(STDIN_FILENO))
		return message_usage(m->arena, "'--marks' requires a pipe as standard input");
	m->order.marks = options->monitor.marks ? STDIN_FILENO : -1;
	m->order.answers = STDOUT_FILENO;
	if (attach != NULL && !slice_read_number(slice_from(attach), INT32_MAX, &number))
		return message_usage(
		        m->arena, "'--attach' requires the number of a process, not '%s'", attach);
	m->pid = (int)number;
	return EXIT_DONE;
}

/* The words of the command, for people. */
static struct slice command_text(struct arena *arena, const text_list *words)
{
	struct strbuf text = {.arena = arena};
	for (size_t i = 0; i < words->count; i++) {
		strbuf_puts(&text, i > 0 ? " " : "");
		strbuf_puts(&text, words->items[i]);
	}
	return strbuf_slice(&text);
}

/* What the file is called after: "python3" of "env A=1 python3 x.py", as run scripts start ranks. */
static struct slice command_name(const text_list *words)
{
	size_t at = 0;
	if (words->count == 0)
		return SLICE("monitor");
	if (slice_eq(path_file(slice_from(words->items[0])), SLICE("env"))) {
		while (at + 1 < words->count && (at == 0 || words->items[at][0] == '-' ||
		                                 strchr(words->items[at], '=') != NULL))
			at += slice_is_word_of(slice_from(words->items[at]),
			                       "-u --unset -C --chdir")
			              ? 2
			              : 1;
	}
	return path_file(slice_from(words->items[at < words->count ? at : 0]));
}

/* ---- a command ---- */

static void begin_sampler(void *sampler, pid_t pid)
{
	sampler_begin(sampler, pid);
}

static void look_at_sampler(void *sampler)
{
	sampler_look(sampler);
}

/* Returns EXIT_DONE where all has been sampled, else EXIT_SYSTEM. */
static int say_end(struct monitor *m, int status, const struct rusage *usage)
{
	if (m->sampler == NULL)
		return message_fail(m->arena, EXIT_SYSTEM, "", "cannot sample: %s",
		                    strerror(m->error));
	if (sampler_end(m->sampler, status, usage) != 0 ||
	    monitor_close_output(&m->order.output, m->path) != 0)
		return message_fail(m->arena, EXIT_SYSTEM, "", "cannot sample to the end: %s",
		                    strerror(errno));
	if (m->options->monitor.quiet)
		return EXIT_DONE;
	return message_fail(m->arena, EXIT_DONE, "",
	                    "samples are in '%s', which 'nbscorep report' shows", m->path);
}

/* The same after a command, whose status counts even without memory for a message. */
static void say_end_of_command(struct monitor *m, int status)
{
	struct rusage usage;
	jmp_buf out_of_memory;
	getrusage(RUSAGE_CHILDREN, &usage);
	jmp_buf *before = arena_set_handler(m->arena, &out_of_memory);
	if (setjmp(out_of_memory) == 0)
		(void)say_end(m, status, &usage);
	else
		(void)os_write_all(STDERR_FILENO, slice_from("nbscorep: out of memory\n"));
	arena_set_handler(m->arena, before);
}

static int run_command(struct monitor *m)
{
	struct launch_guard guard;
	struct launch_result result;
	m->order.adopts = true;
	m->sampler = sampler_open(m->arena, &m->order);
	m->error = errno;
	const struct launch_watch watch = {
	        .descriptor = m->sampler == NULL ? -1 : sampler_descriptor(m->sampler),
	        .begin = begin_sampler,
	        .look = look_at_sampler,
	        .data = m->sampler};
	const struct launch_order order = {.argv = m->options->command.items,
	                                   .environment = environ,
	                                   .independent = true,
	                                   .watches = {m->sampler == NULL ? NULL : &watch}};
	launch_guard_begin(&guard);
	int started = launch(&order, &guard, &result), error = errno;
	if (started == 0 && m->sampler != NULL)
		monitor_await_ranks(m->sampler, result.status);
	if (started == 0)
		say_end_of_command(m, result.status);
	else if (m->sampler != NULL)
		sampler_close(m->sampler);
	/* What asks for an end asks the command, which has ended by now; the file is to be whole. */
	launch_guard_end(&guard);
	if (started != 0)
		return cli_command_failed(m->arena, &m->options->command, error);
	return cli_command_status(result.status);
}

/* ---- a process that runs ---- */

/* Samples until the process ends, or a signal requests this program to end. */
static int sample_process(struct monitor *m, int process)
{
	sigset_t set;
	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGHUP);
	sigprocmask(SIG_BLOCK, &set, NULL);
	signal(SIGPIPE, SIG_IGN); /* the reader of the answers may have ended */
	int signals = signalfd(-1, &set, SFD_CLOEXEC);
	m->sampler = signals < 0 ? NULL : sampler_open(m->arena, &m->order);
	m->error = errno;
	if (m->sampler != NULL) {
		struct pollfd descriptors[] = {
		        {.fd = process, .events = POLLIN},
		        {.fd = signals, .events = POLLIN},
		        {.fd = sampler_descriptor(m->sampler), .events = POLLIN}};
		sampler_begin(m->sampler, m->pid);
		while (descriptors[0].revents == 0 && descriptors[1].revents == 0 &&
		       !sampler_is_over(m->sampler)) {
			(void)poll(descriptors, 3, -1);
			sampler_look(m->sampler);
		}
	}
	int status = say_end(m, SERIES_NO_STATUS, NULL);
	os_close_quietly(signals);
	return status;
}

static void close_output(void *data)
{
	struct monitor *m = data;
	(void)monitor_close_output(&m->order.output, m->path);
}

int command_monitor(struct invocation *invocation)
{
	enum { INIT = 1 };
	struct monitor m = {.arena = invocation->arena, .options = invocation->options};
	const char *attach = m.options->monitor.attach;
	struct arena_guard guard;
	int status = read_options(&m);
	if (status != EXIT_DONE)
		return status;
	const struct monitor_rank rank = monitor_rank();
	/* One sampler for each node is enough: the first rank's, which sees the others. */
	if (attach == NULL && rank.local > 0) {
		execvp(m.options->command.items[0],
		       (char *const *)(const void *)m.options->command.items);
		return cli_command_failed(m.arena, &m.options->command, errno);
	}
	m.order.rank_variable = rank.variable;
	/* What has started the ranks: the parent of the first one. The children of init are anybody's. */
	struct procfs_stat stat = {.parent = getppid()};
	if (attach != NULL && !procfs_read_stat(m.pid, &stat))
		stat.parent = INIT;
	m.order.launcher = rank.local == 0 && stat.parent > INIT ? stat.parent : 0;
	m.order.node = rank.node;
	m.order.command = command_text(m.arena, &m.options->command);
	const char *output = m.options->monitor.output;
	if (output == NULL)
		m.path = monitor_path(m.arena, command_name(&m.options->command));
	else
		m.path = attach != NULL ? output : monitor_node_path(m.arena, output);
	int process = -1; /* becomes readable when the process has ended */
	if (attach != NULL && (process = (int)syscall(SYS_pidfd_open, m.pid, 0)) < 0)
		return message_fail(m.arena, EXIT_SYSTEM, "", "cannot watch process %d: %s", m.pid,
		                    strerror(errno));
	m.order.output = monitor_open_output(m.arena, m.path, m.options->monitor.force);
	arena_guard(m.arena, &guard, close_output, &m);
	status = m.order.output < 0 ? EXIT_SYSTEM
	         : process >= 0     ? sample_process(&m, process)
	                            : run_command(&m);
	arena_unguard(m.arena);
	os_close_quietly(process);
	return status;
}
