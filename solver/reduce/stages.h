/* What a pick of dummy derivatives is chosen from: for every fine block and
 * every stage s = 1, 2, ... the partial derivatives of the equations that are
 * differentiated at least s times by the highest derivatives of the unknowns
 * that have as many,
 *
 *     G_s = dF_i/dx_j^(d_j - c_i),   c_i >= s,  d_j >= s,
 *
 * which are those of F_i^(c_i - s) by x_j^(d_j - s), too, so that nothing has
 * to be differentiated for them [MS93], [Pry01 Lemma 3.7]. */
#ifndef REDUCE_STAGES_H
#define REDUCE_STAGES_H

#include "base/arena.h"
#include "extend/extend.h"
#include "index/signature.h"

/* An entry of a block: where its value stands in the pattern of the extended
 * problem, as that of the equation itself. */
typedef struct stage_entry {
    int32_t row, column; /* in the block */
    int64_t at;
} stage_entry;

/* A fine block in which some equation is differentiated. Its rows and columns
 * are in the order of dae_structure. */
typedef struct stage_block {
    size_t size;
    const int32_t *equation, *unknown; /* size each */
    const int64_t *c, *d;              /* size each: of those */
    int64_t most;                      /* the largest c: stages */
    const stage_entry *entry;          /* those with order d - c, by rows */
    size_t entry_count;
} stage_block;

typedef struct stages {
    stage_block *block;
    size_t block_count;
} stages;

/* `s` and `g` are of the problem that `e` extends, by the offsets of `s`, which
 * is borrowed; the rest is from `a`. DAE_MEMORY. */
dae_status stages_create(const signature *g, const dae_structure *s,
    const extended *e, arena *a, stages *out) DAE_MUST_CHECK;

#endif
