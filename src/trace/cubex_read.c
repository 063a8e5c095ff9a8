/* anchor.xml says what the numbers of N.data mean; cubex_write.c describes both. A call path of the file may have the
 * region and the parent of another one, if only what we leave out tells them apart: their values are added. */
#include "trace/cubex_read.h"

#include <expat.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/os.h"
#include "trace/cubex_write.h"

/* ---- tar ---- */

/* For each member a header and its content in whole blocks, then blocks of zeros. */
enum { NAME_SIZE = 100, SIZE_AT = 124, SIZE_DIGITS = 12, MAGIC_AT = 257 };

struct tar_member {
	char name[NAME_SIZE + 1];
	int64_t at, size; /* of its content, in bytes */
};

enum tar_step { TAR_MEMBER, TAR_END, TAR_DAMAGED };

/* Reads the header at *AT into MEMBER and moves *AT to the next one. */
static enum tar_step tar_next(int fd, int64_t *at, struct tar_member *member)
{
	static const unsigned char zeros[CUBEX_TAR_BLOCK];
	unsigned char block[CUBEX_TAR_BLOCK];
	const unsigned char *digits = block + SIZE_AT;
	if (*at < 0 || pread(fd, block, CUBEX_TAR_BLOCK, *at) != CUBEX_TAR_BLOCK)
		return TAR_DAMAGED;
	if (memcmp(block, zeros, CUBEX_TAR_BLOCK) == 0)
		return TAR_END;
	if (memcmp(block + MAGIC_AT, "ustar", strlen("ustar")) != 0)
		return TAR_DAMAGED;
	/* An octal number; a size of more than 8 GB is written otherwise. */
	member->size = 0;
	for (int i = 0; i < SIZE_DIGITS && digits[i] != '\0' && digits[i] != ' '; i++) {
		if (digits[i] < '0' || digits[i] > '7')
			return TAR_DAMAGED;
		member->size = member->size * 8 + (digits[i] - '0');
	}
	memcpy(member->name, block, NAME_SIZE);
	member->name[NAME_SIZE] = '\0';
	member->at = *at + CUBEX_TAR_BLOCK;
	*at = member->at + (member->size + CUBEX_TAR_BLOCK - 1) / CUBEX_TAR_BLOCK * CUBEX_TAR_BLOCK;
	return TAR_MEMBER;
}

static int tar_open(const char *path)
{
	return open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
}

bool cubex_is_complete(const char *path)
{
	struct tar_member member = {.name = ""};
	enum tar_step step;
	int64_t at = 0;
	int fd = tar_open(path);
	do
		step = tar_next(fd, &at, &member);
	while (step == TAR_MEMBER);
	os_close_quietly(fd);
	return step == TAR_END && strcmp(member.name, "anchor.xml") == 0;
}

/* ---- anchor.xml ---- */

/* A call path of the file. */
struct call {
	size_t parent; /* index + 1 in the order of the file; 0: none */
	uint32_t path; /* of the measurement */
	VECTOR(size_t) children;
};

struct cube {
	struct arena *arena;
	struct measurement *m;
	unsigned long
	        files[CUBEX_METRICS]; /* the number of each metric's files + 1; 0: it has none */
	VECTOR(uint32_t) regions;     /* of the measurement, by the file's number */
	VECTOR(struct call) calls;    /* as the tree is walked */
	VECTOR(size_t) columns;       /* of values, by location of the file */
	size_t first_process;         /* of the measurement */

	struct strbuf text; /* of the element that is read */
	struct slice name, type, value_type, paradigm, role, host;
	unsigned long id;
	struct measured_region region;
	struct slice program;
	size_t open; /* index + 1 of the call path whose children are read */
	const char *problem;
};

static struct slice attribute(const struct cube *c, const XML_Char **attributes, const char *name)
{
	for (size_t i = 0; attributes[i] != NULL; i += 2) {
		if (strcmp(attributes[i], name) == 0)
			return arena_dup(c->arena, slice_from(attributes[i + 1]));
	}
	return slice_make("", 0);
}

static unsigned long number_of(const struct cube *c, const XML_Char **attributes, const char *name)
{
	uint64_t value = UINT32_MAX;
	(void)slice_read_number(attribute(c, attributes, name), UINT32_MAX, &value);
	return (unsigned long)value;
}

static void XMLCALL on_start(void *data, const XML_Char *element, const XML_Char **attributes)
{
	struct cube *c = data;
	struct slice name = slice_from(element);
	c->text.len = 0;
	if (slice_is_word_of(name, "metric region location")) {
		c->id = number_of(c, attributes, slice_eq(name, SLICE("location")) ? "Id" : "id");
		c->type = attribute(c, attributes, "type");
		c->region = (struct measured_region){.file = attribute(c, attributes, "mod")};
		unsigned long line = number_of(c, attributes, "begin");
		c->region.line = line == UINT32_MAX ? 0 : (uint32_t)line;
	} else if (slice_eq(name, SLICE("cnode")) && c->problem == NULL) {
		unsigned long region = number_of(c, attributes, "calleeId");
		if (region >= c->regions.count) {
			c->problem = "anchor.xml has a call path of a region that it lacks";
			return;
		}
		uint32_t known = c->regions.items[region];
		const struct measured_region *found = &c->m->regions.items[known];
		struct call call = {.parent = c->open};
		uint32_t parent = c->open == 0 ? PATH_PROGRAM : c->calls.items[c->open - 1].path;
		if (c->open == 0 && c->calls.count == 0) {
			call.path = PATH_PROGRAM;
			c->program = found->name;
		} else if (parent == PATH_PROGRAM && slice_eq(found->name, SLICE("THREADS")) &&
		           found->module.len == 0) {
			call.path = PATH_THREADS;
		} else {
			call.path = measurement_add_path(c->m, parent, known);
		}
		vec_push(c->arena, &c->calls, call);
		if (c->open != 0)
			vec_push(c->arena, &c->calls.items[c->open - 1].children,
			         c->calls.count - 1);
		c->open = c->calls.count;
	} else if (slice_eq(name, SLICE("locationgroup"))) {
		struct measured_process process = {.host = c->host,
		                                   .program = c->program,
		                                   .first_location =
		                                           (uint32_t)c->m->locations.count};
		vec_push(c->arena, &c->m->processes, process);
	}
}

/* What Score-P calls a region's paradigm and role, in the words of Cube. */
static enum region_kind kind_of(const struct cube *c)
{
	if (slice_eq(c->name, SLICE("MEASUREMENT OFF")))
		return REGION_OFF;
	if (slice_eq(c->name, SLICE("TRACE BUFFER FLUSH")))
		return REGION_FLUSH;
	if (slice_is_word_of(c->paradigm, "openmp ompss"))
		return REGION_PARALLEL;
	if (!slice_eq(c->paradigm, SLICE("mpi")))
		return REGION_FUNCTION;
	if (slice_is_word_of(c->role, "barrier one2all all2one all2all") ||
	    slice_eq(c->role, SLICE("other collective")))
		return REGION_MPI_COLLECTIVE;
	if (slice_is_word_of(c->role, "point2point rma atomic"))
		return REGION_MPI_MESSAGE;
	return slice_starts_with(c->role, SLICE("file io")) ? REGION_MPI_FILE : REGION_MPI;
}

static void XMLCALL on_end(void *data, const XML_Char *element)
{
	struct cube *c = data;
	struct slice name = slice_from(element);
	struct slice text = arena_dup(c->arena, slice_trim(strbuf_slice(&c->text)));
	struct measured_process *process =
	        c->m->processes.count == c->first_process
	                ? NULL
	                : &c->m->processes.items[c->m->processes.count - 1];
	if (c->problem != NULL)
		return;
	if (slice_is_word_of(name, "name uniq_name")) {
		c->name = text;
	} else if (slice_eq(name, SLICE("dtype"))) {
		c->value_type = text;
	} else if (slice_eq(name, SLICE("paradigm"))) {
		c->paradigm = text;
	} else if (slice_eq(name, SLICE("role"))) {
		c->role = text;
	} else if (slice_eq(name, SLICE("class"))) { /* after the name of its node */
		c->host = slice_starts_with(c->name, SLICE("node ")) ? slice_tail(c->name, 5)
		                                                     : c->name;
	} else if (slice_eq(name, SLICE("rank")) && process != NULL && process->name.len == 0) {
		process->name = c->name; /* of the group, whose locations follow */
	} else if (slice_eq(name, SLICE("metric"))) {
		for (size_t i = 0; i < CUBEX_METRICS; i++) {
			const struct cubex_metric_row *metric = &cubex_metrics[i];
			if (slice_eq(c->name, slice_from(metric->name)) &&
			    slice_eq(c->type, slice_from(metric->type)) &&
			    slice_eq(c->value_type, slice_from(metric->dtype)))
				c->files[i] = c->id + 1;
		}
	} else if (slice_eq(name, SLICE("region"))) {
		if (c->id != c->regions.count) {
			c->problem = "the regions of anchor.xml have gaps in their numbers";
			return;
		}
		struct measured_region region = measurement_region_named(c->name);
		region.file = c->region.file;
		region.line = c->region.line;
		region.kind = kind_of(c);
		vec_push(c->arena, &c->regions, measurement_add_region(c->m, &region));
	} else if (slice_eq(name, SLICE("location"))) {
		if (process == NULL) {
			c->problem = "anchor.xml has a location without a process";
			return;
		}
		vec_push(c->arena, &c->m->locations,
		         (struct measured_location){.name = c->name,
		                                    .process = (uint32_t)c->m->processes.count - 1,
		                                    .number = process->location_count++});
		vec_push(c->arena, &c->columns, c->id);
	} else if (slice_eq(name, SLICE("cnode"))) {
		c->open = c->calls.items[c->open - 1].parent;
	}
}

static void XMLCALL on_text(void *data, const XML_Char *text, int len)
{
	struct cube *c = data;
	strbuf_add(&c->text, slice_make(text, (size_t)len));
}

/* ---- values ---- */

/* The content of the member NAME, in *OUT. */
static const char *read_member(struct cube *c, int fd, const char *name, struct slice *out)
{
	struct tar_member member;
	enum tar_step step;
	int64_t at = 0;
	do
		step = tar_next(fd, &at, &member);
	while (step == TAR_MEMBER && strcmp(member.name, name) != 0);
	if (step != TAR_MEMBER)
		return step == TAR_END ? arena_printf(c->arena, "it has no %s", name).ptr
		                       : "it is not a tar archive, or it is incomplete";
	struct stat status;
	if (fstat(fd, &status) != 0 || member.at + member.size > status.st_size)
		return "it is incomplete";
	char *content = arena_alloc(c->arena, (size_t)member.size + 1);
	if (pread(fd, content, (size_t)member.size, member.at) != member.size)
		return "it cannot be read";
	*out = slice_make(content, (size_t)member.size);
	return NULL;
}

/* Rows of exclusive metrics are in the order in which the tree is walked; in that of inclusive ones the children
 * of a call path are side by side. Returns the calls by row. */
static size_t *find_rows(struct cube *c, bool is_inclusive)
{
	size_t *rows = arena_calloc(c->arena, c->calls.count + 1, sizeof *rows), count = 0;
	for (size_t i = 0; i < c->calls.count; i++) {
		const struct call *call = &c->calls.items[i];
		if (!is_inclusive || call->parent == 0)
			rows[count++] = i;
		for (size_t k = 0; is_inclusive && k < call->children.count; k++)
			rows[count++] = call->children.items[k];
	}
	return rows;
}

/* Reads the values of METRIC, eight bytes a location, row by row, into TIMES, a row per call path of the file. */
static const char *read_values(struct cube *c, int fd, size_t metric, struct measured_time *times)
{
	static const char index_magic[] = "CUBEX.INDEX", data_magic[] = "CUBEX.DATA";
	enum { HEAD = sizeof index_magic - 1 + 11, DATA = sizeof data_magic - 1, WIDTH = 8 };
	const struct cubex_metric_row *read = &cubex_metrics[metric];
	const char *damaged =
	        arena_printf(c->arena, "the values of '%s' are damaged", read->name).ptr;
	const unsigned long file = c->files[metric] - 1;
	struct slice index = {0}, data = {0};
	const char *problem =
	        read_member(c, fd, arena_printf(c->arena, "%lu.index", file).ptr, &index);
	if (problem == NULL)
		problem = read_member(c, fd, arena_printf(c->arena, "%lu.data", file).ptr, &data);
	if (problem != NULL)
		return problem;
	if (slice_starts_with(data, SLICE("ZCUBEX.DATA")))
		return "its values are compressed, which nbscorep does not read";
	uint32_t endianness = 0, count = 0, row;
	size_t columns = c->columns.count;
	size_t *rows = find_rows(c, strcmp(read->type, "INCLUSIVE") == 0);
	if (index.len >= HEAD) {
		memcpy(&endianness, index.ptr + HEAD - 11, sizeof endianness);
		memcpy(&count, index.ptr + HEAD - 4, sizeof count);
	}
	if (!slice_starts_with(index, slice_from(index_magic)) || index.len < HEAD ||
	    !slice_starts_with(data, slice_from(data_magic)) || endianness != 1 ||
	    index.ptr[HEAD - 5] != 1 || (index.len - HEAD) / sizeof row < count ||
	    (columns > 0 && (data.len - DATA) / WIDTH / columns < count))
		return damaged;
	for (size_t i = 0; i < count; i++) {
		memcpy(&row, index.ptr + HEAD + i * sizeof row, sizeof row);
		if (row >= c->calls.count)
			return damaged;
		const char *values = data.ptr + DATA + i * columns * WIDTH;
		for (size_t k = 0; k < columns; k++) {
			struct measured_time *time = &times[rows[row] * columns + k];
			const char *value = values + c->columns.items[k] * WIDTH;
			double seconds;
			memcpy(&seconds, value, sizeof seconds);
			if (metric == CUBEX_VISITS)
				memcpy(&time->visits, value, sizeof time->visits);
			else
				time->total = seconds >= 0 && seconds < 1e9
				                      ? (uint64_t)(seconds * 1e9 + 0.5)
				                      : 0;
		}
	}
	return NULL;
}

/* ---- all ---- */

static const char *read_anchor(struct cube *c, int fd)
{
	struct slice text = {0};
	const char *problem = read_member(c, fd, "anchor.xml", &text);
	if (problem != NULL)
		return problem;
	XML_Parser parser = XML_ParserCreate(NULL);
	if (parser == NULL)
		arena_fail(c->arena);
	XML_SetUserData(parser, c);
	XML_SetElementHandler(parser, on_start, on_end);
	XML_SetCharacterDataHandler(parser, on_text);
	bool is_parsed = text.len <= INT32_MAX &&
	                 XML_Parse(parser, text.ptr, (int)text.len, 1) == XML_STATUS_OK;
	if (!is_parsed && c->problem == NULL)
		c->problem = arena_printf(c->arena, "anchor.xml:%lu: %s",
		                          XML_GetCurrentLineNumber(parser),
		                          XML_ErrorString(XML_GetErrorCode(parser)))
		                     .ptr;
	XML_ParserFree(parser);
	for (size_t i = 0; i < c->columns.count && c->problem == NULL; i++) {
		if (c->columns.items[i] >= c->columns.count)
			c->problem = "the locations of anchor.xml have gaps in their numbers";
	}
	return c->problem;
}

const char *cubex_read(struct measurement *out, struct arena *arena, const char *path)
{
	struct cube c = {.arena = arena,
	                 .m = out,
	                 .first_process = out->processes.count,
	                 .text.arena = arena};
	size_t first = out->locations.count;
	int fd = tar_open(path);
	if (fd < 0)
		return strerror(errno);
	const char *problem = read_anchor(&c, fd);
	size_t columns = c.columns.count;
	struct measured_time *times =
	        arena_calloc(arena, c.calls.count * columns + 1, sizeof *times);
	for (size_t i = 0; i <= CUBEX_TIME && problem == NULL; i++) {
		if (c.files[i] > 0)
			problem = read_values(&c, fd, i, times);
		else
			problem = arena_printf(arena, "it has no metric '%s' of type %s",
			                       cubex_metrics[i].name, cubex_metrics[i].type)
			                  .ptr;
	}
	close(fd);
	for (size_t i = 0; i < c.calls.count && problem == NULL; i++) {
		for (size_t k = 0; k < columns; k++) {
			if (times[i * columns + k].visits > 0 || times[i * columns + k].total > 0)
				measurement_add_time(out, &out->locations.items[first + k],
				                     c.calls.items[i].path,
				                     &times[i * columns + k]);
		}
	}
	return problem;
}
