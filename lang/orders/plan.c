/* Lists are written 1,2,5 or as a range: 1..6 of whole numbers, 1e-1..1e-3 of
 * steps that are halved, of tolerances that are divided by ten. */
#include "orders/plan.h"

#include "base/number.h"
#include "base/report.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WORD = 64, USUAL_STEPS = 5 };
/* The first of the usual steps, as a part of the interval. */
static const double USUAL_FIRST = 0.05;
/* So near to another one, as a part of itself, a step is the same. */
static const double SAME_STEP = 1e-9;

/* What settings are read by. */
typedef struct reader {
    const plan_request *request;
    dae_diagnostics *ds;
} reader;

#define REFUSE(r, ...)                                                         \
    (report((r)->ds, DIAG_E0505, NULL, (text_span){0, 0}, __VA_ARGS__), false)

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

/* A list of numbers. */
typedef struct numbers {
    const reader *reader;
    const char *name;
    double
        factor; /* of a range: from one member to the next; 0: there is none */
    double *into;
    size_t room, count;
} numbers;

static bool push(numbers *n, double value)
{
    if (n->count == n->room)
        return REFUSE(n->reader, "%s%s takes at most %zu numbers",
            n->reader->request->prefix, n->name, n->room);
    n->into[n->count++] = value;
    return true;
}

bool plan_read_number(const char *text, double *value)
{
    const char *digits = text + (*text == '-' || *text == '+');
    const size_t length = strlen(digits);
    const double size = number_value(digits, length);
    if (!number_is(digits, length) || !isfinite(size)) return false;
    *value = *text == '-' ? -size : size;
    return true;
}

static bool read_one(const numbers *n, const char *word, double *value)
{
    const char *prefix = n->reader->request->prefix;
    if (!plan_read_number(word, value))
        return REFUSE(
            n->reader, "%s%s wants numbers, not `%s`", prefix, n->name, word);
    if (*value > 0) return true;
    return REFUSE(n->reader, "%s%s wants numbers above 0, not `%s`", prefix,
        n->name, word);
}

/* 1e-3 by 0.1 is 1e-4, without what rounding adds to it. */
static double next_of(double value, double factor)
{
    char text[40];
    /* a locale may have another point in both */
    (void)snprintf(text, sizeof text, "%.14g", value * factor);
    return strtod(text, NULL);
}

/* a..b: a, a*factor, ... as far as b, which a rounding does not leave out. */
static bool read_range(numbers *n, char *word, char *dots)
{
    double from, to;
    dots[0] = '\0';
    if (!read_one(n, word, &from) || !read_one(n, dots + 2, &to)) return false;
    if (from < to)
        return REFUSE(n->reader, "%s%s %s..%s: the larger one comes first",
            n->reader->request->prefix, n->name, word, dots + 2);
    double v = from;
    while (v >= to * (1 - 1e-9)) {
        if (!push(n, v)) return false;
        v = next_of(v, n->factor);
    }
    return true;
}

static bool read_list(numbers *n, const char *text)
{
    char word[WORD];
    double value;
    for (;;) {
        if (!next_word(&text, word))
            return REFUSE(n->reader,
                "%s%s wants numbers with commas between them",
                n->reader->request->prefix, n->name);
        char *dots = n->factor > 0 ? strstr(word, "..") : NULL;
        if (dots ? !read_range(n, word, dots)
                 : !read_one(n, word, &value) || !push(n, value))
            return false;
        if (!*text) return true;
        text++;
    }
}

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

void orders_sort(double *values, size_t count)
{
    if (count) qsort(values, count, sizeof *values, compare);
}

/* Steps and tolerances: the largest first, none twice. */
static bool read_sorted(numbers *n, const char *text)
{
    size_t kept = 0;
    if (!read_list(n, text)) return false;
    for (size_t i = 0; i < n->count; i++) n->into[i] = -n->into[i];
    orders_sort(n->into, n->count);
    for (size_t i = 0; i < n->count; i++)
        if (kept == 0 || -n->into[i] < n->into[kept - 1])
            n->into[kept++] = -n->into[i];
    n->count = kept;
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

static bool read_order(
    const reader *r, const char *word, int highest, int *order)
{
    double value;
    if (!plan_read_number(word, &value) || value < 1 || value > 9e15
        || value > floor(value))
        return REFUSE(r, "%sorders wants whole numbers from 1 to %d, not `%s`",
            r->request->prefix, highest, word);
    if (value > highest && highest == PLAN_HIGHEST)
        return REFUSE(r,
            "order %.0f: a BDF of an order above %d is not zero-stable, its "
            "errors grow from step to step however short the steps are",
            value, PLAN_HIGHEST);
    if (value > highest)
        return REFUSE(
            r, "order %.0f: no method goes beyond order %d", value, highest);
    *order = (int)value;
    return true;
}

static bool read_orders(orders_plan *p, const reader *r, const char *text)
{
    const int highest = highest_order(p);
    const char *prefix = r->request->prefix;
    bool is_wanted[PLAN_ORDERS + 1] = {false};
    char word[WORD];
    for (;;) {
        int low = 0, high = 0;
        if (!next_word(&text, word))
            return REFUSE(
                r, "%sorders wants a list such as 1..5 or 1,2,5", prefix);
        char *dots = strstr(word, "..");
        if (dots) dots[0] = '\0';
        if (!read_order(r, word, highest, &low)
            || !read_order(r, dots ? dots + 2 : word, highest, &high))
            return false;
        if (low > high)
            return REFUSE(r, "%sorders %d..%d: the lower one comes first",
                prefix, low, high);
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

bool orders_plan_has(const orders_plan *p, const char *method)
{
    for (size_t i = 0; i < p->method_count; i++)
        if (strcmp(p->methods[i], method) == 0) return true;
    return false;
}

/* None twice. */
static bool read_methods(orders_plan *p, const reader *r, const char *text)
{
    const char *prefix = r->request->prefix;
    char word[WORD];
    for (;;) {
        if (!next_word(&text, word) || strlen(word) >= PLAN_NAME)
            return REFUSE(r, "%smethods wants names with commas", prefix);
        if (p->method_count == PLAN_METHODS)
            return REFUSE(
                r, "%smethods takes at most %d names", prefix, PLAN_METHODS);
        if (strcmp(word, "auto") == 0)
            return REFUSE(r,
                "%smethods compares methods, and `auto` is a choice of them",
                prefix);
        if (!orders_plan_has(p, word))
            memcpy(p->methods[p->method_count++], word, strlen(word) + 1);
        if (!*text) return true;
        text++;
    }
}

/* ---- the plan ---- */

static const char *const NAMES[PLAN_SETTINGS] = {
    "study", "methods", "orders", "steps", "pattern", "tolerances"};

plan_setting plan_setting_find(const char *name)
{
    int i = 0;
    while (i < PLAN_SETTINGS && strcmp(NAMES[i], name) != 0) i++;
    return (plan_setting)i;
}

static bool read_study(orders_plan *p, const reader *r, const char *text)
{
    p->has_steps = !text || strcmp(text, "tolerances") != 0;
    p->has_tolerances = !text || strcmp(text, "steps") != 0;
    if (!text || strcmp(text, "both") == 0) return true;
    if (p->has_steps != p->has_tolerances) return true;
    return REFUSE(r, "%sstudy wants steps, tolerances or both, not `%s`",
        r->request->prefix, text);
}

/* Fixed steps, orders and the rest go with one of the studies alone. */
static bool check_together(const orders_plan *p, const reader *r)
{
    const plan_request *q = r->request;
    const char *pre = q->prefix;
    const bool is_of_bdf = q->text[PLAN_OF_PATTERN] || q->perturbs;
    if (!p->has_steps && (q->text[PLAN_OF_STEPS] || is_of_bdf))
        return REFUSE(r,
            "%ssteps, %spattern and %sperturb do not go with %sstudy "
            "tolerances",
            pre, pre, pre, pre);
    if (!p->has_tolerances && q->text[PLAN_OF_TOLERANCES])
        return REFUSE(
            r, "%stolerances does not go with %sstudy steps", pre, pre);
    if (p->has_steps && q->text[PLAN_OF_METHODS] && is_of_bdf)
        return REFUSE(r,
            "%spattern and %sperturb are of the study of BDF: they do not go "
            "with %smethods",
            pre, pre, pre);
    return true;
}

/* What is given, or the default. */
static const char *text_of(
    const plan_request *q, plan_setting k, const char *otherwise)
{
    return q->text[k] ? q->text[k] : otherwise;
}

static bool read_all(orders_plan *p, const reader *r)
{
    const plan_request *q = r->request;
    numbers steps = {r, "steps", 0.5, p->steps, PLAN_STEPS, 0};
    numbers pattern = {r, "pattern", 0, p->pattern, PLAN_PATTERN, 0};
    numbers tolerances = {
        r, "tolerances", 0.1, p->tolerances, PLAN_TOLERANCES, 0};
    if (!read_study(p, r, q->text[PLAN_OF_STUDY]) || !check_together(p, r))
        return false;
    if (!read_methods(p, r, text_of(q, PLAN_OF_METHODS, "bdf"))
        || !read_orders(p, r, text_of(q, PLAN_OF_ORDERS, "1..5")))
        return false;
    const char *text = q->text[PLAN_OF_STEPS];
    if (text && !read_sorted(&steps, text)) return false;
    text = q->text[PLAN_OF_PATTERN];
    if (text && !read_list(&pattern, text)) return false;
    if (!read_sorted(&tolerances, text_of(q, PLAN_OF_TOLERANCES, "1e-3..1e-8")))
        return false;
    p->has_orders = q->text[PLAN_OF_ORDERS] != NULL;
    p->has_methods = q->text[PLAN_OF_METHODS] != NULL;
    p->step_count = steps.count;
    p->pattern_count = pattern.count;
    p->tolerance_count = tolerances.count;
    return true;
}

dae_status plan_read(orders_plan *p, const plan_request *q, dae_diagnostics *ds)
{
    const reader r = {q, ds};
    *p = (orders_plan){.order_count = 0};
    return read_all(p, &r) ? DAE_OK : DAE_ARGUMENT;
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
