/* A hundred thousand unknowns in any order: every family has the structure it
 * is known to have, and the structure found is proved. tests/bench has the
 * times of larger ones. */
#include "check.h"
#include "share.h"
#include "signatures.h"
#include "structure_proof.h"

enum { UNKNOWNS = 100000 };

static void check_member(const signature_family *f, size_t n, random_state *r)
{
    made_signature m;
    dae_structure *s;
    size_t parts;
    assert_true(signature_member(&m, f, n, r, &parts));
    CHECK_STATUS(dae_structure_analyse(&m.s, NULL, NULL, &s), DAE_OK);
    const char *wrong = signature_wrong(f, parts, s);
    if (!wrong) wrong = structure_wrong(&m.s, s);
    if (wrong) fail_msg("%s of %zu unknowns: %s", f->name, m.s.columns, wrong);
    dae_structure_free(s);
    signature_drop(&m);
}

/* As they are written, and in two random orders. */
static void test_families(void **state)
{
    (void)state;
    random_state r = {21};
    for (size_t k = 0; k < SIGNATURE_FAMILIES; k++) {
        const size_t n = test_share() > 1 ? UNKNOWNS / 4 : UNKNOWNS;
        check_member(&signature_families[k], n, NULL);
        check_member(&signature_families[k], n, &r);
        check_member(&signature_families[k], UNKNOWNS / 7, &r);
    }
}

/* Every size up to a few parts: where first and last parts are the same. */
static void test_small_members(void **state)
{
    (void)state;
    random_state r = {22};
    for (size_t k = 0; k < SIGNATURE_FAMILIES; k++)
        for (size_t parts = 2; parts < 12; parts++)
            check_member(&signature_families[k],
                parts * signature_families[k].unknowns, &r);
}

/* One row with every unknown, one unknown in every row. */
static void test_full_row_and_column(void **state)
{
    (void)state;
    const int32_t n = UNKNOWNS;
    signature_entry *list = malloc(3 * (size_t)n * sizeof *list);
    size_t count = 0;
    made_signature m;
    dae_structure *s;
    assert_non_null(list);
    for (int32_t k = 0; k < n; k++) {
        list[count++] = (signature_entry){k, k, k == 0 ? 0 : 1};
        if (k == 0) continue;
        list[count++] = (signature_entry){0, k, 0};
        list[count++] = (signature_entry){k, 0, 0};
    }
    assert_true(signature_make(&m, (size_t)n, (size_t)n, list, count));
    CHECK_STATUS(dae_structure_analyse(&m.s, NULL, NULL, &s), DAE_OK);
    const char *wrong = structure_wrong(&m.s, s);
    if (wrong) fail_msg("%s", wrong);
    assert_int_equal(s->index, 1);
    assert_int_equal(s->degrees_of_freedom, n - 1);
    assert_int_equal(s->coarse_count, 1);
    assert_int_equal(s->fine_count, n);
    dae_structure_free(s);
    signature_drop(&m);
    free(list);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_families),
        cmocka_unit_test(test_small_members),
        cmocka_unit_test(test_full_row_and_column),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
