/* The two sides of equations as numbers: by hand on small models, and on the
 * models of tests/check that they differ by the residual and its derivatives. */
#include "lang/sema_support.h"
#include "model_folder.h"
#include "random.h"

#include <math.h>

enum { STRIDE = 4 };

/* Taylor coefficients of the unknowns 0, 1, ... from values, rates and second
 * derivatives. */
static void set_curve(double *curve, size_t count, const double (*values)[3])
{
    for (size_t j = 0; j < count; j++) {
        curve[j * STRIDE] = values[j][0];
        curve[j * STRIDE + 1] = values[j][1];
        curve[j * STRIDE + 2] = values[j][2] / 2;
        curve[j * STRIDE + 3] = 0;
    }
}

typedef struct expected {
    dae_name_kind kind;
    size_t index, order;
    double left, right;
} expected;

static void check_sides(const char *text, size_t unknowns,
    const double (*values)[3], const expected *list, size_t count)
{
    fixture f;
    double curve[8 * STRIDE], sides[2];
    open_model(&f, text);
    set_curve(curve, unknowns, values);
    for (size_t k = 0; k < count; k++) {
        const expected *e = &list[k];
        CHECK_STATUS(f.p->sides(f.p->self, e->kind, e->index, e->order, 0.0,
                         curve, STRIDE, sides),
            DAE_OK);
        CHECK_NEAR(sides[0], e->left, 1e-13 * (1 + fabs(e->left)));
        CHECK_NEAR(sides[1], e->right, 1e-13 * (1 + fabs(e->right)));
    }
    close_model(&f);
}
#define CHECK_SIDES(text, values, list)                                        \
    check_sides((text), sizeof(values) / sizeof *(values), (values), (list),   \
        sizeof(list) / sizeof *(list))

static void equations_and_their_derivatives(void **state)
{
    (void)state;
    static const double values[][3] = {{2, 3, 5}, {7, 11, 13}, {0.5, 0.25, 4}};
    static const expected list[] = {
        {DAE_NAME_EQUATION, 0, 0, 4 + 49, 2},
        {DAE_NAME_EQUATION, 0, 1, 12 + 154, 0},
        {DAE_NAME_EQUATION, 0, 2, 18 + 20 + 242 + 182, 0},
        {DAE_NAME_EQUATION, 1, 0, 0.5, 0}, {DAE_NAME_EQUATION, 1, 1, 0.25, 1},
        {DAE_NAME_EQUATION, 1, 2, 4, 2}, {DAE_NAME_EQUATION, 2, 0, 0, 2 - 7},
        {DAE_NAME_EQUATION, 2, 1, 3 - 11, 0}, /* x' - y' = 0 */
    };
    CHECK_SIDES("param g = 9.81, k = 2\n"
                "input gamma = sin(t) + t^2\n"
                "var x, y, z\n"
                "rod: x^2 + y^2 = k\n"
                "track: z = gamma\n"
                "none: 0 = x - y\n",
        values, list);
}

static void lets_and_signs(void **state)
{
    (void)state;
    static const double values[][3] = {{2, 3, 5}, {7, 11, 13}};
    static const expected list[] = {
        {DAE_NAME_EQUATION, 0, 0, 14 + 2, 196},
        {DAE_NAME_EQUATION, 0, 1, 43 - 7, 28 * 43}, /* w' - y = 2*w*w' */
        {DAE_NAME_EQUATION, 1, 0, 3, -7},           /* x' = -y */
    };
    CHECK_SIDES("let w = x*y\n"
                "var x, y\n"
                "q: w + x = w^2\n"
                "x' = -y\n",
        values, list);
}

static void conditions(void **state)
{
    (void)state;
    static const double values[][3] = {{2, 3, 0}, {7, 11, 0}};
    static const expected list[] = {
        {DAE_NAME_CONDITION, 0, 0, 9, 3},
        {DAE_NAME_CONDITION, 1, 0, 3 + 14, 1},
        {DAE_NAME_CONDITION, 2, 0, -7, 0},
    };
    CHECK_SIDES("let s = x + y\n"
                "let area = x*y\n"
                "var x, y\n"
                "x' = -s\n"
                "y' = x\n"
                "init s = 3\n"
                "init x' + area = 1\n"
                "init -y = 0\n",
        values, list);
}

/* Which part of a sum was the other side with a minus is not seen. */
static void what_is_not_known(void **state)
{
    (void)state;
    fixture f;
    double curve[8 * STRIDE] = {0}, sides[2];
    open_model(&f, "var x, y\nx' = -y\n2*x = -(y*x)\n");
    CHECK_STATUS(f.p->sides(f.p->self, DAE_NAME_EQUATION, 1, 0, 0.0, curve,
                     STRIDE, sides),
        DAE_UNSUPPORTED);
    CHECK_STATUS(f.p->sides(f.p->self, DAE_NAME_EQUATION, 2, 0, 0.0, curve,
                     STRIDE, sides),
        DAE_ARGUMENT);
    CHECK_STATUS(f.p->sides(f.p->self, DAE_NAME_CONDITION, 0, 0, 0.0, curve,
                     STRIDE, sides),
        DAE_ARGUMENT);
    close_model(&f);
}

/* Each allocation fails once; afterwards the answer is as ever. */
static void without_memory(void **state)
{
    (void)state;
    const char *text = "let w = sin(x)*y\n"
                       "var x, y\n"
                       "x' = w^2 + y\n"
                       "w = 1\n"
                       "init w + x = 2\n";
    static const double values[][3] = {{2, 3, 5}, {7, 11, 13}};
    failing_memory memory;
    dae_model *m;
    double curve[2 * STRIDE], sides[2] = {0, 0};
    failing_init(&memory, SIZE_MAX);
    CHECK_STATUS(dae_model_parse("m.dae", text, strlen(text), NULL,
                     &memory.allocator, NULL, &m),
        DAE_OK);
    const dae_problem *p = dae_model_problem(m);
    set_curve(curve, 2, values);
    size_t refused = 0;
    for (int what = 0; what < 2; what++) {
        const dae_name_kind kind = what ? DAE_NAME_CONDITION
                                        : DAE_NAME_EQUATION;
        dae_status st = DAE_MEMORY;
        for (size_t n = 0; st; n++, refused += st != 0) {
            memory.fail_from = memory.allocations + n;
            st = p->sides(
                p->self, kind, 0, what ? 0 : 1, 0.0, curve, STRIDE, sides);
            memory.fail_from = SIZE_MAX;
            if (st) CHECK_STATUS(st, DAE_MEMORY);
        }
        const double w = sin(2) * 7, rate = cos(2) * 3 * 7 + sin(2) * 11;
        CHECK_NEAR(sides[0], what ? w + 2 : 5, 1e-12);
        CHECK_NEAR(sides[1], what ? 2 : 2 * w * rate + 11, 1e-11);
    }
    assert_true(refused > 20);
    dae_model_free(m);
    assert_int_equal(memory.live, 0);
}

/* ---- against the residual ---------------------------------------------------- */

enum { ORDERS = 3, LARGEST = 60 };

typedef struct tally {
    size_t models, asked, known, wrong;
} tally;

/* What equations x' = u say is put into derivatives, so that the sides differ by
 * the residual only where those hold: not at random points. */
static size_t orders_of(const dae_problem *p)
{
    for (size_t j = 0; j < p->unknown_count; j++)
        if (!p->order || p->order[j] == 1) return 1;
    return ORDERS;
}

static bool is_apart(double a, double b, double size)
{
    return !(fabs(a - b) <= 1e-9 * (1 + size));
}

static void compare(const dae_problem *p, const char *file, tally *t)
{
    enum { WIDTH = ORDERS + 8 };
    static double curve[LARGEST * WIDTH], f[LARGEST * ORDERS];
    random_state random = {42};
    const size_t n = p->unknown_count;
    for (size_t k = 0; k < n * WIDTH; k++)
        curve[k] = 1.5 + 0.5 * random_unit(&random);
    dae_status st = p->series(p->self, ORDERS, 0.25, curve, WIDTH, f);
    if (st && st != DAE_RETRY) fail_msg("%s", file);
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < orders_of(p); k++) {
            const double value = f[i * ORDERS + k] * (k == 2 ? 2 : 1);
            double sides[2] = {NAN, NAN};
            if (!isfinite(value)) continue;
            t->asked++;
            st = p->sides(
                p->self, DAE_NAME_EQUATION, i, k, 0.25, curve, WIDTH, sides);
            if (st == DAE_UNSUPPORTED) continue;
            CHECK_STATUS(st, DAE_OK);
            t->known++;
            const double left = sides[0] - sides[1];
            const double size = fmax(fabs(sides[0]), fabs(sides[1]));
            if (!is_apart(left, value, size)) continue;
            if (k > 0 && !is_apart(left, -value, size)) continue;
            t->wrong++;
            print_error("%s, equation %zu, order %zu: %g = %g, residual %g\n",
                file, i, k, sides[0], sides[1], value);
        }
    }
}

static void visit_model(const dae_problem *p, const char *file, void *context)
{
    if (p->unknown_count <= LARGEST) compare(p, file, context);
}

static void compare_folder(const char *folder, tally *t)
{
    t->models += visit_models(folder, visit_model, t);
}

static void sides_differ_by_the_residual(void **state)
{
    (void)state;
    tally t = {0, 0, 0, 0};
    compare_folder("tests/check/forms", &t);
    compare_folder("tests/check/systems", &t);
    compare_folder("tests/check/contradiction", &t);
    print_message("%zu models, %zu of %zu sides known, %zu wrong\n", t.models,
        t.known, t.asked, t.wrong);
    assert_true(t.models > 90);
    assert_int_equal(t.wrong, 0);
    assert_true(t.known > t.asked / 10 * 9);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equations_and_their_derivatives),
        cmocka_unit_test(lets_and_signs),
        cmocka_unit_test(conditions),
        cmocka_unit_test(what_is_not_known),
        cmocka_unit_test(without_memory),
        cmocka_unit_test(sides_differ_by_the_residual),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
