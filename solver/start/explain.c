/* Where a solve has failed: the outcome and the block where it began become
 * one error, with values and a guess to try. With findings the smallest sets
 * (smallest.c) come first. */
#include "start/explain.h"
#include "start/blame.h"
#include "start/carried.h"
#include "start/claims.h"
#include "start/hint.h"
#include "start/moment.h"
#include "start/order.h"
#include "start/proportion.h"
#include "start/record.h"
#include "start/sides.h"
#include "start/smallest.h"
#include <math.h>
#include <stdio.h>

/* First row without a residual, or else Jacobian; rows: none. */
static size_t row_without_value(const init_system *s)
{
    for (size_t i = 0; i < s->rows; i++)
        if (is_overflow(s->res[i])) return i;
    int64_t i = jacobian_overflow_row(s->f);
    if (i >= 0) return (size_t)i;
    if (s->c && (i = jacobian_overflow_row(s->c)) >= 0)
        return s->equations + (size_t)i;
    return s->rows;
}

/* The entry that has overflowed in a row whose value has not. */
static double overflowed_entry(const init_system *s, size_t row)
{
    const jacobian *j = row < s->equations ? s->f : s->c;
    const int64_t i = (int64_t)(row < s->equations ? row : row - s->equations);
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

/* Where a callback refuses the whole: the first of some rows that the problem
 * has something to say of; rows: none. */
static size_t row_explained(const init_system *s, char *why, size_t size)
{
    enum { ROWS_ASKED = 1000 };
    const init_request *r = s->request;
    const dae_problem *p = r->problem;
    for (size_t i = 0; p->explain && i < s->equations && i < ROWS_ASKED; i++) {
        const size_t length = p->explain(
            p->self, i, r->t0, s->z, s->z + s->states, why, size);
        if (length == SIZE_MAX) report_lost(r->ds);
        else if (length > 0) return i;
    }
    return s->rows;
}

dae_status explain_no_value(init_system *s)
{
    const init_request *r = s->request;
    if (r->has_no_value) *r->has_no_value = true;
    const dae_problem *p = r->problem;
    const dae_source *source = NULL;
    text_span span = {0, 0};
    char name[NAMING_SIZE], why[256] = "";
    size_t row = row_without_value(s);
    if (row == s->rows) row = row_explained(s, why, sizeof why);
    if (row == s->rows) {
        report(r->ds, DIAG_E0403, NULL, span,
            "the equations have no value at the start, t = %g", r->t0);
        report_numeric(r->ds, r->t0, 0, 0, NULL, NULL);
        return DAE_NUMERIC;
    }
    const bool is_value = is_overflow(s->res[row]);
    const double value = is_value ? s->res[row] : overflowed_entry(s, row);
    if (isfinite(value) && !why[0])
        return row_too_large(s, row, is_value, value);
    row_place(s, row, &source, &span);
    row_name(s, row, name);
    report(r->ds, DIAG_E0403, source, span, "`%s` has no value at the start",
        name);
    if (p->explain && row < s->equations
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
    const dae_status st = hint_value(s, row);
    report_numeric(r->ds, r->t0, 0, 0, name, NULL);
    return st ? st : DAE_NUMERIC;
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
    if (r->has_no_value) *r->has_no_value = true;
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

/* E0401 on one row, where all its slots are given or it is not known which
 * ones are to blame; `more` rows of the same equation fail alike. */
static void contradiction(const init_system *s, size_t row, size_t more)
{
    const init_request *r = s->request;
    const dae_source *source;
    text_span span;
    size_t slots[FIXED_NAMED];
    char name[NAMING_SIZE], other[NAMING_SIZE];
    text given = {.length = 0}, reading = {.length = 0},
         allowed = {.length = 0};
    const size_t count = fixed_in_row(s, row, FIXED_NAMED, slots);
    const size_t named = count < FIXED_NAMED ? count : FIXED_NAMED;
    for (size_t k = 0; k < named; k++)
        text_add(&given, "%s`%s = %g`", k ? ", " : "",
            slot_name(s, slots[k], other), s->z[slots[k]]);
    if (count > named) text_add(&given, " and %zu more", count - named);
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
    sides_write(s, row, &reading);
    tolerance_write(s, row, &allowed);
    report_label(
        r->ds, "%s at t = %g%s%s", reading.s, r->t0, allowed.s, others);
    int32_t placed[FIXED_NAMED];
    for (size_t k = 0; k < named; k++) placed[k] = (int32_t)slots[k];
    place_given(s, placed, named);
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
dae_status explain_checks(init_system *s, const split_part *checks)
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
    if (s->request->is_brief) return DAE_INCONSISTENT;
    if (s->request->findings) return smallest_of_checks(s, told, more, count);
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

/* What is left of each row, by what slots of the usual sizes explain: near 0
 * the tolerance of a square is next to nothing, and all of it would count. */
static double *measure_left(init_system *s)
{
    const double rtol = s->request->rtol;
    double *left = ARENA_ARRAY(&s->arena, double, s->rows);
    for (size_t k = 0; left && k < s->slots; k++) {
        entry_range e[2];
        const double size = fmax(fabs(s->z[k]), s->scale[k]);
        const int count = unknowns_column(s, k, e);
        for (int q = 0; q < count; q++)
            for (int64_t p = e[q].begin; p < e[q].end; p++) {
                double *of = &left[(size_t)e[q].row[p] + e[q].offset];
                const double slope = fabs(entry_value(&e[q], p));
                *of = fmax(*of, slope * (rtol * size + s->atol[k]));
            }
    }
    for (size_t i = 0; left && i < s->rows; i++) {
        const double ratio = unknowns_ratio(s, i);
        const double usual = fmin(
            fmax(left[i], s->tolerance[i]), s->admitted[i]);
        left[i] = ratio > 1 && usual > 0 ? fabs(s->res[i]) / usual : ratio;
    }
    return left;
}

/* The unsolved rows of the block, worst first, up to `most`. */
static dae_status worst_rows(init_system *s, const split_part *b, size_t most,
    size_t *rows, size_t *count)
{
    const double *left = measure_left(s);
    if (!left) return DAE_MEMORY;
    for (*count = 0; *count < most; ++*count) {
        size_t best = s->rows;
        for (size_t i = 0; i < b->row_count; i++) {
            const size_t row = (size_t)b->rows[i];
            bool is_told = false;
            for (size_t k = 0; k < *count; k++)
                is_told = is_told || rows[k] == row;
            if (is_told || !(unknowns_ratio(s, row) > 1)) continue;
            if (best == s->rows || left[row] > left[best]) best = row;
        }
        if (best == s->rows) break;
        rows[*count] = best;
    }
    return DAE_OK;
}

/* The block's unknowns: guess, last value, a bound where it stands. */
static void list_values(const init_system *s, const split_part *b, text *out)
{
    char name[NAMING_SIZE];
    const size_t named = b->slot_count < FIXED_NAMED ? b->slot_count
                                                     : FIXED_NAMED;
    for (size_t j = 0; j < named; j++) {
        const size_t k = (size_t)b->slots[j];
        text_add(out, "%s`%s` = %.6g (guess %.6g", j ? ", " : "",
            slot_name(s, k, name), s->z[k], s->guess[k]);
        if (s->z[k] <= s->low[k])
            text_add(out, ", at its minimum %.6g", s->low[k]);
        if (s->z[k] >= s->high[k])
            text_add(out, ", at its maximum %.6g", s->high[k]);
        text_add(out, ")");
    }
    if (b->slot_count > named)
        text_add(out, " and %zu more", b->slot_count - named);
}

/* "one of 3 equations for one unknown" */
static void describe_size(const split_part *b, text *out)
{
    if (b->row_count == 1) text_add(out, "one equation for ");
    else text_add(out, "one of %zu equations for ", b->row_count);
    if (b->slot_count == 1) text_add(out, "one unknown");
    else text_add(out, "%zu unknowns", b->slot_count);
}

/* What is left of a row that does not hold. */
static void left(const init_system *s, size_t row, text *out)
{
    *out = (text){.length = 0};
    if (unknowns_ratio(s, row) <= 1) text_add(out, "holds");
    else text_add(out, "%.6g left", s->res[row]);
}

static void no_start(const init_system *s, const split_part *b,
    const size_t *rows, size_t count, const damped_result *result)
{
    const init_request *r = s->request;
    const dae_source *source;
    text_span span;
    char name[NAMING_SIZE], other[NAMING_SIZE], label[NAMING_SIZE];
    text values = {.length = 0}, block = {.length = 0}, rest;
    row_name(s, rows[0], name);
    row_place(s, rows[0], &source, &span);
    list_values(s, b, &values);
    describe_size(b, &block);
    slot_name(s, (size_t)b->slots[0], other);
    if (unknowns_ratio(s, rows[0]) <= 1)
        report(r->ds, DIAG_E0402, source, span,
            "no consistent start was found: `%s` holds, but the values that "
            "make it hold do not settle (%s%s)",
            name, block.s,
            result->is_singular ? "; the matrix is singular" : "");
    else
        report(r->ds, DIAG_E0402, source, span,
            "no consistent start was found: `%s` keeps a residual of %.6g "
            "(%s%s)",
            name, s->res[rows[0]], block.s,
            result->is_singular ? "; the matrix is singular" : "");
    left(s, rows[0], &rest);
    report_label(r->ds, "`%s`: %s after %lld iteration%s", name, rest.s,
        (long long)result->iterations, result->iterations == 1 ? "" : "s");
    for (size_t k = 1; k < count; k++) {
        row_place(s, rows[k], &source, &span);
        left(s, rows[k], &rest);
        row_name(s, rows[k], label);
        if (source) report_also(r->ds, source, span, "`%s`: %s", label, rest.s);
    }
    hint_guess(s, b, values.s);
    report_numeric(r->ds, r->t0, 0, 0, name, other);
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
    place_given(
        s, b->slots, b->slot_count < FIXED_NAMED ? b->slot_count : FIXED_NAMED);
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
    text rows = {.length = 0}, given = {.length = 0}, reading = {.length = 0};
    text allowed = {.length = 0};
    const size_t first = (size_t)b->rows[0];
    row_place(s, first, &source, &span);
    row_name(s, first, name);
    list_equations(s, b->rows, equations, ROWS_NAMED, &rows);
    const size_t count = list_given(s, b->rows + equations,
        b->row_count - equations, b->slots, b->slot_count, FIXED_NAMED, &given);
    if (equations)
        report(r->ds, DIAG_E0401, source, span,
            "%s %s the initial condition%s %s", rows.s,
            equations == 1 ? "contradicts" : "contradict",
            count == 1 ? "" : "s", given.s);
    else
        report(r->ds, DIAG_E0401, source, span,
            "the initial conditions %s contradict each other", given.s);
    sides_write(s, first, &reading);
    tolerance_write(s, first, &allowed);
    report_label(r->ds, "%s at t = %g%s", reading.s, r->t0, allowed.s);
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
    text rows = {.length = 0}, reading = {.length = 0};
    const size_t first = (size_t)b->rows[0];
    row_place(s, first, &source, &span);
    row_name(s, first, name);
    list_equations(s, b->rows, b->row_count, ROWS_NAMED, &rows);
    report(r->ds, DIAG_E0402, source, span,
        "%s contradict each other: the free unknowns cannot satisfy %s", rows.s,
        b->row_count == 2 ? "both" : "all of them");
    sides_write(s, first, &reading);
    report_label(r->ds, "%s at t = %g", reading.s, r->t0);
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
    while (
        equations < b->row_count && (size_t)b->rows[equations] < s->equations)
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
        if (rows[k] >= s->equations || fixed_in_row(s, rows[k], 1, &slot) > 0)
            return true;
    return false;
}

/* What the block where it began tells nothing of: all rows, from where the
 * search began. Nothing found, all is as before. */
static dae_status explain_by_all(init_system *s, failure_account *account)
{
    moment before;
    dae_status st = moment_take(&before, s);
    if (st) return st;
    for (size_t k = 0; k < s->slots; k++)
        if (s->is_free[k]) s->z[k] = s->guess[k];
    st = unknowns_residual(s, s->z, s->res);
    if (!st) st = unknowns_jacobian(s);
    if (!st) {
        unknowns_measure(s);
        st = smallest_of_few(s, account);
    }
    if (st == DAE_RETRY) st = DAE_OK;
    if (*account == FAILURE_UNKNOWN) moment_return(&before, s);
    return st;
}

/* E0402 for a search that ended, where it did. */
static dae_status tell_no_start(
    init_system *s, const split_part *b, const damped_result *result)
{
    size_t rows[ROWS_NAMED], count;
    dae_status st = claims_refute(s, b->rows, b->row_count);
    if (!st) st = worst_rows(s, b, ROWS_NAMED, rows, &count);
    if (st) return st;
    if (count == 0) { /* not converged although every row holds */
        rows[0] = (size_t)b->rows[0];
        count = 1;
    }
    no_start(s, b, rows, count, result);
    st = record_stall(s, b);
    return st ? st : DAE_NUMERIC;
}

dae_status explain_failure(init_system *s, const split_part *part,
    const damped_result *result, bool *is_solved)
{
    split_part b;
    blame who = {0};
    size_t rows[ROWS_NAMED];
    *is_solved = false;
    if (s->request->is_brief) return DAE_NUMERIC;
    if (result->outcome == DAMPED_NO_VALUE) return explain_no_value(s);
    dae_status st = claims_refute(s, part->rows, part->row_count);
    if (!st) st = find_block(s, part, &b);
    if (st) return st;
    size_t count;
    if ((st = worst_rows(s, &b, ROWS_NAMED, rows, &count))) return st;
    const bool has_no_solution = result->outcome == DAMPED_STALLED
        && (result->is_singular || part->row_count != part->slot_count);
    if (s->request->findings) {
        failure_account account;
        st = smallest_of_failure(s, part, &b, has_no_solution, &account);
        if (!st && account == FAILURE_UNKNOWN) st = explain_by_all(s, &account);
        *is_solved = account == FAILURE_NONE;
        if (st || account != FAILURE_UNKNOWN) return st;
    } else if (has_no_solution && (st = blame_find(s, part, &who))) {
        return st;
    }
    if (explain_blame(s, &who))
        return who.slot_count
                || (size_t)who.rows[who.row_count - 1] >= s->equations
            ? DAE_INCONSISTENT
            : DAE_NUMERIC;
    if (has_no_solution && !s->request->findings && who.row_count == 0 && count
        && is_any_given(s, rows, count)) {
        contradiction(s, rows[0], 0);
        return DAE_INCONSISTENT;
    }
    return tell_no_start(s, &b, result);
}

/* In units: a value up to it has not gone beyond all bounds. */
static const double OF_USUAL_SIZE = 10;

dae_status explain_growth(const init_system *s, size_t row)
{
    const init_request *r = s->request;
    const dae_source *source;
    text_span span;
    char name[NAMING_SIZE], other[NAMING_SIZE];
    const size_t slot = proportion_grown(s, row);
    row_place(s, row, &source, &span);
    row_name(s, row, name);
    slot_name(s, slot, other);
    if (fabs(s->z[slot]) > OF_USUAL_SIZE * carried_unit(s, slot)) {
        report(r->ds, DIAG_E0402, source, span,
            "no consistent start was found: the search for `%s` drives `%s` "
            "beyond all bounds",
            name, other);
        report_label(r->ds, "met at `%s` = %.6g, where its tolerance is %.3g",
            other, s->z[slot], fmax(s->tolerance[row], s->noise[row]));
    } else {
        report(r->ds, DIAG_E0402, source, span,
            "no consistent start was found: `%s` holds by what tolerances "
            "leave of other equations alone",
            name);
        report_label(r->ds, "met near `%s` = %.6g, not where these are solved",
            other, s->z[slot]);
    }
    report_help(r->ds,
        "check that there is a solution with finite values, or give a guess "
        "nearer to it");
    report_numeric(r->ds, r->t0, 0, 0, name, other);
    return DAE_NUMERIC;
}
