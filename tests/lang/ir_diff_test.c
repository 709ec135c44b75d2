/* Derivatives against differences of the operations in long double, against
 * dual numbers on random expressions, and in time against differences. */
#include "ir_support.h"

#include <complex.h>

/* ---- single operations -------------------------------------------------- */

static long double op_shifted(
    const node *n, const double *at, int k, long double h)
{
    long double a = (long double)at[0] + (k == 0 ? h : 0);
    long double b = (long double)at[1] + (k == 1 ? h : 0);
    long double c = (long double)at[2] + (k == 2 ? h : 0);
    return value_ld(n, a, b, c);
}

/* By differences of order 6 in h */
static long double op_slope(const node *n, const double *at, int k)
{
    long double h = 1e-3L, d[3] = {0, 0, 0};
    for (int i = 0; i < 3; i++) {
        long double step = h * (i + 1);
        d[i] = (op_shifted(n, at, k, step) - op_shifted(n, at, k, -step)) / 2
            / step;
    }
    return (15 * d[0] - 6 * d[1] + d[2]) / 10;
}

static double leaf_from_array(
    void *context, leaf_kind kind, uint32_t number, unsigned order)
{
    (void)kind;
    (void)order;
    return ((const double *)context)[number];
}

static void check_partial(shape_pool *p, node_id id, const double *v, int k)
{
    node n = *shape_node(p, id);
    long double expected = op_slope(&n, v, k);
    node_id partial = diff_partial(p, id, k);
    assert_int_not_equal(partial, NODE_NONE);
    double got = 0;
    assert_int_equal(
        shape_eval(p, partial, leaf_from_array, (void *)v, NULL, &got), DAE_OK);
    long double error = fabsl((long double)got - expected);
    if (!(error <= 1e-12L * (1 + fabsl(expected))))
        fail_msg("d %s(%g, %g, %g)/d%d = %.17g, not %.17Lg",
            node_text((node_op)n.op), v[0], v[1], v[2], k, got, expected);
}

static node_id any_operation(shape_pool *p, node_op op, unsigned variant)
{
    node_id a = shape_hole(p, LEAF_UNKNOWN, 0, 0);
    node_id b = shape_hole(p, LEAF_UNKNOWN, 1, 0);
    node_id c = shape_hole(p, LEAF_UNKNOWN, 2, 0);
    static const int32_t exponents[] = {-5, -2, 2, 7};
    if (op == NODE_POWI) return shape_powi(p, a, exponents[variant]);
    if (node_is_family(op)) return shape_family(p, op, variant, a);
    if (node_arity(op) == 1) return shape_unary(p, op, a);
    if (node_arity(op) == 2) return shape_binary(p, op, a, b);
    return shape_select(p, a, b, c);
}

/* A point inside the operation's domain and away from its kinks, by hand. */
static void place_in_domain(node_op op, double *v)
{
    switch (op) {
    case NODE_SQRT:
    case NODE_CBRT:
    case NODE_LOG:
    case NODE_LOG10:
    case NODE_POWI:
    case NODE_POW: v[0] = 0.3 + fabs(v[0]); break;
    case NODE_LOG1P: v[0] = fabs(v[0]) - 0.5; break;
    case NODE_ASIN:
    case NODE_ACOS:
    case NODE_ATANH: v[0] *= 0.25; break;
    case NODE_TAN: v[0] *= 0.5; break;
    case NODE_ACOSH: v[0] = 1.3 + fabs(v[0]); break;
    case NODE_DIV:
    case NODE_MOD:
    case NODE_ATAN2:
    case NODE_HYPOT: v[1] = 0.4 + fabs(v[1]); break;
    default: break;
    }
}

/* Whether a step of +-3e-3 might cross a kink or jump of the operation. */
static bool near_kink(node_op op, const double *v)
{
    double quotient = v[0] / v[1];
    switch (op) {
    case NODE_ABS:
    case NODE_SIGN:
    case NODE_NOT:
    case NODE_SELECT: return fabs(v[0]) < 0.01;
    case NODE_FLOOR:
    case NODE_CEIL: return fabs(v[0] - floor(v[0] + 0.5)) < 0.01;
    case NODE_MOD: return fabs(quotient - floor(quotient + 0.5)) < 0.1;
    case NODE_AND:
    case NODE_OR: return fabs(v[0]) < 0.01 || fabs(v[1]) < 0.01;
    default: return fabs(v[0] - v[1]) < 0.01; /* comparisons, min, max */
    }
}

static void every_partial_is_the_slope(void **state)
{
    (void)state;
    uint64_t random = 11;
    for (size_t i = 0; i < COUNT_OF(every_op); i++) {
        int tested = 0;
        for (int trial = 0; trial < 60; trial++) {
            shape_pool p;
            shape_pool_init(&p, NULL);
            node_op op = every_op[i];
            node_id id = any_operation(&p, op, (unsigned)trial % 4);
            double v[3] = {0, 0, 0};
            for (int k = 0; k < 3; k++) v[k] = 3 * random_number(&random);
            place_in_domain(op, v);
            if (!near_kink(op, v)) {
                tested++;
                for (int k = 0; k < node_arity(op); k++)
                    check_partial(&p, id, v, k);
            }
            assert_false(p.failed);
            shape_pool_clear(&p);
        }
        assert_true(tested > 25);
    }
}

/* The complex step reaches all digits without a difference. */
static void elementary_functions_agree_with_the_complex_step(void **state)
{
    (void)state;
    static const struct {
        node_op op;
        double complex (*f)(double complex);
        double low, high;
    } table[] = {
        {NODE_SQRT, csqrt, 0.01, 9},
        {NODE_EXP, cexp, -5, 5},
        {NODE_LOG, clog, 0.01, 9},
        {NODE_SIN, csin, -5, 5},
        {NODE_COS, ccos, -5, 5},
        {NODE_TAN, ctan, -1.5, 1.5},
        {NODE_ASIN, casin, -0.99, 0.99},
        {NODE_ACOS, cacos, -0.99, 0.99},
        {NODE_ATAN, catan, -5, 5},
        {NODE_SINH, csinh, -5, 5},
        {NODE_COSH, ccosh, -5, 5},
        {NODE_TANH, ctanh, -5, 5},
        {NODE_ASINH, casinh, -5, 5},
        {NODE_ACOSH, cacosh, 1.01, 9},
        {NODE_ATANH, catanh, -0.99, 0.99},
    };
    for (size_t i = 0; i < COUNT_OF(table); i++) {
        shape_pool p;
        shape_pool_init(&p, NULL);
        node_id x = shape_hole(&p, LEAF_UNKNOWN, 0, 0);
        node_id slope = diff_partial(&p, shape_unary(&p, table[i].op, x), 0);
        for (int j = 0; j <= 40; j++) {
            double at = table[i].low + (table[i].high - table[i].low) * j / 40;
            double h = 1e-150, got = 0;
            double complex z = at + h * (double complex)I;
            double expected = cimag(table[i].f(z)) / h;
            assert_int_equal(
                shape_eval(&p, slope, leaf_from_array, &at, NULL, &got),
                DAE_OK);
            if (!(fabs(got - expected) <= 1e-14 * (1 + fabs(expected))))
                fail_msg("%s'(%g) = %.17g, not %.17g", node_text(table[i].op),
                    at, got, expected);
        }
        shape_pool_clear(&p);
    }
}

/* ---- random expressions ------------------------------------------------- */

typedef struct leaf_values {
    double unknown[random_unknowns][random_orders + 2];
    double definition[random_definitions][3];
    double param[2], time;
    const node *seed; /* the hole that is varied; NULL: time runs */
} leaf_values;

static void random_values(leaf_values *at, uint64_t *random)
{
    double scale = random_below(random, 2) ? 1 : 3;
    for (int i = 0; i < random_unknowns; i++)
        for (int j = 0; j < random_orders + 2; j++)
            at->unknown[i][j] = scale * random_number(random);
    for (int i = 0; i < random_definitions; i++)
        for (int j = 0; j < 3; j++)
            at->definition[i][j] = scale * random_number(random);
    for (int i = 0; i < 2; i++) at->param[i] = scale * random_number(random);
    at->time = random_number(random);
}

static double leaf_value(const leaf_values *at, const node *hole, unsigned up)
{
    switch ((leaf_kind)hole->kind) {
    case LEAF_UNKNOWN: return at->unknown[hole->a][hole->order + up];
    case LEAF_DEFINITION: return at->definition[hole->a - 20][hole->order + up];
    case LEAF_TIME: return at->time;
    default: return at->param[hole->a - 10];
    }
}

static dual leaf_dual(const void *context, const node *hole)
{
    const leaf_values *at = context;
    dual r = {(long double)leaf_value(at, hole, 0), 0, false};
    if (at->seed) {
        r.moves = hole->kind == at->seed->kind && hole->a == at->seed->a
            && hole->order == at->seed->order;
        r.d = r.moves;
    } else if (hole->kind != LEAF_PARAM) {
        r.moves = true;
        r.d = hole->kind == LEAF_TIME ? 1
                                      : (long double)leaf_value(at, hole, 1);
    }
    return r;
}

static bool agrees(long double got, long double expected)
{
    return fabsl(got - expected) <= 1e-9L * (1 + fabsl(expected));
}

static long double entry_value(
    const gradient_entry *e, size_t count, node_id leaf, const dual *values)
{
    for (size_t i = 0; i < count; i++)
        if (e[i].leaf == leaf) return values[e[i].value].v;
    return 0;
}

typedef struct tally {
    int checked, singular;
} tally;

/* Every leaf's entry against a dual pass that varies this leaf alone. */
static void check_gradient(shape_pool *p, node_id root, node_id leaf_end,
    leaf_values *at, tally *count)
{
    gradient_entry *e;
    size_t entries;
    assert_int_equal(diff_gradient(p, root, &e, &entries), DAE_OK);
    for (size_t i = 1; i < entries; i++) assert_true(e[i - 1].leaf < e[i].leaf);
    for (node_id leaf = 0; leaf < leaf_end; leaf++) {
        node seed = *shape_node(p, leaf);
        if (seed.op != NODE_HOLE || seed.kind == LEAF_TIME
            || seed.kind == LEAF_PARAM)
            continue;
        at->seed = &seed;
        dual *values = dual_pass(p, leaf_dual, at);
        long double got = entry_value(e, entries, leaf, values);
        long double expected = values[root].d;
        if (isfinite(expected) && isfinite(values[root].v)
            && fabsl(expected) < 1e100L) {
            count->checked++;
            if (!isfinite(got)) {
                count->singular++;
            } else if (!agrees(got, expected)) {
                fail_msg("gradient %.17Lg, not %.17Lg", got, expected);
            }
        }
        free(values);
    }
    alloc_free(p->allocator, e, entries, sizeof *e);
}

static void check_rate(
    shape_pool *p, node_id root, leaf_values *at, tally *count)
{
    node_id rate;
    assert_int_equal(diff_time(p, root, 100000, &rate), DAE_OK);
    at->seed = NULL;
    dual *values = dual_pass(p, leaf_dual, at);
    long double got = values[rate].v, expected = values[root].d;
    if (isfinite(expected) && isfinite(values[root].v)
        && fabsl(expected) < 1e100L) {
        count->checked++;
        if (!isfinite(got)) {
            count->singular++;
        } else if (!agrees(got, expected)) {
            fail_msg("rate %.17Lg, not %.17Lg", got, expected);
        }
    }
    free(values);
}

static void random_expressions_agree_with_dual_numbers(void **state)
{
    (void)state;
    uint64_t random = 2024;
    tally gradients = {0, 0}, rates = {0, 0};
    for (int i = 0; i < 1800; i++) {
        shape_pool p;
        shape_pool_init(&p, NULL);
        node_id root = random_shape(&p, &random, every_kind, 1 + i % 8);
        node_id leaf_end = (node_id)p.nodes.count;
        for (int j = 0; j < 2; j++) {
            leaf_values at;
            random_values(&at, &random);
            check_gradient(&p, root, leaf_end, &at, &gradients);
            check_rate(&p, root, &at, &rates);
        }
        assert_false(p.failed);
        shape_pool_clear(&p);
    }
    /* 0*Inf, where a point happens to lie at the end of asin's domain or the
     * like: the dual pass rounds its way past, the shapes say NaN */
    assert_true(gradients.checked > 4000);
    assert_true(gradients.singular <= gradients.checked / 1000);
    assert_true(rates.checked > 2000);
    assert_true(rates.singular <= rates.checked / 1000);
}

/* ---- higher derivatives in time ----------------------------------------- */

/* Unknown i is sin((i+1)/2 t + i), definition i is cos(t/(i+2)), and so are
 * their derivatives, exactly. */
static dual leaf_in_time(const void *context, const node *hole)
{
    long double t = *(const long double *)context, i = hole->a;
    long double quarter = hole->order * acosl(-1.0L) / 2;
    dual r = {0.75L, 0, false};
    if (hole->kind == LEAF_TIME) {
        r.v = t;
    } else if (hole->kind == LEAF_UNKNOWN) {
        long double w = (i + 1) / 2;
        r.v = powl(w, hole->order) * sinl(w * t + i + quarter);
    } else if (hole->kind == LEAF_DEFINITION) {
        long double w = 1 / (i - 18);
        r.v = powl(w, hole->order) * cosl(w * t + quarter);
    }
    return r;
}

static long double value_at(const shape_pool *p, node_id id, long double t)
{
    dual *values = dual_pass(p, leaf_in_time, &t);
    long double value = values[id].v;
    free(values);
    return value;
}

/* The second and third derivative by differences over 7 points, of order 6
 * and 4 in h. */
static void differences_in_time(const shape_pool *p, node_id id, long double t,
    long double h, long double *d)
{
    long double v[7];
    for (int i = 0; i < 7; i++) v[i] = value_at(p, id, t + (i - 3) * h);
    d[0] = (2 * (v[0] + v[6]) - 27 * (v[1] + v[5]) + 270 * (v[2] + v[4])
               - 490 * v[3])
        / (180 * h * h);
    d[1] = ((v[0] - v[6]) - 8 * (v[1] - v[5]) + 13 * (v[2] - v[4]))
        / (8 * h * h * h);
}

static void check_time_orders(shape_pool *p, node_id root, long double t)
{
    node_id rate[3];
    for (int k = 0; k < 3; k++)
        assert_int_equal(
            diff_time(p, k ? rate[k - 1] : root, 1000000, &rate[k]), DAE_OK);
    long double coarse[2], fine[2];
    differences_in_time(p, root, t, 0.01L, coarse);
    differences_in_time(p, root, t, 0.005L, fine);
    for (int k = 0; k < 2; k++) {
        long double got = value_at(p, rate[k + 1], t);
        long double doubt = fabsl(coarse[k] - fine[k]);
        assert_true(doubt <= 1e-2L * (1 + fabsl(got)));
        if (!(fabsl(got - fine[k]) <= doubt / 8 + 1e-9L * (1 + fabsl(got))))
            fail_msg("derivative %d: %.12Lg, by differences %.12Lg", k + 2, got,
                fine[k]);
    }
}

static void second_and_third_time_derivatives_agree(void **state)
{
    (void)state;
    uint64_t random = 5;
    for (int i = 0; i < 60; i++) {
        shape_pool p;
        shape_pool_init(&p, NULL);
        node_id root = random_shape(&p, &random, smooth_kind, 2);
        check_time_orders(&p, root, (long double)random_number(&random));
        shape_pool_clear(&p);
    }
}

/* ---- singular places ---------------------------------------------------- */

static node_id unknown(shape_pool *p, uint32_t number)
{
    return shape_hole(p, LEAF_UNKNOWN, number, 0);
}

/* d root/d unknown `number` at v */
static double slope_at(
    shape_pool *p, node_id root, uint32_t number, const double *v)
{
    gradient_entry *e;
    size_t count;
    assert_int_equal(diff_gradient(p, root, &e, &count), DAE_OK);
    double got = 0;
    for (size_t i = 0; i < count; i++)
        if (shape_node(p, e[i].leaf)->a == number)
            assert_int_equal(shape_eval(p, e[i].value, leaf_from_array,
                                 (void *)v, NULL, &got),
                DAE_OK);
    alloc_free(p->allocator, e, count, sizeof *e);
    return got;
}

static void branches_not_taken_do_no_harm(void **state)
{
    (void)state;
    shape_pool p;
    shape_pool_init(&p, NULL);
    node_id x = unknown(&p, 0), y = unknown(&p, 1), zero = shape_const(&p, 0);
    node_id positive = shape_binary(&p, NODE_LT, zero, x);
    node_id root_x = shape_unary(&p, NODE_SQRT, x);
    node_id log_x = shape_unary(&p, NODE_LOG, x);
    node_id guarded = shape_select(&p, positive, root_x, x);
    double at[] = {-1, 2}, origin[] = {0, 2};
    assert_true(slope_at(&p, guarded, 0, at) == 1);
    assert_true(slope_at(&p, guarded, 0, origin) == 1);
    /* the other factor is NaN where it does not count */
    node_id product = shape_select(
        &p, positive, shape_binary(&p, NODE_MUL, y, log_x), zero);
    assert_true(slope_at(&p, product, 0, at) == 0);
    assert_true(slope_at(&p, product, 1, at) == 0);
    /* one node below two branches, neither of them taken */
    node_id large = shape_binary(&p, NODE_LT, y, x);
    node_id two = shape_binary(&p, NODE_ADD,
        shape_select(&p, large, shape_unary(&p, NODE_SIN, log_x), y), guarded);
    node_id shared = shape_binary(
        &p, NODE_ADD, two, shape_select(&p, positive, log_x, zero));
    assert_true(slope_at(&p, shared, 0, at) == 1);
    assert_true(slope_at(&p, shared, 1, at) == 1);
    /* nested, and inside an expression that is itself not taken */
    node_id nested = shape_select(&p, positive,
        shape_unary(&p, NODE_SQRT, shape_select(&p, large, log_x, root_x)), y);
    assert_true(slope_at(&p, nested, 0, at) == 0);
    assert_true(slope_at(&p, nested, 1, at) == 1);
    node_id most = shape_binary(&p, NODE_MAX, shape_const(&p, 1), root_x);
    assert_true(slope_at(&p, most, 0, origin) == 0);
    node_id least = shape_binary(&p, NODE_MIN, root_x, x);
    double four[] = {4, 0};
    assert_true(slope_at(&p, least, 0, four) == 0.25);
    assert_true(slope_at(&p, least, 0, (double[]){0.25, 0}) == 1);
    node_id rate;
    assert_int_equal(diff_time(&p, guarded, 100, &rate), DAE_OK);
    double got = 0;
    assert_int_equal(
        shape_eval(&p, rate, leaf_from_array, at, NULL, &got), DAE_OK);
    assert_true(got == -1); /* the test's leaves give x for x' too */
    shape_pool_clear(&p);
}

static void powers_and_roots_at_zero(void **state)
{
    (void)state;
    shape_pool p;
    shape_pool_init(&p, NULL);
    node_id x = unknown(&p, 0), y = unknown(&p, 1);
    node_id k = shape_hole(&p, LEAF_PARAM, 2, 0);
    double at[] = {0, 1.5, 1.5};
    node_id power = shape_binary(&p, NODE_POW, x, k);
    assert_true(slope_at(&p, power, 0, at) == 0);
    assert_true(slope_at(&p, power, 0, (double[]){0, 0, 1}) == 1);
    node_id general = shape_binary(&p, NODE_POW, x, y);
    assert_true(slope_at(&p, general, 0, at) == 0);
    assert_true(slope_at(&p, general, 1, at) == 0);
    assert_true(isinf(slope_at(&p, shape_unary(&p, NODE_SQRT, x), 0, at)));
    assert_true(isinf(slope_at(&p, shape_unary(&p, NODE_CBRT, x), 0, at)));
    assert_true(slope_at(&p, shape_powi(&p, x, 2), 0, at) == 0);
    assert_true(slope_at(&p, shape_unary(&p, NODE_ABS, x), 0, at) == 0);
    node_id length = shape_binary(&p, NODE_HYPOT, x, y);
    assert_true(slope_at(&p, length, 0, (double[]){0, 0}) == 0);
    assert_true(slope_at(&p, length, 1, (double[]){3, -4}) == -0.8);
    node_id expm1_x = shape_unary(&p, NODE_EXPM1, x);
    double slope = slope_at(&p, expm1_x, 0, (double[]){-60});
    assert_true(fabs(slope / exp(-60) - 1) < 1e-15);
    shape_pool_clear(&p);
}

/* What holds no unknown needs no partial: x^k has no log(x) anywhere. */
static void a_constant_exponent_costs_no_logarithm(void **state)
{
    (void)state;
    shape_pool p;
    shape_pool_init(&p, NULL);
    node_id x = unknown(&p, 0), k = shape_hole(&p, LEAF_PARAM, 1, 0);
    node_id root = shape_binary(&p, NODE_POW, x, k), rate;
    gradient_entry *e;
    size_t count;
    assert_int_equal(diff_gradient(&p, root, &e, &count), DAE_OK);
    assert_int_equal(diff_time(&p, root, 100, &rate), DAE_OK);
    assert_int_equal(count, 1);
    assert_int_equal(e[0].leaf, x);
    for (size_t i = 0; i < p.nodes.count; i++)
        assert_int_not_equal(p.nodes.items[i].op, NODE_LOG);
    alloc_free(p.allocator, e, count, sizeof *e);
    shape_pool_clear(&p);
}

/* ---- size and limits ---------------------------------------------------- */

static void gradients_have_no_zero_entries(void **state)
{
    (void)state;
    shape_pool p;
    shape_pool_init(&p, NULL);
    node_id x = unknown(&p, 0), y = unknown(&p, 1);
    node_id t = shape_hole(&p, LEAF_TIME, 2, 0);
    gradient_entry *e;
    size_t count;
    node_id jumps = shape_binary(&p, NODE_ADD, shape_unary(&p, NODE_FLOOR, x),
        shape_binary(&p, NODE_LT, x, y));
    assert_int_equal(diff_gradient(&p, jumps, &e, &count), DAE_OK);
    assert_int_equal(count, 0);
    alloc_free(p.allocator, e, count, sizeof *e);
    /* cancels by its form */
    node_id cancels = shape_binary(&p, NODE_SUB,
        shape_binary(&p, NODE_ADD, x, t), shape_binary(&p, NODE_ADD, x, y));
    assert_int_equal(diff_gradient(&p, cancels, &e, &count), DAE_OK);
    assert_int_equal(count, 1);
    assert_int_equal(e[0].leaf, y);
    double minus;
    assert_true(shape_is_const(&p, e[0].value, &minus) && minus == -1);
    alloc_free(p.allocator, e, count, sizeof *e);
    shape_pool_clear(&p);
}

/* The least of n unknowns: n entries, and nodes in proportion to n. */
static void a_minimum_of_many_stays_small(void **state)
{
    (void)state;
    const uint32_t many = 5000;
    shape_pool p;
    shape_pool_init(&p, NULL);
    node_id least = unknown(&p, 0);
    for (uint32_t i = 1; i < many; i++)
        least = shape_binary(
            &p, NODE_MIN, least, shape_unary(&p, NODE_SIN, unknown(&p, i)));
    gradient_entry *e;
    size_t count;
    assert_int_equal(diff_gradient(&p, least, &e, &count), DAE_OK);
    assert_int_equal(count, many);
    assert_true(p.nodes.count < 12 * (size_t)many);
    alloc_free(p.allocator, e, count, sizeof *e);
    node_id rate;
    assert_int_equal(diff_time(&p, least, 10 * (size_t)many, &rate), DAE_OK);
    shape_pool_clear(&p);
}

static void a_deep_chain_needs_no_stack(void **state)
{
    (void)state;
    const uint32_t deep = 300000;
    shape_pool p;
    shape_pool_init(&p, NULL);
    node_id chain = unknown(&p, 0), rate;
    for (uint32_t i = 0; i < deep; i++)
        chain = shape_unary(&p, i % 2 ? NODE_SIN : NODE_ATAN, chain);
    gradient_entry *e;
    size_t count;
    assert_int_equal(diff_gradient(&p, chain, &e, &count), DAE_OK);
    assert_int_equal(count, 1);
    alloc_free(p.allocator, e, count, sizeof *e);
    assert_int_equal(diff_time(&p, chain, 10 * (size_t)deep, &rate), DAE_OK);
    assert_int_equal(diff_time(&p, rate, 1000, &rate), DAE_LIMIT);
    assert_int_equal(rate, NODE_NONE);
    shape_pool_clear(&p);
}

static void orders_and_indices_end_in_a_limit(void **state)
{
    (void)state;
    shape_pool p;
    shape_pool_init(&p, NULL);
    node_id x = unknown(&p, 0), rate = x;
    for (int i = 0; i < 250; i++)
        assert_int_equal(diff_time(&p, rate, 10, &rate), DAE_OK);
    assert_int_equal(shape_node(&p, rate)->order, 250);
    assert_int_equal(diff_time(&p, rate, 10, &rate), DAE_LIMIT);
    node_id last = shape_family(&p, NODE_SINC, 255, x);
    gradient_entry *e;
    size_t count;
    assert_int_equal(diff_gradient(&p, last, &e, &count), DAE_LIMIT);
    assert_null(e);
    assert_int_equal(diff_time(&p, last, 10, &rate), DAE_LIMIT);
    assert_int_equal(shape_family(&p, NODE_SINC, 256, x), NODE_NONE);
    assert_int_equal(shape_hole(&p, LEAF_UNKNOWN, 0, 256), NODE_NONE);
    assert_false(p.failed);
    shape_pool_clear(&p);
}

static void leaves_and_constants_have_rates(void **state)
{
    (void)state;
    shape_pool p;
    shape_pool_init(&p, NULL);
    node_id rate, one = shape_const(&p, 1), zero = shape_const(&p, 0);
    node_id param = shape_hole(&p, LEAF_PARAM, 0, 0);
    assert_int_equal(
        diff_time(&p, shape_hole(&p, LEAF_TIME, 0, 0), 9, &rate), DAE_OK);
    assert_int_equal(rate, one);
    assert_int_equal(diff_time(&p, param, 9, &rate), DAE_OK);
    assert_int_equal(rate, zero);
    assert_int_equal(diff_time(&p, one, 9, &rate), DAE_OK);
    assert_int_equal(rate, zero);
    node_id step = shape_binary(&p, NODE_LT, unknown(&p, 1), param);
    assert_int_equal(diff_time(&p, step, 9, &rate), DAE_OK);
    assert_int_equal(rate, zero);
    assert_int_equal(
        diff_time(&p, shape_hole(&p, LEAF_DEFINITION, 4, 2), 9, &rate), DAE_OK);
    assert_int_equal(rate, shape_hole(&p, LEAF_DEFINITION, 4, 3));
    shape_pool_clear(&p);
}

/* ---- memory ------------------------------------------------------------- */

static dae_status differentiate_all(const dae_allocator *a)
{
    shape_pool p;
    shape_pool_init(&p, a);
    uint64_t random = 77;
    gradient_entry *e = NULL;
    size_t count = 0;
    node_id rate;
    /* more nodes than there is room for without the allocator */
    node_id root = random_shape(&p, &random, every_kind, 6);
    for (int k = 0; k < 8; k++)
        root = shape_binary(
            &p, NODE_ADD, root, random_shape(&p, &random, every_kind, 6));
    dae_status st = diff_gradient(&p, root, &e, &count);
    if (!st) st = diff_time(&p, root, 10000, &rate);
    alloc_free(p.allocator, e, count, sizeof *e);
    shape_pool_clear(&p);
    return st;
}

static void a_failing_allocator_gives_memory_and_no_leak(void **state)
{
    (void)state;
    bool done = false;
    for (long n = 0; !done; n++) {
        test_heap heap = {0, n, 0};
        dae_allocator a = {test_heap_resize, &heap};
        dae_status st = differentiate_all(&a);
        done = heap.calls <= n;
        /* a growing array may do with less than it asked for first */
        assert_true(st == DAE_OK || (st == DAE_MEMORY && !done));
        if (done) assert_true(n > 10);
        assert_int_equal(heap.bytes, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_partial_is_the_slope),
        cmocka_unit_test(elementary_functions_agree_with_the_complex_step),
        cmocka_unit_test(random_expressions_agree_with_dual_numbers),
        cmocka_unit_test(second_and_third_time_derivatives_agree),
        cmocka_unit_test(branches_not_taken_do_no_harm),
        cmocka_unit_test(powers_and_roots_at_zero),
        cmocka_unit_test(a_constant_exponent_costs_no_logarithm),
        cmocka_unit_test(gradients_have_no_zero_entries),
        cmocka_unit_test(a_minimum_of_many_stays_small),
        cmocka_unit_test(a_deep_chain_needs_no_stack),
        cmocka_unit_test(orders_and_indices_end_in_a_limit),
        cmocka_unit_test(leaves_and_constants_have_rates),
        cmocka_unit_test(a_failing_allocator_gives_memory_and_no_leak),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
