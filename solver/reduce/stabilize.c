/* Multipliers from the stages of dummy derivatives. */
#include "reduce/stabilize.h"
#include <math.h>
#include <string.h>

/* What is being built. */
typedef struct builder {
    const stabilize_request *q;
    const extended *e;
    const merge *m;
    stabilizer *s;
    int32_t *constraint;
    size_t *start;
    size_t terms; /* so far */
} builder;

/* The constraint that equation k of a block is at a stage; -1: none, or one
 * that is no equation any more. */
static int32_t constraint_at(
    const builder *b, const stage_block *k, size_t row, int64_t level)
{
    if (k->c[row] < level) return -1;
    const size_t i = b->e->row_first[k->equation[row]]
        + (size_t)(k->c[row] - level);
    return b->m->is_dropped[i] ? -1 : (int32_t)i;
}

/* The state that an unknown of a block is at a stage; -1: none that goes on. */
static int32_t state_at(
    const builder *b, const stage_block *k, int32_t column, int64_t level)
{
    if (k->d[column] < level) return -1;
    const size_t p = b->e->column_first[k->unknown[column]]
        + (size_t)(k->d[column] - level);
    const int32_t first = b->m->first[p];
    return b->m->next[first] >= 0 ? first : -1;
}

static void count(const builder *b, size_t *multipliers, size_t *terms)
{
    *multipliers = *terms = 0;
    for (size_t f = 0; f < b->q->stages->block_count; f++) {
        const stage_block *k = &b->q->stages->block[f];
        for (int64_t level = 1; level <= k->most; level++) {
            for (size_t i = 0; i < k->size; i++)
                *multipliers += constraint_at(b, k, i, level) >= 0;
            for (size_t t = 0; t < k->entry_count; t++)
                *terms += constraint_at(b, k, (size_t)k->entry[t].row, level)
                    >= 0;
        }
    }
}

static int32_t relation(stabilizer *s, int32_t column)
{
    if (s->relation_of[column] < 0) {
        s->column[s->relations] = column;
        s->relation_of[column] = (int32_t)s->relations++;
    }
    return s->relation_of[column];
}

/* Keeps the terms of one multiplier in the order of relations. */
static void insert(builder *b, size_t begin, stabilize_term t)
{
    stabilize_term *all = b->s->term;
    size_t at = b->terms++;
    for (; at > begin && all[at - 1].relation > t.relation; at--)
        all[at] = all[at - 1];
    all[at] = t;
}

/* The multiplier of one constraint; terms in units in which the largest
 * gradient by a state's size is 1. Entries of a block are by rows. */
static void add_multiplier(
    builder *b, const stage_block *k, size_t *entry, size_t row, int64_t level)
{
    const int32_t i = constraint_at(b, k, row, level);
    const size_t begin = b->terms;
    double largest = 0;
    for (; *entry < k->entry_count && k->entry[*entry].row == (int32_t)row;
         (*entry)++) {
        const stage_entry *t = &k->entry[*entry];
        const int32_t column = i < 0 ? -1 : state_at(b, k, t->column, level);
        if (column < 0) continue;
        const double size = b->q->size[k->unknown[t->column]];
        const double value = b->q->values[t->at];
        insert(b, begin,
            (stabilize_term){.relation = relation(b->s, column),
                .at = t->at,
                .factor = size * size,
                .gradient = value});
        largest = fmax(largest, fabs(value) * size);
    }
    if (i < 0) return;
    const bool has_scale = largest > 0 && isfinite(largest);
    for (size_t t = begin; t < b->terms; t++)
        b->s->term[t].factor /= has_scale ? largest : 1;
    b->constraint[b->s->count] = i;
    b->start[++b->s->count] = b->terms;
}

static void add_all(builder *b)
{
    for (size_t f = 0; f < b->q->stages->block_count; f++) {
        const stage_block *k = &b->q->stages->block[f];
        for (int64_t level = 1; level <= k->most; level++) {
            size_t entry = 0;
            for (size_t i = 0; i < k->size; i++)
                add_multiplier(b, k, &entry, i, level);
        }
    }
}

dae_status stabilizer_create(const stabilize_request *q, const extended *e,
    const merge *m, arena *a, stabilizer **out)
{
    size_t multipliers, terms;
    stabilizer *s = ARENA_ARRAY(a, stabilizer, 1);
    if (!s) return DAE_MEMORY;
    builder b = {.q = q, .e = e, .m = m, .s = s};
    count(&b, &multipliers, &terms);
    b.constraint = ARENA_ARRAY(a, int32_t, multipliers);
    b.start = ARENA_ARRAY(a, size_t, multipliers + 1);
    *s = (stabilizer){.term = ARENA_ARRAY(a, stabilize_term, terms),
        .relation_of = ARENA_ARRAY(a, int32_t, e->columns),
        .column = ARENA_ARRAY(a, int32_t, e->columns),
        .unknown = ARENA_ARRAY(a, int32_t, e->columns),
        .next = ARENA_ARRAY(a, int32_t, e->columns),
        .slope_at = ARENA_ARRAY(a, int64_t, e->columns),
        .next_at = ARENA_ARRAY(a, int64_t, e->columns),
        .rtol = q->rtol};
    if (!b.constraint || !b.start || !s->term || !s->relation_of || !s->column
        || !s->unknown || !s->next || !s->slope_at || !s->next_at)
        return DAE_MEMORY;
    memset(s->relation_of, 0xff, e->columns * sizeof *s->relation_of);
    b.start[0] = 0;
    add_all(&b);
    s->constraint = b.constraint;
    s->start = b.start;
    *out = s;
    return DAE_OK;
}

int64_t stabilizer_fill(stabilizer *s, const stabilizer_place *p, size_t slot,
    int32_t *row, uint8_t *kind, int64_t at)
{
    const size_t states = p->layout->states, first = states - s->count;
    const int32_t alone = p->relation_at[slot];
    if (alone >= 0) {
        (slot < states ? s->next_at : s->slope_at)[alone] = at;
        row[at] = (int32_t)p->row + alone;
        kind[at++] = DAE_ENTRY_CONSTANT;
    }
    if (slot < first || slot >= states) return at;
    const size_t k = slot - first;
    for (size_t t = s->start[k]; t < s->start[k + 1]; t++) {
        const int32_t here = (int32_t)p->row + s->term[t].relation;
        const bool is_new = t == s->start[k] || row[at - 1] != here;
        if (is_new) {
            row[at] = here;
            kind[at++] = DAE_ENTRY_VARYING;
        }
        s->term[t].target = at - 1;
    }
    return at;
}

void stabilizer_residual(const stabilizer *s, const double *x, const double *xp,
    const double *mu, double *res)
{
    for (size_t q = 0; q < s->relations; q++)
        res[q] = xp[s->unknown[q]] - x[s->next[q]];
    for (size_t k = 0; k < s->count; k++)
        for (size_t t = s->start[k]; t < s->start[k + 1]; t++) {
            const stabilize_term *term = &s->term[t];
            res[term->relation] += term->factor * term->gradient * mu[k];
        }
}

void stabilizer_jacobian(stabilizer *s, const double *from, double *values)
{
    for (size_t q = 0; q < s->relations; q++) {
        values[s->slope_at[q]] = 1;
        values[s->next_at[q]] = -1;
    }
    for (size_t t = 0; t < s->start[s->count]; t++) {
        stabilize_term *term = &s->term[t];
        term->gradient = from[term->at];
        values[term->target] += term->factor * term->gradient;
    }
}
