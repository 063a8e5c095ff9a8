/* notebook: what is too much for the reader, and what fails around it. */
#include <fcntl.h>
#include <jansson.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/strbuf.h"
#include "notebook/skim.h"
#include "notebook_helpers.h"

static struct slice repeated(struct reading *r, const char *before, const char *unit, size_t count,
                             const char *after)
{
	struct strbuf text;
	strbuf_init(&text, &r->arena);
	strbuf_puts(&text, before);
	for (size_t i = 0; i < count; i++)
		strbuf_puts(&text, unit);
	strbuf_puts(&text, after);
	return strbuf_slice(&text);
}

enum { DEPTH = 1000 };

static void depth_is_limited(void **state)
{
	struct reading *r = *state;
	read_slice(r, repeated(r, "", "[", DEPTH, "1"));
	only_error(r, DIAG_JSON);
	read_slice(r, repeated(r, "", "[", DEPTH + 1, "1"));
	assert_place(only_error(r, DIAG_LIMIT), 0, 1, DEPTH + 1);
}

static void what_is_kept_is_limited(void **state)
{
	struct reading *r = *state;
	read_long(r, repeated(r, "{\"cells\": [0", ", 0", notebook_default_limits.cells, "]}"));
	assert_slice(only_error(r, DIAG_LIMIT)->message, "the notebook has more than 100000 cells");
	read_long(r, repeated(r, "{\"metadata\": {\"nbscorep\": [0", ", 0",
	                      notebook_default_limits.values, "]}}"));
	assert_slice(only_error(r, DIAG_LIMIT)->message,
	             "the notebook has more than 1000000 values");
	read_long(r, repeated(r, "{\"cells\": [{\"source\": \"", "0123456789abcdef",
	                      notebook_default_limits.cell_bytes / 16, "\"}]}"));
	assert_slice(only_error(r, DIAG_LIMIT)->message, "the cell's text exceeds 16 MiB");
}

static void outputs_are_not_kept(void **state)
{
	struct reading *r = *state;
	read_long(r, repeated(r,
	                      "{\"nbformat\": 4, \"cells\": [{\"cell_type\": \"code\", \"source\": "
	                      "\"x\", \"outputs\": [{\"data\": [0",
	                      ", {\"a\": \"b\"}", notebook_default_limits.values, "]}]}]}"));
	assert_silent(r);
	assert_slice(cell_at(r, 0)->source, "x");
	read_long(r,
	          repeated(r,
	                   "{\"nbformat\": 4, \"cells\": [{\"cell_type\": \"code\", \"source\": "
	                   "\"x\", \"attachments\": \"",
	                   "0123456789abcdef", notebook_default_limits.cell_bytes / 16, "\"}]}"));
	assert_silent(r);
}

static void read_errors_are_reported(void **state)
{
	static const char *const texts[] = {"",
	                                    "{\"ce",
	                                    "{\"cells\": [",
	                                    "[\"a",
	                                    "[\"\\u",
	                                    "[tr",
	                                    "[1",
	                                    "{\"cells\": [], \"nbformat\": 4}",
	                                    "[}"};
	struct reading *r = *state;
	memory_file.error = EIO;
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
		read_text(r, texts[i]);
		assert_slice(only_error(r, DIAG_IO)->message,
		             "cannot read 'a.ipynb': Input/output error");
		assert_int_equal(r->read_error, EIO);
	}
}

static void folders_are_refused(void **state)
{
	struct reading *r = *state;
	os_set_calls(NULL);
	int fd = open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	diags_init(&r->diags, &r->arena);
	r->result = notebook_read(&r->arena, fd, SLICE("/"), &notebook_default_limits, &r->diags,
	                          &r->notebook, &r->read_error);
	close(fd);
	assert_slice(only_error(r, DIAG_IO)->message, "cannot read '/': Is a directory");
	assert_int_equal(r->read_error, EISDIR);
}

static void *taken_elsewhere(size_t size)
{
	fail_msg("jansson takes %zu bytes that no arena has", size);
	return NULL;
}

static void given_elsewhere(void *block)
{
	fail_msg("jansson gives %p back, which no arena has", block);
}

/* A failing allocation of jansson's must leave jansson, which would go on with a wrong text. */
static void memory_is_the_arenas(void **state)
{
	struct slice text =
	        SLICE("{\"nbformat\": 4, \"cells\": [{\"cell_type\": \"code\", \"source\": "
	              "[\"a\", \"b\"]}], \"metadata\": {\"nbscorep\": {\"a\": [1.5]}}}");
	struct reading *r = *state;
	json_malloc_t old_malloc, usual_malloc;
	json_free_t old_free, usual_free;
	json_get_alloc_funcs(&old_malloc, &old_free);
	json_set_alloc_funcs(taken_elsewhere, given_elsewhere);
	read_long(r, text);
	json_get_alloc_funcs(&usual_malloc, &usual_free);
	json_set_alloc_funcs(old_malloc, old_free);
	assert_true(usual_malloc == taken_elsewhere && usual_free == given_elsewhere);
	assert_slice(cell_at(r, 0)->source, "ab");
}

int main(void)
{
	static const struct CMUnitTest limits[] = {
	        TEST(depth_is_limited),     TEST(what_is_kept_is_limited),
	        TEST(outputs_are_not_kept), TEST(read_errors_are_reported),
	        TEST(folders_are_refused),  TEST(memory_is_the_arenas),
	};
	return cmocka_run_group_tests_name("notebook/limits", limits, NULL, NULL);
}
