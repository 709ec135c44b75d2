/* What the tables leave open, and why: formulas by which two pairs of steps do
 * not agree on an order, and unknowns that do as no rule in k says. */
#include "memory.h"
#include "orders_tell.h"
#include <math.h>
#include <string.h>

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
    phrase_put(p, " with ");
    orders_tell_method(dae_orders_formula_at(v->fixed, o)->order, p);
    phrase_put(p, " of ");
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

void orders_tell_unsettled(const orders_view *v, phrase *p)
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
        if (o) phrase_put(p, ", ");
        if (is_told) orders_tell_order(order, p);
        else phrase_put(p, "-");
        has_any = has_any || is_told;
    }
    return has_any;
}

static void put_formulas(const dae_orders_steps *f, phrase *p)
{
    const size_t last = dae_orders_formula_count(f) - 1;
    const int lowest = dae_orders_formula_at(f, 0)->order;
    const int highest = dae_orders_formula_at(f, last)->order;
    const bool is_range = last > 1 && highest == lowest + (int)last;
    phrase_put(p, ", with ");
    if (is_range) phrase_add(p, "BDFk for k = %d to %d", lowest, highest);
    for (size_t o = 0; o <= last && !is_range; o++) {
        if (o) phrase_put(p, o < last ? ", " : " and ");
        orders_tell_method(dae_orders_formula_at(f, o)->order, p);
    }
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
    put_formulas(v->fixed, p);
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

void orders_tell_rest(const orders_view *v, phrase *p)
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
