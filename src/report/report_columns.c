#include "report/report_columns.h"

#include <math.h>

static const double megabyte = 1024.0 * 1024.0;

static double wall(const struct figures *figures)
{
	return figures->seconds;
}

static double cpu(const struct figures *figures)
{
	return figures->cpu.mean;
}

static double core_seconds(const struct figures *figures)
{
	return figures->core_seconds;
}

static double peak(const struct figures *figures)
{
	return figures->memory_peak / megabyte;
}

static double change(const struct figures *figures)
{
	return figures->memory_change / megabyte;
}

static double read_megabytes(const struct figures *figures)
{
	return figures->grown[METRIC_READ_CHARS] / megabyte;
}

static double written_megabytes(const struct figures *figures)
{
	return figures->grown[METRIC_WRITE_CHARS] / megabyte;
}

static double gpu_util(const struct figures *figures)
{
	return figures->gauges[METRIC_GPU_UTIL].mean;
}

static double gpu_band(const struct figures *figures)
{
	return figures->gauges[METRIC_GPU_BAND].mean;
}

static double gpu_memory(const struct figures *figures)
{
	return figures->gpu_memory.max / megabyte;
}

static double gpu_power(const struct figures *figures)
{
	return figures->gauges[METRIC_GPU_POWER].mean / 1000; /* mW */
}

const struct report_column *report_columns(size_t *count)
{
	static const struct report_column columns[] = {
	        {SLICE_INIT("wall s"), "wall_s", 3, false, wall},
	        {SLICE_INIT("CPU %"), "cpu_percent", 1, false, cpu},
	        {SLICE_INIT("core-s"), "core_s", 3, false, core_seconds},
	        {SLICE_INIT("peak MB"), "peak_mb", 1, false, peak},
	        {SLICE_INIT("change MB"), "change_mb", 1, false, change},
	        {SLICE_INIT("read MB"), "read_mb", 1, false, read_megabytes},
	        {SLICE_INIT("written MB"), "written_mb", 1, false, written_megabytes},
	        {SLICE_INIT("GPU %"), "gpu_percent", 1, true, gpu_util},
	        {SLICE_INIT("GPU band %"), "gpu_band_percent", 1, true, gpu_band},
	        {SLICE_INIT("GPU MB"), "gpu_mb", 1, true, gpu_memory},
	        {SLICE_INIT("GPU W"), "gpu_w", 1, true, gpu_power},
	};
	*count = sizeof columns / sizeof *columns;
	return columns;
}

bool report_has_gpus(const struct report *report)
{
	const struct figures *figures = &report->figures;
	return !isnan(figures->gauges[METRIC_GPU_UTIL].mean) || !isnan(figures->gpu_memory.mean);
}

size_t report_put_titles(struct table *table, bool gpus)
{
	size_t count, put = 0;
	const struct report_column *columns = report_columns(&count);
	for (size_t i = 0; i < count; i++) {
		if (columns[i].of_gpu && !gpus)
			continue;
		table_text(table, columns[i].title);
		put++;
	}
	return put;
}

void report_put_figures(struct table *table, const struct figures *figures, bool gpus)
{
	size_t count;
	const struct report_column *columns = report_columns(&count);
	for (size_t i = 0; i < count; i++) {
		if (!columns[i].of_gpu || gpus)
			table_number(table, columns[i].value(figures), columns[i].decimals);
	}
}
