#include "notebook/plain.h"

/* ---- eight bytes at a time, for any processor ---- */

static bool is_always_supported(void)
{
	return true;
}

static bool is_plain(char c)
{
	return (signed char)c >= 0x20 && c != '"' && c != '\\';
}

static const char *end_portable(const char *at)
{
	const uint64_t each = 0x0101010101010101u;
	for (uint64_t word;; at += sizeof word) {
		memcpy(&word, at, sizeof word);
		uint64_t quote = (word ^ (each * '"')) - each;
		uint64_t slash = (word ^ (each * '\\')) - each;
		uint64_t control = word - each * 0x20;
		/* One of the eight bytes is not plain: subtraction sets the high bit of bytes below the
		 * subtrahend; borrows affect only bytes above a true hit. */
		if (((quote | slash | control | word) & (each * 0x80)) != 0)
			break;
	}
	while (is_plain(*at))
		at++;
	return at;
}

static uint64_t mask_portable(const char *at)
{
	uint64_t mask = 0;
	for (int i = PLAIN_BLOCK; i-- > 0;)
		mask = mask << 1 | !is_plain(at[i]);
	return mask;
}

static uint64_t digits_portable(const char *at)
{
	uint64_t mask = 0;
	for (int i = PLAIN_BLOCK; i-- > 0;)
		mask = mask << 1 | !ascii_is_digit(at[i]);
	return mask;
}

/* ---- x86 ---- */

#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>
#if __has_include(<sys/platform/x86.h>)
#include <sys/platform/x86.h>
#endif

/* glibc has queried the processor at its start. The compiler's function would query it before
 * main(), with an instruction that is slow in a virtual machine. */
static bool has_avx2(void)
{
#ifdef CPU_FEATURE_ACTIVE
	return CPU_FEATURE_ACTIVE(AVX2);
#else
	return __builtin_cpu_supports("avx2");
#endif
}

/* As signed values, bytes beyond ASCII are below the controls. Set bytes of the result are not
 * plain. */
__attribute__((target("avx2"))) static __m256i special_32(const char *at)
{
	__m256i bytes = _mm256_loadu_si256((const __m256i *)(const void *)at);
	__m256i quote = _mm256_cmpeq_epi8(bytes, _mm256_set1_epi8('"'));
	__m256i slash = _mm256_cmpeq_epi8(bytes, _mm256_set1_epi8('\\'));
	return _mm256_or_si256(_mm256_or_si256(quote, slash),
	                       _mm256_cmpgt_epi8(_mm256_set1_epi8(0x20), bytes));
}

__attribute__((target("avx2"))) static unsigned mask_32(__m256i special)
{
	return (unsigned)_mm256_movemask_epi8(special);
}

__attribute__((target("avx2"))) static uint64_t mask_avx2(const char *at)
{
	return mask_32(special_32(at)) | (uint64_t)mask_32(special_32(at + 32)) << 32;
}

/* As unsigned values, digits are at most 9 above '0'. */
__attribute__((target("avx2"))) static __m256i digits_32(const char *at)
{
	__m256i bytes = _mm256_loadu_si256((const __m256i *)(const void *)at);
	__m256i value = _mm256_sub_epi8(bytes, _mm256_set1_epi8('0'));
	return _mm256_cmpeq_epi8(value, _mm256_min_epu8(value, _mm256_set1_epi8(9)));
}

__attribute__((target("avx2"))) static uint64_t digits_avx2(const char *at)
{
	return ~(mask_32(digits_32(at)) | (uint64_t)mask_32(digits_32(at + 32)) << 32);
}

/* Most strings are short; long ones justify a wider step. */
__attribute__((target("avx2"))) static const char *end_avx2(const char *at)
{
	unsigned mask = mask_32(special_32(at));
	if (mask != 0)
		return at + __builtin_ctz(mask);
	for (at += 32;; at += 64) {
		__m256i low = special_32(at), high = special_32(at + 32);
		if (mask_32(_mm256_or_si256(low, high)) == 0)
			continue;
		uint64_t both = mask_32(low) | (uint64_t)mask_32(high) << 32;
		return at + __builtin_ctzll(both);
	}
}
#endif

/* ---- the choice ---- */

const struct plain_kernel plain_kernels[] = {
#if defined(__x86_64__) && defined(__GNUC__)
        {"avx2", has_avx2, end_avx2, mask_avx2, digits_avx2},
#endif
        {"portable", is_always_supported, end_portable, mask_portable, digits_portable},
};

const size_t plain_kernel_count = sizeof plain_kernels / sizeof *plain_kernels;

const struct plain_kernel *plain_best_kernel(void)
{
	const struct plain_kernel *kernel = plain_kernels;
	while (!kernel->is_supported())
		kernel++;
	return kernel;
}
