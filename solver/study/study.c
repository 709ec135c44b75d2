/* What can be asked of a study, and its grid. */
#include "study/frame.h"

#include "base/report.h"
#include "linalg/libraries.h"
#include <math.h>

enum { BDF_MOST = 6, TIMES_MOST = 1 << 30 };

dae_study dae_study_default(void)
{
    return (dae_study){.method = DAE_STUDY_BDF,
        .order = 1,
        .precision = DAE_STUDY_LONG,
        .start = DAE_STUDY_GIVEN,
        .linear = DAE_LINEAR_AUTO};
}

static bool has_order(const dae_study *s)
{
    if (s->method == DAE_STUDY_BDF)
        return s->order >= 1 && s->order <= BDF_MOST;
    return s->order >= 1 && s->order % 2 == 1
        && s->order < 2 * STUDY_STAGES_MOST;
}

/* One way, each other than its neighbours in the precision asked for. */
static bool times_go_on(const dae_study *s)
{
    const bool is_long = s->precision == DAE_STUDY_LONG;
    const bool is_up = s->times[1] > s->times[0];
    for (size_t i = 1; i < s->time_count; i++) {
        const dae_long a = s->times[i - 1], b = s->times[i];
        const bool goes_on = is_long ? (is_up ? b > a : b < a)
            : is_up                  ? (double)b > (double)a
                                     : (double)b < (double)a;
        if (!goes_on || b - b != 0) return false;
    }
    return true;
}

static bool is_proper(const dae_study *s)
{
    const bool is_given = s->method == DAE_STUDY_BDF
        && s->start == DAE_STUDY_GIVEN;
    if (!s->given || !s->times || s->time_count < 2 || s->substeps < 0
        || !has_order(s))
        return false;
    if (is_given && s->time_count <= (size_t)s->order) return false;
    return times_go_on(s);
}

static dae_status run_with_layout(frame *f, const dae_allocator *allocator)
{
    layout l;
    dae_status st = layout_init(&l, f->problem, allocator);
    if (st) return st;
    f->layout = &l;
    const bool is_long = f->study->precision == DAE_STUDY_LONG;
    st = is_long ? run_study_long(f) : run_study_double(f);
    layout_clear(&l);
    return st;
}

dae_status dae_study_run(const dae_problem *problem, const dae_study *study,
    const dae_allocator *allocator, dae_diagnostics *ds,
    dae_study_counts *counts)
{
    dae_study_counts own = {0};
    if (!problem || !problem->residual || !study || !is_proper(study))
        return DAE_ARGUMENT;
    if (study->precision == DAE_STUDY_LONG && !problem->residual_long) {
        report(ds, DIAG_E0505, NULL, (text_span){0, 0},
            "the problem cannot be evaluated in extended precision");
        report_help(ds, "ask for double precision");
        return DAE_UNSUPPORTED;
    }
    frame f = {.problem = problem,
        .study = study,
        .allocator = alloc_or_default(allocator),
        .ds = ds,
        .counts = counts ? counts : &own};
    const dae_status st = run_with_layout(&f, allocator);
    if (st == DAE_MEMORY)
        report(ds, DIAG_E0003, NULL, (text_span){0, 0},
            "out of memory for the study from t = %.10g",
            (double)study->times[0]);
    return libraries_report(ds, st);
}

/* Where a grid ends beside a multiple of the step. */
static const double end_slack = 1e-9;

/* The i-th time in steps: whole patterns and the first ones of another. */
static dae_long steps_to(const double *pattern, size_t count, size_t i)
{
    dae_long whole = 0, part = 0;
    if (!pattern) return (dae_long)i;
    for (size_t k = 0; k < count; k++) {
        whole += (dae_long)pattern[k];
        if (k < i % count) part += (dae_long)pattern[k];
    }
    return whole * (dae_long)(i / count) + part;
}

size_t dae_study_grid(dae_long t0, dae_long t_end, dae_long step,
    const double *pattern, size_t pattern_count, dae_long *times, size_t room)
{
    const dae_long span = dae_long_abs(t_end - t0);
    const dae_long sign = t_end < t0 ? -1 : 1;
    if (!(step > 0) || !(span > 0) || span - span != 0 || step - step != 0
        || (pattern && pattern_count == 0))
        return 0;
    for (size_t k = 0; pattern && k < pattern_count; k++)
        if (!(pattern[k] > 0) || !isfinite(pattern[k])) return 0;
    for (size_t i = 0; i < TIMES_MOST; i++) {
        const dae_long from = step * steps_to(pattern, pattern_count, i);
        const bool is_last = from > span - step * (dae_long)end_slack;
        if (i < room) times[i] = is_last ? t_end : t0 + sign * from;
        if (is_last) return i + 1;
    }
    return 0;
}
