#include "check_parts.h"
#include "memory.h"
#include "number.h"

/* A longer formula is cut: it would not be read. */
enum { FORMULA_LENGTH = 240 };
enum { MOST_HIDDEN = 20, INDENT = 2 };

/* ---- one of them ------------------------------------------------------------- */

static void put_name(const check *k, const dae_hidden *h, phrase *p)
{
    check_put_equation(k, (size_t)h->equation, h->differentiated, p);
}

/* What it determines, as its formula shows it; false: nothing that has a name. */
static bool find_determined(const check *k, const dae_hidden *h, dae_slot *slot)
{
    *slot = h->determines;
    if (h->restricts_start || slot->unknown < 0) return false;
    if (!check_shows_unknown(k, (size_t)slot->unknown)) return false;
    if (!h->is_alone || h->repair >= 0) return true;
    dae_slot other = *slot;
    if (!dae_model_formula_slot(
            k->model, h->equation, h->differentiated, &other)
        && check_shows_unknown(k, (size_t)other.unknown))
        *slot = other;
    return true;
}

/* "": too large. */
static void put_formula(const check *k, const dae_hidden *h, phrase *p)
{
    const dae_term plain = {h->equation, 0, 1};
    const dae_term *terms = &plain;
    const dae_slot *independent = NULL;
    size_t count = 1, independent_count = 0, before = p->length;
    if (h->repair >= 0) {
        const dae_repair *r = &k->analysis->repairs[h->repair];
        terms = r->terms;
        count = r->term_count;
        independent = r->independent;
        independent_count = r->independent_count;
    }
    const dae_status st = dae_model_formula(k->model, terms, count, independent,
        independent_count, h->differentiated, 1, FORMULA_LENGTH, phrase_write,
        p);
    if (st) phrase_cut(p, before);
    if (st == DAE_MEMORY) (void)memory_sufficed(st);
}

/* ---- as text ----------------------------------------------------------------- */

static void print_one_hidden(
    const check *k, const dae_hidden *h, int width, phrase *p, FILE *file)
{
    phrase name = {0};
    put_name(k, h, &name);
    phrase_empty(p);
    put_formula(k, h, p);
    if (p->length == 0) phrase_put(p, "(too long to be written)");
    phrase_field(file, INDENT, width, phrase_text(&name), phrase_text(p));
    phrase_empty(p);
    const uint32_t line = dae_model_equation_line(
        k->model, (size_t)h->equation);
    if (line) phrase_add(p, "line %u, ", (unsigned)line);
    if (h->repair >= 0) phrase_put(p, "a combination, ");
    if (h->differentiated > 0) {
        phrase_put(p, "differentiated ");
        check_put_times(h->differentiated, p);
        phrase_put(p, ", ");
    }
    dae_slot slot;
    if (h->restricts_start) {
        phrase_put(p, "restricts the start");
    } else if (find_determined(k, h, &slot)) {
        phrase_put(p, h->is_alone ? "determines " : "helps to determine ");
        check_put_slot(k, (size_t)slot.unknown, slot.order, p);
    } else {
        phrase_put(p, "determines a derivative");
    }
    phrase_field(file, INDENT, width, "", phrase_text(p));
    memory_drop(name.text);
}

/* How often the equations of each row's block are differentiated at most. */
static int64_t *block_maxima(const dae_structure *s)
{
    int64_t *most = memory_take(s->n + 1, sizeof *most);
    for (size_t b = 0; most && b < s->fine_count; b++)
        for (int32_t p = s->fine[b].begin; p < s->fine[b].end; p++)
            most[s->row_at[p]] = s->fine[b].max_c;
    return most;
}

/* Equations that are differentiated less often than others of their block, and
 * whose derivatives restrict nothing, follow along: x' = u becomes x'' = u'.
 * They are shown with --verbose. */
static bool is_worth_it(
    const check *k, const dae_hidden *h, const int64_t *most, bool is_verbose)
{
    if (!check_shows_equation(k, (size_t)h->equation)) return false;
    return is_verbose || !most || h->restricts_start || h->repair >= 0
        || h->differentiated == most[h->equation];
}

/* Hidden constraints that are shown, and how many others of the same equation
 * stand behind the i-th of them in the analysis. */
typedef struct hidden_list {
    const check *check;
    const int64_t *most; /* by equation; NULL: memory ran out */
    bool is_verbose;
    bool is_short; /* the first of each equation stands for all of them */
    size_t count;  /* all */
} hidden_list;

static bool is_in_list(const hidden_list *l, size_t i)
{
    return is_worth_it(
        l->check, &l->check->analysis->hidden[i], l->most, l->is_verbose);
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
static hidden_list list_hidden(
    const check *k, const int64_t *most, bool is_verbose)
{
    hidden_list l = {.check = k, .most = most, .is_verbose = is_verbose};
    for (size_t i = 0; i < k->analysis->hidden_count; i++)
        l.count += is_in_list(&l, i);
    l.is_short = !is_verbose && l.count > MOST_HIDDEN;
    return l;
}

/* As long as the names of those that are printed; longer ones than usual stand
 * out. */
static int width_of_names(const hidden_list *l, phrase *p)
{
    enum { LEAST = 6, LONGEST = 24 };
    const dae_analysis *a = l->check->analysis;
    int width = LEAST;
    size_t shown = 0, others;
    for (size_t i = 0; i < a->hidden_count;
         i = end_of_equation(l, i, &others)) {
        if (!is_in_list(l, i)) continue;
        if (l->is_short && shown++ == MOST_HIDDEN) break;
        phrase_empty(p);
        put_name(l->check, &a->hidden[i], p);
        if ((int)p->length > width && p->length < LONGEST)
            width = (int)p->length;
    }
    return width + 2;
}

static void print_list(const hidden_list *l, phrase *p, FILE *file)
{
    const dae_analysis *a = l->check->analysis;
    const int width = width_of_names(l, p);
    size_t shown = 0, printed = 0, others;
    for (size_t i = 0, end; i < a->hidden_count; i = end) {
        end = end_of_equation(l, i, &others);
        if (!is_in_list(l, i)) continue;
        if (l->is_short && shown++ == MOST_HIDDEN) break;
        print_one_hidden(l->check, &a->hidden[i], width, p, file);
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
    int64_t *most = block_maxima(k->analysis->repaired);
    const hidden_list l = list_hidden(k, most, is_verbose);
    if (l.count)
        (void)fprintf(file, "\nhidden constraint%s\n", NUMBER_PLURAL(l.count));
    if (l.count) print_list(&l, p, file);
}

/* ---- in the document --------------------------------------------------------- */

/* With its formula, or null in the place of one; `more`: of the same equation,
 * which are left out. */
static void put_hidden(const check *k, const dae_hidden *h, bool has_formula,
    size_t more, json *j, phrase *text)
{
    json_begin_object(j, NULL);
    json_string(
        j, "equation", check_equation_name(k, (size_t)h->equation, text));
    const uint32_t line = dae_model_equation_line(
        k->model, (size_t)h->equation);
    if (line) json_integer(j, "line", line);
    json_integer(j, "differentiated", h->differentiated);
    phrase_empty(text);
    if (has_formula) put_formula(k, h, text);
    json_string(j, "text", text->length ? phrase_text(text) : NULL);
    json_boolean(j, "restricts_start", h->restricts_start != 0);
    dae_slot slot;
    json_string(j, "determines",
        find_determined(k, h, &slot)
            ? check_slot_name(k, (size_t)slot.unknown, slot.order, text)
            : NULL);
    if (more) json_integer(j, "more", (int64_t)more);
    json_end_object(j);
}

/* Of more than MOST_FORMULAS, unless all are wanted, the first of each equation
 * stands for the others, and so many have a formula. */
void check_json_hidden(const check *k, bool is_verbose, json *j, phrase *text)
{
    enum { MOST_FORMULAS = 10000 };
    const dae_analysis *a = k->analysis;
    const size_t count = a ? a->hidden_count : 0;
    const bool is_short = !is_verbose && count > MOST_FORMULAS;
    size_t shown = 0;
    json_begin_array(j, "hidden_constraints");
    for (size_t i = 0, end; i < count; i = end) {
        const dae_hidden *h = &a->hidden[i];
        end = i + 1;
        while (
            is_short && end < count && a->hidden[end].equation == h->equation)
            end++;
        if (!check_shows_equation(k, (size_t)h->equation)) continue;
        const bool has_formula = !is_short || shown++ < MOST_FORMULAS;
        put_hidden(k, h, has_formula, end - i - 1, j, text);
    }
    json_end_array(j);
}
