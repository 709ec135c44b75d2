/* A study for one kind of number: coefficients, history, start, the grid.
 * Included by run_double.c and run_long.c behind stages_real.h, with the same
 * macros. No include guard on purpose. */

typedef struct RUN {
    const frame *frame;
    STAGES bdf, radau;      /* made where they are needed */
    REAL *past[STUDY_PAST]; /* N each, the newest first */
    REAL past_t[STUDY_PAST];
    REAL *shift;                  /* N: see bdf_shift */
    REAL *z;                      /* n: where the next iteration begins */
    REAL *reals;                  /* the block of all these */
    dae_long *x, *xp;             /* N, n: a point as it is told */
    dae_long *told;               /* the block of both */
    REAL node[STUDY_STAGES_MOST]; /* of Radau IIA */
    REAL a[STUDY_STAGES_MOST * STUDY_STAGES_MOST];
} RUN;

/* ---- Radau IIA ---- */

/* P_s - P_(s-1) of Legendre at x: its zeros are the points on [-1, 1]. */
static REAL OWN(radau_value)(int s, REAL x)
{
    REAL last = 1, value = x;
    for (int k = 2; k <= s; k++) {
        const REAL next = ((REAL)(2 * k - 1) * x * value - (REAL)(k - 1) * last)
            / (REAL)k;
        last = value;
        value = next;
    }
    return value - last;
}

/* The points on [0, 1], by bisection: no two are nearer than a part of the
 * scan. */
static void OWN(radau_nodes)(int s, REAL *node)
{
    enum { parts = 256 };
    int found = 0;
    for (int i = 0; i + 1 < parts && found < s - 1; i++) {
        REAL low = -1 + (REAL)(2 * i) / parts;
        REAL high = -1 + (REAL)(2 * i + 2) / parts;
        const bool is_up = OWN(radau_value)(s, low) < 0;
        if ((OWN(radau_value)(s, high) < 0) == is_up) continue;
        for (REAL middle = (low + high) / 2; middle > low && middle < high;
             middle = (low + high) / 2)
            if ((OWN(radau_value)(s, middle) < 0) == is_up) low = middle;
            else high = middle;
        node[found++] = (1 + low) / 2;
    }
    node[s - 1] = 1;
}

/* a_im is the integral from 0 to c_i of the m-th Lagrange polynomial, of degree
 * s - 1 <= 4: three points of Gauss are exact. */
static void OWN(radau_matrix)(int s, const REAL *node, REAL *a)
{
    const REAL far = F(sqrt)((REAL)3 / 5);
    const REAL gauss[3] = {-far, 0, far};
    const REAL weight[3] = {(REAL)5 / 9, (REAL)8 / 9, (REAL)5 / 9};
    for (int i = 0; i < s; i++)
        for (int m = 0; m < s; m++) {
            REAL sum = 0;
            for (int g = 0; g < 3; g++) {
                REAL value = weight[g];
                for (int p = 0; p < s; p++)
                    if (p != m)
                        value *= (node[i] * (1 + gauss[g]) / 2 - node[p])
                            / (node[m] - node[p]);
                sum += value;
            }
            a[i * s + m] = sum * node[i] / 2;
        }
}

/* ---- memory ---- */

static size_t OWN(run_reals)(const layout *l)
{
    return (STUDY_PAST + 1) * l->states + l->unknowns;
}

static dae_status OWN(run_init)(RUN *r, const frame *f)
{
    const layout *l = f->layout;
    *r = (RUN){.frame = f};
    r->reals = alloc_zeroed(f->allocator, OWN(run_reals)(l), sizeof(REAL));
    r->told = alloc_zeroed(
        f->allocator, l->states + l->unknowns, sizeof(dae_long));
    if (!r->reals || !r->told) return DAE_MEMORY;
    for (size_t i = 0; i < STUDY_PAST; i++)
        r->past[i] = r->reals + i * l->states;
    r->shift = r->reals + STUDY_PAST * l->states;
    r->z = r->shift + l->states;
    r->x = r->told;
    r->xp = r->told + l->states;
    return DAE_OK;
}

static void OWN(run_clear)(RUN *r)
{
    const frame *f = r->frame;
    OWN(stages_clear)(&r->bdf);
    OWN(stages_clear)(&r->radau);
    alloc_free(f->allocator, r->reals, OWN(run_reals)(f->layout), sizeof(REAL));
    alloc_free(f->allocator, r->told, f->layout->states + f->layout->unknowns,
        sizeof(dae_long));
}

/* ---- points ---- */

/* A point becomes the newest of the past. */
static void OWN(replace)(RUN *r, REAL t, const REAL *x, const REAL *z)
{
    const layout *l = r->frame->layout;
    r->past_t[0] = t;
    for (size_t s = 0; s < l->states; s++) r->past[0][s] = x[s];
    for (size_t j = 0; j < l->unknowns; j++) r->z[j] = z[j];
}

static void OWN(push)(RUN *r, REAL t, const REAL *x, const REAL *z)
{
    REAL *oldest = r->past[STUDY_PAST - 1];
    for (size_t i = STUDY_PAST - 1; i > 0; i--) {
        r->past[i] = r->past[i - 1];
        r->past_t[i] = r->past_t[i - 1];
    }
    r->past[0] = oldest;
    OWN(replace)(r, t, x, z);
}

static dae_status OWN(tell)(RUN *r, size_t index)
{
    const frame *f = r->frame;
    const layout *l = f->layout;
    for (size_t s = 0; s < l->states; s++) r->x[s] = (dae_long)r->past[0][s];
    for (size_t j = 0; j < l->unknowns; j++)
        r->xp[j] = l->order[j] > 0 ? (dae_long)r->z[j] : 0;
    if (!f->study->point) return DAE_OK;
    return f->study->point(
        f->study->point_context, index, (dae_long)r->past_t[0], r->x, r->xp);
}

/* A point that is given. What stands in xp and in unknowns without derivatives
 * is where Newton's iteration begins. */
static dae_status OWN(take)(RUN *r, size_t index)
{
    const dae_study *s = r->frame->study;
    const layout *l = r->frame->layout;
    const REAL t = (REAL)s->times[index];
    for (size_t j = 0; j < l->unknowns; j++) r->xp[j] = 0;
    dae_status st = s->given(s->given_context, index, (dae_long)t, r->x, r->xp);
    if (st) return st;
    REAL *x = r->shift; /* not in use here */
    for (size_t p = 0; p < l->states; p++) x[p] = (REAL)r->x[p];
    for (size_t j = 0; j < l->unknowns; j++) {
        const REAL z = l->order[j] ? (REAL)r->xp[j] : x[l->first[j]];
        r->z[j] = OWN(is_finite)(z) ? z : 0;
    }
    OWN(push)(r, t, x, r->z);
    return OWN(tell)(r, index);
}

/* ---- steps ---- */

/* Divided differences of the newest k points of a state [BCP96 5.2]:
 * d[m] = x[t_0, ..., t_m], times newest first. */
static void OWN(differences)(const RUN *r, size_t state, int k, REAL *d)
{
    const REAL *t = r->past_t;
    for (int i = 0; i < k; i++) d[i] = r->past[i][state];
    for (int m = 1; m < k; m++)
        for (int i = k - 1; i >= m; i--)
            d[i] = (d[i] - d[i - 1]) / (t[i] - t[i - m]);
}

/* The polynomial through x(t) and the last k points has at t the slope
 * x'(t) = alpha (x(t) - p(t)) + p'(t), with p through those k points alone and
 * alpha = sum of 1/(t - t_i) [BCP96 5.2.2]; so x(t) = base + x'(t)/alpha with
 * base = p(t) - p'(t)/alpha. That is the last point and a shift, a sum over
 * divided differences: of these the higher ones are small, so rounding of the
 * factors does not count beside that of the points. Returns alpha. */
static REAL OWN(bdf_shift)(RUN *r, REAL t, int k)
{
    const size_t states = r->frame->layout->states;
    REAL alpha = 0, product = 1, factor[STUDY_PAST], d[STUDY_PAST];
    for (int i = k - 1; i >= 0; i--) {
        alpha += 1 / (t - r->past_t[i]);
        factor[i] = alpha;
    }
    for (int m = 1; m < k; m++) {
        product *= t - r->past_t[m - 1];
        factor[m] *= product / alpha;
    }
    for (size_t s = 0; s < states; s++) {
        REAL sum = 0;
        OWN(differences)(r, s, k, d);
        for (int m = k - 1; m >= 1; m--) sum += factor[m] * d[m];
        r->shift[s] = sum;
    }
    return alpha;
}

static dae_status OWN(bdf_step)(RUN *r, REAL t, int k)
{
    const frame *f = r->frame;
    STAGES *g = &r->bdf;
    dae_status st = DAE_OK;
    if (!g->frame) st = OWN(stages_init)(g, f, 1);
    if (!st) st = frame_ask(f, (double)r->past_t[0]);
    if (st) return st;
    const REAL c = 1 / OWN(bdf_shift)(r, t, k);
    const TASK task = {&t, &c, r->past[0], r->shift, t - r->past_t[0], k};
    for (size_t j = 0; j < g->n; j++) g->z[j] = r->z[j];
    if (!(st = OWN(stages_solve)(g, &task))) OWN(push)(r, t, g->x, g->z);
    return st;
}

/* The first one from a time of the grid leaves that point in the past, others
 * take the place of the one before. */
static dae_status OWN(radau_step)(RUN *r, REAL t, int stages, bool is_first)
{
    const frame *f = r->frame;
    STAGES *g = &r->radau;
    const REAL begin = r->past_t[0], h = t - begin;
    REAL c[STUDY_STAGES_MOST * STUDY_STAGES_MOST], at[STUDY_STAGES_MOST];
    dae_status st = DAE_OK;
    if (!g->frame) {
        OWN(radau_nodes)(stages, r->node);
        OWN(radau_matrix)(stages, r->node, r->a);
        st = OWN(stages_init)(g, f, stages);
    }
    if (!st) st = frame_ask(f, (double)begin);
    if (st) return st;
    for (int i = 0; i < stages; i++) at[i] = begin + h * r->node[i];
    at[stages - 1] = t;
    for (int i = 0; i < stages * stages; i++) c[i] = h * r->a[i];
    for (size_t i = 0; i < g->count * g->n; i++) g->z[i] = r->z[i % g->n];
    const TASK task = {at, c, r->past[0], NULL, h, 2 * stages - 1};
    if ((st = OWN(stages_solve)(g, &task))) return st;
    const REAL *x = g->x + (g->count - 1) * g->states;
    const REAL *z = g->z + (g->count - 1) * g->n;
    if (is_first) OWN(push)(r, t, x, z);
    else OWN(replace)(r, t, x, z);
    return DAE_OK;
}

/* From the last time to the next one in equal steps. */
static dae_status OWN(radau_steps)(RUN *r, REAL t, int stages, int steps)
{
    const REAL begin = r->past_t[0];
    dae_status st = DAE_OK;
    for (int i = 1; i <= steps && !st; i++)
        st = OWN(radau_step)(r,
            i == steps ? t : begin + (t - begin) * (REAL)i / (REAL)steps,
            stages, i == 1);
    return st;
}

/* ---- the grid ---- */

static dae_status OWN(bdf_point)(RUN *r, size_t index)
{
    const dae_study *s = r->frame->study;
    const REAL t = (REAL)s->times[index];
    const bool is_start = index < (size_t)s->order;
    if (is_start && s->start == DAE_STUDY_FINE)
        return OWN(radau_steps)(r, t, STUDY_STAGES_MOST,
            s->substeps > 0 ? s->substeps : STUDY_FINE_STEPS);
    r->frame->counts->steps += !is_start;
    return OWN(bdf_step)(r, t, is_start ? (int)index : s->order);
}

static dae_status OWN(radau_point)(RUN *r, size_t index)
{
    const dae_study *s = r->frame->study;
    const int steps = s->substeps > 0 ? s->substeps : 1;
    r->frame->counts->steps += steps;
    return OWN(radau_steps)(
        r, (REAL)s->times[index], (s->order + 1) / 2, steps);
}

dae_status OWN(run_study)(const frame *f)
{
    const dae_study *s = f->study;
    const bool is_bdf = s->method == DAE_STUDY_BDF;
    const size_t given = is_bdf && s->start == DAE_STUDY_GIVEN
        ? (size_t)s->order
        : 1;
    RUN r;
    dae_status st = OWN(run_init)(&r, f);
    for (size_t i = 0; i < given && !st; i++) st = OWN(take)(&r, i);
    for (size_t i = given; i < s->time_count && !st; i++) {
        st = is_bdf ? OWN(bdf_point)(&r, i) : OWN(radau_point)(&r, i);
        if (!st) st = OWN(tell)(&r, i);
    }
    OWN(run_clear)(&r);
    return st;
}
