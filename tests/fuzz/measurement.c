/* An experiment directory: reading it, its figures, findings, and each form of its report. An input is a list of files: a byte for
 * the name, four for the size, the bytes. A profile is read here, where coverage leads the fuzzer; an archive in another
 * process, because the OTF2 library may abort over a damaged one. */
#include <errno.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/os.h"
#include "base/os_put.h"
#include "base/paths.h"
#include "fuzz.h"
#include "report/profile_export.h"
#include "report/profile_html.h"
#include "trace/measurement_read.h"

static const char *const names[] = {"profile.cubex", "lines.csv",    "traces.otf2",
                                    "traces.def",    "traces/0.def", "traces/0.evt",
                                    "traces/1.def",  "traces/1.evt"};
enum { NAME_COUNT = sizeof names / sizeof *names, ARCHIVE = 2, CHANGES = 1000 };

/* Returns which of the names were written: 1u << index. */
static unsigned write_files(struct arena *arena, struct slice folder, struct slice input)
{
	enum { HEAD = 5 };
	unsigned written = 0;
	while (input.len >= HEAD) {
		uint32_t size;
		const struct os_file *failed;
		memcpy(&size, input.ptr + 1, sizeof size);
		size_t name = (unsigned char)input.ptr[0] % NAME_COUNT;
		struct slice path = path_join(arena, folder, slice_from(names[name]));
		const struct os_file file = {.path = arena_cstr(arena, path),
		                             .text = slice_sub(input, HEAD, HEAD + (size_t)size),
		                             .mode = 0600};
		(void)os_put_files(arena, &file, 1, &failed);
		written |= 1u << name;
		input = slice_sub(input, HEAD + (size_t)size, input.len);
	}
	return written;
}

static struct slice form_of(struct arena *arena, const struct profile_report *report,
                            void (*form)(struct strbuf *out, const struct profile_report *report))
{
	struct strbuf out = {.arena = arena};
	form(&out, report);
	return strbuf_slice(&out);
}

static void check_forms(struct arena *arena, const struct profile_report *report)
{
	static const struct page_parts parts = {
	        SLICE_INIT("<@style-source@@script-source@@style@@data@@script@"), SLICE_INIT("s"),
	        SLICE_INIT("s")};
	fuzz_check_terminal(form_of(arena, report, report_profile_text));
	fuzz_check_terminal(form_of(arena, report, report_profile_csv));
	(void)form_of(arena, report, report_profile_folded);
	fuzz_check_json(form_of(arena, report, report_profile_json), "a report is JSON");
	fuzz_check_json(form_of(arena, report, report_profile_speedscope),
	                "what speedscope reads is JSON");
	fuzz_check_json(form_of(arena, report, report_profile_chrome),
	                "what Perfetto reads is JSON");
	struct strbuf html = {.arena = arena};
	struct page_writer page;
	page_begin(&page, arena);
	profile_html_data(&page, report);
	page_end(&html, &page, &parts);
	struct slice whole = strbuf_slice(&html);
	fuzz_require(slice_find(whole, '<', 1) == whole.len, "data does not end its element");
	fuzz_check_json(slice_sub(whole, slice_find(whole, '{', 0), whole.len - 1),
	                "data of a page is JSON");
}

static void check(struct arena *arena, struct slice directory)
{
	struct measurement m;
	struct profile profile;
	struct profile_report report = {.profile = &profile};
	const struct profile_selection all = {.cells = REPORT_RANGE_ALL, .rank = -1, .thread = -1};
	struct slice failed = {0};
	const char *problem = measurement_read(&m, arena, directory, CHANGES, &failed);
	if (problem != NULL) {
		fuzz_require(slice_starts_with(failed, directory) && problem[0] != '\0',
		             "an error names the file");
		return;
	}
	if (m.locations.count == 0 || profile_make(&profile, arena, &m, NULL, &all) != 0)
		return;
	profile.directory = directory;
	for (size_t i = 0; i < m.locations.count; i++) {
		const struct measured_location *location = &m.locations.items[i];
		fuzz_require(location->process < m.processes.count,
		             "each location has its process");
		fuzz_require(location->times.count <= m.paths.count, "times are of call paths");
	}
	diagnosis_make(&report.findings, &profile);
	check_forms(arena, &report);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena arena;
	arena_init(&arena, NULL);
	const char *directory = scratch_make(&arena);
	if (directory == NULL)
		return 0;
	struct slice folder = slice_from(directory);
	(void)mkdir(arena_cstr(&arena, path_join(&arena, folder, SLICE("traces"))), 0700);
	unsigned written = write_files(&arena, folder, fuzz_input(data, size));
	if (written >> ARCHIVE == 0) {
		check(&arena, folder);
	} else {
		pid_t process = fork();
		int status = 0;
		if (process == 0) {
			static const int signals[] = {SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGALRM};
			for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
				(void)signal(signals[i],
				             SIG_DFL); /* the fuzzer's would call it a finding */
			(void)alarm(10);
			check(&arena, folder);
			_exit(0);
		}
		while (process > 0 && waitpid(process, &status, 0) < 0 && errno == EINTR)
			;
	}
	(void)scratch_remove(directory);
	arena_release(&arena);
	return 0;
}
