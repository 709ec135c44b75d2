/* Repairs of a numerically refuted structure: in a fine block whose system
 * Jacobian is singular everywhere, equations are combined with constant
 * weights until the highest-value transversal gets smaller, and with it the
 * degrees of freedom, which were too many (ungrounded circuits, duplicated
 * constraints). The problem keeps its index and degrees of freedom; the structural
 * ones approach them.
 *
 * An equation that is a left null vector of its block's system Jacobian, each
 * equation i differentiated c_i - c times, where c is the smallest of these
 * offsets, and put in the place of one with c_i = c, has no entry with
 * d_j - c = order in the block. So with the same offsets the block has no
 * transversal on which all inequalities are equalities, and the value falls
 * [TNP17, LC method]. */
#ifndef REPAIR_REPAIR_H
#define REPAIR_REPAIR_H

#include "index/block_regularity.h"

typedef struct repair_findings {
    dae_repair *repairs;
    size_t count;
    /* The structure after the last repair, equations in the places of those that
     * they replace. NULL where nothing was repaired. */
    dae_structure *structure;
    dae_certificate *certificates; /* structure->fine_count */
    /* How often each equation of the problem is to be differentiated for a
     * consistent start. NULL as above. */
    int32_t *differentiate;   /* unknown_count */
    bool is_complete;         /* every block is CERTIFIED now, at points
                               anywhere: blocks_certify */
    struct repair_work *work; /* owns all of it; NULL where nothing was
                                 repaired */
} repair_findings;

/* Works on blocks that are SINGULAR in `certificates`, of at most
 * REPAIR_LARGEST equations, all of them at once, then on those of the structure
 * that this gives; stops where no step lowers the value. Equations with
 * different offsets are combined with derivatives, which takes a problem with
 * series; one without a Jacobian is left as it is. The targets of
 * `q` and `certificates` are borrowed for as long as the findings live. DAE_MEMORY,
 * DAE_INTERRUPTED: `out` is empty. */
enum { REPAIR_LARGEST = 200 };
dae_status repair_all(const blocks_request *q,
    const dae_certificate *certificates, repair_findings *out) DAE_MUST_CHECK;
/* blocks_certify_at for the repaired structure and f->certificates: derivative k of
 * unknown j is values[first[j] + k], k < first[j+1] - first[j]; others, and those that
 * are NaN, are arbitrary. Does nothing if nothing was repaired. */
dae_status repair_certify_at(double t, const double *values,
    const size_t *first, repair_findings *f) DAE_MUST_CHECK;
void repair_findings_clear(repair_findings *f);

#endif
