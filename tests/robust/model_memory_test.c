/* A model compiled and run with an allocator that fails its n-th call, for
 * every n until all goes well: never a crash or a leak, and the same answer
 * afterwards. Every prefix of a model's text ends in a status. */
#include "support/check.h"

#include <dae/model.h>
#include <dae/solver.h>
#include <stdbool.h>

static const char text[] =
    "\"a model with a little of everything\"\n"
    "param n = 3, k = 2 {1/s}, w[i in 1..30] = i\n"
    "let   h = 1/(n + 1), total = sum(x)\n"
    "input u = sin(t)\n"
    "fun   flow(a, b)\n  d = a - b\n  return k*d*abs(d)\nend\n"
    "var   x[i in 1..n] = i*h {min = -10}, y = 1, z ~ 0\n"
    "init  y' = 0\n"
    "ring: x[i]' = flow(x[mod(i, n) + 1], x[i]) + u*(k*total)'/20  for i in "
    "1..n\n"
    "y'' = -y + z\n"
    "mass: z + sum(w[j]*x[1] for j in 1..30) = if y > 0 then 1 else exp(y)\n"
    "output big = max(x), energy = y^2 + y'^2\n"
    "solve t in 0..1, rtol = 1e-5, atol = 1e-7, points = 5\n"
    "plot x, y over z\n"
    "expect energy ~ initial(energy) within 1e6 always\n";

/* Fails one call only, as a machine short of memory for a moment does. */
typedef struct hiccup {
    dae_allocator allocator;
    failing_memory memory;
    size_t fail_at;
} hiccup;

static void *hiccup_resize(
    void *context, void *block, size_t old_size, size_t size)
{
    hiccup *h = context;
    h->memory.fail_from = h->memory.allocations == h->fail_at ? h->fail_at
                                                              : SIZE_MAX;
    void *result = failing_memory_resize(&h->memory, block, old_size, size);
    if (size && !result) h->memory.allocations = h->fail_at + 1;
    return result;
}

static dae_status solve(const dae_allocator *a, const char *model_text,
    size_t length, double *answer)
{
    dae_diagnostics *ds = NULL;
    dae_model *m = NULL;
    dae_solver *s = NULL;
    dae_status st = dae_diagnostics_create(a, &ds);
    if (!st) {
        st = dae_model_parse("memory.dae", model_text, length, NULL, a, ds, &m);
    }
    if (!st) {
        dae_options o = dae_options_default();
        o.t_end = dae_model_settings(m)->t1;
        st = dae_solver_create(dae_model_problem(m), &o, a, ds, &s);
    }
    if (!st) st = dae_solver_initialize(s);
    double x[16];
    if (!st) st = dae_solver_advance(s, 1, x, NULL);
    if (!st) memcpy(answer, x, 6 * sizeof *x);
    dae_solver_free(s);
    dae_model_free(m);
    dae_diagnostics_free(ds);
    return st;
}

static double expected[6];

/* Whether the n-th failure was met; the end is DAE_OK with equal bits. */
static bool goes_wrong(const dae_allocator *a, const size_t *live)
{
    double answer[6];
    dae_status st = solve(a, text, strlen(text), answer);
    assert_int_equal(*live, 0);
    if (st == DAE_OK) {
        assert_memory_equal(expected, answer, sizeof expected);
        return false;
    }
    CHECK_STATUS(st, DAE_MEMORY);
    return true;
}

static void every_allocation_may_fail_from_then_on(void **state)
{
    (void)state;
    failing_memory m;
    size_t n = 0;
    do {
        failing_init(&m, n++);
    } while (goes_wrong(&m.allocator, &m.live));
    assert_true(n > 100);
}

static void every_allocation_may_fail_once(void **state)
{
    (void)state;
    size_t n = 0, failures = 0;
    hiccup h;
    do {
        h.allocator = (dae_allocator){hiccup_resize, &h};
        failing_init(&h.memory, SIZE_MAX);
        h.fail_at = n++;
        failures += goes_wrong(&h.allocator, &h.memory.live);
    } while (h.memory.allocations > h.fail_at);
    assert_true(failures > 100);
}

static void every_prefix_ends_in_a_status(void **state)
{
    (void)state;
    for (size_t length = 0; length < strlen(text); length++) {
        dae_diagnostics *ds;
        dae_model *m;
        CHECK_STATUS(dae_diagnostics_create(NULL, &ds), DAE_OK);
        dae_status st = dae_model_parse(
            "prefix.dae", text, length, NULL, NULL, ds, &m);
        if (st) assert_true(dae_diagnostics_error_count(ds) > 0);
        dae_model_free(m);
        dae_diagnostics_free(ds);
    }
}

/* Mistakes of names take memory to tell of; without it they are not told, but
 * the model never passes. */
static void mistakes_are_never_accepted(void **state)
{
    (void)state;
    static const char wrong[] =
        "let a = b\nlet b = a\nfun f(x) = g(x)\nfun g(x) = f(x)\n"
        "var x = 1\nx' = f(1) - k*x + ln(j) + k\ndx/dt = a + np.pi\n";
    size_t n = 0;
    bool is_done = false;
    for (; !is_done; n++) {
        failing_memory m;
        dae_diagnostics *ds = NULL;
        dae_model *model = NULL;
        failing_init(&m, n);
        dae_status st = dae_diagnostics_create(&m.allocator, &ds);
        if (!st)
            st = dae_model_parse("wrong.dae", wrong, strlen(wrong), NULL,
                &m.allocator, ds, &model);
        assert_null(model);
        assert_true(st == DAE_MEMORY || st == DAE_MODEL);
        is_done = m.allocations < n;
        if (is_done) assert_int_equal(dae_diagnostics_error_count(ds), 7);
        dae_diagnostics_free(ds);
        assert_int_equal(m.live, 0);
    }
    assert_true(n > 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_allocation_may_fail_from_then_on),
        cmocka_unit_test(every_allocation_may_fail_once),
        cmocka_unit_test(every_prefix_ends_in_a_status),
        cmocka_unit_test(mistakes_are_never_accepted),
    };
    CHECK_STATUS(solve(NULL, text, strlen(text), expected), DAE_OK);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
