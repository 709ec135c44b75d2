#include "accuracy.h"
#include <dae/model.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
    const accuracy_case *c;
    double t1;    /* the end of the model's interval */
    size_t count; /* the model's unknowns */
    char *text;   /* of a file */
    /* The next `"name": value` of a .json, `"name",value` of a .csv, and what
     * stands between the two. */
    const char *at;
    char sign;
} reference;

static bool same_time(const char *text, double t1)
{
    return strtod(text, NULL) == t1;
}

/* Opens the entry `"name": {... "t1": ... "values": {...` of a .json. */
static bool open_list(reference *f)
{
    static const char time[] = "\"t1\": ", list[] = "\"values\": {";
    char key[64];
    snprintf(key, sizeof key, "\"%s\": {", f->c->entry);
    f->at = strstr(f->text, key);
    if (!f->at) return false;
    const char *t1 = strstr(f->at, time);
    const char *values = strstr(f->at, list);
    if (!t1 || !values || t1 > values) return false;
    f->at = values + strlen(list);
    f->sign = ':';
    return same_time(t1 + strlen(time), f->t1);
}

/* The first line of a .csv is `name,TIME`. */
static bool open_table(reference *f)
{
    const char *comma = strchr(f->text, ',');
    f->at = comma ? strchr(comma, '\n') : NULL;
    f->sign = ',';
    return f->at && same_time(comma + 1, f->t1);
}

static bool reference_open(
    reference *f, const accuracy_case *c, const dae_model *model)
{
    memset(f, 0, sizeof *f);
    f->c = c;
    f->t1 = dae_model_settings(model)->t1;
    f->count = dae_model_unknown_count(model);
    if (c->form) return true;
    char path[256];
    snprintf(path, sizeof path, "tests/data/reference/%s", c->file);
    f->text = root_text(path);
    return f->text && (c->entry ? open_list(f) : open_table(f));
}

/* Files are in the order of the model's unknowns: a name that is not the next
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

static bool reference_value(reference *f, const char *name, double *value)
{
    return f->c->form ? f->c->form(f->t1, f->count, name, value)
                      : next_listed(f, name, value);
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
    snprintf(path, sizeof path, "%s/models/%s", TEST_ROOT, c->model);
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

/* An error of a few roundings has nothing left to fall. */
static bool is_exact(const accuracy_result *r, size_t k)
{
    return r->error * accuracy_rtols[k] < 1e-14;
}

const char *accuracy_fault(
    const accuracy_case *c, size_t k, const accuracy_result *r, double last)
{
    if (r->status) return dae_status_text(r->status);
    if (c->rival && !(r->worst <= 2 * c->rival[k]))
        return "a value more than twice as far off as another solver's";
    if (!c->rival && !(r->error < 100 * c->growth))
        return "too many tolerances from the reference";
    if (!(r->error * accuracy_rtols[k] < last) && !is_exact(r, k))
        return "not nearer than with the tolerance before";
    return NULL;
}
