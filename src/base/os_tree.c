/* A path is made an absolute one without links: with TREE_PROJECT and TREE_ANY by following them, with TREE_CLOSED as text.
 * That is where the file is. Then it is opened component by component, without links, so that no link can be
 * changed in between. No memory is allocated while a descriptor is open, because running out of it would leave the
 * descriptor open. */
#include "base/os_tree.h"

#include <fcntl.h>
#include <unistd.h>

#include "base/os.h"
#include "base/paths.h"

enum {
	FOLDER_FLAGS = O_PATH | O_DIRECTORY | O_NOFOLLOW,
	FILE_FLAGS = O_RDONLY | O_NOFOLLOW | O_NOCTTY | O_NONBLOCK,
};

/* errno of refusals; no call here fails with one of them for another reason. */
enum { OUTSIDE = EXDEV, SYSTEM = ENODEV, LINKED = EMLINK, NO_FILE = ENOTSUP };

/* ---- paths as texts ---- */

/* Sets *OUT to PATH as an absolute path without "." and "..". */
static int make_absolute(struct arena *arena, struct slice path, struct slice *out)
{
	char here[PATH_MAX];
	if (path.len == 0 || path.ptr[0] != '/') {
		if (getcwd(here, sizeof here) == NULL)
			return -1;
		path = arena_printf(arena, "%s/%.*s", here, SLICE_ARG(path));
	}
	struct strbuf text = {.arena = arena};
	for (struct slice name; slice_next_part(&path, '/', &name);) {
		if (slice_eq(name, SLICE(".."))) {
			while (text.len > 0 && text.ptr[--text.len] != '/')
				;
		} else if (name.len > 0 && !slice_eq(name, SLICE("."))) {
			strbuf_addc(&text, '/');
			strbuf_add(&text, name);
		}
	}
	*out = text.len == 0 ? SLICE("/") : strbuf_slice(&text);
	return 0;
}

/* Sets *OUT to the part of PATH below TOP, both absolute; empty for TOP itself. Returns false if
 * PATH is not below TOP. */
static bool strip_top(struct slice path, struct slice top, struct slice *out)
{
	if (slice_eq(top, SLICE("/")))
		top.len = 0;
	if (!slice_starts_with(path, top) || (path.len > top.len && path.ptr[top.len] != '/'))
		return false;
	*out = slice_tail(path, top.len + 1);
	return true;
}

int tree_init(struct tree *tree, struct arena *arena, enum tree_limit limit, struct slice top)
{
	*tree = (struct tree){.limit = limit, .top = os_real_path(arena, top)};
	if (tree->top.len == 0 || make_absolute(arena, top, &tree->given) < 0)
		return -1;
	tree->top_path = arena_cstr(arena, tree->top);
	int found = os_find(tree->top_path, S_IFDIR);
	if (found == 0)
		errno = os_is_there(tree->top_path) ? ENOTDIR : ENOENT;
	return found > 0 ? 0 : -1;
}

/* ---- opening folders ---- */

static int open_at(int folder, const char *path, int flags)
{
	int fd;
	do {
		fd = openat(folder, path, flags | O_CLOEXEC);
	} while (fd < 0 && errno == EINTR);
	return fd;
}

static int set_name(struct tree_file *file, struct slice name)
{
	if (name.len >= sizeof file->name)
		return os_fail(ENAMETOOLONG);
	memcpy(file->name, name.ptr, name.len);
	file->name[name.len] = '\0';
	return 0;
}

/* Finds the entry BELOW, a path relative to TOP, without links: the descriptor of *OUT is its folder's, the name "."
 * is the folder itself. On failure no folder is open. */
static int walk_entry(const char *top, struct slice below, struct tree_file *out)
{
	struct stat status;
	out->fd = open_at(AT_FDCWD, top, FOLDER_FLAGS);
	strcpy(out->name, ".");
	for (struct slice name; out->fd >= 0 && slice_next_part(&below, '/', &name);) {
		int next = -1;
		bool is_found = set_name(out, name) == 0 &&
		                fstatat(out->fd, out->name, &status, AT_SYMLINK_NOFOLLOW) == 0;
		if (is_found && S_ISLNK(status.st_mode))
			errno = LINKED;
		else if (is_found && below.len == 0 && !S_ISDIR(status.st_mode))
			return 0;
		else if (is_found)
			next = open_at(out->fd, out->name, FOLDER_FLAGS);
		os_close_quietly(out->fd);
		out->fd = next;
	}
	strcpy(out->name, ".");
	return out->fd < 0 ? -1 : 0;
}

/* ---- opening ---- */

/* Finds what PATH names, as walk_entry() does. */
static int find_entry(const struct tree *tree, struct arena *arena, struct slice path,
                      struct tree_file *out)
{
	struct slice absolute, below;
	*out = (struct tree_file){.fd = -1};
	if (slice_find(path, '\0', 0) < path.len)
		return os_fail(EINVAL);
	if (tree->limit != TREE_CLOSED)
		absolute = os_real_path(arena, path);
	else if (make_absolute(arena, path, &absolute) < 0)
		return -1;
	if (absolute.len == 0)
		return -1;
	out->inside = strip_top(absolute, tree->top, &below) ||
	              (tree->limit == TREE_CLOSED && strip_top(absolute, tree->given, &below));
	bool is_system = !out->inside && tree->limit != TREE_CLOSED &&
	                 (strip_top(absolute, SLICE("/proc"), &below) ||
	                  strip_top(absolute, SLICE("/sys"), &below) ||
	                  strip_top(absolute, SLICE("/dev"), &below));
	if (is_system || (!out->inside && tree->limit != TREE_ANY))
		return os_fail(is_system ? SYSTEM : OUTSIDE);
	int status = walk_entry(out->inside ? tree->top_path : "/",
	                        out->inside ? below : slice_tail(absolute, 1), out);
	/* A path without links has only a link that leads nowhere. */
	if (status < 0 && errno == LINKED && tree->limit != TREE_CLOSED)
		errno = ENOENT;
	return status;
}

static bool is_kind(const struct stat *status, mode_t kind)
{
	if ((status->st_mode & S_IFMT) == kind)
		return true;
	errno = S_ISDIR(status->st_mode) ? EISDIR : kind == S_IFDIR ? ENOTDIR : NO_FILE;
	return false;
}

/* Checks before opening, which has side effects on devices and FIFOs. */
static bool entry_is_kind(const struct tree_file *entry, mode_t kind)
{
	struct stat status;
	return fstatat(entry->fd, entry->name, &status, AT_SYMLINK_NOFOLLOW) == 0 &&
	       is_kind(&status, kind);
}

int tree_open(const struct tree *tree, struct arena *arena, struct slice path,
              struct tree_file *out)
{
	struct stat status;
	if (find_entry(tree, arena, path, out) < 0)
		return -1;
	int folder = out->fd; /* of the entry; then it is the file's */
	out->fd = entry_is_kind(out, S_IFREG) ? open_at(folder, out->name, FILE_FLAGS) : -1;
	os_close_quietly(folder);
	if (out->fd >= 0 && (fstat(out->fd, &status) != 0 || !is_kind(&status, S_IFREG)))
		os_close(&out->fd);
	return out->fd < 0 ? -1 : 0;
}

int tree_read(const struct tree *tree, struct slice path, struct strbuf *out, size_t limit,
              struct tree_file *file)
{
	if (tree_open(tree, out->arena, path, file) < 0)
		return -1;
	return os_read_closing(file->fd, out, limit);
}

/* ---- lookup ---- */

int tree_find(const struct tree *tree, struct arena *arena, struct slice path, mode_t type)
{
	struct tree_file entry;
	if (tree->limit != TREE_CLOSED)
		return os_find(arena_cstr(arena, path), type);
	bool found = find_entry(tree, arena, path, &entry) == 0;
	if (found) {
		found = entry_is_kind(&entry, type);
		os_close_quietly(entry.fd);
	}
	if (found)
		return 1;
	return os_is_missing(errno) || errno == EISDIR || errno == NO_FILE ? 0 : -1;
}

/* ---- problems ---- */

bool tree_is_refusal(int error)
{
	return error == OUTSIDE || error == SYSTEM || error == LINKED || error == NO_FILE;
}

const char *tree_problem(const struct tree *tree, int error)
{
	if (error == OUTSIDE)
		return tree->limit == TREE_CLOSED
		               ? "it is outside of the tree that --untrusted reads"
		               : "it is outside of the project; use --allow-outside to permit this";
	if (error == SYSTEM)
		return "it is a file of /proc, /sys or /dev, which a notebook cannot name";
	if (error == LINKED)
		return "it is a symbolic link, or below one, and --untrusted does not follow links";
	return error == NO_FILE ? "it is not a regular file" : strerror(error);
}
