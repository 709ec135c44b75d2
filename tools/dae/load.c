#include "load.h"
#include "memory.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *load_display_name(const char *path)
{
    return strcmp(path, "-") == 0 ? "<stdin>" : path;
}

/* As for the library. */
static const size_t TEXT_LARGEST = (size_t)1 << 30;

static dae_status read_stream(FILE *file, char **text, size_t *length)
{
    size_t capacity = 0, count = 0;
    for (;;) {
        if (capacity - count < 4096) {
            capacity = capacity ? 2 * capacity : 65536;
            char *grown = memory_resize(*text, capacity);
            if (!grown) return DAE_MEMORY;
            *text = grown;
        }
        size_t got = fread(*text + count, 1, capacity - count - 1, file);
        count += got;
        if (count > TEXT_LARGEST) return DAE_LIMIT;
        if (got == 0) break;
    }
    (*text)[count] = '\0';
    *length = count;
    return ferror(file) ? DAE_IO : DAE_OK;
}

dae_status load_text(const char *path, messages *m, char **text, size_t *length)
{
    bool is_stdin = strcmp(path, "-") == 0;
    *text = NULL;
    *length = 0;
    errno = 0;
    FILE *file = is_stdin ? stdin : fopen(path, "rb");
    dae_status st = file ? read_stream(file, text, length) : DAE_IO;
    int error = errno;
    if (file && !is_stdin) (void)fclose(file);
    if (st == DAE_IO && error == ENOMEM) st = DAE_MEMORY;
    if (st == DAE_OK) return st;
    if (st == DAE_MEMORY)
        messages_add(m, "E0003", "no memory left while reading `%s`",
            load_display_name(path));
    else if (st == DAE_LIMIT)
        messages_add(
            m, "E0004", "`%s` is larger than 1 GiB", load_display_name(path));
    else
        messages_add(m, "E0001", "cannot read `%s`: %s",
            load_display_name(path), error ? strerror(error) : "read error");
    *text = NULL;
    return st;
}

dae_status load_model(const args *a, const char *path, limits *l, messages *m,
    dae_model **model, dae_singular **singular)
{
    const dae_model_options options = {.overrides = a->sets.items,
        .override_count = a->sets.count,
        .memory_limit = a->memory_limit,
        .has_start = !isnan(a->from),
        .start = isnan(a->from) ? 0 : a->from,
        .has_end = !isnan(a->to),
        .end = isnan(a->to) ? 0 : a->to,
        .interrupt = limits_stop,
        .interrupt_context = l,
        .singular = singular,
        /* one judgement of a model for all commands, wherever its lines are */
        .canonical = a->command != COMMAND_SHOW,
        .interpreted = args_choose(a->native, "never"),
        .sealed = a->untrusted};
    *model = NULL;
    if (strcmp(path, "-") != 0)
        return dae_model_load(path, &options, &l->allocator, m->library, model);
    char *text;
    size_t length;
    dae_status st = load_text(path, m, &text, &length);
    if (st) return st;
    st = dae_model_parse(load_display_name(path), text, length, &options,
        &l->allocator, m->library, model);
    memory_drop(text);
    return st;
}
