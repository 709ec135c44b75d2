/* A problem with its signature and structure, for what is certified about it
 * and repaired in it. */
#ifndef SUPPORT_CERTIFIED_H
#define SUPPORT_CERTIFIED_H

#include "check.h"
#include "index/block_regularity.h"

typedef struct certified {
    layout l;
    signature *g;
    dae_structure *s;
    blocks_request q;
    dae_certificate *certificates;
    int64_t *rank;
} certified;

/* Nothing is certified yet. */
static inline void certified_init(certified *w, const dae_problem *p)
{
    CHECK_STATUS(layout_init(&w->l, p, NULL), DAE_OK);
    CHECK_STATUS(signature_create(p, &w->l, NULL, &w->g), DAE_OK);
    CHECK_STATUS(
        dae_structure_analyse(&w->g->table, NULL, NULL, &w->s), DAE_OK);
    assert_true(w->s->is_regular);
    w->q = (blocks_request){
        .problem = p, .layout = &w->l, .signature = w->g, .structure = w->s};
    w->certificates = calloc(w->s->fine_count + 1, sizeof *w->certificates);
    w->rank = calloc(w->s->fine_count + 1, sizeof *w->rank);
    assert_true(w->certificates && w->rank);
}

/* At generic points. */
static inline void certify(certified *w, const dae_problem *p)
{
    certified_init(w, p);
    CHECK_STATUS(blocks_certify(&w->q, w->certificates, w->rank), DAE_OK);
}

static inline void certified_clear(certified *w)
{
    dae_structure_free(w->s);
    signature_free(w->g);
    layout_clear(&w->l);
    free(w->certificates);
    free(w->rank);
}

#endif
