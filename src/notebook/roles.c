#include "notebook/roles.h"

static const struct role_member members[] = {
        {ROLE_NOTEBOOK, SLICE_INIT("nbformat"), ROLE_LEAF, 0},
        {ROLE_NOTEBOOK, SLICE_INIT("nbformat_minor"), ROLE_LEAF, 0},
        {ROLE_NOTEBOOK, SLICE_INIT("metadata"), ROLE_METADATA, 0},
        {ROLE_NOTEBOOK, SLICE_INIT("cells"), ROLE_CELLS, 0},
        {ROLE_NOTEBOOK, SLICE_INIT("worksheets"), ROLE_SHEETS, 0},
        {ROLE_METADATA, SLICE_INIT("language_info"), ROLE_LANGUAGE_INFO, 0},
        {ROLE_METADATA, SLICE_INIT("kernelspec"), ROLE_KERNELSPEC, 0},
        {ROLE_METADATA, SLICE_INIT("nbscorep"), ROLE_WHOLE, 0},
        {ROLE_LANGUAGE_INFO, SLICE_INIT("name"), ROLE_LEAF, 0},
        {ROLE_KERNELSPEC, SLICE_INIT("name"), ROLE_LEAF, 0},
        {ROLE_KERNELSPEC, SLICE_INIT("display_name"), ROLE_LEAF, 0},
        {ROLE_KERNELSPEC, SLICE_INIT("language"), ROLE_LEAF, 0},
        {ROLE_CELLS, SLICE_INIT(""), ROLE_CELL, 0},
        {ROLE_SHEETS, SLICE_INIT(""), ROLE_SHEET, 0},
        {ROLE_SHEET, SLICE_INIT("cells"), ROLE_SHEET_CELLS, 0},
        {ROLE_SHEET_CELLS, SLICE_INIT(""), ROLE_CELL, 0},
        {ROLE_CELL, SLICE_INIT("cell_type"), ROLE_LEAF, 0},
        {ROLE_CELL, SLICE_INIT("id"), ROLE_LEAF, 0},
        {ROLE_CELL, SLICE_INIT("level"), ROLE_LEAF, 0},
        {ROLE_CELL, SLICE_INIT("language"), ROLE_LEAF, 0},
        {ROLE_CELL, SLICE_INIT("metadata"), ROLE_CELL_METADATA, 0},
        {ROLE_CELL, SLICE_INIT("source"), ROLE_SOURCE, SOURCE_SOURCE},
        {ROLE_CELL, SLICE_INIT("input"), ROLE_SOURCE, SOURCE_INPUT},
        {ROLE_CELL, SLICE_INIT("code"), ROLE_SOURCE, SOURCE_CODE},
        {ROLE_CELL, SLICE_INIT("text"), ROLE_SOURCE, SOURCE_TEXT},
        {ROLE_CELL_METADATA, SLICE_INIT("tags"), ROLE_TAGS, 0},
        {ROLE_CELL_METADATA, SLICE_INIT("vscode"), ROLE_VSCODE, 0},
        {ROLE_CELL_METADATA, SLICE_INIT("dotnet_interactive"), ROLE_DOTNET_INTERACTIVE, 0},
        {ROLE_CELL_METADATA, SLICE_INIT("polyglot_notebook"), ROLE_POLYGLOT_NOTEBOOK, 0},
        {ROLE_TAGS, SLICE_INIT(""), ROLE_LEAF, 0},
        {ROLE_VSCODE, SLICE_INIT("languageId"), ROLE_LEAF, 0},
        {ROLE_DOTNET_INTERACTIVE, SLICE_INIT("language"), ROLE_LEAF, 0},
        {ROLE_POLYGLOT_NOTEBOOK, SLICE_INIT("kernelName"), ROLE_LEAF, 0},
        {ROLE_SOURCE, SLICE_INIT(""), ROLE_SOURCE_ITEM, 0},
};

const struct role_member role_nothing = {.role = ROLE_SKIP}, role_anything = {.role = ROLE_WHOLE};

const struct role_member *role_find(enum role in, struct slice key)
{
	if (in == ROLE_WHOLE)
		return &role_anything;
	if (in == ROLE_SKIP)
		return &role_nothing;
	for (size_t i = 0; i < sizeof members / sizeof *members; i++) {
		if (members[i].in == in && slice_eq(members[i].key, key))
			return &members[i];
	}
	return &role_nothing;
}
