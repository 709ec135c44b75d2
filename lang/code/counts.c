#include "code/counts.h"
#include "code/names.h"
#include <stdio.h>
#include <string.h>

/* More would not be read. */
enum { UNKNOWNS_NAMED = 5, EQUATIONS_NAMED = 4 };
enum { NAME_SIZE = 120, LIST_SIZE = 1024 };

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

/* Names in a message: "`a`, `b` and 3 more". */
typedef struct name_list {
    text_buffer out;
    char text[LIST_SIZE];
    size_t named, count, most;
} name_list;

static void list_begin(name_list *l, size_t count, size_t most)
{
    l->text[0] = '\0';
    l->out = (text_buffer){l->text, sizeof l->text, 0};
    l->named = 0;
    l->count = count;
    l->most = most;
}

static void list_add(name_list *l, const char *name)
{
    const bool is_last = l->named + 1 == l->count;
    if (l->named == l->most) return;
    text_buffer_printf(&l->out, "%s`%s`",
        l->named == 0 ? ""
            : is_last ? " and "
                      : ", ",
        name);
    if (++l->named == l->most && !is_last)
        text_buffer_printf(&l->out, " and %zu more", l->count - l->named);
}

static void equation_name(const compiled *c, size_t i, char *name)
{
    (void)equation_block_text(&c->s->equations, i, name, NAME_SIZE);
}

static void unknown_name(const compiled *c, size_t j, char *name)
{
    (void)name_block_text(&c->s->unknowns, j, name, NAME_SIZE);
}

/* A run of list members that one text made: name, first, count of all. */
typedef struct run_of_names {
    const char *name;
    size_t first, count, in_list;
} run_of_names;

static run_of_names next_run(const compiled *c, bool is_equations,
    const uint32_t *list, size_t from, size_t count)
{
    run_of_names r = {NULL, 0, 0, 0};
    if (is_equations) {
        const equation_block *b = equation_block_find(
            &c->s->equations, list[from]);
        if (b) r = (run_of_names){b->name, b->first, b->count, 0};
    } else {
        const name_block *b = name_block_find(&c->s->unknowns, list[from]);
        if (b) r = (run_of_names){b->name, b->first, b->count, 0};
    }
    while (from + r.in_list < count && list[from + r.in_list] >= r.first
        && list[from + r.in_list] - r.first < r.count)
        r.in_list++;
    if (r.in_list == 0) r.in_list = 1;
    return r;
}

/* How many texts the members of a list come from. */
static size_t count_runs(const compiled *c, bool is_equations,
    const uint32_t *list, size_t count, size_t most)
{
    size_t runs = 0;
    for (size_t k = 0; k < count && runs <= most; runs++)
        k += next_run(c, is_equations, list, k, count).in_list;
    return runs;
}

/* Elements of arrays together: "`momentum` (6 equations)", "`x` (2 of 6)". */
static void list_runs(const compiled *c, bool is_equations,
    const uint32_t *list, size_t count, name_list *l)
{
    for (size_t k = 0; k < count;) {
        const run_of_names r = next_run(c, is_equations, list, k, count);
        char name[NAME_SIZE];
        if (r.in_list > 1) {
            (void)snprintf(name, sizeof name, "%s", r.name);
        } else if (is_equations) {
            equation_name(c, list[k], name);
        } else {
            unknown_name(c, list[k], name);
        }
        list_add(l, name);
        if (r.in_list > 1 && r.in_list == r.count)
            text_buffer_printf(&l->out, " (%zu %s)", r.count,
                is_equations ? "equations" : "unknowns");
        else if (r.in_list > 1)
            text_buffer_printf(&l->out, " (%zu of %zu)", r.in_list, r.count);
        k += r.in_list;
    }
}

/* The names of equations, or of unknowns: one by one, or where that is shorter
 * by what made them. `more` will follow. */
static void list_members(const compiled *c, bool is_equations,
    const uint32_t *list, size_t count, size_t more, name_list *l)
{
    const size_t most = is_equations ? EQUATIONS_NAMED : UNKNOWNS_NAMED;
    const size_t runs = count > most
        ? count_runs(c, is_equations, list, count, most)
        : count;
    char name[NAME_SIZE];
    if (runs < count && runs + more <= most) {
        list_begin(l, runs + more, most);
        list_runs(c, is_equations, list, count, l);
        return;
    }
    list_begin(l, count + more, most);
    for (size_t k = 0; k < count && l->named < l->most; k++) {
        if (is_equations) equation_name(c, list[k], name);
        else unknown_name(c, list[k], name);
        list_add(l, name);
    }
}

/* Equations, or unknowns, then definitions. */
static void list_side(const compiled *c, bool is_equations,
    const structural_side *side, bool has_definitions, name_list *l)
{
    const size_t more = has_definitions ? side->definition_count : 0;
    char name[NAME_SIZE];
    if (is_equations)
        list_members(c, true, side->equations, side->equation_count, more, l);
    else list_members(c, false, side->unknowns, side->unknown_count, more, l);
    for (size_t k = 0; k < more && l->named < l->most; k++) {
        (void)definition_text(c->s, side->definitions[k], name, sizeof name);
        list_add(l, name);
    }
}

/* What the witness of too many equations is, as a sentence. */
static void describe_excess(
    const compiled *c, const structural_side *side, char *text, size_t size)
{
    name_list equations, unknowns;
    list_side(c, true, side, false, &equations);
    list_side(c, false, side, true, &unknowns);
    if (unknowns.count == 0)
        (void)snprintf(
            text, size, "equation %s contains no unknown", equations.text);
    else if (side->equation_count == 2)
        (void)snprintf(text, size, "equations %s both determine only %s",
            equations.text, unknowns.text);
    else
        (void)snprintf(text, size, "%s together: one equation too many for %s",
            equations.text, unknowns.text);
}

/* The same of too few equations. */
static void describe_shortage(
    const compiled *c, const structural_side *side, char *text, size_t size)
{
    name_list equations, unknowns;
    list_side(c, true, side, true, &equations);
    list_side(c, false, side, false, &unknowns);
    if (equations.count == 0)
        (void)snprintf(text, size, "nothing determines %s", unknowns.text);
    else
        (void)snprintf(text, size, "%s alone %s to determine %s",
            equations.text, equations.count == 1 ? "has" : "have",
            unknowns.text);
}

static bool is_new_equation(const compiled *c, const uint32_t *list, size_t k)
{
    const equation_block *b = equation_block_find(&c->s->equations, list[k]);
    for (size_t before = 0; before < k; before++)
        if (equation_block_find(&c->s->equations, list[before]) == b)
            return false;
    return true;
}

static bool is_new_unknown(const compiled *c, const uint32_t *list, size_t k)
{
    const name_block *b = name_block_find(&c->s->unknowns, list[k]);
    for (size_t before = 0; before < k; before++)
        if (name_block_find(&c->s->unknowns, list[before]) == b) return false;
    return true;
}

/* Picks out of a long list those with places of their own: looking further
 * than this would take the square of its length. */
enum { LOOKED_AT = 200 };

/* Places of equations from `from` on, each text once. */
static void place_equations(const compiled *c, const structural_side *side,
    size_t count, size_t from, const char *role, dae_diagnostics *ds)
{
    char name[NAME_SIZE];
    size_t named = from;
    for (size_t k = from; k < count && k < LOOKED_AT; k++) {
        if (named == EQUATIONS_NAMED) return;
        if (!is_new_equation(c, side->equations, k)) continue;
        equation_name(c, side->equations[k], name);
        report_also(ds, c->s->source, equation_span(c->s, side->equations[k]),
            "`%s`%s", name, role);
        named++;
    }
}

static void place_unknowns(const compiled *c, const structural_side *side,
    size_t count, size_t from, const char *role, dae_diagnostics *ds)
{
    char name[NAME_SIZE];
    size_t named = from;
    for (size_t k = from; k < count && k < LOOKED_AT; k++) {
        if (named == UNKNOWNS_NAMED) return;
        if (!is_new_unknown(c, side->unknowns, k)) continue;
        unknown_name(c, side->unknowns[k], name);
        report_also(ds, c->s->source, unknown_span(c->s, side->unknowns[k]),
            "`%s`%s", name, role);
        named++;
    }
}

/* Unknowns in no equation, from the `from`-th on. */
static void name_lonely_unknowns(
    const compiled *c, int from, dae_diagnostics *ds)
{
    const slot_tables *t = &c->slots;
    char name[NAME_SIZE];
    size_t j = first_unmarked(t->occurs, 0, t->unknowns);
    for (int k = 0; k < UNKNOWNS_NAMED && j < t->unknowns; k++) {
        unknown_name(c, j, name);
        if (k >= from)
            report_also(ds, c->s->source, unknown_span(c->s, j),
                "`%s` occurs in no equation", name);
        j = first_unmarked(t->occurs, j + 1, t->unknowns);
    }
}

static void name_lonely_equations(
    const compiled *c, const uint8_t *depends, int from, dae_diagnostics *ds)
{
    size_t n = c->s->equation_count, i = first_unmarked(depends, 0, n);
    char name[NAME_SIZE];
    for (int k = 0; k < EQUATIONS_NAMED && i < n; k++) {
        equation_name(c, i, name);
        if (k >= from)
            report_also(ds, c->s->source, equation_span(c->s, i),
                "`%s` contains no unknown", name);
        i = first_unmarked(depends, i + 1, n);
    }
}

static void report_difference(
    const compiled *c, text_span span, dae_diagnostics *ds)
{
    const size_t m = c->s->equation_count, n = c->s->unknown_count;
    const size_t by = m > n ? m - n : n - m;
    const char *what = m > n ? "too many"
        : by == 1            ? "is missing"
                             : "are missing";
    report(ds, DIAG_E0301, c->s->source, span,
        "the model has %zu equation%s for %zu unknown%s, %zu equation%s %s", m,
        m == 1 ? "" : "s", n, n == 1 ? "" : "s", by, by == 1 ? "" : "s", what);
}

/* Too many and too few at once hide each other in the difference of numbers: the
 * other part is told in its own words. */
static void name_shortage(
    const compiled *c, const structural_side *side, dae_diagnostics *ds)
{
    char text[2 * LIST_SIZE + 80];
    if (side->unknown_count == 0) return;
    describe_shortage(c, side, text, sizeof text);
    report_also(ds, c->s->source, unknown_span(c->s, side->unknowns[0]),
        "elsewhere too few: %s", text);
}

static void name_excess(
    const compiled *c, const structural_side *side, dae_diagnostics *ds)
{
    char text[2 * LIST_SIZE + 80];
    if (side->equation_count == 0) return;
    describe_excess(c, side, text, sizeof text);
    report_also(ds, c->s->source, equation_span(c->s, side->equations[0]),
        "elsewhere too many: %s", text);
}

static void report_too_many(const compiled *c, const uint8_t *depends,
    const structural_side *side, const structural_side *other,
    dae_diagnostics *ds)
{
    const size_t m = c->s->equation_count;
    const size_t i = first_unmarked(depends, 0, m);
    char text[2 * LIST_SIZE + 80];
    if (i < m) {
        equation_name(c, i, text);
        report_difference(c, equation_span(c->s, i), ds);
        report_label(ds, "`%s` contains no unknown", text);
        name_lonely_equations(c, depends, 1, ds);
    } else {
        describe_excess(c, side, text, sizeof text);
        report_difference(c, equation_span(c->s, side->equations[0]), ds);
        report_label(ds, "%s", text);
        place_equations(c, side, side->equation_all, 1, " is one of them", ds);
    }
    if (first_unmarked(c->slots.occurs, 0, c->slots.unknowns)
        == c->slots.unknowns)
        name_shortage(c, other, ds);
    name_lonely_unknowns(c, 0, ds);
    report_help(ds,
        system_param_count(c->s) > 0
            ? "drop one of them, or make a `param` a `var`"
            : "drop one of them, or declare what it determines: `var`");
}

/* The first that could be made a param: without a derivative, and no element of an array,
 * which could not be one without the others. */
static bool first_possible_param(
    const compiled *c, const structural_side *side, char *name)
{
    for (size_t k = 0; k < side->unknown_count; k++) {
        unknown_name(c, side->unknowns[k], name);
        if (c->slots.order[side->unknowns[k]] == 0 && !strchr(name, '['))
            return true;
    }
    return false;
}

static void report_too_few(const compiled *c, const uint8_t *depends,
    const structural_side *side, const structural_side *other,
    dae_diagnostics *ds)
{
    const size_t n = c->s->unknown_count;
    const size_t j = first_unmarked(c->slots.occurs, 0, n);
    char text[2 * LIST_SIZE + 80];
    name_list names;
    if (j < n) {
        unknown_name(c, j, text);
        report_difference(c, unknown_span(c->s, j), ds);
        report_label(ds, "`%s` occurs in no equation", text);
        name_lonely_unknowns(c, 1, ds);
    } else {
        describe_shortage(c, side, text, sizeof text);
        report_difference(c, unknown_span(c->s, side->unknowns[0]), ds);
        report_label(ds, "%s", text);
        place_unknowns(c, side, side->unknown_all, 1, " is one of them", ds);
    }
    if (first_unmarked(depends, 0, c->s->equation_count)
        == c->s->equation_count)
        name_excess(c, other, ds);
    name_lonely_equations(c, depends, 0, ds);
    if (c->s->empty_range)
        report_also(
            ds, c->s->source, c->s->empty_span, "%s", c->s->empty_range);
    if (j < n) {
        unknown_name(c, j, text);
        report_help(ds,
            "add an equation that contains `%s`, or drop its declaration",
            text);
        return;
    }
    list_side(c, false, side, false, &names);
    const char *one = side->unknown_count > 1 ? "one of " : "";
    if (first_possible_param(c, side, text))
        report_help(ds,
            "add an equation that contains %s%s, or make `%s` a `param`", one,
            names.text, text);
    else report_help(ds, "add an equation that contains %s%s", one, names.text);
}

/* Equal numbers, but a row or a column of the incidence is empty. */
static bool report_lonely(
    const compiled *c, const uint8_t *depends, dae_diagnostics *ds)
{
    const system_tables *s = c->s;
    size_t m = s->equation_count, n = s->unknown_count;
    size_t i = first_unmarked(depends, 0, m);
    size_t j = first_unmarked(c->slots.occurs, 0, n);
    char name[NAME_SIZE];
    if (i == m && j == n) return false;
    if (i < m) {
        equation_name(c, i, name);
        report(ds, DIAG_E0302, s->source, equation_span(s, i),
            "equation `%s` contains no unknown, so it determines nothing",
            name);
        name_lonely_unknowns(c, 0, ds);
        report_help(ds, "an equation must contain an unknown (`var`)");
        return true;
    }
    unknown_name(c, j, name);
    report(ds, DIAG_E0302, s->source, unknown_span(s, j),
        "nothing determines `%s`: it occurs in no equation", name);
    report_help(ds, "use `%s` in an equation, or drop its declaration", name);
    return true;
}

/* As many equations as unknowns: where one of both stands alone there is too much
 * or too little on the other side. */
static void place_others(const compiled *c, const uint8_t *depends,
    const structural *found, dae_diagnostics *ds)
{
    const structural_side *over = &found->excess, *under = &found->shortage;
    name_list unknowns;
    char role[2 * LIST_SIZE + 80];
    if (first_unmarked(depends, 0, c->s->equation_count)
        == c->s->equation_count) {
        list_side(c, false, over, true, &unknowns);
        (void)snprintf(role, sizeof role,
            " is one of %zu equations for only %s", over->equation_count,
            unknowns.text);
        place_equations(c, over, over->equation_count, 0, role, ds);
    } else if (first_unmarked(c->slots.occurs, 0, c->s->unknown_count)
        == c->s->unknown_count) {
        describe_shortage(c, under, role, sizeof role);
        report_also(ds, c->s->source, unknown_span(c->s, under->unknowns[0]),
            "%s", role);
    }
}

/* Any equation of the excess that contained any unknown of the shortage would
 * make one pair more. */
static void report_singular(
    const compiled *c, const structural *st, dae_diagnostics *ds)
{
    char excess[2 * LIST_SIZE + 80], shortage[2 * LIST_SIZE + 80];
    name_list equations, unknowns;
    describe_excess(c, &st->excess, excess, sizeof excess);
    describe_shortage(c, &st->shortage, shortage, sizeof shortage);
    list_side(c, false, &st->excess, true, &unknowns);
    report(ds, DIAG_E0302, c->s->source,
        equation_span(c->s, st->excess.equations[0]), "%s, and %s", excess,
        shortage);
    report_label(ds, "one of %zu equations for only %s",
        st->excess.equation_count, unknowns.text);
    place_equations(
        c, &st->excess, st->excess.equation_count, 1, " is another one", ds);
    place_equations(c, &st->shortage, st->shortage.equation_count, 0,
        " has too many unknowns to determine", ds);
    list_side(c, true, &st->excess, false, &equations);
    list_side(c, false, &st->shortage, false, &unknowns);
    report_help(ds, "%s%s has to contain %s%s",
        equations.count > 1 ? "one of " : "", equations.text,
        unknowns.count > 1 ? "one of " : "", unknowns.text);
}

/* All that is wrong, for `singular`, and the first of it as a diagnostic. */
static dae_status check_structure(compiled *c, const uint8_t *depends,
    const singular_request *singular, dae_diagnostics *ds)
{
    const size_t m = c->s->equation_count, n = c->s->unknown_count;
    structural found;
    dae_status st = structural_find(c, &found);
    if (st) return st;
    /* after what may run out of memory: told as a whole or not at all */
    const bool is_lonely = m == n && report_lonely(c, depends, ds);
    if (is_lonely && !found.is_regular) place_others(c, depends, &found, ds);
    if (found.is_regular) return is_lonely ? DAE_MODEL : DAE_OK;
    if (singular->out && (st = singular_note(c, &found, singular))) return st;
    if (is_lonely) return DAE_MODEL;
    if (m > n) report_too_many(c, depends, &found.excess, &found.shortage, ds);
    else if (m < n)
        report_too_few(c, depends, &found.shortage, &found.excess, ds);
    else report_singular(c, &found, ds);
    return DAE_MODEL;
}

dae_status counts_check(
    compiled *c, const singular_request *singular, dae_diagnostics *ds)
{
    arena_position mark = arena_mark(&c->scratch);
    uint8_t *depends = ARENA_ARRAY(&c->scratch, uint8_t, c->s->equation_count);
    dae_status st = DAE_MEMORY;
    if (depends) {
        mark_equations(c, depends);
        st = check_structure(c, depends, singular, ds);
    }
    arena_release(&c->scratch, mark);
    return st;
}
