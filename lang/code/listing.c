/* The listings of `dae show`: what was made of the model, in its own names.
 * Large models are cut after the first items of each list, with a count. */
#include "code/event_names.h"
#include "code/jacobian.h"
#include "code/names.h"
#include "code/rows.h"
#include "code/slots.h"
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define ITEMS_SHOWN 200                     /* of each list */
#define TERMS_SHOWN 20                      /* of one sum */
#define TERM_LONGEST 400                    /* bytes of one term */
#define FORMULAS_SEARCHED ((size_t)2000000) /* entries * partials looked at */

typedef struct listing {
    const compiled *c;
    dae_write_fn *write;
    void *context;
    dae_status st; /* of what was written last; nothing more after a fault */
} listing;

#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
static void
say(listing *l, const char *format, ...)
{
    char text[600];
    va_list list;
    if (l->st) return;
    va_start(list, format);
    (void)vsnprintf(text, sizeof text, format, list);
    va_end(list);
    if (l->write(l->context, text, strlen(text))) l->st = DAE_IO;
}

static void say_shape(listing *l, node_id root, const uint32_t *row)
{
    if (!l->st)
        l->st = names_write_shape(
            l->c, root, row, TERM_LONGEST, l->write, l->context);
}

static void say_rest(listing *l, size_t count)
{
    if (count > ITEMS_SHOWN)
        say(l, "  ... and %zu more\n", count - ITEMS_SHOWN);
}

static const char *plural(size_t count)
{
    return count == 1 ? "" : "s";
}

/* Terms of the first equations, in the order of the rows: links by equation. */
typedef struct term {
    uint32_t set, row, next; /* next: term + 1 */
} term;
typedef struct terms {
    term *items;
    uint32_t first[ITEMS_SHOWN], last[ITEMS_SHOWN]; /* term + 1 */
} terms;

static void find_terms(const row_sets *sets, terms *t, size_t *count)
{
    *count = 0;
    for (uint32_t k = 0; k < sets->count; k++)
        for (size_t r = 0; r < sets->items[k].count; r++) {
            uint32_t i = set_row(&sets->items[k], r)[0];
            if (i >= ITEMS_SHOWN) continue;
            if (t->items) {
                t->items[*count] = (term){k, (uint32_t)r, 0};
                if (t->first[i])
                    t->items[t->last[i] - 1].next = (uint32_t)*count + 1;
                else t->first[i] = (uint32_t)*count + 1;
                t->last[i] = (uint32_t)*count + 1;
            }
            ++*count;
        }
}

static void say_terms(
    listing *l, const row_sets *sets, const terms *t, uint32_t equation)
{
    size_t shown = 0;
    uint32_t k = t->first[equation];
    if (!k) say(l, "0");
    for (; k && shown < TERMS_SHOWN; k = t->items[k - 1].next) {
        const row_set *set = &sets->items[t->items[k - 1].set];
        if (shown++) say(l, " + ");
        say_shape(l, set->root, set_row(set, t->items[k - 1].row));
    }
    if (k) say(l, " + ...");
}

static void say_equations(listing *l, const row_sets *sets, size_t count,
    dae_name_kind kind, const char *title)
{
    const dae_problem *p = &l->c->problem;
    const dae_allocator *a = l->c->allocator;
    terms t = {0};
    size_t term_count, again;
    char name[200];
    if (count == 0) return;
    find_terms(sets, &t, &term_count);
    t.items = alloc_zeroed(a, term_count, sizeof *t.items);
    if (!t.items) {
        l->st = DAE_MEMORY;
        return;
    }
    find_terms(sets, &t, &again);
    say(l, "\n%s\n", title);
    for (uint32_t i = 0; i < count && i < ITEMS_SHOWN; i++) {
        (void)p->name(p->self, kind, i, name, sizeof name);
        say(l, "  %s: ", name);
        say_terms(l, sets, &t, i);
        say(l, " = 0\n");
    }
    say_rest(l, count);
    alloc_free(a, t.items, term_count, sizeof *t.items);
}

static void say_summary(listing *l)
{
    const compiled *c = l->c;
    size_t internal = 0, n = c->slots.unknowns, own[OWN_WEIGHT + 1] = {0};
    for (size_t k = 0; k < c->chains.borders.count; k++)
        own[c->s->definitions.items[c->chains.borders.items[k]].own]++;
    internal = own[OWN_NONE];
    say(l, "%zu equation%s, %zu unknown%s, %zu state slot%s",
        c->s->equation_count, plural(c->s->equation_count), n, plural(n),
        c->slots.states, plural(c->slots.states));
    if (c->defs.count)
        say(l, ", %zu definition%s", c->defs.count, plural(c->defs.count));
    if (internal)
        say(l,
            "\n%zu definition%s of many unknowns used by many equations "
            "%s an internal unknown",
            internal, plural(internal), internal == 1 ? "is" : "are each");
    if (own[OWN_ROOT])
        say(l,
            "\n%zu root%s with unbounded slope %s an internal unknown, whose "
            "equation is the inverse",
            own[OWN_ROOT], plural(own[OWN_ROOT]),
            own[OWN_ROOT] == 1 ? "is" : "are each");
    if (own[OWN_WEIGHT])
        say(l, "\n%zu sign%s that may slide %s an internal unknown",
            own[OWN_WEIGHT], plural(own[OWN_WEIGHT]),
            own[OWN_WEIGHT] == 1 ? "is" : "are each");
    say(l, "\n");
}

static void say_shapes(listing *l, const row_sets *sets, const char *title)
{
    if (sets->count == 0) return;
    say(l, "\n%s (u: unknown, p: param, d: definition)\n", title);
    for (size_t k = 0; k < sets->count && k < ITEMS_SHOWN; k++) {
        say(l, "  %9zu row%s  ", sets->items[k].count,
            sets->items[k].count == 1 ? " " : "s");
        say_shape(l, sets->items[k].root, NULL);
        say(l, "\n");
    }
    say_rest(l, sets->count);
}

static void say_definition(listing *l, uint32_t id)
{
    const compiled *c = l->c;
    const definition *d = &c->s->definitions.items[id];
    char name[200];
    (void)definition_text(c->s, id, name, sizeof name);
    say(l, "  %s = ", name);
    if (d->row_count == 0) say(l, "0");
    for (uint32_t r = 0; r < d->row_count && r < TERMS_SHOWN; r++) {
        row_ref ref = c->s->row_refs.items[d->first_row + r];
        const row_set *set = text_ref_set(c, ref);
        if (r) say(l, " + ");
        say_shape(l, set->root, set_row(set, ref.row));
    }
    if (d->row_count > TERMS_SHOWN)
        say(l, " + ... (%u terms)", (unsigned)d->row_count);
    if (c->defs.border[id] != NONE) say(l, "  [internal unknown]");
    say(l, "\n");
}

static void say_definitions(listing *l)
{
    if (l->c->defs.count == 0) return;
    say(l, "\ndefinitions\n");
    for (uint32_t id = 0; id < l->c->defs.count && id < ITEMS_SHOWN; id++)
        say_definition(l, id);
    say_rest(l, l->c->defs.count);
}

/* The one row that is about `target`. */
static void say_row_of(listing *l, const row_sets *sets, uint32_t target)
{
    for (size_t k = 0; k < sets->count; k++)
        for (size_t r = 0; r < sets->items[k].count; r++) {
            const uint32_t *row = set_row(&sets->items[k], r);
            if (row[0] != target) continue;
            say_shape(l, sets->items[k].root, row);
            return;
        }
}

static void say_when(listing *l, uint32_t w)
{
    const when_block *when = &l->c->s->whens.items[w];
    char name[200];
    say(l, "  %s: when ", when->name);
    say_row_of(l, &l->c->whens, w);
    say(l, "\n");
    for (uint32_t k = 0; k < when->assignment_count; k++) {
        const uint32_t a = when->assignment + k;
        (void)event_names_text(l->c, DAE_NAME_ASSIGNMENT, a, name, sizeof name);
        say(l, "    %s := ", name);
        say_row_of(l, &l->c->assigned, a);
        say(l, "\n");
    }
    for (uint32_t k = 0; k < when->print_count; k++)
        say(l, "    print \"%s\"\n", when->prints[k]);
    if (when->stop) say(l, "    stop \"%s\"\n", when->stop);
}

static void say_whens(listing *l)
{
    const size_t count = l->c->s->whens.count;
    if (count == 0) return;
    say(l, "\nevents\n");
    for (uint32_t w = 0; w < count && w < ITEMS_SHOWN; w++) say_when(l, w);
    say_rest(l, count);
}

static void say_unknowns(listing *l)
{
    const slot_tables *s = &l->c->slots;
    char name[200];
    if (s->total == 0) return;
    say(l, "\nunknowns\n");
    for (size_t j = 0; j < s->total && j < ITEMS_SHOWN; j++) {
        size_t first = s->first[j];
        (void)names_unknown(l->c, j, name, sizeof name);
        say(l, "  %s: order %u, x[%zu", name, (unsigned)s->order[j], first);
        if (s->order[j] > 1) say(l, "..%zu", first + s->order[j] - 1);
        say(l, "]");
        if (s->order[j]) say(l, ", xp[%zu]", j);
        if (j >= s->unknowns) say(l, "  [internal]");
        say(l, "\n");
    }
    say_rest(l, s->total);
}

dae_status compiled_show_equations(
    const compiled *c, dae_write_fn *write, void *context)
{
    listing l = {c, write, context, DAE_OK};
    say_summary(&l);
    say_equations(
        &l, &c->equations, c->slots.total, DAE_NAME_EQUATION, "equations");
    say_equations(&l, &c->conditions, c->s->condition_count, DAE_NAME_CONDITION,
        "conditions at the start");
    say_definitions(&l);
    say_whens(&l);
    say_unknowns(&l);
    say_shapes(&l, &c->text_equations, "shapes of equations");
    say_shapes(&l, &c->text_definitions, "shapes of definitions");
    return l.st;
}

/* Derivatives. */

static void say_leaf(listing *l, const leaf *by, const uint32_t *row)
{
    row_names names = {l->c, row};
    if (!l->st)
        l->st = names_write_leaf(&names, (leaf_kind)by->kind, by->hole,
            by->order, l->write, l->context);
    for (unsigned o = 0; o < by->order; o++) say(l, "'");
}

static void say_gradients(listing *l, const row_sets *sets, const char *title)
{
    if (sets->count == 0) return;
    say(l, "\n%s (u: unknown, p: param, d: definition)\n", title);
    for (size_t k = 0; k < sets->count && k < ITEMS_SHOWN; k++) {
        const row_set *set = &sets->items[k];
        say(l, "  ");
        say_shape(l, set->root, NULL);
        say(l, "  (%zu row%s)\n", set->count, plural(set->count));
        for (uint32_t d = 0; d < set->partial_count; d++) {
            say(l, "    d/d(");
            say_leaf(l, &set->partials[d].by, NULL);
            say(l, ") = ");
            say_shape(l, set->partials[d].value, NULL);
            say(l, "\n");
        }
    }
    say_rest(l, sets->count);
}

/* Final column of an unknown's partial, or NONE for a chained definition. */
static uint32_t partial_column(
    const compiled *c, const partial *d, const uint32_t *row)
{
    program_space space;
    uint32_t index = slots_resolve(c, &d->by, row, true, &space);
    if (space == SPACE_X) return index;
    return space == SPACE_XP ? (uint32_t)c->slots.total_states + index : NONE;
}

/* Whether the gradient of a definition has a (final) column. */
static bool has_column(const compiled *c, uint32_t id, uint32_t column)
{
    uint32_t first = c->defs.gradient_first[id];
    for (uint32_t g = 0; g < c->defs.gradient_count[id]; g++)
        if (slots_column(&c->slots, c->chains.columns.items[first + g])
            == column)
            return true;
    return false;
}

static void say_column(listing *l, uint32_t column)
{
    const slot_tables *s = &l->c->slots;
    char name[200];
    size_t j = 0, order;
    if (column >= s->total_states) {
        j = column - s->total_states;
        order = s->order[j];
    } else { /* the unknown whose slots hold it */
        size_t high = s->total;
        while (high - j > 1) {
            size_t middle = j + (high - j) / 2;
            if (s->first[middle] <= column) j = middle;
            else high = middle;
        }
        order = column - s->first[j];
    }
    (void)names_unknown(l->c, j, name, sizeof name);
    say(l, "%s", name);
    while (order-- > 0) say(l, "'");
}

/* One term of an entry's formula, where the partial contributes to it. */
static void say_part(listing *l, const row_set *set, const partial *d, size_t r,
    uint32_t column, size_t *shown)
{
    const compiled *c = l->c;
    const uint32_t *row = set_row(set, r);
    uint32_t own = partial_column(c, d, row);
    if (partial_is_zero(c, set, d, r)) return;
    bool is_chained = own == NONE
        && has_column(c, leaf_definition(c->s, &d->by, row), column);
    if (own != column && !is_chained) return;
    if ((*shown)++) say(l, " + ");
    if (is_chained) say(l, "(");
    say_shape(l, d->value, row);
    if (!is_chained) return;
    say(l, ")*d(");
    say_leaf(l, &d->by, row);
    say(l, ")/d(");
    say_column(l, column);
    say(l, ")");
}

static void say_formula(
    listing *l, const row_sets *sets, int32_t equation, uint32_t column)
{
    size_t shown = 0;
    for (size_t k = 0; k < sets->count; k++) {
        const row_set *set = &sets->items[k];
        for (size_t r = 0; r < set->count; r++) {
            if (set_row(set, r)[0] != (uint32_t)equation) continue;
            for (uint32_t d = 0; d < set->partial_count; d++)
                say_part(l, set, &set->partials[d], r, column, &shown);
        }
    }
}

static size_t count_partials(const row_sets *sets)
{
    size_t count = 0;
    for (size_t k = 0; k < sets->count; k++)
        count += sets->items[k].count * (1 + sets->items[k].partial_count);
    return count;
}

static void say_entries(listing *l, const row_sets *sets, const jacobian *j,
    dae_name_kind kind, const char *title)
{
    static const char *const kinds[] = {"varies", "param", "constant"};
    const compiled *c = l->c;
    const dae_problem *p = &c->problem;
    char name[200];
    size_t columns = c->slots.total_states + c->slots.total;
    bool has_formulas = j->nonzeros <= ITEMS_SHOWN
        && count_partials(sets) * j->nonzeros <= FORMULAS_SEARCHED;
    if (j->rows == 0) return;
    say(l, "\n%s: %zu row%s, %zu columns, %zu entries\n", title, j->rows,
        plural(j->rows), columns, j->nonzeros);
    int64_t shown = 0;
    for (size_t col = 0; col < columns && shown < ITEMS_SHOWN; col++)
        for (int64_t e = j->column_start[col];
             e < j->column_start[col + 1] && shown < ITEMS_SHOWN; e++) {
            shown++;
            (void)p->name(p->self, kind, (size_t)j->row[e], name, sizeof name);
            say(l, "  d(%s)/d(", name);
            say_column(l, (uint32_t)col);
            say(l, ")");
            if (has_formulas) {
                say(l, " = ");
                say_formula(l, sets, j->row[e], (uint32_t)col);
            }
            say(l, "  [%s]\n", kinds[j->kind[e]]);
        }
    say_rest(l, j->nonzeros);
}

dae_status compiled_show_jacobian(
    const compiled *c, dae_write_fn *write, void *context)
{
    listing l = {c, write, context, DAE_OK};
    say_summary(&l);
    say_entries(&l, &c->equations, &c->jacobian, DAE_NAME_EQUATION,
        "Jacobian over slots");
    say_entries(&l, &c->conditions, &c->condition_jacobian, DAE_NAME_CONDITION,
        "Jacobian of the conditions");
    say_gradients(&l, &c->model_equations, "gradients of equations' shapes");
    say_gradients(&l, &c->definitions, "gradients of definitions' shapes");
    return l.st;
}

static void say_program(listing *l, const task *t, const char *title)
{
    if (!t->program || l->st) return;
    program_counts n = program_count(t->program);
    if (n.kernels == 0) return;
    say(l, "%s: %zu kernel%s over %zu row%s\n", title, n.kernels,
        plural(n.kernels), n.rows, plural(n.rows));
    if (!l->st) l->st = program_show(t->program, l->write, l->context);
    say(l, "\n");
}

dae_status compiled_show_bytecode(
    const compiled *c, dae_write_fn *write, void *context)
{
    listing l = {c, write, context, DAE_OK};
    say_program(&l, &c->residual, "residual");
    say_program(&l, &c->jacobian.all, "Jacobian");
    say_program(&l, &c->jacobian.varying, "Jacobian, varying entries");
    say_program(&l, &c->condition, "conditions at the start");
    say_program(&l, &c->condition_jacobian.all, "Jacobian of the conditions");
    say_program(&l, &c->observation, "observations");
    say_program(&l, &c->start, "start values kept");
    say_program(&l, &c->guess, "guesses of internal unknowns");
    return l.st;
}
