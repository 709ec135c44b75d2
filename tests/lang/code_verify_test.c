/* The verifier on programs that are right but for one field: fused code,
 * columns that are gathered, and what a block computes once. Damage to ports,
 * sizes and block code is in code_program_test.c. */
#include "code_support.h"

typedef struct fixture {
    shape_pool pool;
    node_id h[3];
    program *p;
} fixture;

static void open_pool(fixture *f)
{
    *f = (fixture){.p = NULL};
    shape_pool_init(&f->pool, NULL);
    make_holes(&f->pool, f->h, 3);
}

static void close_fixture(fixture *f)
{
    program_free(f->p);
    shape_pool_clear(&f->pool);
}

#define DAMAGED(p, field, value)                                               \
    do {                                                                       \
        unsigned char kept[sizeof(field)];                                     \
        memcpy(kept, &(field), sizeof kept);                                   \
        (field) = (value);                                                     \
        assert_int_equal(program_verify(p), DAE_ARGUMENT);                     \
        memcpy(&(field), kept, sizeof kept);                                   \
        assert_int_equal(program_verify(p), DAE_OK);                           \
    } while (0)

/* The only instruction with this operation. */
static scalar_ins *scalar_of(const program *p, opcode op)
{
    scalar_ins *found = NULL;
    for (size_t i = 0; i < p->scalar.count; i++) {
        if (scalar_op(&p->scalar.items[i]) != (unsigned)op) continue;
        assert_null(found);
        found = &p->scalar.items[i];
    }
    assert_non_null(found);
    return found;
}

static uint32_t with_op(const scalar_ins *i, opcode op)
{
    return (i->head & ~0xffu) | (uint32_t)op;
}

/* `field` 0: the place of the result, 1 to 3 of the operands. */
static uint32_t with_place(const scalar_ins *i, int field, unsigned at)
{
    int shift = 8 + 4 * field;
    return (i->head & ~(0xfu << shift)) | at << shift;
}

/* main[0] = sin(x[0])*exp(x[1]), main[1] += sin(x[0])/3.5 */
static void open_fused(fixture *f)
{
    static const uint32_t index[] = {0, 1};
    open_pool(f);
    shape_pool *pool = &f->pool;
    node_id sine = shape_unary(pool, NODE_SIN, f->h[0]);
    node_id product = shape_binary(
        pool, NODE_MUL, sine, shape_unary(pool, NODE_EXP, f->h[1]));
    node_id part = shape_binary(pool, NODE_DIV, sine, shape_const(pool, 3.5));
    kernel_column columns[] = {
        {f->h[0], SPACE_X, index}, {f->h[1], SPACE_X, index + 1}};
    kernel_output outputs[] = {{product, OUT_MAIN, false, false, index},
        {part, OUT_MAIN, true, false, index + 1}};
    kernel k = {0, 1, columns, 2, outputs, 2};
    program_sizes sizes = {.space = {2}, .out = {2}};
    assert_int_equal(program_build(pool, &k, 1, &sizes, NULL, &f->p), DAE_OK);
    assert_int_equal(f->p->sections.count, 1);
    assert_false(f->p->sections.items[0].is_block);
}

static void fused_operands_and_results_are_checked(void **state)
{
    (void)state;
    fixture f;
    open_fused(&f);
    program *p = f.p;
    scalar_ins *sine = scalar_of(p, OP_SIN), *expo = scalar_of(p, OP_EXP);
    scalar_ins *product = scalar_of(p, OP_MUL), *part = scalar_of(p, OP_DIV);
    scalar_ins *sum = scalar_of(p, OP_ADD);
    /* slots: read before they are written, beyond the last one */
    DAMAGED(p, sine->d, expo->d);
    DAMAGED(p, product->a, 1000);
    DAMAGED(p, sine->d, 1000);
    DAMAGED(p, p->sections.items[0].slots, 1);
    scalar_ins first = p->scalar.items[0];
    DAMAGED(p, p->scalar.items[0], *product);
    assert_memory_equal(&first, &p->scalar.items[0], sizeof first);
    /* arrays: beyond their ends */
    DAMAGED(p, sine->a, 2);
    DAMAGED(p, part->b, 1); /* there is one constant */
    DAMAGED(p, product->d, 2);
    DAMAGED(p, p->sizes.space[SPACE_X], 1);
    DAMAGED(p, p->sizes.out[OUT_MAIN], 1);
    /* places: what is only read, what is not of fused code, none at all */
    DAMAGED(p, product->head, with_place(product, 0, AT_X));
    DAMAGED(p, product->head, with_place(product, 0, AT_CONST));
    DAMAGED(p, product->head, with_place(product, 0, AT_CELL));
    DAMAGED(p, sine->head, with_place(sine, 1, AT_CELL));
    DAMAGED(p, sine->head, with_place(sine, 1, AT_PORT));
    DAMAGED(p, sine->head, with_place(sine, 1, 15));
    /* an output is read by the instruction alone that adds to it */
    assert_int_equal(scalar_at(sum, 0), AT_MAIN);
    DAMAGED(p, sum->a, 0);
    DAMAGED(p, sine->head, with_place(sine, 1, AT_MAIN));
    DAMAGED(p, sine->head, with_op(sine, OP_GATHER));
    DAMAGED(p, sine->head, with_op(sine, OP_SCATTER_SET));
    DAMAGED(p, p->sections.items[0].scalar.first, 1000);
    close_fixture(&f);
}

enum { ROWS = 64 };

/* main[i] = x[63 - i] * x[2 i] */
static void open_gathered(fixture *f)
{
    static uint32_t back[ROWS], twice[ROWS], target[ROWS];
    open_pool(f);
    for (uint32_t i = 0; i < ROWS; i++) {
        back[i] = ROWS - 1 - i;
        twice[i] = 2 * i;
        target[i] = i;
    }
    kernel_column columns[] = {
        {f->h[0], SPACE_X, back}, {f->h[1], SPACE_X, twice}};
    kernel_output output = {shape_binary(&f->pool, NODE_MUL, f->h[0], f->h[1]),
        OUT_MAIN, false, false, target};
    kernel k = {0, ROWS, columns, 2, &output, 1};
    program_sizes sizes = {.space = {2 * ROWS - 1}, .out = {ROWS}};
    assert_int_equal(
        program_build(&f->pool, &k, 1, &sizes, NULL, &f->p), DAE_OK);
}

/* The column with this stride. */
static column_run *run_of(const program *p, int32_t stride)
{
    for (size_t k = 0; k < p->runs.count; k++)
        if (p->runs.items[k].stride == stride) return &p->runs.items[k];
    fail_msg("no column has the stride %d", (int)stride);
    return NULL;
}

static void gathered_columns_are_checked_at_both_ends(void **state)
{
    (void)state;
    fixture f;
    open_gathered(&f);
    program *p = f.p;
    column_run *back = run_of(p, -1), *twice = run_of(p, 2);
    assert_int_equal(back->base, ROWS - 1);
    DAMAGED(p, back->base, ROWS - 2);
    DAMAGED(p, back->base, 2 * ROWS - 1);
    DAMAGED(p, back->stride, -2);
    DAMAGED(p, twice->base, 1);
    DAMAGED(p, twice->stride, 3);
    DAMAGED(p, twice->stride, INT32_MAX);
    DAMAGED(p, twice->stride, INT32_MIN);
    DAMAGED(p, p->sizes.space[SPACE_X], 2 * ROWS - 2);
    block_port *port = &p->ports.items[0];
    assert_false(port->is_output || port->is_direct);
    DAMAGED(p, port->is_direct, true);
    DAMAGED(p, port->reg, 0);
    DAMAGED(p, port->reg, 1000);
    DAMAGED(p, port->first, 1000);
    DAMAGED(p, p->sections.items[0].rows, ROWS + 1);
    DAMAGED(p, p->segment_rows.items[0], 0);
    DAMAGED(p, p->sections.items[0].segments.first, 1);
    DAMAGED(p, p->sections.items[0].first_run, 1);
    close_fixture(&f);
}

/* main[i] = x[i] * sin(param[1]), whose sine is computed once */
static void open_uniform(fixture *f)
{
    static uint32_t ones[ROWS], target[ROWS];
    open_pool(f);
    for (uint32_t i = 0; i < ROWS; i++) {
        ones[i] = 1;
        target[i] = i;
    }
    kernel_column columns[] = {
        {f->h[0], SPACE_X, target}, {f->h[1], SPACE_PARAM, ones}};
    node_id sine = shape_unary(&f->pool, NODE_SIN, f->h[1]);
    kernel_output output = {shape_binary(&f->pool, NODE_MUL, f->h[0], sine),
        OUT_MAIN, false, false, target};
    kernel k = {0, ROWS, columns, 2, &output, 1};
    program_sizes sizes = {
        .space = {[SPACE_X] = ROWS, [SPACE_PARAM] = 2}, .out = {ROWS}};
    assert_int_equal(
        program_build(&f->pool, &k, 1, &sizes, NULL, &f->p), DAE_OK);
    assert_int_equal(f->p->sections.items[0].cells, 1);
}

static void cells_are_written_once_and_before_they_are_read(void **state)
{
    (void)state;
    fixture f;
    open_uniform(&f);
    program *p = f.p;
    section *s = &p->sections.items[0];
    scalar_ins *sine = scalar_of(p, OP_SIN);
    assert_int_equal(scalar_d_at(sine), AT_CELL);
    DAMAGED(p, sine->d, 1); /* not where a cell begins */
    DAMAGED(p, sine->d, CELL_WIDTH);
    DAMAGED(p, sine->head, with_place(sine, 0, AT_MAIN));
    DAMAGED(p, sine->head, with_place(sine, 0, AT_CONST));
    DAMAGED(p, sine->a, 2);
    DAMAGED(p, s->scalar.count, 0); /* the cell is never written */
    block_ins *product = &p->block.items[s->code.first];
    assert_int_equal(product->op, OP_MUL);
    DAMAGED(p, product->vectors, 3); /* a cell does not advance by row */
    DAMAGED(p, product->vectors, 0); /* and a column does */
    close_fixture(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fused_operands_and_results_are_checked),
        cmocka_unit_test(gathered_columns_are_checked_at_both_ends),
        cmocka_unit_test(cells_are_written_once_and_before_they_are_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
