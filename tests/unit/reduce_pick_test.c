/* pick.c on models whose states are known by hand: pendula in
 * several positions, chains of differentiators, offsets that are raised,
 * unknowns that are to stay states, positions where a pick becomes impossible,
 * chains large enough for sparse elimination. */
#include "random.h"
#include "reduced_text.h"

static const char pendulum[] = "var x ~ 1, y ~ 0, lam ~ 0\n"
                               "x'' = -lam*x\n"
                               "y'' = -lam*y - 9.81\n"
                               "rod: x^2 + y^2 = 1\n"
                               "solve t in 0..1\n";

static void put(reduced_text *f, double x, double y)
{
    reduced_text_set(f, "x", x);
    reduced_text_set(f, "y", y);
}

static int states_of(const reduced_text *f)
{
    int sum = 0;
    for (size_t j = 0; j < f->p->unknown_count; j++)
        sum += reduced_text_states(f, j);
    return sum;
}

#define CHECK_ORDER(f, name, expected)                                         \
    assert_int_equal(reduced_text_order((f), (name)), (expected))

/* ---- stages -------------------------------------------------------------------- */

/* What is not differentiated has no stages. */
static void index_one_has_no_stages(void **state)
{
    (void)state;
    reduced_text f;
    reduced_text_open(&f, "var x = 1, z\nx' = -z\nz = x^3\n", 0);
    for (size_t b = 0; b < f.structure.fine_count; b++)
        assert_int_equal(pick_stages(&f.structure, f.structure.fine[b]), 0);
    CHECK_STATUS(reduced_text_pick(&f), DAE_OK);
    CHECK_ORDER(&f, "x", 1);
    CHECK_ORDER(&f, "z", 0);
    assert_true(f.pick.leverage == 0 && f.pick.lost == -1);
    reduced_text_clear(&f);
}

/* ---- pendula ------------------------------------------------------------------- */

static void a_pendulum_by_its_position(void **state)
{
    (void)state;
    /* the larger coordinate is determined by the other one */
    static const struct {
        double x, y, leverage;
        int order_x;
    } at[] = {{1, 0, 0, 0}, {0, 1, 0, 2}, {0, -1, 0, 2}, {0.6, 0.8, 0.75, 2},
        {-0.8, 0.6, 0.75, 0}, {0.8, -0.6, 0.75, 0}};
    reduced_text f;
    reduced_text_open(&f, pendulum, 0);
    for (size_t k = 0; k < sizeof at / sizeof *at; k++) {
        put(&f, at[k].x, at[k].y);
        CHECK_STATUS(reduced_text_pick(&f), DAE_OK);
        CHECK_ORDER(&f, "x", at[k].order_x);
        CHECK_ORDER(&f, "y", 2 - at[k].order_x);
        CHECK_ORDER(&f, "lam", 0);
        CHECK_NEAR(f.pick.leverage, at[k].leverage, 1e-15);
        CHECK_NEAR(reduced_text_measure(&f), at[k].leverage, 1e-15);
    }
    reduced_text_clear(&f);
}

/* In units of 1 and 10, (0.8, 0.6) is far more of y than of x. */
static void sizes_count(void **state)
{
    (void)state;
    reduced_text f;
    reduced_text_open(&f, pendulum, 0);
    f.size[reduced_text_unknown(&f, "y")] = 10;
    put(&f, 0.8, 0.6);
    CHECK_STATUS(reduced_text_pick(&f), DAE_OK);
    CHECK_ORDER(&f, "y", 0);
    CHECK_NEAR(f.pick.leverage, 0.8 / 6, 1e-15);
    reduced_text_clear(&f);
}

/* x as dummy, y as state: an error of y makes one of x as tan(a) is. */
static void a_pick_becomes_impossible_without_bound(void **state)
{
    (void)state;
    reduced_text f;
    double last = 0;
    reduced_text_open(&f, pendulum, 0);
    put(&f, 1, 0);
    CHECK_STATUS(reduced_text_pick(&f), DAE_OK);
    for (double gap = 1; gap > 1e-6; gap *= 0.5) {
        put(&f, sin(gap), cos(gap));
        const double leverage = reduced_text_measure(&f);
        CHECK_NEAR(leverage * tan(gap), 1, 1e-12);
        assert_true(leverage > last);
        last = leverage;
    }
    put(&f, 0, 1);
    assert_true(isinf(reduced_text_measure(&f)));
    CHECK_ORDER(&f, "x", 0); /* measuring chooses nothing */
    reduced_text_clear(&f);
}

/* Where the rod has no length there is nothing to choose from. */
static void a_constraint_without_gradient_is_lost(void **state)
{
    (void)state;
    char name[64];
    reduced_text f;
    reduced_text_open(&f, pendulum, 0);
    put(&f, 0, 0);
    CHECK_STATUS(reduced_text_pick(&f), DAE_NUMERIC);
    assert_true(f.pick.lost >= 0);
    f.p->name(
        f.p->self, DAE_NAME_EQUATION, (size_t)f.pick.lost, name, sizeof name);
    assert_string_equal(name, "rod");
    assert_int_equal(f.pick.lost_rank, 0);
    assert_int_equal(f.pick.lost_rows, 1);
    reduced_text_clear(&f);
}

static const char double_pendulum[] =
    "var x1 ~ 1, y1 ~ 0, x2 ~ 2, y2 ~ 0, l1 ~ 0, l2 ~ 0\n"
    "x1'' = -l1*x1 + l2*(x2 - x1)\n"
    "y1'' = -l1*y1 + l2*(y2 - y1) - 9.81\n"
    "x2'' = -l2*(x2 - x1)\n"
    "y2'' = -l2*(y2 - y1) - 9.81\n"
    "upper: x1^2 + y1^2 = 1\n"
    "lower: (x2 - x1)^2 + (y2 - y1)^2 = 1\n"
    "solve t in 0..1\n";

static void put_double(reduced_text *f, double a, double b)
{
    reduced_text_set(f, "x1", cos(a));
    reduced_text_set(f, "y1", sin(a));
    reduced_text_set(f, "x2", cos(a) + cos(b));
    reduced_text_set(f, "y2", sin(a) + sin(b));
}

static void a_double_pendulum_by_its_position(void **state)
{
    (void)state;
    const double right = acos(0);
    reduced_text f;
    reduced_text_open(&f, double_pendulum, 0);
    put_double(&f, 0, 0); /* both along x */
    CHECK_STATUS(reduced_text_pick(&f), DAE_OK);
    CHECK_ORDER(&f, "x1", 0);
    CHECK_ORDER(&f, "x2", 0);
    put_double(&f, right, right); /* both along y */
    CHECK_STATUS(reduced_text_pick(&f), DAE_OK);
    CHECK_ORDER(&f, "y1", 0);
    CHECK_ORDER(&f, "y2", 0);
    put_double(&f, right, 0); /* y1, and of the lower rod x1 or x2 */
    CHECK_STATUS(reduced_text_pick(&f), DAE_OK);
    CHECK_ORDER(&f, "y1", 0);
    CHECK_ORDER(&f, "y2", 2);
    assert_int_equal(
        reduced_text_order(&f, "x1") + reduced_text_order(&f, "x2"), 2);
    CHECK_NEAR(f.pick.leverage, 1, 1e-12);
    reduced_text_clear(&f);
}

/* Wherever it hangs: as many states as degrees of freedom, none of them much
 * amplified, the same measured again, and the same chosen again. */
static void a_choice_is_good_wherever(void **state)
{
    (void)state;
    random_state r = {5};
    reduced_text f;
    reduced_text_open(&f, double_pendulum, 0);
    for (int k = 0; k < 300; k++) {
        uint8_t before[4 * REDUCED_MOST];
        put_double(&f, 4 * random_unit(&r), 4 * random_unit(&r));
        CHECK_STATUS(reduced_text_pick(&f), DAE_OK);
        assert_int_equal(states_of(&f), 4);
        CHECK_ORDER(&f, "l1", 0);
        CHECK_ORDER(&f, "l2", 0);
        /* rows are scaled, so that it is the scaled ones that are exchanged */
        assert_true(f.pick.leverage <= 1.05 + 1e-9);
        CHECK_NEAR(reduced_text_measure(&f), f.pick.leverage, 1e-9);
        memcpy(before, f.pick.is_state, f.e->columns);
        CHECK_STATUS(reduced_text_pick(&f), DAE_OK);
        assert_memory_equal(before, f.pick.is_state, f.e->columns);
    }
    reduced_text_clear(&f);
}

/* ---- preferred states ---------------------------------------------------------- */

static void what_is_preferred_stays_where_it_can(void **state)
{
    (void)state;
    reduced_text f;
    reduced_text_open(&f, pendulum, 0);
    const size_t x = reduced_text_unknown(&f, "x");
    f.is_preferred[x] = 1;
    put(&f, 0.8, 0.6);
    CHECK_STATUS(reduced_text_pick(&f), DAE_OK);
    CHECK_ORDER(&f, "x", 2);
    CHECK_NEAR(f.pick.leverage, 0.8 / 0.6, 1e-12); /* as it is, not as liked */
    CHECK_NEAR(reduced_text_measure(&f), 0.8 / 0.6, 1e-12);
    put(&f, 1, 1e-5); /* where it hardly can, it does not */
    CHECK_STATUS(reduced_text_pick(&f), DAE_OK);
    CHECK_ORDER(&f, "x", 0);
    put(&f, 1, 0);
    CHECK_STATUS(reduced_text_pick(&f), DAE_OK);
    CHECK_ORDER(&f, "x", 0);
    f.is_preferred[reduced_text_unknown(&f, "y")] = 1; /* both: as without */
    put(&f, 0.8, 0.6);
    CHECK_STATUS(reduced_text_pick(&f), DAE_OK);
    CHECK_ORDER(&f, "x", 0);
    CHECK_NEAR(f.pick.leverage, 0.75, 1e-15);
    reduced_text_clear(&f);
}

/* ---- index k, raised offsets --------------------------------------------------- */

static void chains_of_differentiators_have_no_states(void **state)
{
    (void)state;
    for (int k = 2; k <= 20; k++) {
        char text[1024], name[8];
        reduced_text f;
        int at = snprintf(text, sizeof text, "var c1");
        for (int i = 2; i <= k; i++)
            at += snprintf(text + at, sizeof text - (size_t)at, ", c%d", i);
        for (int i = 2; i <= k; i++)
            at += snprintf(
                text + at, sizeof text - (size_t)at, "\nc%d' = c%d", i, i - 1);
        snprintf(text + at, sizeof text - (size_t)at, "\nc%d = sin(t)\n", k);
        reduced_text_open(&f, text, 0);
        assert_int_equal(f.structure.index, k);
        CHECK_STATUS(reduced_text_pick(&f), DAE_OK);
        for (int i = 1; i <= k; i++) {
            snprintf(name, sizeof name, "c%d", i);
            CHECK_ORDER(&f, name, 0);
        }
        assert_true(f.pick.leverage == 0); /* there is no choice */
        reduced_text_clear(&f);
    }
}

/* Offsets that are higher than needed add derivatives, not states. */
static void raised_offsets_make_the_same_pick(void **state)
{
    (void)state;
    for (int64_t more = 1; more <= 3; more++) {
        reduced_text f;
        reduced_text_open(&f, pendulum, more);
        assert_int_equal(
            pick_stages(&f.structure, f.structure.fine[0]), 2 + more);
        put(&f, 0.6, 0.8);
        CHECK_STATUS(reduced_text_pick(&f), DAE_OK);
        CHECK_ORDER(&f, "x", 2);
        CHECK_ORDER(&f, "y", 0);
        CHECK_ORDER(&f, "lam", 0);
        CHECK_NEAR(f.pick.leverage, 0.75, 1e-12);
        CHECK_NEAR(reduced_text_measure(&f), 0.75, 1e-12);
        put(&f, 0.8, 0.6);
        CHECK_NEAR(reduced_text_measure(&f), 4.0 / 3, 1e-12);
        reduced_text_clear(&f);
        reduced_text_open(&f, "var x = 1, z\nx' = -z\nz = x^3\n", more);
        CHECK_STATUS(reduced_text_pick(&f), DAE_OK);
        CHECK_ORDER(&f, "x", 1);
        CHECK_ORDER(&f, "z", 0);
        reduced_text_clear(&f);
    }
}

/* x + y + z and x' + 2 y' - z bind two orders of three unknowns: x + y + z
 * twice, so stage 2 has one row and stage 1 two, of which the one of stage 2
 * has to determine one of stage 1's choice. */
static void a_later_stage_chooses_from_the_earlier(void **state)
{
    (void)state;
    reduced_text f;
    reduced_text_open(&f,
        "var x = 1, y, z, u, v\n"
        "x'' + y'' + u = 0\n"
        "y'' + z'' + v = 0\n"
        "z'' + u + v = sin(t)\n"
        "place: x + 2*y + 3*z = t\n"
        "speed: x' - y' + z' = 0\n",
        0);
    CHECK_STATUS(reduced_text_pick(&f), DAE_OK);
    assert_int_equal(states_of(&f), f.structure.degrees_of_freedom);
    assert_int_equal(states_of(&f), 3);
    int placed = 0, bound = 0; /* with no state at all; without a speed */
    for (const char *name = "x\0y\0z\0"; *name; name += 2) {
        const int order = reduced_text_order(&f, name);
        assert_in_range(order, 0, 2);
        placed += order == 0;
        bound += order < 2;
    }
    assert_int_equal(placed, 1);
    assert_int_equal(bound, 2);
    reduced_text_clear(&f);
}

/* ---- large --------------------------------------------------------------------- */

/* 40 rows by 80 columns: a stage that is eliminated sparsely. */
enum { BEADS = 40 };

/* Links that lie, and from the given one on stand. */
static void put_beads(reduced_text *f, size_t upright_from)
{
    char name[32];
    double x = 0, y = 0;
    for (size_t i = 1; i <= BEADS; i++) {
        if (i < upright_from) x += 1;
        else y += 1;
        snprintf(name, sizeof name, "x[%zu]", i);
        reduced_text_set(f, name, x);
        snprintf(name, sizeof name, "y[%zu]", i);
        reduced_text_set(f, name, y);
    }
}

static void open_beads(reduced_text *f)
{
    reduced_text_open(f,
        "param n = 40\n"
        "var x[i in 1..n] ~ i, y[i in 1..n] ~ 0, lam[1..n] ~ 0\n"
        "let dx[i in 1..n] = x[i] - (if i > 1 then x[i-1] else 0)\n"
        "let dy[i in 1..n] = y[i] - (if i > 1 then y[i-1] else 0)\n"
        "x[i]'' = (if i < n then lam[i+1]*dx[i+1] else 0) - lam[i]*dx[i]"
        " for i in 1..n\n"
        "y[i]'' = (if i < n then lam[i+1]*dy[i+1] else 0) - lam[i]*dy[i]"
        " for i in 1..n\n"
        "link: dx[i]^2 + dy[i]^2 = 1 for i in 1..n\n",
        0);
}

static int bead_order(const reduced_text *f, char which, size_t i)
{
    char name[32];
    snprintf(name, sizeof name, "%c[%zu]", which, i);
    return reduced_text_order(f, name);
}

/* The first eight links lie: only their x can be determined. The others stand:
 * of y[8] .. y[40] all but one. */
static void beads_by_their_position(void **state)
{
    (void)state;
    reduced_text f;
    open_beads(&f);
    put_beads(&f, 9);
    CHECK_STATUS(reduced_text_pick(&f), DAE_OK);
    int upright = 0;
    for (size_t i = 1; i <= BEADS; i++) {
        assert_int_equal(bead_order(&f, 'x', i), i <= 8 ? 0 : 2);
        if (i < 8) assert_int_equal(bead_order(&f, 'y', i), 2);
        else upright += bead_order(&f, 'y', i) == 0;
    }
    assert_int_equal(upright, BEADS - 8);
    assert_int_equal(states_of(&f), 2 * BEADS);
    put_beads(&f, BEADS + 1); /* all lie: of what stood nothing is determined */
    assert_true(isinf(reduced_text_measure(&f)));
    reduced_text_clear(&f);
}

/* ---- memory -------------------------------------------------------------------- */

static void memory_may_fail_anywhere(void **state)
{
    (void)state;
    reduced_text f;
    open_beads(&f);
    put_beads(&f, 9);
    CHECK_STATUS(reduced_text_pick(&f), DAE_OK);
    const double whole = f.pick.leverage;
    for (int is_measured = 0; is_measured < 2; is_measured++) {
        size_t failed = 0;
        for (dae_status st = DAE_MEMORY; st; failed++) {
            failing_memory memory;
            pick_request q = reduced_text_request(&f);
            double leverage = 0;
            failing_init(&memory, failed);
            q.allocator = &memory.allocator;
            st = is_measured ? pick_measure(&q, &f.pick, &leverage)
                             : pick_choose(&q, &f.pick);
            if (st) CHECK_STATUS(st, DAE_MEMORY);
            assert_int_equal(memory.live, 0);
            if (!st && is_measured) assert_true(leverage == whole);
        }
        assert_true(failed > 3);
        assert_true(f.pick.leverage == whole);
    }
    reduced_text_clear(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(index_one_has_no_stages),
        cmocka_unit_test(a_pendulum_by_its_position),
        cmocka_unit_test(sizes_count),
        cmocka_unit_test(a_pick_becomes_impossible_without_bound),
        cmocka_unit_test(a_constraint_without_gradient_is_lost),
        cmocka_unit_test(a_double_pendulum_by_its_position),
        cmocka_unit_test(a_choice_is_good_wherever),
        cmocka_unit_test(what_is_preferred_stays_where_it_can),
        cmocka_unit_test(chains_of_differentiators_have_no_states),
        cmocka_unit_test(raised_offsets_make_the_same_pick),
        cmocka_unit_test(a_later_stage_chooses_from_the_earlier),
        cmocka_unit_test(beads_by_their_position),
        cmocka_unit_test(memory_may_fail_anywhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
