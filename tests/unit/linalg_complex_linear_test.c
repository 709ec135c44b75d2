/* Complex systems of each kind: random, badly scaled, with pivots that become bad, with
 * lists that several systems share. */
#include "check.h"
#include "linalg/complex.h"
#include "linalg/complex_linear.h"
#include "random.h"

static const dae_linear kinds[] = {
    DAE_LINEAR_LIST, DAE_LINEAR_DENSE, DAE_LINEAR_KLU};
enum { KINDS = 3, SYSTEMS = 3, MOST = 100 };

typedef struct matrix {
    size_t n;
    int64_t start[MOST + 1];
    int32_t row[MOST * MOST];
    dae_complex values[MOST * MOST];
} matrix;

static dae_complex random_complex(random_state *r)
{
    const double re = random_unit(r);
    return complex_of(re, random_unit(r));
}

/* Each row and each column has one large entry, not on the diagonal. */
static void make_random(matrix *m, random_state *r, size_t n, size_t percent)
{
    const size_t shift = random_below(r, n);
    int64_t at = 0;
    m->n = n;
    for (size_t j = 0; j < n; j++) {
        for (size_t i = 0; i < n; i++) {
            const bool is_pivot = (i + shift) % n == j;
            if (!is_pivot && random_below(r, 100) >= percent) continue;
            m->row[at] = (int32_t)i;
            m->values[at] = random_complex(r);
            m->values[at++].re += is_pivot ? 4 : 0;
        }
        m->start[j + 1] = at;
    }
}

/* Rows in units that differ by up to 10^16, columns by 10^8. */
static void scale_badly(matrix *m, random_state *r)
{
    double row[MOST];
    for (size_t i = 0; i < m->n; i++) row[i] = pow(10, 8 * random_unit(r));
    for (size_t j = 0; j < m->n; j++) {
        const double column = pow(10, 4 * random_unit(r));
        for (int64_t p = m->start[j]; p < m->start[j + 1]; p++)
            m->values[p] = complex_scaled(
                m->values[p], row[m->row[p]] * column);
    }
}

/* The largest residual of a row beside its largest entry by the largest unknown. */
static double backward_error(
    const matrix *m, const double *re, const double *im)
{
    double worst = 0, most = 0, size[MOST] = {0};
    dae_complex rest[MOST];
    for (size_t i = 0; i < m->n; i++) rest[i] = complex_of((double)i, 1);
    for (size_t j = 0; j < m->n; j++) {
        const dae_complex x = complex_of(re[j], im[j]);
        most = fmax(most, complex_modulus(x));
        for (int64_t p = m->start[j]; p < m->start[j + 1]; p++) {
            const int32_t i = m->row[p];
            rest[i] = complex_less(rest[i], complex_times(m->values[p], x));
            size[i] = fmax(size[i], complex_modulus(m->values[p]));
        }
    }
    for (size_t i = 0; i < m->n; i++) {
        const double error = complex_modulus(rest[i]) / (size[i] * most);
        if (!(error <= worst)) worst = error;
    }
    return worst;
}

static void solve_system(
    complex_linear *c, int k, size_t n, double *re, double *im)
{
    for (size_t i = 0; i < n; i++) re[i] = (double)i, im[i] = 1;
    CHECK_STATUS(complex_linear_solve(c, k, re, im), DAE_OK);
}

static void check_system(complex_linear *c, int k, const matrix *m)
{
    double re[MOST], im[MOST];
    solve_system(c, k, m->n, re, im);
    CHECK_NEAR(backward_error(m, re, im), 0, 1e-9);
}

static complex_linear *open_systems(const matrix *m, dae_linear kind)
{
    complex_linear *c;
    CHECK_STATUS(
        complex_linear_create(m->n, m->start, m->row, kind, SYSTEMS, NULL, &c),
        DAE_OK);
    return c;
}

static void test_random_matrices(void **state)
{
    (void)state;
    static matrix m[SYSTEMS];
    const size_t sizes[] = {1, 2, 3, 5, 8, 20, 40};
    const size_t percent[] = {100, 40, 10};
    random_state r = {23};
    for (size_t q = 0; q < KINDS * 3 * 7; q++) {
        make_random(&m[0], &r, sizes[q / 9], percent[q / 3 % 3]);
        complex_linear *c = open_systems(&m[0], kinds[q % 3]);
        for (int turn = 0; turn < 3; turn++) {
            for (int k = 0; k < SYSTEMS; k++) {
                m[k] = m[0];
                for (int64_t p = 0; p < m[k].start[m[k].n]; p++)
                    m[k].values[p] = complex_add(m[k].values[p],
                        complex_scaled(random_complex(&r), 0.1 * k));
                if (turn == 2) scale_badly(&m[k], &r);
                CHECK_STATUS(complex_linear_factor(c, k, m[k].values), DAE_OK);
            }
            for (int k = 0; k < SYSTEMS; k++) check_system(c, k, &m[k]);
        }
        complex_linear_free(c);
    }
}

/* Tridiagonal; the large entries of a pair of rows are on the diagonal or beside it. */
static void make_pairs(matrix *m, double diagonal)
{
    int64_t at = 0;
    m->n = MOST;
    for (int32_t j = 0; j < MOST; j++) {
        for (int32_t i = j - 1; i <= j + 1; i++) {
            if (i < 0 || i >= MOST) continue;
            const bool is_pair = i / 2 == j / 2;
            m->row[at] = i;
            m->values[at++] = complex_of(i == j ? diagonal
                    : is_pair                   ? 0
                                                : 1e-3,
                i != j && is_pair ? 1 + 0.01 * j : 0);
        }
        m->start[j + 1] = at;
    }
}

/* Pivots of one system become bad; the factors of the others stay what they are. */
static void test_pivots_of_one_system(void **state)
{
    (void)state;
    static matrix good, bad;
    double re[MOST], im[MOST], re_before[MOST], im_before[MOST];
    make_pairs(&good, 10);
    make_pairs(&bad, 1e-9);
    for (int kind = 0; kind < KINDS; kind++) {
        complex_linear *c = open_systems(&good, kinds[kind]);
        for (int k = 0; k < SYSTEMS; k++)
            CHECK_STATUS(complex_linear_factor(c, k, good.values), DAE_OK);
        solve_system(c, 0, MOST, re_before, im_before);
        for (int turn = 0; turn < 3; turn++) {
            for (int k = 1; k < SYSTEMS; k++) {
                const matrix *m = (turn + k) % 2 ? &good : &bad;
                CHECK_STATUS(complex_linear_factor(c, k,
                                 (turn + k) % 2 ? good.values : bad.values),
                    DAE_OK);
                check_system(c, k, m);
                solve_system(c, 0, MOST, re, im);
                assert_memory_equal(re, re_before, sizeof re);
                assert_memory_equal(im, im_before, sizeof im);
            }
        }
        complex_linear_free(c);
    }
}

/* After a singular matrix there are no factors; a regular one is served again. */
static void test_singular(void **state)
{
    (void)state;
    static matrix m, other;
    random_state r = {29};
    double re[MOST] = {0}, im[MOST] = {0};
    for (int kind = 0; kind < KINDS; kind++) {
        make_random(&m, &r, 10, 40);
        other = m;
        complex_linear *c = open_systems(&m, kinds[kind]);
        CHECK_STATUS(complex_linear_solve(c, 0, re, im), DAE_NUMERIC);
        CHECK_STATUS(complex_linear_factor(c, 0, m.values), DAE_OK);
        for (int64_t p = m.start[7]; p < m.start[8]; p++)
            other.values[p] = complex_of(0, 0);
        CHECK_STATUS(complex_linear_factor(c, 0, other.values), DAE_NUMERIC);
        CHECK_STATUS(complex_linear_solve(c, 0, re, im), DAE_NUMERIC);
        CHECK_STATUS(complex_linear_factor(c, 0, m.values), DAE_OK);
        check_system(c, 0, &m);
        complex_linear_free(c);
    }
}

/* As in linalg_linear_test.c: where the diagonal is small, full rows are pivots. */
static void make_bordered(matrix *m, random_state *r, double diagonal)
{
    enum { FULL = 8 };
    int64_t at = 0;
    m->n = MOST;
    for (int32_t j = 0; j < MOST; j++) {
        for (int32_t i = 0; i < MOST; i++) {
            const bool is_border = i >= MOST - FULL || j >= MOST - FULL;
            if (!is_border && i != j) continue;
            m->row[at] = i;
            m->values[at++] = is_border ? random_complex(r)
                                        : complex_of(0, diagonal);
        }
        m->start[j + 1] = at;
    }
}

static void test_a_list_that_becomes_too_long(void **state)
{
    (void)state;
    static matrix m, other;
    random_state r = {3};
    make_bordered(&m, &r, 10);
    make_bordered(&other, &r, 1e-5);
    complex_linear *c = open_systems(&m, DAE_LINEAR_LIST);
    CHECK_STATUS(complex_linear_factor(c, 0, m.values), DAE_OK);
    for (int turn = 0; turn < 2; turn++) {
        CHECK_STATUS(complex_linear_factor(c, 1, other.values), DAE_OK);
        check_system(c, 0, &m);
        check_system(c, 1, &other);
    }
    complex_linear_free(c);
}

static dae_status factor_again(
    complex_linear *c, int k, failing_memory *memory, matrix *m)
{
    const dae_status st = complex_linear_factor(c, k, m->values);
    if (st != DAE_MEMORY) return st;
    memory->fail_from = SIZE_MAX;
    return complex_linear_factor(c, k, m->values);
}

static void test_memory_runs_out(void **state)
{
    (void)state;
    static matrix good, bad;
    double right[2 * MOST] = {0}, x[2 * MOST];
    make_pairs(&good, 10);
    make_pairs(&bad, 1e-9);
    bool is_healthy = false;
    for (size_t k = 0; !is_healthy; k++) {
        failing_memory memory;
        complex_linear *c;
        failing_init(&memory, k == 0 ? SIZE_MAX : k - 1);
        if (complex_linear_create(MOST, good.start, good.row, DAE_LINEAR_LIST,
                SYSTEMS, &memory.allocator, &c)) {
            assert_int_equal(memory.live, 0);
            continue;
        }
        CHECK_STATUS(factor_again(c, 0, &memory, &good), DAE_OK);
        CHECK_STATUS(factor_again(c, 1, &memory, &good), DAE_OK);
        CHECK_STATUS(factor_again(c, 1, &memory, &bad), DAE_OK);
        solve_system(c, 1, MOST, x, x + MOST);
        if (k == 0) memcpy(right, x, sizeof x);
        assert_memory_equal(right, x, sizeof x);
        is_healthy = k > 0 && memory.fail_from != SIZE_MAX;
        complex_linear_free(c);
        assert_int_equal(memory.live, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_matrices),
        cmocka_unit_test(test_pivots_of_one_system),
        cmocka_unit_test(test_singular),
        cmocka_unit_test(test_a_list_that_becomes_too_long),
        cmocka_unit_test(test_memory_runs_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
