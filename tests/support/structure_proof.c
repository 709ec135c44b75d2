#include "structure_proof.h"
#include <stdbool.h>
#include <stdlib.h>

typedef struct proof {
    const dae_signature *s;
    const dae_structure *f;
    size_t n;
    int32_t *coarse_of, *fine_of; /* rows */
    bool *is_seen;                /* rows: met on a path, or in row_at */
    int32_t *queue;
    int64_t *row_start; /* the signature by rows: places in its arrays */
    int64_t *entry;
    int32_t *column_of; /* entries: their columns */
} proof;

static const char *check_bounds(const proof *p)
{
    const dae_matching *m = &p->f->matching;
    for (size_t j = 0; j < p->n; j++) {
        bool is_met = false;
        const int32_t i = m->row_of[j];
        if (i < 0 || (size_t)i >= p->n || m->column_of[i] != (int32_t)j)
            return "the transversal is none";
        for (int64_t k = p->s->column_start[j]; k < p->s->column_start[j + 1];
             k++) {
            const int64_t gap = p->f->d[j] - p->f->c[p->s->row[k]]
                - p->s->order[k];
            if (gap < 0) return "d - c is below an order";
            if (gap == 0 && p->s->row[k] == i) is_met = true;
        }
        if (!is_met) return "d - c is above the order in the transversal";
        if (p->f->c[i] < 0) return "c is below 0";
    }
    return NULL;
}

static bool sort_by_rows(proof *p)
{
    const size_t count = (size_t)p->s->column_start[p->n];
    p->row_start = calloc(p->n + 2, sizeof *p->row_start);
    p->entry = calloc(count + 1, sizeof *p->entry);
    p->column_of = calloc(count + 1, sizeof *p->column_of);
    if (!p->row_start || !p->entry || !p->column_of) return false;
    int64_t *next = p->row_start + 1;
    for (size_t k = 0; k < count; k++) next[p->s->row[k] + 1]++;
    for (size_t i = 0; i < p->n; i++) next[i + 1] += next[i];
    for (size_t j = 0; j < p->n; j++) {
        for (int64_t k = p->s->column_start[j]; k < p->s->column_start[j + 1];
             k++) {
            p->entry[next[p->s->row[k]]++] = k;
            p->column_of[k] = (int32_t)j;
        }
    }
    return true;
}

static const char *check_smallest(proof *p)
{
    size_t head = 0, tail = 0;
    for (size_t i = 0; i < p->n; i++) {
        p->is_seen[i] = p->f->c[i] == 0;
        if (p->is_seen[i]) p->queue[tail++] = (int32_t)i;
    }
    while (head < tail) {
        const int32_t i = p->queue[head++];
        for (int64_t e = p->row_start[i]; e < p->row_start[i + 1]; e++) {
            const int64_t k = p->entry[e];
            const int32_t j = p->column_of[k], to = p->f->matching.row_of[j];
            if (p->is_seen[to]) continue;
            if (p->f->d[j] - p->f->c[i] != p->s->order[k]) continue;
            p->is_seen[to] = true;
            p->queue[tail++] = to;
        }
    }
    return tail == p->n ? NULL : "a c could be smaller";
}

/* Sums and maxima of the offsets at positions begin .. end - 1. */
static const char *check_figures(const proof *p, const dae_block *b)
{
    const dae_structure *f = p->f;
    int64_t sum = 0, most = 0, algebraic = 0;
    for (int32_t k = b->begin; k < b->end; k++) {
        const int64_t c = f->c[f->row_at[k]], d = f->d[f->column_at[k]];
        sum += d - c;
        if (c > most) most = c;
        if (d == 0) algebraic = 1;
    }
    if (b->degrees_of_freedom != sum) return "degrees of freedom";
    if (b->max_c != most) return "max c";
    return b->index == most + algebraic ? NULL : "index";
}

/* Blocks follow each other over all positions. */
static const char *check_blocks(
    const proof *p, const dae_block *b, size_t count, int32_t *block_of)
{
    int32_t at = 0;
    for (size_t k = 0; k < count; k++) {
        if (b[k].begin != at || b[k].end <= at) return "blocks leave gaps";
        for (; at < b[k].end; at++) block_of[p->f->row_at[at]] = (int32_t)k;
        const char *wrong = check_figures(p, &b[k]);
        if (wrong) return wrong;
    }
    return (size_t)at == p->n ? NULL : "blocks leave gaps";
}

static const char *check_positions(proof *p)
{
    const dae_structure *f = p->f;
    for (size_t i = 0; i < p->n; i++) p->is_seen[i] = false;
    for (size_t k = 0; k < p->n; k++) {
        const int32_t i = f->row_at[k];
        if (i < 0 || (size_t)i >= p->n || p->is_seen[i])
            return "a row has no position of its own";
        if (f->column_at[k] != f->matching.column_of[i])
            return "rows and columns at the same position are no partners";
        p->is_seen[i] = true;
    }
    return NULL;
}

static const char *check_order(const proof *p)
{
    const dae_structure *f = p->f;
    for (size_t j = 0; j < p->n; j++) {
        const int32_t own = f->matching.row_of[j];
        for (int64_t k = p->s->column_start[j]; k < p->s->column_start[j + 1];
             k++) {
            const int32_t i = p->s->row[k];
            if (p->coarse_of[i] < p->coarse_of[own])
                return "a row needs a column of a later coarse block";
            if (p->coarse_of[i] == p->coarse_of[own]
                && f->d[j] - f->c[i] == p->s->order[k]
                && p->fine_of[i] < p->fine_of[own])
                return "a row needs a column of a later fine block";
        }
    }
    /* a fine block lies in one coarse block */
    for (size_t b = 0; b < f->fine_count; b++) {
        const dae_block *fine = &f->fine[b];
        const int32_t coarse = p->coarse_of[f->row_at[fine->begin]];
        if (p->coarse_of[f->row_at[fine->end - 1]] != coarse)
            return "a fine block lies in two coarse ones";
        for (int32_t k = fine->begin + 1; k < fine->end; k++)
            if (f->column_at[k - 1] >= f->column_at[k])
                return "the columns of a fine block do not ascend";
    }
    return NULL;
}

static const char *check_all(proof *p)
{
    const dae_structure *f = p->f;
    dae_block all = {.end = (int32_t)p->n,
        .index = f->index,
        .degrees_of_freedom = f->degrees_of_freedom};
    const char *wrong = check_bounds(p);
    if (!wrong) wrong = check_smallest(p);
    if (!wrong) wrong = check_positions(p);
    if (!wrong)
        wrong = check_blocks(p, f->coarse, f->coarse_count, p->coarse_of);
    if (!wrong) wrong = check_blocks(p, f->fine, f->fine_count, p->fine_of);
    if (!wrong) wrong = check_order(p);
    if (wrong) return wrong;
    for (size_t i = 0; i < p->n; i++)
        if (f->c[i] > all.max_c) all.max_c = f->c[i];
    return check_figures(p, &all);
}

const char *structure_wrong(const dae_signature *s, const dae_structure *found)
{
    proof p = {.s = s, .f = found, .n = s->columns};
    const char *wrong = "memory is short";
    if (!found->is_regular || found->n != s->columns || s->rows != s->columns)
        return "not regular";
    p.coarse_of = calloc(p.n + 1, sizeof *p.coarse_of);
    p.fine_of = calloc(p.n + 1, sizeof *p.fine_of);
    p.is_seen = calloc(p.n + 1, sizeof *p.is_seen);
    p.queue = calloc(p.n + 1, sizeof *p.queue);
    const bool is_ready = p.coarse_of && p.fine_of && p.is_seen && p.queue;
    if (sort_by_rows(&p) && is_ready) wrong = check_all(&p);
    free(p.coarse_of);
    free(p.fine_of);
    free(p.is_seen);
    free(p.queue);
    free(p.row_start);
    free(p.entry);
    free(p.column_of);
    return wrong;
}
