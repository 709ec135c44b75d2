/* Called where a finding is made, so that it is recorded with the numbers of
 * that point; the last point is recorded at the end, whatever the outcome. */
#include "start/record_findings.h"
#include "linalg/naming.h"
#include "linalg/thresholds.h"
#include "start/tolerance.h"
#include <assert.h>
#include <math.h>
#include <string.h>

/* Findings own one arena, so that they are built and freed as a whole. */
void init_findings_clear(init_findings *f)
{
    if (f->arena.allocator) arena_clear(&f->arena);
    *f = (init_findings){0};
}

void init_findings_init(init_findings *f, const dae_allocator *allocator)
{
    *f = (init_findings){.outcome = INIT_UNSOLVED, .residual = (double)NAN};
    arena_init(&f->arena, allocator, 0);
}

/* ---- the sides of a row ------------------------------------------------------ */

/* The problem evaluates sides along a curve, so the point becomes one: its
 * slots are derivatives, a curve has Taylor coefficients. */
static double *make_curve(const init_system *s, size_t *stride)
{
    const layout *l = s->request->layout;
    size_t most = 0;
    for (size_t j = 0; j < l->unknowns; j++)
        if (l->order[j] > most) most = l->order[j];
    *stride = most + 1;
    double *curve = alloc_zeroed(
        s->request->allocator, l->unknowns * *stride, sizeof *curve);
    for (size_t j = 0; curve && j < l->unknowns; j++) {
        double *of = curve + j * *stride, factorial = 1;
        const size_t states = l->first[j + 1] - l->first[j];
        for (size_t o = 0; o <= l->order[j]; o++) {
            if (o > 1) factorial *= (double)o;
            const size_t slot = o < states ? l->first[j] + o : l->states + j;
            of[o] = s->z[slot] / factorial;
        }
    }
    return curve;
}

/* The difference of the sides is the residual, but for rounding. */
static bool is_residual(const init_system *s, size_t row, const double sides[2])
{
    const double left = fabs(sides[0] - sides[1]);
    const double size = fmax(fabs(sides[0]), fabs(sides[1]));
    return isfinite(left)
        && fabs(left - fabs(s->res[row])) <= HALF_DIGITS * size + s->noise[row];
}

/* The formula shown for a derivative has first-order equations substituted. If
 * one of these does not hold, the sides of the formula differ from those of the
 * row; the sides of the formula are shown. */
static bool is_of_derivative(const init_system *s, size_t row)
{
    return s->request->equation_count > 0 && row < s->equations;
}

static bool is_equal(const init_system *s, size_t row, const double sides[2])
{
    return fabs(sides[0] - sides[1]) <= fmax(s->tolerance[row], s->noise[row]);
}

/* Rounds the sides of a row for reports: a side that is negligible becomes 0,
 * and the sides of a row that holds become equal. */
static void smooth(
    const init_system *s, size_t row, bool holds, double sides[2])
{
    if (is_of_derivative(s, row)) holds = is_equal(s, row, sides);
    const double least = fmax(s->noise[row],
        holds ? s->tolerance[row] : HALF_DIGITS * fabs(sides[0] - sides[1]));
    for (int k = 0; k < 2; k++)
        if (fabs(sides[k]) <= least) sides[k] = 0;
    if (!holds) return;
    const int smaller = fabs(sides[1]) <= fabs(sides[0]);
    sides[1 - smaller] = sides[smaller];
}

static dae_status sides_of_row(
    const init_system *s, size_t row, bool holds, double sides[2])
{
    const dae_problem *p = s->request->problem;
    const bool is_f = row < s->equations;
    size_t stride;
    sides[0] = sides[1] = (double)NAN;
    if (!p->sides) return DAE_OK;
    double *curve = make_curve(s, &stride);
    if (!curve) return DAE_MEMORY;
    dae_status st = p->sides(p->self,
        is_f ? DAE_NAME_EQUATION : DAE_NAME_CONDITION,
        is_f ? row : row - s->equations, 0, s->request->t0, curve, stride,
        sides);
    alloc_free(s->request->allocator, curve,
        s->request->layout->unknowns * stride, sizeof *curve);
    if (st == DAE_MEMORY) return st;
    if (!st
        && (is_residual(s, row, sides)
            || (is_of_derivative(s, row) && isfinite(sides[0] - sides[1]))))
        smooth(s, row, holds, sides);
    else sides[0] = sides[1] = (double)NAN;
    return DAE_OK;
}

/* ---- rows and given values --------------------------------------------------- */

static size_t count_given(const init_system *s, size_t row)
{
    size_t count = 0;
    for (size_t k = 0; k < s->slots; k++)
        count += !s->is_free[k] && unknowns_slope(s, k, row) != 0;
    return count;
}

dae_status record_take_given(init_system *s, size_t row, members *to)
{
    const size_t count = count_given(s, row);
    to->slots = ARENA_ARRAY(&s->arena, int32_t, count + 1);
    to->slot_count = 0;
    if (!to->slots) return DAE_MEMORY;
    for (size_t k = 0; k < s->slots; k++)
        if (!s->is_free[k] && unknowns_slope(s, k, row) != 0)
            to->slots[to->slot_count++] = (int32_t)k;
    return DAE_OK;
}

static dae_status make_row(init_system *s, size_t i, init_party *to)
{
    const bool is_f = i < s->equations;
    const bool is_within = tolerance_ratio(s, i) <= 1;
    bool holds;
    assert(i < s->rows);
    dae_status st = tolerance_holds(s, i, &holds);
    if (!st && holds) st = tolerance_reaches(s, i, &holds);
    if (st) return st;
    /* a tolerance that is not valid allows nothing */
    const double allowed = holds == is_within
        ? fmax(s->tolerance[i], s->noise[i])
        : s->noise[i];
    *to = (init_party){.kind = is_f ? INIT_EQUATION : INIT_CONDITION,
        .index = is_f ? i : i - s->equations,
        .residual = s->res[i],
        .tolerance = allowed,
        .holds = holds};
    return sides_of_row(s, i, holds, to->sides);
}

static init_party make_value(init_party_kind kind, size_t slot, double value)
{
    const double none = (double)NAN;
    return (init_party){
        .kind = kind, .index = slot, .residual = value, .sides = {none, none}};
}

/* ---- a failure --------------------------------------------------------------- */

dae_status record_rows(
    init_system *s, const size_t *rows, size_t count, init_failure *to)
{
    init_findings *f = s->request->findings;
    if (!f) return DAE_OK;
    init_party *list = ARENA_ARRAY(&f->arena, init_party, count);
    if (!list) return DAE_MEMORY;
    to->rows = list;
    to->row_count = count;
    for (size_t k = 0; k < count; k++) {
        const dae_status st = make_row(s, rows[k], &list[k]);
        if (st) return st;
    }
    return DAE_OK;
}

dae_status record_slots(
    init_system *s, const int32_t *slots, size_t count, const int32_t **to)
{
    init_findings *f = s->request->findings;
    if (!f || !count) return DAE_OK;
    int32_t *list = ARENA_ARRAY(&f->arena, int32_t, count);
    if (!list) return DAE_MEMORY;
    memcpy(list, slots, count * sizeof *list);
    *to = list;
    return DAE_OK;
}

static size_t at_most(size_t count)
{
    return count < INIT_STALLED_MOST ? count : INIT_STALLED_MOST;
}

static dae_status record_left(init_system *s, const subset *b, init_failure *to)
{
    init_party *list = ARENA_ARRAY(
        &s->request->findings->arena, init_party, at_most(b->row_count));
    if (!list) return DAE_MEMORY;
    to->left = list;
    to->left_count = 0;
    for (size_t i = 0; i < b->row_count; i++) {
        const size_t row = (size_t)b->rows[i];
        if (tolerance_ratio(s, row) <= 1) continue;
        if (to->left_count == INIT_STALLED_MOST) break;
        const dae_status st = make_row(s, row, &list[to->left_count++]);
        if (st) return st;
    }
    return DAE_OK;
}

dae_status record_block(init_system *s, const subset *b, init_failure *to)
{
    init_findings *f = s->request->findings;
    const double none = (double)NAN;
    if (!f) return DAE_OK;
    const size_t count = at_most(b->slot_count);
    init_stalled *list = ARENA_ARRAY(&f->arena, init_stalled, count);
    if (!list) return DAE_MEMORY;
    for (size_t j = 0; j < count; j++) {
        const size_t k = (size_t)b->slots[j];
        list[j] = (init_stalled){.slot = k,
            .guess = s->guess[k],
            .low = s->z[k] <= unknowns_low(s, k) ? unknowns_low(s, k) : none,
            .high = s->z[k] >= unknowns_high(s, k) ? unknowns_high(s, k)
                                                   : none};
    }
    to->stalled = list;
    to->stalled_count = count;
    return record_left(s, b, to);
}

dae_status record_failure(init_system *s, const init_failure *f)
{
    if (s->request->findings) s->request->findings->failure = *f;
    return DAE_OK;
}

/* ---- conflicts --------------------------------------------------------------- */

static dae_status list_parties(
    init_system *s, const members *b, init_party *list)
{
    for (size_t k = 0; k < b->row_count; k++) {
        const dae_status st = make_row(s, (size_t)b->rows[k], list++);
        if (st) return st;
    }
    for (size_t k = 0; k < b->slot_count; k++)
        *list++ = make_value(
            INIT_GIVEN, (size_t)b->slots[k], s->z[b->slots[k]]);
    for (size_t k = 0; k < b->low_count; k++)
        *list++ = make_value(
            INIT_MINIMUM, (size_t)b->low[k], s->low[b->low[k]]);
    for (size_t k = 0; k < b->high_count; k++)
        *list++ = make_value(
            INIT_MAXIMUM, (size_t)b->high[k], s->high[b->high[k]]);
    return DAE_OK;
}

dae_status record_conflict(
    init_system *s, const members *b, size_t worst, const init_conflict *about)
{
    init_findings *f = s->request->findings;
    if (!f) return DAE_OK;
    init_failure *to = &f->failure;
    init_conflict own = *about;
    own.count = b->row_count + b->slot_count + b->low_count + b->high_count;
    assert(own.count > 0);
    init_party *list = ARENA_ARRAY(&f->arena, init_party, own.count);
    if (!list) return DAE_MEMORY;
    own.parties = list;
    dae_status st = list_parties(s, b, list);
    if (!st && worst < s->rows) st = make_row(s, worst, &own.worst);
    for (size_t k = 0; k < b->row_count && !st && own.worst.holds; k++)
        if (!list[k].holds) own.worst = list[k];
    if (st) return st;
    if (!to->sets)
        to->sets = ARENA_ARRAY(&f->arena, init_conflict, INIT_SETS_MOST);
    if (!to->sets) return DAE_MEMORY;
    to->kind = INIT_IN_CONFLICT;
    if (to->set_count < INIT_SETS_MOST) to->sets[to->set_count++] = own;
    assert(to->set_count <= INIT_SETS_MOST && to->sets[0].count > 0);
    if (f->conflicts && f->conflict_count <= own.count) return DAE_OK;
    f->conflicts = own.parties;
    f->conflict_count = own.count;
    return DAE_OK;
}

/* The number of errors that are kept. */
enum { BEYOND_MOST = 20 };

dae_status record_beyond(init_system *s, size_t slot)
{
    init_findings *f = s->request->findings;
    if (!f) return DAE_OK;
    init_failure *to = &f->failure;
    const bool is_high = s->z[slot] > s->high[slot];
    init_party *list = ARENA_ARRAY(&f->arena, init_party, 2);
    if (!list) return DAE_MEMORY;
    if (to->slot_count < BEYOND_MOST) {
        if (!to->slots)
            to->slots = ARENA_ARRAY(&f->arena, int32_t, BEYOND_MOST);
        if (!to->slots) return DAE_MEMORY;
        ((int32_t *)to->slots)[to->slot_count++] = (int32_t)slot;
    }
    to->kind = INIT_BEYOND_BOUNDS;
    list[0] = make_value(INIT_GIVEN, slot, s->z[slot]);
    list[1] = make_value(is_high ? INIT_MAXIMUM : INIT_MINIMUM, slot,
        is_high ? s->high[slot] : s->low[slot]);
    f->conflicts = list;
    f->conflict_count = 2;
    return DAE_OK;
}

/* ---- changes ----------------------------------------------------------------- */

/* Appends; the list is copied when its length is a power of two. */
static dae_status append(init_findings *f, const init_change **list,
    size_t *count, const init_change *one)
{
    const size_t n = *count;
    init_change *own = (init_change *)*list;
    if ((n & (n - 1)) == 0) { /* 0, 1, 2, 4, 8, ... */
        own = ARENA_ARRAY(&f->arena, init_change, n ? 2 * n : 1);
        if (!own) return DAE_MEMORY;
        if (n) memcpy(own, *list, n * sizeof *own);
        *list = own;
    }
    own[n] = *one;
    ++*count;
    return DAE_OK;
}

dae_status record_moved(init_system *s, size_t slot, double guess)
{
    init_findings *f = s->request->findings;
    const init_change one = {.slot = slot, .value = guess};
    return f ? append(f, &f->moved, &f->moved_count, &one) : DAE_OK;
}

/* ---- the end ----------------------------------------------------------------- */

static init_outcome outcome_of(dae_status status)
{
    if (status == DAE_OK) return INIT_CONSISTENT;
    return status == DAE_INCONSISTENT ? INIT_CONTRADICTORY : INIT_UNSOLVED;
}

dae_status record_end(init_system *s, dae_status status, int64_t iterations)
{
    init_findings *f = s->request->findings;
    if (!f) return DAE_OK;
    f->outcome = outcome_of(status);
    f->iterations = iterations;
    f->slot_count = s->slots;
    f->homotopy.count = s->homotopy.count;
    f->homotopy.slot = s->homotopy.slot;
    f->homotopy.guess = s->guess[s->homotopy.slot];
    assert(f->outcome != INIT_CONSISTENT
        || (f->failure.kind == INIT_NO_FAILURE && !f->conflict_count));
    f->z = ARENA_ARRAY(&f->arena, double, s->slots);
    if (!f->z) return DAE_MEMORY;
    memcpy(f->z, s->z, s->slots * sizeof *f->z);
    f->residual = 0;
    for (size_t i = 0; i < s->rows; i++) {
        if (!isfinite(s->res[i])) f->residual = (double)NAN;
        else f->residual = fmax(f->residual, tolerance_ratio(s, i));
        if (isnan(f->residual)) break;
    }
    return DAE_OK;
}
