#include "run/expect.h"

#include "base/report.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- times of `at` ---- */

static int compare_ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static int compare_descending(const void *a, const void *b)
{
    return compare_ascending(b, a);
}

static bool is_value(const dae_expect *x)
{
    return x->kind == DAE_EXPECT_NEAR || x->kind == DAE_EXPECT_TRUE;
}

static size_t curves_of(const dae_expect *x)
{
    return x->kind == DAE_EXPECT_NEAR ? 1 : x->operand_count / 2;
}

dae_status expect_init(expectations *e, const dae_model *model, double t0,
    double t1, arena *memory)
{
    *e = (expectations){.model = model};
    e->count = dae_model_expect_count(model);
    e->items = ARENA_ARRAY(memory, expectation, e->count);
    e->marks = ARENA_ARRAY(memory, double, e->count);
    e->always = ARENA_ARRAY(memory, size_t, e->count);
    e->always_at = ARENA_ARRAY(memory, const dae_expect *, e->count);
    if (!e->items || !e->marks || !e->always || !e->always_at)
        return DAE_MEMORY;
    double low = t0 < t1 ? t0 : t1, high = t0 < t1 ? t1 : t0;
    for (size_t k = 0; k < e->count; k++) {
        const dae_expect *x = dae_model_expect_at(model, k);
        if (!is_value(x)) continue;
        if (x->place == DAE_EXPECT_ALWAYS) {
            e->always_at[e->always_count] = x;
            e->always[e->always_count++] = k;
            e->curve_count += curves_of(x);
        }
        if (x->place == DAE_EXPECT_AT && x->at >= low && x->at <= high)
            e->marks[e->mark_count++] = x->at;
    }
    qsort(e->marks, e->mark_count, sizeof *e->marks,
        t0 <= t1 ? compare_ascending : compare_descending);
    return DAE_OK;
}

unsigned expect_wants(const expectations *e)
{
    unsigned wants = DAE_POINT_END;
    if (e->mark_count) wants |= DAE_POINT_MARK;
    if (e->always_count) wants |= DAE_POINT_START | DAE_POINT_STEP;
    return wants;
}

size_t expect_observation_count(const expectations *e)
{
    size_t count = 0;
    for (size_t k = 0; k < e->always_count; k++)
        count += 5 + e->always_at[k]->operand_count;
    return count;
}

size_t expect_observations(const expectations *e, size_t *observations)
{
    size_t *to = observations;
    for (size_t k = 0; k < e->always_count; k++) {
        const dae_expect *x = e->always_at[k];
        const bool is_near = x->kind == DAE_EXPECT_NEAR;
        const size_t sides[] = {x->left, is_near ? x->right : SIZE_MAX,
            is_near ? x->within : SIZE_MAX,
            is_near ? SIZE_MAX : x->compare_left,
            is_near ? SIZE_MAX : x->compare_right};
        for (size_t i = 0; i < sizeof sides / sizeof *sides; i++)
            if (sides[i] != SIZE_MAX) *to++ = sides[i];
        for (size_t i = 0; !is_near && i < x->operand_count; i++)
            *to++ = x->operands + i;
    }
    return (size_t)(to - observations);
}

/* ---- checking ---- */

/* Whether this point is one where the expectation must hold. */
static bool is_due(const dae_expect *x, const dae_point *p)
{
    if (x->place == DAE_EXPECT_ALWAYS)
        return p->why
            & (DAE_POINT_START | DAE_POINT_STEP | DAE_POINT_END
                | DAE_POINT_INSIDE);
    if (x->place == DAE_EXPECT_FINAL) return p->why & DAE_POINT_END;
    return p->why & DAE_POINT_MARK && !(fabs(p->t - x->at) > 0);
}

static inline bool holds(const dae_expect *x, const double *observed)
{
    if (x->kind == DAE_EXPECT_TRUE) {
        for (size_t k = 0; k < x->operand_count; k++)
            if (isnan(observed[x->operands + k])) return false;
        return !isnan(observed[x->left]) && fabs(observed[x->left]) > 0;
    }
    /* a NaN anywhere fails */
    return fabs(observed[x->left] - observed[x->right]) <= observed[x->within];
}

static void note_failure(
    expectation *item, const dae_expect *x, const dae_point *p)
{
    size_t left = x->left, right = x->right;
    if (x->kind == DAE_EXPECT_TRUE)
        left = x->compare_left, right = x->compare_right;
    item->has_failed = true;
    item->t = p->t;
    item->left = left == SIZE_MAX ? (double)NAN : p->observed[left];
    item->right = right == SIZE_MAX ? (double)NAN : p->observed[right];
    if (x->kind == DAE_EXPECT_NEAR) item->within = p->observed[x->within];
}

static inline void see_due(
    expectation *item, const dae_expect *x, const dae_point *p, bool is_peak)
{
    item->is_checked = true;
    if (x->kind == DAE_EXPECT_NEAR) {
        const double gap = p->observed[x->left] - p->observed[x->right];
        if (is_peak) drift_see_peak(&item->gap, p->t, gap);
        else drift_see(&item->gap, p->t, gap);
    }
    if (!item->has_failed && !holds(x, p->observed)) note_failure(item, x, p);
}

static void see_always(
    expectations *e, const dae_point *p, size_t count, bool is_peak)
{
    for (size_t i = 0; i < e->always_count; i++)
        for (size_t k = 0; k < count; k++)
            see_due(&e->items[e->always[i]], e->always_at[i], &p[k], is_peak);
}

/* At most points only `always` is due. */
void expect_see(expectations *e, const dae_point *p)
{
    if (!(p->why & (DAE_POINT_MARK | DAE_POINT_END))) {
        if (p->why & (DAE_POINT_START | DAE_POINT_STEP))
            see_always(e, p, 1, false);
        return;
    }
    for (size_t k = 0; k < e->count; k++) {
        const dae_expect *x = dae_model_expect_at(e->model, k);
        if (is_value(x) && is_due(x, p)) see_due(&e->items[k], x, p, false);
    }
}

void expect_see_inside(expectations *e, const dae_point *p, size_t count)
{
    see_always(e, p, count, false);
}

void expect_see_peak(expectations *e, const dae_point *p)
{
    see_always(e, p, 1, true);
}

/* ---- curves whose peaks break an `always` ---- */

void expect_measure(const expectations *e, const dae_point *p, double *values)
{
    const double *o = p->observed;
    for (size_t k = 0; k < e->always_count; k++) {
        const dae_expect *x = e->always_at[k];
        if (x->kind == DAE_EXPECT_NEAR)
            *values++ = fabs(o[x->left] - o[x->right]) - o[x->within];
        else
            for (size_t i = 0; i + 1 < x->operand_count; i += 2)
                *values++ = -fabs(o[x->operands + i] - o[x->operands + i + 1]);
    }
}

/* Of one that has failed nothing more is told, but for the largest distance. */
static double interest_of(const dae_expect *x, const expectation *item)
{
    if (!item->has_failed) return 0;
    return x->kind == DAE_EXPECT_NEAR ? item->gap.largest - item->within
                                      : (double)INFINITY;
}

void expect_interest(const expectations *e, double *least)
{
    for (size_t k = 0; k < e->always_count; k++) {
        const dae_expect *x = e->always_at[k];
        for (size_t i = curves_of(x); i > 0; i--)
            *least++ = interest_of(x, &e->items[e->always[k]]);
    }
}

/* ---- the verdict ---- */

/* Without the sign that printf would show of a NaN. */
static double plain(double value)
{
    return isnan(value) ? (double)NAN : value;
}

/* ", at [2,3]" for an element of an array */
static void element_text(const dae_expect *x, char *text, size_t size)
{
    size_t used = 0;
    text[0] = '\0';
    for (uint32_t d = 0; d < x->rank && used < size; d++) {
        int n = snprintf(text + used, size - used, "%s%lld", d ? "," : ", at [",
            (long long)x->indices[d]);
        used += n < 0 ? 0 : (size_t)n;
    }
    if (x->rank && used < size) (void)snprintf(text + used, size - used, "]");
}

/* Where `always` failed first is told, and then the worst of it. */
static void gap_text(const expectation *item, char *text, size_t size)
{
    const double first = fabs(item->left - item->right);
    int used = snprintf(text, size, "%.3g apart, allowed %.3g", plain(first),
        plain(item->within));
    if (used > 0 && (size_t)used < size && item->gap.largest > first)
        (void)snprintf(text + used, size - (size_t)used,
            "; at most %.3g, at t = %.6g, and on the mean %.3g",
            item->gap.largest, item->gap.at, drift_mean(&item->gap));
}

static void report_failure(
    dae_diagnostics *ds, const dae_expect *x, const expectation *item)
{
    char label[400], element[200], gap[160];
    double left = plain(item->left), right = plain(item->right);
    gap_text(item, gap, sizeof gap);
    if (x->kind == DAE_EXPECT_NEAR)
        (void)snprintf(label, sizeof label,
            "at t = %.10g the left side is %.12g, the right side %.12g: %s",
            item->t, left, right, gap);
    else if (x->compare_left != SIZE_MAX && x->compare_right != SIZE_MAX)
        (void)snprintf(label, sizeof label,
            "at t = %.10g the left side is %.12g, the right side %.12g",
            item->t, left, right);
    else (void)snprintf(label, sizeof label, "false at t = %.10g", item->t);
    element_text(x, element, sizeof element);
    report_at(
        ds, DIAG_E0601, &x->span, "`%s` does not hold%s", x->text, element);
    report_label(ds, "%s", label);
}

static void report_unreached(
    dae_diagnostics *ds, const dae_expect *x, double stopped)
{
    char label[100];
    if (isnan(stopped))
        (void)snprintf(label, sizeof label,
            "t = %.10g is outside the interval of this run", x->at);
    else
        (void)snprintf(label, sizeof label,
            "`stop` ended the run at t = %.10g, before t = %.10g", stopped,
            x->at);
    report_at(ds, DIAG_E0601, &x->span, "`%s` was not reached", x->text);
    report_label(ds, "%s", label);
}

static void finish_value(const expectations *e, size_t k, dae_diagnostics *ds,
    bool completed, double stopped, dae_verdicts *counts)
{
    const dae_expect *x = dae_model_expect_at(e->model, k);
    const expectation *item = &e->items[k];
    if (item->has_failed) {
        report_failure(ds, x, item);
        counts->failed++;
    } else if (item->is_checked) {
        counts->held++;
    } else if (completed) {
        report_unreached(ds, x, stopped);
        counts->failed++;
    }
}

static bool has_arisen(const dae_diagnostics *ds, const char *code)
{
    for (size_t i = 0; i < dae_diagnostics_count(ds); i++)
        if (strcmp(dae_diagnostics_at(ds, i)->code, code) == 0) return true;
    return false;
}

static void finish_code(const dae_expect *x, dae_diagnostics *ds,
    bool completed, dae_verdicts *counts)
{
    counts->codes++;
    if (has_arisen(ds, x->code)) return;
    counts->codes_missing++;
    if (completed)
        report_at(ds, DIAG_E0601, &x->span,
            "`%s` does not hold: %s did not arise", x->text, x->code);
}

void expect_finish(const expectations *e, dae_diagnostics *ds, bool completed,
    double stopped, dae_verdicts *counts)
{
    for (size_t k = 0; k < e->count; k++) {
        const dae_expect *x = dae_model_expect_at(e->model, k);
        if (is_value(x)) finish_value(e, k, ds, completed, stopped, counts);
        else if (x->kind == DAE_EXPECT_CODE)
            finish_code(x, ds, completed, counts);
    }
}

/* ---- structure ---- */

static bool is_structural(const dae_expect *x)
{
    return x->kind == DAE_EXPECT_INDEX || x->kind == DAE_EXPECT_DOF;
}

bool expect_asks_structure(const dae_model *model)
{
    for (size_t k = 0; k < dae_model_expect_count(model); k++)
        if (is_structural(dae_model_expect_at(model, k))) return true;
    return false;
}

static void finish_structure(const dae_expect *x, const dae_index_report *k,
    dae_diagnostics *ds, dae_verdicts *counts)
{
    char label[160];
    const bool is_index = x->kind == DAE_EXPECT_INDEX;
    const int64_t found = is_index ? k->index : k->degrees_of_freedom;
    const char *what = is_index ? "index" : "number of degrees of freedom";
    if (found >= 0 && !(fabs((double)found - x->number) > 0)) {
        counts->held++;
        return;
    }
    counts->failed++;
    if (found < 0) (void)snprintf(label, sizeof label, "there is no %s", what);
    else
        (void)snprintf(label, sizeof label, "the %s%s is %lld",
            k->is_certified ? "" : "structural ", what, (long long)found);
    report_at(ds, DIAG_E0601, &x->span, "`%s` does not hold", x->text);
    report_label(ds, "%s", label);
}

void expect_structure(const dae_model *model, const dae_index_report *found,
    dae_diagnostics *ds, dae_verdicts *counts)
{
    for (size_t i = 0; i < dae_model_expect_count(model); i++) {
        const dae_expect *x = dae_model_expect_at(model, i);
        if (is_structural(x)) finish_structure(x, found, ds, counts);
    }
}

/* Codes of steps and their results arise in runs alone. */
static bool arises_without_run(const char *code)
{
    return strlen(code) == 5 && code[1] == '0' && code[2] <= '4';
}

void expect_of_check(const dae_model *model, dae_diagnostics *ds,
    bool completed, bool notes_values, dae_verdicts *counts)
{
    for (size_t i = 0; i < dae_model_expect_count(model); i++) {
        const dae_expect *x = dae_model_expect_at(model, i);
        if (x->kind == DAE_EXPECT_CODE && arises_without_run(x->code))
            finish_code(x, ds, completed, counts);
        if (!is_value(x) || !notes_values) continue;
        counts->unchecked++;
        report_at(ds, DIAG_N0602, &x->span,
            "`%s` is not checked: the model has no `solve` line", x->text);
    }
}
