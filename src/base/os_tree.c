/* With TREE_PROJECT and TREE_ANY, the kernel resolves the folder of a path. A link in the last
 * component is followed here, because only a folder's descriptor has a "..". The walk up from the
 * folder of the final file must meet the top. With TREE_CLOSED, the path is made relative to the
 * top as text, and then opened component by component without links. No memory is allocated while a
 * descriptor is open, because running out of it would leave the descriptor open. */
#include "base/os_tree.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/os.h"
#include "base/paths.h"

enum {
	LINKS_MAX = 40,
	FOLDER_FLAGS = O_PATH | O_DIRECTORY,
	FILE_FLAGS = O_RDONLY | O_NOFOLLOW | O_NOCTTY | O_NONBLOCK,
	PROC_MAGIC = 0x9fa0, /* statfs(2) */
	SYSFS_MAGIC = 0x62656572,
};

/* errno of refusals; no call here fails with one of them for another reason. */
enum { OUTSIDE = EXDEV, SYSTEM = ENODEV, LINKED = EMLINK, NO_FILE = ENOTSUP };

/* A component of an open folder. */
struct entry {
	int folder;
	char name[NAME_MAX + 1]; /* "." is the folder itself */
};

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
	*out = slice_sub(path, top.len + 1, path.len);
	return true;
}

int tree_init(struct tree *tree, struct arena *arena, enum tree_limit limit, struct slice top)
{
	*tree = (struct tree){.limit = limit, .top = os_real_path(arena, top)};
	if (tree->top.len == 0 || make_absolute(arena, top, &tree->given) < 0)
		return -1;
	tree->top_path = arena_cstr(arena, tree->top);
	int found = os_find_folder(tree->top_path);
	if (found == 0)
		errno = os_is_there(tree->top_path) ? ENOTDIR : ENOENT;
	return found > 0 ? 0 : -1;
}

/* ---- opening folders ---- */

static int copy_text(struct slice text, char *out, size_t size)
{
	if (text.len >= size)
		return os_fail(ENAMETOOLONG);
	memcpy(out, text.ptr, text.len);
	out[text.len] = '\0';
	return 0;
}

static int open_at(int folder, const char *path, int flags)
{
	int fd;
	do {
		fd = openat(folder, path, flags | O_CLOEXEC);
	} while (fd < 0 && errno == EINTR);
	return fd;
}

/* Replaces *FOLDER by its folder PATH. Closes *FOLDER. Returns 0, or -1 and sets errno. */
static int enter_folder_at(int *folder, struct slice path, int flags)
{
	char text[PATH_MAX];
	int next = -1;
	if (copy_text(path.len == 0 ? SLICE(".") : path, text, sizeof text) == 0)
		next = open_at(*folder, text, FOLDER_FLAGS | flags);
	os_close(folder);
	*folder = next;
	return next < 0 ? -1 : 0;
}

static int set_name(struct entry *entry, struct slice name)
{
	return copy_text(name, entry->name, sizeof entry->name);
}

/* Reads the link ENTRY into TARGET. Returns 1, 0 if ENTRY is not a link, or -1 and sets errno. */
static int read_link(const struct entry *entry, char *target, size_t size, struct slice *out)
{
	ssize_t len = readlinkat(entry->folder, entry->name, target, size);
	if (len < 0)
		return errno == EINVAL ? 0 : -1;
	*out = slice_make(target, (size_t)len);
	return 1;
}

/* Finds the entry that PATH leads to with links followed. On failure no folder is open. */
static int resolve_entry(struct slice path, struct entry *out)
{
	char target[PATH_MAX];
	int is_link = 1;
	out->folder = AT_FDCWD;
	for (int links = 0; is_link > 0; links++) {
		struct slice name = path_file(path);
		struct slice folder = slice_sub(path, 0, path.len - name.len);
		bool is_folder =
		        name.len == 0 || slice_eq(name, SLICE(".")) || slice_eq(name, SLICE(".."));
		if (enter_folder_at(&out->folder, is_folder ? path : folder, 0) < 0 ||
		    set_name(out, is_folder ? SLICE(".") : name) < 0)
			break;
		is_link = is_folder ? 0 : read_link(out, target, sizeof target, &path);
		if (is_link == 0)
			return 0;
		if (is_link > 0 && links == LINKS_MAX) {
			errno = ELOOP;
			break;
		}
	}
	os_close(&out->folder);
	return -1;
}

/* Finds the entry BELOW, a path relative to the top, without links. On failure no folder is
 * open. */
static int walk_entry(const struct tree *tree, struct slice below, struct entry *out)
{
	char target[PATH_MAX];
	out->folder = AT_FDCWD;
	int status = set_name(out, SLICE("."));
	if (enter_folder_at(&out->folder, slice_from(tree->top_path), O_NOFOLLOW) < 0)
		return -1;
	for (struct slice link, name; status == 0 && slice_next_part(&below, '/', &name);) {
		status = set_name(out, name);
		int is_link = status < 0 ? -1 : read_link(out, target, sizeof target, &link);
		if (is_link > 0)
			errno = LINKED;
		if (is_link != 0 ||
		    (below.len > 0 && enter_folder_at(&out->folder, name, O_NOFOLLOW) < 0))
			status = -1;
	}
	if (status < 0)
		os_close(&out->folder);
	return status;
}

/* ---- where a folder is ---- */

static bool is_same_file(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

static bool is_at(const struct stat *folder, const char *path)
{
	struct stat other;
	return stat(path, &other) == 0 && is_same_file(folder, &other);
}

/* True if the tree allows files in FOLDER; sets *INSIDE. False and errno if not. It goes up from FOLDER to the top
 * or to the root. */
static bool tree_allows(const struct tree *tree, int folder, bool *inside)
{
	struct stat top, here, before = {0};
	int at = stat(tree->top_path, &top) == 0 ? open_at(folder, ".", FOLDER_FLAGS) : -1;
	bool is_known = false;
	*inside = false;
	for (bool first = true; at >= 0 && fstat(at, &here) == 0; first = false) {
		*inside = is_same_file(&here, &top);
		is_known = *inside || (!first && is_same_file(&here, &before));
		if (is_known)
			break;
		if (is_at(&here, "/proc") || is_at(&here, "/sys") || is_at(&here, "/dev")) {
			errno = SYSTEM;
			break;
		}
		before = here;
		if (enter_folder_at(&at, SLICE(".."), 0) < 0)
			break;
	}
	os_close(&at);
	if (is_known && !*inside && tree->limit != TREE_ANY)
		errno = OUTSIDE;
	return *inside || (is_known && tree->limit == TREE_ANY);
}

/* ---- opening ---- */

static int find_entry(const struct tree *tree, struct arena *arena, struct slice path,
                      struct entry *out)
{
	struct slice absolute, below;
	if (slice_find(path, '\0', 0) < path.len)
		return os_fail(EINVAL);
	if (tree->limit != TREE_CLOSED)
		return resolve_entry(path, out);
	if (make_absolute(arena, path, &absolute) < 0)
		return -1;
	if (strip_top(absolute, tree->given, &below) || strip_top(absolute, tree->top, &below))
		return walk_entry(tree, below, out);
	return os_fail(OUTSIDE);
}

static bool is_kind(const struct stat *status, mode_t kind)
{
	if ((status->st_mode & S_IFMT) == kind)
		return true;
	errno = S_ISDIR(status->st_mode) ? EISDIR : kind == S_IFDIR ? ENOTDIR : NO_FILE;
	return false;
}

/* Checks before opening, which has side effects on devices and FIFOs. */
static bool entry_is_kind(const struct entry *entry, mode_t kind)
{
	struct stat status;
	return fstatat(entry->folder, entry->name, &status, AT_SYMLINK_NOFOLLOW) == 0 &&
	       is_kind(&status, kind);
}

/* True if the open file is of KIND and not in procfs or sysfs. */
static bool is_suitable(int fd, mode_t kind)
{
	struct stat status;
	struct statfs system;
	if (fstat(fd, &status) != 0 || !is_kind(&status, kind) || fstatfs(fd, &system) != 0)
		return false;
	if (system.f_type != PROC_MAGIC && system.f_type != SYSFS_MAGIC)
		return true;
	errno = SYSTEM;
	return false;
}

static int open_kind(const struct tree *tree, struct arena *arena, struct slice path, mode_t kind,
                     struct tree_file *out)
{
	struct entry entry;
	struct stat status;
	*out = (struct tree_file){.fd = -1};
	if (find_entry(tree, arena, path, &entry) < 0)
		return -1;
	/* A folder is entered, because it can be the top itself. */
	if (fstatat(entry.folder, entry.name, &status, AT_SYMLINK_NOFOLLOW) == 0 &&
	    S_ISDIR(status.st_mode)) {
		if (enter_folder_at(&entry.folder, slice_from(entry.name), O_NOFOLLOW) < 0)
			return -1;
		strcpy(entry.name, ".");
	}
	int flags = kind == S_IFDIR ? FILE_FLAGS | O_DIRECTORY : FILE_FLAGS;
	if (tree_allows(tree, entry.folder, &out->inside) && entry_is_kind(&entry, kind))
		out->fd = open_at(entry.folder, entry.name, flags);
	os_close(&entry.folder);
	if (out->fd >= 0 && !is_suitable(out->fd, kind))
		os_close(&out->fd);
	memcpy(out->name, entry.name, sizeof out->name);
	return out->fd < 0 ? -1 : 0;
}

int tree_open(const struct tree *tree, struct arena *arena, struct slice path,
              struct tree_file *out)
{
	return open_kind(tree, arena, path, S_IFREG, out);
}

int tree_open_folder(const struct tree *tree, struct arena *arena, struct slice path,
                     struct tree_file *out)
{
	return open_kind(tree, arena, path, S_IFDIR, out);
}

int tree_read(const struct tree *tree, struct slice path, struct strbuf *out, size_t limit,
              struct tree_file *file)
{
	if (tree_open(tree, out->arena, path, file) < 0)
		return -1;
	return os_read_closing(file->fd, out, limit);
}

/* ---- lookup ---- */

static int find_closed(const struct tree *tree, struct arena *arena, struct slice path, mode_t kind)
{
	struct entry entry;
	bool found = find_entry(tree, arena, path, &entry) == 0;
	if (found) {
		found = entry_is_kind(&entry, kind);
		os_close(&entry.folder);
	}
	if (found)
		return 1;
	return os_is_missing(errno) || errno == EISDIR || errno == NO_FILE ? 0 : -1;
}

int tree_find_file(const struct tree *tree, struct arena *arena, struct slice path)
{
	return tree->limit == TREE_CLOSED ? find_closed(tree, arena, path, S_IFREG)
	                                  : os_find_file(arena_cstr(arena, path));
}

int tree_find_folder(const struct tree *tree, struct arena *arena, struct slice path)
{
	return tree->limit == TREE_CLOSED ? find_closed(tree, arena, path, S_IFDIR)
	                                  : os_find_folder(arena_cstr(arena, path));
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
