/* The passes in order. Each goes on after errors as long as later ones can say
 * something true; with errors the result is DAE_MODEL. */
#include "sema/lower.h"

#include "sema/tables.h"

#include <string.h>

static dae_status prepare(lowering *l, const lower_request *r, lowered *out)
{
    memset(l, 0, sizeof *l);
    l->request = r;
    l->out = out;
    l->s = &out->system;
    l->arena = r->arena;
    l->allocator = r->allocator;
    l->ds = r->ds;
    l->errors_before = report_error_count(r->ds);
    l->source = r->file->source;
    l->names = r->file->names;
    l->known_root = NODE_NONE;
    l->element = NO_ELEMENT;
    arena_init(&l->scratch, r->allocator, 0);
    l->name_count = l->names->names.count;
    l->global = ARENA_ARRAY(l->arena, symbol *, l->name_count + 1);
    l->innermost = ARENA_ARRAY(l->arena, uint32_t, l->name_count + 1);
    l->builtin_of = ARENA_ARRAY(l->arena, const builtin *, l->name_count + 1);
    l->seen = ARENA_ARRAY(l->arena, struct name_seen, l->name_count + 1);
    if (!l->global || !l->innermost || !l->builtin_of || !l->seen)
        return DAE_MEMORY;
    for (uint32_t k = 0; k < l->name_count; k++) {
        l->builtin_of[k] = builtin_find(intern_text(l->names, k));
    }
    return DAE_OK;
}

static void clear(lowering *l)
{
    ARRAY_FREE(l->allocator, &l->symbols);
    ARRAY_FREE(l->allocator, &l->locals);
    ARRAY_FREE(l->allocator, &l->hidden);
    ARRAY_FREE(l->allocator, &l->elements);
    ARRAY_FREE(l->allocator, &l->files);
    ARRAY_FREE(l->allocator, &l->ranges);
    ARRAY_FREE(l->allocator, &l->stmts);
    ARRAY_FREE(l->allocator, &l->term_holes);
    ARRAY_FREE(l->allocator, &l->spare_leaves);
    alloc_free(l->allocator, l->weights.entries, l->weights.room,
        sizeof *l->weights.entries);
    ARRAY_FREE(l->allocator, &l->definition_moves);
    arena_clear(&l->scratch);
}

/* ---- names of definitions --------------------------------------------------- */

typedef struct owner {
    uint32_t symbol, element;
} owner;

static dae_status name_run(
    lowering *l, const owner *owners, size_t first, size_t count)
{
    const symbol *s = l->symbols.items[owners[first].symbol - 1];
    bool is_whole = count == s->count;
    name_block b = {.name = word_text(l, s->name),
        .first = first,
        .count = count,
        .rank = is_whole ? s->rank : 0,
        .span = s->span,
        .unit = "",
        .doc = s->decl->doc ? s->decl->doc : ""};
    memcpy(b.lower, s->lower, sizeof b.lower);
    memcpy(b.extent, s->extent, sizeof b.extent);
    if (!is_whole && s->rank == 1) {
        b.rank = 1;
        b.lower[0] += owners[first].element;
        b.extent[0] = (int64_t)count;
    }
    return ARRAY_PUSH(l->s->allocator, &l->s->lets, b) ? DAE_OK : DAE_MEMORY;
}

/* Runs of definitions that are consecutive elements of one let. */
static dae_status name_definitions(lowering *l)
{
    size_t total = l->s->definitions.count;
    owner *owners = alloc_zeroed(l->allocator, total + 1, sizeof *owners);
    if (!owners) return DAE_MEMORY;
    for (size_t k = 0; k < l->symbols.count; k++) {
        const symbol *s = l->symbols.items[k];
        for (size_t i = 0; s->values && i < s->count; i++) {
            value v = s->values[i];
            if (v.kind != VALUE_DEFINITION || owners[v.node].symbol) continue;
            owners[v.node] = (owner){(uint32_t)k + 1, (uint32_t)i};
        }
    }
    dae_status st = DAE_OK;
    for (size_t k = 0, end; k < total && !st; k = end) {
        end = k + 1;
        if (!owners[k].symbol) continue;
        while (end < total && owners[end].symbol == owners[k].symbol
            && owners[end].element == owners[end - 1].element + 1) {
            end++;
        }
        st = name_run(l, owners, k, end - k);
    }
    alloc_free(l->allocator, owners, total + 1, sizeof *owners);
    return st;
}

/* ---- all passes ------------------------------------------------------------------ */

static dae_status check_not_empty(lowering *l)
{
    if (l->s->equation_count > 0 || error_count(l) > 0) return DAE_OK;
    uint32_t end = l->source->length;
    fail_value(
        l, DIAG_E0211, (text_span){end, end}, "the model has no equations");
    if (l->s->empty_range) {
        report_also(
            l->ds, l->source, l->s->empty_span, "%s", l->s->empty_range);
    }
    report_help(l->ds, "write one, such as x' = -x with `var x = 1`");
    return DAE_OK;
}

typedef dae_status pass(lowering *l);

static dae_status force_params(lowering *l)
{
    return order_force(l, true);
}

static dae_status force_lets(lowering *l)
{
    return order_force(l, false);
}

static dae_status mark_structural(lowering *l)
{
    structural_mark(l);
    return DAE_OK;
}

static dae_status resolve_all(lowering *l)
{
    resolve_names(l);
    return DAE_OK;
}

/* Sizes that are wrong leave nothing to say about equations. */
static dae_status place_unknowns(lowering *l)
{
    dae_status st = symbols_place_unknowns(l);
    l->cannot_go_on = st != DAE_OK;
    return st;
}

static dae_status run_passes(lowering *l)
{
    static pass *const passes[] = {collect_symbols, mark_structural,
        collect_statements, sequence_sort, tables_read, resolve_all,
        force_params, place_unknowns, lower_discretes, sliding_find, force_lets,
        lower_settings, signals_check, lower_attributes, lower_equations,
        sliding_end, lower_events, lower_starts, sequence_restore, lower_checks,
        sequence_sort, check_not_empty, overrides_check, sequence_number,
        name_definitions};
    builder b;
    builder_init(&b);
    l->builder = &b;
    dae_status st = DAE_OK;
    for (size_t k = 0; k < sizeof passes / sizeof passes[0]; k++) {
        st = passes[k](l);
        if (l->failed_memory || l->s->shapes.failed || l->s->params.failed) {
            st = DAE_MEMORY;
        }
        if (l->was_interrupted) st = DAE_INTERRUPTED;
        if ((st && st != DAE_MODEL) || l->cannot_go_on) break;
        st = DAE_OK;
    }
    builder_clear(l, &b);
    return st;
}

dae_status lower_model(const lower_request *request, lowered *out)
{
    memset(out, 0, sizeof *out);
    system_init(&out->system, request->arena, request->allocator);
    out->system.source = request->file->source;
    out->title = "";
    lowering l;
    dae_status st = prepare(&l, request, out);
    if (!st) st = run_passes(&l);
    if ((!st || st == DAE_MODEL) && error_count(&l)) {
        st = l.hit_limit ? DAE_LIMIT : l.failed_file ? DAE_IO : DAE_MODEL;
    }
    if (st == DAE_MEMORY) out->stopped = l.at;
    clear(&l);
    if (!st) st = system_close(&out->system, request->ds);
    if (!st) st = events_check(&out->system, request->ds);
    return st;
}

void lowered_clear(lowered *l)
{
    const dae_allocator *a = l->system.allocator;
    ARRAY_FREE(a, &l->observations);
    ARRAY_FREE(a, &l->plots);
    ARRAY_FREE(a, &l->expects);
    ARRAY_FREE(a, &l->files);
    system_clear(&l->system);
}
