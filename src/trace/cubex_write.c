/* A profile of CUBE 4 is a tar archive: anchor.xml describes it, and each metric N has its values in N.data,
 * a row per call path of N.index, a value per location (read off Score-P's own files: facts, measurement.md). Rows
 * of exclusive metrics are numbered as the call tree is walked, those of inclusive ones with the children of a
 * call path side by side. */
#include "trace/cubex_write.h"

#include <float.h>

#include "base/quote.h"
#include "version.h"

struct cube {
	struct arena *arena;
	const struct measurement *measurement;
	VECTOR(uint32_t) deep, wide; /* call paths in the two orders */
	struct strbuf out;
};

/* ---- tar ---- */

/* Adds a member in the form of POSIX.1-1988 (ustar). */
static void add_member(struct cube *cube, const char *name, struct slice content)
{
	char head[CUBEX_TAR_BLOCK] = "";
	unsigned sum = 0;
	snprintf(head, 100, "%s", name);
	snprintf(head + 100, 8, "%07o", 0644u);
	snprintf(head + 108, 8, "%07o", 0u);
	snprintf(head + 116, 8, "%07o", 0u);
	snprintf(head + 124, 12, "%011llo", (unsigned long long)content.len);
	snprintf(head + 136, 12, "%011llo",
	         (unsigned long long)(cube->measurement->begins_at / 1000000000));
	memset(head + 148, ' ', 8);
	head[156] = '0';
	snprintf(head + 257, 6, "ustar");
	head[263] = head[264] = '0';
	for (size_t i = 0; i < sizeof head; i++)
		sum += (unsigned char)head[i];
	snprintf(head + 148, 8, "%06o", sum);
	strbuf_add(&cube->out, slice_make(head, sizeof head));
	strbuf_add(&cube->out, content);
	strbuf_fill(&cube->out, '\0',
	            (CUBEX_TAR_BLOCK - content.len % CUBEX_TAR_BLOCK) % CUBEX_TAR_BLOCK);
}

static const struct measured_path *path_at(const struct cube *cube, uint32_t path)
{
	return &cube->measurement->paths.items[path];
}

/* ---- anchor.xml ---- */

const struct cubex_metric_row cubex_metrics[CUBEX_METRICS] = {
        {"EXCLUSIVE", "Visits", "visits", "UINT64", "occ", "Number of visits"},
        {"INCLUSIVE", "Time", "time", "DOUBLE", "sec", "Total CPU allocation time"},
        {"EXCLUSIVE", "Minimum Inclusive Time", "min_time", "MINDOUBLE", "sec",
         "Minimum inclusive CPU allocation time"},
        {"EXCLUSIVE", "Maximum Inclusive Time", "max_time", "MAXDOUBLE", "sec",
         "Maximum inclusive CPU allocation time"},
};

static void add_region(struct strbuf *out, size_t id, struct slice file, int line,
                       struct slice name, struct slice mangled, struct slice paradigm,
                       const char *role)
{
	strbuf_printf(out, "<region id=\"%zu\" mod=\"", id);
	xml_text(out, file);
	strbuf_printf(out, "\" begin=\"%d\" end=\"-1\">\n<name>", line);
	xml_text(out, name);
	strbuf_puts(out, "</name>\n<mangled_name>");
	xml_text(out, mangled);
	strbuf_puts(out, "</mangled_name>\n<paradigm>");
	xml_text(out, paradigm);
	strbuf_printf(out,
	              "</paradigm>\n<role>%s</role>\n<url></url>\n<descr></descr>\n</region>\n",
	              role);
}

/* Regions of the measurement follow those of the first call paths. */
static void add_regions(struct cube *cube, struct strbuf *out)
{
	const struct measurement *m = cube->measurement;
	const struct measured_process *process = &m->processes.items[0];
	struct slice none = SLICE("");
	add_region(out, PATH_PROGRAM, none, -1, process->program, process->command,
	           SLICE("measurement"), "artificial");
	add_region(out, PATH_THREADS, none, -1, SLICE("THREADS"), SLICE("THREADS"),
	           SLICE("pthread"), "artificial");
	for (size_t i = 0; i < m->regions.count; i++) {
		const struct measured_region *region = &m->regions.items[i];
		struct slice name = measurement_region_text(cube->arena, region);
		struct slice paradigm =
		        measurement_is_mpi(region->kind)
		                ? SLICE("mpi")
		                : arena_printf(cube->arena, "user:%.*s", SLICE_ARG(region->module));
		const char *role = region->kind == REGION_MPI_MESSAGE      ? "point2point"
		                   : region->kind == REGION_MPI_COLLECTIVE ? "other collective"
		                   : region->kind == REGION_MPI_FILE       ? "file io"
		                                                           : "function";
		add_region(out, PATH_COUNT + i, region->file,
		           region->line == 0 ? -1 : (int)region->line, name, name, paradigm, role);
	}
}

/* Finds both orders, too. */
static void add_call_paths(struct cube *cube, struct strbuf *out)
{
	uint32_t path = PATH_PROGRAM, next;
	size_t depth = 0;
	vec_push(cube->arena, &cube->wide, PATH_PROGRAM);
	do {
		strbuf_printf(out, "<cnode id=\"%zu\" calleeId=\"%u\">\n", cube->deep.count,
		              path < PATH_COUNT ? path : PATH_COUNT + path_at(cube, path)->region);
		vec_push(cube->arena, &cube->deep, path);
		for (uint32_t child = path_at(cube, path)->child; child != 0;
		     child = path_at(cube, child)->next)
			vec_push(cube->arena, &cube->wide, child);
		depth++;
		for (next = path_at(cube, path)->child; next == 0 && depth > 0; depth--) {
			strbuf_puts(out, "</cnode>\n");
			next = path_at(cube, path)->next;
			path = path_at(cube, path)->parent;
		}
		path = next;
	} while (path != 0);
}

static void add_system(struct cube *cube, struct strbuf *out)
{
	const struct measurement *m = cube->measurement;
	strbuf_puts(out, "<system>\n<systemtreenode Id=\"0\">\n<name>machine Linux</name>\n"
	                 "<class>machine</class>\n<systemtreenode Id=\"1\">\n<name>node ");
	xml_text(out, m->processes.items[0].host);
	strbuf_puts(out, "</name>\n<class>node</class>\n");
	for (size_t i = 0; i < m->processes.count; i++) {
		const struct measured_process *process = &m->processes.items[i];
		strbuf_printf(out,
		              "<locationgroup Id=\"%zu\">\n<name>%.*s</name>\n<rank>%zu</rank>\n"
		              "<type>process</type>\n",
		              i, SLICE_ARG(process->name), i);
		for (uint32_t j = 0; j < process->location_count; j++) {
			const struct measured_location *location =
			        &m->locations.items[process->first_location + j];
			strbuf_printf(out, "<location Id=\"%u\">\n<name>",
			              process->first_location + j);
			xml_text(out, location->name);
			strbuf_printf(
			        out, "</name>\n<rank>%u</rank>\n<type>thread</type>\n</location>\n",
			        j);
		}
		strbuf_puts(out, "</locationgroup>\n");
	}
	strbuf_puts(out, "</systemtreenode>\n</systemtreenode>\n</system>\n");
}

static struct slice anchor_text(struct cube *cube)
{
	struct strbuf out = {.arena = cube->arena};
	strbuf_puts(&out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\n<cube version=\"4.4\">\n"
	                  "<attr key=\"Cube anchor.xml syntax version\" value=\"4.4\"/>\n"
	                  "<attr key=\"Creator\" value=\"nbscorep " NBSCOREP_VERSION "\"/>\n"
	                  "<attr key=\"CUBE_CT_AGGR\" value=\"SUM\"/>\n<doc>\n</doc>\n<metrics>\n");
	for (size_t i = 0; i < CUBEX_METRICS; i++) {
		const struct cubex_metric_row *metric = &cubex_metrics[i];
		strbuf_printf(&out,
		              "<metric id=\"%zu\" type=\"%s\">\n<disp_name>%s</disp_name>\n"
		              "<uniq_name>%s</uniq_name>\n<dtype>%s</dtype>\n<uom>%s</uom>\n"
		              "<url></url>\n<descr>%s</descr>\n</metric>\n",
		              i, metric->type, metric->display, metric->name, metric->dtype,
		              metric->unit, metric->description);
	}
	strbuf_puts(&out, "</metrics>\n<program>\n");
	add_regions(cube, &out);
	add_call_paths(cube, &out);
	strbuf_puts(&out, "</program>\n");
	add_system(cube, &out);
	strbuf_puts(&out, "</cube>\n");
	return strbuf_slice(&out);
}

/* ---- values ---- */

static void add_bytes(struct strbuf *out, const void *bytes, size_t size)
{
	strbuf_add(out, slice_make(bytes, size));
}

static struct slice data_of(struct cube *cube, size_t metric)
{
	const struct measurement *m = cube->measurement;
	struct strbuf out = {.arena = cube->arena};
	strbuf_puts(&out, "CUBEX.DATA");
	for (size_t i = 0; i < cube->deep.count; i++) {
		uint32_t path = metric == CUBEX_TIME ? cube->wide.items[i] : cube->deep.items[i];
		for (size_t j = 0; j < m->locations.count; j++) {
			struct measured_time time = measurement_time(&m->locations.items[j], path);
			const double seconds[] = {
			        [CUBEX_TIME] = (double)time.total / 1e9,
			        /* The neutral value of a minimum, as Score-P writes it. */
			        [CUBEX_MIN_TIME] =
			                time.visits == 0 ? DBL_MAX : (double)time.min / 1e9,
			        [CUBEX_MAX_TIME] = (double)time.max / 1e9,
			};
			if (metric == CUBEX_VISITS)
				add_bytes(&out, &time.visits, sizeof time.visits);
			else
				add_bytes(&out, &seconds[metric], sizeof *seconds);
		}
	}
	return strbuf_slice(&out);
}

struct slice cubex_write(struct arena *arena, const struct measurement *measurement)
{
	struct cube cube = {.arena = arena, .measurement = measurement, .out.arena = arena};
	struct strbuf index = {.arena = arena};
	const uint32_t endianness = 1;
	const uint16_t version = 0;
	const uint8_t kind = 1; /* sparse */
	struct slice anchor = anchor_text(&cube);
	const uint32_t count = (uint32_t)cube.deep.count;
	strbuf_puts(&index, "CUBEX.INDEX");
	add_bytes(&index, &endianness, sizeof endianness);
	add_bytes(&index, &version, sizeof version);
	add_bytes(&index, &kind, sizeof kind);
	add_bytes(&index, &count, sizeof count);
	for (uint32_t i = 0; i < count; i++)
		add_bytes(&index, &i, sizeof i);
	for (size_t i = 0; i < CUBEX_METRICS; i++) {
		add_member(&cube, arena_printf(arena, "%zu.data", i).ptr, data_of(&cube, i));
		add_member(&cube, arena_printf(arena, "%zu.index", i).ptr, strbuf_slice(&index));
	}
	add_member(&cube, "anchor.xml", anchor);
	strbuf_fill(&cube.out, '\0', (size_t)2 * CUBEX_TAR_BLOCK);
	return strbuf_slice(&cube.out);
}
