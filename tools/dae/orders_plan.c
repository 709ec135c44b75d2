/* Lists are written 1,2,5 or as a range: 1..6 of whole numbers, 1e-1..1e-3 of
 * steps that are halved, of tolerances that are divided by ten. */
#include "orders_plan.h"
#include "number.h"
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { WORD = 64, USUAL_STEPS = 5, USUAL_ORDERS = 5 };
/* The first of the usual steps, as a part of the interval. */
static const double USUAL_FIRST = 0.05;
/* So near to another one, as a part of itself, a step is the same. */
static const double SAME_STEP = 1e-9;

#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
static bool
refuse(FILE *errors, const char *format, ...)
{
    va_list list;
    (void)fputs("dae: ", errors);
    va_start(list, format);
    (void)vfprintf(errors, format, list);
    va_end(list);
    (void)fputs(" (see `dae help orders`)\n", errors);
    return false;
}

/* ---- lists ---- */

/* The next member up to a comma; false: it is empty or too long. */
static bool next_word(const char **at, char *word)
{
    const size_t length = strcspn(*at, ",");
    if (length == 0 || length >= WORD) return false;
    memcpy(word, *at, length);
    word[length] = '\0';
    *at += length;
    return true;
}

/* What an option's list of numbers is read by. */
typedef struct reader {
    const char *option;
    double factor; /* of a range: from one member to the next */
    double *into;
    size_t room, count;
    FILE *errors;
} reader;

static bool push(reader *r, double value)
{
    if (r->count == r->room)
        return refuse(
            r->errors, "%s takes at most %zu numbers", r->option, r->room);
    r->into[r->count++] = value;
    return true;
}

static bool read_one(const reader *r, const char *word, double *value)
{
    if (!parse_number(word, value))
        return refuse(r->errors, "%s wants numbers, not `%s`", r->option, word);
    if (*value > 0) return true;
    return refuse(
        r->errors, "%s wants numbers above 0, not `%s`", r->option, word);
}

/* 1e-3 by 0.1 is 1e-4, without what rounding adds to it. */
static double next_of(double value, double factor)
{
    char text[40];
    (void)snprintf(text, sizeof text, "%.14g", value * factor);
    return strtod(text, NULL);
}

/* a..b: a, a*factor, ... as far as b, which a rounding does not leave out. */
static bool read_range(reader *r, char *word, char *dots)
{
    double from, to;
    dots[0] = '\0';
    if (!read_one(r, word, &from) || !read_one(r, dots + 2, &to)) return false;
    if (from < to)
        return refuse(r->errors, "%s %s..%s: the larger one comes first",
            r->option, word, dots + 2);
    for (double v = from; v >= to * (1 - 1e-9); v = next_of(v, r->factor))
        if (!push(r, v)) return false;
    return true;
}

static bool read_list(reader *r, const char *text)
{
    char word[WORD];
    double value;
    for (;;) {
        if (!next_word(&text, word))
            return refuse(r->errors,
                "%s wants numbers with commas between them", r->option);
        char *dots = r->factor > 0 ? strstr(word, "..") : NULL;
        if (dots ? !read_range(r, word, dots)
                 : !read_one(r, word, &value) || !push(r, value))
            return false;
        if (!*text) return true;
        text++;
    }
}

/* Steps and tolerances: the largest first, none twice. */
static bool read_sorted(reader *r, const char *text)
{
    size_t kept = 0;
    if (!read_list(r, text)) return false;
    for (size_t i = 0; i < r->count; i++) r->into[i] = -r->into[i];
    number_sort(r->into, r->count);
    for (size_t i = 0; i < r->count; i++)
        if (kept == 0 || -r->into[i] < r->into[kept - 1])
            r->into[kept++] = -r->into[i];
    r->count = kept;
    return true;
}

/* ---- orders ---- */

/* Of all methods that are studied. */
static int highest_order(const orders_plan *p)
{
    int highest = PLAN_HIGHEST;
    for (size_t i = 0; i < p->method_count; i++) {
        const dae_integrator m = orders_plan_method(p->methods[i]);
        for (const int *k = m.name ? m.orders : NULL; k && *k > 0; k++)
            if (*k > highest && *k <= PLAN_ORDERS) highest = *k;
    }
    return highest;
}

static bool read_order(FILE *errors, const char *word, int highest, int *order)
{
    int64_t value;
    if (!parse_count(word, &value))
        return refuse(errors,
            "--orders wants whole numbers from 1 to %d, not `%s`", highest,
            word);
    if (value > highest && highest == PLAN_HIGHEST)
        return refuse(errors,
            "order %lld: a BDF of an order above %d is not zero-stable, its "
            "errors grow from step to step however short the steps are",
            (long long)value, PLAN_HIGHEST);
    if (value > highest)
        return refuse(errors, "order %lld: no method goes beyond order %d",
            (long long)value, highest);
    *order = (int)value;
    return true;
}

static bool read_orders(orders_plan *p, const char *text, FILE *errors)
{
    const int highest = highest_order(p);
    bool is_wanted[PLAN_ORDERS + 1] = {false};
    char word[WORD];
    for (;;) {
        int low = 0, high = 0;
        if (!next_word(&text, word))
            return refuse(
                errors, "--orders wants a list such as 1..5 or 1,2,5");
        char *dots = strstr(word, "..");
        if (dots) dots[0] = '\0';
        if (!read_order(errors, word, highest, &low)
            || !read_order(errors, dots ? dots + 2 : word, highest, &high))
            return false;
        if (low > high)
            return refuse(errors, "--orders %d..%d: the lower one comes first",
                low, high);
        for (int k = low; k <= high; k++) is_wanted[k] = true;
        if (!*text) break;
        text++;
    }
    for (int k = 1; k <= PLAN_ORDERS; k++)
        if (is_wanted[k]) p->orders[p->order_count++] = k;
    return true;
}

/* ---- methods ---- */

dae_integrator orders_plan_method(const char *name)
{
    dae_integrator m;
    size_t i = 0;
    while ((m = dae_integrator_at(i++)).name && strcmp(m.name, name) != 0) {}
    return m;
}

/* A method with a list of orders has its own usual ones: all of them. */
size_t orders_plan_of(
    const orders_plan *p, const dae_integrator *m, bool is_fixed, int *orders)
{
    size_t count = 0;
    const int most = is_fixed ? m->max_order_fixed : m->max_order;
    if (!m->name || m->max_order == 0) return 0;
    if (!m->orders) {
        for (size_t i = 0; i < p->order_count; i++)
            if (p->orders[i] <= most) orders[count++] = p->orders[i];
        return count;
    }
    if (!p->has_orders && !is_fixed) orders[count++] = 0;
    for (const int *k = m->orders; *k > 0 && count < PLAN_ORDERS; k++) {
        bool is_wanted = !p->has_orders;
        for (size_t i = 0; i < p->order_count; i++)
            is_wanted = is_wanted || p->orders[i] == *k;
        if (is_wanted) orders[count++] = *k;
    }
    return count;
}

static bool has_method(const orders_plan *p, const char *name)
{
    for (size_t i = 0; i < p->method_count; i++)
        if (strcmp(p->methods[i], name) == 0) return true;
    return false;
}

/* None twice. */
static bool read_methods(orders_plan *p, const char *text, FILE *errors)
{
    char word[WORD];
    for (;;) {
        if (!next_word(&text, word) || strlen(word) >= PLAN_NAME)
            return refuse(errors, "--methods wants names with commas");
        if (p->method_count == PLAN_METHODS)
            return refuse(
                errors, "--methods takes at most %d names", PLAN_METHODS);
        if (strcmp(word, "auto") == 0)
            return refuse(errors,
                "--methods compares methods, and `auto` is a choice of them");
        if (!has_method(p, word)) strcpy(p->methods[p->method_count++], word);
        if (!*text) return true;
        text++;
    }
}

/* ---- the plan ---- */

static bool read_study(orders_plan *p, const char *text, FILE *errors)
{
    p->has_steps = !text || strcmp(text, "tolerances") != 0;
    p->has_tolerances = !text || strcmp(text, "steps") != 0;
    if (!text || strcmp(text, "both") == 0) return true;
    if (p->has_steps != p->has_tolerances) return true;
    return refuse(
        errors, "--study wants steps, tolerances or both, not `%s`", text);
}

/* Fixed steps, orders and the rest go with one of the studies alone. */
static bool check_together(const orders_plan *p, const args *a, FILE *errors)
{
    if (!p->has_steps && (a->steps || a->pattern || a->perturbs.count))
        return refuse(errors,
            "--steps, --pattern and --perturb do not go with --study "
            "tolerances");
    if (!p->has_tolerances && a->tolerances)
        return refuse(errors, "--tolerances does not go with --study steps");
    if (p->has_steps && a->methods && (a->pattern || a->perturbs.count))
        return refuse(errors,
            "--pattern and --perturb are of the study of BDF: they do not go "
            "with --methods");
    if (a->tolerances && !isnan(a->rtol))
        return refuse(errors, "--rtol and --tolerances exclude each other");
    return true;
}

bool orders_plan_init(orders_plan *p, const args *a, FILE *errors)
{
    *p = (orders_plan){.order_count = 0};
    reader steps = {"--steps", 0.5, p->steps, PLAN_STEPS, 0, errors};
    reader pattern = {"--pattern", 0, p->pattern, PLAN_PATTERN, 0, errors};
    reader tolerances = {
        "--tolerances", 0.1, p->tolerances, PLAN_TOLERANCES, 0, errors};
    if (!read_study(p, a->study, errors)) return false;
    if (!check_together(p, a, errors)) return false;
    if (!read_methods(p, a->methods ? a->methods : "bdf", errors)) return false;
    if (!read_orders(p, a->orders ? a->orders : "1..5", errors)) return false;
    p->has_orders = a->orders != NULL;
    if (a->steps && !read_sorted(&steps, a->steps)) return false;
    if (a->pattern && !read_list(&pattern, a->pattern)) return false;
    if (!isnan(a->rtol)) (void)push(&tolerances, a->rtol);
    else if (!read_sorted(
                 &tolerances, a->tolerances ? a->tolerances : "1e-3..1e-8"))
        return false;
    p->has_methods = a->methods != NULL;
    p->step_count = steps.count;
    p->pattern_count = pattern.count;
    p->tolerance_count = tolerances.count;
    return true;
}

void orders_plan_choose_steps(orders_plan *p, double length)
{
    if (p->step_count) return;
    for (size_t i = 0; i < USUAL_STEPS; i++)
        p->steps[i] = length * USUAL_FIRST / (double)(1 << i);
    p->step_count = USUAL_STEPS;
}

double orders_fit_step(
    double step, double length, const double *pattern, size_t pattern_count)
{
    double sum = pattern_count ? 0 : 1;
    for (size_t i = 0; i < pattern_count; i++) sum += pattern[i];
    const double wanted = length / (step * sum);
    const double whole = fmax(1, ceil(wanted - SAME_STEP));
    if (step > length * (1 + SAME_STEP) || !isfinite(whole)) return step;
    const double fitted = length / (whole * sum);
    return fabs(fitted - step) > SAME_STEP * step ? fitted : step;
}

size_t orders_plan_fit(const orders_plan *p, double length,
    const double *pattern, size_t pattern_count, double *steps)
{
    size_t count = 0;
    for (size_t i = 0; i < p->step_count; i++) {
        const double step = orders_fit_step(
            p->steps[i], length, pattern, pattern_count);
        if (count == 0 || step < steps[count - 1] * (1 - SAME_STEP))
            steps[count++] = step;
    }
    return count;
}
