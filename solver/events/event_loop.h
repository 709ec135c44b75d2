/* What a run knows of the switches, discrete variables and whens of its problem
 * (dae/events.h): what is held and true, where the last step ends, and the room
 * for what is done at one instant.
 *
 * A step ends where something turns (events/locate.h) and stands there, as it
 * was before, until what happens is evaluated (events/event.h). */
#ifndef EVENTS_EVENT_LOOP_H
#define EVENTS_EVENT_LOOP_H

#include "base/arena.h"
#include "linalg/layout.h"
#include "linalg/naming.h"
#include "run/run.h"
#include <dae/analysis.h>

/* An assignment that is made. */
typedef struct made_assignment {
    size_t assignment; /* of dae_events */
    const dae_assignment *of;
    size_t
        slot; /* where that lives: below `states` in x, from there on in xp */
    double value;
    double before; /* of what is no discrete variable */
} made_assignment;

/* What jumps of what is integrated though nobody has assigned to it; so many are told. */
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

/* The caller's values at an instant. */
typedef struct event_point {
    double *x_before, *xp_before, *held_before;
    double *x, *xp;     /* of this round */
    double *held_last;  /* of the round before */
    double *g, *g_last; /* switches: at x; in the round before */
    double *g_unset;    /* the same at x, but for what has been assigned in
                                 this round, where anything has */
    double *noise, *rounding; /* switches: what tolerances, and rounding, of x
                                 make of g */
} event_point;

/* Where the last step ends. */
typedef struct event_stop {
    bool has_event;      /* something changes side there, or a break is */
    bool is_break;       /* a break is there */
    bool is_passed;      /* an event there has been dealt with */
    double t;            /* of that */
    size_t *crossing;    /* switches found to cross there, ascending, */
    double *crossing_to; /* the values they take, */
    struct search_crossing *crossed; /* and how the search found them */
    size_t crossing_count;
    uint8_t *jumps;        /* switches: crosses there by a jump of g itself */
    bool has_from;         /* where the next step begins: */
    uint8_t *from;         /* switches: as search_step has it */
    bool is_solved_inside; /* g inside the step: what follows from states is
                              solved for */
    bool is_solved_for;    /* what crosses has been found like that */
} event_stop;

/* What has been done at an instant. */
typedef struct event_instant {
    bool is_start;    /* the first one of a run */
    bool is_open;     /* the values before have been taken */
    bool is_reported; /* the phase BEFORE */
    bool is_noted;    /* by `recurrence` */
    bool is_settled;  /* all but the phase AFTER is done */
    bool has_jumped;  /* what is integrated has been assigned to */
    bool has_changed; /* the equations have at the point */
    bool is_restart;
    double jumped_at;       /* when anything jumped last; NaN: never */
    bool is_trial;          /* what contradicts is not reported */
    bool has_moved;         /* anything has been assigned */
    bool has_set;           /* in this round */
    bool is_settling;       /* switches change side; no when is asked before
                              that has ended */
    double *sides_settling; /* when that began */
    int cycles; /* events in a row at which switches turned each other round */
    bool is_cycle;     /* this one */
    size_t chattering; /* the switch that chatters in this round; SIZE_MAX */
} event_instant;

/* Switches at an instant. */
typedef struct event_turn {
    bool *is_near;           /* on its threshold */
    double *rate;            /* dg/dt where it was asked, else 0 */
    double *rate_other;      /* the same when it changed side last */
    struct flow_root *along; /* events/threshold.h */
    int32_t *pushes;         /* led back by each side */
    int32_t *turns;          /* changes of side since anything was assigned */
    uint8_t *has_turned;     /* at this instant */
    double *blow;   /* unknowns: integral over the moment of a jump; else 0 */
    bool is_struck; /* a blow is of a sign that its side does not have */
    bool *
        is_pressed; /* switches: a blow tells the side, during the jump alone */
} event_turn;

/* Switches that equations hold on their threshold: events/sides.h. */
typedef struct event_locked {
    uint8_t *is, *is_next; /* after this instant */
    size_t count;
    uint8_t *leaves; /* they have been, and are on the threshold yet */
    size_t leaving_count;
    double *leave_size; /* of those, and of what is on its threshold where the
                           step begins: see search_step, else 0 */
    double *threshold, *width; /* and how far g may be from it */
} event_locked;

/* Switches that are inactive: events/inactive.h. */
typedef struct event_inactive {
    uint8_t *how, *how_before; /* at the beginning of the instant */
    double *width;             /* of those at equilibrium on their threshold:
                                  beyond, they become active; */
    double *side;              /* what whens see */
} event_inactive;

/* Switches that are free for a step: events/locate.h. */
typedef struct event_free {
    bool is_on;
    int attempts;  /* at a step */
    double *sides; /* what they were */
} event_free;

/* A mode that has been analysed. */
typedef struct known_mode {
    double *held;
    uint8_t *needed; /* then: as dae_needed_fn has it */
    dae_analysis *analysis;
} known_mode;
enum { MODES_KEPT = 32 }; /* a three-phase bridge meets 16 to 28 */

/* What steps: events/mode.h. */
typedef struct event_engine {
    known_mode known[MODES_KEPT];
    size_t known_count;
    struct mode *mode; /* NULL: of the start */
    int64_t index;     /* of the equations */
    bool has_kept;     /* another engine stepped before this instant: */
    struct {
        engine *engine;
        reduction *reduction;
        struct mode *mode;
        int64_t index;
    } kept;
    uint64_t reported; /* indices, bits */
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
    struct flow_root *along;
    uint8_t *needed; /* twice held_count */
} event_room;

typedef struct event_loop {
    const dae_events *of;
    arena memory;
    struct search *search;         /* events/search.h */
    struct recurrence *recurrence; /* events/recurrence.h */
    size_t held_count;             /* discrete variables and switches */
    layout layout;                 /* of the caller's x and xp, */
    size_t states, unknowns;       /* and their sizes */
    double *held;                  /* of->held */
    double *sides;                 /* held of the switches */
    uint8_t *always;               /* held_count: needed whatever is held */
    double break_at;               /* the next one; NaN: to be asked for */
    event_engine engine;
    event_stop stop;
    event_instant instant;
    event_point point;
    event_turn turn;
    event_whens whens;
    event_locked locked;
    event_inactive inactive;
    event_free free;
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
const struct search_crossing *event_loop_crossing(
    const event_loop *e, size_t k);

/* e->point.x and e->point.xp are those before the instant again. */
void event_loop_go_back(event_loop *e);
/* Exchanges numbers. */
void event_loop_swap(double *a, double *b, size_t count);

/* dae_needed_fn of what is held, into held_count numbers; all where it is not known. */
dae_status event_loop_needed(
    const event_loop *e, void *self, uint8_t *needed) DAE_MUST_CHECK;

#endif
