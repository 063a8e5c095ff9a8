/* Finds out what is installed (Python, Score-P, its bindings, launchers, viewers) and which features
 * work with it. The tables are things.def and features.def. */
#pragma once

#include "base/name_set.h"
#include "scorep/capabilities.h"

enum thing_id {
#define THING(id, name, kind, what, asked, oldest, fix, remark) THING_##id,
#include "run/things.def"
	THING_COUNT
};

enum thing_kind {
	THING_IS_PYTHON,
	THING_IS_PROGRAM,
	THING_IS_MODULE,
	THING_IS_OPTION,
	THING_IS_SHARED,
	THING_IS_OWN
};

struct thing_row {
	const char *id, *name; /* "scorep-config", "Score-P" */
	enum thing_kind kind;
	const char *what, *asked, *oldest, *fix, *remark;
};

/* A set of things: bit THING_x for each. */
typedef uint64_t thing_set;
#define THING_BIT(id) ((thing_set)1 << (id))

enum feature_id {
#define FEATURE(id, name, all, any) FEATURE_##id,
#include "run/features.def"
	FEATURE_COUNT
};

struct feature_row {
	const char *id, *name; /* "measure", "measure with Score-P" */
	thing_set all, any;    /* what it requires; ANY: one of these */
};

enum finding_state {
	FINDING_UNKNOWN, /* cannot be determined, or was not looked for */
	FINDING_FOUND,
	FINDING_MISSING,
	FINDING_OLD,    /* found, but too old to work */
	FINDING_BROKEN, /* found, but it fails; see reason */
};

struct finding {
	enum finding_state state;
	struct slice version, path; /* empty: not known, or it has none */
	struct slice reason;        /* for messages, if it is old or broken; may be empty */
};

struct discovery {
	struct finding findings[THING_COUNT];
	bool is_managed; /* the distribution manages the Python's packages: pip installs none */
	bool *import_missing; /* for each of the order's imports; NULL: not known, or no imports */
	struct scorep_capabilities scorep; /* of the Score-P found; unknown if none is found */
};

struct discovery_order {
	thing_set things;   /* what to look for; other things stay unknown */
	const char *python; /* as python_find() returns it */
	/* Where imports are searched for: the notebook's, before all others, and at most FOLDERS_MAX more; absolute. */
	struct name_set folders;
	struct name_set imports; /* modules for import_missing, at most IMPORTS_MAX; may be empty */
	unsigned seconds;        /* the time limit of all programs together */
};

/* Limits for arguments of a program: the number of names, the length of each name (that of a file
 * name), the number of folders. */
enum { IMPORTS_MAX = 1000, IMPORT_NAME_MAX = 255, FOLDERS_MAX = 50 };

/* All things of things.def. */
#define THINGS_ALL (THING_BIT(THING_COUNT) - 1)

/* The things for the check of binding arguments before a run: scorep-config, its version and its
 * capabilities. Costs the time of two short programs that run in parallel. */
#define THINGS_SCOREP (THING_BIT(THING_SCOREP_CONFIG) | THING_BIT(THING_THREAD_PTHREAD))

/* Looks for ORDER->things and fills OUT, whose texts live in ARENA. Programs run in parallel, and
 * are not trusted: each has a process group, which ends with it. Before a run:
 *
 *     discovery_make(arena, &(struct discovery_order){.things = THINGS_SCOREP, .seconds = 10}, &found);
 *     if (scorep_supports(&found.scorep, SLICE("--mpp=mpi")) == SCOREP_SUPPORT_NO)
 *             refuse, naming scorep_supported_values(arena, &found.scorep, SLICE("--mpp"));
 *
 * Returns 0, or -1 and sets errno if no program could be asked. */
int discovery_make(struct arena *arena, const struct discovery_order *order, struct discovery *out);

extern const struct thing_row thing_rows[THING_COUNT];
extern const struct feature_row feature_rows[FEATURE_COUNT];

/* The things that prevent FEATURE because they are missing, old or broken. They include alternatives
 * only if none of them is found or unknown. */
thing_set feature_obstacles(const struct discovery *discovery, enum feature_id feature);

/* The things that FEATURE requires and whose state is unknown; it may work. */
thing_set feature_doubts(const struct discovery *discovery, enum feature_id feature);

/* True if VERSION is older than OLDEST. Numbers are compared one by one, a missing number is 0, and
 * text after the numbers is ignored. */
bool version_is_older(struct slice version, struct slice oldest);
