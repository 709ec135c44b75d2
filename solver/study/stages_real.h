/* One implicit system of `count` stages and Newton's iteration for it, for one
 * kind of number; included by run_double.c and run_long.c with
 *     REAL      the numbers
 *     OWN(f)    the name f for them; STAGES, TASK, RUN: such names of types
 *     F(f)      the function f of <math.h>
 *     RESIDUAL  the member of dae_problem that evaluates F
 *     UNIT      twice the largest relative error of rounding
 * No include guard on purpose. Stages are explained in study/matrix.h. */

/* Iterations that a step may take; a good one takes three. */
enum { OWN(iterations_most) = 50 };
/* Above this rate the Jacobian is made anew, */
static const double OWN(rate_renewed) = 0.05;
/* above this corrections do not fall any more. */
static const double OWN(rate_stopped) = 0.5;
/* Residuals this many units of rounding of their terms are rounding, */
static const double OWN(rounding) = 32;
/* and so are corrections this many units of the largest value of all. */
static const double OWN(rounding_of_all) = 1024;

typedef struct STAGES {
    const frame *frame;
    matrix *matrix;
    size_t n, states, count;
    REAL *x; /* count N: states at the stages */
    REAL *z; /* count n: highest derivatives, or values where there are none */
    REAL *res;  /* count n */
    REAL *high; /* n: highest states, the unknowns where there is one stage */
    REAL *size_seen; /* n: largest modulus of the highest state so far */
    REAL *reals;     /* the block of all these */
    REAL largest;    /* of size_seen */
    REAL excess; /* largest change above the root of UNIT of its size_seen */
    double *b;   /* count n: right side, correction */
    double *row; /* n: sizes of rows */
    double *dx, *dxp, *dres; /* N, n, n: a stage in double */
    double *doubles;         /* the block of all these */
    double c[STUDY_STAGES_MOST * STUDY_STAGES_MOST]; /* C, as factorized */
    bool has_jacobian, is_factored;
} STAGES;

/* The step being made. */
typedef struct TASK {
    const REAL *t;     /* of the stages */
    const REAL *c;     /* C, count squared, by rows */
    const REAL *base;  /* N */
    const REAL *shift; /* N: base is the sum of both; NULL: 0 */
    REAL h;
    int order;
} TASK;

static size_t OWN(real_count)(const STAGES *g)
{
    return g->count * g->states + 2 * (g->count + 1) * g->n;
}

static size_t OWN(double_count)(const STAGES *g)
{
    return g->count * g->n + 3 * g->n + g->states;
}

static void OWN(stages_clear)(STAGES *g)
{
    if (!g->frame) return;
    const dae_allocator *a = g->frame->allocator;
    matrix_free(g->matrix);
    alloc_free(a, g->reals, OWN(real_count)(g), sizeof(REAL));
    alloc_free(a, g->doubles, OWN(double_count)(g), sizeof(double));
    g->frame = NULL;
}

/* All are arrays of the problem's size, which layout_init has found to be
 * countable in 31 bits, times a few. */
static dae_status OWN(stages_init)(STAGES *g, const frame *f, int count)
{
    *g = (STAGES){.frame = f,
        .n = f->layout->unknowns,
        .states = f->layout->states,
        .count = (size_t)count};
    g->reals = alloc_zeroed(f->allocator, OWN(real_count)(g), sizeof(REAL));
    g->doubles = alloc_zeroed(
        f->allocator, OWN(double_count)(g), sizeof(double));
    if (!g->reals || !g->doubles) return DAE_MEMORY;
    g->x = g->reals;
    g->z = g->x + g->count * g->states;
    g->res = g->z + g->count * g->n;
    g->high = g->res + g->count * g->n;
    g->size_seen = g->high + g->n;
    g->b = g->doubles;
    g->row = g->b + g->count * g->n;
    g->dxp = g->row + g->n;
    g->dres = g->dxp + g->n;
    g->dx = g->dres + g->n;
    return matrix_create(f->problem, f->layout, count, f->study->linear,
        f->allocator, &g->matrix);
}

static REAL OWN(shift_of)(const TASK *k, size_t state)
{
    return k->shift ? k->shift[state] : 0;
}

/* With one stage the highest state is the unknown and its slope is
 * ((x - base) - shift)/C. Were it the other way round, x would be a sum, rounded,
 * and the slope would not be known better than that rounding by C: in equations
 * of index 3 such an error counts with 1/h^2. */
static void OWN(derive_slopes)(STAGES *g, const TASK *k)
{
    const layout *l = g->frame->layout;
    for (size_t j = 0; j < g->n; j++) {
        const size_t s = l->first[j + 1] - 1;
        g->x[s] = g->high[j];
        g->z[j] = l->order[j] == 0
            ? g->high[j]
            : ((g->high[j] - k->base[s]) - OWN(shift_of)(k, s)) / k->c[0];
    }
}

/* The highest states of all stages from z: base + C z. */
static void OWN(sum_slopes)(STAGES *g, const TASK *k)
{
    const layout *l = g->frame->layout;
    for (size_t j = 0; j < g->n; j++)
        for (size_t i = 0; i < g->count; i++) {
            const size_t s = l->first[j + 1] - 1;
            REAL sum = OWN(shift_of)(k, s);
            for (size_t m = 0; m < g->count; m++)
                sum += k->c[i * g->count + m] * g->z[m * g->n + j];
            g->x[i * g->states + s] = l->order[j] == 0 ? g->z[i * g->n + j]
                                                       : k->base[s] + sum;
        }
}

/* States and slopes of all stages from the unknowns; lower states follow from
 * x_o' = x_(o+1), from the highest downwards. */
static void OWN(spread)(STAGES *g, const TASK *k)
{
    const layout *l = g->frame->layout;
    if (g->count == 1) OWN(derive_slopes)(g, k);
    else OWN(sum_slopes)(g, k);
    if (l->is_first_order) return;
    for (size_t j = 0; j < g->n; j++)
        for (size_t s = l->first[j + 1] - 1; s-- > l->first[j];)
            for (size_t i = 0; i < g->count; i++) {
                REAL sum = OWN(shift_of)(k, s);
                for (size_t m = 0; m < g->count; m++)
                    sum += k->c[i * g->count + m] * g->x[m * g->states + s + 1];
                g->x[i * g->states + s] = k->base[s] + sum;
            }
}

static void OWN(round_stage)(STAGES *g, size_t i)
{
    for (size_t s = 0; s < g->states; s++)
        g->dx[s] = (double)g->x[i * g->states + s];
    for (size_t j = 0; j < g->n; j++) {
        g->dxp[j] = (double)g->z[i * g->n + j];
        g->dres[j] = (double)g->res[i * g->n + j];
    }
}

static step_fault OWN(fault_at)(const STAGES *g, const TASK *k, size_t i)
{
    return (step_fault){.t = (double)k->t[i],
        .h = (double)k->h,
        .order = k->order,
        .equation = SIZE_MAX,
        .unknown = SIZE_MAX,
        .x = g->dx,
        .xp = g->dxp};
}

static bool OWN(is_finite)(REAL x)
{
    return x - x == 0;
}

/* E0503, with the first equation at stage i that has no value. */
static dae_status OWN(tell_nonfinite)(STAGES *g, const TASK *k, size_t i)
{
    OWN(round_stage)(g, i);
    step_fault fault = OWN(fault_at)(g, k, i);
    for (size_t e = g->n; e-- > 0;)
        if (!OWN(is_finite)(g->res[i * g->n + e])) fault.equation = e;
    return frame_tell_nonfinite(g->frame, fault);
}

static dae_status OWN(evaluate)(STAGES *g, const TASK *k)
{
    const dae_problem *p = g->frame->problem;
    OWN(spread)(g, k);
    for (size_t i = 0; i < g->count; i++) {
        REAL *res = g->res + i * g->n;
        g->frame->counts->residual_evals++;
        const dae_status st = p->RESIDUAL(
            p->self, k->t[i], g->x + i * g->states, g->z + i * g->n, res);
        if (st == DAE_RETRY) return OWN(tell_nonfinite)(g, k, i);
        if (st) return st;
        for (size_t e = 0; e < g->n; e++)
            if (!OWN(is_finite)(res[e])) return OWN(tell_nonfinite)(g, k, i);
    }
    return DAE_OK;
}

/* Factorizes with the step's C, after an evaluation of the Jacobian where
 * `renew` asks for it or there is none. */
static dae_status OWN(prepare)(STAGES *g, const TASK *k, bool renew)
{
    dae_status st = DAE_OK;
    bool is_other = false;
    for (size_t i = 0; i < g->count * g->count; i++) {
        const double c = (double)k->c[i];
        if (c < g->c[i] || c > g->c[i]) is_other = true;
        g->c[i] = c;
    }
    renew |= !g->has_jacobian;
    if (!renew && !is_other && g->is_factored) return DAE_OK;
    g->is_factored = false;
    for (size_t i = 0; i < g->count && renew && !st; i++) {
        OWN(round_stage)(g, i);
        st = matrix_evaluate(g->matrix, (int)i, (double)k->t[i], g->dx, g->dxp,
            g->dres, g->frame->counts);
        g->has_jacobian = !st && i + 1 == g->count;
    }
    if (!st) st = matrix_factor(g->matrix, g->c, g->frame->counts);
    g->is_factored = !st;
    if (st == DAE_NUMERIC)
        return frame_tell_singular(
            g->frame, g->matrix, OWN(fault_at)(g, k, g->count - 1));
    if (st == DAE_RETRY) return OWN(tell_nonfinite)(g, k, g->count - 1);
    return st;
}

/* What the correction b changes in the highest state of unknown j. */
static REAL OWN(change)(const STAGES *g, const TASK *k, size_t i, size_t j)
{
    REAL d = 0;
    if (g->frame->layout->order[j] == 0) return (REAL)g->b[i * g->n + j];
    for (size_t m = 0; m < g->count; m++)
        d += k->c[i * g->count + m] * (REAL)g->b[m * g->n + j];
    return d;
}

/* Solves and moves; *norm: the largest change of a highest state, beside the
 * largest value it has had. */
static dae_status OWN(correct)(STAGES *g, const TASK *k, double *norm)
{
    const layout *l = g->frame->layout;
    const size_t total = g->count * g->n;
    for (size_t i = 0; i < total; i++) g->b[i] = -(double)g->res[i];
    dae_status st = matrix_solve(g->matrix, g->b);
    if (st) return st;
    *norm = 0;
    g->excess = 0;
    for (size_t j = 0; j < g->n; j++)
        for (size_t i = 0; i < g->count; i++) {
            const size_t s = i * g->states + l->first[j + 1] - 1;
            const REAL change = OWN(change)(g, k, i, j);
            const REAL d = F(fabs)(change), size = F(fabs)(g->x[s]);
            if (size > g->size_seen[j]) g->size_seen[j] = size;
            if (d > g->size_seen[j]) g->size_seen[j] = d;
            if (g->size_seen[j] > g->largest) g->largest = g->size_seen[j];
            if (d > (REAL)sqrt(UNIT) * g->size_seen[j] && d > g->excess)
                g->excess = d;
            if (d > (REAL)*norm * g->size_seen[j])
                *norm = (double)(d / g->size_seen[j]);
            g->z[i * g->n + j] += (REAL)g->b[i * g->n + j];
            g->high[j] += change;
        }
    return DAE_OK;
}

/* The stage and equation with the largest residual beside its terms. */
static double OWN(worst_residual)(STAGES *g, size_t *stage, size_t *equation)
{
    double most = 0;
    for (size_t i = 0; i < g->count; i++) {
        OWN(round_stage)(g, i);
        matrix_weigh(g->matrix, (int)i, g->dx, g->dxp, g->row);
        for (size_t e = 0; e < g->n; e++) {
            const double off = fabs(g->dres[e]);
            if (!(off > most * g->row[e])) continue;
            most = g->row[e] > 0 ? off / g->row[e] : (double)INFINITY;
            *stage = i;
            *equation = e;
        }
    }
    return most;
}

/* Corrections do not fall any more: because of rounding? Of F, whose terms tell
 * how much that may be. Or, with a Jacobian made for the purpose, of what is
 * inside of a term, where all that is left is small, beside its unknown or, for
 * unknowns that are a rest of others, beside these. */
static bool OWN(is_rounding)(STAGES *g, bool is_fresh)
{
    size_t stage, equation;
    const REAL least = (REAL)(OWN(rounding_of_all) * UNIT) * g->largest;
    return (is_fresh && g->excess <= least)
        || OWN(worst_residual)(g, &stage, &equation) <= OWN(rounding) * UNIT;
}

static dae_status OWN(tell_convergence)(STAGES *g, const TASK *k)
{
    size_t stage = 0, equation = SIZE_MAX;
    (void)OWN(worst_residual)(g, &stage, &equation);
    step_fault fault = OWN(fault_at)(g, k, stage);
    fault.equation = equation;
    return frame_tell_convergence(g->frame, fault);
}

/* Newton's iteration from the z there is, until corrections stop falling. */
static dae_status OWN(stages_solve)(STAGES *g, const TASK *k)
{
    dae_status st;
    double last = (double)INFINITY, norm;
    bool renew = false;
    OWN(sum_slopes)(g, k);
    for (size_t j = 0; j < g->n; j++)
        g->high[j] = g->x[g->frame->layout->first[j + 1] - 1];
    for (int i = 0; i < OWN(iterations_most); i++) {
        if ((st = OWN(evaluate)(g, k))) return st;
        if ((st = OWN(prepare)(g, k, renew))) return st;
        if ((st = OWN(correct)(g, k, &norm))) return st;
        g->frame->counts->newton_iterations++;
        if (norm <= UNIT
            || (norm > OWN(rate_stopped) * last
                && OWN(is_rounding)(g, renew))) {
            OWN(spread)(g, k);
            return DAE_OK;
        }
        renew = norm > OWN(rate_renewed) * last;
        last = norm;
    }
    return OWN(tell_convergence)(g, k);
}
