/* One solution of a model: setup from the model's `solve` line and the
 * command line, consistent start, steps, and every point of interest shown to
 * whoever wants it. Shared by run, init, test and the error estimate. */
#ifndef RUN_H
#define RUN_H

#include "args.h"
#include "closed_form.h"
#include "grid.h"
#include "limits.h"
#include "messages.h"

/* Why a point is shown. */
enum {
    POINT_START = 1,
    POINT_ROW = 2,     /* an output time */
    POINT_STEP = 4,    /* the end of an accepted step */
    POINT_MARK = 8,    /* one of run.marks */
    POINT_END = 16,    /* the end of the interval was reached, or a `stop` */
    POINT_BEFORE = 32, /* something turns or fires at this time: nothing has */
    POINT_AFTER = 64,  /* everything has */
    POINT_INSIDE = 128 /* within a step, whatever the output times */
};

typedef struct point {
    unsigned why;
    double t;
    const double *x, *xp;    /* as the problem lays them out */
    const double *discretes; /* every discrete variable */
    const double *observed;  /* every observation of the model */
} point; /* of points that are not in run.wants_all run.slots and run.few alone are known */

/* Sees the points in order; DAE_OK, or a status that stops the run. */
typedef dae_status point_fn(void *context, const point *p);

/* Looks at an accepted step, of which no point has been shown yet. */
struct run;
typedef dae_status look_fn(
    void *context, struct run *r, double before, double end);

struct why;

/* Hears of an event when it has been dealt with. */
typedef dae_status event_fn(void *context, const dae_event *e);

/* What is still to come: output times, marks. */
typedef struct schedule {
    double direction;
    int64_t next_row; /* of a listed grid */
    size_t next_mark;
} schedule;

typedef struct run_times {
    double analyse, initialize, solve; /* seconds */
} run_times;

typedef struct run {
    const args *args;
    limits *limits;
    messages *messages;
    dae_model *model;
    /* the problem as solved: the model's with the tolerances of --atol */
    dae_problem problem;
    dae_scales scales;
    dae_start start;
    double *atols;       /* of the problem's unknowns; NULL: the model's */
    size_t *unknown_at;  /* the model's in the order of the text */
    size_t *discrete_at; /* likewise the discrete variables */
    size_t state_count, unknown_count, observation_count, discrete_count;
    double t0, t1;
    dae_options options;
    double tolerance_factor; /* 1, or another for a run to compare with */
    grid grid;
    /* who watches */
    point_fn *see;
    event_fn *hear; /* NULL: nobody asks */
    look_fn *look;  /* likewise */
    void *context;
    struct why *why;     /* NULL: nobody asks what sets the steps */
    unsigned wants;      /* kinds of points that `see` has a use for */
    unsigned wants_all;  /* of these: with x, xp and every observation */
    dae_observer *few;   /* what is observed at other points; NULL: all */
    const double *marks; /* times in the order of the run */
    size_t mark_count;
    /* results */
    dae_solver *solver;
    double t; /* where it stands */
    double *x, *xp, *observed, *discretes;
    double *observed_before; /* on the side POINT_BEFORE of the last event */
    unsigned side; /* POINT_BEFORE, POINT_AFTER: x, xp, discretes are those of
                        an event, behind which no step was made */
    int64_t event_count; /* instants, and the last of them */
    double last_event;
    bool is_stopped; /* by `stop`, of this when */
    size_t stop;
    schedule schedule;
    double inside;       /* x is the last step's here; NaN: it may not be */
    bool inside_slopes;  /* and so is xp */
    bool inside_few;     /* and so are the observations of `few` */
    double *places;      /* of walk_places; NULL: none were requested */
    const size_t *slots; /* of x that are read with `few`; NULL: all */
    size_t slot_count;
    closed_form exact;      /* with --start exact */
    double *start_observed; /* at the consistent start */
    bool has_start;         /* the start is consistent: x, xp hold values */
    run_times times;
    double last_row; /* time of the last row shown */
} run;

/* From the model's settings and the arguments. Wrong use and whatever the
 * model lacks is in the messages. Clear also after failure. */
dae_status runner_init(run *r, const args *a, limits *l, messages *m,
    dae_model *model, double tolerance_factor);
void runner_clear(run *r);
/* Makes the solver and the consistent start; shows POINT_START. */
dae_status runner_start(run *r);
/* Steps to the end, or to a `stop` (run.is_stopped, DAE_OK). After a failure x,
 * xp, t stand at the last good point, which has been shown as a row. */
dae_status runner_steps(run *r);
/* The tolerances that the user has asked for, whatever the factor: the relative
 * one, and the absolute one of the problem's unknown j. */
double runner_rtol(const run *r);
double runner_atol(const run *r, size_t j);
/* The last event is so near to where the run stands, of the interval, that it may
 * still be ahead of another run. */
bool runner_ends_at_event(const run *r);
/* The discrete variables of a model have their first values again, its switches
 * are free: before anything else is asked of one that has been run. runner_init
 * and runner_clear do that. */
void runner_rest(const dae_problem *problem);

#endif
