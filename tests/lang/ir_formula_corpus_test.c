/* Formulas of all equations of the corpus, and their derivatives, mean what the
 * corpus has: they are read back and evaluated. */
#include "lang/formula_support.h"

/* ---- the corpus ---------------------------------------------------------------- */

typedef struct entry {
    const json_value *v;
    dae_model *model;
    size_t compared;
} entry;

static void add(text_sink *s, const char *text)
{
    assert_int_equal(sink_write(s, text, strlen(text)), 0);
}

/* `params`, then `definitions` as lets. */
static void add_tables(text_sink *s, const json_value *v)
{
    const json_value *p = json_member(v, "parameters");
    char number[64];
    for (p = p->first; p; p = p->next) {
        (void)snprintf(number, sizeof number, " = %.17g\n", p->number);
        add(s, "param ");
        add(s, p->key);
        add(s, number);
    }
}

static void add_definitions(text_sink *s, const json_value *v)
{
    const json_value *p = json_member(v, "definitions");
    for (p = p->first; p; p = p->next) {
        add(s, "let ");
        add(s, p->key);
        add(s, " = ");
        add(s, p->text);
        add(s, "\n");
    }
}

static dae_model *parse(const text_sink *s)
{
    dae_diagnostics *ds;
    dae_model *m;
    CHECK_STATUS(dae_diagnostics_create(NULL, &ds), DAE_OK);
    dae_status st = dae_model_parse(
        "corpus.dae", s->text, s->length, NULL, NULL, ds, &m);
    if (st) {
        describe(ds);
        print_error("%s\n", s->text);
    }
    CHECK_STATUS(st, DAE_OK);
    dae_diagnostics_free(ds);
    return m;
}

static dae_model *model_of(const json_value *v)
{
    text_sink s = {0};
    const json_value *p;
    add_tables(&s, v);
    for (p = json_member(v, "variables")->first; p; p = p->next) {
        add(&s, "var ");
        add(&s, p->text);
        add(&s, "\n");
    }
    add_definitions(&s, v);
    for (p = json_member(v, "equations")->first; p; p = p->next) {
        add(&s, json_text(p, "name"));
        add(&s, ": ");
        add(&s, json_text(p, "eq"));
        add(&s, "\n");
    }
    dae_model *m = parse(&s);
    free(s.text);
    return m;
}

/* Left minus right of "left = right". */
static void add_difference(text_sink *s, const char *name, const char *equation)
{
    const char *at = strstr(equation, " = ");
    assert_non_null(at);
    add(s, name);
    add(s, " = (");
    assert_int_equal(sink_write(s, equation, (size_t)(at - equation)), 0);
    add(s, ") - (");
    add(s, at + 3);
    add(s, ")\n");
}

static void add_curves(text_sink *s, const json_value *v, uint64_t seed)
{
    char text[80];
    random_state r = {seed};
    const json_value *p = json_member(v, "variables");
    for (p = p->first; p; p = p->next) {
        add(s, "let ");
        add(s, p->text);
        add(s, " = 0.8");
        for (int k = 1; k <= 7; k++) {
            (void)snprintf(
                text, sizeof text, " + (%.6f)*t^%d", 0.4 * random_unit(&r), k);
            add(s, text);
        }
        add(s, "\n");
    }
}

/* Three residuals of a derivative along curves: of the printed text, of the
 * corpus' (NULL: it has none in full), and as the language differentiates the
 * equation. */
static dae_model *residuals_of(const entry *e, const char *printed,
    const char *corpus, const char *equation, int order, uint64_t seed)
{
    text_sink s = {0};
    add_tables(&s, e->v);
    add_curves(&s, e->v, seed);
    add_definitions(&s, e->v);
    add(&s, "var the_clock = 0\nthe_clock' = 1\n");
    add_difference(&s, "let the_equation", equation);
    add_difference(&s, "output printed", printed);
    add_difference(&s, "output of_corpus", corpus ? corpus : "0 = 0");
    add(&s, "output derived = the_equation");
    for (int k = 0; k < order; k++) add(&s, "'");
    add(&s, "\n");
    dae_model *m = parse(&s);
    free(s.text);
    return m;
}

static void read_residuals(dae_model *m, double t, double out[3])
{
    double zero = 0, values[200];
    size_t count = dae_model_observation_count(m), found = 0;
    assert_true(count <= 200);
    CHECK_STATUS(dae_model_observe(m, t, &zero, &zero, values), DAE_OK);
    for (size_t k = 0; k < count; k++)
        if (dae_model_observation_kind(m, k) == DAE_OBSERVED_OUTPUT)
            out[found++] = values[k];
    assert_int_equal(found, 3);
}

static const char *equation_text(const entry *e, const char *name)
{
    const json_value *p = json_member(e->v, "equations");
    for (p = p->first; p; p = p->next)
        if (strcmp(json_text(p, "name"), name) == 0) return json_text(p, "eq");
    fail_msg("no equation %s", name);
    return NULL;
}

static double largest(double a, double b, double c)
{
    return fmax(fabs(a), fmax(fabs(b), fabs(c)));
}

/* A formula may differ in sign from what it is compared with. */
static void compare_formula(
    entry *e, const char *name, int order, const char *corpus)
{
    char *printed = formula_of(e->model, name, order, 0, 0);
    for (uint64_t seed = 1; seed <= 2; seed++) {
        dae_model *m = residuals_of(
            e, printed, corpus, equation_text(e, name), order, seed);
        double sign = 0;
        for (int k = 1; k <= 4; k++) {
            double r[3];
            read_residuals(m, 0.17 * k, r);
            double near = 1e-9 * (1 + largest(r[0], r[1], r[2]));
            assert_true(isfinite(r[0]) && isfinite(r[2]));
            if (sign == 0 && fabs(r[2]) > 1e-6)
                sign = (r[0] > 0) == (r[2] > 0) ? 1 : -1;
            if (fabs(r[0] - sign * r[2]) > near
                || (corpus && fabs(fabs(r[1]) - fabs(r[2])) > near))
                fail_msg("%s, %s, order %d: %s: %.17g, %.17g, %.17g",
                    json_text(e->v, "name"), name, order, printed, r[0], r[1],
                    r[2]);
        }
        dae_model_free(m);
    }
    e->compared++;
    free(printed);
}

/* "f3'': 2*x*x'' + ... = 0" */
static void compare_line(entry *e, const char *line)
{
    char name[16];
    size_t length = strcspn(line, "':"), order = strspn(line + length, "'");
    assert_true(length < sizeof name);
    memcpy(name, line, length);
    name[length] = '\0';
    const char *formula = line + length + order + 2;
    compare_formula(
        e, name, (int)order, strstr(formula, "characters)") ? NULL : formula);
}

/* "total derivatives of f8 (1..2), f9 (1..2)" */
static void compare_totals(entry *e, const char *line)
{
    const char *at = line;
    char name[16];
    int most, used;
    assert_int_equal(strncmp(at, "total derivatives of ", 21), 0);
    for (at += 21; sscanf(at, "%15[^ ] (1..%d)%n", name, &most, &used) == 2;) {
        for (int order = 1; order <= most; order++)
            compare_formula(e, name, order, NULL);
        at += used;
        if (*at != ',') break;
        at += 2;
    }
}

/* 110 lines with a formula, one that is too long for the corpus, and four
 * lists: 12 of the squeezer, 8 and 40 of the Fekete points, 12 of the robot. */
static void all_of_the_corpus(void **state)
{
    (void)state;
    json_value *root = json_read("tests/data/structure/corpus.json");
    assert_non_null(root);
    entry e = {0};
    size_t entries = 0;
    const json_value *v = json_member(root, "entries");
    for (v = v->first; v; v = v->next) {
        const json_value *line = json_member(
            v, "hidden_constraints_from_sigma");
        if (line->count == 0) continue;
        entries++;
        e.v = v;
        e.model = model_of(v);
        for (line = line->first; line; line = line->next) {
            if (strncmp(line->text, "total", 5) == 0)
                compare_totals(&e, line->text);
            else compare_line(&e, line->text);
        }
        dae_model_free(e.model);
    }
    assert_int_equal(entries, 30);
    assert_int_equal(e.compared, 110 + 1 + 12 + 8 + 40 + 12);
    json_free(root);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_of_the_corpus),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
