#include "driver/python.h"

#include "base/utf8.h"
#include "lex/lex.h"

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

/* ---- asking ---- */

struct python_check {
	/* Two numbers on a line: of cells, with those that are left out of the script and come last, and of lines of
	 * the cells' text. Then a line for each cell, the cells' text, in which they are compiled one by one, and the
	 * script.
	 *
	 * The line of a cell has five numbers. The cell has COUNT lines with INDENT blanks before the code, from line
	 * FIRST (1-based) of the cells' text on; and SPAN lines, including the cells that it includes, from line
	 * IN_SCRIPT of the script on: "FIRST COUNT INDENT IN_SCRIPT SPAN". IN_SCRIPT is 0 for a cell that is left out,
	 * which is not checked. */
	struct slice question;
	size_t cell_count;      /* of the script */
	fault_list *faults;     /* to which the result is added */
	finding_list *findings; /* likewise */
};

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

static enum python_answer python_check(struct arena *arena, struct python_checker *checker,
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

/* ---- scripts ---- */

/* A script in memory. */
struct script_text {
	struct slice all;
	VECTOR(struct slice) lines;
	source_map map;
};

static struct script_text text_of(struct arena *arena, const struct emitted_script *script)
{
	struct script_text text = {.map = script->map};
	struct strbuf all = {.arena = arena};
	strbuf_puts(&all, "\n\n"); /* in place of the lines before the body */
	strbuf_add(&all, script->body);
	text.all = strbuf_slice(&all);
	struct slice line, rest = text.all;
	while (slice_next_line(&rest, &line))
		vec_push(arena, &text.lines, line);
	return text;
}

/* ---- places ---- */

static struct slice line_of(struct slice source, unsigned number)
{
	struct slice line = slice_make("", 0);
	while (number-- > 0 && slice_next_line(&source, &line))
		;
	return line;
}

/* The offset in LINE, the notebook's, of byte OFFSET of WRITTEN, a line of the script: the script
 * has text before or after it, or clean-up cut text off its beginning. SIZE_MAX: neither. */
static size_t offset_in_notebook(struct slice written, size_t offset, struct slice line)
{
	struct slice core = slice_trim(line), rest = slice_tail(written, offset);
	size_t core_at = (size_t)(core.ptr - line.ptr);
	size_t found = slice_find_slice(written, core, 0);
	if (core.len > 0 && found < written.len && offset >= found)
		return core_at + (offset - found < core.len ? offset - found : core.len);
	if (rest.len > 0 && slice_ends_with(line, rest))
		return line.len - rest.len;
	return SIZE_MAX;
}

/* AT: index of the first entry of the cell that is at fault. */
static struct location place_of_fault(const struct python_fault *fault,
                                      const struct script_text *text, size_t at)
{
	const struct source_map_entry *entry = &text->map.items[at], *part = NULL;
	const struct block *block = entry->block;
	size_t script_line = entry->script_line + fault->line - 1;
	/* The part of the cell that the line is in. */
	for (; part == NULL && fault->line > 0 && at < text->map.count; at++) {
		const struct source_map_entry *next = &text->map.items[at];
		if (next->script_line > script_line)
			break;
		if (next->block == block && script_line - next->script_line < next->lines)
			part = next;
	}
	if (part == NULL || text->lines.items == NULL)
		return block_cell_location(block);
	unsigned number = (unsigned)(part->first_line + script_line - part->script_line);
	struct slice line = line_of(block->source, number), core = slice_trim(line);
	struct slice written = text->lines.items[script_line - 1];
	size_t start = (size_t)(core.ptr - line.ptr), end = start + core.len;
	size_t offset = SIZE_MAX, len = core.len;
	if (fault->column > 0)
		offset =
		        offset_in_notebook(written, utf8_skip(written, 0, fault->column - 1), line);
	if (offset == SIZE_MAX) {
		offset = start;
	} else if (core.len > 0 && offset >= end) {
		/* Something is missing after the last character. */
		for (offset = end - 1; offset > start && (line.ptr[offset] & 0xC0) == 0x80;)
			offset--;
	} else {
		len = utf8_skip(slice_tail(line, offset), 0, fault->length);
	}
	if (len > end - offset)
		len = end - offset;
	struct location where =
	        location_in_line(block->code->lexed->number, number, line, offset, len);
	where.file = block->code->lexed->file;
	return where;
}

/* ---- Python ---- */

/* Finds the place of FAULT. FIRSTS: the cells' first entries in WHOLE. */
static void place_fault(struct arena *arena, struct python_fault *fault,
                        const struct script_text *cells, const struct script_text *whole,
                        const size_t *firsts)
{
	if (fault->cell == cells->map.count) {
		fault->message = arena_printf(arena, "line %u: %.*s", fault->line,
		                              SLICE_ARG(fault->message));
		return;
	}
	fault->block = cells->map.items[fault->cell].block;
	fault->where = fault->whole ? place_of_fault(fault, whole, firsts[fault->cell])
	                            : place_of_fault(fault, cells, fault->cell);
}

/* The first entry of WHOLE that ends after line NUMBER of the script, or NULL: the line is in it, or in the frame before
 * it. */
static const struct source_map_entry *entry_at(const struct script_text *whole, unsigned number)
{
	vec_each(const struct source_map_entry, entry, &whole->map) {
		if (number < entry->script_line + entry->lines)
			return entry;
	}
	return NULL;
}

/* The line of ENTRY's cell for line NUMBER of the script. */
static unsigned line_in(const struct source_map_entry *entry, unsigned number)
{
	size_t after = number > entry->script_line ? number - entry->script_line : 0;
	return (unsigned)(entry->first_line + after);
}

static bool is_in_name(struct slice text, size_t at)
{
	return at < text.len && is_name_byte(text.ptr[at]);
}

/* The offset of NAME in LINE: of the occurrence that has as many others before it as the one at byte COLUMN of WRITTEN,
 * the line of the script, which has text of ours around it; else of the last one. SIZE_MAX: none. */
static size_t name_offset(struct slice line, struct slice written, size_t column, struct slice name)
{
	size_t before = 0, found = SIZE_MAX;
	if (column > written.len)
		column = written.len;
	for (size_t at = 0; (at = slice_find_slice(written, name, at)) < column; at += name.len)
		before += !is_in_name(written, at - 1) && !is_in_name(written, at + name.len);
	for (size_t at = 0; (at = slice_find_slice(line, name, at)) < line.len; at += name.len) {
		if (is_in_name(line, at - 1) || is_in_name(line, at + name.len))
			continue;
		found = at;
		if (before-- == 0)
			break;
	}
	return found;
}

/* The message of FOUND with the name of a place in it. */
static struct slice message_with(struct arena *arena, const struct python_finding *found,
                                 struct slice mark, struct slice place)
{
	size_t at = slice_find_slice(found->message, mark, 0);
	if (at == found->message.len)
		return found->message;
	struct slice rest = slice_tail(found->message, at + mark.len);
	return arena_printf(arena, "%.*s%.*s%.*s", (int)at, found->message.ptr, SLICE_ARG(place),
	                    SLICE_ARG(rest));
}

/* Finds the place of FOUND, and those that its message names. ENTRY: that of its line. */
static void place_finding(struct arena *arena, struct python_finding *found,
                          const struct source_map_entry *entry, const struct script_text *whole,
                          const block_list *left_out)
{
	const struct block *block = entry->block;
	unsigned number = line_in(entry, found->line);
	struct slice line = line_of(block->source, number);
	size_t offset =
	        name_offset(line, whole->lines.items[found->line - 1], found->column, found->word);
	bool is_found = offset != SIZE_MAX;
	/* The line that the message may name is not in a cell if it has no entry. */
	const struct source_map_entry *other = entry_at(whole, found->number);
	struct slice place = other != NULL && other->block != block
	                             ? block_title(arena, other->block)
	                             : arena_printf(arena, "line %u of the cell",
	                                            other == NULL ? found->number
	                                                          : line_in(other, found->number));
	found->message = message_with(arena, found, SLICE("{line}"), place);
	if (found->number < left_out->count)
		found->message = message_with(arena, found, SLICE("{left out}"),
		                              block_title(arena, &left_out->items[found->number]));
	found->block = block;
	found->where = location_in_line(block->code->lexed->number, number, line,
	                                is_found ? offset : 0, is_found ? found->word.len : 0);
	found->where.file = block->code->lexed->file;
}

/* The cells that may have been part of the program, but are not. */
static block_list find_left_out(struct compilation *c, const struct program *program)
{
	block_refs own = blocks_flatten(c->arena, &program->blocks),
	           all = blocks_flatten(c->arena, &c->ir.blocks);
	block_list left_out = {0};
	size_t last = notebook_last_cell(&c->notebook);
	bool *is_own = arena_calloc(c->arena, last + 1, sizeof *is_own); /* by number */
	for (size_t i = 0; i < own.count; i++) {
		if (block_is_code(own.items[i]) && own.items[i]->origin == NULL)
			is_own[own.items[i]->cell] = true;
	}
	for (size_t i = 0; i < all.count; i++) {
		const struct block *block = all.items[i];
		bool is_code = block_is_code(block) || block->kind == BLOCK_COMMENT;
		if (is_code && block->origin == NULL && !is_own[block->cell])
			vec_push(c->arena, &left_out, *block);
	}
	return left_out;
}

/* The question's text of cells ends with those that are left out. */
enum python_answer python_faults(struct python_checker *checker, struct compilation *c,
                                 const struct program *program, fault_list *faults,
                                 finding_list *findings, struct slice *reason)
{
	struct arena *arena = c->arena;
	struct script_text whole = text_of(arena, compile_script(c, program));
	/* A text in which each cell is in one piece. */
	struct script_text cells = text_of(arena, emit_python(arena, program, LAYOUT_APART));
	block_list left_out = find_left_out(c, program);
	size_t count = cells.map.count, line = cells.lines.count + 1;
	/* The first of the script's entries of each cell; both have the same order. */
	size_t *firsts = arena_calloc(arena, count, sizeof *firsts), next = 0;
	struct strbuf rows = {.arena = arena}, text = {.arena = arena}, question = {.arena = arena};
	strbuf_add(&text, cells.all);
	for (size_t i = 0; i < count; i++) {
		while (whole.map.items[next].first_line > 1)
			next++;
		firsts[i] = next++;
		const struct source_map_entry *entry = &cells.map.items[i],
		                              *in_script = &whole.map.items[firsts[i]];
		strbuf_printf(&rows, "%zu %zu %zu %zu %zu\n", entry->script_line, entry->lines,
		              entry->indent, in_script->script_line, in_script->span);
	}
	for (size_t i = 0; i < left_out.count; i++) {
		struct slice source = left_out.items[i].source, rest = source, each;
		size_t first = line;
		while (slice_next_line(&rest, &each))
			line++;
		strbuf_printf(&rows, "%zu %zu 0 0 0\n", first, line - first);
		strbuf_add(&text, source);
		if (source.len > 0 && !slice_ends_with(source, SLICE("\n")))
			strbuf_addc(&text, '\n');
	}
	strbuf_printf(&question, "%zu %zu\n", count + left_out.count, line - 1);
	strbuf_add(&question, strbuf_slice(&rows));
	strbuf_add(&question, strbuf_slice(&text));
	strbuf_add(&question, whole.all);
	size_t first_fault = faults->count, kept = findings->count, i = kept;
	struct python_check check = {strbuf_slice(&question), count, faults, findings};
	enum python_answer answer = python_check(arena, checker, &check, reason);
	if (answer != PYTHON_CHECKED) {
		faults->count = first_fault;
		findings->count = kept;
		return answer;
	}
	for (size_t k = first_fault; k < faults->count; k++)
		place_fault(arena, &faults->items[k], &cells, &whole, firsts);
	for (; i < findings->count; i++) {
		struct python_finding *found = &findings->items[i];
		const struct source_map_entry *entry = entry_at(&whole, found->line);
		if (whole.lines.items == NULL || entry == NULL || found->kind == DIAG_KIND_COUNT)
			continue;
		place_finding(arena, found, entry, &whole, &left_out);
		found->program = program;
		findings->items[kept++] = *found;
	}
	findings->count = kept;
	return answer;
}
