/* What proves a structure to be right, whatever way it was found. */
#ifndef SUPPORT_STRUCTURE_PROOF_H
#define SUPPORT_STRUCTURE_PROOF_H

#include <dae/structure.h>

/* Whether the regular `found` is what it says it is, in linear time: the
 * offsets bound all orders and meet those of the transversal, so that no
 * transversal has a higher value; each c is forced by a path of equalities
 * from a c of 0, so that none can be smaller; the figures are those of the
 * offsets; the blocks part rows and columns and come in order. Says what is
 * wrong, or NULL. That no block falls into smaller ones is not looked at. */
const char *structure_wrong(const dae_signature *s, const dae_structure *found);

#endif
