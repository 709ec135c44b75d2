#include "accuracy.h"
#include <dae/model.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* atol of the literature's work-precision diagrams where there is one; 1 for
 * the models whose unknowns are all of the size of one. */
const accuracy_case accuracy_cases[ACCURACY_CASES] = {
    {"models/chemistry/robertson.dae", 1e-5, ACCURACY_LIST, "robertson40"},
    {"models/chemistry/robertson_ode.dae", 1e-5, ACCURACY_LIST, "robertson40"},
    {"models/chemistry/robertson_long.dae", 1e-8, ACCURACY_LIST,
        "robertson4e10"},
    {"models/chemistry/robertson_ode_long.dae", 1e-8, ACCURACY_LIST,
        "robertson4e10"},
    {"models/chemistry/hires.dae", 1e-2, ACCURACY_LIST, "hires"},
    {"models/chemistry/chemical_akzo_nobel.dae", 1, ACCURACY_LIST, "chemakzo"},
    {"models/circuits/transistor_amplifier.dae", 1, ACCURACY_LIST,
        "transistor"},
    {"models/oscillators/van_der_pol.dae", 1, ACCURACY_LIST, "vdpol"},
    {"models/oscillators/van_der_pol_mu.dae", 1e-2, ACCURACY_LIST, "vdpolm"},
    {"models/mechanics/pendulum_minimal.dae", 1, ACCURACY_LIST, "pendulum"},
    {"models/process/tank1.dae", 1, ACCURACY_TANK, NULL},
    {"models/pde/heat2d.dae", 1, ACCURACY_HEAT, NULL},
    {"models/pde/brusselator2d.dae", 1, ACCURACY_TABLE, NULL},
};

const double accuracy_rtols[ACCURACY_RTOLS] = {1e-4, 1e-6, 1e-8, 1e-10};

/* ---- texts ------------------------------------------------------------------ */

/* The text of a file below the project's root; NULL where it cannot be read.
 * free() it. */
static char *root_text(const char *path)
{
    char full[1024];
    snprintf(full, sizeof full, "%s/%s", TEST_ROOT, path);
    FILE *file = fopen(full, "rb");
    if (!file) return NULL;
    size_t length = 0, room = 1 << 16, got;
    char *text = malloc(room + 1);
    while (text && (got = fread(text + length, 1, room - length, file)) > 0) {
        length += got;
        if (length < room) continue;
        char *grown = realloc(text, 2 * room + 1);
        if (!grown) free(text);
        text = grown;
        room *= 2;
    }
    fclose(file);
    if (text) text[length] = '\0';
    return text;
}

/* ---- references ------------------------------------------------------------- */

typedef struct reference {
    accuracy_source source;
    double t1;      /* the end of the model's interval */
    char *text;     /* LIST, TABLE */
    const char *at; /* LIST, TABLE: the next `"name"` */
    char sign;      /* between a name and its value */
    size_t grid;    /* HEAT: inner points on a side */
} reference;

/* Opens the entry `"name": {... "values": {...` of the list. */
static bool open_list(reference *f, const char *entry)
{
    char key[64];
    snprintf(key, sizeof key, "\"%s\": {", entry);
    f->at = strstr(f->text, key);
    if (!f->at) return false;
    const char *t1 = strstr(f->at, "\"t1\": ");
    const char *values = strstr(f->at, "\"values\": {");
    if (!t1 || !values || t1 > values) return false;
    f->at = values + strlen("\"values\": {");
    return strtod(t1 + strlen("\"t1\": "), NULL) == f->t1;
}

static bool reference_open(
    reference *f, const accuracy_case *c, const dae_model *model)
{
    memset(f, 0, sizeof *f);
    f->source = c->source;
    f->t1 = dae_model_settings(model)->t1;
    f->sign = c->source == ACCURACY_LIST ? ':' : ',';
    size_t n = dae_model_unknown_count(model);
    while ((f->grid + 2) * (f->grid + 2) < n) f->grid++;
    if (c->source == ACCURACY_TANK || c->source == ACCURACY_HEAT) return true;
    f->text = root_text(c->source == ACCURACY_LIST
            ? "tests/data/reference/ivp.json"
            : "tests/data/reference/brusselator2d.csv");
    if (!f->text) return false;
    if (c->source == ACCURACY_LIST) return open_list(f, c->entry);
    f->at = strchr(f->text, '\n');
    return f->at && f->t1 == 7.5;
}

/* Lists are in the order of the model's unknowns: a name that is not the next
 * one is missing. */
static bool next_listed(reference *f, const char *name, double *value)
{
    const char *begin = f->at + strspn(f->at, " \n,");
    size_t length = strlen(name);
    if (*begin != '"' || strncmp(begin + 1, name, length) != 0
        || begin[length + 1] != '"' || begin[length + 2] != f->sign)
        return false;
    char *end;
    *value = strtod(begin + length + 3, &end);
    f->at = end;
    return end != begin + length + 3;
}

/* No value is left over. */
static bool reference_ends(const reference *f)
{
    return !f->text || f->at[strspn(f->at, " \n,")] != '"';
}

/* c2' = a (c1 - c2), c1 = 1 + sin(t)/2, c2(0) = 0.2: the constant and the
 * forced oscillation, and what decays. */
static bool tank(double t, const char *name, double *value)
{
    const double a = 0.5;
    double swing = a / (2 * (a * a + 1));
    if (strcmp(name, "c1") == 0) {
        *value = 1 + sin(t) / 2;
    } else {
        *value = 1 + swing * (a * sin(t) - cos(t))
            + (0.2 - 1 + swing) * exp(-a * t);
    }
    return strcmp(name, "c1") == 0 || strcmp(name, "c2") == 0;
}

/* Two eigenvectors of the discrete Laplacian, each with its own decay. */
static bool heat(const reference *f, const char *name, double *value)
{
    static const double pi = 3.14159265358979323846;
    static const struct {
        int k, l;
        double size;
    } modes[] = {{1, 1, 1}, {2, 3, 0.5}};
    int i, j;
    if (sscanf(name, "T[%d,%d]", &i, &j) != 2) return false;
    int last = (int)f->grid + 1;
    *value = 0;
    if (i == 0 || j == 0 || i == last || j == last) return true;
    double h = 1.0 / last;
    for (size_t m = 0; m < sizeof modes / sizeof *modes; m++) {
        double ks = sin(modes[m].k * pi * h / 2);
        double ls = sin(modes[m].l * pi * h / 2);
        double rate = 4 / (h * h) * (ks * ks + ls * ls);
        *value += modes[m].size * exp(-rate * f->t1)
            * sin(modes[m].k * pi * i * h) * sin(modes[m].l * pi * j * h);
    }
    return true;
}

static bool reference_value(reference *f, const char *name, double *value)
{
    switch (f->source) {
    case ACCURACY_TANK: return tank(f->t1, name, value);
    case ACCURACY_HEAT: return heat(f, name, value);
    default: return next_listed(f, name, value);
    }
}

/* ---- the norm --------------------------------------------------------------- */

static dae_status compare_state(accuracy_result *r, reference *f,
    const char *name, double value, double rtol, double atol)
{
    double expected;
    if (!reference_value(f, name, &expected)) {
        snprintf(r->message, sizeof r->message,
            "the reference has no value for %s in its place", name);
        return DAE_MODEL;
    }
    double off = (value - expected) / (rtol * fabs(expected) + atol);
    r->error += off * off;
    r->values++;
    if (!(fabs(off) <= r->worst)) {
        r->worst = fabs(off);
        snprintf(r->worst_name, sizeof r->worst_name, "%s", name);
    }
    return DAE_OK;
}

/* All states: the unknowns with their derivatives below the highest. */
static dae_status compare(accuracy_result *r, const accuracy_case *c,
    const dae_model *model, const double *x, const double *xp, double rtol)
{
    reference f;
    dae_status st = DAE_OK;
    if (!reference_open(&f, c, model)) {
        snprintf(r->message, sizeof r->message,
            "no reference of %s to the model's end", c->model);
        st = DAE_IO;
    }
    for (size_t j = 0; !st && j < dae_model_unknown_count(model); j++) {
        int order = dae_model_unknown_order(model, j);
        char name[64];
        size_t length = dae_model_unknown_name(model, j, name, sizeof name - 8);
        for (int k = 0; !st && k < (order > 1 ? order : 1); k++) {
            st = compare_state(r, &f, name,
                dae_model_unknown_value(model, j, k, x, xp), rtol,
                c->atol_factor * rtol);
            name[length++] = '\'';
            name[length] = '\0';
        }
    }
    if (!st && !reference_ends(&f)) {
        snprintf(r->message, sizeof r->message,
            "the reference of %s holds more values than the model", c->model);
        st = DAE_MODEL;
    }
    r->error = sqrt(r->error / (double)(r->values ? r->values : 1));
    free(f.text);
    return st;
}

/* ---- a run ------------------------------------------------------------------ */

static void keep_message(accuracy_result *r, const dae_diagnostics *ds)
{
    for (size_t i = 0; i < dae_diagnostics_count(ds) && !r->message[0]; i++) {
        const dae_diagnostic *d = dae_diagnostics_at(ds, i);
        if (d->severity != DAE_ERROR) continue;
        snprintf(r->message, sizeof r->message, "%s: %s", d->code, d->message);
    }
}

static dae_status integrate(const dae_model *model, const accuracy_case *c,
    double rtol, dae_diagnostics *ds, double *x, double *xp, dae_stats *stats)
{
    double t1 = dae_model_settings(model)->t1;
    dae_options options = dae_options_default();
    options.rtol = rtol;
    options.atol = c->atol_factor * rtol;
    options.t_end = t1;
    dae_solver *solver = NULL;
    dae_status st = dae_solver_create(
        dae_model_problem(model), &options, NULL, ds, &solver);
    if (st) return st;
    st = dae_solver_initialize(solver);
    if (!st) st = dae_solver_advance(solver, t1, x, xp);
    *stats = *dae_solver_stats(solver);
    dae_solver_free(solver);
    return st;
}

void accuracy_run(const accuracy_case *c, double rtol, accuracy_result *r)
{
    memset(r, 0, sizeof *r);
    char path[1024];
    snprintf(path, sizeof path, "%s/%s", TEST_ROOT, c->model);
    dae_diagnostics *ds = NULL;
    dae_model *model = NULL;
    double *x = NULL, *xp = NULL;
    if ((r->status = dae_diagnostics_create(NULL, &ds))) return;
    if ((r->status = dae_model_load(path, NULL, NULL, ds, &model))) goto done;
    const dae_problem *problem = dae_model_problem(model);
    x = calloc(dae_problem_state_count(problem), sizeof *x);
    xp = calloc(problem->unknown_count, sizeof *xp);
    r->status = x && xp ? DAE_OK : DAE_MEMORY;
    if (r->status) goto done;
    r->status = integrate(model, c, rtol, ds, x, xp, &r->stats);
    if (!r->status) r->status = compare(r, c, model, x, xp, rtol);
done:
    if (r->status) keep_message(r, ds);
    free(x);
    free(xp);
    dae_model_free(model);
    dae_diagnostics_free(ds);
}
