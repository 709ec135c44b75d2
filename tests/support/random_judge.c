/* What is known of a system against what is found: right, not certain, or
 * wrong, with the first reason. */
#include "random_judge.h"
#include <dae/analysis.h>
#include <dae/model.h>

static judgement because(random_verdict *v, judgement j, const char *format,
    ...) __attribute__((format(printf, 3, 4)));

/* Keeps the reason; of two judgements the first one's. */
static judgement because(
    random_verdict *v, judgement j, const char *format, ...)
{
    va_list list;
    if (v->why[0]) return j;
    va_start(list, format);
    vsnprintf(v->why, sizeof v->why, format, list);
    va_end(list);
    return j;
}

static bool has_code(const dae_diagnostics *ds, const char *code)
{
    for (size_t i = 0; i < dae_diagnostics_count(ds); i++)
        if (strcmp(dae_diagnostics_at(ds, i)->code, code) == 0) return true;
    return false;
}

/* ---- structure ------------------------------------------------------------------ */

static judgement judge_refusal(
    const random_dae *d, const dae_diagnostics *ds, random_verdict *v)
{
    bool is_count = d->kind == RANDOM_TOO_MANY || d->kind == RANDOM_TOO_FEW;
    if (is_count && has_code(ds, "E0301")) return RIGHT;
    bool has_none = d->kind != RANDOM_REGULAR && !is_count;
    if (has_none && (has_code(ds, "E0301") || has_code(ds, "E0302")))
        return RIGHT;
    return because(v, WRONG, "refused: %s",
        dae_diagnostics_count(ds) ? dae_diagnostics_at(ds, 0)->message : "");
}

/* By name: an equation that follows from the others is redundant (a common
 * level that stays free is one way to be), one whose right side is another
 * contradicts them. "Not uniquely solvable" alone is less than could be said. */
static judgement judge_no_index(
    const random_dae *d, const dae_analysis *a, random_verdict *v)
{
    const bool is_contradictory = a->verdict == DAE_INDEX_CONTRADICTORY;
    const bool is_redundant = a->verdict == DAE_INDEX_REDUNDANT
        || a->verdict == DAE_INDEX_FLOATING;
    /* terms cancel, and the structure that is left says why */
    if (a->verdict == DAE_INDEX_UNDEFINED) return RIGHT;
    if (d->kind == RANDOM_CONTRADICTORY ? is_contradictory : is_redundant)
        return RIGHT;
    v->is_unnamed = true;
    return because(v, a->verdict == DAE_INDEX_NOT_UNIQUE ? UNCERTAIN : WRONG,
        "verdict %d, which is not the reason", (int)a->verdict);
}

static judgement judge_structure(
    const random_dae *d, const dae_analysis *a, random_verdict *v)
{
    bool is_found = a->verdict == DAE_INDEX_FOUND;
    if (d->kind == RANDOM_TOO_MANY || d->kind == RANDOM_TOO_FEW)
        return because(v, WRONG, "equations and unknowns agree in number");
    if (d->kind != RANDOM_REGULAR && !is_found) return judge_no_index(d, a, v);
    if (!is_found)
        return because(v, WRONG, "no index: verdict %d", (int)a->verdict);
    if (a->certificate != DAE_CERTIFIED)
        return because(v, UNCERTAIN, "index %d, dof %d, certificate %d",
            (int)a->index, (int)a->degrees_of_freedom, (int)a->certificate);
    if (a->index == d->index && a->degrees_of_freedom == d->degrees_of_freedom)
        return RIGHT;
    return because(v, WRONG, "index %d, dof %d, certified", (int)a->index,
        (int)a->degrees_of_freedom);
}

/* ---- start ------------------------------------------------------------------------ */

/* Values that the conditions determine are those of the solution that the
 * conditions come from; the guesses are near it. */
static judgement judge_values(
    const random_dae *d, const dae_start_findings *s, random_verdict *v)
{
    if (!s->values) return because(v, WRONG, "start: no values");
    for (int j = 0; j < d->unknowns; j++) {
        const double *x = s->values + s->value_first[j];
        size_t count = s->value_first[j + 1] - s->value_first[j];
        for (size_t k = 0; k < count && k < RANDOM_ORDERS; k++) {
            double known = d->solution[j][k];
            const double size = 1 / d->unit[j] + fabs(known);
            if (!(fabs(x[k] - known) > 1e-6 * size)) continue;
            return because(v, WRONG, "start: x%d^(%d) is %.10g, not %.10g",
                j + 1, (int)k, x[k], known);
        }
    }
    return RIGHT;
}

static dae_start_verdict start_expected(const random_dae *d)
{
    return d->start == RANDOM_CONFLICT ? DAE_START_INCONSISTENT
        : d->missing > 0               ? DAE_START_UNDERDETERMINED
                                       : DAE_START_CONSISTENT;
}

/* No values found is an error, with nothing beside it about values that were. */
static bool is_told(const dae_diagnostics *ds)
{
    return (has_code(ds, "E0402") || has_code(ds, "E0403"))
        && !has_code(ds, "E0401") && !has_code(ds, "W0404")
        && !has_code(ds, "N0407");
}

static judgement judge_start(const random_dae *d, const dae_analysis *a,
    const dae_diagnostics *ds, random_verdict *v)
{
    const dae_start_findings *s = &a->start;
    dae_start_verdict expected = start_expected(d);
    if (s->verdict == DAE_START_UNSOLVED && !is_told(ds)) {
        v->why[0] = '\0';
        return because(v, WRONG, "start: unsolved, and not said so");
    }
    /* the start rests on the structure */
    if (v->structure != RIGHT) return UNCERTAIN;
    if (d->kind != RANDOM_REGULAR) return RIGHT;
    if (s->verdict == DAE_START_UNSOLVED || s->verdict == DAE_START_UNKNOWN)
        return because(v, UNCERTAIN, "start: unsolved (%d)", (int)s->verdict);
    if (s->verdict != expected)
        return because(v, WRONG, "start: verdict %d, expected %d",
            (int)s->verdict, (int)expected);
    if (expected == DAE_START_UNDERDETERMINED
        && s->missing != (size_t)d->missing)
        return because(
            v, WRONG, "start: %d missing, not %d", (int)s->missing, d->missing);
    if (expected == DAE_START_INCONSISTENT && s->conflict_count == 0)
        return because(v, WRONG, "start: no conflict is named");
    if (d->start == RANDOM_EXCESS && s->redundant_count == 0)
        return because(v, WRONG, "start: nothing is redundant");
    return d->start == RANDOM_CONSISTENT || d->start == RANDOM_EXCESS
        ? judge_values(d, s, v)
        : RIGHT;
}

/* ---- cases ------------------------------------------------------------------------ */

void random_judge(const random_dae *d, random_verdict *v)
{
    dae_diagnostics *ds = NULL;
    dae_model *model = NULL;
    dae_analysis *a = NULL;
    *v = (random_verdict){.structure = RIGHT, .start = RIGHT};
    CHECK_STATUS(dae_diagnostics_create(NULL, &ds), DAE_OK);
    dae_status status = dae_model_parse(
        "random.dae", d->text, strlen(d->text), NULL, NULL, ds, &model);
    if (status) {
        v->structure = judge_refusal(d, ds, v);
    } else {
        status = dae_analyse(dae_model_problem(model), NULL, NULL, ds, &a);
        if (status) {
            v->structure = because(v, WRONG, "%s", dae_status_text(status));
        } else {
            v->structure = judge_structure(d, a, v);
            v->start = judge_start(d, a, ds, v);
        }
    }
    dae_analysis_free(a);
    dae_model_free(model);
    dae_diagnostics_free(ds);
}
