/* Runs through events with an allocation that fails: whatever call is refused for
 * want of memory does what it was to do when it is made again, and everything is
 * told of an event once. */
#include "support/memory_sweep.h"

#include <dae/model.h>
#include <dae/solver.h>

enum { STATES_MOST = 16 };

static const char *method; /* NULL: the default one */

static dae_status note(void *context, const dae_event *e)
{
    trial *t = context;
    trial_text(t, e->phase == DAE_EVENT_BEFORE ? "before" : "after");
    trial_values(t, &e->t, 1);
    trial_values(t, e->x, 1);
    for (size_t k = 0; k < e->when_count; k++) trial_text(t, "when");
    return DAE_OK;
}

static void run(trial *t, const void *what)
{
    const char *text = what;
    double x[STATES_MOST];
    dae_model *m = NULL;
    dae_solver *s = NULL;
    dae_status st;
    trial_open(t);
    CHECK_STATUS(dae_model_parse("memory.dae", text, strlen(text), NULL,
                     &t->memory.allocator, t->ds, &m),
        DAE_OK);
    trial_arm(t);
    dae_options o = dae_options_default();
    o.t_end = 3;
    o.rtol = 1e-4;
    o.method = method;
    o.on_event = note;
    o.event_context = t;
    const dae_problem *p = dae_model_problem(m);
    TRIAL(t, st, dae_solver_create(p, &o, &t->memory.allocator, t->ds, &s));
    trial_note(t, "create", st);
    TRIAL(t, st, dae_solver_initialize(s));
    trial_note(t, "initialize", st);
    for (double to = 0.75; to <= 3 && !st; to += 0.75) {
        TRIAL(t, st, dae_solver_advance(s, to, x, NULL));
        trial_note(t, "advance", st);
        if (!st) trial_values(t, x, dae_problem_state_count(p));
    }
    dae_solver_free(s);
    dae_model_free(m);
}

static const char *const texts[] = {
    /* switches of all kinds, breaks, discrete variables, an end */
    "var h = 1, v = 0, u\n"
    "discrete n = 0\n"
    "h' = v\n"
    "v' = -10 - 0.1*v*abs(v)\n"
    "u = max(h, 0.5) + floor(2*t)\n"
    "when h < 0\n  v := -0.9*v; n := n + 1\nend\n"
    "when mod(t, 0.7) < 0.2\n  n := n + 10\nend\n"
    "when n >= 15 and h < 0.3\n  stop \"enough\"\nend\n",
    /* constraints behind an assignment */
    "var x = 1, y = 0, F\n"
    "init x' = 0\n"
    "x'' = -F*x\n"
    "y'' = -F*y - 9.81\n"
    "rod: x^2 + y^2 = 1\n"
    "when x < 0\n  x' := -0.8*x'\nend\n",
    /* modes of different index */
    "var x = 0, v ~ 0.1, F\n"
    "discrete sticks = 1\n"
    "x' = v\n"
    "v' = -10*x + F\n"
    "0 = if sticks == 1 then v - 0.1 else F - 0.6\n"
    "when sticks == 1 and F > 1\n  sticks := 0\nend\n"
    "when sticks == 0 and v > 0.1\n  sticks := 1; v := 0.1\nend\n",
    /* of index 1 with slopes that are tied: states are picked at the event */
    "var u1 = 0.1, u2 ~ 0.1\n"
    "discrete n = 1\n"
    "u1 = n*u2\n"
    "u1' + 3*u2' = 0.1 - u1\n"
    "when t > 1\n  u1 := 0\nend\n"
    "when t > 2\n  n := 2\nend\n",
    /* from index 2 to index 2, by jumps of any size */
    "var w1 = 1, w2 ~ 1, M\n"
    "discrete r = 1\n"
    "w1' = -r*M\n"
    "w2' = M\n"
    "w2 = r*w1\n"
    "when t > 0.3\n  r := 2\nend\n"
    "when t > 0.6\n  r := 2.00001\nend\n",
    /* what runs dry, by a bound and without one, and is filled again */
    "var h = 0.25 {min=0}, k = 0.25\n"
    "discrete n = 0\n"
    "h' = max(tanh(t - 2), 0) - sqrt(h)\n"
    "k' = max(tanh(t - 2), 0) - sqrt(max(k, 0))\n"
    "when h <= 0\n  n := n + 1\nend\n"
    "when k > 0\n  n := n + 1\nend\n"
    "when t > 1.5\n  n := n + 1\nend\n",
    /* what equations hold on its threshold */
    "var v = 0, i\n"
    "discrete on = 0\n"
    "v' = i - v\n"
    "if on > 0.5 then sin(5*t) - v else i = 0\n"
    "when sin(5*t) > v\n  on := 1\nend\n"
    "when i < 0\n  on := 0\nend\n",
    /* verdicts */
    "var x = 1\nx' = if x > 0 then -1 else 1\n",
    "var x = 1\ndiscrete n = 0\nx' = -1\n"
    "when x < 0\n  n := 1\nend\nwhen x - 1e-30*x < 0\n  n := 2\nend\n",
    "var x = 1, y = 0, F\n"
    "init x' = 0\n"
    "x'' = -F*x\n"
    "y'' = -F*y - 9.81\n"
    "rod: x^2 + y^2 = 1\n"
    "when start or x < 0.5\n  x := 2\nend\n",
};

static void sweep(const char *by, size_t most)
{
    size_t refused = 0;
    method = by;
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++)
        refused += memory_sweep_some("event", run, texts[k], most);
    method = NULL;
    assert_true(refused > 0);
}

static void test_runs(void **state)
{
    (void)state;
    sweep(NULL, 60);
}

static void test_runs_of_stages(void **state)
{
    (void)state;
    sweep("radau", 40);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_runs), cmocka_unit_test(test_runs_of_stages)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
