#include "code/counts.h"
#include <stdio.h>

/* More would not be read. */
#define NAMED_AT_MOST 5

static bool row_depends(
    const compiled *c, const row_set *set, const uint32_t *row)
{
    for (uint32_t l = 0; l < set->leaf_count; l++) {
        const leaf *hole = &set->leaves[l];
        if (hole->kind == LEAF_UNKNOWN) return true;
        if (hole->kind == LEAF_DEFINITION
            && c->defs.depends[leaf_definition(c->s, hole, row)])
            return true;
    }
    return false;
}

static void mark_equations(const compiled *c, uint8_t *depends)
{
    for (size_t k = 0; k < c->model_equations.count; k++) {
        const row_set *set = &c->model_equations.items[k];
        for (size_t r = 0; r < set->count; r++) {
            const uint32_t *row = set_row(set, r);
            if (!depends[row[0]] && row_depends(c, set, row))
                depends[row[0]] = 1;
        }
    }
}

static size_t first_unmarked(const uint8_t *mark, size_t from, size_t count)
{
    while (from < count && mark[from]) from++;
    return from;
}

static text_span unknown_span(const system_tables *s, size_t j)
{
    const name_block *b = name_block_find(&s->unknowns, j);
    return b ? b->span : (text_span){0, 0};
}

static text_span equation_span(const system_tables *s, size_t i)
{
    const equation_block *b = equation_block_find(&s->equations, i);
    return b ? b->span : (text_span){0, 0};
}

static void name_lonely_unknowns(const compiled *c, dae_diagnostics *ds)
{
    const slot_tables *t = &c->slots;
    char name[120];
    size_t j = first_unmarked(t->occurs, 0, t->unknowns);
    for (int k = 0; k < NAMED_AT_MOST && j < t->unknowns; k++) {
        (void)name_block_text(&c->s->unknowns, j, name, sizeof name);
        report_also(ds, c->s->source, unknown_span(c->s, j),
            "`%s` occurs in no equation", name);
        j = first_unmarked(t->occurs, j + 1, t->unknowns);
    }
}

static void name_lonely_equations(
    const compiled *c, const uint8_t *depends, dae_diagnostics *ds)
{
    size_t n = c->s->equation_count, i = first_unmarked(depends, 0, n);
    char name[120];
    for (int k = 0; k < NAMED_AT_MOST && i < n; k++) {
        (void)equation_block_text(&c->s->equations, i, name, sizeof name);
        report_also(ds, c->s->source, equation_span(c->s, i),
            "`%s` contains no unknown", name);
        i = first_unmarked(depends, i + 1, n);
    }
}

static void describe_difference(
    size_t equations, size_t unknowns, char *text, size_t size)
{
    size_t more = equations > unknowns ? equations - unknowns
                                       : unknowns - equations;
    bool is_missing = equations < unknowns;
    if (more == 1)
        (void)snprintf(text, size, "one equation %s",
            is_missing ? "is missing" : "too many");
    else
        (void)snprintf(text, size, "%zu equations %s", more,
            is_missing ? "are missing" : "too many");
}

static void report_numbers(
    const compiled *c, const uint8_t *depends, dae_diagnostics *ds)
{
    size_t m = c->s->equation_count, n = c->s->unknown_count;
    char difference[80], name[120];
    const slot_tables *t = &c->slots;
    size_t j = first_unmarked(t->occurs, 0, n);
    describe_difference(m, n, difference, sizeof difference);
    report(ds, DIAG_E0301, NULL, (text_span){0, 0},
        "%zu equation%s for %zu unknown%s: %s", m, m == 1 ? "" : "s", n,
        n == 1 ? "" : "s", difference);
    name_lonely_unknowns(c, ds);
    name_lonely_equations(c, depends, ds);
    if (m < n && j < n) {
        (void)name_block_text(&c->s->unknowns, j, name, sizeof name);
        report_help(ds,
            "add an equation that contains `%s`, or drop its declaration",
            name);
    } else if (m < n) {
        report_help(ds, "add an equation, or make a `var` a `param`");
    } else {
        report_help(ds, "drop an equation, or make a `param` a `var`");
    }
}

/* Equal numbers, but a row or a column of the incidence is empty. */
static bool report_lonely(
    const compiled *c, const uint8_t *depends, dae_diagnostics *ds)
{
    const system_tables *s = c->s;
    size_t m = s->equation_count, n = s->unknown_count;
    size_t i = first_unmarked(depends, 0, m);
    size_t j = first_unmarked(c->slots.occurs, 0, n);
    char name[120];
    if (i == m && j == n) return false;
    if (i < m) {
        (void)equation_block_text(&s->equations, i, name, sizeof name);
        report(ds, DIAG_E0302, s->source, equation_span(s, i),
            "equation `%s` contains no unknown, so it determines nothing",
            name);
        if (j < n) name_lonely_unknowns(c, ds);
        report_help(ds, "an equation must contain an unknown (`var`)");
        return true;
    }
    (void)name_block_text(&s->unknowns, j, name, sizeof name);
    report(ds, DIAG_E0302, s->source, unknown_span(s, j),
        "nothing determines `%s`: it occurs in no equation", name);
    report_help(ds, "use `%s` in an equation, or drop its declaration", name);
    return true;
}

dae_status counts_check(compiled *c, dae_diagnostics *ds)
{
    size_t m = c->s->equation_count;
    arena_position mark = arena_mark(&c->scratch);
    uint8_t *depends = ARENA_ARRAY(&c->scratch, uint8_t, m);
    dae_status st = DAE_OK;
    if (!depends) return DAE_MEMORY;
    mark_equations(c, depends);
    if (m != c->s->unknown_count) {
        report_numbers(c, depends, ds);
        st = DAE_MODEL;
    } else if (report_lonely(c, depends, ds)) {
        st = DAE_MODEL;
    }
    arena_release(&c->scratch, mark);
    return st;
}
