/* What the files that make random_dae.h share. */
#ifndef SUPPORT_RANDOM_MAKER_H
#define SUPPORT_RANDOM_MAKER_H

#include "exact_index.h"
#include "random.h"
#include "random_dae.h"

enum { MAKER_UNKNOWNS = 8, MAKER_STEPS = 12, MAKER_TEXT = 5000 };

/* z_to = scale * z_to + term in the other ones */
typedef struct maker_step {
    int to, scale, term;
} maker_step;

typedef struct maker {
    random_state r;
    terms s;
    random_dae *out;
    bool is_linear, has_time, has_second;
    bool is_unique; /* the conditions allow one solution alone */
    bool raises;    /* derivatives of equations were added to equations */
    int n;
    /* z_i^(order) = right, in unknowns z; solved one after the other */
    int order[MAKER_UNKNOWNS], right[MAKER_UNKNOWNS], z[MAKER_UNKNOWNS];
    maker_step steps[MAKER_STEPS];
    int step_count;
    int map[MAKER_UNKNOWNS]; /* z in x */
    /* the equations in x */
    int rows, lhs[MAKER_UNKNOWNS + 1], rhs[MAKER_UNKNOWNS + 1];
    int x_order[MAKER_UNKNOWNS];
    int numbers[MAKER_UNKNOWNS]; /* names of the x */
    bool has_names;              /* z are written by name */
} maker;

/* Series of all z and x, `length` of TERMS_LENGTH coefficients each, from the
 * values of z_i^(k), k < order, in initial[2 * i + k]. False: no memory, or
 * values too large to be of use. */
bool maker_solve(const maker *m, bool is_exact, int length, scalar t0,
    const scalar *initial, scalar *z, scalar *x);

/* random_system.c: the equations; random_mechanics.c: the same of bodies held
 * by constraints, with values that are consistent; random_text.c: conditions
 * and the text. */
bool maker_system(maker *m);
bool maker_write(maker *m);
bool mechanics_write(maker *m);

/* One of the numbers -most .. most but 0. */
int maker_number(maker *m, int most);
bool maker_chance(maker *m, int percent);

#endif
