#include "check.h"
#include "memory.h"
#include "number.h"
#include <string.h>

/* A longer formula is cut: it would not be read. */
enum { FORMULA_LENGTH = 240 };
enum { MOST_HIDDEN = 20, INDENT = 2 };

/* Hidden constraint i as the analysis has them. */
static dae_constraint constraint_at(const check *k, size_t i)
{
    dae_constraint c = {0};
    (void)memory_sufficed(dae_report_constraint_at(k->report, i, &c));
    return c;
}

/* What it determines; unknown -1: nothing that has a name. */
static dae_slot determined_by(const check *k, size_t i)
{
    dae_slot slot = {-1, 0};
    (void)memory_sufficed(
        dae_report_constraint_determines(k->report, i, &slot));
    return slot;
}

/* "": too large. */
static void put_formula(const check *k, size_t i, phrase *p)
{
    phrase_keep(p, p->length,
        dae_report_constraint_formula(
            k->report, i, FORMULA_LENGTH, phrase_write, p));
}

/* ---- as text ----------------------------------------------------------------- */

static void put_role(
    const check *k, const dae_constraint *c, dae_slot determined, phrase *p)
{
    if (c->line) phrase_add(p, "line %u, ", (unsigned)c->line);
    if (c->is_combination) phrase_put(p, "a combination, ");
    if (c->differentiated > 0)
        phrase_add(p, "differentiated %s, ", check_times(c->differentiated).s);
    if (c->restricts_start) {
        phrase_put(p, "restricts the start");
    } else if (determined.unknown >= 0) {
        phrase_put(p, c->is_alone ? "determines " : "helps to determine ");
        phrase_put(p, check_slot_name(k, determined));
    } else {
        phrase_put(p, "determines a derivative");
    }
}

static void print_one_hidden(
    const check *k, size_t i, int width, phrase *p, FILE *file)
{
    const dae_constraint c = constraint_at(k, i);
    phrase_empty(p);
    put_formula(k, i, p);
    if (p->length == 0) phrase_put(p, "(too long to be written)");
    phrase_field(file, INDENT, width,
        check_equation_name(k, c.equation, c.differentiated), phrase_text(p));
    phrase_empty(p);
    put_role(k, &c, determined_by(k, i), p);
    phrase_field(file, INDENT, width, "", phrase_text(p));
}

/* Hidden constraints that are shown, and how many others of the same equation
 * stand behind the i-th of them in the analysis. */
typedef struct hidden_list {
    const check *check;
    bool is_verbose;
    bool is_short; /* the first of each equation stands for all of them */
    size_t count;  /* all */
} hidden_list;

/* Those that follow along are shown with --verbose. */
static bool is_in_list(const hidden_list *l, size_t i)
{
    const dae_constraint c = constraint_at(l->check, i);
    return check_shows_equation(l->check, c.equation)
        && (l->is_verbose || !c.follows);
}

/* *others: of its equation; the index after the last of them, or after i. */
static size_t end_of_equation(const hidden_list *l, size_t i, size_t *others)
{
    const dae_analysis *a = l->check->analysis;
    size_t end = i + 1;
    *others = 0;
    if (!l->is_short) return end;
    for (; end < a->hidden_count
         && a->hidden[end].equation == a->hidden[i].equation;
         end++)
        *others += is_in_list(l, end);
    return end;
}

/* Of many constraints the first of each equation, and of many equations the
 * first ones. */
static hidden_list list_hidden(const check *k, bool is_verbose)
{
    hidden_list l = {.check = k, .is_verbose = is_verbose};
    for (size_t i = 0; i < k->analysis->hidden_count; i++)
        l.count += is_in_list(&l, i);
    l.is_short = !is_verbose && l.count > MOST_HIDDEN;
    return l;
}

/* As long as the names of those that are printed; longer ones than usual stand
 * out. */
static int width_of_names(const hidden_list *l)
{
    enum { LEAST = 6, LONGEST = 24 };
    const dae_analysis *a = l->check->analysis;
    int width = LEAST;
    size_t shown = 0, others;
    for (size_t i = 0; i < a->hidden_count;
         i = end_of_equation(l, i, &others)) {
        if (!is_in_list(l, i)) continue;
        if (l->is_short && shown++ == MOST_HIDDEN) break;
        const int length = (int)strlen(check_equation_name(l->check,
            (size_t)a->hidden[i].equation, a->hidden[i].differentiated));
        if (length > width && length < LONGEST) width = length;
    }
    return width + 2;
}

static void print_list(const hidden_list *l, phrase *p, FILE *file)
{
    const dae_analysis *a = l->check->analysis;
    const int width = width_of_names(l);
    size_t shown = 0, printed = 0, others;
    for (size_t i = 0, end; i < a->hidden_count; i = end) {
        end = end_of_equation(l, i, &others);
        if (!is_in_list(l, i)) continue;
        if (l->is_short && shown++ == MOST_HIDDEN) break;
        print_one_hidden(l->check, i, width, p, file);
        printed += 1 + others;
        if (!others) continue;
        phrase_empty(p);
        phrase_add(p, "and %zu more derivative%s of it", others,
            NUMBER_PLURAL(others));
        phrase_field(file, INDENT, width, "", phrase_text(p));
    }
    if (l->count > printed)
        (void)fprintf(file, "%*sand %zu more; --verbose lists all\n", INDENT,
            "", l->count - printed);
}

void check_print_hidden(const check *k, bool is_verbose, phrase *p, FILE *file)
{
    if (k->analysis->hidden_count == 0) return;
    const hidden_list l = list_hidden(k, is_verbose);
    if (l.count)
        (void)fprintf(file, "\nhidden constraint%s\n", NUMBER_PLURAL(l.count));
    if (l.count) print_list(&l, p, file);
}

/* ---- in the document --------------------------------------------------------- */

/* With its formula, or null in the place of one; `more`: of the same equation,
 * which are left out. */
static void put_hidden(const check *k, size_t i, bool has_formula, size_t more,
    json *j, phrase *text)
{
    const dae_constraint c = constraint_at(k, i);
    const dae_slot of = determined_by(k, i);
    json_begin_object(j, NULL);
    json_string(j, "equation", check_equation_name(k, c.equation, 0));
    if (c.line) json_integer(j, "line", c.line);
    json_integer(j, "differentiated", c.differentiated);
    phrase_empty(text);
    if (has_formula) put_formula(k, i, text);
    json_string(j, "text", text->length ? phrase_text(text) : NULL);
    json_boolean(j, "restricts_start", c.restricts_start != 0);
    json_string(
        j, "determines", of.unknown < 0 ? NULL : check_slot_name(k, of));
    if (more) json_integer(j, "more", (int64_t)more);
    json_end_object(j);
}

/* Of more than MOST_FORMULAS, unless all are wanted, the first of each equation
 * stands for the others, and so many have a formula. */
void check_json_hidden(const check *k, bool is_verbose, json *j)
{
    phrase text = {0};
    enum { MOST_FORMULAS = 10000 };
    const size_t count = k->analysis ? k->analysis->hidden_count : 0;
    const hidden_list l = {.check = k,
        .is_verbose = true, /* those that follow along, too */
        .is_short = !is_verbose && count > MOST_FORMULAS};
    size_t shown = 0, others;
    json_begin_array(j, "hidden_constraints");
    for (size_t i = 0, end; i < count; i = end) {
        end = end_of_equation(&l, i, &others);
        if (!is_in_list(&l, i)) continue;
        put_hidden(
            k, i, !l.is_short || shown++ < MOST_FORMULAS, others, j, &text);
    }
    json_end_array(j);
}
