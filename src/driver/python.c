#include "driver/python.h"

/* Limits of what verify.py writes about one cell, of its findings, and of all that it writes. */
enum { FAULT_SIZE = 2048, FINDINGS_SIZE = 1 << 20, ANSWER_MAX = 8 << 20 };

bool python_is_named(const char *named)
{
	const char *variable = getenv("PYTHON");
	return named != NULL || (variable != NULL && variable[0] != '\0');
}

const char *python_find(struct arena *arena, const char *named, const char *configured)
{
	const char *folder = getenv("VIRTUAL_ENV");
	if (python_is_named(named))
		return named != NULL ? named : getenv("PYTHON");
	if (configured != NULL)
		return configured;
	return folder != NULL && folder[0] != '\0'
	               ? arena_printf(arena, "%s/bin/python3", folder).ptr
	               : "python3";
}

/* Cuts COUNT decimal numbers off the beginning of *LINE. */
static bool next_numbers(struct slice *line, unsigned *const *numbers, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		uint64_t number;
		if (!slice_read_number(slice_next_word(line), UINT_MAX, &number))
			return false;
		*numbers[i] = (unsigned)number;
	}
	return true;
}

/* Reads "CELL LINE COLUMN LENGTH WHOLE TAKEN_BY TYPE MESSAGE". */
static bool read_fault(struct arena *arena, struct slice line, struct python_check *check)
{
	struct python_fault fault = {0};
	unsigned *const numbers[] = {&fault.cell,   &fault.line,  &fault.column,
	                             &fault.length, &fault.whole, &fault.taken_by};
	if (!next_numbers(&line, numbers, sizeof numbers / sizeof *numbers))
		return false;
	fault.type = slice_next_word(&line);
	fault.message = slice_trim(line);
	vec_push(arena, check->faults, fault);
	return fault.cell <= check->cell_count && fault.type.len > 0;
}

/* Reads "LINE COLUMN NUMBER DIAG WORD", a tab, MESSAGE, a tab and HINT. */
static bool read_finding(struct arena *arena, struct slice line, struct python_check *check)
{
	struct python_finding found = {0};
	unsigned *const numbers[] = {&found.line, &found.column, &found.number};
	if (!next_numbers(&line, numbers, sizeof numbers / sizeof *numbers))
		return false;
	found.kind = diag_by_name(slice_next_word(&line));
	found.word = slice_next_word(&line);
	line = slice_trim(line);
	size_t tab = slice_find(line, '\t', 0);
	found.message = slice_sub(line, 0, tab);
	found.hint = slice_tail(line, tab + 1);
	vec_push(arena, check->findings, found);
	return found.word.len > 0 && found.line > 0;
}

/* Reads "3.11". */
static bool read_version(struct python_checker *checker, struct slice word)
{
	size_t point = slice_find(word, '.', 0);
	uint64_t major, minor;
	if (!slice_read_number(slice_sub(word, 0, point), UINT8_MAX, &major) ||
	    !slice_read_number(slice_tail(word, point + 1), UINT8_MAX, &minor))
		return false;
	checker->version = (unsigned)(100 * major + minor);
	return true;
}

static int ask_python_process(struct arena *arena, struct python_checker *checker,
                              const struct python_check *check, struct process_result *result)
{
	/* -I and -S: no code of the notebook's folder or of a site is run. */
	const char *argv[] = {checker->python,  "-I", "-S", "-W", "ignore", "-c",
	                      checker->program, NULL};
	size_t limit = (check->cell_count + 2) * FAULT_SIZE + FINDINGS_SIZE;
	unsigned number = ++checker->asked;
	struct strbuf input = {.arena = arena};
	/* The length of the rest comes first. */
	strbuf_printf(&input, "nbscorep:check %u %zu\n", number, check->question.len);
	strbuf_add(&input, check->question); /* may contain NUL characters */
	struct process_order order = {
	        .argv = argv,
	        .environment = checker->environment,
	        .folder = "/",
	        .own_group = true,
	        .is_whole = true,
	        .input = strbuf_slice(&input),
	        .limit = limit < ANSWER_MAX ? limit : ANSWER_MAX,
	        .limits = checker->limits,
	};
	struct slice last_line = arena_printf(arena, "nbscorep:done %u", number);
	bool is_new = checker->process.pid == 0;
	int status = process_ask(arena, &checker->process, &order, last_line, result);
	if (status == 0 || errno != ECHILD || is_new)
		return status;
	/* The process may have ended for a reason other than this text; ask a new one. */
	return ask_python_process(arena, checker, check, result);
}

enum python_answer python_check(struct arena *arena, struct python_checker *checker,
                                struct python_check *check, struct slice *reason)
{
	struct process_result result = {0};
	if (ask_python_process(arena, checker, check, &result) != 0) {
		*reason = process_failure(arena, &result, checker->limits.seconds);
		return !result.started             ? PYTHON_UNUSABLE
		       : result.error == ETIMEDOUT ? PYTHON_TOO_SLOW
		                                   : PYTHON_FAILED;
	}
	struct slice line;
	bool is_read = true;
	/* Other lines are not verify.py's: the Python may be a script that prints something. */
	while (is_read && slice_next_line(&result.out, &line)) {
		struct slice word = slice_next_word(&line);
		*reason = line = slice_trim(line);
		if (slice_eq(word, SLICE("nbscorep:done")))
			return PYTHON_CHECKED;
		if (slice_eq(word, SLICE("nbscorep:refused")))
			return PYTHON_UNUSABLE;
		if (slice_eq(word, SLICE("nbscorep:too-large")))
			return PYTHON_TOO_LARGE;
		if (slice_eq(word, SLICE("nbscorep:python")))
			is_read = read_version(checker, line);
		else if (slice_eq(word, SLICE("nbscorep:found")))
			is_read = read_finding(arena, line, check);
		else if (slice_eq(word, SLICE("nbscorep:fault")))
			is_read = read_fault(arena, line, check);
	}
	*reason = SLICE("its answer cannot be read");
	return PYTHON_FAILED;
}
