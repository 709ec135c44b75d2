/* Texts of shapes: by hand for a table of trees, and read back by a small
 * parser of the language's expressions for random ones. */
#include "ir_support.h"

#include "ir/print.h"

/* ---- writing into a buffer ---------------------------------------------- */

typedef struct text_buffer {
    char text[1 << 16];
    size_t length;
    long refuse_at; /* calls until `write` refuses; -1: never */
} text_buffer;

static int write_buffer(void *context, const char *text, size_t length)
{
    text_buffer *b = context;
    if (b->refuse_at == 0) return 1;
    if (b->refuse_at > 0) b->refuse_at--;
    if (length >= sizeof b->text - b->length) return 1;
    memcpy(b->text + b->length, text, length);
    b->length += length;
    b->text[b->length] = '\0';
    return 0;
}

/* u0.., k0.., d0.., t */
static dae_status name_leaf(void *context, leaf_kind kind, uint32_t number,
    unsigned order, dae_write_fn *write, void *write_context)
{
    (void)context;
    (void)order;
    char name[16];
    int length = kind == LEAF_TIME
        ? snprintf(name, sizeof name, "t")
        : snprintf(name, sizeof name, "%c%u", "ukd"[kind], (unsigned)number);
    return write(write_context, name, (size_t)length) ? DAE_IO : DAE_OK;
}

static const char *print(
    const shape_pool *p, node_id root, size_t limit, text_buffer *b)
{
    b->length = 0;
    b->refuse_at = -1;
    assert_int_equal(
        shape_print(p, root, limit, name_leaf, NULL, write_buffer, b), DAE_OK);
    return b->text;
}

/* ---- a parser of the language's expressions ------------------------------ */

typedef struct reader {
    shape_pool *p;
    const char *at;
} reader;

static node_id read_expression(reader *r, int weakest);

static bool take(reader *r, const char *text)
{
    while (*r->at == ' ') r->at++;
    size_t length = strlen(text);
    if (strncmp(r->at, text, length) != 0) return false;
    r->at += length;
    return true;
}

static void must_take(reader *r, const char *text)
{
    if (!take(r, text)) fail_msg("no `%s` at `%s`", text, r->at);
}

static node_id read_call(reader *r, node_op op)
{
    node_id operand[2] = {NODE_NONE, NODE_NONE};
    must_take(r, "(");
    if (op == NODE_STUMPFF) {
        unsigned number = (unsigned)strtoul(r->at, (char **)&r->at, 10);
        must_take(r, ",");
        operand[0] = read_expression(r, 0);
        must_take(r, ")");
        return shape_family(r->p, op, number, operand[0]);
    }
    operand[0] = read_expression(r, 0);
    if (op == NODE_SINC || op == NODE_COSC || op == NODE_SINCC) {
        unsigned index = 0;
        if (take(r, ",")) index = (unsigned)strtoul(r->at, (char **)&r->at, 10);
        must_take(r, ")");
        return shape_family(r->p, op, index, operand[0]);
    }
    if (node_arity(op) == 2) {
        must_take(r, ",");
        operand[1] = read_expression(r, 0);
    }
    must_take(r, ")");
    return node_arity(op) == 2 ? shape_binary(r->p, op, operand[0], operand[1])
                               : shape_unary(r->p, op, operand[0]);
}

static node_id read_leaf(reader *r)
{
    if (take(r, "der(")) {
        node hole = *shape_node(r->p, read_leaf(r));
        must_take(r, ",");
        unsigned order = (unsigned)strtoul(r->at, (char **)&r->at, 10);
        must_take(r, ")");
        return shape_hole(r->p, (leaf_kind)hole.kind, hole.a, order);
    }
    if (take(r, "t")) return shape_hole(r->p, LEAF_TIME, 9, 0);
    leaf_kind kind = LEAF_UNKNOWN;
    if (take(r, "k")) {
        kind = LEAF_PARAM;
    } else if (take(r, "d")) {
        kind = LEAF_DEFINITION;
    } else {
        must_take(r, "u");
    }
    uint32_t number = (uint32_t)strtoul(r->at, (char **)&r->at, 10);
    unsigned order = 0;
    while (take(r, "'")) order++;
    return shape_hole(r->p, kind, number, order);
}

static node_id read_primary(reader *r)
{
    if (take(r, "(")) {
        node_id inside = read_expression(r, 0);
        must_take(r, ")");
        return inside;
    }
    if (take(r, "inf")) return shape_const(r->p, (double)INFINITY);
    if (*r->at >= '0' && *r->at <= '9')
        return shape_const(r->p, strtod(r->at, (char **)&r->at));
    for (size_t i = 0; i < COUNT_OF(every_op); i++) {
        const char *name = node_text(every_op[i]);
        size_t length = strlen(name);
        if (strncmp(r->at, name, length) == 0 && r->at[length] == '(') {
            r->at += length;
            return read_call(r, every_op[i]);
        }
    }
    return read_leaf(r);
}

static node_id read_if(reader *r)
{
    node_id condition = read_expression(r, 0);
    must_take(r, "then");
    node_id yes = read_expression(r, 0);
    if (take(r, "elseif"))
        return shape_select(r->p, condition, yes, read_if(r));
    must_take(r, "else");
    return shape_select(r->p, condition, yes, read_expression(r, 0));
}

/* Strengths as in the grammar: if 0, or 1, and 2, not 3, comparisons 4,
 * + and - 5, * and / 6, sign 7, ^ 8. */
static node_id read_prefix(reader *r)
{
    if (take(r, "if ")) return read_if(r);
    if (take(r, "not "))
        return shape_unary(r->p, NODE_NOT, read_expression(r, 3));
    if (take(r, "-")) return shape_unary(r->p, NODE_NEG, read_expression(r, 7));
    return read_primary(r);
}

static node_id read_expression(reader *r, int weakest)
{
    static const struct {
        const char *text;
        node_op op;
        int strength, right;
    } infix[] = {
        {"or ", NODE_OR, 1, 2},
        {"and ", NODE_AND, 2, 3},
        {"<=", NODE_LE, 4, 5},
        {"<", NODE_LT, 4, 5},
        {"==", NODE_EQ, 4, 5},
        {"!=", NODE_NE, 4, 5},
        {"+", NODE_ADD, 5, 6},
        {"-", NODE_SUB, 5, 6},
        {"*", NODE_MUL, 6, 7},
        {"/", NODE_DIV, 6, 7},
        {"^", NODE_POW, 8, 8},
    };
    while (*r->at == ' ') r->at++;
    node_id left = read_prefix(r);
    bool compared = false; /* comparisons do not associate */
    for (size_t i = 0; i < COUNT_OF(infix);) {
        const char *before = r->at;
        if (infix[i].strength < weakest || !take(r, infix[i].text)) {
            r->at = before;
            i++;
            continue;
        }
        node_id right = read_expression(r, infix[i].right);
        left = shape_binary(r->p, infix[i].op, left, right);
        if (infix[i].op >= NODE_LT && infix[i].op <= NODE_NE) {
            if (compared) fail_msg("a chain of comparisons at `%s`", before);
            compared = true;
        }
        i = 0;
    }
    return left;
}

static node_id read_text(shape_pool *p, const char *text)
{
    reader r = {p, text};
    node_id id = read_expression(&r, 0);
    while (*r.at == ' ') r.at++;
    if (*r.at != '\0') fail_msg("left over: `%s` of `%s`", r.at, text);
    return id;
}

/* ---- tests -------------------------------------------------------------- */

/* Left: what is read; right: what is printed. Written by hand. */
static const struct {
    const char *read, *printed;
} readings[] = {
    {"u0 + u1 + u2", "u0 + u1 + u2"},
    {"u0 - (u1 - u2)", "u0 - (u1 - u2)"},
    {"(u0 - u1) - u2", "u0 - u1 - u2"},
    {"u0 - (u1 + u2)", "u0 - (u1 + u2)"},
    {"u0 + (u1 - u2)", "u1 - u2 + u0"},
    {"u0/(u1*u2)", "u0/(u1*u2)"},
    {"(u0*u1)/u2", "u0*u1/u2"},
    {"u0*(u1/u2)", "u1/u2*u0"},
    {"(u0/u1)/u2", "u0/u1/u2"},
    {"u0/(u1/u2)", "u0/(u1/u2)"},
    {"(u0*u1)*(u2*u3)", "u0*u1*(u2*u3)"},
    {"(u0 + u1)*u2", "(u0 + u1)*u2"},
    {"u0*2", "2*u0"},
    {"(u0 + 1)*2", "2*(u0 + 1)"},
    {"-u0^2", "-u0^2"},
    {"(-u0)^2", "(-u0)^2"},
    {"-(u0*u1)", "-(u0*u1)"},
    {"-u0*u1", "-u0*u1"},
    {"u0*(-u1)", "u0*-u1"},
    {"u0^(-2)", "u0^-2"},
    {"u0^(-k1)", "u0^-k1"},
    {"u0^-k1^2", "u0^-k1^2"},
    {"u0^u1^u2", "u0^u1^u2"},
    {"(u0^u1)^u2", "(u0^u1)^u2"},
    {"(u0^2)^3", "(u0^2)^3"},
    {"(u0*u1)^2", "(u0*u1)^2"},
    {"sin(u0)^2", "sin(u0)^2"},
    {"-2*u0", "-2*u0"},
    {"(-2)^u0", "(-2)^u0"},
    {"u0 - -2", "u0 - -2"},
    {"sin(u0 + 1)", "sin(u0 + 1)"},
    {"atan2(u0, -u1)", "atan2(u0, -u1)"},
    {"min(u0, max(u1, 2))", "min(u0, max(u1, 2))"},
    {"sinc(u0)", "sinc(u0)"},
    {"sincc(u0*u1, 3)", "sincc(u0*u1, 3)"},
    {"u0 < u1", "u0 < u1"},
    {"(u0 < u1) == (u1 <= u2)", "(u0 < u1) == (u1 <= u2)"},
    {"u0 + 1 < u1 and not u2 == 3", "u0 + 1 < u1 and not u2 == 3"},
    {"u0 and (u1 or u2)", "u0 and (u1 or u2)"},
    {"u0 and u1 or u2", "u0 and u1 or u2"},
    {"u0 or (u1 or u2)", "u0 or (u1 or u2)"},
    {"not (u0 and u1)", "not (u0 and u1)"},
    {"(not u0) < u1", "(not u0) < u1"},
    {"if u0 < 1 then u1 else u2 + 3", "if u0 < 1 then u1 else u2 + 3"},
    {"if u0 then u1 elseif u2 then u3 else u4",
        "if u0 then u1 elseif u2 then u3 else u4"},
    {"if u0 then if u1 then u2 else u3 else u4",
        "if u0 then (if u1 then u2 else u3) else u4"},
    {"1 + (if u0 then u1 else u2)", "1 + (if u0 then u1 else u2)"},
    {"sin(if u0 then u1 else u2)", "sin(if u0 then u1 else u2)"},
    {"u0''*d3' + u1'''", "u0''*d3' + u1'''"},
    {"der(u0, 4)*der(d1, 12)", "der(u0, 4)*der(d1, 12)"},
    {"k2*t", "k2*t"},
    {"u0 < inf", "u0 < inf"},
    {"u0 < -inf", "u0 < -inf"},
    {"1/0", "1/0"},
};

static void texts_have_the_fewest_parentheses(void **state)
{
    (void)state;
    text_buffer *b = calloc(1, sizeof *b);
    assert_non_null(b);
    for (size_t i = 0; i < COUNT_OF(readings); i++) {
        shape_pool p;
        shape_pool_init(&p, NULL);
        node_id id = read_text(&p, readings[i].read);
        const char *text = print(&p, id, 0, b);
        assert_string_equal(text, readings[i].printed);
        assert_int_equal(read_text(&p, text), id);
        shape_pool_clear(&p);
    }
    free(b);
}

static void numbers_have_the_fewest_digits(void **state)
{
    (void)state;
    static const struct {
        double value;
        const char *text;
    } table[] = {
        {0.1, "0.1"},
        {1, "1"},
        {100000, "100000"},
        {1e21, "1e21"},
        {1e-5, "1e-5"},
        {2.5e-10, "2.5e-10"},
        {1e100, "1e100"},
        {0.1 + 0.2, "0.30000000000000004"},
        {1.0 / 3, "0.3333333333333333"},
        {5e-324, "5e-324"},
        {1.7976931348623157e308, "1.7976931348623157e308"},
        {9.81, "9.81"},
        {-0.5, "-0.5"},
        {123456789.125, "123456789.125"},
        {(double)INFINITY, "inf"},
        {-(double)INFINITY, "-inf"},
        {(double)NAN, "nan"},
    };
    text_buffer *b = calloc(1, sizeof *b);
    assert_non_null(b);
    shape_pool p;
    shape_pool_init(&p, NULL);
    for (size_t i = 0; i < COUNT_OF(table); i++)
        assert_string_equal(
            print(&p, shape_const(&p, table[i].value), 0, b), table[i].text);
    uint64_t random = 1;
    for (int i = 0; i < 2000; i++) {
        uint64_t bits = random_bits(&random);
        double value, back;
        memcpy(&value, &bits, sizeof value);
        if (!isfinite(value)) continue;
        back = strtod(print(&p, shape_const(&p, value), 0, b), NULL);
        assert_memory_equal(&value, &back, sizeof back);
    }
    free(b);
    shape_pool_clear(&p);
}

static void random_expressions_read_back_as_the_same_node(void **state)
{
    (void)state;
    text_buffer *b = calloc(1, sizeof *b);
    assert_non_null(b);
    uint64_t random = 31;
    for (int i = 0; i < 1000; i++) {
        shape_pool p;
        shape_pool_init(&p, NULL);
        node_id id = random_shape(&p, &random, every_kind, 1 + i % 7);
        const char *text = print(&p, id, 0, b);
        if (read_text(&p, text) != id) fail_msg("not the same: %s", text);
        shape_pool_clear(&p);
    }
    free(b);
}

static void a_limit_cuts_between_pieces(void **state)
{
    (void)state;
    text_buffer *b = calloc(1, sizeof *b);
    assert_non_null(b);
    shape_pool p;
    shape_pool_init(&p, NULL);
    node_id id = read_text(&p, "u10 + u20 + u30");
    assert_string_equal(print(&p, id, 15, b), "u10 + u20 + u30");
    assert_string_equal(print(&p, id, 14, b), "u10 + u20 +  ...");
    assert_string_equal(print(&p, id, 4, b), "u10 ...");
    assert_string_equal(print(&p, id, 1, b), " ...");
    /* 2^200 leaves when written out: the limit ends it */
    for (int i = 0; i < 200; i++)
        id = shape_binary(&p, NODE_MUL, shape_unary(&p, NODE_SIN, id), id);
    assert_true(strlen(print(&p, id, 1000, b)) <= 1004);
    free(b);
    shape_pool_clear(&p);
}

static void a_refusing_writer_is_an_io_error(void **state)
{
    (void)state;
    text_buffer *b = calloc(1, sizeof *b);
    assert_non_null(b);
    shape_pool p;
    shape_pool_init(&p, NULL);
    node_id id = read_text(&p, "sin(u1) + der(u0, 7)");
    for (long n = 0; n < 9; n++) {
        b->length = 0;
        b->refuse_at = n;
        dae_status st = shape_print(
            &p, id, 0, name_leaf, NULL, write_buffer, b);
        assert_int_equal(st, n < 8 ? DAE_IO : DAE_OK);
    }
    free(b);
    shape_pool_clear(&p);
}

static void a_failing_allocator_gives_memory_and_no_leak(void **state)
{
    (void)state;
    text_buffer *b = calloc(1, sizeof *b);
    assert_non_null(b);
    test_heap heap = {0, -1, 0};
    dae_allocator a = {test_heap_resize, &heap};
    shape_pool p;
    shape_pool_init(&p, &a);
    node_id id = shape_hole(&p, LEAF_UNKNOWN, 0, 0);
    for (int i = 0; i < 40; i++)
        id = shape_unary(&p, i % 2 ? NODE_SIN : NODE_EXP, id);
    size_t before = heap.bytes;
    bool done = false;
    for (long n = 0; !done; n++) {
        heap.calls = 0;
        heap.fail_at = n;
        b->length = 0;
        b->refuse_at = -1;
        dae_status st = shape_print(
            &p, id, 0, name_leaf, NULL, write_buffer, b);
        done = heap.calls <= n;
        assert_true(st == DAE_OK || (st == DAE_MEMORY && !done));
        assert_int_equal(heap.bytes, before);
        if (done) assert_true(n > 2);
    }
    free(b);
    shape_pool_clear(&p);
    assert_int_equal(heap.bytes, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(texts_have_the_fewest_parentheses),
        cmocka_unit_test(numbers_have_the_fewest_digits),
        cmocka_unit_test(random_expressions_read_back_as_the_same_node),
        cmocka_unit_test(a_limit_cuts_between_pieces),
        cmocka_unit_test(a_refusing_writer_is_an_io_error),
        cmocka_unit_test(a_failing_allocator_gives_memory_and_no_leak),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
