/* carry.c: going on with y and y' as states where x and x' were. Differences
 * are those that the new states would have had all along; after a start and
 * after a history that was begun anew, where points coincide, what is known is
 * carried and nothing else. */
#include "check.h"
#include "methods/bdf.h"
#include "run/engine.h"
#include "step/carry.h"

/* Columns: x, x', x'', y, y', y'', z, z'. */
enum { X = 0, Y = 3, Z = 6, COLUMNS = 8, OLD = 6, NEW = 6 };

/* Old unknowns: x of order 2, y, y', y'', z of order 1; new ones: x, x', x'',
 * y of order 2, z. */
static const uint8_t old_order[] = {2, 0, 0, 0, 1};
static const uint8_t new_order[] = {0, 0, 0, 2, 1};
static const int32_t old_column[OLD] = {X, X + 1, Y, Y + 1, Y + 2, Z};
static const int32_t new_column[NEW] = {X, X + 1, X + 2, Y, Y + 1, Z};
/* x'' was no state, and y, y' are made out of their values to see that they
 * may be: all but z and x' */
static const int32_t new_state[NEW] = {-1, 1, -1, -1, -1, 5};

static dae_status no_residual(
    void *self, double t, const double *x, const double *xp, double *res)
{
    (void)self, (void)t, (void)x, (void)xp, (void)res;
    return DAE_OK;
}

static const dae_problem old_problem = {
    .unknown_count = 5, .order = old_order, .residual = no_residual};
static const dae_problem new_problem = {
    .unknown_count = 5, .order = new_order, .residual = no_residual};

/* ---- curves ---------------------------------------------------------------------- */

typedef double curve_fn(int degree, int column, double t);

/* Derivative `order` of sum over p of (-1)^p t^p/(p + 1). */
static double polynomial(int degree, int order, double t)
{
    double sum = 0;
    for (int p = order; p <= degree; p++) {
        double term = (p % 2 ? -1.0 : 1.0) / (p + 1);
        for (int k = 0; k < order; k++) term *= p - k;
        sum += term * pow(t, p - order);
    }
    return sum;
}

/* x, y and z of that degree, each another one, with their derivatives. */
static double by_powers(int degree, int column, double t)
{
    if (column < Y) return polynomial(degree, column, t);
    if (column < Z)
        return 2 * polynomial(degree, column - Y, 1 - t)
            * (column == Y + 1 ? -1 : 1);
    return polynomial(degree, column - Z, 2 * t) * (column > Z ? 2 : 1);
}

/* sin, exp, cos: differences of any order are not 0. */
static double by_waves(int degree, int column, double t)
{
    (void)degree;
    if (column < Y) return sin(t + column * acos(0));
    return column < Z ? exp(0.7 * t) * pow(0.7, column - Y)
                      : cos(t + (column - Z) * acos(0));
}

/* ---- machines -------------------------------------------------------------------- */

typedef struct machine {
    engine *e;
    dae_stats stats;
    const int32_t *column; /* of the states */
} machine;

static void machine_open(
    machine *m, const dae_problem *p, const int32_t *column)
{
    const dae_options o = dae_options_default();
    memset(m, 0, sizeof *m);
    m->column = column;
    CHECK_STATUS(engine_create(p, &o, bdf_formula(), NULL, &m->stats,
                     dae_allocator_default(), NULL, &m->e),
        DAE_OK);
}

static void machine_start(
    machine *m, curve_fn *f, int degree, double t, double h)
{
    double x[OLD], slope[OLD];
    for (size_t i = 0; i < OLD; i++) {
        x[i] = f(degree, m->column[i], t);
        /* y'' and x'' have none that is known */
        const bool is_last = m->column[i] == X + 2 || m->column[i] == Y + 2;
        slope[i] = is_last ? 0 : f(degree, m->column[i] + 1, t);
    }
    history_start(&m->e->stepper.history, t, x, slope, h);
}

/* Accepts the curve's own values, by order k. */
static void machine_step(
    machine *m, curve_fn *f, int degree, int k, double h, int further)
{
    grid g;
    double x[OLD], d[OLD];
    history *hi = &m->e->stepper.history;
    history_grid(hi, h, &g);
    for (size_t i = 0; i < OLD; i++) {
        x[i] = f(degree, m->column[i], hi->t + h);
        d[i] = x[i];
        for (int r = 0; r <= k; r++) d[i] -= g.beta[r] * hi->phi[r][i];
    }
    history_push(hi, &g, k, x, d, further);
}

/* Two machines that see the same: one steps the old states and is carried, the
 * other one steps the new states from the start. */
typedef struct fixture {
    machine from, to, all_along;
    double past[HISTORY_ROWS][COLUMNS];
    const double *rows[HISTORY_ROWS];
    int past_count;
    curve_fn *curve;
    int degree;
} fixture;

static void note(fixture *f)
{
    const double t = f->from.e->stepper.history.t;
    memmove(f->past + 1, f->past, (HISTORY_ROWS - 1) * sizeof *f->past);
    for (int c = 0; c < COLUMNS; c++) f->past[0][c] = f->curve(f->degree, c, t);
    if (f->past_count < HISTORY_ROWS) f->past_count++;
}

static void open_fixture(
    fixture *f, curve_fn *curve, int degree, double t0, double h)
{
    memset(f, 0, sizeof *f);
    f->curve = curve;
    f->degree = degree;
    machine_open(&f->from, &old_problem, old_column);
    machine_open(&f->all_along, &new_problem, new_column);
    machine_open(&f->to, &new_problem, new_column);
    machine_start(&f->from, curve, degree, t0, h);
    machine_start(&f->all_along, curve, degree, t0, h);
    note(f);
}

static void step(fixture *f, int k, double h, int further)
{
    machine_step(&f->from, f->curve, f->degree, k, h, further);
    machine_step(&f->all_along, f->curve, f->degree, k, h, further);
    note(f);
}

static void carry(fixture *f)
{
    const double t = f->from.e->stepper.history.t;
    point *p = &f->to.e->stepper.point;
    for (int k = 0; k < HISTORY_ROWS; k++) f->rows[k] = f->past[k];
    for (int i = 0; i < NEW; i++)
        p->x[i] = f->curve(f->degree, new_column[i], t);
    p->xp[3] = f->curve(f->degree, Y + 2, t);
    p->xp[4] = f->curve(f->degree, Z + 1, t);
    const carry_source source = {
        new_state, new_column, f->rows, f->past_count, NULL};
    stepper_carry(&f->to.e->stepper, &f->from.e->stepper, &source);
}

static void close_fixture(fixture *f)
{
    engine_free(f->from.e);
    engine_free(f->to.e);
    engine_free(f->all_along.e);
}

static const double ratios[] = {1, 1.7, 0.3, 2, 1, 0.5, 3, 0.9, 1, 1.2};

/* Steps of order 1, 2, ... up to `most`, each with a further row. */
static void step_along(fixture *f, int most, int steps, double h)
{
    for (int s = 0; s < steps; s++)
        step(f, s + 1 < most ? s + 1 : most, h * ratios[s], 1);
}

/* ---- tests ----------------------------------------------------------------------- */

static void differences_are_those_of_all_along(void **state)
{
    (void)state;
    for (int order = 1; order <= bdf_formula()->max_order; order++)
        for (int sign = -1; sign <= 1; sign += 2) {
            fixture f;
            open_fixture(&f, by_waves, 0, 0.4, 0.02 * sign);
            step_along(&f, order, 10, 0.02 * sign);
            carry(&f);
            const history *a = &f.to.e->stepper.history;
            const history *b = &f.all_along.e->stepper.history;
            assert_int_equal(a->count, b->count);
            for (int k = 0; k < a->count; k++)
                for (int i = 0; i < NEW; i++)
                    CHECK_NEAR(a->phi[k][i], b->phi[k][i], 1e-11);
            close_fixture(&f);
        }
}

/* Forwards and backwards in time from where states change. */
static void polynomials_go_on_exactly(void **state)
{
    (void)state;
    for (int degree = 1; degree <= bdf_formula()->max_order; degree++) {
        fixture f;
        open_fixture(&f, by_powers, degree, 0.3, 0.05);
        step_along(&f, degree, 10, 0.05);
        carry(&f);
        const history *hi = &f.to.e->stepper.history;
        for (double s = -0.1; s < 0.11; s += 0.05) {
            double x[NEW], slope[NEW];
            history_at(hi, degree, s, 0, NEW, x, slope);
            for (int i = 0; i < NEW; i++) {
                CHECK_NEAR(
                    x[i], by_powers(degree, new_column[i], hi->t + s), 1e-10);
                if (new_column[i] == X + 2) continue;
                CHECK_NEAR(slope[i],
                    by_powers(degree, new_column[i] + 1, hi->t + s), 1e-8);
            }
        }
        close_fixture(&f);
    }
}

/* No point but one: the slopes that the chains have, and none of what has no
 * derivative. */
static void a_start_is_carried_by_its_slopes(void **state)
{
    (void)state;
    fixture f;
    double x[NEW], slope[NEW];
    open_fixture(&f, by_waves, 0, 0.4, 0.02);
    carry(&f);
    const history *hi = &f.to.e->stepper.history;
    assert_int_equal(hi->count, 2);
    history_at(hi, 1, 0, 0, NEW, x, slope);
    for (int i = 0; i < NEW; i++)
        CHECK_NEAR(x[i], by_waves(0, new_column[i], 0.4), 1e-15);
    CHECK_NEAR(slope[0], 0, 0);                           /* x: algebraic now */
    CHECK_NEAR(slope[1], by_waves(0, X + 2, 0.4), 1e-15); /* x' was a state */
    CHECK_NEAR(slope[2], 0, 0);
    CHECK_NEAR(slope[3], by_waves(0, Y + 1, 0.4), 1e-15);
    CHECK_NEAR(slope[4], by_waves(0, Y + 2, 0.4), 1e-15);
    CHECK_NEAR(slope[5], by_waves(0, Z + 1, 0.4), 1e-15);
    close_fixture(&f);
}

/* After one step there are three rows and two points. */
static void points_that_coincide_count_once(void **state)
{
    (void)state;
    fixture f;
    open_fixture(&f, by_powers, 1, 0.3, 0.05);
    step(&f, 1, 0.07, 1);
    assert_int_equal(f.from.e->stepper.history.count, 3);
    carry(&f);
    const history *hi = &f.to.e->stepper.history;
    for (int i = 0; i < NEW; i++) {
        double x, slope;
        history_at(hi, 2, 0.1, (size_t)i, (size_t)i + 1, &x, &slope);
        CHECK_NEAR(x, by_powers(1, new_column[i], hi->t + 0.1), 1e-14);
    }
    close_fixture(&f);
}

/* Where a history is begun anew, the points before do not belong to it, and the
 * one that begins it counts once. */
static void a_history_begun_anew_forgets_what_was(void **state)
{
    (void)state;
    fixture f;
    open_fixture(&f, by_powers, 3, 0.3, 0.05);
    step_along(&f, 3, 8, 0.05);
    const double t = f.from.e->stepper.history.t;
    machine_start(&f.from, by_powers, 3, t, 0.05);
    carry(&f);
    const history *hi = &f.to.e->stepper.history;
    double x[NEW], slope[NEW];
    history_at(hi, 1, 0.1, 0, NEW, x, slope);
    CHECK_NEAR(slope[3], by_powers(3, Y + 1, t), 1e-13);
    CHECK_NEAR(slope[0], 0, 0);
    close_fixture(&f);
}

/* And after two more steps of order 1 there are three points for its four rows:
 * a parabola. */
static void a_history_begun_anew_grows_again(void **state)
{
    (void)state;
    fixture f;
    open_fixture(&f, by_powers, 2, 0.3, 0.05);
    step_along(&f, 2, 8, 0.05);
    const double t = f.from.e->stepper.history.t;
    machine_start(&f.from, by_powers, 2, t, 0.05);
    machine_start(&f.all_along, by_powers, 2, t, 0.05);
    step(&f, 1, 0.05, 1);
    step(&f, 1, 0.03, 1);
    assert_int_equal(f.from.e->stepper.history.count, 4);
    carry(&f);
    const history *hi = &f.to.e->stepper.history;
    for (int i = 0; i < NEW; i++) {
        double x, slope;
        history_at(hi, 3, 0.1, (size_t)i, (size_t)i + 1, &x, &slope);
        CHECK_NEAR(x, by_powers(2, new_column[i], hi->t + 0.1), 1e-13);
    }
    close_fixture(&f);
}

/* No more points than the caller has. */
static void few_points_give_few_differences(void **state)
{
    (void)state;
    fixture f;
    open_fixture(&f, by_powers, 1, 0.3, 0.05);
    step_along(&f, 4, 8, 0.05);
    f.past_count = 2;
    memset(f.past + 2, 0xff, sizeof f.past - 2 * sizeof *f.past); /* NaN */
    carry(&f);
    const history *hi = &f.to.e->stepper.history;
    double x[NEW], slope[NEW];
    history_at(hi, hi->count - 1, 0.1, 0, NEW, x, slope);
    for (int i = 0; i < NEW; i++)
        CHECK_NEAR(x[i], by_powers(1, new_column[i], hi->t + 0.1), 1e-10);
    close_fixture(&f);
}

/* What was a state keeps its differences to the last bit, and the step machine
 * goes on where it was. */
static void nothing_else_changes(void **state)
{
    (void)state;
    fixture f;
    open_fixture(&f, by_waves, 0, 0.4, 0.02);
    step_along(&f, 3, 9, 0.02);
    stepper *from = &f.from.e->stepper, *to = &f.to.e->stepper;
    from->h = 0.125, from->h_max = 0.5, from->t_end = 7, from->last_h = 0.0625;
    from->t_start = 0.4, from->interval = 6.6, from->last_order = 3;
    from->shortened = 2, from->point.alpha = 11;
    from->progress = (progress){1, 2, 3, 4, 5};
    from->selector.order = 3;
    carry(&f);
    for (int k = 0; k < from->history.count; k++) {
        assert_true(to->history.phi[k][1] == from->history.phi[k][1]);
        assert_true(to->history.phi[k][5] == from->history.phi[k][5]);
    }
    assert_true(to->history.t == from->history.t);
    assert_memory_equal(
        to->history.back, from->history.back, sizeof to->history.back);
    assert_memory_equal(
        to->history.scale, from->history.scale, sizeof to->history.scale);
    assert_true(to->h == 0.125 && to->h_max == 0.5 && to->t_end == 7);
    assert_true(to->last_h == 0.0625 && to->t_start == 0.4);
    assert_true(to->interval == 6.6 && to->last_order == 3);
    assert_true(to->shortened == 2 && to->is_first == from->is_first);
    assert_int_equal(to->selector.order, 3);
    assert_int_equal(to->progress.windows, 5);
    assert_true(to->point.t == from->history.t && to->point.alpha == 11);
    close_fixture(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(differences_are_those_of_all_along),
        cmocka_unit_test(polynomials_go_on_exactly),
        cmocka_unit_test(a_start_is_carried_by_its_slopes),
        cmocka_unit_test(points_that_coincide_count_once),
        cmocka_unit_test(a_history_begun_anew_forgets_what_was),
        cmocka_unit_test(a_history_begun_anew_grows_again),
        cmocka_unit_test(few_points_give_few_differences),
        cmocka_unit_test(nothing_else_changes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
