/* Beside start/tangent, which brings weak entries up before it looks at ranks:
 * the derivative of a square at its root is as small as the root's error, and
 * what rounding leaves of constants that cancel is an error itself; neither must
 * be brought up. A stiffness in small units must be. */
#include "start/firm.h"
#include "linalg/scale.h"
#include "start/moment.h"
#include <math.h>
#include <string.h>

/* So far, as part of their sizes, slots move: far more than a root of a square
 * is wrong by, far less than what entries depend on. */
static const double ASIDE = 1e-3;
/* What stays within this part of itself is as it was. */
static const double SAME = 0.5;
/* Beside the largest of its row, in errors of the Jacobian's values. */
static const double CERTAIN = 10;
/* What a row may answer beside what a constant entry says of it. */
static const double ANSWER = 0.01;
/* Sweeps that bring largest entries of rows and columns to 1 [Rui01]; entries
 * that are asked, at two residuals each. */
enum { SWEEPS = 4, ASKED_MOST = 200 };

typedef struct firmness {
    init_system *s;
    const int32_t *slot_at;
    size_t columns;
    uint8_t *is_firm;
    double *values; /* as is_firm: those at the point that vary */
    double *scaled; /* as is_firm: all, in units of rows and columns */
    double *term;   /* equations: the largest term */
    double *trial;  /* rows of the system */
} firmness;

/* The entries of the equations in column j. */
static entry_range range_of(const firmness *w, size_t j)
{
    entry_range e[2] = {{.begin = 0}};
    (void)unknowns_column(w->s, (size_t)w->slot_at[j], e);
    return e[0];
}

static bool varies(const entry_range *e, int64_t p)
{
    return !e->kind || e->kind[p] == DAE_ENTRY_VARYING;
}

/* Marks what never changes, and takes the values of what may; *is_any: some
 * of these say something. */
static dae_status take(firmness *w, bool *is_any)
{
    const size_t rows = w->s->equations;
    double *most = ARENA_ARRAY(&w->s->arena, double, rows);
    w->values = ARENA_ARRAY(&w->s->arena, double, rows * w->columns);
    if (!most || !w->values) return DAE_MEMORY;
    for (size_t j = 0; j < w->columns; j++) {
        const entry_range e = range_of(w, j);
        for (int64_t p = e.begin; p < e.end; p++)
            most[e.row[p]] = fmax(most[e.row[p]], fabs(entry_value(&e, p)));
    }
    for (size_t j = 0; j < w->columns; j++) {
        const entry_range e = range_of(w, j);
        for (int64_t p = e.begin; p < e.end; p++) {
            const size_t at = j * rows + (size_t)e.row[p];
            const double value = entry_value(&e, p);
            w->is_firm[at] = !varies(&e, p) && value != 0;
            if (w->is_firm[at]) continue;
            if (!(fabs(value) > CERTAIN * w->s->fuzz * most[e.row[p]]))
                continue;
            w->values[at] = value;
            *is_any = true;
        }
    }
    return DAE_OK;
}

static void step_aside(const firmness *w)
{
    init_system *s = w->s;
    for (size_t j = 0; j < w->columns; j++) {
        const size_t k = (size_t)w->slot_at[j];
        if (!s->is_free[k]) continue;
        const double size = fmax(s->scale[k], fabs(s->z[k]));
        const double by = size * ASIDE * (1 - 0.05 * (double)(k % 11));
        const double up = s->z[k] + by;
        s->z[k] = up <= s->high[k] ? up : fmax(s->z[k] - by, s->low[k]);
    }
}

static void compare(const firmness *w)
{
    for (size_t j = 0; j < w->columns; j++) {
        const entry_range e = range_of(w, j);
        for (int64_t p = e.begin; p < e.end; p++) {
            const size_t at = j * w->s->equations + (size_t)e.row[p];
            const double value = w->values[at];
            if (value != 0
                && fabs(entry_value(&e, p) - value) <= SAME * fabs(value))
                w->is_firm[at] = 1;
        }
    }
}

/* ---- constants ------------------------------------------------------------------ */

/* All entries, rows and columns in units of their largest ones: what is small
 * then is so whatever the units are. */
static dae_status scale_all(firmness *w)
{
    const size_t rows = w->s->equations;
    w->scaled = ARENA_ARRAY(&w->s->arena, double, rows * w->columns);
    w->term = ARENA_ARRAY(&w->s->arena, double, rows);
    w->trial = ARENA_ARRAY(&w->s->arena, double, w->s->rows);
    if (!w->scaled || !w->term || !w->trial) return DAE_MEMORY;
    for (size_t j = 0; j < w->columns; j++) {
        const entry_range e = range_of(w, j);
        const double z = w->s->z[w->slot_at[j]];
        for (int64_t p = e.begin; p < e.end; p++) {
            const double value = entry_value(&e, p);
            double *term = &w->term[e.row[p]];
            w->scaled[j * rows + (size_t)e.row[p]] = value;
            *term = fmax(*term, fabs(value * z));
        }
    }
    for (int k = 0; k < SWEEPS; k++) {
        level_rows(w->scaled, rows, w->columns, NULL);
        level_columns(w->scaled, rows, w->columns, NULL);
    }
    return DAE_OK;
}

/* Does row i answer to column j as the entry says? Moved so far that an honest
 * entry counts as much as the largest; sums that cancel exactly answer with
 * errors of another size each time. */
static dae_status test_answer(
    firmness *w, size_t i, size_t j, double value, bool *is_honest)
{
    static const double moves[] = {1.0, -1.37};
    init_system *s = w->s;
    const size_t k = (size_t)w->slot_at[j];
    const double from = s->z[k], size = fmax(s->scale[k], fabs(from));
    const double scaled = fabs(w->scaled[j * s->equations + i]);
    const double unit = fmax(size / fmin(1, scaled), w->term[i] / fabs(value));
    *is_honest = true;
    for (int q = 0; q < 2 && *is_honest; q++) {
        const double by = moves[q] * unit;
        s->z[k] = from + by;
        const dae_status st = unknowns_residual(s, s->z, w->trial);
        s->z[k] = from;
        if (st == DAE_RETRY || !isfinite(value * by)) return DAE_OK;
        if (st) return st;
        const double rest = w->trial[i] - s->res[i] - value * by;
        *is_honest = fabs(rest) <= ANSWER * fabs(value * by);
    }
    return DAE_OK;
}

/* Constants next to nothing beside the others of their rows and columns. */
static dae_status ask_constants(firmness *w)
{
    const size_t rows = w->s->equations;
    int asked = 0;
    dae_status st = scale_all(w);
    for (size_t j = 0; j < w->columns && !st; j++) {
        const entry_range e = range_of(w, j);
        for (int64_t p = e.begin; p < e.end && !st; p++) {
            const size_t i = (size_t)e.row[p], at = j * rows + i;
            bool is_honest;
            if (varies(&e, p) || !w->is_firm[at]) continue;
            if (fabs(w->scaled[at]) > CERTAIN * w->s->fuzz) continue;
            if (asked++ == ASKED_MOST) return DAE_OK;
            st = test_answer(w, i, j, entry_value(&e, p), &is_honest);
            if (!st) w->is_firm[at] = is_honest;
        }
    }
    return st;
}

/* ---- all of them ------------------------------------------------------------------ */

static dae_status find(firmness *w)
{
    init_system *s = w->s;
    bool is_any = false;
    moment here;
    dae_status st = take(w, &is_any);
    if (!st) st = ask_constants(w);
    if (st || !is_any) return st;
    if ((st = moment_take(&here, s))) return st;
    step_aside(w);
    st = unknowns_residual(s, s->z, s->res);
    if (!st) st = unknowns_jacobian(s);
    if (!st) compare(w);
    moment_return(&here, s);
    if (st && st != DAE_RETRY) return st;
    return unknowns_jacobian(s);
}

dae_status firm_find(
    init_system *s, const int32_t *slot_at, size_t columns, uint8_t *is_firm)
{
    firmness w = {
        .s = s, .slot_at = slot_at, .columns = columns, .is_firm = is_firm};
    const arena_position mark = arena_mark(&s->arena);
    const dae_status st = find(&w);
    arena_release(&s->arena, mark);
    return st;
}
