/* Runs every solver on every problem at every tolerance, the solvers in turns,
 * and prints one JSON line per solver, problem and tolerance. Errors are
 * against RADAU5 at a tolerance far below, itself checked against the
 * problem's published values at the end. Times are the least processor time
 * of one integration, with the solver's creation and its outputs, less that for what
 * the other codes are given where ours is compared without (`warm`).
 *
 *     rivals -d LIBRARY [-m ROOT] [-p NAME] [-s SOLVER] [-r ROUNDS] [-q y]
 *
 * LIBRARY is deSolve's shared library, ROOT the project's root; -p and -s
 * restrict to one problem and one solver; with -r 1 counts come soon, with
 * -q y each third tolerance alone is run. */
#include "rivals.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* What a solver takes part in. */
typedef enum solver_kind {
    OTHER,    /* problems in C */
    SPARSE,   /* those of many unknowns */
    OPTIONAL, /* where its library is at hand */
    BY_HAND,  /* those that need no reduction: they have no power series */
    MODEL     /* models */
} solver_kind;

typedef struct solver {
    const char *name;
    rival_run *run;
    solver_kind kind;
} solver;

static const solver solvers[] = {{"ida", run_ida_dense, OTHER},
    {"ida-klu", run_ida_klu, SPARSE}, {"daspk", run_daspk, OTHER},
    {"radau5", run_radau5, OTHER}, {"mebdfi", run_mebdfi, OPTIONAL},
    {"ours", run_ours, BY_HAND}, {"ours-radau", run_ours_radau, BY_HAND},
    {"ours-model", run_ours_model, MODEL}, {"ours-auto", run_ours_auto, MODEL},
    {"warm-bdf", run_warm_bdf, MODEL}, {"warm-auto", run_warm_auto, MODEL}};
enum { SOLVERS = sizeof solvers / sizeof *solvers };

typedef struct settings {
    const char *library, *root, *problem, *solver;
    int rounds;
    bool has_mebdfi, is_short;
} settings;

typedef double trajectory[OUTPUTS][UNKNOWNS_MAX];

/* Seconds of processor time spent in rounds over one tolerance, and rounds. */
static const double time_enough = 0.15;
enum { ROUNDS_MIN = 3, ROUNDS_MAX = 60 };
/* Below this many unknowns a sparse linear solver is not tried. */
enum { SPARSE_MIN = 15 };

double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Rms over outputs [first, OUTPUTS) and unknowns of the distance in units of
 * |reference| + atol/rtol. */
static double distance(const rival_problem *p, const trajectory x,
    const trajectory reference, int first)
{
    double sum = 0;
    for (int k = first; k < OUTPUTS; k++)
        for (int i = 0; i < problem_shown(p); i++) {
            double e = (x[k][i] - reference[k][i])
                / (fabs(reference[k][i]) + p->atol_factor);
            sum += e * e;
        }
    return sqrt(sum / (problem_shown(p) * (OUTPUTS - first)));
}

/* The published values of the ring modulator have nine digits. */
static const double reference_enough = 3e-9;

/* The largest such distance at the end. */
static double farthest(
    const rival_problem *p, const trajectory x, const trajectory reference)
{
    double worst = 0;
    for (int i = 0; i < problem_shown(p); i++) {
        double at = reference[OUTPUTS - 1][i];
        double e = fabs(x[OUTPUTS - 1][i] - at) / (fabs(at) + p->atol_factor);
        worst = fmax(worst, e);
    }
    return worst;
}

/* By other equations where the problem has some for it. */
static void run_reference(const rival_problem *p, run_result *r)
{
    const double rtol = p->reference_rtol, atol = p->atol_factor * rtol;
    rival_problem form = *p;
    if (!p->f || problem_index(p) > 1) {
        run_ours_model_radau(p, rtol, atol, r);
        return;
    }
    if (p->reference_form) {
        form.f = p->reference_form->f;
        form.slope = p->reference_form->slope;
        form.mass = NULL;
        form.mass_count = 0;
    }
    run_radau5(&form, rtol, atol, r);
}

static bool make_reference(const rival_problem *p, trajectory reference)
{
    static run_result r;
    static trajectory end;
    memset(&r, 0, sizeof r);
    memset(end, 0, sizeof end);
    run_reference(p, &r);
    memcpy(reference, r.x, sizeof r.x);
    memcpy(end[OUTPUTS - 1], p->end, sizeof *p->end * (size_t)problem_shown(p));
    double off = distance(p, reference, end, OUTPUTS - 1);
    printf("{\"problem\": \"%s\", \"unknowns\": %d, \"index\": %d, "
           "\"t1\": %g, \"atol_factor\": %g, \"reference\": %.3g}\n",
        p->name, p->n, problem_index(p), p->t1, p->atol_factor, off);
    const double bound = p->reference_off > 0 ? p->reference_off
                                              : reference_enough;
    if (r.ok && off < bound) return true;
    fprintf(stderr, "%s: the reference is off by %.1e; %s\n", p->name, off,
        r.message);
    return false;
}

static void print(const rival_problem *p, const solver *s, double rtol,
    const run_result *r, const trajectory reference, double seconds)
{
    printf("{\"problem\": \"%s\", \"solver\": \"%s\", \"rtol\": %.6e, "
           "\"ok\": %s, \"message\": \"%s\", \"error\": %.4e, "
           "\"end_error\": %.4e, \"steps\": %ld, \"residuals\": %ld, "
           "\"jacobians\": %ld, \"factorizations\": %ld, "
           "\"iterations\": %ld, \"error_failures\": %ld, "
           "\"convergence_failures\": %ld, \"seconds\": %.4e}\n",
        p->name, s->name, rtol, r->ok ? "true" : "false", r->message,
        r->ok ? distance(p, r->x, reference, 0) : 0,
        r->ok ? farthest(p, r->x, reference) : 0, r->steps, r->residuals,
        r->jacobians, r->factorizations, r->iterations, r->error_failures,
        r->convergence_failures, seconds);
}

static bool takes_part(const settings *set, const rival_problem *p,
    const solver *s, bool has_model)
{
    if (set->solver && strcmp(set->solver, s->name) != 0) return false;
    if (s->kind == MODEL) return has_model;
    if (!p->f) return false;
    switch (s->kind) {
    case SPARSE: return p->n >= SPARSE_MIN;
    case OPTIONAL: return set->has_mebdfi;
    case BY_HAND: return problem_index(p) < 2;
    default: return true;
    }
}

/* All solvers at one tolerance, in turns until enough time has been spent. */
static void compare(const settings *set, const rival_problem *p, double rtol,
    const trajectory reference, bool has_model)
{
    static run_result r[SOLVERS];
    double best[SOLVERS], begin = now();
    for (int s = 0; s < SOLVERS; s++) best[s] = HUGE_VAL;
    for (int round = 0; round < set->rounds; round++) {
        if (round >= ROUNDS_MIN && now() - begin > time_enough * SOLVERS) break;
        for (int s = 0; s < SOLVERS; s++) {
            if (!takes_part(set, p, &solvers[s], has_model)) continue;
            if (round > 0 && !r[s].ok) continue;
            memset(&r[s], 0, sizeof r[s]);
            double t = now();
            solvers[s].run(p, rtol, p->atol_factor * rtol, &r[s]);
            best[s] = fmin(best[s], now() - t - r[s].given);
        }
    }
    for (int s = 0; s < SOLVERS; s++)
        if (takes_part(set, p, &solvers[s], has_model))
            print(p, &solvers[s], rtol, &r[s], reference, best[s]);
    fflush(stdout);
}

/* Nine tolerances 1e-3 .. 1e-8, and two more on either side, between which
 * the work at a given error is interpolated. */
static void sweep(const settings *set, const rival_problem *p,
    const trajectory reference, bool has_model)
{
    for (int k = -2; k <= 10; k += set->is_short ? 3 : 1)
        compare(set, p, pow(10, -3 - 0.625 * k), reference, has_model);
}

/* The transistor amplifier again, tolerances a factor 2 apart: how steps
 * jump from one tolerance to another. */
static void ladder(const settings *set, const rival_problem *p,
    const trajectory reference, bool has_model)
{
    settings once = *set;
    once.rounds = 1;
    puts("{\"ladder\": 2}");
    for (int k = 0; k <= 20; k++)
        compare(&once, p, ldexp(1e-3, -k), reference, has_model);
}

static bool run_problem(const settings *set, const rival_problem *p)
{
    static trajectory reference;
    bool has_model = set->root && ours_load(set->root, p);
    const bool needs_model = !p->f || problem_index(p) > 1;
    if (needs_model && !has_model) return false;
    if (!make_reference(p, reference)) return false;
    sweep(set, p, reference, has_model);
    if (strcmp(p->name, "transistor") == 0 && !set->is_short)
        ladder(set, p, reference, has_model);
    ours_unload();
    return true;
}

static bool read_arguments(int argc, char **argv, settings *set)
{
    for (int i = 1; i < argc; i += 2) {
        if (i + 1 == argc || argv[i][0] != '-') return false;
        switch (argv[i][1]) {
        case 'd': set->library = argv[i + 1]; break;
        case 'm': set->root = argv[i + 1]; break;
        case 'p': set->problem = argv[i + 1]; break;
        case 's': set->solver = argv[i + 1]; break;
        case 'r': set->rounds = (int)strtol(argv[i + 1], NULL, 10); break;
        case 'q': set->is_short = argv[i + 1][0] == 'y'; break;
        default: return false;
        }
    }
    return set->library && set->rounds > 0;
}

int main(int argc, char **argv)
{
    settings set = {.rounds = ROUNDS_MAX};
    if (!read_arguments(argc, argv, &set)) {
        fputs("rivals -d LIBRARY [-m ROOT] [-p NAME] [-s SOLVER] "
              "[-r ROUNDS] [-q y]\n",
            stderr);
        return 2;
    }
    if (!fortran_open(set.library)) return 1;
    constrained_init();
    set.has_mebdfi = mebdfi_open();
    bool good = true;
    for (int k = 0; rival_problems[k]; k++) {
        const rival_problem *p = rival_problems[k];
        if (set.problem && strcmp(set.problem, p->name) != 0) continue;
        if (!run_problem(&set, p)) good = false;
    }
    return good ? 0 : 1;
}
