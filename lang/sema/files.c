/* Files that a model names are read once, whatever the number of places, and
 * stay in the model's arena: diagnostics point into them. */
#include "sema/tables.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* A name in the model's folder, unless it begins at the root. A model that is
 * no file has the folder in which the command runs. */
static const char *path_of(lowering *l, const char *name)
{
    const char *model = l->source->name, *slash = strrchr(model, '/');
    if (name[0] == '/' || !slash)
        return arena_copy(l->arena, name, strlen(name));
    return arena_printf(l->arena, "%.*s/%s", (int)(slash - model), model, name);
}

value table_fault(
    lowering *l, text_span span, const csv_table *t, const csv_fault *fault)
{
    value error = fail_value(l, fault->code, span, "%s", fault->message);
    if (fault->span.begin > 0 || fault->span.end > 0)
        report_also(l->ds, t->source, fault->span, "%s", fault->label);
    if (fault->help[0]) report_help(l->ds, "%s", fault->help);
    return error;
}

static void cannot_read(lowering *l, const table_source *f, text_span span,
    dae_status st, int error)
{
    if (st == DAE_MEMORY) {
        l->failed_memory = true;
        return;
    }
    if (st == DAE_LIMIT) {
        fail_value(l, DIAG_E0004, span, "`%s` is larger than 1 GiB", f->path);
        return;
    }
    l->failed_file = true;
    fail_value(l, DIAG_E0001, span, "cannot read `%s`: %s", f->path,
        error ? strerror(error) : "read error");
    report_help(l->ds,
        "the name of a table is taken from the folder of the model's file");
}

/* From disk, or as the caller gives it. */
static dae_status read_source(lowering *l, const char *path, dae_source *source)
{
    const lower_request *q = l->request;
    const char *text = NULL;
    size_t length = 0;
    if (!q->read) return source_read(source, l->arena, path, NULL);
    if (q->read(q->read_context, path, &text, &length) || !text) {
        errno = ENOENT;
        return DAE_IO;
    }
    return source_init(source, l->arena, path, text, length);
}

static const csv_table *read_table(lowering *l, table_source *f, text_span span)
{
    csv_fault fault;
    dae_source *source = ARENA_NEW(l->arena, dae_source);
    csv_table *t = ARENA_NEW(l->arena, csv_table);
    if (!source || !t) {
        l->failed_memory = true;
        return NULL;
    }
    if (l->request->is_sealed) {
        l->failed_file = true;
        fail_value(l, DIAG_E0001, span,
            "`%s` is not read: the model is not trusted", f->path);
        return NULL;
    }
    errno = 0;
    dae_status st = read_source(l, f->path, source);
    if (st) {
        cannot_read(l, f, span, st, errno);
        return NULL;
    }
    st = csv_parse(t, source, l->arena, &fault);
    if (st == DAE_MEMORY) l->failed_memory = true;
    else if (st) table_fault(l, span, t, &fault);
    return st ? NULL : t;
}

const csv_table *table_file(lowering *l, const char *name, text_span span)
{
    table_source fresh = {.path = path_of(l, name)};
    if (!fresh.path) {
        l->failed_memory = true;
        return NULL;
    }
    for (size_t k = 0; k < l->files.count; k++)
        if (strcmp(l->files.items[k].path, fresh.path) == 0)
            return l->files.items[k].table;
    fresh.table = read_table(l, &fresh, span);
    if (!ARRAY_PUSH(l->allocator, &l->files, fresh)
        || !ARRAY_PUSH(l->allocator, &l->out->files, fresh.path))
        l->failed_memory = true;
    return fresh.table;
}
