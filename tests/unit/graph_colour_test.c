#include "check.h"
#include "graph/colour.h"
#include "random.h"

enum { MOST = 60 };

static void check_colouring(size_t rows, size_t columns, const int64_t *start,
    const int32_t *row, const int32_t *colour, int32_t count)
{
    for (int32_t c = 0; c < count; c++) {
        size_t met[MOST] = {0}, used = 0;
        for (size_t j = 0; j < columns; j++) {
            if (colour[j] != c) continue;
            used++;
            for (int64_t p = start[j]; p < start[j + 1]; p++) met[row[p]]++;
        }
        assert_true(used > 0);
        for (size_t i = 0; i < rows; i++) assert_true(met[i] <= 1);
    }
    for (size_t j = 0; j < columns; j++) {
        assert_true(colour[j] < count);
        assert_int_equal(colour[j] < 0, start[j] == start[j + 1]);
    }
}

static void test_random_patterns(void **state)
{
    (void)state;
    random_state r = {3};
    for (int t = 0; t < 300; t++) {
        int64_t start[MOST + 1], at = 0;
        static int32_t row[MOST * MOST];
        int32_t colour[MOST], again[MOST], count, second;
        const size_t rows = random_below(&r, MOST);
        const size_t columns = random_below(&r, MOST);
        const size_t percent = random_below(&r, 20);
        for (size_t j = 0; j < columns; j++) {
            start[j] = at;
            for (size_t i = 0; i < rows; i++)
                if (random_below(&r, 100) < percent) row[at++] = (int32_t)i;
        }
        start[columns] = at;
        CHECK_STATUS(
            colour_columns(rows, columns, start, row, NULL, colour, &count),
            DAE_OK);
        check_colouring(rows, columns, start, row, colour, count);
        CHECK_STATUS(
            colour_columns(rows, columns, start, row, NULL, again, &second),
            DAE_OK);
        assert_int_equal(count, second);
        if (columns)
            assert_memory_equal(colour, again, columns * sizeof *colour);
    }
}

/* A band of width 3 needs 3 colours, an arrow as many as its long row. */
static void test_known_counts(void **state)
{
    (void)state;
    int64_t start[MOST + 1], at = 0;
    int32_t row[MOST * MOST], colour[MOST], count;
    for (int32_t j = 0; j < MOST; j++) {
        start[j] = at;
        for (int32_t i = j - 1; i <= j + 1; i++)
            if (i >= 0 && i < MOST) row[at++] = i;
    }
    start[MOST] = at;
    CHECK_STATUS(
        colour_columns(MOST, MOST, start, row, NULL, colour, &count), DAE_OK);
    assert_int_equal(count, 3);
    at = 0;
    for (int32_t j = 0; j < MOST; j++) {
        start[j] = at;
        row[at++] = 0;
        if (j > 0) row[at++] = j;
    }
    start[MOST] = at;
    CHECK_STATUS(
        colour_columns(MOST, MOST, start, row, NULL, colour, &count), DAE_OK);
    assert_int_equal(count, MOST);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_patterns),
        cmocka_unit_test(test_known_counts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
