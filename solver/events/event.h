/* What a run knows of the switches, discrete variables and whens of its problem
 * (dae/events.h), and what is done at one instant.
 *
 * A step ends where a switch crosses (events/locate.h) and stands there, as it was
 * before, until event_handle: switches that have crossed change side; conditions are
 * evaluated with what is held then; those that become true fire; their right sides see
 * the values just before, and all assignments are made at once; the point is made
 * consistent again. Then the same again with the new values, until nothing changes. */
#ifndef EVENTS_EVENT_H
#define EVENTS_EVENT_H

#include "base/arena.h"
#include "base/modes.h"
#include "events/search.h"
#include "linalg/layout.h"
#include "linalg/naming.h"
#include "run/run.h"
#include <dae/analysis.h>

/* How a root function goes on from an instant (flow_roots). */
typedef struct flow_root {
    /* its first coefficient, of order 1 to FLOW_ORDER, that is not 0 to rounding; 0 and
     * FLOW_ORDER + 1: all are 0; 0 and 0: it is not known */
    double coefficient;
    int order;
    double doubt; /* how far its value may be off */
} flow_root;

/* Why a switch is inactive: it has no value; it is at equilibrium on its threshold; it
 * changes side without end and its branches agree to tolerance, or nothing reads it; steps
 * fail beside its threshold. */
enum { ACTIVE, VALUELESS, EQUILIBRIUM, AGREEING, FREE };

/* A switch, at an instant unless it says otherwise. */
typedef struct event_switch {
    const dae_switch *of;
    double noise, rounding; /* what tolerances, and rounding, make of g */
    bool is_near;           /* g is on its threshold */
    bool jumps;             /* it crosses by a jump of g itself */
    bool is_pressed;        /* a blow tells its side, during the jump alone */
    double rate;            /* dg/dt where it was looked at, else 0 */
    double rate_other;      /* the same when it changed side last */
    int pushes;             /* led back by each side */
    int turns;              /* changes of side since anything was assigned */
    uint8_t has_turned;     /* TURNED bits */
    double turned_at; /* when it changed side last, before this; NaN: never, */
    int heading; /* and where the equations led it from there; 0: not known */
    bool
        is_read; /* a jump has put it on its threshold at this instant: as the text */
    /* between instants: locked switches (events/sides.h) */
    bool is_locked, is_locked_next; /* the latter after this instant */
    bool leaves; /* it has been locked, and is on its threshold yet */
    double threshold, width; /* and how far g may be from it */
    /* between instants: inactive ones (events/locate.h) */
    uint8_t inactive, inactive_before;
    double rest_at, rest_width; /* at equilibrium: beyond, it becomes active; */
    double rest_side;           /* what whens see */
    double idle_side; /* what equations see; NaN: as the text has it */
} event_switch;

/* An assignment that is made. */
typedef struct made_assignment {
    size_t assignment; /* of dae_events */
    const dae_assignment *of;
    size_t slot; /* of x and xp */
    double value;
    double before; /* of what is no discrete variable */
} made_assignment;

/* What jumps of what is integrated though nobody has assigned to it; so many are
 * listed. */
enum { JUMPS_TOLD = 3 };
typedef struct jump_note {
    size_t count, length; /* of them; of the text */
    bool is_least;
    char text[NAMING_SIZE * 4], name[NAMING_SIZE];
} jump_note;

/* Whens, and what they do at an instant. */
typedef struct event_whens {
    uint8_t *truth, *truth_before; /* true last; when the instant began */
    uint8_t *fires, *has_fired; /* in this round; how often at this instant */
    double *conditions, *right_sides;
    made_assignment *made; /* of this round */
    size_t made_count;
    size_t *turned, *fired; /* switches and whens, for the phase AFTER */
    size_t turned_count, fired_count;
} event_whens;

/* The caller's values at an instant; xp follows x in one vector of all slots. */
typedef struct event_point {
    double *x_before, *xp_before, *held_before;
    double *sides_before,
        *sides_last;    /* of switches in held_before, held_last */
    double *x, *xp;     /* of this round */
    double *held_last;  /* of the round before */
    double *g, *g_last; /* switches: at x; in the round before */
    double *g_before;   /* at x_before */
    double *g_unset;    /* the same at x, but for what has been assigned in
                                 this round, where anything has */
} event_point;

/* Where the last step ends. */
typedef struct event_stop {
    bool has_event;           /* something changes side there, or a break is */
    bool is_break;            /* a break is there */
    bool is_passed;           /* an event there has been dealt with */
    double t;                 /* of that */
    search_crossing *crossed; /* switches that cross there, ascending */
    size_t crossing_count;
    uint8_t
        *from; /* switches, where the next step begins: as search_step has it */
    search_step step; /* of the search, and what it has found */
    search_found found;
    bool is_solved_inside; /* g inside the step: what follows from states is
                              solved for */
    bool is_solved_for;    /* what crosses has been found like that */
} event_stop;

/* How far an instant has been dealt with: the values before have been taken; `recurrence`
 * has noted it; the phase BEFORE is reported; all but the phase AFTER is done. */
typedef enum instant_stage {
    INSTANT_NEW,
    INSTANT_OPEN,
    INSTANT_NOTED,
    INSTANT_REPORTED,
    INSTANT_SETTLED
} instant_stage;

/* What has been done at an instant. */
typedef struct event_instant {
    instant_stage stage;
    bool is_start;     /* the first one of a run */
    bool has_jumped;   /* an integrated value has, or */
    bool has_assigned; /* it has been assigned to */
    bool has_changed;  /* the equations have at the point */
    bool is_restart;
    double jumped_at; /* when anything jumped last; NaN: never */
    bool is_trial;    /* what contradicts is not reported */
    bool
        is_misled; /* the step leads a switch elsewhere than its equations do */
    bool has_moved;         /* anything has been assigned */
    bool has_set;           /* in this round */
    bool is_settling;       /* switches change side; no when is evaluated before
                              that has ended */
    double *sides_settling; /* when that began */
    size_t chattering; /* the switch that chatters in this round; SIZE_MAX */
    double *blow;   /* unknowns: integral over the moment of a jump; else 0 */
    bool is_struck; /* a blow is of a sign that its side does not have */
    modes_outcome tried; /* of a search that found none; else `tried` is 0 */
} event_instant;

/* A mode that has been analysed. */
typedef struct known_mode {
    double *held;
    uint8_t *needed; /* then: as dae_needed_fn has it */
    dae_analysis *analysis;
} known_mode;
enum { MODES_KEPT = 32 }; /* a three-phase bridge meets 16 to 28 */

/* What steps: events/mode.h. */
typedef struct stepping {
    engine *engine;
    reduction *reduction;
    struct mode *mode; /* NULL: of the start */
    int64_t index;     /* of the equations */
} stepping;

typedef struct event_engine {
    known_mode known[MODES_KEPT];
    size_t known_count;
    struct mode *mode; /* as of `stepping`, beside r->engine and r->reduction */
    int64_t index;
    bool has_kept; /* another engine stepped before this instant: */
    stepping kept;
    uint64_t reported; /* indices, bits; that of the start is */
} event_engine;

/* What is reported once. */
typedef struct event_reports {
    bool staying;   /* W0528 */
    bool counted;   /* N0530 */
    bool has_jump;  /* W0527 */
    bool has_slid;  /* N0532, and that it has ended */
    size_t slides;  /* the switch with which it began; SIZE_MAX */
    jump_note jump; /* events/event_report.h */
} event_reports;

typedef struct event_room {
    double *x, *xp, *g, *sides;
    double *kept; /* x and xp */
    flow_root *along;
    uint8_t *needed; /* twice held_count */
} event_room;

typedef struct event_loop {
    run *run; /* whose events they are, from its start on */
    const dae_events *of;
    arena memory;
    search *search;
    struct recurrence *recurrence; /* events/recurrence.h */
    size_t count;                  /* switches */
    size_t held_count;             /* discrete variables and switches */
    layout layout;                 /* of the caller's x and xp, */
    size_t states, unknowns;       /* and their sizes, */
    size_t slots;                  /* together */
    double *held;                  /* of->held */
    double *sides;                 /* held of the switches */
    uint8_t *always;               /* held_count: needed whatever is held */
    double break_at;               /* the next one; NaN: to be looked up */
    event_switch *at;              /* switches */
    flow_root *along;              /* switches, at an instant */
    double *lower, *upper; /* switches: the regions they are searched in */
    double *
        leave_size; /* switches: of those that leave, and of what is on its threshold
                           where the step begins: see search_step, else 0 */
    size_t locked_count, leaving_count;
    bool has_free;     /* any is FREE; steps have been */
    int free_attempts; /* tried again so often */
    event_engine engine;
    event_stop stop;
    event_instant instant;
    event_point point;
    event_whens whens;
    event_reports reports;
    event_room room;
} event_loop;

/* NULL where the problem has no events. DAE_MEMORY. */
dae_status event_loop_create(const dae_problem *problem,
    const dae_allocator *allocator, event_loop **out) DAE_MUST_CHECK;
void event_loop_free(event_loop *e);

/* Before a start is looked for: discrete variables at their start, switches
 * free. Fine with NULL. */
void event_loop_begin(event_loop *e);

/* The mode that a start has been found in (dae/analysis.h); fine with NULL. */
void event_loop_take(event_loop *e, const double *sides);

/* How a switch crosses where the last step ends; NULL: it does not. */
const search_crossing *event_loop_crossing(const event_loop *e, size_t k);

/* e->point.x and e->point.xp are those before the instant again. */
void event_loop_go_back(event_loop *e);
/* Exchanges numbers. */
void event_loop_swap(double *a, double *b, size_t count);

/* dae_needed_fn of what is held, into held_count numbers; all where it is not known. */
dae_status event_loop_needed(
    const event_loop *e, uint8_t *needed) DAE_MUST_CHECK;

/* After a start, whose direction is known: switches are held, each on the side to which
 * the flow leads. Where a when fires at once the run stands at an event there. Fine
 * without events. */
dae_status event_start(run *r) DAE_MUST_CHECK;
/* Deals with the event at which the run stands. DAE_STOPPED: it ended the run;
 * everything is done. After another failure the run stands there as before. */
dae_status event_handle(run *r) DAE_MUST_CHECK;

#endif
