/* recurrence.c: series that come to an end are told from events that go on. */
#include "base/splitmix.h"
#include "check.h"
#include "events/recurrence.h"
#include <float.h>

enum { SWITCHES = 5 };

typedef struct watch {
    arena memory;
    recurrence *r;
    recurrence_verdict v;
    double blur; /* of times */
} watch;

static void watch_begin(watch *w, double t)
{
    memset(w, 0, sizeof *w);
    arena_init(&w->memory, alloc_or_default(NULL), 0);
    CHECK_STATUS(recurrence_init(&w->r, SWITCHES, &w->memory), DAE_OK);
    recurrence_begin(w->r, t);
}

static void watch_end(watch *w)
{
    arena_clear(&w->memory);
}

static bool note(watch *w, double t, size_t index, int direction)
{
    const search_crossing c = {index, direction, direction, w->blur, NAN, 0};
    recurrence_note(w->r, t, 0, NULL, &c, 1, &w->v);
    return w->v.kind != RECURRENCE_NONE;
}

/* A ball that falls onto the ground at t and leaves it at once. */
static bool bounce(watch *w, double t, size_t index)
{
    const bool is_told = note(w, t, index, -1);
    return is_told || note(w, t, index, 1);
}

static void check_ball(double ratio, double start, int sense, double noise)
{
    watch w;
    watch_begin(&w, start);
    double t = start + sense * 0.5, d = 0.9;
    const double limit = t + sense * d / (1 - ratio);
    bool is_told = false;
    uint64_t seed = 0;
    while (!is_told && seed < 100000) {
        w.blur = noise / d;
        is_told = bounce(&w, t, 2);
        /* roots are told no better than noise/speed, and bounces no higher than
         * the noise not at all */
        const double off = noise / d * splitmix_unit(splitmix(seed++));
        if (d * d > 8 * noise) t += sense * (d + off);
        d *= ratio;
    }
    assert_true(is_told);
    assert_int_equal(w.v.kind, RECURRENCE_ZENO);
    assert_int_equal(w.v.first, 2);
    CHECK_NEAR(w.v.ratio, ratio, noise > 0 ? 0.1 * (1 - ratio) : 1e-2);
    const double off = noise > 0 ? 1e-5 : 1e-12 * (1 + fabs(start));
    /* told early, it is as good as the sum is known */
    CHECK_NEAR(w.v.limit, limit, fmax(off, w.v.turns >= 1000 ? 1e-9 : 0));
    watch_end(&w);
}

static void balls_come_to_rest(void **state)
{
    (void)state;
    const double ratios[] = {0.1, 0.3, 0.5, 0.7, 0.8, 0.9, 0.95, 0.99, 0.999};
    for (size_t i = 0; i < sizeof ratios / sizeof *ratios; i++)
        for (int sense = -1; sense < 2; sense += 2)
            for (int k = 0; k < 3; k++)
                check_ball(ratios[i], k * 7.3 - 3, sense, 0);
}

static void rounding_hides_the_last_bounces(void **state)
{
    (void)state;
    const double ratios[] = {0.1, 0.5, 0.7, 0.9, 0.95};
    for (size_t i = 0; i < sizeof ratios / sizeof *ratios; i++)
        check_ball(ratios[i], 0, 1, 1e-16);
}

static void a_ball_that_rests_on_a_spring_does_not(void **state)
{
    (void)state;
    watch w;
    watch_begin(&w, 0);
    double t = 1, d = 1;
    for (int i = 0; i < 20; i++, d *= 0.7, t += d)
        assert_false(bounce(&w, t, 0));
    watch_end(&w);
}

static void what_shrinks_and_grows_goes_on(void **state)
{
    (void)state;
    watch w;
    watch_begin(&w, 0);
    double t = 1, d = 1;
    for (int k = 0; k < 10; k++) {
        for (int i = 0; i < 60; i++, d *= 0.7, t += d)
            assert_false(bounce(&w, t, 0));
        for (int i = 0; i < 60; i++, d /= 0.7, t += d)
            assert_false(bounce(&w, t, 0));
    }
    watch_end(&w);
}

static void clocks_and_swings_go_on(void **state)
{
    (void)state;
    watch w;
    watch_begin(&w, 0);
    for (int i = 0; i < 100000; i++) {
        assert_false(note(&w, i * 1e-3, 0, 1));
        assert_false(note(&w, i * 1e-3 + 3e-4, 0, -1));
        /* ever faster: zeros of sin(t^2) and of sin(exp(t)) */
        assert_false(note(&w, sqrt(i * 3.14159), 1, i % 2 ? 1 : -1));
        assert_false(note(&w, log(1 + i * 3.14159), 2, i % 2 ? 1 : -1));
    }
    watch_end(&w);
}

static void pairs_and_bursts_go_on(void **state)
{
    (void)state;
    watch w;
    watch_begin(&w, 0);
    for (int i = 0; i < 1000; i++)
        for (int k = 0; k < 8; k++)
            assert_false(note(&w, 1 + i * 1e-6 + k * 1e-9, 0, k % 2 ? 1 : -1));
    watch_end(&w);
}

static void a_relay_that_is_pushed_back_chatters(void **state)
{
    (void)state;
    for (int kind = 0; kind < 3; kind++) {
        watch w;
        watch_begin(&w, 0);
        bool is_told = false;
        int i = 0;
        /* at one place; a few units on every time; in tiny steps */
        const double step = kind == 0 ? 0 : kind == 1 ? 1e-15 : 1e-13;
        for (; i < 2000 && !is_told; i++)
            is_told = note(&w, 3 + i * step, 1, i % 2 ? 1 : -1);
        assert_true(is_told);
        assert_true(i >= 10 && i < 200);
        assert_int_equal(w.v.kind, RECURRENCE_CHATTERING);
        assert_int_equal(w.v.first, 1);
        CHECK_NEAR(w.v.limit, 3, 1e-10);
        watch_end(&w);
    }
}

static void relays_chatter_together(void **state)
{
    (void)state;
    watch w;
    watch_begin(&w, 0);
    bool is_told = note(&w, 1, 4, 1);
    int i = 0;
    for (; i < 200 && !is_told; i++)
        is_told = note(&w, 2, (size_t)(i % 2), i / 2 % 2 ? 1 : -1);
    assert_true(is_told);
    assert_int_equal(w.v.kind, RECURRENCE_CHATTERING);
    watch_end(&w);
}

static void a_chain_at_one_instant_goes_on(void **state)
{
    (void)state;
    watch w;
    watch_begin(&w, 0);
    for (int i = 0; i < 1000; i++)
        for (int k = 0; k < 6; k++)
            assert_false(
                note(&w, 1 + i, (size_t)(k % SWITCHES), k % 2 ? 1 : -1));
    watch_end(&w);
}

/* Hops of one length in which nothing moves; a clock as fast that moves something. */
static void hops_that_move_nothing(void **state)
{
    (void)state;
    for (int moves = 0; moves < 2; moves++) {
        watch w;
        watch_begin(&w, 0);
        recurrence_kind kind = RECURRENCE_NONE;
        for (int k = 0; k < 1000 && kind == RECURRENCE_NONE; k++) {
            const search_crossing c = {2, -1, -1, 0, NAN, 0};
            recurrence_note(
                w.r, 0.5 + k * 1e-9, moves ? 1e-12 : 1e-10, NULL, &c, 1, &w.v);
            kind = w.v.kind;
        }
        assert_int_equal(kind, moves ? RECURRENCE_NONE : RECURRENCE_CHATTERING);
        watch_end(&w);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hops_that_move_nothing),
        cmocka_unit_test(balls_come_to_rest),
        cmocka_unit_test(rounding_hides_the_last_bounces),
        cmocka_unit_test(a_ball_that_rests_on_a_spring_does_not),
        cmocka_unit_test(what_shrinks_and_grows_goes_on),
        cmocka_unit_test(clocks_and_swings_go_on),
        cmocka_unit_test(pairs_and_bursts_go_on),
        cmocka_unit_test(a_relay_that_is_pushed_back_chatters),
        cmocka_unit_test(relays_chatter_together),
        cmocka_unit_test(a_chain_at_one_instant_goes_on),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
