/* Quoting: the only way for text of a notebook or a user into Python or bash. Examples:
 *
 *   text              python_string           bash_word             bash_expandable
 *   a b               "a b"                   'a b'                 "a b"
 *   it's              "it's"                  'it'\''s'             "it's"
 *   use "$X"          "use \"$X\""            'use "$X"'            "use \"$X\"" ($X expands)
 *   a\b               "a\\b"                  'a\b'                 "a\\b"
 *   a<LF>b            "a\nb"                  $'a\nb'               $'a\nb'
 *   `x` $(y)          "`x` $(y)"              '`x` $(y)'            "\`x\` \$(y)"
 *   x.py              "x.py"                  x.py                  x.py
 */
#pragma once

#include "base/base.h"

/* Appends a Python str literal on one line: "..." with every character that is not printable
 * escaped. Malformed UTF-8 becomes the surrogate escape \udcXX, as with os.fsdecode(). */
void python_string(struct strbuf *out, struct slice text);

/* Appends TEXT as Python comments, "# text" for each line, without blanks at its end. Every character
 * that could end a Python line or hide text (CR, VT, FF, FS-US, NEL, LS, PS) begins a new comment line.
 * Other control characters become U+FFFD. A "%%" that editors would read as a cell marker gets a
 * backslash. INDENT blanks precede each line. The last line has no line end. */
void python_comment(struct strbuf *out, struct slice text, unsigned indent);

/* The same for one line of source: always one comment line; characters that would end it become
 * U+FFFD. */
void python_comment_line(struct strbuf *out, struct slice line, unsigned indent);

/* Appends TEXT for the inside of one comment line: line ends and controls become blanks. */
void comment_inline(struct strbuf *out, struct slice text);

/* Appends a bash word whose value is TEXT exactly. NUL cannot be passed and is left out. */
void bash_word(struct strbuf *out, struct slice text);

/* Appends a bash word in which $NAME and ${NAME} are expanded at run time and every other character
 * is literal. A word with characters that act on a terminal (utf8_acts()) is entirely literal. The
 * variable OPTIONAL, if not empty, may be unset; any other unset variable ends the script (set
 * -u). */
void bash_expandable(struct strbuf *out, struct slice text, struct slice optional);

/* The same without the quotes, for the inside of a double-quoted word. TEXT must not be
 * bash_is_literal(). */
void bash_expandable_inside(struct strbuf *out, struct slice text, struct slice optional);

/* True if TEXT has a character that acts on a terminal, so that bash_expandable() expands
 * nothing. */
bool bash_is_literal(struct slice text);

/* Appends a word of an #SBATCH line as sbatch reads it (get_argument() in its source): in double
 * quotes, where a backslash escapes the next character. TEXT has no line ends. */
void sbatch_word(struct strbuf *out, struct slice text);

/* The length of the $NAME or ${NAME} at the start of TEXT, or 0. */
size_t bash_expansion_length(struct slice text);

/* True if TEXT contains $NAME or ${NAME}. */
bool bash_has_expansion(struct slice text);

/* True if a shell can export NAME: a letter or underscore, then letters, digits, underscores. */
bool bash_is_name(struct slice name);

/* True if bash makes the variable NAME read-only; an assignment would end the run script. */
bool bash_is_read_only(struct slice name);

/* True if the run scripts reserve NAME: all names that begin with "nbscorep_". */
bool bash_is_own(struct slice name);

/* Appends TEXT for a terminal: characters that would act on it instead of being shown become
 * U+FFFD. */
void terminal_text(struct strbuf *out, struct slice text);

/* Appends a file name in a make rule, as a TARGET or a prerequisite: blanks, #, :, $, and % in a
 * target are escaped as GNU make reads them. The caller refuses names that make cannot express
 * (driver/outputs.c). */
void make_word(struct strbuf *out, struct slice text, bool target);

/* Appends TEXT as the text, or the value of an attribute, of XML 1.0. What that excludes, such as control
 * characters, becomes U+FFFD. */
void xml_text(struct strbuf *out, struct slice text);

/* Appends BYTES in base64 (RFC 4648, chapter 4), padded with "=". */
void base64_put(struct strbuf *out, struct slice bytes);
