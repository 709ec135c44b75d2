/* Parts and witnesses of patterns: by hand, and of random ones by their
 * properties. */
#include "check.h"
#include "random.h"
#include <dae/structure.h>
#include <stdbool.h>

enum { MOST = 24 };

typedef struct fixture {
    dae_incidence p;
    int64_t start[MOST + 1];
    int32_t row[MOST * MOST];
    int32_t row_of[MOST], column_of[MOST];
    uint8_t row_part[MOST], column_part[MOST];
    int32_t rows[MOST], columns[MOST];
    dae_matching m;
    dae_witness w;
} fixture;

static void fixture_init(fixture *f, size_t rows, size_t columns)
{
    memset(f, 0, sizeof *f);
    f->p = (dae_incidence){rows, columns, f->start, f->row};
    f->m = (dae_matching){
        f->row_of, f->column_of, f->row_part, f->column_part, 0};
    f->w = (dae_witness){.rows = f->rows, .columns = f->columns};
    for (size_t k = 0; k < MOST; k++)
        f->row_of[k] = f->column_of[k] = DAE_UNMATCHED;
}

/* Rows of x's: one string per row. */
static void read_pattern(fixture *f, size_t rows, const char *const *text)
{
    const size_t columns = strlen(text[0]);
    int64_t at = 0;
    fixture_init(f, rows, columns);
    for (size_t j = 0; j < columns; j++) {
        for (size_t i = 0; i < rows; i++)
            if (text[i][j] == 'x') f->row[at++] = (int32_t)i;
        f->start[j + 1] = at;
    }
}

/* x' = -x ; x*2 = x^2 + 1 ; y + z = x */
static void test_both_parts(void **state)
{
    (void)state;
    fixture f;
    read_pattern(&f, 3, (const char *const[]){"x..", "x..", "xxx"});
    CHECK_STATUS(dae_structure_match(&f.p, NULL, &f.m), DAE_OK);
    assert_int_equal(f.m.rank, 2);
    const uint8_t over = DAE_PART_OVER, under = DAE_PART_UNDER;
    assert_memory_equal(f.row_part, ((uint8_t[]){over, over, under}), 3);
    assert_memory_equal(f.column_part, ((uint8_t[]){over, under, under}), 3);
    CHECK_STATUS(dae_structure_excess(&f.p, &f.m, NULL, &f.w), DAE_OK);
    assert_int_equal(f.w.row_count, 2);
    assert_int_equal(f.rows[0], 0);
    assert_int_equal(f.rows[1], 1);
    assert_int_equal(f.w.column_count, 1);
    assert_int_equal(f.columns[0], 0);
    CHECK_STATUS(dae_structure_shortage(&f.p, &f.m, NULL, &f.w), DAE_OK);
    assert_int_equal(f.w.column_count, 2);
    assert_int_equal(f.columns[0], 1);
    assert_int_equal(f.columns[1], 2);
    assert_int_equal(f.w.row_count, 1);
    assert_int_equal(f.rows[0], 2);
}

/* Two surpluses, of 3 rows and of 2: the smaller is taken though a larger one
 * comes after it. */
static void test_smallest_before_a_larger(void **state)
{
    (void)state;
    fixture f;
    read_pattern(
        &f, 5, (const char *const[]){"..x", "..x", "x..", "xx.", ".x."});
    CHECK_STATUS(dae_structure_match(&f.p, NULL, &f.m), DAE_OK);
    CHECK_STATUS(dae_structure_excess(&f.p, &f.m, NULL, &f.w), DAE_OK);
    assert_int_equal(f.w.row_count, 2);
    assert_int_equal(f.rows[0], 0);
    assert_int_equal(f.rows[1], 1);
    assert_int_equal(f.w.column_count, 1);
    assert_int_equal(f.columns[0], 2);
}

/* Two surpluses, of 3 rows and of 1 (an empty one): the empty one first. */
static void test_smallest_witness(void **state)
{
    (void)state;
    fixture f;
    read_pattern(
        &f, 5, (const char *const[]){"xx.", "xx.", "xx.", "...", "..x"});
    CHECK_STATUS(dae_structure_match(&f.p, NULL, &f.m), DAE_OK);
    CHECK_STATUS(dae_structure_excess(&f.p, &f.m, NULL, &f.w), DAE_OK);
    assert_int_equal(f.w.row_count, 1);
    assert_int_equal(f.rows[0], 3);
    assert_int_equal(f.w.column_count, 0);
    CHECK_STATUS(dae_structure_shortage(&f.p, &f.m, NULL, &f.w), DAE_OK);
    assert_int_equal(f.w.column_count, 0);
    assert_int_equal(f.w.row_count, 0);
}

static void test_begins_from_a_matching(void **state)
{
    (void)state;
    fixture f;
    read_pattern(&f, 2, (const char *const[]){"xx", "xx"});
    f.row_of[0] = 1;
    f.column_of[1] = 0;
    CHECK_STATUS(dae_structure_match(&f.p, NULL, &f.m), DAE_OK);
    assert_int_equal(f.row_of[0], 1);
    assert_int_equal(f.row_of[1], 0);
    f.row_of[0] = 0; /* no longer what column_of says */
    CHECK_STATUS(dae_structure_match(&f.p, NULL, &f.m), DAE_ARGUMENT);
    read_pattern(&f, 2, (const char *const[]){"xx", "xx"});
    f.row[3] = 2;
    CHECK_STATUS(dae_structure_match(&f.p, NULL, &f.m), DAE_ARGUMENT);
    f.p.rows = INT32_MAX;
    CHECK_STATUS(dae_structure_match(&f.p, NULL, &f.m), DAE_LIMIT);
}

static bool is_in(int32_t member, const int32_t *set, size_t count)
{
    for (size_t k = 0; k < count; k++)
        if (set[k] == member) return true;
    return false;
}

/* Entries join the sets' rows to their columns alone: seen from the rows of
 * an excess, from the columns of a shortage. */
static void check_closed(const fixture *f, bool is_excess)
{
    const dae_witness *w = &f->w;
    for (size_t j = 0; j < f->p.columns; j++) {
        const bool has_column = is_in((int32_t)j, w->columns, w->column_count);
        for (int64_t k = f->start[j]; k < f->start[j + 1]; k++) {
            const bool has_row = is_in(f->row[k], w->rows, w->row_count);
            if (is_excess) assert_true(!has_row || has_column);
            else assert_true(!has_column || has_row);
        }
    }
}

static void test_random_witnesses(void **state)
{
    (void)state;
    random_state r = {7};
    int found = 0;
    for (int k = 0; k < 500; k++) {
        fixture f;
        const size_t rows = 1 + random_below(&r, MOST);
        const size_t columns = 1 + random_below(&r, MOST);
        const size_t percent = 4 + random_below(&r, 20);
        int64_t at = 0;
        fixture_init(&f, rows, columns);
        for (size_t j = 0; j < columns; j++) {
            for (size_t i = 0; i < rows; i++)
                if (random_below(&r, 100) < percent) f.row[at++] = (int32_t)i;
            f.start[j + 1] = at;
        }
        CHECK_STATUS(dae_structure_match(&f.p, NULL, &f.m), DAE_OK);
        CHECK_STATUS(dae_structure_excess(&f.p, &f.m, NULL, &f.w), DAE_OK);
        assert_int_equal(f.w.row_count > 0, f.m.rank < rows);
        if (f.w.row_count)
            assert_int_equal(f.w.row_count, f.w.column_count + 1);
        check_closed(&f, true);
        for (size_t i = 0; i < f.w.row_count; i++)
            assert_int_equal(f.row_part[f.rows[i]], DAE_PART_OVER);
        CHECK_STATUS(dae_structure_shortage(&f.p, &f.m, NULL, &f.w), DAE_OK);
        assert_int_equal(f.w.column_count > 0, f.m.rank < columns);
        if (f.w.column_count)
            assert_int_equal(f.w.column_count, f.w.row_count + 1);
        check_closed(&f, false);
        found += f.w.column_count > 2;
    }
    assert_true(found > 15); /* else the witnesses tried are all trivial */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_both_parts),
        cmocka_unit_test(test_smallest_witness),
        cmocka_unit_test(test_smallest_before_a_larger),
        cmocka_unit_test(test_begins_from_a_matching),
        cmocka_unit_test(test_random_witnesses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
