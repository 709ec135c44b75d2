/* The part of the report about the start: what is given, what cannot hold
 * together or is missing, and the values found. */
#include "check.h"
#include "number.h"
#include <math.h>

/* Lists are cut here: the document of --json has everything. */
enum { MOST_NAMES = 8, MOST_VALUES = 20, MOST_CONFLICTS = 20 };
enum { LABEL = 13, INDENT = 2 };

static void put_value(const check *k, dae_slot slot, double value, phrase *p)
{
    phrase_put(p, check_slot_name(k, slot));
    if (!isnan(value)) phrase_add(p, " = %.10g", value);
}

static void put_given_value(const check *k, dae_slot slot, phrase *p)
{
    const dae_start *s = dae_model_problem(k->model)->start;
    put_value(k, slot,
        dae_model_unknown_value(
            k->model, (size_t)slot.unknown, slot.order, s->x, s->xp),
        p);
}

static void put_given(const check *k, phrase *p)
{
    const dae_start_findings *s = &k->analysis->start;
    const size_t count = s->given_count + s->condition_count;
    for (size_t i = 0; i < count && phrase_next(p, i, count, MOST_NAMES); i++)
        if (i >= s->given_count) {
            const dae_party condition = check_condition(k, i - s->given_count);
            phrase_put(p, check_party_name(k, &condition));
            check_put_party_text(k, &condition, p);
        } else {
            put_given_value(k, s->given[i], p);
        }
    if (count == 0) phrase_put(p, "nothing");
}

/* Values far below their tolerance and below the rounding of the largest value, or
 * of 1 if it is larger, are shown as 0. */
static const double NOISE_OF_ATOL = 1e-3, NOISE_OF_LARGEST = 1e-15;

static double largest_value(const check *k)
{
    const dae_start_findings *s = &k->analysis->start;
    double most = 0;
    for (size_t v = 0; v < s->value_first[dae_model_unknown_count(k->model)];
         v++)
        if (fabs(s->values[v]) > most) most = fabs(s->values[v]);
    return fmin(most, 1);
}

static double without_noise(
    const check *k, size_t unknown, double value, double largest)
{
    const dae_scales *scales = dae_model_problem(k->model)->scales;
    const double own = scales && scales->atol ? scales->atol[unknown] : k->atol;
    const double atol = isnan(own) ? k->atol : own;
    const bool is_noise = fabs(value) < NOISE_OF_ATOL * atol
        && fabs(value) < NOISE_OF_LARGEST * largest;
    return is_noise ? 0 : value;
}

/* The order in which values are shown where not all are: what the equations
 * alone determine, values of states, derivatives. */
enum { TURN_ALGEBRAIC, TURN_STATE, TURN_DERIVATIVE, TURNS };

static int turn_of(size_t unknown_order, size_t order)
{
    if (order > 0) return TURN_DERIVATIVE;
    return unknown_order == 0 ? TURN_ALGEBRAIC : TURN_STATE;
}

/* Whether derivative `order` of unknown j is given. What is given is listed as
 * the text has the unknowns: *next is where the list has come to. */
static bool is_given(const check *k, size_t j, int32_t order, size_t *next)
{
    const dae_start_findings *s = &k->analysis->start;
    const size_t here = dae_model_unknown_position(k->model, j);
    for (; *next < s->given_count; ++*next) {
        const dae_slot g = s->given[*next];
        const size_t there = dae_model_unknown_position(
            k->model, (size_t)g.unknown);
        if (there > here || (there == here && g.order >= order))
            return there == here && g.order == order;
    }
    return false;
}

/* Those of one turn, of all turns if it is TURNS, up to `most`. */
static size_t put_found_turn(
    const check *k, int turn, size_t shown, size_t most, phrase *p)
{
    const dae_start_findings *s = &k->analysis->start;
    const dae_problem *problem = dae_model_problem(k->model);
    const size_t n = dae_model_unknown_count(k->model);
    const double largest = largest_value(k);
    size_t next = 0;
    for (size_t i = 0; i < n && shown < most; i++) {
        const size_t u = dae_report_unknown_at(k->report, i);
        const size_t slots = s->value_first[u + 1] - s->value_first[u];
        const size_t q = problem->order ? problem->order[u] : 1;
        for (size_t o = 0; o < slots && shown < most; o++) {
            if (is_given(k, u, (int32_t)o, &next)) continue;
            if (turn != TURNS && turn_of(q, o) != turn) continue;
            if (shown++) phrase_put(p, ", ");
            put_value(k, (dae_slot){(int32_t)u, (int32_t)o},
                without_noise(k, u, s->values[s->value_first[u] + o], largest),
                p);
        }
    }
    return shown;
}

/* Values that were not given: all of a few in the order of the unknowns, else
 * the first by turns. */
static void put_found(const check *k, phrase *p)
{
    const dae_start_findings *s = &k->analysis->start;
    size_t count = s->values ? s->value_first[dae_model_unknown_count(k->model)]
                             : 0;
    if (count == 0) return;
    count = count > s->given_count ? count - s->given_count : 0;
    size_t shown = 0;
    if (count <= MOST_VALUES) shown = put_found_turn(k, TURNS, 0, count, p);
    for (int turn = 0; turn < TURNS && count > MOST_VALUES; turn++)
        shown = put_found_turn(k, turn, shown, MOST_NAMES, p);
    phrase_more(p, shown, count);
}

/* "rod'", "x = 2", "x is at least 0": a value is given with what was given. */
static void put_conflict(const check *k, const dae_party *party, phrase *p)
{
    phrase_put(p, check_party_name(k, party));
    check_put_party_text(k, party, p);
    if (party->kind == DAE_PARTY_VALUE)
        phrase_add(p, " = %.10g", party->residual);
    if (party->kind == DAE_PARTY_MINIMUM)
        phrase_add(p, " is at least %.10g", party->residual);
    if (party->kind == DAE_PARTY_MAXIMUM)
        phrase_add(p, " is at most %.10g", party->residual);
}

/* "reads 4 = 1", else "residual 3", or "has no value"; of a value what would fit, where
 * that is another one. */
static void put_conflict_numbers(
    const dae_party *party, const char *before, phrase *p)
{
    enum { DIGITS = 6, DIGITS_GIVEN = 10, MOST = 15 };
    if (check_is_bound(party)) return;
    if (party->kind == DAE_PARTY_VALUE) {
        const int digits = isfinite(party->wanted)
            ? number_digits_apart(
                party->residual, party->wanted, DIGITS_GIVEN, MOST)
            : 0;
        if (digits)
            phrase_add(p, "%sthe other conditions imply %.*g", before, digits,
                party->wanted);
    } else if (isfinite(party->left) && isfinite(party->right)) {
        const int digits = number_digits_apart(
            party->left, party->right, DIGITS, MOST);
        const int shown = digits ? digits : DIGITS;
        phrase_add(p, "%sreads %.*g = %.*g", before, shown, party->left, shown,
            party->right);
    } else if (isfinite(party->residual)) {
        phrase_add(p, "%sresidual %.3g", before, party->residual);
    } else {
        phrase_add(p, "%shas no value", before);
    }
}

/* What was not satisfied together, one below the other. */
static void print_conflicts(const check *k, phrase *p, FILE *file)
{
    const dae_start_findings *s = &k->analysis->start;
    const size_t count = s->conflict_count;
    const size_t shown = count < MOST_CONFLICTS ? count : MOST_CONFLICTS;
    phrase name = {0};
    int width = 0;
    if (count == 0) return;
    phrase_field(file, INDENT, LABEL - INDENT, "conflict",
        s->conflict_is_proved ? "cannot hold together" : "not found together");
    for (size_t i = 0; i < shown; i++) {
        phrase_empty(p);
        put_conflict(k, &s->conflicts[i], p);
        if ((int)p->length > width && p->length < 40) width = (int)p->length;
    }
    for (size_t i = 0; i < shown; i++) {
        const dae_party *party = &s->conflicts[i];
        const uint32_t line = dae_party_line(k->model, party);
        phrase_empty(&name);
        phrase_empty(p);
        put_conflict(k, party, &name);
        if (line) phrase_add(p, "line %u", (unsigned)line);
        put_conflict_numbers(party, line ? ", " : "", p);
        phrase_field(
            file, LABEL + 2, width + 2, phrase_text(&name), phrase_text(p));
    }
    if (count > shown)
        (void)fprintf(file, "%*sand %zu more\n", LABEL + 2, "", count - shown);
    phrase_empty(p);
}

static void put_missing(const check *k, phrase *p)
{
    const dae_start_findings *s = &k->analysis->start;
    const size_t first = s->missing < s->could_fix_count ? s->missing
                                                         : s->could_fix_count;
    phrase_add(p, "%zu value%s", s->missing, NUMBER_PLURAL(s->missing));
    if (first) phrase_put(p, ", such as ");
    check_put_slots(k, s->could_fix, first, p);
    if (s->could_fix_count == first) return;
    phrase_put(p, "; instead of these also ");
    check_put_slots(k, s->could_fix + first, s->could_fix_count - first, p);
}

static void put_undetermined(const check *k, phrase *p)
{
    const dae_start_findings *s = &k->analysis->start;
    size_t shown = 0, count = 0;
    for (size_t i = 0; i < s->undetermined_count; i++) {
        const dae_slot slot = s->undetermined[i];
        if (!check_shows_slot(k, slot) || count++ >= MOST_NAMES) continue;
        if (shown++) phrase_put(p, ", ");
        phrase_put(p, check_slot_name(k, slot));
    }
    phrase_more(p, shown, count);
}

static void field(phrase *p, const char *label, FILE *file)
{
    phrase_field(file, INDENT, LABEL - INDENT, label, phrase_text(p));
    phrase_empty(p);
}

/* Where the index asks for more than can be differentiated. */
static void print_unexamined(const check *k, phrase *p, FILE *file)
{
    const dae_analysis *a = k->analysis;
    const bool is_open = a->verdict == DAE_INDEX_FOUND
        && a->degrees_of_freedom < 0;
    if (!a->start.is_too_large && !is_open) return;
    (void)fputs("\nstart\n", file);
    phrase_empty(p);
    if (!a->start.is_too_large)
        phrase_put(p, "not examined: how many of them are free is not known");
    else if (a->structural_index > DAE_SERIES_TERMS_MAX)
        phrase_add(p,
            "not examined: equations can be differentiated %d times at most "
            "here",
            DAE_SERIES_TERMS_MAX - 1);
    else
        phrase_put(p,
            "not examined: the equations with their derivatives are too large "
            "a system");
    field(p, "values", file);
}

void check_print_start(const check *k, phrase *p, FILE *file)
{
    const dae_start_findings *s = &k->analysis->start;
    if (s->verdict == DAE_START_UNKNOWN) {
        print_unexamined(k, p, file);
        return;
    }
    const dae_settings *settings = dae_model_settings(k->model);
    (void)fprintf(
        file, "\nstart at %s = %.10g\n", settings->independent, settings->t0);
    phrase_empty(p);
    put_given(k, p), field(p, "given", file);
    if (s->redundant_count) {
        check_put_parties(k, s->redundant, s->redundant_count, p);
        phrase_add(
            p, " follow%s from the others", s->redundant_count == 1 ? "s" : "");
        if (k->analysis->certificate == DAE_SINGULAR_HERE)
            phrase_put(p, ", to first order");
        field(p, "redundant", file);
    }
    print_conflicts(k, p, file);
    if (s->missing) put_missing(k, p), field(p, "missing", file);
    if (s->is_too_large) {
        phrase_put(p,
            "not counted: too large a system with derivatives that stay open");
        field(p, "missing", file);
    }
    put_undetermined(k, p);
    if (p->length) field(p, "not fixed", file);
    if (s->verdict == DAE_START_INCONSISTENT) return;
    put_found(k, p);
    if (p->length)
        field(
            p, s->verdict == DAE_START_UNSOLVED ? "stopped at" : "found", file);
}
