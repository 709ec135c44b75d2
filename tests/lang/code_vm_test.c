/* Both interpreters against node_apply, bit for bit: every operation over all
 * pairs of special values, fused and as block code at every vector width. */
#include "code_support.h"

/* All pairs of special values as rows; the third operand from the pair. */
static void fill_pairs(double *x, size_t rows)
{
    for (size_t i = 0; i < rows; i++) {
        x[i] = specials[i % SPECIALS];
        x[rows + i] = specials[i / SPECIALS % SPECIALS];
        x[2 * rows + i] = specials[(i + 3 * (i / SPECIALS)) % SPECIALS];
    }
}

#define PAIRS (SPECIALS * SPECIALS)

/* Runs one root over all pairs: as block code at `lanes`, or for lanes 0 as
 * fused kernels of few rows. */
static void run_pairs(const shape_pool *pool, node_id root,
    const node_id holes[3], unsigned lanes, const double *x, double *result)
{
    static uint32_t index[3 * PAIRS];
    kernel kernels[PAIRS / 7 + 1];
    kernel_column columns[PAIRS / 7 + 1][3];
    kernel_output outputs[PAIRS / 7 + 1];
    program_sizes sizes = {.space = {3 * PAIRS}, .out = {PAIRS}};
    size_t step = lanes ? PAIRS : 7, count = 0;
    program *p = NULL;
    for (uint32_t i = 0; i < 3 * PAIRS; i++) index[i] = i;
    for (size_t from = 0; from < PAIRS; from += step, count++) {
        for (size_t j = 0; j < 3; j++)
            columns[count][j] = (kernel_column){
                holes[j], SPACE_X, index + j * PAIRS + from};
        outputs[count] = (kernel_output){
            root, OUT_MAIN, false, false, index + from};
        kernels[count] = (kernel){.row_count = step,
            .columns = columns[count],
            .column_count = 3,
            .outputs = &outputs[count],
            .output_count = 1};
    }
    assert_int_equal(PAIRS % 7, 0);
    assert_int_equal(
        program_build(pool, kernels, count, &sizes, NULL, &p), DAE_OK);
    if (lanes) p->lanes = lanes;
    void *scratch = malloc(program_scratch(p));
    const double *spaces[SPACE_COUNT] = {x};
    double *outs[OUT_COUNT] = {result};
    program_run(p, spaces, outs, scratch);
    free(scratch);
    program_free(p);
}

static void check_root(
    const shape_pool *pool, node_id root, const node_id holes[3])
{
    static double x[3 * PAIRS], result[PAIRS];
    fill_pairs(x, PAIRS);
    for (unsigned lanes = 0; lanes <= vm_block_lanes();
         lanes = lanes ? 2 * lanes : 1) {
        run_pairs(pool, root, holes, lanes, x, result);
        const node *n = shape_node(pool, root);
        for (size_t i = 0; i < PAIRS; i++) {
            double expected = node_apply(
                n, x[i], x[PAIRS + i], x[2 * PAIRS + i]);
            if (!same_bits(result[i], expected))
                fail_msg("%s(%g, %g, %g) = %.17g, not %.17g; lanes %u",
                    node_text((node_op)n->op), x[i], x[PAIRS + i],
                    x[2 * PAIRS + i], result[i], expected, lanes);
        }
    }
}

static void test_every_operation(void **state)
{
    (void)state;
    for (int op = NODE_HOLE + 1; op < NODE_OP_COUNT; op++) {
        shape_pool pool;
        node_id holes[3];
        shape_pool_init(&pool, NULL);
        make_holes(&pool, holes, 3);
        if (op != NODE_POWI) {
            node_id root = make_node(&pool, (node_op)op, holes);
            assert_int_equal(shape_node(&pool, root)->op, op);
            check_root(&pool, root, holes);
        }
        shape_pool_clear(&pool);
    }
}

static void test_powers_and_families(void **state)
{
    static const int32_t exponents[] = {
        -1024, -17, -16, -7, -3, -2, -1, 2, 3, 4, 5, 7, 8, 15, 16, 17, 100};
    (void)state;
    shape_pool pool;
    node_id holes[3];
    shape_pool_init(&pool, NULL);
    make_holes(&pool, holes, 3);
    for (size_t i = 0; i < sizeof exponents / sizeof *exponents; i++)
        check_root(&pool, shape_powi(&pool, holes[0], exponents[i]), holes);
    for (int op = NODE_HOLE + 1; op < NODE_OP_COUNT; op++)
        for (unsigned k = 0; k < 5 && node_is_family((node_op)op); k++)
            check_root(
                &pool, shape_family(&pool, (node_op)op, k, holes[0]), holes);
    shape_pool_clear(&pool);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_operation),
        cmocka_unit_test(test_powers_and_families),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
