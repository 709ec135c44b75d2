/* What structure is made of: the entries of the Jacobian that are not zero at
 * generic points. */
#include "index/signature.h"

#include "index/points.h"
#include <assert.h>
#include <string.h>

/* Generic points. Two would do; a third is insurance. */
enum { POINTS = 3 };

typedef struct survey {
    sampler *s;
    const layout *layout;
    const dae_allocator *allocator;
    const dae_pattern *pattern;
    size_t entries;
    uint8_t *is_seen; /* entries: it was not 0 */
    int32_t *stamp;   /* n: the last unknown that has an entry in the row */
} survey;

static void survey_clear(survey *w)
{
    const size_t n = w->layout->unknowns;
    alloc_free(w->allocator, w->is_seen, w->entries, 1);
    alloc_free(w->allocator, w->stamp, n, sizeof *w->stamp);
    sampler_free(w->s);
}

static dae_status survey_init(survey *w, const dae_problem *problem)
{
    const size_t n = w->layout->unknowns;
    const dae_status st = sampler_create(
        problem, w->layout, w->allocator, &w->s);
    if (st) return st;
    w->pattern = sampler_pattern(w->s);
    w->entries = sampler_entries(w->s);
    w->is_seen = alloc_zeroed(w->allocator, w->entries, 1);
    w->stamp = alloc_zeroed(w->allocator, n, sizeof *w->stamp);
    return w->is_seen && w->stamp ? DAE_OK : DAE_MEMORY;
}

/* ---- which entries count ---------------------------------------------------------- */

/* What the sampler's point shows. */
static void look(survey *w)
{
    const double *v = sampler_values(w->s);
    for (size_t p = 0; p < w->entries; p++)
        if (v[p] != 0) w->is_seen[p] = 1;
}

static bool is_any_unseen(const survey *w)
{
    return memchr(w->is_seen, 0, w->entries) != NULL;
}

/* The points up to `end`; where `for_unseen`, as long as entries were 0. */
static dae_status visit(
    survey *w, unsigned first, unsigned end, bool for_unseen, bool *is_sampled)
{
    for (unsigned k = first; k < end; k++) {
        if (for_unseen && !is_any_unseen(w)) return DAE_OK;
        dae_status st = points_sample(w->s, k);
        if (!st) *is_sampled = true;
        if (!st) look(w);
        if (st && st != DAE_RETRY) return st;
    }
    return DAE_OK;
}

/* What is zero near the guesses may be flat there alone. */
static dae_status sample(survey *w, bool *is_sampled)
{
    dae_status st = sampler_evaluate_start(w->s);
    *is_sampled = false;
    if (!st) look(w);
    if (st && st != DAE_RETRY) return st;
    st = visit(w, 0, w->s->varies ? POINTS : 1, false, is_sampled);
    if (!st && *is_sampled && w->s->varies)
        st = visit(w, POINTS_ELSEWHERE, POINTS_ELSEWHERE_END, true, is_sampled);
    if (!st && !*is_sampled) memset(w->is_seen, 1, w->entries);
    return st;
}

/* ---- the table ---------------------------------------------------------------------- */

/* Not one that is 0 by what the text says. */
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
 * that the first entry in a row is the one that counts, and what is 0 now is
 * noted only where it would have counted. Counts the entries, or
 * puts them in place. */
static void pass_entries(survey *w, signature *s, bool is_put)
{
    const layout *l = w->layout;
    int64_t at = 0;
    for (size_t j = 0; j < l->unknowns; j++) w->stamp[j] = -1;
    s->zero_count = 0;
    for (size_t j = 0; j < l->unknowns; j++) {
        for (size_t o = l->order[j] + (size_t)1; o-- > 0;) {
            const bool is_top = o == l->order[j] && o > 0;
            const size_t c = is_top ? l->states + j : l->first[j] + o;
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
                    s->entry[at] = k;
                }
                at++;
            }
        }
        s->column_start[j + 1] = at;
    }
    assert(!is_put || (size_t)at == s->entries);
    assert(!is_put || s->zero_count == s->zero_room);
}

static dae_status make_table(survey *w, signature *s)
{
    const size_t n = w->layout->unknowns;
    s->column_start = alloc_zeroed(
        w->allocator, n + 1, sizeof *s->column_start);
    if (!s->column_start) return DAE_MEMORY;
    pass_entries(w, s, false);
    s->entries = (size_t)s->column_start[n];
    s->row = alloc_zeroed(w->allocator, s->entries, sizeof *s->row);
    s->order = alloc_zeroed(w->allocator, s->entries, sizeof *s->order);
    s->entry = alloc_zeroed(w->allocator, s->entries, sizeof *s->entry);
    const size_t zeros = s->zero_room = s->zero_count;
    s->zero_row = alloc_zeroed(w->allocator, zeros, sizeof *s->zero_row);
    s->zero_column = alloc_zeroed(w->allocator, zeros, sizeof *s->zero_column);
    s->zero_order = alloc_zeroed(w->allocator, zeros, sizeof *s->zero_order);
    s->zero_varies = alloc_zeroed(w->allocator, zeros, 1);
    if (!s->row || !s->order || !s->entry || !s->zero_row || !s->zero_column
        || !s->zero_order || !s->zero_varies)
        return DAE_MEMORY;
    pass_entries(w, s, true);
    s->table = (dae_signature){n, n, s->column_start, s->row, s->order};
    return DAE_OK;
}

dae_status signature_create(const dae_problem *problem, const layout *l,
    const dae_allocator *allocator, signature **out)
{
    survey w = {.layout = l, .allocator = alloc_or_default(allocator)};
    *out = NULL;
    signature *s = alloc_zeroed(w.allocator, 1, sizeof *s);
    if (!s) return DAE_MEMORY;
    s->allocator = w.allocator;
    s->unknowns = l->unknowns;
    s->reach = alloc_zeroed(w.allocator, l->unknowns, 1);
    dae_status st = survey_init(&w, problem);
    if (!s->reach) st = DAE_MEMORY;
    if (!st) st = sample(&w, &s->is_sampled);
    if (!st) memcpy(s->reach, w.s->reach, l->unknowns);
    if (!st) s->time_reach = w.s->time_reach;
    if (!st) st = make_table(&w, s);
    survey_clear(&w);
    if (st) {
        signature_free(s);
        return st;
    }
    *out = s;
    return DAE_OK;
}

void signature_free(signature *s)
{
    if (!s) return;
    const dae_allocator *a = s->allocator;
    alloc_free(a, s->column_start, s->unknowns + 1, sizeof *s->column_start);
    alloc_free(a, s->row, s->entries, sizeof *s->row);
    alloc_free(a, s->order, s->entries, sizeof *s->order);
    alloc_free(a, s->entry, s->entries, sizeof *s->entry);
    alloc_free(a, s->zero_row, s->zero_room, sizeof *s->zero_row);
    alloc_free(a, s->zero_column, s->zero_room, sizeof *s->zero_column);
    alloc_free(a, s->zero_order, s->zero_room, sizeof *s->zero_order);
    alloc_free(a, s->zero_varies, s->zero_room, 1);
    alloc_free(a, s->reach, s->unknowns, 1);
    alloc_free(a, s, 1, sizeof *s);
}
