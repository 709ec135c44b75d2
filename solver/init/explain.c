#include "init/explain.h"
#include "init/blame.h"
#include "init/order.h"
#include "sparse/naming.h"
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum {
    NAMES_TEXT = 800,
    FIXED_NAMED = 4,
    MISSING_NAMED = 8,
    ROWS_NAMED = 3,
    PLACES_MORE = 3
};

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

/* First row without a residual, or else Jacobian; rows: none. */
static size_t row_without_value(const init_system *s)
{
    for (size_t i = 0; i < s->rows; i++)
        if (is_overflow(s->res[i])) return i;
    int64_t i = jacobian_overflow_row(s->f);
    if (i >= 0) return (size_t)i;
    if (s->c && (i = jacobian_overflow_row(s->c)) >= 0) return s->n + (size_t)i;
    return s->rows;
}

/* The entry that has overflowed in a row whose value has not. */
static double overflowed_entry(const init_system *s, size_t row)
{
    const jacobian *j = row < s->n ? s->f : s->c;
    const int64_t i = (int64_t)(row < s->n ? row : row - s->n);
    return overflow_in_row(
        jacobian_pattern(j), s->slots, jacobian_values(j), i);
}

/* E0403 for a row whose value, or derivative, is finite and too large. */
static dae_status row_too_large(
    const init_system *s, size_t row, bool is_value, double value)
{
    const init_request *r = s->request;
    const dae_source *source;
    text_span span;
    char name[NAMING_SIZE];
    row_place(s, row, &source, &span);
    row_name(s, row, name);
    report(r->ds, DIAG_E0403, source, span,
        "%s`%s` is too large to compute with at the start: %.6g, %s",
        is_value ? "" : "a derivative of ", name, value, OVERFLOW_RULE);
    report_help(r->ds,
        "scale the unknowns in it: measure them in a larger unit, or their "
        "logarithms");
    report_numeric(r->ds, r->t0, 0, 0, name, NULL);
    return DAE_NUMERIC;
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
    const bool is_value = is_overflow(s->res[row]);
    const double value = is_value ? s->res[row] : overflowed_entry(s, row);
    if (isfinite(value)) return row_too_large(s, row, is_value, value);
    row_place(s, row, &source, &span);
    row_name(s, row, name);
    report(r->ds, DIAG_E0403, source, span, "`%s` has no value at the start",
        name);
    if (p->explain && row < s->n
        && p->explain(
               p->self, row, r->t0, s->z, s->z + s->states, why, sizeof why)
            == SIZE_MAX)
        report_lost(r->ds);
    if (why[0]) report_label(r->ds, "%s", why);
    else
        report_label(r->ds,
            is_value ? "not finite at t = %g"
                     : "its derivatives are not finite at t = %g",
            r->t0);
    report_help(r->ds, "give guesses where it has one, such as `x ~ 1`");
    report_numeric(r->ds, r->t0, 0, 0, name, NULL);
    return DAE_NUMERIC;
}

/* E0403 for a slot whose value is finite and too large. */
static void slot_too_large(const init_system *s, size_t slot, const char *name,
    const dae_source *source, text_span span)
{
    dae_diagnostics *ds = s->request->ds;
    report(ds, DIAG_E0403, source, span,
        "`%s` is too large to compute with at the start: %.6g, %s", name,
        s->z[slot], OVERFLOW_RULE);
    report_help(
        ds, "scale the unknown: measure it in a larger unit, or its logarithm");
    report_numeric(ds, s->request->t0, 0, 0, NULL, name);
}

dae_status explain_not_finite(const init_system *s, size_t slot)
{
    const init_request *r = s->request;
    const dae_source *source;
    text_span span;
    char name[NAMING_SIZE];
    slot_name(s, slot, name);
    slot_place(s, slot, &source, &span);
    if (isfinite(s->z[slot])) {
        slot_too_large(s, slot, name, source, span);
        return DAE_NUMERIC;
    }
    report(r->ds, DIAG_E0403, source, span, "`%s` has no value at the start",
        name);
    report_label(r->ds, "its value is %s",
        isnan(s->z[slot]) ? "not a number" : "infinite");
    report_help(r->ds, "give it a value that is finite");
    report_numeric(r->ds, r->t0, 0, 0, NULL, name);
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

/* E0401 on one row, where all its slots are given or it is not known which
 * ones are to blame; `more` rows of the same equation fail alike. */
static void contradiction(const init_system *s, size_t row, size_t more)
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
            "`%s` contradicts the initial condition%s %s", name,
            count == 1 ? "" : "s", given.s);
    else
        report(r->ds, DIAG_E0401, source, span,
            "`%s` contradicts the other initial conditions", name);
    char others[48] = "";
    if (more)
        (void)snprintf(
            others, sizeof others, ", and %zu more of this kind", more);
    report_label(r->ds, "leaves %.6g at t = %g (tolerance %.3g)%s", s->res[row],
        r->t0, fmax(s->tolerance[row], s->noise[row]), others);
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

/* Elements of one equation. */
static bool is_same_place(const init_system *s, size_t row, size_t other)
{
    const dae_source *source[2];
    text_span span[2];
    row_place(s, row, &source[0], &span[0]);
    row_place(s, other, &source[1], &span[1]);
    return source[0] && source[0] == source[1] && span[0].begin == span[1].begin
        && span[0].end == span[1].end;
}

/* Of rows at one place the first is told. */
dae_status explain_checks(const init_system *s, const split_part *checks)
{
    size_t told[ROWS_NAMED], more[ROWS_NAMED] = {0}, count = 0;
    for (size_t k = 0; k < checks->row_count; k++) {
        const size_t row = (size_t)checks->rows[k];
        size_t i = 0;
        if (unknowns_ratio(s, row) <= 1) continue;
        while (i < count && !is_same_place(s, row, told[i])) i++;
        if (i < count) more[i]++;
        else if (count < ROWS_NAMED) told[count++] = row;
    }
    for (size_t i = 0; i < count; i++) contradiction(s, told[i], more[i]);
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

/* "one of 3 equations for one unknown" */
static void describe_size(const split_part *b, text *out)
{
    if (b->row_count == 1) add(out, "one equation for ");
    else add(out, "one of %zu equations for ", b->row_count);
    if (b->slot_count == 1) add(out, "one unknown");
    else add(out, "%zu unknowns", b->slot_count);
}

static void no_start(const init_system *s, const split_part *b,
    const size_t *rows, size_t count, const damped_result *result)
{
    const init_request *r = s->request;
    const dae_source *source;
    text_span span;
    char name[NAMING_SIZE], other[NAMING_SIZE];
    text values = {.length = 0}, block = {.length = 0};
    row_name(s, rows[0], name);
    row_place(s, rows[0], &source, &span);
    list_values(s, b, &values);
    describe_size(b, &block);
    slot_name(s, (size_t)b->slots[0], other);
    report(r->ds, DIAG_E0402, source, span,
        "no consistent start was found: `%s` keeps a residual of %.6g (%s%s)",
        name, s->res[rows[0]], block.s,
        result->is_singular ? "; the matrix is singular" : "");
    report_label(r->ds, "%.6g left after %lld iteration%s", s->res[rows[0]],
        (long long)result->iterations, result->iterations == 1 ? "" : "s");
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

/* "equations `a`, `b` and 2 more", "`a`". */
static void list_equations(const init_system *s, const int32_t *rows,
    size_t count, const char *several, text *out)
{
    char name[NAMING_SIZE];
    if (count > 1) add(out, "%s", several);
    for (size_t k = 0; k < count && k < ROWS_NAMED; k++) {
        const bool is_last = k > 0 && k + 1 == count;
        add(out, "%s`%s`",
            is_last ? " and "
                : k ? ", "
                    : "",
            row_name(s, (size_t)rows[k], name));
    }
    if (count > ROWS_NAMED) add(out, " and %zu more", count - ROWS_NAMED);
}

/* Where the rows after the first are, and the given values. */
static void place_blame(
    const init_system *s, const blame *b, size_t first_row, const char *role)
{
    const init_request *r = s->request;
    const dae_source *source;
    text_span span;
    for (size_t k = first_row; k < b->row_count && k < ROWS_NAMED; k++) {
        row_place(s, (size_t)b->rows[k], &source, &span);
        if (source) report_also(r->ds, source, span, "%s", role);
    }
    for (size_t k = 0; k < b->slot_count && k < FIXED_NAMED; k++) {
        const size_t slot = (size_t)b->slots[k];
        slot_place(s, slot, &source, &span);
        if (source) report_also(r->ds, source, span, "given as %g", s->z[slot]);
    }
}

/* The given values and conditions of a blame: "`x = 1`, `L5`". */
static size_t list_given(
    const init_system *s, const blame *b, size_t equations, text *out)
{
    char name[NAMING_SIZE];
    size_t named = 0;
    const size_t all = b->slot_count + b->row_count - equations;
    for (size_t k = 0; k < b->slot_count && named < FIXED_NAMED; k++, named++)
        add(out, "%s`%s = %g`", named ? ", " : "",
            slot_name(s, (size_t)b->slots[k], name), s->z[b->slots[k]]);
    for (size_t k = equations; k < b->row_count && named < FIXED_NAMED;
         k++, named++)
        add(out, "%s`%s`", named ? ", " : "",
            row_name(s, (size_t)b->rows[k], name));
    if (all > named) add(out, " and %zu more", all - named);
    return all;
}

/* E0401: the blame's rows, the first `equations` of them of F, and given
 * values. */
static void blame_conditions(
    const init_system *s, const blame *b, size_t equations)
{
    const init_request *r = s->request;
    const dae_source *source;
    text_span span;
    char name[NAMING_SIZE], other[NAMING_SIZE];
    text rows = {.length = 0}, given = {.length = 0};
    const size_t first = (size_t)b->rows[0];
    row_place(s, first, &source, &span);
    row_name(s, first, name);
    list_equations(s, b->rows, equations, "equations ", &rows);
    const size_t count = list_given(s, b, equations, &given);
    if (equations)
        report(r->ds, DIAG_E0401, source, span,
            "%s %s the initial condition%s %s", rows.s,
            equations == 1 ? "contradicts" : "contradict",
            count == 1 ? "" : "s", given.s);
    else
        report(r->ds, DIAG_E0401, source, span,
            "the initial conditions %s contradict each other", given.s);
    report_label(r->ds, "leaves %.6g at t = %g (tolerance %.3g)", s->res[first],
        r->t0, fmax(s->tolerance[first], s->noise[first]));
    place_blame(s, b, 1, "together with this");
    if (b->slot_count)
        report_help(r->ds,
            "free one of them: make its value a guess with `%s ~ %g`",
            slot_name(s, (size_t)b->slots[b->slot_count - 1], other),
            s->z[b->slots[b->slot_count - 1]]);
    else report_help(r->ds, "drop one of the conditions");
    report_numeric(r->ds, r->t0, 0, 0, name,
        b->slot_count ? slot_name(s, (size_t)b->slots[0], other) : NULL);
}

/* E0402: equations that no values of the free slots satisfy together,
 * whatever was given. */
static void blame_equations(const init_system *s, const blame *b)
{
    const init_request *r = s->request;
    const dae_source *source;
    text_span span;
    char name[NAMING_SIZE];
    text rows = {.length = 0};
    const size_t first = (size_t)b->rows[0];
    row_place(s, first, &source, &span);
    row_name(s, first, name);
    list_equations(s, b->rows, b->row_count, "equations ", &rows);
    report(r->ds, DIAG_E0402, source, span,
        "%s contradict each other: the free unknowns cannot satisfy %s", rows.s,
        b->row_count == 2 ? "both" : "all of them");
    report_label(r->ds, "leaves %.6g at t = %g", s->res[first], r->t0);
    place_blame(s, b, 1, "contradicts it");
    report_help(r->ds,
        "no initial condition is to blame: the left sides depend on one "
        "another, the right sides do not agree");
    report_numeric(r->ds, r->t0, 0, 0, name, NULL);
}

/* One error for what contradicts what; false where that is not known. */
static bool explain_blame(const init_system *s, const blame *b)
{
    size_t equations = 0;
    while (equations < b->row_count && (size_t)b->rows[equations] < s->n)
        equations++;
    if (b->row_count == 0) return false;
    if (b->slot_count > 0 || equations < b->row_count)
        blame_conditions(s, b, equations);
    else if (equations > 1 && b->is_lasting) blame_equations(s, b);
    else return false;
    return true;
}

/* Whether a given value or a condition takes part in one of the rows. */
static bool is_any_given(const init_system *s, const size_t *rows, size_t count)
{
    size_t slot;
    for (size_t k = 0; k < count; k++)
        if (rows[k] >= s->n || fixed_in_row(s, rows[k], 1, &slot) > 0)
            return true;
    return false;
}

dae_status explain_failure(
    init_system *s, const split_part *part, const damped_result *result)
{
    split_part b;
    blame who = {0};
    size_t rows[ROWS_NAMED];
    if (result->outcome == DAMPED_NO_VALUE) return explain_no_value(s);
    dae_status st = find_block(s, part, &b);
    if (st) return st;
    size_t count = worst_rows(s, &b, ROWS_NAMED, rows);
    if (count == 0) { /* not converged although every row holds */
        rows[0] = (size_t)b.rows[0];
        count = 1;
    }
    const bool has_no_solution = result->outcome == DAMPED_STALLED
        && (result->is_singular || part->row_count != part->slot_count);
    if (has_no_solution && (st = blame_find(s, part, &who))) return st;
    if (explain_blame(s, &who))
        return who.slot_count || (size_t)who.rows[who.row_count - 1] >= s->n
            ? DAE_INCONSISTENT
            : DAE_NUMERIC;
    if (has_no_solution && who.row_count == 0 && is_any_given(s, rows, count)) {
        contradiction(s, rows[0], 0);
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
        add(out, "%s`%s` = %g", k ? ", " : "",
            slot_name(s, from->slots[k], name), s->z[from->slots[k]]);
    if (from->all > from->named)
        add(out, " and %zu more", from->all - from->named);
    if (from->all == 0) add(out, "values that are not conditions");
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

void explain_missing(const init_system *s, const split *sp,
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
        "%zu initial condition%s too few; taken from guesses: %s", missing,
        missing == 1 ? "" : "s", names.s);
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

void explain_redundant(
    const init_system *s, const split_part *checks, int64_t count)
{
    const init_request *r = s->request;
    const dae_source *source = NULL;
    text_span span = {0, 0};
    size_t slot;
    const size_t row = checks->row_count ? (size_t)checks->rows[0] : s->rows;
    if (row < s->rows) row_place(s, row, &source, &span);
    report(r->ds, DIAG_N0407, source, span,
        "%lld initial condition%s follow%s from the others and the "
        "equations, and agree%s",
        (long long)count, count == 1 ? "" : "s", count == 1 ? "s" : "",
        count == 1 ? "s" : "");
    if (!source) return;
    report_label(r->ds, "holds for the values that are given");
    if (fixed_in_row(s, row, 1, &slot) == 0) return;
    slot_place(s, slot, &source, &span);
    if (source) report_also(r->ds, source, span, "given as %g", s->z[slot]);
}
