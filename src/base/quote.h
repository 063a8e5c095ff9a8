/* Quoting: the only way for text of a notebook or a user into Python or bash. Examples:
 *
 *   text              python_string           bash_word             bash_expandable
 *   a b               "a b"                   'a b'                 "a b"
 *   it's              "it's"                  'it'\''s'             "it's"
 *   say "$X"          "say \"$X\""            'say "$X"'            "say \"$X\""  ($X expands)
 *   a\b               "a\\b"                  'a\b'                 "a\\b"
 *   a<LF>b            "a\nb"                  $'a\nb'               $'a\nb'
 *   `x` $(y)          "`x` $(y)"              '`x` $(y)'            "\`x\` \$(y)"
 *   x.py              "x.py"                  x.py                  x.py
 */
#ifndef NBSCOREP_BASE_QUOTE_H
#define NBSCOREP_BASE_QUOTE_H

#include "base/strbuf.h"

/* A Python str literal on one line: "..." with everything that is not printable escaped. Malformed
 * UTF-8 becomes the surrogate escape \udcXX, as os.fsdecode() has it. */
void python_string(struct strbuf *out, struct slice text);

/* TEXT as Python comments, "# text" for each of its lines. Every character that could end a Python
 * line or hide text (CR, VT, FF, FS-US, NEL, LS, PS) begins a new comment line, other control
 * characters become U+FFFD, and a "%%" that editors would take for a cell marker gets a backslash.
 * INDENT blanks stand before each line. No line end at the end. */
void python_comment(struct strbuf *out, struct slice text, unsigned indent);

/* The same for one line of source: always one comment line; what would end it becomes U+FFFD. */
void python_comment_line(struct strbuf *out, struct slice line, unsigned indent);

/* TEXT for the inside of one comment line: line ends and controls become blanks. */
void comment_inline(struct strbuf *out, struct slice text);

/* A bash word that stands for TEXT exactly. NUL cannot be passed and is left out. */
void bash_word(struct strbuf *out, struct slice text);

/* A bash word in which $NAME and ${NAME} are expanded at run time and every other character
 * stands for itself. A word with characters that act on a terminal (utf8_acts()) is taken
 * literally. The variable OPTIONAL, if not empty, may be unset; an unset one else ends the script
 * (set -u). */
void bash_expandable(struct strbuf *out, struct slice text, struct slice optional);

/* The same without the quotes, for the inside of a word in double quotes, of TEXT that is not
 * bash_is_literal(). */
void bash_expandable_inside(struct strbuf *out, struct slice text, struct slice optional);

/* Is there a character in TEXT that acts on a terminal, so that a word of it expands nothing? */
bool bash_is_literal(struct slice text);

/* A word of an #SBATCH line as sbatch reads it (get_argument() in its source): in double quotes,
 * where a backslash takes the meaning off the next character. TEXT has no line ends. */
void sbatch_word(struct strbuf *out, struct slice text);

/* The value of the variable NAME, or NULL when it is unset. */
typedef const char *bash_lookup(struct slice name, void *data);

/* What bash makes of that word: adds TEXT with the values that VALUE_OF gives for its names, called
 * with DATA. Returns an empty slice, or the first name that is unset and is not OPTIONAL. */
struct slice bash_expand(struct strbuf *out, struct slice text, struct slice optional,
                         bash_lookup *value_of, void *data);

/* The length of the $NAME or ${NAME} at the front of TEXT, or 0. */
size_t bash_expansion_length(struct slice text);

/* Is there a $NAME or ${NAME} in TEXT? */
bool bash_has_expansion(struct slice text);

/* Is NAME one that a shell can export: a letter or underscore, then letters, digits,
 * underscores? */
bool bash_is_name(struct slice name);

/* Is it a variable that nobody can assign to: that would end the run script? */
bool bash_is_read_only(struct slice name);

/* Is it a variable of the run scripts' own, as all that begin with "nbscorep_"? */
bool bash_is_own(struct slice name);

/* TEXT for a terminal: what would act on it instead of being shown becomes U+FFFD. */
void terminal_text(struct strbuf *out, struct slice text);

/* A file name in a make rule, as a TARGET or a prerequisite: blanks, #, :, $ and in a target %
 * escaped as GNU make reads them. The caller refuses what
 * make cannot express (driver/make_names.h). */
void make_word(struct strbuf *out, struct slice text, bool target);

#endif
