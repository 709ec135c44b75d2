#include "init/explain.h"
#include "init/order.h"
#include "sparse/naming.h"
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { NAMES_TEXT = 800, FIXED_NAMED = 4, MISSING_NAMED = 8, ROWS_NAMED = 3 };

/* Text put together piece by piece; what does not fit is left out. */
typedef struct text {
    char s[NAMES_TEXT];
    size_t length;
} text;

#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
static void
add(text *t, const char *format, ...)
{
    va_list args;
    const size_t room = sizeof t->s - t->length;
    va_start(args, format);
    const int n = vsnprintf(t->s + t->length, room, format, args);
    va_end(args);
    if (n > 0 && (size_t)n < room) t->length += (size_t)n;
    else t->s[t->length] = '\0';
}

static const char *slot_name(
    const init_system *s, size_t slot, char name[NAMING_SIZE])
{
    const init_request *r = s->request;
    return naming_slot(r->problem, r->layout, slot, name, NAMING_SIZE);
}

static const char *row_name(
    const init_system *s, size_t row, char name[NAMING_SIZE])
{
    const bool is_f = row < s->n;
    return naming_text(s->request->problem,
        is_f ? DAE_NAME_EQUATION : DAE_NAME_CONDITION, is_f ? row : row - s->n,
        name, NAMING_SIZE);
}

static void row_place(const init_system *s, size_t row,
    const dae_source **source, text_span *span)
{
    const bool is_f = row < s->n;
    naming_place(s->request->problem,
        is_f ? DAE_NAME_EQUATION : DAE_NAME_CONDITION, is_f ? row : row - s->n,
        source, span);
}

static void slot_place(const init_system *s, size_t slot,
    const dae_source **source, text_span *span)
{
    int order;
    const size_t j = naming_unknown(s->request->layout, slot, &order);
    naming_place(s->request->problem, DAE_NAME_START, slot, source, span);
    if (*source) return;
    naming_place(s->request->problem, DAE_NAME_UNKNOWN, j, source, span);
}

/* First row without a finite residual, or else Jacobian; rows: none. */
static size_t row_without_value(const init_system *s)
{
    for (size_t i = 0; i < s->rows; i++)
        if (!isfinite(s->res[i])) return i;
    int64_t i = jacobian_nonfinite_row(s->f);
    if (i >= 0) return (size_t)i;
    if (s->c && (i = jacobian_nonfinite_row(s->c)) >= 0)
        return s->n + (size_t)i;
    return s->rows;
}

dae_status explain_no_value(const init_system *s)
{
    const init_request *r = s->request;
    const dae_problem *p = r->problem;
    const dae_source *source = NULL;
    text_span span = {0, 0};
    char name[NAMING_SIZE], why[256] = "";
    const size_t row = row_without_value(s);
    if (row == s->rows) {
        report(r->ds, DIAG_E0403, NULL, span,
            "the equations have no value at the start, t = %g", r->t0);
        report_numeric(r->ds, r->t0, 0, 0, NULL, NULL);
        return DAE_NUMERIC;
    }
    row_place(s, row, &source, &span);
    row_name(s, row, name);
    report(r->ds, DIAG_E0403, source, span, "`%s` has no value at the start",
        name);
    if (p->explain && row < s->n)
        p->explain(
            p->self, row, r->t0, s->z, s->z + s->states, why, sizeof why);
    if (why[0]) report_label(r->ds, "%s", why);
    else
        report_label(r->ds,
            isfinite(s->res[row]) ? "its derivatives are not finite at t = %g"
                                  : "not finite at t = %g",
            r->t0);
    report_help(r->ds, "give guesses where it has one, such as `x ~ 1`");
    report_numeric(r->ds, r->t0, 0, 0, name, NULL);
    return DAE_NUMERIC;
}

/* The given slots with an entry in `row`: up to `most`; how many in all. */
static size_t fixed_in_row(
    const init_system *s, size_t row, size_t most, size_t *slots)
{
    size_t count = 0;
    for (size_t k = 0; k < s->slots; k++) {
        entry_range e[2];
        if (s->is_free[k]) continue;
        const int ranges = unknowns_column(s, k, e);
        for (int q = 0; q < ranges; q++) {
            for (int64_t p = e[q].begin; p < e[q].end; p++) {
                if ((size_t)e[q].row[p] + e[q].offset != row) continue;
                if (entry_value(&e[q], p) == 0) continue;
                if (count < most) slots[count] = k;
                count++;
            }
        }
    }
    return count;
}

/* E0401 on one row. */
static void contradiction(const init_system *s, size_t row)
{
    const init_request *r = s->request;
    const dae_source *source;
    text_span span;
    size_t slots[FIXED_NAMED];
    char name[NAMING_SIZE], other[NAMING_SIZE];
    text given = {.length = 0};
    const size_t count = fixed_in_row(s, row, FIXED_NAMED, slots);
    const size_t named = count < FIXED_NAMED ? count : FIXED_NAMED;
    for (size_t k = 0; k < named; k++)
        add(&given, "%s`%s = %g`", k ? ", " : "", slot_name(s, slots[k], other),
            s->z[slots[k]]);
    if (count > named) add(&given, " and %zu more", count - named);
    row_place(s, row, &source, &span);
    row_name(s, row, name);
    if (count)
        report(r->ds, DIAG_E0401, source, span,
            "`%s` contradicts the initial conditions %s", name, given.s);
    else
        report(r->ds, DIAG_E0401, source, span,
            "`%s` contradicts the other initial conditions", name);
    report_label(r->ds, "leaves %.6g at t = %g (tolerance %.3g)", s->res[row],
        r->t0, fmax(s->tolerance[row], s->noise[row]));
    for (size_t k = 0; k < named; k++) {
        slot_place(s, slots[k], &source, &span);
        if (source)
            report_also(r->ds, source, span, "given as %g", s->z[slots[k]]);
    }
    if (named)
        report_help(r->ds,
            "free one of them: make its value a guess with "
            "`%s ~ %g`",
            slot_name(s, slots[named - 1], other), s->z[slots[named - 1]]);
    report_numeric(
        r->ds, r->t0, 0, 0, name, named ? slot_name(s, slots[0], other) : NULL);
}

dae_status explain_checks(const init_system *s, const split_part *checks)
{
    int told = 0;
    for (size_t k = 0; k < checks->row_count && told < ROWS_NAMED; k++) {
        const size_t row = (size_t)checks->rows[k];
        if (unknowns_ratio(s, row) <= 1) continue;
        contradiction(s, row);
        told++;
    }
    return DAE_INCONSISTENT;
}

/* The first block of a square part with an unsolved row; the whole part where
 * there is none. */
static dae_status find_block(
    init_system *s, const split_part *part, split_part *block)
{
    block_order o;
    const dae_status st = order_init(&o, s, part);
    *block = *part;
    if (st) return st;
    for (size_t k = 0; k < o.count; k++) {
        const split_part one = order_block(&o, k);
        for (size_t i = 0; i < one.row_count; i++) {
            if (unknowns_ratio(s, (size_t)one.rows[i]) <= 1) continue;
            *block = one;
            return DAE_OK;
        }
    }
    return DAE_OK;
}

/* The unsolved rows of the block, worst first, up to `most`. */
static size_t worst_rows(
    const init_system *s, const split_part *b, size_t most, size_t *rows)
{
    size_t count = 0;
    while (count < most) {
        size_t best = s->rows;
        double ratio = 1;
        for (size_t i = 0; i < b->row_count; i++) {
            const size_t row = (size_t)b->rows[i];
            bool is_told = false;
            for (size_t k = 0; k < count; k++)
                is_told = is_told || rows[k] == row;
            if (is_told || !(unknowns_ratio(s, row) > ratio)) continue;
            ratio = unknowns_ratio(s, row);
            best = row;
        }
        if (best == s->rows) break;
        rows[count++] = best;
    }
    return count;
}

/* The block's unknowns: guess, last value, a bound where it stands. */
static void list_values(const init_system *s, const split_part *b, text *out)
{
    char name[NAMING_SIZE];
    const size_t named = b->slot_count < FIXED_NAMED ? b->slot_count
                                                     : FIXED_NAMED;
    for (size_t j = 0; j < named; j++) {
        const size_t k = (size_t)b->slots[j];
        add(out, "%s`%s` = %.6g (guess %.6g", j ? ", " : "",
            slot_name(s, k, name), s->z[k], s->guess[k]);
        if (s->z[k] <= s->low[k]) add(out, ", at its minimum");
        if (s->z[k] >= s->high[k]) add(out, ", at its maximum");
        add(out, ")");
    }
    if (b->slot_count > named) add(out, " and %zu more", b->slot_count - named);
}

static void no_start(const init_system *s, const split_part *b,
    const size_t *rows, size_t count, const damped_result *result)
{
    const init_request *r = s->request;
    const dae_source *source;
    text_span span;
    char name[NAMING_SIZE], other[NAMING_SIZE];
    text values = {.length = 0};
    row_name(s, rows[0], name);
    row_place(s, rows[0], &source, &span);
    list_values(s, b, &values);
    slot_name(s, (size_t)b->slots[0], other);
    report(r->ds, DIAG_E0402, source, span,
        "no consistent start was found: `%s` keeps a residual of %.6g (one "
        "of %zu equations for %zu unknowns%s)",
        name, s->res[rows[0]], b->row_count, b->slot_count,
        result->is_singular ? "; their matrix is singular" : "");
    report_label(r->ds, "%.6g left after %lld iterations", s->res[rows[0]],
        (long long)result->iterations);
    for (size_t k = 1; k < count; k++) {
        row_place(s, rows[k], &source, &span);
        if (source)
            report_also(r->ds, source, span, "%.6g left", s->res[rows[k]]);
    }
    report_help(r->ds,
        "last values: %s; give a guess nearer to the "
        "solution, such as `%s ~ 1`, or check that there is "
        "one",
        values.s, other);
    report_numeric(r->ds, r->t0, 0, 0, name, other);
}

dae_status explain_failure(
    init_system *s, const split_part *part, const damped_result *result)
{
    split_part b;
    size_t rows[ROWS_NAMED], slot;
    if (result->outcome == DAMPED_NO_VALUE) return explain_no_value(s);
    const dae_status st = find_block(s, part, &b);
    if (st) return st;
    size_t count = worst_rows(s, &b, ROWS_NAMED, rows);
    if (count == 0) { /* not converged although every row holds */
        rows[0] = (size_t)b.rows[0];
        count = 1;
    }
    const bool has_no_solution = result->outcome == DAMPED_STALLED
        && (result->is_singular || part->row_count != part->slot_count);
    bool is_given = false;
    for (size_t k = 0; k < count; k++)
        is_given = is_given || rows[k] >= s->n
            || fixed_in_row(s, rows[k], 1, &slot) > 0;
    if (has_no_solution && is_given) {
        for (size_t k = 0; k < count; k++) contradiction(s, rows[k]);
        return DAE_INCONSISTENT;
    }
    no_start(s, &b, rows, count, result);
    return DAE_NUMERIC;
}

dae_status explain_bound(const init_system *s, size_t slot)
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

void explain_moved(const init_system *s, size_t slot, double from)
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

static void list_slots(
    const init_system *s, const split_part *p, text *out, size_t *named)
{
    char name[NAMING_SIZE];
    for (size_t k = 0; k < p->slot_count && *named < MISSING_NAMED; k++) {
        const size_t slot = (size_t)p->slots[k];
        if (slot >= s->states) continue;
        add(out, "%s`%s` = %g", *named ? ", " : "", slot_name(s, slot, name),
            s->z[slot]);
        ++*named;
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

void explain_missing(const init_system *s, const split *sp, size_t missing)
{
    const init_request *r = s->request;
    const split_part *under = &sp->part[SPLIT_STATES_UNDER];
    const size_t open = find_undetermined(s, &sp->untouched);
    size_t named = 0;
    char name[NAMING_SIZE];
    text names = {.length = 0};
    const size_t all = under->slot_count + sp->untouched.slot_count;
    list_slots(s, under, &names, &named);
    list_slots(s, &sp->untouched, &names, &named);
    if (all > named && named == MISSING_NAMED)
        add(&names, " and %zu more", all - named);
    report(r->ds, DIAG_W0404, NULL, (text_span){0, 0},
        "%zu initial condition%s too few; taken from guesses: %s", missing,
        missing == 1 ? "" : "s", named ? names.s : "derivatives");
    if (open < s->slots)
        report_help(r->ds,
            "no constraint determines `%s` at the start: where no condition "
            "is meant for it, the index is above 1",
            slot_name(s, open, name));
    else
        report_help(r->ds,
            "make guesses conditions: `=` instead of `~` in a declaration, "
            "or `init`");
    report_numeric(r->ds, r->t0, 0, 0, NULL, NULL);
}

void explain_redundant(const init_system *s, int64_t count)
{
    const init_request *r = s->request;
    report(r->ds, DIAG_N0407, NULL, (text_span){0, 0},
        "%lld initial condition%s follow%s from the others and the "
        "equations, and agree%s",
        (long long)count, count == 1 ? "" : "s", count == 1 ? "s" : "",
        count == 1 ? "s" : "");
}
