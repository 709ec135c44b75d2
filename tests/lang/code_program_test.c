/* Programs: random kernels over random columns against shape_eval, bit for bit
 * and at every vector width; levels, sums, listings; what is refused, what the
 * verifier sees, allocations that fail. */
#include "code/native.h"
#include "code/native_emit.h"
#include "code_support.h"

/* ---- random kernels -------------------------------------------------------- */

#define SPACE_SIZE 4096
#define LEVELS 4
#define DEF_SIZE 3000 /* written by one level */
#define OUT_SIZE 6000
#define HOLES 6
#define KERNELS 6
#define ROWS 1000

typedef struct scene {
    random_state random;
    shape_pool pool;
    node_id holes[HOLES];
    size_t kernel_count;
    kernel kernels[KERNELS];
    kernel_column columns[KERNELS][HOLES];
    kernel_output outputs[KERNELS][3];
    uint32_t *indices; /* KERNELS * (HOLES + 3) * ROWS */
    double *spaces[SPACE_COUNT];
    double *outs[OUT_COUNT], *expected[OUT_COUNT];
    bool is_small; /* few rows, outputs of a kernel may have the same targets */
} scene;

static double random_value(random_state *r)
{
    if (random_below(r, 8) == 0) return specials[random_below(r, SPECIALS)];
    return 10 * random_unit(r);
}

static uint32_t below(scene *s, size_t limit)
{
    return (uint32_t)random_below(&s->random, limit);
}

static const size_t space_sizes[SPACE_COUNT] = {
    SPACE_SIZE, SPACE_SIZE, 50, LEVELS *DEF_SIZE, 1, 9};
static const size_t out_sizes[OUT_COUNT] = {
    OUT_SIZE, LEVELS *DEF_SIZE, OUT_SIZE};

static node_id random_shape(scene *s)
{
    static const node_op cheap[] = {NODE_ADD, NODE_SUB, NODE_MUL, NODE_ADD,
        NODE_SUB, NODE_MUL, NODE_DIV, NODE_NEG, NODE_SQRT, NODE_MIN, NODE_LT,
        NODE_ABS};
    node_id made[24];
    uint32_t count = 0, target = 4 + below(s, 18);
    for (uint32_t j = 0; j < HOLES && count < 3; j++)
        if (below(s, 2)) made[count++] = s->holes[j];
    if (below(s, 2) || count == 0)
        made[count++] = shape_const(&s->pool, random_value(&s->random));
    while (count < target) {
        node_id h[3];
        node_op op = cheap[below(s, 12)];
        uint32_t near = count < 3 ? count : 3;
        for (int k = 0; k < 3; k++)
            h[k] = below(s, 3) ? made[count - 1 - below(s, near)]
                               : made[below(s, count)];
        if (below(s, 6) == 0)
            op = (node_op)(NODE_HOLE + 1
                + below(s, NODE_OP_COUNT - NODE_HOLE - 1));
        made[count++] = op == NODE_POWI
            ? shape_powi(&s->pool, h[0], (int32_t)below(s, 7) - 3)
            : make_node(&s->pool, op, h);
    }
    return made[count - 1];
}

/* Indices within [from, from + size): affine, strided, uniform, a few affine
 * runs, or random. */
static void random_column(
    scene *s, uint32_t *index, size_t rows, size_t from, size_t size)
{
    uint32_t kind = below(s, 5);
    uint32_t base = below(s, size);
    uint32_t stride = 1 + below(s, 3);
    uint32_t period = 1 + below(s, 400);
    for (size_t i = 0; i < rows; i++) {
        uint32_t x = (uint32_t)i;
        if (kind == 0) x = base + x;
        if (kind == 1) x = base + (uint32_t)(size - 1) * stride * x;
        if (kind == 2) x = base;
        if (kind == 3) x = base + x % period * stride + x / period;
        if (kind == 4) x = below(s, size);
        index[i] = (uint32_t)(from + x % size);
    }
}

static void random_columns(scene *s, size_t k, uint32_t **next)
{
    kernel *made = &s->kernels[k];
    for (size_t j = 0; j < HOLES; j++, *next += ROWS) {
        program_space space = (program_space)random_below(
            &s->random, SPACE_COUNT);
        size_t size = space_sizes[space];
        if (space == SPACE_DEF) size = made->level * DEF_SIZE;
        if (size == 0) { /* nothing is defined yet */
            space = SPACE_X;
            size = SPACE_SIZE;
        }
        random_column(s, *next, made->row_count, 0, size);
        s->columns[k][j] = (kernel_column){s->holes[j], space, *next};
    }
    made->columns = s->columns[k];
    made->column_count = HOLES;
}

/* Each output of a kernel has its own third of the array, but for small ones. */
static void random_outputs(scene *s, size_t k, uint32_t **next)
{
    kernel *made = &s->kernels[k];
    made->output_count = 1 + below(s, 3);
    for (size_t j = 0; j < made->output_count; j++, *next += ROWS) {
        program_out out = (program_out)below(s, OUT_COUNT);
        size_t size = (out == OUT_DEF ? DEF_SIZE : OUT_SIZE) / (size_t)3;
        size_t from = j * size + (out == OUT_DEF ? made->level * DEF_SIZE : 0);
        if (s->is_small && below(s, 2)) from -= j * size, size = 30;
        random_column(s, *next, made->row_count, from, size);
        s->outputs[k][j] = (kernel_output){
            random_shape(s), out, below(s, 2) == 0, below(s, 2) == 0, *next};
    }
    made->outputs = s->outputs[k];
}

static void make_scene(scene *s, uint64_t seed, bool is_small)
{
    static const size_t rows[2][10] = {
        {1, 2, 3, 8, 9, 127, 128, 129, 300, 1000},
        {1, 2, 8, 9, 10, 17, 30, 31, 64, 65}};
    memset(s, 0, sizeof *s);
    s->is_small = is_small;
    s->random.s = seed * 0x9E3779B97F4A7C15u;
    shape_pool_init(&s->pool, NULL);
    make_holes(&s->pool, s->holes, HOLES);
    s->indices = malloc(KERNELS * (HOLES + 3) * ROWS * sizeof(uint32_t));
    uint32_t *next = s->indices;
    s->kernel_count = 1 + below(s, KERNELS);
    for (size_t k = 0; k < s->kernel_count; k++) {
        s->kernels[k].level = below(s, LEVELS);
        s->kernels[k].row_count = rows[is_small][below(s, 10)];
        random_columns(s, k, &next);
        random_outputs(s, k, &next);
    }
    for (int i = 0; i < SPACE_COUNT; i++) {
        s->spaces[i] = malloc(space_sizes[i] * sizeof(double));
        for (size_t j = 0; j < space_sizes[i]; j++)
            s->spaces[i][j] = random_value(&s->random);
    }
    for (int i = 0; i < OUT_COUNT; i++) {
        s->outs[i] = i == OUT_DEF ? s->spaces[SPACE_DEF]
                                  : malloc(out_sizes[i] * sizeof(double));
        s->expected[i] = malloc(out_sizes[i] * sizeof(double));
    }
}

static void clear_scene(scene *s)
{
    shape_pool_clear(&s->pool);
    free(s->indices);
    for (int i = 0; i < SPACE_COUNT; i++) free(s->spaces[i]);
    for (int i = 0; i < OUT_COUNT; i++) {
        if (i != OUT_DEF) free(s->outs[i]);
        free(s->expected[i]);
    }
}

typedef struct row_leaf {
    const scene *scene;
    const kernel *kernel;
    size_t row;
} row_leaf;

static double leaf_value(
    void *context, leaf_kind kind, uint32_t number, unsigned order)
{
    const row_leaf *l = context;
    const kernel_column *c = &l->kernel->columns[number];
    (void)kind;
    (void)order;
    if (c->space == SPACE_DEF)
        return l->scene->expected[OUT_DEF][c->index[l->row]];
    return l->scene->spaces[c->space][c->index[l->row]];
}

static void expect_kernel(scene *s, const kernel *k)
{
    for (size_t o = 0; o < k->output_count; o++) {
        const kernel_output *out = &k->outputs[o];
        for (size_t row = 0; row < k->row_count; row++) {
            double value, *t = &s->expected[out->out][out->target[row]];
            row_leaf leaf = {s, k, row};
            assert_int_equal(shape_eval(&s->pool, out->root, leaf_value, &leaf,
                                 NULL, &value),
                DAE_OK);
            if (out->minus) value = -value;
            *t = out->add ? *t + value : value;
        }
    }
}

static void start_outputs(scene *s, bool expected)
{
    for (int i = 0; i < OUT_COUNT; i++)
        for (size_t j = 0; j < out_sizes[i]; j++)
            (expected ? s->expected : s->outs)[i][j] = (double)(j % 11);
}

static program *build_scene(scene *s)
{
    program_sizes sizes;
    program *p = NULL;
    memcpy(sizes.space, space_sizes, sizeof space_sizes);
    memcpy(sizes.out, out_sizes, sizeof out_sizes);
    assert_int_equal(
        program_build(&s->pool, s->kernels, s->kernel_count, &sizes, NULL, &p),
        DAE_OK);
    return p;
}

static void run_scene(scene *s, const program *p)
{
    const double *spaces[SPACE_COUNT];
    char *scratch = malloc(program_scratch(p) + 8);
    for (int i = 0; i < SPACE_COUNT; i++) spaces[i] = s->spaces[i];
    start_outputs(s, false);
    program_run(p, spaces, s->outs, scratch + 8); /* any alignment of malloc */
    free(scratch);
}

static void check_outputs(const scene *s, uint64_t seed, unsigned lanes)
{
    for (int i = 0; i < OUT_COUNT; i++)
        for (size_t j = 0; j < out_sizes[i]; j++)
            if (!same_bits(s->outs[i][j], s->expected[i][j]))
                fail_msg("seed %lu, lanes %u: out %d[%lu] = %.17g, not %.17g",
                    (unsigned long)seed, lanes, i, (unsigned long)j,
                    s->outs[i][j], s->expected[i][j]);
}

static void test_random_kernels(void **state)
{
    (void)state;
    scene s;
    for (uint64_t seed = 1; seed <= 400; seed++) {
        make_scene(&s, seed, false);
        start_outputs(&s, true);
        for (uint32_t level = 0; level < LEVELS; level++)
            for (size_t k = 0; k < s.kernel_count; k++)
                if (s.kernels[k].level == level)
                    expect_kernel(&s, &s.kernels[k]);
        program *p = build_scene(&s);
        for (unsigned lanes = 1; lanes <= vm_block_lanes(); lanes *= 2) {
            p->lanes = lanes;
            run_scene(&s, p);
            check_outputs(&s, seed, lanes);
        }
        program_free(p);
        clear_scene(&s);
    }
}

/* Block code over few rows as machine code, whatever its targets, against the
 * interpreter. */
static void test_native_kernels(void **state)
{
    (void)state;
    scene s;
    size_t with_rows = 0;
    for (uint64_t seed = 1; seed <= 600; seed++) {
        make_scene(&s, seed, true);
        program *p = build_scene(&s);
        run_scene(&s, p);
        for (int i = 0; i < OUT_COUNT; i++)
            memcpy(s.expected[i], s.outs[i], out_sizes[i] * sizeof(double));
        native_make(p);
        for (size_t i = 0; i < p->sections.count; i++)
            with_rows += p->sections.items[i].has_native_rows;
        run_scene(&s, p);
        check_outputs(&s, seed, 0);
        program_free(p);
        clear_scene(&s);
    }
    if (NATIVE_X86_64) assert_true(with_rows > 200);
    else assert_int_equal(with_rows, 0);
}

/* ---- what has one answer --------------------------------------------------- */

/* Robertson's three equations as six terms over two levels. */
static void test_small_model(void **state)
{
    (void)state;
    shape_pool pool;
    shape_pool_init(&pool, NULL);
    node_id a = shape_hole(&pool, LEAF_UNKNOWN, 0, 0);
    node_id b = shape_hole(&pool, LEAF_UNKNOWN, 1, 0);
    node_id c = shape_hole(&pool, LEAF_PARAM, 2, 0);
    node_id ab = shape_binary(&pool, NODE_MUL, a, b);
    node_id abc = shape_binary(&pool, NODE_MUL, ab, c);
    static const uint32_t one[] = {0, 1, 2};
    kernel_column columns[] = {
        {a, SPACE_X, one}, {b, SPACE_X, one + 1}, {c, SPACE_PARAM, one}};
    kernel_output sets[] = {{ab, OUT_DEF, false, false, one}};
    kernel_output adds[] = {{abc, OUT_MAIN, true, true, one},
        {abc, OUT_MAIN, true, false, one + 1}};
    kernel_column def[] = {{a, SPACE_DEF, one}};
    kernel_output from_def[] = {{a, OUT_MAIN, true, false, one + 2}};
    kernel kernels[] = {
        {1, 1, def, 1, from_def, 1},
        {0, 1, columns, 3, adds, 2},
        {0, 1, columns, 2, sets, 1},
    };
    program_sizes sizes = {{3, 0, 1, 1, 0}, {3, 1, 0}};
    program *p = NULL;
    assert_int_equal(
        program_build(&pool, kernels, 3, &sizes, NULL, &p), DAE_OK);
    double x[] = {3, 5, 0}, param[] = {7}, value[1] = {0};
    double res[] = {100, 200, 300};
    void *scratch = malloc(program_scratch(p));
    program_run(p,
        (const double *const[SPACE_COUNT]){x, NULL, param, value, NULL},
        (double *const[]){res, value, NULL}, scratch);
    free(scratch);
    assert_true(res[0] == 100 - 105 && res[1] == 200 + 105);
    assert_true(value[0] == 15 && res[2] == 315);
    program_counts counts = program_count(p);
    assert_int_equal(counts.kernels, 3);
    assert_int_equal(counts.fused_kernels, 3);
    assert_int_equal(counts.rows, 3);
    text_sink t = {NULL, 0};
    assert_int_equal(program_show(p, sink_write, &t), DAE_OK);
    assert_string_equal(t.text,
        "program: 3 kernels, 3 rows, 1 sections\n"
        "section 0, level 0: fused code of 3 kernels, 2 slots\n"
        "    MUL         s0 = x[0] * x[1]\n"
        "    MUL         s1 = param[0] * s0\n"
        "    SUB         main[0] = main[0] - s1\n"
        "    ADD         main[1] = main[1] + s1\n"
        "    MOVE        def[0] = s0\n"
        "    ADD         main[2] = main[2] + def[0]\n");
    free(t.text);
    program_free(p);
    shape_pool_clear(&pool);
}

/* A level reads what the ones before it wrote, not what it had read there
 * itself: the squares of 10, of 10 + x[0] and of 10 + x[0] + x[1]. */
static void test_definitions_are_read_anew(void **state)
{
    (void)state;
    shape_pool pool;
    shape_pool_init(&pool, NULL);
    node_id a = shape_hole(&pool, LEAF_UNKNOWN, 0, 0);
    static const uint32_t one[] = {0, 1, 2};
    kernel_column from_x[] = {{a, SPACE_X, one}, {a, SPACE_X, one + 1}};
    kernel_column from_def[] = {{a, SPACE_DEF, one}};
    kernel_output to_def = {a, OUT_DEF, true, false, one};
    node_id square = shape_binary(&pool, NODE_MUL, a, a);
    kernel_output to_main[] = {{square, OUT_MAIN, false, false, one},
        {square, OUT_MAIN, false, false, one + 1},
        {square, OUT_MAIN, false, false, one + 2}};
    kernel kernels[] = {
        {0, 1, from_def, 1, &to_main[0], 1},
        {1, 1, &from_x[0], 1, &to_def, 1},
        {2, 1, from_def, 1, &to_main[1], 1},
        {3, 1, &from_x[1], 1, &to_def, 1},
        {4, 1, from_def, 1, &to_main[2], 1},
    };
    program_sizes sizes = {{2, 0, 0, 1, 0}, {3, 1, 0}};
    program *p = NULL;
    assert_int_equal(
        program_build(&pool, kernels, 5, &sizes, NULL, &p), DAE_OK);
    double x[] = {3, 5}, value[1] = {10}, res[3] = {0};
    void *scratch = malloc(program_scratch(p));
    program_run(p,
        (const double *const[SPACE_COUNT]){x, NULL, NULL, value, NULL},
        (double *const[]){res, value, NULL}, scratch);
    free(scratch);
    assert_true(res[0] == 100 && res[1] == 169 && res[2] == 324);
    program_free(p);
    shape_pool_clear(&pool);
}

/* Two equations over the same rows have exp((x - y)/p) once, whatever their holes are
 * called; a third one that adds keeps its place, and so does one over other rows. */
static void test_joined_kernels(void **state)
{
    (void)state;
    enum { rows = 150 };
    shape_pool pool;
    shape_pool_init(&pool, NULL);
    node_id hole[3], power[2];
    for (uint8_t h = 0; h < 2; h++) {
        hole[0] = shape_hole(&pool, LEAF_UNKNOWN, h, 0);
        hole[1] = shape_hole(&pool, LEAF_UNKNOWN, h + 1u, 0);
        hole[2] = shape_hole(&pool, LEAF_PARAM, 3, 0);
        power[h] = shape_unary(&pool, NODE_EXP,
            shape_binary(&pool, NODE_DIV,
                shape_binary(&pool, NODE_SUB, hole[0], hole[1]), hole[2]));
    }
    node_id a = shape_hole(&pool, LEAF_UNKNOWN, 0, 0), b = hole[0], c = hole[1];
    node_id less = shape_binary(&pool, NODE_SUB, a, power[1]);
    uint32_t x[rows], y[rows], p[rows], first[rows], second[rows];
    for (uint32_t i = 0; i < rows; i++)
        x[i] = i, y[i] = rows + i, p[i] = 0, first[i] = i, second[i] = rows + i;
    kernel_column one[] = {
        {a, SPACE_X, x}, {b, SPACE_X, y}, {hole[2], SPACE_PARAM, p}};
    kernel_column other[] = {{a, SPACE_X, y}, {b, SPACE_X, x}, {c, SPACE_X, y},
        {hole[2], SPACE_PARAM, p}};
    kernel_output outputs[] = {{power[0], OUT_MAIN, false, false, first},
        {less, OUT_MAIN, false, true, second},
        {less, OUT_MAIN, true, false, first}};
    kernel kernels[] = {{0, rows, one, 3, &outputs[0], 1},
        {0, rows, other, 4, &outputs[1], 1},
        {0, rows, other, 4, &outputs[2], 1},
        {0, rows - 1, other, 4, &outputs[2], 1}};
    program_sizes sizes = {{2 * rows, 0, 1, 0, 0}, {2 * rows, 0, 0}};
    program *made = NULL;
    assert_int_equal(
        program_build(&pool, kernels, 4, &sizes, NULL, &made), DAE_OK);
    size_t exponentials = 0;
    for (size_t i = 0; i < made->block.count; i++)
        exponentials += made->block.items[i].op == OP_EXP;
    assert_int_equal(made->sections.count, 3);
    assert_int_equal(made->sections.items[0].kernels, 2);
    assert_int_equal(exponentials, 3);
    double values[2 * rows], param[] = {0.7}, res[2 * rows];
    for (int i = 0; i < 2 * rows; i++) values[i] = sin(i);
    void *scratch = malloc(program_scratch(made));
    program_run(made,
        (const double *const[SPACE_COUNT]){values, NULL, param, NULL, NULL},
        (double *const[]){res, NULL, NULL}, scratch);
    free(scratch);
    for (int i = 0; i < rows; i++) {
        double e = exp((values[i] - values[rows + i]) / 0.7);
        double rest = values[rows + i] - e, sum = e + rest;
        if (i < rows - 1) sum += rest;
        assert_true(same_bits(res[i], sum) && same_bits(res[rows + i], -rest));
    }
    program_free(made);
    shape_pool_clear(&pool);
}

/* A line of a grid: neighbours read in place, the parameter once. */
static void test_block_listing(void **state)
{
    (void)state;
    enum { rows = 200 };
    uint32_t left[rows], right[rows], same[rows], target[rows], back[rows];
    for (uint32_t i = 0; i < rows; i++) {
        left[i] = i;
        right[i] = i + 2;
        same[i] = 4;
        target[i] = i + 1;
        back[i] = (i * 77) % 211;
    }
    shape_pool pool;
    node_id h[4];
    shape_pool_init(&pool, NULL);
    make_holes(&pool, h, 4);
    node_id sum = shape_binary(&pool, NODE_ADD, h[0], h[1]);
    node_id twice = shape_binary(&pool, NODE_MUL, shape_const(&pool, 2), h[2]);
    node_id root = shape_binary(
        &pool, NODE_SUB, h[3], shape_binary(&pool, NODE_MUL, twice, sum));
    kernel_column columns[] = {{h[0], SPACE_X, left}, {h[1], SPACE_X, right},
        {h[2], SPACE_PARAM, same}, {h[3], SPACE_XP, back}};
    kernel_output outputs[] = {{root, OUT_MAIN, false, false, target},
        {twice, OUT_JAC, true, false, same}};
    kernel k = {0, rows, columns, 4, outputs, 2};
    program_sizes sizes = {{202, 211, 5, 0, 0}, {201, 0, 5}};
    program *p = NULL;
    assert_int_equal(program_build(&pool, &k, 1, &sizes, NULL, &p), DAE_OK);
    text_sink t = {NULL, 0};
    assert_int_equal(program_show(p, sink_write, &t), DAE_OK);
    assert_string_equal(t.text,
        "program: 1 kernels, 200 rows, 1 sections\n"
        "section 0, level 0: block code, 200 rows in 1 segments, "
        "2 registers\n"
        "  once:\n"
        "    MUL         u0 = param[4] * 2\n"
        "  in0: xp at 200 indices\n"
        "  in1: x from 0 by 1, in place\n"
        "  in2: x from 2 by 1, in place\n"
        "  out3: main from 1 by 1, in place\n"
        "  out4: jac from 4 by 0\n"
        "  each row:\n"
        "    GATHER      r0 = in0\n"
        "    ADD         r1 = in1 + in2\n"
        "    MUL_FROM    out3 = in0 - (r1 * u0)\n"
        "    SCATTER_ADD out4 += u0\n");
    free(t.text);
    assert_int_equal(p->indices.count, rows);
    program_free(p);
    shape_pool_clear(&pool);
}

/* The outer rows of a grid cut its columns; no index is kept. */
static void test_affine_runs(void **state)
{
    (void)state;
    enum { side = 100, rows = (side - 2) * (side - 2) };
    static uint32_t north[rows], here[rows];
    static double x[side * side], res[side * side];
    size_t n = 0;
    for (uint32_t j = 1; j < side - 1; j++)
        for (uint32_t i = 1; i < side - 1; i++, n++) {
            here[n] = j * side + i;
            north[n] = here[n] + side;
        }
    for (size_t i = 0; i < side * side; i++) x[i] = (double)(i * i % 1009);
    shape_pool pool;
    node_id h[2];
    shape_pool_init(&pool, NULL);
    make_holes(&pool, h, 2);
    kernel_column columns[] = {{h[0], SPACE_X, here}, {h[1], SPACE_X, north}};
    kernel_output output = {
        shape_binary(&pool, NODE_SUB, h[0], h[1]), OUT_MAIN, 0, 0, here};
    kernel k = {0, rows, columns, 2, &output, 1};
    program_sizes sizes = {{side * side}, {side * side}};
    program *p = NULL;
    assert_int_equal(program_build(&pool, &k, 1, &sizes, NULL, &p), DAE_OK);
    assert_int_equal(p->indices.count, 0);
    assert_int_equal(p->segment_rows.count, side - 2);
    void *scratch = malloc(program_scratch(p));
    program_run(p,
        (const double *const[SPACE_COUNT]){x, NULL, NULL, NULL, NULL},
        (double *const[]){res, NULL, NULL}, scratch);
    for (size_t i = 0; i < rows; i++)
        assert_true(res[here[i]] == x[here[i]] - x[north[i]]);
    free(scratch);
    program_free(p);
    shape_pool_clear(&pool);
}

/* ---- what is refused -------------------------------------------------------- */

typedef struct refusal {
    shape_pool pool;
    node_id h[2];
    uint32_t index[2][64], target[64];
    kernel_column columns[2];
    kernel_output output;
    kernel kernel;
    program_sizes sizes;
} refusal;

/* A kernel of which nothing is wrong. */
static void make_right(refusal *r, size_t rows)
{
    memset(r, 0, sizeof *r);
    shape_pool_init(&r->pool, NULL);
    make_holes(&r->pool, r->h, 2);
    for (uint32_t i = 0; i < 64; i++) {
        r->index[0][i] = i;
        r->index[1][i] = (i * 29) % 64;
        r->target[i] = i;
    }
    for (size_t j = 0; j < 2; j++)
        r->columns[j] = (kernel_column){r->h[j], SPACE_X, r->index[j]};
    r->output = (kernel_output){
        shape_binary(&r->pool, NODE_MUL, r->h[0], r->h[1]), OUT_MAIN, 0, 0,
        r->target};
    r->kernel = (kernel){0, rows, r->columns, 2, &r->output, 1};
    r->sizes = (program_sizes){{64, 64, 64, 64, 1}, {64, 64, 64}};
}

static void check_refused(refusal *r, dae_status expected)
{
    program *p = NULL;
    assert_int_equal(
        program_build(&r->pool, &r->kernel, 1, &r->sizes, NULL, &p), expected);
    assert_true((p != NULL) == (expected == DAE_OK));
    program_free(p);
    shape_pool_clear(&r->pool);
}

static void test_refused(void **state)
{
    static const size_t rows[] = {5, 64};
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        refusal r;
        make_right(&r, rows[i]);
        check_refused(&r, DAE_OK);
        make_right(&r, rows[i]);
        r.index[0][rows[i] - 1] = 64;
        check_refused(&r, DAE_ARGUMENT);
        make_right(&r, rows[i]);
        r.index[1][2] = UINT32_MAX;
        check_refused(&r, DAE_ARGUMENT);
        make_right(&r, rows[i]);
        r.sizes.space[SPACE_X] = rows[i] - 1;
        check_refused(&r, DAE_ARGUMENT);
        make_right(&r, rows[i]);
        r.sizes.out[OUT_MAIN] = rows[i] - 1;
        check_refused(&r, DAE_ARGUMENT);
        make_right(&r, rows[i]);
        r.target[3] = 64;
        check_refused(&r, DAE_ARGUMENT);
        make_right(&r, rows[i]);
        r.kernel.column_count = 1; /* a hole without a column */
        check_refused(&r, DAE_ARGUMENT);
        make_right(&r, rows[i]);
        r.columns[1].leaf = r.h[0]; /* a column twice */
        check_refused(&r, DAE_ARGUMENT);
        make_right(&r, rows[i]);
        r.columns[1].leaf = r.output.root; /* not of a hole */
        check_refused(&r, DAE_ARGUMENT);
        make_right(&r, rows[i]);
        r.output.root = NODE_NONE;
        check_refused(&r, DAE_ARGUMENT);
        make_right(&r, rows[i]);
        r.columns[0].space = SPACE_COUNT;
        check_refused(&r, DAE_ARGUMENT);
    }
}

/* Damaged programs: each damage must be seen. */
static void test_verifier(void **state)
{
    (void)state;
    refusal r;
    program *p = NULL;
    make_right(&r, 64);
    assert_int_equal(
        program_build(&r.pool, &r.kernel, 1, &r.sizes, NULL, &p), DAE_OK);
    shape_pool_clear(&r.pool);
    assert_int_equal(program_verify(p), DAE_OK);
#define DAMAGED(field, value)                                                  \
    do {                                                                       \
        unsigned char kept[sizeof(field)];                                     \
        memcpy(kept, &(field), sizeof kept);                                   \
        (field) = (value);                                                     \
        assert_int_equal(program_verify(p), DAE_ARGUMENT);                     \
        memcpy(&(field), kept, sizeof kept);                                   \
        assert_int_equal(program_verify(p), DAE_OK);                           \
    } while (0)
    assert_int_equal(p->block.items[0].op, OP_GATHER);
    assert_int_equal(p->block.items[1].op, OP_MUL);
    DAMAGED(p->block.items[0].op, OP_COUNT);
    DAMAGED(p->block.items[0].op, OP_MOVE); /* reads what is not there */
    DAMAGED(p->block.items[0].a, 3);        /* no such port */
    DAMAGED(p->block.items[0].a, 2);        /* an output */
    DAMAGED(p->block.items[1].a, 1000);
    DAMAGED(p->block.items[1].d, 0); /* an input */
    DAMAGED(p->block.items[1].d, 1000);
    DAMAGED(p->block.items[1].vectors, 0);
    DAMAGED(p->ports.items[0].at, AT_MAIN);
    DAMAGED(p->ports.items[2].at, AT_X);
    DAMAGED(p->segment_rows.items[0], 63);
    DAMAGED(p->runs.items[0].base, 1);
    DAMAGED(p->runs.items[0].stride, -1);
    DAMAGED(p->runs.items[0].stride, 2);
    DAMAGED(p->indices.items[63], 64);
    DAMAGED(p->sections.items[0].registers, 0);
    DAMAGED(p->sections.items[0].code.count, 1000);
    DAMAGED(p->sections.items[0].port_count, 4);
    DAMAGED(p->sections.items[0].run_columns, 4);
    DAMAGED(p->sections.items[0].slots, 1000);
    /* sizes that nothing in the program stands for, sums that wrap */
    DAMAGED(p->sections.items[0].registers, 1000);
    DAMAGED(p->sections.items[0].registers, UINT32_MAX);
    DAMAGED(p->sections.items[0].cells, UINT32_MAX);
    DAMAGED(p->sections.items[0].first_port, SIZE_MAX);
    DAMAGED(p->sections.items[0].segments.count, SIZE_MAX);
    /* scratch that a run would write beyond */
    DAMAGED(p->scratch, p->scratch - 1);
    DAMAGED(p->scratch, 0);
    DAMAGED(p->slots, p->slots + 1);
    DAMAGED(p->slots, p->slots + CELL_WIDTH);
    DAMAGED(p->slots, SIZE_MAX - CELL_WIDTH + 1);
    DAMAGED(p->lanes, 16); /* wider than any processor's */
    program_free(p);
}

/* ---- memory ----------------------------------------------------------------- */

static void test_failing_allocations(void **state)
{
    (void)state;
    scene s;
    program_sizes sizes;
    memcpy(sizes.space, space_sizes, sizeof space_sizes);
    memcpy(sizes.out, out_sizes, sizeof out_sizes);
    for (uint64_t seed = 3; seed < 7; seed++) {
        dae_status st = DAE_MEMORY;
        make_scene(&s, seed, false);
        for (size_t n = 0; st != DAE_OK; n++) {
            failing_memory m;
            program *p = NULL;
            failing_init(&m, n);
            st = program_build(
                &s.pool, s.kernels, s.kernel_count, &sizes, &m.allocator, &p);
            assert_true(st == DAE_OK || st == DAE_MEMORY);
            assert_true((p != NULL) == (st == DAE_OK));
            program_free(p);
            assert_int_equal(m.live, 0);
            assert_true(n < 10000);
        }
        clear_scene(&s);
    }
}

static void test_empty(void **state)
{
    (void)state;
    shape_pool pool;
    program_sizes sizes = {{0}, {0}};
    program *p = NULL;
    shape_pool_init(&pool, NULL);
    kernel none = {0};
    assert_int_equal(program_build(&pool, &none, 1, &sizes, NULL, &p), DAE_OK);
    void *scratch = malloc(program_scratch(p));
    program_run(p, (const double *const[SPACE_COUNT]){NULL},
        (double *const[OUT_COUNT]){NULL}, scratch);
    free(scratch);
    program_free(p);
    program_free(NULL);
    shape_pool_clear(&pool);
}

#ifdef TEST_ROOT
/* The page lists every instruction with its effect. */
static void test_page(void **state)
{
    (void)state;
    static char page[1 << 16];
    FILE *file = fopen(TEST_ROOT "/docs/bytecode.md", "rb");
    assert_non_null(file);
    size_t length = fread(page, 1, sizeof page - 1, file);
    fclose(file);
    assert_true(length < sizeof page - 1);
    for (int op = 0; op < OP_COUNT; op++) {
        char line[160];
        snprintf(line, sizeof line, "\n| `%s` | `%s` |\n", opcode_names[op],
            opcode_effects[op]);
        if (!strstr(page, line)) fail_msg("docs/bytecode.md lacks%s", line);
    }
}
#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_kernels),
        cmocka_unit_test(test_native_kernels),
        cmocka_unit_test(test_small_model),
        cmocka_unit_test(test_definitions_are_read_anew),
        cmocka_unit_test(test_joined_kernels),
        cmocka_unit_test(test_block_listing),
        cmocka_unit_test(test_affine_runs),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_verifier),
        cmocka_unit_test(test_failing_allocations),
        cmocka_unit_test(test_empty),
#ifdef TEST_ROOT
        cmocka_unit_test(test_page),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
