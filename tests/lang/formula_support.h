/* Formulas as texts. */
#ifndef FORMULA_SUPPORT_H
#define FORMULA_SUPPORT_H

#include "json.h"
#include "lang/sema_support.h"
#include "random.h"

#define NO_SLOTS NULL, 0

static inline int32_t equation_named(const dae_model *m, const char *name)
{
    char text[64];
    size_t count = dae_model_problem(m)->unknown_count;
    for (size_t i = 0; i < count; i++) {
        (void)dae_model_equation_name(m, i, text, sizeof text);
        if (strcmp(text, name) == 0) return (int32_t)i;
    }
    fail_msg("no equation %s", name);
    return -1;
}

static inline char *formula_of(const dae_model *m, const char *name, int order,
    int substitute, size_t limit)
{
    text_sink sink = {0};
    const dae_term term = {equation_named(m, name), 0, 1};
    CHECK_STATUS(dae_model_formula(m, &term, 1, NO_SLOTS, order, substitute,
                     limit, sink_write, &sink),
        DAE_OK);
    return sink.text;
}

#endif
