/* The plane of two differences B = del^(k+1) x and C = del^k x holds a mode
 * that dominates them. On it G = (alpha M + K)^-1 M is, by least squares in the
 * norm of the error test, a matrix of 2 x 2 (a Rayleigh-Ritz step of inverse
 * iteration [GVL13 8.2, 7.6]); of its eigenvalues theta the rates are alpha -
 * 1/theta. Neither depends on the formula, so what the formula does to the motion
 * can be told from what the equations do; an oscillation that is forced on them
 * leaves the plane. */
#include "step/mode.h"

#include "newton/response.h"

#include <math.h>

/* |1 - 1/z|^2 at least: below, formulas are exact enough. |z|^2 at least. */
static const double turn_least = 0.04, lasting_least = 0.72;
/* The square of the sine between both differences at least. */
static const double apart_least = 1e-4;
/* What leaves the plane, as a part of the rate. */
static const double off_most = 0.2;

void mode_init(mode_watch *m, arena *a)
{
    *m = (mode_watch){.memory = a};
}

static bool take_vectors(mode_watch *m, size_t states)
{
    if (m->lower) return true;
    m->response = ARENA_ARRAY(m->memory, double, states);
    if (m->response) m->lower = ARENA_ARRAY(m->memory, double, states);
    return m->lower != NULL;
}

/* Products of three vectors. */
typedef struct products {
    double bb, cc, dd, bc, cd, bd;
} products;

static products multiply(const mode_point *p)
{
    const int k = p->k;
    const size_t n = p->history->states;
    const double *row = p->history->phi[k], *low = p->history->phi[k - 1];
    const double *w = p->w, *off = p->d, *uniform = p->grid->uniform;
    const double of_b = uniform[k + 1], of_c = uniform[k];
    const double of_d = uniform[k - 1];
    const double of_row = p->grid->beta[k], of_low = p->grid->beta[k - 1];
    products s = {0};
    for (size_t i = 0; i < n; i++) {
        const double sum = off[i] + of_row * row[i];
        const double b = of_b * w[i] * off[i], c = of_c * w[i] * sum;
        const double d = of_d * w[i] * (sum + of_low * low[i]);
        s.bb += b * b, s.cc += c * c, s.dd += d * d;
        s.bc += b * c, s.cd += c * d, s.bd += b * d;
    }
    return s;
}

/* b = sum c - product d by least squares: u, u' = 1 - 1/z are the roots of u^2 -
 * sum u + product. */
bool mode_lasts(const mode_point *p)
{
    const products s = multiply(p);
    const double det = s.cc * s.dd - s.cd * s.cd;
    if (!(det > apart_least * s.cc * s.dd)) return false;
    const double sum = (s.bc * s.dd - s.bd * s.cd) / det;
    const double product = (s.bc * s.cd - s.bd * s.cc) / det;
    return sum * sum < 4 * product && product >= turn_least
        && (1 - sum + product) * lasting_least <= 1;
}

/* Divided differences of exp(lambda t), made uniform, of orders k - 1 ... k + 1;
 * points from the newest one back. */
static void exponential(
    const mode_point *p, const mode_rate *r, double re[3], double im[3])
{
    double a[HISTORY_ROWS], b[HISTORY_ROWS];
    const double *psi = p->grid->psi;
    const int n = p->k + 1;
    for (int i = 0; i <= n; i++) {
        const double size = exp(-r->re * psi[i]);
        a[i] = size * cos(r->im * psi[i]);
        b[i] = -size * sin(r->im * psi[i]);
    }
    double scale = 1;
    for (int j = 1; j <= n; j++) {
        for (int i = 0; i + j <= n; i++) {
            const double length = psi[i + j] - psi[i];
            a[i] = (a[i] - a[i + 1]) / length;
            b[i] = (b[i] - b[i + 1]) / length;
        }
        scale *= j * p->grid->h;
        if (j >= n - 2)
            re[j - n + 2] = scale * a[0], im[j - n + 2] = scale * b[0];
    }
}

double mode_rest(const mode_point *p, const mode_rate *r)
{
    const products s = multiply(p);
    double re[3], im[3];
    exponential(p, r, re, im);
    const double det = re[1] * im[0] - im[1] * re[0];
    const double sum = (re[2] * im[0] - im[2] * re[0]) / det;
    const double product = (re[2] * im[1] - im[2] * re[1]) / det;
    const double off = s.bb + sum * sum * s.cc + product * product * s.dd
        - 2 * sum * s.bc + 2 * product * s.bd - 2 * sum * product * s.cd;
    /* points that coincide, as at a start, are no grid */
    return isfinite(off) ? sqrt(fmax(off, 0) / s.bb) : HUGE_VAL;
}

/* A vector of the plane, and of G times it what the plane holds: b, c parts. */
typedef struct image {
    double b, c, off; /* off: the square of the rest */
} image;

static image map(const mode_watch *m, const mode_point *p, const products *s)
{
    double by = 0, cy = 0, yy = 0;
    for (size_t i = 0; i < p->history->states; i++) {
        const double w = p->w[i], y = w * m->response[i];
        by += w * p->d[i] * y;
        cy += w * m->lower[i] * y;
        yy += y * y;
    }
    const double det = s->bb * s->cc - s->bc * s->bc;
    image g;
    g.b = (by * s->cc - cy * s->bc) / det;
    g.c = (cy * s->bb - by * s->bc) / det;
    g.off = yy - g.b * by - g.c * cy;
    return g;
}

static products find_plane(mode_watch *m, const mode_point *p)
{
    const double *row = p->history->phi[p->k], beta = p->grid->beta[p->k];
    products s = {0};
    for (size_t i = 0; i < p->history->states; i++) {
        m->lower[i] = p->d[i] + beta * row[i];
        const double b = p->w[i] * p->d[i], c = p->w[i] * m->lower[i];
        s.bb += b * b, s.cc += c * c, s.bc += b * c;
    }
    return s;
}

/* The eigenvalues of the matrix of 2 x 2 and what they say. `off`: what leaves the
 * plane, of vectors of length 1, which is off/(theta^2 lambda) of the rate. */
static void find_rate(const image *of_b, const image *of_c, double alpha,
    double off, mode_rate *found)
{
    const double half = (of_b->b + of_c->c) / 2;
    const double det = of_b->b * of_c->c - of_b->c * of_c->b;
    if (!(det > half * half)) return;
    const double re = alpha - half / det, im = sqrt(det - half * half) / det;
    if (!isfinite(re) || !isfinite(im)) return;
    if (off <= off_most * det * hypot(re, im)) *found = (mode_rate){re, im};
}

dae_status mode_find(
    mode_watch *m, newton *nw, const mode_point *p, mode_rate *found)
{
    *found = (mode_rate){0, 0};
    if (!take_vectors(m, p->history->states)) return DAE_MEMORY;
    const products s = find_plane(m, p);
    const double area = s.bb * s.cc - s.bc * s.bc;
    double alpha;
    dae_status st;
    if (!(area > apart_least * s.bb * s.cc)) return DAE_OK;
    if ((st = newton_response(nw, p->plain, p->d, m->response, &alpha)))
        return st;
    if (!(fabs(alpha) > 0)) return DAE_OK;
    const image of_b = map(m, p, &s);
    if ((st = newton_response(nw, p->plain, m->lower, m->response, &alpha)))
        return st;
    if (!(fabs(alpha) > 0)) return DAE_OK;
    const image of_c = map(m, p, &s);
    const double off = (of_b.off / s.bb + of_c.off / s.cc) / 2;
    find_rate(&of_b, &of_c, alpha, sqrt(fmax(off, 0)), found);
    return DAE_OK;
}
