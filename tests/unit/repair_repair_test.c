/* Repairs of problems written by hand: combinations of equations and of
 * unknowns, where there is no repair, how long it takes, memory that fails. */
#include "check.h"
#include "memory_sweep.h"
#include "random.h"
#include "repair/repair.h"
#include <time.h>

typedef struct subject {
    layout l;
    signature *g;
    dae_structure *s;
    blocks_request q;
    dae_certificate *certificates;
    repair_findings f;
} subject;

static void subject_open(subject *w, const dae_problem *p)
{
    *w = (subject){0};
    CHECK_STATUS(layout_init(&w->l, p, NULL), DAE_OK);
    CHECK_STATUS(signature_create(p, &w->l, NULL, &w->g), DAE_OK);
    CHECK_STATUS(
        dae_structure_analyse(&w->g->table, NULL, NULL, &w->s), DAE_OK);
    assert_true(w->s->is_regular);
    w->q = (blocks_request){
        .problem = p, .layout = &w->l, .signature = w->g, .structure = w->s};
    w->certificates = calloc(w->s->fine_count + 1, sizeof *w->certificates);
    assert_non_null(w->certificates);
    CHECK_STATUS(blocks_certify(&w->q, w->certificates, NULL), DAE_OK);
}

static void subject_init(subject *w, const dae_problem *p)
{
    subject_open(w, p);
    CHECK_STATUS(repair_all(&w->q, w->certificates, &w->f), DAE_OK);
    for (size_t k = 0; k < w->f.count && k < 8; k++)
        print_message("  %s\n", w->f.repairs[k].text);
    if (w->f.dead_end.text) print_message("  %s\n", w->f.dead_end.text);
}

static void subject_clear(subject *w)
{
    repair_findings_clear(&w->f, NULL);
    dae_structure_free(w->s);
    signature_free(w->g);
    layout_clear(&w->l);
    free(w->certificates);
}

/* Degrees of freedom before and after; all blocks certified. */
static void check_complete(const subject *w, int64_t before, int64_t after)
{
    assert_int_equal(w->s->degrees_of_freedom, before);
    assert_non_null(w->f.structure);
    assert_true(w->f.is_complete);
    assert_null(w->f.dead_end.text);
    assert_int_equal(w->f.structure->degrees_of_freedom, after);
    for (size_t k = 0; k < w->f.structure->fine_count; k++)
        assert_int_equal(w->f.certificates[k], DAE_CERTIFIED);
}

static void check_nothing(const subject *w)
{
    assert_int_equal(w->f.count, 0);
    assert_null(w->f.structure);
    assert_null(w->f.certificates);
    assert_null(w->f.differentiate);
    assert_false(w->f.is_complete);
}

/* ---- linear problems with constant coefficients ------------------------------ */

/* F_i = sum of value * (derivative `order` of unknown) + shift_i + slope_i t;
 * orders up to 1. */
typedef struct linear_entry {
    int32_t row, unknown, order;
    double value;
} linear_entry;

typedef struct linear_problem {
    dae_problem problem;
    dae_pattern pattern;
    size_t n, count;
    const linear_entry *entry;   /* by columns: x, then xp; rows ascend */
    const double *shift, *slope; /* NULL: 0 */
    int64_t *column_start;
    int32_t *row;
    uint8_t *kind;
    size_t calls;
} linear_problem;

static dae_status linear_residual(
    void *self, double t, const double *x, const double *xp, double *res)
{
    linear_problem *p = self;
    p->calls++;
    for (size_t i = 0; i < p->n; i++)
        res[i] = (p->shift ? p->shift[i] : 0)
            + (p->slope ? p->slope[i] * t : 0);
    for (size_t k = 0; k < p->count; k++) {
        const linear_entry *e = &p->entry[k];
        res[e->row] += e->value * (e->order ? xp : x)[e->unknown];
    }
    return DAE_OK;
}

static dae_status linear_jacobian(void *self, dae_scope scope, double t,
    const double *x, const double *xp, double *values)
{
    linear_problem *p = self;
    (void)scope, (void)t, (void)x, (void)xp;
    p->calls++;
    for (size_t k = 0; k < p->count; k++) values[k] = p->entry[k].value;
    return DAE_OK;
}

static dae_status linear_series(void *self, size_t terms, double t0,
    const double *x, size_t stride, double *f)
{
    linear_problem *p = self;
    p->calls++;
    for (size_t i = 0; i < p->n; i++)
        for (size_t k = 0; k < terms; k++) {
            f[i * terms + k] = 0;
            if (k == 0 && p->shift) f[i * terms] += p->shift[i];
            if (k == 0 && p->slope) f[i * terms] += p->slope[i] * t0;
            if (k == 1 && p->slope) f[i * terms + 1] += p->slope[i];
        }
    for (size_t q = 0; q < p->count; q++) {
        const linear_entry *e = &p->entry[q];
        const double *c = x + (size_t)e->unknown * stride;
        for (size_t k = 0; k < terms; k++)
            f[(size_t)e->row * terms + k] += e->value
                * (e->order ? (double)(k + 1) * c[k + 1] : c[k]);
    }
    return DAE_OK;
}

static dae_status linear_series_jacobian(void *self, size_t terms, double t0,
    const double *x, size_t stride, double *values)
{
    linear_problem *p = self;
    (void)t0, (void)x, (void)stride;
    p->calls++;
    memset(values, 0, p->count * terms * sizeof *values);
    for (size_t k = 0; k < p->count; k++) values[k * terms] = p->entry[k].value;
    return DAE_OK;
}

static int compare_entries(const void *a, const void *b)
{
    const linear_entry *x = a, *y = b;
    if (x->order != y->order) return x->order < y->order ? -1 : 1;
    if (x->unknown != y->unknown) return x->unknown < y->unknown ? -1 : 1;
    return (x->row > y->row) - (x->row < y->row);
}

/* Sorts the entries. */
static void linear_init(
    linear_problem *p, size_t n, linear_entry *entry, size_t count)
{
    *p = (linear_problem){.n = n, .count = count, .entry = entry};
    p->column_start = calloc(2 * n + 1, sizeof *p->column_start);
    p->row = calloc(count + 1, sizeof *p->row);
    p->kind = calloc(count + 1, sizeof *p->kind);
    assert_true(p->column_start && p->row && p->kind);
    qsort(entry, count, sizeof *entry, compare_entries);
    for (size_t k = 0; k < count; k++) {
        const size_t column = (size_t)entry[k].unknown
            + (entry[k].order ? n : 0);
        p->row[k] = entry[k].row;
        p->kind[k] = DAE_ENTRY_CONSTANT;
        p->column_start[column + 1]++;
    }
    for (size_t q = 0; q < 2 * n; q++)
        p->column_start[q + 1] += p->column_start[q];
    p->pattern = (dae_pattern){p->column_start, p->row, p->kind};
    p->problem = (dae_problem){.self = p,
        .unknown_count = n,
        .residual = linear_residual,
        .jacobian = linear_jacobian,
        .pattern = &p->pattern,
        .series = linear_series,
        .series_jacobian = linear_series_jacobian};
}

static void linear_clear(linear_problem *p)
{
    free(p->column_start);
    free(p->row);
    free(p->kind);
}

/* Equations of a stage between two capacities: their sum is algebraic. */
static void test_pair(void **state)
{
    (void)state;
    linear_entry e[] = {{0, 0, 1, 1e-6}, {0, 1, 1, -1e-6}, {0, 0, 0, 1e-3},
        {1, 0, 1, -1e-6}, {1, 1, 1, 1e-6}, {1, 1, 0, 2e-3}};
    linear_problem p;
    subject w;
    linear_init(&p, 2, e, 6);
    subject_init(&w, &p.problem);
    check_complete(&w, 2, 1);
    assert_int_equal(w.f.count, 1);
    assert_string_equal(w.f.repairs[0].text,
        "equation 1 + equation 2 contains no derivative, so it replaces "
        "equation 2: the mass matrix has rank 1, not 2; structural index 0 "
        "becomes 1, degrees of freedom 2 become 1");
    assert_int_equal(w.f.differentiate[0], 1);
    assert_int_equal(w.f.differentiate[1], 1);
    subject_clear(&w);
    linear_clear(&p);
}

/* The weights are -3/2 and 5/4: 4 F1 - 6 F2 + 5 F3 = 0 in x', y', z'. */
static void test_whole_weights(void **state)
{
    (void)state;
    linear_entry e[] = {{0, 0, 1, 1}, {0, 1, 1, 2}, {0, 2, 1, -3},
        {1, 0, 1, -1}, {1, 1, 1, 3}, {1, 2, 1, 3}, {2, 0, 1, -2}, {2, 1, 1, 2},
        {2, 2, 1, 6}, {0, 0, 0, 1}, {1, 1, 0, 1}, {2, 2, 0, 1}};
    linear_problem p;
    subject w;
    linear_init(&p, 3, e, 12);
    subject_init(&w, &p.problem);
    check_complete(&w, 3, 2);
    assert_int_equal(w.f.count, 1);
    assert_int_equal(w.f.repairs[0].term_count, 3);
    assert_true(w.f.repairs[0].terms[0].weight == 4);
    assert_true(w.f.repairs[0].terms[1].weight == -6);
    assert_true(w.f.repairs[0].terms[2].weight == 5);
    subject_clear(&w);
    linear_clear(&p);
}

/* Three times 0.1 is not 0.3, and three times 0.2 not 0.6: what rounding leaves
 * of x' and y' is not left. */
static void test_rounding(void **state)
{
    (void)state;
    linear_entry e[] = {{0, 0, 1, 0.1}, {0, 1, 1, 0.2}, {0, 0, 0, 1},
        {1, 0, 1, 0.3}, {1, 1, 1, 0.6}, {1, 1, 0, 1}};
    linear_problem p;
    subject w;
    linear_init(&p, 2, e, 6);
    subject_init(&w, &p.problem);
    check_complete(&w, 2, 1);
    assert_int_equal(w.f.count, 1);
    const dae_repair *r = &w.f.repairs[0];
    assert_int_equal(r->term_count, 2);
    assert_true(r->terms[0].weight == 3 && r->terms[1].weight == -1);
    assert_int_equal(r->independent_count, 2);
    for (int32_t k = 0; k < 2; k++) {
        assert_int_equal(r->independent[k].unknown, k);
        assert_int_equal(r->independent[k].order, 1);
    }
    assert_non_null(strstr(r->text, "contains no derivative"));
    subject_clear(&w);
    linear_clear(&p);
}

/* x + y = 1 twice, as written by two people, and as two cannot have it. */
static void check_twice(double other, const char *text)
{
    linear_entry e[] = {
        {0, 0, 0, 1}, {0, 1, 0, 1}, {1, 0, 0, -2}, {1, 1, 0, -2}};
    const double shift[] = {-1, other};
    linear_problem p;
    subject w;
    linear_init(&p, 2, e, 4);
    p.shift = shift;
    subject_init(&w, &p.problem);
    check_nothing(&w);
    assert_string_equal(w.f.dead_end.text, text);
    assert_int_equal(w.f.dead_end.term_count, 2);
    assert_true(w.f.dead_end.terms[0].weight == 2);
    assert_true(w.f.dead_end.terms[1].weight == 1);
    assert_int_equal(w.f.dead_end.replaces, 1);
    subject_clear(&w);
    linear_clear(&p);
}

static void test_twice(void **state)
{
    (void)state;
    check_twice(2,
        "2*equation 1 + equation 2 is 0 whatever the unknowns are: one of "
        "these equations follows from the others");
    check_twice(3,
        "2*equation 1 + equation 2 contains no unknown, and is not 0: these "
        "equations contradict each other");
}

/* x + y = t and x' + y' = 2: the derivative of one contradicts the other. */
static void test_contradictory_derivative(void **state)
{
    (void)state;
    linear_entry e[] = {{0, 0, 0, 1}, {0, 1, 0, 1}, {1, 0, 1, 1}, {1, 1, 1, 1}};
    const double shift[] = {0, -2}, slope[] = {-1, 0};
    linear_problem p;
    subject w;
    linear_init(&p, 2, e, 4);
    p.shift = shift;
    p.slope = slope;
    subject_init(&w, &p.problem);
    check_nothing(&w);
    assert_string_equal(w.f.dead_end.text,
        "equation 1' - equation 2 contains no unknown, and is not 0: these "
        "equations contradict each other");
    subject_clear(&w);
    /* derivatives of equations are not to be had; but x and y by themselves
     * are in none of them */
    p.problem.series = NULL;
    p.problem.series_jacobian = NULL;
    subject_init(&w, &p.problem);
    check_nothing(&w);
    assert_string_equal(w.f.dead_end.text,
        "x[1] and x[2] enter the equations that determine them only as x[1] + "
        "x[2], which becomes an unknown of its own: after that the equations "
        "cannot determine all unknowns");
    subject_clear(&w);
    linear_clear(&p);
}

/* ---- functions of combinations of unknowns ----------------------------------- */

/* Residuals and rows of partial derivatives by x, then xp, of functions of both.
 * The problem has no pattern. */
typedef struct dense_problem {
    dae_problem problem;
    size_t n;
    void (*rows)(double t, const double *x, const double *xp, double *res,
        double (*d)[8]);
} dense_problem;

static dae_status dense_residual(
    void *self, double t, const double *x, const double *xp, double *res)
{
    const dense_problem *p = self;
    double d[8][8] = {{0}};
    p->rows(t, x, xp, res, d);
    return DAE_OK;
}

static dae_status dense_jacobian(void *self, dae_scope scope, double t,
    const double *x, const double *xp, double *values)
{
    const dense_problem *p = self;
    double d[8][8] = {{0}}, res[8];
    (void)scope;
    p->rows(t, x, xp, res, d);
    for (size_t q = 0; q < 2 * p->n; q++)
        for (size_t i = 0; i < p->n; i++) values[q * p->n + i] = d[i][q];
    return DAE_OK;
}

static void dense_init(dense_problem *p, size_t n,
    void (*rows)(double t, const double *x, const double *xp, double *res,
        double (*d)[8]))
{
    *p = (dense_problem){.n = n, .rows = rows};
    p->problem = (dae_problem){.self = p,
        .unknown_count = n,
        .residual = dense_residual,
        .jacobian = dense_jacobian};
}

/* s = x' + y': s^3 + x = t, exp(s) + y = 0. With one unknown of order 1, s:
 * -(3 s^2 + exp(s)) s' = s - 1, one degree of freedom, index 1. */
static void sum_of_rates(
    double t, const double *x, const double *xp, double *res, double (*d)[8])
{
    const double s = xp[0] + xp[1];
    res[0] = s * s * s + x[0] - t;
    res[1] = exp(s) + x[1];
    d[0][0] = d[1][1] = 1;
    d[0][2] = d[0][3] = 3 * s * s;
    d[1][2] = d[1][3] = exp(s);
}

static void test_rates(void **state)
{
    (void)state;
    dense_problem p;
    subject w;
    dense_init(&p, 2, sum_of_rates);
    subject_init(&w, &p.problem);
    check_complete(&w, 2, 1);
    assert_int_equal(w.f.count, 1);
    assert_string_equal(w.f.repairs[0].text,
        "the highest derivatives of x[1] and x[2] enter the equations that "
        "determine them only as x[1]' + x[2]', which becomes an unknown of its "
        "own: the mass matrix has rank 1, not 2; structural index 0 becomes 1, "
        "degrees of freedom 2 become 1");
    assert_int_equal(w.f.repairs[0].replaces, -1);
    assert_int_equal(w.f.structure->n, 3);
    assert_int_equal(w.f.differentiate[0], 1);
    assert_int_equal(w.f.differentiate[1], 1);
    subject_clear(&w);
}

/* s = x' + 2 y' + z': three equations like those; a combination of
 * combinations. One degree of freedom, as s alone is of order 1. */
static void sum_of_three(
    double t, const double *x, const double *xp, double *res, double (*d)[8])
{
    const double s = xp[0] + 2 * xp[1] + xp[2];
    const double rate[] = {3 * s * s, exp(s), cosh(s)};
    res[0] = s * s * s + x[0] - t;
    res[1] = exp(s) + x[1];
    res[2] = sinh(s) + x[2];
    for (int i = 0; i < 3; i++) {
        d[i][i] = 1;
        d[i][3] = d[i][5] = rate[i];
        d[i][4] = 2 * rate[i];
    }
}

static void test_three_rates(void **state)
{
    (void)state;
    dense_problem p;
    subject w;
    dense_init(&p, 3, sum_of_three);
    subject_init(&w, &p.problem);
    check_complete(&w, 3, 1);
    assert_int_equal(w.f.count, 2);
    assert_string_equal(w.f.repairs[1].text,
        "the highest derivatives of x[3] and (x[1]' + 2*x[2]') enter the "
        "equations that determine them only as x[3]' + (x[1]' + 2*x[2]'), "
        "which becomes an unknown of its own: degrees of freedom 2 become 1");
    assert_int_equal(w.f.structure->n, 5);
    subject_clear(&w);
}

/* Three equations in x + y and z alone. */
static void sum_and_one(
    double t, const double *x, const double *xp, double *res, double (*d)[8])
{
    const double s = x[0] + x[1], z = x[2];
    (void)t, (void)xp;
    res[0] = s * s + z;
    res[1] = exp(s) + sin(z);
    res[2] = s * z - 1;
    d[0][0] = d[0][1] = 2 * s, d[0][2] = 1;
    d[1][0] = d[1][1] = exp(s), d[1][2] = cos(z);
    d[2][0] = d[2][1] = z, d[2][2] = s;
}

static void test_too_few_combinations(void **state)
{
    (void)state;
    dense_problem p;
    subject w;
    dense_init(&p, 3, sum_and_one);
    subject_init(&w, &p.problem);
    check_nothing(&w);
    assert_string_equal(w.f.dead_end.text,
        "x[1] and x[2] enter the equations that determine them only as x[1] + "
        "x[2], which becomes an unknown of its own: after that the equations "
        "cannot determine all unknowns");
    assert_int_equal(w.f.dead_end.term_count, 0);
    subject_clear(&w);
}

/* F2 = x F1 + (x y - sin x): the factor is a function of x. */
static void factor_of_state(
    double t, const double *x, const double *xp, double *res, double (*d)[8])
{
    (void)t;
    res[0] = xp[0] + x[0] * xp[1] - x[1];
    res[1] = x[0] * xp[0] + x[0] * x[0] * xp[1] - sin(x[0]);
    d[0][0] = xp[1], d[0][1] = -1, d[0][2] = 1, d[0][3] = x[0];
    d[1][0] = xp[0] + 2 * x[0] * xp[1] - cos(x[0]);
    d[1][2] = x[0], d[1][3] = x[0] * x[0];
}

static void test_varying(void **state)
{
    (void)state;
    dense_problem p;
    subject w;
    dense_init(&p, 2, factor_of_state);
    subject_init(&w, &p.problem);
    check_complete(&w, 2, 1);
    assert_int_equal(w.f.count, 1);
    assert_int_equal(w.f.repairs[0].term_count, 2);
    assert_true(isnan(w.f.repairs[0].terms[0].weight));
    assert_true(w.f.repairs[0].terms[1].weight == 1);
    assert_int_equal(w.f.repairs[0].replaces, 1);
    subject_clear(&w);
}

static void check_at(
    subject *w, double x, double y, double rate, dae_certificate expected)
{
    const double values[] = {x, rate, y, rate};
    const size_t first[] = {0, 2, 4};
    CHECK_STATUS(repair_certify_at(&w->q, 0, values, first, &w->f), DAE_OK);
    assert_int_equal(w->f.structure->fine_count, 1);
    assert_int_equal(w->f.certificates[0], expected);
    assert_int_equal(w->f.is_complete, expected == DAE_CERTIFIED);
}

/* With x' + x y' = y beside x y = sin(x) the determinant is
 * x (1 - y + cos(x)). */
static void test_certificate_at_a_point(void **state)
{
    (void)state;
    dense_problem p;
    subject w;
    dense_init(&p, 2, factor_of_state);
    subject_init(&w, &p.problem);
    check_at(&w, 1, sin(1), 0.3, DAE_CERTIFIED);
    check_at(&w, 1, sin(1), (double)NAN, DAE_CERTIFIED);
    check_at(&w, 0, 1, 0.3, DAE_SINGULAR_HERE);
    subject_clear(&w);
}

/* The factor is a function of x', which the sum must not depend on:
 * F2 = x' F1 + y, with F1 = x' + y' = 0: then y = 0 and x' = 0, but x' F1
 * is no combination in which nothing is left of x'. Not repaired, and not
 * said to be. */
static void factor_of_rate(
    double t, const double *x, const double *xp, double *res, double (*d)[8])
{
    const double f = xp[0] + xp[1];
    (void)t;
    res[0] = f + sin(f) * (1 + xp[0] * xp[0]) + x[0];
    res[1] = xp[0] * f + x[1];
    d[0][0] = 1;
    d[0][2] = 1 + cos(f) * (1 + xp[0] * xp[0]) + 2 * xp[0] * sin(f);
    d[0][3] = 1 + cos(f) * (1 + xp[0] * xp[0]);
    d[1][1] = 1, d[1][2] = f + xp[0], d[1][3] = xp[0];
}

static void test_regular_off_the_constraint(void **state)
{
    (void)state;
    dense_problem p;
    subject w;
    dense_init(&p, 2, factor_of_rate);
    subject_init(&w, &p.problem);
    assert_int_equal(w.f.count, 0);
    assert_null(w.f.structure);
    subject_clear(&w);
}

/* Without a Jacobian cancellation cannot be told from rounding. */
static void test_no_jacobian(void **state)
{
    (void)state;
    dense_problem p;
    subject w;
    dense_init(&p, 2, sum_of_rates);
    subject_open(&w, &p.problem);
    p.problem.jacobian = NULL;
    CHECK_STATUS(repair_all(&w.q, w.certificates, &w.f), DAE_OK);
    check_nothing(&w);
    subject_clear(&w);
}

/* ---- size -------------------------------------------------------------------- */

enum { LARGE = 200, RANK = 150 };

/* A x' + B x = 0, A of small whole numbers and rank 150: 50 constraints, which
 * in general determine 50 unknowns. */
static size_t fill_large(linear_entry *e, random_state *r)
{
    static double left[LARGE][RANK], right[RANK][LARGE];
    size_t count = 0;
    for (int i = 0; i < LARGE; i++)
        for (int k = 0; k < RANK; k++) {
            left[i][k] = (double)random_below(r, 5) - 2;
            right[k][i] = (double)random_below(r, 5) - 2;
        }
    for (int i = 0; i < LARGE; i++)
        for (int j = 0; j < LARGE; j++) {
            double sum = 0;
            for (int k = 0; k < RANK; k++) sum += left[i][k] * right[k][j];
            e[count++] = (linear_entry){i, j, 1, sum};
            e[count++] = (linear_entry){i, j, 0, random_unit(r)};
        }
    return count;
}

static void test_large_block(void **state)
{
    (void)state;
    static linear_entry e[2 * LARGE * LARGE];
    random_state r = {7};
    linear_problem p;
    subject w;
    linear_init(&p, LARGE, e, fill_large(e, &r));
    subject_open(&w, &p.problem);
    const clock_t begin = clock();
    CHECK_STATUS(repair_all(&w.q, w.certificates, &w.f), DAE_OK);
    print_message("  %.2f s\n", (double)(clock() - begin) / CLOCKS_PER_SEC);
    check_complete(&w, LARGE, RANK);
    assert_int_equal(w.f.count, LARGE - RANK);
    print_message("  %s\n", w.f.repairs[w.f.count - 1].text);
    for (size_t k = 0; k < w.f.count; k++)
        assert_true(strlen(w.f.repairs[k].text) < 600);
    subject_clear(&w);
    linear_clear(&p);
}

/* Pairs as above, each tied to the one before it. */
static size_t repair_pairs(size_t pairs)
{
    linear_entry *e = calloc(8 * pairs, sizeof *e);
    size_t count = 0;
    linear_problem p;
    subject w;
    assert_non_null(e);
    for (size_t k = 0; k < pairs; k++) {
        const int32_t u = (int32_t)(2 * k), v = u + 1;
        const linear_entry own[] = {{u, u, 1, 1}, {u, v, 1, -1}, {v, u, 1, -1},
            {v, v, 1, 1}, {u, u, 0, 0.5}, {v, v, 0, 0.25}, {u, u - 1, 0, 2}};
        const size_t most = k > 0 ? 7 : 6;
        for (size_t q = 0; q < most; q++) e[count++] = own[q];
    }
    linear_init(&p, 2 * pairs, e, count);
    subject_open(&w, &p.problem);
    const size_t calls = p.calls;
    const clock_t begin = clock();
    CHECK_STATUS(repair_all(&w.q, w.certificates, &w.f), DAE_OK);
    print_message("  %zu pairs: %.2f s\n", pairs,
        (double)(clock() - begin) / CLOCKS_PER_SEC);
    const size_t more = p.calls - calls;
    check_complete(&w, (int64_t)(2 * pairs), (int64_t)pairs);
    assert_int_equal(w.f.count, pairs);
    subject_clear(&w);
    linear_clear(&p);
    free(e);
    return more;
}

/* All in one round: ten thousand ask for as many evaluations as so many that
 * the rank of the mass matrix is not looked for. */
static void test_many_blocks(void **state)
{
    (void)state;
    const size_t few = repair_pairs(150);
    assert_int_equal(repair_pairs(10000), few);
}

/* ---- memory and interrupts --------------------------------------------------- */

typedef struct trial_case {
    const dae_problem *problem;
    subject *w;
} trial_case;

static void note_findings(trial *t, const repair_findings *f)
{
    char text[80];
    snprintf(text, sizeof text, "%zu repairs, %d\n", f->count, f->is_complete);
    trial_text(t, text);
    for (size_t k = 0; k < f->count; k++) trial_text(t, f->repairs[k].text);
    if (f->dead_end.text) trial_text(t, f->dead_end.text);
}

static void try_repair(trial *t, const void *what)
{
    const trial_case *c = what;
    blocks_request q = c->w->q;
    repair_findings f;
    dae_status st;
    q.allocator = &t->memory.allocator;
    trial_arm(t);
    TRIAL_SILENT(t, st, repair_all(&q, c->w->certificates, &f));
    trial_note(t, "repair", st);
    if (!st) note_findings(t, &f);
    repair_findings_clear(&f, &t->memory.allocator);
}

static void sweep(const char *name, const dae_problem *p)
{
    subject w;
    subject_open(&w, p);
    const trial_case c = {p, &w};
    assert_true(memory_sweep(name, try_repair, &c) > 50);
    subject_clear(&w);
}

static void test_memory(void **state)
{
    (void)state;
    linear_entry e[] = {{0, 0, 1, 1}, {0, 1, 1, 1}, {0, 0, 0, 1}, {1, 0, 1, 1},
        {1, 1, 1, 1}, {1, 1, 0, -1}};
    linear_entry same[] = {
        {0, 0, 0, 1}, {0, 1, 0, 1}, {1, 0, 0, -2}, {1, 1, 0, -2}};
    linear_problem p;
    dense_problem d;
    linear_init(&p, 2, e, 6);
    sweep("two rounds", &p.problem);
    linear_clear(&p);
    linear_init(&p, 2, same, 4);
    sweep("a dead end", &p.problem);
    linear_clear(&p);
    dense_init(&d, 3, sum_of_three);
    sweep("unknowns", &d.problem);
    dense_init(&d, 2, factor_of_state);
    sweep("factors that vary", &d.problem);
}

static int count_down(void *context)
{
    int *left = context;
    return (*left)-- <= 0;
}

static void test_interrupt(void **state)
{
    (void)state;
    dense_problem p;
    subject w;
    dense_init(&p, 3, sum_of_three);
    subject_open(&w, &p.problem);
    for (int k = 0;; k++) {
        int left = k;
        w.q.interrupt = count_down;
        w.q.interrupt_context = &left;
        const dae_status st = repair_all(&w.q, w.certificates, &w.f);
        if (st == DAE_OK) {
            assert_true(k > 2);
            break;
        }
        CHECK_STATUS(st, DAE_INTERRUPTED);
        assert_int_equal(w.f.count, 0);
        assert_null(w.f.structure);
    }
    subject_clear(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pair),
        cmocka_unit_test(test_whole_weights),
        cmocka_unit_test(test_rounding),
        cmocka_unit_test(test_twice),
        cmocka_unit_test(test_contradictory_derivative),
        cmocka_unit_test(test_rates),
        cmocka_unit_test(test_three_rates),
        cmocka_unit_test(test_too_few_combinations),
        cmocka_unit_test(test_varying),
        cmocka_unit_test(test_certificate_at_a_point),
        cmocka_unit_test(test_regular_off_the_constraint),
        cmocka_unit_test(test_no_jacobian),
        cmocka_unit_test(test_large_block),
        cmocka_unit_test(test_many_blocks),
        cmocka_unit_test(test_memory),
        cmocka_unit_test(test_interrupt),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
