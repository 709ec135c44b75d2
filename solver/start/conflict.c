/* A set of members is consistent if a search finds a point that satisfies it.
 * It is proved inconsistent if its rows are affine in the free slots and a left
 * null vector leaves a residual. Otherwise no search has found a point. */
#include "base/splitmix.h"
#include "linalg/kkt.h"
#include "linalg/rank_revealing_qr.h"
#include "linalg/thresholds.h"
#include "start/block_order.h"
#include "start/record_findings.h"
#include "start/snapshot.h"
#include "start/stages.h"
#include "start/tolerance.h"
#include <assert.h>
#include <fenv.h>
#include <math.h>
#include <string.h>

enum {
    MEMBERS_MOST = 400,   /* of a deletion filter */
    STARTS = 3,           /* of a trial: the guess, the end, its mirror image */
    STARTS_OF_SMALL = 24, /* of a set of few rows: generic points, too */
    SMALL = 6,            /* rows */
    SIZES_OF_AFFINE = 9   /* distances of 10^-2 to 10^6 sizes of a slot */
};

typedef enum member_kind {
    MEMBER_ROW,
    MEMBER_GIVEN,
    MEMBER_LOW,
    MEMBER_HIGH
} member_kind;

typedef struct member {
    member_kind kind;
    size_t index; /* row or slot */
    bool is_in;
} member;

typedef struct filter {
    init_system *s;
    member *of;
    size_t count;
    uint8_t *is_in;             /* rows of the trial */
    uint8_t *was_free;          /* slots */
    double *low, *high;         /* slots: of a trial */
    double *was_low, *was_high; /* the bounds themselves; NULL: none */
    double *guess, *end, *held; /* slots: points; `held`: a trial's solution */
    double work;                /* operations that are left */
    bool is_open;               /* the last trial gave no answer */
    size_t similar;             /* other failing rows of the same equation */
} filter;

/* ---- members ------------------------------------------------------------------------ */

static bool exists(const init_system *s, size_t slot)
{
    return slot < s->states || s->request->layout->order[slot - s->states] > 0;
}

static void add(filter *f, member_kind kind, size_t index)
{
    f->of[f->count++] = (member){kind, index, true};
}

/* Bounds, rows and given values in rows of `reach`; members of no suspect row come
 * first and so are removed first. */
static void list_members(
    filter *f, const uint8_t *reach, const uint8_t *is_suspect)
{
    const init_system *s = f->s;
    for (int pass = 0; pass < 2; pass++) {
        for (size_t k = 0; k < s->slots; k++) {
            if (!exists(s, k) || unknowns_is_in(s, k, is_suspect) != pass
                || !unknowns_is_in(s, k, reach))
                continue;
            if (f->was_low && isfinite(f->was_low[k])) add(f, MEMBER_LOW, k);
            if (f->was_high && isfinite(f->was_high[k])) add(f, MEMBER_HIGH, k);
        }
        for (size_t i = 0; i < s->rows; i++)
            if (reach[i] && is_suspect[i] == pass) add(f, MEMBER_ROW, i);
        for (size_t k = 0; k < s->slots; k++)
            if (!f->was_free[k] && exists(s, k) && unknowns_is_in(s, k, reach)
                && unknowns_is_in(s, k, is_suspect) == pass)
                add(f, MEMBER_GIVEN, k);
    }
}

static dae_status filter_init(filter *f, init_system *s)
{
    arena *a = &s->arena;
    *f = (filter){.s = s,
        .work = s->request->is_thorough ? 4 * WORK_OF_SECOND
                                        : WORK_OF_SECOND / 1000};
    f->of = ARENA_ARRAY(a, member, s->rows + 3 * s->slots);
    f->is_in = ARENA_ARRAY(a, uint8_t, s->rows);
    f->was_free = ARENA_ARRAY(a, uint8_t, s->slots);
    f->was_low = s->low;
    f->was_high = s->high;
    f->low = ARENA_ARRAY(a, double, s->slots);
    f->high = ARENA_ARRAY(a, double, s->slots);
    f->guess = ARENA_ARRAY(a, double, s->slots);
    f->end = ARENA_ARRAY(a, double, s->slots);
    f->held = ARENA_ARRAY(a, double, s->slots);
    if (!f->of || !f->is_in || !f->was_free || !f->low || !f->high || !f->guess
        || !f->end || !f->held)
        return DAE_MEMORY;
    memcpy(f->was_free, s->is_free, s->slots);
    memcpy(f->guess, s->guess, s->slots * sizeof *f->guess);
    for (size_t k = 0; k < s->slots;
         k++) { /* a slot that has diverged begins at its guess */
        const double size = fmax(s->scale[k], fabs(s->guess[k]));
        const bool is_away = !(fabs(s->z[k]) <= size / (DIGIT * NEGLIGIBLE));
        f->end[k] = is_away ? s->guess[k] : s->z[k];
    }
    return DAE_OK;
}

/* Restores the system as it was when the search ended. */
static void filter_clear(filter *f)
{
    init_system *s = f->s;
    memcpy(s->is_free, f->was_free, s->slots);
    s->low = f->was_low;
    s->high = f->was_high;
    s->is_counted = NULL;
}

/* ---- one trial ------------------------------------------------------------------------ */

/* Rows, given values and bounds of the set, and no others. */
static void apply_members(filter *f)
{
    init_system *s = f->s;
    memset(f->is_in, 0, s->rows);
    s->low = f->low;
    s->high = f->high;
    for (size_t k = 0; k < s->slots; k++) {
        s->low[k] = -(double)INFINITY;
        s->high[k] = (double)INFINITY;
        s->is_free[k] = exists(s, k);
    }
    for (size_t i = 0; i < f->count; i++) {
        const member *m = &f->of[i];
        assert(m->index < (m->kind == MEMBER_ROW ? s->rows : s->slots));
        if (!m->is_in) continue;
        if (m->kind == MEMBER_ROW) f->is_in[m->index] = 1;
        if (m->kind == MEMBER_GIVEN) s->is_free[m->index] = 0;
        if (m->kind == MEMBER_LOW) s->low[m->index] = f->was_low[m->index];
        if (m->kind == MEMBER_HIGH) s->high[m->index] = f->was_high[m->index];
    }
    s->is_counted = f->is_in;
}

/* The initial point of start number `turn`. */
static double start_of(const filter *f, size_t k, size_t turn)
{
    const init_system *s = f->s;
    if (turn == 0) return f->guess[k];
    if (turn == 1) return f->end[k];
    if (turn == 2) return -f->end[k];
    const double size = fmax(unknowns_unit(s, k), fabs(f->guess[k]));
    const double u = splitmix_unit(splitmix(turn * (s->states + s->n) + k));
    return (turn % 2 ? 1 : 3) * u * size;
}

static void go_to_start(filter *f, size_t turn)
{
    init_system *s = f->s;
    for (size_t k = 0; k < s->slots; k++) {
        const double z = s->is_free[k] ? start_of(f, k, turn) : f->guess[k];
        s->z[k] = unknowns_inside(s, k, z);
    }
}

/* Residuals, Jacobian and measures at s->z. */
static dae_status evaluate(init_system *s)
{
    const dae_status st = unknowns_interrupt(s);
    return st ? st : unknowns_evaluate(s);
}

static size_t rows_of(const filter *f)
{
    size_t rows = 0;
    for (size_t i = 0; i < f->s->rows; i++) rows += f->is_in[i];
    return rows;
}

static size_t starts_of(const filter *f)
{
    if (!f->s->request->is_thorough) return 1;
    return rows_of(f) <= SMALL ? STARTS_OF_SMALL : STARTS;
}

/* Operations so far: evaluations of all rows, factorizations of the set. */
static double work_done(const filter *f)
{
    const dae_stats *stats = f->s->stats;
    const double n = (double)rows_of(f), rows = (double)f->s->rows;
    return 50 * rows * (double)stats->residual_evals
        + 2 * n * n * n * (double)stats->factorizations;
}

/* *holds: the point f->held satisfies all members. f->is_open: undecided, since
 * the rows had no value at any starting point or the work was used up. The
 * system keeps the values of the trial. */
static dae_status try_set(filter *f, bool *holds)
{
    init_system *s = f->s;
    dae_status st = DAE_OK;
    const size_t homotopy_count = s->homotopy.count;
    const size_t homotopy_slot = s->homotopy.slot;
    *holds = false;
    f->is_open = true;
    apply_members(f);
    const size_t starts = starts_of(f);
    for (size_t turn = 0; turn < starts && !*holds && !st; turn++) {
        const arena_position mark = arena_mark(&s->arena);
        const double before = work_done(f);
        solution found = {.end = GAUSS_NEWTON_STALLED};
        go_to_start(f, turn);
        st = unknowns_interrupt(s);
        if (!st) st = unknowns_begin(s);
        if (!st && unknowns_have_values(s, s->res) && unknowns_have_slopes(s))
            f->is_open = false;
        if (!st) st = solve_rows(s, f->is_in, turn > 0, &found);
        *holds = !st && found.end == GAUSS_NEWTON_SOLVED;
        if (!st && found.end != GAUSS_NEWTON_NO_VALUE) f->is_open = false;
        if (st == DAE_RETRY || st == DAE_NUMERIC) st = DAE_OK;
        f->work -= work_done(f) - before;
        arena_release(&s->arena, mark);
        if (f->work < 0) break;
    }
    s->homotopy.count = homotopy_count;
    s->homotopy.slot = homotopy_slot;
    f->is_open = !*holds && (f->is_open || f->work < 0);
    if (*holds) memcpy(f->held, s->z, s->slots * sizeof *f->held);
    return st;
}

/* ---- the filter ------------------------------------------------------------------------- */

/* Removes members [from, to) if no point is found without them either. *is_known
 * becomes false if that trial is undecided. */
static dae_status leave_out(filter *f, size_t from, size_t to, bool *is_known)
{
    bool holds, is_any = false;
    bool was_in[MEMBERS_MOST];
    assert(to - from <= MEMBERS_MOST);
    for (size_t i = from; i < to; i++) {
        was_in[i - from] = f->of[i].is_in;
        is_any = is_any || f->of[i].is_in;
        f->of[i].is_in = false;
    }
    if (!is_any) return DAE_OK;
    const dae_status st = try_set(f, &holds);
    if (st || (!holds && !f->is_open)) return st;
    if (f->is_open) *is_known = false;
    for (size_t i = from; i < to; i++) f->of[i].is_in = was_in[i - from];
    return DAE_OK;
}

/* Removes halves, quarters, ..., single members [Chi08 6]. *is_minimal: with
 * any one member removed, a point was found that satisfies the others. */
static dae_status reduce(filter *f, bool *is_minimal)
{
    size_t size = 1;
    dae_status st = DAE_OK;
    *is_minimal = false;
    while (2 * size < f->count) size *= 2;
    for (; size >= 1 && !st; size /= 2) {
        *is_minimal = true;
        for (size_t at = 0; at < f->count && !st && f->work > 0; at += size)
            st = leave_out(
                f, at, at + size < f->count ? at + size : f->count, is_minimal);
    }
    *is_minimal = *is_minimal && f->work > 0;
    assert(st || size == 0);
    return st;
}

/* ---- proofs ------------------------------------------------------------------------------- */

/* The set's rows and its free slots. */
static dae_status take_subset(filter *f, subset *p)
{
    init_system *s = f->s;
    p->rows = ARENA_ARRAY(&s->arena, int32_t, s->rows);
    p->slots = ARENA_ARRAY(&s->arena, int32_t, s->slots);
    p->row_count = p->slot_count = 0;
    if (!p->rows || !p->slots) return DAE_MEMORY;
    for (size_t i = 0; i < s->rows; i++)
        if (f->is_in[i]) p->rows[p->row_count++] = (int32_t)i;
    for (size_t k = 0; k < s->slots; k++)
        if (s->is_free[k] && unknowns_is_in(s, k, f->is_in))
            p->slots[p->slot_count++] = (int32_t)k;
    return DAE_OK;
}

/* Relative error of entries, by formulas or differences. */
static double entry_error(const init_system *s, size_t n)
{
    return s->is_exact ? rank_zero(n) : rank_zero_of(n, s->fuzz);
}

/* The point `way` (-1, 1) times 10^(q - 2) sizes from the guesses. */
static void go_aside(filter *f, const submatrix *m, int q, double way)
{
    init_system *s = f->s;
    for (size_t j = 0; j < m->columns; j++) {
        const size_t k = (size_t)m->slot_at[j];
        const double u = splitmix_unit(
            splitmix((uint64_t)q * (s->states + s->n) + k));
        s->z[k] = f->guess[k] + way * u * pow(10, q - 2) * s->scale[k];
    }
}

/* To rounding, s->z has the entries of the guesses and the residuals that they
 * extrapolate from there (a jump has entries 0 on both sides). */
static dae_status is_affine_at(filter *f, const submatrix *m,
    const double *values, const double *res, bool *is_so)
{
    init_system *s = f->s;
    const arena_position mark = arena_mark(&s->arena);
    const double error = entry_error(s, m->columns);
    double *other = ARENA_ARRAY(&s->arena, double, m->entries);
    double *left = ARENA_ARRAY(&s->arena, double, m->rows);
    double *size = ARENA_ARRAY(&s->arena, double, m->rows);
    if (!other || !left || !size) return DAE_MEMORY;
    submatrix_values(m, s, other);
    for (size_t i = 0; i < m->rows; i++) {
        const double there = s->res[m->row_at[i]];
        left[i] = there - res[i];
        size[i] = fmax(fabs(there), fabs(res[i]));
    }
    for (size_t j = 0; j < m->columns; j++) {
        const size_t k = (size_t)m->slot_at[j];
        const double by = s->z[k] - f->guess[k];
        for (int64_t p = m->column_start[j]; p < m->column_start[j + 1]; p++) {
            const double part = values[p] * by;
            left[m->row[p]] -= part;
            size[m->row[p]] = fmax(size[m->row[p]], fabs(part));
            if (fabs(other[p] - values[p]) > error * fabs(values[p]))
                *is_so = false;
        }
    }
    for (size_t i = 0; i < m->rows; i++)
        if (fabs(left[i]) > error * size[i] + s->noise[m->row_at[i]])
            *is_so = false;
    arena_release(&s->arena, mark);
    return DAE_OK;
}

/* At points of all sizes on both sides of the guesses: a row may be flat on one
 * side alone. `values`: the entries at the guesses, where s->res is. A row whose
 * values are 0 by underflow only looks affine. */
static dae_status check_affine(
    filter *f, const submatrix *m, const double *values, bool *is_affine)
{
    init_system *s = f->s;
    double *res = ARENA_ARRAY(&s->arena, double, m->rows);
    dae_status st = DAE_OK;
    if (!res) return DAE_MEMORY;
    for (size_t i = 0; i < m->rows; i++) res[i] = s->res[m->row_at[i]];
    (void)feclearexcept(FE_UNDERFLOW);
    for (int q = 0; q < 2 * SIZES_OF_AFFINE && *is_affine && !st; q++) {
        go_aside(f, m, q / 2, q % 2 ? -1 : 1);
        st = evaluate(s);
        if (st == DAE_RETRY) *is_affine = false;
        if (!st) st = is_affine_at(f, m, values, res, is_affine);
    }
    if (fetestexcept(FE_UNDERFLOW)) *is_affine = false;
    return st == DAE_RETRY ? DAE_OK : st;
}

/* Whether the residual r of affine rows has a part that no values of the free
 * slots remove: a left null vector u with |u r| above rounding. */
static dae_status has_left_over(
    filter *f, const submatrix *m, const double *values, bool *is)
{
    init_system *s = f->s;
    arena *a = &s->arena;
    rrqr qr;
    double *b = ARENA_ARRAY(a, double, m->rows);
    double *size = ARENA_ARRAY(a, double, m->rows);
    double *column = ARENA_ARRAY(a, double, m->columns);
    double *tolerance = ARENA_ARRAY(a, double, m->rows);
    if (!b || !size || !column || !tolerance
        || !rrqr_init(&qr, a, m->rows, m->columns))
        return DAE_MEMORY;
    for (size_t j = 0; j < m->columns; j++) column[j] = s->scale[m->slot_at[j]];
    for (size_t i = 0; i < m->rows; i++)
        tolerance[i] = s->tolerance[m->row_at[i]];
    const matrix_view all = submatrix_view(m, values);
    row_sizes(&all, column, tolerance, size);
    divide_to_dense(&all, size, column, qr.a);
    double noise = 0, left = 0;
    for (size_t i = 0; i < m->rows; i++) {
        b[i] = s->res[m->row_at[i]] / size[i];
        noise = hypot(
            noise, fmax(tolerance[i], s->noise[m->row_at[i]]) / size[i]);
    }
    rrqr_factor(&qr, entry_error(s, m->rows + m->columns));
    rrqr_apply_transposed(&qr, b);
    for (size_t i = qr.rank; i < m->rows; i++) left = hypot(left, b[i]);
    *is = left > noise;
    return DAE_OK;
}

static dae_status prove_affine(filter *f, const subset *p, bool *is_proved)
{
    init_system *s = f->s;
    submatrix m;
    size_t cells;
    bool is_affine = true;
    if (!size_mul(p->row_count, p->slot_count, &cells)
        || cells > DENSE_CELLS_MOST)
        return DAE_OK;
    dae_status st = submatrix_init(
        &m, s, p->rows, p->row_count, p->slots, p->slot_count);
    double *values = ARENA_ARRAY(&s->arena, double, m.entries);
    if (st || !values) return st ? st : DAE_MEMORY;
    go_to_start(f, 0);
    if ((st = evaluate(s))) return st == DAE_RETRY ? DAE_OK : st;
    submatrix_values(&m, s, values);
    st = check_affine(f, &m, values, &is_affine);
    if (st || !is_affine) return st;
    go_to_start(f, 0);
    if ((st = evaluate(s))) return st == DAE_RETRY ? DAE_OK : st;
    return has_left_over(f, &m, values, is_proved);
}

static dae_status prove(filter *f, bool *is_proved)
{
    subset p;
    *is_proved = false;
    apply_members(f);
    const dae_status st = take_subset(f, &p);
    if (st) return st;
    *is_proved = p.slot_count == 0;
    return *is_proved ? DAE_OK : prove_affine(f, &p, is_proved);
}

/* ---- the record ------------------------------------------------------------------------------ */

static dae_status take_members(const filter *f, members *to)
{
    arena *a = &f->s->arena;
    *to = (members){.rows = ARENA_ARRAY(a, int32_t, f->count),
        .slots = ARENA_ARRAY(a, int32_t, f->count),
        .low = ARENA_ARRAY(a, int32_t, f->count),
        .high = ARENA_ARRAY(a, int32_t, f->count)};
    if (!to->rows || !to->slots || !to->low || !to->high) return DAE_MEMORY;
    for (size_t index = 0; index < f->s->rows + f->s->slots; index++)
        for (size_t i = 0; i < f->count; i++) {
            const member *m = &f->of[i];
            if (!m->is_in || m->index != index) continue;
            const int32_t at = (int32_t)index;
            if (m->kind == MEMBER_ROW) to->rows[to->row_count++] = at;
            if (m->kind == MEMBER_GIVEN) to->slots[to->slot_count++] = at;
            if (m->kind == MEMBER_LOW) to->low[to->low_count++] = at;
            if (m->kind == MEMBER_HIGH) to->high[to->high_count++] = at;
        }
    return DAE_OK;
}

static bool is_any_given(const init_system *s, const members *b)
{
    return b->slot_count > 0
        || (b->row_count > 0
            && (size_t)b->rows[b->row_count - 1] >= s->equations);
}

/* The first of the rows that contain most of the set's given values. */
static size_t choose_worst(const init_system *s, const members *b)
{
    size_t worst = (size_t)b->rows[0], most = 0;
    for (size_t r = 0; r < b->row_count; r++) {
        size_t in_row = 0;
        for (size_t k = 0; k < b->slot_count; k++)
            in_row += unknowns_reads(
                s, (size_t)b->slots[k], (size_t)b->rows[r]);
        if (in_row <= most) continue;
        most = in_row;
        worst = (size_t)b->rows[r];
    }
    return worst;
}

/* Goes to a point that satisfies all members but `row`, where `row` has the whole
 * residual of the set, or no value (NaN). */
static dae_status go_where_others_hold(filter *f, size_t row)
{
    init_system *s = f->s;
    bool holds = false;
    dae_status st = DAE_OK;
    for (size_t i = 0; i < f->count; i++)
        if (f->of[i].kind == MEMBER_ROW && f->of[i].index == row) {
            f->of[i].is_in = false;
            st = try_set(f, &holds);
            f->of[i].is_in = true;
            break;
        }
    if (st) return st;
    filter_clear(f);
    for (size_t k = 0; k < s->slots; k++) {
        const bool is_held = holds
            && (s->is_free[k] || unknowns_is_in(s, k, f->is_in));
        s->z[k] = is_held   ? f->held[k]
            : s->is_free[k] ? f->end[k]
                            : f->guess[k];
    }
    st = evaluate(s);
    if (st != DAE_RETRY || (holds && is_overflow(s->res[row])))
        return st == DAE_RETRY ? DAE_OK : st;
    memcpy(s->z, f->end, s->slots * sizeof *s->z);
    st = evaluate(s);
    return st == DAE_RETRY ? DAE_OK : st;
}

/* Chooses the row that is reported, and goes to the point at which it is
 * evaluated: of a few rows one that has no value where the others hold, else
 * the worst row. A single row is evaluated where the search ended. */
static dae_status go_to_shown(filter *f, const members *b, size_t *worst)
{
    init_system *s = f->s;
    *worst = choose_worst(s, b);
    if (b->row_count == 1) return go_where_others_hold(f, s->rows);
    for (size_t r = 0; r < b->row_count && b->row_count <= SMALL; r++) {
        const size_t row = (size_t)b->rows[r];
        const dae_status st = go_where_others_hold(f, row);
        if (st) return st;
        if (!is_overflow(s->res[row])) continue;
        *worst = row;
        return DAE_OK;
    }
    return go_where_others_hold(f, *worst);
}

/* Whether the set has so few rows that STARTS_OF_SMALL starting points were
 * tried, for it and for each set without one member. */
static bool is_certain(const members *b, bool is_minimal)
{
    return b->row_count <= SMALL && is_minimal;
}

static dae_status record(
    filter *f, bool is_minimal, bool is_proved, bool *is_found)
{
    init_system *s = f->s;
    members b;
    const init_conflict about = {.similar = f->similar,
        .is_searched = true,
        .is_minimal = is_minimal,
        .is_proved = is_proved};
    dae_status st = take_members(f, &b);
    if (st || b.row_count == 0) return st;
    assert(b.row_count + b.slot_count + b.low_count + b.high_count <= f->count);
    const bool is_given = is_any_given(s, &b);
    const bool is_bounded = b.low_count + b.high_count > 0;
    /* equations alone: without a proof a better guess may be enough */
    if (!is_given && !is_proved && !(is_bounded && is_minimal)) return DAE_OK;
    size_t worst;
    if ((st = go_to_shown(f, &b, &worst))) return st;
    if ((st = record_conflict(s, &b, worst, &about))) return st;
    *is_found = true;
    return is_given && (is_proved || is_certain(&b, is_minimal))
        ? DAE_INCONSISTENT
        : DAE_NUMERIC;
}

/* ---- a system too large for trials ----------------------------------------------------------- */

/* u (rows of s): multipliers of the least squares of the failed rows at the point;
 * a left null vector where no values of their slots satisfy them to first order.
 * *is: it is one. */
static dae_status find_multipliers(
    init_system *s, const subset *p, double *u, bool *is)
{
    arena *a = &s->arena;
    submatrix m;
    kkt *k = NULL;
    *is = false;
    dae_status st = submatrix_init(
        &m, s, p->rows, p->row_count, p->slots, p->slot_count);
    if (st) return st;
    double *values = ARENA_ARRAY(a, double, m.entries);
    double *scale = ARENA_ARRAY(a, double, m.columns);
    double *left = ARENA_ARRAY(a, double, m.rows);
    double *d = ARENA_ARRAY(a, double, m.columns);
    if (!values || !scale || !left || !d) return DAE_MEMORY;
    submatrix_values(&m, s, values);
    for (size_t i = 0; i < m.rows; i++) left[i] = s->res[m.row_at[i]];
    for (size_t j = 0; j < m.columns; j++) scale[j] = s->scale[m.slot_at[j]];
    st = kkt_create(m.rows, m.columns, m.column_start, m.row, s->fuzz,
        s->request->allocator, &k);
    if (!st) st = kkt_factor(k, values, scale);
    if (!st) st = kkt_solve(k, left, NULL, d);
    if (!st) kkt_multipliers(k, left);
    kkt_free(k);
    if (st) return st == DAE_NUMERIC || st == DAE_LIMIT ? DAE_OK : st;
    for (size_t i = 0; i < m.rows; i++) u[m.row_at[i]] = left[i];
    *is = true;
    return DAE_OK;
}

/* Whether slot k changes the combination u of the rows; *is_affine becomes false
 * where it does not do so at a constant rate. */
static bool changes_sum(
    const init_system *s, const double *u, size_t k, bool *is_affine)
{
    entry_range e[2];
    double sum = 0, largest = 0;
    const int count = unknowns_column(s, k, e);
    for (int q = 0; q < count; q++)
        for (int64_t p = e[q].begin; p < e[q].end; p++) {
            const double weight = u[(size_t)e[q].row[p] + e[q].offset];
            const double part = weight * entry_value(&e[q], p);
            const bool is_constant = e[q].kind
                && e[q].kind[p] != DAE_ENTRY_VARYING;
            sum += part;
            largest = fmax(largest, fabs(part));
            if (weight != 0 && s->is_free[k] && !is_constant)
                *is_affine = false;
        }
    if (s->is_free[k] && fabs(sum) > HALF_DIGITS * largest) *is_affine = false;
    return fabs(sum) > NEGLIGIBLE * largest;
}

/* Whether the combined residual is larger than the tolerances of its rows. */
static bool leaves_something(const init_system *s, const members *b, double *u)
{
    double sum = 0, noise = 0;
    for (size_t r = 0; r < b->row_count; r++) {
        const size_t row = (size_t)b->rows[r];
        sum += u[row] * s->res[row];
        noise += fabs(u[row]) * fmax(s->tolerance[row], s->noise[row]);
    }
    return fabs(sum) > noise;
}

/* To first order the rows of a left null vector contradict each other, with those
 * given values that would change the combination. */
static dae_status find_to_first_order(
    init_system *s, const solution *end, bool *is_found)
{
    arena *a = &s->arena;
    double *u = ARENA_ARRAY(a, double, s->rows), most = 0;
    members b = {.rows = ARENA_ARRAY(a, int32_t, s->rows),
        .slots = ARENA_ARRAY(a, int32_t, s->slots)};
    bool is_null, is_affine = true;
    if (!u || !b.rows || !b.slots) return DAE_MEMORY;
    dae_status st = find_multipliers(s, &end->failed, u, &is_null);
    if (st || !is_null) return st;
    for (size_t i = 0; i < s->rows; i++) most = fmax(most, fabs(u[i]));
    for (size_t i = 0; i < s->rows; i++) {
        if (!(fabs(u[i]) > DIGIT * NEGLIGIBLE * most)) u[i] = 0;
        else b.rows[b.row_count++] = (int32_t)i;
    }
    for (size_t k = 0; k < s->slots; k++) {
        if (!changes_sum(s, u, k, &is_affine)) continue;
        if (s->is_free[k]) return DAE_OK;
        b.slots[b.slot_count++] = (int32_t)k;
    }
    if (!is_any_given(s, &b) || !leaves_something(s, &b, u)) return DAE_OK;
    const init_conflict about = {.is_proved = is_affine};
    st = record_conflict(s, &b, choose_worst(s, &b), &about);
    *is_found = !st;
    return st ? st : about.is_proved ? DAE_INCONSISTENT : DAE_NUMERIC;
}

/* ---- all of it ------------------------------------------------------------------------------- */

/* The rows connected with the failure by shared slots: free ones or, as these may
 * be the cause, given ones. */
static dae_status mark_reach(
    filter *f, const solution *end, uint8_t *reach, uint8_t *is_suspect)
{
    init_system *s = f->s;
    order o;
    subset all, near;
    dae_status st = order_init(&o, s, NULL);
    if (!st) st = order_join(&o, s, &all);
    if (!st) st = order_connect(s, &all, &end->failed, &near);
    if (st) return st;
    for (size_t i = 0; i < near.row_count; i++) reach[near.rows[i]] = 1;
    for (size_t i = 0; i < end->failed.row_count; i++) {
        const size_t row = (size_t)end->failed.rows[i];
        is_suspect[row] = reach[row] && !(tolerance_ratio(s, row) <= 1);
    }
    return DAE_OK;
}

/* Takes the solution of the set; slots in none of its rows keep their values. */
static dae_status go_where_all_hold(filter *f)
{
    init_system *s = f->s;
    subset p;
    const dae_status st = take_subset(f, &p);
    if (st) return st;
    filter_clear(f);
    memcpy(s->z, f->end, s->slots * sizeof *s->z);
    for (size_t j = 0; j < p.slot_count; j++)
        s->z[p.slots[j]] = f->held[p.slots[j]];
    return evaluate(s);
}

static dae_status run(filter *f, bool *is_solved, bool *is_found)
{
    bool holds, is_minimal, is_proved;
    dae_status st = try_set(f, &holds);
    if (st) return st;
    if (holds) {
        *is_solved = true;
        return go_where_all_hold(f);
    }
    st = reduce(f, &is_minimal);
    if (!st) st = prove(f, &is_proved);
    return st ? st : record(f, is_minimal, is_proved, is_found);
}

dae_status conflict_find(
    init_system *s, const solution *failed, bool *is_solved, bool *is_found)
{
    filter f;
    snapshot before;
    arena *a = &s->arena;
    const arena_position mark = arena_mark(a);
    *is_solved = *is_found = false;
    dae_status st = filter_init(&f, s);
    uint8_t *reach = ARENA_ARRAY(a, uint8_t, s->rows);
    uint8_t *is_suspect = ARENA_ARRAY(a, uint8_t, s->rows);
    if (!st && (!reach || !is_suspect)) st = DAE_MEMORY;
    if (!st) st = snapshot_take(&before, s);
    if (!st) st = mark_reach(&f, failed, reach, is_suspect);
    if (st) return st;
    list_members(&f, reach, is_suspect);
    if (f.count > MEMBERS_MOST) return find_to_first_order(s, failed, is_found);
    st = run(&f, is_solved, is_found);
    filter_clear(&f);
    if (!*is_solved && !*is_found && (!st || st == DAE_NUMERIC)) {
        st = snapshot_return(&before, s);
        if (st == DAE_RETRY) st = DAE_OK;
    }
    arena_release(a, mark);
    return st;
}

dae_status conflict_of_row(
    init_system *s, size_t row, size_t similar, bool *is_found)
{
    filter f;
    bool is_solved = false;
    arena *a = &s->arena;
    const arena_position mark = arena_mark(a);
    *is_found = false;
    dae_status st = filter_init(&f, s);
    uint8_t *reach = ARENA_ARRAY(a, uint8_t, s->rows);
    if (!st && !reach) st = DAE_MEMORY;
    if (st) return st;
    reach[row] = 1;
    f.similar = similar;
    list_members(&f, reach, reach);
    if (f.count <= MEMBERS_MOST) st = run(&f, &is_solved, is_found);
    filter_clear(&f);
    memcpy(s->z, f.end, s->slots * sizeof *s->z);
    if (!st || st == DAE_NUMERIC || st == DAE_INCONSISTENT) {
        const dae_status back = evaluate(s);
        if (back && back != DAE_RETRY) st = back;
    }
    arena_release(a, mark);
    return st;
}
