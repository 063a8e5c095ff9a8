/* What limits a run, and what to try: rules over the figures of a measurement and of samples. */
#pragma once

#include "report/profile.h"

enum finding_id {
#define FINDING(id, name, function, limit, of_run, line, certainty, explains, rule, advice)        \
	FINDING_##id,
#include "report/findings.def"
	FINDING_COUNT
};

struct finding {
	enum finding_id id;
	struct slice name, cell; /* "python-loop"; "cell 3", empty: the whole run */
	struct slice place;      /* "line 2: for i in range(n):", or a function; may be empty */
	double line_share; /* of what the evidence says, if it is one of time in lines; else 0 */
	struct slice evidence, advice, certainty; /* sentences without a full stop; "sure" */
	double seconds; /* that could be saved at most; NaN: it is about memory */
	double gain; /* the share of the run or its memory that could be saved, by which findings are ordered */
};

typedef VECTOR(struct finding) finding_list;

/* Finds what limits the run that PROFILE is of. The most important finding is first. */
void diagnosis_make(finding_list *out, const struct profile *profile);

/* Appends FINDINGS for people, or that there is nothing to gain. */
void diagnosis_text(struct strbuf *out, const finding_list *findings, size_t most);
