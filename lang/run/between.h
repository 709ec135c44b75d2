/* What is asked of a whole run, `expect ... always` and --drift, is asked within
 * its steps too: at places that the step alone decides, and where a curve that
 * must stay small has its peak between them. So no answer depends on output
 * times, and a bound that is passed between two points is seen. */
#ifndef RUN_BETWEEN_H
#define RUN_BETWEEN_H

#include "run/solution.h"

/* Who asks. Of `count` curves the peaks are looked for that may rise above what
 * is of interest. */
typedef struct between_asker {
    void *context;
    size_t count;
    /* The value of each curve at a point. */
    void (*measure)(void *context, const dae_point *p, double *values);
    /* Above what a peak of each is of interest: INFINITY, none is. */
    void (*interest)(void *context, double *least);
    /* Places, in the order of the run; or a peak, which is not. */
    void (*see)(void *context, const dae_point *p, size_t count);
    void (*see_peak)(void *context, const dae_point *p);
} between_asker;

typedef struct between {
    arena *memory; /* the solution's */
    between_asker asker;
    size_t room;          /* places */
    double *t;            /* of the places, the step's ends among them */
    double *rise;         /* [places * count]: their values */
    double *first;        /* [count]: at the point seen last */
    double *least, *peak; /* [count] */
} between;

dae_status between_init(between *b, const between_asker *asker, arena *memory);
/* A step begins here, or ends; of both sides of an event the second one counts. */
void between_note(between *b, const dae_point *p);
/* Looks at the run's last step, from `before` to `end`. Its end itself is measured
 * and not shown. */
dae_status between_look(between *b, solution *r, double before, double end);

#endif
