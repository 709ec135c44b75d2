/* An analysis for a run against the whole one, on the models of this project:
 * the same start, degrees of freedom and messages of errors. */
#include "lang/sema_support.h"
#include "model_folder.h"
#include "share.h"
#include <dae/analysis.h>

typedef struct tally {
    size_t visited, models, starts, shorter;
} tally;

static dae_analysis *analyse(
    const dae_problem *p, int start_only, size_t *errors)
{
    const dae_analysis_options asked = {
        .rtol = 1e-6, .atol = 1e-8, .start_only = start_only};
    dae_diagnostics *ds;
    dae_analysis *a;
    CHECK_STATUS(dae_diagnostics_create(NULL, &ds), DAE_OK);
    CHECK_STATUS(dae_analyse(p, &asked, NULL, ds, &a), DAE_OK);
    *errors = 0;
    for (size_t k = 0; k < dae_diagnostics_count(ds); k++)
        *errors += dae_diagnostics_at(ds, k)->code[0] == 'E';
    dae_diagnostics_free(ds);
    return a;
}

static bool is_same_start(const dae_problem *p, const dae_start_findings *a,
    const dae_start_findings *b)
{
    const size_t n = p->unknown_count;
    if (a->verdict != b->verdict || a->missing != b->missing
        || a->given_count != b->given_count
        || a->condition_count != b->condition_count
        || a->redundant_count != b->redundant_count || !a->values != !b->values)
        return false;
    if (!a->values) return true;
    return memcmp(a->value_first, b->value_first, (n + 1) * sizeof(size_t)) == 0
        && memcmp(a->values, b->values, a->value_first[n] * sizeof(double))
        == 0;
}

static void compare(const dae_problem *p, const char *name, tally *t)
{
    size_t errors[2];
    dae_analysis *all = analyse(p, 0, &errors[0]);
    dae_analysis *part = analyse(p, 1, &errors[1]);
    const bool is_same = is_same_start(p, &all->start, &part->start)
        && errors[0] == errors[1] && all->verdict == part->verdict
        && all->degrees_of_freedom == part->degrees_of_freedom
        && all->index <= part->index;
    if (!is_same) {
        print_error("%s: start %d and %d, verdict %d and %d, index %d and %d, "
                    "freedom %d and %d\n",
            name, (int)all->start.verdict, (int)part->start.verdict,
            (int)all->verdict, (int)part->verdict, (int)all->index,
            (int)part->index, (int)all->degrees_of_freedom,
            (int)part->degrees_of_freedom);
        fail();
    }
    t->models++;
    t->starts += all->start.values != NULL;
    t->shorter += all->index < part->index;
    assert_true(part->hidden_count == 0);
    dae_analysis_free(part);
    dae_analysis_free(all);
}

static void visit_model(const dae_problem *p, const char *file, void *context)
{
    enum { LARGEST = 30 };
    tally *t = context;
    const size_t stride = test_share() > 1 ? 3 : 1;
    if (p->unknown_count <= LARGEST && t->visited++ % stride == 0)
        compare(p, file, t);
}

static void compare_folder(const char *folder, tally *t)
{
    (void)visit_models(folder, visit_model, t);
}

static void starts_are_the_same(void **state)
{
    (void)state;
    tally t = {0};
    static const char *const folders[] = {"tests/check/branches",
        "tests/check/contradiction", "tests/check/exact", "tests/check/flat",
        "tests/check/forms", "tests/check/kinks", "tests/check/no_index",
        "tests/check/no_value", "tests/check/rank", "tests/check/redundant",
        "tests/check/repairs", "tests/check/systems", "tests/check/too_few",
        "models/circuits", "models/process", "models/limits"};
    for (size_t k = 0; k < sizeof folders / sizeof *folders; k++)
        compare_folder(folders[k], &t);
    print_message("%zu models, %zu with a start, %zu of a lower index\n",
        t.models, t.starts, t.shorter);
    assert_true(t.models > test_shared(240, 70));
    assert_true(t.starts > test_shared(220, 60));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(starts_are_the_same)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
