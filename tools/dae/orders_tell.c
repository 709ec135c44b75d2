#include "memory.h"
#include "orders_view.h"
#include <dae/stability.h>
#include <math.h>
#include <string.h>

/* Variables told one by one, and how near a measured order is to a number. */
enum { TOLD = 4 };

static const double NEAR = 0.25;

/* ---- pieces ---- */

snippet orders_method_name(int order)
{
    return order == 1 ? snippet_of("backward Euler")
                      : snippet_of("BDF%d", order);
}

static snippet method_of(const dae_orders_steps *f, size_t formula)
{
    return orders_method_name(dae_orders_formula_at(f, formula)->order);
}

/* "1", or what is no whole number: "1.6". */
static snippet order_text(double order)
{
    const double whole = round(order);
    return fabs(order - whole) <= NEAR ? snippet_of("%.0f", fabs(whole))
                                       : snippet_of("%.1f", order);
}

/* "k - 1", "k", "k + 1" */
static snippet offset_text(int offset)
{
    if (offset == 0) return snippet_of("k");
    return snippet_of(
        "k %c %d", offset < 0 ? '-' : '+', offset < 0 ? -offset : offset);
}

/* ---- whether there is an order ---- */

/* Wherever there is an order pairs of steps agree on it. */
static bool orders_is_settled(const orders_view *v, size_t o, size_t k)
{
    return dae_orders_is_settled(v->fixed, o, DAE_ORDERS_ONE_STEP, k)
        && dae_orders_is_settled(v->fixed, o, DAE_ORDERS_SETTLED, k)
        && dae_orders_is_settled(v->unequal, o, DAE_ORDERS_SETTLED, k);
}

/* Whether the orders that were seen are k + *offset throughout, of at least two
 * formulas, up to the first that two pairs of steps do not agree on; *last: the
 * highest of them. */
static bool find_offset(const orders_view *v, const dae_orders_steps *f,
    size_t variable, dae_orders_error list, int *offset, int *last)
{
    int seen = 0;
    *offset = *last = 0;
    for (size_t o = 0; o < dae_orders_formula_count(f); o++) {
        const int order = dae_orders_formula_at(f, o)->order;
        const double value = dae_orders_observed(f, o, list, variable);
        if (!orders_is_settled(v, o, variable)) break;
        if (isnan(value)) continue;
        const int here = (int)lround(value) - order;
        if (fabs(value - round(value)) > NEAR) return false;
        if (seen++ && here != *offset) return false;
        *offset = here;
        *last = order;
    }
    return seen > 1;
}

/* ---- a variable of higher index ---- */

/* The first formula that shows an order of one step; false: none does. */
static bool find_shown(const orders_view *v, size_t variable, size_t *formula)
{
    const dae_orders_steps *f = v->fixed;
    for (size_t o = 0; o < dae_orders_formula_count(f); o++) {
        *formula = o;
        if (!isnan(dae_orders_observed(f, o, DAE_ORDERS_ONE_STEP, variable))
            && orders_is_settled(v, o, variable))
            return true;
    }
    return false;
}

/* What the first-step error does. */
static snippet local_text(double order)
{
    if (fabs(order) <= NEAR) return snippet_of("does not shrink with the step");
    if (order < 0) return snippet_of("grows as the step shrinks");
    return snippet_of("is of order %s", order_text(order).s);
}

/* From which step on no exact value is left in what is differentiated. */
static snippet from_text(int64_t index, int order)
{
    const int64_t step = (index - 2) * order + 1;
    if (step < 2) return snippet_of("%s", "");
    return step == 2 ? snippet_of(" from the second step on")
                     : snippet_of(" from step %lld on", (long long)step);
}

static snippet settled_text(double order)
{
    return order <= NEAR ? snippet_of("does not shrink either")
                         : snippet_of("is of order %s", order_text(order).s);
}

/* With unequal steps beside equal ones. */
static snippet unequal_text(double equal, double unequal)
{
    return unequal <= NEAR && equal > NEAR
        ? snippet_of("never")
        : snippet_of("of order %s", order_text(fmax(unequal, 0)).s);
}

static void put_settled(
    const orders_view *v, size_t variable, size_t formula, phrase *p)
{
    const double settled = dae_orders_observed(
        v->fixed, formula, DAE_ORDERS_SETTLED, variable);
    const double unequal = dae_orders_observed(
        v->unequal, formula, DAE_ORDERS_SETTLED, variable);
    const bool is_same = fabs(settled - unequal) <= NEAR;
    if (isnan(settled)) return;
    phrase_add(p, "; %s it %s%s",
        v->pattern_count     ? "with these unequal steps"
            : isnan(unequal) ? "over the run"
            : is_same        ? "with equal steps and unequal ones"
                             : "with equal steps",
        settled_text(settled).s,
        from_text(orders_variable(v, variable)->index,
            dae_orders_formula_at(v->fixed, formula)->order)
            .s);
    if (!is_same && !isnan(unequal))
        phrase_add(
            p, ", with unequal ones %s", unequal_text(settled, unequal).s);
}

/* What all formulas together show. */
static void put_formulas(const orders_view *v, size_t variable, phrase *p)
{
    int local = 0, settled = 0, unequal = 0, last = 0;
    if (!find_offset(v, v->fixed, variable, DAE_ORDERS_SETTLED, &settled, &last)
        || !find_offset(
            v, v->fixed, variable, DAE_ORDERS_ONE_STEP, &local, &last))
        return;
    phrase_add(p,
        " With BDFk up to k = %d it is of order %s in the first step and %s %s",
        last, offset_text(local).s, offset_text(settled).s,
        v->index > 2 ? "when the start is left behind" : "over the run");
    if (find_offset(
            v, v->unequal, variable, DAE_ORDERS_SETTLED, &unequal, &last))
        phrase_add(
            p, ", and of order %s with unequal steps", offset_text(unequal).s);
    phrase_put(p, ".");
}

static void tell_high(const orders_view *v, size_t variable, phrase *p)
{
    size_t formula;
    if (!find_shown(v, variable, &formula)) return;
    const double local = dae_orders_observed(
        v->fixed, formula, DAE_ORDERS_ONE_STEP, variable);
    phrase_add(p, "%s is of index %lld: with %s its first-step error %s",
        orders_view_name(v, variable),
        (long long)orders_variable(v, variable)->index,
        method_of(v->fixed, formula).s, local_text(local).s);
    put_settled(v, variable, formula, p);
    phrase_put(p, ".");
    put_formulas(v, variable, p);
    phrase_put(p, " ");
}

/* ---- the others ---- */

static bool is_high(const orders_view *v, size_t k)
{
    return orders_variable(v, k)->index > 1;
}

/* Variables of which the same is seen: differential, or of index 1. */
static bool is_alike(
    const orders_view *v, size_t k, int local, int settled, int up_to)
{
    int theirs[2] = {0}, last = 0;
    return !is_high(v, k)
        && find_offset(v, v->fixed, k, DAE_ORDERS_ONE_STEP, &theirs[0], &last)
        && find_offset(v, v->fixed, k, DAE_ORDERS_SETTLED, &theirs[1], &last)
        && theirs[0] == local && theirs[1] == settled && last == up_to;
}

static size_t count_alike(
    const orders_view *v, int local, int settled, int last)
{
    size_t count = 0;
    for (size_t k = 0; k < v->variable_count; k++)
        count += is_alike(v, k, local, settled, last);
    return count;
}

static void put_alike(
    const orders_view *v, int local, int settled, int last, phrase *p)
{
    const size_t count = count_alike(v, local, settled, last);
    size_t seen = 0;
    for (size_t k = 0; k < v->variable_count; k++)
        if (is_alike(v, k, local, settled, last)
            && phrase_next(p, seen++, count, TOLD))
            phrase_put(p, orders_view_name(v, k));
    phrase_add(p,
        ": %s of order %s, over the run of order %s, with BDFk up to k = %d. ",
        count == 1 ? "the error of one step is" : "errors of one step are",
        offset_text(local).s, offset_text(settled).s, last);
}

/* Each group of the same orders once, at its first variable. */
static void tell_low(const orders_view *v, phrase *p)
{
    for (size_t k = 0; k < v->variable_count; k++) {
        int local = 0, settled = 0, last = 0;
        bool is_told = false;
        if (is_high(v, k)
            || !find_offset(v, v->fixed, k, DAE_ORDERS_ONE_STEP, &local, &last)
            || !find_offset(
                v, v->fixed, k, DAE_ORDERS_SETTLED, &settled, &last))
            continue;
        for (size_t i = 0; i < k; i++)
            is_told = is_told || is_alike(v, i, local, settled, last);
        if (!is_told) put_alike(v, local, settled, last, p);
    }
}

/* A rule in k, or a sentence about a formula, says what a variable does. */
static bool orders_is_told(const orders_view *v, size_t k)
{
    int offset, last;
    size_t formula;
    if (is_high(v, k)) return find_shown(v, k, &formula);
    return find_offset(v, v->fixed, k, DAE_ORDERS_ONE_STEP, &offset, &last)
        && find_offset(v, v->fixed, k, DAE_ORDERS_SETTLED, &offset, &last);
}

/* What the tables leave open, and why: formulas by which two pairs of steps do
 * not agree on an order, and unknowns that do as no rule in k says. */

/* Names in a list, and unknowns or groups of them told of. */
enum { NAMED = 4, GROUPS = 4 };

static const dae_orders_error TOLD_LISTS[] = {
    DAE_ORDERS_ONE_STEP, DAE_ORDERS_SETTLED};

enum { TOLD_LIST_COUNT = sizeof TOLD_LISTS / sizeof *TOLD_LISTS };

static const char UNSURE[] =
    "errors at shorter steps are less than 10 times what the reference is "
    "wrong by";

/* ---- no agreement ---- */

/* What errors at the shortest steps are where pairs of steps do not agree. */
typedef struct reasons {
    bool is[DAE_WORTH_BELIEVED + 1];
} reasons;

static void note_reasons(const dae_orders_steps *f, size_t o, size_t k,
    dae_orders_error list, reasons *why)
{
    if (dae_orders_is_settled(f, o, list, k)) return;
    const dae_orders_row *row = dae_orders_row_at(
        f, o, dae_orders_step_count(f) - 1);
    why->is[dae_orders_worth_of(row, list, k)] = true;
}

static size_t count_open(const orders_view *v, size_t o)
{
    size_t count = 0;
    for (size_t k = 0; k < v->variable_count; k++)
        count += !orders_is_settled(v, o, k);
    return count;
}

/* " with BDF3 of x, y and 2 more" */
static void put_open(const orders_view *v, size_t o, size_t count, phrase *p)
{
    size_t told = 0;
    phrase_add(p, " with %s of ", method_of(v->fixed, o).s);
    for (size_t k = 0; k < v->variable_count; k++)
        if (!orders_is_settled(v, o, k) && phrase_next(p, told++, count, NAMED))
            phrase_put(p, orders_view_name(v, k));
}

static void put_reasons(const reasons *why, phrase *p)
{
    static const char *const texts[] = {"shorter steps have no errors",
        "errors at shorter steps are rounding", UNSURE,
        "these steps are too long"};
    size_t told = 0;
    for (size_t i = DAE_WORTH_BELIEVED + 1; i-- > 0;) {
        if (!why->is[i]) continue;
        phrase_put(p, told++ ? ", or " : ": ");
        phrase_put(p, texts[i]);
    }
    phrase_put(p, ". ");
}

static void orders_tell_unsettled(const orders_view *v, phrase *p)
{
    reasons why = {{false}};
    size_t told = 0;
    for (size_t o = 0; o < dae_orders_formula_count(v->fixed); o++) {
        const size_t count = count_open(v, o);
        if (count == 0) continue;
        phrase_put(
            p, told++ ? ";" : "No order that two pairs of steps agree on:");
        put_open(v, o, count, p);
        for (size_t k = 0; k < v->variable_count; k++) {
            note_reasons(v->fixed, o, k, DAE_ORDERS_ONE_STEP, &why);
            note_reasons(v->fixed, o, k, DAE_ORDERS_SETTLED, &why);
            note_reasons(v->unequal, o, k, DAE_ORDERS_SETTLED, &why);
        }
    }
    if (told) put_reasons(&why, p);
}

/* ---- no rule ---- */

/* The best that errors of a variable are. */
static dae_orders_worth worth_of(const dae_orders_steps *f, size_t k)
{
    dae_orders_worth best = DAE_WORTH_NOTHING;
    const size_t steps = dae_orders_step_count(f);
    for (size_t r = 0; r < dae_orders_formula_count(f) * steps; r++)
        for (size_t l = 0; l < TOLD_LIST_COUNT; l++) {
            const dae_orders_worth w = dae_orders_worth_of(
                dae_orders_row_at(f, r / steps, r % steps), TOLD_LISTS[l], k);
            if (w > best) best = w;
        }
    return best;
}

/* "2, 3, -"; false: there is none. */
static bool put_list(
    const orders_view *v, size_t k, dae_orders_error list, phrase *p)
{
    bool has_any = false;
    for (size_t o = 0; o < dae_orders_formula_count(v->fixed); o++) {
        const double order = dae_orders_observed(v->fixed, o, list, k);
        const bool is_told = !isnan(order) && orders_is_settled(v, o, k);
        phrase_add(
            p, "%s%s", o ? ", " : "", is_told ? order_text(order).s : "-");
        has_any = has_any || is_told;
    }
    return has_any;
}

static void put_formula_names(const dae_orders_steps *f, phrase *p)
{
    const size_t last = dae_orders_formula_count(f) - 1;
    const int lowest = dae_orders_formula_at(f, 0)->order;
    const int highest = dae_orders_formula_at(f, last)->order;
    const bool is_range = last > 1 && highest == lowest + (int)last;
    phrase_put(p, ", with ");
    if (is_range) phrase_add(p, "BDFk for k = %d to %d", lowest, highest);
    for (size_t o = 0; o <= last && !is_range; o++)
        if (phrase_next(p, o, last + 1, SIZE_MAX))
            phrase_put(p, method_of(f, o).s);
}

/* "errors of one step are of order 2, 3, those of the run of order 1, 2, with BDF1
 * and BDF2. " */
static void put_orders(const orders_view *v, size_t k, phrase *p)
{
    static const char *const heads[] = {
        "errors of one step are of order ", "errors of the run are of order "};
    bool has_any = false;
    for (size_t l = 0; l < TOLD_LIST_COUNT; l++) {
        phrase list = {.text = NULL};
        if (put_list(v, k, TOLD_LISTS[l], &list)) {
            phrase_put(p, has_any ? ", those of the run of order " : heads[l]);
            phrase_put(p, phrase_text(&list));
            has_any = true;
        }
    }
    if (!has_any) return;
    put_formula_names(v->fixed, p);
    phrase_put(p, ". ");
}

/* What is said of a variable behind its name; nothing where that is done by the
 * formulas which are open. */
static void put_rest(const orders_view *v, size_t k, phrase *p)
{
    const dae_orders_worth worth = worth_of(v->fixed, k);
    if (worth == DAE_WORTH_ROUNDING) phrase_put(p, "no error but rounding. ");
    if (worth == DAE_WORTH_REFERENCE)
        phrase_put(p,
            "all errors are less than 10 times what the reference is "
            "wrong by. ");
    if (worth == DAE_WORTH_BELIEVED) put_orders(v, k, p);
}

static bool is_of(const orders_view *v, size_t k, const char *text)
{
    phrase mine = {0};
    const size_t mark = memory_mark();
    if (!orders_is_told(v, k)) put_rest(v, k, &mine);
    const bool is_same = strcmp(phrase_text(&mine), text) == 0;
    memory_release(mark);
    return is_same;
}

/* All variables of which this is said, in one sentence. */
static void tell_group(const orders_view *v, const char *text, phrase *p)
{
    size_t count = 0, told = 0;
    for (size_t k = 0; k < v->variable_count; k++) count += is_of(v, k, text);
    for (size_t k = 0; k < v->variable_count; k++)
        if (is_of(v, k, text) && phrase_next(p, told++, count, NAMED))
            phrase_put(p, orders_view_name(v, k));
    phrase_put(p, ": ");
    phrase_put(p, text);
}

static void orders_tell_rest(const orders_view *v, phrase *p)
{
    phrase groups[GROUPS] = {{.text = NULL}};
    size_t count = 0;
    for (size_t k = 0; k < v->variable_count && count < GROUPS; k++) {
        bool is_new = !orders_is_told(v, k);
        for (size_t g = 0; is_new && g < count; g++)
            is_new = !is_of(v, k, phrase_text(&groups[g]));
        if (is_new) put_rest(v, k, &groups[count]);
        if (groups[count].length)
            tell_group(v, phrase_text(&groups[count++]), p);
    }
}

/* ---- paragraphs ---- */

void orders_tell_end(phrase *p)
{
    if (p->length && p->text[p->length - 1] == ' ') p->text[--p->length] = '\0';
}

void orders_tell_steps(const orders_view *v, phrase *p)
{
    size_t told = 0;
    if (!v->fixed || v->is_by_method) return;
    for (size_t k = v->variable_count; k-- > 0 && told < TOLD;)
        if (is_high(v, k)) tell_high(v, k, p), told++;
    tell_low(v, p);
    orders_tell_rest(v, p);
    orders_tell_unsettled(v, p);
    orders_tell_end(p);
}

void orders_tell(const orders_view *v, phrase *p)
{
    void (*const parts[])(const orders_view *, phrase *) = {orders_tell_steps,
        orders_tell_methods, orders_tell_wrong, orders_tell_runs,
        orders_tell_notes};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        const size_t before = p->length;
        parts[i](v, p);
        if (p->length > before) phrase_put(p, " ");
    }
    orders_tell_end(p);
}

/* ---- notes ---- */

static void note_order_six(phrase *p)
{
    const dae_method *m;
    for (size_t k = 0; (m = dae_method_at(k)); k++)
        if (strcmp(m->name, "bdf6") == 0)
            phrase_add(p,
                "BDF6 is stable within %.1f degrees of the negative real axis "
                "only, and for lessons alone. ",
                dae_stability_traits_of(m).alpha);
}

static void put_failure(const dae_orders_row *row, phrase *p)
{
    const dae_orders_failure *f = &row->failure;
    phrase_add(p, "%s with step %.6g %s",
        row->formula->method ? row->formula->name
                             : orders_method_name(row->formula->order).s,
        row->step,
        row->is_short ? "has too few points to start from" : "came to no end");
    if (f->code[0]) phrase_add(p, " (%s: %s)", f->code, f->text);
}

/* Formulas that came to no end, with the first of the reasons. */
static void note_failures(const orders_view *v, phrase *p)
{
    const size_t formulas = dae_orders_formula_count(v->fixed);
    const size_t steps = dae_orders_step_count(v->fixed);
    size_t failed = 0;
    const dae_orders_row *first = NULL;
    for (size_t r = 0; r < formulas * steps; r++) {
        const dae_orders_row *row = dae_orders_row_at(
            v->fixed, r / steps, r % steps);
        if (row->status == DAE_OK && !row->is_short) continue;
        if (!failed++ || (first->is_short && !row->is_short)) first = row;
    }
    if (!failed) return;
    put_failure(first, p);
    if (failed > 1)
        phrase_add(p, ", and so in %zu cases of %zu", failed, formulas * steps);
    phrase_put(p, ". ");
}

/* The first of the runs that failed. */
static void note_failed_runs(const orders_view *v, phrase *p)
{
    for (size_t i = 0; i < v->run_count; i++) {
        const dae_orders_run *row = orders_run(v, i);
        if (row->status == DAE_OK || !row->failure.code[0]) continue;
        phrase_add(p, "%s at rtol = %.0e fails (%s: %s). ",
            orders_series_name(row).s, row->rtol, row->failure.code,
            row->failure.text);
        return;
    }
}

static bool has_order_six(const orders_view *v)
{
    for (size_t o = 0; o < dae_orders_formula_count(v->fixed); o++)
        if (dae_orders_formula_at(v->fixed, o)->order == 6) return true;
    return false;
}

void orders_tell_notes(const orders_view *v, phrase *p)
{
    note_failures(v, p);
    if (has_order_six(v)) note_order_six(p);
    note_failed_runs(v, p);
    if (v->is_part)
        phrase_put(p,
            "The time limit ended the studies: what is missing has "
            "not been computed. ");
    if (dae_orders_reference_of_steps(v->orders).is_refuted)
        phrase_add(p,
            "The formulas of the expect lines are not the solution that runs "
            "find, so errors are against %s. ",
            orders_reference_sentence(v));
    orders_tell_end(p);
}
