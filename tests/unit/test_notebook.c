/* notebook: the conversion into cells, and what stands beside them. */
#include "notebook_helpers.h"

/* ---- cells ---- */

static void sources_join_as_their_nbformat_says(void **state)
{
	static const struct {
		int nbformat;
		const char *value, *expected;
	} cases[] = {
	        {4, "\"a\\nb\"", "a\nb"},
	        {4, "[\"a\\n\", \"b\"]", "a\nb"},
	        {4, "[\"a\", \"b\"]", "ab"},
	        {4, "[]", ""},
	        {4, "null", ""},
	        {3, "[\"a\", \"b\"]", "a\nb"},
	        {3, "[\"a\\n\", \"b\", \"c\"]", "a\nbc"},
	        {3, "[\"a\\r\", \"b\"]", "a\rb"},
	        {3, "[\"\", \"b\\n\"]", "\nb\n"},
	        {2, "[\"a\\n\", \"b\"]", "a\n\nb"},
	        {1, "[\"a\", \"\", \"b\"]", "a\n\nb"},
	};
	struct reading *r = *state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct slice text = arena_printf(&r->arena,
		                                 "{\"nbformat\": %d, \"cells\": [{\"cell_type\": "
		                                 "\"code\", \"source\": %s}]}",
		                                 cases[i].nbformat, cases[i].value);
		read_slice(r, text);
		assert_silent(r);
		assert_text(cell_at(r, 0)->source, cases[i].expected);
	}
}

/* Only strings count; of a repeated key the last value. */
static void tags_and_languages_are_the_last_ones(void **state)
{
	static const struct {
		const char *metadata, *tags, *language;
	} cases[] = {
	        {"{\"tags\": [\"a\", 3, [\"c\"], {\"d\": \"e\"}, null, \"f\"]}", "a f", ""},
	        {"{\"tags\": \"a\", \"vscode\": \"r\"}", "", ""},
	        {"{\"tags\": [\"a\"], \"vscode\": {\"languageId\": \"r\"}, \"tags\": [\"b\"]}", "b",
	         "r"},
	        {"{\"vscode\": {\"languageId\": \"r\"}, \"polyglot_notebook\": {\"kernelName\": "
	         "\"fsharp\"}}",
	         "", "fsharp"},
	};
	struct reading *r = *state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct strbuf tags = {.arena = &r->arena};
		read_slice(r,
		           arena_printf(&r->arena,
		                        "{\"nbformat\": 4, \"cells\": [{\"cell_type\": \"code\", "
		                        "\"metadata\": %s}]}",
		                        cases[i].metadata));
		for (size_t k = 0; k < cell_at(r, 0)->tags.count; k++)
			strbuf_printf(&tags, "%s%.*s", k > 0 ? " " : "",
			              SLICE_ARG(cell_at(r, 0)->tags.items[k]));
		assert_text(strbuf_slice(&tags), cases[i].tags);
		assert_text(cell_at(r, 0)->language, cases[i].language);
	}
}

static void missing_nbformat_is_guessed(void **state)
{
	struct reading *r = *state;
	read_text(r, "{\"cells\": [{\"cell_type\": \"code\", \"source\": [\"a\\n\", \"b\"]}]}");
	assert_text(cell_at(r, 0)->source, "a\n\nb");
	assert_int_equal(r->notebook.nbformat, 1);
	read_text(r, "{\"worksheets\": [{\"cells\": [{\"cell_type\": \"code\", \"input\": "
	             "[\"a\\n\", \"b\"]}]}]}");
	assert_text(cell_at(r, 0)->source, "a\nb");
	assert_int_equal(r->notebook.nbformat, 3);
}

static void sources_stand_under_several_keys(void **state)
{
	struct reading *r = *state;
	read_cell(r, "\"text\": \"t\", \"code\": \"c\"", "");
	assert_text(cell_at(r, 0)->source, "c");
	read_cell(r, "\"code\": \"c\", \"input\": \"i\"", "");
	assert_text(cell_at(r, 0)->source, "i");
	read_cell(r, "\"source\": \"s\", \"input\": \"i\"", "");
	assert_text(cell_at(r, 0)->source, "s");
	read_cell(r, "\"text\": \"not of a code cell\"", "");
	assert_text(cell_at(r, 0)->source, "");
	read_text(r, "{\"nbformat\": 1, \"cells\": [{\"cell_type\": \"text\", \"text\": \"t\"}]}");
	assert_text(cell_at(r, 0)->source, "t");
	assert_int_equal(cell_at(r, 0)->type, CELL_MARKDOWN);
}

static void types_are_told(void **state)
{
	static const struct {
		int nbformat;
		const char *members;
		enum cell_type type;
		const char *message; /* NULL: none */
	} cases[] = {
	        {4, "\"cell_type\": \"code\"", CELL_CODE, NULL},
	        {4, "\"cell_type\": \"markdown\"", CELL_MARKDOWN, NULL},
	        {4, "\"cell_type\": \"raw\"", CELL_RAW, NULL},
	        {3, "\"cell_type\": \"heading\"", CELL_MARKDOWN, NULL},
	        {3, "\"cell_type\": \"html\"", CELL_RAW, NULL},
	        {4, "\"cell_type\": \"heading\"", CELL_RAW,
	         "unknown cell type 'heading', so it is not compiled"},
	        {4,
	         "\"cell_type\": \"sql-sql-sql-sql-sql-sql-sql-sql-sql-sql-sql-sql-sql-sql-sql-x\"",
	         CELL_RAW,
	         "unknown cell type "
	         "'sql-sql-sql-sql-sql-sql-sql-sql-sql-sql-sql-sql-sql-sql-sql-', so it is not "
	         "compiled"},
	        {4, "\"cell_type\": 7", CELL_RAW, "the cell has no type, so it is not compiled"},
	        {4, "\"source\": \"x\"", CELL_RAW, "the cell has no type, so it is not compiled"},
	        {3, "\"cell_type\": \"code\", \"language\": \"Python\"", CELL_CODE, NULL},
	        {3, "\"cell_type\": \"code\", \"language\": \"\"", CELL_CODE, NULL},
	        {3, "\"cell_type\": \"code\", \"language\": \"ruby\"", CELL_RAW,
	         "the cell's language is 'ruby', so it is not compiled"},
	};
	struct reading *r = *state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct slice text = arena_printf(&r->arena, "{\"nbformat\": %d, \"cells\": [{%s}]}",
		                                 cases[i].nbformat, cases[i].members);
		read_slice(r, text);
		assert_int_equal(cell_at(r, 0)->type, cases[i].type);
		if (cases[i].message == NULL)
			assert_silent(r);
		else
			assert_text(only_diag(r, DIAG_CELL_TYPE)->message, cases[i].message);
	}
}

/* ---- the notebook ---- */

static void languages_are_told(void **state)
{
	static const struct {
		const char *metadata, *message; /* NULL: it is Python */
	} cases[] = {
	        {"{}", NULL},
	        {"7", NULL},
	        {"{\"language_info\": {\"name\": \"python\"}}", NULL},
	        {"{\"language_info\": {\"name\": \"IPython\"}}", NULL},
	        {"{\"kernelspec\": {\"language\": \"Python3\"}}", NULL},
	        {"{\"kernelspec\": {\"name\": \"conda-env-a\"}}", NULL},
	        {"{\"kernelspec\": {\"name\": \"x\", \"display_name\": \"My Python 3\"}}", NULL},
	        {"{\"language_info\": {\"name\": \"Any text\"}, "
	         "\"kernelspec\": {\"name\": \"scorep-python\"}}",
	         NULL},
	        {"{\"language_info\": {\"name\": \"Any text\"}, "
	         "\"kernelspec\": {\"language\": \"python\"}}",
	         NULL},
	        {"{\"vscode\": {\"languageId\": \"plaintext\"}}", NULL},
	        {"{\"language_info\": {\"name\": \"R\"}}",
	         "the notebook's language is 'R', not Python"},
	        {"{\"language_info\": {\"name\": \"\"}, \"kernelspec\": {\"language\": \"julia\"}}",
	         "the notebook's language is 'julia', not Python"},
	        {"{\"language_info\": {\"name\": \"any text\"}, "
	         "\"kernelspec\": {\"language\": \"Go\"}}",
	         "the notebook's language is 'Go', not Python"},
	        {"{\"language_info\": {\"name\": \"python\"}, "
	         "\"kernelspec\": {\"language\": \"sage\", \"name\": \"sagemath\"}}",
	         "the notebook's language is 'sage', not Python"},
	        {"{\"language_info\": {\"name\": \"python\"}, "
	         "\"kernelspec\": {\"language\": \"\", \"name\": \"sagemath\"}}",
	         "the notebook's language is 'sage', not Python"},
	        {"{\"language_info\": {\"name\": \"C#\"}, \"kernelspec\": {\"language\": "
	         "\"python\"}}",
	         NULL},
	        {"{\"kernelspec\": {\"name\": \"ir\", \"display_name\": \"R 4\"}}",
	         "the notebook's kernel is 'R 4', not a Python kernel"},
	        {"{\"kernelspec\": {\"name\": \"ir\"}}",
	         "the notebook's kernel is 'ir', not a Python kernel"},
	};
	struct reading *r = *state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct slice text = arena_printf(
		        &r->arena, "{\"nbformat\": 4, \"cells\": [], \"metadata\": %s}",
		        cases[i].metadata);
		read_slice(r, text);
		if (cases[i].message == NULL)
			assert_silent(r);
		else
			assert_text(only_error(r, DIAG_LANGUAGE)->message, cases[i].message);
	}
}

static void what_is_no_notebook_is_refused(void **state)
{
	static const char *const cases[][2] = {
	        {"[]", "not a Jupyter notebook: it is not a JSON object"},
	        {"\"nbformat\"", "not a Jupyter notebook: it is not a JSON object"},
	        {"{}", "not a Jupyter notebook: it has no list of cells"},
	        {"{\"cells\": {\"a\": []}}", "not a Jupyter notebook: it has no list of cells"},
	        {"{\"nbformat\": \"4\", \"cells\": []}",
	         "not a Jupyter notebook: its 'nbformat' is not a version number"},
	        {"{\"nbformat\": null, \"cells\": []}",
	         "not a Jupyter notebook: its 'nbformat' is not a version number"},
	        {"{\"nbformat\": 0, \"cells\": []}",
	         "not a Jupyter notebook: its 'nbformat' is not a version number"},
	        {"{\"nbformat\": 5, \"cells\": []}",
	         "nbformat 5 is newer than 4, the newest supported"},
	        {"{\"nbformat\": 99999999999999999999, \"cells\": []}",
	         "nbformat 9223372036854775807 is newer than 4, the newest supported"},
	};
	struct reading *r = *state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		read_text(r, cases[i][0]);
		assert_text(only_error(r, DIAG_NOT_NOTEBOOK)->message, cases[i][1]);
	}
}

RUN(TEST(sources_join_as_their_nbformat_says), TEST(sources_stand_under_several_keys),
    TEST(types_are_told), TEST(tags_and_languages_are_the_last_ones),
    TEST(missing_nbformat_is_guessed), TEST(languages_are_told),
    TEST(what_is_no_notebook_is_refused))
