/* Residuals and observations in extended precision: the same as in double but for
 * rounding on every model, and right beyond a double's digits where the text is
 * decimal. */
#include "base/long_math.h"
#include "check.h"
#include "model_folder.h"
#include <dae/model.h>
#include <float.h>

static dae_model *parse(const char *text)
{
    dae_model *m;
    CHECK_STATUS(
        dae_model_parse("m", text, strlen(text), NULL, NULL, NULL, &m), DAE_OK);
    return m;
}

static double off(dae_long value, const char *wanted)
{
    const dae_long right = dae_long_read(wanted, NULL);
    return (double)(dae_long_abs(value - right) / dae_long_abs(right));
}

/* A residual of x' = rhs at x' = 0, t, x is -rhs. */
static dae_long right_side(const char *rhs, dae_long t, dae_long x)
{
    char text[200];
    const dae_long zero = 0;
    dae_long res;
    snprintf(text, sizeof text, "var x = 0\nx' = %s\nsolve t in 0..1\n", rhs);
    dae_model *m = parse(text);
    const dae_problem *p = dae_model_problem(m);
    CHECK_STATUS(p->residual_long(p->self, t, &x, &zero, &res), DAE_OK);
    dae_model_free(m);
    return -res;
}

/* Digits computed with 40 digits in decimal arithmetic. */
static void functions_are_right_beyond_double(void **state)
{
    (void)state;
    static const struct {
        const char *rhs, *value;
    } at_tenth[] = {
        {"0.1*x", "0.01"},
        {"x/3", "0.03333333333333333333333333333333333333333"},
        {"x^3", "0.001"},
        {"x^(-2)", "100"},
        {"sin(x)", "0.09983341664682815230681419841062202698992"},
        {"exp(x)", "1.105170918075647624811707826490246668225"},
        {"log(x)", "-2.302585092994045684017991454684364207601"},
        {"sqrt(x)", "0.3162277660168379331998893544432718533720"},
        {"tanh(x)", "0.09966799462495581711830508367835218353896"},
        {"pi*x", "0.3141592653589793238462643383279502884197"},
        {"sinc(x)", "0.9983341664682815230681419841062202698992"},
        {"x^0.7", "0.1995262314968879601352455396739535557986"},
        {"atan2(x, 1)", "0.09966865249116202737844611987802059024327"},
        {"t + x", "0.3"},
    };
    const dae_long tenth = dae_long_read("0.1", NULL);
    for (size_t k = 0; k < sizeof at_tenth / sizeof *at_tenth; k++) {
        const double wrong = off(
            right_side(at_tenth[k].rhs, 2 * tenth, tenth), at_tenth[k].value);
        if (wrong > 8 * DAE_LONG_EPSILON)
            print_error("%s is off by %g\n", at_tenth[k].rhs, wrong);
        assert_true(wrong <= 8 * DAE_LONG_EPSILON);
    }
}

static void params_and_their_changes_are_decimal_too(void **state)
{
    (void)state;
    dae_long x = 1, xp = 0, res, seen[8];
    dae_model *m = parse("param a = 0.1, b = 0.7\nlet c = a*b/3\nvar x = 1\n"
                         "x' = c*x\noutput y = c*x + t\nsolve t in 0..1\n");
    const dae_problem *p = dae_model_problem(m);
    CHECK_STATUS(p->residual_long(p->self, 0, &x, &xp, &res), DAE_OK);
    assert_true(off(-res, "0.02333333333333333333333333333333333333333")
        <= 8 * DAE_LONG_EPSILON);
    CHECK_STATUS(dae_model_set_param(m, "a", 0.3), DAE_OK);
    CHECK_STATUS(p->residual_long(p->self, 0, &x, &xp, &res), DAE_OK);
    assert_true(off(-res, "0.07") <= 8 * DAE_LONG_EPSILON);
    assert_true(dae_model_observation_count(m) <= 8);
    CHECK_STATUS(dae_model_observe_long(m, 1, &x, &xp, seen), DAE_OK);
    const size_t last = dae_model_observation_count(m) - 1;
    assert_true(off(seen[last], "1.07") <= 8 * DAE_LONG_EPSILON);
    dae_model_free(m);
}

/* Numbers near the start, another set for each `k`. */
static double somewhere(double x, size_t k, size_t slot)
{
    const double nudge = sin((double)(7 * slot + 3 * k + 1));
    return isfinite(x) ? x + 0.01 * nudge * (1 + fabs(x)) : nudge;
}

/* The largest change of a residual when slots change by a unit in their last
 * place stands for the rounding of both; many of its size are allowed. */
static void compare(const dae_problem *p, const char *path, void *context)
{
    (void)context;
    const size_t n = p->unknown_count, states = dae_problem_state_count(p);
    double *x = calloc(2 * (states + n) + 2 * n, sizeof *x);
    dae_long *lx = calloc(states + 2 * n, sizeof *lx);
    double *xp = x + states, *res = xp + n, *other = res + n;
    dae_long *lxp = lx + states, *lres = lxp + n;
    for (size_t k = 0; k < 3; k++) {
        for (size_t s = 0; s < states; s++)
            lx[s] = x[s] = somewhere(p->start->x[s], k, s);
        for (size_t j = 0; j < n; j++)
            lxp[j] = xp[j] = somewhere(p->start->xp[j], k, states + j);
        /* nothing switches there, as the buck converter does at 0.37 */
        const double t = p->start->t0 + 0.3701 * (double)k;
        CHECK_STATUS(p->residual(p->self, t, x, xp, res), DAE_OK);
        CHECK_STATUS(p->residual_long(p->self, t, lx, lxp, lres), DAE_OK);
        for (size_t s = 0; s < states; s++) x[s] *= 1 + DBL_EPSILON;
        for (size_t j = 0; j < n; j++) xp[j] *= 1 - DBL_EPSILON;
        CHECK_STATUS(p->residual(p->self, t, x, xp, other), DAE_OK);
        for (size_t i = 0; i < n; i++) {
            if (!isfinite(res[i]) || !isfinite(other[i])) continue;
            const double change = fabs(other[i] - res[i]);
            const double wrong = fabs((double)(lres[i] - (dae_long)res[i]));
            if (wrong <= 1000 * change + 1e-12 * fabs(res[i]) + 1e-13) continue;
            print_error("%s, equation %zu: %.17g in double, off by %g\n", path,
                i + 1, res[i], wrong);
            fail();
        }
    }
    free(x);
    free(lx);
}

static void every_model_is_as_in_double(void **state)
{
    (void)state;
    static const char *const folders[] = {"chemistry", "circuits", "limits",
        "mechanics", "medicine", "molecules", "oscillators", "pde", "process",
        "quadrature"};
    for (size_t k = 0; k < sizeof folders / sizeof *folders; k++) {
        char path[100];
        snprintf(path, sizeof path, "models/%s", folders[k]);
        assert_true(visit_models(path, compare, NULL) > 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(functions_are_right_beyond_double),
        cmocka_unit_test(params_and_their_changes_are_decimal_too),
        cmocka_unit_test(every_model_is_as_in_double),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
