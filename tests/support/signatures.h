/* Signatures of any size: families whose structure is known, random ones. */
#ifndef SUPPORT_SIGNATURES_H
#define SUPPORT_SIGNATURES_H

#include "random.h"
#include <dae/structure.h>
#include <stdbool.h>

typedef struct signature_entry {
    int32_t row, column, order;
} signature_entry;

/* A signature that owns its arrays. */
typedef struct made_signature {
    dae_signature s;
    int64_t *start;
    int32_t *row, *order;
} made_signature;

/* From entries in any order, twice where they are twice. False where memory
 * is short. */
bool signature_make(made_signature *m, size_t rows, size_t columns,
    const signature_entry *entries, size_t count);
void signature_drop(made_signature *m);

/* A random order of 0 .. n - 1; free() it. NULL where memory is short. */
int32_t *random_permutation(random_state *r, size_t n);

/* A family of signatures that grow with a number of parts. */
typedef struct signature_family {
    const char *name;
    size_t unknowns; /* of a part */
    /* entries of the part `k` of `parts`; their number, at most 16 */
    size_t (*part)(signature_entry *to, int32_t k, int32_t parts);
    /* as multiples of the parts, and what is added */
    int64_t index_each, index, dof_each, dof;
    /* blocks: one of all, or `each` of the parts' and `more` */
    int64_t coarse_each, coarse, fine_each, fine;
} signature_family;

#define SIGNATURE_FAMILIES 8
extern const signature_family signature_families[SIGNATURE_FAMILIES];

/* A member with about n unknowns, `*parts` parts; rows and columns permuted
 * where r is not NULL. */
bool signature_member(made_signature *m, const signature_family *f, size_t n,
    random_state *r, size_t *parts);
/* What of the member's structure is not as known; NULL: nothing. */
const char *signature_wrong(
    const signature_family *f, size_t parts, const dae_structure *found);

/* n unknowns in one block: a ring, and `more` further entries per row; the
 * orders are random ones up to `highest`. */
bool signature_random(
    made_signature *m, random_state *r, size_t n, size_t more, size_t highest);

#endif
