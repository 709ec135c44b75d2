/* The Jacobian of a spring network as a caller of the library gets it, against
 * blocks of the spring accelerations by hand (tests/data/reference/fixed_steps.json,
 * sms_net4): m X'' = f, so dF/dX is -m times them, and m is dF/dX''. */
#include "check.h"
#include "json.h"

#include <dae/dae.h>
#include <math.h>
#include <stdlib.h>

/* The number of what is called so. */
static size_t find(const dae_problem *p, dae_name_kind kind, const char *name)
{
    char text[64];
    for (size_t i = 0; i < p->unknown_count; i++) {
        (void)p->name(p->self, kind, i, text, sizeof text);
        if (strcmp(text, name) == 0) return i;
    }
    fail_msg("there is no %s", name);
    return 0;
}

static size_t first_state(const dae_problem *p, size_t unknown)
{
    size_t s = 0;
    for (size_t j = 0; j < unknown; j++) s += p->order[j] > 1 ? p->order[j] : 1;
    return s;
}

static double entry(
    const dae_problem *p, const double *values, size_t row, size_t column)
{
    const int64_t *start = p->pattern->column_start;
    for (int64_t k = start[column]; k < start[column + 1]; k++)
        if ((size_t)p->pattern->row[k] == row) return values[k];
    return 0;
}

/* The next entry of the table's rows, which follow each other. */
static double next_of(const json_value **row, const json_value **entry_at)
{
    if (!*entry_at) *entry_at = (*row)->first;
    const double value = (*entry_at)->number;
    *entry_at = (*entry_at)->next;
    if (!*entry_at) *row = (*row)->next;
    return value;
}

static void rows_of_the_first_mass(void **state)
{
    (void)state;
    dae_model *model = NULL;
    CHECK_STATUS(
        dae_model_load("models/mechanics/net4.dae", NULL, NULL, NULL, &model),
        DAE_OK);
    json_value *root = json_read("tests/data/reference/fixed_steps.json");
    const json_value *table = json_member(
        json_member(root, "sms_net4"), "jacobian_block_row_of_mass_1 (3x12)");
    assert_non_null(table);
    assert_int_equal(table->count, 3);
    const json_value *at_row = table->first, *at_entry = NULL;
    const dae_problem *p = dae_model_problem(model);
    const size_t states = dae_problem_state_count(p), n = p->unknown_count;
    const size_t entries = (size_t)p->pattern->column_start[states + n];
    double *values = calloc(entries, sizeof *values);
    assert_non_null(values);
    CHECK_STATUS(
        p->jacobian(p->self, DAE_ALL, 0, p->start->x, p->start->xp, values),
        DAE_OK);
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 12; k++) {
            char name[64];
            (void)snprintf(name, sizeof name, "newton[1,%d]", i + 1);
            const size_t row = find(p, DAE_NAME_EQUATION, name);
            (void)snprintf(name, sizeof name, "X[%d,%d]", k / 3 + 1, k % 3 + 1);
            const size_t j = find(p, DAE_NAME_UNKNOWN, name);
            (void)snprintf(name, sizeof name, "X[1,%d]", i + 1);
            const double mass = entry(
                p, values, row, states + find(p, DAE_NAME_UNKNOWN, name));
            const double found = -entry(p, values, row, first_state(p, j))
                / mass;
            const double known = next_of(&at_row, &at_entry);
            CHECK_NEAR(found, known, 1e-12 * (1 + fabs(known)));
        }
    assert_null(at_row);
    free(values);
    json_free(root);
    dae_model_free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_of_the_first_mass),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
