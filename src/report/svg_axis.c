#include "report/svg_axis.h"

#include <stddef.h>

double svg_step(double span, unsigned count)
{
	static const double factors[] = {1, 2, 5};
	double power = 1;
	while (power * 10 * count <= span)
		power *= 10;
	while (power * count > span)
		power /= 10;
	for (size_t i = 0; i < sizeof factors / sizeof *factors; i++) {
		if (factors[i] * power * count >= span)
			return factors[i] * power;
	}
	return 10 * power;
}

struct svg_unit svg_byte_unit(double high)
{
	static const char *const names[] = {"B", "KiB", "MiB", "GiB", "TiB"};
	enum { BASE = 1024 };
	size_t power = 0;
	double size = 1;
	while (power + 1 < sizeof names / sizeof *names && high >= size * BASE) {
		power++;
		size *= BASE;
	}
	return (struct svg_unit){names[power], size};
}

struct svg_unit svg_call_unit(double high)
{
	static const struct svg_unit units[] = {{"million calls", 1e6}, {"thousand calls", 1e3}};
	for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
		if (high >= 10 * units[i].size)
			return units[i];
	}
	return (struct svg_unit){"calls", 1};
}

struct svg_unit svg_time_unit(double seconds)
{
	static const struct svg_unit units[] = {{"h", 3600}, {"min", 60}, {"s", 1}, {"ms", 1e-3}};
	enum { LEAST = 2 };
	for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
		if (seconds >= LEAST * units[i].size)
			return units[i];
	}
	return (struct svg_unit){"\xC2\xB5s", 1e-6};
}
