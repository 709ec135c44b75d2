/* Pivots, leverage and rank of matrices known by
 * hand and of random ones against a solution of its own, columns that may not
 * be pivots, little fill where the matrix is sparse, memory that fails. */
#include "check.h"
#include "linalg/thresholds.h"
#include "linalg/wide_matrix.h"
#include "random.h"

enum { MOST = 24 };

/* By rows, from a dense matrix of which zeros are left out. */
typedef struct wide {
    wide_matrix m;
    wide_entry entry[MOST * MOST];
} wide;

static const wide_matrix *fill(
    wide *w, size_t rows, size_t columns, const double *a)
{
    size_t count = 0;
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < columns; j++)
            if (a[i * columns + j] != 0)
                w->entry[count++] = (wide_entry){
                    (int32_t)i, (int32_t)j, a[i * columns + j]};
    w->m = (wide_matrix){.rows = rows,
        .columns = columns,
        .entry = w->entry,
        .count = count,
        .zero = VALUES_ERROR};
    return &w->m;
}

/* What the pivots' columns are in terms of the others, by Gauss-Jordan with
 * row pivots: the largest entry in modulus; infinite where they are dependent. */
static double leverage_of(
    size_t rows, size_t columns, const double *a, const int32_t *pivot)
{
    double g[MOST * MOST];
    double most = 0;
    memcpy(g, a, rows * columns * sizeof *g);
    for (size_t k = 0; k < rows; k++) {
        const size_t j = (size_t)pivot[k];
        size_t best = k;
        for (size_t i = k; i < rows; i++)
            if (fabs(g[i * columns + j]) > fabs(g[best * columns + j]))
                best = i;
        if (fabs(g[best * columns + j]) < 1e-12) return HUGE_VAL;
        for (size_t c = 0; c < columns; c++) {
            const double x = g[best * columns + c];
            g[best * columns + c] = g[k * columns + c];
            g[k * columns + c] = x;
        }
        for (size_t i = 0; i < rows; i++) {
            const double factor = g[i * columns + j] / g[k * columns + j];
            for (size_t c = 0; i != k && c < columns; c++)
                g[i * columns + c] -= factor * g[k * columns + c];
        }
    }
    for (size_t k = 0; k < rows; k++)
        for (size_t c = 0; c < columns; c++) {
            bool is_pivot = false;
            for (size_t q = 0; q < rows; q++)
                if (pivot[q] == (int32_t)c) is_pivot = true;
            const double unit = g[k * columns + (size_t)pivot[k]];
            if (!is_pivot) most = fmax(most, fabs(g[k * columns + c] / unit));
        }
    return most;
}

static void check_distinct(const int32_t *pivot, size_t rows, size_t columns)
{
    for (size_t i = 0; i < rows; i++) {
        assert_in_range(pivot[i], 0, columns - 1);
        for (size_t k = 0; k < i; k++) assert_int_not_equal(pivot[i], pivot[k]);
    }
}

/* ---- by hand ------------------------------------------------------------------- */

static void one_row_takes_its_largest(void **state)
{
    (void)state;
    wide w;
    int32_t pivot[1];
    double leverage = 0;
    size_t lost = 7, rank = 7;
    const wide_matrix *m = fill(&w, 1, 3, (double[]){3, -4, 1});
    CHECK_STATUS(
        exchange_wide(m, NULL, pivot, &leverage, &lost, &rank), DAE_OK);
    assert_int_equal(pivot[0], 1);
    CHECK_NEAR(leverage, 0.75, 1e-15);
    assert_true(lost == SIZE_MAX && rank == 1);
    lost = 7, leverage = 0;
    CHECK_STATUS(
        markowitz_eliminate(m, NULL, pivot, &leverage, &lost, NULL), DAE_OK);
    assert_int_equal(pivot[0], 1); /* nothing fills: the larger one */
    CHECK_NEAR(leverage, 1, 1e-15);
    assert_true(lost == SIZE_MAX);
}

/* [1 0 2; 0 1 3]: pairs of columns have the determinants 1, 3, -2, so the first
 * and the last one are taken, and the other one is (-2/3, 1/3) in them. */
static void two_rows_take_the_largest_determinant(void **state)
{
    (void)state;
    wide w;
    int32_t pivot[2];
    double leverage = 0.5; /* is raised */
    const wide_matrix *m = fill(&w, 2, 3, (double[]){1, 0, 2, 0, 1, 3});
    CHECK_STATUS(exchange_wide(m, NULL, pivot, &leverage, NULL, NULL), DAE_OK);
    assert_int_equal(pivot[0], 0);
    assert_int_equal(pivot[1], 2);
    CHECK_NEAR(leverage, 2.0 / 3, 1e-15);
    leverage = 5; /* is not lowered */
    CHECK_STATUS(exchange_wide(m, NULL, pivot, &leverage, NULL, NULL), DAE_OK);
    CHECK_NEAR(leverage, 5, 0);
}

/* [1 0.9 0.9; 0.9 0.71 0.91]: complete pivoting takes the first column, and the
 * second pivot is 0.1 then; pairs have the determinants -0.1, 0.1, 0.18, so the
 * last two are better. In them the first column is 0.1/0.18 of either. */
static void exchanges_go_beyond_complete_pivots(void **state)
{
    (void)state;
    wide w;
    int32_t pivot[2];
    double leverage = 0;
    const double a[] = {1, 0.9, 0.9, 0.9, 0.71, 0.91};
    CHECK_STATUS(
        exchange_wide(fill(&w, 2, 3, a), NULL, pivot, &leverage, NULL, NULL),
        DAE_OK);
    assert_true(pivot[0] != 0 && pivot[1] != 0 && pivot[0] != pivot[1]);
    CHECK_NEAR(leverage, 5.0 / 9, 1e-13);
}

/* Equal ones stay with what comes first. */
static void equals_stay_with_the_first(void **state)
{
    (void)state;
    wide w;
    int32_t pivot[2];
    double leverage = 0;
    const double a[] = {1, 1, 1, 1, 1, -1, 1, -1};
    CHECK_STATUS(
        exchange_wide(fill(&w, 2, 4, a), NULL, pivot, &leverage, NULL, NULL),
        DAE_OK);
    assert_int_equal(pivot[0], 0);
    assert_int_equal(pivot[1], 1);
    CHECK_NEAR(leverage, 1, 1e-15);
}

/* Row 2 is twice row 1, and of the three only two are independent. */
static void a_lost_row_is_named(void **state)
{
    (void)state;
    wide w;
    int32_t pivot[3];
    double leverage = 0;
    size_t lost, rank;
    const double a[] = {1, 2, 3, 0, 2, 4, 6, 0, 0, 1, 1, 0};
    const wide_matrix *m = fill(&w, 3, 4, a);
    CHECK_STATUS(
        exchange_wide(m, NULL, pivot, &leverage, &lost, &rank), DAE_OK);
    assert_true(rank == 2 && lost == 0 && isinf(leverage));
    assert_int_equal(pivot[0], -1);
    assert_int_equal(pivot[1], 2);
    leverage = 0;
    CHECK_STATUS(
        markowitz_eliminate(m, NULL, pivot, &leverage, &lost, NULL), DAE_OK);
    assert_true(lost < 2 && isinf(leverage));
    const double zero[] = {0, 0, 0, 1, 0, 0};
    m = fill(&w, 2, 3, zero);
    CHECK_STATUS(
        exchange_wide(m, NULL, pivot, &leverage, &lost, &rank), DAE_OK);
    assert_true(rank == 1 && lost == 0);
    CHECK_STATUS(
        markowitz_eliminate(m, NULL, pivot, &leverage, &lost, NULL), DAE_OK);
    assert_true(lost == 0);
    m = fill(&w, 1, 3, zero);
    CHECK_STATUS(
        exchange_wide(m, NULL, pivot, &leverage, &lost, &rank), DAE_OK);
    assert_true(rank == 0 && lost == 0);
    leverage = 0;
    CHECK_STATUS(markowitz_eliminate(m, NULL, pivot, &leverage, NULL, NULL),
        DAE_OK); /* no number */
    assert_true(isinf(leverage));
}

/* An entry of 1e-12 beside 1 is a rounding error, one of 1e-6 is not. */
static void what_is_rounding_is_no_pivot(void **state)
{
    (void)state;
    for (int is_small = 0; is_small < 2; is_small++) {
        wide w;
        int32_t pivot[2];
        double leverage = 0;
        size_t lost, rank;
        const double a[] = {1, 1, 0, 1, 1 + (is_small ? 1e-12 : 1e-6), 0};
        const wide_matrix *m = fill(&w, 2, 3, a);
        CHECK_STATUS(
            exchange_wide(m, NULL, pivot, &leverage, &lost, &rank), DAE_OK);
        assert_int_equal(rank, is_small ? 1 : 2);
        CHECK_STATUS(
            markowitz_eliminate(m, NULL, pivot, &leverage, &lost, NULL),
            DAE_OK);
        assert_true((lost != SIZE_MAX) == (is_small == 1));
    }
}

/* ---- columns that may be pivots ------------------------------------------------ */

/* [1 0 2; 0 1 3] with the first two: the last one is (2, 3) in them; with the
 * last two: the first one is x (0, 1) + y (2, 3), so y = 1/2, x = -3/2. */
static void a_restricted_choice_is_measured(void **state)
{
    (void)state;
    static const uint8_t first[] = {1, 1, 0}, last[] = {0, 1, 1};
    wide w;
    int32_t pivot[2];
    double leverage = 0;
    const double a[] = {1, 0, 2, 0, 1, 3};
    fill(&w, 2, 3, a);
    w.m.is_allowed = first;
    CHECK_STATUS(
        exchange_wide(&w.m, NULL, pivot, &leverage, NULL, NULL), DAE_OK);
    CHECK_NEAR(leverage, 3, 1e-15);
    leverage = 0;
    CHECK_STATUS(
        markowitz_eliminate(&w.m, NULL, pivot, &leverage, NULL, NULL), DAE_OK);
    assert_int_equal(pivot[0], 0);
    assert_int_equal(pivot[1], 1);
    CHECK_NEAR(leverage, 3, 1e-15); /* nothing to eliminate */
    w.m.is_allowed = last;
    leverage = 0;
    CHECK_STATUS(
        exchange_wide(&w.m, NULL, pivot, &leverage, NULL, NULL), DAE_OK);
    CHECK_NEAR(leverage, 1.5, 1e-15);
}

static void random_matrix(random_state *r, size_t count, double *a)
{
    for (size_t k = 0; k < count; k++) a[k] = random_unit(r);
}

/* Some `rows` of the columns, as a set and as a list. */
static void random_choice(random_state *r, size_t rows, size_t columns,
    uint8_t *allowed, int32_t *list)
{
    memset(allowed, 0, columns);
    for (size_t k = 0; k < rows;) {
        const size_t j = random_below(r, columns);
        if (allowed[j]) continue;
        allowed[j] = 1;
        list[k++] = (int32_t)j;
    }
}

static void a_restricted_measure_is_a_direct_solution(void **state)
{
    (void)state;
    random_state r = {20240607};
    for (int trial = 0; trial < 400; trial++) {
        const size_t rows = 1 + random_below(&r, 9);
        const size_t columns = rows + 1 + random_below(&r, 10);
        uint8_t allowed[MOST];
        int32_t list[MOST], pivot[MOST];
        double a[MOST * MOST], leverage = 0;
        wide w;
        random_matrix(&r, rows * columns, a);
        random_choice(&r, rows, columns, allowed, list);
        fill(&w, rows, columns, a);
        w.m.is_allowed = allowed;
        CHECK_STATUS(
            exchange_wide(&w.m, NULL, pivot, &leverage, NULL, NULL), DAE_OK);
        const double direct = leverage_of(rows, columns, a, list);
        CHECK_NEAR(leverage, direct, 1e-9 * (1 + direct * direct));
        for (size_t k = 0; k < rows; k++) assert_true(allowed[pivot[k]]);
    }
}

/* Two columns that are equal cannot both be pivots: no other may step in. */
static void an_impossible_choice_is_infinite(void **state)
{
    (void)state;
    static const uint8_t allowed[] = {1, 1, 0};
    wide w;
    int32_t pivot[2];
    double leverage = 0;
    size_t lost;
    fill(&w, 2, 3, (double[]){1, 1, 0, 2, 2, 1});
    w.m.is_allowed = allowed;
    CHECK_STATUS(
        exchange_wide(&w.m, NULL, pivot, &leverage, &lost, NULL), DAE_OK);
    assert_true(isinf(leverage) && lost != SIZE_MAX);
    leverage = 0;
    CHECK_STATUS(
        markowitz_eliminate(&w.m, NULL, pivot, &leverage, &lost, NULL), DAE_OK);
    assert_true(isinf(leverage) && lost != SIZE_MAX);
}

/* ---- random -------------------------------------------------------------------- */

static void exchanges_leave_nothing_above_a_little(void **state)
{
    (void)state;
    random_state r = {977};
    for (int trial = 0; trial < 500; trial++) {
        const size_t rows = 1 + random_below(&r, 12);
        const size_t columns = rows + random_below(&r, MOST - rows + 1);
        int32_t pivot[MOST];
        double a[MOST * MOST], leverage = 0;
        size_t lost, rank;
        wide w;
        random_matrix(&r, rows * columns, a);
        CHECK_STATUS(exchange_wide(fill(&w, rows, columns, a), NULL, pivot,
                         &leverage, &lost, &rank),
            DAE_OK);
        assert_true(rank == rows && lost == SIZE_MAX);
        check_distinct(pivot, rows, columns);
        const double direct = leverage_of(rows, columns, a, pivot);
        assert_true(direct <= 1.05 + 1e-9);
        CHECK_NEAR(leverage, direct, 1e-9);
    }
}

/* The rank of a matrix of small whole numbers, modulo a prime. */
static size_t exact_rank(size_t rows, size_t columns, const double *a)
{
    const int64_t prime = 2147483647;
    int64_t g[MOST][MOST];
    size_t rank = 0;
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < columns; j++)
            g[i][j] = ((int64_t)a[i * columns + j] + prime) % prime;
    for (size_t j = 0; j < columns && rank < rows; j++) {
        size_t best = rank;
        while (best < rows && g[best][j] == 0) best++;
        if (best == rows) continue;
        for (size_t c = 0; c < columns; c++) {
            const int64_t x = g[best][c];
            g[best][c] = g[rank][c];
            g[rank][c] = x;
        }
        for (size_t i = rank + 1; i < rows; i++) {
            const int64_t above = g[rank][j], own = g[i][j];
            for (size_t c = 0; c < columns; c++)
                g[i][c] = ((g[i][c] * above - g[rank][c] * own) % prime + prime)
                    % prime;
        }
        rank++;
    }
    return rank;
}

/* Sparse, with some rows sums of others. */
static void random_whole(
    random_state *r, size_t rows, size_t columns, double *a)
{
    for (size_t k = 0; k < rows * columns; k++)
        a[k] = random_below(r, 3) ? 0 : (double)random_below(r, 7) - 3;
    for (size_t i = 2; i < rows; i++)
        if (random_below(r, 6) == 0)
            for (size_t j = 0; j < columns; j++)
                a[i * columns + j] = a[(i - 1) * columns + j]
                    - a[(i - 2) * columns + j];
}

static void both_agree_on_rank(void **state)
{
    (void)state;
    random_state r = {4711};
    size_t deficient = 0;
    for (int trial = 0; trial < 1000; trial++) {
        const size_t rows = 1 + random_below(&r, 10);
        const size_t columns = rows + random_below(&r, 6);
        int32_t pivot[MOST];
        double a[MOST * MOST], one = 0, other = 0;
        size_t lost, lost_sparse, rank;
        wide w;
        random_whole(&r, rows, columns, a);
        const wide_matrix *m = fill(&w, rows, columns, a);
        const size_t exact = exact_rank(rows, columns, a);
        CHECK_STATUS(exchange_wide(m, NULL, pivot, &one, &lost, &rank), DAE_OK);
        assert_int_equal(rank, exact);
        assert_true((lost == SIZE_MAX) == (exact == rows));
        CHECK_STATUS(
            markowitz_eliminate(m, NULL, pivot, &other, &lost_sparse, NULL),
            DAE_OK);
        assert_true((lost_sparse == SIZE_MAX) == (exact == rows));
        assert_true(isinf(other) == (exact < rows));
        if (exact < rows) deficient++;
        else check_distinct(pivot, rows, columns);
        if (exact == rows)
            assert_true(isfinite(leverage_of(rows, columns, a, pivot)));
    }
    assert_in_range(deficient, 200, 800);
}

/* ---- large --------------------------------------------------------------------- */

typedef struct large {
    wide_matrix m;
    wide_entry *entry;
    int32_t *pivot;
} large;

static void large_open(large *l, size_t rows, size_t columns, size_t most)
{
    *l = (large){.m = {.rows = rows, .columns = columns, .zero = VALUES_ERROR}};
    l->entry = calloc(most, sizeof *l->entry);
    l->pivot = calloc(rows, sizeof *l->pivot);
    assert_true(l->entry && l->pivot);
    l->m.entry = l->entry;
}

static void large_put(large *l, size_t i, size_t j, double value)
{
    l->entry[l->m.count++] = (wide_entry){(int32_t)i, (int32_t)j, value};
}

static void large_close(large *l)
{
    free(l->entry);
    free(l->pivot);
}

static void check_all_distinct(const large *l)
{
    uint8_t *is_taken = calloc(l->m.columns, 1);
    assert_non_null(is_taken);
    for (size_t i = 0; i < l->m.rows; i++) {
        assert_in_range(l->pivot[i], 0, l->m.columns - 1);
        assert_false(is_taken[l->pivot[i]]);
        is_taken[l->pivot[i]] = 1;
    }
    free(is_taken);
}

/* An allocator that counts what was requested in all. */
typedef struct counting {
    dae_allocator allocator;
    size_t bytes;
} counting;

static void *counting_resize(
    void *context, void *block, size_t old_size, size_t size)
{
    counting *c = context;
    (void)old_size;
    c->bytes += size;
    if (size) return realloc(block, size);
    free(block);
    return NULL;
}

/* Eliminates; bytes asked for per entry of the matrix: with fill, rows grow. */
static double bytes_per_entry(large *l, double *leverage, size_t *lost)
{
    counting c = {{counting_resize, NULL}, 0};
    c.allocator.context = &c;
    *leverage = 0;
    CHECK_STATUS(markowitz_eliminate(
                     &l->m, &c.allocator, l->pivot, leverage, lost, NULL),
        DAE_OK);
    return (double)c.bytes / (double)l->m.count;
}

/* Rows (i, i + 1): every row may be eliminated without any fill. Fill of one
 * entry a row would double what the entries take. */
static void a_long_chain_does_not_fill(void **state)
{
    (void)state;
    const size_t rows = 10000;
    large l;
    double leverage;
    size_t lost;
    large_open(&l, rows, rows + 1, 2 * rows);
    for (size_t i = 0; i < rows; i++) {
        large_put(&l, i, i, 1);
        large_put(&l, i, i + 1, -1);
    }
    const double bytes = bytes_per_entry(&l, &leverage, &lost);
    assert_true(lost == SIZE_MAX);
    check_all_distinct(&l);
    CHECK_NEAR(leverage, 1, 0);
    /* lists begin with room for some, doubled as they grow */
    assert_true(bytes < 250);
    large_close(&l);
}

/* Rigid links of a square lattice, a row each, with the differences of their
 * ends' places in four columns. */
static void lattice_open(large *l, size_t side)
{
    const size_t nodes = side * side, links = 2 * side * (side - 1);
    random_state r = {31};
    size_t i = 0;
    large_open(l, links, 2 * nodes, 4 * links);
    for (size_t a = 0; a < nodes; a++)
        for (size_t way = 0; way < 2; way++) {
            if (way == 0 ? a % side == side - 1 : a / side == side - 1)
                continue;
            const size_t b = way == 0 ? a + 1 : a + side;
            const double dx = (way == 0) + 0.2 * random_unit(&r);
            const double dy = (way == 1) + 0.2 * random_unit(&r);
            large_put(l, i, 2 * a, -dx);
            large_put(l, i, 2 * a + 1, -dy);
            large_put(l, i, 2 * b, dx);
            large_put(l, i, 2 * b + 1, dy);
            i++;
        }
    assert_int_equal(i, links);
}

/* Nodes of a square lattice, a row each, by themselves and their neighbours:
 * there is no order without fill. */
static void nodes_open(large *l, size_t side)
{
    const size_t nodes = side * side;
    large_open(l, nodes, nodes + 1, 6 * nodes);
    for (size_t a = 0; a < nodes; a++) {
        if (a >= side) large_put(l, a, a - side, -1);
        if (a % side) large_put(l, a, a - 1, -1);
        large_put(l, a, a, 4);
        if (a % side < side - 1) large_put(l, a, a + 1, -1);
        if (a + side < nodes) large_put(l, a, a + side, -1);
        if (a == 0) large_put(l, a, nodes, 1);
    }
}

typedef void open_fn(large *l, size_t side);

/* How much more each entry takes where there are four times the rows: by order
 * of the rows it would be twice as much, the band being as wide as a side. */
static double growth_of(open_fn *open)
{
    double bytes[2], leverage;
    for (int k = 0; k < 2; k++) {
        large l;
        size_t lost;
        open(&l, k ? 80 : 40);
        bytes[k] = bytes_per_entry(&l, &leverage, &lost);
        assert_true(lost == SIZE_MAX && isfinite(leverage));
        check_all_distinct(&l);
        large_close(&l);
    }
    return bytes[1] / bytes[0];
}

static void lattices_fill_little(void **state)
{
    (void)state;
    assert_true(growth_of(lattice_open) < 1.1);
    assert_true(growth_of(nodes_open) < 1.6);
}

/* Every link has one column all share; it is left for the last. */
static void a_full_column_is_left_for_the_last(void **state)
{
    (void)state;
    const size_t rows = 10000;
    large l;
    double leverage;
    size_t lost, in_shared = 0;
    large_open(&l, rows, rows + 1, 3 * rows);
    for (size_t i = 0; i < rows; i++) {
        large_put(&l, i, i, 1);
        large_put(&l, i, rows, 1.5);
    }
    const double bytes = bytes_per_entry(&l, &leverage, &lost);
    assert_true(lost == SIZE_MAX);
    check_all_distinct(&l);
    for (size_t i = 0; i < rows; i++) in_shared += l.pivot[i] == (int32_t)rows;
    assert_true(in_shared <= 1);
    assert_true(bytes < 250);
    large_close(&l);
}

static void the_same_again_is_the_same(void **state)
{
    (void)state;
    large l;
    double one, other;
    size_t lost;
    lattice_open(&l, 20);
    int32_t *first = calloc(l.m.rows, sizeof *first);
    assert_non_null(first);
    bytes_per_entry(&l, &one, &lost);
    memcpy(first, l.pivot, l.m.rows * sizeof *first);
    bytes_per_entry(&l, &other, &lost);
    assert_true(one == other);
    assert_memory_equal(first, l.pivot, l.m.rows * sizeof *first);
    free(first);
    large_close(&l);
}

/* ---- memory -------------------------------------------------------------------- */

typedef dae_status work_fn(const wide_matrix *m, const dae_allocator *a,
    int32_t *pivot, double *leverage);

static dae_status by_exchange(const wide_matrix *m, const dae_allocator *a,
    int32_t *pivot, double *leverage)
{
    return exchange_wide(m, a, pivot, leverage, NULL, NULL);
}

static dae_status by_elimination(const wide_matrix *m, const dae_allocator *a,
    int32_t *pivot, double *leverage)
{
    return markowitz_eliminate(m, a, pivot, leverage, NULL, NULL);
}

static void fail_everywhere(work_fn *work, size_t at_least)
{
    large l;
    size_t failed = 0;
    double leverage = 0, whole = 0;
    lattice_open(&l, 5);
    CHECK_STATUS(work(&l.m, NULL, l.pivot, &whole), DAE_OK);
    for (dae_status st = DAE_MEMORY; st; failed++) {
        failing_memory memory;
        failing_init(&memory, failed);
        leverage = 0;
        st = work(&l.m, &memory.allocator, l.pivot, &leverage);
        if (st) CHECK_STATUS(st, DAE_MEMORY);
        assert_int_equal(memory.live, 0);
    }
    assert_true(failed > at_least && leverage == whole);
    large_close(&l);
}

static void memory_may_fail_anywhere(void **state)
{
    (void)state;
    fail_everywhere(by_exchange, 2);
    fail_everywhere(by_elimination, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_row_takes_its_largest),
        cmocka_unit_test(two_rows_take_the_largest_determinant),
        cmocka_unit_test(exchanges_go_beyond_complete_pivots),
        cmocka_unit_test(equals_stay_with_the_first),
        cmocka_unit_test(a_lost_row_is_named),
        cmocka_unit_test(what_is_rounding_is_no_pivot),
        cmocka_unit_test(a_restricted_choice_is_measured),
        cmocka_unit_test(a_restricted_measure_is_a_direct_solution),
        cmocka_unit_test(an_impossible_choice_is_infinite),
        cmocka_unit_test(exchanges_leave_nothing_above_a_little),
        cmocka_unit_test(both_agree_on_rank),
        cmocka_unit_test(a_long_chain_does_not_fill),
        cmocka_unit_test(lattices_fill_little),
        cmocka_unit_test(a_full_column_is_left_for_the_last),
        cmocka_unit_test(the_same_again_is_the_same),
        cmocka_unit_test(memory_may_fail_anywhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
