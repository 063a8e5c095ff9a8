/* The Python that runs scripts: finds it, and lets it check the scripts and cells of a compilation. */
#pragma once

#include "driver/compile.h"
#include "process/process.h"

/* True if the user names the Python: by NAMED, the command line, unless it is NULL, or by $PYTHON. These are stronger
 * than configurations. */
bool python_is_named(const char *named);

/* Returns the Python that runs scripts: NAMED unless it is NULL, else $PYTHON, else CONFIGURED unless it
 * is NULL, else that of the active virtual environment, else python3 on PATH. The run script
 * does the same, but $PYTHON wins there (python_word() in emit/run_script.c). */
const char *python_find(struct arena *arena, const char *named, const char *configured);

/* A version, as 100 * major + minor. */
enum { PYTHON_NONE = 0, PYTHON_2 = 200, PYTHON_3 = 300 };

/* A cell that does not compile. */
struct python_fault {
	unsigned cell; /* its index; the number of cells: not in a cell */
	/* LINE counts the cell's lines (with WHOLE those of its SPAN), COLUMN and LENGTH characters of cell_text, or with
	 * WHOLE of the script; 0: not known. */
	unsigned line, column, length;
	unsigned whole;             /* not 0: the cell compiles on its own, but not in the script */
	unsigned taken_by;          /* the version that may accept it: Python 2, or a newer one */
	struct slice type, message; /* of the exception: "SyntaxError", "invalid syntax" */
	/* Of the notebook: */
	struct location where;     /* all 0: the script does not compile, but no cell is at fault */
	const struct block *block; /* of the cell; NULL: no cell */
};
typedef VECTOR(struct python_fault) fault_list;

/* Something that templates/names.py or lints.py found: WORD at LINE, counted from 1, and byte COLUMN, from 0, of the
 * script. In MESSAGE, "{line}" stands for the place of line NUMBER of the script, and "{left out}" for cell NUMBER
 * of those that are left out of it. */
struct python_finding {
	unsigned line, column, number;
	enum diag_kind kind; /* DIAG_KIND_COUNT: it is not known */
	struct slice word, message, hint;
	/* Of the notebook: */
	struct location where;
	const struct program *program;
	const struct block *block; /* of the cell */
};
typedef VECTOR(struct python_finding) finding_list;

/* A Python that compiles texts: one process for all texts, which starts with the first one. */
struct python_checker {
	const char *python;  /* its file, absolute */
	const char *program; /* what it runs: templates/names.py, lints.py and verify.py */
	char *const *environment;
	struct process_limits limits; /* for each text */
	struct process process;       /* which process_end() ends */
	unsigned asked;               /* texts so far, counted from 1 */
	unsigned version;             /* such as 311, after its first answer */
};

enum python_answer {
	PYTHON_CHECKED,
	PYTHON_UNUSABLE,  /* it cannot be started, or is too old: other texts would fail as well */
	PYTHON_FAILED,    /* with this text */
	PYTHON_TOO_SLOW,  /* with this text: it was ended at the time limit */
	PYTHON_TOO_LARGE, /* with this text: it needs more memory than it may use */
};

/* Lets CHECKER's Python compile each cell of PROGRAM, one of C's, on its own, then the script without the cells that do
 * not compile, and search it for what its author does not expect. None of the code is run. Python starts in the folder
 * "/", where it does not find files of a notebook. Adds what it finds, at places of the notebook, to FAULTS and
 * FINDINGS. Returns PYTHON_CHECKED, or another answer and a *REASON for messages; then nothing is added. */
enum python_answer python_faults(struct python_checker *checker, struct compilation *c,
                                 const struct program *program, fault_list *faults,
                                 finding_list *findings, struct slice *reason);
