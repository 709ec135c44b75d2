/* A run of a model given as text, in parts: for tests that step it themselves. */
#ifndef RIDE_H
#define RIDE_H

#include "check.h"
#include <dae/model.h>
#include <dae/solver.h>
#include <string.h>

enum { RIDE_ROOM = 16 }; /* states that a test has room for */

typedef struct ride {
    dae_diagnostics *ds;
    dae_model *model;
    const dae_problem *p;
    dae_solver *s;
} ride;

static inline void ride_parse(ride *r, const char *text)
{
    memset(r, 0, sizeof *r);
    CHECK_STATUS(dae_diagnostics_create(NULL, &r->ds), DAE_OK);
    CHECK_STATUS(dae_model_parse("example.dae", text, strlen(text), NULL, NULL,
                     r->ds, &r->model),
        DAE_OK);
    r->p = dae_model_problem(r->model);
    assert_true(dae_problem_state_count(r->p) <= RIDE_ROOM);
}

/* At its start. */
static inline void ride_start(ride *r, const char *text, dae_options options)
{
    ride_parse(r, text);
    CHECK_STATUS(dae_solver_create(r->p, &options, NULL, r->ds, &r->s), DAE_OK);
    CHECK_STATUS(dae_solver_initialize(r->s), DAE_OK);
}

static inline void ride_close(ride *r)
{
    dae_solver_free(r->s);
    dae_model_free(r->model);
    dae_diagnostics_free(r->ds);
}

#endif
