/* explain.c and the pages: every code has one, under its own title. */
#include "base/report.h"
#include "support/check.h"

static void every_code_has_its_page(void **state)
{
    (void)state;
    static const char *const titles[][2] = {
#define X(code, title) {#code, "# " #code ": " title "\n"},
#include "base/diag_codes.def"
#undef X
    };
    for (size_t i = 0; i < sizeof titles / sizeof *titles; i++) {
        const char *page = dae_diagnostic_explain(titles[i][0]);
        if (!page) print_error("no page for %s\n", titles[i][0]);
        assert_non_null(page);
        size_t n = strlen(titles[i][1]);
        assert_true(strlen(page) > n + 100);
        assert_memory_equal(page, titles[i][1], n);
    }
}

static void other_codes_have_none(void **state)
{
    (void)state;
    assert_null(dae_diagnostic_explain("E9999"));
    assert_null(dae_diagnostic_explain(""));
    assert_null(dae_diagnostic_explain("e0101"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_code_has_its_page),
        cmocka_unit_test(other_codes_have_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
