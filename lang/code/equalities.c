/* The rows whose shape is the difference of two unknowns or derivatives. */
#include "code/equalities.h"

/* Whether a shape is u - v; its two leaves. */
static bool is_difference(const shape_pool *p, const row_set *set,
    const leaf **first, const leaf **second)
{
    const node *root = shape_node(p, set->root);
    *first = *second = NULL;
    if (root->op != NODE_SUB || set->leaf_count != 2) return false;
    for (size_t k = 0; k < 2; k++) {
        const leaf *l = &set->leaves[k];
        if (l->kind != LEAF_UNKNOWN) return false;
        if (l->node == root->a) *first = l;
        if (l->node == root->b) *second = l;
    }
    return *first && *second;
}

/* How many rows each equation has. */
static uint32_t *count_rows(compiled *c)
{
    uint32_t *rows = ARENA_ARRAY(&c->scratch, uint32_t, c->slots.total);
    for (size_t k = 0; rows && k < c->equations.count; k++) {
        const row_set *set = &c->equations.items[k];
        for (size_t r = 0; r < set->count; r++) rows[set_row(set, r)[0]]++;
    }
    return rows;
}

/* By equation: the entries are few beside the equations' rows. */
static void list_in_order(
    dae_equality *list, const dae_equality *of, size_t equations)
{
    size_t count = 0;
    for (size_t i = 0; i < equations; i++)
        if (of[i].equation >= 0) list[count++] = of[i];
}

dae_status equalities_find(compiled *c)
{
    const shape_pool *pool = &c->s->shapes;
    const leaf *u, *v;
    const uint32_t *rows = count_rows(c);
    const size_t n = c->slots.total;
    dae_equality *of = ARENA_ARRAY(&c->scratch, dae_equality, n);
    size_t count = 0;
    if (!rows || !of) return DAE_MEMORY;
    for (size_t i = 0; i < n; i++) of[i].equation = -1;
    for (size_t k = 0; k < c->equations.count; k++) {
        const row_set *set = &c->equations.items[k];
        if (!is_difference(pool, set, &u, &v)) continue;
        for (size_t r = 0; r < set->count; r++) {
            const uint32_t *row = set_row(set, r);
            if (rows[row[0]] != 1) continue;
            of[row[0]] = (dae_equality){(int32_t)row[0],
                {(int32_t)row[1 + u->hole], u->order},
                {(int32_t)row[1 + v->hole], v->order}};
            count++;
        }
    }
    dae_equality *list = ARENA_ARRAY(&c->memory, dae_equality, count);
    if (!list) return DAE_MEMORY;
    list_in_order(list, of, n);
    c->problem.equalities = list;
    c->problem.equality_count = count;
    return DAE_OK;
}
