/* Texts made to break the parser: nesting without end, every prefix of every
 * example, memory that runs out. */
#include "support/check.h"
#include "support/share.h"
#include "support/syntax.h"
#include <dirent.h>

static const char *const folders[] = {
    TEST_ROOT "/tests/data/syntax", TEST_ROOT "/tests/diag"};

/* `part` many times, between two texts. */
static char *repeated(
    const char *before, const char *part, size_t count, const char *after)
{
    size_t length = strlen(part), head = strlen(before);
    char *text = malloc(head + length * count + strlen(after) + 1);
    assert_non_null(text);
    memcpy(text, before, head);
    for (size_t i = 0; i < count; i++)
        memcpy(text + head + i * length, part, length);
    strcpy(text + head + length * count, after);
    return text;
}

/* Parts of a text that is longer than any. */
static size_t many(void)
{
    return test_shared(1000000, 50000);
}

static void endless_nesting_is_an_error(void **state)
{
    (void)state;
    static const struct {
        const char *before, *part;
        uint32_t line, column; /* of the first level beyond 1000 */
    } bombs[] = {
        {"x = ", "(", 1, 1005},
        {"x = ", "[", 1, 1005},
        {"x = ", "f(", 1, 0},
        {"x = ", "a[", 1, 0},
        {"x = ", "-", 1, 1005},
        {"x = ", "not ", 1, 4005},
        {"x = ", "2^", 1, 2006},
        {"x = a", ".b", 1, 2006},
        {"x = a", "[1]", 1, 0},
        {"x = ", "if a then b else ", 1, 17005},
        {"x = ", "if ", 1, 3005},
        {"x = ", "sum(a for i in ", 1, 0},
        {"x = ", "a or b and not c < d + e*-f^(", 1, 0},
        {"", "for i in 1..2\n", 1001, 1},
        {"", "if a\n", 1001, 1},
        {"", "model A\n", 1001, 1},
        {"x = ", "(\n", 1001, 1},
    };
    for (size_t i = 0; i < sizeof bombs / sizeof *bombs; i++) {
        char *text = repeated(bombs[i].before, bombs[i].part, many(), "\n");
        parsed p;
        dae_status st = parse_text(&p, text);
        if (st != DAE_LIMIT) print_error("%.30s...\n", text);
        CHECK_STATUS(st, DAE_LIMIT);
        assert_int_equal(dae_diagnostics_count(p.ds), 1);
        CHECK_DIAG(p.ds, "E0106", bombs[i].line, bombs[i].column);
        parsed_clear(&p);
        free(text);
    }
}

/* What only looks deep is read, in linear time. */
static void endless_chains_are_read(void **state)
{
    (void)state;
    static const struct {
        const char *before, *part, *after;
    } chains[] = {
        {"x = a", " + b", "\n"},
        {"x = a", " - -b^2*c", "\n"},
        {"x = a", " and not b", "\n"},
        {"x = [a", ", -b", "]\n"},
        {"x = if a then b", " elseif a then b", " else c\n"},
        {"if a\n", "elseif b\n x = 1\n", "end\n"},
        {"", "x' = (1)\n", ""},
        {"plot a", ", b", "\n"},
        {"x = a", "'", "\n"}, /* one derivative of that order */
        {"var x", "'", "\n"},
    };
    for (size_t i = 0; i < sizeof chains / sizeof *chains; i++) {
        char *text = repeated(
            chains[i].before, chains[i].part, many() / 10, chains[i].after);
        parsed p;
        CHECK_STATUS(parse_text(&p, text), DAE_OK);
        parsed_clear(&p);
        free(text);
    }
}

/* Counts bytes: a text that grows would be copied too often here. */
static int count_bytes(void *context, const char *text, size_t length)
{
    (void)text;
    *(size_t *)context += length;
    return 0;
}

/* The deepest that is allowed is read and shown. */
static void a_thousand_levels_are_read(void **state)
{
    (void)state;
    char *open = repeated("x = ", "(", 1000, "1");
    char *text = repeated(open, ")", 1000, "\n");
    size_t bytes = 0;
    parsed p;
    CHECK_STATUS(parse_text(&p, text), DAE_OK);
    parsed_clear(&p);
    free(text);
    text = repeated("x = ", "-", 999, "1\n");
    CHECK_STATUS(parse_text(&p, text), DAE_OK);
    assert_int_equal(p.file->stmts[0]->right->depth, 1000);
    CHECK_STATUS(show_ast(p.file, count_bytes, &bytes), DAE_OK);
    assert_true(bytes > 1000 * 1000);
    parsed_clear(&p);
    free(text);
    free(open);
}

/* One sign more, and the number is the level too many. */
static void a_thousand_and_one_levels_are_not(void **state)
{
    (void)state;
    char *text = repeated("x = ", "-", 1000, "1\n");
    parsed p;
    CHECK_STATUS(parse_text(&p, text), DAE_LIMIT);
    assert_int_equal(dae_diagnostics_count(p.ds), 1);
    CHECK_DIAG(p.ds, "E0106", 1, 5);
    parsed_clear(&p);
    free(text);
}

typedef void visit_fn(const char *path, const char *text, size_t length);

static void visit_examples(visit_fn *visit)
{
    int count = 0;
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        DIR *folder = opendir(folders[i]);
        if (!folder) continue;
        for (struct dirent *e; (e = readdir(folder));) {
            char path[1000];
            size_t length;
            if (!strstr(e->d_name, ".dae")) continue;
            (void)snprintf(path, sizeof path, "%s/%s", folders[i], e->d_name);
            char *text = read_text(path, &length);
            assert_non_null(text);
            visit(path, text, length);
            free(text);
            count++;
        }
        closedir(folder);
    }
    assert_true(count > 10);
}

static void try_text(const char *text, size_t length)
{
    parsed p;
    CHECK_STATUS(
        parsed_init(&p, dae_allocator_default(), text, length), DAE_OK);
    dae_status st = parse_file(&p.source, &p.arena, &p.names, p.ds, &p.file);
    assert_non_null(p.file);
    assert_true((st == DAE_OK) == (dae_diagnostics_error_count(p.ds) == 0));
    parsed_clear(&p);
}

static void try_prefixes(const char *path, const char *text, size_t length)
{
    (void)path;
    /* a copy of each length, so that a read beyond its end is seen */
    for (size_t n = 0; n <= length; n += test_share()) {
        char *copy = malloc(n + 1);
        assert_non_null(copy);
        memcpy(copy, text, n);
        try_text(copy, n);
        free(copy);
    }
}

static void every_prefix_is_survived(void **state)
{
    (void)state;
    visit_examples(try_prefixes);
}

/* Every text with one byte missing, and with one byte turned into another. */
static void try_changes(const char *path, const char *text, size_t length)
{
    static const char signs[] = "()[]{}=,;:'\"\n\\\xff";
    (void)path;
    char *copy = malloc(length + 1);
    assert_non_null(copy);
    for (size_t n = 0; n < length; n += test_share()) {
        memcpy(copy, text, n);
        memcpy(copy + n, text + n + 1, length - n - 1);
        try_text(copy, length - 1);
        memcpy(copy, text, length);
        copy[n] = signs[n % (sizeof signs - 1)];
        try_text(copy, length);
    }
    free(copy);
}

static void every_change_is_survived(void **state)
{
    (void)state;
    visit_examples(try_changes);
}

static void try_memory(const char *path, const char *text, size_t length)
{
    (void)path;
    dae_status st = DAE_MEMORY;
    for (size_t n = 0; st == DAE_MEMORY; n++) {
        failing_memory m;
        parsed p;
        failing_init(&m, n);
        st = parsed_init(&p, &m.allocator, text, length);
        if (!st) st = parse_file(&p.source, &p.arena, &p.names, p.ds, &p.file);
        parsed_clear(&p);
        assert_int_equal(m.live, 0);
        assert_true(n < 1000);
    }
}

static void failing_memory_is_survived(void **state)
{
    (void)state;
    visit_examples(try_memory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(endless_nesting_is_an_error),
        cmocka_unit_test(endless_chains_are_read),
        cmocka_unit_test(a_thousand_levels_are_read),
        cmocka_unit_test(a_thousand_and_one_levels_are_not),
        cmocka_unit_test(every_prefix_is_survived),
        cmocka_unit_test(every_change_is_survived),
        cmocka_unit_test(failing_memory_is_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
