/* The signature method: by hand, and random signatures against plain ways
 * that share nothing with it: all transversals one by one, the textbook's fixed
 * point for offsets, reachability for blocks. */
#include "check.h"
#include "signatures.h"
#include "structure_proof.h"

enum { MOST = 6, ABSENT = -1 };

/* ---- small signatures as tables ---------------------------------------------- */

typedef struct table {
    size_t rows, columns;
    int order[MOST][MOST]; /* ABSENT: no entry */
} table;

/* From one text per row: a digit is an order, a dot no entry. */
static table table_of(size_t rows, const char *const *text)
{
    table t = {.rows = rows, .columns = strlen(text[0])};
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < t.columns; j++)
            t.order[i][j] = text[i][j] == '.' ? ABSENT : text[i][j] - '0';
    return t;
}

static void make(made_signature *m, const table *t)
{
    signature_entry list[MOST * MOST];
    size_t count = 0;
    for (size_t i = 0; i < t->rows; i++)
        for (size_t j = 0; j < t->columns; j++)
            if (t->order[i][j] != ABSENT)
                list[count++] = (signature_entry){
                    (int32_t)i, (int32_t)j, t->order[i][j]};
    assert_true(signature_make(m, t->rows, t->columns, list, count));
}

static dae_structure *analyse(const table *t)
{
    made_signature m;
    dae_structure *s;
    make(&m, t);
    CHECK_STATUS(dae_structure_analyse(&m.s, NULL, NULL, &s), DAE_OK);
    if (s->is_regular) {
        const char *wrong = structure_wrong(&m.s, s);
        if (wrong) fail_msg("%s", wrong);
    }
    signature_drop(&m);
    return s;
}

static void check_values(
    const int64_t *values, const int64_t *expected, size_t count)
{
    for (size_t k = 0; k < count; k++) assert_int_equal(values[k], expected[k]);
}

/* ---- by hand -------------------------------------------------------------------- */

/* x'' + l x = 0 ; y'' + l y = g ; x^2 + y^2 = 1 ; z' = x */
static void test_pendulum_and_follower(void **state)
{
    (void)state;
    const table t = table_of(
        4, (const char *const[]){"2.0.", ".20.", "00..", "0..1"});
    dae_structure *s = analyse(&t);
    assert_true(s->is_regular);
    assert_int_equal(s->index, 3);
    assert_int_equal(s->degrees_of_freedom, 3);
    check_values(s->c, (int64_t[]){0, 0, 2, 0}, 4);
    check_values(s->d, (int64_t[]){2, 2, 0, 1}, 4);
    assert_int_equal(s->coarse_count, 2);
    assert_int_equal(s->fine_count, 2);
    assert_int_equal(s->coarse[0].end, 3);
    assert_int_equal(s->coarse[0].index, 3);
    assert_int_equal(s->coarse[0].max_c, 2);
    assert_int_equal(s->coarse[0].degrees_of_freedom, 2);
    assert_int_equal(s->fine[1].begin, 3);
    assert_int_equal(s->fine[1].index, 0);
    assert_int_equal(s->fine[1].degrees_of_freedom, 1);
    assert_int_equal(s->row_at[3], 3);
    assert_int_equal(s->column_at[3], 3);
    dae_structure_free(s);
}

/* x' = -x ; x = 1 ; x + y + z = 0: too much for x, too little for y and z */
static void test_singular(void **state)
{
    (void)state;
    const table t = table_of(3, (const char *const[]){"1..", "0..", "000"});
    dae_structure *s = analyse(&t);
    const uint8_t over = DAE_PART_OVER, under = DAE_PART_UNDER;
    assert_false(s->is_regular);
    assert_int_equal(s->matching.rank, 2);
    assert_int_equal(s->rows, 3);
    assert_int_equal(s->n, 0);
    assert_memory_equal(
        s->matching.row_part, ((uint8_t[]){over, over, under}), 3);
    assert_memory_equal(
        s->matching.column_part, ((uint8_t[]){over, under, under}), 3);
    assert_null(s->c);
    assert_null(s->coarse);
    dae_structure_free(s);
}

/* One entry written twice, in either order: the higher derivative counts. */
static void test_entry_twice(void **state)
{
    (void)state;
    for (int32_t k = 0; k < 2; k++) {
        made_signature m;
        dae_structure *s;
        const signature_entry list[] = {
            {0, 0, 2 * k}, {0, 0, 2 - 2 * k}, {1, 0, 0}, {0, 1, 0}, {1, 1, 1}};
        assert_true(signature_make(&m, 2, 2, list, 5));
        CHECK_STATUS(dae_structure_analyse(&m.s, NULL, NULL, &s), DAE_OK);
        check_values(s->c, (int64_t[]){0, 0}, 2);
        check_values(s->d, (int64_t[]){2, 1}, 2);
        assert_int_equal(s->coarse_count, 1);
        assert_int_equal(s->fine_count, 2);
        dae_structure_free(s);
        signature_drop(&m);
    }
}

static void test_nothing(void **state)
{
    (void)state;
    const int64_t start[] = {0};
    const dae_signature nothing = {.column_start = start};
    dae_structure *s;
    CHECK_STATUS(dae_structure_analyse(&nothing, NULL, NULL, &s), DAE_OK);
    assert_true(s->is_regular);
    assert_int_equal(s->index, 0);
    assert_int_equal(s->degrees_of_freedom, 0);
    assert_int_equal(s->fine_count, 0);
    dae_structure_free(s);
    dae_structure_free(NULL);
    /* no unknown: every equation is one too many */
    const dae_signature rows_only = {.rows = 2, .column_start = start};
    CHECK_STATUS(dae_structure_analyse(&rows_only, NULL, NULL, &s), DAE_OK);
    assert_false(s->is_regular);
    assert_int_equal(s->matching.row_part[1], DAE_PART_OVER);
    dae_structure_free(s);
}

static void test_arguments(void **state)
{
    (void)state;
    int64_t start[] = {0, 1, 2};
    int32_t row[] = {0, 1}, order[] = {0, 1};
    dae_signature g = {2, 2, start, row, order};
    dae_structure *s = (dae_structure *)&g;
    row[1] = 2;
    CHECK_STATUS(dae_structure_analyse(&g, NULL, NULL, &s), DAE_ARGUMENT);
    assert_null(s);
    row[1] = 1;
    order[0] = -1;
    CHECK_STATUS(dae_structure_analyse(&g, NULL, NULL, &s), DAE_ARGUMENT);
    order[0] = 0;
    start[1] = 3;
    CHECK_STATUS(dae_structure_analyse(&g, NULL, NULL, &s), DAE_ARGUMENT);
    start[1] = 1;
    start[0] = 1;
    CHECK_STATUS(dae_structure_analyse(&g, NULL, NULL, &s), DAE_ARGUMENT);
    start[0] = 0;
    g.rows = INT32_MAX;
    CHECK_STATUS(dae_structure_analyse(&g, NULL, NULL, &s), DAE_LIMIT);
    g.rows = 2;
    /* a chain of the highest orders there are */
    order[0] = order[1] = INT32_MAX;
    CHECK_STATUS(dae_structure_analyse(&g, NULL, NULL, &s), DAE_OK);
    assert_int_equal(s->degrees_of_freedom, 2 * (int64_t)INT32_MAX);
    dae_structure_free(s);
}

static int stop(void *context)
{
    ++*(int *)context;
    return 1;
}

static void test_interrupt(void **state)
{
    (void)state;
    random_state r = {3};
    made_signature m;
    dae_structure *s;
    failing_memory memory;
    int asked = 0;
    const dae_structure_options options = {stop, &asked};
    failing_init(&memory, SIZE_MAX);
    assert_true(signature_random(&m, &r, 20000, 2, 2));
    CHECK_STATUS(dae_structure_analyse(&m.s, &options, &memory.allocator, &s),
        DAE_INTERRUPTED);
    assert_null(s);
    assert_int_equal(asked, 1);
    assert_int_equal(memory.live, 0);
    signature_drop(&m);
}

/* Every allocation fails once: no leak, and a status that says so. */
static void test_memory(void **state)
{
    (void)state;
    static const char *const singular[] = {"1..", "0..", "000"};
    static const char *const regular[] = {"2.0.", ".20.", "00..", "0..1"};
    const table tables[] = {table_of(3, singular), table_of(4, regular)};
    for (size_t k = 0; k < 2; k++) {
        made_signature m;
        dae_structure *s = NULL;
        dae_status st = DAE_MEMORY;
        size_t n = 0;
        make(&m, &tables[k]);
        for (; st == DAE_MEMORY; n++) {
            failing_memory memory;
            failing_init(&memory, n);
            st = dae_structure_analyse(&m.s, NULL, &memory.allocator, &s);
            assert_true(st == DAE_OK || !s);
            dae_structure_free(s);
            assert_int_equal(memory.live, 0);
        }
        CHECK_STATUS(st, DAE_OK);
        assert_true(n > 20);
        signature_drop(&m);
    }
}

/* ---- the plain ways ------------------------------------------------------------- */

typedef struct plain {
    const table *t;
    size_t rank; /* of a partial transversal */
    bool is_regular;
    int value;
    int column_of[MOST]; /* a transversal of that value */
    int c[MOST], d[MOST];
    bool coarse[MOST][MOST], fine[MOST][MOST]; /* columns in one block */
} plain;

/* All ways to give rows from `row` on columns that are not taken. */
static void try_rows(
    plain *p, size_t row, unsigned taken, size_t pairs, int value, int *chosen)
{
    const table *t = p->t;
    if (pairs > p->rank) p->rank = pairs;
    if (row == t->rows) {
        if (t->rows != t->columns || pairs != row) return;
        if (p->is_regular && value <= p->value) return;
        p->is_regular = true;
        p->value = value;
        memcpy(p->column_of, chosen, sizeof p->column_of);
        return;
    }
    chosen[row] = ABSENT;
    try_rows(p, row + 1, taken, pairs, value, chosen);
    for (size_t j = 0; j < t->columns; j++) {
        if (t->order[row][j] == ABSENT || taken & 1U << j) continue;
        chosen[row] = (int)j;
        try_rows(p, row + 1, taken | 1U << j, pairs + 1,
            value + t->order[row][j], chosen);
    }
}

/* Until nothing changes: d from c over all entries, c from d over those of the
 * transversal [Pry01 3.1]. */
static void fix_offsets(plain *p)
{
    const table *t = p->t;
    bool is_changing = true;
    while (is_changing) {
        is_changing = false;
        for (size_t j = 0; j < t->columns; j++) {
            p->d[j] = 0;
            for (size_t i = 0; i < t->rows; i++)
                if (t->order[i][j] != ABSENT
                    && p->d[j] < t->order[i][j] + p->c[i])
                    p->d[j] = t->order[i][j] + p->c[i];
        }
        for (size_t i = 0; i < t->rows; i++) {
            const int j = p->column_of[i], c = p->d[j] - t->order[i][j];
            if (c != p->c[i]) is_changing = true;
            p->c[i] = c;
        }
    }
}

/* Whether columns need each other: by entries, tight ones alone if `is_fine`. */
static void close_blocks(const plain *p, bool is_fine, bool same[MOST][MOST])
{
    const table *t = p->t;
    const size_t n = t->columns;
    bool needs[MOST][MOST] = {{false}};
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < n; j++) {
            if (t->order[i][j] == ABSENT) continue;
            if (is_fine && p->d[j] - p->c[i] != t->order[i][j]) continue;
            needs[p->column_of[i]][j] = true;
        }
    }
    for (size_t k = 0; k < n; k++)
        for (size_t i = 0; i < n; i++)
            for (size_t j = 0; j < n; j++)
                if (needs[i][k] && needs[k][j]) needs[i][j] = true;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            same[i][j] = i == j || (needs[i][j] && needs[j][i]);
}

static void find_plainly(plain *p, const table *t)
{
    int chosen[MOST] = {0};
    *p = (plain){.t = t};
    try_rows(p, 0, 0, 0, 0, chosen);
    if (!p->is_regular) return;
    fix_offsets(p);
    close_blocks(p, false, p->coarse);
    close_blocks(p, true, p->fine);
}

/* ---- random ones ------------------------------------------------------------------ */

static table random_table(random_state *r)
{
    table t = {.rows = 1 + random_below(r, MOST)};
    const size_t percent = 10 + random_below(r, 50);
    const size_t highest = 1 + random_below(r, 5);
    /* low on the diagonal, so that others have to be differentiated for it */
    const bool is_low = random_below(r, 2);
    t.columns = random_below(r, 12) ? t.rows : 1 + random_below(r, MOST);
    for (size_t i = 0; i < t.rows; i++) {
        for (size_t j = 0; j < t.columns; j++) {
            const bool is_there = random_below(r, 100) < percent
                || (i == j && random_below(r, 8));
            const size_t below = i == j && is_low ? 1 : highest;
            t.order[i][j] = is_there ? (int)random_below(r, below) : ABSENT;
        }
    }
    return t;
}

static void check_same_blocks(const dae_structure *s, const dae_block *blocks,
    size_t count, bool same[MOST][MOST])
{
    size_t block_of[MOST] = {0};
    for (size_t b = 0; b < count; b++)
        for (int32_t k = blocks[b].begin; k < blocks[b].end; k++)
            block_of[s->column_at[k]] = b;
    for (size_t i = 0; i < s->n; i++)
        for (size_t j = 0; j < s->n; j++)
            assert_int_equal(block_of[i] == block_of[j], same[i][j]);
}

static void check_against(const plain *p, const dae_structure *s)
{
    bool same[MOST][MOST];
    assert_int_equal(s->is_regular, p->is_regular);
    assert_int_equal(s->matching.rank, p->rank);
    if (!p->is_regular) return;
    assert_int_equal(s->degrees_of_freedom, p->value);
    for (size_t i = 0; i < s->n; i++) assert_int_equal(s->c[i], p->c[i]);
    for (size_t j = 0; j < s->n; j++) assert_int_equal(s->d[j], p->d[j]);
    memcpy(same, p->coarse, sizeof same);
    check_same_blocks(s, s->coarse, s->coarse_count, same);
    memcpy(same, p->fine, sizeof same);
    check_same_blocks(s, s->fine, s->fine_count, same);
}

/* The parts of a singular one: closed, and of the right shape. */
static void check_parts(const table *t, const dae_structure *s)
{
    const dae_matching *m = &s->matching;
    size_t rows[3] = {0}, columns[3] = {0};
    for (size_t i = 0; i < t->rows; i++) rows[m->row_part[i]]++;
    for (size_t j = 0; j < t->columns; j++) {
        columns[m->column_part[j]]++;
        for (size_t i = 0; i < t->rows; i++) {
            if (t->order[i][j] == ABSENT) continue;
            if (m->row_part[i] == DAE_PART_OVER)
                assert_int_equal(m->column_part[j], DAE_PART_OVER);
            if (m->column_part[j] == DAE_PART_UNDER)
                assert_int_equal(m->row_part[i], DAE_PART_UNDER);
        }
    }
    assert_int_equal(rows[DAE_PART_WELL], columns[DAE_PART_WELL]);
    assert_int_equal(
        rows[DAE_PART_OVER] - columns[DAE_PART_OVER], t->rows - m->rank);
    assert_int_equal(
        columns[DAE_PART_UNDER] - rows[DAE_PART_UNDER], t->columns - m->rank);
}

static void test_random_ones(void **state)
{
    (void)state;
    random_state r = {11};
    int regular = 0, high = 0, mixed = 0;
    for (int k = 0; k < 10000; k++) {
        plain p;
        const table t = random_table(&r);
        dae_structure *s = analyse(&t);
        find_plainly(&p, &t);
        check_against(&p, s);
        if (!s->is_regular) check_parts(&t, s);
        regular += s->is_regular;
        high += s->index > 2;
        mixed += s->coarse_count > 1 && s->fine_count > s->coarse_count;
        dae_structure_free(s);
    }
    /* else they are too simple */
    assert_in_range(regular, 4000, 9000);
    assert_true(high > 1000);
    assert_true(mixed > 500);
}

/* Rows and columns in another order: offsets and blocks go along. */
static void test_order_does_not_matter(void **state)
{
    (void)state;
    random_state r = {12};
    for (int k = 0; k < 2000; k++) {
        const table t = random_table(&r);
        int32_t *rows = random_permutation(&r, t.rows);
        int32_t *columns = random_permutation(&r, t.columns);
        table u = t;
        for (size_t i = 0; i < t.rows; i++)
            for (size_t j = 0; j < t.columns; j++)
                u.order[rows[i]][columns[j]] = t.order[i][j];
        dae_structure *s = analyse(&t), *moved = analyse(&u);
        assert_int_equal(s->is_regular, moved->is_regular);
        assert_int_equal(s->index, moved->index);
        assert_int_equal(s->coarse_count, moved->coarse_count);
        assert_int_equal(s->fine_count, moved->fine_count);
        for (size_t i = 0; i < t.rows; i++) {
            assert_int_equal(
                s->matching.row_part[i], moved->matching.row_part[rows[i]]);
            if (s->n) assert_int_equal(s->c[i], moved->c[rows[i]]);
        }
        for (size_t j = 0; j < s->n; j++)
            assert_int_equal(s->d[j], moved->d[columns[j]]);
        dae_structure_free(s);
        dae_structure_free(moved);
        free(rows);
        free(columns);
    }
}

/* Larger than the plain ways can go: proved instead. */
static void test_random_large_ones(void **state)
{
    (void)state;
    random_state r = {13};
    for (size_t k = 0; k < 60; k++) {
        made_signature m;
        dae_structure *s;
        const size_t n = 2 + random_below(&r, 400);
        assert_true(signature_random(&m, &r, n, k % 3, 1 + k % 7));
        CHECK_STATUS(dae_structure_analyse(&m.s, NULL, NULL, &s), DAE_OK);
        const char *wrong = structure_wrong(&m.s, s);
        if (wrong) fail_msg("%s", wrong);
        assert_int_equal(s->coarse_count, 1);
        dae_structure_free(s);
        signature_drop(&m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pendulum_and_follower),
        cmocka_unit_test(test_singular),
        cmocka_unit_test(test_entry_twice),
        cmocka_unit_test(test_nothing),
        cmocka_unit_test(test_arguments),
        cmocka_unit_test(test_interrupt),
        cmocka_unit_test(test_memory),
        cmocka_unit_test(test_random_ones),
        cmocka_unit_test(test_order_does_not_matter),
        cmocka_unit_test(test_random_large_ones),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
