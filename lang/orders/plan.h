/* What a study is asked to do: the lists of its settings as numbers. */
#ifndef ORDERS_PLAN_H
#define ORDERS_PLAN_H

#include <dae/diag.h>
#include <dae/solver.h>
#include <stdbool.h>

enum {
    PLAN_HIGHEST = 6, /* BDF7 is not zero-stable */
    PLAN_ORDERS = 13, /* the highest that any method has */
    PLAN_STEPS = 24,
    PLAN_TOLERANCES = 16,
    PLAN_METHODS = 12,
    PLAN_PATTERN = 16,
    PLAN_NAME = 32
};

/* In the order of the table in plan.c. */
typedef enum plan_setting {
    PLAN_OF_STUDY,
    PLAN_OF_METHODS,
    PLAN_OF_ORDERS,
    PLAN_OF_STEPS,
    PLAN_OF_PATTERN,
    PLAN_OF_TOLERANCES,
    PLAN_SETTINGS
} plan_setting;

typedef struct plan_request {
    const char *prefix;              /* before names of settings in messages */
    const char *text[PLAN_SETTINGS]; /* NULL: not given */
    bool perturbs;                   /* from a wrong start, too */
} plan_request;

typedef struct orders_plan {
    int orders[PLAN_ORDERS]; /* ascending */
    size_t order_count;
    bool has_orders;          /* they were requested */
    double steps[PLAN_STEPS]; /* descending; as the interval asks where none */
    size_t step_count;
    double pattern[PLAN_PATTERN]; /* factors of the step; 0 of them: equal */
    size_t pattern_count;
    double tolerances[PLAN_TOLERANCES]; /* descending */
    size_t tolerance_count;
    char methods[PLAN_METHODS][PLAN_NAME];
    size_t method_count;
    bool has_methods;               /* they were requested */
    bool has_steps, has_tolerances; /* which studies are made */
} orders_plan;

/* PLAN_SETTINGS: there is none of this name. */
plan_setting plan_setting_find(const char *name);
/* Reads the lists; what cannot be is told in `ds`: DAE_ARGUMENT. */
dae_status plan_read(
    orders_plan *p, const plan_request *q, dae_diagnostics *ds);
/* A finite number, and nothing else. */
bool plan_read_number(const char *text, double *value);
/* Orders of a method that the plan asks for, ascending, into `orders` (PLAN_ORDERS);
 * how many: 0 of a method that has a single order. With the step chosen by the
 * error, 0 is among them where a method chooses its own and none are requested. */
size_t orders_plan_of(
    const orders_plan *p, const dae_integrator *m, bool is_fixed, int *orders);
bool orders_plan_has(const orders_plan *p, const char *method);
/* Every one of its name; that of no method has no name. */
dae_integrator orders_plan_method(const char *name);
/* Steps for an interval of this length, where none are given. */
void orders_plan_choose_steps(orders_plan *p, double length);
/* The plan's steps as they are taken: whole patterns (none: equal steps) fill an
 * interval of this length, for runs that end with a step of another length, or
 * in the midst of a pattern, show no order. Each is the longest that does so and
 * is no longer than the one asked for; one that is longer than the interval
 * stays. Writes them to `steps` (PLAN_STEPS), none twice; how many. */
size_t orders_plan_fit(const orders_plan *p, double length,
    const double *pattern, size_t pattern_count, double *steps);
/* One of them. */
double orders_fit_step(
    double step, double length, const double *pattern, size_t pattern_count);
/* Ascending. */
void orders_sort(double *values, size_t count);

#endif
