/* How well the constraints of a model hold along a run: all F_i^(k), k = 0 ..
 * c_i, of the equations that are differentiated (c_i > 0), whether the text has
 * them or not, at the start and at every accepted step.
 *
 *     constraint_gaps MODEL RTOL ATOL [NAME=VALUE ...]
 *
 * A point is all slots x_j^(l) as the run shows them (dae_solver_reduced), the
 * equations and their partial derivatives are evaluated by power series. The
 * gap of F at it is |F| in parts of the lesser of
 *
 *     sum over slots of |dF/dslot| (rtol |slot| + atol)  and
 *     rtol (sum over slots of |dF/dslot slot|) + atol.
 *
 * By the first it is the least g for which moving each slot by at most g
 * of its own tolerances makes F zero, to first order [OP64]: it does not depend
 * on how F is scaled. By the second it is measured by its own terms (a product
 * counts once for each factor): where they are small, large slots excuse
 * nothing.
 *
 * Prints "steps N", "constraints N", then a line for each, "GAP last|lower
 * NAME": the largest along the run, and whether it is the last derivative,
 * F_i^(c_i), which determines highest slots, or a lower one, which restricts
 * the states. Not a test by itself: higher_index_test.py judges. */
#include "extend/extend.h"
#include <dae/model.h>
#include <dae/reduction.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SETS_MOST = 8, ENTRIES_MOST = 10000000 };

typedef struct gauge {
    const dae_problem *p;
    dae_solver *solver;
    double rtol, atol;
    extended *e;
    int32_t *c; /* of each equation */
    double *columns, *left, *entries;
    double *by_slots, *by_terms; /* the two sums, of each row */
    double *worst;               /* of each row */
} gauge;

static void *take(size_t count, size_t size)
{
    void *memory = calloc(count + 1, size);
    if (!memory) exit(3);
    return memory;
}

/* What is differentiated, and how far slots go, does not change in a run. */
static dae_status gauge_open(gauge *g, const dae_reduced_system *y)
{
    const size_t n = g->p->unknown_count;
    int32_t *d = take(n, sizeof *d);
    g->c = take(n, sizeof *g->c);
    for (size_t k = 0; k < y->equation_count; k++)
        g->c[y->equations[k].equation] = y->equations[k].order;
    for (size_t k = 0; k < y->slot_count; k++)
        d[y->slots[k].slot.unknown] = y->slots[k].slot.order;
    const dae_status st = extended_create(
        g->p, g->c, d, ENTRIES_MOST, NULL, &g->e);
    free(d);
    if (st) return st;
    const dae_pattern *pattern = g->e->problem.pattern;
    g->columns = take(g->e->columns, sizeof(double));
    g->left = take(g->e->rows, sizeof(double));
    g->by_slots = take(g->e->rows, sizeof(double));
    g->by_terms = take(g->e->rows, sizeof(double));
    g->worst = take(g->e->rows, sizeof(double));
    g->entries = take(
        (size_t)pattern->column_start[g->e->columns], sizeof(double));
    return DAE_OK;
}

static void gauge_close(gauge *g)
{
    extended_free(g->e);
    free(g->c);
    free(g->columns);
    free(g->left);
    free(g->by_slots);
    free(g->by_terms);
    free(g->worst);
    free(g->entries);
}

static double floor_of(const gauge *g, size_t column)
{
    const int32_t j = g->e->column_unknown[column];
    const dae_scales *s = g->p->scales;
    if (s && s->atol && !isnan(s->atol[j])) return s->atol[j];
    if (s && s->nominal && s->nominal[j] > 0) return g->atol * s->nominal[j];
    return g->atol;
}

static dae_status find_sizes(gauge *g, double t)
{
    const dae_problem *p = &g->e->problem;
    const dae_pattern *pattern = p->pattern;
    const dae_status st = p->jacobian(
        p->self, DAE_ALL, t, g->columns, NULL, g->entries);
    for (size_t i = 0; i < g->e->rows; i++) {
        g->by_slots[i] = 0;
        g->by_terms[i] = g->atol;
    }
    for (size_t c = 0; !st && c < g->e->columns; c++) {
        const double relative = g->rtol * fabs(g->columns[c]);
        const double both = relative + floor_of(g, c);
        for (int64_t k = pattern->column_start[c];
             k < pattern->column_start[c + 1]; k++) {
            const double slope = fabs(g->entries[k]);
            g->by_slots[pattern->row[k]] += slope * both;
            g->by_terms[pattern->row[k]] += slope * relative;
        }
    }
    return st;
}

static dae_status look(gauge *g)
{
    dae_reduced_system *y = NULL;
    dae_status st = dae_solver_reduced(g->solver, &y);
    if (!st && y && !g->e) st = gauge_open(g, y);
    if (st || !y) return st;
    const dae_problem *p = &g->e->problem;
    for (size_t k = 0; k < y->slot_count; k++) {
        const dae_slot s = y->slots[k].slot;
        g->columns[g->e->column_first[s.unknown] + (size_t)s.order] =
            y->slots[k].value;
    }
    st = p->residual(p->self, y->t, g->columns, NULL, g->left);
    if (!st) st = find_sizes(g, y->t);
    for (size_t i = 0; i < g->e->rows && !st; i++) {
        const double gap = fabs(g->left[i])
            / fmin(g->by_slots[i], g->by_terms[i]);
        /* no number is worse than any; 0/0 is a row that nothing is in */
        if (!(gap <= g->worst[i]) && fabs(g->left[i]) != 0)
            g->worst[i] = isnan(gap) ? HUGE_VAL : gap;
    }
    dae_reduced_system_free(y);
    return st;
}

static void print(const gauge *g)
{
    char name[256];
    size_t count = 0;
    for (size_t i = 0; g->e && i < g->e->rows; i++)
        count += g->c[g->e->row_equation[i]] > 0;
    printf("steps %lld\nconstraints %zu\n",
        (long long)dae_solver_stats(g->solver)->steps, count);
    for (size_t i = 0; g->e && i < g->e->rows; i++) {
        const int32_t own = g->e->row_equation[i];
        const size_t order = i - g->e->row_first[own];
        if (g->c[own] == 0) continue;
        const dae_problem *p = &g->e->problem;
        p->name(p->self, DAE_NAME_EQUATION, i, name, sizeof name);
        printf("%.17g %s %s\n", g->worst[i],
            order == (size_t)g->c[own] ? "last" : "lower", name);
    }
}

static dae_status measure(gauge *g, const dae_settings *s, dae_diagnostics *ds)
{
    dae_options o = dae_options_default();
    o.rtol = g->rtol;
    o.atol = g->atol;
    o.first_step = s->first_step;
    o.max_step = s->max_step;
    if (s->order) o.max_order = s->order;
    if (s->method) o.method = s->method;
    o.t_end = s->t1;
    dae_status st = dae_solver_create(g->p, &o, NULL, ds, &g->solver);
    if (!st) st = dae_solver_initialize(g->solver);
    if (!st) st = look(g);
    while (!st && dae_solver_time(g->solver) != s->t1) {
        st = dae_solver_step(g->solver);
        if (!st || st == DAE_STOPPED) {
            const dae_status seen = look(g);
            if (seen) return seen;
        }
    }
    return st == DAE_STOPPED ? DAE_OK : st; /* as far as the model goes */
}

/* The model as the command would number it. */
static dae_status load(
    int argc, char **argv, dae_diagnostics *ds, dae_model **out)
{
    dae_override sets[SETS_MOST];
    dae_model_options m = {.overrides = sets, .canonical = 1};
    for (int k = 4; k < argc && k < 4 + SETS_MOST; k++) {
        char *equals = strchr(argv[k], '=');
        if (!equals) return DAE_ARGUMENT;
        *equals = '\0';
        sets[m.override_count++] = (dae_override){argv[k], equals + 1};
    }
    return dae_model_load(argv[1], &m, NULL, ds, out);
}

int main(int argc, char **argv)
{
    dae_diagnostics *ds = NULL;
    dae_model *model = NULL;
    gauge g = {.p = NULL};
    if (argc < 4 || dae_diagnostics_create(NULL, &ds)) return 2;
    dae_status st = load(argc, argv, ds, &model);
    if (!st) {
        g.p = dae_model_problem(model);
        g.rtol = strtod(argv[2], NULL);
        g.atol = strtod(argv[3], NULL);
        st = measure(&g, dae_model_settings(model), ds);
    }
    if (!st) print(&g);
    else fprintf(stderr, "%s\n", dae_status_text(st));
    for (size_t k = 0; st && k < dae_diagnostics_count(ds); k++)
        fprintf(stderr, "%s\n", dae_diagnostics_at(ds, k)->message);
    gauge_close(&g);
    dae_solver_free(g.solver);
    dae_model_free(model);
    dae_diagnostics_free(ds);
    return st ? 1 : 0;
}
