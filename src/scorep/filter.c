#include "scorep/filter.h"

#include "base/utf8.h"

enum { FAULTS_MAX = 10 }; /* a file of another kind has a fault in each word */

enum block { NO_BLOCK, FILES, REGIONS, BLOCK_COUNT };

static const struct slice keywords[] = {
        SLICE_INIT("SCOREP_FILE_NAMES_BEGIN"),
        SLICE_INIT("SCOREP_FILE_NAMES_END"),
        SLICE_INIT("SCOREP_REGION_NAMES_BEGIN"),
        SLICE_INIT("SCOREP_REGION_NAMES_END"),
        SLICE_INIT("EXCLUDE"),
        SLICE_INIT("INCLUDE"),
        SLICE_INIT("MANGLED"),
        SLICE_INIT("DEMANGLED"),
};

enum { KEYWORD_COUNT = sizeof keywords / sizeof *keywords };

struct checker {
	struct diags *diags;
	struct slice name, line; /* of the file; without the line end */
	unsigned number, faults;
	enum block block;
	bool in_rule, excludes;               /* after EXCLUDE or INCLUDE; after EXCLUDE */
	struct location begin;                /* of the block */
	bool excluded[BLOCK_COUNT];           /* blocks of this kind exclude a name */
	struct location include[BLOCK_COUNT]; /* the first included name */
};

static struct location word_place(const struct checker *c, struct slice word)
{
	struct location where =
	        location_in_line(0, c->number, c->line, (size_t)(word.ptr - c->line.ptr), word.len);
	where.file = c->name;
	return where;
}

/* Reports a fault at which Score-P ends the program. */
static void refuse_line(struct checker *c, struct slice what, const char *message)
{
	diag_add(c->diags, DIAG_FILTER_SYNTAX, word_place(c, what), "%s", message);
	c->faults++;
}

static void refuse_word(struct checker *c, struct slice word, const char *why)
{
	refuse_line(c, word, arena_printf(c->diags->arena, "'%.*s' %s", SLICE_ARG(word), why).ptr);
}

/* Checks a pattern, which may be a misspelt key word. */
static void check_pattern(struct checker *c, struct slice word)
{
	if (c->block == NO_BLOCK || !c->in_rule) {
		refuse_word(c, word,
		            c->block == NO_BLOCK ? "is outside a block"
		                                 : "is not after EXCLUDE or INCLUDE");
		(void)diag_suggest(c->diags, DIAG_FILTER_SYNTAX, word, keywords, KEYWORD_COUNT);
		/* Report the fault only once, not for each word after it. */
		c->in_rule = true;
		return;
	}
	if (slice_starts_with(word, SLICE("SCOREP_"))) {
		diag_add(c->diags, DIAG_FILTER_RULE, word_place(c, word),
		         "'%.*s' is not a key word, so Score-P reads it as a name",
		         SLICE_ARG(word));
		(void)diag_suggest(c->diags, DIAG_FILTER_RULE, word, keywords, KEYWORD_COUNT);
	}
	if (c->excludes)
		c->excluded[c->block] = true;
	else if (c->include[c->block].line == 0)
		c->include[c->block] = word_place(c, word);
}

static void check_word(struct checker *c, struct slice word)
{
	enum block block = slice_starts_with(word, SLICE("SCOREP_FILE_")) ? FILES : REGIONS;
	if (!slice_is_one_of(word, keywords, KEYWORD_COUNT)) {
		check_pattern(c, word);
	} else if (slice_ends_with(word, SLICE("_BEGIN"))) {
		if (c->block != NO_BLOCK)
			refuse_word(c, word, "is inside a block that has not ended");
		c->block = block;
		c->in_rule = false;
		c->begin = word_place(c, word);
	} else if (slice_ends_with(word, SLICE("_END"))) {
		if (c->block != block)
			refuse_word(c, word, "does not match an open block");
		c->block = NO_BLOCK;
	} else if (slice_ends_with(word, SLICE("CLUDE"))) {
		if (c->block == NO_BLOCK)
			refuse_word(c, word, "is outside a block");
		c->in_rule = true;
		c->excludes = slice_eq(word, SLICE("EXCLUDE"));
	} else if (c->block != REGIONS || !c->in_rule) {
		refuse_word(c, word, "is allowed only after EXCLUDE or INCLUDE of regions");
	}
}

static bool is_escaped(struct slice text, size_t at)
{
	return at > 0 && text.ptr[at - 1] == '\\';
}

static void check_line(struct checker *c)
{
	size_t comment = slice_find(c->line, '#', 0);
	while (comment < c->line.len && is_escaped(c->line, comment))
		comment = slice_find(c->line, '#', comment + 1);
	struct slice text = slice_sub(c->line, 0, comment);
	struct slice last = slice_tail(text, text.len - 1);
	if (slice_eq(last, SLICE("\r"))) {
		refuse_line(c, last,
		            "the line ends with CR LF; Score-P reads the CR as a part of the word");
		c->faults = FAULTS_MAX;
	} else if (slice_eq(last, SLICE("\\"))) {
		refuse_line(c, last, "Score-P refuses a backslash here; lines cannot be joined");
	} else {
		for (size_t from = 0, at = 0; at <= text.len && c->faults < FAULTS_MAX; at++) {
			bool is_blank =
			        at == text.len || text.ptr[at] == ' ' || text.ptr[at] == '\t';
			if (!is_blank || (at < text.len && is_escaped(text, at)))
				continue;
			if (at > from)
				check_word(c, slice_sub(text, from, at));
			from = at + 1;
		}
	}
}

void scorep_check_filter(struct diags *diags, struct slice name, struct slice text)
{
	struct checker c = {.diags = diags, .name = name};
	if (utf8_check(text) < text.len) {
		diag_add(diags, DIAG_FILTER_RULE, (struct location){.file = name},
		         "the filter file is not UTF-8, so it was not checked");
		return;
	}
	while (c.faults < FAULTS_MAX && slice_next_part(&text, '\n', &c.line)) {
		c.number++;
		check_line(&c);
	}
	if (c.faults == 0) {
		if (c.block != NO_BLOCK)
			diag_add(c.diags, DIAG_FILTER_RULE, c.begin, "this block never ends");
		for (int block = FILES; block < BLOCK_COUNT; block++) {
			if (c.include[block].line == 0 || c.excluded[block])
				continue;
			diag_add(c.diags, DIAG_FILTER_RULE, c.include[block],
			         "INCLUDE has no effect, because nothing is excluded");
			diag_hint(c.diags, DIAG_FILTER_RULE, "add 'EXCLUDE *' before it");
		}
	}
}
