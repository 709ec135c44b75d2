/* Random starts of models of index 2 to 5: as many values
 * as there are degrees of freedom, chosen at random among those that the
 * equations have, the guesses of the rest up to 30 % off. In half of the starts
 * the given values are those of a consistent point, so that a solution exists;
 * in the others they are off, too, and there may be none.
 *
 * What is solved is looked at again without the solver: equations and their
 * derivatives by power series at the values found, in parts of what the slots'
 * sizes make of them. Of what is refused the reason is tried: the equations and
 * values that are said to contradict each other have no solution by Levenberg's
 * and Marquardt's method from many places, and have one without any one of
 * them. Where values depend on each other, the rank of the others' columns
 * says how many do, and that those are free without the ones that are named. A
 * start that exists and is not found has to be singular: to first order the
 * values do not determine it, and their last digits decide whether it exists.
 * The counts are printed. */
#include "check.h"
#include "damped_step.h"
#include "extend/extend.h"
#include "random.h"
#include "share.h"
#include <dae/analysis.h>
#include <dae/model.h>
#include <dae/reduction.h>
#include <float.h>

enum { STARTS = 20 };
enum { TRIES = 40, ITERATIONS = 200 };
/* What is left of a 0: nobody gives it. */
static const double ROUNDING = 1e-13;
static const double OFF = 0.3, HOLDS = 1e-10;
/* A double root is known to half of the digits, and its slope is 0 to as many:
 * which of two such slopes counts as 0 is a matter of taste between these. */
static const double RANK = 1e-7, RANK_LEAST = 1e-12, RANK_MOST = 1e-6;

typedef struct subject {
    dae_model *model;
    const dae_problem *p;
    dae_analysis *base; /* of the model as it is: a consistent point */
    extended *e;
    size_t states;
    double *point; /* columns of e */
    double *x, *xp;
    uint8_t *x_fixed, *xp_fixed;
    size_t *slot_column, *column_slot; /* of x, then xp; SIZE_MAX: none */
    uint8_t *row_out;                  /* rows of e that are not asked for */
    dae_start start;
    dae_problem own; /* with that start */
} subject;

typedef struct counts {
    int solved, dependent, contradictory, wrong;
    /* not found; of those, with a solution that is singular, or regular */
    int missed, singular, regular;
} counts;

/* ---- a model -------------------------------------------------------------------- */

static void *take(size_t count, size_t size)
{
    void *memory = calloc(count + 1, size);
    assert_non_null(memory);
    return memory;
}

static int order_of(const dae_problem *p, size_t j)
{
    return p->order ? p->order[j] : 1;
}

static double value_of(const dae_start_findings *f, int32_t j, size_t order)
{
    const size_t told = f->value_first[j + 1] - f->value_first[j];
    const double v = order < told ? f->values[f->value_first[j] + order] : 0;
    return fabs(v) > ROUNDING && isfinite(v) ? v : 0;
}

static void number_slots(subject *s)
{
    size_t at = 0;
    const size_t n = s->p->unknown_count;
    s->slot_column = take(s->states + n, sizeof *s->slot_column);
    s->column_slot = take(s->e->columns, sizeof *s->column_slot);
    for (size_t c = 0; c < s->e->columns; c++) s->column_slot[c] = SIZE_MAX;
    for (size_t k = 0; k < s->states + n; k++) s->slot_column[k] = SIZE_MAX;
    for (size_t j = 0; j < n; j++) {
        const int q = order_of(s->p, j);
        for (int o = 0; o <= q; o++) {
            const size_t column = s->e->column_first[j] + (size_t)o;
            const bool is_top = o == q && q > 0;
            const size_t slot = is_top ? s->states + j : at++;
            s->slot_column[slot] = column;
            s->column_slot[column] = slot;
        }
    }
    assert_int_equal(at, s->states);
}

static void subject_open(subject *s, const char *name)
{
    char path[512];
    dae_diagnostics *ds;
    *s = (subject){.model = NULL};
    (void)snprintf(path, sizeof path, "%s/models/%s.dae", TEST_ROOT, name);
    CHECK_STATUS(dae_diagnostics_create(NULL, &ds), DAE_OK);
    CHECK_STATUS(dae_model_load(path, NULL, NULL, ds, &s->model), DAE_OK);
    s->p = dae_model_problem(s->model);
    CHECK_STATUS(dae_analyse(s->p, NULL, NULL, ds, &s->base), DAE_OK);
    assert_non_null(s->base->start.values);
    CHECK_STATUS(extended_create(s->p, s->base->differentiated,
                     s->base->highest, 1000000, NULL, &s->e),
        DAE_OK);
    s->states = dae_problem_state_count(s->p);
    s->point = take(s->e->columns, sizeof *s->point);
    for (size_t c = 0; c < s->e->columns; c++) {
        const int32_t j = s->e->column_unknown[c];
        s->point[c] = value_of(&s->base->start, j, c - s->e->column_first[j]);
    }
    number_slots(s);
    const size_t n = s->p->unknown_count;
    s->x = take(s->states, sizeof *s->x);
    s->xp = take(n, sizeof *s->xp);
    s->x_fixed = take(s->states, 1);
    s->xp_fixed = take(n, 1);
    s->row_out = take(s->e->rows, 1);
    s->start = (dae_start){.t0 = s->p->start->t0,
        .x = s->x,
        .xp = s->xp,
        .x_fixed = s->x_fixed,
        .xp_fixed = s->xp_fixed};
    s->own = *s->p;
    s->own.start = &s->start;
    dae_diagnostics_free(ds);
}

static void subject_close(subject *s)
{
    dae_analysis_free(s->base);
    extended_free(s->e);
    dae_model_free(s->model);
    free(s->point);
    free(s->x);
    free(s->xp);
    free(s->x_fixed);
    free(s->xp_fixed);
    free(s->slot_column);
    free(s->column_slot);
    free(s->row_out);
}

/* ---- a start -------------------------------------------------------------------- */

static bool is_fixed(const subject *s, size_t slot)
{
    return slot < s->states ? s->x_fixed[slot] : s->xp_fixed[slot - s->states];
}

static void put(subject *s, size_t slot, double value)
{
    if (slot < s->states) s->x[slot] = value;
    else s->xp[slot - s->states] = value;
}

/* States alone are given: no user gives an acceleration by chance. */
static void draw_start(subject *s, random_state *r, double off)
{
    const size_t n = s->p->unknown_count;
    size_t left = (size_t)s->base->degrees_of_freedom;
    memset(s->x_fixed, 0, s->states);
    memset(s->xp_fixed, 0, n);
    memset(s->xp, 0, n * sizeof *s->xp);
    assert_true(left <= s->states);
    while (left > 0) {
        const size_t slot = random_below(r, s->states);
        if (s->x_fixed[slot]) continue;
        s->x_fixed[slot] = 1;
        left--;
    }
    for (size_t slot = 0; slot < s->states; slot++) {
        const double by = s->x_fixed[slot] ? off : OFF;
        const double at = s->point[s->slot_column[slot]];
        put(s, slot, at * (1 + by * random_unit(r)));
    }
}

/* ---- the equations, looked at from outside ---------------------------------------- */

static matrix jacobian_at(const subject *s, const double *columns)
{
    const dae_problem *p = &s->e->problem;
    const dae_pattern *pattern = p->pattern;
    matrix m = {s->e->rows, s->e->columns,
        take(s->e->rows * s->e->columns, sizeof(double))};
    double *values = take(
        (size_t)pattern->column_start[m.columns], sizeof *values);
    if (p->jacobian(p->self, DAE_ALL, s->start.t0, columns, NULL, values))
        m.rows = 0;
    for (size_t c = 0; m.rows && c < m.columns; c++)
        for (int64_t k = pattern->column_start[c];
             k < pattern->column_start[c + 1]; k++)
            if (!s->row_out[pattern->row[k]])
                m.g[(size_t)pattern->row[k] * m.columns + c] = values[k];
    free(values);
    return m;
}

static bool residual_at(const subject *s, const double *columns, double *res)
{
    const dae_problem *p = &s->e->problem;
    if (p->residual(p->self, s->start.t0, columns, NULL, res)) return false;
    for (size_t i = 0; i < s->e->rows; i++)
        if (s->row_out[i]) res[i] = 0;
    for (size_t i = 0; i < s->e->rows; i++)
        if (!isfinite(res[i])) return false;
    return true;
}

/* The largest residual beside what its slots' sizes make of it. */
static double largest_left(const subject *s, const double *columns)
{
    double most = 0;
    double *res = take(s->e->rows, sizeof *res);
    matrix m = jacobian_at(s, columns);
    if (!m.rows || !residual_at(s, columns, res)) most = HUGE_VAL;
    for (size_t i = 0; i < m.rows && most < HUGE_VAL; i++) {
        double size = 0;
        for (size_t c = 0; c < m.columns; c++)
            size = fmax(
                size, fabs(m.g[i * m.columns + c]) * fmax(fabs(columns[c]), 1));
        if (size > 0) most = fmax(most, fabs(res[i]) / size);
    }
    free(m.g);
    free(res);
    return most;
}

/* Rank of the columns that are free, by elimination with complete pivoting. */
static size_t free_rank(const subject *s, const double *columns, double least)
{
    matrix m = jacobian_at(s, columns);
    size_t rank = 0;
    for (size_t i = 0; i < m.rows; i++) {
        double most = 0;
        for (size_t c = 0; c < m.columns; c++)
            most = fmax(most, fabs(m.g[i * m.columns + c]));
        for (size_t c = 0; c < m.columns; c++) {
            const size_t slot = s->column_slot[c];
            double *g = &m.g[i * m.columns + c];
            const bool is_given = slot != SIZE_MAX && is_fixed(s, slot);
            *g = is_given || !(most > 0) ? 0 : *g / most;
        }
    }
    for (; rank < m.rows; rank++) {
        size_t row = rank, column = 0;
        double best = 0;
        for (size_t i = rank; i < m.rows; i++)
            for (size_t c = 0; c < m.columns; c++)
                if (fabs(m.g[i * m.columns + c]) > best)
                    best = fabs(m.g[i * m.columns + c]), row = i, column = c;
        if (!(best > least)) break;
        for (size_t c = 0; c < m.columns; c++) {
            const double other = m.g[row * m.columns + c];
            m.g[row * m.columns + c] = m.g[rank * m.columns + c];
            m.g[rank * m.columns + c] = other;
        }
        for (size_t i = rank + 1; i < m.rows; i++) {
            const double by = m.g[i * m.columns + column]
                / m.g[rank * m.columns + column];
            for (size_t c = 0; c < m.columns; c++)
                m.g[i * m.columns + c] -= by * m.g[rank * m.columns + c];
        }
    }
    free(m.g);
    return rank;
}

/* What the rank is where nothing is given: all that can be. */
static bool are_dependent(subject *s, const double *columns, double least)
{
    const size_t n = s->p->unknown_count;
    uint8_t *own = take(s->states + n, 1);
    const size_t given = free_rank(s, columns, least);
    memcpy(own, s->x_fixed, s->states);
    memset(s->x_fixed, 0, s->states);
    const size_t all = free_rank(s, columns, least);
    memcpy(s->x_fixed, own, s->states);
    free(own);
    return given < all;
}

/* ---- is there a solution? --------------------------------------------------------- */

/* Levenberg's and Marquardt's method from `z`, given values held. */
static bool descend(const subject *s, double *z)
{
    const size_t rows = s->e->rows, columns = s->e->columns;
    double *res = take(rows, sizeof *res), *next = take(rows, sizeof *next);
    double *d = take(columns, sizeof *d), *to = take(columns, sizeof *to);
    double mu = 1e-2;
    bool is_found = false;
    if (!residual_at(s, z, res)) goto done;
    is_found = largest_left(s, z) < HOLDS;
    for (int k = 0; k < ITERATIONS && !is_found; k++) {
        matrix m = jacobian_at(s, z);
        for (size_t c = 0; c < m.columns; c++) {
            const size_t slot = s->column_slot[c];
            if (slot == SIZE_MAX || !is_fixed(s, slot)) continue;
            for (size_t i = 0; i < m.rows; i++) m.g[i * m.columns + c] = 0;
        }
        const bool has_step = m.rows && damped_step(&m, res, mu, d);
        free(m.g);
        for (size_t c = 0; c < columns; c++) to[c] = z[c] + d[c];
        const bool is_better = has_step && residual_at(s, to, next)
            && square(next, rows) < square(res, rows);
        if (is_better) {
            memcpy(z, to, columns * sizeof *z);
            memcpy(res, next, rows * sizeof *res);
        }
        mu = is_better ? mu / 4 : mu * 4;
        if (mu > 1e12) break;
        if (is_better && square(res, rows) < 1e-12)
            is_found = largest_left(s, z) < HOLDS;
    }
done:
    free(res);
    free(next);
    free(d);
    free(to);
    return is_found;
}

/* On the branch that the guesses mean: with the hand above the table, a
 * solution below it is none. */
static bool is_near(const subject *s, const double *z)
{
    for (size_t slot = 0; slot < s->states; slot++) {
        const size_t c = s->slot_column[slot];
        if (!(fabs(z[c] - s->point[c]) <= fmax(fabs(s->point[c]), 0.5) * 2))
            return false;
    }
    return true;
}

/* From the consistent point first, then from places around it; `z` (columns)
 * is where it ends. */
static bool find_solution(
    const subject *s, random_state *r, bool must_be_near, double *z)
{
    for (int k = 0; k < TRIES; k++) {
        for (size_t c = 0; c < s->e->columns; c++) {
            const size_t slot = s->column_slot[c];
            const double size = fmax(fabs(s->point[c]), 0.1);
            z[c] = s->point[c] + (k ? 2 * size * random_unit(r) : 0);
            if (slot < s->states && is_fixed(s, slot)) z[c] = s->x[slot];
        }
        if (descend(s, z) && (!must_be_near || is_near(s, z))) return true;
    }
    return false;
}

/* ---- is it those that contradict each other? --------------------------------------- */

/* Asks for the parties alone, but for party `without`. */
static bool can_hold(subject *s, random_state *r, const dae_party *parties,
    size_t count, size_t without)
{
    double *z = take(s->e->columns, sizeof *z);
    memset(s->row_out, 1, s->e->rows);
    memset(s->x_fixed, 0, s->states);
    for (size_t k = 0; k < count; k++) {
        const dae_party *p = &parties[k];
        const size_t i = (size_t)p->index, order = (size_t)p->order;
        if (k == without) continue;
        if (p->kind == DAE_PARTY_EQUATION)
            s->row_out[s->e->row_first[i] + order] = 0;
        else { /* these models have neither general conditions nor bounds */
            assert_int_equal(p->kind, DAE_PARTY_VALUE);
            s->x_fixed[s->column_slot[s->e->column_first[i] + order]] = 1;
        }
    }
    const bool is_found = find_solution(s, r, without == SIZE_MAX, z);
    free(z);
    return is_found;
}

static const char *judge_conflict(
    subject *s, random_state *r, const dae_start_findings *f)
{
    const char *fault = NULL;
    uint8_t *given = take(s->states, 1);
    memcpy(given, s->x_fixed, s->states);
    if (f->verdict != DAE_START_INCONSISTENT || f->conflict_count == 0)
        fault = "no conflict is named";
    else if (can_hold(s, r, f->conflicts, f->conflict_count, SIZE_MAX))
        fault = "what is said to contradict itself can hold";
    for (size_t k = 0; k < f->conflict_count && !fault; k++)
        if (!can_hold(s, r, f->conflicts, f->conflict_count, k))
            fault = "what is said to contradict itself is more than needed";
    memcpy(s->x_fixed, given, s->states);
    memset(s->row_out, 0, s->e->rows);
    free(given);
    return fault;
}

/* ---- is it those that follow from the others? --------------------------------------- */

/* As many as the rank lacks, and without them it lacks nothing. */
static const char *judge_names(subject *s, const dae_start_findings *f,
    const double *columns, double least)
{
    const size_t rank = free_rank(s, columns, least);
    for (size_t k = 0; k < f->redundant_count; k++) {
        const dae_party *p = &f->redundant[k];
        const size_t slot =
            s->column_slot[s->e->column_first[p->index] + (size_t)p->order];
        if (p->kind != DAE_PARTY_VALUE || !s->x_fixed[slot])
            return "what is called redundant is not given";
        s->x_fixed[slot] = 0;
    }
    if (are_dependent(s, columns, least))
        return "values depend on each other that are not named";
    return free_rank(s, columns, least) == rank + f->redundant_count
        ? NULL
        : "values are named that do not depend on the others";
}

static const char *judge_redundant(
    subject *s, const dae_start_findings *f, const double *columns)
{
    const char *fault = "";
    uint8_t *given = take(s->states, 1);
    memcpy(given, s->x_fixed, s->states);
    for (double least = RANK_LEAST; fault && least < RANK_MOST; least *= 2) {
        fault = judge_names(s, f, columns, least);
        memcpy(s->x_fixed, given, s->states);
    }
    free(given);
    return fault;
}

/* ---- what the program says --------------------------------------------------------- */

/* All slots of the extended system at a start that was found. */
static void gather(const subject *s, dae_solver *solver, double *columns)
{
    dae_reduced_system *y;
    const double *x = dae_solver_x(solver), *xp = dae_solver_xp(solver);
    CHECK_STATUS(dae_solver_reduced(solver, &y), DAE_OK);
    for (size_t k = 0; y && k < y->slot_count; k++) {
        const dae_slot slot = y->slots[k].slot;
        const size_t c = s->e->column_first[slot.unknown] + (size_t)slot.order;
        if (c < s->e->column_first[slot.unknown + 1])
            columns[c] = y->slots[k].value;
    }
    for (size_t slot = 0; slot < s->states + s->p->unknown_count; slot++) {
        const size_t c = s->slot_column[slot];
        if (c != SIZE_MAX)
            columns[c] = slot < s->states ? x[slot] : xp[slot - s->states];
    }
    dae_reduced_system_free(y);
}

static void tell(const subject *s, const dae_diagnostics *ds, const char *name,
    int start, const char *what)
{
    char slot[64];
    const dae_problem *e = &s->e->problem;
    print_message("%s, start %d: %s\n  given", name, start, what);
    for (size_t k = 0; k < s->states; k++) {
        if (!s->x_fixed[k]) continue;
        e->name(
            e->self, DAE_NAME_UNKNOWN, s->slot_column[k], slot, sizeof slot);
        print_message(" %s = %.17g", slot, s->x[k]);
    }
    print_message("\n  guesses");
    for (size_t k = 0; k < s->states; k++) {
        if (s->x_fixed[k]) continue;
        e->name(
            e->self, DAE_NAME_UNKNOWN, s->slot_column[k], slot, sizeof slot);
        print_message(" %s ~ %.17g", slot, s->x[k]);
    }
    print_message("\n");
    for (size_t k = 0; k < dae_diagnostics_count(ds); k++)
        print_message("  %s %s\n", dae_diagnostics_at(ds, k)->code,
            dae_diagnostics_at(ds, k)->message);
}

static bool has_code(const dae_diagnostics *ds, const char *code)
{
    for (size_t k = 0; k < dae_diagnostics_count(ds); k++)
        if (strcmp(dae_diagnostics_at(ds, k)->code, code) == 0) return true;
    return false;
}

/* To the last digits, or where it follows from the others by the tolerances of
 * the start. */
static bool is_held(double value, double given, bool is_redundant)
{
    const double most = is_redundant ? 1e-6 * fabs(given) + 1e-9
                                     : 1e-12 * fmax(fabs(given), 1);
    return fabs(value - given) <= most;
}

/* What the start is found with, for its lists. */
static dae_analysis *analyse(const subject *s)
{
    dae_diagnostics *ds;
    dae_analysis *a;
    CHECK_STATUS(dae_diagnostics_create(NULL, &ds), DAE_OK);
    CHECK_STATUS(dae_analyse(&s->own, NULL, NULL, ds, &a), DAE_OK);
    dae_diagnostics_free(ds);
    return a;
}

/* Solved: equations, their derivatives and the given values hold, and what was
 * given in vain is known, or that the start is singular to first order. */
static const char *judge_solved(subject *s, dae_solver *solver,
    const dae_diagnostics *ds, double *columns, bool *is_dependent,
    double *left)
{
    const dae_start_report *report = dae_solver_start_report(solver);
    gather(s, solver, columns);
    *left = largest_left(s, columns);
    *is_dependent = are_dependent(s, columns, RANK);
    for (size_t k = 0; k < s->states; k++)
        if (s->x_fixed[k]
            && !is_held(
                dae_solver_x(solver)[k], s->x[k], report->redundant > 0))
            return "a given value is not held";
    if (!(*left <= HOLDS)) return "an equation does not hold";
    if (!*is_dependent || has_code(ds, "W0409")) return NULL;
    dae_analysis *a = analyse(s);
    const char *fault = report->redundant == 0 || report->degrees_missing == 0
        ? "dependent conditions are not told"
        : judge_redundant(s, &a->start, columns);
    dae_analysis_free(a);
    return fault;
}

static const char *judge_refused(
    subject *s, const dae_diagnostics *ds, random_state *r, dae_status st)
{
    const size_t count = dae_diagnostics_count(ds);
    bool is_named = false;
    for (size_t k = 0; k < count; k++) {
        const dae_diagnostic *d = dae_diagnostics_at(ds, k);
        is_named = is_named || d->severity == DAE_ERROR;
    }
    if (!is_named) return "nothing is said";
    if (st == DAE_NUMERIC) return NULL; /* no start was found */
    if (st != DAE_INCONSISTENT) return "an unexpected status";
    dae_analysis *a = analyse(s);
    const char *fault = judge_conflict(s, r, &a->start);
    dae_analysis_free(a);
    return fault;
}

/* A start that was not found: one that is there, if any. */
static void count_missed(
    subject *s, random_state *r, bool must_exist, counts *all)
{
    double *z = take(s->e->columns, sizeof *z);
    all->missed++;
    if (must_exist || find_solution(s, r, true, z)) {
        const bool is_singular = are_dependent(
            s, must_exist ? s->point : z, RANK);
        all->singular += is_singular;
        all->regular += !is_singular;
    }
    free(z);
}

static void ask(
    subject *s, const char *name, int start, bool is_off, counts *all)
{
    random_state own = {(uint64_t)start * 104729 + 1}, *r = &own;
    dae_diagnostics *ds;
    dae_solver *solver = NULL;
    double left = 0;
    const char *fault;
    bool is_dependent = false;
    dae_options o = dae_options_default();
    o.t_end = s->start.t0 + 1;
    CHECK_STATUS(dae_diagnostics_create(NULL, &ds), DAE_OK);
    CHECK_STATUS(dae_solver_create(&s->own, &o, NULL, ds, &solver), DAE_OK);
    const dae_status st = dae_solver_initialize(solver);
    double *columns = take(s->e->columns, sizeof *columns);
    if (st) fault = judge_refused(s, ds, r, st);
    else fault = judge_solved(s, solver, ds, columns, &is_dependent, &left);
    free(columns);
    if (fault) {
        all->wrong++;
        tell(s, ds, name, start, fault);
        for (size_t k = 0; !st && k < s->states; k++)
            if (s->x_fixed[k] && dae_solver_x(solver)[k] != s->x[k])
                print_message("  slot %zu is off by %.3g\n", k,
                    dae_solver_x(solver)[k] - s->x[k]);
        if (!st) print_message("  left %.3g\n", left);
    } else if (st == DAE_INCONSISTENT) {
        all->contradictory++;
    } else if (st) {
        count_missed(s, r, !is_off, all);
        tell(s, ds, name, start, "not found");
    } else {
        all->solved++;
        all->dependent += is_dependent;
    }
    dae_solver_free(solver);
    dae_diagnostics_free(ds);
}

static counts ask_model(const char *name, uint64_t seed)
{
    subject s;
    counts all = {0};
    random_state r = {seed * 7919 + 1};
    subject_open(&s, name);
    const int count = (int)test_shared(STARTS, 4);
    for (int k = 0; k < count; k++) {
        const bool is_off = k % 2 == 1;
        draw_start(&s, &r, is_off ? OFF : 0);
        ask(&s, name, k, is_off, &all);
    }
    print_message("%-42s freedom %2d: %2d solved (%d of them with dependent "
                  "values), %d contradictory, %d not found (%d exist, %d more "
                  "are singular), %d wrong\n",
        name, (int)s.base->degrees_of_freedom, all.solved, all.dependent,
        all.contradictory, all.missed, all.regular, all.singular, all.wrong);
    subject_close(&s);
    return all;
}

static void two_hundred_starts(void **state)
{
    (void)state;
    static const char *const names[] = {"mechanics/pendulum",
        "mechanics/double_pendulum_cartesian", "mechanics/car_axis",
        "mechanics/andrews", "mechanics/rigid_body_quaternion",
        "mechanics/robot_arm", "process/tank2", "process/chain",
        "process/cstr_wanted", "process/batch_distillation",
        "circuits/capacitors_in_parallel"};
    counts all = {0};
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        const counts one = ask_model(names[k], k + 1);
        all.solved += one.solved;
        all.missed += one.missed;
        all.singular += one.singular;
        all.regular += one.regular;
        all.wrong += one.wrong;
        all.contradictory += one.contradictory;
    }
    print_message("in all: %d solved, %d contradictory, %d not found (%d "
                  "exist, %d more are singular), %d wrong\n",
        all.solved, all.contradictory, all.missed, all.regular, all.singular,
        all.wrong);
    assert_int_equal(all.wrong, 0);
    assert_int_equal(all.regular, 0);
    assert_true(all.singular <= 10);
    /* of the first of each more contradict than later */
    assert_true(all.solved >= (test_share() > 1 ? 30 : 170));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_hundred_starts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
