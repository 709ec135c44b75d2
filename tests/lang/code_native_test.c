/* Machine code against the interpreter, bit for bit: random programs over special
 * values, and every model's programs. */
#include "code/compile.h"
#include "code/native.h"
#include "code/native_emit.h"
#include "code_support.h"
#include "model_folder.h"
#include <sys/resource.h>

enum { HAS_NATIVE = NATIVE_X86_64 };

enum {
    PROGRAMS = 20000,
    INPUTS = 7, /* of each place */
    CONSTANTS = 5,
    OUTPUTS = 6,
    MOST_SLOTS = 40,
    MOST_CODE = 90,
    PLACE_ROOM = 64
};

/* A program that owns nothing but its code, and what the verifier asks. */
typedef struct sample {
    program p;
    section s;
    scalar_ins code[MOST_CODE];
    double constants[CONSTANTS];
    bool is_written[MOST_SLOTS];
} sample;

static double any_value(random_state *r)
{
    if (random_below(r, 3) == 0) return specials[random_below(r, SPECIALS)];
    return 3 * random_unit(r);
}

static uint32_t any_number(random_state *r, opcode op)
{
    static const int32_t powers[] = {
        2, 3, -1, -2, 7, 13, 63, -63, 64, 1, 0, -1024, 100, -17};
    if (op == OP_PIECE || op == OP_TABLE)
        return signal_number(8, (unsigned)random_below(r, 3));
    if (op == OP_POWI)
        return (
            uint32_t)powers[random_below(r, sizeof powers / sizeof *powers)];
    return (uint32_t)random_below(r, 5);
}

/* Arithmetic more often than what calls functions. */
static opcode any_operation(random_state *r, bool is_plain)
{
    for (;;) {
        opcode op = (opcode)random_below(r, OP_GATHER);
        const bool is_cheap = op <= OP_NEG || op >= OP_LT || op == OP_SQRT
            || op == OP_ABS || op == OP_MIN || op == OP_MAX || op == OP_POWI;
        if (is_cheap || (!is_plain && random_below(r, 4) == 0)) return op;
    }
}

/* A slot that was written, if possible, or an input or the target itself. */
static void any_operand(random_state *r, sample *q, unsigned d_at, uint32_t d,
    unsigned *at, uint32_t *index)
{
    const unsigned inputs[] = {
        AT_X, AT_XP, AT_PARAM, AT_DEF, AT_TIME, AT_HELD, AT_CONST};
    *index = (uint32_t)random_below(r, q->s.slots);
    *at = AT_SLOT;
    if (random_below(r, 3) && q->is_written[*index]) return;
    *at = d_at, *index = d;
    if (d_at != AT_SLOT && random_below(r, 6) == 0) return;
    *at = inputs[random_below(r, sizeof inputs / sizeof *inputs)];
    *index = *at == AT_TIME ? 0
        : *at == AT_CONST   ? (uint32_t)random_below(r, CONSTANTS)
                            : (uint32_t)random_below(r, INPUTS);
}

static scalar_ins any_instruction(random_state *r, sample *q, bool is_plain)
{
    const opcode op = any_operation(r, is_plain);
    const unsigned outputs[] = {AT_MAIN, AT_JAC, AT_OUT_DEF};
    const bool is_slot = random_below(r, 5) > 0;
    const unsigned d_at = is_slot ? (unsigned)AT_SLOT
                                  : outputs[random_below(r, 3)];
    scalar_ins i = {
        .d = (uint32_t)random_below(r, is_slot ? q->s.slots : OUTPUTS)};
    unsigned at[3] = {0};
    uint32_t index[3] = {0};
    for (int k = 0; opcode_operands[op][k]; k++)
        if (opcode_operands[op][k] == 'k') index[k] = any_number(r, op);
        else any_operand(r, q, d_at, i.d, &at[k], &index[k]);
    i.head = scalar_head(op, d_at, at[0], at[1], at[2]);
    i.a = index[0], i.b = index[1], i.c = index[2];
    if (is_slot) q->is_written[i.d] = true;
    return i;
}

static void make_sample(random_state *r, sample *q)
{
    shape_pool pool;
    shape_pool_init(&pool, NULL);
    (void)known_signal(&pool);
    memset(q, 0, sizeof *q);
    const bool is_plain = random_below(r, 2) != 0;
    q->s.scalar.count = 1 + random_below(r, MOST_CODE);
    q->s.slots = (uint32_t)(1 + random_below(r, MOST_SLOTS));
    if (q->s.slots > q->s.scalar.count)
        q->s.slots = (uint32_t)q->s.scalar.count;
    for (size_t i = 0; i < q->s.scalar.count; i++)
        q->code[i] = any_instruction(r, q, is_plain);
    for (size_t i = 0; i < CONSTANTS; i++) q->constants[i] = any_value(r);
    program *p = &q->p;
    p->allocator = dae_allocator_default();
    for (int k = 0; k < SPACE_COUNT; k++)
        p->sizes.space[k] = k == SPACE_TIME ? 1 : INPUTS;
    for (int k = 0; k < OUT_COUNT; k++) p->sizes.out[k] = OUTPUTS;
    p->slots = (q->s.slots + CELL_WIDTH - 1) / CELL_WIDTH * CELL_WIDTH;
    p->scratch = p->slots * sizeof(double) + 63;
    p->lanes = 1;
    p->tables = pool.signals->numbers;
    p->table_count = pool.signals->count;
    p->sections.items = &q->s, p->sections.count = 1;
    p->scalar.items = q->code, p->scalar.count = q->s.scalar.count;
    p->constants.items = q->constants, p->constants.count = CONSTANTS;
    assert_int_equal(program_verify(p), DAE_OK);
    shape_pool_clear(&pool);
}

/* ---- one point -------------------------------------------------------------------- */

typedef struct arrays {
    double space[SPACE_COUNT][PLACE_ROOM], out[OUT_COUNT][PLACE_ROOM];
} arrays;

static void run_arrays(const program *p, arrays *a)
{
    double scratch[MOST_SLOTS + 16];
    const double *spaces[SPACE_COUNT];
    double *outs[OUT_COUNT] = {
        a->out[OUT_MAIN], a->space[SPACE_DEF], a->out[OUT_JAC]};
    for (int k = 0; k < SPACE_COUNT; k++) spaces[k] = a->space[k];
    program_run(p, spaces, outs, scratch);
}

static void check_same(const double *a, const double *b, size_t count,
    size_t number, const char *what)
{
    for (size_t i = 0; i < count; i++)
        if (!same_bits(a[i], b[i]))
            fail_msg("program %zu, %s %zu: %.17g, interpreted %.17g", number,
                what, i, a[i], b[i]);
}

static void check_point(random_state *r, sample *q, size_t number)
{
    static arrays first, native;
    for (int k = 0; k < SPACE_COUNT; k++)
        for (size_t i = 0; i < INPUTS; i++) first.space[k][i] = any_value(r);
    for (int k = 0; k < OUT_COUNT; k++)
        for (size_t i = 0; i < OUTPUTS; i++) first.out[k][i] = any_value(r);
    native = first;
    q->s.native = NULL;
    run_arrays(&q->p, &first);
    native_make(&q->p);
    assert_int_equal(q->s.native != NULL, HAS_NATIVE);
    run_arrays(&q->p, &native);
    check_same(
        native.out[OUT_MAIN], first.out[OUT_MAIN], OUTPUTS, number, "main");
    check_same(native.out[OUT_JAC], first.out[OUT_JAC], OUTPUTS, number, "jac");
    check_same(
        native.space[SPACE_DEF], first.space[SPACE_DEF], INPUTS, number, "def");
}

static void random_programs_give_the_same_bits(void **state)
{
    (void)state;
    static sample q;
    random_state r = {20261130};
    for (size_t k = 0; k < PROGRAMS; k++) {
        make_sample(&r, &q);
        check_point(&r, &q, k);
        native_free(&q.p);
    }
}

/* No memory, or an instruction that is not known: nothing is changed. */
static void what_fails_leaves_the_interpreter(void **state)
{
    (void)state;
    static sample q;
    random_state r = {7};
    struct rlimit before, none;
    make_sample(&r, &q);
    assert_int_equal(getrlimit(RLIMIT_AS, &before), 0);
    none = before;
    none.rlim_cur = 4096;
    assert_int_equal(setrlimit(RLIMIT_AS, &none), 0);
    native_make(&q.p);
    assert_int_equal(setrlimit(RLIMIT_AS, &before), 0);
    assert_true(!q.s.native && !q.p.native.memory);
    const scalar_ins last = q.code[q.s.scalar.count - 1];
    q.code[q.s.scalar.count - 1].head = scalar_head(
        OP_GATHER, AT_MAIN, AT_X, 0, 0);
    q.code[q.s.scalar.count - 1].d = q.code[q.s.scalar.count - 1].a = 0;
    native_make(&q.p);
    assert_true(!q.s.native && !q.p.native.memory);
    q.code[q.s.scalar.count - 1] = last;
    check_point(&r, &q, 0);
    native_free(&q.p);
}

/* ---- models ----------------------------------------------------------------------- */

enum { POINTS = 7 };

/* Residuals and entries at a start and at points around it, as one block. */
typedef struct answers {
    size_t count;
    double *values;
} answers;

/* The start, then numbers near it, others for each point and slot. */
static double somewhere(double x, size_t point, size_t slot)
{
    const double nudge = sin((double)(7 * slot + 3 * point));
    if (point == 0) return x;
    return isfinite(x) ? x + 0.01 * nudge * (1 + fabs(x)) : nudge;
}

static double *take_doubles(size_t count)
{
    double *block = calloc(count + 1, sizeof *block);
    assert_non_null(block);
    return block;
}

static void answer_point(const dae_problem *p, const double *t,
    double *const *x, double *const *xp, size_t k, double *to)
{
    const size_t n = p->unknown_count;
    const size_t entries = (size_t)((compiled *)p->self)->jacobian.nonzeros;
    CHECK_STATUS(p->residual(p->self, t[k], x[k], xp[k], to), DAE_OK);
    CHECK_STATUS(
        p->jacobian(p->self, DAE_ALL, t[k], x[k], xp[k], to + n), DAE_OK);
    CHECK_STATUS(
        p->jacobian(p->self, DAE_VARYING, t[k], x[k], xp[k], to + n + entries),
        DAE_OK);
}

static answers answer(const dae_problem *p)
{
    const size_t n = p->unknown_count, states = dae_problem_state_count(p);
    const size_t entries = ((compiled *)p->self)->jacobian.nonzeros;
    const size_t each = n + 2 * entries;
    answers a = {.count = POINTS * each + (3 + POINTS) * n};
    double t[POINTS], *x[POINTS], *xp[POINTS], *res[POINTS];
    a.values = take_doubles(a.count);
    for (size_t k = 0; k < POINTS; k++) {
        t[k] = p->start->t0 + 0.3701 * (double)k;
        x[k] = take_doubles(states), xp[k] = take_doubles(n);
        for (size_t s = 0; s < states; s++)
            x[k][s] = somewhere(p->start->x[s], k, s);
        for (size_t j = 0; j < n; j++)
            xp[k][j] = somewhere(p->start->xp[j], k, states + j);
        answer_point(p, t, x, xp, k, a.values + k * each);
    }
    double *to = a.values + POINTS * each;
    for (size_t count = 3; p->residuals && count <= POINTS; count += 4) {
        for (size_t k = 0; k < count; k++, to += n) res[k] = to;
        CHECK_STATUS(p->residuals(p->self, count, t, (const double *const *)x,
                         (const double *const *)xp, res),
            DAE_OK);
    }
    for (size_t k = 0; k < POINTS; k++) free(x[k]), free(xp[k]);
    return a;
}

static void make_all(compiled *c)
{
    const task *tasks[] = {
        &c->residual, &c->jacobian.all, &c->jacobian.varying};
    for (size_t k = 0; k < sizeof tasks / sizeof *tasks; k++)
        if (tasks[k]->program) native_make(tasks[k]->program);
}

static void compare(const dae_problem *p, const char *file, void *context)
{
    (void)context;
    const answers interpreted = answer(p);
    make_all(p->self);
    const answers native = answer(p);
    for (size_t i = 0; i < native.count; i++)
        if (!same_bits(native.values[i], interpreted.values[i]))
            fail_msg("%s: value %zu is %.17g, interpreted %.17g", file, i,
                native.values[i], interpreted.values[i]);
    free(interpreted.values);
    free(native.values);
}

static void every_model_gives_the_same_bits(void **state)
{
    (void)state;
    static const char *const folders[] = {"biology", "chemistry", "circuits",
        "contact", "control", "limits", "mechanics", "medicine", "molecules",
        "networks", "oscillators", "pde", "process", "quadrature"};
    for (size_t k = 0; k < sizeof folders / sizeof *folders; k++) {
        char path[100];
        (void)snprintf(path, sizeof path, "models/%s", folders[k]);
        assert_true(visit_models(path, compare, NULL) > 0);
    }
}

/* Counts of runs alone decide; what is not allowed stays as it is. */
static void runs_are_counted(void **state)
{
    (void)state;
    static const char text[] = "var x = 1, y = 2\nx' = y*x\ny' = -x\n";
    for (int interpreted = 0; interpreted < 2; interpreted++) {
        const dae_model_options o = {.interpreted = interpreted};
        const double x[2] = {1, 2}, xp[2] = {0};
        double first[2], last[2];
        dae_model *m;
        CHECK_STATUS(
            dae_model_parse("m", text, strlen(text), &o, NULL, NULL, &m),
            DAE_OK);
        const dae_problem *p = dae_model_problem(m);
        const program *code = ((compiled *)p->self)->residual.program;
        CHECK_STATUS(p->residual(p->self, 0, x, xp, first), DAE_OK);
        assert_null(code->native.memory);
        for (int k = 0; k < 50000; k++)
            CHECK_STATUS(p->residual(p->self, 0, x, xp, last), DAE_OK);
        assert_int_equal(
            code->native.memory != NULL, HAS_NATIVE && !interpreted);
        assert_memory_equal(first, last, sizeof first);
        dae_model_free(m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_programs_give_the_same_bits),
        cmocka_unit_test(what_fails_leaves_the_interpreter),
        cmocka_unit_test(every_model_gives_the_same_bits),
        cmocka_unit_test(runs_are_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
