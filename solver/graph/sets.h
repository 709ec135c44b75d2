/* Disjoint sets as trees: each member has a parent, a root is its own. */
#ifndef GRAPH_SETS_H
#define GRAPH_SETS_H

#include <stdint.h>

/* The root of k's set; the way there is made shorter. */
static inline int32_t set_root(int32_t *parent, int32_t k)
{
    while (parent[k] != k) k = parent[k] = parent[parent[k]];
    return k;
}

#endif
