/* Jacobians of models as text against differences of their residuals: of
 * equations and of conditions, through lets that vary and that do not, with
 * internal unknowns; and the places of what a problem names. */
#include "support/check.h"

#include <dae/model.h>

enum { MOST = 160, ENTRIES = 2000 };

typedef struct fixture {
    dae_diagnostics *ds;
    dae_model *model;
    const dae_problem *p;
    size_t states;
    double x[MOST], xp[MOST], values[ENTRIES];
} fixture;

static void open_model(fixture *f, const char *text)
{
    memset(f, 0, sizeof *f);
    CHECK_STATUS(dae_diagnostics_create(NULL, &f->ds), DAE_OK);
    CHECK_STATUS(dae_model_parse(
                     "m.dae", text, strlen(text), NULL, NULL, f->ds, &f->model),
        DAE_OK);
    f->p = dae_model_problem(f->model);
    f->states = dae_problem_state_count(f->p);
    assert_true(f->states <= MOST);
    for (int k = 0; k < MOST; k++) {
        f->x[k] = 0.6 + 0.01 * ((k * 37) % 50);
        f->xp[k] = 0.4 + 0.01 * ((k * 23) % 50);
    }
}

static void close_model(fixture *f)
{
    dae_model_free(f->model);
    dae_diagnostics_free(f->ds);
}

typedef struct view {
    dae_residual_fn *residual;
    dae_jacobian_fn *jacobian;
    const dae_pattern *pattern;
    size_t rows;
} view;

static view equations_of(const fixture *f)
{
    return (view){
        f->p->residual, f->p->jacobian, f->p->pattern, f->p->unknown_count};
}

static view conditions_of(const fixture *f)
{
    const dae_start *s = f->p->start;
    return (view){s->condition_residual, s->condition_jacobian,
        &s->condition_pattern, s->condition_count};
}

/* Central differences, whose error falls with h^2 and with h^-1. */
static void difference(fixture *f, const view *v, size_t column, double *d)
{
    const double h = 1e-5;
    double *at = column < f->states ? &f->x[column]
                                    : &f->xp[column - f->states];
    double keep = *at, low[MOST], high[MOST];
    *at = keep + h;
    CHECK_STATUS(v->residual(f->p->self, 0.3, f->x, f->xp, high), DAE_OK);
    *at = keep - h;
    CHECK_STATUS(v->residual(f->p->self, 0.3, f->x, f->xp, low), DAE_OK);
    *at = keep;
    for (size_t i = 0; i < v->rows; i++) d[i] = (high[i] - low[i]) / (2 * h);
}

/* Evaluates `scope` and compares all entries; DAE_VARYING leaves the others
 * as they are. */
static void check_jacobian(fixture *f, const view *v, dae_scope scope)
{
    size_t columns = f->states + f->p->unknown_count;
    double d[MOST];
    assert_true(v->pattern->column_start[columns] <= ENTRIES);
    CHECK_STATUS(
        v->jacobian(f->p->self, scope, 0.3, f->x, f->xp, f->values), DAE_OK);
    for (size_t c = 0; c < columns; c++) {
        difference(f, v, c, d);
        const int64_t end = v->pattern->column_start[c + 1];
        for (int64_t p = v->pattern->column_start[c]; p < end; p++) {
            size_t i = (size_t)v->pattern->row[p];
            CHECK_NEAR(f->values[p], d[i], 1e-6 * (1 + fabs(d[i])));
            d[i] = 0;
        }
        for (size_t i = 0; i < v->rows; i++) CHECK_NEAR(d[i], 0, 1e-6);
    }
}

static void move(fixture *f)
{
    for (size_t k = 0; k < MOST; k++) {
        f->x[k] += 0.05 * sin((double)k + 1);
        f->xp[k] += 0.05 * cos((double)k);
    }
}

static void check_twice(const char *text)
{
    fixture f;
    open_model(&f, text);
    view v = equations_of(&f);
    check_jacobian(&f, &v, DAE_ALL);
    move(&f);
    check_jacobian(&f, &v, DAE_VARYING);
    close_model(&f);
}

/* a is linear: nothing that goes through it is made again, y^2 is. */
static void lets_that_do_not_vary_are_made_once(void **state)
{
    (void)state;
    check_twice("param k = 3\n"
                "var x, y\n"
                "let a = k*x + 2*y\n"
                "x' = a + y^2\n"
                "y' = 5*a\n");
    check_twice("var x, y\n"
                "let a = 4*x\n"
                "x' = a*y\n"
                "y' = a - x^3\n");
}

/* One shape of lets whose rows read y' from x and w' from xp, some for the
 * equations, some for outputs, one for both. */
static void lets_of_one_shape_go_different_ways(void **state)
{
    (void)state;
    check_twice("var y, w, v, u\n"
                "let a = 2*y'\n"
                "let b = 3*w'\n"
                "let c = 4*v'\n"
                "let d = 5*u'\n"
                "output o = a + c\n"
                "y'' = -y + b*y\n"
                "w' = -w + a*w\n"
                "v'' = -v\n"
                "u' = d^2 + sin(u)\n");
}

static void conditions_are_differentiated(void **state)
{
    (void)state;
    fixture f;
    open_model(&f,
        "param k = 2\n"
        "var x, y, z\n"
        "let s = x*y + k*z'\n"
        "let r = s^2\n"
        "x' = -x\n"
        "y'' = -y\n"
        "z' = s\n"
        "init r*x = 2, y' + z*r = 1, x*y = k\n");
    view v = conditions_of(&f);
    assert_int_equal(v.rows, 3);
    check_jacobian(&f, &v, DAE_ALL);
    move(&f);
    check_jacobian(&f, &v, DAE_VARYING);
    close_model(&f);
}

static const char full[] = "var x[100] = 1, y\n"
                           "let s = sum(x[j]^2 for j in 1..100)\n"
                           "let h = s*y\n"
                           "x[i]' = -s*x[i]*y for i in 1..100\n"
                           "flow: y' = h\n"
                           "init y*s + h^2 = 3\n"
                           "solve t in 0..1\n";

static void internal_unknowns_in_equations_and_conditions(void **state)
{
    (void)state;
    fixture f;
    open_model(&f, full);
    assert_int_equal(f.p->unknown_count, 102);
    view v = equations_of(&f), w = conditions_of(&f);
    assert_int_equal(w.rows, 1);
    for (int k = 0; k < 2; k++) {
        check_jacobian(&f, &v, k ? DAE_VARYING : DAE_ALL);
        move(&f);
    }
    check_jacobian(&f, &w, DAE_ALL);
    close_model(&f);
}

static void check_place(
    const fixture *f, dae_name_kind kind, size_t index, const char *text)
{
    const struct dae_source *source;
    uint32_t begin, end;
    assert_int_equal(
        f->p->place(f->p->self, kind, index, &source, &begin, &end), 1);
    assert_int_equal(end - begin, strlen(text));
    assert_memory_equal(full + begin, text, strlen(text));
}

static void everything_has_its_place(void **state)
{
    (void)state;
    fixture f;
    const struct dae_source *source;
    uint32_t begin, end;
    open_model(&f, full);
    check_place(&f, DAE_NAME_UNKNOWN, 3, "x");
    check_place(&f, DAE_NAME_UNKNOWN, 100, "y");
    /* an internal unknown's is what it stands for */
    check_place(&f, DAE_NAME_UNKNOWN, 101, "x[j]^2 for j in 1..100");
    check_place(&f, DAE_NAME_EQUATION, 101, "x[j]^2 for j in 1..100");
    check_place(&f, DAE_NAME_EQUATION, 100, "flow: y' = h");
    check_place(&f, DAE_NAME_CONDITION, 0, "y*s + h^2 = 3");
    assert_int_equal(
        f.p->place(f.p->self, DAE_NAME_UNKNOWN, 102, &source, &begin, &end), 0);
    assert_int_equal(
        f.p->place(f.p->self, DAE_NAME_CONDITION, 1, &source, &begin, &end), 0);
    char name[40];
    (void)f.p->name(f.p->self, DAE_NAME_CONDITION, 0, name, sizeof name);
    assert_string_equal(name, "init L6");
    (void)f.p->name(f.p->self, DAE_NAME_EQUATION, 101, name, sizeof name);
    assert_string_equal(name, "s");
    close_model(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lets_that_do_not_vary_are_made_once),
        cmocka_unit_test(lets_of_one_shape_go_different_ways),
        cmocka_unit_test(conditions_are_differentiated),
        cmocka_unit_test(internal_unknowns_in_equations_and_conditions),
        cmocka_unit_test(everything_has_its_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
