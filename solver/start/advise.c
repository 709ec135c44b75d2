/* Diagnostics about conditions of a start that was solved, or might be: by
 * structure alone where ranks are too dear (E and W codes 04xx), from findings
 * where they are known. */
#include "start/advise.h"
#include "start/sequence.h"
#include "start/wording.h"
#include <math.h>
#include <stdio.h>

enum { MISSING_NAMED = 8, PLACES_MORE = 3 };

dae_status advise_bound(const init_system *s, size_t slot)
{
    const init_request *r = s->request;
    const dae_source *source;
    text_span span;
    char name[NAMING_SIZE];
    const bool is_low = s->z[slot] < s->low[slot];
    slot_name(s, slot, name);
    slot_place(s, slot, &source, &span);
    report(r->ds, DIAG_E0405, source, span, "the condition `%s = %g` is %s",
        name, s->z[slot], is_low ? "below its minimum" : "above its maximum");
    report_label(r->ds, is_low ? "min = %g" : "max = %g",
        is_low ? s->low[slot] : s->high[slot]);
    report_numeric(r->ds, r->t0, 0, 0, NULL, name);
    return DAE_INCONSISTENT;
}

void advise_moved(const init_system *s, size_t slot, double from)
{
    const init_request *r = s->request;
    const dae_source *source;
    text_span span;
    char name[NAMING_SIZE];
    slot_name(s, slot, name);
    slot_place(s, slot, &source, &span);
    report(r->ds, DIAG_N0406, source, span,
        "the guess `%s ~ %g` was moved to %g, inside its bounds", name, from,
        s->z[slot]);
}

/* States that stand in for missing conditions, for the message. */
typedef struct stand_ins {
    size_t slots[MISSING_NAMED];
    size_t named, all;
} stand_ins;

static void add_stand_ins(
    const init_system *s, const split_part *p, stand_ins *to)
{
    for (size_t k = 0; k < p->slot_count; k++) {
        const size_t slot = (size_t)p->slots[k];
        if (slot >= s->states) continue;
        if (to->named < MISSING_NAMED) to->slots[to->named++] = slot;
        to->all++;
    }
}

static void list_stand_ins(
    const init_system *s, const stand_ins *from, text *out)
{
    char name[NAMING_SIZE];
    for (size_t k = 0; k < from->named; k++)
        text_add(out, "%s`%s` = %g", k ? ", " : "",
            slot_name(s, from->slots[k], name), s->z[from->slots[k]]);
    if (from->all > from->named)
        text_add(out, " and %zu more", from->all - from->named);
    if (from->all == 0) text_add(out, "values that are not conditions");
}

/* Their places after the first, each text once. */
static void place_stand_ins(
    const init_system *s, const stand_ins *from, text_span first)
{
    const dae_source *source;
    text_span span[1 + PLACES_MORE] = {first};
    char name[NAMING_SIZE];
    size_t count = 1;
    for (size_t k = 1; k < from->named && count <= PLACES_MORE; k++) {
        bool is_told = false;
        slot_place(s, from->slots[k], &source, &span[count]);
        for (size_t p = 0; p < count; p++)
            is_told = is_told || span[p].begin == span[count].begin;
        if (!source || is_told) continue;
        report_also(s->request->ds, source, span[count], "`%s` too",
            slot_name(s, from->slots[k], name));
        count++;
    }
}

/* An algebraic unknown in no constraint, or slots. */
static size_t find_undetermined(const init_system *s, const split_part *p)
{
    for (size_t k = 0; k < p->slot_count; k++) {
        int order;
        const size_t slot = (size_t)p->slots[k];
        const size_t j = naming_unknown(s->request->layout, slot, &order);
        if (s->request->layout->order[j] == 0) return slot;
    }
    return s->slots;
}

void advise_missing(const init_system *s, const split *sp,
    const split_part *open, size_t missing)
{
    const init_request *r = s->request;
    const dae_source *source = NULL;
    text_span span = {0, 0};
    char name[NAMING_SIZE];
    stand_ins from = {.named = 0};
    text names = {.length = 0};
    size_t alone = find_undetermined(s, &sp->untouched);
    add_stand_ins(s, &sp->part[SPLIT_STATES_UNDER], &from);
    add_stand_ins(s, &sp->untouched, &from);
    if (from.all == 0) {
        add_stand_ins(s, open, &from);
        alone = find_undetermined(s, open);
    }
    list_stand_ins(s, &from, &names);
    if (from.named) slot_place(s, from.slots[0], &source, &span);
    report(r->ds, DIAG_W0404, source, span,
        "%s%zu initial condition%s too few; taken from guesses: %s",
        r->is_count_bound ? "up to " : "", missing, missing == 1 ? "" : "s",
        names.s);
    if (from.named) {
        report_label(r->ds, "no condition and no equation determines `%s`",
            slot_name(s, from.slots[0], name));
        place_stand_ins(s, &from, span);
    }
    if (alone < s->slots)
        report_help(r->ds,
            "no constraint determines `%s` at the start: where no condition "
            "is meant for it, the index is above 1",
            slot_name(s, alone, name));
    else
        report_help(r->ds,
            "make guesses conditions: `=` instead of `~` in a declaration, "
            "or `init`");
    report_numeric(r->ds, r->t0, 0, 0, NULL, NULL);
}

void advise_redundant(
    const init_system *s, const split_part *checks, int64_t count)
{
    const init_request *r = s->request;
    const dae_source *source = NULL;
    text_span span = {0, 0};
    size_t slot;
    const size_t row = sequence_first_row(s, checks->rows, checks->row_count);
    if (row < s->rows) row_place(s, row, &source, &span);
    report(r->ds, DIAG_N0407, source, span,
        "%lld initial condition%s follow%s from the others and the "
        "equations, and agree%s",
        (long long)count, count == 1 ? "" : "s", count == 1 ? "s" : "",
        count == 1 ? "s" : "");
    if (!source) return;
    report_label(r->ds, "holds for the values that are given");
    if (fixed_in_row(s, row, 1, &slot) == 0) return;
    place_given(s, &(int32_t){(int32_t)slot}, 1);
}

/* ---- from findings -------------------------------------------------------------- */

/* "`x'`, `y` and 2 more", with values where `with_value`. */
static void list_slots(const init_system *s, const int32_t *slots, size_t count,
    bool with_value, text *out)
{
    char name[NAMING_SIZE];
    for (size_t k = 0; k < count && k < MISSING_NAMED; k++) {
        text_add(
            out, "%s`%s`", k ? ", " : "", slot_name(s, (size_t)slots[k], name));
        if (with_value) text_add(out, " = %g", s->z[slots[k]]);
    }
    if (count > MISSING_NAMED)
        text_add(out, " and %zu more", count - MISSING_NAMED);
}

/* `missing` of the `count` in the list of names. */
static void advise_to_give(
    const init_system *s, size_t missing, size_t count, const char *names)
{
    char which[40] = "";
    if (missing == 1 && count > 1)
        (void)snprintf(which, sizeof which, "one of ");
    else if (missing < count)
        (void)snprintf(which, sizeof which, "%zu of ", missing);
    else if (count > 1) (void)snprintf(which, sizeof which, "each of ");
    report_help(s->request->ds,
        "give %s%s a value: `=` instead of `~` in a declaration, or `init`",
        which, names);
}

static void advise_could_fix(const init_system *s, const init_findings *f)
{
    const init_request *r = s->request;
    const dae_source *source = NULL;
    text_span span = {0, 0};
    char name[NAMING_SIZE];
    text taken = {.length = 0}, other = {.length = 0};
    const size_t most = f->could_fix_count;
    const bool is_known = most >= f->missing;
    const int32_t *from = is_known ? f->could_fix : f->open;
    const size_t count = is_known ? f->missing : f->open_count;
    list_slots(s, from, count, true, &taken);
    if (count) slot_place(s, (size_t)from[0], &source, &span);
    report(r->ds, DIAG_W0404, source, span,
        "%s%zu initial condition%s too few; taken from guesses: %s",
        r->is_count_bound ? "up to " : "", f->missing,
        f->missing == 1 ? "" : "s",
        count ? taken.s : "values that are not conditions");
    if (count)
        report_label(r->ds, "no condition and no equation determines `%s`",
            slot_name(s, (size_t)from[0], name));
    list_slots(s, f->could_fix, most, false, &other);
    if (is_known) advise_to_give(s, f->missing, most, other.s);
    else
        report_help(r->ds,
            "make guesses conditions: `=` instead of `~` in a declaration, "
            "or `init`");
    report_numeric(r->ds, r->t0, 0, 0, NULL, NULL);
}

/* The condition's name, its value if it is one. */
static void add_party(const init_system *s, const init_party *p, text *out)
{
    char name[NAMING_SIZE];
    if (p->kind == INIT_GIVEN)
        text_add(
            out, "`%s = %g`", slot_name(s, p->index, name), s->z[p->index]);
    else text_add(out, "`%s`", row_name(s, s->equations + p->index, name));
}

static void party_place(const init_system *s, const init_party *p,
    const dae_source **source, text_span *span)
{
    if (p->kind == INIT_GIVEN) slot_place(s, p->index, source, span);
    else row_place(s, s->equations + p->index, source, span);
}

/* Whether a party before the k-th stands there: elements of an array do. */
static bool is_placed(
    const init_system *s, const init_findings *f, size_t k, text_span span)
{
    const dae_source *source;
    text_span other;
    for (size_t i = 0; i < k; i++) {
        party_place(s, &f->redundant[i], &source, &other);
        if (source && other.begin == span.begin && other.end == span.end)
            return true;
    }
    return false;
}

static void advise_follows(const init_system *s, const init_findings *f)
{
    const init_request *r = s->request;
    const dae_source *source;
    text_span span;
    text names = {.length = 0};
    const size_t count = f->redundant_count;
    for (size_t k = 0; k < count && k < MISSING_NAMED; k++) {
        if (k) text_add(&names, ", ");
        add_party(s, &f->redundant[k], &names);
    }
    if (count > MISSING_NAMED)
        text_add(&names, " and %zu more", count - MISSING_NAMED);
    party_place(s, &f->redundant[0], &source, &span);
    report(r->ds, DIAG_N0407, source, span,
        "%zu initial condition%s follow%s%s from the others and the equations, "
        "and agree%s: %s",
        count, count == 1 ? "" : "s", count == 1 ? "s" : "",
        f->singular_count ? ", to first order," : "", count == 1 ? "s" : "",
        names.s);
    if (source) report_label(r->ds, "follows from the others");
    for (size_t k = 1; k < count && k <= PLACES_MORE; k++) {
        party_place(s, &f->redundant[k], &source, &span);
        if (source && !is_placed(s, f, k, span))
            report_also(r->ds, source, span, "this too");
    }
}

/* A given value that says nothing to first order, for the help. */
static void advise_double_root(const init_system *s, const init_findings *f)
{
    const init_request *r = s->request;
    const dae_source *source;
    text_span span;
    char name[NAMING_SIZE];
    text names = {.length = 0};
    const size_t first = (size_t)f->singular[0];
    const size_t count = f->singular_count;
    list_slots(s, f->singular, count, false, &names);
    slot_place(s, first, &source, &span);
    report(r->ds, DIAG_W0409, source, span,
        "the start is singular in %s: here %s not determined to first order, "
        "nearby %s",
        names.s, count == 1 ? "it is" : "they are",
        count == 1 ? "it is" : "they are");
    report_label(r->ds, "`%s` = %g may be a double root",
        slot_name(s, first, name), s->z[first]);
    report_help(r->ds,
        "make `%s` a condition, in place of the one that determines it",
        slot_name(s, first, name));
    report_numeric(r->ds, r->t0, 0, 0, NULL, name);
}

/* Inner slots say nothing about conditions. */
static bool is_worth_telling(const init_system *s, const init_findings *f)
{
    const init_request *r = s->request;
    if (f->singular_count == 0) return false;
    const size_t k = (size_t)f->singular[0];
    return r->is_inner ? !r->is_inner[k] : k < s->states;
}

void advise_findings(const init_system *s, const init_findings *f)
{
    if (f->missing) advise_could_fix(s, f);
    if (is_worth_telling(s, f)) advise_double_root(s, f);
    if (f->redundant_count) advise_follows(s, f);
}
