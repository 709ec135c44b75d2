/* From the tree to rows: names get one meaning, arrays and loops are expanded,
 * functions are inlined, every equation becomes shapes and rows. The only
 * folder that sees both a tree and a shape. */
#ifndef SEMA_LOWER_H
#define SEMA_LOWER_H

#include "ir/system.h"
#include "syntax/ast.h"
#include <dae/model.h>

/* One observation's name and kind; its row is in GROUP_OBSERVATION. */
typedef struct lowered_observation {
    dae_observed kind;
    const char *name; /* of an array: without indices */
    const char *unit; /* "" where none is known */
    uint32_t rank;
    const int64_t *indices; /* rank of them */
    text_span span;
} lowered_observation;

/* Everything lowering makes. Strings and arrays live in the model arena. */
typedef struct lowered {
    system_tables system;
    const char *title;
    dae_settings settings;
    ARRAY(lowered_observation) observations;
    ARRAY(dae_plot) plots;
    ARRAY(dae_expect) expects;
    ARRAY(const char *) files; /* that the text names, as they were opened */
    uint8_t *given;            /* dae_given of each unknown */
    text_span stopped; /* where memory ended; 0..0: not while lowering */
} lowered;

/* One override of the command line, already parsed. */
typedef struct lower_override {
    const ast_expr *target; /* k, R[3], x(0), x'(0) */
    const ast_expr *value;
    const dae_source *source;        /* the value's text, for messages */
    const dae_source *target_source; /* the target's */
    bool is_used;
} lower_override;

typedef struct lower_request {
    const ast_file *file;
    lower_override *overrides;
    size_t override_count;
    arena *arena; /* the model's */
    const dae_allocator *allocator;
    dae_diagnostics *ds;
    bool has_start; /* `start` instead of the start of `solve` */
    double start;
    bool has_end; /* `end` instead of the end of `solve`, for what must last */
    double end;
    bool is_canonical; /* numbers by what the text says: sequence.c */
    bool is_sealed;    /* files that the text names are refused */
    dae_read_fn *read; /* gives their texts; NULL: the C library does */
    void *read_context;
    /* Asked every so often; non-zero stops with DAE_INTERRUPTED. May be NULL. */
    dae_interrupt_fn *interrupt;
    void *interrupt_context;
} lower_request;

/* Lowers a whole model. `out` is initialised here and must be cleared with
 * lowered_clear, also after a failure. */
dae_status lower_model(
    const lower_request *request, lowered *out) DAE_MUST_CHECK;
void lowered_clear(lowered *l);

#endif
