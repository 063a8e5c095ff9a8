#include "notebook/input.h"

#include "base/os.h"
#include "base/utf8.h"

void input_init(struct input *in, int fd, struct slice name, struct diags *diags)
{
	*in = (struct input){.fd = fd,
	                     .name = name,
	                     .diags = diags,
	                     .line = 1,
	                     .chunk = INPUT_CHUNK,
	                     .plain = plain_best_kernel(),
	                     .bytes = arena_grow(diags->arena, NULL, 0, INPUT_MEMORY)};
}

static void copy_read(struct input *in)
{
	struct slice read = slice_make(in->bytes + in->copied, in->at - in->copied);
	strbuf_add(in->copy, slice_sub(read, 0, in->copy_max));
	in->copy_max -= read.len < in->copy_max ? read.len : in->copy_max;
	in->copied = in->at;
}

void input_copy_begin(struct input *in, struct strbuf *text, size_t max)
{
	in->copy = text;
	in->copied = in->at;
	in->copy_max = max;
}

void input_copy_end(struct input *in)
{
	if (in->copy != NULL)
		copy_read(in);
	in->copy = NULL;
}

/* Each read keeps the current line while it may still be shown. */
size_t input_need(struct input *in, size_t count)
{
	while (in->end - in->at < count && !in->ended) {
		bool showable = in->dropped == 0 && in->at - in->line_at <= INPUT_LINE;
		size_t keep = showable ? in->line_at : in->at;
		if (in->copy != NULL)
			copy_read(in);
		in->dropped += keep - in->line_at;
		memmove(in->bytes, in->bytes + keep, in->end - keep);
		in->at -= keep;
		in->copied = in->at;
		in->end -= keep;
		in->line_at = 0;
		size_t room = INPUT_MEMORY - PLAIN_PAD - in->end;
		long got =
		        os_read(in->fd, in->bytes + in->end, room < in->chunk ? room : in->chunk);
		in->chunk = in->chunk < INPUT_CHUNK_MAX ? in->chunk * 2 : in->chunk;
		if (got < 0)
			in->error = errno;
		if (got <= 0)
			in->ended = true;
		else
			in->end += (size_t)got;
		memset(in->bytes + in->end, 0, PLAIN_PAD);
	}
	return in->end - in->at;
}

int input_skip_blanks(struct input *in)
{
	int c;
	while ((c = input_peek(in)) == ' ' || c == '\n' || c == '\t' || c == '\r') {
		in->at++;
		if (c == '\n') {
			in->line++;
			in->line_at = in->at;
			in->dropped = in->continued = 0;
		}
	}
	return c;
}

/* The place of the next byte. Its text is empty if the line is long or malformed. BYTES may move. */
static struct location input_location(struct input *in)
{
	input_need(in, INPUT_LINE + 1);
	struct slice rest = slice_make(in->bytes + in->line_at, in->end - in->line_at), text = {0};
	if (in->dropped > 0 || !slice_next_line(&rest, &text) || text.len > INPUT_LINE ||
	    utf8_check(text) < text.len)
		text.len = 0;
	text = arena_dup(in->diags->arena, text);
	size_t before = in->dropped + in->at - in->line_at - in->continued;
	return (struct location){
	        .line = in->line, .column = (unsigned)before + 1, .length = 1, .text = text};
}

int input_fail(struct input *in, enum diag_kind kind, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	struct slice message = arena_vprintf(in->diags->arena, format, args);
	va_end(args);
	struct location where = {0};
	if (in->error == 0)
		where = input_location(in);
	/* The search for the line's end may fail to read, too. */
	if (in->error == 0)
		diag_add(in->diags, kind, where, "%.*s", SLICE_ARG(message));
	else
		diag_add(in->diags, DIAG_IO, (struct location){0}, "cannot read '%.*s': %s",
		         SLICE_ARG(in->name), strerror(in->error));
	return -1;
}

/* ---- strings ---- */

/* Adds a piece of a string, decoded. */
static int sink_put(struct sink *sink, struct slice text)
{
	if (sink->text != NULL) {
		sink->is_full = text.len > sink->text_limit ||
		                sink->text->len > sink->text_limit - text.len;
		if (sink->is_full)
			return -1;
		strbuf_add(sink->text, text);
	}
	if (sink->key != NULL && sink->len < SCAN_KEY_MAX) {
		struct slice kept = slice_sub(text, 0, SCAN_KEY_MAX - sink->len);
		memcpy(sink->key + sink->len, kept.ptr, kept.len);
	}
	sink->len += text.len;
	return 0;
}

/* The value of \uXXXX at offset FROM of S, or -1. */
static int32_t code_unit(struct slice s, size_t from)
{
	char digits[5] = "";
	if (s.len < from + 6 || s.ptr[from] != '\\' || s.ptr[from + 1] != 'u')
		return -1;
	memcpy(digits, s.ptr + from + 2, sizeof digits - 1);
	return strspn(digits, "0123456789abcdefABCDEF") == 4 ? (int32_t)strtol(digits, NULL, 16)
	                                                     : -1;
}

static int fail_string_end(struct input *in)
{
	in->at = in->end;
	return input_fail(in, DIAG_JSON, "unexpected end of file in a string");
}

static int scan_escape(struct input *in, struct sink *sink)
{
	static const char letters[] = "\"\\/bfnrt", values[] = "\"\\/\b\f\n\r\t";
	if (input_need(in, 12) < 2) /* two of \uXXXX can form a surrogate pair */
		return fail_string_end(in);
	struct slice rest = input_rest(in);
	size_t len = 6;
	char letter = rest.ptr[1], text[4];
	const char *hit = memchr(letters, letter, sizeof letters - 1);
	if (hit != NULL) {
		in->at += 2;
		return sink_put(sink, slice_make(values + (hit - letters), 1));
	}
	int32_t c = code_unit(rest, 0), low = code_unit(rest, 6);
	if (c >= 0xD800 && c <= 0xDBFF && low >= 0xDC00 && low <= 0xDFFF) {
		len = 12;
		c = 0x10000 + ((c - 0xD800) << 10) + (low - 0xDC00);
	} else if (c >= 0xD800 && c <= 0xDFFF) {
		if (sink->locate && !sink->is_lone)
			sink->where = input_location(in);
		sink->is_lone = true;
		c = 0xFFFD;
	} else if (c < 0 && letter == 'u') {
		return input_fail(in, DIAG_JSON, "expected four hexadecimal digits after '\\u'");
	} else if (c < 0 && letter > ' ' && letter <= '~') {
		return input_fail(in, DIAG_JSON, "invalid escape '\\%c' in a string", letter);
	} else if (c < 0) {
		return input_fail(in, DIAG_JSON, "invalid escape in a string");
	}
	in->at += len;
	return sink_put(sink, slice_make(text, utf8_put(text, (uint32_t)c)));
}

int json_scan_check_utf8(struct input *in)
{
	size_t len;
	input_need(in, 4);
	if (utf8_decode(input_rest(in), &len) != UTF8_INVALID)
		return 0;
	return input_fail(in, DIAG_ENCODING, "the file is not valid UTF-8: byte 0x%02X",
	                  (unsigned)(unsigned char)in->bytes[in->at]);
}

int json_scan_special(struct input *in, struct sink *sink, bool *end)
{
	int c = input_peek(in);
	*end = c == '"';
	if (c == '\\')
		return scan_escape(in, sink);
	if (c == INPUT_END)
		return fail_string_end(in);
	if (c == '\n' || c == '\r')
		return input_fail(in, DIAG_JSON, "unexpected end of line in a string");
	if (c < 0x20)
		return input_fail(in, DIAG_JSON, "control character U+%04X in a string",
		                  (unsigned)c);
	return c < 0x80 ? 0 : json_scan_check_utf8(in);
}

int json_scan_string(struct input *in, struct sink *sink)
{
	bool end = false;
	in->at++;
	while (!end) {
		/* characters in memory that need no escape, not all of them ASCII */
		struct slice rest = input_rest(in);
		size_t plain = 0, continued = 0, len;
		for (;; plain += len, continued += len - 1) {
			plain = (size_t)(in->plain->end(rest.ptr + plain) - rest.ptr);
			if (plain == rest.len || (signed char)rest.ptr[plain] >= 0 ||
			    utf8_decode(slice_tail(rest, plain), &len) == UTF8_INVALID)
				break;
		}
		if (sink_put(sink, slice_sub(rest, 0, plain)) != 0)
			return -1;
		in->at += plain;
		in->continued += continued;
		if (json_scan_special(in, sink, &end) != 0)
			return -1;
	}
	in->at++;
	return 0;
}

/* ---- numbers ---- */

struct number {
	char *text;
	size_t len; /* can exceed JSON_NUMBER_MAX; the text is then cut */
};

/* Takes the next byte if it is one of BYTES. */
static bool take_one_of(struct input *in, struct number *number, const char *bytes)
{
	int c = input_peek(in);
	if (c <= 0 || strchr(bytes, c) == NULL)
		return false;
	if (number->len < JSON_NUMBER_MAX)
		number->text[number->len] = (char)c;
	number->len++;
	in->at++;
	return true;
}

static int take_digits(struct input *in, struct number *number)
{
	static const char digits[] = "0123456789";
	if (!take_one_of(in, number, digits))
		return input_fail(in, DIAG_JSON, "expected a digit in a number");
	while (take_one_of(in, number, digits))
		;
	return 0;
}

int json_scan_number(struct input *in, char buffer[JSON_NUMBER_MAX], struct slice *text)
{
	struct number number = {.text = buffer};
	(void)take_one_of(in, &number, "-");
	bool zero = input_peek(in) == '0';
	size_t before = number.len;
	if (take_digits(in, &number) != 0)
		return -1;
	if (zero && number.len > before + 1)
		return input_fail(in, DIAG_JSON, "a number has a leading zero");
	if (take_one_of(in, &number, ".") && take_digits(in, &number) != 0)
		return -1;
	if (take_one_of(in, &number, "eE")) {
		(void)take_one_of(in, &number, "+-");
		if (take_digits(in, &number) != 0)
			return -1;
	}
	*text = slice_sub(slice_make(buffer, JSON_NUMBER_MAX), 0, number.len);
	return 0;
}

/* ---- words ---- */

int json_scan_word(struct input *in)
{
	enum { SHOWN = 20 };
	input_need(in, SHOWN + 1); /* one more, to detect whether the file continues */
	struct slice rest = input_rest(in);
	size_t len = rest.len > 0 && rest.ptr[0] == '-' ? 1 : 0;
	while (len < rest.len && len < SHOWN && ascii_is_alpha(rest.ptr[len]))
		len++;
	struct slice word = slice_sub(rest, 0, len);
	if (slice_is_word_of(word, "true false null NaN Infinity -Infinity")) {
		in->at += len;
		return 0;
	}
	if (len == rest.len)
		return input_fail(in, DIAG_JSON, "unexpected end of file in '%.*s'",
		                  SLICE_ARG(word));
	return input_fail(in, DIAG_JSON, "'%.*s' is not a JSON value", SLICE_ARG(word));
}
