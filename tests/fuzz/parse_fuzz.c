/* Any bytes as a text for the parser: a tree or an error, never a fault in
 * memory. What the formatter accepts it accepts again and leaves as it is, and
 * its layout has the same tokens as the text had. */
#include "harness.h"
#include "syntax/layout.h"
#include <stdlib.h>
#include <string.h>

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

static bool are_same(const dae_source *a, token s, const dae_source *b, token t)
{
    uint32_t length = s.span.end - s.span.begin;
    if (s.kind != t.kind) return false;
    if (s.kind == TOKEN_NL) return true; /* of a newline or of `;` */
    return length == t.span.end - t.span.begin
        && memcmp(a->text + s.span.begin, b->text + t.span.begin, length) == 0;
}

static void compare_tokens(const dae_source *a, const dae_source *b)
{
    layout of_a, of_b;
    token s, t;
    layout_start(&of_a, a, NULL);
    layout_start(&of_b, b, NULL);
    do {
        s = layout_next(&of_a);
        t = layout_next(&of_b);
        harness_require(are_same(a, s, b, t), "the layout keeps the tokens");
    } while (s.kind != TOKEN_END_OF_TEXT);
}

static void check_tokens(harness *h, const char *text, size_t size,
    const char *formatted, size_t length)
{
    arena a;
    dae_source before, after;
    arena_init(&a, &h->allocator, 0);
    if (!source_init(&before, &a, "f.dae", text, size)
        && !source_init(&after, &a, "f.dae", formatted, length))
        compare_tokens(&before, &after);
    arena_clear(&a);
}

static dae_status format(
    harness *h, const char *text, size_t length, buffer *out)
{
    return dae_format_text(
        "f.dae", text, length, &h->allocator, h->ds, append, out);
}

static void check_format(harness *h, const char *text, size_t size)
{
    buffer once = {0}, twice = {0};
    dae_status st = format(h, text, size, &once);
    harness_check_failure(h, st);
    if (!st) {
        st = format(h, once.text, once.length, &twice);
        harness_require(!st || st == DAE_MEMORY, "a layout is a text");
    }
    if (!st) {
        harness_require(once.length == twice.length
                && (!once.length
                    || memcmp(once.text, twice.text, once.length) == 0),
            "a layout's layout is the same");
        check_tokens(h, text, size, once.text, once.length);
    }
    free(once.text);
    free(twice.text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *text = (const char *)data;
    harness h;
    if (!harness_start(&h)) return 0;
    dae_status st = dae_show_text("f.dae", text, size, DAE_SHOW_AST,
        &h.allocator, h.ds, harness_discard, NULL);
    harness_check_failure(&h, st);
    check_format(&h, text, size);
    harness_finish(&h);
    return 0;
}
