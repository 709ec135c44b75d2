/* Wrong texts: code, line, column and the help that each must get, and no
 * further error. */
#include "support/check.h"
#include "support/syntax.h"

typedef struct mistake {
    const char *text, *code;
    uint32_t line, column;
    const char *says; /* part of the message or of the help */
} mistake;

static const mistake mistakes[] = {
    /* what is missing */
    {"x = \n", "E0102", 1, 4, "the end of the line, expected an expression"},
    {"param a =\nvar x = 1\nx = 1\n", "E0102", 1, 10, "an expression"},
    {"x + 1\n", "E0102", 1, 6, "`left = right`"},
    {"x = f(1, )\n", "E0102", 1, 10, "expression"},
    {"x = 1 for i\n", "E0102", 1, 12, "expected `in`"},
    {"var for = 1\n", "E0102", 1, 5, "this word is reserved"},
    {"var x = 1, for = 1\n", "E0102", 1, 12, "this word is reserved"},
    {"var x[3] = i for i in 1..3\n", "E0102", 1, 14, "x[i in 1..n]"},
    {"plot\n", "E0102", 1, 5, "an expression"},
    {"init x\n", "E0102", 1, 7, "`=`, `~`"},
    {"let = 3\n", "E0102", 1, 5, "expected a name"},
    {"x = a +\nsolve t in 0..1\n", "E0102", 1, 8, "an expression"},
    {"x = if a then b\n", "E0102", 1, 16, "`else`"},
    {"expect x ~ 3\n", "E0102", 1, 13, "`within`"},
    {"import foo\n", "E0102", 1, 8, "a text in quotes"},
    {"fun f(x) x + 1\n", "E0102", 1, 10, "`=`"},
    {"reactions\n  A -> B\nend\n", "E0102", 2, 9, "`@`"},
    /* what is twice */
    {"x = = 2\n", "E0102", 1, 5, "second `=`"},
    {"x = 1 = 2\n", "E0102", 1, 7, "new line for each"},
    {"x = 1 +\n\n\ny = 2\n", "E0102", 4, 3, "second `=`"},
    {"x = 1 y = 2\n", "E0102", 1, 7, "line of its own"},
    {"a = 1, b = 2\n", "E0102", 1, 6, "line of its own"},
    {"let x = 5 +* 3\n", "E0102", 1, 12, "found `*`"},
    /* brackets */
    {"x = (1 + 2\ny = 3\n", "E0102", 2, 1, "expected `)`"},
    {"x = [1, 2\nparam k = 1\n", "E0102", 1, 10, "expected `]`, `,`"},
    {"x = 1)\n", "E0102", 1, 6, "found `)`"},
    {"x = (1]\n", "E0102", 1, 7, "expected `)`"},
    {"T[1,2' = 3\n", "E0102", 1, 8, "expected `]`"},
    {"x = (1 + y\nz = 3\n", "E0102", 2, 1, "close the bracket with `)`"},
    {"x = sin(y\nvar z\n", "E0102", 1, 10, "close the bracket with `)`"},
    {"x = y[1\nz = 3\n", "E0102", 2, 1, "close the bracket with `]`"},
    {"var x = 1 {m\nx' = 1\n", "E0102", 2, 1, "expected `}`"},
    {"x = [1, 2; 3, 4]\n", "E0102", 1, 10, "[[a, b], [c, d]]"},
    /* words */
    {"parm k = 1\n", "E0102", 1, 1, "did you mean `param`?"},
    {"vra x\n", "E0102", 1, 1, "did you mean `var`?"},
    {"parameter k = 1\n", "E0102", 1, 1, "did you mean `param`?"},
    {"fro i in 1..2\n  x[i] = 1\nend\n", "E0102", 1, 1, "`for`"},
    {"var in = 3\n", "E0102", 1, 5, "reserved"},
    {"param k 3\n", "E0102", 1, 9, "name = value"},
    {"var x y\n", "E0102", 1, 7, "`,` between"},
    /* borrowed from other languages */
    {"x == 3\n", "E0102", 1, 3, "`==` compares"},
    {"x := 1\n", "E0220", 1, 3, "inside a `when` only"},
    {"x = 2**3\n", "E0102", 1, 7, "`^`"},
    {"x = 3 // text\n", "E0102", 1, 8, "`#`"},
    {"x = 2 y\n", "E0102", 1, 7, "`*`"},
    {"x = sin 3\n", "E0102", 1, 9, "parentheses"},
    {"x = a < b < c\n", "E0102", 1, 11, "a < b and b < c"},
    {"let y = sqrt x\n", "E0102", 1, 14, "parentheses"},
    {"connect a.p b.n\n", "E0102", 1, 13, "`,` between"},
    {"equation x = 1\n", "E0102", 1, 10, "no keyword"},
    {"var x = 1, param k = 2\n", "E0102", 1, 12, "new line"},
    {"= 3\n", "E0102", 1, 1, "expected a statement"},
    {"x = {1, 2}\n", "E0102", 1, 5, "[a, b]"},
    {"x = 3 {m}\n", "E0102", 1, 7, "declaration"},
    {"x = y[1:3]\n", "E0102", 1, 8, "1..n"},
    {"x' = 1 for i in 1:3\n", "E0102", 1, 18, "1..n"},
    {"for i = 1..3\n  x[i] = 1\nend\n", "E0102", 1, 7, "for i in"},
    {"solve t = 0..10\n", "E0102", 1, 9, "solve t in"},
    {"expect x = 3\n", "E0102", 1, 10, "`==`"},
    {"x = a <> b\n", "E0102", 1, 8, "`!=`"},
    {"let c = a > = b\n", "E0102", 1, 13, "`>=`"},
    {"let c = a < = b\n", "E0102", 1, 13, "`<=`"},
    {"x += 1\n", "E0102", 1, 4, "in full"},
    {"x -= 1\n", "E0102", 1, 4, "in full"},
    {"x *= 1\n", "E0102", 1, 4, "in full"},
    {"x /= 1\n", "E0102", 1, 4, "an expression"},
    {"let c = a > b > d\n", "E0102", 1, 15, "a < b and b < c"},
    {"let c = a <= b <= d\n", "E0102", 1, 16, "a < b and b < c"},
    {"let c = a >= b >= d\n", "E0102", 1, 16, "a < b and b < c"},
    {"let c = a == b == d\n", "E0102", 1, 16, "a < b and b < c"},
    {"let c = a != b != d\n", "E0102", 1, 16, "a < b and b < c"},
    {"parm at = 3\n", "E0102", 1, 1, "`param`"},
    {"parm 3\n", "E0102", 1, 1, "`param`"},
    {"titel \"text\"\n", "E0102", 1, 7, "found `\"text\"`"},
    {"param k = 1 = 2\n", "E0102", 1, 13, "found `=`"},
    {"3 = x = 2\n", "E0102", 1, 7, "second `=`"},
    {"x = f(1,\n2) = 3\n", "E0102", 2, 4, "second `=`"},
    {"x = [1, k = 2]\n", "E0102", 1, 9, "has no name"},
    /* blocks */
    {"elseif a\n", "E0102", 1, 1, "no block is open"},
    {"if a b\n  x = 1\nend\n", "E0102", 1, 6, "found `b`"},
    {"if a = 1\n  x = 1\nend\n", "E0102", 1, 6, "`==`"},
    {"if a\n  x = 1\nelseif b = 1\n  x = 2\nend\n", "E0102", 3, 10, "`==`"},
    {"when a = 1\n  x := 1\nend\n", "E0102", 1, 8, "`==`"},
    {"if a\n  x = 1\nelseif b c\n  x = 2\nelse\n  x = 3\nend\n", "E0102", 3, 10,
        "found `c`"},
    {"if a\n  x = 1\nelse x\n  x = 3\nend\n", "E0102", 3, 6, "found `x`"},
    {"if a then b c else d = 1\n", "E0102", 1, 13, "found `c`"},
    {"fun f(a b)\n  return a\nend\n", "E0102", 1, 9, "found `b`"},
    {"fun f(a b) = a\n", "E0102", 1, 9, "found `b`"},
    {"when x < 0 y\n  x := 1\nend\ny = 1\n", "E0102", 1, 12, "found `y`"},
    {"wen x < 0\n  x := 1\nend\n", "E0102", 1, 1, "`when`"},
    {"modell A\n  x = 1\nend\n", "E0102", 1, 1, "`model`"},
    {"reactions\n  A -> B @ 1\nplot A\n", "E0107", 1, 1, "`reactions`"},
    {"when x < 0 y\n  x := 1\nsolve t in 0..1\n", "E0102", 1, 12, "found `y`"},
    {"when x < 0 y\n  x := 1\n", "E0102", 1, 12, "found `y`"},
    {"when x < 0\n  x := 1\nplot x\nexpect x > 0\n", "E0107", 1, 1, "`when`"},
    {"for i 1..3\n  x[i] = 1\nend\n", "E0102", 1, 7, "expected `in`"},
    {"for i in 1..3\n  x[i] = 1\n", "E0107", 1, 1, "`for` has no `end`"},
    {"for i in 1..3\n  x[i] = \nend\n", "E0102", 2, 9, "an expression"},
    {"model A\n  x = 1\n", "E0107", 1, 1, "`model` has no `end`"},
    {"when x < 0\n  x := 1\nparam k = 1\nx = 1\n", "E0107", 1, 1, "`when`"},
    {"when x < 0\n  x = 1\nend\n", "E0220", 2, 5, "`x := ...`"},
    {"end\n", "E0102", 1, 1, "no block is open"},
    {"fun f(a)\n  b = a\nend\nx = 1\n", "E0102", 3, 1, "`f` returns nothing"},
    {"fun f(a)\nend\nfun g(a)\n  return a\nend\n", "E0102", 2, 1, "`return`"},
    {"x = 1\nelse\n", "E0102", 2, 1, "no block is open"},
    {"for i in 1..2\n  x = 1\nend for\n", "E0102", 3, 5, "end of the line"},
    {"if a > 1\n  x = 1\nelse if a > 2\n  x = 2\nend\n", "E0102", 3, 6,
        "`elseif`"},
    {"if x > 1 then\n  y = 2\nend\n", "E0102", 1, 10, "leave out `then`"},
    {"if a\n  x = 1\nelseif b then\n  x = 2\nend\n", "E0102", 3, 10,
        "leave out `then`"},
    {"else\n", "E0102", 1, 1, "no block is open"},
    /* the operator that begins a line */
    {"x = a\n  - b\n", "E0108", 2, 3, "at its end"},
    {"x = a\n< b\n", "E0108", 2, 1, "at its end"},
    /* signs */
    {"x = a × b\n", "E0101", 1, 7, "`*`"},
    {"x = 5 − 3\n", "E0101", 1, 7, "`-`"},
    {"let c = a && b\n", "E0101", 1, 11, "`and`"},
    {"expect “E0301”\n", "E0101", 1, 8, "straight quote"},
    {"x’ = 1\n", "E0101", 1, 2, "`'`"},
    {"x = $a\n", "E0101", 1, 5, "`$`"},
    {"x = |y|\n", "E0101", 1, 5, "abs(x)"},
    {"let p = a ≤ b\n", "E0101", 1, 11, "`<=`"},
    {"x = y!\n", "E0101", 1, 6, "not"},
    {"x = 2·y\n", "E0101", 1, 6, "`*`"},
    {"let c = a || b\n", "E0101", 1, 11, "`or`"},
    {"let c = a & b\n", "E0101", 1, 11, "`and`"},
    {"var x = 1 {m} %\n", "E0101", 1, 15, "`#`"},
    {"x = a\x7f\n", "E0101", 1, 6, "U+007F"},
    {"expect «E0301»\n", "E0101", 1, 8, "straight quote"},
    {"plot „x“\n", "E0101", 1, 6, "straight quote"},
    {"expect “E0301\n", "E0101", 1, 8, "straight quote"},
    {"expect “E0301\"\n", "E0101", 1, 8, "straight quote"},
    {"x = a ☺ b\n", "E0101", 1, 7, "U+263A"},
    /* numbers, texts, bytes */
    {"0,5 = x\n", "E0105", 1, 1, "write `0.5`"},
    {"x = 1.5,2\n", "E0102", 1, 8, "line of its own"},
    {"x = 0,12345678901234567890123456789012345678901\n", "E0102", 1, 6,
        "line of its own"},
    {", 5\n", "E0102", 1, 1, "found `,`"},
    {"x = 1e-400\n", "E0105", 1, 5, "write `0`"},
    {"x = 0X1F\n", "E0105", 1, 5, "decimal"},
    {"x = 0e\n", "E0105", 1, 5, "exponent"},
    {"x = 1E+\n", "E0105", 1, 5, "exponent"},
    {"\"title \t\r\nx = 1\n", "E0103", 1, 1, "closing"},
    {"\"ti\033[31mtle\"\nvar x\n", "E0101", 1, 4, "U+001B"},
    {"\"tab \t\302\233\"\nvar x\n", "E0101", 1, 7, "U+009B"},
    {"\"", "E0103", 1, 1, "closing"},
    {"bad \xe0\x80\x80 = 1\n", "E0104", 1, 5, "0xE0"},
    {"bad \xf0\x80\x80\x80 = 1\n", "E0104", 1, 5, "0xF0"},
    {"bad \xed\xa0\x80 = 1 # \xff\n", "E0104", 1, 5, "0xED"},
    {"x = 1.2.3\n", "E0105", 1, 5, "one point"},
    {"param k = 0,5\n", "E0105", 1, 11, "write `0.5`"},
    {"param k = 0,5, b = 1\n", "E0105", 1, 11, "write `0.5`"},
    {"x = -0,25*y\n", "E0105", 1, 6, "write `0.25`"},
    {"init x = 10,5\n", "E0105", 1, 10, "write `10.5`"},
    {"solve t in 0..0,5\n", "E0105", 1, 15, "write `0.5`"},
    {"var m = 1 [kg]\n", "E0102", 1, 11, "`{kg}`"},
    {"param d = 5 km\n", "E0102", 1, 13, "`{km}`"},
    {"param d = 5km\n", "E0105", 1, 11, "unit in braces"},
    {"param d = 5 {%}\n", "E0101", 1, 14, "`{1}`"},
    {"x = 1e\n", "E0105", 1, 5, "exponent"},
    {"x = 1e+\n", "E0105", 1, 5, "exponent"},
    {"x = 3y\n", "E0105", 1, 5, "`*`"},
    {"x = 0x1F\n", "E0105", 1, 5, "decimal"},
    {"x = 1_000\n", "E0105", 1, 5, "without `_`"},
    {"x = 1e999\n", "E0105", 1, 5, "inf"},
    {"\"title\nx = 1\n", "E0103", 1, 1, "closing"},
    {"bad \xff = 1\n", "E0104", 1, 5, "UTF-8"},
};

static bool says(const dae_diagnostic *d, const char *part)
{
    return strstr(d->message, part) || (d->help && strstr(d->help, part));
}

static void each_mistake_is_told_once(void **state)
{
    (void)state;
    int wrong = 0;
    for (size_t i = 0; i < sizeof mistakes / sizeof *mistakes; i++) {
        const mistake *m = &mistakes[i];
        parsed p;
        dae_status st = parse_text(&p, m->text);
        const dae_diagnostic *d = dae_diagnostics_at(p.ds, 0);
        bool fits = st == DAE_MODEL && dae_diagnostics_count(p.ds) == 1
            && strcmp(d->code, m->code) == 0 && d->spans[0].line == m->line
            && d->spans[0].column == m->column && says(d, m->says);
        if (!fits) {
            print_error("--- %s", m->text);
            print_error("expected %s at %u:%u: %s\n", m->code, m->line,
                m->column, m->says);
            for (size_t k = 0; k < dae_diagnostics_count(p.ds); k++) {
                d = dae_diagnostics_at(p.ds, k);
                print_error("  got %s at %u:%u: %s; %s\n", d->code,
                    d->spans[0].line, d->spans[0].column, d->message,
                    d->help ? d->help : "no help");
            }
        }
        wrong += !fits;
        parsed_clear(&p);
    }
    assert_int_equal(wrong, 0);
}

static void a_nul_is_an_error(void **state)
{
    (void)state;
    parsed p;
    CHECK_STATUS(
        parsed_init(&p, dae_allocator_default(), "x = 1\0 + 2\n", 11), DAE_OK);
    CHECK_STATUS(
        parse_file(&p.source, &p.arena, &p.names, p.ds, &p.file), DAE_MODEL);
    assert_int_equal(dae_diagnostics_count(p.ds), 1);
    CHECK_DIAG(p.ds, "E0104", 1, 6);
    parsed_clear(&p);
}

static void several_errors_in_one_run(void **state)
{
    (void)state;
    parsed p;
    CHECK_STATUS(parse_text(&p,
                     "param a = \n"
                     "var x = 1\n"
                     "x' = -a*x +\n"
                     "y = = 2\n"
                     "T[1,2' = 3\n"
                     "z = 4\n"
                     ") = 5\n"
                     "( = 6\n"
                     "w = 7\n"),
        DAE_MODEL);
    assert_int_equal(dae_diagnostics_count(p.ds), 5);
    CHECK_DIAG(p.ds, "E0102", 1, 10);
    CHECK_DIAG(p.ds, "E0102", 4, 3);
    CHECK_DIAG(p.ds, "E0102", 5, 8);
    CHECK_DIAG(p.ds, "E0102", 7, 1);
    CHECK_DIAG(p.ds, "E0102", 8, 3);
    assert_int_equal(p.file->count, 3); /* var x, z, w */
    assert_int_equal(p.file->stmts[2]->kind, AST_EQUATION);
    parsed_clear(&p);
}

/* An unclosed bracket names where it was opened, and the statement after it
 * is read. */
static void a_bracket_swallows_nothing(void **state)
{
    (void)state;
    parsed p;
    CHECK_STATUS(
        parse_text(&p, "x = (1 + 2\ny = 3\nz = sin(4\nvar q\n"), DAE_MODEL);
    assert_int_equal(dae_diagnostics_count(p.ds), 2);
    CHECK_DIAG(p.ds, "E0102", 2, 1);
    CHECK_DIAG(p.ds, "E0102", 3, 10);
    const dae_diagnostic *d = dae_diagnostics_at(p.ds, 0);
    assert_int_equal(d->span_count, 2);
    assert_int_equal(d->spans[1].line, 1);
    assert_int_equal(d->spans[1].column, 5);
    assert_int_equal(p.file->count, 2); /* y, var q */
    parsed_clear(&p);
}

static void a_text_of_errors_ends(void **state)
{
    (void)state;
    enum { LINES = 20000 };
    char *text = malloc(LINES * 8 + 1);
    assert_non_null(text);
    for (int i = 0; i < LINES; i++) memcpy(text + i * 8, "x = = 1\n", 9);
    parsed p;
    CHECK_STATUS(parse_text(&p, text), DAE_MODEL);
    assert_int_equal(dae_diagnostics_count(p.ds), 20);
    CHECK_DIAG(p.ds, "E0102", 20, 5);
    parsed_clear(&p);
    free(text);
}

static void an_expression_alone(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        uint32_t line, column; /* of the error; 0: none */
    } cases[] = {{"3*pi", 0, 0}, {"  -1e-3 ", 0, 0}, {"[1, 2]", 0, 0},
        {"", 1, 1}, {"1 +", 1, 4}, {"1 2", 1, 3}, {"x = 1", 1, 3}, {"(1", 1, 3},
        {"1\n2", 2, 1}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        parsed p;
        ast_expr *e;
        CHECK_STATUS(parsed_init(&p, dae_allocator_default(), cases[i].text,
                         strlen(cases[i].text)),
            DAE_OK);
        dae_status st = parse_expression(
            &p.source, &p.arena, &p.names, p.ds, &e);
        assert_int_equal(st, cases[i].column ? DAE_MODEL : DAE_OK);
        assert_int_equal(e == NULL, cases[i].column != 0);
        if (cases[i].column)
            CHECK_DIAG(p.ds, "E0102", cases[i].line, cases[i].column);
        parsed_clear(&p);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_mistake_is_told_once),
        cmocka_unit_test(a_nul_is_an_error),
        cmocka_unit_test(several_errors_in_one_run),
        cmocka_unit_test(a_bracket_swallows_nothing),
        cmocka_unit_test(a_text_of_errors_ends),
        cmocka_unit_test(an_expression_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
