/* The polynomial through values at the extrema of a Chebyshev polynomial on
 * [-1, 1], its turning points and roots between them. */
#ifndef EVENTS_FIT_H
#define EVENTS_FIT_H

#include <stdbool.h>

enum { FIT_DEGREE = 8, FIT_POINTS = FIT_DEGREE + 1 };

/* Where values are wanted, ascending from -1 to 1; every other one is a point of
 * the polynomial of half the degree. */
extern const double fit_points[FIT_POINTS];

typedef struct fit {
    double c[FIT_POINTS]; /* of Chebyshev polynomials */
    double a[FIT_POINTS]; /* of powers */
    double swing;         /* sum of |c[i]|, i > 0: no two values differ by more
                             than twice of it */
    double bend;          /* sum of |c[i]|, i > 1, twice: no value is farther
                             from the line through the ends */
    double error; /* what terms that are left out may add, and rounding */
} fit;

/* The same of the five points with even numbers, c[0..4] alone: the bend, and how
 * large its last two terms are. */
typedef struct coarse_fit {
    double c[5];
    double bend, error;
} coarse_fit;

void fit_make(const double y[FIT_POINTS], fit *f);
void fit_coarse(const double y[FIT_POINTS], coarse_fit *f);
double fit_at(const fit *f, double s);
double fit_slope(const fit *f, double s);
double fit_curvature(const fit *f, double s); /* second derivative */
/* -1, the turning points between, 1: between two of them it is monotone. Gives
 * their number, 2 to FIT_DEGREE + 1. */
int fit_turns(const fit *f, double turns[FIT_POINTS]);
/* Where it has the value y between lo and hi, of which it is monotone between
 * them; the nearer end where it has none there. */
double fit_root(const fit *f, double y, double lo, double hi);

#endif
