/* Any bytes as a model's text: tokens, tree and canonical layout must end in
 * a status, without a fault in memory. What the formatter accepts, it must
 * accept again and leave as it is. */
#include <dae/dae.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

typedef struct buffer {
    char *text;
    size_t length, capacity;
} buffer;

static int append(void *context, const char *text, size_t length)
{
    buffer *b = context;
    if (b->length + length > b->capacity) {
        size_t capacity = 2 * (b->length + length);
        char *grown = realloc(b->text, capacity);
        if (!grown) return 1;
        b->text = grown;
        b->capacity = capacity;
    }
    if (length) memcpy(b->text + b->length, text, length);
    b->length += length;
    return 0;
}

static int discard(void *context, const char *text, size_t length)
{
    (void)context;
    (void)text;
    (void)length;
    return 0;
}

static void render(const dae_diagnostics *ds)
{
    for (size_t i = 0; i < dae_diagnostics_count(ds); i++)
        if (dae_diagnostic_render(dae_diagnostics_at(ds, i), 1, discard, NULL))
            abort();
}

static dae_status format(
    const char *text, size_t length, dae_diagnostics *ds, buffer *out)
{
    return dae_format_text("f.dae", text, length, NULL, ds, append, out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *text = (const char *)data;
    dae_diagnostics *ds = NULL;
    buffer once = {0}, twice = {0};
    if (dae_diagnostics_create(NULL, &ds)) return 0;
    for (dae_show what = DAE_SHOW_TOKENS; what <= DAE_SHOW_AST; what++) {
        dae_status st = dae_show_text(
            "f.dae", text, size, what, NULL, ds, discard, NULL);
        render(ds);
        if (st && !dae_diagnostics_error_count(ds)) abort();
        dae_diagnostics_clear(ds);
    }
    if (!format(text, size, ds, &once)) {
        if (format(once.text, once.length, ds, &twice)) abort();
        if (once.length != twice.length
            || (once.length && memcmp(once.text, twice.text, once.length)))
            abort();
    }
    dae_diagnostics_free(ds);
    free(once.text);
    free(twice.text);
    return 0;
}
