/* Problems of index 2 and 3, and two that are run as models alone:
 * the pendulum, Hairer and Wanner, Solving ODEs II, chapter VII; car axis,
 * Schneider 1994; Andrews' squeezing mechanism, Andrews and Ormrod 1986, Hairer
 * and Wanner, section VII.7; Fekete points, Stortelder, de Swart, Pinter 2001;
 * wheelset and slider crank, both of the Test Set for IVP Solvers (Bari/CWI),
 * whose end values stand here. Constraints are as they are given: nothing is
 * differentiated for anyone. */
#include "rivals.h"

#include <math.h>
#include <string.h>

#define COUNT(a) ((int)(sizeof(a) / sizeof *(a)))

/* --- pendulum: x, y downwards, their speeds, half the force of the rod --- */

static const double gravity = 9.81;

static int pendulum_f(double t, const double *x, double *f)
{
    (void)t;
    f[0] = x[2];
    f[1] = x[3];
    f[2] = -2 * x[4] * x[0];
    f[3] = gravity - 2 * x[4] * x[1];
    f[4] = x[0] * x[0] + x[1] * x[1] - 1;
    return 0;
}

static void pendulum_slope(double t, const double *x, double *df)
{
    (void)t;
    df[0 + 5 * 2] = df[1 + 5 * 3] = 1;
    df[2 + 5 * 0] = df[3 + 5 * 1] = -2 * x[4];
    df[2 + 5 * 4] = -2 * x[0], df[3 + 5 * 4] = -2 * x[1];
    df[4 + 5 * 0] = 2 * x[0], df[4 + 5 * 1] = 2 * x[1];
}

static void pendulum_start(double *x, double *xp)
{
    x[0] = cos(0.5), x[1] = sin(0.5), x[2] = x[3] = 0;
    x[4] = gravity * x[1] / 2;
    pendulum_f(0, x, xp);
    xp[4] = 0;
}

static const mass_entry pendulum_mass[] = {
    {0, 0, 1}, {1, 1, 1}, {2, 2, 1}, {3, 3, 1}};
static const double pendulum_end[] = {-0.6781326259058481, 0.734939549678774,
    1.6455401386648565, 1.5183486257529692};
const rival_problem pendulum = {.name = "pendulum",
    .model = "models/mechanics/pendulum.dae",
    .n = 5,
    .shown = 4,
    .by_index = {2, 2, 1},
    .t1 = 10,
    .atol_factor = 1,
    .mass = pendulum_mass,
    .mass_count = COUNT(pendulum_mass),
    .end = pendulum_end,
    .reference_rtol = 1e-11,
    .reference_off = 1e-7,
    .start = pendulum_start,
    .f = pendulum_f,
    .slope = pendulum_slope};

/* --- car axis: both ends' places, their speeds, two multipliers --- */

enum { CAR = 10 };
static const double car_k = 10 * 1e-2 * 1e-2 / 2, car_length = 0.5;

static void car_road(double t, double *x, double *y)
{
    *y = 0.1 * sin(10 * t);
    *x = sqrt(1 - *y * *y);
}

/* What a spring with ends (x, y) apart pulls, and its derivatives. */
static void car_spring(double x, double y, double pull[2], double d[2][2])
{
    const double length = hypot(x, y), share = car_length / length - 1;
    const double bend = car_length / (length * length * length);
    const double at[2] = {x, y};
    for (int i = 0; i < 2; i++) {
        pull[i] = share * at[i];
        for (int j = 0; j < 2; j++)
            d[i][j] = (i == j ? share : 0) - bend * at[i] * at[j];
    }
}

static int car_f(double t, const double *x, double *f)
{
    double road[2], left[2], right[2], unused[2][2];
    car_road(t, &road[0], &road[1]);
    car_spring(x[0], x[1], left, unused);
    car_spring(x[2] - road[0], x[3] - road[1], right, unused);
    f[8] = f[9] = 0;
    for (int i = 0; i < 2; i++) {
        const double bar = x[i] - x[2 + i];
        f[i] = x[4 + i];
        f[2 + i] = x[6 + i];
        f[4 + i] = left[i] + x[8] * road[i] + 2 * x[9] * bar;
        f[6 + i] = right[i] - 2 * x[9] * bar;
        f[8] += x[i] * road[i];
        f[9] += bar * bar;
    }
    f[5] -= car_k;
    f[7] -= car_k;
    f[9] -= 1;
    return 0;
}

static void car_slope(double t, const double *x, double *df)
{
    double road[2], unused[2], left[2][2], right[2][2];
    car_road(t, &road[0], &road[1]);
    car_spring(x[0], x[1], unused, left);
    car_spring(x[2] - road[0], x[3] - road[1], unused, right);
    for (int i = 0; i < 4; i++) df[i + CAR * (4 + i)] = 1;
    for (int i = 0; i < 2; i++) {
        const double bar = 2 * (x[i] - x[2 + i]);
        for (int j = 0; j < 2; j++) {
            const double own = i == j ? 2 * x[9] : 0;
            df[4 + i + CAR * j] = left[i][j] + own;
            df[6 + i + CAR * (2 + j)] = right[i][j] + own;
            df[4 + i + CAR * (2 + j)] = df[6 + i + CAR * j] = -own;
        }
        df[4 + i + CAR * 8] = df[8 + CAR * i] = road[i];
        df[4 + i + CAR * 9] = df[9 + CAR * i] = bar;
        df[6 + i + CAR * 9] = df[9 + CAR * (2 + i)] = -bar;
    }
}

static void car_start(double *x, double *xp)
{
    memset(x, 0, CAR * sizeof *x);
    x[1] = x[3] = 0.5, x[2] = 1;
    x[4] = x[6] = -0.5;
    car_f(0, x, xp);
    for (int i = 4; i < 8; i++) xp[i] /= car_k;
    xp[8] = xp[9] = 0;
}

static const mass_entry car_mass[] = {{0, 0, 1}, {1, 1, 1}, {2, 2, 1},
    {3, 3, 1}, {4, 4, 5e-4}, {5, 5, 5e-4}, {6, 6, 5e-4}, {7, 7, 5e-4}};
static const model_slot car_slots[] = {
    {0, 0}, {1, 0}, {2, 0}, {3, 0}, {0, 1}, {1, 1}, {2, 1}, {3, 1}};
static const double car_end[] = {0.04934557842754028, 0.49698946023017115,
    1.0417425248854215, 0.37391102726536126, -0.07705836840409724,
    0.007446866587237786, 0.017556815753723222, 0.7703410437792520};
const rival_problem car_axis = {.name = "car_axis",
    .model = "models/mechanics/car_axis.dae",
    .slots = car_slots,
    .n = CAR,
    .shown = 8,
    .by_index = {4, 4, 2},
    .t1 = 3,
    .atol_factor = 1,
    .mass = car_mass,
    .mass_count = COUNT(car_mass),
    .end = car_end,
    .reference_rtol = 1e-11,
    .reference_off = 1e-6,
    .start = car_start,
    .f = car_f,
    .slope = car_slope};

/* --- Andrews' mechanism: angles, their speeds and accelerations, multipliers ---
 * The equations are a template, for numbers and for complex steps. */

enum { ANDREWS = 27 };

#define NUMBER double
#define NAMED(name) name##_real
#define SIN sin
#define COS cos
#define SQRT sqrt
#include "andrews.inc"
#undef NUMBER
#undef NAMED
#undef SIN
#undef COS
#undef SQRT

#include <complex.h>

/* With an imaginary part of 1e-30 the first order is all. */
static double complex step_sin(double complex z)
{
    return sin(creal(z)) + cos(creal(z)) * cimag(z) * I;
}
static double complex step_cos(double complex z)
{
    return cos(creal(z)) - sin(creal(z)) * cimag(z) * I;
}
static double complex step_sqrt(double complex z)
{
    const double root = sqrt(creal(z));
    return root + cimag(z) / (2 * root) * I;
}

#define NUMBER double complex
#define NAMED(name) name##_complex
#define SIN step_sin
#define COS step_cos
#define SQRT step_sqrt
#include "andrews.inc"

static int andrews_f(double t, const double *x, double *f)
{
    (void)t;
    andrews_real(x, f);
    return 0;
}

/* Exact to rounding. */
static void andrews_slope(double t, const double *x, double *df)
{
    (void)t;
    const double step = 1e-30;
    double complex at[ANDREWS], f[ANDREWS];
    for (int j = 0; j < ANDREWS; j++) at[j] = x[j];
    for (int j = 0; j < ANDREWS; j++) {
        at[j] += step * I;
        andrews_complex(at, f);
        at[j] = x[j];
        for (int i = 0; i < ANDREWS; i++)
            df[i + ANDREWS * j] = cimag(f[i]) / step;
    }
}

static void andrews_start(double *x, double *xp)
{
    static const double angles[] = {-0.06171389001427645, 0,
        0.45527981916307037, 0.22266839016588588, 0.48736497954384254,
        -0.22266839016588588, 1.2305474445498212};
    memset(x, 0, ANDREWS * sizeof *x);
    memcpy(x, angles, sizeof angles);
    x[14] = 14222.443919954114, x[15] = -10666.832939965585;
    x[21] = 98.56687039624104, x[22] = -6.122688344255663;
    memset(xp, 0, ANDREWS * sizeof *xp);
    memcpy(xp, x + 7, 14 * sizeof *x);
}

static const mass_entry andrews_mass[] = {{0, 0, 1}, {1, 1, 1}, {2, 2, 1},
    {3, 3, 1}, {4, 4, 1}, {5, 5, 1}, {6, 6, 1}, {7, 7, 1}, {8, 8, 1}, {9, 9, 1},
    {10, 10, 1}, {11, 11, 1}, {12, 12, 1}, {13, 13, 1}};
static const model_slot andrews_slots[] = {
    {0, 0}, {1, 0}, {2, 0}, {3, 0}, {4, 0}, {5, 0}, {6, 0}};
static const double andrews_end[] = {15.81077119629904, -15.75637105984298,
    0.04082224013073101, -0.5347301163226948, 0.5244099658805304,
    0.5347301163226948, 1.048080741042263};
const rival_problem andrews = {.name = "andrews",
    .model = "models/mechanics/andrews.dae",
    .slots = andrews_slots,
    .n = ANDREWS,
    .shown = 7,
    .by_index = {7, 7, 13},
    .t1 = 0.03,
    .atol_factor = 1,
    .mass = andrews_mass,
    .mass_count = COUNT(andrews_mass),
    .end = andrews_end,
    .reference_rtol = 1e-11,
    .reference_off = 1e-6,
    .start = andrews_start,
    .f = andrews_f,
    .slope = andrews_slope};

/* --- Fekete points: places, speeds, two multipliers of each --- */

enum { POINTS = 20, FEKETE = 8 * POINTS, SPEED = 3 * POINTS };
enum { FORCE = 6 * POINTS, SHIFT = 7 * POINTS };

/* (a - b)/|a - b|^2 and its derivatives by a. */
static void fekete_away(
    const double *a, const double *b, double away[3], double d[3][3])
{
    double gap[3], square = 0;
    for (int k = 0; k < 3; k++) {
        gap[k] = a[k] - b[k];
        square += gap[k] * gap[k];
    }
    for (int k = 0; k < 3; k++) away[k] = gap[k] / square;
    for (int k = 0; d && k < 3; k++)
        for (int l = 0; l < 3; l++)
            d[k][l] = (k == l) / square - 2 * away[k] * away[l];
}

static int fekete_f(double t, const double *x, double *f)
{
    (void)t;
    for (int i = 0; i < POINTS; i++) {
        const double *p = x + 3 * i, *q = x + SPEED + 3 * i;
        double *move = f + 3 * i, *push = f + SPEED + 3 * i;
        f[FORCE + i] = -1;
        f[SHIFT + i] = 0;
        for (int k = 0; k < 3; k++) {
            move[k] = q[k] + 2 * x[SHIFT + i] * p[k];
            push[k] = -0.5 * q[k] + 2 * x[FORCE + i] * p[k];
            f[FORCE + i] += p[k] * p[k];
            f[SHIFT + i] += 2 * p[k] * q[k];
        }
    }
    for (int i = 0; i < POINTS; i++)
        for (int j = 0; j < i; j++) {
            double away[3];
            fekete_away(x + 3 * i, x + 3 * j, away, NULL);
            for (int k = 0; k < 3; k++) {
                f[SPEED + 3 * i + k] += away[k];
                f[SPEED + 3 * j + k] -= away[k];
            }
        }
    return 0;
}

static void fekete_point_slope(const double *x, int i, double *df)
{
    for (int k = 0; k < 3; k++) {
        const int p = 3 * i + k, q = SPEED + p;
        df[p + FEKETE * q] = 1;
        df[p + FEKETE * p] = 2 * x[SHIFT + i];
        df[p + FEKETE * (SHIFT + i)] = 2 * x[p];
        df[q + FEKETE * q] = -0.5;
        df[q + FEKETE * p] = 2 * x[FORCE + i];
        df[q + FEKETE * (FORCE + i)] = 2 * x[p];
        df[FORCE + i + FEKETE * p] = df[SHIFT + i + FEKETE * q] = 2 * x[p];
        df[SHIFT + i + FEKETE * p] = 2 * x[q];
    }
}

static void fekete_slope(double t, const double *x, double *df)
{
    (void)t;
    for (int i = 0; i < POINTS; i++) fekete_point_slope(x, i, df);
    for (int i = 0; i < POINTS; i++)
        for (int j = 0; j < POINTS; j++) {
            double away[3], d[3][3];
            if (i == j) continue;
            fekete_away(x + 3 * i, x + 3 * j, away, d);
            for (int k = 0; k < 3; k++)
                for (int l = 0; l < 3; l++) {
                    const int row = SPEED + 3 * i + k;
                    df[row + FEKETE * (3 * i + l)] += d[k][l];
                    df[row + FEKETE * (3 * j + l)] -= d[k][l];
                }
        }
}

/* Four rings of 3, 7, 6 and 4 points. */
static void fekete_places(double *x)
{
    static const struct {
        int first, count;
        double turn, height;
    } rings[] = {{0, 3, 1. / 13, 3. / 8}, {3, 7, 1. / 29, 1. / 8},
        {10, 6, 1. / 7, -2. / 15}, {16, 4, 1. / 17, -3. / 10}};
    const double pi = acos(-1);
    for (int r = 0; r < COUNT(rings); r++)
        for (int k = 1; k <= rings[r].count; k++) {
            /* the last ring is counted from its first point */
            const int place = r == 3 ? k - 1 : k;
            const double angle = pi
                * (2. * place / rings[r].count + rings[r].turn);
            const double height = pi * rings[r].height;
            double *p = x + 3 * (rings[r].first + k - 1);
            p[0] = cos(angle) * cos(height);
            p[1] = sin(angle) * cos(height);
            p[2] = sin(height);
        }
}

/* At rest, and kept on the sphere. */
static void fekete_start(double *x, double *xp)
{
    memset(x, 0, FEKETE * sizeof *x);
    fekete_places(x);
    fekete_f(0, x, xp);
    for (int i = 0; i < POINTS; i++) {
        double outward = 0;
        for (int k = 0; k < 3; k++)
            outward += x[3 * i + k] * xp[SPEED + 3 * i + k];
        x[FORCE + i] = -outward / 2;
    }
    fekete_f(0, x, xp);
    memset(xp + FORCE, 0, 2 * POINTS * sizeof *xp);
}

static mass_entry fekete_mass[FORCE];
static const double fekete_end[] = {-0.4070263380333202, 0.3463758772791802,
    0.8451942450030429, 0.0775293475252155, -0.2628662719972299,
    0.9617122871829146, 0.7100577833343567, 0.121294805558612,
    0.6936177005172217, 0.2348267744557627, 0.7449277976923311,
    0.6244509285956391, -0.4341114738782885, 0.8785430442262876,
    0.199272044423766, -0.9515059600312596, 0.2203508762787005,
    0.2146669498274008, -0.6385191643609878, -0.4310833259390688,
    0.6375425027722121, -0.1464175087914336, -0.9380871635228862,
    0.313933729874469, 0.5666974065069942, -0.6739221885076542,
    0.4740073135462156, 0.9843259538440293, -0.1696995357819996,
    -0.0480050429060909, 0.1464175087914331, 0.9380871635228875,
    -0.3139337298744656, -0.7092757549979014, 0.5264062637139616,
    -0.4688542938854929, -0.8665731819284478, -0.4813878059756024,
    -0.1315929352982178, -0.2347897778700538, -0.859434040801313,
    -0.4541441287957579, 0.5530976940074118, -0.7674370265615124,
    -0.3242273140037833, 0.7711050969896927, 0.6357041816577034,
    0.03573685519777001, 0.7103951209379591, 0.2403570431280519,
    -0.6614886725910596, -0.0303820873873566, 0.4501923293640461,
    -0.8924145871442046, -0.5772996158107093, -0.1766763414971813,
    -0.7971892020969544, 0.2414481766969039, -0.3416456818373135,
    -0.908284650344625};
const rival_problem fekete = {.name = "fekete",
    .model = "models/mechanics/fekete.dae",
    .n = FEKETE,
    .shown = SPEED,
    .by_index = {FORCE, 2 * POINTS, 0},
    .t1 = 1000,
    .atol_factor = 1,
    .mass = fekete_mass,
    .mass_count = FORCE,
    .end = fekete_end,
    .reference_rtol = 1e-11,
    .reference_off = 1e-7,
    .start = fekete_start,
    .f = fekete_f,
    .slope = fekete_slope};

void constrained_init(void)
{
    for (int k = 0; k < FORCE; k++) fekete_mass[k] = (mass_entry){k, k, 1};
}

/* --- as models alone --- */

static const double wheelset_end[] = {0.86355386965811e-2, 0.13038281022727e-4,
    -0.93635784016818e-4, -0.13642299804033e-1, 0.15292895005422e-2,
    -0.76985374142666e-1, -0.25151106429207e-3, 0.20541188079539e-2,
    -0.23904837703692, -0.13633468454173e-1, -0.24421377661131};
const rival_problem wheelset = {.name = "wheelset",
    .model = "models/mechanics/wheelset.dae",
    .n = 17,
    .shown = COUNT(wheelset_end),
    .by_index = {15, 2, 0},
    .t1 = 10,
    .atol_factor = 1,
    .end = wheelset_end,
    .reference_rtol = 1e-10,
    .reference_off = 1e-5};

static const model_slot slider_slots[] = {
    {0, 0}, {1, 0}, {2, 0}, {3, 0}, {4, 0}, {5, 0}, {6, 0}};
static const double slider_end[] = {15, -0.3311734988256260, 0.1697373328427860,
    0.1893192899613509e-3, 0.2375751249879174e-4, -0.5323896770569702e-5,
    -0.8363313279112129e-5};
const rival_problem slider_crank = {.name = "slider_crank",
    .model = "models/mechanics/slider_crank_flexible.dae",
    .slots = slider_slots,
    .n = 24,
    .shown = COUNT(slider_slots),
    .by_index = {7, 7, 10},
    .t1 = 0.1,
    .atol_factor = 1,
    .end = slider_end,
    .reference_rtol = 1e-11,
    .reference_off = 1e-6};
