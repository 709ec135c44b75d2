/* Folders wait in the list itself: no recursion. */
#include "find.h"
#include "args.h"
#include "memory.h"
#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static dae_status push(found *f, char *path)
{
    char **paths = path
        ? memory_grow(f->paths, f->count, &f->capacity, sizeof *paths)
        : NULL;
    if (!paths) return DAE_MEMORY;
    f->paths = paths;
    paths[f->count++] = path;
    return DAE_OK;
}

static char *joined(const char *folder, const char *name)
{
    size_t n = strlen(folder), size = n + strlen(name) + 2;
    const char *slash = n > 0 && folder[n - 1] != '/' ? "/" : "";
    char *path = memory_take(size, 1);
    if (path) (void)snprintf(path, size, "%s%s%s", folder, slash, name);
    return path;
}

static bool is_folder(const char *path)
{
    struct stat s;
    return stat(path, &s) == 0 && S_ISDIR(s.st_mode);
}

static bool is_link(const char *path)
{
    struct stat s;
    return lstat(path, &s) == 0 && S_ISLNK(s.st_mode);
}

/* Models go to `f`, folders to `folders`. */
static dae_status read_folder(found *f, found *folders, const char *path)
{
    DIR *d = opendir(path);
    if (!d) return errno == ENOMEM ? DAE_MEMORY : DAE_IO;
    dae_status st = DAE_OK;
    const struct dirent *entry;
    while (!st && (entry = readdir(d))) {
        if (entry->d_name[0] == '.') continue;
        char *below = joined(path, entry->d_name);
        if (!below) st = DAE_MEMORY;
        else if (is_folder(below)) /* a link may lead back up */
            st = is_link(below) ? DAE_OK : push(folders, below);
        else if (args_ends_in(below, ".dae")) st = push(f, below);
    }
    (void)closedir(d);
    return st;
}

static int compare_paths(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

dae_status find_models(found *f, const char *path)
{
    size_t first = f->count;
    if (!is_folder(path)) return push(f, joined("", path));
    found folders = {0};
    dae_status st = push(&folders, joined("", path));
    for (size_t i = 0; !st && i < folders.count; i++) {
        errno = 0;
        st = read_folder(f, &folders, folders.paths[i]);
    }
    int error = errno;
    if (f->count > first)
        qsort(f->paths + first, f->count - first, sizeof *f->paths,
            compare_paths);
    errno = error;
    return st;
}
