/* A system of more or fewer equations than unknowns, and what is found out about
 * its start. */
#ifndef INIT_FINDINGS_SUPPORT_H
#define INIT_FINDINGS_SUPPORT_H

#include "check.h"
#include "faulty_memory.h"
#include "start_reported.h"

enum { MOST = 16 };

typedef struct fixture {
    dae_problem problem;
    dae_start start;
    uint8_t order[MOST], x_fixed[MOST], xp_fixed[MOST];
    double x[MOST], xp[MOST], atol[MOST];
    uint8_t may_be_given[2 * MOST], is_inner[2 * MOST], stands_for[MOST];
    bool has_masks;
    const char *const *rows, *const *slots;
    size_t equations;
    init_findings found;
    dae_start_report report;
    dae_diagnostics *ds;
    const dae_allocator *allocator;
} fixture;

static inline size_t name_of(
    void *self, dae_name_kind kind, size_t index, char *text, size_t size)
{
    const fixture *f = self;
    const char *name = "C";
    if (kind == DAE_NAME_EQUATION) name = f->rows[index];
    if (kind == DAE_NAME_UNKNOWN) name = f->slots[index];
    return (size_t)snprintf(text, size, "%s", name);
}

/* `n` algebraic unknowns, `equations` rows. */
static inline void fixture_init(fixture *f, size_t n, size_t equations,
    dae_residual_fn *residual, dae_jacobian_fn *jacobian)
{
    memset(f, 0, sizeof *f);
    f->problem.self = f;
    f->problem.unknown_count = n;
    f->problem.order = f->order;
    f->problem.residual = residual;
    f->problem.jacobian = jacobian;
    f->problem.start = &f->start;
    f->equations = equations;
    for (size_t k = 0; k < MOST; k++) f->atol[k] = 1e-9;
    CHECK_STATUS(dae_diagnostics_create(NULL, &f->ds), DAE_OK);
}

static inline dae_status fixture_run(fixture *f)
{
    layout l;
    dae_stats stats = {0};
    init_findings_clear(&f->found);
    dae_status st = layout_init(&l, &f->problem, f->allocator);
    if (st) return st;
    const init_request r = {.problem = &f->problem,
        .layout = &l,
        .rtol = 1e-6,
        .atol = f->atol,
        .x_fixed = f->x_fixed,
        .xp_fixed = f->xp_fixed,
        .use_conditions = true,
        .equation_count = f->equations,
        .is_thorough = true,
        .stands_for = f->has_masks ? f->stands_for : NULL,
        .may_be_given = f->has_masks ? f->may_be_given : NULL,
        .is_inner = f->has_masks ? f->is_inner : NULL,
        .allocator = f->allocator};
    st = start_reported(r, &f->found, f->x, f->xp, &f->report, &stats, f->ds);
    layout_clear(&l);
    return st;
}

static inline void fixture_clear(fixture *f)
{
    init_findings_clear(&f->found);
    dae_diagnostics_free(f->ds);
}

static inline void fix(fixture *f, size_t k, double value)
{
    f->x[k] = value;
    f->x_fixed[k] = 1;
}

static inline bool says(const fixture *f, const char *code, const char *text)
{
    for (size_t i = 0; i < dae_diagnostics_count(f->ds); i++) {
        const dae_diagnostic *d = dae_diagnostics_at(f->ds, i);
        if (strcmp(d->code, code) == 0 && strstr(d->message, text)) return true;
    }
    for (size_t i = 0; i < dae_diagnostics_count(f->ds); i++)
        print_error("%s: %s [%s]\n", dae_diagnostics_at(f->ds, i)->code,
            dae_diagnostics_at(f->ds, i)->message,
            dae_diagnostics_at(f->ds, i)->help);
    return false;
}

/* The parties in words: "rod x y>=", rows first, a minimum of y last. */
static inline void check_parties(const fixture *f, const init_party *list,
    size_t count, const char *expected, const char *file, int line)
{
    char text[256] = "";
    for (size_t k = 0; k < count; k++) {
        const char *name = "C";
        if (list[k].kind == INIT_EQUATION) name = f->rows[list[k].index];
        if (list[k].kind >= INIT_GIVEN)
            name = f->slots[list[k].index % f->problem.unknown_count];
        if (k) strcat(text, " ");
        strcat(text, name);
        if (list[k].kind == INIT_MINIMUM) strcat(text, ">=");
        if (list[k].kind == INIT_MAXIMUM) strcat(text, "<=");
    }
    if (strcmp(text, expected) == 0) return;
    print_error("\"%s\", expected \"%s\"\n", text, expected);
    _fail(file, line);
}

#define CHECK_CONFLICT(f, expected)                                            \
    check_parties((f), (f)->found.conflicts, (f)->found.conflict_count,        \
        (expected), __FILE__, __LINE__)

static inline void check_slots(const fixture *f, const int32_t *list,
    size_t count, const char *expected, const char *file, int line)
{
    char text[256] = "";
    for (size_t k = 0; k < count; k++) {
        if (k) strcat(text, " ");
        strcat(text, f->slots[(size_t)list[k] % f->problem.unknown_count]);
    }
    if (strcmp(text, expected) == 0) return;
    print_error("\"%s\", expected \"%s\"\n", text, expected);
    _fail(file, line);
}

#define CHECK_SLOTS(f, which, expected)                                        \
    check_slots((f), (f)->found.which, (f)->found.which##_count, (expected),   \
        __FILE__, __LINE__)

#endif
