#include "orders/fixed_study.h"

#include <math.h>
#include <string.h>

/* An error is believed that is so many times what another reference changes of
 * it: an order of two such is right within 0.3. */
static const double TIMES = 10;
/* Orders of two pairs of steps that are one. */
static const double ALIKE = 0.35;
/* Points at the end whose doubts are one: at a single one two references may
 * agree by chance. */
enum { LAST_POINTS = 6 };

/* ---- life ---- */

/* Lists of numbers of the unknowns, none of which is known. */
static double *unknown_numbers(dae_orders *o, size_t lists)
{
    const size_t count = lists * o->unknown_count;
    double *numbers = ARENA_ARRAY(&o->results, double, count);
    for (size_t i = 0; numbers && i < count; i++) numbers[i] = (double)NAN;
    return numbers;
}

static bool init_row(fixed_row *row, dae_orders *o)
{
    bool has_all = true;
    for (size_t l = 0; l < DAE_ORDERS_ERRORS; l++) {
        row->of.errors[l] = row->errors[l] = unknown_numbers(o, 1);
        row->of.doubts[l] = row->doubts[l] = unknown_numbers(o, 1);
        has_all = has_all && row->errors[l] && row->doubts[l];
    }
    row->of.early = row->early = unknown_numbers(o, DAE_ORDERS_EARLY);
    row->of.floors = row->floors = unknown_numbers(o, 1);
    return has_all && row->early && row->floors;
}

dae_status fixed_study_init(fixed_study *f, dae_orders *o,
    const dae_orders_formula *formulas, size_t formula_count,
    const double *steps, size_t step_count)
{
    const size_t rows = formula_count * step_count;
    *f = (fixed_study){.formula_count = formula_count,
        .step_count = step_count,
        .unknown_count = o->unknown_count};
    f->formulas = ARENA_ARRAY(&o->results, dae_orders_formula, formula_count);
    f->rows = ARENA_ARRAY(&o->results, fixed_row, rows);
    bool has_room = f->formulas && f->rows;
    if (has_room && formula_count)
        memcpy(f->formulas, formulas, formula_count * sizeof *formulas);
    for (size_t r = 0; r < rows && has_room; r++) {
        f->rows[r].of = (dae_orders_row){
            .formula = &f->formulas[r / step_count],
            .step = steps[r % step_count],
            .unknown_count = o->unknown_count};
        has_room = init_row(&f->rows[r], o);
    }
    if (!has_room) *f = (fixed_study){.rows = NULL};
    return has_room ? DAE_OK : DAE_MEMORY;
}

/* ---- errors ---- */

static void keep_larger(double *into, double value)
{
    if (!(*into >= fabs(value))) *into = fabs(value);
}

void fixed_study_note(
    fixed_row *row, size_t unknown, size_t index, int64_t depth, double error)
{
    const size_t past = (size_t)row->of.formula->past;
    keep_larger(&row->errors[DAE_ORDERS_LARGEST][unknown], error);
    if ((int64_t)index >= depth * row->of.formula->past)
        keep_larger(&row->errors[DAE_ORDERS_SETTLED][unknown], error);
    if (index - past < DAE_ORDERS_EARLY)
        row->early[(index - past) * row->of.unknown_count + unknown] = error;
}

void fixed_study_doubt(fixed_row *row, size_t unknown, size_t index,
    int64_t depth, size_t last, double doubt)
{
    keep_larger(&row->doubts[DAE_ORDERS_LARGEST][unknown], doubt);
    if ((int64_t)index >= depth * row->of.formula->past)
        keep_larger(&row->doubts[DAE_ORDERS_SETTLED][unknown], doubt);
    if (index + LAST_POINTS > last)
        keep_larger(&row->doubts[DAE_ORDERS_END][unknown], doubt);
}

void fixed_study_forget(fixed_row *row)
{
    const size_t n = row->of.unknown_count;
    for (size_t l = 0; l < DAE_ORDERS_ERRORS; l++)
        for (size_t k = 0; k < n && l != DAE_ORDERS_ONE_STEP; k++)
            row->errors[l][k] = (double)NAN;
    for (size_t i = 0; i < DAE_ORDERS_EARLY * n; i++)
        row->early[i] = (double)NAN;
}

void fixed_study_abandon(fixed_row *row)
{
    fixed_study_forget(row);
    for (size_t k = 0; k < row->of.unknown_count; k++)
        row->errors[DAE_ORDERS_ONE_STEP][k] = (double)NAN;
    row->of.status = DAE_OK;
    row->of.steps = 0;
    row->of.counts = (dae_study_counts){.steps = 0};
}

bool fixed_study_has_any(const fixed_study *f)
{
    for (size_t r = 0; r < f->formula_count * f->step_count; r++)
        if (f->rows[r].of.status == DAE_OK && f->rows[r].of.steps > 0)
            return true;
    return false;
}

/* ---- what can be asked ---- */

size_t dae_orders_formula_count(const dae_orders_steps *f)
{
    return f ? f->formula_count : 0;
}

size_t dae_orders_step_count(const dae_orders_steps *f)
{
    return f ? f->step_count : 0;
}

const dae_orders_formula *dae_orders_formula_at(
    const dae_orders_steps *f, size_t formula)
{
    return formula < dae_orders_formula_count(f) ? &f->formulas[formula] : NULL;
}

const dae_orders_row *dae_orders_row_at(
    const dae_orders_steps *f, size_t formula, size_t step)
{
    const bool is_there = formula < dae_orders_formula_count(f)
        && step < f->step_count;
    return is_there ? &fixed_row_at(f, formula, step)->of : NULL;
}

/* A doubt that nobody has measured is NaN, and none. */
dae_orders_worth dae_orders_worth_of(
    const dae_orders_row *row, dae_orders_error list, size_t unknown)
{
    if (!row || (unsigned)list >= DAE_ORDERS_ERRORS
        || unknown >= row->unknown_count)
        return DAE_WORTH_NOTHING;
    const double error = fabs(row->errors[list][unknown]);
    if (isnan(error)) return DAE_WORTH_NOTHING;
    if (!(error > row->floors[unknown])) return DAE_WORTH_ROUNDING;
    return error <= TIMES * row->doubts[list][unknown] ? DAE_WORTH_REFERENCE
                                                       : DAE_WORTH_BELIEVED;
}

double dae_orders_between(const dae_orders_row *coarse,
    const dae_orders_row *fine, dae_orders_error list, size_t unknown)
{
    if (dae_orders_worth_of(coarse, list, unknown) != DAE_WORTH_BELIEVED
        || dae_orders_worth_of(fine, list, unknown) != DAE_WORTH_BELIEVED)
        return (double)NAN;
    const double from = coarse->errors[list][unknown];
    const double to = fine->errors[list][unknown];
    return log(fabs(from / to)) / log(coarse->step / fine->step);
}

double dae_orders_observed(const dae_orders_steps *f, size_t formula,
    dae_orders_error list, size_t unknown)
{
    for (size_t s = dae_orders_step_count(f); s-- > 1;) {
        const double p = dae_orders_between(
            dae_orders_row_at(f, formula, s - 1),
            dae_orders_row_at(f, formula, s), list, unknown);
        if (!isnan(p)) return p;
    }
    return (double)NAN;
}

int dae_orders_is_settled(const dae_orders_steps *f, size_t formula,
    dae_orders_error list, size_t unknown)
{
    double orders[2];
    size_t count = 0;
    for (size_t s = dae_orders_step_count(f); s-- > 1 && count < 2;) {
        const double p = dae_orders_between(
            dae_orders_row_at(f, formula, s - 1),
            dae_orders_row_at(f, formula, s), list, unknown);
        if (!isnan(p)) orders[count++] = p;
    }
    if (count < 2) return count == 0 || dae_orders_step_count(f) < 3;
    return fabs(orders[0] - orders[1]) <= ALIKE;
}
