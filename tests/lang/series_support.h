/* Power series of single operations and shapes, for tests. */
#ifndef SERIES_SUPPORT_H
#define SERIES_SUPPORT_H

/* clang-format off */
#include "lang/ir_support.h"
#include "code/series_apply.h"
/* clang-format on */

enum { MOST_TERMS = 16 };

typedef struct series {
    double at[MOST_TERMS + 1];
} series;

typedef struct workshop {
    series_room room;
    double memory[SERIES_TEMPS][MOST_TERMS + 1];
} workshop;

static inline void workshop_init(workshop *w, size_t terms)
{
    memset(w, 0xFF, sizeof *w); /* NaN: nothing is read before it is written */
    w->room.terms = terms;
    for (int k = 0; k < SERIES_TEMPS; k++) w->room.temp[k] = w->memory[k];
}

/* A series that varies, of the coefficients given and zeros. */
static inline series varying(const workshop *w, size_t count, const double *a)
{
    series s;
    for (size_t k = 0; k < w->room.terms; k++) s.at[k] = k < count ? a[k] : 0;
    s.at[w->room.terms] = (double)w->room.terms;
    return s;
}
#define VARYING(w, ...)                                                        \
    varying((w), sizeof((double[]){__VA_ARGS__}) / sizeof(double),             \
        (double[]){__VA_ARGS__})

static inline series constant(const workshop *w, double value)
{
    series s;
    series_set(&w->room, value, s.at);
    return s;
}

static inline series apply(const workshop *w, const node *n, const series *a,
    const series *b, const series *c)
{
    series out;
    memset(&out, 0xFF, sizeof out);
    series_apply(&w->room, n, a ? a->at : NULL, b ? b->at : NULL,
        c ? c->at : NULL, out.at);
    return out;
}

static inline size_t known(const workshop *w, const series *s)
{
    return series_known(&w->room, s->at);
}

#endif
