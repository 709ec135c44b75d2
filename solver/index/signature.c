/* The basis of the structure: the entries of the Jacobian that are not zero at
 * generic points. */
#include "index/signature.h"

#include "index/generic_points.h"
#include <assert.h>
#include <string.h>

/* Generic points. Two are enough for what is 0 at the first; the third is a safeguard. */
enum { POINTS = 3 };

typedef struct survey {
    sampler *s;
    const layout *layout;
    const dae_pattern *pattern;
    size_t entries;
    uint8_t *is_seen; /* entries: it was not 0 */
    bool is_exact;    /* at one point at least nothing underflowed */
    int32_t *stamp;   /* n: the last unknown that has an entry in the row */
} survey;

/* ---- which entries count ---------------------------------------------------------- */

/* Marks the entries that are not 0 at the sampler's point. */
static void look(survey *w)
{
    const double *v = sampler_values(w->s);
    for (size_t p = 0; p < w->entries; p++)
        if (v[p] != 0) w->is_seen[p] = 1;
    w->is_exact = w->is_exact || !w->s->has_underflow;
}

/* Entries that do not vary are what they are at any point. */
static bool is_any_unseen(const survey *w)
{
    const uint8_t *kind = w->pattern->kind;
    for (size_t p = 0; p < w->entries; p++)
        if (!w->is_seen[p] && (!kind || kind[p] == DAE_ENTRY_VARYING))
            return true;
    return false;
}

/* An entry that is 0 by underflow, as exp(-1e4) is, is not zero: if there was underflow
 * at all points, only constant entries are. */
static void look_past_underflow(survey *w)
{
    if (w->is_exact) return;
    for (size_t p = 0; p < w->entries; p++)
        if (!w->pattern->kind || w->pattern->kind[p] == DAE_ENTRY_VARYING)
            w->is_seen[p] = 1;
}

/* Keeps the sampler's point. */
static dae_status keep(const survey *w, signature *s)
{
    const layout *l = w->layout;
    s->x = ARENA_ARRAY(&s->memory, double, l->states);
    s->xp = ARENA_ARRAY(&s->memory, double, l->unknowns);
    if (!s->x || !s->xp) return DAE_MEMORY;
    s->t = w->s->t;
    memcpy(s->x, w->s->x, l->states * sizeof *s->x);
    memcpy(s->xp, w->s->xp, l->unknowns * sizeof *s->xp);
    return DAE_OK;
}

/* The points up to `end`, as long as there was none with values or entries were 0. */
static dae_status visit(survey *w, unsigned first, unsigned end, signature *s)
{
    for (unsigned k = first; k < end; k++) {
        if (s->is_sampled && !is_any_unseen(w)) return DAE_OK;
        dae_status st = points_sample(w->s, k);
        if (st && st != DAE_RETRY) return st;
        if (st) continue;
        look(w);
        s->is_sampled = true;
        if (k == 0 && (st = keep(w, s))) return st;
    }
    return DAE_OK;
}

/* Entries that are zero near the guesses may be so only there. */
static dae_status sample(survey *w, signature *s)
{
    dae_status st = sampler_evaluate_start(w->s);
    if (!st) look(w);
    if (st && st != DAE_RETRY) return st;
    st = visit(w, 0, w->s->varies ? POINTS : 1, s);
    if (!st && s->is_sampled && w->s->varies)
        st = visit(w, POINTS_ELSEWHERE, POINTS_ELSEWHERE_END, s);
    if (!st) look_past_underflow(w);
    if (!st && !s->is_sampled) memset(w->is_seen, 1, w->entries);
    return st;
}

/* ---- the table ---------------------------------------------------------------------- */

/* False for an entry that is constant, so 0 for all parameters. */
static bool may_count(const survey *w, size_t p)
{
    return w->pattern->kind && w->pattern->kind[p] != DAE_ENTRY_CONSTANT;
}

static void note_zero(const survey *w, signature *s, size_t p, size_t column,
    size_t order, bool is_put)
{
    const size_t k = s->zero_count++;
    if (!is_put) return;
    s->zero_row[k] = w->pattern->row[p];
    s->zero_column[k] = (int32_t)column;
    s->zero_order[k] = (int32_t)order;
    s->zero_varies[k] = w->pattern->kind[p] == DAE_ENTRY_VARYING;
}

/* Passes over the slots of every unknown from the highest derivative down, so
 * that the first entry in a row is the one that counts; an entry that is 0 now is
 * recorded only if it would count otherwise. Counts the entries, or
 * puts them in place. */
static void pass_entries(survey *w, signature *s, bool is_put)
{
    const layout *l = w->layout;
    int64_t at = 0;
    for (size_t j = 0; j < l->unknowns; j++) w->stamp[j] = -1;
    s->zero_count = 0;
    for (size_t j = 0; j < l->unknowns; j++) {
        for (size_t o = l->order[j] + (size_t)1; o-- > 0;) {
            const size_t c = layout_column(l, j, o);
            const int64_t end = w->pattern->column_start[c + 1];
            for (int64_t k = w->pattern->column_start[c]; k < end; k++) {
                const size_t p = (size_t)k;
                const int32_t i = w->pattern->row[p];
                if (w->stamp[i] == (int32_t)j) continue;
                if (!w->is_seen[p]) {
                    if (may_count(w, p)) note_zero(w, s, p, j, o, is_put);
                    continue;
                }
                w->stamp[i] = (int32_t)j;
                if (is_put) {
                    s->row[at] = i;
                    s->order[at] = (int32_t)o;
                    s->entry[at] = (int32_t)k;
                }
                at++;
            }
        }
        s->column_start[j + 1] = at;
    }
    assert(!is_put || (size_t)at == s->entries);
}

static dae_status make_table(survey *w, signature *s)
{
    arena *m = &s->memory;
    const size_t n = w->layout->unknowns;
    s->column_start = ARENA_ARRAY(m, int64_t, n + 1);
    if (!s->column_start) return DAE_MEMORY;
    pass_entries(w, s, false);
    s->entries = (size_t)s->column_start[n];
    s->row = ARENA_ARRAY(m, int32_t, s->entries);
    s->order = ARENA_ARRAY(m, int32_t, s->entries);
    s->entry = ARENA_ARRAY(m, int32_t, s->entries);
    s->zero_row = ARENA_ARRAY(m, int32_t, s->zero_count);
    s->zero_column = ARENA_ARRAY(m, int32_t, s->zero_count);
    s->zero_order = ARENA_ARRAY(m, int32_t, s->zero_count);
    s->zero_varies = ARENA_ARRAY(m, uint8_t, s->zero_count);
    if (!s->row || !s->order || !s->entry || !s->zero_row || !s->zero_column
        || !s->zero_order || !s->zero_varies)
        return DAE_MEMORY;
    pass_entries(w, s, true);
    s->table = (dae_signature){n, n, s->column_start, s->row, s->order};
    return DAE_OK;
}

static dae_status make(survey *w, signature *s, arena *scratch)
{
    w->pattern = sampler_pattern(w->s);
    w->entries = sampler_entries(w->s);
    if (w->entries > INT32_MAX) return DAE_LIMIT;
    w->is_seen = ARENA_ARRAY(scratch, uint8_t, w->entries);
    w->stamp = ARENA_ARRAY(scratch, int32_t, w->layout->unknowns);
    if (!w->is_seen || !w->stamp) return DAE_MEMORY;
    const dae_status st = sample(w, s);
    return st ? st : make_table(w, s);
}

dae_status signature_create(const dae_problem *problem, const layout *l,
    const dae_allocator *allocator, signature **out)
{
    survey w = {.layout = l};
    arena memory, scratch;
    *out = NULL;
    arena_init(&memory, allocator, 0);
    arena_init(&scratch, allocator, 0);
    signature *s = ARENA_NEW(&memory, signature);
    if (!s) return DAE_MEMORY;
    s->memory = memory;
    dae_status st = sampler_create(problem, l, allocator, &w.s);
    if (!st) st = make(&w, s, &scratch);
    sampler_free(w.s);
    arena_clear(&scratch);
    if (st) signature_free(s);
    else *out = s;
    return st;
}

void signature_free(signature *s)
{
    if (!s) return;
    arena memory = s->memory; /* s is in it */
    arena_clear(&memory);
}
