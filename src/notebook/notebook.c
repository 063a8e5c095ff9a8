#include "notebook/notebook.h"

#include "notebook/cells.h"
#include "notebook/check_language.h"
#include "notebook/config_value.h"
#include "notebook/convert.h"

/* ---- the notebook as a whole ---- */

static int fail_format(struct conversion *c, const char *problem)
{
	diag_add(c->diags, DIAG_NOT_NOTEBOOK, (struct location){0}, "not a Jupyter notebook: %s",
	         problem);
	return -1;
}

static int read_version(struct conversion *c, const json_t *root)
{
	const json_t *major = convert_member(root, "nbformat");
	json_int_t minor = json_integer_value(convert_member(root, "nbformat_minor"));
	json_int_t version = json_integer_value(major);
	if (major == NULL)
		version = convert_member(root, "worksheets") != NULL ? 3 : 1;
	else if (!json_is_integer(major) || version < 1)
		return fail_format(c, "its 'nbformat' is not a version number");
	if (version > 4) {
		diag_add(c->diags, DIAG_NOT_NOTEBOOK, (struct location){0},
		         "nbformat %" JSON_INTEGER_FORMAT " is newer than 4, the newest supported",
		         version);
		return -1;
	}
	c->out->nbformat = (unsigned)version;
	c->out->nbformat_minor = minor > 0 && minor <= 1000 ? (unsigned)minor : 0;
	return 0;
}

static int convert(struct conversion *c, const json_t *root)
{
	if (!json_is_object(root))
		return fail_format(c, "it is not a JSON object");
	if (read_version(c, root) != 0)
		return -1;
	const json_t *metadata = convert_member(root, "metadata");
	const json_t *kernel = convert_member(metadata, "kernelspec");
	struct notebook *out = c->out;
	out->kernel_name = arena_dup(c->arena, convert_text(convert_member(kernel, "name")));
	out->kernel_display =
	        arena_dup(c->arena, convert_text(convert_member(kernel, "display_name")));
	if (convert_config(c, convert_member(metadata, "nbscorep")) != 0 ||
	    check_language(c, metadata) != 0)
		return -1;
	return convert_cells(c, root);
}

/* ---- both stages ---- */

/* Resources that must be released even if an allocation fails. */
struct reading {
	struct conversion conversion;
	struct skim skim;
	struct arena scratch; /* for the first stage and jansson; larger than the result */
	struct skim_file file;
	int *read_error;
	int result;
};

/* The source of jansson's memory; it passes no context to its allocators. If an allocation fails,
 * jansson 2.14 continues without the bytes of a text, and then reads and writes past its end. So a
 * failure must jump out at once, and jansson's memory is released with the arena. */
static struct arena *tree_arena;

static void *take(size_t size)
{
	return arena_alloc(tree_arena, size);
}

static void forget(void *memory)
{
	(void)memory;
}

/* Makes jansson's tree of the skimmed text. It can only fail if memory runs out: the first stage
 * has rejected or rewritten everything else that jansson rejects. */
static const json_t *parse(struct reading *r)
{
	const size_t flags = JSON_ALLOW_NUL | JSON_DECODE_ANY;
	const json_t *root = json_loadb(r->skim.text.ptr, r->skim.text.len, flags, NULL);
	if (root == NULL)
		arena_fail(r->conversion.arena);
	return root;
}

static int read_stages(struct reading *r)
{
	struct conversion *c = &r->conversion;
	if (skim_read(&r->scratch, &r->file, c->diags, &r->skim, r->read_error) != 0)
		return -1;
	return convert(c, parse(r));
}

/* Runs the stages. Returns false if memory ran out. Meanwhile all arenas jump to here. */
static bool guard(struct reading *r)
{
	jmp_buf failed;
	struct arena *arena = r->conversion.arena, *other = r->conversion.diags->arena;
	jmp_buf *before = arena_set_handler(arena, &failed);
	jmp_buf *other_before = arena_set_handler(other, &failed);
	arena_init(&r->scratch, &failed);
	json_malloc_t usual_malloc;
	json_free_t usual_free;
	json_get_alloc_funcs(&usual_malloc, &usual_free);
	json_set_alloc_funcs(take, forget);
	tree_arena = &r->scratch;
	bool finished = false;
	if (setjmp(failed) == 0) {
		r->result = read_stages(r);
		finished = true;
	}
	json_set_alloc_funcs(usual_malloc, usual_free);
	tree_arena = NULL;
	arena_set_handler(other, other_before);
	arena_set_handler(arena, before);
	return finished;
}

const struct notebook_limits notebook_default_limits = {.nesting = 1000,
                                                        .cells = 100000,
                                                        .cell_bytes = (size_t)16 << 20,
                                                        .bytes = (size_t)256 << 20,
                                                        .values = 1000000,
                                                        .included_cells = 20000,
                                                        .included_bytes = (size_t)64 << 20};

int notebook_read(struct arena *arena, int fd, struct slice name,
                  const struct notebook_limits *limits, struct diags *diags, struct notebook *out,
                  int *read_error)
{
	*out = (struct notebook){.name = arena_dup(arena, name)};
	struct reading r = {.file = {.fd = fd, .name = out->name, .limits = limits},
	                    .read_error = read_error};
	*read_error = 0;
	r.conversion =
	        (struct conversion){.arena = arena, .diags = diags, .skim = &r.skim, .out = out};
	bool finished = guard(&r);
	arena_release(&r.scratch);
	if (!finished)
		arena_fail(arena);
	return r.result;
}
