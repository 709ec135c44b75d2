/* A consistent start as `dae init` tells it: values of all derivatives that
 * occur, also in derivatives of the equations, the guesses they were found
 * from, what is left of the equations, and which values would have to be given
 * for the start to be the only one. */
#ifndef START_VIEW_H
#define START_VIEW_H

#include "phrase.h"
#include "session.h"
#include <dae/reduction.h>

typedef struct start_view {
    dae_run *run;
    messages *messages;
    dae_reduced_system *reduced; /* NULL: the index is not above 1 */
    size_t *slots;      /* the problem's unknowns + 1: first slot in x */
    size_t *first;      /* likewise among those of `reduced` */
    uint8_t *is_wanted; /* slots of x, then xp: to be given as well */
    size_t *row_at;     /* equations, then conditions, as the text has them */
    double *conditions; /* residuals of the general conditions */
    double *equations;  /* of the problem's; NULL where it is reduced */
} start_view;

/* After a start that was found. Clear also after failure. */
dae_status start_view_init(start_view *v, session *s);
void start_view_clear(start_view *v);

/* Highest derivative of the model's unknown j to be shown. */
int start_view_order(const start_view *v, size_t j);
double start_view_value(const start_view *v, size_t j, int order);
/* A condition of the model fixes this slot; one more should. */
bool start_view_is_condition(const start_view *v, size_t j, int order);
bool start_view_is_wanted(const start_view *v, size_t j, int order);
/* A line of `init` guesses this slot alone. */
bool start_view_has_line(const start_view *v, size_t j, int order);
/* NaN: it has no guess of its own. */
double start_view_guess(const start_view *v, size_t j, int order);

/* Equations, their derivatives as far as they count, and general conditions. */
size_t start_view_row_count(const start_view *v);
/* The residual of one; its name is appended to `name`. */
double start_view_row(const start_view *v, size_t row, phrase *name);
/* Whether the user knows it. */
bool start_view_has_row(const start_view *v, size_t row);

#endif
