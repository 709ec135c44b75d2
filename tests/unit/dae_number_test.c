/* tools/dae/number.c, write_csv.c, write_json.c: the text of results. */
#include "../../tools/dae/console.h"
#include "../../tools/dae/number.h"
#include "../../tools/dae/write_csv.h"
#include "../../tools/dae/write_json.h"
#include "support/check.h"

static void check_number(double value, const char *expected)
{
    char text[NUMBER_SIZE];
    assert_string_equal(number_exact(value, text), expected);
}

static void shortest_that_reads_back(void **state)
{
    (void)state;
    check_number(0, "0");
    check_number(-0.0, "-0");
    check_number(0.1, "0.1");
    check_number(1.0 / 3, "0.3333333333333333");
    check_number(0.1 + 0.2, "0.30000000000000004");
    check_number(1e-5, "1e-5");
    check_number(-2.5e-300, "-2.5e-300");
    check_number(1e20, "1e20");
    check_number(123456, "123456");
    check_number(4.9406564584124654e-324, "5e-324");
    check_number(1.7976931348623157e308, "1.7976931348623157e308");
    check_number((double)NAN, "nan");
    check_number((double)INFINITY, "inf");
    check_number(-(double)INFINITY, "-inf");
}

static void every_double_reads_back(void **state)
{
    (void)state;
    char text[NUMBER_SIZE];
    uint64_t bits = 88172645463325252u; /* xorshift, a fixed start */
    for (int i = 0; i < 20000; i++) {
        bits ^= bits << 13, bits ^= bits >> 7, bits ^= bits << 17;
        double value, back;
        memcpy(&value, &bits, sizeof value);
        if (!isfinite(value)) continue;
        back = strtod(number_exact(value, text), NULL);
        assert_memory_equal(&back, &value, sizeof value);
    }
}

/* What `file` was given since it was opened. */
static void check_written(FILE *file, const char *expected)
{
    char text[512];
    rewind(file);
    size_t length = fread(text, 1, sizeof text - 1, file);
    text[length] = '\0';
    (void)fclose(file);
    assert_string_equal(text, expected);
}

static void csv_quotes_what_must_be(void **state)
{
    (void)state;
    FILE *file = tmpfile();
    assert_non_null(file);
    csv_text(console_write, file, "x");
    csv_text(console_write, file, "T[1,2]");
    csv_text(console_write, file, "a\"b");
    (void)fputc('\n', file);
    const double values[] = {0.5, (double)NAN};
    csv_row(console_write, file, 1, values, 2);
    csv_row(console_write, file, 2, values, 0);
    check_written(file, "x\"T[1,2]\"\"a\"\"b\"\n1,0.5,nan\n2\n");
}

static void json_nests_and_escapes(void **state)
{
    (void)state;
    FILE *file = tmpfile();
    assert_non_null(file);
    json j = json_on(file);
    json_begin_object(&j, NULL);
    json_string(&j, "a\"\n", "\xC2\x9BλéÂ\x01\xFF\xED\xA0\x80");
    json_begin_array(&j, "list");
    json_number(&j, NULL, 1e300 * 1e10);
    json_number(&j, NULL, (double)NAN);
    json_integer(&j, NULL, -3);
    json_begin_object(&j, NULL);
    json_number(&j, "x", 0.25);
    json_string(&j, "y", NULL);
    json_end_object(&j);
    json_begin_array(&j, NULL);
    json_end_array(&j);
    json_end_array(&j);
    json_integer(&j, "last", 1);
    json_end_object(&j);
    check_written(file,
        "{\"a\\\"\\u000a\": "
        "\"\\u009bλéÂ\\u0001\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD"
        "\xEF\xBF\xBD\",\n \"list\": [null, null, -3, {\"x\": 0.25, \"y\": "
        "null}, "
        "[]],\n \"last\": 1}\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shortest_that_reads_back),
        cmocka_unit_test(every_double_reads_back),
        cmocka_unit_test(csv_quotes_what_must_be),
        cmocka_unit_test(json_nests_and_escapes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
