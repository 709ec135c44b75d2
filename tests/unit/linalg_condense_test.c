/* Trivial unknowns taken out: which, by hand; and A x = b solved through what is
 * left of it against elimination on the full matrix in extended precision. */
#include "check.h"
#include "linalg/condense.h"
#include "random.h"

enum { MOST = 60, MOST_ENTRIES = MOST * MOST };

/* A matrix by columns with what is known of its entries. */
typedef struct example {
    size_t n;
    int64_t start[MOST + 1];
    int32_t row[MOST_ENTRIES];
    uint8_t class[MOST_ENTRIES], level[MOST_ENTRIES];
    double value[MOST_ENTRIES];
    elimination_source source;
} example;

typedef struct cell {
    int row, column;
    entry_class class;
    double value;
} cell;

/* Cells in any order. */
static void make(example *x, size_t n, const cell *cells, size_t count)
{
    size_t at = 0;
    *x = (example){.n = n};
    for (size_t j = 0; j < n; j++) {
        for (size_t i = 0; i < n; i++)
            for (size_t k = 0; k < count; k++) {
                if (cells[k].row != (int)i || cells[k].column != (int)j)
                    continue;
                x->row[at] = (int32_t)i;
                x->class[at] = (uint8_t)cells[k].class;
                x->value[at++] = cells[k].value;
            }
        x->start[j + 1] = (int64_t)at;
    }
    x->source = (elimination_source){
        n, x->start, x->row, x->class, x->value, x->level, 16};
}
#define MAKE(x, n, cells) make(x, n, cells, sizeof(cells) / sizeof *(cells))

/* The pivots that are found, as row * 100 + column. */
static size_t pivots_of(const example *x, int *pivots)
{
    elimination e;
    CHECK_STATUS(elimination_find(&x->source, NULL, &e), DAE_OK);
    const size_t count = e.pivots.count;
    for (size_t p = 0; p < count; p++) {
        const elimination_entry *at = &e.entries.items[e.pivots.items[p]];
        pivots[p] = at->row * 100 + at->column;
    }
    elimination_clear(&e);
    return count;
}

/* A force from six velocities on six velocities, which are coupled anyway. */
static void a_force_among_coupled_bodies_is_one_more(void **state)
{
    (void)state;
    enum { BODIES = 6, COUNT = BODIES * BODIES + 2 * BODIES + 1 };
    static example x;
    cell cells[COUNT] = {{0, 0, ENTRY_KNOWN, 1}};
    int pivots[MOST], at = 1;
    for (int i = 1; i <= BODIES; i++) {
        cells[at++] = (cell){0, i, ENTRY_VARIES, 0};
        cells[at++] = (cell){i, 0, ENTRY_VARIES, 0};
        for (int j = 1; j <= BODIES; j++)
            cells[at++] = (cell){i, j, ENTRY_VARIES, 0};
    }
    MAKE(&x, BODIES + 1, cells);
    assert_int_equal(pivots_of(&x, pivots), 0);
    x.source.most = BODIES * BODIES;
    assert_int_equal(pivots_of(&x, pivots), 1);
    assert_int_equal(pivots[0], 0);
    x.source.most = -1;
    assert_int_equal(pivots_of(&x, pivots), 0);
}

/* What an error of a kept unknown does to y = 3 x1 + 4 x2 counts with it. */
static void weights_of_what_is_eliminated_count(void **state)
{
    (void)state;
    static example x;
    static const cell cells[] = {{0, 0, ENTRY_KNOWN, 2},
        {0, 1, ENTRY_VARIES, 0}, {0, 2, ENTRY_VARIES, 0},
        {1, 1, ENTRY_VARIES, 0}, {1, 0, ENTRY_VARIES, 0},
        {2, 2, ENTRY_VARIES, 0}, {2, 1, ENTRY_VARIES, 0},
        {1, 2, ENTRY_VARIES, 0}};
    static const double w[] = {10, 1, 2};
    double room[3], kept[2];
    elimination e;
    condensed c;
    MAKE(&x, 3, cells);
    CHECK_STATUS(elimination_find(&x.source, NULL, &e), DAE_OK);
    assert_int_equal(e.pivots.count, 1);
    CHECK_STATUS(condensed_init(&c, &x.source, &e, NULL), DAE_OK);
    elimination_clear(&e);
    assert_true(condensed_take_room(&c));
    for (size_t k = 0; k < c.value_count; k++) c.values[k] = 1;
    c.values[c.pivot_at[0]] = 2;
    for (uint32_t u = c.pivot_at[0] + 1; u < c.below_at[0]; u++)
        c.values[u] = c.other[u - c.kept] == 1 ? -6 : -8;
    assert_true(condensed_eliminate(&c));
    condensed_weights(&c, w, room, kept);
    CHECK_NEAR(kept[0], sqrt(1 + 30 * 30), 1e-12);
    CHECK_NEAR(kept[1], sqrt(4 + 40 * 40), 1e-12);
    condensed_clear(&c);
}

/* By Gaussian elimination with complete pivoting. */
static void solve_full(const example *x, const double *b, long double *answer)
{
    static long double a[MOST][MOST + 1];
    const size_t n = x->n;
    size_t column_of[MOST];
    memset(a, 0, sizeof a);
    for (size_t j = 0; j < n; j++)
        for (int64_t p = x->start[j]; p < x->start[j + 1]; p++)
            a[x->row[p]][j] = (long double)x->value[p];
    for (size_t i = 0; i < n; i++) a[i][n] = (long double)b[i];
    for (size_t j = 0; j < n; j++) column_of[j] = j;
    for (size_t k = 0; k < n; k++) {
        size_t r = k, c = k;
        for (size_t i = k; i < n; i++)
            for (size_t j = k; j < n; j++)
                if (fabsl(a[i][j]) > fabsl(a[r][c])) r = i, c = j;
        assert_true(fabsl(a[r][c]) > 0);
        for (size_t j = 0; j <= n; j++) {
            const long double other = a[k][j];
            a[k][j] = a[r][j], a[r][j] = other;
        }
        for (size_t i = 0; i < n; i++) {
            const long double other = a[i][k];
            a[i][k] = a[i][c], a[i][c] = other;
        }
        const size_t other = column_of[k];
        column_of[k] = column_of[c], column_of[c] = other;
        for (size_t i = 0; i < n; i++) {
            const long double f = i == k ? 0 : a[i][k] / a[k][k];
            for (size_t j = k; f != 0 && j <= n; j++) a[i][j] -= f * a[k][j];
        }
    }
    for (size_t k = 0; k < n; k++) answer[column_of[k]] = a[k][n] / a[k][k];
}

static void fill_values(condensed *c, const example *x)
{
    assert_true(condensed_take_room(c));
    memset(c->values, 0, c->value_count * sizeof *c->values);
    for (int64_t p = 0; p < x->start[x->n]; p++)
        c->values[c->place[p]] += x->value[p];
}

static double distance(size_t n, const double *got, const long double *wanted)
{
    long double most = 0, size = 0;
    for (size_t j = 0; j < n; j++) {
        most = fmaxl(most, fabsl((long double)got[j] - wanted[j]));
        size = fmaxl(size, fabsl(wanted[j]));
    }
    return (double)(most / size);
}

/* How far elimination on the full matrix in double precision, with partial
 * pivoting, is from the solution: a matrix with a bad condition is not for what
 * is tested here to repair. */
static double distance_of_full(
    const example *x, const double *b, const long double *wanted)
{
    linear *full;
    double got[MOST];
    memcpy(got, b, x->n * sizeof *got);
    CHECK_STATUS(
        linear_create(x->n, x->start, x->row, DAE_LINEAR_DENSE, NULL, &full),
        DAE_OK);
    double value[MOST_ENTRIES];
    memcpy(value, x->value, sizeof value);
    CHECK_STATUS(linear_factor(full, value), DAE_OK);
    CHECK_STATUS(linear_solve(full, got), DAE_OK);
    linear_free(full);
    return distance(x->n, got, wanted);
}

/* Solves by what is left, to `digits` or, within a factor, as well as on the
 * full matrix. Returns how many were taken out. */
static size_t check_solution(example *x, const double *b, double digits)
{
    enum { FACTOR = 20 };
    elimination e;
    condensed c;
    linear *rest;
    long double wanted[MOST];
    double got[MOST];
    CHECK_STATUS(elimination_find(&x->source, NULL, &e), DAE_OK);
    CHECK_STATUS(condensed_init(&c, &x->source, &e, NULL), DAE_OK);
    assert_int_equal(c.count + e.pivots.count, x->n);
    elimination_clear(&e);
    CHECK_STATUS(linear_create(c.count, c.column_start, c.row, DAE_LINEAR_DENSE,
                     NULL, &rest),
        DAE_OK);
    fill_values(&c, x);
    assert_true(condensed_eliminate(&c));
    CHECK_STATUS(linear_factor(rest, c.values), DAE_OK);
    for (int again = 0; again < 2; again++) {
        memcpy(got, b, x->n * sizeof *got);
        condensed_reduce(&c, got);
        CHECK_STATUS(linear_solve(rest, c.left), DAE_OK);
        condensed_expand(&c, got);
    }
    solve_full(x, b, wanted);
    CHECK_NEAR(distance(x->n, got, wanted), 0,
        fmax(digits, FACTOR * distance_of_full(x, b, wanted)));
    const size_t pivots = c.pivots;
    linear_free(rest);
    condensed_clear(&c);
    return pivots;
}

/* Unknowns x, y, z, w in three full equations and the alias y = 2x: with x or y
 * one column is left for both, and nothing else can go. */
static void test_an_alias(void **state)
{
    (void)state;
    example x;
    int pivots[MOST];
    const cell cells[] = {{0, 0, ENTRY_KNOWN, -2}, {0, 1, ENTRY_KNOWN, 1},
        {1, 0, 0, 3}, {1, 1, 0, 1}, {1, 2, 0, 2}, {1, 3, 0, 5}, {2, 0, 0, 1},
        {2, 1, 0, 4}, {2, 2, 0, 7}, {2, 3, 0, 1}, {3, 0, 0, 2}, {3, 1, 0, 6},
        {3, 2, 0, 1}, {3, 3, 0, 1}};
    const double b[] = {1, 2, 3, 4};
    MAKE(&x, 4, cells);
    assert_int_equal(pivots_of(&x, pivots), 1);
    assert_true(pivots[0] == 0 || pivots[0] == 1);
    assert_int_equal(check_solution(&x, b, 1e-13), 1);
}

/* y = f(x, z) with a slope of 1e6 in four equations of all: y goes, by its own
 * equation, as if f stood everywhere; a constant that is small beside another
 * in its row is no pivot. */
static void test_an_explicit_unknown(void **state)
{
    (void)state;
    int pivots[MOST];
    example x;
    const cell cells[] = {{0, 0, 0, 1e6}, {0, 1, ENTRY_KNOWN, 1}, {0, 2, 0, 3},
        {1, 0, 0, 1}, {1, 1, 0, 2}, {1, 2, 0, 3}, {2, 0, 0, 4}, {2, 1, 0, 5},
        {2, 2, 0, 7}};
    const double b[] = {1, 1, 1};
    MAKE(&x, 3, cells);
    assert_int_equal(pivots_of(&x, pivots), 1);
    assert_int_equal(pivots[0], 1);
    assert_int_equal(check_solution(&x, b, 1e-12), 1);
    cell small[sizeof cells / sizeof *cells];
    memcpy(small, cells, sizeof cells);
    small[2].class = ENTRY_KNOWN; /* now 1 beside 30 */
    small[2].value = 30;
    MAKE(&x, 3, small);
    assert_int_equal(pivots_of(&x, pivots), 1);
    assert_int_equal(pivots[0], 2);
}

/* x' = v beside equations of x and v: x goes, by v and alpha. An
 * alpha among entries that vary is no pivot: beside what is stiff it is small. */
static void test_powers_of_alpha(void **state)
{
    (void)state;
    int pivots[MOST];
    example x;
    const cell chain[] = {{0, 0, ENTRY_POWER, 1e3}, {0, 1, ENTRY_KNOWN, -1},
        {1, 0, 0, 2}, {1, 1, 0, 1}, {1, 2, 0, 2}, {2, 0, 0, 3}, {2, 1, 0, 1},
        {2, 2, 0, 5}};
    const cell stiff[] = {{0, 0, ENTRY_POWER, 1}, {0, 1, 0, 1e9}, {1, 0, 0, 2},
        {1, 1, 0, 1}, {1, 2, 0, 2}, {0, 2, 0, 1}, {2, 0, 0, 3}, {2, 1, 0, 1},
        {2, 2, 0, 5}};
    const double b[] = {1, 2, -1};
    MAKE(&x, 3, chain);
    x.level[0] = 2;
    assert_int_equal(pivots_of(&x, pivots), 1);
    assert_int_equal(pivots[0], 0);
    assert_int_equal(check_solution(&x, b, 1e-13), 1);
    MAKE(&x, 3, stiff);
    assert_int_equal(pivots_of(&x, pivots), 0);
}

/* C*v' = i + a*w, with i and w in other equations: i may be given by it, but
 * not where it has a derivative: the a of another state is small beside alpha. */
static void test_equations_with_derivatives(void **state)
{
    (void)state;
    int pivots[MOST];
    example x;
    const cell cells[] = {{0, 0, ENTRY_POWER, 1e9}, {0, 1, ENTRY_KNOWN, -1},
        {0, 2, 0, 1}, {1, 0, 0, 2}, {1, 1, 0, 1}, {1, 2, 0, 2}, {2, 0, 0, 3},
        {2, 1, 0, 1}, {2, 2, 0, 5}};
    MAKE(&x, 3, cells);
    const int64_t middle = x.start[1];
    assert_int_equal(x.row[0], 0);
    x.level[0] = 2; /* alpha C */
    x.level[middle] = x.level[middle + 1] = x.level[middle + 2] = 1;
    assert_int_equal(pivots_of(&x, pivots), 1);
    assert_int_equal(pivots[0], 1);
    x.level[middle] = x.level[middle + 1] = 0;
    x.level[middle + 2] = 2;
    assert_int_equal(pivots_of(&x, pivots), 0);
}

/* What is alone in its row or column is its pivot whatever it comes to, and so
 * is what is alone when that is gone: a triangle is taken out to the end,
 * against the order of its rows, too. */
static void test_singletons(void **state)
{
    (void)state;
    example x;
    static cell cells[3 * MOST];
    double b[MOST];
    size_t count = 0;
    for (int i = 0; i < MOST; i++) {
        b[i] = 1 + i;
        cells[count++] = (cell){i, i, ENTRY_VARIES, 2 + i % 3};
        if (i + 1 < MOST) cells[count++] = (cell){i, i + 1, ENTRY_VARIES, -1};
    }
    make(&x, MOST, cells, count);
    assert_int_equal(check_solution(&x, b, 1e-13), MOST);
}

/* x + y = .. and x - y + y-terms that cancel: what was known is no longer once
 * it may be 0. Here row 1 less row 0 leaves nothing known but rounding. */
static void test_what_cancels_is_not_known(void **state)
{
    (void)state;
    example x;
    int pivots[MOST];
    const cell cells[] = {{0, 0, ENTRY_KNOWN, 1}, {0, 1, ENTRY_KNOWN, 0.1},
        {1, 0, ENTRY_KNOWN, 3}, {1, 1, ENTRY_KNOWN, 0.3}, {1, 2, 0, 2},
        {1, 3, 0, 1}, {2, 0, 0, 1}, {2, 1, 0, 2}, {2, 2, 0, 1}, {2, 3, 0, 1},
        {3, 0, 0, 1}, {3, 1, 0, 1}, {3, 2, 0, 3}, {3, 3, 0, 1}};
    const double b[] = {1, 2, 3, 4};
    MAKE(&x, 4, cells);
    const size_t count = pivots_of(&x, pivots);
    assert_int_equal(count, 1);
    assert_int_equal(pivots[0], 0);
    assert_int_equal(check_solution(&x, b, 1e-13), 1);
}

/* A star of n arms: taking out the centre would make n^2 entries of n. */
static void test_no_more_entries(void **state)
{
    (void)state;
    example x;
    static cell cells[4 * MOST];
    const int n = 20;
    size_t count = 0;
    for (int i = 1; i < n; i++) {
        cells[count++] = (cell){0, i, ENTRY_VARIES, 1};
        cells[count++] = (cell){i, 0, ENTRY_VARIES, 1};
        cells[count++] = (cell){i, i, ENTRY_VARIES, 3};
        cells[count++] = (cell){i, 1 + i % (n - 1), ENTRY_VARIES, 1};
    }
    cells[count++] = (cell){0, 0, ENTRY_KNOWN, 1};
    int pivots[MOST];
    make(&x, (size_t)n, cells, count);
    assert_int_equal(pivots_of(&x, pivots), 0);
}

/* Random sparse matrices with aliases, explicit unknowns and constants: as many
 * rows as seeds, no diagonal order, solved both ways. */
static void random_example(example *x, uint64_t seed)
{
    static cell cells[MOST_ENTRIES];
    random_state g = {seed * 977};
    const int n = 2 + (int)random_below(&g, MOST - 2);
    const int shift = (int)random_below(&g, (size_t)n);
    size_t count = 0;
    for (int i = 0; i < n; i++) {
        const int own = (i + shift) % n;
        const bool is_explicit = random_below(&g, 3) == 0;
        cells[count++] = (cell){i, own,
            is_explicit ? ENTRY_KNOWN : ENTRY_VARIES, is_explicit ? -1 : 2};
        for (size_t k = random_below(&g, 4); k-- > 0;) {
            const int j = (int)random_below(&g, (size_t)n);
            bool is_new = true;
            for (size_t c = 0; c < count; c++)
                is_new = is_new && (cells[c].row != i || cells[c].column != j);
            if (!is_new) continue;
            const bool is_known = random_below(&g, 3) == 0;
            cells[count++] = (cell){i, j, is_known ? ENTRY_KNOWN : ENTRY_VARIES,
                is_known ? 0.5 : random_unit(&g)};
        }
    }
    make(x, (size_t)n, cells, count);
}

static void test_random_systems(void **state)
{
    (void)state;
    static example x;
    size_t taken = 0, all = 0;
    for (uint64_t seed = 1; seed <= 300; seed++) {
        double b[MOST];
        random_example(&x, seed);
        for (size_t i = 0; i < x.n; i++) b[i] = (double)(i % 7) - 3;
        taken += check_solution(&x, b, 1e-12);
        all += x.n;
    }
    assert_true(taken > all / 3);
    assert_true(taken < all);
}

/* The same pattern with other numbers: a pivot of 0 is refused. */
static void test_a_pivot_of_zero(void **state)
{
    (void)state;
    example x;
    elimination e;
    condensed c;
    const cell cells[] = {{0, 0, 0, 1e9}, {0, 1, ENTRY_KNOWN, 1}, {1, 0, 0, 1},
        {1, 1, 0, 1}, {1, 2, 0, 0.25}, {2, 0, 0, 2}, {2, 1, 0, 1},
        {2, 2, 0, 1}};
    MAKE(&x, 3, cells);
    CHECK_STATUS(elimination_find(&x.source, NULL, &e), DAE_OK);
    assert_int_equal(e.pivots.count, 1);
    CHECK_STATUS(condensed_init(&c, &x.source, &e, NULL), DAE_OK);
    elimination_clear(&e);
    fill_values(&c, &x);
    assert_true(condensed_eliminate(&c));
    x.value[3] = 0; /* the pivot: column 1 begins there */
    assert_int_equal(x.row[3], 0);
    fill_values(&c, &x);
    assert_false(condensed_eliminate(&c));
    condensed_clear(&c);
}

/* Pivots are found in the time that entries take: a chain of 10^5 aliases, in
 * which every one waits for the one before. */
static void test_long_chains(void **state)
{
    (void)state;
    enum { N = 100000 };
    int64_t *start = calloc(N + 1, sizeof *start);
    int32_t *row = calloc(2 * N, sizeof *row);
    uint8_t *class = calloc(2 * N, 1), *level = calloc(2 * N, 1);
    double *value = calloc(2 * N, sizeof *value);
    int64_t at = 0;
    assert_true(start && row && class && level && value);
    for (int64_t j = 0; j < N; j++) {
        row[at] = (int32_t)(j > 0 ? j - 1 : 0);
        class[at] = ENTRY_KNOWN, value[at++] = 1;
        if (j > 0)
            row[at] = (int32_t)j, class[at] = ENTRY_KNOWN, value[at++] = -1;
        start[j + 1] = at;
    }
    const elimination_source s = {N, start, row, class, value, level, 16};
    elimination e;
    CHECK_STATUS(elimination_find(&s, NULL, &e), DAE_OK);
    assert_int_equal(e.pivots.count, N);
    elimination_clear(&e);
    free(start), free(row), free(class), free(level), free(value);
}

static void test_memory_runs_out(void **state)
{
    (void)state;
    static example x;
    random_example(&x, 7);
    dae_status st = DAE_MEMORY;
    for (size_t n = 0; st == DAE_MEMORY; n++) {
        failing_memory memory;
        elimination e = {0};
        condensed c = {0};
        failing_init(&memory, n);
        st = elimination_find(&x.source, &memory.allocator, &e);
        if (!st) st = condensed_init(&c, &x.source, &e, &memory.allocator);
        if (!st && !condensed_take_room(&c)) st = DAE_MEMORY;
        assert_true(st == DAE_OK || st == DAE_MEMORY);
        elimination_clear(&e);
        condensed_clear(&c);
        assert_int_equal(memory.live, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_force_among_coupled_bodies_is_one_more),
        cmocka_unit_test(weights_of_what_is_eliminated_count),
        cmocka_unit_test(test_an_alias),
        cmocka_unit_test(test_an_explicit_unknown),
        cmocka_unit_test(test_powers_of_alpha),
        cmocka_unit_test(test_equations_with_derivatives),
        cmocka_unit_test(test_singletons),
        cmocka_unit_test(test_what_cancels_is_not_known),
        cmocka_unit_test(test_no_more_entries),
        cmocka_unit_test(test_random_systems),
        cmocka_unit_test(test_a_pivot_of_zero),
        cmocka_unit_test(test_long_chains),
        cmocka_unit_test(test_memory_runs_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
