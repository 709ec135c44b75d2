/* Models whose unknowns and equations are measured in badly scaled units start and
 * run like any other: their solutions are known in closed form. */
#include "support/text_run.h"

typedef struct far_apart {
    const char *text;
    double x[4]; /* states at the end, 0: not compared */
    size_t count;
} far_apart;

static double slow(double t)
{
    return 0.4 * exp(-t / 3) - 0.2 * sin(t) + 0.6 * cos(t);
}

static void compare(const far_apart *c, double tolerance, double allowed)
{
    text_run r;
    dae_options o = dae_options_default();
    o.rtol = tolerance;
    o.atol = tolerance * 1e-2;
    text_run_make(&r, c->text, &o);
    CHECK_STATUS(r.status, DAE_OK);
    CHECK_NEAR(r.t, 1, 0);
    for (size_t k = 0; k < c->count; k++)
        CHECK_NEAR(r.x[k], c->x[k], allowed * fmax(1e-5, fabs(c->x[k])));
    text_run_clear(&r);
}

/* Index 2, 3, 2 and 1: what is independent in them is so in any units. With
 * u = x2/8192, v = 8192 x3 and w = 8192 x1 the first is
 *
 *     w - u' + 2 u = 3 cos 2t + 2 t^2, with v more: + t^2 + cos 2t, u + 2 v = ...
 *
 * so that v = cos 2t + t^2 and u = cos 2t. The second, by u = x2/4096, has
 * u + 3 v = -sin t and 6.5 u + 20 v = cos t - 6 sin t. */
static void units_of_unknowns_change_nothing(void **state)
{
    const double c = cos(2), s = sin(2);
    const far_apart cases[] = {
        {"var x1, x2, x3\n"
         "8192*x1 - 0.0001220703125*x2' + 0.000244140625*x2 = 3*cos(2*t) + "
         "2*t^2\n"
         "8192*x1 - 0.0001220703125*x2' + 0.000244140625*x2 + 8192*x3 = "
         "4*cos(2*t) + 3*t^2\n"
         "0.0001220703125*x2 + 16384*x3 = 3*cos(2*t) + 2*t^2\n"
         "solve t in 0..1\n",
            {(c + 2 - 2 * s) / 8192, 8192 * c, (c + 1) / 8192}, 3},
        {"var x1, x2, x3\n"
         "-4*x1 - 0.002197265625*x2' - 0.0013427734375*x2 - 237568*x3' - "
         "163840*x3 = -2*sin(t)\n"
         "-3*x1 - 0.0015869140625*x2' - 0.0006103515625*x2 - 172032*x3' - "
         "81920*x3 = -3*sin(t)\n"
         "-3*x1 - 0.0015869140625*x2' - 0.0008544921875*x2 - 172032*x3' - "
         "106496*x3 = -2*sin(t)\n"
         "solve t in 0..1\n",
            {2 * sin(1), -4096 * (4 * sin(1) + 6 * cos(1)),
                (2 * cos(1) + sin(1)) / 8192},
            3},
        {"param s = 1e-8\nvar x, y\ns*x + y = sin(t)\ns*x' + y' + y = cos(t)\n"
         "solve t in 0..1\n",
            {1e8 * sin(1), 0}, 2},
        {"param s = 1e-6\nvar x, y\nx' + s*y' + x = cos(t)\n"
         "2*x' + 2*s*y' + s*y = sin(t)\ninit x = 1\nsolve t in 0..1\n",
            {slow(1), 1e6 * (sin(1) - 2 * cos(1) + 2 * slow(1))}, 2},
    };
    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        compare(&cases[k], 1e-5, 1e-3);
        compare(&cases[k], 1e-7, 1e-5);
    }
}

/* x/L and y/L are those of the pendulum of length 1, whose time is measured in
 * sqrt(L/g): the same share of a period is the same place. */
static void pendula_of_all_sizes_swing_alike(void **state)
{
    static const double length[] = {1, 1e8, 1e8, 1e-3},
                        mass[] = {1, 1e-9, 1e9, 1e-12};
    double first[2] = {0, 0};
    (void)state;
    for (size_t k = 0; k < 4; k++) {
        char text[400];
        text_run r;
        dae_options o = dae_options_default();
        o.rtol = 1e-8;
        o.atol = 1e-12 * length[k];
        snprintf(text, sizeof text,
            "param L = %g, m = %g, g = 9.81\n"
            "var x = 0.6*L, y ~ -0.8*L, lam\nm*x'' = -lam*x\n"
            "m*y'' = -lam*y - m*g\nrod: x^2 + y^2 = L^2\ninit x' = 0\n"
            "solve t in 0..%.17g\n",
            length[k], mass[k], 3 * sqrt(length[k] / 9.81));
        text_run_make(&r, text, &o);
        CHECK_STATUS(r.status, DAE_OK);
        const double x = r.x[0] / length[k], y = r.x[2] / length[k];
        if (k == 0) first[0] = x, first[1] = y;
        CHECK_NEAR(x * x + y * y, 1, 1e-7);
        CHECK_NEAR(x, first[0], 1e-5);
        CHECK_NEAR(y, first[1], 1e-5);
        text_run_clear(&r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(units_of_unknowns_change_nothing),
        cmocka_unit_test(pendula_of_all_sizes_swing_alike),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
