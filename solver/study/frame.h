/* What both precisions of a study share, and how a failed step is told. */
#ifndef STUDY_FRAME_H
#define STUDY_FRAME_H

#include "study/matrix.h"

enum {
    STUDY_PAST = 7,      /* points: six of BDF6's past and the new one */
    STUDY_FINE_STEPS = 4 /* of Radau IIA for a step of the start */
};

typedef struct frame {
    const dae_problem *problem;
    const dae_study *study;
    const layout *layout;
    const dae_allocator *allocator;
    dae_diagnostics *ds;
    dae_study_counts *counts;
} frame;

/* Where a step failed; NaN, SIZE_MAX: not known. */
typedef struct step_fault {
    double t, h;
    int order;
    size_t equation, unknown;
    const double *x, *xp; /* the stage, for the words of E0503 */
} step_fault;

/* Each writes a diagnostic and returns DAE_NUMERIC. */
dae_status frame_tell_singular(
    const frame *f, const matrix *m, step_fault fault);
dae_status frame_tell_nonfinite(const frame *f, step_fault fault);
dae_status frame_tell_convergence(const frame *f, step_fault fault);
/* DAE_INTERRUPTED (E0005) where the caller wants to stop. */
dae_status frame_ask(const frame *f, double t) DAE_MUST_CHECK;

/* run_double.c and run_long.c: the study in one precision. */
dae_status run_study_double(const frame *f) DAE_MUST_CHECK;
dae_status run_study_long(const frame *f) DAE_MUST_CHECK;

#endif
