/* Tokens go one at a time from the lines to the machine. After an error the
 * rest of the statement is skipped and the next one is read as if nothing
 * had happened. Where the first line of a block is wrong, its `end` is
 * expected to come and not complained about. */
#include "syntax/parse.h"
#include "syntax/complain.h"
#include "syntax/complain_events.h"
#include <stddef.h>
#include <string.h>

static parser *parser_create(const dae_source *source, arena *a,
    intern_table *names, dae_diagnostics *ds)
{
    /* stacks are large and begin empty: not worth zeroing */
    parser *p = alloc_resize(a->allocator, NULL, 0, 1, sizeof *p);
    if (!p) return NULL;
    memset(&p->build, 0, offsetof(builder, blocks));
    p->first = (token){{0, 0}, 0, false, false};
    p->orphans = 0;
    p->start.count = p->work.count = p->trial.count = 0;
    p->machine = alloc_resize(a->allocator, NULL, 0, 1, pushdown_size());
    if (!p->machine) {
        alloc_free(a->allocator, p, 1, sizeof *p);
        return NULL;
    }
    p->build.source = source;
    p->build.arena = a;
    p->build.names = names;
    p->build.ds = ds;
    p->last_error = UINT32_MAX;
    pushdown_start(p->machine, &p->build);
    nesting_start(&p->nest);
    layout_start(&p->lines, source, ds);
    return p;
}

static void parser_free(parser *p)
{
    const dae_allocator *allocator = p->build.arena->allocator;
    alloc_free(allocator, p->machine, 1, pushdown_size());
    alloc_free(allocator, p, 1, sizeof *p);
}

static void feed(parser *p, token t)
{
    pushdown_feed(p->machine, t);
    p->build.last = t;
}

/* An `end`, `else` or `return` whose block's first line was wrong. */
static bool is_orphan(parser *p, token t)
{
    if (p->orphans == 0) return false;
    if (t.kind == TOKEN_RC) return true;
    if (t.kind != TOKEN_END && t.kind != TOKEN_ELSE && t.kind != TOKEN_ELSEIF
        && t.kind != TOKEN_RETURN)
        return false;
    pushdown_states_take(&p->trial, p->machine);
    if (pushdown_states_feed(&p->trial, t.kind, true)) return false;
    if (t.kind == TOKEN_END) p->orphans--;
    return true;
}

/* In a function whose `return` was read: all that can come is its `end`. */
static bool has_returned(parser *p)
{
    const builder *b = &p->build;
    if (b->block_count == 0 || b->blocks[b->block_count - 1].kind != TOKEN_FUN)
        return false;
    pushdown_states_take(&p->trial, p->machine);
    return !pushdown_states_feed(&p->trial, TOKEN_NAME, true);
}

/* A statement after a function's `return`, which is told and left out. */
static bool is_late(parser *p, token t)
{
    if (t.kind == TOKEN_END || t.kind == TOKEN_END_OF_TEXT) return false;
    bool is_outside = t.kind != TOKEN_RETURN
        && layout_begins_statement(&p->lines, t);
    if (is_outside || !has_returned(p)) return false;
    complain_after_return(p, t);
    return true;
}

/* Reads on to the statement's end, which is not handed to the machine. */
static void skip_statement(parser *p)
{
    layout_skip(&p->lines);
    for (token t = p->lines.last; t.kind != TOKEN_NL;)
        t = layout_next(&p->lines);
}

/* What is left of a line after a `;` that did not end its statement. */
static void skip_line(parser *p)
{
    for (;;) {
        token t = layout_next(&p->lines);
        layout_skip(&p->lines);
        if (t.kind == TOKEN_NL && t.span.begin == t.span.end) return;
        if (!t.is_first) continue;
        layout_restart(&p->lines, t);
        return;
    }
}

/* The lines of a block whose first line was wrong and whose lines are not
 * statements, up to its `end` or to what cannot be among them. */
static token skip_block(parser *p)
{
    token t = p->lines.last;
    for (;;) {
        t = layout_next(&p->lines);
        if (t.kind == TOKEN_END_OF_TEXT) return t;
        if (!t.begins) continue;
        if (t.kind == TOKEN_END) {
            skip_statement(p);
            return layout_next(&p->lines);
        }
        if (layout_begins_declaration(t.kind) || t.kind == TOKEN_SOLVE
            || t.kind == TOKEN_EXPECT || t.kind == TOKEN_PLOT)
            return t;
    }
}

/* Where on its line a token stands, in bytes. */
static uint32_t indentation(const parser *p, token t)
{
    const char *text = p->build.source->text;
    uint32_t begin = t.span.begin;
    while (begin > 0 && text[begin - 1] != '\n') begin--;
    return t.span.begin - begin;
}

/* The line on which a block begins, where its label is. */
static uint32_t line_indentation(const parser *p, token t)
{
    const char *text = p->build.source->text;
    uint32_t begin = t.span.begin - indentation(p, t), at = begin;
    while (text[at] == ' ' || text[at] == '\t') at++;
    return at - begin;
}

/* A `when` among the lines of another one, by its indentation: not indented,
 * it is the `end` before it that is missing. */
static bool is_nested_when(parser *p, token t)
{
    const builder *b = &p->build;
    if (b->block_count == 0) return false;
    const token opener = b->blocks[b->block_count - 1];
    return opener.kind == TOKEN_WHEN && complain_begins_when(p, t)
        && indentation(p, t) > line_indentation(p, opener);
}

/* What begins another statement, among the lines of a `when` likewise. */
static bool is_misplaced(parser *p, token t)
{
    const builder *b = &p->build;
    if (b->block_count == 0 || t.kind == TOKEN_END || t.kind == TOKEN_STOP
        || t.kind == TOKEN_PRINT || t.kind == TOKEN_END_OF_TEXT)
        return false;
    const token opener = b->blocks[b->block_count - 1];
    if (opener.kind != TOKEN_WHEN || !layout_begins_statement(&p->lines, t)
        || indentation(p, t) <= line_indentation(p, opener))
        return false;
    complain_misplaced(p, t);
    return true;
}

/* Leaves out a nested block with its `end`; gives what begins behind it. */
static token skip_nested(parser *p, token t)
{
    uint32_t open = 1;
    complain_nested_when(p, t);
    while (open > 0) {
        skip_statement(p);
        t = layout_next(&p->lines);
        if (t.kind == TOKEN_END_OF_TEXT) return t;
        if (complain_begins_when(p, t)) open++;
        if (t.kind == TOKEN_END) open--;
    }
    skip_statement(p);
    return layout_next(&p->lines);
}

/* A statement in the middle of the lines of `when` or `reactions`, or after a
 * `return`: the `end` before it is missing. */
static void close_forgotten(parser *p, token t)
{
    builder *b = &p->build;
    if (b->block_count == 0) return;
    unsigned opener = b->blocks[b->block_count - 1].kind;
    bool begins = layout_begins_statement(&p->lines, t)
        || (opener == TOKEN_WHEN && complain_begins_when(p, t));
    if (!begins) return;
    bool is_other = opener == TOKEN_WHEN || opener == TOKEN_REACTIONS;
    if (!is_other && !has_returned(p)) return;
    if (t.kind == TOKEN_END || t.kind == TOKEN_STOP || t.kind == TOKEN_PRINT)
        return;
    complain_open_block(p, t);
    text_span at = {t.span.begin, t.span.begin};
    feed(p, (token){at, TOKEN_END, false, false});
    feed(p, (token){at, TOKEN_NL, false, false});
}

/* A function without its `return` is closed as if it had one. */
static void close_fun(parser *p, text_span at)
{
    static const uint8_t kinds[] = {
        TOKEN_RETURN, TOKEN_TRUE, TOKEN_NL, TOKEN_END, TOKEN_NL};
    for (size_t i = 0; i < sizeof kinds; i++)
        feed(p, (token){at, kinds[i], false, false});
}

/* After a refused token: the statement is left, and where the token begins a
 * line inside brackets that nobody closed, it begins a statement. */
static void recover(parser *p, token t)
{
    const text_span at = {t.span.begin, t.span.begin};
    bool is_restart = t.is_first && !t.begins && p->lines.depth > 0;
    p->build.has_mistake = false;
    opened block = complain(p, t);
    bool has_rows = block == OPENED_ROWS || block == OPENED_ROWS_AND_STATEMENTS;
    if (block == OPENED_STATEMENTS || block == OPENED_ROWS_AND_STATEMENTS)
        p->orphans++;
    if (t.kind == TOKEN_END_OF_TEXT) return;
    if (t.kind != TOKEN_NL) {
        if (is_restart) layout_restart(&p->lines, t);
        else skip_statement(p);
        feed(p, (token){at, TOKEN_NL, false, false});
    }
    if (complain_is_fun_end(p, t)) close_fun(p, at);
    if (has_rows) skip_line(p);
    if (block == OPENED_OTHER && !is_restart)
        layout_restart(&p->lines, skip_block(p));
    nesting_start(&p->nest);
}

static void begin_statement(parser *p, token t)
{
    close_forgotten(p, t);
    p->first = t;
    pushdown_states_take(&p->start, p->machine);
}

/* After `end` the line ends: what else stands there (`end for`) must not
 * make the `end` itself part of an error. */
static token next_token(parser *p)
{
    bool after_end = p->lines.last.kind == TOKEN_END && p->lines.last.begins;
    token t = layout_next(&p->lines);
    if (!after_end || t.kind == TOKEN_NL || t.kind == TOKEN_END_OF_TEXT)
        return t;
    complain_after_end(p, t);
    layout_skip(&p->lines);
    while (t.kind != TOKEN_NL) t = layout_next(&p->lines);
    return t;
}

static void run(parser *p)
{
    builder *b = &p->build;
    for (;;) {
        token t = next_token(p);
        while (t.begins && (is_orphan(p, t) || is_late(p, t))) {
            skip_statement(p);
            t = layout_next(&p->lines);
        }
        while (t.begins && is_nested_when(p, t)) t = skip_nested(p, t);
        while (t.begins && is_misplaced(p, t)) {
            skip_statement(p);
            t = layout_next(&p->lines);
        }
        if (t.kind == TOKEN_END_OF_TEXT) {
            if (b->block_count) complain_open_block(p, t);
            else feed(p, t);
            return;
        }
        if (t.begins) begin_statement(p, t);
        if (nesting_count(&p->nest, t) > AST_MAX_DEPTH)
            builder_too_deep(b, t.span);
        if (b->status) return;
        feed(p, t);
        if (b->status) return;
        if (b->has_mistake) recover(p, t);
    }
}

/* What the parse came to. */
static dae_status verdict(const parser *p)
{
    if (p->build.status) return p->build.status;
    return p->build.errors || p->lines.scan.faults ? DAE_MODEL : DAE_OK;
}

dae_status parse_file(const dae_source *source, arena *a, intern_table *names,
    dae_diagnostics *ds, ast_file **out)
{
    *out = NULL;
    ast_file *file = ARENA_NEW(a, ast_file);
    parser *p = file ? parser_create(source, a, names, ds) : NULL;
    if (!p) return DAE_MEMORY;
    run(p);
    file->source = source;
    file->names = names;
    if (p->build.top) {
        file->stmts = p->build.top->items;
        file->count = p->build.top->count;
    }
    *out = file;
    dae_status st = verdict(p);
    parser_free(p);
    return st;
}

dae_status parse_expression(const dae_source *source, arena *a,
    intern_table *names, dae_diagnostics *ds, ast_expr **out)
{
    *out = NULL;
    parser *p = parser_create(source, a, names, ds);
    if (!p) return DAE_MEMORY;
    feed(p, (token){{0, 0}, TOKEN_ONLY, false, false});
    builder *b = &p->build;
    for (token t = {{0, 0}, TOKEN_ONLY, false, false};
         t.kind != TOKEN_END_OF_TEXT && !b->status;) {
        t = layout_next(&p->lines);
        if (t.begins && p->first.kind == 0) begin_statement(p, t);
        if (nesting_count(&p->nest, t) > AST_MAX_DEPTH)
            builder_too_deep(b, t.span);
        if (!b->status) feed(p, t);
        if (b->has_mistake) {
            complain(p, t);
            break;
        }
    }
    dae_status st = verdict(p);
    if (!st) *out = b->only;
    parser_free(p);
    return st;
}
