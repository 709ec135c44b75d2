/* The parts of a model that have nothing to do with each other: its weakly
 * connected components. What is said of one must not depend on what else stands
 * in the model, so index, degrees of freedom and certificates are found for
 * each. */
#ifndef ANALYSIS_COMPONENTS_H
#define ANALYSIS_COMPONENTS_H

#include "analysis/analysis.h"

struct component {
    /* As many of both, ascending: some of the transversal's pairs. */
    const int32_t *equations, *unknowns;
    size_t count;
    /* What structure says, after the repairs: the bound of the index, and the
     * worst certificate of the blocks. */
    int64_t index, freedom;
    dae_certificate blocks;
    bool
        is_trusted; /* as far as points anywhere tell, the structure is right */
    bool is_attained; /* numbers show that the index is not below the bound */
    /* What comes of it, as in dae_analysis. */
    dae_index_verdict verdict;
    dae_certificate certificate;
    int64_t found_index, found_freedom;
    array_findings array; /* in numbers of the whole */
};

/* Fills a->components with equations and unknowns and what structure says of
 * them. After the repairs; where a repair's own equations belong cannot be told
 * the model stays whole. DAE_MEMORY. */
dae_status components_find(analysis *a) DAE_MUST_CHECK;
/* `blocks` anew, from the certificates as they are now; forgets what arrays have
 * told. */
void components_take_blocks(analysis *a);
/* A bound of the index by structure and repairs (index.c). */
int64_t component_bound(const analysis *a, const component *k);
void components_clear(analysis *a);

#endif
