/* Runs a model to the end of its interval and compares all unknowns with a
 * reference that does not come from this project's solver: published or
 * extrapolated values of tests/data/reference, or a closed form written in
 * accuracy_cases.c a second time, apart from the model's text. */
#ifndef SUPPORT_ACCURACY_H
#define SUPPORT_ACCURACY_H

#include <dae/solver.h>
#include <stdbool.h>

/* A closed form: the value of the unknown `name` at t in a model of `count`
 * unknowns. False where there is no such unknown. */
typedef bool accuracy_form(
    double t, size_t count, const char *name, double *value);

typedef struct accuracy_case {
    const char *model;  /* path below models/ */
    double atol_factor; /* atol = atol_factor*rtol */
    /* What the problem makes of an error, for problems that make much of it:
     * measured by tests/data/reference/growth.c. Else 1. */
    double growth;
    const char *file;    /* below tests/data/reference; NULL: a closed form */
    const char *entry;   /* in a .json: its name */
    accuracy_form *form; /* NULL: a file */
    /* Where another solver is the measure: the largest error it leaves at each
     * of accuracy_rtols, in tolerances. Else NULL. */
    const double *rival;
} accuracy_case;

/* The models of the table, in its order. */
#define ACCURACY_CASES 50
extern const accuracy_case accuracy_cases[ACCURACY_CASES];

/* The tolerances, loosest first. */
#define ACCURACY_RTOLS 4
extern const double accuracy_rtols[ACCURACY_RTOLS];

typedef struct accuracy_result {
    dae_status status;
    size_t values; /* compared: every unknown with its lower derivatives */
    /* sqrt(mean((y - ref)^2/(rtol |ref| + atol)^2)): 1 is the tolerance */
    double error;
    /* the value that is farthest off, in tolerances, and its name */
    double worst;
    char worst_name[64];
    dae_stats stats;
    char message[512]; /* of the first error; "" where all went well */
} accuracy_result;

/* A run at this relative tolerance. Everything that goes wrong, a reference
 * that lacks an unknown too, is a status and a message. */
void accuracy_run(const accuracy_case *c, double rtol, accuracy_result *r);

/* What is wrong with the run at accuracy_rtols[k], or NULL. `last` is
 * error*rtol of the run before, infinite for the first: tolerances are
 * multiples of each other (rtol and atol alike), so this is one norm for all
 * of them, and it has to fall, down to 1e-14, where roundings begin.
 * The error has to be below 100*growth tolerances; where there is a rival,
 * the worst value may be twice as far off as the rival's. */
const char *accuracy_fault(
    const accuracy_case *c, size_t k, const accuracy_result *r, double last);

#endif
