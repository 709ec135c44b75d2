#include "step/history.h"

#include <assert.h>
#include <string.h>

dae_status history_init(history *hi, size_t states, int max_order, arena *a)
{
    assert(max_order >= 1 && max_order <= FORMULA_ORDER_MAX);
    *hi = (history){.states = states, .rows = max_order + 2};
    for (int i = 0; i < hi->rows; i++) {
        hi->phi[i] = ARENA_ARRAY(a, double, states);
        if (!hi->phi[i]) return DAE_MEMORY;
    }
    return DAE_OK;
}

void history_start(
    history *hi, double t, const double *x, const double *xp, double h)
{
    hi->t = t;
    hi->has_ahead = false;
    hi->count = 2;
    for (int i = 0; i <= HISTORY_ROWS; i++) hi->back[i] = hi->past[i] = 0;
    hi->scale[0] = 1;
    hi->scale[1] = h;
    if (x != hi->phi[0]) memcpy(hi->phi[0], x, hi->states * sizeof *x);
    double *slope = hi->phi[1];
    for (size_t i = 0; i < hi->states; i++) slope[i] = h * xp[i];
}

void history_grid(const history *hi, double h, grid *g)
{
    g->h = h;
    g->psi[0] = g->sums[0] = 0;
    g->beta[0] = 1;
    for (int i = 1; i <= HISTORY_ROWS; i++) g->psi[i] = h + hi->back[i - 1];
    double product = 1, sum = 0, uniform = g->uniform[0] = 1;
    for (int i = 1; i <= hi->count && i < HISTORY_ROWS; i++)
        g->sums[i] = sum += 1 / g->psi[i];
    for (int i = 1; i < hi->count; i++) {
        product *= g->psi[i];
        g->beta[i] = product / hi->scale[i];
    }
    for (int i = 1; i <= hi->count && i < HISTORY_ROWS; i++)
        g->uniform[i] = uniform *= i * h / g->psi[i];
}

enum { LANES = 8 };

/* Rows k..0 and the new row k + 1 of states [s, s + LANES):
 * new phi[i] = new phi[i+1] + beta_i phi[i], phi[k+1] = d. The running sums
 * are local, so that the compiler may keep them in vector registers. */
static inline void push_lanes(double *const *phi, const double *beta, int k,
    const double *x, const double *d, size_t s)
{
    double sum[LANES];
    for (int l = 0; l < LANES; l++) sum[l] = d[s + (size_t)l];
    for (int l = 0; l < LANES; l++) phi[k + 1][s + (size_t)l] = sum[l];
    for (int i = k; i >= 1; i--) {
        double *row = phi[i] + s;
        for (int l = 0; l < LANES; l++) sum[l] += beta[i] * row[l];
        for (int l = 0; l < LANES; l++) row[l] = sum[l];
    }
    memcpy(phi[0] + s, x + s, sizeof sum);
}

static inline void push_rows(double *const *phi, const double *beta, int k,
    const double *restrict x, const double *restrict d, size_t n)
{
    size_t s = 0;
    for (; s + LANES <= n; s += LANES) push_lanes(phi, beta, k, x, d, s);
    for (; s < n; s++) {
        double sum = d[s];
        phi[k + 1][s] = sum;
        for (int i = k; i >= 1; i--) {
            sum += beta[i] * phi[i][s];
            phi[i][s] = sum;
        }
        phi[0][s] = x[s];
    }
}

static void push_order(
    history *hi, const double *beta, int k, const double *x, const double *d)
{
    size_t n = hi->states;
    double *const *phi = hi->phi;
    switch (k) {
    case 1: push_rows(phi, beta, 1, x, d, n); break;
    case 2: push_rows(phi, beta, 2, x, d, n); break;
    case 3: push_rows(phi, beta, 3, x, d, n); break;
    case 4: push_rows(phi, beta, 4, x, d, n); break;
    case 5: push_rows(phi, beta, 5, x, d, n); break;
    default: push_rows(phi, beta, k, x, d, n); break;
    }
}

void history_push(history *hi, const grid *g, int k, const double *x,
    const double *d, int further)
{
    assert(k >= 1 && k + 1 < hi->rows && k < hi->count);
    int top = k + 1;
    if (further && hi->count > k + 1 && k + 2 < hi->rows) {
        top = k + 2;
        const double *old = hi->phi[k + 1];
        double *next = hi->phi[k + 2], beta = g->beta[k + 1];
        for (size_t i = 0; i < hi->states; i++) next[i] = d[i] - beta * old[i];
    }
    push_order(hi, g->beta, k, x, d);
    double product = 1;
    for (int i = 1; i <= top; i++) hi->scale[i] = product *= g->psi[i];
    for (int i = 1; i <= HISTORY_ROWS; i++) hi->back[i] = g->psi[i];
    for (int i = HISTORY_ROWS; i >= 1; i--)
        hi->past[i] = g->h + hi->past[i - 1];
    hi->count = top + 1;
    hi->t += g->h;
}

void history_hermite(
    history *hi, double h, const double *x, const double *slope)
{
    assert(hi->rows >= 4);
    for (size_t i = 0; i < hi->states; i++) {
        const double before = hi->phi[1][i] / hi->scale[1];
        const double change = x[i] - hi->phi[0][i], end = h * slope[i];
        hi->phi[0][i] = x[i];
        hi->phi[1][i] = end;
        hi->phi[2][i] = end - change;
        hi->phi[3][i] = end + h * before - 2 * change;
    }
    for (int i = 0; i <= HISTORY_ROWS; i++)
        hi->back[i] = hi->past[i] = i < 2 ? 0 : h;
    for (int i = 1; i < 4; i++) hi->scale[i] = hi->scale[i - 1] * h;
    hi->count = 4;
    hi->t += h;
}

/* Of the rows of one state: `old` over the points before, `single` over the new one
 * and those, `twice` over the new one twice. back[i]: from the new point to the i-th
 * before it, i = 1... */
static void double_one(const history *hi, const double *back, int count,
    int top, double x, double slope, size_t s)
{
    double single[HISTORY_ROWS + 1], twice[HISTORY_ROWS + 1];
    single[0] = twice[0] = x;
    for (int i = 0; i < count; i++) {
        const double old = hi->phi[i][s] / hi->scale[i];
        single[i + 1] = (single[i] - old) / back[i + 1];
    }
    twice[1] = slope;
    for (int i = 1; i < top; i++)
        twice[i + 1] = (twice[i] - single[i]) / back[i];
    double scale = 1;
    for (int i = 0; i <= top; i++, scale *= back[1])
        hi->phi[i][s] = scale * twice[i];
}

void history_double(history *hi, double h, const double *x, const double *slope)
{
    double back[HISTORY_ROWS + 1];
    const int room = hi->rows - 1;
    const int top = hi->count + 1 < room ? hi->count + 1 : room;
    for (int i = 1; i <= HISTORY_ROWS; i++) back[i] = h + hi->back[i - 1];
    for (size_t s = 0; s < hi->states; s++)
        double_one(hi, back, hi->count, top, x[s], slope[s], s);
    for (int i = HISTORY_ROWS; i >= 2; i--) {
        hi->back[i] = back[i - 1];
        hi->past[i] = h + hi->past[i - 2];
    }
    hi->back[1] = hi->past[1] = 0;
    for (int i = 1; i <= top; i++) hi->scale[i] = hi->scale[i - 1] * h;
    hi->count = top + 1;
    hi->t += h;
}

/* Factors of phi[i] in the value and the slope of the polynomial at t + s:
 * value_i = prod_{j<i} (s + back_j) / scale_i. */
static void weights_at(
    const history *hi, int k, double s, double *value, double *slope)
{
    double product = 1, derivative = 0;
    for (int i = 0; i <= k; i++) {
        value[i] = product / hi->scale[i];
        slope[i] = derivative / hi->scale[i];
        derivative = derivative * (s + hi->back[i]) + product;
        product *= s + hi->back[i];
    }
}

/* Most points are looked at for their values alone. */
static void value_weights(
    const history *hi, int k, double s, double value[HISTORY_ROWS])
{
    double product = 1;
    for (int i = 0; i <= k; i++) {
        value[i] = product / hi->scale[i];
        product *= s + hi->back[i];
    }
}

static double value_of(
    const history *hi, int k, const double value[HISTORY_ROWS], size_t i)
{
    double v = 0;
    for (int r = k; r >= 1; r--) v += value[r] * hi->phi[r][i];
    return hi->phi[0][i] + v;
}

/* sum += weight_r phi_r of the states [i, i + LANES), the last row first. */
static inline void add_rows(const history *hi, int k,
    const double weight[HISTORY_ROWS], size_t i, double *sum)
{
    double v[LANES] = {0};
    for (int r = k; r >= 1; r--) {
        const double *row = hi->phi[r] + i;
        const double by = weight[r];
        for (int l = 0; l < LANES; l++) v[l] += by * row[l];
    }
    memcpy(sum, v, sizeof v);
}

static inline void value_lanes(const history *hi, int k,
    const double value[HISTORY_ROWS], size_t i, double *x)
{
    double v[LANES], first[LANES];
    add_rows(hi, k, value, i, v);
    memcpy(first, hi->phi[0] + i, sizeof first);
    for (int l = 0; l < LANES; l++) v[l] += first[l];
    memcpy(x, v, sizeof v);
}

static void values_at(
    const history *hi, int k, double s, size_t begin, size_t end, double *x)
{
    double value[HISTORY_ROWS];
    size_t i = begin;
    value_weights(hi, k, s, value);
    for (; i + LANES <= end; i += LANES)
        value_lanes(hi, k, value, i, x + (i - begin));
    for (; i < end; i++) x[i - begin] = value_of(hi, k, value, i);
}

static double slope_of(
    const history *hi, int k, const double slope[HISTORY_ROWS], size_t i)
{
    double p = 0;
    for (int r = k; r >= 1; r--) p += slope[r] * hi->phi[r][i];
    return p;
}

/* Several places at once share the rows that are read. */
enum { PLACES = 4 };

static void weights_together(const history *hi, int k, const double *t,
    double value[HISTORY_ROWS][PLACES])
{
    double product[PLACES], s[PLACES];
    for (int l = 0; l < PLACES; l++) product[l] = 1, s[l] = t[l] - hi->t;
    for (int i = 0; i <= k; i++)
        for (int l = 0; l < PLACES; l++) {
            value[i][l] = product[l] / hi->scale[i];
            product[l] *= s[l] + hi->back[i];
        }
}

static void values_together(
    const history *hi, int k, const history_places *at, double *x)
{
    const size_t count = at->slots ? at->slot_count : hi->states;
    double value[HISTORY_ROWS][PLACES];
    weights_together(hi, k, at->t, value);
    for (size_t n = 0; n < count; n++) {
        const size_t i = at->slots ? at->slots[n] : n;
        double v[PLACES] = {0};
        for (int r = k; r >= 1; r--)
            for (int l = 0; l < PLACES; l++)
                v[l] += value[r][l] * hi->phi[r][i];
        for (int l = 0; l < PLACES; l++)
            x[(size_t)l * hi->states + i] = hi->phi[0][i] + v[l];
    }
}

static void values_alone(
    const history *hi, int k, const history_places *at, double *x)
{
    const size_t count = at->slots ? at->slot_count : hi->states;
    double value[HISTORY_ROWS];
    value_weights(hi, k, *at->t - hi->t, value);
    for (size_t n = 0; n < count; n++) {
        const size_t i = at->slots ? at->slots[n] : n;
        x[i] = value_of(hi, k, value, i);
    }
}

void history_values(
    const history *hi, int k, const history_places *at, double *x)
{
    assert(k >= 1 && k < hi->count);
    history_places left = *at;
    while (left.count > 0) {
        const size_t done = left.count >= PLACES ? PLACES : 1;
        if (done == PLACES) values_together(hi, k, &left, x);
        else values_alone(hi, k, &left, x);
        left.count -= done;
        left.t += done;
        x += done * hi->states;
    }
}

/* The newest point is there twice: its slope is the first difference. */
static void end_slopes(
    const history *hi, size_t begin, size_t end, double *restrict xp)
{
    const double by = 1 / hi->scale[1];
    for (size_t i = begin; i < end; i++) xp[i - begin] = by * hi->phi[1][i];
}

void history_at(const history *hi, int k, double s, size_t begin, size_t end,
    double *x, double *xp)
{
    assert(k >= 1 && k < hi->count);
    if (!xp) {
        if (x) values_at(hi, k, s, begin, end, x);
        return;
    }
    if (!x && s == 0 && hi->back[1] == 0) {
        end_slopes(hi, begin, end, xp);
        return;
    }
    double value[HISTORY_ROWS], slope[HISTORY_ROWS];
    size_t i = begin;
    weights_at(hi, k, s, value, slope);
    for (; i + LANES <= end; i += LANES) {
        if (x) value_lanes(hi, k, value, i, x + (i - begin));
        add_rows(hi, k, slope, i, xp + (i - begin));
    }
    for (; i < end; i++) {
        if (x) x[i - begin] = value_of(hi, k, value, i);
        xp[i - begin] = slope_of(hi, k, slope, i);
    }
}
