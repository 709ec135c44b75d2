#include "fixed_study.h"
#include "memory.h"
#include <math.h>
#include <string.h>

/* An error is believed that is so many times what another reference changes of
 * it: an order of two such is right within 0.3. */
static const double TIMES = 10;
/* Points at the end whose doubts are one: at a single one two references may
 * agree by chance. */
enum { LAST_POINTS = 6 };

/* ---- life ---- */

/* Numbers of the variables, none of which is known. */
static double *unknown_numbers(size_t count)
{
    double *numbers = memory_take(count + 1, sizeof *numbers);
    for (size_t i = 0; numbers && i < count; i++) numbers[i] = (double)NAN;
    return numbers;
}

static bool take_lists(const fixed_study *f, double **lists)
{
    bool has_all = true;
    for (size_t l = 0; l < ERROR_LISTS && has_all; l++)
        has_all = (lists[l] = unknown_numbers(f->variable_count)) != NULL;
    return has_all;
}

bool fixed_study_init(fixed_study *f, const fixed_formula *formulas,
    size_t formula_count, const double *steps, size_t step_count,
    size_t variable_count)
{
    const size_t rows = formula_count * step_count;
    *f = (fixed_study){.formula_count = formula_count,
        .step_count = step_count,
        .variable_count = variable_count};
    f->formulas = memory_take(formula_count + 1, sizeof *f->formulas);
    f->rows = memory_take(rows + 1, sizeof *f->rows);
    f->observed = memory_take(formula_count + 1, sizeof *f->observed);
    if (!f->formulas || !f->rows || !f->observed) return false;
    memcpy(f->formulas, formulas, formula_count * sizeof *formulas);
    for (size_t r = 0; r < rows; r++) {
        fixed_row *row = &f->rows[r];
        row->formula = &f->formulas[r / step_count];
        row->step = steps[r % step_count];
        row->floors = unknown_numbers(variable_count);
        row->early = unknown_numbers(STUDY_EARLY * variable_count);
        if (!row->floors || !row->early || !take_lists(f, row->errors)
            || !take_lists(f, row->doubts))
            return false;
    }
    bool has_all = true;
    for (size_t o = 0; o < formula_count && has_all; o++) {
        f->observed[o].formula = &f->formulas[o];
        has_all = take_lists(f, f->observed[o].orders);
    }
    return has_all;
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
    keep_larger(&row->errors[ERROR_LARGEST][variable], error);
    if ((int64_t)index >= depth * row->formula->past)
        keep_larger(&row->errors[ERROR_SETTLED][variable], error);
    if (index - past < STUDY_EARLY)
        row->early[(index - past) * n + variable] = error;
}

void fixed_study_doubt(fixed_row *row, size_t variable, size_t index,
    int64_t depth, size_t last, double doubt)
{
    keep_larger(&row->doubts[ERROR_LARGEST][variable], doubt);
    if ((int64_t)index >= depth * row->formula->past)
        keep_larger(&row->doubts[ERROR_SETTLED][variable], doubt);
    if (index + LAST_POINTS > last)
        keep_larger(&row->doubts[ERROR_END][variable], doubt);
}

void fixed_study_forget(const fixed_study *f, fixed_row *row)
{
    const size_t n = f->variable_count;
    for (size_t l = 0; l < ERROR_LISTS; l++)
        for (size_t k = 0; k < n && l != ERROR_FIRST; k++)
            row->errors[l][k] = (double)NAN;
    for (size_t i = 0; i < STUDY_EARLY * n; i++) row->early[i] = (double)NAN;
}

void fixed_study_abandon(const fixed_study *f, fixed_row *row)
{
    fixed_study_forget(f, row);
    for (size_t k = 0; k < f->variable_count; k++)
        row->errors[ERROR_FIRST][k] = (double)NAN;
    row->status = DAE_OK;
    row->steps = 0;
    row->counts = (dae_study_counts){.steps = 0};
}

bool fixed_study_has_any(const fixed_study *f)
{
    for (size_t r = 0; r < f->formula_count * f->step_count; r++)
        if (f->rows[r].status == DAE_OK && f->rows[r].steps > 0) return true;
    return false;
}

/* ---- orders ---- */

/* A doubt that nobody has measured is NaN, and none. */
error_worth fixed_worth(const fixed_row *row, error_list list, size_t variable)
{
    const double error = fabs(row->errors[list][variable]);
    if (isnan(error)) return WORTH_NOTHING;
    if (!(error > row->floors[variable])) return WORTH_ROUNDING;
    return error <= TIMES * row->doubts[list][variable] ? WORTH_REFERENCE
                                                        : WORTH_BELIEVED;
}

double fixed_order_between(const fixed_row *coarse, const fixed_row *fine,
    error_list list, size_t variable)
{
    const double from = coarse->errors[list][variable];
    const double to = fine->errors[list][variable];
    if (fixed_worth(coarse, list, variable) != WORTH_BELIEVED
        || fixed_worth(fine, list, variable) != WORTH_BELIEVED)
        return (double)NAN;
    return log(fabs(from / to)) / log(coarse->step / fine->step);
}

/* Of the shortest pair of steps that shows one. */
static double observe(
    const fixed_study *f, size_t formula, error_list list, size_t variable)
{
    for (size_t s = f->step_count; s-- > 1;) {
        const double p = fixed_order_between(fixed_row_at(f, formula, s - 1),
            fixed_row_at(f, formula, s), list, variable);
        if (!isnan(p)) return p;
    }
    return (double)NAN;
}

void fixed_study_observe(fixed_study *f)
{
    for (size_t o = 0; o < f->formula_count; o++)
        for (size_t l = 0; l < ERROR_LISTS; l++)
            for (size_t k = 0; k < f->variable_count; k++)
                f->observed[o].orders[l][k] = observe(f, o, (error_list)l, k);
}
