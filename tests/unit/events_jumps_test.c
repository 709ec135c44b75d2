/* search.c where root functions jump by themselves: poles and the ends of branches.
 * Times come from closed forms. */
#include "events_ride.h"

static const dae_switch below = {DAE_SWITCH_BELOW, DAE_DOMAIN_POINT, 0, 0, 0};
static const dae_switch whole = {DAE_SWITCH_FLOOR, DAE_DOMAIN_POINT, 0, 0, 0};
static const double pi = 3.14159265358979323846;

typedef struct wave {
    double rate, phase, level;
} wave;

/* tan(rate t + phase) - level */
static dae_status tangent(void *self, double t, double *g)
{
    const wave *w = self;
    *g = tan(w->rate * t + w->phase) - w->level;
    return DAE_OK;
}

/* The angle of an arm that turns, in (-pi, pi], beyond a level. */
static dae_status angle(void *self, double t, double *g)
{
    const wave *w = self;
    const double a = w->rate * t + w->phase;
    *g = atan2(sin(a), cos(a)) - w->level;
    return DAE_OK;
}

static dae_status double_pole(void *self, double t, double *g)
{
    const wave *w = self;
    const double off = t - w->phase;
    *g = w->level - w->rate / (off * off);
    return DAE_OK;
}

static wave random_wave(uint64_t seed)
{
    uint64_t s = seed * 1000;
    return (wave){
        0.3 + 2 * ride_unit(&s), 6 * ride_unit(&s) - 3, 4 * ride_unit(&s) - 2};
}

/* Events come by turns at phases a and b, and with each its period. */
static void check_turns(const ride *r, const wave *w, double to, double a,
    double b, double period, uint64_t seed)
{
    size_t next = 0;
    bool is_right = true;
    for (double at = w->phase;;) {
        const double to_a = at + period - fmod(at - a + 100 * period, period);
        const double to_b = at + period - fmod(at - b + 100 * period, period);
        at = fmin(to_a, to_b);
        const double t = (at - w->phase) / w->rate;
        if (t > to - 1e-9) break;
        is_right = is_right && next < r->event_count
            && fabs(r->events[next].t - t) <= 1e-12;
        at += 1e-9;
        next++;
    }
    if (next == r->event_count && is_right) return;
    print_error("seed %llu: %zu events for %zu\n", (unsigned long long)seed,
        r->event_count, next);
    for (size_t k = 0; k < r->event_count; k++)
        print_error("  %.17g\n", r->events[k].t);
    fail();
}

static void ride_along(ride *r, const dae_switch *kind,
    search_values_fn *values, wave *w, double to, int steps)
{
    ride_begin(r, 1, kind, values, w);
    ride_hold(r, 0);
    for (int k = 0; k < steps; k++)
        assert_true(ride_step(r, k * to / steps, (k + 1) * to / steps));
}

static void a_pole_turns_and_what_follows_is_found(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 2000; seed++) {
        wave w = random_wave(seed);
        ride r;
        ride_along(&r, &below, tangent, &w, 10, 40);
        check_turns(&r, &w, 10, atan(w.level), pi / 2, pi, seed);
        ride_end(&r);
    }
}

static void the_end_of_a_branch_turns_once(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 2000; seed++) {
        wave w = random_wave(seed);
        ride r;
        ride_along(&r, &below, angle, &w, 10, 40);
        check_turns(&r, &w, 10, w.level, pi, 2 * pi, seed);
        ride_end(&r);
    }
}

static void whole_numbers_are_left_out_by_a_jump(void **state)
{
    (void)state;
    wave w = {1, 0, 0};
    ride r;
    ride_along(&r, &whole, angle, &w, 6, 20);
    const double t[] = {1, 2, 3, pi, 2 * pi - 3, 2 * pi - 2, 2 * pi - 1};
    assert_int_equal(r.event_count, sizeof t / sizeof *t);
    for (size_t k = 0; k < r.event_count; k++)
        CHECK_NEAR(r.events[k].t, t[k], 1e-14);
    CHECK_NEAR(r.held[0], -1, 0);
    ride_end(&r);
}

static void a_pole_without_a_change_of_side_turns_nothing(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 500; seed++) {
        uint64_t s = seed * 1000 + 300;
        wave w = {0.1 + ride_unit(&s), 2 + ride_unit(&s), 5 + ride_unit(&s)};
        const double wide = sqrt(w.rate / w.level);
        ride r;
        ride_along(&r, &below, double_pole, &w, 5, 25);
        assert_int_equal(r.event_count, 2);
        CHECK_NEAR(r.events[0].t, w.phase - wide, 1e-13);
        CHECK_NEAR(r.events[1].t, w.phase + wide, 1e-13);
        ride_end(&r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_pole_turns_and_what_follows_is_found),
        cmocka_unit_test(the_end_of_a_branch_turns_once),
        cmocka_unit_test(whole_numbers_are_left_out_by_a_jump),
        cmocka_unit_test(a_pole_without_a_change_of_side_turns_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
