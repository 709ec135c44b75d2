/* Order of messages: moved guesses, then the failure of a search, or the findings
 * about a solved start. */
#include "start/report.h"
#include "base/report.h"
#include "linalg/jacobian.h"
#include "linalg/thresholds.h"
#include "newton/weights.h"
#include "start/report_names.h"
#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { SLOTS_LISTED = 4, MISSING_LISTED = 8, PLACES_MORE = 3 };

typedef struct writer {
    const init_request *q;
    const init_findings *f;
    bool is_singular; /* what is redundant is so to first order */
    dae_diagnostics *ds;
    arena scratch;
} writer;

/* ---- guesses and bounds ------------------------------------------------------ */

static void report_moved(const writer *w)
{
    char name[NAMING_SIZE];
    for (size_t k = 0; k < w->f->moved_count; k++) {
        const init_change *m = &w->f->moved[k];
        const place at = slot_place(w->q, m->slot);
        const dae_scales *scales = w->q->problem->scales;
        int order;
        const size_t j = naming_unknown(w->q->layout, m->slot, &order);
        const bool is_low = scales->minimum && m->value < scales->minimum[j];
        report(w->ds, DIAG_N0406, at.source, at.span,
            "the guess `%s ~ %g` lies outside the bounds; the search "
            "starts at %g",
            slot_name(w->q, m->slot, name), m->value,
            is_low ? scales->minimum[j] : scales->maximum[j]);
    }
}

static void report_beyond(const writer *w)
{
    const dae_scales *scales = w->q->problem->scales;
    char name[NAMING_SIZE];
    for (size_t k = 0; k < w->f->failure.slot_count; k++) {
        const size_t slot = (size_t)w->f->failure.slots[k];
        const place at = slot_place(w->q, slot);
        int order;
        const size_t j = naming_unknown(w->q->layout, slot, &order);
        const double value = w->f->z[slot];
        const bool is_low = scales->minimum && value < scales->minimum[j];
        slot_name(w->q, slot, name);
        report(w->ds, DIAG_E0405, at.source, at.span,
            "the condition `%s = %g` is %s", name, value,
            is_low ? "below its minimum" : "above its maximum");
        report_label(w->ds, is_low ? "min = %g" : "max = %g",
            is_low ? scales->minimum[j] : scales->maximum[j]);
        report_help(w->ds, "correct the value or the bound");
        report_numeric(w->ds, w->q->t0, 0, 0, NULL, name);
    }
}

/* ---- no value ---------------------------------------------------------------- */

/* Of a row or slot, or a row's derivative: finite, and too large. */
static void report_too_large(
    const writer *w, place at, const char *what, const char *name, double value)
{
    report(w->ds, DIAG_E0403, at.source, at.span,
        "%s`%s` overflows at the start: %.6g, %s", what, name, value,
        OVERFLOW_RULE);
    report_help(w->ds,
        "scale the unknowns: measure them in a larger unit, or their "
        "logarithms");
}

/* Whether a row without a value at t0 has one a unit of time later, all else as it is. */
static bool has_value_later(const writer *w, const init_party *row)
{
    char why[2];
    init_request later = *w->q;
    later.t0 += 1;
    explain_row(&later, w->f, row, why, sizeof why, w->ds);
    return !why[0];
}

static void report_no_row_value(const writer *w)
{
    const init_failure *f = &w->f->failure;
    const init_party *row = f->rows;
    const char *wanted = f->is_slope ? "derivative" : "value";
    char name[NAMING_SIZE], why[256];
    if (f->row_count == 0) {
        report(w->ds, DIAG_E0403, NULL, (text_span){0, 0},
            "the equations have no value at the start, t = %g", w->q->t0);
        report_numeric(w->ds, w->q->t0, 0, 0, NULL, NULL);
        return;
    }
    const place at = party_place(w->q, row);
    party_name(w->q, row, name);
    if (isfinite(f->value)) {
        report_too_large(
            w, at, f->is_slope ? "a derivative of " : "", name, f->value);
        report_numeric(w->ds, w->q->t0, 0, 0, name, NULL);
        return;
    }
    report(w->ds, DIAG_E0403, at.source, at.span,
        f->is_slope ? "`%s` has no finite derivative at the start"
                    : "`%s` has no value at the start",
        name);
    explain_row(w->q, w->f, row, why, sizeof why, w->ds);
    if (why[0]) report_label(w->ds, "%s", why);
    else
        report_label(w->ds,
            f->is_slope ? "its derivatives are not finite at t = %g"
                        : "not finite at t = %g",
            w->q->t0);
    if (f->is_reached)
        report_help(w->ds,
            "other equations determine these values: check their parameters "
            "and guesses");
    else if (has_value_later(w, row))
        report_help(w->ds,
            "start at another time than t = %g, with --from, or give values or "
            "guesses where it has a %s",
            w->q->t0, wanted);
    else report_help(w->ds, "give values or guesses where it has a %s", wanted);
    report_numeric(w->ds, w->q->t0, 0, 0, name, NULL);
}

static void report_no_slot_value(const writer *w)
{
    const size_t slot = (size_t)w->f->failure.slots[0];
    const double value = w->f->z[slot];
    const place at = slot_place(w->q, slot);
    char name[NAMING_SIZE], why[256];
    int order;
    slot_name(w->q, slot, name);
    if (isfinite(value)) {
        report_too_large(w, at, "", name, value);
    } else {
        report(w->ds, DIAG_E0403, at.source, at.span,
            "`%s` has no value at the start", name);
        explain_value(w->q, w->f, DAE_NAME_UNKNOWN,
            naming_unknown(w->q->layout, slot, &order), why, sizeof why, w->ds);
        report_label(w->ds, "its value is %s%s%s",
            isnan(value) ? "not a number" : "infinite", why[0] ? ": " : "",
            why);
        report_help(w->ds, "give it a finite value");
    }
    report_numeric(w->ds, w->q->t0, 0, 0, NULL, name);
}

/* ---- not found --------------------------------------------------------------- */

/* The block's unknowns: guess, last value, a bound where it stands. */
static void list_values(const writer *w, text *out)
{
    const init_failure *f = &w->f->failure;
    char name[NAMING_SIZE];
    for (size_t j = 0; j < f->stalled_count && j < SLOTS_LISTED; j++) {
        const init_stalled *u = &f->stalled[j];
        text_add(out, "%s`%s` = %.6g (guess %.6g", j ? ", " : "",
            slot_name(w->q, u->slot, name), w->f->z[u->slot], u->guess);
        if (!isnan(u->low)) text_add(out, ", at its minimum %.6g", u->low);
        if (!isnan(u->high)) text_add(out, ", at its maximum %.6g", u->high);
        text_add(out, ")");
    }
    if (f->block_slots > SLOTS_LISTED)
        text_add(out, " and %zu more", f->block_slots - SLOTS_LISTED);
}

/* "one of 3 equations for one unknown" */
static void describe_block(const init_failure *f, text *out)
{
    if (f->block_rows == 1) text_add(out, "one equation for ");
    else text_add(out, "one of %zu equations for ", f->block_rows);
    if (f->block_slots == 1) text_add(out, "one unknown");
    else text_add(out, "%zu unknowns", f->block_slots);
    if (f->is_singular) text_add(out, "; the matrix is singular");
}

/* The residual of a row that does not hold. */
static text describe_left(const init_party *row)
{
    text out = {.length = 0};
    if (row->holds) text_add(&out, "satisfied");
    else text_add(&out, "residual %.6g", row->residual);
    return out;
}

static void help_guess(const writer *w)
{
    const init_failure *f = &w->f->failure;
    const init_stalled *held = NULL;
    char name[NAMING_SIZE];
    text values = {.length = 0};
    list_values(w, &values);
    for (size_t j = 0; j < f->stalled_count && !held; j++)
        if (!isnan(f->stalled[j].low) || !isnan(f->stalled[j].high))
            held = &f->stalled[j];
    if (held)
        report_help(w->ds,
            "last values: %s; `%s` is at its %s: relax the bound, or give "
            "other guesses",
            values.s, slot_name(w->q, held->slot, name),
            isnan(held->low) ? "maximum" : "minimum");
    else
        report_help(w->ds,
            "last values: %s; give a guess nearer to the solution, or "
            "check that one exists",
            values.s);
}

static void report_stalled(const writer *w)
{
    const init_failure *f = &w->f->failure;
    const init_party *row = f->rows;
    assert(f->row_count > 0 && f->stalled_count > 0);
    place at = party_place(w->q, row);
    char name[NAMING_SIZE], other[NAMING_SIZE];
    text block = {.length = 0};
    party_name(w->q, row, name);
    describe_block(f, &block);
    if (row->holds)
        report(w->ds, DIAG_E0402, at.source, at.span,
            "no consistent start was found: `%s` is satisfied, but the "
            "iteration did not converge (%s)",
            name, block.s);
    else
        report(w->ds, DIAG_E0402, at.source, at.span,
            "no consistent start was found: `%s` has a residual of "
            "%.6g (%s)",
            name, row->residual, block.s);
    report_label(w->ds, "%s after %lld iteration%s", describe_left(row).s,
        (long long)f->iterations, f->iterations == 1 ? "" : "s");
    for (size_t k = 1; k < f->row_count; k++) {
        at = party_place(w->q, &f->rows[k]);
        if (at.source)
            report_also(w->ds, at.source, at.span, "`%s`: %s",
                party_name(w->q, &f->rows[k], other),
                describe_left(&f->rows[k]).s);
    }
    help_guess(w);
    report_numeric(w->ds, w->q->t0, 0, 0, name,
        slot_name(w->q, f->stalled[0].slot, other));
}

static void report_uncertain(const writer *w)
{
    const init_failure *f = &w->f->failure;
    const init_party *row = f->rows;
    assert(f->row_count == 1 && f->slot_count == 1);
    const size_t slot = (size_t)f->slots[0];
    const place at = party_place(w->q, row);
    char name[NAMING_SIZE], other[NAMING_SIZE];
    party_name(w->q, row, name);
    slot_name(w->q, slot, other);
    report(w->ds, DIAG_E0402, at.source, at.span,
        "no consistent start was found: the equations are satisfied at `%s` = "
        "%.6g, but do not determine it there",
        other, w->f->z[slot]);
    report_label(w->ds,
        "residuals and rounding errors allow a relative error above %.1g",
        sqrt(HALF_DIGITS));
    report_help(w->ds,
        "check that a finite solution exists, or give a guess "
        "nearer to it");
    report_numeric(w->ds, w->q->t0, 0, 0, name, other);
}

static dae_status report_failure(writer *w)
{
    switch (w->f->failure.kind) {
    case INIT_BEYOND_BOUNDS: report_beyond(w); break;
    case INIT_NO_ROW_VALUE: report_no_row_value(w); break;
    case INIT_NO_SLOT_VALUE: report_no_slot_value(w); break;
    case INIT_STALLED: report_stalled(w); break;
    case INIT_UNCERTAIN: report_uncertain(w); break;
    case INIT_IN_CONFLICT:
        return start_report_conflicts(w->q, w->f, &w->scratch, w->ds);
    case INIT_NO_FAILURE: break;
    }
    return DAE_OK;
}

/* ---- missing conditions ------------------------------------------------------ */

/* `missing` of the `count` in the list of names. */
static void help_give(
    const writer *w, size_t missing, size_t count, const char *names)
{
    char which[40] = "";
    if (missing == 1 && count > 1)
        (void)snprintf(which, sizeof which, "one of ");
    else if (missing < count)
        (void)snprintf(which, sizeof which, "%zu of ", missing);
    else if (count > 1) (void)snprintf(which, sizeof which, "each of ");
    report_help(w->ds,
        "give %s%s a value: `=` instead of `~` in a declaration, or `init`",
        which, names);
}

/* Their positions after the first, each source span once. */
static void place_others(const writer *w, const int32_t *slots, size_t count)
{
    char name[NAMING_SIZE];
    places used = {.count = 0};
    for (size_t k = 0; k < count && k < MISSING_LISTED; k++) {
        const place at = slot_place(w->q, (size_t)slots[k]);
        if (!places_add(&used, at) || k == 0) continue;
        if (used.count > 1 + PLACES_MORE) break;
        report_also(w->ds, at.source, at.span, "`%s` too",
            slot_name(w->q, (size_t)slots[k], name));
    }
}

static void report_taken(const writer *w, const int32_t *slots, size_t count)
{
    const init_findings *f = w->f;
    const place at = count ? slot_place(w->q, (size_t)slots[0])
                           : (place){NULL, {0, 0}};
    char name[NAMING_SIZE];
    text taken = {.length = 0};
    list_slots(w->q, slots, count, MISSING_LISTED, f->z, &taken);
    report(w->ds, DIAG_W0404, at.source, at.span,
        "%s%zu initial condition%s missing; found from the guesses: %s",
        w->q->is_count_bound ? "up to " : "", f->missing,
        f->missing == 1 ? "" : "s",
        count ? taken.s : "values that are not conditions");
    if (count)
        report_label(w->ds, "no condition and no equation determines `%s`",
            slot_name(w->q, (size_t)slots[0], name));
}

/* Proposed conditions: first the `missing` that can be given together, then the
 * others. */
static dae_status sort_could_fix(writer *w, int32_t **out)
{
    const init_findings *f = w->f;
    const size_t all = f->could_fix_count;
    const size_t first = f->missing < all ? f->missing : all;
    *out = ARENA_ARRAY(&w->scratch, int32_t, all + 1);
    if (!*out) return DAE_MEMORY;
    if (all) memcpy(*out, f->could_fix, all * sizeof **out);
    const dae_status st = sort_slots(w->q, *out, first, &w->scratch);
    if (st) return st;
    return sort_slots(w->q, *out + first, all - first, &w->scratch);
}

static dae_status report_missing(writer *w)
{
    const init_findings *f = w->f;
    const size_t most = f->could_fix_count;
    const bool is_known = f->is_by_rank && most >= f->missing;
    int32_t *could_fix, *open;
    text names = {.length = 0};
    dae_status st = sort_could_fix(w, &could_fix);
    if (!st && f->is_by_rank)
        st = copy_sorted(w->q, f->open, f->open_count, &w->scratch, &open);
    if (st) return st;
    if (!f->is_by_rank) open = (int32_t *)f->open;
    report_taken(
        w, is_known ? could_fix : open, is_known ? f->missing : f->open_count);
    if (!f->is_by_rank && f->open_count)
        place_others(w, f->open, f->open_count);
    list_slots(w->q, could_fix, most, MISSING_LISTED, NULL, &names);
    if (is_known) help_give(w, f->missing, most, names.s);
    else
        report_help(w->ds,
            "make guesses conditions: `=` instead of `~` in a declaration, "
            "or `init`");
    report_numeric(w->ds, w->q->t0, 0, 0, NULL, NULL);
    return DAE_OK;
}

/* ---- singular ---------------------------------------------------------------- */

/* Inner slots are not shown, as no condition concerns them; nor are slots already
 * named as missing conditions (W0404). */
static bool is_singular_shown(const writer *w, size_t slot)
{
    const init_request *q = w->q;
    for (size_t k = 0; k < w->f->could_fix_count && k < w->f->missing; k++)
        if ((size_t)w->f->could_fix[k] == slot) return false;
    return q->is_inner ? !q->is_inner[slot] : slot < q->layout->states;
}

/* A given value that is redundant to first order, for the help. */
static dae_status report_singular(writer *w)
{
    const init_findings *f = w->f;
    const size_t count = f->singular_count;
    char name[NAMING_SIZE];
    int32_t *slots;
    text names = {.length = 0}, value = {.length = 0};
    const dae_status st = copy_sorted(
        w->q, f->singular, count, &w->scratch, &slots);
    if (st || !is_singular_shown(w, (size_t)slots[0])) return st;
    const size_t first = (size_t)slots[0];
    const place at = slot_place(w->q, first);
    list_slots(w->q, slots, count, MISSING_LISTED, NULL, &names);
    report(w->ds, DIAG_W0409, at.source, at.span,
        "singular start: %s %s not determined to first order here, "
        "but at nearby points",
        names.s, count == 1 ? "is" : "are");
    list_slots(w->q, slots, 1, 1, f->z, &value);
    report_label(w->ds, "%s may be a double root", value.s);
    report_help(w->ds,
        "give `%s` as a condition instead of the value that "
        "determines it",
        slot_name(w->q, first, name));
    report_numeric(w->ds, w->q->t0, 0, 0, NULL, name);
    return DAE_OK;
}

/* ---- redundant conditions ---------------------------------------------------- */

/* The conditions that follow from the others. */
static dae_status take_redundant(writer *w, init_party **out)
{
    const init_findings *f = w->f;
    init_party *list = ARENA_ARRAY(
        &w->scratch, init_party, f->redundant_count + 1);
    *out = list;
    if (!list) return DAE_MEMORY;
    if (f->redundant_count)
        memcpy(list, f->redundant, f->redundant_count * sizeof *list);
    return sort_parties(w->q, list, f->redundant_count, &w->scratch);
}

/* The condition's name, its value if it is one. */
static void add_condition(const writer *w, const init_party *p, text *out)
{
    char name[NAMING_SIZE];
    party_name(w->q, p, name);
    if (p->kind == INIT_GIVEN)
        text_add(out, "`%s = %g`", name, w->f->z[p->index]);
    else text_add(out, "`%s`", name);
}

static void report_redundant(
    const writer *w, const init_party *list, size_t count)
{
    text names = {.length = 0};
    places used = {.count = 0};
    for (size_t k = 0; k < count && k < MISSING_LISTED; k++) {
        if (k) text_add(&names, ", ");
        add_condition(w, &list[k], &names);
    }
    if (count > MISSING_LISTED)
        text_add(&names, " and %zu more", count - MISSING_LISTED);
    const place first = party_place(w->q, &list[0]);
    report(w->ds, DIAG_N0407, first.source, first.span,
        "%zu redundant initial condition%s%s: %s", count, count == 1 ? "" : "s",
        w->is_singular || w->f->singular_count ? " (to first order)" : "",
        names.s);
    if (first.source)
        report_label(
            w->ds, "implied by the other conditions and the equations");
    for (size_t k = 0; k < count && k <= PLACES_MORE; k++) {
        const place at = party_place(w->q, &list[k]);
        if (places_add(&used, at) && k > 0)
            report_also(w->ds, at.source, at.span, "also redundant");
    }
}

/* By structure: only rows whose values are all given are found. */
static dae_status report_redundant_rows(writer *w)
{
    const init_findings *f = w->f;
    const size_t count = f->redundant_count;
    const size_t n = w->q->equation_count ? w->q->equation_count
                                          : w->q->problem->unknown_count;
    place at = {NULL, {0, 0}};
    init_party *rows = ARENA_ARRAY(&w->scratch, init_party, f->check_count + 1);
    if (!rows) return DAE_MEMORY;
    for (size_t k = 0; k < f->check_count; k++) {
        const size_t row = (size_t)f->checks[k];
        rows[k] = (init_party){.kind = row < n ? INIT_EQUATION : INIT_CONDITION,
            .index = row < n ? row : row - n};
    }
    const dae_status st = sort_parties(w->q, rows, f->check_count, &w->scratch);
    if (st) return st;
    if (f->check_count) at = party_place(w->q, &rows[0]);
    report(w->ds, DIAG_N0407, at.source, at.span,
        "%zu redundant initial condition%s", count, count == 1 ? "" : "s");
    if (at.source) report_label(w->ds, "satisfied by the given values");
    return DAE_OK;
}

/* ---- a solved start ---------------------------------------------------------- */

static void report_path(dae_diagnostics *ds, place at, const char *name,
    double value, double guess, size_t others, double t0)
{
    char more[40] = "";
    if (others)
        (void)snprintf(more, sizeof more, " and %zu other value%s", others,
            others == 1 ? "" : "s");
    report(ds, DIAG_N0410, at.source, at.span,
        "`%s` = %.6g%s %s found by homotopy from the guesses", name, value,
        more, others ? "were" : "was");
    report_label(ds, "the guess was %.6g", guess);
    report_help(ds,
        "if there are several solutions, a guess nearer to the "
        "intended one selects it");
    report_numeric(ds, t0, 0, 0, NULL, NULL);
}

void start_report_homotopy(const dae_problem *p, dae_slot slot, double guess,
    double value, size_t others, double t0, dae_diagnostics *ds)
{
    enum { PRIMES_MOST = 4 };
    place at;
    char name[NAMING_SIZE + PRIMES_MOST + 1];
    naming_place(
        p, DAE_NAME_UNKNOWN, (size_t)slot.unknown, &at.source, &at.span);
    naming_text(p, DAE_NAME_UNKNOWN, (size_t)slot.unknown, name, NAMING_SIZE);
    (void)strncat(name, "''''", (size_t)fmin(slot.order, PRIMES_MOST));
    report_path(ds, at, name, value, guess, others, t0);
}

static dae_status report_solved(writer *w)
{
    const init_findings *f = w->f;
    char name[NAMING_SIZE];
    init_party *redundant = NULL;
    if (f->homotopy.count)
        report_path(w->ds, slot_place(w->q, f->homotopy.slot),
            slot_name(w->q, f->homotopy.slot, name), f->z[f->homotopy.slot],
            f->homotopy.guess, f->homotopy.count - 1, w->q->t0);
    dae_status st = DAE_OK;
    if (f->is_by_rank) st = take_redundant(w, &redundant);
    if (!st && f->missing) st = report_missing(w);
    if (!st && f->singular_count) st = report_singular(w);
    if (st) return st;
    if (!f->redundant_count) return DAE_OK;
    if (!f->is_by_rank) return report_redundant_rows(w);
    report_redundant(w, redundant, f->redundant_count);
    return DAE_OK;
}

dae_status start_report(const init_request *q, const init_findings *f,
    bool is_singular, dae_diagnostics *ds)
{
    writer w = {.q = q, .f = f, .is_singular = is_singular, .ds = ds};
    dae_status st = DAE_OK;
    if (!ds || !f->z) return st;
    assert(f->slot_count == q->layout->slots);
    assert((f->failure.kind == INIT_IN_CONFLICT) == (f->failure.set_count > 0));
    arena_init(&w.scratch, q->allocator, 0);
    report_moved(&w);
    if (f->outcome == INIT_CONSISTENT) st = report_solved(&w);
    else st = report_failure(&w);
    arena_clear(&w.scratch);
    return st;
}

/* ---- below the absolute tolerance -------------------------------------------- */

/* The default tolerance suits values near 1: for currents of 1e-12 it accepts any
 * value within 1e-9 of 0. */

/* The largest stated value of an unknown; 0: none is stated, or only 0. */
static double stated(const dae_problem *p, size_t state)
{
    const dae_start *s = p->start;
    if (!s || !s->x) return 0;
    const bool is_given = s->x_fixed && s->x_fixed[state];
    const bool is_guess = s->x_guessed ? s->x_guessed[state] != 0
                                       : s->x[state] != 0;
    return is_given || is_guess ? fabs(s->x[state]) : 0;
}

static bool is_below(const dae_problem *p, const layout *l, size_t j,
    double atol, const double *found)
{
    const dae_scales *scales = p->scales;
    const size_t state = l->first[j];
    const double value = stated(p, state);
    if (scales && scales->nominal && scales->nominal[j] > 0) return false;
    const double least = weights_tolerance(scales, j, atol);
    return value > 0 && value < least
        && (!found || !(fabs(found[state]) >= least));
}

void start_report_below_atol(const dae_problem *problem, const layout *l,
    double atol, const double *found, dae_diagnostics *ds)
{
    enum { NAMED = 3 };
    const dae_source *source = NULL;
    text_span span = {0, 0};
    char name[NAMING_SIZE], first[NAMING_SIZE];
    text names = {.length = 0};
    size_t count = 0, at = 0;
    /* a 0 computed from numbers near 1, as cos(pi/2), has this rounding error */
    const double zero = rounding_of(128);
    for (size_t j = 0; ds && j < l->unknowns; j++) {
        if (stated(problem, l->first[j]) <= zero
            || !is_below(problem, l, j, atol, found))
            continue;
        if (count == 0) at = j;
        if (count++ >= NAMED) continue;
        text_add(&names, "%s`%s` = %.6g", count > 1 ? ", " : "",
            naming_text(problem, DAE_NAME_UNKNOWN, j, name, sizeof name),
            problem->start->x[l->first[j]]);
    }
    if (count == 0) return;
    if (count > NAMED) text_add(&names, " and %zu more", count - NAMED);
    const double least = weights_tolerance(problem->scales, at, atol);
    naming_place(problem, DAE_NAME_UNKNOWN, at, &source, &span);
    naming_text(problem, DAE_NAME_UNKNOWN, at, first, sizeof first);
    report(ds, DIAG_W0411, source, span,
        "%s %s below the absolute tolerance of %.3g: %s no "
        "significant digit",
        names.s, count == 1 ? "is" : "are", least,
        count == 1 ? "it has" : "they have");
    report_label(ds, "a run accepts errors of up to %.3g in it", least);
    report_help(ds,
        "state its size, `%s {nominal = %.1g}`, or a smaller "
        "tolerance, `atol = %.1g`",
        first, stated(problem, l->first[at]),
        START_RTOL * stated(problem, l->first[at]));
}
