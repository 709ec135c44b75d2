/* Every prefix of twenty models, byte by byte, as a text is that somebody is
 * still typing or that was cut in transfer: it compiles, or at least one error
 * tells what is wrong at a place within it. */
#include "support/check.h"
#include "support/share.h"

#include <dae/model.h>

static const char *const names[] = {
    "chemistry/e5",
    "chemistry/hires",
    "chemistry/oregonator",
    "chemistry/robertson",
    "circuits/ring_modulator",
    "circuits/transistor_amplifier",
    "limits/singular_mass",
    "mechanics/chain_hanging",
    "mechanics/director_dipole",
    "mechanics/double_pendulum",
    "mechanics/net4_tensions",
    "mechanics/pendulum_minimal",
    "mechanics/rigid_body_spring",
    "mechanics/rotation_vector",
    "medicine/medical_akzo_nobel",
    "molecules/lennard_jones",
    "oscillators/van_der_pol",
    "pde/brusselator1d",
    "process/batch_reactor_steady",
    "quadrature/cosine_root",
};

static char *read_model(const char *name, size_t *length)
{
    char path[500];
    (void)snprintf(path, sizeof path, TEST_ROOT "/models/%s.dae", name);
    FILE *file = fopen(path, "rb");
    if (!file) print_error("%s\n", path);
    assert_non_null(file);
    assert_int_equal(fseek(file, 0, SEEK_END), 0);
    long size = ftell(file);
    assert_true(size > 0);
    rewind(file);
    char *text = malloc((size_t)size);
    assert_non_null(text);
    *length = fread(text, 1, (size_t)size, file);
    assert_int_equal(*length, (size_t)size);
    (void)fclose(file);
    return text;
}

/* Whether the place is a character of the text, or the one after the last of
 * its line. */
static int is_within(
    const char *text, size_t length, uint32_t line, uint32_t column)
{
    size_t at = 0;
    uint32_t characters = 0;
    for (uint32_t k = 1; k < line; k++) {
        const char *end = memchr(text + at, '\n', length - at);
        if (!end) return 0;
        at = (size_t)(end - text) + 1;
    }
    for (; at < length && text[at] != '\n'; at++)
        characters += ((unsigned char)text[at] & 0xC0) != 0x80;
    return line >= 1 && column >= 1 && column <= characters + 1;
}

static int has_error_within(
    const dae_diagnostics *ds, const char *text, size_t length)
{
    int found = 0;
    for (size_t i = 0; i < dae_diagnostics_count(ds); i++) {
        const dae_diagnostic *d = dae_diagnostics_at(ds, i);
        for (size_t k = 0; k < d->span_count; k++) {
            const dae_span *s = &d->spans[k];
            if (!is_within(text, length, s->line, s->column)) return 0;
            found = found || d->severity == DAE_ERROR;
        }
    }
    return found;
}

/* A copy of just this length, so that a read beyond its end is seen. */
static void try_prefix(const char *name, const char *text, size_t length)
{
    dae_diagnostics *ds;
    dae_model *model;
    char *copy = malloc(length ? length : 1);
    assert_non_null(copy);
    memcpy(copy, text, length);
    CHECK_STATUS(dae_diagnostics_create(NULL, &ds), DAE_OK);
    dae_status st = dae_model_parse(name, copy, length, NULL, NULL, ds, &model);
    assert_true(!st == (model != NULL));
    if (st != DAE_OK && st != DAE_MODEL)
        print_error("%s, %zu bytes\n", name, length);
    assert_true(st == DAE_OK || st == DAE_MODEL);
    if (st && !has_error_within(ds, copy, length)) {
        print_error(
            "%s, %zu bytes: no error with a place within\n", name, length);
        fail();
    }
    dae_model_free(model);
    dae_diagnostics_free(ds);
    free(copy);
}

static void every_prefix_compiles_or_says_why(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        size_t length;
        char *text = read_model(names[i], &length);
        /* other lengths of each model */
        const size_t stride = test_share();
        for (size_t n = i % stride; n <= length; n += stride)
            try_prefix(names[i], text, n);
        free(text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_prefix_compiles_or_says_why),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
