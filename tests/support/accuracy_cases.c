/* The models that are compared, their references and the closed forms. */
#include "accuracy.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

const double accuracy_rtols[ACCURACY_RTOLS] = {1e-4, 1e-6, 1e-8, 1e-10};

/* ---- closed forms ----------------------------------------------------------- */

/* c2' = a (c1 - c2), c1 = 1 + sin(t)/2, c2(0) = 0.2: the constant and the
 * forced oscillation, and what decays. */
static bool tank(double t, size_t count, const char *name, double *value)
{
    (void)count;
    const double a = 0.5;
    double swing = a / (2 * (a * a + 1));
    if (strcmp(name, "c1") == 0) {
        *value = 1 + sin(t) / 2;
    } else {
        *value = 1 + swing * (a * sin(t) - cos(t))
            + (0.2 - 1 + swing) * exp(-a * t);
    }
    return strcmp(name, "c1") == 0 || strcmp(name, "c2") == 0;
}

/* Two eigenvectors of the discrete Laplacian on a square of points, walls
 * included, each with its own decay. */
static bool heat(double t, size_t count, const char *name, double *value)
{
    static const double pi = 3.14159265358979323846;
    static const struct {
        int k, l;
        double size;
    } modes[] = {{1, 1, 1}, {2, 3, 0.5}};
    int i, j, last = (int)lround(sqrt((double)count)) - 1;
    if (sscanf(name, "T[%d,%d]", &i, &j) != 2) return false;
    *value = 0;
    if (i == 0 || j == 0 || i == last || j == last) return true;
    double h = 1.0 / last;
    for (size_t m = 0; m < sizeof modes / sizeof *modes; m++) {
        double ks = sin(modes[m].k * pi * h / 2);
        double ls = sin(modes[m].l * pi * h / 2);
        double rate = 4 / (h * h) * (ks * ks + ls * ls);
        *value += modes[m].size * exp(-rate * t) * sin(modes[m].k * pi * i * h)
            * sin(modes[m].l * pi * j * h);
    }
    return true;
}

/* ---- the table -------------------------------------------------------------- */

#define TEST_SET(entry) "ivp.json", entry, NULL, NULL
#define SYSTEM(entry) "systems.json", entry, NULL, NULL
#define TABLE(file) file, NULL, NULL, NULL
#define CLOSED(form) NULL, NULL, form, NULL

/* IDA 6.4.1 with its dense solver and the exact Jacobian. */
static const double ida_ring[ACCURACY_RTOLS] = {1.0e3, 3.5e3, 9.8e3, 2.2e4};

/* atol of the literature's work-precision diagrams where there is one; 1 for
 * the models whose unknowns are all of the size of one. */
const accuracy_case accuracy_cases[ACCURACY_CASES] = {
    {"chemistry/robertson.dae", 1e-5, 1, TEST_SET("robertson40")},
    {"chemistry/robertson_ode.dae", 1e-5, 1, TEST_SET("robertson40")},
    {"chemistry/robertson_long.dae", 1e-8, 1, TEST_SET("robertson4e10")},
    {"chemistry/robertson_ode_long.dae", 1e-8, 1, TEST_SET("robertson4e10")},
    {"chemistry/hires.dae", 1e-2, 1, TEST_SET("hires")},
    {"chemistry/pollution.dae", 1e-2, 1, SYSTEM("pollution")},
    {"chemistry/oregonator.dae", 1, 1, SYSTEM("oregonator")},
    {"chemistry/e5.dae", 1e-22, 1, SYSTEM("e5")},
    {"chemistry/chemical_akzo_nobel.dae", 1, 1, TEST_SET("chemakzo")},
    {"circuits/transistor_amplifier.dae", 1, 1, TEST_SET("transistor")},
    {"circuits/ring_modulator.dae", 1e-2, 1, "systems.json", "ring_modulator",
        NULL, ida_ring},
    {"oscillators/van_der_pol.dae", 1, 1, TEST_SET("vdpol")},
    {"oscillators/van_der_pol_mu.dae", 1e-2, 1, TEST_SET("vdpolm")},
    {"mechanics/pendulum_minimal.dae", 1, 1, TEST_SET("pendulum")},
    {"mechanics/double_pendulum.dae", 1, 1, SYSTEM("double_pendulum")},
    {"mechanics/elastic_pendulum.dae", 1, 1, SYSTEM("elastic_pendulum")},
    {"mechanics/net2d_damped.dae", 1, 1, SYSTEM("net2d_damped")},
    {"mechanics/net2d_damped_tensions.dae", 1, 1,
        SYSTEM("net2d_damped_tensions")},
    {"mechanics/net2d_conservative.dae", 1, 16, SYSTEM("net2d_conservative")},
    {"mechanics/net2d_conservative_tensions.dae", 1, 6.8,
        SYSTEM("net2d_conservative_tensions")},
    {"mechanics/net3d_damped.dae", 1, 1, SYSTEM("net3d_damped")},
    {"mechanics/net3d_damped_tensions.dae", 1, 1,
        SYSTEM("net3d_damped_tensions")},
    {"mechanics/net3d_gravity.dae", 1, 1, SYSTEM("net3d_gravity")},
    {"mechanics/net3d_gravity_tensions.dae", 1, 63,
        SYSTEM("net3d_gravity_tensions")},
    {"mechanics/net4.dae", 1, 1, SYSTEM("net4")},
    {"mechanics/net4_tensions.dae", 1, 20, SYSTEM("net4_tensions")},
    {"mechanics/chain_hanging.dae", 1, 1, SYSTEM("chain_hanging")},
    {"mechanics/rotation_vector_quadratic.dae", 1, 1,
        SYSTEM("rotation_vector_quadratic")},
    {"mechanics/rotation_vector_dipole.dae", 1, 1,
        SYSTEM("rotation_vector_dipole")},
    {"mechanics/rotation_vector_turn.dae", 1, 1,
        SYSTEM("rotation_vector_turn")},
    {"mechanics/rotation_vector_fast.dae", 1, 153,
        SYSTEM("rotation_vector_fast")},
    {"mechanics/director_dipole.dae", 1, 1, SYSTEM("director_dipole")},
    {"mechanics/rigid_body.dae", 1, 14, SYSTEM("rigid_body")},
    {"mechanics/rigid_body_middle_axis.dae", 1, 6.8e4,
        SYSTEM("rigid_body_middle_axis")},
    {"mechanics/rigid_body_spring.dae", 1, 40, SYSTEM("rigid_body_spring")},
    {"molecules/lennard_jones.dae", 1, 43, SYSTEM("lennard_jones")},
    {"process/tank1.dae", 1, 1, CLOSED(tank)},
    {"process/batch_reactor.dae", 1, 1, SYSTEM("batch_reactor")},
    {"process/batch_reactor_balance.dae", 1, 1, SYSTEM("batch_reactor")},
    {"process/batch_reactor_steady.dae", 1, 1, SYSTEM("batch_reactor_steady")},
    {"process/batch_reactor_bound.dae", 1, 1, SYSTEM("batch_reactor_steady")},
    {"limits/stiff_limit.dae", 1, 1, SYSTEM("stiff_limit")},
    {"limits/stiff_limit_dae.dae", 1, 1, SYSTEM("stiff_limit_dae")},
    {"limits/singular_mass.dae", 1, 1, SYSTEM("singular_mass")},
    {"quadrature/cosine_root.dae", 1, 1, SYSTEM("cosine_root")},
    {"quadrature/exponential_infinite.dae", 1, 1,
        SYSTEM("exponential_infinite")},
    {"medicine/medical_akzo_nobel.dae", 1, 1, SYSTEM("medical_akzo_nobel")},
    {"pde/heat2d.dae", 1, 1, CLOSED(heat)},
    {"pde/brusselator1d.dae", 1, 1, TABLE("brusselator1d.csv")},
    {"pde/brusselator2d.dae", 1, 1, TABLE("brusselator2d.csv")},
};
