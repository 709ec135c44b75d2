/* Runs a model to the end of its interval and compares all unknowns with a
 * reference that does not come from this project's solver: published or
 * extrapolated values of tests/data/reference, or a closed form written here
 * a second time, apart from the model's text. */
#ifndef SUPPORT_ACCURACY_H
#define SUPPORT_ACCURACY_H

#include <dae/solver.h>

/* Where the values at the end come from. */
typedef enum accuracy_source {
    ACCURACY_LIST,  /* an entry of tests/data/reference/ivp.json */
    ACCURACY_TABLE, /* tests/data/reference/brusselator2d.csv */
    ACCURACY_TANK,  /* the closed form of models/process/tank1.dae */
    ACCURACY_HEAT   /* the closed form of models/pde/heat2d.dae */
} accuracy_source;

typedef struct accuracy_case {
    const char *model;  /* path below the project's root */
    double atol_factor; /* atol = atol_factor*rtol */
    accuracy_source source;
    const char *entry; /* ACCURACY_LIST: its name */
} accuracy_case;

/* The models of the table, in its order. */
#define ACCURACY_CASES 13
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

#endif
