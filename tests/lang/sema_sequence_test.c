/* Models made canonical: lines in any order make the same problem, to the last
 * bit of its values; positions lead back to the text; what is wrong is told as
 * without. */
#include "random.h"
#include "support/check.h"

#include <dae/model.h>

enum { LINES_MOST = 16, TERMS = 4, ROOM = 40, ORDERS = 12 };

typedef struct made {
    dae_diagnostics *ds;
    dae_model *model;
    const dae_problem *p;
} made;

static dae_status make(made *m, const char *text, int canonical)
{
    const dae_model_options options = {.canonical = canonical};
    CHECK_STATUS(dae_diagnostics_create(NULL, &m->ds), DAE_OK);
    const dae_status st = dae_model_parse(
        "order.dae", text, strlen(text), &options, NULL, m->ds, &m->model);
    m->p = st ? NULL : dae_model_problem(m->model);
    return st;
}

static void drop(made *m)
{
    dae_model_free(m->model);
    dae_diagnostics_free(m->ds);
}

/* ---- the same lines in other orders ------------------------------------------- */

static void join(const char *const *lines, const size_t *at, size_t count,
    char *text, size_t size)
{
    size_t length = 0;
    text[0] = '\0';
    for (size_t k = 0; k < count; k++)
        length += (size_t)snprintf(
            text + length, size - length, "%s\n", lines[at ? at[k] : k]);
    assert_true(length < size);
}

static void shuffle(size_t *at, size_t count, random_state *r)
{
    for (size_t k = count; k > 1; k--) {
        const size_t other = random_below(r, k);
        const size_t kept = at[k - 1];
        at[k - 1] = at[other];
        at[other] = kept;
    }
}

/* Not `==`: zeros have signs, and what is no number is equal to itself. */
static void check_bits(
    const double *a, const double *b, size_t count, const char *what)
{
    for (size_t k = 0; k < count; k++) {
        if (memcmp(&a[k], &b[k], sizeof *a) == 0) continue;
        fail_msg("%s %zu is %.17g or %.17g", what, k, a[k], b[k]);
    }
}

/* Tables that may be missing. */
static void check_bytes(const uint8_t *a, const uint8_t *b, size_t count)
{
    assert_true(!a == !b);
    if (a) assert_memory_equal(a, b, count);
}

static size_t entries_of(const dae_problem *p)
{
    return (size_t)
        p->pattern->column_start[dae_problem_state_count(p) + p->unknown_count];
}

static void compare_tables(const dae_problem *p, const dae_problem *q)
{
    const size_t n = p->unknown_count, states = dae_problem_state_count(p);
    assert_int_equal(n, q->unknown_count);
    assert_memory_equal(p->order, q->order, n);
    check_bytes(p->index_group, q->index_group, n);
    check_bytes(p->smoothness, q->smoothness, n);
    assert_memory_equal(p->pattern->column_start, q->pattern->column_start,
        (states + n + 1) * sizeof(int64_t));
    const size_t entries = entries_of(p);
    assert_memory_equal(
        p->pattern->row, q->pattern->row, entries * sizeof(int32_t));
    assert_memory_equal(p->pattern->kind, q->pattern->kind, entries);
    check_bits(p->start->x, q->start->x, states, "start");
    assert_memory_equal(p->start->x_fixed, q->start->x_fixed, states);
    assert_memory_equal(p->start->xp_fixed, q->start->xp_fixed, n);
    assert_int_equal(p->start->condition_count, q->start->condition_count);
}

static void compare_values(
    const dae_problem *p, const dae_problem *q, random_state *r)
{
    double x[ROOM], xp[ROOM], a[ROOM * ROOM], b[ROOM * ROOM];
    const size_t n = p->unknown_count, states = dae_problem_state_count(p);
    assert_true(
        states <= ROOM && entries_of(p) * TERMS <= sizeof a / sizeof *a);
    for (size_t k = 0; k < states; k++) x[k] = 1.3 + random_unit(r);
    for (size_t k = 0; k < n; k++) xp[k] = random_unit(r) - 0.5;
    CHECK_STATUS(p->residual(p->self, 0.7, x, xp, a), DAE_OK);
    CHECK_STATUS(q->residual(q->self, 0.7, x, xp, b), DAE_OK);
    check_bits(a, b, n, "residual");
    CHECK_STATUS(p->jacobian(p->self, DAE_ALL, 0.7, x, xp, a), DAE_OK);
    CHECK_STATUS(q->jacobian(q->self, DAE_ALL, 0.7, x, xp, b), DAE_OK);
    check_bits(a, b, entries_of(p), "entry");
    if (!p->start->condition_count) return;
    p->start->condition_residual(p->self, 0.7, x, xp, a);
    q->start->condition_residual(q->self, 0.7, x, xp, b);
    check_bits(a, b, p->start->condition_count, "condition");
}

static void compare_series(
    const dae_problem *p, const dae_problem *q, random_state *r)
{
    enum { STRIDE = TERMS + 3 };
    double x[ROOM * STRIDE], a[ROOM * ROOM], b[ROOM * ROOM];
    for (size_t k = 0; k < p->unknown_count * STRIDE; k++)
        x[k] = 0.5 + random_unit(r) / 4;
    CHECK_STATUS(p->series(p->self, TERMS, 0.7, x, STRIDE, a), DAE_OK);
    CHECK_STATUS(q->series(q->self, TERMS, 0.7, x, STRIDE, b), DAE_OK);
    check_bits(a, b, p->unknown_count * TERMS, "series");
    CHECK_STATUS(p->series_jacobian(p->self, TERMS, 0.7, x, STRIDE, a), DAE_OK);
    CHECK_STATUS(q->series_jacobian(q->self, TERMS, 0.7, x, STRIDE, b), DAE_OK);
    check_bits(a, b, entries_of(p) * TERMS, "series entry");
}

/* Names by lines differ; others do not. */
static void compare_names(const made *m, const made *o)
{
    char a[64], b[64];
    for (size_t k = 0; k < dae_model_unknown_count(m->model); k++) {
        dae_model_unknown_name(m->model, k, a, sizeof a);
        dae_model_unknown_name(o->model, k, b, sizeof b);
        assert_string_equal(a, b);
    }
    for (size_t k = 0; k < dae_model_equation_count(m->model); k++) {
        dae_model_equation_name(m->model, k, a, sizeof a);
        dae_model_equation_name(o->model, k, b, sizeof b);
        if (a[0] != 'L') assert_string_equal(a, b);
    }
}

static void check_orders(const char *const *lines, size_t count)
{
    char text[2000];
    size_t at[LINES_MOST];
    random_state r = {17};
    made one;
    assert_true(count <= LINES_MOST);
    for (size_t k = 0; k < count; k++) at[k] = k;
    join(lines, NULL, count, text, sizeof text);
    CHECK_STATUS(make(&one, text, 1), DAE_OK);
    for (int k = 0; k < ORDERS; k++) {
        made other;
        shuffle(at, count, &r);
        join(lines, at, count, text, sizeof text);
        CHECK_STATUS(make(&other, text, 1), DAE_OK);
        compare_tables(one.p, other.p);
        compare_values(one.p, other.p, &r);
        compare_series(one.p, other.p, &r);
        compare_names(&one, &other);
        drop(&other);
    }
    drop(&one);
}

#define CHECK_ORDERS(lines)                                                    \
    check_orders((lines), sizeof(lines) / sizeof *(lines))

static void lines_in_any_order(void **state)
{
    static const char *const scalars[] = {"param b = 1.3, g = 9.81",
        "let r = x*y + b*sin(psi), s = r^2 + z*r", "let far = s' + r",
        "var y ~ 0.4, psi = 0.1", "var x = 1, z", "init y' = 0, psi' = 0",
        "init x*y + z = 2", "init psi + x = 1.1",
        "turn: psi'' = far*cos(psi) - z*r + x*y*psi*b",
        "x'' = -z*r*b + g*x/3 - s", "y'' = g - z*s*x/(1 + r^2)",
        "x^2 + y^2 + psi*z = 1 + exp(-t)*r + s/7"};
    static const char *const arrays[] = {"param n = 3, w[i in 1..30] = i/7",
        "var T[i in 1..n] = i/3, q[n] ~ 1", "var total",
        "let mean = sum(T)/n, most = max(T[i]*q[i] for i in 1..n)",
        "for i in 1..n\n  T[i]' = q[i] - mean*T[i]\n  q[i] + q[i]^3 = "
        "T[i]*most\n"
        "end",
        "total = sum(w[j]*T[1]*q[2] for j in 1..30) + mean",
        "fun f(a, b) = a*b - a/3", "output o = f(mean, total)",
        "expect sum(w[j]*mean for j in 1..30) > 0", "plot total, mean'",
        "solve t in 0..1"};
    (void)state;
    CHECK_ORDERS(scalars);
    CHECK_ORDERS(arrays);
}

/* Only their surroundings tell the inner lines from each other. */
static void lines_that_look_alike(void **state)
{
    static const char *const lines[] = {"param n = 2", "var x[6] ~ 1",
        "for i in 1..n\n  x[i] = 2*x[i+1]*x[i] + sin(i)\nend",
        "for i in 3..4\n  x[i] = 2*x[i+1]*x[i] + sin(i)\nend",
        ("for i in 5..6\n  if i == 5\n    x[i] = 1 + x[1]\n  elseif n == 1\n"
         "    x[i] = 7\n  else\n    x[i] = 2 + x[1]\n  end\nend")};
    static const char *const twice[] = {
        "var x ~ 1, y ~ 2, z ~ 1", "x + y*z = 3", "x + y*z = 3", "z = x*y"};
    (void)state;
    CHECK_ORDERS(lines);
    CHECK_ORDERS(twice);
}

/* ---- back to the text ---------------------------------------------------------- */

static void positions_are_those_of_the_text(void **state)
{
    static const char text[] = "var z = 1, y[2] = 0\nvar b = 1, a = 2\n"
                               "late: z' = -a*b\ny[i]' = z for i in 1..2\n"
                               "b' = -b\nanother: a' = b - z\n"
                               "init z' + b = 0\ninit a' + z = 1\n";
    static const char *const unknowns[] = {"z", "y[1]", "y[2]", "b", "a"};
    static const char *const equations[] = {
        "late", "L4[1]", "L4[2]", "L5", "another"};
    static const char *const conditions[] = {"init L7", "init L8"};
    char name[32];
    (void)state;
    for (int canonical = 0; canonical < 2; canonical++) {
        made m;
        CHECK_STATUS(make(&m, text, canonical), DAE_OK);
        for (size_t k = 0; k < 5; k++) {
            const size_t j = dae_model_unknown_position(m.model, k);
            const size_t i = dae_model_equation_position(m.model, k);
            dae_model_unknown_name(m.model, k, name, sizeof name);
            assert_string_equal(name, unknowns[j]);
            dae_model_equation_name(m.model, k, name, sizeof name);
            assert_string_equal(name, equations[i]);
            if (!canonical) assert_true(i == k && j == k);
            assert_int_equal(m.p->position(m.p->self, DAE_NAME_UNKNOWN, k), j);
            assert_int_equal(m.p->position(m.p->self, DAE_NAME_EQUATION, k), i);
        }
        for (size_t c = 0; c < 2; c++) {
            const size_t at = dae_model_condition_position(m.model, c);
            m.p->name(m.p->self, DAE_NAME_CONDITION, c, name, sizeof name);
            assert_string_equal(name, conditions[at]);
            assert_int_equal(
                m.p->position(m.p->self, DAE_NAME_CONDITION, c), at);
        }
        assert_int_equal(dae_model_unknown_position(m.model, 77), 77);
        drop(&m);
    }
}

/* Which of two guesses holds the order of lines does not decide: they are an
 * error, at the later one. Guesses of different rank are not two of the same. */
static void two_guesses_are_refused_in_any_order(void **state)
{
    static const char *const texts[] = {
        "var x\nx = cos(x)\ninit x ~ 1\ninit x ~ 2\n",
        "var x\nx = cos(x)\ninit x ~ 2\ninit x ~ 1\n"};
    (void)state;
    for (int k = 0; k < 4; k++) {
        made m;
        CHECK_STATUS(make(&m, texts[k % 2], k / 2), DAE_MODEL);
        assert_int_equal(dae_diagnostics_count(m.ds), 1);
        const dae_diagnostic *d = dae_diagnostics_at(m.ds, 0);
        assert_string_equal(d->code, "E0212");
        assert_int_equal(d->spans[0].line, 4);
        assert_int_equal(d->spans[1].line, 3);
        drop(&m);
    }
    made m;
    CHECK_STATUS(make(&m,
                     "var x[2] ~ 5\nx = cos(x)\ninit x[2] ~ 2\n"
                     "init x ~ 3\n",
                     1),
        DAE_OK);
    CHECK_NEAR(m.p->start->x[0], 3, 0);
    CHECK_NEAR(m.p->start->x[1], 2, 0);
    drop(&m);
}

/* ---- what is wrong --------------------------------------------------------------- */

static void errors_are_told_from_the_first_line_on(void **state)
{
    static const char *const texts[] = {
        "var z = 1\nvar a = 1, z = 2\nz' = -zz\nlast: a' = b\nlast: z = 1\n",
        "var x[2] = 1\nx[3]' = 1\nx[1]' = y\n", "var a = b, b = a\na' = 1\n"};
    (void)state;
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) {
        made m, o;
        CHECK_STATUS(make(&m, texts[k], 0), DAE_MODEL);
        CHECK_STATUS(make(&o, texts[k], 1), DAE_MODEL);
        const size_t count = dae_diagnostics_count(m.ds);
        assert_true(count > 0);
        assert_int_equal(count, dae_diagnostics_count(o.ds));
        for (size_t i = 0; i < count; i++) {
            const dae_diagnostic *a = dae_diagnostics_at(m.ds, i);
            const dae_diagnostic *b = dae_diagnostics_at(o.ds, i);
            assert_string_equal(a->message, b->message);
            assert_int_equal(a->spans[0].line, b->spans[0].line);
        }
        drop(&m);
        drop(&o);
    }
}

/* The smallest sets are named as the text has them. */
static void singular_sets_as_the_text_has_them(void **state)
{
    static const char text[] =
        "var z, y\nvar b\nq: z = 1\nc: z^2 = t\nz + y = b\n";
    const dae_singular *s;
    dae_singular *singular;
    dae_diagnostics *ds;
    dae_model *model;
    const dae_model_options options = {.canonical = 1, .singular = &singular};
    (void)state;
    CHECK_STATUS(dae_diagnostics_create(NULL, &ds), DAE_OK);
    CHECK_STATUS(dae_model_parse(
                     "s.dae", text, strlen(text), &options, NULL, ds, &model),
        DAE_MODEL);
    CHECK_DIAG(ds, "E0302", 3, 1);
    s = singular;
    assert_non_null(s);
    assert_int_equal(s->over.equation_count, 2);
    assert_string_equal(s->over.equations[0].name, "q");
    assert_string_equal(s->over.equations[1].name, "c");
    assert_int_equal(s->under.unknown_count, 2);
    assert_string_equal(s->under.unknowns[0].name, "y");
    assert_string_equal(s->under.unknowns[1].name, "b");
    dae_singular_free(singular);
    dae_diagnostics_free(ds);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_in_any_order),
        cmocka_unit_test(lines_that_look_alike),
        cmocka_unit_test(positions_are_those_of_the_text),
        cmocka_unit_test(two_guesses_are_refused_in_any_order),
        cmocka_unit_test(errors_are_told_from_the_first_line_on),
        cmocka_unit_test(singular_sets_as_the_text_has_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
