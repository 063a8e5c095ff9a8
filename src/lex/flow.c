/* How a cell uses the names of its module. A walk over its logical lines keeps the suites around a
 * statement: below "if" and "try" nothing is certain, functions run when they are called, and a
 * class has its own names. The first round of a loop runs from top to bottom. Code that may run
 * only in a later round is read after the whole body was searched for the names that it defines. */
#include "lex/flow_expression.h"
#include "lex/statements.h"
#include "lex/syntax_guard.h"
#include "lex/syntax_layout.h"

/* A statement, or a part of it: its tokens [FIRST, END). */
struct part {
	const struct syntax_statement *statement;
	uint32_t first, end;
};

static uint32_t step(const struct flow_reader *r, const struct part *part, uint32_t at)
{
	return syntax_next(r->cell, at + 1, part->end);
}

static bool is_at(const struct flow_reader *r, const struct part *part, uint32_t at,
                  struct slice word)
{
	return at < part->end && syntax_is(r->cell, at, word);
}

static void walk_expression(struct flow_reader *r, const struct part *part)
{
	flow_expression(r, part->first, part->end);
}

/* The first WORD outside of brackets, or the end. */
static uint32_t find_outside(const struct flow_reader *r, const struct part *part,
                             struct slice word)
{
	struct statement_depth depth = {0};
	uint32_t at = part->first;
	while (at < part->end &&
	       !(statement_outside(r->cell, at, &depth) && syntax_is(r->cell, at, word)))
		at = step(r, part, at);
	return at;
}

/* ---- suites ---- */

static void enter(struct flow_reader *r, const struct part *header, struct flow_suite suite)
{
	suite.logical = header->statement->logical;
	suite.column = r->cell->logical.items[suite.logical].column;
	suite.perhaps |= r->now.perhaps;
	suite.in_function |= r->now.in_function;
	suite.in_class |= r->now.in_class;
	suite.in_loop |= r->now.in_loop;
	vec_push(r->arena, &r->suites, suite);
	r->now = suite;
}

static void leave_to(struct flow_reader *r, size_t count)
{
	r->suites.count = count;
	r->now = count > 0 ? r->suites.items[count - 1] : (struct flow_suite){0};
}

/* A line at COLUMN ends the suites of headers at this column or after it. */
static void leave_suites(struct flow_reader *r, uint32_t column)
{
	size_t count = r->suites.count;
	while (count > 0 && r->suites.items[count - 1].column >= column)
		count--;
	if (count < r->suites.count)
		leave_to(r, count);
}

/* ---- imports, del, global ---- */

/* Binds c and d for "a.b as c, d", and a for "a.b". */
static void bind_imports(struct flow_reader *r, const struct part *part, uint32_t first)
{
	const struct lexed_cell *cell = r->cell;
	uint32_t name = UINT32_MAX;
	for (uint32_t at = syntax_next(cell, first, part->end); at < part->end;
	     at = step(r, part, at)) {
		bool is_alias = name != UINT32_MAX && syntax_is(cell, at, SLICE("as"));
		if (is_alias || (name == UINT32_MAX && statement_is_name(cell, at)))
			name = is_alias ? step(r, part, at) : at;
		if (name >= part->end || !syntax_is(cell, at, SLICE(",")))
			continue;
		flow_bind(r, statement_token(cell, name));
		name = UINT32_MAX;
	}
	if (name < part->end)
		flow_bind(r, statement_token(cell, name));
}

static void walk_from(struct flow_reader *r, const struct part *part)
{
	uint32_t import = find_outside(r, part, SLICE("import"));
	uint32_t names = step(r, part, import);
	if (is_at(r, part, names, SLICE("*")))
		flow_add(r, FLOW_ANY, statement_token(r->cell, names));
	else if (import < part->end)
		bind_imports(r, part, names);
}

/* "del a, b[0]" deletes a and uses b. */
static void walk_del(struct flow_reader *r, const struct part *part)
{
	size_t events = r->out->count;
	flow_targets(r, step(r, part, part->first), part->end, true);
	for (size_t i = events; i < r->out->count; i++) {
		struct flow_event *event = &r->out->items[i];
		if (event->kind == FLOW_BIND)
			event->kind = r->suites.count == 0 ? FLOW_DELETE : FLOW_NOTHING;
	}
}

static void walk_global(struct flow_reader *r, const struct part *part)
{
	for (uint32_t at = step(r, part, part->first); at < part->end; at = step(r, part, at)) {
		if (statement_is_name(r->cell, at))
			flow_add(r, FLOW_GLOBAL, statement_token(r->cell, at));
	}
}

/* ---- other simple statements ---- */

static uint32_t find_assignment(const struct flow_reader *r, uint32_t first, uint32_t end)
{
	struct statement_depth depth = {0};
	uint32_t at = first;
	while (at < end &&
	       !(statement_outside(r->cell, at, &depth) && statement_is_assignment(r->cell, at)))
		at = syntax_next(r->cell, at + 1, end);
	return at;
}

/* True if an operator outside of brackets ends with "=" or ":". Also true for some comparisons and
 * lambdas. */
static bool may_assign(const struct flow_reader *r, const struct part *part)
{
	long depth = 0;
	for (uint32_t at = part->first; at < part->end; at++) {
		const struct token *token = &r->cell->tokens.items[at];
		if (token->kind != TOKEN_OP)
			continue;
		char last = r->cell->text.ptr[token->offset + token->len - 1];
		depth += flow_bracket_step(r->cell, at);
		if (depth <= 0 && (last == '=' || last == ':'))
			return true;
	}
	return false;
}

/* Reads "target =", "target: type =", "target +=" in tokens [FIRST, EQUALS]. */
static void walk_targets(struct flow_reader *r, const struct part *part, uint32_t first,
                         uint32_t equals)
{
	struct part target = {part->statement, first, equals};
	bool augmented = equals < part->end && !flow_is(r->cell, equals, '=');
	flow_targets(r, first, find_outside(r, &target, SLICE(":")), augmented);
}

/* Reads the value before the targets, as Python does. */
static void walk_assignment(struct flow_reader *r, const struct part *part)
{
	uint32_t value = part->first, equals;
	while ((equals = find_assignment(r, value, part->end)) < part->end)
		value = step(r, part, equals);
	bool is_annotation = value == part->first && find_outside(r, part, SLICE(":")) < part->end;
	r->is_no_python |= value == part->end;
	if (is_annotation)
		walk_targets(r, part, value, part->end);
	else
		flow_expression(r, value, part->end);
	for (uint32_t first = part->first; first < value; first = step(r, part, equals)) {
		equals = find_assignment(r, first, part->end);
		walk_targets(r, part, first, equals);
	}
}

static const struct slice exits[] = {SLICE_INIT("raise"), SLICE_INIT("exit"), SLICE_INIT("quit"),
                                     SLICE_INIT("_exit"), SLICE_INIT("abort")};

enum { EXIT_COUNT = sizeof exits / sizeof *exits };

/* True for raise; exit(), quit(), sys.exit(), os._exit() and the like. */
static bool ends_script(const struct flow_reader *r, const struct part *part)
{
	uint32_t at = part->first, next = step(r, part, at);
	if (syntax_is(r->cell, at, exits[0]))
		return true;
	bool is_module =
	        syntax_is(r->cell, at, SLICE("sys")) || syntax_is(r->cell, at, SLICE("os"));
	if (is_module && is_at(r, part, next, SLICE("."))) {
		at = step(r, part, next);
		next = step(r, part, at);
	}
	return is_at(r, part, next, SLICE("(")) &&
	       slice_is_one_of(statement_token(r->cell, at), exits + 1, EXIT_COUNT - 1);
}

static void walk_assert(struct flow_reader *r, const struct part *part)
{
	struct part condition = *part;
	condition.end = find_outside(r, part, SLICE(","));
	walk_expression(r, &condition);
}

/* Reads a statement that begins with KEYWORD. Returns false if it is an expression or an
 * assignment. */
static bool walk_keyword(struct flow_reader *r, const struct part *part, struct slice keyword)
{
	uint32_t second = step(r, part, part->first);
	if (slice_eq(keyword, SLICE("import")))
		bind_imports(r, part, second);
	else if (slice_eq(keyword, SLICE("from")))
		walk_from(r, part);
	else if (slice_eq(keyword, SLICE("del")))
		walk_del(r, part);
	else if (slice_eq(keyword, SLICE("global")))
		walk_global(r, part);
	else if (slice_eq(keyword, SLICE("assert")))
		walk_assert(r, part);
	else if (slice_eq(keyword, SLICE("type")) && second < part->end &&
	         statement_is_name(r->cell, second)) /* the value is not computed here */
		flow_bind(r, statement_token(r->cell, second));
	else
		return false;
	return true;
}

static void walk_simple(struct flow_reader *r, const struct part *part)
{
	bool is_word = r->cell->tokens.items[part->first].kind == TOKEN_NAME;
	if (is_word && walk_keyword(r, part, statement_token(r->cell, part->first)))
		return;
	if (may_assign(r, part))
		walk_assignment(r, part);
	else
		walk_expression(r, part);
	if (r->may_end && r->suites.count == 0 && ends_script(r, part))
		flow_add(r, FLOW_END, slice_make("", 0));
}

/* ---- headers ---- */

/* Reads defaults of parameters, from the "(" at OPEN on. */
static void walk_defaults(struct flow_reader *r, const struct part *header, uint32_t open)
{
	const struct lexed_cell *cell = r->cell;
	uint32_t end = flow_after_bracket(cell, open, header->end);
	struct part list = {header->statement, step(r, header, open), end};
	while (list.first < end) {
		struct part parameter = list;
		parameter.end = find_outside(r, &list, SLICE(","));
		struct part value = parameter;
		value.first =
		        step(r, &parameter, find_assignment(r, parameter.first, parameter.end));
		walk_expression(r, &value);
		list.first = step(r, &list, parameter.end);
	}
}

/* The token after type parameters, "[T]", if they begin at AT; else AT. */
static uint32_t skip_types(const struct flow_reader *r, const struct part *header, uint32_t at)
{
	return is_at(r, header, at, SLICE("[")) ? flow_after_bracket(r->cell, at, header->end) : at;
}

static void walk_def(struct flow_reader *r, const struct part *header, uint32_t name)
{
	uint32_t open = skip_types(r, header, step(r, header, name));
	if (is_at(r, header, open, SLICE("(")))
		walk_defaults(r, header, open);
	if (name < header->end)
		flow_bind(r, statement_token(r->cell, name));
	enter(r, header, (struct flow_suite){.in_function = true});
}

static void walk_class(struct flow_reader *r, const struct part *header, uint32_t name)
{
	uint32_t second = step(r, header, name), bases = skip_types(r, header, second);
	if (second == bases)
		flow_expression(r, bases, header->end);
	if (name < header->end)
		flow_bind(r, statement_token(r->cell, name));
	if (!r->now.in_class)
		name_set_init(&r->class_names, r->arena);
	enter(r, header, (struct flow_suite){.in_class = true});
}

static void walk_lines(struct flow_reader *r, uint32_t line, uint32_t end);

/* The line after the suite of the header in line HEADER. */
static uint32_t after_suite(const struct flow_reader *r, uint32_t header)
{
	const struct logical_line *lines = r->cell->logical.items;
	uint32_t at = header + 1, count = (uint32_t)r->cell->logical.count;
	while (at < count &&
	       (lines[at].kind == LINE_BLANK || lines[at].column > lines[header].column))
		at++;
	return at;
}

static void enter_loop(struct flow_reader *r, const struct part *header, bool perhaps)
{
	bool is_outermost = !r->now.in_loop && !r->binds_only;
	enter(r, header, (struct flow_suite){.perhaps = perhaps, .in_loop = true});
	if (is_outermost)
		r->loop = (struct flow_loop){header->statement->logical, r->next, r->suites.count,
		                             true};
}

/* Binds the names that the whole body of the outermost loop defines. */
static void look_ahead(struct flow_reader *r)
{
	size_t next = r->next, count = r->suites.count - r->loop.suites;
	struct flow_suite *inner = arena_calloc(r->arena, count, sizeof *inner);
	memcpy(inner, r->suites.items + r->loop.suites, count * sizeof *inner);
	r->loop.ahead = false;
	r->binds_only = true;
	r->next = r->loop.next;
	leave_to(r, r->loop.suites);
	walk_lines(r, r->loop.line, after_suite(r, r->loop.line));
	leave_to(r, r->loop.suites);
	for (size_t i = 0; i < count; i++)
		vec_push(r->arena, &r->suites, inner[i]);
	leave_to(r, r->suites.count);
	r->next = next;
	r->binds_only = false;
}

/* True if STATEMENT is another loop or has a comprehension, which may do nothing in the first round
 * of the outermost loop. In a later round, all names that the body defines exist. */
static bool runs_later(const struct flow_reader *r, const struct syntax_statement *statement)
{
	if (!r->now.in_loop || !r->loop.ahead || r->binds_only)
		return false;
	struct slice keyword = statement_keyword(r->cell, statement);
	return r->local_count > 0 || (statement->header && (slice_eq(keyword, SLICE("for")) ||
	                                                    slice_eq(keyword, SLICE("while"))));
}

static void walk_for(struct flow_reader *r, const struct part *header)
{
	uint32_t in = find_outside(r, header, SLICE("in"));
	flow_expression(r, step(r, header, in), header->end);
	flow_targets(r, header->first, in, false);
	enter_loop(r, header, false);
}

/* True if the header of a "with" appears to catch errors: suppress(NameError),
 * pytest.raises(...). */
static bool may_swallow(const struct flow_reader *r, const struct part *header)
{
	static const struct slice signs[] = {SLICE_INIT("aise"),  SLICE_INIT("uppress"),
	                                     SLICE_INIT("xpect"), SLICE_INIT("xcept"),
	                                     SLICE_INIT("Error"), SLICE_INIT("error"),
	                                     SLICE_INIT("gnore"), SLICE_INIT("fail")};
	for (uint32_t at = header->first; at < header->end; at = step(r, header, at)) {
		struct slice text = statement_token(r->cell, at);
		bool is_name = r->cell->tokens.items[at].kind == TOKEN_NAME;
		for (size_t i = 0; is_name && i < sizeof signs / sizeof *signs; i++) {
			if (slice_find_slice(text, signs[i], 0) < text.len)
				return true;
		}
	}
	return false;
}

/* Reads HEADER, which excludes its keyword and ":". */
static void walk_header(struct flow_reader *r, const struct part *header, struct slice keyword)
{
	const struct flow_suite suite = {0}, perhaps = {.perhaps = true};
	if (slice_eq(keyword, SLICE("def"))) {
		walk_def(r, header, header->first);
	} else if (slice_eq(keyword, SLICE("class"))) {
		walk_class(r, header, header->first);
	} else if (slice_eq(keyword, SLICE("for"))) {
		walk_for(r, header);
	} else if (slice_eq(keyword, SLICE("while"))) {
		walk_expression(r, header);
		enter_loop(r, header, true);
	} else if (slice_eq(keyword, SLICE("with")) || slice_eq(keyword, SLICE("match"))) {
		walk_expression(r, header);
		enter(r, header, may_swallow(r, header) ? perhaps : suite);
	} else if (slice_eq(keyword, SLICE("if"))) {
		walk_expression(r, header);
		enter(r, header,
		      statement_is_main_guard(r->cell, header->statement) ? suite : perhaps);
	} else {
		enter(r, header, perhaps);
		if (slice_eq(keyword, SLICE("case")))
			flow_bind_names(r, header->first, header->end);
		else
			walk_expression(r, header);
	}
}

/* Reads a statement of a function, which runs when the function is called. */
static void walk_in_function(struct flow_reader *r, const struct part *part)
{
	if (syntax_is(r->cell, part->first, SLICE("global")))
		walk_global(r, part);
	for (uint32_t at = part->first; r->has_opener && at < part->end; at = step(r, part, at)) {
		if (r->cell->tokens.items[at].kind == TOKEN_NAME && flow_is_opener(r, at))
			flow_add(r, FLOW_ANY, statement_token(r->cell, at));
	}
	if (part->statement->header)
		enter(r, part, (struct flow_suite){0});
}

static void walk_statement(struct flow_reader *r, const struct syntax_statement *statement)
{
	struct part part = {statement, statement->first_token, statement->last_token + 1};
	if (!statement->in_suite)
		leave_suites(r, r->cell->logical.items[statement->logical].column);
	if (r->now.in_function) {
		walk_in_function(r, &part);
		return;
	}
	flow_begin_statement(r, part.first, part.end);
	if (runs_later(r, statement)) {
		look_ahead(r);
		flow_begin_statement(r, part.first, part.end);
	}
	if (!statement->header) {
		walk_simple(r, &part);
		return;
	}
	struct slice keyword = statement_keyword(r->cell, statement);
	while (!slice_eq(statement_token(r->cell, part.first), keyword))
		part.first = step(r, &part, part.first);
	part.first = step(r, &part, part.first);
	part.end = statement->last_token;
	walk_header(r, &part, keyword);
}

/* ---- the cell ---- */

static void walk_magic(struct flow_reader *r, const struct logical_line *line)
{
	leave_suites(r, line->column);
	bool perhaps = r->now.perhaps || r->now.in_function || r->now.in_loop;
	struct flow_event event = {.kind = perhaps ? FLOW_MAGIC_PERHAPS : FLOW_MAGIC,
	                           .index = line->magic};
	vec_push(r->arena, r->out, event);
}

/* Reads logical lines [LINE, END), from the next statement on. */
static void walk_lines(struct flow_reader *r, uint32_t line, uint32_t end)
{
	const struct lexed_cell *cell = r->cell;
	for (; line < end; line++) {
		if (cell->logical.items[line].kind == LINE_MAGIC)
			walk_magic(r, &cell->logical.items[line]);
		while (r->next < cell->statements.count &&
		       cell->statements.items[r->next].logical == line)
			walk_statement(r, &cell->statements.items[r->next++]);
	}
}

struct flow_reader *flow_reader_new(struct arena *arena)
{
	struct flow_reader *reader = ARENA_NEW(arena, struct flow_reader);
	reader->arena = arena;
	flow_find_openers(reader);
	return reader;
}

static void begin_cell(struct flow_reader *reader, const struct lexed_cell *cell, flow_events *out)
{
	reader->cell = cell;
	reader->out = out;
	reader->next = 0;
	leave_to(reader, 0);
	reader->has_loop = name_filter_may_have(&cell->names, SLICE("for"));
	reader->has_walrus = slice_find_slice(cell->text, SLICE(":="), 0) < cell->text.len;
	reader->has_opener = name_filters_may_meet(&cell->names, &reader->openers);
	reader->is_no_python = reader->may_end = false;
	for (size_t i = 0; i < EXIT_COUNT; i++)
		reader->may_end |= name_filter_may_have(&cell->names, exits[i]);
}

void flow_read(struct flow_reader *reader, const struct lexed_cell *cell, flow_events *out)
{
	struct syntax_fault fault;
	size_t before = out->count;
	begin_cell(reader, cell, out);
	if (cell->broken || syntax_layout_fault(cell, &fault))
		reader->is_no_python = true;
	else
		walk_lines(reader, 0, (uint32_t)cell->logical.count);
	if (!reader->is_no_python)
		return;
	out->count = before;
	flow_add(reader, FLOW_ANY, slice_make("", 0));
}
