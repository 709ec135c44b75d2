/* The integrator with an allocation that fails, SuiteSparse's among them: made,
 * started and stepped, on problems written by hand and on models, also those
 * that cannot start or whose run must fail. Whatever call is refused for want
 * of memory does what it was to do when it is made again, to the last bit. */
#include "support/memory_sweep.h"

#include <dae/model.h>
#include <dae/solver.h>
#include <dirent.h>
#include <stdbool.h>

static size_t swept;
/* Calls of each kind that fail; SIZE_MAX: every one does. */
static size_t most = SIZE_MAX;

static void sweep(const char *name, trial_fn *work, const void *what)
{
    swept += memory_sweep_some(name, work, what, most);
}

/* ---- a problem by hand ---- */

/* A ring of stiff decays, each coupled to its neighbours, and between any two
 * an algebraic mean of both: c' = -k c^2 + d1 + d2 - 2 c, d = (c1 + c2)/2. */
enum { RING = 20, UNKNOWNS = 2 * RING, ENTRIES = 7 * RING };

static size_t next_of(size_t i)
{
    return (i + 1) % RING;
}

static dae_status ring_residual(
    void *self, double t, const double *x, const double *xp, double *res)
{
    (void)self;
    for (size_t i = 0; i < RING; i++) {
        const double c = x[i], before = x[RING + (i + RING - 1) % RING];
        res[i] = xp[i] + (1 + 30 * (double)i) * c * c - before - x[RING + i]
            + 2 * c - (i ? 0 : t);
        res[RING + i] = x[RING + i] - (c + x[next_of(i)]) / 2;
    }
    return DAE_OK;
}

/* By columns: c_i is in its own equation and in the means on both sides, d_i
 * in the mean and in the equations on both sides; then the slopes. */
typedef struct ring {
    int64_t start[2 * UNKNOWNS + 1];
    int32_t row[ENTRIES];
    dae_pattern pattern;
} ring;

static void put_column(ring *r, size_t column, const size_t *rows, size_t count)
{
    int64_t at = r->start[column];
    for (size_t i = 0; i < UNKNOWNS; i++)
        for (size_t k = 0; k < count; k++)
            if (rows[k] == i) r->row[at++] = (int32_t)i;
    r->start[column + 1] = at;
}

static void ring_pattern(ring *r)
{
    memset(r, 0, sizeof *r);
    for (size_t i = 0; i < RING; i++) {
        const size_t rows[] = {i, RING + i, RING + (i + RING - 1) % RING};
        put_column(r, i, rows, 3);
    }
    for (size_t i = 0; i < RING; i++) {
        const size_t rows[] = {i, next_of(i), RING + i};
        put_column(r, RING + i, rows, 3);
    }
    for (size_t i = 0; i < UNKNOWNS; i++)
        put_column(r, UNKNOWNS + i, &i, i < RING ? 1 : 0);
    r->pattern = (dae_pattern){r->start, r->row, NULL};
}

static dae_status ring_jacobian(void *self, dae_scope scope, double t,
    const double *x, const double *xp, double *values)
{
    const ring *r = self;
    (void)scope, (void)t, (void)xp;
    for (size_t j = 0; j < 2 * UNKNOWNS; j++)
        for (int64_t p = r->start[j]; p < r->start[j + 1]; p++) {
            const size_t i = (size_t)r->row[p];
            if (j >= UNKNOWNS || i == j)
                values[p] = j < RING ? 2 * (1 + 30 * (double)i) * x[i] + 2 : 1;
            else values[p] = i < RING ? -1 : -0.5;
        }
    return DAE_OK;
}

/* What of the problem the solver is told, and how it is to solve. */
typedef struct approach {
    dae_linear linear;
    bool has_pattern, has_jacobian;
    const char *method; /* NULL: the default one */
    double step;        /* fixed; 0: none */
} approach;

static void advance(trial *t, dae_solver *s, double to, size_t states)
{
    double x[4 * UNKNOWNS] = {0};
    dae_status st;
    assert_true(states <= sizeof x / sizeof *x);
    TRIAL(t, st, dae_solver_advance(s, to, x, NULL));
    trial_note(t, "advance", st);
    if (!st) trial_values(t, x, states);
    else trial_values(t, (double[]){dae_solver_time(s)}, 1);
}

static void solve_ring(trial *t, const void *what)
{
    static const uint8_t order[UNKNOWNS] = {
        [0] = 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
    const approach *a = what;
    double x[UNKNOWNS] = {0}, xp[UNKNOWNS] = {0};
    ring r;
    ring_pattern(&r);
    const dae_problem p = {.self = &r,
        .unknown_count = UNKNOWNS,
        .order = order,
        .residual = ring_residual,
        .jacobian = a->has_jacobian ? ring_jacobian : NULL,
        .pattern = a->has_pattern ? &r.pattern : NULL};
    dae_options o = dae_options_default();
    o.t_end = 0.2;
    o.rtol = 1e-4;
    o.linear = a->linear;
    o.method = a->method;
    o.step = a->step;
    for (size_t i = 0; i < RING; i++) x[i] = 1 + 0.1 * (double)i;
    dae_solver *s = NULL;
    dae_status st;
    trial_open(t);
    trial_arm(t);
    TRIAL(t, st, dae_solver_create(&p, &o, &t->memory.allocator, t->ds, &s));
    CHECK_STATUS(st, DAE_OK);
    TRIAL(t, st, dae_solver_start(s, 0, x, xp, 1));
    CHECK_STATUS(st, DAE_OK);
    advance(t, s, 0.01, UNKNOWNS);
    advance(t, s, 0.2, UNKNOWNS);
    trial_text(t, dae_solver_stats(s)->linear);
    dae_solver_free(s);
}

/* ---- models ---- */

typedef struct subject {
    const char *text;
    dae_linear linear;
    bool compiles_in_sweep; /* compiling fails, too */
    bool only_starts;       /* or fails to */
    double step;            /* fixed, of order 3; 0: none */
    dae_reduce reduce;
} subject;

static const char *method; /* of models; NULL: the default one */

static dae_status open(trial *t, const subject *u, dae_model **m)
{
    dae_status st;
    if (u->compiles_in_sweep) trial_arm(t);
    trial_open(t);
    TRIAL(t, st,
        dae_model_parse("memory.dae", u->text, strlen(u->text), NULL,
            &t->memory.allocator, t->ds, m));
    if (!u->compiles_in_sweep) trial_arm(t);
    trial_note(t, "compile", st);
    return st;
}

static void solve_model(trial *t, const void *what)
{
    const subject *u = what;
    dae_model *m = NULL;
    dae_solver *s = NULL;
    dae_status st = open(t, u, &m);
    if (!st) {
        const dae_settings *settings = dae_model_settings(m);
        const dae_problem *p = dae_model_problem(m);
        dae_options o = dae_options_default();
        o.t_end = settings->t1;
        o.rtol = 1e-4;
        o.linear = u->linear;
        o.reduce = u->reduce;
        o.step = u->step;
        if (u->step > 0) o.max_order = 3;
        o.method = method;
        TRIAL(t, st, dae_solver_create(p, &o, &t->memory.allocator, t->ds, &s));
        if (!st) {
            TRIAL(t, st, dae_solver_initialize(s));
            trial_note(t, "start", st);
        }
        if (!st && !u->only_starts) {
            const size_t states = dae_problem_state_count(p);
            const double length = settings->t1 - settings->t0;
            advance(t, s, settings->t0 + 0.3 * length, states);
            advance(t, s, settings->t1, states);
        }
    }
    dae_solver_free(s);
    dae_model_free(m);
}

static const char ordinary[] =
    "param n = 12\n"
    "var x[i in 1..n] = i, s\n"
    "x[i]' = -i*x[i]^2 + x[mod(i, n) + 1] for i in 1..n\n"
    "s + s^3 = sum(x)\n"
    "solve t in 0..1\n";

static const char second_order[] =
    "param n = 10\n"
    "var q[0..n] ~ 0, f[n] ~ 0\n"
    "f[i] = 100*(q[i] - q[i-1])/(1 + (q[i] - q[i-1])^2) for i in 1..n\n"
    "q[i]'' = f[i+1] - f[i] - 0.1*q[i]' for i in 1..n-1\n"
    "q[n]'' = -f[n]\nq[0] = sin(20*t)\n"
    "init q[i] = 0, q[i]' = 0 for i in 1..n\n"
    "solve t in 0..0.05\n";

/* The algebraic unknowns jump, and the step that crosses is a long story. */
static const char jumping[] =
    "param n = 2\n"
    "var x[n] = 1, y[n] ~ 0.6\n"
    "x[i]' = -x[i] + y[i] for i in 1..n\n"
    "y[i] + 0.1*y[i]^3 = (if t >= 0.7 then 3 else 0.5) + x[mod(i, n) + 1]/10 "
    "for i in 1..n\n"
    "solve t in 0.699..0.7005\n";

static const char bounded[] =
    "var x = 1 {min = 0}, y[9] = 1 {min = 0, max = 2}, z ~ 1 {min = 0}\n"
    "x' = -sqrt(x)*z\ny[i]' = y[mod(i, 9) + 1] - y[i]^2 for i in 1..9\n"
    "z + sqrt(z) = 2*x + 0.1\nsolve t in 0..2\n";

/* Starts that conditions do not determine, or nonlinear ones. */
static const char free_start[] =
    "var x ~ 1, y = 2, z, w\n"
    "x' = -x + z\ny' = -y\nz + exp(z) = x + y\nw^2 + w = y + 1\n"
    "init x' = 0.1\nsolve t in 0..1\n";

static const char high_index[] = "var x = 1, y = 0, u = 0, v = 0, f ~ 0\n"
                                 "x' = u\ny' = v\nu' = -f*x\nv' = -f*y - 9.81\n"
                                 "rod: x^2 + y^2 = 1\nsolve t in 0..1\n";

static const char fails_late[] = "var x[5] = 2, y ~ 0\n"
                                 "x[i]' = x[mod(i, 5) + 1]^2 for i in 1..5\n"
                                 "root: y = log(3 - x[1])\nsolve t in 0..2\n";

/* ---- tests ---- */

static void problems_by_hand_survive(void **state)
{
    (void)state;
    static const approach approaches[] = {
        {DAE_LINEAR_AUTO, true, true, NULL, 0},
        {DAE_LINEAR_DENSE, true, true, NULL, 0},
        {DAE_LINEAR_DENSE, false, false, NULL, 0},
        {DAE_LINEAR_KLU, true, true, NULL, 0},
        {DAE_LINEAR_KLU, true, false, NULL, 0},
        {DAE_LINEAR_KLU, true, true, "bdf", 0.005},
        {DAE_LINEAR_GMRES, true, true, NULL, 0},
        {DAE_LINEAR_GMRES, true, false, "radau", 0},
        {DAE_LINEAR_DENSE, true, true, "radau", 0},
        {DAE_LINEAR_KLU, true, true, "radau", 0},
        {DAE_LINEAR_KLU, true, false, "radau", 0.05},
        {DAE_LINEAR_KLU, true, true, "trapezoid", 0.01},
        {DAE_LINEAR_KLU, true, true, "euler-linear", 0.01},
#ifdef DAE_HAVE_UMFPACK
        {DAE_LINEAR_UMFPACK, true, false, NULL, 0},
#endif
    };
    for (size_t k = 0; k < sizeof approaches / sizeof *approaches; k++)
        sweep("a ring by hand", solve_ring, &approaches[k]);
}

static void sweep_models(
    const char *const *texts, size_t count, dae_linear linear)
{
    for (size_t k = 0; k < count; k++) {
        const subject u = {texts[k], linear, false, false, 0, DAE_REDUCE_AUTO};
        sweep(texts[k], solve_model, &u);
    }
}

static const char *const texts[] = {ordinary, bounded, free_start, high_index,
    second_order, jumping, fails_late};

/* The other libraries where a model has what they add: exchanges of rows, starts
 * that conditions do not determine. */
static void models_survive(void **state)
{
    (void)state;
    sweep_models(texts, 7, DAE_LINEAR_AUTO);
    sweep_models(texts, 1, DAE_LINEAR_KLU);
#ifdef DAE_HAVE_UMFPACK
    sweep_models(texts, 1, DAE_LINEAR_UMFPACK);
#endif
}

/* Real and complex factors, with states that change and events' jumps. */
static void models_survive_with_stages(void **state)
{
    (void)state;
    const char *const some[] = {high_index, second_order, jumping};
    method = "radau";
    sweep_models(some, 3, DAE_LINEAR_KLU);
    method = NULL;
}

/* With an integration of its own for the first points, of a problem that is
 * reduced for that alone, and of a reduced one. */
static void sweep_fixed(dae_reduce reduce)
{
    const subject u = {high_index, DAE_LINEAR_KLU, false, false, 0.02, reduce};
    sweep("steps of one length", solve_model, &u);
}

static void fixed_steps_survive(void **state)
{
    (void)state;
    sweep_fixed(DAE_REDUCE_NEVER);
}

/* UMFPACK allocates with every factorization: long runs are for tools/check. */
static void long_runs_survive(void **state)
{
    (void)state;
    sweep_models(texts, 7, DAE_LINEAR_DENSE);
    sweep_models(texts + 1, 6, DAE_LINEAR_KLU);
#ifdef DAE_HAVE_UMFPACK
    sweep_models(texts + 1, 6, DAE_LINEAR_UMFPACK);
#endif
    sweep_fixed(DAE_REDUCE_AUTO);
}

/* From the text to the end of the run, in one sweep. */
static void the_whole_way_survives(void **state)
{
    (void)state;
    const subject u = {
        free_start, DAE_LINEAR_KLU, true, false, 0, DAE_REDUCE_AUTO};
    sweep("the whole way", solve_model, &u);
}

/* ---- every wrong model and some of the library, for tools/check ---- */

static char *read_text(const char *path)
{
    FILE *file = fopen(path, "rb");
    text_sink all = {NULL, 0};
    char part[4096];
    assert_non_null(file);
    for (size_t n; (n = fread(part, 1, sizeof part, file)) > 0;)
        assert_int_equal(sink_write(&all, part, n), 0);
    (void)fclose(file);
    return all.text;
}

static void sweep_file(const char *path, bool only_starts)
{
    char *text = read_text(path);
    const subject u = {
        text, DAE_LINEAR_AUTO, true, only_starts, 0, DAE_REDUCE_AUTO};
    sweep(path, solve_model, &u);
    free(text);
}

static void every_diagnosed_model_survives(void **state)
{
    (void)state;
    static const char folder[] = TEST_ROOT "/tests/diag";
    DIR *d = opendir(folder);
    size_t count = 0;
    assert_non_null(d);
    for (const struct dirent *e; (e = readdir(d));) {
        char path[1000];
        const size_t n = strlen(e->d_name);
        if (n < 5 || strcmp(e->d_name + n - 4, ".dae") != 0) continue;
        if (strncmp(e->d_name, "table_", 6) == 0) continue; /* files beside */
        snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
        sweep_file(path, false);
        count++;
    }
    (void)closedir(d);
    assert_true(count >= 30);
}

static void models_of_the_library_survive(void **state)
{
    (void)state;
    static const char *const paths[] = {"chemistry/robertson.dae",
        "chemistry/pollution.dae", "chemistry/chemical_akzo_nobel.dae",
        "circuits/transistor_amplifier.dae", "circuits/ring_modulator.dae",
        "mechanics/pendulum_minimal.dae", "mechanics/rotation_vector.dae",
        "mechanics/net4_tensions.dae", "process/batch_reactor_steady.dae",
        "process/batch_reactor_inconsistent.dae", "quadrature/cosine_root.dae"};
    for (size_t k = 0; k < sizeof paths / sizeof *paths; k++) {
        char path[1000];
        snprintf(path, sizeof path, "%s/models/%s", TEST_ROOT, paths[k]);
        sweep_file(path, true);
    }
}

static int count_swept(void **state)
{
    (void)state;
    print_message("%zu runs with a failing allocation\n", swept);
    return 0;
}

/* With the argument `all` what takes minutes, and each call of the others. */
int main(int argc, char **argv)
{
    enum { QUICK = 5, ALL = 8, SOME = 250 };
    const struct CMUnitTest tests[ALL] = {
        cmocka_unit_test(problems_by_hand_survive),
        cmocka_unit_test(models_survive),
        cmocka_unit_test(models_survive_with_stages),
        cmocka_unit_test(fixed_steps_survive),
        cmocka_unit_test(the_whole_way_survives),
        cmocka_unit_test(long_runs_survive),
        cmocka_unit_test(every_diagnosed_model_survives),
        cmocka_unit_test(models_of_the_library_survive),
    };
    if (argc > 1 && strcmp(argv[1], "all") == 0)
        return cmocka_run_group_tests(tests, NULL, count_swept);
    const struct CMUnitTest quick[QUICK] = {
        tests[0], tests[1], tests[2], tests[3], tests[4]};
    most = SOME;
    return cmocka_run_group_tests(quick, NULL, count_swept);
}
