#include "support/syntax.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

dae_status parsed_init(
    parsed *p, const dae_allocator *allocator, const char *text, size_t length)
{
    memset(p, 0, sizeof *p);
    arena_init(&p->arena, allocator, 0);
    intern_init(&p->names, &p->arena);
    dae_status st = dae_diagnostics_create(allocator, &p->ds);
    if (st) return st;
    return source_init(&p->source, &p->arena, "text.dae", text, length);
}

void parsed_clear(parsed *p)
{
    intern_clear(&p->names);
    dae_diagnostics_free(p->ds);
    arena_clear(&p->arena);
}

dae_status parse_text(parsed *p, const char *text)
{
    dae_status st = parsed_init(p, dae_allocator_default(), text, strlen(text));
    if (st) return st;
    return parse_file(&p->source, &p->arena, &p->names, p->ds, &p->file);
}

char *read_text(const char *path, size_t *length)
{
    FILE *file = fopen(path, "rb");
    if (!file) return NULL;
    char *text = NULL;
    size_t used = 0;
    for (size_t got = 1; got;) {
        char *grown = realloc(text, used + 65537);
        if (!grown) break;
        text = grown;
        got = fread(text + used, 1, 65536, file);
        used += got;
    }
    (void)fclose(file);
    if (text) text[used] = '\0';
    *length = used;
    return text;
}
