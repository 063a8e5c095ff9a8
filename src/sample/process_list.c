#include "sample/process_list.h"

#include <sys/stat.h>
#include <unistd.h>

#include "base/os.h"

static const char *const file_names[PROCESS_FILE_COUNT] = {"stat", "io", "status", "statm"};

/* The index of PID, or the index at which it would be inserted. */
static size_t place_of(const process_list *list, pid_t pid)
{
	size_t low = 0, high = list->count;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (list->items[middle]->pid < pid)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

struct process *process_find(const struct processes *processes, pid_t pid)
{
	const process_list *list = &processes->list;
	size_t at = place_of(list, pid);
	return at < list->count && list->items[at]->pid == pid ? list->items[at] : NULL;
}

static void list_insert(struct processes *processes, process_list *list, struct process *process)
{
	size_t at = place_of(list, process->pid);
	vec_push(processes->arena, list, process);
	memmove(&list->items[at + 1], &list->items[at],
	        (list->count - 1 - at) * sizeof(struct process *));
	list->items[at] = process;
}

/* Adds PROCESS to the tree. Its children may be in the list, without being in the tree yet. */
static void join_tree(struct processes *processes, struct process *process)
{
	process->in_tree = true;
	processes->tree_grew = true;
	list_insert(processes, &processes->members, process);
}

void process_close_files(struct process *process)
{
	for (int i = 0; i < PROCESS_FILE_COUNT; i++)
		os_close(&process->files[i]);
}

static void list_remove(process_list *list, bool (*matches)(const struct process *process))
{
	size_t kept = 0;
	for (size_t i = 0; i < list->count; i++) {
		if (!matches(list->items[i]))
			list->items[kept++] = list->items[i];
	}
	list->count = kept;
}

void process_drop(struct processes *processes, bool (*matches)(const struct process *process))
{
	for (size_t i = 0; i < processes->list.count; i++) {
		struct process *process = processes->list.items[i];
		if (!matches(process))
			continue;
		process_close_files(process);
		vec_push(processes->arena, &processes->spare, process);
	}
	list_remove(&processes->members, matches);
	list_remove(&processes->list, matches);
}

static bool is_stranger(const struct process *process)
{
	return !process->in_tree && process->levels == 0;
}

static bool is_gone_stranger(const struct process *process)
{
	return is_stranger(process) && !process->seen;
}

struct slice process_read_file(struct process *process, enum process_file file,
                               char buffer[PROCESS_TEXT_MAX])
{
	if (process->files[file] < 0)
		process->files[file] = procfs_open(process->pid, file_names[file]);
	struct slice text = procfs_read(process->files[file], buffer, PROCESS_TEXT_MAX);
	if (process->files[file] >= process->files_end)
		os_close(&process->files[file]);
	return text;
}

bool process_read_stat(struct process *process, struct procfs_stat *stat)
{
	char buffer[PROCESS_TEXT_MAX];
	return procfs_parse_stat(process_read_file(process, FILE_STAT, buffer), stat);
}

/* ---- the processes of the node ---- */

/* True if /proc/PID/NAME contains WORD. */
static bool file_holds(pid_t pid, const char *name, struct slice word)
{
	char path[64], *text = NULL;
	size_t size = 0;
	bool found = false;
	snprintf(path, sizeof path, "/proc/%d/%s", (int)pid, name);
	FILE *file = fopen(path, "re");
	/* Variables end with NUL. */
	for (ssize_t len; file != NULL && !found && (len = getdelim(&text, &size, '\0', file)) > 0;)
		found = memmem(text, (size_t)len, word.ptr, word.len) != NULL;
	if (file != NULL)
		fclose(file);
	free(text);
	return found;
}

bool process_has_variable(pid_t pid, const char *name, int value)
{
	char word[64];
	int len = value < 0 ? snprintf(word, sizeof word, "%s=", name)
	                    : snprintf(word, sizeof word, "%s=%d", name, value) +
	                              1; /* with its NUL */
	return file_holds(pid, "environ", slice_make(word, (size_t)len));
}

/* Orphans come to one of these, or their parent was gone before it was known. */
static bool can_be_reaper(const struct processes *processes, pid_t pid)
{
	enum { DEPTH_MAX = 1000 }; /* pids that were used again could go round */
	const struct process *at = process_find(processes, processes->root);
	if (process_find(processes, pid) == NULL)
		return true;
	for (int i = 0; i < DEPTH_MAX && at != NULL; i++) {
		if (at->parent == pid)
			return true;
		at = process_find(processes, at->parent);
	}
	return false;
}

static bool is_of_tree(struct processes *processes, struct process *process)
{
	enum { TWICE = 2 };
	const struct process *parent = process_find(processes, process->parent);
	if (parent != NULL && parent->in_tree && process->pid != processes->root)
		/* Reports of a script about itself run below a shell that is its child for a moment. */
		return processes->adopts ||
		       !process_has_variable(process->pid, PROCESS_VARIABLE, 0);
	if (process->pid == processes->root ||
	    (processes->adopts && process->parent == processes->self.pid))
		return true;
	/* A launcher may have children of other kinds, such as those that start ranks on other nodes. */
	bool is_rank = processes->launcher.pid != 0 && process->parent == processes->launcher.pid &&
	               process_has_variable(process->pid, processes->rank_variable, -1);
	if (is_rank || process->asked >= TWICE)
		return is_rank;
	/* A process has no environment while it is created, and while it executes another program, so it is read
	 * twice. A process that is older than the sampler has no mark. */
	bool can_have_mark = !processes->adopts && processes->last_pid >= 0 &&
	                     can_be_reaper(processes, process->parent);
	bool is_marked = can_have_mark &&
	                 process_has_variable(process->pid, PROCESS_VARIABLE, processes->root);
	process->asked = can_have_mark ? process->asked + 1 : TWICE;
	processes->in_doubt |= !is_marked && process->asked < TWICE;
	return is_marked;
}

/* The levels of PROCESS; those of another user's are none. */
static unsigned levels_of(const struct processes *processes, const struct process *process)
{
	const unsigned slurm = 1u << LEVEL_SLURM, user = processes->levels & 1u << LEVEL_USER;
	const pid_t pid = process->pid;
	char text[64];
	struct stat owner;
	snprintf(text, sizeof text, "/proc/%d", (int)pid);
	int fd = process->files[FILE_STAT];
	if ((fd >= 0 ? fstat(fd, &owner) : stat(text, &owner)) != 0 || owner.st_uid != geteuid())
		return 0;
	if ((processes->levels & slurm) == 0 || processes->job == NULL)
		return user;
	int len = snprintf(text, sizeof text, "/job_%s/", processes->job);
	struct slice group = slice_make(text, (size_t)len);
	bool is_jobs = file_holds(getpid(), "cgroup", group)
	                       ? file_holds(pid, "cgroup", group)
	                       : process_has_variable(pid, "SLURM_JOB_ID",
	                                              (int)strtol(processes->job, NULL, 10));
	return is_jobs ? user | slurm : user;
}

void process_add(struct processes *processes, pid_t pid)
{
	struct procfs_stat stat;
	struct process *process = process_find(processes, pid);
	if (process != NULL)
		process->seen = true;
	if (pid == processes->self.pid || process != NULL)
		return;
	process = processes->spare.count > 0 ? processes->spare.items[--processes->spare.count]
	                                     : ARENA_NEW(processes->arena, struct process);
	*process = (struct process){.pid = pid,
	                            .seen = true,
	                            .files = PROCESS_NO_FILES,
	                            .files_end = processes->self.files_end};
	list_insert(processes, &processes->list, process);
	if (process_read_stat(process, &stat)) {
		process->parent = stat.parent;
		process->levels = levels_of(processes, process);
		if (is_of_tree(processes, process))
			join_tree(processes, process);
	}
	if (!process->in_tree)
		process_close_files(process);
}

static void scan_all(struct processes *processes)
{
	struct arena_guard guard;
	DIR *folder = opendir("/proc");
	if (folder == NULL)
		return;
	for (size_t i = 0; i < processes->list.count; i++)
		processes->list.items[i]->seen = false;
	os_guard_folder(processes->arena, &guard, folder);
	for (struct dirent *entry; (entry = readdir(folder)) != NULL;) {
		if (ascii_is_digit(entry->d_name[0]))
			process_add(processes, (pid_t)strtol(entry->d_name, NULL, 10));
	}
	arena_unguard(processes->arena);
	process_drop(processes, is_gone_stranger);
	processes->scanned = processes->list.count;
	processes->unseen_count = 0;
}

/* Returns false if no process is visible as PID: PID is a thread's, which has no clock of a process,
 * or the process has ended, or is still being created. */
static bool process_meet(struct processes *processes, pid_t pid)
{
	if (procfs_cpu(pid) < 0)
		return false;
	process_add(processes, pid);
	return true;
}

void processes_scan(struct processes *processes, bool tick)
{
	enum { FIELD = 5, MANY = 256 }; /* FIELD: proc_loadavg(5) */
	char buffer[128];
	struct slice text = procfs_read(processes->loadavg, buffer, sizeof buffer);
	int64_t last = -1; /* the process or thread that was made last; -1: unknown */
	for (int i = 0; text.len > 0 && i < FIELD; i++)
		last = procfs_take_number(&text);
	/* Too many processes are new to look for each, or too many processes outside of the tree have ended. */
	int64_t room = PROCESS_UNSEEN_MAX - (int64_t)processes->unseen_count;
	bool is_crowd = processes->last_pid < 0 || last < processes->last_pid ||
	                last - processes->last_pid > room ||
	                processes->list.count > 2 * processes->scanned + MANY;
	if (is_crowd) {
		/* PIDs begin again, so the PID of a process outside of the tree may be another process's. */
		if (last < processes->last_pid)
			process_drop(processes, is_stranger);
		scan_all(processes);
		processes->scans_due = 2; /* for processes that are being created during the scan */
	} else if (tick && processes->scans_due > 0) {
		processes->scans_due--;
		scan_all(processes);
	} else {
		size_t kept =
		        0; /* a tick gives up those who could not be seen at the tick before */
		for (size_t i = 0; i < processes->unseen_count; i++) {
			struct unseen_process unseen = processes->unseen[i];
			if (process_meet(processes, unseen.pid) || (tick && unseen.is_old))
				continue;
			unseen.is_old |= tick;
			processes->unseen[kept++] = unseen;
		}
		processes->unseen_count = kept;
		for (int64_t pid = processes->last_pid + 1; pid <= last; pid++) {
			struct unseen_process unseen = {.pid = (pid_t)pid};
			if (!process_meet(processes, unseen.pid))
				processes->unseen[processes->unseen_count++] = unseen;
		}
	}
	processes->last_pid = last;
	/* What was about to start had not its environment yet. */
	processes->tree_grew |= tick && (processes->launcher.pid != 0 || processes->in_doubt);
	processes->in_doubt &= !tick;
	/* A child may have been met before its parent, whose number is higher. */
	while (processes->tree_grew) {
		processes->tree_grew = false;
		for (size_t i = 0; i < processes->list.count; i++) {
			struct process *process = processes->list.items[i];
			if (!process->in_tree && is_of_tree(processes, process))
				join_tree(processes, process);
		}
	}
}
