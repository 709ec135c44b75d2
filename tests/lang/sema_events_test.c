/* What `when` and `discrete` mean as tables: names, numbers, conditions and
 * right sides at a point, all worked out by hand. */
#include "lang/sema_support.h"

#include <math.h>

static const dae_events *events_of(const fixture *f)
{
    assert_non_null(f->p->events);
    return f->p->events;
}

static void check_when(const fixture *f, size_t w, const char *name,
    uint32_t line, const char *condition)
{
    char text[64];
    assert_int_equal(
        dae_model_when_name(f->model, w, text, sizeof text), strlen(name));
    assert_string_equal(text, name);
    assert_int_equal(dae_model_when_line(f->model, w), line);
    dae_model_when_text(f->model, w, text, sizeof text);
    assert_string_equal(text, condition);
}

static void check_discrete(const fixture *f, size_t k, const char *name,
    const char *unit, double start)
{
    char text[64];
    dae_model_discrete_name(f->model, k, text, sizeof text);
    assert_string_equal(text, name);
    assert_string_equal(dae_model_discrete_unit(f->model, k), unit);
    CHECK_NEAR(events_of(f)->discrete_start[k], start, 0);
    CHECK_NEAR(dae_model_discrete_value(f->model, k), start, 0);
}

static void check_assignment(const fixture *f, size_t a, const char *name,
    int is_discrete, int order, int index)
{
    char text[64];
    const dae_assignment *got = &events_of(f)->assignments[a];
    dae_model_assignment_name(f->model, a, text, sizeof text);
    assert_string_equal(text, name);
    assert_int_equal(got->is_discrete, is_discrete);
    assert_int_equal(got->order, order);
    assert_int_equal(got->index, index);
}

/* Right side `a` at the fixture's point. */
static double right_side(fixture *f, size_t a)
{
    double values[64];
    const dae_events *e = events_of(f);
    assert_true(e->assignment_count <= 64);
    CHECK_STATUS(e->assigned(f->p->self, 2, f->x, f->xp, values), DAE_OK);
    return values[a];
}

static double condition(fixture *f, size_t w)
{
    double values[64];
    const dae_events *e = events_of(f);
    assert_true(e->when_count <= 64);
    CHECK_STATUS(e->conditions(f->p->self, 2, f->x, f->xp, values), DAE_OK);
    return values[w];
}

static void a_ball_bounces(void **state)
{
    (void)state;
    fixture f;
    /* x = 0.5 (h), 0.75 (v) */
    open_model(&f,
        "param e = 0.8\n"
        "var h = 1, v = 0\n"
        "discrete n = 2 {1} \"bounces\"\n"
        "h' = v\n"
        "v' = -9.81\n"
        "bounce: when h < 0 and\n"
        "    v < 0\n"
        "  v := -e*v\n"
        "  n := n + 1\n"
        "  print \"one\"\n"
        "  print \"two\"\n"
        "end\n"
        "when n >= 3; stop \"rest\"; end\n"
        "when h > 2\n"
        "  stop\n"
        "end\n");
    const dae_events *e = events_of(&f);
    assert_int_equal(dae_model_when_count(f.model), 3);
    assert_int_equal(e->when_count, 3);
    check_when(&f, 0, "bounce", 6, "h < 0 and v < 0");
    check_when(&f, 1, "L13", 13, "n >= 3");
    check_when(&f, 2, "L14", 14, "h > 2");
    assert_int_equal(dae_model_discrete_count(f.model), 1);
    check_discrete(&f, 0, "n", "1", 2);
    assert_string_equal(dae_model_discrete_doc(f.model, 0), "bounces");
    assert_int_equal(dae_model_discrete_line(f.model, 0), 3);
    assert_int_equal(e->assignment_count, 2);
    check_assignment(&f, 0, "v", 0, 0, 1);
    check_assignment(&f, 1, "n", 1, 0, 0);
    CHECK_NEAR(right_side(&f, 0), -0.8 * 0.75, 0);
    CHECK_NEAR(right_side(&f, 1), 3, 0);
    assert_int_equal(e->whens[0].assignment, 0);
    assert_int_equal(e->whens[0].assignment_count, 2);
    assert_int_equal(e->whens[0].print_count, 2);
    assert_string_equal(e->whens[0].prints[0], "one");
    assert_string_equal(e->whens[0].prints[1], "two");
    assert_null(e->whens[0].stop);
    assert_string_equal(e->whens[1].stop, "rest");
    assert_string_equal(e->whens[2].stop, "");
    CHECK_NEAR(condition(&f, 1), 0, 0);
    e->held[0] = 3;
    CHECK_NEAR(condition(&f, 1), 1, 0);
    CHECK_NEAR(right_side(&f, 1), 4, 0);
    CHECK_NEAR(dae_model_discrete_value(f.model, 0), 3, 0);
    close_model(&f);
}

static void loops_make_a_when_for_each_turn(void **state)
{
    (void)state;
    fixture f;
    /* q[1..3] = 0.5 0.75 1 */
    open_model(&f,
        "var q[k in 1..3] = k\n"
        "discrete d[k in 1..3] = k^2, c[2, 0..1] = 7\n"
        "for k in 1..3\n"
        "  q[k]' = -q[k] + d[k]\n"
        "  for j in 0..1\n"
        "    if k > 2\n"
        "      low: when q[k] < d[k] + j\n"
        "        q[k] := d[k] + 10*k + j\n"
        "        d := 2*d\n"
        "        c[2, j] := q[1]\n"
        "      end\n"
        "    end\n"
        "  end\n"
        "  when k > 1 and q[k] < q[k-1]\n"
        "    d[k] := t\n"
        "  end\n"
        "end\n");
    const dae_events *e = events_of(&f);
    assert_int_equal(e->when_count, 4);
    check_when(&f, 0, "low[3,0]", 7, "q[k] < d[k] + j");
    check_when(&f, 1, "low[3,1]", 7, "q[k] < d[k] + j");
    check_when(&f, 2, "L14[2]", 14, "k > 1 and q[k] < q[k-1]");
    check_when(&f, 3, "L14[3]", 14, "k > 1 and q[k] < q[k-1]");
    assert_int_equal(dae_model_discrete_count(f.model), 7);
    check_discrete(&f, 1, "d[2]", "", 4);
    check_discrete(&f, 3, "c[1,0]", "", 7);
    check_discrete(&f, 6, "c[2,1]", "", 7);
    assert_int_equal(e->assignment_count, 12);
    assert_int_equal(e->whens[1].assignment, 5);
    assert_int_equal(e->whens[1].assignment_count, 5);
    check_assignment(&f, 0, "q[3]", 0, 0, 2);
    check_assignment(&f, 1, "d[1]", 1, 0, 0);
    check_assignment(&f, 3, "d[3]", 1, 0, 2);
    check_assignment(&f, 4, "c[2,0]", 1, 0, 5);
    check_assignment(&f, 9, "c[2,1]", 1, 0, 6);
    check_assignment(&f, 10, "d[2]", 1, 0, 1);
    CHECK_NEAR(right_side(&f, 0), 9 + 30, 0);
    CHECK_NEAR(right_side(&f, 2), 8, 0);
    CHECK_NEAR(right_side(&f, 5), 9 + 30 + 1, 0);
    CHECK_NEAR(right_side(&f, 9), 0.5, 0);
    CHECK_NEAR(right_side(&f, 11), 2, 0);
    close_model(&f);
}

static void derivatives_and_arrays_are_assigned(void **state)
{
    (void)state;
    fixture f;
    /* y[1..2] = 0.5 0.75, y' in x behind them or in order; u = ... */
    open_model(&f,
        "var y[2] = 1, u = 0\n"
        "discrete last = -1, A[2,2] = [[1, 2], [3, 4]]\n"
        "y'' = -y + A*y\n"
        "u''' = 0\n"
        "when t > 1 + last\n"
        "  last := t\n"
        "  y' := [-y[1], u]\n"
        "  der(u, 2) := 4\n"
        "  u' := if A[1,2] > 1 then 8 else 9\n"
        "  A[1] := 2*A[2]\n"
        "  y[1..2] := y\n"
        "end\n");
    const dae_events *e = events_of(&f);
    assert_int_equal(e->when_count, 1);
    check_when(&f, 0, "L5", 5, "t > 1 + last");
    assert_int_equal(e->assignment_count, 9);
    check_assignment(&f, 0, "last", 1, 0, 0);
    check_assignment(&f, 1, "y[1]'", 0, 1, 0);
    check_assignment(&f, 2, "y[2]'", 0, 1, 1);
    check_assignment(&f, 3, "u''", 0, 2, 2);
    check_assignment(&f, 4, "u'", 0, 1, 2);
    check_assignment(&f, 5, "A[1,1]", 1, 0, 1);
    check_assignment(&f, 6, "A[1,2]", 1, 0, 2);
    check_assignment(&f, 7, "y[1]", 0, 0, 0);
    CHECK_NEAR(right_side(&f, 0), 2, 0);
    CHECK_NEAR(right_side(&f, 3), 4, 0);
    CHECK_NEAR(right_side(&f, 4), 8, 0);
    CHECK_NEAR(right_side(&f, 5), 6, 0);
    CHECK_NEAR(right_side(&f, 6), 8, 0);
    CHECK_NEAR(condition(&f, 0), 1, 0);
    close_model(&f);
}

static void a_discrete_is_used_like_a_number(void **state)
{
    (void)state;
    fixture f;
    const dae_override set[] = {
        {"n(0)", "5"}, {"q[2](0)", "2*k"}, {"x(0)", "3"}, {"k", "4"}};
    /* x = 0.5 */
    open_with(&f,
        "param k = 2\n"
        "var x = 1\n"
        "discrete n = k, q[3] = [k, 2*k, 3*k]\n"
        "let r = n*x, s = sum(q)\n"
        "input w = n*t\n"
        "output o = r + s + w\n"
        "x' = n*x - (n*x)'/n + q[3]\n"
        "plot n, q over n\n"
        "expect n > 3 always\n",
        set, 4);
    const dae_events *e = events_of(&f);
    assert_int_equal(e->when_count, 0);
    check_discrete(&f, 0, "n", "", 5);
    check_discrete(&f, 1, "q[1]", "", 4);
    check_discrete(&f, 2, "q[2]", "", 8);
    check_discrete(&f, 3, "q[3]", "", 12);
    /* x' = 5*0.5 - x' + 12 with x' = 10 */
    evaluate(&f, 2);
    CHECK_NEAR(f.res[0], 10 - (2.5 - 10 + 12), 0);
    assert_int_equal(dae_model_observation_count(f.model), 12);
    CHECK_STATUS(dae_model_observe(f.model, 2, f.x, f.xp, f.obs), DAE_OK);
    CHECK_NEAR(f.obs[0], 2.5, 0);           /* r */
    CHECK_NEAR(f.obs[1], 24, 0);            /* s */
    CHECK_NEAR(f.obs[2], 10, 0);            /* w */
    CHECK_NEAR(f.obs[3], 2.5 + 24 + 10, 0); /* o */
    e->held[0] = 7;
    CHECK_STATUS(dae_model_observe(f.model, 2, f.x, f.xp, f.obs), DAE_OK);
    CHECK_NEAR(f.obs[0], 3.5, 0);
    CHECK_NEAR(f.obs[2], 14, 0);
    close_model(&f);
}

static void a_param_gives_the_start_anew(void **state)
{
    (void)state;
    fixture f;
    open_model(&f,
        "param k = 2\n"
        "var x = 1\n"
        "discrete n = 3*k\n"
        "x' = n\n");
    check_discrete(&f, 0, "n", "", 6);
    CHECK_STATUS(dae_model_set_param(f.model, "k", 5), DAE_OK);
    check_discrete(&f, 0, "n", "", 15);
    close_model(&f);
}

/* Conditions that a param or an index settles make no event; those that ask
 * for what moves in steps may ask for equality. */
static void only_what_can_turn_is_an_event(void **state)
{
    (void)state;
    fixture f;
    open_model(&f,
        "param on = 0\n"
        "var x[3] = 1\n"
        "discrete n = 0\n"
        "x' = -x\n"
        "let hit = x[1] < 0.5, step = floor(2*t)\n"
        "for k in 1..3\n"
        "  edge: when k == 2 and x[k] < 0.5\n"
        "    x[k+1] := 1\n"
        "  end\n"
        "end\n"
        "never: when on > 0 and x[1] < 0.1\n"
        "  stop\n"
        "end\n"
        "lets: when hit and n == 0\n"
        "  n := 1\n"
        "end\n"
        "steps: when step == 3 or floor(x[2]) == 0\n"
        "  n := 2\n"
        "end\n"
        "held: when n\n"
        "  stop\n"
        "end\n");
    assert_int_equal(dae_model_when_count(f.model), 4);
    check_when(&f, 0, "edge[2]", 7, "k == 2 and x[k] < 0.5");
    check_when(&f, 1, "lets", 14, "hit and n == 0");
    check_when(&f, 2, "steps", 17, "step == 3 or floor(x[2]) == 0");
    check_when(&f, 3, "held", 20, "n");
    close_model(&f);
}

/* Words that are keywords in a `when` alone, or begin statements elsewhere. */
static void words_stay_names(void **state)
{
    (void)state;
    fixture f;
    open_model(&f,
        "var stop = 1, print[2] = 2, at = 0\n"
        "discrete step = 0, expect = 1, plot[2] = 0\n"
        "stop'' = print[1]\n"
        "print' = -print\n"
        "at' = step\n"
        "when stop < 0.5\n"
        "  stop := 1\n"
        "  stop' := 2\n"
        "  print[1] := 3\n"
        "  at := 4\n"
        "  step := 5\n"
        "  expect := 6\n"
        "  plot[2] := 7\n"
        "  stop \"text\"\n"
        "end\n");
    const dae_events *e = events_of(&f);
    assert_int_equal(e->assignment_count, 7);
    for (size_t a = 0; a < 7; a++)
        CHECK_NEAR(right_side(&f, a), 1 + (double)a, 0);
    check_assignment(&f, 1, "stop'", 0, 1, 0);
    check_assignment(&f, 6, "plot[2]", 1, 0, 3);
    assert_string_equal(e->whens[0].stop, "text");
    close_model(&f);
}

static void two_on_a_line_have_names_of_their_own(void **state)
{
    (void)state;
    fixture f;
    open_model(&f,
        "var x = 1\n"
        "x' = -x\n"
        "when x < 0.5; stop; end; when x < 0.6; stop; end\n"
        "  when x < 0.7; stop; end\n");
    check_when(&f, 0, "L3", 3, "x < 0.5");
    check_when(&f, 1, "L3:2", 3, "x < 0.6");
    check_when(&f, 2, "L4", 4, "x < 0.7");
    close_model(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_ball_bounces),
        cmocka_unit_test(loops_make_a_when_for_each_turn),
        cmocka_unit_test(derivatives_and_arrays_are_assigned),
        cmocka_unit_test(a_discrete_is_used_like_a_number),
        cmocka_unit_test(a_param_gives_the_start_anew),
        cmocka_unit_test(only_what_can_turn_is_an_event),
        cmocka_unit_test(words_stay_names),
        cmocka_unit_test(two_on_a_line_have_names_of_their_own),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
