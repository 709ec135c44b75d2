#include "step/regrid.h"

#include <assert.h>
#include <math.h>

/* Distances are sums of equal steps. */
static const double same = 1e-12;

static bool is_regular(const history *hi, int k, double h)
{
    for (int i = 1; i <= k; i++)
        if (!(fabs(hi->back[i] - i * h) <= same * fabs(i * h))) return false;
    return true;
}

/* change[i][r]: what row r adds to row i. The differences at the new points are
 * del^i = sum over m of (-1)^m C(i, m) P(t - m h), and P = sum of prod (s +
 * back_j)/scale_r phi[r]; a row adds to itself and to lower ones. */
static void find_change(const history *hi, int k, double h,
    double change[HISTORY_ROWS][HISTORY_ROWS])
{
    for (int r = 0; r <= k; r++) {
        double value[HISTORY_ROWS];
        for (int m = 0; m <= k; m++) {
            value[m] = 1 / hi->scale[r];
            for (int j = 0; j < r; j++) value[m] *= hi->back[j] - m * h;
        }
        for (int i = 0; i <= k; i++) {
            change[i][r] = value[0];
            for (int m = 0; m < k; m++) value[m] -= value[m + 1];
        }
    }
}

static void set_points(history *hi, double h)
{
    for (int i = 0; i <= HISTORY_ROWS; i++) hi->back[i] = i * h;
    for (int i = 1; i < hi->count; i++) hi->scale[i] = hi->scale[i - 1] * i * h;
}

void history_regrid(history *hi, int k, double h)
{
    assert(k >= 1 && k < hi->count);
    if (is_regular(hi, k, h)) return;
    double change[HISTORY_ROWS][HISTORY_ROWS], old[HISTORY_ROWS];
    find_change(hi, k, h, change);
    for (int r = 0; r < hi->count; r++) old[r] = hi->scale[r];
    set_points(hi, h);
    for (int i = 1; i <= k; i++) {
        double *row = hi->phi[i];
        for (size_t s = 0; s < hi->states; s++) {
            double sum = 0;
            for (int r = k; r >= i; r--) sum += change[i][r] * hi->phi[r][s];
            row[s] = sum;
        }
    }
    for (int r = k + 1; r < hi->count; r++)
        for (size_t s = 0; s < hi->states; s++)
            hi->phi[r][s] *= hi->scale[r] / old[r];
}

void regrid_differences(
    double *difference, int count, const double *from, const double *to)
{
    double value[HISTORY_ROWS];
    for (int m = 0; m < count; m++) {
        double sum = difference[count - 1];
        for (int i = count - 2; i >= 0; i--)
            sum = difference[i] + sum * (from[i] - to[m]);
        value[m] = sum;
    }
    for (int i = 1; i < count; i++)
        for (int m = count - 1; m >= i; m--)
            value[m] = (value[m - 1] - value[m]) / (to[m] - to[m - i]);
    for (int i = 0; i < count; i++) difference[i] = value[i];
}
