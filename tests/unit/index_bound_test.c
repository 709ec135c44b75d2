/* Whether the structural index is the index, by one solution with the system
 * Jacobian. Linear problems E x' + A x = f(t), whose index is found by hand. */
#include "index/block_regularity.h"
#include "support/check.h"
#include "support/faulty_memory.h"

enum { MOST = 8 };

typedef struct linear_system {
    size_t n;
    double e[MOST][MOST], a[MOST][MOST];
} linear_system;

static dae_status residual(
    void *self, double t, const double *x, const double *xp, double *res)
{
    const linear_system *m = self;
    (void)t;
    for (size_t i = 0; i < m->n; i++) {
        res[i] = 0;
        for (size_t j = 0; j < m->n; j++)
            res[i] += m->e[i][j] * xp[j] + m->a[i][j] * x[j];
    }
    return DAE_OK;
}

/* Dense: by columns, those of x, then those of x'. */
static dae_status jacobian(void *self, dae_scope scope, double t,
    const double *x, const double *xp, double *values)
{
    const linear_system *m = self;
    (void)scope, (void)t, (void)x, (void)xp;
    for (size_t j = 0; j < m->n; j++)
        for (size_t i = 0; i < m->n; i++) {
            values[j * m->n + i] = m->a[i][j];
            values[(m->n + j) * m->n + i] = m->e[i][j];
        }
    return DAE_OK;
}

typedef struct subject {
    dae_problem p;
    layout l;
    signature *s;
    dae_structure *structure;
    blocks_request q;
} subject;

static void subject_open(
    subject *s, const linear_system *m, const uint8_t *index_group)
{
    *s = (subject){.p = {.self = (void *)m,
                       .unknown_count = m->n,
                       .residual = residual,
                       .jacobian = jacobian,
                       .index_group = index_group}};
    CHECK_STATUS(layout_init(&s->l, &s->p, NULL), DAE_OK);
    CHECK_STATUS(signature_create(&s->p, &s->l, NULL, &s->s), DAE_OK);
    CHECK_STATUS(
        dae_structure_analyse(&s->s->table, NULL, NULL, &s->structure), DAE_OK);
    assert_true(s->structure->is_regular);
    s->q = (blocks_request){.problem = &s->p,
        .layout = &s->l,
        .signature = s->s,
        .structure = s->structure};
}

static void subject_close(subject *s)
{
    dae_structure_free(s->structure);
    signature_free(s->s);
    layout_clear(&s->l);
}

/* Asks for all equations as one group. */
static bool is_attained(
    const linear_system *m, int64_t structural, const uint8_t *index_group)
{
    static const double x[MOST] = {0};
    const int32_t group[MOST] = {0};
    uint8_t answer = 7;
    subject s;
    subject_open(&s, m, index_group);
    assert_int_equal(s.structure->index, structural);
    CHECK_STATUS(attained_find(&s.q, 0, x, x, group, 1, &answer), DAE_OK);
    subject_close(&s);
    assert_true(answer <= 1);
    return answer;
}

/* x2' = x1, x3' = x2, x3 = f: each one more differentiation */
static const linear_system chain = {
    3, {{0, 1, 0}, {0, 0, 1}, {0, 0, 0}}, {{-1, 0, 0}, {0, -1, 0}, {0, 0, 1}}};

static void a_chain_is_as_high_as_it_looks(void **state)
{
    (void)state;
    assert_true(is_attained(&chain, 3, NULL));
}

/* Index 1 with structural index 2 [RMB00]: x2' + x3' occurs in both, so x1 does
 * not need x3''. With another coefficient it does. */
static void a_sum_that_cancels_is_lower(void **state)
{
    (void)state;
    linear_system m = {3, {{0, 1, 1}, {0, 1, 1}, {0, 0, 0}},
        {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
    assert_false(is_attained(&m, 2, NULL));
    m.e[0][1] = 2;
    assert_true(is_attained(&m, 2, NULL));
    /* no number of doubles is a third: what rounding leaves is no coefficient */
    m.e[0][1] = m.e[0][2] = 0.1;
    m.e[1][1] = m.e[1][2] = 0.3;
    assert_false(is_attained(&m, 2, NULL));
    /* and a millionth of it is one */
    m.e[0][1] = 0.1 * (1 + 1e-6);
    assert_true(is_attained(&m, 2, NULL));
}

/* x1 = g, x1' = x2, x2' = x3': c = (2, 1, 0) and d = (2, 1, 1), none of them 0.
 * x3' = g'', so the index is 2. */
static void without_an_algebraic_unknown(void **state)
{
    (void)state;
    const linear_system m = {3, {{0, 0, 0}, {1, 0, 0}, {0, 1, -1}},
        {{1, 0, 0}, {0, -1, 0}, {0, 0, 0}}};
    assert_true(is_attained(&m, 2, NULL));
}

/* v, internal, stands for x2: x2' = x1, v = f. The index is that of x2 = f. */
static void internal_unknowns_are_expressions(void **state)
{
    (void)state;
    static const uint8_t group[] = {1, 1, 255};
    const linear_system m = {3, {{0, 1, 0}, {0, 0, 0}, {0, 0, 0}},
        {{-1, 0, 0}, {0, 0, 1}, {0, 1, -1}}};
    assert_true(is_attained(&m, 2, group));
}

/* The chain, what cancels, and a pair that nobody asks for, in one system. */
static void each_group_has_its_answer(void **state)
{
    (void)state;
    linear_system m = {.n = 8};
    for (size_t i = 0; i < 3; i++) {
        for (size_t j = 0; j < 3; j++) {
            m.e[i][j] = i < 2 && j > 0;
            m.a[i][j] = i == j;
            m.e[i + 3][j + 3] = chain.e[i][j];
            m.a[i + 3][j + 3] = chain.a[i][j];
        }
    }
    m.e[6][6] = m.a[6][7] = m.a[7][6] = 1; /* x6' + x7 = 0, x6 = f: index 2 */
    const int32_t group[] = {0, 0, 0, 1, 1, 1, -1, -1};
    static const double x[MOST] = {0};
    uint8_t answer[] = {7, 7, 7};
    subject s;
    subject_open(&s, &m, NULL);
    CHECK_STATUS(attained_find(&s.q, 0, x, x, group, 3, answer), DAE_OK);
    assert_int_equal(answer[0], 0);
    assert_int_equal(answer[1], 1);
    assert_int_equal(answer[2], 0); /* nothing is in it */
    subject_close(&s);
}

static void memory_may_fail(void **state)
{
    (void)state;
    static const double x[MOST] = {0};
    const int32_t group[] = {0, 0, 0};
    faulty_memory m;
    subject s;
    memory_init(&m);
    subject_open(&s, &chain, NULL);
    s.q.allocator = &m.allocator;
    dae_status st = DAE_MEMORY;
    size_t n = 0;
    for (; st == DAE_MEMORY; n++) {
        uint8_t answer = 0;
        memory_arm(&m, MEMORY_FAILS_ON, n);
        st = attained_find(&s.q, 0, x, x, group, 1, &answer);
        assert_int_equal(answer, st == DAE_OK);
        assert_int_equal(m.blocks, 0);
        assert_int_equal(m.mistold, 0);
    }
    CHECK_STATUS(st, DAE_OK);
    assert_true(n > 5);
    subject_close(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_chain_is_as_high_as_it_looks),
        cmocka_unit_test(a_sum_that_cancels_is_lower),
        cmocka_unit_test(without_an_algebraic_unknown),
        cmocka_unit_test(internal_unknowns_are_expressions),
        cmocka_unit_test(each_group_has_its_answer),
        cmocka_unit_test(memory_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
