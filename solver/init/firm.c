/* Beside init/tangent, which brings weak entries up before it looks at ranks:
 * the derivative of a square at its root is as small as the root's error, and
 * must not be brought up; a stiffness in small units must be. */
#include "init/firm.h"
#include "init/moment.h"
#include <math.h>
#include <string.h>

/* So far, as part of their sizes, slots move: far more than a root of a square
 * is wrong by, far less than what entries depend on. */
static const double ASIDE = 1e-3;
/* What stays within this part of itself is as it was. */
static const double SAME = 0.5;
/* Beside the largest of its row, in errors of the Jacobian's values. */
static const double CERTAIN = 10;

typedef struct firmness {
    init_system *s;
    const int32_t *slot_at;
    size_t columns;
    uint8_t *is_firm;
    double *values; /* as is_firm: those at the point that vary */
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

static dae_status find(firmness *w)
{
    init_system *s = w->s;
    bool is_any = false;
    moment here;
    dae_status st = take(w, &is_any);
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
