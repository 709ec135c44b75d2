/* A double pendulum let fall with both arms level, to t = 100, from its text in
 * Cartesian coordinates (index 3) and from that in its two angles. It is
 * chaotic: an error grows until nothing is left of the trajectory, and what it
 * has grown to is measured apart from the solver, by the classical
 * Runge-Kutta method in extended precision: that of the equations of the
 * angles, and of a start beside it. As long as the growth leaves something to
 * compare, both texts stay within 100 tolerances times it; the energy, which
 * chaos does not touch, within a thousandth of the largest kinetic energy until
 * the end. */
#include "check.h"
#include <dae/model.h>
#include <dae/solver.h>

enum { SAMPLES = 1000, SUBSTEPS = 200 };
static const double END = 100, TOLERANCE = 1e-9, TOLERANCES = 100;
/* A place that is off by this much of a rod's length is somewhere else. */
static const double PARTED = 0.1;
static const long double G = 9.81L, ASIDE = 1e-13L;

typedef struct path {
    double place[SAMPLES + 1][4]; /* x1 y1 x2 y2, y downward */
} path;

/* ---- apart from the solver ------------------------------------------------------ */

/* Angles from the downward vertical, then their rates. */
static void fall(const long double *x, long double *xp)
{
    const long double d = x[0] - x[1], c = cosl(d), s = sinl(d);
    const long double p = -s * x[3] * x[3] - 2 * G * sinl(x[0]);
    const long double q = s * x[2] * x[2] - G * sinl(x[1]);
    const long double det = 2 - c * c;
    xp[0] = x[2];
    xp[1] = x[3];
    xp[2] = (p - c * q) / det;
    xp[3] = (2 * q - c * p) / det;
}

static void runge_kutta(long double h, long double *x)
{
    static const long double at[4] = {0, 0.5L, 0.5L, 1},
                             weight[4] = {1, 2, 2, 1};
    long double k[4] = {0}, z[4], sum[4] = {0};
    for (int stage = 0; stage < 4; stage++) {
        for (int i = 0; i < 4; i++) z[i] = x[i] + h * at[stage] * k[i];
        fall(z, k);
        for (int i = 0; i < 4; i++) sum[i] += weight[stage] * k[i];
    }
    for (int i = 0; i < 4; i++) x[i] += h * sum[i] / 6;
}

static void place_of(const long double *x, double *place)
{
    place[0] = (double)sinl(x[0]);
    place[1] = (double)cosl(x[0]);
    place[2] = (double)(sinl(x[0]) + sinl(x[1]));
    place[3] = (double)(cosl(x[0]) + cosl(x[1]));
}

static double distance(const double *a, const double *b)
{
    double most = 0;
    for (int i = 0; i < 4; i++) most = fmax(most, fabs(a[i] - b[i]));
    return most;
}

/* What an error may have grown to. */
static double allowed(double growth)
{
    return TOLERANCES * TOLERANCE * growth;
}

/* The trajectory, and by how much a start `ASIDE` beside it has grown at most
 * until then, whichever of the four values is displaced; as far as that leaves
 * something to compare. How many samples that are. */
static int make_reference(path *p, double *growth)
{
    const long double half = acosl(-1) / 2;
    const long double h = (long double)END / SAMPLES / SUBSTEPS;
    long double x[5][4];
    int s = 0;
    for (int k = 0; k < 5; k++) {
        x[k][0] = x[k][1] = half;
        x[k][2] = x[k][3] = 0;
        if (k > 0) x[k][k - 1] += ASIDE;
    }
    for (; s <= SAMPLES; s++) {
        growth[s] = s > 0 ? growth[s - 1] : 1;
        for (int k = 0; k < 5; k++) {
            double beside[4];
            for (int m = 0; s > 0 && m < SUBSTEPS; m++) runge_kutta(h, x[k]);
            place_of(x[k], k ? beside : p->place[s]);
            if (k == 0) continue;
            const double off = distance(beside, p->place[s]);
            growth[s] = fmax(growth[s], off / (double)ASIDE);
        }
        if (allowed(growth[s]) > PARTED) break;
    }
    return s;
}

/* ---- the texts ------------------------------------------------------------------- */

typedef struct ride {
    path path;
    double lowest, highest; /* of the energy, at every step; 0 at the start */
    double kinetic;         /* the largest */
    dae_stats stats;
} ride;

/* Places, energy and kinetic energy from what the unknowns of a text are. */
typedef void observe_fn(
    const double *x, double *place, double *energy, double *kinetic);

static void observe_places(
    const double *x, double *place, double *energy, double *kinetic)
{
    for (int i = 0; i < 4; i++) place[i] = x[i];
    *kinetic = 0;
    for (int i = 4; i < 8; i++) *kinetic += x[i] * x[i] / 2;
    *energy = *kinetic - (double)G * (x[1] + x[3]);
}

/* In the order of states: an angle, its rate, the other angle, its rate. */
static void observe_angles(
    const double *x, double *place, double *energy, double *kinetic)
{
    const long double angle[2] = {x[0], x[2]};
    const double a = x[1], b = x[3], bend = x[0] - x[2];
    place_of(angle, place);
    *kinetic = a * a + b * b / 2 + a * b * cos(bend);
    *energy = *kinetic - (double)G * (place[1] + place[3]);
}

static void ride_text(ride *r, const char *name, observe_fn *observe)
{
    dae_model *model;
    dae_solver *solver;
    dae_diagnostics *ds;
    double x[10], place[4], energy, kinetic;
    char file[512];
    int next = 0;
    dae_options o = dae_options_default();
    o.rtol = o.atol = TOLERANCE;
    o.t_end = END;
    (void)snprintf(file, sizeof file, "%s/models/%s", TEST_ROOT, name);
    CHECK_STATUS(dae_diagnostics_create(NULL, &ds), DAE_OK);
    CHECK_STATUS(dae_model_load(file, NULL, NULL, ds, &model), DAE_OK);
    const dae_problem *p = dae_model_problem(model);
    assert_true(dae_problem_state_count(p) <= 10);
    CHECK_STATUS(dae_solver_create(p, &o, NULL, ds, &solver), DAE_OK);
    CHECK_STATUS(dae_solver_initialize(solver), DAE_OK);
    *r = (ride){.kinetic = 0};
    for (;;) {
        const double now = dae_solver_time(solver);
        while (next <= SAMPLES && END * next / SAMPLES <= now) {
            CHECK_STATUS(
                dae_solver_advance(solver, END * next / SAMPLES, x, NULL),
                DAE_OK);
            observe(x, r->path.place[next++], &energy, &kinetic);
        }
        observe(dae_solver_x(solver), place, &energy, &kinetic);
        r->lowest = fmin(r->lowest, energy);
        r->highest = fmax(r->highest, energy);
        r->kinetic = fmax(r->kinetic, kinetic);
        if (now >= END) break;
        CHECK_STATUS(dae_solver_step(solver), DAE_OK);
    }
    assert_int_equal(next, SAMPLES + 1);
    r->stats = *dae_solver_stats(solver);
    dae_solver_free(solver);
    dae_model_free(model);
    dae_diagnostics_free(ds);
}

/* The largest error of the first samples in parts of what is allowed. */
static double worst(
    const ride *r, const path *true_path, const double *growth, int samples)
{
    double most = 0;
    for (int s = 0; s < samples; s++) {
        const double off = distance(r->path.place[s], true_path->place[s]);
        most = fmax(most, off / allowed(growth[s]));
    }
    return most;
}

static void tell(const char *name, const ride *r, double most)
{
    print_message(
        "%s: %lld steps, %lld changes of states, error %.2g of what "
        "is allowed, energy %.2g to %.2g of a kinetic energy of %.4g\n",
        name, (long long)r->stats.steps, (long long)r->stats.state_changes,
        most, r->lowest / r->kinetic, r->highest / r->kinetic, r->kinetic);
}

static void check_energy(const ride *r)
{
    assert_true(r->highest < 1e-3 * r->kinetic);
    assert_true(r->lowest > -1e-3 * r->kinetic);
}

static void a_hundred_seconds(void **state)
{
    (void)state;
    static path true_path;
    static double growth[SAMPLES + 1];
    static ride places, angles;
    const int samples = make_reference(&true_path, growth);
    ride_text(&places, "mechanics/double_pendulum_level.dae", observe_places);
    ride_text(&angles, "mechanics/double_pendulum.dae", observe_angles);
    const double of_places = worst(&places, &true_path, growth, samples);
    const double of_angles = worst(&angles, &true_path, growth, samples);
    print_message("chaos parts them at t = %g\n", END * samples / SAMPLES);
    tell("places", &places, of_places);
    tell("angles", &angles, of_angles);
    assert_true(samples > 100); /* ten seconds at least */
    assert_true(of_places < 1);
    assert_true(of_angles < 1);
    assert_true(places.stats.state_changes > 0);
    check_energy(&places);
    check_energy(&angles);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_hundred_seconds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
