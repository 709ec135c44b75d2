/* Everything a state, but for what is another state's name. */
#include "reduce/whole.h"
#include "base/arena.h"
#include <math.h>
#include <string.h>

/* Which unknown a name stands for; itself where it is none. */
static int32_t root_of(int32_t *of, int32_t unknown)
{
    while (of[unknown] != unknown) {
        of[unknown] = of[of[unknown]];
        unknown = of[unknown];
    }
    return unknown;
}

static bool has_bounds(const dae_scales *s, size_t j)
{
    return s
        && ((s->minimum && s->minimum[j] > -HUGE_VAL)
            || (s->maximum && s->maximum[j] < HUGE_VAL));
}

/* Whether the equality makes `name`, with all its derivatives, a name of
 * derivatives of `other`. */
static bool is_name(const dae_problem *p, const dae_structure *s,
    int32_t equation, dae_slot name, dae_slot other)
{
    const int64_t c = s->c[equation];
    return c > 0 && name.order == 0 && s->d[name.unknown] == c
        && other.order + c <= s->d[other.unknown]
        && !has_bounds(p->scales, (size_t)name.unknown)
        && !has_bounds(p->scales, (size_t)other.unknown);
}

/* No chain of names may end in itself. */
static bool try_name(const extended *e, const dae_structure *s,
    int32_t equation, dae_slot name, dae_slot other, int32_t *of, pick *out)
{
    if (of[name.unknown] != name.unknown) return false;
    if (root_of(of, other.unknown) == name.unknown) return false;
    of[name.unknown] = other.unknown;
    const size_t first = e->column_first[name.unknown];
    const size_t row = e->row_first[equation];
    for (int64_t k = 0; k <= s->d[name.unknown]; k++) {
        out->is_state[first + (size_t)k] = 0;
        out->is_out[row + (size_t)k] = 0;
    }
    return true;
}

static void spread(const extended *e, const dae_structure *s,
    bool keeps_constraints, pick *out)
{
    for (size_t p = 0; p < e->columns; p++) {
        const size_t j = (size_t)e->column_unknown[p];
        const int64_t order = (int64_t)(p - e->column_first[j]);
        out->is_state[p] = order < s->d[j];
        out->is_frozen[p] = order > s->d[j];
    }
    for (size_t i = 0; i < e->rows; i++) {
        const size_t q = (size_t)e->row_equation[i];
        const int64_t k = (int64_t)(i - e->row_first[q]);
        out->is_out[i] = !keeps_constraints && k < s->c[q];
    }
    memset(out->is_loose, 0, e->columns);
    memset(out->is_free, 0, e->columns);
    out->leverage = 0;
    out->lost = -1;
}

dae_status whole_choose(const dae_problem *original, const extended *e,
    const dae_structure *s, bool keeps_constraints,
    const dae_allocator *allocator, pick *out)
{
    arena memory;
    arena_init(&memory, allocator, 0);
    int32_t *of = ARENA_ARRAY(&memory, int32_t, s->n);
    if (of) {
        for (size_t j = 0; j < s->n; j++) of[j] = (int32_t)j;
        spread(e, s, keeps_constraints, out);
        for (size_t k = 0; k < original->equality_count; k++) {
            const dae_equality *q = &original->equalities[k];
            if (is_name(original, s, q->equation, q->first, q->second)
                && try_name(e, s, q->equation, q->first, q->second, of, out))
                continue;
            if (is_name(original, s, q->equation, q->second, q->first))
                (void)try_name(e, s, q->equation, q->second, q->first, of, out);
        }
    }
    arena_clear(&memory);
    return of ? DAE_OK : DAE_MEMORY;
}
