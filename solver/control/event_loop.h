/* What a run knows of the switches, discrete variables and whens of its problem
 * (dae/events.h): what is held and true, where the last step ends, and the room
 * for what is done at one instant.
 *
 * A step ends where something turns (control/turning.h) and stands there, as it
 * was before, until what happens is asked for (control/happen.h). */
#ifndef CONTROL_EVENT_LOOP_H
#define CONTROL_EVENT_LOOP_H

#include "base/arena.h"
#include "linalg/naming.h"
#include "run/run.h"

/* An assignment that is made. */
typedef struct made_assignment {
    size_t assignment; /* of dae_events */
    double value;
    double before; /* of what is no discrete variable */
} made_assignment;

/* What jumps of what is integrated though nobody has assigned to it. */
typedef struct jump_note {
    size_t count, length; /* of them; of the text */
    bool is_least;
    char text[NAMING_SIZE * 4], name[NAMING_SIZE];
} jump_note;

typedef struct event_loop {
    const dae_events *of;
    arena memory;
    struct search *search;         /* events/search.h */
    struct recurrence *recurrence; /* events/recurrence.h */
    size_t held_count;             /* discrete variables and switches */
    size_t states, unknowns;       /* of the caller's x and xp */
    double *held;                  /* of->held */
    double *sides;                 /* held of the switches */
    uint8_t *truth,
        *truth_before; /* whens: what was true last; at this instant */
    double break_at;   /* the next one told; NaN: to be asked for */
    /* what steps (control/mode.h) */
    struct mode *mode; /* it is of; NULL: of the start */
    bool has_kept;     /* another engine stepped before this instant: */
    struct {
        engine *engine;
        reduction *reduction;
        struct mode *mode;
        int64_t index;
    } kept;
    int64_t index;         /* of the equations */
    uint64_t told_indices; /* bits */
    bool is_told_staying;  /* W0528 */
    jump_note jump;        /* control/jumped.h */
    bool is_told_counted;  /* N0530 */
    bool is_jump_told;
    /* where the last step ends */
    bool stands;         /* something turns there */
    bool is_break;       /* a break is there */
    bool is_passed;      /* an event there has been dealt with */
    double t;            /* of that */
    size_t *crossing;    /* switches found to cross there, ascending, */
    double *crossing_to; /* and the values they turn to */
    struct search_crossing *crossed; /* as the search told them */
    uint8_t *jumps; /* switches: crosses there by a jump of g itself */
    size_t crossing_count;
    uint8_t *asleep;        /* switches: control/asleep.h */
    uint8_t *asleep_before; /* at this instant */
    double *still_size;  /* of those that lie still (control/still.h): beyond,
                            they wake; */
    double *still_side;  /* what whens see */
    bool is_freed;       /* switches are free: control/freeing.h, */
    int free_attempts;   /* in so many attempts at a step */
    double *side_before; /* what they were */
    bool has_edges;      /* where the next one begins: */
    uint8_t *from_edge;  /* switches: g is where they turn, or turned; as
                            search_step has it */
    /* what has been done at that instant */
    bool is_open;     /* the values before have been taken */
    bool is_told;     /* the phase BEFORE */
    bool is_noted;    /* by `recurrence` */
    bool is_settled;  /* all but the phase AFTER is done */
    bool has_jumped;  /* what is integrated has been assigned to */
    bool has_changed; /* the equations have at the point */
    bool is_restart;
    uint8_t *always;  /* held_count: needed whatever is held */
    uint8_t *needed;  /* twice held_count: room */
    double jumped_at; /* when that was last; NaN: never */
    double *x_before, *xp_before, *held_before;
    double *x, *xp;         /* of this round */
    double *held_last;      /* of the round before */
    double *g, *g_last;     /* switches: at x; in the round before */
    double *g_unset;        /* the same at x, but for what has been assigned in
                                 this round, where anything has */
    bool has_moved;         /* anything has */
    bool has_set;           /* in this round */
    bool is_settling;       /* no when is asked before switches are at rest */
    double *sides_settling; /* when that began */
    double *room_sides;
    double *noise, *rounding; /* switches: what tolerances, and rounding, of x
                                 make of g */
    double *rate;             /* switches: dg/dt where it was asked, else NaN */
    struct flow_root *along, *room_along; /* switches: control/flow.h */
    double *rate_other; /* the same when the switch was turned last */
    double *conditions, *right_sides;
    bool *at_edge;               /* switches: g is where they turn */
    uint8_t *rests, *rests_next; /* switches: control/resting.h; behind this
                                    instant */
    size_t resting_count;
    uint8_t *leaves; /* switches: they have rested, and are at the edge yet */
    size_t leaving_count;
    double *leave_size; /* of those, and of what is at its edge where the step
                              begins: see search_step, else 0 */
    bool is_solved_inside; /* g inside the step: what follows from states is
                              solved for */
    bool is_solved_for;    /* what turns at e->t has been found like that */
    double *rest_edge, *rest_width; /* where, and how far g may be from it */
    int32_t *pushes;                /* switches: turned back at the edge */
    int32_t *turns;                 /* switches: since anything was assigned */
    int cycles; /* events in a row at which switches turned each other round */
    bool is_cycle; /* this one */
    size_t
        chattering; /* the switch that turns to and fro in this round; SIZE_MAX */
    uint8_t *has_turned;        /* switches: at this instant */
    bool is_start;              /* the first instant of a run */
    uint8_t *fires, *has_fired; /* whens: in this round; how often at this
                                   instant */
    size_t *turned, *fired;     /* lists for the phase AFTER */
    size_t turned_count, fired_count;
    made_assignment *made; /* of this round */
    size_t made_count;
    double *room_x, *room_xp, *room_g;
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

/* dae_needed_fn of what is held, into held_count numbers; all where it is not known. */
dae_status event_loop_needed(
    const event_loop *e, void *self, uint8_t *needed) DAE_MUST_CHECK;

#endif
