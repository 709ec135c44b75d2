/* The reduced system in the user's names, at the consistent start: states,
 * dummy derivatives, the groups of equations in the order in which they can be
 * solved, and what was taken out. Lists are cut, with their counts. */
#include "check.h"
#include "console.h"
#include "memory.h"
#include "number.h"
#include "phrase.h"
#include "session.h"
#include "show.h"
#include <dae/reduction.h>
#include <string.h>

enum { ITEMS_SHOWN = 60, NAMES_SHOWN = 12, FORMULA_LENGTH = 240 };

typedef struct showing {
    const session *session;
    const dae_reduced_system *system;
    check names;          /* the model alone */
    const dae_problem *p; /* of the session's run */
    phrase text, label;
} showing;

/* ---- names ------------------------------------------------------------------- */

/* "x", "x'", and beyond DAE_PRIMES_MOST "der(x, 4)", as the language reads it. */
static void put_slot(showing *s, dae_slot slot, phrase *to)
{
    const char *name = dae_name_of(
        s->p, DAE_NAME_UNKNOWN, (size_t)slot.unknown, memory_name());
    if (slot.order > DAE_PRIMES_MOST)
        phrase_add(to, "der(%s, %d)", name, (int)slot.order);
    else phrase_add(to, "%s%.*s", name, (int)slot.order, "'''");
}

static bool is_same(dae_slot a, dae_slot b)
{
    return a.unknown == b.unknown && a.order == b.order;
}

static bool is_first(const dae_reduced_slot *slot)
{
    return is_same(slot->slot, slot->same_as);
}

/* "x' = u": all slots that are one. */
static void put_class(showing *s, size_t slot, phrase *to)
{
    const dae_reduced_slot *all = s->system->slots;
    put_slot(s, all[slot].slot, to);
    for (size_t k = 0; k < s->system->slot_count; k++)
        if (k != slot && is_same(all[k].same_as, all[slot].slot)) {
            phrase_put(to, " = ");
            put_slot(s, all[k].slot, to);
        }
}

static void put_equation(showing *s, size_t i, phrase *to)
{
    const dae_reduced_equation *e = &s->system->equations[i];
    phrase_put(
        to, check_equation_name(&s->names, (size_t)e->equation, e->order));
}

/* "" where the formula would be too large. */
static void put_formula(showing *s, size_t i, phrase *to)
{
    const dae_reduced_equation *e = &s->system->equations[i];
    const dae_term term = {e->equation, 0, 1};
    const size_t before = to->length;
    phrase_keep(to, before,
        dae_model_formula(s->session->model, &term, 1, NULL, 0, e->order, 1,
            FORMULA_LENGTH, phrase_write, to));
}

/* ---- text -------------------------------------------------------------------- */

static void put_field(showing *s, int indent, int width)
{
    phrase_field(
        stdout, indent, width, phrase_text(&s->label), phrase_text(&s->text));
    phrase_empty(&s->label);
    phrase_empty(&s->text);
}

static void put_rest(size_t count)
{
    if (count > ITEMS_SHOWN)
        (void)printf("  and %zu more\n", count - ITEMS_SHOWN);
}

/* Which equations determine a slot of a group. */
static void put_determined(showing *s, int32_t group)
{
    const dae_reduced_system *y = s->system;
    size_t count = 0, shown = 0;
    if (group < 0) return;
    for (size_t i = 0; i < y->equation_count; i++)
        count += y->equations[i].group == group;
    phrase_put(&s->text, "  determined by ");
    for (size_t i = 0; i < y->equation_count; i++)
        if (y->equations[i].group == group
            && phrase_next(&s->text, shown++, count, NAMES_SHOWN))
            put_equation(s, i, &s->text);
}

/* Padded where something follows. */
static void put_value(showing *s, size_t slot, bool is_padded)
{
    char number[NUMBER_SIZE];
    (void)snprintf(number, sizeof number, "%.10g",
        number_plain(s->system->slots[slot].value));
    phrase_add(&s->text, is_padded ? "%-14s" : "%s", number);
}

static void put_slots(
    showing *s, const char *title, dae_role role, bool is_determined)
{
    const dae_reduced_system *y = s->system;
    size_t count = 0, widest = 0;
    for (size_t k = 0; k < y->slot_count; k++) {
        if (y->slots[k].role != role || !is_first(&y->slots[k])) continue;
        phrase_empty(&s->label);
        if (count++ < ITEMS_SHOWN) put_class(s, k, &s->label);
        if (s->label.length > widest) widest = s->label.length;
    }
    if (count == 0) return;
    (void)printf("\n%s\n", title);
    phrase_empty(&s->label);
    const size_t most = is_determined ? 40 : 64; /* a value alone is short */
    const int width = (int)(widest > most ? most : widest) + 3;
    for (size_t k = 0, shown = 0; k < y->slot_count && shown < ITEMS_SHOWN;
         k++) {
        if (y->slots[k].role != role || !is_first(&y->slots[k])) continue;
        shown++;
        put_class(s, k, &s->label);
        put_value(s, k, is_determined);
        if (is_determined) put_determined(s, y->slots[k].group);
        put_field(s, 2, width);
    }
    put_rest(count);
}

static size_t widest_equation(showing *s)
{
    size_t widest = 0;
    for (size_t i = 0; i < s->system->equation_count && i < 1000; i++) {
        phrase_empty(&s->label);
        put_equation(s, i, &s->label);
        if (s->label.length > widest) widest = s->label.length;
    }
    phrase_empty(&s->label);
    return widest > 24 ? 24 : widest;
}

static void put_formulas(showing *s, size_t i, int width)
{
    put_equation(s, i, &s->label);
    put_formula(s, i, &s->text);
    put_field(s, 2, width);
}

static bool is_of(const dae_reduced_slot *slot, size_t group)
{
    return slot->group == (int32_t)group && is_first(slot);
}

static void put_group(showing *s, size_t group, int width)
{
    const dae_reduced_system *y = s->system;
    size_t count = 0, shown = 0;
    for (size_t i = 0; i < y->equation_count; i++)
        if (y->equations[i].group == (int32_t)group && shown++ < ITEMS_SHOWN)
            put_formulas(s, i, width);
    if (shown > ITEMS_SHOWN) (void)fputs("  ...\n", stdout);
    for (size_t k = 0; k < y->slot_count; k++)
        count += is_of(&y->slots[k], group);
    phrase_put(&s->text, "for ");
    shown = 0;
    for (size_t k = 0; k < y->slot_count; k++)
        if (is_of(&y->slots[k], group)
            && phrase_next(&s->text, shown++, count, NAMES_SHOWN))
            put_class(s, k, &s->text);
    put_field(s, 2, width);
}

static void put_groups(showing *s, int width)
{
    const dae_reduced_system *y = s->system;
    (void)fputs("\nequations, in the order in which they are solved\n", stdout);
    for (size_t b = 0; b < y->group_count && b < ITEMS_SHOWN; b++) {
        if (b) (void)fputc('\n', stdout);
        put_group(s, b, width);
    }
    put_rest(y->group_count);
}

static void put_unsolved(
    showing *s, const char *title, dae_reduced_use use, int width)
{
    const dae_reduced_system *y = s->system;
    size_t count = 0;
    for (size_t i = 0; i < y->equation_count; i++) {
        if (y->equations[i].use != use) continue;
        if (count == 0) (void)printf("\n%s\n", title);
        if (count++ < ITEMS_SHOWN) put_formulas(s, i, width);
    }
    put_rest(count);
}

static size_t count_role(const dae_reduced_system *y, dae_role role)
{
    size_t count = 0;
    for (size_t k = 0; k < y->slot_count; k++)
        count += y->slots[k].role == role && is_first(&y->slots[k]);
    return count;
}

/* What another way than dummy derivatives adds. */
static void put_multipliers(const dae_reduction_report *how)
{
    const long long count = (long long)how->constraints;
    (void)printf(
        "\nmultipliers\n  %lld, by which constraints hold beside their "
        "last derivatives: added to the\n  slopes of the states in "
        "them, along their gradients; 0 on the solution\n",
        count);
}

static void put_all(showing *s)
{
    const dae_reduced_system *y = s->system;
    const char *title = dae_model_title(s->session->model);
    const size_t dummies = count_role(y, DAE_ROLE_DUMMY);
    const int width = (int)widest_equation(s) + 3;
    const dae_reduction_report how = dae_solver_reduction(
        dae_run_solver(s->session->run));
    const bool is_projected = strcmp(how.method, "projection") == 0;
    (void)printf("%s\nreduced system at t = %.10g: %zu state%s, %zu dummy "
                 "derivative%s\n",
        *title ? title : dae_model_name(s->session->model), y->t,
        y->state_count, NUMBER_PLURAL(y->state_count), dummies,
        NUMBER_PLURAL(dummies));
    put_slots(s, "states", DAE_ROLE_STATE, false);
    put_slots(s, "dummy derivatives", DAE_ROLE_DUMMY, true);
    put_slots(s, "derivatives of any value, which nothing depends on",
        DAE_ROLE_HELD, false);
    if (strcmp(how.method, "stabilization") == 0) put_multipliers(&how);
    put_groups(s, width);
    put_unsolved(s, "taken out: two that are one", DAE_USE_EQUALITY, width);
    put_unsolved(s,
        is_projected ? "projected on after each step"
                     : "left out: they follow from the others",
        DAE_USE_REDUNDANT, width);
}

/* ---- the command ------------------------------------------------------------- */

static dae_status show(session *s)
{
    dae_reduced_system *y;
    dae_status st = dae_solver_reduced(dae_run_solver(s->run), &y);
    if (st) return st;
    if (!y) {
        const long long index =
            (long long)dae_solver_reduction(dae_run_solver(s->run)).index;
        (void)printf("%s\n", dae_model_name(s->model));
        if (index < 2)
            (void)fputs("the index is not above 1: the equations are solved as "
                        "they stand\n",
                stdout);
        else
            (void)printf(
                "index %lld: the equations are integrated as they stand\n",
                index);
        return dae_model_show(
            s->model, DAE_SHOW_EQUATIONS, console_write_clean, stdout);
    }
    showing w = {.session = s,
        .system = y,
        .names = {.model = s->model},
        .p = dae_run_problem(s->run)};
    put_all(&w);
    dae_reduced_system_free(y);
    return DAE_OK;
}

exit_status show_reduced(const args *a)
{
    return session_show(a, show);
}
