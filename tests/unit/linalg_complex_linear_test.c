/* Complex systems by operation lists, by dense elimination and by KLU on random, graded,
 * singular and changing matrices, against an elimination with full pivots in more digits;
 * and with every allocation failing once. */
#include "check.h"
#include "faulty_memory.h"
#include "linalg/complex_linear.h"
#include "random.h"

#include <complex.h>

enum { MOST = 24, SYSTEMS = 3 };
typedef long double complex wide;

typedef struct matrix {
    size_t n;
    int64_t start[MOST + 1];
    int32_t row[MOST * MOST];
    dae_complex values[MOST * MOST];
} matrix;

static const dae_linear kinds[] = {
    DAE_LINEAR_LIST, DAE_LINEAR_DENSE, DAE_LINEAR_KLU};
enum { KINDS = sizeof kinds / sizeof *kinds };

/* ---- matrices ---- */

static dae_complex random_complex(random_state *r)
{
    const double re = random_unit(r);
    return (dae_complex){re, random_unit(r)};
}

/* A pattern with a place in every row and column, in an order that makes pivots
 * move; entries of similar size. */
static void make_pattern(matrix *m, random_state *r, size_t n, size_t percent)
{
    int64_t at = 0;
    const size_t shift = random_below(r, n);
    m->n = n;
    for (size_t j = 0; j < n; j++) {
        m->start[j] = at;
        for (size_t i = 0; i < n; i++)
            if ((i + shift) % n == j || random_below(r, 100) < percent)
                m->row[at++] = (int32_t)i;
    }
    m->start[n] = at;
}

static void make_values(matrix *m, random_state *r)
{
    for (int64_t p = 0; p < m->start[m->n]; p++)
        m->values[p] = random_complex(r);
}

/* Rows in units that differ by up to 10^16, columns by 10^8. */
static void grade(matrix *m, random_state *r)
{
    double row[MOST];
    for (size_t i = 0; i < m->n; i++) row[i] = pow(10, 8 * random_unit(r));
    for (size_t j = 0; j < m->n; j++) {
        const double column = pow(10, 4 * random_unit(r));
        for (int64_t p = m->start[j]; p < m->start[j + 1]; p++) {
            m->values[p].re *= row[m->row[p]] * column;
            m->values[p].im *= row[m->row[p]] * column;
        }
    }
}

/* ---- another elimination ---- */

static void spread(const matrix *m, wide *a)
{
    for (size_t i = 0; i < m->n * m->n; i++) a[i] = 0;
    for (size_t j = 0; j < m->n; j++)
        for (int64_t p = m->start[j]; p < m->start[j + 1]; p++)
            a[(size_t)m->row[p] * m->n + j] = m->values[p].re
                + I * (long double)m->values[p].im;
}

/* Rows and columns are brought to the size 1 first, else the largest of graded
 * entries says nothing. */
static void equilibrate(size_t n, wide *a, wide *b, long double *column)
{
    for (size_t i = 0; i < n; i++) {
        long double most = 0;
        for (size_t j = 0; j < n; j++) most = fmaxl(most, cabsl(a[i * n + j]));
        for (size_t j = 0; j < n; j++) a[i * n + j] /= most;
        b[i] /= most;
    }
    for (size_t j = 0; j < n; j++) {
        column[j] = 0;
        for (size_t i = 0; i < n; i++)
            column[j] = fmaxl(column[j], cabsl(a[i * n + j]));
        for (size_t i = 0; i < n; i++) a[i * n + j] /= column[j];
    }
}

static void take_pivot(size_t n, wide *a, wide *b, size_t k, size_t *place)
{
    size_t row = k, col = k;
    for (size_t i = k; i < n; i++)
        for (size_t j = k; j < n; j++)
            if (cabsl(a[i * n + j]) > cabsl(a[row * n + col])) row = i, col = j;
    for (size_t j = 0; j < n; j++) {
        const wide other = a[k * n + j];
        a[k * n + j] = a[row * n + j], a[row * n + j] = other;
    }
    for (size_t i = 0; i < n; i++) {
        const wide other = a[i * n + k];
        a[i * n + k] = a[i * n + col], a[i * n + col] = other;
    }
    const wide side = b[k];
    b[k] = b[row], b[row] = side;
    const size_t at = place[k];
    place[k] = place[col], place[col] = at;
}

/* b becomes the solution; the smallest pivot over the largest. */
static double solve_widely(const matrix *m, wide *b)
{
    const size_t n = m->n;
    wide a[MOST * MOST], y[MOST];
    long double column[MOST], least = INFINITY, most = 0;
    size_t place[MOST];
    spread(m, a);
    equilibrate(n, a, b, column);
    for (size_t k = 0; k < n; k++) place[k] = k;
    for (size_t k = 0; k < n; k++) {
        take_pivot(n, a, b, k, place);
        const wide pivot = a[k * n + k];
        least = fminl(least, cabsl(pivot));
        most = fmaxl(most, cabsl(pivot));
        for (size_t i = k + 1; i < n; i++) {
            const wide l = a[i * n + k] / pivot;
            for (size_t j = k; j < n; j++) a[i * n + j] -= l * a[k * n + j];
            b[i] -= l * b[k];
        }
    }
    for (size_t k = n; k-- > 0;) {
        for (size_t j = k + 1; j < n; j++) b[k] -= a[k * n + j] * y[j];
        y[k] = b[k] / a[k * n + k];
    }
    for (size_t k = 0; k < n; k++) b[place[k]] = y[k] / column[place[k]];
    return (double)(least / most);
}

/* ---- checks ---- */

static complex_linear *create(const matrix *m, dae_linear choice)
{
    complex_linear *c;
    CHECK_STATUS(complex_linear_create(
                     m->n, m->start, m->row, choice, SYSTEMS, NULL, &c),
        DAE_OK);
    return c;
}

/* Against the wide one, by what its pivots say of the condition. */
static void check_solution(
    complex_linear *c, int k, const matrix *m, random_state *r, double share)
{
    double re[MOST], im[MOST], worst = 0, most = 0;
    wide b[MOST];
    for (size_t i = 0; i < m->n; i++) {
        const dae_complex side = random_complex(r);
        re[i] = side.re, im[i] = side.im;
        b[i] = side.re + I * (long double)side.im;
    }
    const double rcond = solve_widely(m, b);
    CHECK_STATUS(complex_linear_solve(c, k, re, im), DAE_OK);
    for (size_t i = 0; i < m->n; i++) {
        worst = fmax(
            worst, (double)cabsl(re[i] + I * (long double)im[i] - b[i]));
        most = fmax(most, (double)cabsl(b[i]));
    }
    CHECK_NEAR(worst / most, 0, share / rcond);
}

/* ---- tests ---- */

static const double digits = 1e-13;

static void random_systems_are_solved(void **state)
{
    (void)state;
    random_state r = {3};
    for (int trial = 0; trial < 200; trial++) {
        matrix m;
        make_pattern(&m, &r, 1 + random_below(&r, MOST), random_below(&r, 101));
        for (int kind = 0; kind < KINDS; kind++) {
            complex_linear *c = create(&m, kinds[kind]);
            make_values(&m, &r);
            CHECK_STATUS(complex_linear_factor(c, 0, m.values), DAE_OK);
            check_solution(c, 0, &m, &r, digits);
            check_solution(c, 0, &m, &r, digits);
            complex_linear_free(c);
        }
    }
}

/* Elimination with pivots by scaled rows keeps to the digits that rows in units of
 * their own leave: graded rows change nothing, and graded columns only what is
 * compared, each unknown in its own unit. */
static void graded_systems_are_solved(void **state)
{
    (void)state;
    random_state r = {17};
    for (int trial = 0; trial < 100; trial++) {
        matrix m, plain;
        make_pattern(&m, &r, 2 + random_below(&r, MOST - 1), 60);
        for (int kind = 0; kind < KINDS; kind++) {
            make_values(&m, &r);
            plain = m;
            random_state before = r;
            grade(&m, &r);
            complex_linear *c = create(&m, kinds[kind]);
            double row[MOST], column[MOST], re[MOST], im[MOST];
            wide b[MOST];
            for (size_t i = 0; i < m.n; i++)
                row[i] = pow(10, 8 * random_unit(&before));
            for (size_t i = 0; i < m.n; i++)
                column[i] = pow(10, 4 * random_unit(&before));
            for (size_t i = 0; i < m.n; i++) {
                const dae_complex side = random_complex(&r);
                re[i] = side.re * row[i], im[i] = side.im * row[i];
                b[i] = side.re + I * (long double)side.im;
            }
            const double rcond = solve_widely(&plain, b);
            CHECK_STATUS(complex_linear_factor(c, 0, m.values), DAE_OK);
            CHECK_STATUS(complex_linear_solve(c, 0, re, im), DAE_OK);
            double worst = 0, most = 0;
            for (size_t i = 0; i < m.n; i++) {
                const wide x = column[i] * (re[i] + I * (long double)im[i]);
                worst = fmax(worst, (double)cabsl(x - b[i]));
                most = fmax(most, (double)cabsl(b[i]));
            }
            CHECK_NEAR(worst / most, 0, digits / rcond);
            complex_linear_free(c);
        }
    }
}

/* Three systems at once, each with values of its own that change again and again, among
 * them ones whose old pivots vanish. */
static void values_change_and_systems_stay_apart(void **state)
{
    (void)state;
    random_state r = {29};
    for (int kind = 0; kind < KINDS; kind++) {
        matrix m[SYSTEMS];
        make_pattern(&m[0], &r, MOST, 25);
        for (int k = 1; k < SYSTEMS; k++) m[k] = m[0];
        complex_linear *c = create(&m[0], kinds[kind]);
        for (int round = 0; round < 60; round++) {
            const int k = (int)random_below(&r, SYSTEMS);
            make_values(&m[k], &r);
            for (int64_t p = 0; round % 3 == 2 && p < m[k].start[MOST]; p += 2)
                m[k].values[p].re *= 1e-13, m[k].values[p].im *= 1e-13;
            CHECK_STATUS(complex_linear_factor(c, k, m[k].values), DAE_OK);
            for (int i = 0; i < SYSTEMS && round > 20; i++)
                check_solution(c, i, &m[i], &r, digits);
            if (round <= 20) check_solution(c, k, &m[k], &r, digits);
            if (round == 20)
                for (int i = 0; i < SYSTEMS; i++) {
                    make_values(&m[i], &r);
                    CHECK_STATUS(
                        complex_linear_factor(c, i, m[i].values), DAE_OK);
                }
        }
        complex_linear_free(c);
    }
}

static void check_singular(complex_linear *c, matrix *m)
{
    double re[MOST] = {0}, im[MOST] = {0};
    CHECK_STATUS(complex_linear_factor(c, 1, m->values), DAE_NUMERIC);
    CHECK_STATUS(complex_linear_solve(c, 1, re, im), DAE_NUMERIC);
}

/* A zero row, a zero column, two rows alike up to a factor that is exact, whether there
 * were factors before or not; then it goes on with what is regular. */
static void singular_systems_are_refused(void **state)
{
    (void)state;
    random_state r = {41};
    enum { n = 8 };
    for (int way = 0; way < 6; way++)
        for (int kind = 0; kind < KINDS; kind++) {
            matrix m;
            make_pattern(&m, &r, n, 100);
            complex_linear *c = create(&m, kinds[kind]);
            make_values(&m, &r);
            matrix regular = m;
            if (way >= 3) {
                CHECK_STATUS(complex_linear_factor(c, 1, m.values), DAE_OK);
                check_solution(c, 1, &m, &r, digits);
            }
            const dae_complex none = {0, 0};
            for (size_t j = 0; j < n; j++) {
                dae_complex *column = m.values + j * n;
                if (way % 3 == 0) column[3] = none;
                if (way % 3 == 1) m.values[5 * n + j] = none;
                /* times 2i */
                if (way % 3 == 2)
                    column[6] = (dae_complex){
                        -2 * column[2].im, 2 * column[2].re};
            }
            check_singular(c, &m);
            CHECK_STATUS(complex_linear_factor(c, 1, regular.values), DAE_OK);
            check_solution(c, 1, &regular, &r, digits);
            complex_linear_free(c);
        }
}

/* Of lists and dense ones; those of KLU are requested behind a real matrix of the same values,
 * which is refused. */
static void what_is_not_finite_is_refused(void **state)
{
    (void)state;
    random_state r = {43};
    const double bad[] = {NAN, INFINITY, -INFINITY};
    for (int b = 0; b < 12; b++) {
        matrix m;
        make_pattern(&m, &r, 6, 50);
        complex_linear *c = create(&m, kinds[b / 6]);
        make_values(&m, &r);
        const size_t at = random_below(&r, (size_t)m.start[6]);
        if (b % 2) m.values[at].re = bad[b % 6 / 2];
        else m.values[at].im = bad[b % 6 / 2];
        check_singular(c, &m);
        complex_linear_free(c);
    }
}

static void nothing_is_a_system_too(void **state)
{
    (void)state;
    matrix m = {.n = 0};
    for (int kind = 0; kind < KINDS; kind++) {
        complex_linear *c = create(&m, kinds[kind]);
        CHECK_STATUS(complex_linear_factor(c, 0, m.values), DAE_OK);
        CHECK_STATUS(complex_linear_solve(c, 0, NULL, NULL), DAE_OK);
        complex_linear_free(c);
    }
}

/* ---- lists ---- */

enum { LARGE = 100 };
typedef struct large {
    int64_t start[LARGE + 1];
    int32_t row[LARGE * LARGE];
    dae_complex values[LARGE * LARGE];
} large;

/* A diagonal; next to it either pairs of large entries, or eight full columns and rows at
 * the end. Where the diagonal is small, other entries are pivots: of the full rows such
 * that fill others. */
static void make_large(
    large *m, random_state *r, double diagonal, bool has_full)
{
    enum { FULL = 8 };
    int64_t at = 0;
    for (int32_t j = 0; j < LARGE; j++) {
        for (int32_t i = 0; i < LARGE; i++) {
            const bool is_other = has_full
                ? i >= LARGE - FULL || j >= LARGE - FULL
                : i / 2 == j / 2 && i != j;
            if (!is_other && i != j) continue;
            m->row[at] = i;
            m->values[at++] = is_other ? random_complex(r)
                                       : (dae_complex){0, diagonal};
        }
        m->start[j + 1] = at;
    }
}

static void solve_large(complex_linear *c, int k, double *x)
{
    for (int i = 0; i < 2 * LARGE; i++) x[i] = i % 7;
    CHECK_STATUS(complex_linear_solve(c, k, x, x + LARGE), DAE_OK);
}

/* What the solution misses, beside the largest unknown; entries are near 1 or below. */
static void check_large(complex_linear *c, int k, const large *m)
{
    double x[2 * LARGE], most = 0;
    dae_complex rest[LARGE];
    solve_large(c, k, x);
    for (int i = 0; i < LARGE; i++)
        rest[i] = (dae_complex){i % 7, (i + LARGE) % 7};
    for (int j = 0; j < LARGE; j++) {
        most = fmax(most, hypot(x[j], x[LARGE + j]));
        for (int64_t p = m->start[j]; p < m->start[j + 1]; p++) {
            const dae_complex a = m->values[p];
            rest[m->row[p]].re -= a.re * x[j] - a.im * x[LARGE + j];
            rest[m->row[p]].im -= a.re * x[LARGE + j] + a.im * x[j];
        }
    }
    for (int i = 0; i < LARGE; i++)
        CHECK_NEAR(hypot(rest[i].re, rest[i].im) / most, 0, 1e-10);
}

/* Pivots of one system become bad, or its list too long; the factors of another one, with
 * the same list, stay what they are. */
static void lists_of_systems_stay_apart(void **state)
{
    (void)state;
    static large good, bad;
    double before[2 * LARGE], x[2 * LARGE];
    random_state r = {3};
    for (int has_full = 0; has_full < 2; has_full++) {
        complex_linear *c;
        make_large(&good, &r, 10, has_full);
        make_large(&bad, &r, 1e-5, has_full);
        CHECK_STATUS(complex_linear_create(LARGE, good.start, good.row,
                         DAE_LINEAR_LIST, SYSTEMS, NULL, &c),
            DAE_OK);
        for (int k = 0; k < SYSTEMS; k++)
            CHECK_STATUS(complex_linear_factor(c, k, good.values), DAE_OK);
        solve_large(c, 0, before);
        for (int turn = 0; turn < 6; turn++) {
            large *m = turn % 2 ? &good : &bad;
            const int k = 1 + turn / 2 % 2;
            CHECK_STATUS(complex_linear_factor(c, k, m->values), DAE_OK);
            check_large(c, k, m);
            solve_large(c, 0, x);
            assert_memory_equal(x, before, sizeof x);
        }
        complex_linear_free(c);
    }
}

/* One system through all its calls; what is refused for want of memory is asked once
 * more. The number of calls that allocate. */
static size_t live_once(
    const matrix *m, dae_linear choice, memory_fault fault, size_t fail_at)
{
    faulty_memory memory;
    complex_linear *c = NULL;
    matrix changed = *m;
    double re[MOST], im[MOST];
    memory_init(&memory);
    memory_arm(&memory, fault, fail_at);
    dae_status st = complex_linear_create(
        m->n, m->start, m->row, choice, SYSTEMS, &memory.allocator, &c);
    if (memory.failures) {
        CHECK_STATUS(st, DAE_MEMORY);
        assert_null(c);
        memory_heal(&memory);
        st = complex_linear_create(
            m->n, m->start, m->row, choice, SYSTEMS, &memory.allocator, &c);
    }
    CHECK_STATUS(st, DAE_OK);
    for (int round = 0; round < 3; round++)
        for (int k = 0; k < SYSTEMS; k++) {
            random_state r = {7 + (uint64_t)(round * SYSTEMS + k)};
            make_values(&changed, &r);
            st = complex_linear_factor(c, k, changed.values);
            if (st) {
                CHECK_STATUS(st, DAE_MEMORY);
                assert_true(memory.failures > 0);
                CHECK_STATUS(complex_linear_solve(c, k, re, im), DAE_NUMERIC);
                memory_heal(&memory);
                st = complex_linear_factor(c, k, changed.values);
            }
            CHECK_STATUS(st, DAE_OK);
            check_solution(c, k, &changed, &r, digits);
        }
    const size_t calls = memory.calls;
    complex_linear_free(c);
    assert_int_equal(memory.blocks, 0);
    assert_int_equal(memory.mistold, 0);
    return fail_at == SIZE_MAX ? calls : memory.failures;
}

static void memory_may_run_out_anywhere(void **state)
{
    (void)state;
    random_state r = {59};
    matrix m;
    make_pattern(&m, &r, 12, 40);
    for (int kind = 0; kind < KINDS; kind++) {
        const size_t calls = live_once(
            &m, kinds[kind], MEMORY_FAILS_ONCE, SIZE_MAX);
        assert_true(calls > 5);
        for (size_t at = 0; at < calls; at++) {
            assert_true(live_once(&m, kinds[kind], MEMORY_FAILS_ONCE, at) > 0);
            assert_true(live_once(&m, kinds[kind], MEMORY_FAILS_ON, at) > 0);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_systems_are_solved),
        cmocka_unit_test(graded_systems_are_solved),
        cmocka_unit_test(values_change_and_systems_stay_apart),
        cmocka_unit_test(singular_systems_are_refused),
        cmocka_unit_test(what_is_not_finite_is_refused),
        cmocka_unit_test(nothing_is_a_system_too),
        cmocka_unit_test(lists_of_systems_stay_apart),
        cmocka_unit_test(memory_may_run_out_anywhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
