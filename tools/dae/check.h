/* What a model is, as `dae check` shows it: a report (<dae/report.h>) or why there is none. */
#ifndef CHECK_H
#define CHECK_H

#include "limits.h"
#include <dae/report.h>

typedef struct check {
    const dae_model *model;       /* NULL: it does not compile */
    dae_report *report;           /* NULL: not made */
    const dae_analysis *analysis; /* its */
    /* Which equations and unknowns do not go together; NULL: all do, or it is
     * not known. */
    const dae_singular *singular;
    double seconds, atol; /* for unknowns without one of their own */
    double t0;            /* where it starts */
} check;

/* Analyses the model as `r` would solve it; `skip_start`: not its start. `ds`
 * may be NULL. DAE_OK: there is a report, whatever it says, to be freed. */
dae_status check_make(check *k, dae_run *r, bool skip_start, const limits *l,
    dae_diagnostics *ds);

/* Index and degrees of freedom; -1: none. */
int64_t check_index(const check *k);
int64_t check_freedom(const check *k);
/* Equations and unknowns that the user knows; others are never shown. */
bool check_shows_equation(const check *k, size_t i);
bool check_shows_unknown(const check *k, size_t j);
/* Slots that the equations contain: what differentiation adds to them is of no
 * use where it is not determined. */
bool check_shows_slot(const check *k, dae_slot slot);
/* A block that has any of these. */
bool check_shows_block(
    const check *k, const dae_structure *s, const dae_block *b);
/* The numbers confirm the index, at the start too. */
bool check_is_certified(const check *k);

#endif
