#include "run/python.h"

#include <errno.h>
#include <limits.h>
#include <unistd.h>

#include "base/strbuf.h"
#include "run/process.h"

/* verify.py writes less about one cell, and has not more to say than that about all of them. */
enum { FAULT_SIZE = 2048, REASON_MAX = 200 };

static bool is_set(const char *value)
{
	return value != NULL && value[0] != '\0';
}

/* Its Python, or NULL. One that is first on PATH needs no look: python3 is that one. */
static const char *virtual_python(const struct environment *environment)
{
	const char *folder = environment_get(environment, SLICE("VIRTUAL_ENV"));
	const char *path = environment_get(environment, SLICE("PATH"));
	if (!is_set(folder))
		return NULL;
	struct slice programs = arena_printf(environment->arena, "%s/bin", folder);
	struct slice first = slice_from(path == NULL ? "" : path);
	first = slice_sub(first, 0, slice_find(first, ':', 0));
	struct slice python = arena_printf(environment->arena, "%s/python", programs.ptr);
	return slice_eq(first, programs) ? NULL : environment_find_program(environment, python.ptr);
}

const char *python_find(const struct environment *environment, const char *named)
{
	const char *variable = environment_get(environment, SLICE("PYTHON"));
	if (named != NULL)
		return named;
	if (is_set(variable))
		return variable;
	const char *active = virtual_python(environment);
	return active != NULL ? active : "python3";
}

/* The number of cells and of lines of cell_text, a line for each cell, cell_text, the script. */
static struct slice make_input(struct arena *arena, const struct python_check *check)
{
	struct strbuf out;
	strbuf_init(&out, arena);
	size_t lines = 0;
	for (struct slice line, rest = check->cell_text; slice_next_line(&rest, &line);)
		lines++;
	strbuf_printf(&out, "%zu %zu\n", check->cell_count, lines);
	for (size_t i = 0; i < check->cell_count; i++) {
		const struct python_cell *cell = &check->cells[i];
		strbuf_printf(&out, "%zu %zu %zu %zu %zu\n", cell->first, cell->count, cell->indent,
		              cell->in_script, cell->span);
	}
	strbuf_add(&out, check->cell_text);
	strbuf_add(&out, check->script);
	return strbuf_slice(&out);
}

/* False where WORD is no decimal number that fits. */
static bool read_number(struct slice word, unsigned *out)
{
	unsigned number = 0;
	for (size_t i = 0; i < word.len; i++) {
		if (!ascii_is_digit(word.ptr[i]) || number > UINT_MAX / 10 - 1)
			return false;
		number = number * 10 + (unsigned)(word.ptr[i] - '0');
	}
	*out = number;
	return word.len > 0;
}

/* "CELL LINE COLUMN LENGTH WHOLE PYTHON2 TYPE MESSAGE". */
static bool read_fault(struct slice line, size_t cell_count, struct python_fault *out)
{
	unsigned numbers[6];
	for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
		if (!read_number(slice_next_word(&line), &numbers[i]))
			return false;
	}
	*out = (struct python_fault){
	        .cell = numbers[0],
	        .line = numbers[1],
	        .column = numbers[2],
	        .length = numbers[3],
	        .whole = numbers[4] != 0,
	        .python_2 = numbers[5] != 0,
	        .type = slice_next_word(&line),
	};
	out->message = slice_trim(line);
	return numbers[0] <= cell_count && out->type.len > 0;
}

/* Cuts the first word off LINE where it is WORD. */
static bool takes(struct slice *line, struct slice word)
{
	struct slice rest = *line;
	if (!slice_eq(slice_next_word(&rest), word))
		return false;
	*line = slice_trim(rest);
	return true;
}

/* Lines that are not verify.py's are passed over: PYTHON may be a script that says something. */
static int read_answer(struct arena *arena, struct python_check *check, struct slice answer,
                       struct slice *reason)
{
	struct slice line;
	struct python_fault fault;
	while (slice_next_line(&answer, &line)) {
		if (takes(&line, SLICE("nbscorep:done")))
			return 0;
		if (takes(&line, SLICE("nbscorep:refused"))) {
			*reason = line;
			return -1;
		}
		if (!takes(&line, SLICE("nbscorep:fault")))
			continue;
		if (!read_fault(line, check->cell_count, &fault))
			break;
		vec_push(arena, &check->faults, fault);
	}
	*reason = SLICE("its answer cannot be read");
	return -1;
}

static struct slice last_line(struct slice text)
{
	struct slice line = slice_make(NULL, 0), last = line;
	while (slice_next_line(&text, &line)) {
		if (slice_trim(line).len > 0)
			last = slice_trim(line);
	}
	return slice_sub(last, 0, REASON_MAX);
}

int python_check(struct arena *arena, const char *python, struct slice checker,
                 struct python_check *check, struct slice *reason)
{
	/* -I and -S: nothing of the notebook's folder or of a site is run. */
	const char *argv[] = {python, "-I", "-S", "-W", "ignore", "-c", arena_cstr(arena, checker),
	                      NULL};
	struct process_order order = {
	        .argv = argv,
	        .input = make_input(arena, check),
	        .limit = (check->cell_count + 2) * FAULT_SIZE,
	        .own_group = true,
	};
	struct process_result result = {0};
	if (process_run(arena, &order, &result) != 0) {
		*reason = slice_from(strerror(errno));
		return -1;
	}
	check->started = true;
	if (result.status != 0) {
		struct slice said = last_line(result.err);
		*reason = arena_printf(arena, "it %.*s%s%.*s",
		                       SLICE_ARG(process_ending(arena, result.status)),
		                       said.len > 0 ? ": " : "", SLICE_ARG(said));
		return -1;
	}
	return read_answer(arena, check, result.out, reason);
}
