/* search.c on root functions that are no polynomials, on many of them at once, and
 * what that costs. */
#include "events_ride.h"

enum { MANY = 3000 };
static const double pi = 3.14159265358979323846;

/* Any number of functions amplitude*sin(speed*t + phase) - level. */
typedef struct waves {
    size_t count;
    double amplitude[MANY], speed[MANY], phase[MANY], level[MANY];
    int64_t calls;
} waves;

static dae_status waves_value(void *self, double t, double *g)
{
    waves *w = self;
    w->calls++;
    for (size_t i = 0; i < w->count; i++)
        g[i] = w->amplitude[i] * sin(w->speed[i] * t + w->phase[i])
            - w->level[i];
    return DAE_OK;
}

static waves *new_waves(size_t count)
{
    waves *w = calloc(1, sizeof *w);
    assert_non_null(w);
    w->count = count;
    return w;
}

static dae_switch *new_switches(size_t count, uint8_t kind, uint8_t domain)
{
    dae_switch *s = calloc(count, sizeof *s);
    assert_non_null(s);
    for (size_t i = 0; i < count; i++)
        s[i] = (dae_switch){kind, domain, 0, 0, 0};
    return s;
}

/* Zeros of sin(speed t + phase) between from and to, of either order. */
static int zero_count(double speed, double phase, double from, double to)
{
    const double a = (speed * from + phase) / pi, b = (speed * to + phase) / pi;
    return (int)fabs(floor(b) - floor(a));
}

static void fast_waves_lose_no_zero(void **state)
{
    (void)state;
    const dae_switch s = {DAE_SWITCH_SIGN, DAE_DOMAIN_TIME, 0, 0, 0};
    for (uint64_t seed = 0; seed < 1000; seed++) {
        uint64_t k = seed * 100;
        waves *w = new_waves(1);
        w->amplitude[0] = 1;
        w->speed[0] = 0.5 + 80 * ride_unit(&k);
        w->phase[0] = 2 * pi * ride_unit(&k);
        const double start = 4 * ride_unit(&k) - 2;
        const double end = start + (ride_below(&k, 2) ? 1 : -1);
        ride r;
        ride_begin(&r, 1, &s, waves_value, w);
        ride_hold(&r, start);
        assert_true(ride_step(&r, start, end));
        assert_int_equal(
            r.event_count, zero_count(w->speed[0], w->phase[0], start, end));
        for (size_t i = 0; i < r.event_count; i++) {
            const double turns = (w->speed[0] * r.events[i].t + w->phase[0])
                / pi;
            /* the argument is below 170, and rounded three times */
            CHECK_NEAR(turns, round(turns), 3 * 170 * DBL_EPSILON / pi);
            assert_true(i == 0
                || (r.events[i].t - r.events[i - 1].t) * (end - start) > 0);
            CHECK_NEAR(fabs(r.events[i].slope), w->speed[0], 1e-6);
        }
        ride_end(&r);
        free(w);
    }
}

/* A period that divides the steps: all values at their ends are the same. */
static void waves_in_time_with_the_steps_are_seen(void **state)
{
    (void)state;
    const dae_switch s = {DAE_SWITCH_BELOW, DAE_DOMAIN_TIME, 0, 0, 0};
    waves *w = new_waves(1);
    w->amplitude[0] = 1;
    w->speed[0] = 2 * pi * 20;
    w->phase[0] = pi / 2;
    ride r;
    ride_begin(&r, 1, &s, waves_value, w);
    ride_hold(&r, 0);
    for (int i = 0; i < 200; i++) {
        r.event_count = 0;
        assert_true(ride_step(&r, 0.1 * i, 0.1 * (i + 1)));
        assert_int_equal(r.event_count, 4);
    }
    ride_end(&r);
    free(w);
}

/* |x| - R of a point on a line (at, of, across) + t*(velocity): a pair of roots. */
typedef struct flyby {
    double distance, speed, radius;
} flyby;

static dae_status flyby_value(void *self, double t, double *g)
{
    const flyby *f = self;
    *g = hypot(f->distance, f->speed * t) - f->radius;
    return DAE_OK;
}

static void a_flyby_enters_and_leaves(void **state)
{
    (void)state;
    const dae_switch s = {DAE_SWITCH_BELOW, DAE_DOMAIN_POINT, 0, 0, 0};
    for (uint64_t seed = 0; seed < 2000; seed++) {
        uint64_t k = seed * 100;
        /* it is inside for 2*half of time, 1e-6 and more */
        const double half = pow(10, -6.3 + 6 * ride_unit(&k));
        flyby f = {.speed = 1 + ride_unit(&k), .radius = 1};
        f.distance = sqrt(1 - f.speed * half * (f.speed * half));
        const double start = -(half + 3 * ride_unit(&k));
        const double end = half + 3 * ride_unit(&k);
        ride r;
        ride_begin(&r, 1, &s, flyby_value, &f);
        if (!(f.distance >= 0)) continue;
        ride_hold(&r, start);
        assert_true(ride_step(&r, start, end));
        assert_int_equal(r.event_count, 2);
        /* rounding of g by its slope */
        const double slope = f.speed * f.speed * half;
        CHECK_NEAR(r.events[0].t, -half, 4e-16 / slope + 1e-14);
        CHECK_NEAR(r.events[1].t, half, 4e-16 / slope + 1e-14);
        ride_end(&r);
        /* and one that stays on its threshold to rounding does nothing */
        f.distance = 1 - 2e-16 * ride_below(&k, 4);
        f.speed = 1e-9;
        ride_begin(&r, 1, &s, flyby_value, &f);
        ride_hold(&r, start);
        assert_true(ride_step(&r, start, end));
        assert_int_equal(r.event_count, 0);
        ride_end(&r);
    }
}

static void pairs_of_two_switches_come_in_order(void **state)
{
    (void)state;
    dae_switch *s = new_switches(40, DAE_SWITCH_NOT_ABOVE, DAE_DOMAIN_POINT);
    for (uint64_t seed = 0; seed < 200; seed++) {
        uint64_t k = seed * 1000;
        waves *w = new_waves(40);
        /* rising zeros at `first` + i*1e-6, in another order than that of indices */
        const double first = ride_unit(&k);
        const size_t shift = (size_t)ride_below(&k, 40);
        for (size_t i = 0; i < 40; i++) {
            const size_t place = (i * 17 + shift) % 40;
            w->amplitude[i] = 0.1 + ride_unit(&k);
            w->speed[i] = 0.2 + ride_unit(&k);
            w->phase[i] = -w->speed[i] * (first + 1e-6 * (double)place);
        }
        ride r;
        ride_begin(&r, 40, s, waves_value, w);
        ride_hold(&r, -0.5);
        assert_true(ride_step(&r, -0.5, 1.5));
        assert_int_equal(r.event_count, 40);
        assert_int_equal(r.instants, 40);
        for (size_t j = 0; j < 40; j++) {
            assert_int_equal((r.events[j].index * 17 + shift) % 40, j);
            CHECK_NEAR(r.events[j].t, first + 1e-6 * (double)j, 4e-15);
        }
        ride_end(&r);
        free(w);
    }
    free(s);
}

static void many_at_one_instant_are_one_event(void **state)
{
    (void)state;
    waves *w = new_waves(MANY);
    dae_switch *s = new_switches(MANY, DAE_SWITCH_BELOW, DAE_DOMAIN_POINT);
    uint64_t k = 0;
    for (size_t i = 0; i < MANY; i++) {
        /* each tenth passes at 0.7, the others never */
        w->amplitude[i] = 0.1 + ride_unit(&k);
        w->speed[i] = 0.2 + ride_unit(&k);
        w->phase[i] = -w->speed[i] * 0.7;
        if (i % 10) w->level[i] = 3;
    }
    ride r;
    ride_begin(&r, MANY, s, waves_value, w);
    ride_hold(&r, 0);
    w->calls = 0;
    assert_true(ride_step(&r, 0, 1));
    assert_int_equal(r.instants, 1);
    assert_int_equal(r.event_count, MANY / 10);
    for (size_t i = 0; i < MANY / 10; i++) {
        assert_int_equal(r.events[i].index, 10 * i);
        CHECK_NEAR(r.events[i].t, 0.7, 1e-15);
    }
    assert_true(w->calls < 60);
    ride_end(&r);
    free(w);
    free(s);
}

/* Steps of a fall: nothing costs more than two evaluations, but near the edge. */
static void switches_that_do_not_turn_are_cheap(void **state)
{
    (void)state;
    waves *w = new_waves(MANY);
    dae_switch *s = new_switches(MANY, DAE_SWITCH_BELOW, DAE_DOMAIN_POINT);
    uint64_t k = 0;
    for (size_t i = 0; i < MANY; i++) {
        w->amplitude[i] = 0.1 + ride_unit(&k);
        w->speed[i] = 0.2 + ride_unit(&k);
        w->phase[i] = 2 * pi * ride_unit(&k);
        w->level[i] = -1.5 - ride_unit(&k);
    }
    ride r;
    ride_begin(&r, MANY, s, waves_value, w);
    ride_hold(&r, 0);
    const int64_t before = search_evaluations(r.search);
    for (int i = 0; i < 100; i++)
        assert_true(ride_step(&r, 0.05 * i, 0.05 * (i + 1)));
    assert_int_equal(r.event_count, 0);
    /* the start, and two new steps that know nothing */
    assert_true(search_evaluations(r.search) - before <= 2 * 100 + 1 + 2 * 3);
    ride_end(&r);
    free(w);
    free(s);
}

static dae_status ramp(void *self, double t, double *g)
{
    *g = *(const double *)self * t;
    return DAE_OK;
}

static void whole_numbers_are_edges(void **state)
{
    (void)state;
    const uint8_t kinds[] = {DAE_SWITCH_FLOOR, DAE_SWITCH_CEIL};
    double speed = 3.7;
    for (int k = 0; k < 2; k++)
        for (int way = -1; way < 2; way += 2) {
            const dae_switch s = {kinds[k], DAE_DOMAIN_POINT, 0, 0, 0};
            ride r;
            ride_begin(&r, 1, &s, ramp, &speed);
            ride_hold(&r, way * 0.1);
            assert_true(ride_step(&r, way * 0.1, way * 5.0));
            assert_int_equal(r.event_count, 18);
            for (int i = 0; i < 18; i++)
                CHECK_NEAR(r.events[i].t, way * (i + 1) / 3.7, 2e-15);
            CHECK_NEAR(r.held[0],
                (kinds[k] == DAE_SWITCH_FLOOR ? floor : ceil)(way * 18.5), 0);
            ride_end(&r);
        }
}

static dae_status at_rest(void *self, double t, double *g)
{
    (void)self;
    g[0] = 0 * t;
    g[1] = 0;
    return DAE_OK;
}

static void what_rests_at_its_edge_does_not_turn(void **state)
{
    (void)state;
    const dae_switch s[] = {{DAE_SWITCH_SIGN, DAE_DOMAIN_POINT, 0, 0, 0},
        {DAE_SWITCH_BELOW, 0, 0, 0, 0}};
    ride r;
    ride_begin(&r, 2, s, at_rest, NULL);
    ride_hold(&r, 0);
    for (int held = -1; held < 2; held++) {
        r.held[0] = held, r.held[1] = held > 0;
        assert_true(ride_step(&r, 0, 1));
        assert_true(ride_step(&r, 1, 2));
    }
    assert_int_equal(r.event_count, 0);
    ride_end(&r);
}

/* g[0] is known until sqrt(1 - t) ends; g[1] passes at *self. */
static dae_status cliff(void *self, double t, double *g)
{
    g[0] = 2 + sqrt(1 - t);
    g[1] = t - *(const double *)self;
    return DAE_OK;
}

static void a_value_that_is_lost_is_told_with_its_place(void **state)
{
    (void)state;
    const dae_switch s[] = {
        {DAE_SWITCH_BELOW, 0, 0, 0, 0}, {DAE_SWITCH_BELOW, 0, 0, 0, 0}};
    double pass = 5;
    ride r;
    ride_begin(&r, 2, s, cliff, &pass);
    ride_hold(&r, 0);
    assert_false(ride_step(&r, 0, 1.7));
    assert_int_equal(r.last.kind, SEARCH_LOST);
    assert_int_equal(r.last.lost, 0);
    CHECK_NEAR(r.last.t, 1, 2e-3);
    assert_int_equal(r.event_count, 0);
    /* what turns before is told first, and the step ends there */
    pass = 0.9999;
    search_forget(r.search);
    assert_false(ride_step(&r, 0, 1.7));
    assert_int_equal(r.event_count, 1);
    CHECK_NEAR(r.events[0].t, 0.9999, 1e-15);
    ride_end(&r);
}

static dae_status breaks_down(void *self, double t, double *g)
{
    *g = t - 0.5;
    return t > *(const double *)self ? DAE_INTERRUPTED : DAE_OK;
}

static void a_callback_that_fails_ends_the_search(void **state)
{
    (void)state;
    const dae_switch s = {DAE_SWITCH_BELOW, DAE_DOMAIN_POINT, 0, 0, 0};
    const double lower = -HUGE_VAL, upper = 0;
    double until = 0.4;
    ride r;
    ride_begin(&r, 1, &s, breaks_down, &until);
    const search_step step = {.from = 0,
        .to = 1,
        .values = breaks_down,
        .self = &until,
        .lower = &lower,
        .upper = &upper};
    search_found found;
    CHECK_STATUS(search_run(r.search, &step, &found), DAE_INTERRUPTED);
    ride_end(&r);
}

/* Pushed back: g goes where it came from. */
static dae_status pushed_back(void *self, double t, double *g)
{
    *g = *(const double *)self - t;
    return DAE_OK;
}

static void what_goes_back_at_once_is_told_where_it_stands(void **state)
{
    (void)state;
    const dae_switch s = {DAE_SWITCH_BELOW, DAE_DOMAIN_POINT, 0, 0, 0};
    double offset = 0;
    const double offsets[] = {0, 1e-17, -1e-17, 1e-12, -1e-12};
    for (int k = 0; k < 5; k++)
        for (int least = 0; least < 2; least++) {
            const uint8_t turned = 1;
            const double lower = 0, upper = HUGE_VAL; /* has just come above */
            offset = offsets[k];
            ride r;
            ride_begin(&r, 1, &s, pushed_back, &offset);
            const search_step step = {.from = 0,
                .to = 0.1,
                .least = least * 1e-14,
                .values = pushed_back,
                .self = &offset,
                .lower = &lower,
                .upper = &upper,
                .has_turned = &turned};
            search_found found;
            CHECK_STATUS(search_run(r.search, &step, &found), DAE_OK);
            assert_int_equal(found.kind, SEARCH_TURNS);
            assert_int_equal(found.crossings[0].direction, -1);
            CHECK_NEAR(
                found.t, fmax(least * 1e-14, offset > 0 ? offset : 0), 1e-16);
            ride_end(&r);
        }
}

/* A hop that is hardly more than rounding of a long step, begun a little below. */
static dae_status hop(void *self, double t, double *g)
{
    *g = (*(const double *)self - 5 * t) * t - 2e-15;
    return DAE_OK;
}

static void a_small_hop_ends_where_it_comes_down(void **state)
{
    (void)state;
    const dae_switch s = {DAE_SWITCH_BELOW, DAE_DOMAIN_POINT, 0, 0, 0};
    for (double speed = 1e-5; speed > 1.5e-6; speed *= 0.97) {
        const uint8_t turned = 1;
        const double lower = 0, upper = HUGE_VAL;
        double v = speed;
        ride r;
        ride_begin(&r, 1, &s, hop, &v);
        const search_step step = {.from = 0,
            .to = 0.97,
            .values = hop,
            .self = &v,
            .lower = &lower,
            .upper = &upper,
            .has_turned = &turned};
        search_found found;
        CHECK_STATUS(search_run(r.search, &step, &found), DAE_OK);
        assert_int_equal(found.kind, SEARCH_TURNS);
        assert_int_equal(found.crossings[0].direction, -1);
        CHECK_NEAR(found.t, speed / 5, 1e-14 / speed);
        ride_end(&r);
    }
}

/* g starts on the wrong side by what a restart has left, and goes to its own. */
static void what_is_on_its_way_is_let_go(void **state)
{
    (void)state;
    const dae_switch s = {DAE_SWITCH_BELOW, DAE_DOMAIN_POINT, 0, 0, 0};
    double offset = 1e-10;
    const uint8_t turned = 1;
    for (int is_turned = 0; is_turned < 2; is_turned++) {
        const double lower = -HUGE_VAL, upper = 0;
        ride r;
        ride_begin(&r, 1, &s, pushed_back, &offset);
        const search_step step = {.from = 0,
            .to = 0.1,
            .values = pushed_back,
            .self = &offset,
            .lower = &lower,
            .upper = &upper,
            .has_turned = is_turned ? &turned : NULL};
        search_found found;
        CHECK_STATUS(search_run(r.search, &step, &found), DAE_OK);
        assert_int_equal(found.kind, is_turned ? SEARCH_NONE : SEARCH_TURNS);
        ride_end(&r);
    }
}

static void nothing_is_asked_for_breaks(void **state)
{
    (void)state;
    waves *w = new_waves(2);
    dae_switch *s = new_switches(2, DAE_SWITCH_BELOW, DAE_DOMAIN_BREAK);
    ride r;
    ride_begin(&r, 2, s, waves_value, w);
    assert_true(ride_step(&r, 0, 1));
    assert_int_equal(w->calls, 0);
    ride_end(&r);
    free(w);
    free(s);
}

static void memory_that_runs_out_is_said(void **state)
{
    (void)state;
    for (size_t n = 0;; n++) {
        failing_memory m;
        failing_init(&m, n);
        arena a;
        search *found;
        arena_init(&a, &m.allocator, 0);
        const dae_status st = search_init(&found, 700, &a);
        arena_clear(&a);
        assert_int_equal(m.live, 0);
        if (st == DAE_OK) break;
        assert_int_equal(st, DAE_MEMORY);
        assert_null(found);
        assert_true(n < 100);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fast_waves_lose_no_zero),
        cmocka_unit_test(waves_in_time_with_the_steps_are_seen),
        cmocka_unit_test(a_flyby_enters_and_leaves),
        cmocka_unit_test(pairs_of_two_switches_come_in_order),
        cmocka_unit_test(many_at_one_instant_are_one_event),
        cmocka_unit_test(switches_that_do_not_turn_are_cheap),
        cmocka_unit_test(whole_numbers_are_edges),
        cmocka_unit_test(what_rests_at_its_edge_does_not_turn),
        cmocka_unit_test(a_value_that_is_lost_is_told_with_its_place),
        cmocka_unit_test(a_callback_that_fails_ends_the_search),
        cmocka_unit_test(what_goes_back_at_once_is_told_where_it_stands),
        cmocka_unit_test(a_small_hop_ends_where_it_comes_down),
        cmocka_unit_test(what_is_on_its_way_is_let_go),
        cmocka_unit_test(nothing_is_asked_for_breaks),
        cmocka_unit_test(memory_that_runs_out_is_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
