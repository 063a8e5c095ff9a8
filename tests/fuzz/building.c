#include "building.h"

#include <unistd.h>

#include "driver/compile.h"
#include "driver/configuration.h"
#include "driver/outputs.h"
#include "driver/project.h"
#include "emit/dump.h"
#include "emit/script.h"
#include "lex/syntax.h"
#include "settings/yaml_reader.h"

enum choice { /* bits of the number of line ends */
	      CHOOSE_DROP = 1,
	      CHOOSE_WHOLE = 2,
	      CHOOSE_NO_REGIONS = 4,
	      CHOOSE_BROKEN = 8,
};

enum { DUMP_READ_MAX = 32 * 1024 };

struct build {
	struct arena arena;
	struct compilation *c;
	struct outputs outputs;
	struct strbuf all; /* everything that comes out */
	bool is_first;     /* what is dear is checked once */
};

static unsigned choices_of(struct slice text)
{
	unsigned count = 0;
	while (count < text.len && text.ptr[text.len - 1 - count] == '\n')
		count++;
	return count;
}

/* As if Python had said something about every second cell. */
static void break_cells(struct build *b)
{
	const struct notebook *notebook = &b->c->notebook;
	size_t count = notebook_last_cell(notebook);
	struct broken_cell *broken = arena_calloc(&b->arena, count + 1, sizeof *broken);
	for (size_t i = 0; i < notebook->cells.count; i += 2) {
		const struct cell *cell = &notebook->cells.items[i];
		size_t middle = cell->source.len / 2;
		broken[cell->number] = (struct broken_cell){
		        .where = location_in_cell(cell->number, cell->source, middle, 1),
		        .type = SLICE("SyntaxError"),
		        .message = cell->source,
		};
	}
	b->c->options.broken = broken;
}

static void choose(struct build *b, unsigned choices)
{
	b->c->options.build.whole_notebook |= (choices & CHOOSE_WHOLE) != 0;
	b->c->options.build.no_cell_regions |= (choices & CHOOSE_NO_REGIONS) != 0;
	b->c->options.build.unknown_magics =
	        choices & CHOOSE_DROP ? UNKNOWN_MAGICS_DROP : UNKNOWN_MAGICS_IPYTHON;
	if (choices & CHOOSE_BROKEN)
		break_cells(b);
}

static int read_input(struct compilation *c, struct slice text)
{
	int fd = fuzz_file(text);
	int status = notebook_read(c->arena, fd, c->path, &c->limits, &c->diags, &c->notebook);
	close(fd);
	return status;
}

static int build(struct build *b, struct slice text)
{
	struct compilation *c = b->c;
	struct build_settings given = {
	        .no_config = true, .source_map.given = true, .depfile = true};
	if (project_init(c, &given) < 0 || read_input(c, text) < 0 ||
	    configuration_make(c, &given) < 0)
		return -1;
	choose(b, choices_of(text));
	if (compile_build(c) < 0)
		return -1;
	return outputs_make(c, &b->outputs);
}

/* Is its code none, as far as can be told? */
static bool is_no_python(const struct lexed_cell *cell)
{
	struct syntax_fault fault;
	return cell->broken || syntax_layout_fault(cell, &fault);
}

static bool has_broken(const struct build *b)
{
	for (size_t i = 0; i < b->c->ir.programs.count; i++) {
		block_refs blocks = blocks_flatten(b->c->arena, &b->c->ir.programs.items[i].blocks);
		for (size_t k = 0; k < blocks.count; k++) {
			if (block_runs(blocks.items[k]) &&
			    is_no_python(blocks.items[k]->code->lexed))
				return true;
		}
	}
	return false;
}

/* To the lexer, a script whose cells are all right is Python without magics. */
static void check_script(struct build *b, struct slice script)
{
	struct diags diags;
	struct lexed_cell lexed;
	struct cell cell = {.type = CELL_CODE, .number = 1, .source = script};
	if (has_broken(b))
		return;
	diags_init(&diags, &b->arena);
	lex_cell(&b->arena, &cell, &diags, &lexed);
	fuzz_require(lexed.is_python && lexed.cell_magics.count == 0 && lexed.magics.count == 0,
	             "no magic is left in a script");
	if (lexed.broken)
		fuzz_require_equal(diags.list.items[0].message, script, "a script can be lexed");
}

static void check_outputs(struct build *b, struct slice input)
{
	struct slice folder = SLICE(FUZZ_FOLDER);
	for (size_t i = 0; i < b->outputs.files.count; i++) {
		const struct output *file = &b->outputs.files.items[i];
		struct slice path = slice_from(file->path);
		struct strbuf whole = {.arena = &b->arena};
		strbuf_add(&whole, file->head);
		strbuf_add(&whole, file->text);
		struct slice text = strbuf_slice(&whole);
		fuzz_check_text(text, "a file is lines of UTF-8");
		fuzz_require(slice_find(text, '\0', 0) == text.len || has_broken(b),
		             "only a cell that is no Python brings a NUL");
		fuzz_require(slice_starts_with(text, file->marker), "a file has its marker");
		fuzz_require(slice_starts_with(path, folder) &&
		                     slice_find_slice(path, SLICE("/../"), 0) == path.len,
		             "a file lies in the notebook's folder");
		if (b->is_first && slice_ends_with(path, SLICE(".py")))
			check_script(b, text);
		if (slice_ends_with(path, SLICE(".map.json")))
			fuzz_check_json(text, "a source map is JSON");
		if (!slice_ends_with(path, SLICE(".d")) &&
		    slice_find_slice(input, folder, 0) == input.len)
			fuzz_require(slice_find_slice(text, folder, 0) == text.len,
			             "a file names no folder of the machine");
		strbuf_add(&b->all, text);
	}
}

static void check_dump(struct build *b)
{
	struct diags diags;
	diags_init(&diags, &b->arena);
	struct strbuf json = {.arena = &b->arena};
	struct strbuf yaml = {.arena = &b->arena};
	emit_ir_dump(&json, &b->c->ir, DUMP_JSON);
	emit_ir_dump(&yaml, &b->c->ir, DUMP_YAML);
	fuzz_check_json(strbuf_slice(&json), "a dump in JSON is JSON");
	/* Our reader takes no "\0". */
	if (yaml.len > DUMP_READ_MAX ||
	    slice_find_slice(strbuf_slice(&yaml), SLICE("\\0"), 0) < yaml.len)
		return;
	if (yaml_read(&b->arena, SLICE("a.yaml"), strbuf_slice(&yaml), &diags) == NULL)
		fuzz_require_equal(diags.list.items[0].message, strbuf_slice(&yaml),
		                   "a dump in YAML is YAML");
}

static void build_once(struct build *b, struct slice text, bool is_first)
{
	*b = (struct build){.is_first = is_first};
	arena_init(&b->arena, NULL);
	struct compilation *c = b->c = ARENA_NEW(&b->arena, struct compilation);
	c->arena = &b->arena;
	c->path = SLICE(FUZZ_FOLDER "/notebook.ipynb");
	c->limits = notebook_default_limits;
	diags_init(&c->diags, &b->arena);
	b->all = (struct strbuf){.arena = &b->arena};
	int status = build(b, text);
	fuzz_require((status < 0) == (c->diags.errors > 0), "a failure is an error");
	fuzz_check_places(&c->diags, &c->notebook);
	fuzz_report(&b->all, &c->notebook, &c->diags, is_first && text.len % 8 == 0);
	if (status == 0)
		check_outputs(b, text);
	if (status == 0 && is_first)
		check_dump(b);
}

void fuzz_build(struct slice text)
{
	struct build one, other;
	fuzz_read_only_below(FUZZ_FOLDER);
	build_once(&one, text, true);
	build_once(&other, text, false);
	fuzz_require_equal(strbuf_slice(&one.all), strbuf_slice(&other.all),
	                   "the same notebook gives the same files");
	arena_release(&one.arena);
	arena_release(&other.arena);
}
