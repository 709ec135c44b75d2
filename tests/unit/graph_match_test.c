/* Matchings against a plain augmenting search, and the properties of the
 * coarse parts. */
#include "check.h"
#include "graph/match.h"
#include "random.h"

enum { MOST = 40 };

typedef struct pattern {
    size_t rows, columns;
    int64_t start[MOST + 1];
    int32_t row[MOST * MOST];
} pattern;

static void make_random(
    pattern *p, random_state *r, size_t rows, size_t columns, size_t percent)
{
    int64_t at = 0;
    p->rows = rows;
    p->columns = columns;
    for (size_t j = 0; j < columns; j++) {
        p->start[j] = at;
        for (size_t i = 0; i < rows; i++)
            if (random_below(r, 100) < percent) p->row[at++] = (int32_t)i;
    }
    p->start[columns] = at;
}

/* Rank by one augmenting search per column, depth-first; small graphs only,
 * so it may recurse. */
static bool try_column(
    const pattern *p, size_t j, int32_t *column_of, bool *seen)
{
    for (int64_t k = p->start[j]; k < p->start[j + 1]; k++) {
        const int32_t i = p->row[k];
        if (seen[i]) continue;
        seen[i] = true;
        if (column_of[i] >= 0
            && !try_column(p, (size_t)column_of[i], column_of, seen))
            continue;
        column_of[i] = (int32_t)j;
        return true;
    }
    return false;
}

static size_t plain_rank(const pattern *p)
{
    int32_t column_of[MOST];
    size_t rank = 0;
    for (size_t i = 0; i < p->rows; i++) column_of[i] = -1;
    for (size_t j = 0; j < p->columns; j++) {
        bool seen[MOST] = {false};
        rank += try_column(p, j, column_of, seen);
    }
    return rank;
}

static bool has_entry(const pattern *p, int32_t i, size_t j)
{
    for (int64_t k = p->start[j]; k < p->start[j + 1]; k++)
        if (p->row[k] == i) return true;
    return false;
}

static void check_parts(
    const pattern *p, const int32_t *row_of, const int32_t *column_of)
{
    uint8_t rp[MOST], cp[MOST];
    size_t rows[3] = {0}, columns[3] = {0};
    CHECK_STATUS(match_parts(p->rows, p->columns, p->start, p->row, row_of,
                     column_of, NULL, rp, cp),
        DAE_OK);
    for (size_t i = 0; i < p->rows; i++) rows[rp[i]]++;
    for (size_t j = 0; j < p->columns; j++) {
        columns[cp[j]]++;
        if (row_of[j] >= 0) assert_int_equal(rp[row_of[j]], cp[j]);
        if (row_of[j] < 0) assert_int_equal(cp[j], MATCH_UNDER);
        for (int64_t k = p->start[j]; k < p->start[j + 1]; k++) {
            const uint8_t r = rp[p->row[k]];
            if (r == MATCH_OVER) assert_int_equal(cp[j], MATCH_OVER);
            if (r == MATCH_WELL) assert_int_not_equal(cp[j], MATCH_UNDER);
        }
    }
    for (size_t i = 0; i < p->rows; i++)
        if (column_of[i] < 0) assert_int_equal(rp[i], MATCH_OVER);
    assert_int_equal(rows[MATCH_WELL], columns[MATCH_WELL]);
    assert_true(rows[MATCH_OVER] >= columns[MATCH_OVER]);
    assert_true(rows[MATCH_UNDER] <= columns[MATCH_UNDER]);
}

static void test_random_patterns(void **state)
{
    (void)state;
    random_state r = {1};
    for (int n = 0; n < 600; n++) {
        pattern p;
        int32_t row_of[MOST], column_of[MOST];
        size_t rank = 0, count = 0;
        make_random(&p, &r, random_below(&r, MOST), random_below(&r, MOST),
            2 + random_below(&r, 20));
        for (size_t k = 0; k < MOST; k++) row_of[k] = column_of[k] = -1;
        CHECK_STATUS(match_maximum(p.rows, p.columns, p.start, p.row, NULL,
                         row_of, column_of, &rank),
            DAE_OK);
        assert_int_equal(rank, plain_rank(&p));
        for (size_t j = 0; j < p.columns; j++) {
            if (row_of[j] < 0) continue;
            count++;
            assert_int_equal(column_of[row_of[j]], j);
            assert_true(has_entry(&p, row_of[j], j));
        }
        assert_int_equal(count, rank);
        check_parts(&p, row_of, column_of);
    }
}

/* What is matched on entry stays matched. */
static void test_given_matching_is_kept(void **state)
{
    (void)state;
    /* columns 0 and 1 need row 0 or 1; column 2 only row 0 */
    const int64_t start[] = {0, 2, 4, 5};
    const int32_t row[] = {0, 1, 0, 1, 0};
    int32_t row_of[] = {-1, -1, 0}, column_of[] = {2, -1};
    size_t rank;
    CHECK_STATUS(
        match_maximum(2, 3, start, row, NULL, row_of, column_of, &rank),
        DAE_OK);
    assert_int_equal(rank, 2);
    assert_int_equal(row_of[2], 0);
}

/* A chain in which every column but the last can take two rows and the
 * greedy start takes the wrong one: one path through all of it. */
static void test_long_path(void **state)
{
    (void)state;
    const size_t n = 200000;
    int64_t *start = calloc(n + 1, sizeof *start);
    int32_t *row = calloc(2 * n, sizeof *row);
    int32_t *row_of = calloc(n, sizeof *row_of);
    int32_t *column_of = calloc(n, sizeof *column_of);
    size_t rank = 0;
    int64_t at = 0;
    for (size_t j = 0; j < n; j++) {
        start[j] = at;
        row[at++] = (int32_t)j;
        if (j + 1 < n) row[at++] = (int32_t)j + 1;
        row_of[j] = j + 1 < n ? (int32_t)j + 1 : -1;
        column_of[j] = (int32_t)j - 1;
    }
    start[n] = at;
    /* the last column has row n - 1 alone, taken by column n - 2 */
    CHECK_STATUS(
        match_maximum(n, n, start, row, NULL, row_of, column_of, &rank),
        DAE_OK);
    assert_int_equal(rank, n);
    for (size_t j = 0; j < n; j++) assert_int_equal(row_of[j], j);
    free(start);
    free(row);
    free(row_of);
    free(column_of);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_patterns),
        cmocka_unit_test(test_given_matching_is_kept),
        cmocka_unit_test(test_long_path),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
