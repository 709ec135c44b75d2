/* Tokens and lines: what the parser gets to see of a text. */
#include "base/number.h"
#include "support/check.h"
#include "support/syntax.h"
#include "syntax/layout.h"

/* The names of a text's tokens, each after a space; `faults` found. */
static char *token_names(const char *text, size_t length, uint32_t *faults)
{
    parsed p;
    text_sink sink = {NULL, 0};
    CHECK_STATUS(
        parsed_init(&p, dae_allocator_default(), text, length), DAE_OK);
    layout *lines = malloc(sizeof *lines);
    assert_non_null(lines);
    layout_start(lines, &p.source, p.ds);
    for (;;) {
        token t = layout_next(lines);
        if (t.kind == TOKEN_END_OF_TEXT) break;
        const char *name = token_name(t.kind);
        if (sink.length) assert_int_equal(sink_write(&sink, " ", 1), 0);
        assert_int_equal(sink_write(&sink, name, strlen(name)), 0);
    }
    *faults = lines->scan.faults;
    free(lines);
    parsed_clear(&p);
    if (!sink.text) sink.text = calloc(1, 1);
    return sink.text;
}

typedef struct row {
    const char *text, *tokens;
} row;

static void check_rows(const row *rows, size_t count, bool is_wrong)
{
    for (size_t i = 0; i < count; i++) {
        uint32_t faults;
        char *names = token_names(rows[i].text, strlen(rows[i].text), &faults);
        if (strcmp(names, rows[i].tokens) != 0)
            print_error("text: %s\n", rows[i].text);
        assert_string_equal(names, rows[i].tokens);
        assert_int_equal(faults > 0, is_wrong);
        free(names);
    }
}
#define CHECK_ROWS(rows, is_wrong)                                             \
    check_rows((rows), sizeof(rows) / sizeof *(rows), (is_wrong))

static void numbers(void **state)
{
    (void)state;
    static const row rows[] = {
        {"1", "NUMBER NL"},
        {"2.5 .5 1. 1e3 1.5e-3 .5E+2 1.e2",
            "NUMBER NUMBER NUMBER NUMBER NUMBER NUMBER NUMBER NL"},
        {"1..n", "NUMBER DOTDOT NAME NL"},
        {"0..10", "NUMBER DOTDOT NUMBER NL"},
        {"1.5..2.5", "NUMBER DOTDOT NUMBER NL"},
        {"n..5", "NAME DOTDOT NUMBER NL"},
        {"x[1].v", "NAME LB NUMBER RB DOT NAME NL"},
    };
    CHECK_ROWS(rows, false);
    static const row wrong[] = {
        {"1e", "NUMBER NL"},
        {"1e+", "NUMBER NL"},
        {"1.2.3", "NUMBER NL"},
        {"3x", "NUMBER NL"},
        {"1_000", "NUMBER NL"},
        {"2.x", "NUMBER NL"},
    };
    CHECK_ROWS(wrong, true);
}

static void names_and_signs(void **state)
{
    (void)state;
    static const row rows[] = {
        {"x _a a1 λ Φ größe ℓ 速度 Ω1",
            "NAME NAME NAME NAME NAME NAME NAME "
            "NAME NAME NL"},
        {"e\u0301tat", "NAME NL"},
        {"params forx ends inn", "NAME NAME NAME NAME NL"},
        {"x'' y\u2032", "NAME PRIME PRIME NAME PRIME NL"},
        {"a:=b a==b a=b", "NAME ASSIGN NAME NAME EQEQ NAME NAME EQ NAME NL"},
        {"<= < >= > != ~", "LE LT GE GT NE TILDE NL"},
        {"-> <-> => @", "ARROW BIARROW FATARROW AT2 NL"},
        {"\"a # b\" # c", "STRING NL"},
        {"a\u00a0=\u20091", "NAME EQ NUMBER NL"},
        {"\xef\xbb\xbfx", "NAME NL"},
        {"", ""},
        {"# only a comment", ""},
    };
    CHECK_ROWS(rows, false);
    static const row wrong[] = {
        {"a − b", "NAME MINUS NAME NL"},
        {"a × b · c ÷ d", "NAME STAR NAME STAR NAME SLASH NAME NL"},
        {"“text”", "STRING NL"},
        {"a ≤ b ≥ c ≠ d", "NAME LE NAME GE NAME NE NAME NL"},
        {"x² y", "NAME BAD NAME NL"},
        {"\"open", "STRING NL"},
        {"a \xff b", "NAME NAME NL"},
        {"a \xc0\x80 b", "NAME NAME NL"},
        {"a \xed\xa0\x80 b", "NAME NAME NL"},
        {"a \xf4\x90\x80\x80 b", "NAME NAME NL"},
        {"a \xe2\x88", "NAME NL"},
        {"# \xff\nb", "NAME NL"},
    };
    CHECK_ROWS(wrong, true);
}

static void lines(void **state)
{
    (void)state;
    static const row rows[] = {
        {"a\nb", "NAME NL NAME NL"},
        {"a;b;", "NAME NL NAME NL"},
        {"\n\n a\r\n\r\n;;b", "NAME NL NAME NL"},
        /* a bracket is open */
        {"f(a\n b\n)", "NAME LP NAME NAME RP NL"},
        {"[1,\n2]", "LB NUMBER COMMA NUMBER RB NL"},
        /* the last token cannot end a statement */
        {"a +\nb", "NAME PLUS NAME NL"},
        {"a =\n\n# text\n b", "NAME EQ NAME NL"},
        {"a,\nb", "NAME COMMA NAME NL"},
        {"if a then\nb else\nc", "IF NAME THEN NAME ELSE NAME NL"},
        {"l:\na", "NAME COLON NAME NL"},
        {"param\na", "PARAM NAME NL"},
        {"if a\nb\nelse\nc\nend", "IF NAME NL NAME NL ELSE NL NAME NL END NL"},
        /* the next line begins with what cannot begin a statement */
        {"a\n+ b", "NAME PLUS NAME NL"},
        {"a\n* b\n/ c\n^ d", "NAME STAR NAME SLASH NAME POW NAME NL"},
        {"a\nand b\nor c", "NAME AND NAME OR NAME NL"},
        {"if a\nthen b else c", "IF NAME THEN NAME ELSE NAME NL"},
        {"a\nwhere b", "NAME WHERE NAME NL"},
        {"a\nwhere = b", "NAME NL NAME EQ NAME NL"},
        {"a\n- b", "NAME NL MINUS NAME NL"},
        {"a\nfor b", "NAME NL FOR NAME NL"},
        /* a declaration keyword ends all */
        {"f(a\nvar b", "NAME LP NAME NL VAR NAME NL"},
        {"a =\nparam b", "NAME EQ NL PARAM NAME NL"},
        {"f(a\nsolve t", "NAME LP NAME NL SOLVE NAME NL"},
        {"f(a,\nplot)", "NAME LP NAME COMMA PLOT RP NL"},
        {"(a\nend", "LP NAME NL END NL"},
        {"{[(\nlet", "LC LB LP NL LET NL"},
    };
    CHECK_ROWS(rows, false);
}

static void contextual_words(void **state)
{
    (void)state;
    static const row rows[] = {
        {"solve t", "SOLVE NAME NL"},
        {"solve = 1", "NAME EQ NUMBER NL"},
        {"plot' = 1", "NAME PRIME EQ NUMBER NL"},
        {"use[1] = 1", "NAME LB NUMBER RB EQ NUMBER NL"},
        {"port.v = 1", "NAME DOT NAME EQ NUMBER NL"},
        {"expect: x", "NAME COLON NAME NL"},
        {"print - 1 = 2", "NAME MINUS NUMBER EQ NUMBER NL"},
        {"expect -x < 1", "EXPECT MINUS NAME LT NUMBER NL"},
        {"plot [a, b]", "PLOT LB NAME COMMA NAME RB NL"},
        {"stop * 2 = 1", "NAME STAR NUMBER EQ NUMBER NL"},
        {"plot (a)", "PLOT LP NAME RP NL"},
        {"a\nexpect = 1", "NAME NL NAME EQ NUMBER NL"},
    };
    CHECK_ROWS(rows, false);
}

static void number_values(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        double value;
    } cases[] = {{"0", 0}, {"007", 7}, {"1e3", 1000}, {".5", 0.5}, {"1.", 1},
        {"3.14159265358979", 3.14159265358979},
        {"123456789012345678", 123456789012345678.0},
        {"9007199254740993", 9007199254740992.0},
        {"9007199254740993.0000000000000000000000001", 9007199254740994.0},
        {"1e23", 1e23}, {"1.7976931348623157e308", 1.7976931348623157e308},
        {"4.9406564584124654e-324", 4.9406564584124654e-324},
        {"0.000001", 1e-6}, {"1e-400", 0}, {"1e400", INFINITY},
        {"1e99999999999999999999", INFINITY}, {"0e99999999999999999999", 0},
        {"6.02214076E+23", 6.02214076e23}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_true(number_value(cases[i].text, strlen(cases[i].text))
            == cases[i].value);
}

/* A million digits are read, and only what can matter of them. */
static void a_long_number(void **state)
{
    (void)state;
    enum { DIGITS = 1000000 };
    char *text = malloc(DIGITS + 1);
    assert_non_null(text);
    memset(text, '0', DIGITS);
    text[0] = '1';
    text[1] = '.';
    assert_true(number_value(text, DIGITS) == 1.0);
    memcpy(text, "9007199254740993.", 17);
    text[DIGITS - 1] = '1';
    assert_true(number_value(text, DIGITS) == 9007199254740994.0);
    free(text);
}

static size_t encode(uint32_t c, char text[8])
{
    size_t n = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
    if (n == 1) text[0] = (char)c;
    else text[0] = (char)((0xF00u >> n & 0xFFu) | c >> 6 * (n - 1));
    for (size_t i = 1; i < n; i++)
        text[i] = (char)(0x80u | (c >> 6 * (n - 1 - i) & 0x3Fu));
    text[n] = '\0';
    return n;
}

/* Of every character of Unicode, alone: a token that ends where it does, or
 * nothing where it is a blank. What is no letter and no sign is an error. */
static void every_character_is_read_whole(void **state)
{
    (void)state;
    uint32_t names = 0;
    for (uint32_t c = 1; c <= 0x10FFFF; c++) {
        if (c >= 0xD800 && c <= 0xDFFF) continue;
        char text[8];
        uint32_t length = (uint32_t)encode(c, text);
        dae_source source = {.name = "", .text = text, .length = length};
        scanner s;
        scan_start(&s, &source, NULL);
        assert_int_equal(s.faults, 0); /* it is UTF-8 */
        token t = scan_token(&s);
        names += t.kind == TOKEN_NAME;
        assert_int_equal(s.at, length);
        assert_int_equal(t.span.end, length);
        if (t.kind == TOKEN_NAME || t.kind == TOKEN_BAD)
            assert_int_equal(s.faults, t.kind == TOKEN_BAD);
        if (s.at < length || t.kind == TOKEN_END_OF_TEXT) continue;
        assert_int_equal(scan_token(&s).kind, TOKEN_END_OF_TEXT);
    }
    /* letters of Unicode 15 number some 136 000 */
    assert_in_range(names, 130000, 300000);
}

/* Letters of many scripts are names, alone and inside of one. */
static void letters_of_all_scripts_are_names(void **state)
{
    (void)state;
    static const uint32_t letters[] = {'a', 'z', 'A', 'Z', '_', 0xAA, 0xB5,
        0xBA, 0xC0, 0xDF, 0xFF, 0x131, 0x1C4, 0x254, 0x391, 0x3C9, 0x3D1, 0x410,
        0x44F, 0x4FF, 0x531, 0x561, 0x5D0, 0x5EA, 0x627, 0x64A, 0x710, 0x905,
        0x985, 0xE01, 0xE40, 0xF40, 0x10A0, 0x10D0, 0x1100, 0x1200, 0x13A0,
        0x1401, 0x1780, 0x1820, 0x1D00, 0x1E00, 0x1EF9, 0x1F00, 0x1FFC, 0x2071,
        0x207F, 0x2090, 0x2102, 0x2126, 0x3005, 0x3041, 0x30A1, 0x3105, 0x31F0,
        0x3400, 0x4E00, 0x9FFF, 0xA000, 0xAC00, 0xD7A3, 0xF900, 0x1D400,
        0x1D7CB, 0x20000, 0x2A6DF};
    for (size_t i = 0; i < sizeof letters / sizeof *letters; i++) {
        char text[24];
        size_t n = encode(letters[i], text);
        memcpy(text + n, "1_", 2);
        size_t all = n + 2 + encode(letters[i], text + n + 2);
        dae_source source = {.name = "", .text = text, .length = (uint32_t)all};
        scanner s;
        scan_start(&s, &source, NULL);
        token t = scan_token(&s);
        if (t.kind != TOKEN_NAME || t.span.end != all)
            print_error("U+%04X\n", (unsigned)letters[i]);
        assert_int_equal(t.kind, TOKEN_NAME);
        assert_int_equal(t.span.end, all);
    }
}

static void kinds_have_names(void **state)
{
    (void)state;
    assert_string_equal(token_name(TOKEN_NEWLINE), "NEWLINE");
    assert_string_equal(token_name(TOKEN_COMMENT), "COMMENT");
    assert_string_equal(token_name(250), "");
    assert_string_equal(token_spelling(250), "");
    assert_string_equal(token_spelling(TOKEN_SOLVE), "`solve`");
    assert_false(token_is_word(250));
    assert_false(token_is_contextual(250));
    assert_true(token_is_word(TOKEN_SOLVE) && token_is_word(TOKEN_VAR));
    assert_false(token_is_contextual(TOKEN_VAR));
}

/* What stands between the quotes, whichever they are. */
static void texts_without_their_quotes(void **state)
{
    (void)state;
    static const struct {
        const char *text, *inner;
    } cases[] = {{"\"a b\"", "a b"}, {"\"\"", ""}, {"\"open", "open"},
        {"“a”", "a"}, {"„a“", "a"}, {"«a»", "a"}, {"“”", ""}, {"«»", ""},
        {"“a\"", "a"}, {"„é»", "é"}, {"“a\u20ac”", "a\u20ac"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        size_t n = strlen(cases[i].text);
        dae_source source = {
            .name = "", .text = cases[i].text, .length = (uint32_t)n};
        scanner s;
        scan_start(&s, &source, NULL);
        token t = scan_token(&s);
        uint32_t length;
        const char *text = token_text(&source, t, &length);
        if (t.kind != TOKEN_STRING) print_error("%s\n", cases[i].text);
        assert_int_equal(t.kind, TOKEN_STRING);
        assert_int_equal(t.span.end, n);
        assert_int_equal(length, strlen(cases[i].inner));
        assert_memory_equal(text, cases[i].inner, length);
    }
}

/* A million signs that might belong to something: read in linear time. */
static void strange_signs_without_end(void **state)
{
    (void)state;
    static const char *const parts[] = {"„", "«x ", "%$", "“\n", "1_ä"};
    enum { COUNT = 300000 };
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        size_t n = strlen(parts[i]);
        char *text = malloc(n * COUNT + 1);
        assert_non_null(text);
        for (size_t k = 0; k < COUNT; k++) memcpy(text + k * n, parts[i], n);
        text[n * COUNT] = '\0';
        parsed p;
        CHECK_STATUS(
            parsed_init(&p, dae_allocator_default(), text, n * COUNT), DAE_OK);
        scanner s;
        scan_start(&s, &p.source, p.ds);
        size_t tokens = 0;
        while (scan_token(&s).kind != TOKEN_END_OF_TEXT) tokens++;
        assert_true(tokens >= 1 && s.faults >= 1);
        parsed_clear(&p);
        free(text);
    }
}

/* What is shown of a long wrong number is UTF-8 still. */
static void a_wrong_number_is_cut_between_characters(void **state)
{
    (void)state;
    char text[100] = "3";
    for (int k = 0; k < 40; k++) strcat(text, "ä");
    parsed p;
    CHECK_STATUS(
        parsed_init(&p, dae_allocator_default(), text, strlen(text)), DAE_OK);
    scanner s;
    scan_start(&s, &p.source, p.ds);
    assert_int_equal(scan_token(&s).kind, TOKEN_NUMBER);
    CHECK_DIAG(p.ds, "E0105", 1, 1);
    char expected[140]; /* 3 and 29 letters of two bytes */
    (void)snprintf(expected, sizeof expected, "`%.59s` is not a number", text);
    assert_string_equal(dae_diagnostics_at(p.ds, 0)->message, expected);
    parsed_clear(&p);
}

static void tokens_are_listed(void **state)
{
    (void)state;
    static const char text[] = "\"T\"\nλ' = 2*a # text\n";
    static const char expected[] = "1:1      STRING    \"T\"\n"
                                   "1:4      NL       \n"
                                   "2:1      NAME      λ\n"
                                   "2:2      PRIME     '\n"
                                   "2:4      EQ        =\n"
                                   "2:6      NUMBER    2\n"
                                   "2:7      STAR      *\n"
                                   "2:8      NAME      a\n"
                                   "2:9      NL       \n"
                                   "3:1      END_OF_TEXT\n";
    parsed p;
    text_sink sink = {NULL, 0};
    CHECK_STATUS(
        parsed_init(&p, dae_allocator_default(), text, strlen(text)), DAE_OK);
    CHECK_STATUS(show_tokens(&p.source, p.ds, sink_write, &sink), DAE_OK);
    assert_string_equal(sink.text, expected);
    free(sink.text);
    parsed_clear(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers),
        cmocka_unit_test(names_and_signs),
        cmocka_unit_test(lines),
        cmocka_unit_test(contextual_words),
        cmocka_unit_test(number_values),
        cmocka_unit_test(a_long_number),
        cmocka_unit_test(every_character_is_read_whole),
        cmocka_unit_test(letters_of_all_scripts_are_names),
        cmocka_unit_test(kinds_have_names),
        cmocka_unit_test(texts_without_their_quotes),
        cmocka_unit_test(strange_signs_without_end),
        cmocka_unit_test(a_wrong_number_is_cut_between_characters),
        cmocka_unit_test(tokens_are_listed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
