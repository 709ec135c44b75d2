/* What `dae orders` is asked to do: the lists of its options as numbers. */
#ifndef ORDERS_PLAN_H
#define ORDERS_PLAN_H

#include "args.h"

enum {
    PLAN_HIGHEST = 6, /* BDF7 is not zero-stable */
    PLAN_ORDERS = 13, /* the highest that any method has */
    PLAN_STEPS = 24,
    PLAN_TOLERANCES = 16,
    PLAN_METHODS = 12,
    PLAN_PATTERN = 16,
    PLAN_NAME = 32
};

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

/* Reads the lists. False: a message about the wrong use is on `errors`. */
bool orders_plan_init(orders_plan *p, const args *a, FILE *errors);
/* Orders of a method that the plan asks for, ascending, into `orders` (PLAN_ORDERS);
 * how many: 0 of a method that has a single order. With the step chosen by the
 * error, 0 is among them where a method chooses its own and none are requested. */
size_t orders_plan_of(
    const orders_plan *p, const dae_integrator *m, bool is_fixed, int *orders);
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

#endif
