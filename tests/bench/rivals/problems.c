/* The problems, from their published equations:
 * Robertson 1966; HIRES, Schaefer 1975; pollution, Verwer 1994; chemical Akzo
 * Nobel and ring modulator, Test Set for IVP Solvers (Bari/CWI) 2.4; van der
 * Pol with epsilon = 1e-6 and Oregonator, Hairer and Wanner, Solving ODEs II;
 * transistor amplifier, Rentrop, Roche, Steinebach 1989. End values: the Test
 * Set's, for Robertson's and van der Pol's an independent solver in extended
 * precision. They check the reference this comparison makes for itself. */
#include "rivals.h"

#include <math.h>
#include <string.h>

static const double pi = 3.14159265358979323846;

#define COUNT(a) ((int)(sizeof(a) / sizeof *(a)))

/* --- Robertson, with the mass balance as an equation --- */

static int robertson_f(double t, const double *x, double *f)
{
    (void)t;
    double slow = 0.04 * x[0], back = 1e4 * x[1] * x[2];
    f[0] = back - slow;
    f[1] = slow - back - 3e7 * x[1] * x[1];
    f[2] = x[0] + x[1] + x[2] - 1;
    return 0;
}

static void robertson_slope(double t, const double *x, double *df)
{
    (void)t;
    df[0] = -0.04, df[1] = 0.04, df[2] = 1;
    df[3] = 1e4 * x[2], df[4] = -1e4 * x[2] - 6e7 * x[1], df[5] = 1;
    df[6] = 1e4 * x[1], df[7] = -1e4 * x[1], df[8] = 1;
}

static void robertson_start(double *x, double *xp)
{
    x[0] = 1, x[1] = x[2] = 0;
    xp[0] = -0.04, xp[1] = 0.04, xp[2] = 0;
}

/* Without the sum, whose rounding hides C at the first instants: for the
 * reference. */
static int robertson_ode_f(double t, const double *x, double *f)
{
    (void)robertson_f(t, x, f);
    f[2] = 3e7 * x[1] * x[1];
    return 0;
}

static void robertson_ode_slope(double t, const double *x, double *df)
{
    robertson_slope(t, x, df);
    df[2] = 0, df[5] = 6e7 * x[1], df[8] = 0;
}

static const rival_problem robertson_ode = {.n = 3,
    .start = robertson_start,
    .f = robertson_ode_f,
    .slope = robertson_ode_slope};

static const mass_entry robertson_mass[] = {{0, 0, 1}, {1, 1, 1}};

static const double robertson_end[] = {
    0.715827068719405, 9.185534764557764e-06, 0.28416374574583037};
static const rival_problem robertson = {.name = "robertson",
    .model = "models/chemistry/robertson.dae",
    .n = 3,
    .t1 = 40,
    .atol_factor = 1e-5,
    .first_log = 0.04,
    .mass = robertson_mass,
    .mass_count = COUNT(robertson_mass),
    .end = robertson_end,
    .reference_rtol = 1e-13,
    .reference_form = &robertson_ode,
    .start = robertson_start,
    .f = robertson_f,
    .slope = robertson_slope};

static const double robertson_long_end[] = {
    5.208345176799239e-08, 2.083338177925489e-13, 0.99999994791634};
static const rival_problem robertson_long = {.name = "robertson_long",
    .model = "models/chemistry/robertson_long.dae",
    .n = 3,
    .t1 = 4e10,
    .atol_factor = 1e-8,
    .first_log = 0.4,
    .mass = robertson_mass,
    .mass_count = COUNT(robertson_mass),
    .end = robertson_long_end,
    .reference_rtol = 1e-13,
    .reference_form = &robertson_ode,
    .start = robertson_start,
    .f = robertson_f,
    .slope = robertson_slope};

/* --- HIRES --- */

static int hires_f(double t, const double *x, double *f)
{
    (void)t;
    double binding = 280 * x[5] * x[7];
    f[0] = -1.71 * x[0] + 0.43 * x[1] + 8.32 * x[2] + 0.0007;
    f[1] = 1.71 * x[0] - 8.75 * x[1];
    f[2] = -10.03 * x[2] + 0.43 * x[3] + 0.035 * x[4];
    f[3] = 8.32 * x[1] + 1.71 * x[2] - 1.12 * x[3];
    f[4] = -1.745 * x[4] + 0.43 * (x[5] + x[6]);
    f[5] = 0.69 * x[3] + 1.71 * x[4] - 0.43 * x[5] + 0.69 * x[6] - binding;
    f[6] = binding - 1.81 * x[6];
    f[7] = -f[6];
    return 0;
}

static void hires_slope(double t, const double *x, double *df)
{
    (void)t;
    static const mass_entry linear[] = {{0, 0, -1.71}, {0, 1, 0.43},
        {0, 2, 8.32}, {1, 0, 1.71}, {1, 1, -8.75}, {2, 2, -10.03}, {2, 3, 0.43},
        {2, 4, 0.035}, {3, 1, 8.32}, {3, 2, 1.71}, {3, 3, -1.12},
        {4, 4, -1.745}, {4, 5, 0.43}, {4, 6, 0.43}, {5, 3, 0.69}, {5, 4, 1.71},
        {5, 5, -0.43}, {5, 6, 0.69}, {6, 6, -1.81}, {7, 6, 1.81}};
    for (int k = 0; k < COUNT(linear); k++)
        df[linear[k].row + 8 * linear[k].column] = linear[k].value;
    double by5 = 280 * x[7], by7 = 280 * x[5];
    df[5 + 8 * 5] -= by5, df[6 + 8 * 5] = by5, df[7 + 8 * 5] = -by5;
    df[5 + 8 * 7] = -by7, df[6 + 8 * 7] = by7, df[7 + 8 * 7] = -by7;
}

static void hires_start(double *x, double *xp)
{
    memset(x, 0, 8 * sizeof *x);
    x[0] = 1;
    x[7] = 0.0057;
    hires_f(0, x, xp);
}

static const double hires_end[] = {0.7371312573325668e-3, 0.1442485726316185e-3,
    0.5888729740967575e-4, 0.1175651343283149e-2, 0.2386356198831331e-2,
    0.6238968252742796e-2, 0.2849998395185769e-2, 0.2850001604814231e-2};
static const rival_problem hires = {.name = "hires",
    .model = "models/chemistry/hires.dae",
    .n = 8,
    .t1 = 321.8122,
    .atol_factor = 1e-2,
    .end = hires_end,
    .reference_rtol = 1e-13,
    .start = hires_start,
    .f = hires_f,
    .slope = hires_slope};

/* --- pollution: what goes in, what comes out; species from 1, 0: none --- */

static const struct reaction {
    double rate;
    int in[2], out[3];
} reactions[] = {{0.35, {1, 0}, {2, 3, 0}}, {26.6, {2, 4}, {1, 0, 0}},
    {1.23e4, {5, 2}, {6, 1, 0}}, {8.6e-4, {7, 0}, {5, 5, 8}},
    {8.2e-4, {7, 0}, {8, 0, 0}}, {1.5e4, {7, 6}, {5, 8, 0}},
    {1.3e-4, {9, 0}, {10, 8, 5}}, {2.4e4, {9, 6}, {11, 0, 0}},
    {1.65e4, {11, 2}, {10, 12, 1}}, {9e3, {11, 1}, {13, 0, 0}},
    {0.022, {13, 0}, {11, 1, 0}}, {1.2e4, {10, 2}, {14, 1, 0}},
    {1.88, {14, 0}, {7, 5, 0}}, {1.63e4, {1, 6}, {15, 0, 0}},
    {4.8e6, {3, 0}, {4, 0, 0}}, {3.5e-4, {4, 0}, {16, 0, 0}},
    {0.0175, {4, 0}, {3, 0, 0}}, {1e8, {16, 0}, {6, 6, 0}},
    {4.44e11, {16, 0}, {3, 0, 0}}, {1.24e3, {17, 6}, {18, 5, 0}},
    {2.1, {19, 0}, {2, 0, 0}}, {5.78, {19, 0}, {1, 3, 0}},
    {0.0474, {1, 4}, {19, 0, 0}}, {1.78e3, {19, 1}, {20, 0, 0}},
    {3.12, {20, 0}, {1, 19, 0}}};

/* Adds `amount` to what a reaction makes and takes it from what it uses. */
static void react(const struct reaction *r, double amount, double *f)
{
    for (int k = 0; k < 2; k++)
        if (r->in[k]) f[r->in[k] - 1] -= amount;
    for (int k = 0; k < 3; k++)
        if (r->out[k]) f[r->out[k] - 1] += amount;
}

static int pollution_f(double t, const double *x, double *f)
{
    (void)t;
    memset(f, 0, 20 * sizeof *f);
    for (int k = 0; k < COUNT(reactions); k++) {
        const struct reaction *r = &reactions[k];
        double second = r->in[1] ? x[r->in[1] - 1] : 1;
        react(r, r->rate * x[r->in[0] - 1] * second, f);
    }
    return 0;
}

static void pollution_slope(double t, const double *x, double *df)
{
    (void)t;
    for (int k = 0; k < COUNT(reactions); k++) {
        const struct reaction *r = &reactions[k];
        int a = r->in[0] - 1, b = r->in[1] - 1;
        react(r, r->rate * (b < 0 ? 1 : x[b]), df + 20 * a);
        if (b >= 0) react(r, r->rate * x[a], df + 20 * b);
    }
}

static void pollution_start(double *x, double *xp)
{
    memset(x, 0, 20 * sizeof *x);
    x[1] = 0.2, x[3] = 0.04, x[6] = 0.1, x[7] = 0.3, x[8] = 0.01;
    x[16] = 0.007;
    pollution_f(0, x, xp);
}

static const double pollution_end[] = {0.5646255480022769e-1,
    0.1342484130422339, 0.4139734331099427e-8, 0.5523140207484359e-2,
    0.2018977262302196e-6, 0.1464541863493966e-6, 0.7784249118997964e-1,
    0.3245075353396018, 0.7494013383880406e-2, 0.1622293157301561e-7,
    0.1135863833257075e-7, 0.2230505975721359e-2, 0.2087162882798630e-3,
    0.1396921016840158e-4, 0.8964884856898295e-2, 0.4352846369330103e-17,
    0.6899219696263405e-2, 0.1007803037365946e-3, 0.1772146513969984e-5,
    0.5682943292316392e-4};
static const rival_problem pollution = {.name = "pollution",
    .model = "models/chemistry/pollution.dae",
    .n = 20,
    .t1 = 60,
    .atol_factor = 1e-2,
    .end = pollution_end,
    .reference_rtol = 1e-12,
    .start = pollution_start,
    .f = pollution_f,
    .slope = pollution_slope};

/* --- chemical Akzo Nobel, index 1 --- */

static int akzo_f(double t, const double *x, double *f)
{
    (void)t;
    if (x[1] < 0) return 1;
    double root = sqrt(x[1]);
    double r1 = 18.7 * x[0] * x[0] * x[0] * x[0] * root;
    double r2 = 0.58 * x[2] * x[3], r3 = 0.58 / 34.4 * x[0] * x[4];
    double r4 = 0.09 * x[0] * x[3] * x[3], r5 = 0.42 * x[5] * x[5] * root;
    f[0] = r2 - r3 - r4 - 2 * r1;
    f[1] = 3.3 * (0.9 / 737 - x[1]) - 0.5 * (r1 + r5) - r4;
    f[2] = r1 - r2 + r3;
    f[3] = r3 - r2 - 2 * r4;
    f[4] = r2 - r3 + r5;
    f[5] = 115.83 * x[0] * x[3] - x[5];
    return 0;
}

/* Derivatives of the five rates, each row in f's combination. */
static void akzo_slope(double t, const double *x, double *df)
{
    (void)t;
    static const double part[5][5] = {{-2, 1, -1, -1, 0},
        {-0.5, 0, 0, -1, -0.5}, {1, -1, 1, 0, 0}, {0, -1, 1, -2, 0},
        {0, 1, -1, 0, 1}};
    double root = sqrt(x[1]), cube = x[0] * x[0] * x[0];
    double rate[5][6] = {
        {74.8 * cube * root, 9.35 * cube * x[0] / root, 0, 0, 0, 0},
        {0, 0, 0.58 * x[3], 0.58 * x[2], 0, 0},
        {0.58 / 34.4 * x[4], 0, 0, 0, 0.58 / 34.4 * x[0], 0},
        {0.09 * x[3] * x[3], 0, 0, 0.18 * x[0] * x[3], 0, 0},
        {0, 0.21 * x[5] * x[5] / root, 0, 0, 0, 0.84 * x[5] * root}};
    for (int i = 0; i < 5; i++)
        for (int r = 0; r < 5; r++)
            for (int j = 0; part[i][r] != 0 && j < 6; j++)
                df[i + 6 * j] += part[i][r] * rate[r][j];
    df[1 + 6 * 1] -= 3.3;
    df[5] = 115.83 * x[3], df[5 + 6 * 3] = 115.83 * x[0], df[5 + 6 * 5] = -1;
}

static void akzo_start(double *x, double *xp)
{
    x[0] = 0.444, x[1] = 0.00123, x[2] = 0, x[3] = 0.007, x[4] = 0;
    x[5] = 115.83 * x[0] * x[3];
    akzo_f(0, x, xp);
    xp[5] = 115.83 * (xp[0] * x[3] + x[0] * xp[3]);
}

static const mass_entry akzo_mass[] = {
    {0, 0, 1}, {1, 1, 1}, {2, 2, 1}, {3, 3, 1}, {4, 4, 1}};
static const double akzo_end[] = {0.1150794920661702, 0.1203831471567715e-2,
    0.1611562887407974, 0.3656156421249283e-3, 0.1708010885264404e-1,
    0.4873531310307455e-2};
static const rival_problem chemakzo = {.name = "chemakzo",
    .model = "models/chemistry/chemical_akzo_nobel.dae",
    .n = 6,
    .t1 = 180,
    .atol_factor = 1,
    .mass = akzo_mass,
    .mass_count = COUNT(akzo_mass),
    .end = akzo_end,
    .reference_rtol = 1e-13,
    .start = akzo_start,
    .f = akzo_f,
    .slope = akzo_slope};

/* --- ring modulator, Cs = 2e-12: fifteen differential equations --- */

enum { RING = 15 };
static const double ring_c = 1.6e-8, ring_cs = 2e-12, ring_cp = 1e-8;
static const double ring_lh = 4.45, ring_ls1 = 2e-3, ring_ls = 5e-4;
/* Voltage over each diode as a combination of x[2..6] and of the carrier; a
 * diode's current enters the equations of x[2..6] with the same signs. */
static const int ring_over[4][6] = {{1, 0, -1, 0, -1, -1},
    {0, -1, 0, 1, -1, -1}, {0, 1, 1, 0, 1, 1}, {-1, 0, 0, -1, 1, 1}};

static int ring_diodes(double t, const double *x, double *q, double *dq)
{
    double carrier = 2 * sin(2e4 * pi * t);
    for (int k = 0; k < 4; k++) {
        double u = ring_over[k][5] * carrier;
        for (int j = 0; j < 5; j++) u += ring_over[k][j] * x[2 + j];
        double e = 17.7493332 * u;
        if (e > 300) return 1;
        q[k] = 40.67286402e-9 * expm1(e);
        dq[k] = 40.67286402e-9 * 17.7493332 * exp(e);
    }
    return 0;
}

/* What is linear: row, column, value. */
static const mass_entry ring_linear[] = {{0, 7, 1 / 1.6e-8},
    {0, 9, -0.5 / 1.6e-8}, {0, 10, 0.5 / 1.6e-8}, {0, 13, 1 / 1.6e-8},
    {0, 0, -1 / (25e3 * 1.6e-8)}, {1, 8, 1 / 1.6e-8}, {1, 11, -0.5 / 1.6e-8},
    {1, 12, 0.5 / 1.6e-8}, {1, 14, 1 / 1.6e-8}, {1, 1, -1 / (25e3 * 1.6e-8)},
    {2, 9, 1 / 2e-12}, {3, 10, -1 / 2e-12}, {4, 11, 1 / 2e-12},
    {5, 12, -1 / 2e-12}, {6, 6, -1 / (50 * 1e-8)}, {7, 0, -1 / 4.45},
    {8, 1, -1 / 4.45}, {9, 0, 0.5 / 5e-4}, {9, 2, -1 / 5e-4},
    {9, 9, -17.3 / 5e-4}, {10, 0, -0.5 / 5e-4}, {10, 3, 1 / 5e-4},
    {10, 10, -17.3 / 5e-4}, {11, 1, 0.5 / 5e-4}, {11, 4, -1 / 5e-4},
    {11, 11, -17.3 / 5e-4}, {12, 1, -0.5 / 5e-4}, {12, 5, 1 / 5e-4},
    {12, 12, -17.3 / 5e-4}, {13, 0, -1 / 2e-3}, {13, 13, -86.3 / 2e-3},
    {14, 1, -1 / 2e-3}, {14, 14, -636.3 / 2e-3}};

static int ring_f(double t, const double *x, double *f)
{
    double q[4], dq[4];
    if (ring_diodes(t, x, q, dq)) return 1;
    f[0] = (x[7] + 0.5 * (x[10] - x[9]) + x[13] - x[0] / 25e3) / ring_c;
    f[1] = (x[8] + 0.5 * (x[12] - x[11]) + x[14] - x[1] / 25e3) / ring_c;
    f[2] = (x[9] - q[0] + q[3]) / ring_cs;
    f[3] = (q[1] - q[2] - x[10]) / ring_cs;
    f[4] = (x[11] + q[0] - q[2]) / ring_cs;
    f[5] = (q[3] - q[1] - x[12]) / ring_cs;
    f[6] = (q[0] + q[1] - q[2] - q[3] - x[6] / 50) / ring_cp;
    f[7] = -x[0] / ring_lh;
    f[8] = -x[1] / ring_lh;
    f[9] = (0.5 * x[0] - x[2] - 17.3 * x[9]) / ring_ls;
    f[10] = (x[3] - 0.5 * x[0] - 17.3 * x[10]) / ring_ls;
    f[11] = (0.5 * x[1] - x[4] - 17.3 * x[11]) / ring_ls;
    f[12] = (x[5] - 0.5 * x[1] - 17.3 * x[12]) / ring_ls;
    f[13] = (0.5 * sin(2e3 * pi * t) - x[0] - 86.3 * x[13]) / ring_ls1;
    f[14] = (-x[1] - 636.3 * x[14]) / ring_ls1;
    return 0;
}

static void ring_slope(double t, const double *x, double *df)
{
    double q[4], dq[4] = {0};
    (void)ring_diodes(t, x, q, dq);
    for (int k = 0; k < COUNT(ring_linear); k++)
        df[ring_linear[k].row + RING * ring_linear[k].column] =
            ring_linear[k].value;
    /* df_i/dx_j = -sum_k over_ki dq_k over_kj / C_i */
    for (int i = 0; i < 5; i++)
        for (int j = 0; j < 5; j++)
            for (int k = 0; k < 4; k++)
                df[2 + i + RING * (2 + j)] -= ring_over[k][i] * dq[k]
                    * ring_over[k][j] / (i < 4 ? ring_cs : ring_cp);
}

static void ring_start(double *x, double *xp)
{
    memset(x, 0, RING * sizeof *x);
    ring_f(0, x, xp);
}

static const double ring_end[] = {-0.2339057358486745e-1,
    -0.7367485485540825e-2, 0.2582956709291169, -0.4064465721283450,
    -0.4039455665149794, 0.2607966765422943, 0.1106761861269975,
    0.2939904342435596e-6, -0.2840029933642329e-7, 0.7267198267264553e-3,
    0.7929487196960840e-3, -0.7255283495698965e-3, -0.7941401968526521e-3,
    0.7088495416976114e-4, 0.2390059075236570e-4};
static const rival_problem ring_modulator = {.name = "ring_modulator",
    .model = "models/circuits/ring_modulator.dae",
    .n = RING,
    .t1 = 1e-3,
    .atol_factor = 1e-2,
    .end = ring_end,
    .reference_rtol = 1e-12,
    .start = ring_start,
    .f = ring_f,
    .slope = ring_slope};

/* --- van der Pol, scaled --- */

static int van_der_pol_f(double t, const double *x, double *f)
{
    (void)t;
    f[0] = x[1];
    f[1] = ((1 - x[0] * x[0]) * x[1] - x[0]) * 1e6;
    return 0;
}

static void van_der_pol_slope(double t, const double *x, double *df)
{
    (void)t;
    df[1] = (-2 * x[0] * x[1] - 1) * 1e6;
    df[2] = 1;
    df[3] = (1 - x[0] * x[0]) * 1e6;
}

static void van_der_pol_start(double *x, double *xp)
{
    x[0] = 2, x[1] = 0;
    van_der_pol_f(0, x, xp);
}

static const double van_der_pol_end[] = {
    1.706167732170465, -0.8928097010248165};
static const rival_problem van_der_pol = {.name = "van_der_pol",
    .model = "models/oscillators/van_der_pol.dae",
    .n = 2,
    .t1 = 2,
    .atol_factor = 1,
    .end = van_der_pol_end,
    .reference_rtol = 1e-13,
    .start = van_der_pol_start,
    .f = van_der_pol_f,
    .slope = van_der_pol_slope};

/* --- Oregonator --- */

static int oregonator_f(double t, const double *x, double *f)
{
    (void)t;
    f[0] = 77.27 * (x[1] + x[0] * (1 - 8.375e-6 * x[0] - x[1]));
    f[1] = (x[2] - (1 + x[0]) * x[1]) / 77.27;
    f[2] = 0.161 * (x[0] - x[2]);
    return 0;
}

static void oregonator_slope(double t, const double *x, double *df)
{
    (void)t;
    df[0] = 77.27 * (1 - 1.675e-5 * x[0] - x[1]);
    df[1] = -x[1] / 77.27;
    df[2] = 0.161;
    df[3] = 77.27 * (1 - x[0]);
    df[4] = -(1 + x[0]) / 77.27;
    df[7] = 1 / 77.27;
    df[8] = -0.161;
}

static void oregonator_start(double *x, double *xp)
{
    x[0] = 1, x[1] = 2, x[2] = 3;
    oregonator_f(0, x, xp);
}

static const double oregonator_end[] = {
    0.1000814870318523e1, 0.1228178521549917e4, 0.1320554942846706e3};
static const rival_problem oregonator = {.name = "oregonator",
    .model = "models/chemistry/oregonator.dae",
    .n = 3,
    .t1 = 360,
    .atol_factor = 1,
    .end = oregonator_end,
    .reference_rtol = 1e-13,
    .start = oregonator_start,
    .f = oregonator_f,
    .slope = oregonator_slope};

/* --- E5, with the sum of the species as an equation: differences would leave
 * rounding errors of what is 1e20 times as large --- */

static int e5_f(double t, const double *x, double *f)
{
    (void)t;
    double slow = 7.89e-10 * x[0], fast = 1.1e7 * x[0] * x[2];
    double meet = 1.13e9 * x[1] * x[2], back = 1.13e3 * x[3];
    f[0] = -slow - fast;
    f[1] = slow - meet;
    f[2] = x[1] - x[2] - x[3];
    f[3] = fast - back;
    return 0;
}

static void e5_slope(double t, const double *x, double *df)
{
    (void)t;
    df[0] = -7.89e-10 - 1.1e7 * x[2], df[8] = -1.1e7 * x[0];
    df[1] = 7.89e-10, df[5] = -1.13e9 * x[2], df[9] = -1.13e9 * x[1];
    df[6] = 1, df[10] = df[14] = -1;
    df[3] = 1.1e7 * x[2], df[11] = 1.1e7 * x[0], df[15] = -1.13e3;
}

static void e5_start(double *x, double *xp)
{
    memset(x, 0, 4 * sizeof *x);
    x[0] = 1.76e-3;
    e5_f(0, x, xp);
    xp[2] = xp[1] - xp[3];
}

static const mass_entry e5_mass[] = {{0, 0, 1}, {1, 1, 1}, {3, 3, 1}};
static const double e5_end[] = {
    0, 8.861233521294546e-23, 8.861233521287622e-23, 0};
static const rival_problem e5 = {.name = "e5",
    .model = "models/chemistry/e5.dae",
    .n = 4,
    .t1 = 1e13,
    .atol_factor = 1e-22,
    .first_log = 1e-3,
    .mass = e5_mass,
    .mass_count = COUNT(e5_mass),
    .end = e5_end,
    .reference_rtol = 1e-12,
    .reference_off = 1e-6,
    .start = e5_start,
    .f = e5_f,
    .slope = e5_slope};

/* --- transistor amplifier, index 1, M singular --- */

static int diode_current(double v, double *g, double *dg)
{
    if (v / 0.026 > 300) return 1;
    *g = 1e-6 * expm1(v / 0.026);
    *dg = 1e-6 / 0.026 * exp(v / 0.026);
    return 0;
}

static int transistor_f(double t, const double *x, double *f)
{
    double g, h, dg, dh;
    if (diode_current(x[1] - x[2], &g, &dg)) return 1;
    if (diode_current(x[4] - x[5], &h, &dh)) return 1;
    f[0] = (x[0] - 0.1 * sin(200 * pi * t)) / 1000;
    f[1] = (2 * x[1] - 6) / 9000 + 0.01 * g;
    f[2] = x[2] / 9000 - g;
    f[3] = (x[3] - 6) / 9000 + 0.99 * g;
    f[4] = (2 * x[4] - 6) / 9000 + 0.01 * h;
    f[5] = x[5] / 9000 - h;
    f[6] = (x[6] - 6) / 9000 + 0.99 * h;
    f[7] = x[7] / 9000;
    return 0;
}

static void transistor_slope(double t, const double *x, double *df)
{
    (void)t;
    static const double diagonal[] = {9, 2, 1, 1, 2, 1, 1, 1};
    static const double share[] = {0.01, -1, 0.99};
    for (int i = 0; i < 8; i++) df[9 * i] = diagonal[i] / 9000;
    for (int stage = 1; stage <= 4; stage += 3) {
        double g, dg = 0;
        (void)diode_current(x[stage] - x[stage + 1], &g, &dg);
        for (int r = 0; r < 3; r++) {
            df[stage + r + 8 * stage] += share[r] * dg;
            df[stage + r + 8 * (stage + 1)] -= share[r] * dg;
        }
    }
}

/* At the start no current flows through the first capacitance; the sums of
 * the equations of nodes 1 and 2, 4 and 5, 7 and 8 hold no derivatives and
 * give, differentiated, the slopes that these do not say. */
static void transistor_start(double *x, double *xp)
{
    x[0] = x[7] = 0, x[1] = x[2] = x[4] = x[5] = 3, x[3] = x[6] = 6;
    double dg = 1e-6 / 0.026, own = 2.0 / 9000 + 0.01 * dg;
    xp[2] = -3 / (9000 * 2e-6);
    xp[5] = -3 / (9000 * 4e-6);
    xp[0] = xp[1] = (0.1 * 200 * pi / 1000 + 0.01 * dg * xp[2])
        / (1.0 / 1000 + own);
    xp[3] = xp[4] = (0.01 * dg * xp[5] - 0.99 * dg * (xp[1] - xp[2]))
        / (1.0 / 9000 + own);
    xp[6] = xp[7] = -0.99 * dg * (xp[4] - xp[5]) / (2.0 / 9000);
}

static const mass_entry transistor_mass[] = {{0, 0, -1e-6}, {0, 1, 1e-6},
    {1, 0, 1e-6}, {1, 1, -1e-6}, {2, 2, -2e-6}, {3, 3, -3e-6}, {3, 4, 3e-6},
    {4, 3, 3e-6}, {4, 4, -3e-6}, {5, 5, -4e-6}, {6, 6, -5e-6}, {6, 7, 5e-6},
    {7, 6, 5e-6}, {7, 7, -5e-6}};
static const double transistor_end[] = {-0.5562145012262709e-2,
    3.006522471903042, 2.849958788608128, 2.926422536206241, 2.704617865010554,
    2.761837778393145, 4.770927631616772, 1.236995868091548};
static const rival_problem transistor = {.name = "transistor",
    .model = "models/circuits/transistor_amplifier.dae",
    .n = 8,
    .t1 = 0.2,
    .atol_factor = 1,
    .mass = transistor_mass,
    .mass_count = COUNT(transistor_mass),
    .mass_band = 1,
    .end = transistor_end,
    .reference_rtol = 1e-11,
    .start = transistor_start,
    .f = transistor_f,
    .slope = transistor_slope};

const rival_problem *const rival_problems[] = {&robertson, &robertson_long,
    &hires, &pollution, &chemakzo, &ring_modulator, &van_der_pol, &oregonator,
    &transistor, &e5, &pendulum, &car_axis, &andrews, &fekete, &wheelset,
    &slider_crank, 0};

int problem_index(const rival_problem *p)
{
    return p->by_index[2] ? 3 : p->by_index[1] ? 2 : 1;
}

int problem_shown(const rival_problem *p)
{
    return p->shown ? p->shown : p->n;
}

bool problem_is_untested(const rival_problem *p, int j)
{
    if (problem_index(p) < 2) return false;
    if (problem_index(p) > 2) return j >= p->by_index[0];
    for (int k = 0; k < p->mass_count; k++)
        if (p->mass[k].column == j) return false;
    return true;
}

/* --- what follows from M and f --- */

int problem_residual(const rival_problem *p, double t, const double *x,
    const double *xp, double *res)
{
    int bad = p->f(t, x, res);
    if (!p->mass) {
        for (int i = 0; i < p->n; i++) res[i] = xp[i] - res[i];
        return bad;
    }
    for (int i = 0; i < p->n; i++) res[i] = -res[i];
    for (int k = 0; k < p->mass_count; k++) {
        const mass_entry *m = &p->mass[k];
        res[m->row] += m->value * xp[m->column];
    }
    return bad;
}

void problem_matrix(
    const rival_problem *p, double t, double c, const double *x, double *a)
{
    int n = p->n;
    memset(a, 0, sizeof *a * (size_t)(n * n));
    p->slope(t, x, a);
    for (int k = 0; k < n * n; k++) a[k] = -a[k];
    for (int i = 0; !p->mass && i < n; i++) a[i + n * i] += c;
    for (int k = 0; k < p->mass_count; k++)
        a[p->mass[k].row + n * p->mass[k].column] += c * p->mass[k].value;
}

/* df/dx at positive states around the start, where nothing cancels. */
void problem_pattern(const rival_problem *p, bool *has)
{
    double x[UNKNOWNS_MAX], xp[UNKNOWNS_MAX];
    double df[UNKNOWNS_MAX * UNKNOWNS_MAX];
    int n = p->n;
    memset(has, 0, sizeof *has * (size_t)(n * n));
    p->start(x, xp);
    for (int trial = 1; trial <= 3; trial++) {
        memset(df, 0, sizeof *df * (size_t)(n * n));
        for (int j = 0; j < n; j++)
            xp[j] = fabs(x[j]) + 1e-3 * trial * (1 + 0.37 * j);
        p->slope(0, xp, df);
        for (int k = 0; k < n * n; k++) has[k] = has[k] || df[k] != 0;
    }
}

void problem_outputs(const rival_problem *p, double *t)
{
    for (int k = 1; k <= OUTPUTS; k++) {
        double share = (double)(k - 1) / (OUTPUTS - 1);
        t[k - 1] = p->first_log > 0
            ? p->first_log * pow(p->t1 / p->first_log, share)
            : p->t1 * k / OUTPUTS;
    }
    t[OUTPUTS - 1] = p->t1;
}
