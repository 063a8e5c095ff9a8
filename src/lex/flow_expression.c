/* How an expression uses names. One pass over its tokens, with a stack of the open brackets,
 * ignores uses in parts that may not run: after "and" and "or", both sides of "x if y else z", the
 * body of a lambda, the results of a generator. */
#include "lex/flow_expression.h"
#include "lex/fields.h"
#include "lex/lexer.h"
#include "lex/python_lexer.h"
#include "lex/statements.h"

enum { BRACKETS_MAX = 200 }; /* nested: CPython's MAXLEVEL */

/* An expression that is being read. */
struct expression {
	struct flow_reader *reader;
	const struct lexed_cell *cell;
	uint32_t end;
	size_t base;             /* number of brackets around it in reader->brackets */
	size_t quiet;            /* uses do not count at this bracket depth or deeper; 0: off */
	bool quiet_to_comma;     /* a comma at that depth ends it */
	bool has_value;          /* a value ends at the previous token */
	bool has_string;         /* this value is a string */
	bool has_dot, has_infix; /* the previous token: a "."; an infix operator */
};

/* ---- names ---- */

void flow_add(struct flow_reader *reader, enum flow_kind kind, struct slice name)
{
	vec_push(reader->arena, reader->out, ((struct flow_event){.kind = kind, .name = name}));
}

static bool is_local(const struct flow_reader *reader, struct slice name)
{
	return reader->local_count > FLOW_LOCALS_MAX ||
	       slice_is_one_of(name, reader->locals, reader->local_count) ||
	       (reader->now.in_class && name_set_has(&reader->class_names, name));
}

static void use(struct flow_reader *reader, struct slice name)
{
	if (!reader->binds_only && !reader->now.perhaps && !is_local(reader, name))
		flow_add(reader, FLOW_USE, name);
}

void flow_bind(struct flow_reader *reader, struct slice name)
{
	if (reader->now.in_class)
		name_set_add(&reader->class_names, name);
	else
		flow_add(reader, FLOW_BIND, name);
}

void flow_bind_names(struct flow_reader *reader, uint32_t first, uint32_t end)
{
	bool attribute = false;
	for (uint32_t at = first; at < end; at = syntax_next(reader->cell, at + 1, end)) {
		if (!attribute && statement_is_name(reader->cell, at))
			flow_bind(reader, statement_token(reader->cell, at));
		attribute = flow_is(reader->cell, at, '.');
	}
}

/* ---- names after which any name may have a value ---- */

static const struct slice openers[] = {
        SLICE_INIT("exec"),         SLICE_INIT("compile"),  SLICE_INIT("globals"),
        SLICE_INIT("locals"),       SLICE_INIT("vars"),     SLICE_INIT("execfile"),
        SLICE_INIT("get_ipython"),  SLICE_INIT("builtins"), SLICE_INIT("init_session"),
        SLICE_INIT("__builtins__"), SLICE_INIT("__main__"), SLICE_INIT("load_session"),
        SLICE_INIT("load_module"),  SLICE_INIT("var"),
};

/* The same for attributes. */
static const struct slice opening_attributes[] = {
        SLICE_INIT("user_ns"),      SLICE_INIT("user_global_ns"),
        SLICE_INIT("modules"),      SLICE_INIT("f_globals"),
        SLICE_INIT("f_locals"),     SLICE_INIT("init_session"),
        SLICE_INIT("currentframe"), SLICE_INIT("_getframe"),
        SLICE_INIT("_convert_"),    SLICE_INIT("_convert"),
        SLICE_INIT("load_session"), SLICE_INIT("load_module"),
        SLICE_INIT("instance"),     SLICE_INIT("var"),
};

enum {
	OPENER_COUNT = sizeof openers / sizeof *openers,
	OPENING_ATTRIBUTE_COUNT = sizeof opening_attributes / sizeof *opening_attributes,
};

void flow_find_openers(struct flow_reader *reader)
{
	for (size_t i = 0; i < OPENER_COUNT; i++)
		name_filter_add(&reader->openers, openers[i]);
	for (size_t i = 0; i < OPENING_ATTRIBUTE_COUNT; i++)
		name_filter_add(&reader->openers, opening_attributes[i]);
}

/* Returns the first token of the arguments in a call of FUNCTION, ")" if it has no arguments, or
 * the end of the cell if FUNCTION is not called. */
static uint32_t first_argument(const struct lexed_cell *cell, uint32_t function)
{
	uint32_t count = (uint32_t)cell->tokens.count;
	uint32_t open = syntax_next(cell, function + 1, count);
	return syntax_is(cell, open, SLICE("(")) ? syntax_next(cell, open + 1, count) : count;
}

/* False if the call opens nothing: vars(x) has only the attributes of x, and only var("x y") is
 * SymPy's; var(x) is a variance. */
static bool opens_with_arguments(const struct lexed_cell *cell, uint32_t function)
{
	struct slice name = statement_token(cell, function);
	uint32_t first = first_argument(cell, function);
	if (slice_eq(name, SLICE("vars")))
		return first == cell->tokens.count || syntax_is(cell, first, SLICE(")"));
	if (!slice_eq(name, SLICE("var")))
		return true;
	return first < cell->tokens.count && (cell->tokens.items[first].kind == TOKEN_STRING ||
	                                      cell->tokens.items[first].kind == TOKEN_FSTRING);
}

bool flow_is_opener(const struct flow_reader *reader, uint32_t at)
{
	const struct lexed_cell *cell = reader->cell;
	if (!reader->has_opener)
		return false;
	struct slice name = statement_token(cell, at);
	if (!syntax_is_attribute(cell, at))
		return slice_is_one_of(name, openers, OPENER_COUNT) &&
		       opens_with_arguments(cell, at);
	bool is_modules = slice_eq(name, SLICE("modules"));
	uint32_t owner = syntax_previous(cell, syntax_previous(cell, at));
	return slice_is_one_of(name, opening_attributes, OPENING_ATTRIBUTE_COUNT) &&
	       (!is_modules || syntax_is(cell, owner, SLICE("sys"))) &&
	       opens_with_arguments(cell, at);
}

/* ---- the beginning of a statement ---- */

int flow_bracket_step(const struct lexed_cell *cell, uint32_t at)
{
	const struct token *token = &cell->tokens.items[at];
	if (token->kind != TOKEN_OP)
		return 0;
	char c = cell->text.ptr[token->offset];
	if (c == '(' || c == '[' || c == '{')
		return 1;
	return c == ')' || c == ']' || c == '}' ? -1 : 0;
}

uint32_t flow_after_bracket(const struct lexed_cell *cell, uint32_t open, uint32_t end)
{
	long depth = 0;
	for (uint32_t at = open; at < end; at = syntax_next(cell, at + 1, end)) {
		depth += flow_bracket_step(cell, at);
		if (depth <= 0)
			return syntax_next(cell, at + 1, end);
	}
	return end;
}

static void add_local(struct flow_reader *reader, struct slice name)
{
	if (reader->local_count < FLOW_LOCALS_MAX)
		reader->locals[reader->local_count] = name;
	if (reader->local_count <= FLOW_LOCALS_MAX)
		reader->local_count++;
}

/* Finds names between "for" and "in" in brackets. */
static void find_locals(struct flow_reader *reader, uint32_t first, uint32_t end)
{
	const struct lexed_cell *cell = reader->cell;
	long depth = 0;
	bool is_target = false;
	for (uint32_t at = first; at < end; at++) {
		depth += flow_bracket_step(cell, at);
		if (depth <= 0 || cell->tokens.items[at].kind != TOKEN_NAME)
			continue;
		struct slice name = statement_token(cell, at);
		if (slice_eq(name, SLICE("for")))
			is_target = true;
		else if (slice_eq(name, SLICE("in")))
			is_target = false;
		else if (is_target)
			add_local(reader, name);
	}
}

static void bind_walruses(struct flow_reader *reader, uint32_t first, uint32_t end)
{
	const struct lexed_cell *cell = reader->cell;
	uint32_t previous = first;
	for (uint32_t at = first; at < end; at = syntax_next(cell, at + 1, end)) {
		if (syntax_is(cell, at, SLICE(":=")) && statement_is_name(cell, previous))
			flow_bind(reader, statement_token(cell, previous));
		previous = at;
	}
}

static void find_definitions(struct flow_reader *reader, uint32_t first, uint32_t end)
{
	if (reader->has_loop)
		find_locals(reader, first, end);
	if (reader->has_walrus)
		bind_walruses(reader, first, end);
}

void flow_begin_statement(struct flow_reader *reader, uint32_t first, uint32_t end)
{
	reader->local_count = 0;
	find_definitions(reader, first, end);
}

/* ---- what runs for certain ---- */

static size_t depth_of(const struct expression *e)
{
	return e->reader->brackets.count - e->base;
}

static struct flow_bracket *innermost(struct expression *e)
{
	return &e->reader->brackets.items[e->reader->brackets.count - 1];
}

static void open_bracket(struct expression *e, bool is_round)
{
	size_t count = e->reader->out->count;
	struct flow_bracket bracket = {.events = count, .segment = count, .is_round = is_round};
	vec_push(e->reader->arena, &e->reader->brackets, bracket);
	e->reader->is_no_python |= depth_of(e) > BRACKETS_MAX;
}

static void close_bracket(struct expression *e)
{
	if (depth_of(e) > 1)
		e->reader->brackets.count--;
	if (depth_of(e) < e->quiet)
		e->quiet = 0;
}

static void begin_quiet(struct expression *e, bool to_comma)
{
	if (e->quiet > 0 && e->quiet < depth_of(e))
		return;
	e->quiet_to_comma = to_comma && (e->quiet == 0 || e->quiet_to_comma);
	e->quiet = depth_of(e);
}

/* Call after a comma or colon. */
static void begin_segment(struct expression *e)
{
	innermost(e)->segment = e->reader->out->count;
	if (e->quiet == depth_of(e) && e->quiet_to_comma)
		e->quiet = 0;
}

/* Removes the uses of events [FROM, TO), which may not run. */
static void take_back(struct expression *e, size_t from, size_t to)
{
	for (size_t i = from; i < to; i++) {
		if (e->reader->out->items[i].kind == FLOW_USE)
			e->reader->out->items[i].kind = FLOW_NOTHING;
	}
}

/* Reads the "for" of a comprehension. */
static void read_for(struct expression *e)
{
	struct flow_bracket *bracket = innermost(e);
	if (bracket->has_loop) {
		begin_quiet(e, false);
		return;
	}
	bracket->has_loop = true;
	bracket->loop = e->reader->out->count;
	if (bracket->is_round)
		take_back(e, bracket->events, bracket->loop);
}

/* Reads a filter of a comprehension: the result expression may not run. */
static void read_filter(struct expression *e)
{
	struct flow_bracket *bracket = innermost(e);
	if (!bracket->has_filter)
		take_back(e, bracket->events, bracket->loop);
	bracket->has_filter = true;
	begin_quiet(e, false);
}

/* Reads the middle of "x if y else z". */
static void read_condition(struct expression *e)
{
	struct flow_bracket *bracket = innermost(e);
	take_back(e, bracket->segment, e->reader->out->count);
	bracket->segment = e->reader->out->count;
	begin_quiet(e, true);
}

/* Reads "as x" or "as (x, y)": binds the names and returns the token after them. "as a.b" uses
 * a. */
static uint32_t read_as(struct expression *e, uint32_t at)
{
	const struct lexed_cell *cell = e->cell;
	uint32_t name = syntax_next(cell, at + 1, e->end);
	if (name == e->end)
		return name;
	uint32_t after = flow_bracket_step(cell, name) > 0 ? flow_after_bracket(cell, name, e->end)
	                                                   : syntax_next(cell, name + 1, e->end);
	if (after < e->end && (flow_is(cell, after, '.') || flow_is(cell, after, '[')))
		return name;
	flow_bind_names(e->reader, name, after);
	return after;
}

/* ---- tokens ---- */

/* Returns the next token to read. */
static uint32_t read_keyword(struct expression *e, uint32_t at)
{
	struct slice word = statement_token(e->cell, at);
	e->has_value = slice_eq(word, SLICE("None")) || slice_eq(word, SLICE("True")) ||
	               slice_eq(word, SLICE("False"));
	if (slice_eq(word, SLICE("and")) || slice_eq(word, SLICE("or")))
		begin_quiet(e, true);
	else if (slice_eq(word, SLICE("lambda")))
		begin_quiet(e, false);
	else if (slice_eq(word, SLICE("for")))
		read_for(e);
	else if (slice_eq(word, SLICE("if")) && innermost(e)->has_loop)
		read_filter(e);
	else if (slice_eq(word, SLICE("if")))
		read_condition(e);
	else if (slice_eq(word, SLICE("as")))
		return read_as(e, at);
	return syntax_next(e->cell, at + 1, e->end);
}

/* True for an operator that is only valid between two values. */
static bool is_infix(struct slice text)
{
	return strchr("<>!/%|&^.", text.ptr[0]) != NULL ||
	       (text.len > 1 && text.ptr[0] == '=' && text.ptr[1] == '=');
}

static void read_operator(struct expression *e, uint32_t at)
{
	struct slice text = statement_token(e->cell, at);
	int step = flow_bracket_step(e->cell, at);
	bool is_ellipsis = slice_eq(text, SLICE("..."));
	e->has_infix = !is_ellipsis && is_infix(text);
	/* lambda x, /: y */
	e->reader->is_no_python |= e->has_infix && !e->has_value && e->quiet == 0;
	e->has_dot = e->has_infix && text.ptr[0] == '.';
	e->has_value = step < 0 || is_ellipsis;
	if (step > 0)
		open_bracket(e, text.ptr[0] == '(');
	else if (step < 0)
		close_bracket(e);
	else if (text.len == 1 && (text.ptr[0] == ',' || text.ptr[0] == ':'))
		begin_segment(e);
}

/* NEXT is the token after the name. */
static void read_name(struct expression *e, uint32_t at, uint32_t next)
{
	struct slice name = statement_token(e->cell, at);
	bool is_keyword = depth_of(e) > 1 && next < e->end && flow_is(e->cell, next, '=');
	if (flow_is_opener(e->reader, at))
		flow_add(e->reader, FLOW_ANY, name);
	else if (!e->has_dot && !is_keyword && e->quiet == 0 &&
	         !(next < e->end && syntax_is(e->cell, next, SLICE(":="))))
		use(e->reader, name);
}

static void read_fields(struct flow_reader *reader, struct slice text);

/* Reads a name, a number or a string. A value before it, as in `print x`, is not Python. */
static void read_value(struct expression *e, uint32_t at, uint32_t next)
{
	enum token_kind kind = e->cell->tokens.items[at].kind;
	bool is_string = kind == TOKEN_STRING || kind == TOKEN_FSTRING;
	e->reader->is_no_python |= e->has_value && !(is_string && e->has_string);
	if (kind == TOKEN_NAME)
		read_name(e, at, next);
	else if (kind == TOKEN_FSTRING && e->quiet == 0)
		read_fields(e->reader, statement_token(e->cell, at));
	e->has_value = true;
	e->has_string = is_string;
	e->has_dot = e->has_infix = false;
}

static uint32_t read_token(struct expression *e, uint32_t at)
{
	enum token_kind kind = e->cell->tokens.items[at].kind;
	uint32_t next = syntax_next(e->cell, at + 1, e->end);
	if (kind == TOKEN_OP) {
		read_operator(e, at);
	} else if (kind == TOKEN_NAME && syntax_is_keyword(statement_token(e->cell, at))) {
		e->has_dot = e->has_infix = false;
		return read_keyword(e, at);
	} else if (kind == TOKEN_NAME || kind == TOKEN_NUMBER || kind == TOKEN_STRING ||
	           kind == TOKEN_FSTRING) {
		read_value(e, at, next);
	}
	return next;
}

void flow_expression(struct flow_reader *reader, uint32_t first, uint32_t end)
{
	struct expression e = {
	        .reader = reader, .cell = reader->cell, .end = end, .base = reader->brackets.count};
	open_bracket(&e, false);
	for (uint32_t at = syntax_next(reader->cell, first, end); at < end;)
		at = read_token(&e, at);
	reader->is_no_python |= e.has_infix;
	reader->brackets.count = e.base;
}

/* ---- f-strings ---- */

/* The end of a field's expression: its "!", "=" or ":". */
static uint32_t field_expression_end(const struct lexed_cell *field)
{
	uint32_t count = (uint32_t)field->tokens.count, at = syntax_next(field, 0, count);
	long depth = 0;
	for (; at < count; at = syntax_next(field, at + 1, count)) {
		depth += flow_bracket_step(field, at);
		bool ends = flow_is(field, at, ':') || flow_is(field, at, '=') ||
		            syntax_is(field, at, SLICE(":=")) ||
		            field->tokens.items[at].kind == TOKEN_ERROR;
		if (depth == 0 && ends)
			break;
	}
	return at;
}

static void lex_field(struct flow_reader *reader, struct slice text)
{
	const struct lexed_cell *outer = reader->cell;
	struct lexed_cell *field = &reader->field;
	struct lexer lexer;
	field->text = text;
	field->tokens.count = field->logical.count = 0;
	lexer_init(&lexer, reader->arena, NULL, field);
	lexer_run(&lexer);
	uint32_t end = field_expression_end(field);
	size_t end_offset = end < field->tokens.count ? field->tokens.items[end].offset : text.len;
	bool is_broken = lexer.problem.message != NULL && lexer.problem.offset < end_offset;
	if (is_broken || (end == field->tokens.count && lexer.depth != 0))
		return;
	reader->cell = field;
	reader->in_field = true;
	find_definitions(reader, 0, end);
	if (reader->local_count == 0 || !reader->now.in_loop) /* it may run only in a later round */
		flow_expression(reader, 0, end);
	reader->cell = outer;
	reader->in_field = false;
}

/* Most fields are a name: "x", "x:.2f", "x.y!r". */
static bool read_plain_field(struct flow_reader *reader, struct slice text)
{
	struct slice rest = text, name;
	size_t end = 0;
	while (end < text.len && (is_name_byte(text.ptr[end]) || text.ptr[end] == '.'))
		end++;
	bool ends = end == text.len || text.ptr[end] == ':' || text.ptr[end] == '!';
	if (end == 0 || !ends || ascii_is_digit(text.ptr[0]) || text.ptr[0] == '.' ||
	    slice_starts_with(slice_sub(text, end, text.len), SLICE("!=")) ||
	    !slice_next_name(&rest, &name) || syntax_is_keyword(name) || reader->has_opener)
		return false;
	use(reader, name);
	return true;
}

/* "\N{BULLET}" is not a field. */
static bool is_named_character(struct slice text, struct slice field)
{
	size_t at = (size_t)(field.ptr - text.ptr);
	return at >= 3 && slice_eq(slice_sub(text, at - 3, at), SLICE("\\N{"));
}

/* Skips f-strings in fields. */
static void read_fields(struct flow_reader *reader, struct slice text)
{
	struct slice rest = text, field;
	while (!reader->in_field && field_next(&rest, &field)) {
		if (!is_named_character(text, field) && !read_plain_field(reader, field))
			lex_field(reader, field);
	}
}

/* ---- targets ---- */

/* Reads a name that is a target, or a part of one: of "a.b", "a[b]", "a(b).c". NEXT is the token
 * after it. */
static void read_target(struct flow_reader *reader, uint32_t at, uint32_t next, uint32_t end,
                        bool augmented)
{
	const struct lexed_cell *cell = reader->cell;
	struct slice name = statement_token(cell, at);
	bool is_part = next < end && (flow_is(cell, next, '.') || flow_is(cell, next, '[') ||
	                              flow_is(cell, next, '('));
	if (augmented || is_part)
		use(reader, name);
	if (!is_part)
		flow_bind(reader, name);
}

void flow_targets(struct flow_reader *reader, uint32_t first, uint32_t end, bool augmented)
{
	const struct lexed_cell *cell = reader->cell;
	bool has_value = false, attribute = false;
	for (uint32_t at = syntax_next(cell, first, end), next; at < end; at = next) {
		int step = flow_bracket_step(cell, at);
		bool is_value = statement_is_operand(cell, at);
		next = syntax_next(cell, at + 1, end);
		if (step > 0 && has_value) {
			next = flow_after_bracket(cell, at, end);
			flow_expression(reader, at, next);
		}
		reader->is_no_python |= is_value && has_value;
		if (is_value && flow_is_opener(reader, at))
			flow_add(reader, FLOW_ANY, statement_token(cell, at));
		if (is_value && !attribute && statement_is_name(cell, at))
			read_target(reader, at, next, end, augmented);
		attribute = flow_is(cell, at, '.');
		has_value = is_value || step < 0 || (step > 0 && has_value);
	}
}
