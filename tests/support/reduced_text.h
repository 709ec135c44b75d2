/* A model given as text with all that a pick of states is made from, and values
 * of its unknowns and their derivatives by name: "x", "x'", "x''". */
#ifndef SUPPORT_REDUCED_TEXT_H
#define SUPPORT_REDUCED_TEXT_H

#include "check.h"
#include "index/signature.h"
#include "reduce/reduced.h"
#include <dae/model.h>

enum { REDUCED_MOST = 160 };

typedef struct reduced_text {
    dae_model *model;
    dae_diagnostics *ds;
    const dae_problem *p;
    layout layout;
    signature *signature;
    dae_structure *analysed;
    dae_structure structure; /* with offsets raised */
    int64_t c[REDUCED_MOST], d[REDUCED_MOST];
    extended *e;
    arena memory;
    double *columns, *values; /* of e, and of its Jacobian */
    double size[REDUCED_MOST];
    uint8_t is_preferred[REDUCED_MOST];
    uint8_t follows[REDUCED_MOST]; /* unknowns: see reduced.h */
    pick pick;
} reduced_text;

/* Every offset is `more` above the canonical one. */
static inline void reduced_text_open(
    reduced_text *f, const char *text, int64_t more)
{
    int32_t c[REDUCED_MOST], d[REDUCED_MOST];
    memset(f, 0, sizeof *f);
    CHECK_STATUS(dae_diagnostics_create(NULL, &f->ds), DAE_OK);
    CHECK_STATUS(dae_model_parse("example.dae", text, strlen(text), NULL, NULL,
                     f->ds, &f->model),
        DAE_OK);
    f->p = dae_model_problem(f->model);
    assert_true(f->p->unknown_count <= REDUCED_MOST);
    CHECK_STATUS(layout_init(&f->layout, f->p, NULL), DAE_OK);
    CHECK_STATUS(
        signature_create(f->p, &f->layout, NULL, &f->signature), DAE_OK);
    CHECK_STATUS(
        dae_structure_analyse(&f->signature->table, NULL, NULL, &f->analysed),
        DAE_OK);
    assert_true(f->analysed->is_regular);
    for (size_t k = 0; k < f->analysed->n; k++) {
        f->c[k] = f->analysed->c[k] + more;
        f->d[k] = f->analysed->d[k] + more;
        c[k] = (int32_t)f->c[k];
        d[k] = (int32_t)f->d[k];
        f->size[k] = 1;
    }
    f->structure = *f->analysed;
    f->structure.c = f->c;
    f->structure.d = f->d;
    CHECK_STATUS(extended_create(f->p, c, d, 100000, NULL, &f->e), DAE_OK);
    arena_init(&f->memory, dae_allocator_default(), 0);
    f->columns = calloc(f->e->columns, sizeof *f->columns);
    f->values = calloc(
        (size_t)f->e->problem.pattern->column_start[f->e->columns] + 1,
        sizeof *f->values);
    assert_true(f->columns && f->values);
    CHECK_STATUS(pick_take(&f->pick, f->e, &f->memory), DAE_OK);
    for (size_t j = 0; j < f->p->unknown_count; j++)
        f->follows[j] = f->d[j] == 0;
}

static inline void reduced_text_clear(reduced_text *f)
{
    free(f->columns);
    free(f->values);
    arena_clear(&f->memory);
    extended_free(f->e);
    dae_structure_free(f->analysed);
    signature_free(f->signature);
    layout_clear(&f->layout);
    dae_model_free(f->model);
    dae_diagnostics_free(f->ds);
}

/* The unknown of a name. */
static inline size_t reduced_text_unknown(
    const reduced_text *f, const char *name)
{
    char text[64];
    for (size_t j = 0; j < f->p->unknown_count; j++) {
        f->p->name(f->p->self, DAE_NAME_UNKNOWN, j, text, sizeof text);
        if (strcmp(text, name) == 0) return j;
    }
    fail_msg("there is no unknown %s", name);
    return 0;
}

/* The column of the extended problem of a name. */
static inline size_t reduced_text_column(
    const reduced_text *f, const char *name)
{
    char text[64];
    const dae_problem *e = &f->e->problem;
    for (size_t p = 0; p < f->e->columns; p++) {
        e->name(e->self, DAE_NAME_UNKNOWN, p, text, sizeof text);
        if (strcmp(text, name) == 0) return p;
    }
    fail_msg("there is no column %s", name);
    return 0;
}

static inline void reduced_text_set(
    reduced_text *f, const char *name, double value)
{
    f->columns[reduced_text_column(f, name)] = value;
}

static inline pick_request reduced_text_request(const reduced_text *f)
{
    return (pick_request){.structure = &f->structure,
        .e = f->e,
        .values = f->values,
        .size = f->size,
        .is_preferred = f->is_preferred};
}

static inline void reduced_text_evaluate(reduced_text *f)
{
    const dae_problem *e = &f->e->problem;
    CHECK_STATUS(
        e->jacobian(e->self, DAE_ALL, 0, f->columns, NULL, f->values), DAE_OK);
}

/* Picks at the values set. */
static inline dae_status reduced_text_pick(reduced_text *f)
{
    reduced_text_evaluate(f);
    const pick_request q = reduced_text_request(f);
    return pick_choose(&q, &f->pick);
}

/* The leverage of the pick at hand at the values set. */
static inline double reduced_text_measure(reduced_text *f)
{
    double leverage = -1;
    reduced_text_evaluate(f);
    const pick_request q = reduced_text_request(f);
    CHECK_STATUS(pick_measure(&q, &f->pick, &leverage), DAE_OK);
    return leverage;
}

/* How many derivatives of unknown j, itself the first, are states; they are the
 * lowest ones. */
static inline int reduced_text_states(const reduced_text *f, size_t j)
{
    int count = 0;
    const size_t end = f->e->column_first[j + 1];
    for (size_t p = f->e->column_first[j]; p < end; p++) {
        if (!f->pick.is_state[p]) continue;
        assert_int_equal(p - f->e->column_first[j], count);
        count++;
    }
    return count;
}

static inline int reduced_text_order(const reduced_text *f, const char *name)
{
    return reduced_text_states(f, reduced_text_unknown(f, name));
}

static inline reduced *reduced_text_make(const reduced_text *f)
{
    reduced *r;
    CHECK_STATUS(
        reduced_create(f->p, f->e, &f->pick, f->follows, 1e-9, NULL, NULL, &r),
        DAE_OK);
    return r;
}

#endif
