/* A report, as its modules share it. */
#ifndef REPORT_OBJECT_H
#define REPORT_OBJECT_H

#include "base/arena.h"
#include <dae/report.h>

struct dae_report {
    const dae_model *model;
    dae_analysis *analysis;
    bool is_singular;
    dae_singular singular;
    /* the numbers of equations, unknowns and general conditions in the order of the text */
    int32_t *equation_at, *unknown_at, *condition_at;
    int32_t *
        evaluated; /* dae_report_place_at; NULL: the structure is not regular */
    int64_t *
        most; /* by equation: how often those of its block are differentiated */
    arena memory;
};

/* Whether the text has it. */
static inline bool report_has_equation(const dae_report *r, size_t i)
{
    return i < dae_model_equation_count(r->model);
}
static inline bool report_has_unknown(const dae_report *r, size_t j)
{
    return j < dae_model_unknown_count(r->model);
}

#endif
