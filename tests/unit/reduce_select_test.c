/* pick.c: picks from numbers alone. Where the structure tells all there is to
 * tell they have as many states and are as good as those of pick.c; and they
 * find states where it does not: a constraint hidden in a difference, one
 * equation that says what another one says. */
#include "random.h"
#include "reduce/pick.h"
#include "reduced_text.h"

/* The extended problem of a text with every equation differentiated c[i] times,
 * in the order of the text. */
typedef struct fixture {
    reduced_text f;
    extended *e;
    int32_t c[REDUCED_MOST], highest[REDUCED_MOST], needed[REDUCED_MOST];
    double *columns, *values;
    arena memory;
    pick pick;
    int64_t freedom;
} fixture;

static void open_fixture(fixture *x, const char *text, const int32_t *c,
    const int32_t *highest, int64_t freedom)
{
    memset(x, 0, sizeof *x);
    reduced_text_open(&x->f, text, 0);
    const size_t n = x->f.p->unknown_count;
    for (size_t k = 0; k < n; k++) {
        x->c[k] = c ? c[k] : (int32_t)x->f.c[k];
        x->highest[k] = highest ? highest[k] : (int32_t)x->f.d[k];
        x->needed[k] = x->f.layout.order[k];
    }
    CHECK_STATUS(
        extended_create(x->f.p, x->c, x->highest, 100000, NULL, &x->e), DAE_OK);
    arena_init(&x->memory, dae_allocator_default(), 0);
    CHECK_STATUS(pick_take(&x->pick, x->e, &x->memory), DAE_OK);
    x->columns = calloc(x->e->columns, sizeof *x->columns);
    x->values = calloc(
        (size_t)x->e->problem.pattern->column_start[x->e->columns] + 1,
        sizeof *x->values);
    assert_true(x->columns && x->values);
    x->freedom = freedom;
}

static void close_fixture(fixture *x)
{
    free(x->columns);
    free(x->values);
    arena_clear(&x->memory);
    extended_free(x->e);
    reduced_text_clear(&x->f);
}

static size_t column(const fixture *x, const char *name)
{
    char text[64];
    const dae_problem *e = &x->e->problem;
    for (size_t p = 0; p < x->e->columns; p++) {
        e->name(e->self, DAE_NAME_UNKNOWN, p, text, sizeof text);
        if (strcmp(text, name) == 0) return p;
    }
    fail_msg("there is no column %s", name);
    return 0;
}

static void put(fixture *x, const char *name, double value)
{
    x->columns[column(x, name)] = value;
}

static bool is_state(const fixture *x, const char *name)
{
    return x->pick.is_state[column(x, name)];
}

static pick_request request(const fixture *x)
{
    return (pick_request){.is_by_numbers = true,
        .e = x->e,
        .values = x->values,
        .size = x->f.size,
        .highest = x->highest,
        .needed = x->needed,
        .freedom = x->freedom,
        .is_preferred = x->f.is_preferred};
}

static void evaluate(fixture *x)
{
    const dae_problem *e = &x->e->problem;
    CHECK_STATUS(
        e->jacobian(e->self, DAE_ALL, 0, x->columns, NULL, x->values), DAE_OK);
}

static dae_status choose(fixture *x)
{
    evaluate(x);
    const pick_request q = request(x);
    return pick_choose(&q, &x->pick);
}

static double measure(fixture *x)
{
    double leverage = -1;
    evaluate(x);
    const pick_request q = request(x);
    CHECK_STATUS(pick_measure(&q, &x->pick, &leverage), DAE_OK);
    return leverage;
}

static int states_of(const fixture *x)
{
    int count = 0;
    for (size_t p = 0; p < x->e->columns; p++) count += x->pick.is_state[p];
    return count;
}

static int out_of(const fixture *x)
{
    int count = 0;
    for (size_t i = 0; i < x->e->rows; i++) count += x->pick.is_out[i];
    return count;
}

static const char pendulum[] = "var x ~ 1, y ~ 0, lam ~ 0\n"
                               "x'' = -lam*x\n"
                               "y'' = -lam*y - 9.81\n"
                               "rod: x^2 + y^2 = 1\n";

/* At rest with the force that keeps it there, or moving. */
static void put_pendulum(fixture *x, double a, double speed)
{
    const double lam = speed * speed - 9.81 * sin(a);
    put(x, "x", cos(a));
    put(x, "y", sin(a));
    put(x, "x'", -speed * sin(a));
    put(x, "y'", speed * cos(a));
    put(x, "lam", lam);
    put(x, "x''", -lam * cos(a));
    put(x, "y''", -lam * sin(a) - 9.81);
}

static void the_same_states_as_by_structure(void **state)
{
    (void)state;
    fixture x;
    open_fixture(&x, pendulum, NULL, NULL, 2);
    /* above and below 45 degrees */
    put_pendulum(&x, 0.6, 1);
    CHECK_STATUS(choose(&x), DAE_OK);
    assert_true(is_state(&x, "y") && is_state(&x, "y'"));
    assert_int_equal(states_of(&x), 2);
    assert_int_equal(out_of(&x), 0);
    put_pendulum(&x, 1.2, 1);
    CHECK_STATUS(choose(&x), DAE_OK);
    assert_true(is_state(&x, "x") && is_state(&x, "x'"));
    assert_int_equal(states_of(&x), 2);
    close_fixture(&x);
}

static void a_pick_becomes_impossible_without_bound(void **state)
{
    (void)state;
    fixture x;
    double last = 0;
    open_fixture(&x, pendulum, NULL, NULL, 2);
    put_pendulum(&x, 0.1, 1);
    CHECK_STATUS(choose(&x), DAE_OK);
    CHECK_NEAR(measure(&x), x.pick.leverage, 1e-12);
    for (double gap = 0.5; gap > 1e-4; gap *= 0.5) {
        put_pendulum(&x, acos(0) - gap, 1);
        const double leverage = measure(&x);
        assert_true(leverage > last && leverage * tan(gap) > 0.9);
        last = leverage;
    }
    put_pendulum(&x, acos(0), 1);
    assert_true(measure(&x) > 1e6);
    close_fixture(&x);
}

/* What is preferred stays a state while it may. */
static void a_preference_is_heard(void **state)
{
    (void)state;
    fixture x;
    open_fixture(&x, pendulum, NULL, NULL, 2);
    x.f.is_preferred[reduced_text_unknown(&x.f, "x")] = 1;
    put_pendulum(&x, 0.6, 1);
    CHECK_STATUS(choose(&x), DAE_OK);
    assert_true(is_state(&x, "x") && is_state(&x, "x'"));
    put_pendulum(&x, 0.001, 1);
    CHECK_STATUS(choose(&x), DAE_OK);
    assert_true(is_state(&x, "y") && is_state(&x, "y'"));
    close_fixture(&x);
}

/* x' + y' and x' + y' + z: their difference is z, so that z = sin(t) and the
 * second one are of no help to x and y but as one equation. The structure sees
 * two derivatives, there is one. */
static void a_hidden_constraint_is_found(void **state)
{
    (void)state;
    fixture x;
    static const int32_t c[] = {1, 1, 1}, highest[] = {1, 1, 0};
    open_fixture(&x,
        "var x = 1, y ~ 1, z ~ 0\n"
        "x' + y' = -z\n"
        "x' + y' + x - y = t\n"
        "x - 2*z = y\n",
        c, highest, 1);
    CHECK_STATUS(choose(&x), DAE_OK);
    assert_int_equal(states_of(&x), 1);
    close_fixture(&x);
}

/* The same with x in units of 1e8 and the last two equations in those of 1e-9:
 * what is independent stays so. */
static void units_hide_nothing(void **state)
{
    (void)state;
    fixture x;
    static const int32_t c[] = {1, 1, 1}, highest[] = {1, 1, 0};
    open_fixture(&x,
        "var x = 1, y ~ 1, z ~ 0\n"
        "1e-8*x' + y' = -z\n"
        "1e-9*(1e-8*x' + y' + 1e-8*x - y) = 1e-9*t\n"
        "1e-9*(1e-8*x - 2*z) = 1e-9*y\n",
        c, highest, 1);
    CHECK_STATUS(choose(&x), DAE_OK);
    assert_int_equal(states_of(&x), 1);
    close_fixture(&x);
}

/* Two rods in one, which differ by rounding: of the second one the equation and
 * both derivatives are out, and one of the forces is free. */
static void a_rod_too_many_is_out(void **state)
{
    (void)state;
    fixture x;
    open_fixture(&x,
        "var x ~ 1, y ~ 0, l1 ~ 0, l2 ~ 0\n"
        "x'' = -l1*x - 0.3*l2*x\n"
        "y'' = -l1*y - 0.3*l2*y - 9.81\n"
        "rod: x^2 + y^2 = 1\n"
        "again: 0.3*x^2 + 0.3*y^2 = 0.3\n",
        NULL, NULL, 2);
    uint8_t may_be_loose[REDUCED_MOST] = {0};
    may_be_loose[reduced_text_unknown(&x.f, "l1")] = 1;
    may_be_loose[reduced_text_unknown(&x.f, "l2")] = 1;
    for (int k = 1; k < 30; k++) {
        const double a = 0.1 * k;
        put(&x, "x", cos(a));
        put(&x, "y", sin(a));
        put(&x, "x'", -sin(a) / 3);
        put(&x, "y'", cos(a) / 3);
        put(&x, "l1", 1.0 / 9 - 9.81 * sin(a));
        evaluate(&x);
        pick_request q = request(&x);
        q.may_be_loose = may_be_loose;
        CHECK_STATUS(pick_choose(&q, &x.pick), DAE_OK);
        assert_int_equal(states_of(&x), 2);
        assert_int_equal(out_of(&x), 3);
    }
    close_fixture(&x);
}

/* Too few or too many states are no pick. */
static void a_wrong_number_of_states_is_refused(void **state)
{
    (void)state;
    for (int64_t freedom = 0; freedom < 5; freedom++) {
        fixture x;
        open_fixture(&x, pendulum, NULL, NULL, freedom);
        put_pendulum(&x, 0.6, 1);
        CHECK_STATUS(choose(&x), freedom == 2 ? DAE_OK : DAE_UNSUPPORTED);
        close_fixture(&x);
    }
}

static void the_same_again_is_the_same(void **state)
{
    (void)state;
    random_state r = {23};
    fixture x;
    open_fixture(&x, pendulum, NULL, NULL, 2);
    for (int k = 0; k < 200; k++) {
        uint8_t before[64];
        put_pendulum(&x, 4 * random_unit(&r), 5 * random_unit(&r));
        CHECK_STATUS(choose(&x), DAE_OK);
        assert_int_equal(states_of(&x), 2);
        assert_true(x.e->columns <= sizeof before);
        memcpy(before, x.pick.is_state, x.e->columns);
        CHECK_NEAR(measure(&x), x.pick.leverage, 1e-9);
        CHECK_STATUS(choose(&x), DAE_OK);
        assert_memory_equal(before, x.pick.is_state, x.e->columns);
    }
    close_fixture(&x);
}

static void memory_may_fail_anywhere(void **state)
{
    (void)state;
    fixture x;
    open_fixture(&x, pendulum, NULL, NULL, 2);
    put_pendulum(&x, 0.6, 1);
    CHECK_STATUS(choose(&x), DAE_OK);
    for (int is_measured = 0; is_measured < 2; is_measured++) {
        size_t failed = 0;
        for (dae_status st = DAE_MEMORY; st; failed++) {
            failing_memory memory;
            pick_request q = request(&x);
            double leverage;
            failing_init(&memory, failed);
            q.allocator = &memory.allocator;
            st = is_measured ? pick_measure(&q, &x.pick, &leverage)
                             : pick_choose(&q, &x.pick);
            if (st) CHECK_STATUS(st, DAE_MEMORY);
            assert_int_equal(memory.live, 0);
        }
        assert_true(failed > 1);
    }
    close_fixture(&x);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_same_states_as_by_structure),
        cmocka_unit_test(a_pick_becomes_impossible_without_bound),
        cmocka_unit_test(a_preference_is_heard),
        cmocka_unit_test(a_hidden_constraint_is_found),
        cmocka_unit_test(units_hide_nothing),
        cmocka_unit_test(a_rod_too_many_is_out),
        cmocka_unit_test(a_wrong_number_of_states_is_refused),
        cmocka_unit_test(the_same_again_is_the_same),
        cmocka_unit_test(memory_may_fail_anywhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
