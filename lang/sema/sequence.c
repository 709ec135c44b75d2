/* The order in which a model is worked through, and the numbers that its
 * unknowns, equations and conditions get by it.
 *
 * What a text says does not depend on the order of its lines, but rounding
 * does: sums are added up, pivots are chosen and searches go in the order of
 * the numbers, and at a singular start the last bit decides. So where a request
 * asks for it, everything after the declarations and statements were collected
 * sees them sorted by what they say: declarations by their names, which differ,
 * statements by their bytes and those of the loops around them. Statements that
 * agree in all that are copies of each other, and whichever comes first makes
 * the same model. Nothing later looks at a place but to tell of it; so the same
 * lines in another order make the same numbers, rows, programs and values, to
 * the last bit, and what is found out about them is the same by construction.
 *
 * The reports go by the text all the same: each block of names knows its position
 * among those of its kind there. */
#include "sema/lowering.h"

#include <stdlib.h>
#include <string.h>

/* ---- what is sorted by what it says ----------------------------------------- */

typedef struct item {
    uint64_t head; /* the first bytes, for which no text has to be fetched */
    const char *text;
    size_t length;
    const nest *nest;   /* of a statement */
    const char *source; /* which the spans of its nest are of */
    size_t from;        /* where it stood */
} item;

static uint64_t head_of(const char *text, size_t length)
{
    uint64_t head = 0;
    for (size_t k = 0; k < sizeof head; k++)
        head = head << 8 | (k < length ? (unsigned char)text[k] : 0);
    return head;
}

static int compare_texts(
    const char *a, size_t a_length, const char *b, size_t b_length)
{
    const size_t least = a_length < b_length ? a_length : b_length;
    const int order = least ? memcmp(a, b, least) : 0;
    return order ? order : (a_length > b_length) - (a_length < b_length);
}

static int compare_spans(const char *source, text_span a, text_span b)
{
    return compare_texts(
        source + a.begin, a.end - a.begin, source + b.begin, b.end - b.begin);
}

/* Which branch, then the conditions up to its own: an `else` is what the ones
 * before it are not. */
static int compare_branches(const char *source, const nest *a, const nest *b)
{
    if (a->taken != b->taken) return a->taken < b->taken ? -1 : 1;
    for (uint32_t k = 0; k <= a->taken; k++) {
        const ast_expr *c = a->branches[k].condition;
        const ast_expr *d = b->branches[k].condition;
        if (!c || !d) return (c != NULL) - (d != NULL);
        const int order = compare_spans(source, c->span, d->span);
        if (order) return order;
    }
    return 0;
}

/* Loops and branches from the innermost outwards. */
static int compare_nests(const char *source, const nest *a, const nest *b)
{
    for (; a && b && a != b; a = a->outer, b = b->outer) {
        const bool is_loop = a->iters != NULL;
        if (is_loop != (b->iters != NULL)) return is_loop ? 1 : -1;
        const int order = is_loop
            ? compare_spans(source, a->iters->span, b->iters->span)
            : compare_branches(source, a, b);
        if (order) return order;
    }
    return (a != NULL) - (b != NULL);
}

static int compare_items(const void *left, const void *right)
{
    const item *a = left, *b = right;
    if (a->head != b->head) return a->head < b->head ? -1 : 1;
    int order = compare_texts(a->text, a->length, b->text, b->length);
    if (!order) order = compare_nests(a->source, a->nest, b->nest);
    return order ? order : (a->from > b->from) - (a->from < b->from);
}

static void sort_items(item *items, size_t count)
{
    for (size_t k = 0; k < count; k++)
        items[k].head = head_of(items[k].text, items[k].length);
    qsort(items, count, sizeof *items, compare_items);
}

static void sort_symbols(lowering *l, item *items, symbol **before)
{
    const size_t count = l->symbols.count;
    for (size_t k = 0; k < count; k++) {
        const char *name = word_text(l, l->symbols.items[k]->name);
        before[k] = l->symbols.items[k];
        before[k]->place = k;
        items[k] = (item){.text = name, .length = strlen(name), .from = k};
    }
    sort_items(items, count);
    for (size_t k = 0; k < count; k++)
        l->symbols.items[k] = before[items[k].from];
}

static void sort_statements(lowering *l, item *items, leaf_stmt *before)
{
    const size_t count = l->stmts.count;
    for (size_t k = 0; k < count; k++) {
        const text_span span = l->stmts.items[k].stmt->span;
        before[k] = l->stmts.items[k];
        before[k].place = k;
        items[k] = (item){.text = l->source->text + span.begin,
            .length = span.end - span.begin,
            .nest = before[k].nest,
            .source = l->source->text,
            .from = k};
    }
    sort_items(items, count);
    for (size_t k = 0; k < count; k++)
        l->stmts.items[k] = before[items[k].from];
}

dae_status sequence_sort(lowering *l)
{
    if (!l->request->is_canonical) return DAE_OK;
    const size_t symbols = l->symbols.count, stmts = l->stmts.count;
    const size_t most = (symbols > stmts ? symbols : stmts) + 1;
    item *items = alloc_zeroed(l->allocator, most, sizeof *items);
    symbol **old = alloc_zeroed(l->allocator, symbols + 1, sizeof *old);
    leaf_stmt *leaves = alloc_zeroed(l->allocator, stmts + 1, sizeof *leaves);
    const bool has_room = items && old && leaves;
    if (has_room) {
        sort_symbols(l, items, old);
        sort_statements(l, items, leaves);
    }
    alloc_free(l->allocator, items, most, sizeof *items);
    alloc_free(l->allocator, old, symbols + 1, sizeof *old);
    alloc_free(l->allocator, leaves, stmts + 1, sizeof *leaves);
    return has_room ? DAE_OK : DAE_MEMORY;
}

/* What is observed, drawn and expected makes no equation: it is told in the
 * order of the text. */
dae_status sequence_restore(lowering *l)
{
    if (!l->request->is_canonical) return DAE_OK;
    const size_t symbols = l->symbols.count, stmts = l->stmts.count;
    symbol **names = alloc_zeroed(l->allocator, symbols + 1, sizeof *names);
    leaf_stmt *leaves = alloc_zeroed(l->allocator, stmts + 1, sizeof *leaves);
    const bool has_room = names && leaves;
    for (size_t k = 0; has_room && k < symbols; k++)
        names[l->symbols.items[k]->place] = l->symbols.items[k];
    for (size_t k = 0; has_room && k < stmts; k++)
        leaves[l->stmts.items[k].place] = l->stmts.items[k];
    if (has_room && symbols)
        memcpy(l->symbols.items, names, symbols * sizeof *names);
    if (has_room && stmts)
        memcpy(l->stmts.items, leaves, stmts * sizeof *leaves);
    alloc_free(l->allocator, names, symbols + 1, sizeof *names);
    alloc_free(l->allocator, leaves, stmts + 1, sizeof *leaves);
    return has_room ? DAE_OK : DAE_MEMORY;
}

/* ---- names and positions by the text --------------------------------------------- */

typedef struct placed {
    uint32_t begin; /* in the source */
    size_t block;
} placed;

static int compare_places(const void *left, const void *right)
{
    const placed *a = left, *b = right;
    if (a->begin != b->begin) return a->begin < b->begin ? -1 : 1;
    return (a->block > b->block) - (a->block < b->block);
}

static void number_unknowns(system_tables *s, const placed *at)
{
    size_t position = 0;
    for (size_t k = 0; k < s->unknowns.count; k++) {
        name_block *b = &s->unknowns.items[at[k].block];
        b->position = position;
        position += b->count;
    }
}

/* Where the text gives no name it is the line, with a number behind it for the
 * second of those that begin on one line. */
typedef struct line_names {
    const char *prefix;
    uint32_t line, begin, on_line;
    const char *last;
} line_names;

static const char *name_line(lowering *l, line_names *n, uint32_t begin)
{
    if (n->last && n->begin == begin) return n->last;
    const uint32_t line = source_line_at(l->source, begin);
    n->on_line = n->last && line == n->line ? n->on_line + 1 : 1;
    n->line = line;
    n->begin = begin;
    n->last = n->on_line > 1
        ? arena_printf(l->arena, "%sL%u:%u", n->prefix, line, n->on_line)
        : arena_printf(l->arena, "%sL%u", n->prefix, line);
    return n->last;
}

static dae_status number_equations(
    lowering *l, equation_blocks *blocks, const placed *at, line_names *names)
{
    size_t position = 0;
    for (size_t k = 0; k < blocks->count; k++) {
        equation_block *b = &blocks->items[at[k].block];
        b->position = position;
        position += b->count;
        if (!b->name) b->name = name_line(l, names, b->span.begin);
        if (!b->name) return DAE_MEMORY;
    }
    return DAE_OK;
}

#define PLACE_BLOCKS(blocks, at)                                               \
    do {                                                                       \
        for (size_t k_ = 0; k_ < (blocks)->count; k_++)                        \
            (at)[k_] = (placed){(blocks)->items[k_].span.begin, k_};           \
        qsort((at), (blocks)->count, sizeof *(at), compare_places);            \
    } while (0)

dae_status sequence_number(lowering *l)
{
    system_tables *s = l->s;
    const size_t unknowns = s->unknowns.count, equations = s->equations.count;
    size_t most = unknowns > equations ? unknowns : equations;
    if (s->conditions.count > most) most = s->conditions.count;
    placed *at = alloc_zeroed(l->allocator, most + 1, sizeof *at);
    if (!at) return DAE_MEMORY;
    line_names of_equations = {.prefix = ""};
    line_names of_conditions = {.prefix = "init "};
    PLACE_BLOCKS(&s->unknowns, at);
    number_unknowns(s, at);
    PLACE_BLOCKS(&s->equations, at);
    dae_status st = number_equations(l, &s->equations, at, &of_equations);
    PLACE_BLOCKS(&s->conditions, at);
    if (!st) st = number_equations(l, &s->conditions, at, &of_conditions);
    alloc_free(l->allocator, at, most + 1, sizeof *at);
    return st;
}
