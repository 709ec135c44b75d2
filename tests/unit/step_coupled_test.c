/* A method whose stages are solved together, with a matrix of its own: the Radau IIA
 * method of two stages, order 3 [HW96 IV.5]. The inverse of its coefficients has the
 * pair 2 +- i sqrt(2) of eigenvalues, so Newton's method takes one complex system
 * of n equations, made of the slots' derivatives that the machine has. Expected
 * is its order. */
#include "newton/norm.h"
#include "stepping.h"

#include <complex.h>
#include <float.h>

enum { STAGES = 2, FEW = 2 };
static const double nodes[STAGES] = {1.0 / 3, 1};
static const double inverse[STAGES][STAGES] = {{1.5, 0.5}, {-4.5, 2.5}};

/* Rows of work: stages less the last point, their slopes, their residuals. */
enum {
    CHANGE,
    SLOPE = CHANGE + STAGES,
    OFF = SLOPE + STAGES,
    WORK = OFF + STAGES
};

static const double complex eigenvalue = 2 + 1.4142135623730951 * I;

/* c dF/dx' + dF/dx times the answer is b, which the answer replaces. */
static void solve_complex(
    const transition *s, double complex c, double complex *b)
{
    const iteration *it = s->newton->matrix;
    const dae_pattern *p = iteration_pattern(it);
    const size_t n = s->layout->unknowns;
    double complex a[FEW][FEW] = {{0}};
    for (size_t slot = 0; slot < 2 * n; slot++)
        for (int64_t k = p->column_start[slot]; k < p->column_start[slot + 1];
             k++)
            a[p->row[k]][slot % n] += (slot < n ? 1 : c)
                * iteration_values(it)[k];
    for (size_t i = 0; i < n; i++) {
        const size_t best = i + 1 < n && cabs(a[i + 1][i]) > cabs(a[i][i]);
        for (size_t k = 0; k < n; k++) {
            const double complex other = a[i][k];
            a[i][k] = a[i + best][k];
            a[i + best][k] = other;
        }
        const double complex other = b[i];
        b[i] = b[i + best], b[i + best] = other;
        for (size_t r = 0; r < n; r++) {
            if (r == i) continue;
            const double complex by = a[r][i] / a[i][i];
            for (size_t k = 0; k < n; k++) a[r][k] -= by * a[i][k];
            b[r] -= by * b[i];
        }
    }
    for (size_t i = 0; i < n; i++) b[i] /= a[i][i];
}

/* The task at a stage, and the residual there. */
static newton_outcome look_at(transition *s, int stage, double t_new)
{
    newton_task *to = &s->task;
    double *slope = s->work[SLOPE + stage];
    for (size_t i = 0; i < s->layout->states; i++) {
        slope[i] = 0;
        for (int k = 0; k < STAGES; k++)
            slope[i] += inverse[stage][k] * s->work[CHANGE + k][i] / to->h;
        to->x[i] = s->x[i] + s->work[CHANGE + stage][i];
        to->xp[i] = slope[i];
    }
    to->t = stage == 1 ? t_new : s->t + nodes[stage] * to->h;
    return newton_residual(s->newton, to, s->work[OFF + stage]);
}

/* One iteration; the norm of its change. By the left eigenvector (1, u) and the right
 * one (1, v) w, the stages' residuals become one equation and its conjugate. */
static double improve(transition *s)
{
    const double complex u = (1.5 - eigenvalue) * 2 / 9,
                         v = 2 * (eigenvalue - 1.5), w = 1 / (1 + u * v);
    const size_t n = s->layout->states;
    double complex b[FEW];
    double largest = 0;
    for (size_t i = 0; i < n; i++)
        b[i] = s->work[OFF][i] + u * s->work[OFF + 1][i];
    solve_complex(s, eigenvalue / s->task.h, b);
    for (int k = 0; k < STAGES; k++) {
        for (size_t i = 0; i < n; i++) {
            const double change = 2 * creal((k ? v : 1) * w * b[i]);
            s->work[CHANGE + k][i] -= change;
            s->task.d[i] = change;
        }
        const double norm = norm_weighted(s->task.weights->solve, s->task.d, n);
        largest = fmax(largest, norm);
    }
    return largest;
}

/* Iterations, and what the last may have changed, in tolerances; a rate above which
 * the next step has a new Jacobian. */
enum { iterations_most = 20 };
static const double enough = 1e-8, slow = 0.3;

static newton_outcome iterate(transition *s)
{
    newton *nw = s->newton;
    const double t_new = s->task.t;
    double before = 0;
    s->task.alpha = creal(eigenvalue) / s->task.h;
    for (int m = 0; m < iterations_most; m++) {
        newton_outcome out = look_at(s, 1, t_new);
        if (m == 0 && out == NEWTON_CONVERGED)
            out = newton_jacobian(nw, &s->task);
        if (out == NEWTON_CONVERGED) out = look_at(s, 0, t_new);
        if (out != NEWTON_CONVERGED) return out;
        const double norm = improve(s);
        if (m > 0 && norm > slow * before) nw->wants_jacobian = true;
        if (norm <= enough) return look_at(s, 1, t_new);
        before = norm;
    }
    return NEWTON_DIVERGED;
}

/* The second divided difference of the slopes at 0, 1/3 and 1. Those at 0 are the
 * last stage's of the step before, of order 2 for all unknowns (the machine's are
 * those of old points where there is no derivative); at a start some are not known. */
static void estimate(transition *s)
{
    const double *k1 = s->work[SLOPE], *k2 = s->work[SLOPE + 1];
    for (size_t i = 0; i < s->layout->states; i++) {
        const double k0 = s->kept[0][i];
        const double second = 3 * k0 - 4.5 * k1[i] + 1.5 * k2[i];
        const bool is_known = s->numbers[0] > 0 || s->layout->order[i] > 0;
        s->made[0][i] = k2[i];
        s->error[i] = is_known ? s->task.h * second / 12 : 0;
    }
    s->made_numbers[0] = 1;
}

static newton_outcome make(transition *s)
{
    for (int k = 0; k < STAGES; k++)
        for (size_t i = 0; i < s->layout->states; i++)
            s->work[CHANGE + k][i] = nodes[k] * s->task.h * s->slope[i];
    const newton_outcome out = iterate(s);
    if (out == NEWTON_CONVERGED) estimate(s);
    return out;
}

static void begin(const transition *s)
{
    memcpy(s->made[0], s->slope, s->layout->states * sizeof *s->slope);
    s->made_numbers[0] = 0; /* steps since, 1: there were some */
}

static const one_step step = {.order = 3, .make = make};
static const method_parts parts = {
    .work = WORK, .kept = 1, .numbers = 1, .begin = begin, .error_order = 2};
static const formula radau = {.name = "radau-3",
    .max_order_fixed = 3,
    .one_step = &step,
    .parts = &parts};

static void it_is_of_its_order(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++)
        check_fixed_order(&index_1_problems[i], &radau, 3, 0.04, 3);
}

/* The estimate is of h^3 and so is the error. */
static void the_error_chooses_its_steps(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++)
        check_chosen_steps(&index_1_problems[i], &radau, 1e-5, 3);
}

/* A Jacobian serves many steps here, too. */
static void jacobians_are_kept(void **state)
{
    double error[STATES_MAX];
    stepping p;
    (void)state;
    stepping_open(&p, &index_1_problems[1], &radau, 1e-6, 0, 0, NULL);
    stepping_start(&p);
    stepping_run(&p, error);
    assert_true(p.stats.jacobian_evals < p.stats.steps / 2);
    assert_int_equal(p.stats.factorizations, 0);
    stepping_close(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_is_of_its_order),
        cmocka_unit_test(the_error_chooses_its_steps),
        cmocka_unit_test(jacobians_are_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
