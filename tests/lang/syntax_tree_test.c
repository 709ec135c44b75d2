/* Every construct of the grammar and the tree that it makes. */
#include "support/check.h"
#include "support/syntax.h"

typedef struct tree {
    const char *text, *shown;
} tree;

static const tree expressions[] = {
    {"1.5", "number 1.5\n"},
    {"true", "bool true\n"},
    {"x'", "prime 1\n  name x\n"},
    {"(x')''", "prime 3\n  name x\n"},
    {"(V*c)'", "prime 1\n  chain\n    name V\n    * name c\n"},
    {"-x^2", "neg\n  binary ^\n    name x\n    number 2\n"},
    {"2^-x", "binary ^\n  number 2\n  neg\n    name x\n"},
    {"a^b^c", "binary ^\n  name a\n  binary ^\n    name b\n    name c\n"},
    {"-a*b", "chain\n  neg\n    name a\n  * name b\n"},
    {"a - b + c", "chain\n  name a\n  - name b\n  + name c\n"},
    {"a - (b + c)", "chain\n  name a\n  - chain\n    name b\n    + name c\n"},
    {"(a + b) + c", "chain\n  name a\n  + name b\n  + name c\n"},
    {"a/b*c", "chain\n  name a\n  / name b\n  * name c\n"},
    {"a + b*c", "chain\n  name a\n  + chain\n    name b\n    * name c\n"},
    {"a and b and not c or d",
        "chain\n  chain\n    name a\n    and name b\n    and not\n"
        "      name c\n  or name d\n"},
    {"a < b + 1", "binary <\n  name a\n  chain\n    name b\n    + number 1\n"},
    {"not a == b", "not\n  binary ==\n    name a\n    name b\n"},
    {"if a then b elseif c then d else e",
        "if\n  name a\n  name b\n  name c\n  name d\n  name e\n"},
    {"1 + if a then b else c + d",
        "chain\n  number 1\n  + if\n    name a\n    name b\n"
        "    chain\n      name c\n      + name d\n"},
    {"f(x, 2, k = 3, s = \"t\")",
        "call\n  name f\n  name x\n  number 2\n  k =\n    number 3\n"
        "  s =\n    text t\n"},
    {"f()", "call\n  name f\n"},
    {"a.b[1].c'",
        "prime 1\n  field c\n    index\n      field b\n"
        "        name a\n      number 1\n"},
    {"T[i-1,:,1..n]",
        "index\n  name T\n  chain\n    name i\n    - number 1\n  all\n"
        "  range\n    number 1\n    name n\n"},
    {"[a, [b, c]]", "vector\n  name a\n  vector\n    name b\n    name c\n"},
    {"sum(x[i] for i in 1..n, j in i..m step 2 where i != j)",
        "call\n  name sum\n  each\n    index\n      name x\n      name i\n"
        "    for i\n      number 1\n      name n\n"
        "    for j\n      name i\n      name m\n      step number 2\n"
        "    where binary !=\n      name i\n      name j\n"},
    {"[i for i in 1..3]",
        "vector\n  each\n    name i\n    for i\n      number 1\n"
        "      number 3\n"},
    {"flow*at", "chain\n  name flow\n  * name at\n"},
};

static const tree statements[] = {
    {"\"A title\"\n", "title  # 1:1\n  doc \"A title\"\n"},
    {"x = 1\n", "equation  # 1:1\n  name x\n  = number 1\n"},
    {"rod: x = 1 for i in 1..2 \"why\"\n",
        "equation rod  # 1:1\n  name x\n  = number 1\n"
        "  for i\n    number 1\n    number 2\n  doc \"why\"\n"},
    {"a = 1; b = 2\n",
        "equation  # 1:1\n  name a\n  = number 1\n"
        "equation  # 1:8\n  name b\n  = number 2\n"},
    {"for i in 1..2\n  x = i\n\n  for j in 1..3\n    y = j\n  end\nend\n",
        "for  # 1:1\n  for i\n    number 1\n    number 2\n"
        "  equation  # 2:3\n    name x\n    = name i\n"
        "  for  # 4:3\n    for j\n      number 1\n      number 3\n"
        "    equation  # 5:5\n      name y\n      = name j\n"},
    {"if a\n  x = 1\nelseif b\n  x = 2\nelse\n  x = 3\nend\n",
        "if  # 1:1\n  case name a\n    equation  # 2:3\n      name x\n"
        "      = number 1\n  case name b\n    equation  # 4:3\n"
        "      name x\n      = number 2\n  else\n    equation  # 6:3\n"
        "      name x\n      = number 3\n"},
    {"if a then b else c = 3\n",
        "equation  # 1:1\n  if\n    name a\n    name b\n    name c\n"
        "  = number 3\n"},
    {"param a = 1 {kg*m^-2/s, min = 0} \"mass\", b\n",
        "param  # 1:1\n  a\n    = number 1\n    unit kg*m^-2/s\n    min =\n"
        "      number 0\n    doc \"mass\"\n  b\n"},
    {"var x ~ 1, T[3], U[0..n, j in 1..m step 2] = j, y'' = 2\n",
        "var  # 1:1\n  x\n    ~ number 1\n  T\n    dim\n      number 3\n"
        "  U\n    dim\n      number 0\n      name n\n    dim j\n"
        "      number 1\n      name m\n      step number 2\n"
        "    = name j\n  y''\n    = number 2\n"},
    {"let r = k\ninput g = t\noutput o = r\n",
        "let  # 1:1\n  r\n    = name k\ninput  # 2:1\n  g\n"
        "    = name t\noutput  # 3:1\n  o\n    = name r\n"},
    {"init x' = 0, y ~ 1 for i in 1..2\n",
        "init  # 1:1\n  prime 1\n    name x\n  = number 0\n  name y\n"
        "  ~ number 1\n  for i\n    number 1\n    number 2\n"},
    {"fun f(a, b) = a*b \"product\"\n",
        "fun f(a, b)  # 1:1\n  doc \"product\"\n  return chain\n    name a\n"
        "    * name b\n"},
    {"fun f(a)\n  c = a\n  return c\nend\n",
        "fun f(a)  # 1:1\n  equation  # 2:3\n    name c\n    = name a\n"
        "  return name c\n"},
    {"fun zero() = 0\n", "fun zero  # 1:1\n  return number 0\n"},
    {"solve t in 0..10, rtol = 1e-6, grid = \"log\"\n",
        "solve  # 1:1\n  in t\n    number 0\n    number 10\n  rtol =\n"
        "    number 9.9999999999999995e-07\n  grid =\n    text log\n"},
    {"plot x, y'\nplot x over y\n",
        "plot  # 1:1\n  name x\n  prime 1\n    name y\n"
        "plot  # 2:1\n  name x\n  over name y\n"},
    {"expect x ~ 1 within 1 at 2\nexpect x > 0 always\n"
     "expect index == 3 final\nexpect \"E0301\"\nexpect x\n",
        "expect  # 1:1\n  name x\n  ~ number 1\n  within number 1\n"
        "  at number 2\n"
        "expect  # 2:1\n  binary >\n    name x\n    number 0\n  always\n"
        "expect  # 3:1\n  binary ==\n    name index\n    number 3\n"
        "  final\n"
        "expect \"E0301\"  # 4:1\n"
        "expect  # 5:1\n  name x\n"},
    /* what comes later is kept with its place and name */
    {"species A = 1\n", "species  # 1:1\n  A\n    = number 1\n"},
    {"discrete n = 0\n", "discrete  # 1:1\n  n\n    = number 0\n"},
    {"hit: when x < 0\n  v := -v; n := n + 1\n  stop \"on\"\n"
     "  print \"p\"\nend\n",
        "when hit  # 1:1\n  binary <\n    name x\n    number 0\n"
        "  assign  # 2:3\n    name v\n    := neg\n      name v\n"
        "  assign  # 2:12\n    name n\n    := chain\n      name n\n"
        "      + number 1\n  stop  # 3:3\n    doc \"on\"\n"
        "  print  # 4:3\n    doc \"p\"\n"},
    {"when x < 0\n  stop\n  x[2]'' := 1\nend\n",
        "when  # 1:1\n  binary <\n    name x\n    number 0\n"
        "  stop  # 2:3\n"
        "  assign  # 3:3\n    prime 2\n      index\n        name x\n"
        "        number 2\n    := number 1\n"},
    {"reactions\n  a: A + 2 B -> C @ k for i in 1..2\n"
     "  0 -> X[1] @ r\n  A <-> B @ k, l\n  E => F @ v \"doc\"\nend\n",
        "reactions  # 1:1\n"},
    {"model R(a = 1 {ohm}) \"Ohm\"\n  port p, n : Pin\n  x = 1\nend\n",
        "model R  # 1:1\n"},
    {"port Pin = v {V}, flow i {A}\n", "port Pin  # 1:1\n"},
    {"use R a(k = 1), b[3](2), c\n", "use R  # 1:1\n"},
    {"connect a.p, b[i].n for i in 1..3\n", "connect  # 1:1\n"},
    {"import \"a.dae\" as src\n", "import src  # 1:1\n  doc \"a.dae\"\n"},
};

static char *shown_tree(const char *text)
{
    parsed p;
    text_sink sink = {NULL, 0};
    dae_status st = parse_text(&p, text);
    if (st)
        print_error("%s: %s\n", text,
            dae_diagnostics_count(p.ds) ? dae_diagnostics_at(p.ds, 0)->message
                                        : "");
    CHECK_STATUS(st, DAE_OK);
    CHECK_STATUS(show_ast(p.file, sink_write, &sink), DAE_OK);
    parsed_clear(&p);
    return sink.text;
}

static void statements_make_trees(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof statements / sizeof *statements; i++) {
        char *shown = shown_tree(statements[i].text);
        assert_string_equal(shown, statements[i].shown);
        free(shown);
    }
}

/* As the right side of an equation, without the two lines before it. */
static void expressions_make_trees(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof expressions / sizeof *expressions; i++) {
        char text[200], expected[1000] = "equation  # 1:1\n  name z\n  = ";
        (void)snprintf(text, sizeof text, "z = %s\n", expressions[i].text);
        for (const char *c = expressions[i].shown; *c; c++) {
            size_t used = strlen(expected);
            assert_true(used + 8 < sizeof expected);
            expected[used] = *c;
            expected[used + 1] = '\0';
            if (*c == '\n' && c[1]) strcat(expected, "  ");
        }
        char *shown = shown_tree(text);
        assert_string_equal(shown, expected);
        free(shown);
    }
}

static void check_span(const parsed *p, text_span span, const char *expected)
{
    size_t length = strlen(expected);
    assert_int_equal(span.end - span.begin, length);
    assert_memory_equal(p->source.text + span.begin, expected, length);
}

static void spans_cover_what_was_read(void **state)
{
    (void)state;
    parsed p;
    CHECK_STATUS(parse_text(&p,
                     "rod: (x + 1)'*[2] = f(y) for i in 1..3 # c\n"
                     "param  k[3] = (1) {kg} , q\n"
                     "for i in 1..2\n z = i\nend # c\n"
                     "solve t in 0..(1) ; plot x\n"
                     "expect x ~ (1) within 2 at 3\n"),
        DAE_OK);
    assert_int_equal(p.file->count, 6);
    const ast_stmt *s = p.file->stmts[0];
    check_span(&p, s->span, "rod: (x + 1)'*[2] = f(y) for i in 1..3");
    check_span(&p, s->name_span, "rod");
    check_span(&p, s->left->span, "(x + 1)'*[2]");
    check_span(&p, s->left->items[0]->span, "(x + 1)'");
    check_span(&p, s->left->items[0]->a->span, "(x + 1)");
    check_span(&p, s->right->span, "f(y)");
    check_span(&p, s->iters->span, "for i in 1..3");
    s = p.file->stmts[1];
    check_span(&p, s->span, "param  k[3] = (1) {kg} , q");
    check_span(&p, s->keyword, "param");
    check_span(&p, s->decls[0].span, "k[3] = (1) {kg}");
    check_span(&p, s->decls[0].name_span, "k");
    check_span(&p, s->decls[0].attrs[0].span, "kg");
    check_span(&p, s->decls[1].span, "q");
    check_span(&p, p.file->stmts[2]->span, "for i in 1..2\n z = i\nend");
    check_span(&p, p.file->stmts[3]->span, "solve t in 0..(1)");
    check_span(&p, p.file->stmts[4]->span, "plot x");
    check_span(&p, p.file->stmts[5]->span, "expect x ~ (1) within 2 at 3");
    parsed_clear(&p);
}

/* A sum of many terms is one node. */
static void a_long_sum_is_flat(void **state)
{
    (void)state;
    enum { TERMS = 100000 };
    char *text = malloc(TERMS * 4 + 10);
    assert_non_null(text);
    strcpy(text, "x = a");
    for (size_t i = 0; i < TERMS; i++)
        memcpy(text + 5 + i * 4, i % 2 ? " + b" : " - b", 5);
    parsed p;
    CHECK_STATUS(parse_text(&p, text), DAE_OK);
    const ast_expr *e = p.file->stmts[0]->right;
    assert_int_equal(e->kind, AST_CHAIN);
    assert_int_equal(e->count, TERMS + 1);
    assert_int_equal(e->depth, 2);
    assert_int_equal(e->ops[0], AST_ADD);
    assert_int_equal(e->ops[1], AST_SUB);
    assert_int_equal(e->ops[TERMS], AST_ADD);
    parsed_clear(&p);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(expressions_make_trees),
        cmocka_unit_test(statements_make_trees),
        cmocka_unit_test(spans_cover_what_was_read),
        cmocka_unit_test(a_long_sum_is_flat),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
