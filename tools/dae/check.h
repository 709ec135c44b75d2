/* What a model is, found without integrating it: its structure and whether its
 * start is consistent, or why its structure is singular. */
#ifndef CHECK_H
#define CHECK_H

#include "limits.h"
#include "messages.h"
#include <dae/analysis.h>
#include <dae/run.h>

typedef struct check {
    const dae_model *model; /* NULL: it does not compile */
    dae_analysis *analysis; /* NULL: not made */
    /* Which equations and unknowns do not go together; NULL: all do, or it is
   * not known. */
    const dae_singular *singular;
    dae_singular own;     /* that of an analysis */
    double seconds, atol; /* for unknowns without one of their own */
    double t0;            /* where it starts */
    /* The numbers of equations, unknowns and general conditions in the order of
     * the text. */
    int32_t *equation_at, *unknown_at, *condition_at;
    /* Places in the order of evaluation of the repaired structure, each fine
     * block's as the text has its unknowns; NULL: it is not regular. */
    int32_t *evaluated;
} check;

/* Analyses the model as `r` would solve it; `skip_start`: not its start. `ds`
 * may be NULL. DAE_OK: there is an analysis, whatever it says, to be freed with
 * dae_analysis_free. */
dae_status check_make(check *k, dae_run *r, bool skip_start, const limits *l,
    dae_diagnostics *ds);
/* What the analysis means for the command: DAE_OK; DAE_MODEL: no index, or
 * errors about structure (redundant equations that agree are none);
 * DAE_INCONSISTENT: also too few conditions; DAE_NUMERIC: no start was found.
 */
dae_status check_status(const check *k);

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
