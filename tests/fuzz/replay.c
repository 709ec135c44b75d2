/* A main for a fuzz target without libFuzzer: runs every file of the folders
 * and every file given. */
#include "harness.h"
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SIZE_LIMIT ((size_t)1 << 20)

/* In a block of just its size, so that a byte too far is seen. */
static void replay_bytes(const uint8_t *bytes, size_t size)
{
    uint8_t *copy = malloc(size ? size : 1);
    if (!copy) abort();
    memcpy(copy, bytes, size);
    (void)LLVMFuzzerTestOneInput(copy, size);
    free(copy);
}

static void replay_file(const char *path)
{
    uint8_t *bytes = malloc(SIZE_LIMIT);
    FILE *file = fopen(path, "rb");
    if (!file || !bytes) {
        (void)fprintf(stderr, "replay: cannot read %s\n", path);
        exit(2);
    }
    size_t size = fread(bytes, 1, SIZE_LIMIT, file);
    (void)fclose(file);
    /* what a sanitizer says next is about this file */
    (void)fprintf(stderr, "%s\n", path);
    replay_bytes(bytes, size);
    free(bytes);
}

/* The files of a folder, or the file that `path` is. */
static size_t replay(const char *path)
{
    DIR *folder = opendir(path);
    size_t count = 0;
    if (!folder) {
        replay_file(path);
        return 1;
    }
    for (struct dirent *e; (e = readdir(folder)) != NULL;) {
        char name[4096];
        if (e->d_name[0] == '.') continue;
        (void)snprintf(name, sizeof name, "%s/%s", path, e->d_name);
        replay_file(name);
        count++;
    }
    (void)closedir(folder);
    return count;
}

int main(int argc, char **argv)
{
    size_t count = 0;
    for (int k = 1; k < argc; k++) count += replay(argv[k]);
    (void)printf("replayed %zu inputs\n", count);
    return count > 0 ? 0 : 2;
}
