/* Positions of a problem's slots: x, xp and the columns of the iteration
 * matrix. See dae/problem.h for the slots.
 *
 * The corrector solves for one number per unknown j: the change d of its
 * highest state (order q_j - 1; of x itself where q_j is 0 or 1). Lower
 * states follow from the rows x_o' = x_{o+1} that the formula's leading
 * coefficient alpha turns into d_o = (x_{o+1} - xp_pred_o)/alpha, so a slot of
 * order o enters column j of the iteration matrix with alpha^(o - (q_j - 1))
 * (alpha^0 for algebraic unknowns). */
#ifndef LINALG_LAYOUT_H
#define LINALG_LAYOUT_H

#include "base/alloc.h"
#include <dae/problem.h>

typedef struct layout {
    size_t unknowns;      /* n */
    size_t states;        /* N */
    size_t slots;         /* N + n; N where no unknown has a derivative */
    const size_t *first;  /* n + 1: where unknown j begins in x */
    const uint8_t *order; /* n: q_j */
    bool is_first_order;  /* all q_j <= 1: N == n, state j is unknown j */
    const dae_allocator *allocator;
} layout;

dae_status layout_init(layout *l, const dae_problem *problem,
    const dae_allocator *allocator) DAE_MUST_CHECK;
void layout_clear(layout *l);
/* The column of derivative `order` <= q_j of unknown j in a pattern over slots:
 * x, then x'. */
size_t layout_column(const layout *l, size_t j, size_t order);
/* That of its highest derivative, x of it where it has none. */
size_t layout_highest(const layout *l, size_t j);
/* Whether any unknown has no derivative. */
bool layout_has_algebraic(const layout *l);
/* x a time s later: chains of derivatives as power series; what has none stays. */
void layout_move(const layout *l, double s, double *x, const double *xp);

#endif
