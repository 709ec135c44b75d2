/* One solution of a model: set up from the settings, consistent start, steps, and every
 * point of interest shown to whoever wants it. A run has one, and makes others to compare
 * it with. */
#ifndef RUN_SOLUTION_H
#define RUN_SOLUTION_H

#include "run/grid.h"
#include "run/settings.h"
#include <dae/closed_form.h>

/* So many times the tolerances that are requested. */
typedef struct tolerance_factors {
    double rtol, atol;
} tolerance_factors;

/* What solutions have in common that are compared. */
typedef struct run_request {
    dae_model *model;
    settings settings;
    const char *prefix; /* what stands before names of settings in messages */
    const dae_allocator *allocator;
    dae_interrupt_fn *interrupt; /* NULL: nobody asks */
    void *interrupt_context;
    dae_step_fn *on_step; /* likewise */
    void *step_context;
} run_request;

/* Sees the points in order; DAE_OK, or a status that stops the run. */
typedef dae_status point_fn(void *context, const dae_point *p);

/* Looks at an accepted step, of which no point has been shown yet. */
struct solution;

typedef dae_status look_fn(
    void *context, struct solution *r, double before, double end);

/* What is still to come: output times, marks. */
typedef struct schedule {
    double direction;
    int64_t next_row; /* of a listed grid */
    size_t next_mark;
} schedule;

/* An accepted step, or a part of it, whose points are shown. */
typedef struct stretch {
    double before, end;
    int64_t parts,
        part; /* rows in it and the next, where the grid is not listed */
    bool is_last;
    bool is_open;  /* its end belongs to an event, or is shown later */
    bool is_begun; /* and not shown up to its end */
} stretch;

/* What the problem's start and events are made of in restart.c; x NULL: nothing yet. */
typedef struct restart_room {
    double *x, *xp, *discretes;
    uint8_t *x_fixed, *x_guessed, *xp_fixed, *xp_guessed, *truths;
    dae_when *whens;
} restart_room;

typedef struct solution {
    const run_request *request;
    dae_diagnostics *ds;
    arena memory;
    dae_model *model;
    /* the problem as solved: the model's with the tolerances of the caller */
    dae_problem problem;
    dae_scales scales;
    dae_start start;
    restart_room again; /* of a run that has begun anew */
    dae_events events;
    double *atols; /* of the problem's unknowns; NULL: the model's */
    size_t *
        unknown_at; /* the model's in the order of the text; NULL: as they are */
    size_t *discrete_at; /* discrete variables in that order */
    size_t state_count, unknown_count, observation_count, discrete_count;
    double t0, t1;
    dae_options options;
    int64_t given_max_steps;
    tolerance_factors factors; /* 1, or others for a run to compare with */
    grid grid;
    /* who watches */
    point_fn *see;
    dae_event_fn
        *hear;     /* of events that have been dealt with; NULL: nobody asks */
    look_fn *look; /* likewise */
    void *context;
    struct tape *tape;   /* run/tape.h; NULL: none follows */
    unsigned wants;      /* kinds of points that `see` has a use for */
    unsigned wants_all;  /* of these: with x, xp and every observation */
    dae_observer *few;   /* what is observed at other points; NULL: all */
    const double *marks; /* times in the order of the run */
    size_t mark_count;
    /* results */
    dae_solver *solver;
    double t; /* where it stands */
    double *x, *xp, *observed, *discretes;
    double *observed_before; /* on the side BEFORE of the last event */
    unsigned side; /* DAE_POINT_BEFORE, _AFTER: x, xp, discretes are those of an
                        event, behind which no step was made */
    int told;      /* TOLD_..., of the event at hand */
    int64_t event_count; /* instants, and the last of them */
    double last_event;
    bool is_stopped; /* by `stop`, of this when */
    size_t stop;
    schedule schedule;
    stretch stretch;
    double
        step_end; /* of the step of which no point beyond t has been shown; NaN:
                         all have */
    double inside;       /* x is the last step's here; NaN: it may not be */
    bool inside_slopes;  /* and so is xp */
    bool inside_few;     /* and so are the observations of `few` */
    double *places;      /* of walk_places; NULL: none were requested */
    const size_t *slots; /* of x that are read with `few`; NULL: all */
    size_t slot_count;
    dae_closed_form *exact; /* with `start` exact */
    double *start_observed; /* at the consistent start */
    bool has_start;         /* the start is consistent: x, xp hold values */
    bool has_begun;         /* and steps have been asked for */
    bool has_ended;         /* at t1, or by `stop` */
    double last_row;        /* time of the last row shown */
} solution;

/* From the settings, the tolerances so many times what they say; `is_whole`: for
 * steps, which want an end. What cannot be is reported to `ds`. Clear also after
 * failure. */
dae_status solution_init(solution *r, const run_request *q,
    tolerance_factors factors, bool is_whole, dae_diagnostics *ds);
/* Of one to compare with: so many steps at most, if not fewer are requested. */
void solution_limit_steps(solution *r, double most);
void solution_clear(solution *r);
/* Makes the solver, which a start does where it has not been made. */
dae_status solution_create(solution *r);
/* Makes the consistent start; shows DAE_POINT_START. */
dae_status solution_start(solution *r);
/* Steps to `t`, to the end, or to a `stop` (is_stopped, DAE_OK), or, `to_event`, to the
 * end of the first step that has dealt with an event. After a failure x, xp, t stand at
 * the last good point, which has been shown as a row. */
dae_status solution_advance(solution *r, double t, bool to_event);
/* To the end. */
dae_status solution_steps(solution *r);
/* The tolerances that the caller has asked for, whatever the factors: the relative
 * one, and the absolute one of the problem's unknown j. */
/* The k-th unknown in the order of the text. */
size_t solution_unknown_at(const solution *r, size_t k);
double solution_rtol(const solution *r);
double solution_atol(const solution *r, size_t j);
/* The last event is so near to where the run stands, of the interval, that it may
 * still be ahead of another run. */
bool solution_ends_at_event(const solution *r);
/* Observation k is a let or an output, which rows show. */
static inline bool solution_is_output(const solution *r, size_t k)
{
    const dae_observed kind = dae_model_observation_kind(r->model, k);
    return kind == DAE_OBSERVED_LET || kind == DAE_OBSERVED_OUTPUT;
}
/* The text of the last error in `ds`; NULL: there is none. */
const char *solution_last_error(const dae_diagnostics *ds);
/* The discrete variables of a model have their first values again, its switches
 * are free: before anything else is asked of one that has been run. */
void solution_rest(const dae_problem *problem);

/* A run that begins anew where it stands, with other params. */

/* States keep their values, slopes and unknowns without derivatives are found anew, with
 * all switches free; a `when` that turns true by it fires with the next step. What the solver says where they are not found.
 * Its counters begin again. */
dae_status solution_restart(solution *r);

#endif
