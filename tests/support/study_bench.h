/* Two tanks and a chain of differentiators, their exact solutions, and studies
 * of them whose errors are kept. */
#ifndef SUPPORT_STUDY_BENCH_H
#define SUPPORT_STUDY_BENCH_H

#include <dae/model.h>
#include <dae/study.h>
#include <stdbool.h>

enum { POINTS_MOST = 2600, UNKNOWNS = 3 };

typedef enum plant { TANK1, TANK2, CHAIN } plant;
enum { PLANTS = 3 };

/* A model and what a study of it has told. */
typedef struct bench {
    plant plant;
    bool is_cosine;
    dae_model *model;
    dae_diagnostics *ds;
    const dae_problem *problem;
    bool is_rounded; /* start values and times are doubles */
    /* of the study */
    int first_told;             /* the first point that is computed */
    dae_long delta[UNKNOWNS];   /* what is wrong with point 0 */
    size_t points;              /* told */
    dae_long end[UNKNOWNS];     /* errors of the last point */
    dae_long largest[UNKNOWNS]; /* of all computed ones */
    dae_long sizes[UNKNOWNS];   /* largest modulus of the solution */
    dae_long error[POINTS_MOST][UNKNOWNS];
} bench;

/* With gamma = 1 + sin(t)/2 or 1 + cos(t)/2. */
void bench_make(bench *b, plant p, bool is_cosine);
void bench_clear(bench *b);
size_t bench_unknowns(const bench *b);
/* The solution at t. */
void bench_exact(const bench *b, dae_long t, dae_long *x);

/* A study from exact values, off by `delta` at point 0, whose points go to the
 * bench; what the bench holds is begun anew. */
dae_study bench_study(bench *b, int order, dae_study_precision precision,
    const dae_long *times, size_t count);
/* The same as it is, run; every point has to be told. */
void bench_run(bench *b, int order, dae_study_precision precision,
    const dae_long *times, size_t count);

#endif
