/* A solved start, to the last digits. */
#ifndef START_SHARPEN_H
#define START_SHARPEN_H

#include "start/split.h"

/* Where a row is solved by its tolerances, but not by its terms: Newton's steps
 * from s->z by orthogonal factors, in units in which every column is felt by some
 * row, as long as they halve what is left of the rows as part of their rounding
 * errors. Tolerances are about what a user calls small; where units make all of a
 * row as small, they say nothing. Rows that are left far from that are met block
 * by block. Rows and slots are those that have been solved; too many entries are
 * left as they are. s->z, s->res and the Jacobian are those of the best point. */
dae_status sharpen(init_system *s, const subset *all) DAE_MUST_CHECK;

#endif
