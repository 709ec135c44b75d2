/* The canonical layout. The text is laid out token by token: the user's line
 * breaks, blank lines (one in a row at most), comments and alignments stay,
 * other spaces and indentation are made anew. At the end the result is read again and its
 * tokens are compared, so that no layout changes what a model means. */
#include "base/report.h"
#include "syntax/layout.h"
#include "syntax/parse.h"
#include "syntax/spacing.h"
#include <string.h>

enum { INDENT = 2, CONTINUATION = 4 };

typedef struct formatter {
    const dae_source *source;
    const dae_allocator *allocator;
    ARRAY(spacing_item) items;
    ARRAY(char) text;
    uint32_t depth; /* open blocks */
    bool failed;    /* no memory */
} formatter;

/* ---- reading ---------------------------------------------------------------- */

/* Takes the layout's view of a token: the statement it begins, the name that
 * a contextual word is. The stream may have an NL before it. */
static token view(layout *lines, token raw)
{
    for (;;) {
        token t = layout_next(lines);
        bool is_made = t.kind == TOKEN_NL && t.span.end == t.span.begin;
        if (!is_made && t.span.begin >= raw.span.begin) return t;
    }
}

static bool read_items(formatter *f, layout *lines)
{
    scanner raw;
    scan_start(&raw, f->source, NULL);
    layout_start(lines, f->source, NULL);
    uint32_t newlines = 0;
    bool after_end = true; /* a `;` here ends nothing */
    for (;;) {
        token t = scan_token(&raw);
        if (t.kind == TOKEN_END_OF_TEXT) return true;
        if (t.kind == TOKEN_NEWLINE) {
            newlines++;
            continue;
        }
        if (t.kind == TOKEN_NL && after_end) continue;
        if (t.kind != TOKEN_COMMENT) {
            t = view(lines, t);
            after_end = t.kind == TOKEN_NL;
        }
        spacing_item item = {.token = t, .newlines = newlines};
        if (!ARRAY_PUSH(f->allocator, &f->items, item)) return false;
        newlines = 0;
    }
}

/* ---- blocks ------------------------------------------------------------------ */

/* Does the statement that begins at item i open a block? */
static bool opens_block(const formatter *f, size_t i)
{
    const spacing_item *items = f->items.items;
    size_t n = f->items.count;
    unsigned kind = items[i].token.kind;
    if (kind == TOKEN_NAME && i + 2 < n
        && items[i + 1].token.kind == TOKEN_COLON)
        kind = items[i + 2].token.kind == TOKEN_WHEN ? TOKEN_WHEN : kind;
    if (kind == TOKEN_FOR || kind == TOKEN_WHEN || kind == TOKEN_REACTIONS
        || kind == TOKEN_MODEL || kind == TOKEN_ELSE || kind == TOKEN_ELSEIF)
        return true;
    if (kind != TOKEN_IF && kind != TOKEN_FUN) return false;
    unsigned inner = kind == TOKEN_IF ? TOKEN_THEN : TOKEN_EQ;
    for (size_t k = i + 1; k < n && !items[k].token.begins; k++)
        if (items[k].token.kind == inner) return false;
    return true;
}

static bool closes_block(unsigned kind)
{
    return kind == TOKEN_END || kind == TOKEN_ELSE || kind == TOKEN_ELSEIF;
}

/* ---- writing ------------------------------------------------------------------- */

static void put(formatter *f, const char *text, size_t length)
{
    if (f->failed) return;
    if (!ARRAY_RESERVE(f->allocator, &f->text, length)) {
        f->failed = true;
        return;
    }
    memcpy(f->text.items + f->text.count, text, length);
    f->text.count += length;
}

static void put_spaces(formatter *f, uint32_t count)
{
    while (count-- && !f->failed) put(f, " ", 1);
}

static void break_line(formatter *f, const spacing_item *item, bool is_inside)
{
    if (f->text.count == 0) return;
    put(f, item->newlines > 1 && !is_inside ? "\n\n" : "\n",
        item->newlines > 1 && !is_inside ? 2 : 1);
}

static void put_token(formatter *f, token t)
{
    const char *text = f->source->text + t.span.begin;
    size_t length = t.span.end - t.span.begin;
    if (t.kind == TOKEN_PRIME) {
        put(f, "'", 1);
        return;
    }
    while (t.kind == TOKEN_COMMENT && strchr(" \t\r", text[length - 1]))
        length--;
    put(f, text, length);
}

/* A `;` is left out at the end of a line, unless the next one would go on. */
static bool is_needless(const formatter *f, size_t i)
{
    size_t k = i + 1;
    if (f->items.items[i].token.kind != TOKEN_NL) return false;
    if (k < f->items.count && f->items.items[k].token.kind == TOKEN_COMMENT
        && f->items.items[k].newlines == 0)
        k++;
    if (k == f->items.count) return true;
    if (f->items.items[k].newlines == 0
        && f->items.items[k].token.kind != TOKEN_COMMENT)
        return false;
    while (k < f->items.count && f->items.items[k].token.kind == TOKEN_COMMENT)
        k++;
    if (k == f->items.count) return true;
    switch (f->items.items[k].token.kind) {
    case TOKEN_PLUS:
    case TOKEN_STAR:
    case TOKEN_SLASH:
    case TOKEN_POW:
    case TOKEN_AND:
    case TOKEN_OR:
    case TOKEN_THEN: return false;
    default: return true;
    }
}

/* Spaces before a line that goes on, which is never the first: those that the user wrote, where they
 * are more, for they align it with the line before. */
static uint32_t continuation(const formatter *f, token t)
{
    uint32_t least = f->depth * INDENT + CONTINUATION, own = 0;
    while (f->source->text[t.span.begin - own - 1] == ' ') own++;
    return own > least ? own : least;
}

static void write_items(formatter *f)
{
    const spacing_item *items = f->items.items;
    bool is_inside = false; /* a statement */
    bool opens = false;
    for (size_t i = 0; i < f->items.count; i++) {
        const spacing_item *item = &items[i];
        token t = item->token;
        if (is_needless(f, i)) {
            is_inside = false;
            f->depth += opens;
            opens = false;
            continue;
        }
        if (t.begins) {
            f->depth += opens;
            if (closes_block(t.kind) && f->depth > 0) f->depth--;
            opens = opens_block(f, i);
            is_inside = false;
        } else if (t.kind == TOKEN_COMMENT && opens && item->newlines
            && spacing_statement_ended(items, f->items.count, i)) {
            f->depth++;
            opens = is_inside = false;
        }
        bool is_first = item->newlines > 0 || f->text.count == 0;
        if (is_first) {
            bool goes_on = is_inside
                && !(t.kind == TOKEN_COMMENT
                    && spacing_statement_ended(items, f->items.count, i));
            break_line(f, item, goes_on);
            put_spaces(f, goes_on ? continuation(f, t) : f->depth * INDENT);
        } else {
            put_spaces(f, item->spaces);
        }
        put_token(f, t);
        if (t.kind != TOKEN_COMMENT) is_inside = t.kind != TOKEN_NL;
    }
    if (f->text.count) put(f, "\n", 1);
}

/* ---- comparing ------------------------------------------------------------------- */

static bool is_same_token(
    const dae_source *a, token s, const dae_source *b, token t)
{
    size_t length = s.span.end - s.span.begin;
    if (s.kind != t.kind || s.begins != t.begins) return false;
    if (s.kind != TOKEN_NAME && s.kind != TOKEN_NUMBER
        && s.kind != TOKEN_STRING)
        return true;
    return length == t.span.end - t.span.begin
        && memcmp(a->text + s.span.begin, b->text + t.span.begin, length) == 0;
}

/* Reads both texts side by side; false and the place of the first difference
 * where there is one. */
static bool means_the_same(const dae_source *a, layout *of_a,
    const dae_source *b, layout *of_b, text_span *place)
{
    layout_start(of_a, a, NULL);
    layout_start(of_b, b, NULL);
    for (;;) {
        token s = layout_next(of_a), t = layout_next(of_b);
        *place = s.span;
        if (!is_same_token(a, s, b, t)) return false;
        if (s.kind == TOKEN_END_OF_TEXT) return true;
    }
}

static dae_status check_result(
    formatter *f, arena *a, layout lines[2], dae_diagnostics *ds)
{
    dae_source result;
    text_span place;
    dae_status st = source_init(&result, a, f->source->name,
        f->text.count ? f->text.items : "", f->text.count);
    if (st) return st;
    if (means_the_same(f->source, &lines[0], &result, &lines[1], &place))
        return DAE_OK;
    report(ds, DIAG_E0210, f->source, place,
        "the canonical layout of this text is not available yet");
    return DAE_UNSUPPORTED;
}

static dae_status layout_text(
    formatter *f, arena *a, layout lines[2], dae_diagnostics *ds)
{
    if (!read_items(f, &lines[0])) return DAE_MEMORY;
    spacing_set(f->source, f->items.items, f->items.count);
    write_items(f);
    return f->failed ? DAE_MEMORY : check_result(f, a, lines, ds);
}

static dae_status refuse_mistakes(
    const dae_source *source, arena *a, dae_diagnostics *ds)
{
    intern_table names;
    ast_file *file;
    intern_init(&names, a);
    dae_status st = parse_file(source, a, &names, ds, &file);
    intern_clear(&names);
    return st;
}

dae_status format_file(const dae_source *source, arena *a, dae_diagnostics *ds,
    dae_write_fn *write, void *context)
{
    formatter f = {.source = source, .allocator = a->allocator};
    arena_position before = arena_mark(a);
    layout *lines = NULL;
    dae_status st = refuse_mistakes(source, a, ds);
    arena_release(a, before);
    if (st) return st;
    lines = alloc_zeroed(f.allocator, 2, sizeof *lines);
    st = lines ? layout_text(&f, a, lines, ds) : DAE_MEMORY;
    if (!st && f.text.count && write(context, f.text.items, f.text.count))
        st = DAE_IO;
    alloc_free(f.allocator, lines, 2, sizeof *lines);
    ARRAY_FREE(f.allocator, &f.text);
    ARRAY_FREE(f.allocator, &f.items);
    arena_release(a, before);
    return st;
}
