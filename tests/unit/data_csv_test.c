/* The CSV reader: what RFC 4180 writes is read, what is wrong is told with its
 * row and column. */
#include "check.h"
#include "data/csv.h"

typedef struct reading {
    arena arena;
    dae_source source;
    csv_table table;
    csv_fault fault;
    dae_status st;
} reading;

static void read_bytes(reading *r, const char *text, size_t length)
{
    arena_init(&r->arena, NULL, 0);
    CHECK_STATUS(
        source_init(&r->source, &r->arena, "data/m.csv", text, length), DAE_OK);
    r->st = csv_parse(&r->table, &r->source, &r->arena, &r->fault);
}

static void read_text(reading *r, const char *text)
{
    read_bytes(r, text, strlen(text));
}

static void clear(reading *r)
{
    arena_clear(&r->arena);
}

/* The text is a table of these columns "a|b" and these numbers, row by row. */
static void check_table(
    const char *text, const char *names, size_t rows, const double *values)
{
    reading r;
    char all[200] = "";
    read_text(&r, text);
    if (r.st) fail_msg("%s: %s", text, r.fault.message);
    for (size_t k = 0; k < r.table.column_count; k++) {
        if (k) strcat(all, "|");
        strcat(all, r.table.columns[k].name);
    }
    assert_string_equal(all, names);
    assert_int_equal(r.table.row_count, rows);
    for (size_t k = 0; k < r.table.column_count; k++)
        for (size_t i = 0; i < rows; i++)
            assert_true(r.table.columns[k].values[i]
                == values[i * r.table.column_count + k]);
    clear(&r);
}

static void test_what_is_read(void **state)
{
    (void)state;
    const double v[] = {0, 1.5, 1, -2e-3, 2.5, 3};
    check_table("time,level\n0,1.5\n1,-2e-3\n2.5,3\n", "time|level", 3, v);
    check_table("time,level\r\n0,1.5\r\n1,-2e-3\r\n2.5,3", "time|level", 3, v);
    check_table("\xEF\xBB\xBFtime,level\n0,1.5\n1,-2e-3\n2.5,3\n\n \r\n",
        "time|level", 3, v);
    check_table("# made by hand\n time , level \n# and\n 0 , 1.5\n1,\t-2E-03\n"
                "+2.5,3.\n# end",
        "time|level", 3, v);
    check_table("time;level\n0;1.5\n1;-.002\n2.5;3\n", "time|level", 3, v);
    check_table("time\tlevel\n0\t1.5\n1\t-2e-3\n2.5\t3\n", "time|level", 3, v);
    check_table("\"time\",\"level\"\n\"0\",1.5\n1,\"-2e-3\"\n2.5,\"3\"\n",
        "time|level", 3, v);
    const double one[] = {7, 8};
    check_table("x\n7\n8\n", "x", 2, one);
    check_table("\"a \"\"b\"\", c\"\n7\n8\n", "a \"b\", c", 2, one);
    check_table("\"two\nlines\"\n\"7\"\n8\n", "two\nlines", 2, one);
    check_table("\xCE\xBB\n7\n8\n", "\xCE\xBB", 2, one);
    check_table("x,y\n", "x|y", 0, NULL);
}

static void check_fault(
    const char *text, const char *code, const char *part, unsigned line)
{
    reading r;
    uint32_t at, column;
    read_text(&r, text);
    if (r.st != DAE_MODEL) fail_msg("`%s` is read", text);
    assert_true(r.fault.code == DIAG_E0225 && strcmp(code, "E0225") == 0);
    if (!strstr(r.fault.message, part) || !strstr(r.fault.message, "`m.csv`"))
        fail_msg("`%s` says: %s", text, r.fault.message);
    source_position(&r.source, r.fault.span.begin, &at, &column);
    if (line) assert_int_equal(at, line);
    clear(&r);
}

static void test_what_is_no_table(void **state)
{
    (void)state;
    check_fault("", "E0225", "has no rows", 0);
    check_fault("# alone\n\n", "E0225", "has no rows", 0);
    check_fault("0,1\n1,2\n", "E0225", "no row of names", 1);
    check_fault("a,b\n1,2\n3\n", "E0225", "line 3: 1 cell, but", 3);
    check_fault("a,b\n1,2,3\n", "E0225", "line 2: 3 cells, but", 2);
    check_fault("a,b\n1,2\n\n3,4\n", "E0225", "line 3: an empty line", 3);
    check_fault("a,b\n1,\"2\n3,4\n", "E0225", "line 2: a quote", 2);
    check_fault("a,b\n1,\"2\"x\n", "E0225", "behind a closing quote", 2);
    check_fault("a,b\n1,\xFF\n", "E0225", "not a text in UTF-8", 2);
    check_fault("a,b\n1,\xE4\n", "E0225", "0xE4", 2);
    check_fault("\xFF\xFE"
                "a",
        "E0225", "0xFF", 1);
}

static void test_a_nul_is_no_text(void **state)
{
    (void)state;
    reading r;
    read_bytes(&r, "a,b\n1,\0\n", 8);
    CHECK_STATUS(r.st, DAE_MODEL);
    assert_non_null(strstr(r.fault.message, "0x00"));
    clear(&r);
}

/* Rows are counted from 1 after the names, lines as an editor counts. */
static void check_cell(
    const char *text, const char *column, const char *part, const char *cell)
{
    reading r;
    read_text(&r, text);
    CHECK_STATUS(r.st, DAE_OK);
    assert_null(csv_numbers(&r.table, column, &r.fault));
    assert_true(r.fault.code == DIAG_E0227);
    if (!strstr(r.fault.message, part))
        fail_msg("`%s` says: %s", text, r.fault.message);
    const size_t length = r.fault.span.end - r.fault.span.begin;
    assert_int_equal(length, strlen(cell));
    assert_memory_equal(r.source.text + r.fault.span.begin, cell, length);
    clear(&r);
}

static void test_cells_that_are_no_numbers(void **state)
{
    (void)state;
    check_cell("a,b\n1,2\n3,x y\n", "b",
        "`m.csv`, row 2 (line 3), column `b`: `x y` is not a number", "x y");
    check_cell("# r\na,b\n1,2\n# r\n3,\n", "b",
        "row 2 (line 5), column `b`: the cell is empty", "");
    check_cell("a\n1\nNaN\n", "a", "`NaN` is not a finite number", "NaN");
    check_cell("a\n1\n-inf\n", "a", "`-inf` is not a finite number", "-inf");
    check_cell("a\n1e999\n", "a", "`1e999` is not a finite number", "1e999");
    check_cell("a\n1e\n", "a", "`1e` is not a number", "1e");
    check_cell("a\n0x10\n", "a", "`0x10` is not a number", "0x10");
    check_cell("a\n1.2.3\n", "a", "`1.2.3` is not a number", "1.2.3");
    check_cell("a\n\"1,5\"\n", "a", "`1,5` is not a number", "1,5");
    check_cell("a;b\n1,5;2\n", "a", "`1,5` is not a number", "1,5");
    check_cell("a\n--1\n", "a", "`--1` is not a number", "--1");
    check_cell("a\n.\n", "a", "`.` is not a number", ".");
}

/* A column of text beside those that are requested does no harm. */
static void test_columns_are_asked_for(void **state)
{
    (void)state;
    reading r;
    read_text(&r, "time,place,level,level\n0,north,1,2\n1,south,3,4\n");
    CHECK_STATUS(r.st, DAE_OK);
    const csv_column *c = csv_numbers(&r.table, "time", &r.fault);
    assert_non_null(c);
    assert_true(c->values[0] == 0 && c->values[1] == 1);
    assert_null(csv_numbers(&r.table, "tmie", &r.fault));
    assert_true(r.fault.code == DIAG_E0226);
    assert_non_null(strstr(r.fault.message, "has no column `tmie`"));
    assert_non_null(strstr(r.fault.label, "`time`, `place`, `level`"));
    assert_non_null(strstr(r.fault.help, "did you mean `time`?"));
    assert_null(csv_numbers(&r.table, "level", &r.fault));
    assert_non_null(strstr(r.fault.message, "2 columns of the name `level`"));
    clear(&r);
}

static void test_times_ascend(void **state)
{
    (void)state;
    reading r;
    read_text(&r, "a,b,c\n0,0,0\n1,2,1\n2,1.5,1\n");
    assert_true(csv_ascends(&r.table, &r.table.columns[0], 0, &r.fault));
    assert_false(csv_ascends(&r.table, &r.table.columns[1], 0, &r.fault));
    assert_true(r.fault.code == DIAG_E0228);
    assert_non_null(strstr(r.fault.message,
        "row 3 (line 4), column `b`: 1.5 stands behind 2 in the row before"));
    assert_false(csv_ascends(&r.table, &r.table.columns[2], 0, &r.fault));
    assert_non_null(strstr(r.fault.message, "1 repeats 1"));
    clear(&r);
}

static void test_memory_runs_out(void **state)
{
    (void)state;
    const char *text = "time,level\n0,1\n1,2\n2,3\n";
    for (size_t limit = 0;; limit += 64) {
        arena a, b;
        dae_source source;
        csv_table t;
        csv_fault f;
        arena_init(&a, NULL, 0);
        arena_init(&b, NULL, limit + 1);
        CHECK_STATUS(
            source_init(&source, &a, "m.csv", text, strlen(text)), DAE_OK);
        const dae_status st = csv_parse(&t, &source, &b, &f);
        arena_clear(&a);
        arena_clear(&b);
        if (st == DAE_OK) return;
        CHECK_STATUS(st, DAE_MEMORY);
        assert_true(limit < 100000);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_is_read),
        cmocka_unit_test(test_what_is_no_table),
        cmocka_unit_test(test_a_nul_is_no_text),
        cmocka_unit_test(test_cells_that_are_no_numbers),
        cmocka_unit_test(test_columns_are_asked_for),
        cmocka_unit_test(test_times_ascend),
        cmocka_unit_test(test_memory_runs_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
