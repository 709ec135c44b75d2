/* The models of tests/wrong, each as somebody may write it by mistake. A line
 *
 *     # expect error E0203 4:9
 *
 * gives a diagnostic with its place, `-` in its stead one without a place; all
 * that are told, of any severity, are listed in the order of the text, and
 * were before the first run. `# says WORDS` asks for words in the first one's
 * message, help or labels. A model that compiles is started and run, for few
 * steps. What only the command finds, in tests/wrong/command, is left to
 * tests/command/wrong_test.py. */
#define _POSIX_C_SOURCE 200809L
#include "support/check.h"

#include <dae/model.h>
#include <dae/solver.h>
#include <dirent.h>
#include <stdbool.h>

enum {
    MODELS_LEAST = 300, /* in the whole folder */
    MODELS_MOST = 2000,
    TOLD_MOST = 32,
    STEPS_MOST = 20000, /* so that a run ends; E0504 comes of it */
    PATH_SIZE = 512
};

typedef struct told {
    char severity[16], code[8];
    unsigned line, column; /* 0: no place */
} told;

typedef struct told_list {
    told items[TOLD_MOST];
    size_t count;
} told_list;

static int compare_told(const void *a, const void *b)
{
    const told *x = a, *y = b;
    if (x->line != y->line) return x->line < y->line ? -1 : 1;
    if (x->column != y->column) return x->column < y->column ? -1 : 1;
    return strcmp(x->code, y->code);
}

static void sort_told(told_list *l)
{
    qsort(l->items, l->count, sizeof *l->items, compare_told);
}

/* ---- expectations ------------------------------------------------------- */

static char *read_text(const char *path, size_t *length)
{
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    assert_int_equal(fseek(file, 0, SEEK_END), 0);
    long size = ftell(file);
    assert_true(size >= 0);
    rewind(file);
    char *text = malloc((size_t)size + 1);
    assert_non_null(text);
    *length = fread(text, 1, (size_t)size, file);
    assert_int_equal(*length, (size_t)size);
    text[*length] = '\0';
    (void)fclose(file);
    return text;
}

/* The line after the one at `at`, or NULL; the text may hold NULs. */
static const char *next_line(const char *at, const char *end)
{
    const char *stop = memchr(at, '\n', (size_t)(end - at));
    return stop && stop + 1 < end ? stop + 1 : NULL;
}

static bool read_expectation(const char *line, told *t)
{
    char place[32];
    *t = (told){0};
    if (sscanf(line, "# expect %15s %7s %31s", t->severity, t->code, place) < 3)
        return false;
    return strcmp(place, "-") == 0
        || sscanf(place, "%u:%u", &t->line, &t->column) == 2;
}

static bool read_expectations(
    const char *text, size_t length, told_list *expected)
{
    const char *end = text + length;
    expected->count = 0;
    for (const char *at = text; at; at = next_line(at, end)) {
        if (strncmp(at, "# expect ", 9) != 0) continue;
        if (expected->count == TOLD_MOST) return false;
        if (!read_expectation(at, &expected->items[expected->count++]))
            return false;
    }
    sort_told(expected);
    return expected->count > 0;
}

/* ---- what is told --------------------------------------------------------- */

static void apply_settings(const dae_settings *s, dae_options *o)
{
    *o = dae_options_default();
    if (s->rtol > 0) o->rtol = s->rtol;
    if (s->atol > 0) o->atol = s->atol;
    if (s->order) o->max_order = s->order;
    if (s->method) o->method = s->method;
    o->first_step = s->first_step;
    o->max_step = s->max_step;
    o->max_steps = STEPS_MOST;
    o->t_end = s->t1;
}

static void run_model(dae_model *model, dae_diagnostics *ds)
{
    const dae_settings *settings = dae_model_settings(model);
    const dae_problem *problem = dae_model_problem(model);
    dae_solver *solver = NULL;
    dae_options o;
    apply_settings(settings, &o);
    size_t states = dae_problem_state_count(problem);
    double *x = calloc(states + 1, sizeof *x);
    assert_non_null(x);
    dae_status st = dae_solver_create(problem, &o, NULL, ds, &solver);
    if (!st) st = dae_solver_initialize(solver);
    if (!st && settings->has_solve)
        st = dae_solver_advance(solver, settings->t1, x, NULL);
    const bool is_run = !st || st == DAE_STOPPED;
    assert_true(is_run || dae_diagnostics_error_count(ds) > 0);
    dae_solver_free(solver); /* which tells what was seen on the way */
    free(x);
}

static void collect_told(const dae_diagnostics *ds, told_list *got)
{
    static const char *const severities[] = {"note", "warning", "error"};
    got->count = 0;
    for (size_t i = 0; i < dae_diagnostics_count(ds); i++) {
        const dae_diagnostic *d = dae_diagnostics_at(ds, i);
        assert_true(got->count < TOLD_MOST);
        told *t = &got->items[got->count++];
        *t = (told){0};
        if (d->span_count) {
            t->line = d->spans[0].line;
            t->column = d->spans[0].column;
        }
        (void)snprintf(
            t->severity, sizeof t->severity, "%s", severities[d->severity]);
        (void)snprintf(t->code, sizeof t->code, "%s", d->code);
    }
    sort_told(got);
}

static bool is_said(const dae_diagnostics *ds, const char *words, size_t length)
{
    char part[256];
    const dae_diagnostic *d = dae_diagnostics_at(ds, 0);
    if (!d || length >= sizeof part) return false;
    memcpy(part, words, length);
    part[length] = '\0';
    bool found = strstr(d->message, part) || (d->help && strstr(d->help, part));
    for (size_t i = 0; i < d->span_count; i++)
        found = found || (d->spans[i].label && strstr(d->spans[i].label, part));
    if (!found) print_error("  not said: %s\n", part);
    return found;
}

static bool says_all(const char *text, size_t length, const dae_diagnostics *ds)
{
    const char *end = text + length;
    bool all = true;
    for (const char *at = text; at; at = next_line(at, end)) {
        if (strncmp(at, "# says ", 7) != 0) continue;
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        all = is_said(ds, at + 7, (size_t)((stop ? stop : end) - at) - 7)
            && all;
    }
    return all;
}

/* ---- one model --------------------------------------------------------------- */

static void print_told(const char *title, const told_list *l)
{
    for (size_t i = 0; i < l->count; i++)
        print_error("  %s %s %s %u:%u\n", title, l->items[i].severity,
            l->items[i].code, l->items[i].line, l->items[i].column);
}

static void print_messages(const dae_diagnostics *ds)
{
    for (size_t i = 0; i < dae_diagnostics_count(ds); i++) {
        const dae_diagnostic *d = dae_diagnostics_at(ds, i);
        print_error("  %s: %s\n", d->code, d->message);
        if (d->help) print_error("    help: %s\n", d->help);
    }
}

static bool is_as_expected(const char *path)
{
    size_t length;
    char *text = read_text(path, &length);
    told_list expected, got;
    dae_diagnostics *ds;
    dae_model *model = NULL;
    CHECK_STATUS(dae_diagnostics_create(NULL, &ds), DAE_OK);
    bool ok = read_expectations(text, length, &expected);
    dae_status st = dae_model_load(path, NULL, NULL, ds, &model);
    assert_true(!st == (model != NULL));
    if (!st) run_model(model, ds);
    collect_told(ds, &got);
    ok = ok && got.count == expected.count
        && memcmp(got.items, expected.items, got.count * sizeof(told)) == 0;
    ok = says_all(text, length, ds) && ok;
    if (!ok) {
        print_error("%s\n", path);
        print_told("expected", &expected);
        print_told("got     ", &got);
        print_messages(ds);
    }
    dae_model_free(model);
    dae_diagnostics_free(ds);
    free(text);
    return ok;
}

/* ---- the folder ----------------------------------------------------------------- */

static char *paths[MODELS_MOST];
static size_t path_count;

static bool is_model(const char *name)
{
    size_t length = strlen(name);
    return length > 4 && strcmp(name + length - 4, ".dae") == 0;
}

static void list_folder(const char *path, bool is_top)
{
    char inner[PATH_SIZE];
    DIR *folder = opendir(path);
    assert_non_null(folder);
    for (const struct dirent *e; (e = readdir(folder)) != NULL;) {
        if (e->d_name[0] == '.') continue;
        int n = snprintf(inner, sizeof inner, "%s/%s", path, e->d_name);
        assert_true(n > 0 && n < PATH_SIZE);
        if (is_top) {
            list_folder(inner, false);
        } else if (is_model(e->d_name)) {
            assert_true(path_count < MODELS_MOST);
            paths[path_count] = malloc((size_t)n + 1);
            assert_non_null(paths[path_count]);
            memcpy(paths[path_count++], inner, (size_t)n + 1);
        }
    }
    (void)closedir(folder);
}

static int compare_paths(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static int list_models(void **state)
{
    (void)state;
    list_folder(TEST_ROOT "/tests/wrong", true);
    qsort(paths, path_count, sizeof *paths, compare_paths);
    return 0;
}

static int forget_models(void **state)
{
    (void)state;
    while (path_count > 0) free(paths[--path_count]);
    return 0;
}

static void there_are_enough_of_them(void **state)
{
    (void)state;
    assert_true(path_count >= MODELS_LEAST);
}

/* Every code, each in two models, but those of files, pictures, memory and
 * Ctrl-C, and those that only `dae check` and `dae test` tell (tests/check), only
 * an option brings about (tests/command/reduce_test.py, fixed_test.py,
 * global_test.py), or only
 * `dae stability` and studies tell (tests/command/stability_test.py,
 * tests/robust/study_failure_test.c). */
static void every_code_is_among_them(void **state)
{
    (void)state;
    static const char *const codes[] = {
#define X(code, title) #code,
#include "base/diag_codes.def"
#undef X
    };
    static const char others[] =
        "E0001 E0002 E0003 E0005 E0006 E0007 E0008 "
        "E0303 E0304 W0305 W0306 W0409 N0510 E0511 "
        "N0508 E0512 W0513 E0514 N0515 N0517 W0518 W0531 N0602";
    size_t uses[sizeof codes / sizeof *codes] = {0}, missing = 0;
    for (size_t i = 0; i < path_count; i++) {
        size_t length;
        told_list l;
        char *text = read_text(paths[i], &length);
        if (!read_expectations(text, length, &l)) {
            print_error("%s: no expectation\n", paths[i]);
            missing++;
            l.count = 0;
        }
        for (size_t c = 0; c < sizeof codes / sizeof *codes; c++)
            for (size_t k = 0; k < l.count; k++)
                if (strcmp(l.items[k].code, codes[c]) == 0) {
                    uses[c]++;
                    break;
                }
        free(text);
    }
    for (size_t c = 0; c < sizeof codes / sizeof *codes; c++) {
        if (uses[c] >= 2 || strstr(others, codes[c])) continue;
        print_error("%s is in %zu models\n", codes[c], uses[c]);
        missing++;
    }
    assert_int_equal(missing, 0);
}

static void each_mistake_is_told_at_its_place(void **state)
{
    (void)state;
    size_t wrong = 0;
    for (size_t i = 0; i < path_count; i++) {
        if (strstr(paths[i], "/tests/wrong/command/")) continue;
        wrong += !is_as_expected(paths[i]);
    }
    if (wrong) print_error("%zu of %zu models\n", wrong, path_count);
    assert_int_equal(wrong, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(there_are_enough_of_them),
        cmocka_unit_test(every_code_is_among_them),
        cmocka_unit_test(each_mistake_is_told_at_its_place),
    };
    return cmocka_run_group_tests(tests, list_models, forget_models);
}
