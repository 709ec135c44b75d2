/* The equations of the start: F and the general conditions as rows, the slots
 * of (x, xp) as columns, of which some are free. Everything here lives in one
 * scratch arena. */
#ifndef START_SYSTEM_H
#define START_SYSTEM_H

#include "base/arena.h"
#include "linalg/jacobian.h"
#include "linalg/scale.h"
#include "start/init.h"

#include <assert.h>

/* Entries of one column, or of all; `row` is to be increased by `offset`. */
typedef struct entry_range {
    const int32_t *row;
    const double *value;
    const uint8_t *kind;    /* NULL: all varying */
    const uint8_t *present; /* those that are not always zero; NULL: all are */
    const int64_t *start;   /* of each slot's column */
    int64_t begin, end;
    size_t offset;
} entry_range;

typedef struct init_system {
    const init_request *request;
    dae_stats *stats;
    arena arena;
    size_t n, states;   /* unknowns, states */
    size_t equations;   /* rows of F: n unless the request says otherwise */
    size_t slots;       /* layout->slots: slot s is x[s] or xp[s - states] */
    size_t rows;        /* equations, then the general conditions */
    double *z;          /* slots: the point */
    double *guess;      /* slots: where it began, inside the bounds */
    double *low, *high; /* slots: bounds, infinite where none; NULL: no slot
                           has one */
    double *atol;       /* slots: a derivative has its highest state's */
    double *scale;      /* slots: typical size > 0, for least changes */
    uint8_t *is_free;   /* slots */
    uint8_t *is_rate;   /* slots: move before states (gauss_newton.c): xp, and
                           states that stand for inner derivatives */
    uint8_t *is_stated; /* slots: free, at a stated guess */
    bool is_plain;      /* no slot moves before others (gauss_newton.c) */
    double *res;        /* rows: residuals at z */
    const uint8_t *is_counted; /* rows: need a value; NULL: all do */
    double *tolerance;         /* rows: see tolerance_measure */
    double *noise;             /* rows */
    int32_t *local;            /* rows: scratch of submatrix_init, -1 each */
    double *weights; /* states: for differences; NULL: there are none */
    double fuzz;     /* relative error of the Jacobian's values, */
    bool is_exact;   /* which are formulas, not differences */
    jacobian *f, *c; /* c is NULL without general conditions */
    /* Found by homotopy (start/homotopy.c): so many slots, and one of them. */
    struct {
        size_t count, slot;
    } homotopy;
    entry_range entries[2]; /* of F and of the conditions, if there are any */
    int ranges;
    struct {
        uint8_t *f, *c; /* entry_range.present */
    } present;
} init_system;

/* x, xp become z. Guesses are moved into their bounds by the caller. */
dae_status unknowns_init(init_system *s, const init_request *request,
    const double *x, const double *xp, dae_stats *stats) DAE_MUST_CHECK;
void unknowns_clear(init_system *s);

/* Bounds of a slot, infinite where it has none, and the value inside them that
 * is next to z. */
static inline double unknowns_low(const init_system *s, size_t slot)
{
    return s->low ? s->low[slot] : -(double)INFINITY;
}
static inline double unknowns_high(const init_system *s, size_t slot)
{
    return s->high ? s->high[slot] : (double)INFINITY;
}
static inline double unknowns_inside(
    const init_system *s, size_t slot, double z)
{
    return fmin(fmax(z, unknowns_low(s, slot)), unknowns_high(s, slot));
}

/* False for a NaN, too. */
static inline bool unknowns_is_inside(
    const init_system *s, size_t slot, double z)
{
    return z >= unknowns_low(s, slot) && z <= unknowns_high(s, slot);
}

/* The weight of state k for differences, from its value. */
void unknowns_weigh(init_system *s, size_t k);
/* DAE_INTERRUPTED where the caller asks to stop. */
dae_status unknowns_interrupt(const init_system *s) DAE_MUST_CHECK;

/* The xp of a point; unused if no unknown has a derivative. */
const double *unknowns_xp(const init_system *s, const double *z);
/* Every row that counts has a residual. */
bool unknowns_have_values(const init_system *s, const double *res);
/* Residuals of all rows at the point `z`. DAE_RETRY: one that counts has none. */
dae_status unknowns_residual(
    init_system *s, const double *z, double *res) DAE_MUST_CHECK;
/* The Jacobian at s->z, whose residuals are s->res. Entries that are not
 * finite are tolerated in columns of fixed slots, where they read as 0;
 * DAE_RETRY otherwise. */
dae_status unknowns_jacobian(init_system *s) DAE_MUST_CHECK;
/* No entry of a counted row for a free slot is infinite or NaN. */
bool unknowns_have_slopes(const init_system *s);
/* Residuals, Jacobian and measures at s->z. */
dae_status unknowns_evaluate(init_system *s) DAE_MUST_CHECK;
/* The same of the rows that have values there, the others' residuals NaN; DAE_RETRY:
 * a function refuses the point. */
dae_status unknowns_begin(init_system *s) DAE_MUST_CHECK;

/* The same at a solution, where every row has a value (else DAE_RETRY). A slope may be
 * infinite: the part that determines its slot has been solved without it. */
dae_status unknowns_evaluate_solution(init_system *s) DAE_MUST_CHECK;

/* All entries of equations and conditions are constant, so errors of the point do not
 * affect them. */
bool unknowns_are_constant(const init_system *s);

/* Finds out what a problem without a pattern depends on: entries that are not
 * zero at z or at a point near it. Needs the Jacobian; leaves one. */
dae_status unknowns_probe(init_system *s) DAE_MUST_CHECK;

/* The last Jacobian's entry of a row for a slot, 0: none; whether the row reads the
 * slot at all; whether one of the rows with mark[row] != 0 does. */
double unknowns_slope(const init_system *s, size_t slot, size_t row);
bool unknowns_reads(const init_system *s, size_t slot, size_t row);
bool unknowns_is_in(const init_system *s, size_t slot, const uint8_t *mark);

/* The entries of one slot's column, of F and of the conditions; how many ranges. The
 * derivative of an algebraic unknown is not read. */
static inline int unknowns_column(
    const init_system *s, size_t slot, entry_range out[2])
{
    assert(slot < s->slots);
    if (slot >= s->states && s->request->layout->order[slot - s->states] == 0)
        return 0;
    for (int q = 0; q < s->ranges; q++) {
        out[q] = s->entries[q];
        out[q].begin = out[q].start[slot];
        out[q].end = out[q].start[slot + 1];
    }
    return s->ranges;
}
/* False for an entry that is zero and stays so. */
static inline bool entry_is_present(const entry_range *e, int64_t p)
{
    if (e->present && !e->present[p]) return false;
    return !e->kind || e->kind[p] == DAE_ENTRY_VARYING || e->value[p] != 0;
}
/* The value, 0 where it is not finite. */
static inline double entry_value(const entry_range *e, int64_t p)
{
    return is_overflow(e->value[p]) ? 0 : e->value[p];
}

/* Some rows and some free slots. */
typedef struct subset {
    int32_t *rows, *slots; /* ascending */
    size_t row_count, slot_count;
} subset;

/* Every slot is at its guess. */
bool unknowns_are_guessed(const init_system *s, const subset *p);

/* A selection of rows and slots, numbered from 0. */
typedef struct submatrix {
    size_t rows, columns, entries;
    const int32_t *row_at;  /* rows: row of the system */
    const int32_t *slot_at; /* columns: slot */
    int64_t *column_start;  /* columns + 1 */
    int32_t *row;           /* entries, ascending in a column */
} submatrix;

/* `row_at` ascends and is borrowed, as is `slot_at`. Memory from the arena. */
dae_status submatrix_init(submatrix *m, init_system *s, const int32_t *row_at,
    size_t rows, const int32_t *slot_at, size_t columns) DAE_MUST_CHECK;
/* With these values, borrowed. */
matrix_view submatrix_view(const submatrix *m, const double *values);
/* Its values at the last Jacobian. */
void submatrix_values(const submatrix *m, const init_system *s, double *values);

/* The size of a slot whose value is unknown: the nominal one, or 1. */
double unknowns_unit(const init_system *s, size_t slot);

#endif
