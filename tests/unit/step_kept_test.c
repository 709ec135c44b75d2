/* parts.h: private state, and chains whose lower states follow another formula. The
 * generalized-alpha method of [CH93] for x'' and algebraic unknowns: beside x, x', x''
 * it goes on with an acceleration-like a that belongs to another time and follows
 * from no value of its own. Expected are its order, its recurrence for an
 * oscillator worked out by hand, and its damping of fast ones. */
#include "step/carry.h"
#include "stepping.h"

/* What is left of an infinitely fast oscillation after a step, and what follows. */
#define RHO 0.5
#define ALPHA_M ((2 * RHO - 1) / (RHO + 1))
#define ALPHA_F (RHO / (RHO + 1))
#define GAMMA (0.5 + ALPHA_F - ALPHA_M)
#define BETA ((GAMMA + 0.5) * (GAMMA + 0.5) / 4)
/* da/dx'' */
#define SHARE ((1 - ALPHA_F) / (1 - ALPHA_M))

static double next_a(double slope, double old_slope, double a)
{
    return SHARE * slope + (ALPHA_F * old_slope - ALPHA_M * a) / (1 - ALPHA_M);
}

/* The new point for x'' as it was. */
static void predict_unknown(const transition *s, size_t j)
{
    const newton_task *to = &s->task;
    const size_t q = s->layout->first[j], v = q + 1;
    const double h = to->h, a = s->kept[0][v];
    const double a_new = next_a(s->slope[v], s->slope[v], a);
    to->xp[j] = s->slope[v];
    to->x[v] = s->x[v] + h * ((1 - GAMMA) * a + GAMMA * a_new);
    to->x[q] = s->x[q] + h * s->x[v]
        + h * h * ((0.5 - BETA) * a + BETA * a_new);
}

static newton_outcome make(transition *s)
{
    const layout *l = s->layout;
    newton_task *to = &s->task;
    to->alpha = 1 / (GAMMA * SHARE * to->h);
    memcpy(to->x, s->x, l->states * sizeof *to->x);
    memset(to->d, 0, l->states * sizeof *to->d);
    memset(to->xp, 0, l->unknowns * sizeof *to->xp);
    for (size_t j = 0; j < l->unknowns; j++)
        if (l->order[j] == 2) predict_unknown(s, j);
    const newton_outcome out = transition_solve(s);
    memset(s->made[0], 0, l->states * sizeof *to->x);
    for (size_t j = 0; j < l->unknowns; j++) {
        const size_t v = l->first[j] + 1;
        if (l->order[j] == 2)
            s->made[0][v] = next_a(to->xp[j], s->slope[v], s->kept[0][v]);
    }
    s->made_numbers[0] = s->numbers[0] + 1;
    return out;
}

static void begin(const transition *s)
{
    memcpy(s->made[0], s->slope, s->layout->states * sizeof *s->slope);
    s->made_numbers[0] = 0;
}

static const one_step step = {.order = 2, .make = make};
static const method_parts parts = {.kept = 1,
    .numbers = 1, /* steps since the start */
    .begin = begin,
    .chain = BETA / (GAMMA * GAMMA * SHARE)};
static const formula generalized_alpha = {.name = "generalized-alpha",
    .max_order_fixed = 2,
    .one_step = &step,
    .parts = &parts};

/* x'' = g(t) - f, f = x^3 + x'/5: sin 2t. */
static dae_status spring_residual(
    void *self, double t, const double *x, const double *xp, double *res)
{
    const double s = sin(2 * t), g = -4 * s + s * s * s + 0.4 * cos(2 * t);
    (void)self;
    res[0] = xp[0] + x[2] - g;
    res[1] = x[2] - x[0] * x[0] * x[0] - x[1] / 5;
    return DAE_OK;
}

static void spring_exact(double t, double *x, double *xp)
{
    const double s = sin(2 * t);
    x[0] = s, x[1] = 2 * cos(2 * t);
    x[2] = s * s * s + x[1] / 5;
    xp[0] = -4 * s, xp[1] = 0;
}

static void it_is_of_its_order(void **state)
{
    static const uint8_t order[] = {2, 0};
    static const known_problem spring = {
        2, 3, order, spring_residual, spring_exact, 3};
    (void)state;
    check_fixed_order(&spring, &generalized_alpha, 2, 0.02, 2);
}

/* Two oscillators, their frequencies in `self`, and which is the first. */
typedef struct pair {
    double w[2];
    int first;
} pair;

static dae_status pair_residual(
    void *self, double t, const double *x, const double *xp, double *res)
{
    const pair *p = self;
    (void)t;
    for (int j = 0; j < 2; j++) {
        const double w = p->w[j ^ p->first];
        res[j] = xp[j] + w * w * x[2 * j];
    }
    return DAE_OK;
}

static const uint8_t pair_order[] = {2, 2};
static const known_problem pairs = {2, 4, pair_order, pair_residual, NULL, 10};

/* With h = 0.1, from x = 1, x' = 0.5. */
static void open_pair(stepping *p, pair *self)
{
    double x[4] = {1, 0.5, 1, 0.5}, xp[2];
    for (int j = 0; j < 2; j++) xp[j] = -pow(self->w[j ^ self->first], 2);
    stepping_open(p, &pairs, &generalized_alpha, 1e-6, 0.1, 2, self);
    stepper_start(p->s, 0, x, xp, 1, 0, 10);
}

static void take(stepping *p, int steps)
{
    for (int n = 0; n < steps; n++)
        assert_int_equal(stepper_step(p->s), STEP_FINE);
}

/* One step of x'' = -w^2 x by elimination of x''. */
static void by_hand(double w, double h, double *q, double *v, double *a)
{
    const double ww = w * w, old = -ww * *q;
    const double rest = (ALPHA_F * old - ALPHA_M * *a) / (1 - ALPHA_M);
    const double known = *q + h * *v
        + h * h * ((0.5 - BETA) * *a + BETA * rest);
    *q = known / (1 + h * h * BETA * SHARE * ww);
    const double a_new = rest - SHARE * ww * *q;
    *v += h * ((1 - GAMMA) * *a + GAMMA * a_new);
    *a = a_new;
}

static void it_follows_its_recurrence(void **state)
{
    pair self = {.w = {3, 500}};
    stepping p;
    double q[2] = {1, 1}, v[2] = {0.5, 0.5}, a[2] = {-9, -250000};
    (void)state;
    open_pair(&p, &self);
    for (int n = 1; n <= 100; n++) {
        take(&p, 1);
        for (int j = 0; j < 2; j++) {
            const double size = j ? 500 : 3;
            by_hand(self.w[j], 0.1, &q[j], &v[j], &a[j]);
            CHECK_NEAR(p.s->point.x[2 * j], q[j], 1e-11);
            CHECK_NEAR(p.s->point.x[2 * j + 1], v[j], 1e-11 * size);
            CHECK_NEAR(
                p.s->memory.kept[0][2 * j + 1], a[j], 1e-11 * size * size);
        }
        CHECK_NEAR(p.s->memory.numbers[0], n, 0);
    }
    /* about RHO^100 n^2 of the fast one */
    CHECK_NEAR(p.s->point.x[2], 0, 1e-20);
    stepping_close(&p);
}

static void a_start_resets_it(void **state)
{
    pair self = {.w = {3, 5}};
    stepping p;
    double once[4], x[4] = {1, 0.5, 1, 0.5}, xp[2] = {-9, -25};
    (void)state;
    open_pair(&p, &self);
    take(&p, 7);
    memcpy(once, p.s->point.x, sizeof once);
    stepper_start(p.s, 0, x, xp, 1, 0, 10);
    CHECK_NEAR(p.s->memory.numbers[0], 0, 0);
    take(&p, 7);
    assert_memory_equal(once, p.s->point.x, sizeof once);
    stepping_close(&p);
}

/* The same unknowns the other way round: their values, and a, go with them. */
static void it_goes_with_its_states(void **state)
{
    pair self = {.w = {3, 5}}, turned = {.w = {3, 5}, .first = 1};
    const int32_t all[] = {2, 3, 0, 1};
    stepping p, q;
    (void)state;
    open_pair(&p, &self);
    take(&p, 5);
    open_pair(&q, &turned);
    for (int i = 0; i < 4; i++) q.s->point.x[i] = p.s->point.x[all[i]];
    for (int j = 0; j < 2; j++) q.s->point.xp[j] = p.s->point.xp[1 - j];
    stepper_carry(q.s, p.s, &(carry_source){.state = all, .count = 1});
    CHECK_NEAR(q.s->memory.numbers[0], 5, 0);
    take(&p, 5);
    take(&q, 5);
    for (int i = 0; i < 4; i++) {
        CHECK_NEAR(q.s->point.x[i], p.s->point.x[all[i]], 1e-13);
        CHECK_NEAR(q.s->memory.kept[0][i], p.s->memory.kept[0][all[i]], 1e-12);
    }
    stepping_close(&p);
    stepping_close(&q);
}

/* What was no state before has what a start gives it. */
static void new_states_begin(void **state)
{
    pair self = {.w = {3, 5}};
    const int32_t some[] = {0, 1, -1, -1}, column[] = {0, 1, 2, 3};
    stepping p, q;
    (void)state;
    open_pair(&p, &self);
    take(&p, 5);
    open_pair(&q, &self);
    memcpy(q.s->point.x, p.s->point.x, 4 * sizeof(double));
    memcpy(q.s->point.xp, p.s->point.xp, 2 * sizeof(double));
    const double *now = p.s->point.x;
    stepper_carry(q.s, p.s,
        &(carry_source){
            .state = some, .column = column, .values = &now, .count = 1});
    assert_true(q.s->memory.kept[0][1] == p.s->memory.kept[0][1]);
    assert_true(q.s->memory.kept[0][3] == p.s->point.xp[1]);
    assert_true(p.s->memory.kept[0][3] != p.s->point.xp[1]);
    stepping_close(&p);
    stepping_close(&q);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_is_of_its_order),
        cmocka_unit_test(it_follows_its_recurrence),
        cmocka_unit_test(a_start_resets_it),
        cmocka_unit_test(it_goes_with_its_states),
        cmocka_unit_test(new_states_begin),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
