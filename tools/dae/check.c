#include "check.h"
#include "console.h"

bool check_shows_equation(const check *k, size_t i)
{
    return i < dae_model_equation_count(k->model);
}

bool check_shows_unknown(const check *k, size_t j)
{
    return j < dae_model_unknown_count(k->model);
}

bool check_shows_slot(const check *k, dae_slot slot)
{
    const size_t j = (size_t)slot.unknown;
    return check_shows_unknown(k, j)
        && slot.order <= dae_model_unknown_order(k->model, j);
}

bool check_shows_block(
    const check *k, const dae_structure *s, const dae_block *b)
{
    for (int32_t p = b->begin; p < b->end; p++)
        if (check_shows_equation(k, (size_t)s->row_at[p])
            || check_shows_unknown(k, (size_t)s->column_at[p]))
            return true;
    return false;
}

bool check_is_certified(const check *k)
{
    return dae_analysis_report(k->analysis).is_certified;
}

int64_t check_index(const check *k)
{
    return dae_analysis_report(k->analysis).index;
}

int64_t check_freedom(const check *k)
{
    return dae_analysis_report(k->analysis).degrees_of_freedom;
}

dae_status check_make(
    check *k, dae_run *r, bool skip_start, const limits *l, dae_diagnostics *ds)
{
    const double before = console_clock();
    *k = (check){.model = dae_run_model(r),
        .atol = dae_run_options(r)->atol,
        .t0 = dae_run_begin(r)};
    const dae_status st = dae_report_create(
        r, skip_start, &l->allocator, ds, &k->report);
    k->analysis = dae_report_analysis(k->report);
    k->singular = dae_report_singular(k->report);
    k->seconds = console_clock() - before;
    return st;
}
