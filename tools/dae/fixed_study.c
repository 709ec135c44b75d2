#include "fixed_study.h"
#include "memory.h"
#include <math.h>
#include <string.h>

enum { LISTS = 4 }; /* of a row, and of an observed one */

/* ---- life ---- */

/* What rows and observed orders point to. */
static void share_numbers(fixed_study *f)
{
    const size_t n = f->variable_count;
    double *at = f->numbers;
    for (size_t r = 0; r < f->formula_count * f->step_count; r++) {
        fixed_row *row = &f->rows[r];
        row->end = at, row->first = at + n, row->largest = at + 2 * n;
        row->settled = at + 3 * n, row->floors = at + LISTS * n;
        row->early = at + (LISTS + 1) * n;
        at += (LISTS + 1 + STUDY_EARLY) * n;
    }
    for (size_t o = 0; o < f->formula_count; o++, at += LISTS * n) {
        observed_row *row = &f->observed[o];
        row->formula = &f->formulas[o];
        row->local = at, row->global = at + n;
        row->largest = at + 2 * n, row->settled = at + 3 * n;
    }
}

bool fixed_study_init(fixed_study *f, const fixed_formula *formulas,
    size_t formula_count, const double *steps, size_t step_count,
    size_t variable_count)
{
    const size_t rows = formula_count * step_count;
    const size_t numbers = variable_count
        * (rows * (LISTS + 1 + STUDY_EARLY) + formula_count * LISTS);
    *f = (fixed_study){.formula_count = formula_count,
        .step_count = step_count,
        .variable_count = variable_count};
    f->formulas = memory_take(formula_count + 1, sizeof *f->formulas);
    f->rows = memory_take(rows + 1, sizeof *f->rows);
    f->observed = memory_take(formula_count + 1, sizeof *f->observed);
    f->numbers = memory_take(numbers + 1, sizeof *f->numbers);
    if (!f->formulas || !f->rows || !f->observed || !f->numbers) return false;
    memcpy(f->formulas, formulas, formula_count * sizeof *formulas);
    for (size_t i = 0; i < numbers; i++) f->numbers[i] = (double)NAN;
    share_numbers(f);
    for (size_t r = 0; r < rows; r++) {
        f->rows[r].formula = &f->formulas[r / step_count];
        f->rows[r].step = steps[r % step_count];
    }
    return true;
}

void fixed_study_clear(fixed_study *f)
{
    memory_drop(f->formulas);
    memory_drop(f->rows);
    memory_drop(f->observed);
    memory_drop(f->numbers);
    memset(f, 0, sizeof *f);
}

/* ---- errors ---- */

static void keep_larger(double *into, double value)
{
    if (!(*into >= fabs(value))) *into = fabs(value);
}

void fixed_study_note(const fixed_study *f, fixed_row *row, size_t variable,
    size_t index, int64_t depth, double error)
{
    const size_t past = (size_t)row->formula->past, n = f->variable_count;
    keep_larger(&row->largest[variable], error);
    if ((int64_t)index >= depth * row->formula->past)
        keep_larger(&row->settled[variable], error);
    if (index - past < STUDY_EARLY)
        row->early[(index - past) * n + variable] = error;
}

bool fixed_study_has_any(const fixed_study *f)
{
    for (size_t r = 0; r < f->formula_count * f->step_count; r++)
        if (f->rows[r].status == DAE_OK && !f->rows[r].is_short) return true;
    return false;
}

/* ---- orders ---- */

double fixed_order_between(size_t variable, const fixed_row *coarse,
    double coarse_error, const fixed_row *fine, double fine_error)
{
    const bool is_above = fabs(coarse_error) > coarse->floors[variable]
        && fabs(fine_error) > fine->floors[variable];
    if (!is_above) return (double)NAN;
    return log(fabs(coarse_error / fine_error))
        / log(coarse->step / fine->step);
}

/* Of the shortest pair of steps that shows one; `list`: which of the row's lists,
 * which follow each other. */
static double observe(
    const fixed_study *f, size_t formula, size_t variable, size_t list)
{
    const size_t at = list * f->variable_count + variable;
    for (size_t s = f->step_count; s-- > 1;) {
        const fixed_row *coarse = fixed_row_at(f, formula, s - 1);
        const fixed_row *fine = fixed_row_at(f, formula, s);
        const double p = fixed_order_between(
            variable, coarse, coarse->end[at], fine, fine->end[at]);
        if (!isnan(p)) return p;
    }
    return (double)NAN;
}

void fixed_study_observe(fixed_study *f)
{
    for (size_t o = 0; o < f->formula_count; o++) {
        observed_row *row = &f->observed[o];
        for (size_t k = 0; k < f->variable_count; k++) {
            row->global[k] = observe(f, o, k, 0);
            row->local[k] = observe(f, o, k, 1);
            row->largest[k] = observe(f, o, k, 2);
            row->settled[k] = observe(f, o, k, 3);
        }
    }
}
