/* Ten thousand small systems with a known index, known degrees of freedom and a
 * start that is known to be consistent or not, judged by dae_analyse.
 *
 *   problems_random_structure_test           the first thousand, of which a
 *                                            sanitized build does 500
 *   problems_random_structure_test all       all, for tools/check
 *   problems_random_structure_test NUMBER    one, with its text
 *   problems_random_structure_test FIRST END those from FIRST to END - 1 that
 *                                            are not judged right or not certain
 */
#include "check.h"
#include "random_dae.h"
#include <dae/analysis.h>
#include <dae/model.h>
#include <limits.h>

typedef enum judgement { RIGHT, UNCERTAIN, WRONG } judgement;

typedef struct verdict {
    judgement structure, start;
    bool is_unnamed; /* no index, and the reason not told by its name */
    char why[160];
} verdict;

typedef struct totals {
    int cases, proved, exact, made;
    int structure[3], start[3];
    int unnamed;
    int shown;
    judgement worth_showing; /* and what is worse */
} totals;

static judgement because(verdict *v, judgement j, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Keeps the reason; of two judgements the first one's. */
static judgement because(verdict *v, judgement j, const char *format, ...)
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
    const random_dae *d, const dae_diagnostics *ds, verdict *v)
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
    const random_dae *d, const dae_analysis *a, verdict *v)
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
    const random_dae *d, const dae_analysis *a, verdict *v)
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
    const random_dae *d, const dae_start_findings *s, verdict *v)
{
    if (!s->values) return because(v, WRONG, "start: no values");
    for (int j = 0; j < d->unknowns; j++) {
        const double *x = s->values + s->value_first[j];
        size_t count = s->value_first[j + 1] - s->value_first[j];
        for (size_t k = 0; k < count && k < RANDOM_ORDERS; k++) {
            double known = d->solution[j][k];
            if (!(fabs(x[k] - known) > 1e-6 * (1 + fabs(known)))) continue;
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
    const dae_diagnostics *ds, verdict *v)
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

static void judge(const random_dae *d, verdict *v)
{
    dae_diagnostics *ds = NULL;
    dae_model *model = NULL;
    dae_analysis *a = NULL;
    *v = (verdict){.structure = RIGHT, .start = RIGHT};
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

/* Not by cmocka, which cuts what is long. */
static void show(const random_dae *d, const verdict *v)
{
    printf("%s---- %s; index %d, dof %d, start %d, missing %d\n", d->text,
        v->why[0] ? v->why : "right", d->index, d->degrees_of_freedom,
        (int)d->start, d->missing);
}

static void run(uint64_t first, uint64_t end, int most_shown, totals *sum)
{
    for (uint64_t k = first; k < end; k++) {
        random_dae d;
        verdict v;
        sum->cases++;
        if (!random_dae_make(k, &d)) continue;
        sum->made++;
        sum->exact += d.is_exact;
        sum->proved += d.is_proved;
        judge(&d, &v);
        sum->structure[v.structure]++;
        sum->unnamed += v.is_unnamed;
        sum->start[v.start]++;
        judgement worst = v.structure > v.start ? v.structure : v.start;
        if (worst >= sum->worth_showing && sum->shown++ < most_shown)
            show(&d, &v);
        random_dae_clear(&d);
    }
    print_message(
        "%d systems: index and degrees of freedom: %d right, %d not "
        "certified, %d wrong; start: %d right, %d unsolved, %d wrong\n",
        sum->made, sum->structure[RIGHT], sum->structure[UNCERTAIN],
        sum->structure[WRONG], sum->start[RIGHT], sum->start[UNCERTAIN],
        sum->start[WRONG]);
}

/* Where everything is watched, not as many. */
#ifdef __SANITIZE_ADDRESS__
static uint64_t case_count = 500;
#else
static uint64_t case_count = 1000;
#endif

static void test_random_systems_are_judged_right(void **state)
{
    totals sum = {.worth_showing = WRONG};
    (void)state;
    run(0, case_count, 10, &sum);
    assert_int_equal(sum.made, sum.cases);
    /* what is known is proved by other means */
    assert_int_equal(sum.proved, sum.exact);
    assert_int_equal(sum.structure[WRONG], 0);
    assert_int_equal(sum.start[WRONG], 0);
    assert_true(20 * sum.structure[UNCERTAIN] <= sum.made);
    assert_int_equal(sum.unnamed, 0);
    assert_true(20 * sum.start[UNCERTAIN] <= sum.made);
}

/* Systems whose derivatives out of proportion seemed to solve what they did not. */
static void test_what_was_judged_wrong_is_not_any_more(void **state)
{
    static const uint64_t cases[] = {11798, 40988, 54798};
    totals sum = {.worth_showing = WRONG};
    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
        run(cases[k], cases[k] + 1, 10, &sum);
    assert_int_equal(sum.structure[WRONG] + sum.start[WRONG], 0);
}

/* The number of a case determines its text. */
static void test_a_number_gives_one_text(void **state)
{
    (void)state;
    for (uint64_t k = 0; k < 40; k++) {
        random_dae one, other;
        assert_true(random_dae_make(k, &one));
        assert_true(random_dae_make(k, &other));
        assert_string_equal(one.text, other.text);
        random_dae_clear(&one);
        random_dae_clear(&other);
    }
}

static int show_one(uint64_t k)
{
    random_dae d;
    verdict v;
    if (!random_dae_make(k, &d)) return 1;
    judge(&d, &v);
    show(&d, &v);
    random_dae_clear(&d);
    return v.structure == WRONG || v.start == WRONG;
}

int main(int argc, char **argv)
{
    if (argc > 2) {
        totals sum = {.worth_showing = UNCERTAIN};
        run(strtoull(argv[1], NULL, 10), strtoull(argv[2], NULL, 10), INT_MAX,
            &sum);
        return 0;
    }
    if (argc > 1 && strcmp(argv[1], "all") == 0) case_count = 10000;
    else if (argc > 1) return show_one(strtoull(argv[1], NULL, 10));
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_was_judged_wrong_is_not_any_more),
        cmocka_unit_test(test_a_number_gives_one_text),
        cmocka_unit_test(test_random_systems_are_judged_right),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
