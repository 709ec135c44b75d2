/* Rides a search along steps as a run does: what turns is turned, and the step goes
 * on behind it. The root functions are given as functions of time. */
#ifndef UNIT_EVENTS_RIDE_H
#define UNIT_EVENTS_RIDE_H

#include "base/splitmix.h"
#include "check.h"
#include "events/search.h"
#include <float.h>

enum { RIDE_MOST = 400 };

typedef struct ride_event {
    double t;
    size_t index;
    int direction;
    double slope;
} ride_event;

typedef struct ride {
    arena memory;
    search *search;
    size_t count;
    dae_switch *switches;
    double *held, *lower, *upper;
    uint8_t *turned;
    search_values_fn *values;
    void *self;
    ride_event events[RIDE_MOST];
    size_t event_count, instants;
    search_found last;
} ride;

static inline void ride_begin(ride *r, size_t count, const dae_switch *switches,
    search_values_fn *values, void *self)
{
    memset(r, 0, sizeof *r);
    arena_init(&r->memory, alloc_or_default(NULL), 0);
    r->count = count;
    r->switches = ARENA_ARRAY(&r->memory, dae_switch, count);
    r->held = ARENA_ARRAY(&r->memory, double, count);
    r->lower = ARENA_ARRAY(&r->memory, double, count);
    r->upper = ARENA_ARRAY(&r->memory, double, count);
    r->turned = ARENA_ARRAY(&r->memory, uint8_t, count);
    assert_true(r->switches && r->held && r->lower && r->upper && r->turned);
    memcpy(r->switches, switches, count * sizeof *switches);
    r->values = values;
    r->self = self;
    CHECK_STATUS(search_init(&r->search, count, &r->memory), DAE_OK);
}

static inline void ride_end(ride *r)
{
    arena_clear(&r->memory);
}

/* Every switch is held at its value at t. */
static inline void ride_hold(ride *r, double t)
{
    double *g = calloc(r->count + 1, sizeof *g);
    assert_non_null(g);
    CHECK_STATUS(r->values(r->self, t, g), DAE_OK);
    for (size_t i = 0; i < r->count; i++)
        r->held[i] = region_value(r->switches[i].kind, g[i]);
    free(g);
    search_forget(r->search);
}

static inline double ride_other(uint8_t kind, double held, int direction)
{
    if (kind == DAE_SWITCH_FLOOR || kind == DAE_SWITCH_CEIL)
        return held + direction;
    if (kind == DAE_SWITCH_SIGN) return direction;
    return direction < 0;
}

/* Those of what is held. */
static inline void ride_regions(ride *r)
{
    for (size_t i = 0; i < r->count; i++) {
        const dae_switch *s = &r->switches[i];
        const bool is_break = s->domain == DAE_DOMAIN_BREAK;
        const region in = region_of(s->kind, is_break ? NAN : r->held[i]);
        r->lower[i] = in.lower, r->upper[i] = in.upper;
    }
}

/* One step, with all that turns in it. false: a value is lost, in r->last. */
static inline bool ride_step(ride *r, double from, double to)
{
    memset(r->turned, 0, r->count);
    for (;;) {
        ride_regions(r);
        const search_step step = {.from = from,
            .to = to,
            .values = r->values,
            .self = r->self,
            .lower = r->lower,
            .upper = r->upper,
            .has_turned = r->turned};
        CHECK_STATUS(search_run(r->search, &step, &r->last), DAE_OK);
        if (r->last.kind != SEARCH_TURNS) return r->last.kind == SEARCH_NONE;
        assert_true(r->last.count > 0);
        assert_true(to > from ? r->last.t >= from && r->last.t <= to
                              : r->last.t <= from && r->last.t >= to);
        memset(r->turned, 0, r->count);
        r->instants++;
        for (size_t k = 0; k < r->last.count; k++) {
            const search_crossing *c = r->last.crossings + k;
            assert_true(r->event_count < RIDE_MOST);
            r->events[r->event_count++] = (ride_event){
                r->last.t, c->index, c->direction, c->slope};
            const uint8_t kind = r->switches[c->index].kind;
            const bool is_jump = !isnan(c->behind);
            r->held[c->index] = is_jump
                ? region_value(kind, c->behind)
                : ride_other(kind, r->held[c->index], c->direction);
            r->turned[c->index] = 1;
        }
        if (!(fabs(r->last.t - to) > 0)) return true;
        from = r->last.t;
        search_forget(r->search);
    }
}

/* A number in [0, 1) and one below n, from a counter. */
static inline double ride_unit(uint64_t *seed)
{
    return 0.5 * (1 + splitmix_unit(splitmix(++*seed)));
}

static inline int ride_below(uint64_t *seed, int n)
{
    return (int)(splitmix(++*seed) % (uint64_t)n);
}

#endif
