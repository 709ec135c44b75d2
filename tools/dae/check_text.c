#include "check_text.h"
#include "check_reason.h"
#include "check_tables.h"
#include "memory.h"
#include "number.h"
#include <math.h>
#include <string.h>

/* Lists are cut here: the document of --json has everything. */
enum {
    MOST_NAMES = 8,
    MOST_HIDDEN = 20,
    MOST_REPAIRS = 10,
    MOST_VALUES = 20,
    MOST_CONFLICTS = 20
};
enum { LABEL = 13, INDENT = 2 };

/* ---- the first line --------------------------------------------------------
 */

static void put_counts(const check *k, phrase *p)
{
    const dae_singular *s = k->singular;
    const size_t m = s->equations, n = s->unknowns;
    const size_t by = m > n ? m - n : n - m;
    if (by == 0) {
        phrase_put(p, "the model is structurally singular");
        if (k->model) phrase_put(p, " with these values of its params");
        return;
    }
    phrase_add(p, "the model has %zu equation%s for %zu unknown%s", m,
        number_plural((int64_t)m), n, number_plural((int64_t)n));
    phrase_add(p, ", %zu equation%s %s", by, number_plural((int64_t)by),
        m > n         ? "too many"
            : by == 1 ? "is missing"
                      : "are missing");
}

static const char *no_index_text(const dae_analysis *a)
{
    switch (a->verdict) {
    case DAE_INDEX_REDUNDANT:
        return "the model is redundant: an equation follows from the others";
    case DAE_INDEX_FLOATING:
        return "not uniquely solvable: a common level of some unknowns is "
               "free";
    case DAE_INDEX_NOT_UNIQUE: return "the model is not uniquely solvable";
    case DAE_INDEX_CONTRADICTORY:
        return "the model has no solution: equations contradict each other";
    default: return "the model is structurally singular";
    }
}

static void put_index(const check *k, phrase *p)
{
    const int64_t index = check_index(k), freedom = check_freedom(k);
    const bool is_singular_here = k->analysis->certificate == DAE_SINGULAR_HERE;
    const bool is_confirmed = check_is_certified(k) || is_singular_here;
    phrase_add(p, "%sindex %lld%s", is_confirmed ? "" : "structural ",
        (long long)index,
        is_singular_here ? " (not confirmed at the start)" : "");
    if (freedom == 0) phrase_put(p, ", no degrees of freedom");
    else if (freedom > 0)
        phrase_add(p, ", %lld degree%s of freedom", (long long)freedom,
            number_plural(freedom));
}

static void put_start_verdict(const check *k, const check_view *v, phrase *p)
{
    const dae_start_findings *s = &k->analysis->start;
    switch (s->verdict) {
    case DAE_START_CONSISTENT:
        phrase_put(p, v->status == DAE_MODEL ? "" : "consistent, ");
        break;
    case DAE_START_INCONSISTENT:
        phrase_put(p, "the initial conditions are inconsistent, ");
        break;
    case DAE_START_UNDERDETERMINED:
        phrase_add(p,
            "the initial conditions are too few, %zu more %s needed, ",
            s->missing, s->missing == 1 ? "is" : "are");
        break;
    case DAE_START_UNSOLVED:
        phrase_put(p, "no consistent start was found, ");
        break;
    default: break;
    }
}

static void put_verdict(const check *k, const check_view *v, phrase *p)
{
    phrase_add(p, "%s: ", v->name);
    if (k->singular) {
        put_counts(k, p);
    } else if (!k->analysis) {
        const char *what = v->status == DAE_MODEL ? "the model is wrong"
                                                  : "not checked";
        phrase_add(p, "%s, %zu error%s", what, v->errors,
            number_plural((int64_t)v->errors));
    } else if (k->analysis->verdict != DAE_INDEX_FOUND) {
        phrase_put(p, no_index_text(k->analysis));
    } else {
        if (v->status == DAE_MODEL)
            phrase_put(p, "a derivative that is needed does not exist, ");
        put_start_verdict(k, v, p);
        put_index(k, p);
    }
}

/* ---- counts and index
 * ---------------------------------------------------------- */

static void print_counts(const check *k, FILE *file)
{
    char text[80];
    const size_t m = dae_model_equation_count(k->model);
    const size_t n = dae_model_unknown_count(k->model);
    (void)snprintf(text, sizeof text, "%zu, for %zu unknown%s", m, n,
        number_plural((int64_t)n));
    phrase_field(file, 0, LABEL, "equations", text);
}

static void put_certificate(const check *k, phrase *p)
{
    const dae_analysis *a = k->analysis;
    size_t doubtful = 0;
    for (size_t b = 0; a->blocks && b < a->repaired->fine_count; b++)
        doubtful += a->blocks[b] != DAE_CERTIFIED;
    if (a->certificate == DAE_CERTIFIED) {
        phrase_put(p, ", confirmed by numbers");
    } else if (a->certificate == DAE_SINGULAR_HERE) {
        phrase_put(p, ", confirmed by numbers, but not at the start");
    } else {
        phrase_put(p, ", by structure alone: not certified");
        if (doubtful && a->repaired->fine_count > 1)
            phrase_add(
                p, " (%zu of %zu blocks)", doubtful, a->repaired->fine_count);
    }
}

static void print_repairs(const dae_analysis *a, FILE *file)
{
    const size_t count = a->repair_count;
    const size_t shown = count < MOST_REPAIRS ? count : MOST_REPAIRS;
    for (size_t r = 0; r < shown; r++)
        phrase_field(file, 0, LABEL, r ? "" : "repaired", a->repairs[r].text);
    if (count > shown)
        (void)fprintf(file, "%*sand %zu more\n", LABEL, "", count - shown);
}

static void print_index(const check *k, phrase *p, FILE *file)
{
    const dae_analysis *a = k->analysis;
    phrase_empty(p);
    phrase_add(p, "%lld", (long long)a->index);
    put_certificate(k, p);
    phrase_put(p, ": ");
    check_put_reason(k, p);
    phrase_field(file, 0, LABEL, "index", phrase_text(p));
    print_repairs(a, file);
    phrase_empty(p);
    if (a->degrees_of_freedom == 0)
        phrase_put(p, "0: no initial value may be chosen");
    else
        phrase_add(p, "%lld: %lld initial value%s may be chosen",
            (long long)a->degrees_of_freedom, (long long)a->degrees_of_freedom,
            number_plural(a->degrees_of_freedom));
    if (a->degrees_of_freedom >= 0)
        phrase_field(file, 0, LABEL, "freedom", phrase_text(p));
}

/* ---- what has no index
 * ------------------------------------------------------------ */

static size_t base_length(const char *name)
{
    return strcspn(name, "[");
}

/* Behind the elements of one array that follow each other; fewer than three
 * are named one by one. */
static size_t end_of_run(const dae_named *list, size_t from, size_t count)
{
    const size_t length = base_length(list[from].name);
    size_t end = from + 1;
    if (list[from].name[length] == '\0') return end;
    while (end < count && list[end].line == list[from].line
        && base_length(list[end].name) == length
        && memcmp(list[end].name, list[from].name, length) == 0)
        end++;
    return end - from < 3 ? from + 1 : end;
}

static void print_named(const char *label, const dae_named *list, size_t count,
    phrase *p, FILE *file)
{
    phrase_empty(p);
    size_t i = 0;
    for (size_t shown = 0; i < count && shown < MOST_NAMES; shown++) {
        const size_t end = end_of_run(list, i, count);
        if (i) phrase_put(p, end == count ? " and " : ", ");
        phrase_put(p, list[i].name);
        if (end > i + 1) phrase_add(p, " to %s", list[end - 1].name);
        if (list[i].line && (end == count || list[end].line != list[i].line))
            phrase_add(p, " (line %u)", (unsigned)list[i].line);
        i = end;
    }
    phrase_more(p, i, count);
    if (count == 0) phrase_put(p, "none");
    phrase_field(file, INDENT, LABEL + 2, label, phrase_text(p));
}

static void print_part(
    const char *title, const dae_singular_part *part, phrase *p, FILE *file)
{
    const bool has_rest = part->equation_count > part->equation_witness
        || part->unknown_count > part->unknown_witness;
    if (part->equation_count + part->unknown_count == 0) return;
    (void)fprintf(file, "\n%s: %zu equation%s, %zu unknown%s%s\n", title,
        part->equation_witness, number_plural((int64_t)part->equation_witness),
        part->unknown_witness, number_plural((int64_t)part->unknown_witness),
        has_rest ? " (the smallest such set)" : "");
    print_named("equations", part->equations, part->equation_witness, p, file);
    print_named("unknowns", part->unknowns, part->unknown_witness, p, file);
    if (part->equation_count > part->equation_witness)
        print_named("and equations", part->equations + part->equation_witness,
            part->equation_count - part->equation_witness, p, file);
    if (part->unknown_count > part->unknown_witness)
        print_named("and unknowns", part->unknowns + part->unknown_witness,
            part->unknown_count - part->unknown_witness, p, file);
}

static void put_slots(
    const check *k, const dae_slot *slots, size_t count, phrase *p)
{
    const size_t shown = count < MOST_NAMES ? count : MOST_NAMES;
    for (size_t i = 0; i < shown; i++) {
        phrase_join(p, i, shown, count);
        check_put_slot(k, (size_t)slots[i].unknown, slots[i].order, p);
    }
    phrase_more(p, shown, count);
}

static void put_parties(
    const check *k, const dae_party *parties, size_t count, phrase *p)
{
    const size_t shown = count < MOST_NAMES ? count : MOST_NAMES;
    for (size_t i = 0; i < shown; i++) {
        phrase_join(p, i, shown, count);
        check_put_party(k, &parties[i], p);
        check_put_party_text(k, &parties[i], p);
        const uint32_t line = check_party_line(k, &parties[i]);
        if (line) phrase_add(p, " (line %u)", (unsigned)line);
    }
    phrase_more(p, shown, count);
}

static void print_no_index(const check *k, phrase *p, FILE *file)
{
    const dae_analysis *a = k->analysis;
    char text[80];
    if (a->verdict == DAE_INDEX_REDUNDANT) {
        (void)snprintf(text, sizeof text, "none; by structure alone %lld",
            (long long)a->structural_index);
        phrase_field(file, 0, LABEL, "index", text);
        (void)snprintf(text, sizeof text, "not known; by structure alone %lld",
            (long long)a->structural_freedom);
        phrase_field(file, 0, LABEL, "freedom", text);
    }
    phrase_empty(p);
    put_slots(k, a->loose, a->loose_count, p);
    if (a->loose_count)
        phrase_field(file, 0, LABEL, "not fixed", phrase_text(p));
    phrase_empty(p);
    put_parties(k, a->dependent, a->dependent_count, p);
    if (a->dependent_count)
        phrase_field(file, 0, LABEL, "dependent", phrase_text(p));
}

/* ---- hidden constraints
 * -------------------------------------------------------------- */

static void print_one_hidden(
    const check *k, const dae_hidden *h, int width, phrase *p, FILE *file)
{
    phrase name = {0};
    check_put_hidden(k, h, &name);
    phrase_empty(p);
    if (!check_put_formula(k, h, p)) p->failed = true;
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
    if (h->restricts_start) {
        phrase_put(p, "restricts the start");
    } else if (h->determines.unknown >= 0
        && check_shows_unknown(k, (size_t)h->determines.unknown)) {
        phrase_put(p, h->is_alone ? "determines " : "helps to determine ");
        check_put_slot(
            k, (size_t)h->determines.unknown, h->determines.order, p);
    } else {
        phrase_put(p, "determines a derivative");
    }
    phrase_field(file, INDENT, width, "", phrase_text(p));
    if (!phrase_done(&name)) p->failed = true;
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

static void print_hidden(const check *k, bool is_verbose, phrase *p, FILE *file)
{
    const dae_analysis *a = k->analysis;
    size_t count = 0, shown = 0;
    int width = 6;
    if (a->hidden_count == 0) return;
    int64_t *most = block_maxima(a->repaired);
    if (!most) p->failed = true;
    for (size_t i = 0; i < a->hidden_count; i++) {
        if (!is_worth_it(k, &a->hidden[i], most, is_verbose)) continue;
        if (count++ >= MOST_HIDDEN) continue;
        phrase_empty(p);
        check_put_hidden(k, &a->hidden[i], p);
        if ((int)p->length > width && p->length < 24) width = (int)p->length;
    }
    if (count)
        (void)fprintf(
            file, "\nhidden constraint%s\n", number_plural((int64_t)count));
    for (size_t i = 0; i < a->hidden_count && shown < MOST_HIDDEN; i++) {
        if (!is_worth_it(k, &a->hidden[i], most, is_verbose)) continue;
        print_one_hidden(k, &a->hidden[i], width + 2, p, file);
        shown++;
    }
    if (count > shown)
        (void)fprintf(file, "%*sand %zu more\n", INDENT, "", count - shown);
    memory_drop(most);
}

/* ---- the start
 * ------------------------------------------------------------------------- */

static void put_value(const check *k, dae_slot slot, double value, phrase *p)
{
    check_put_slot(k, (size_t)slot.unknown, slot.order, p);
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
    const size_t shown = count < MOST_NAMES ? count : MOST_NAMES;
    for (size_t i = 0; i < shown; i++) {
        phrase_join(p, i, shown, count);
        if (i >= s->given_count) {
            const dae_party condition = {.kind = DAE_PARTY_CONDITION,
                .index = k->condition_at[i - s->given_count]};
            check_put_party(k, &condition, p);
            check_put_party_text(k, &condition, p);
        } else {
            put_given_value(k, s->given[i], p);
        }
    }
    phrase_more(p, shown, count);
    if (count == 0) phrase_put(p, "nothing");
}

/* Values far below what their tolerance lets one tell from 0, and below what
 * rounding leaves of the largest: the text calls them 0. */
static const double NOISE_OF_ATOL = 1e-3, NOISE_OF_LARGEST = 1e-15;

static double largest_value(const check *k)
{
    const dae_start_findings *s = &k->analysis->start;
    double most = 0;
    for (size_t v = 0; v < s->value_first[dae_model_unknown_count(k->model)];
         v++)
        if (fabs(s->values[v]) > most) most = fabs(s->values[v]);
    return most;
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
        const size_t u = (size_t)k->unknown_at[i];
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

/* "rod'", "x = 2": a value is given with what was given. */
static void put_conflict(const check *k, const dae_party *party, phrase *p)
{
    check_put_party(k, party, p);
    check_put_party_text(k, party, p);
    if (party->kind == DAE_PARTY_VALUE)
        phrase_add(p, " = %.10g", party->residual);
}

/* As few digits, but `least`, as tell two numbers apart; 0: none do. */
static int digits_apart(double a, double b, int least)
{
    enum { MOST = 15 };
    char one[NUMBER_SIZE], other[NUMBER_SIZE];
    for (int digits = least; digits <= MOST; digits++) {
        (void)snprintf(one, sizeof one, "%.*g", digits, a);
        (void)snprintf(other, sizeof other, "%.*g", digits, b);
        if (strcmp(one, other) != 0) return digits;
    }
    return 0;
}

/* "reads 4 = 1", else "leaves 3"; of a value what would fit, where that is
 * another one. */
static void put_conflict_numbers(
    const dae_party *party, const char *before, phrase *p)
{
    enum { DIGITS = 6, DIGITS_GIVEN = 10 };
    if (party->kind == DAE_PARTY_VALUE) {
        const int digits = isfinite(party->wanted)
            ? digits_apart(party->residual, party->wanted, DIGITS_GIVEN)
            : 0;
        if (digits)
            phrase_add(
                p, "%sthe others ask for %.*g", before, digits, party->wanted);
    } else if (isfinite(party->left) && isfinite(party->right)) {
        const int digits = digits_apart(party->left, party->right, DIGITS);
        const int shown = digits ? digits : DIGITS;
        phrase_add(p, "%sreads %.*g = %.*g", before, shown, party->left, shown,
            party->right);
    } else {
        phrase_add(p, "%sleaves %.3g", before, party->residual);
    }
}

/* What cannot hold together, one below the other. */
static void print_conflicts(const check *k, phrase *p, FILE *file)
{
    const dae_start_findings *s = &k->analysis->start;
    const size_t count = s->conflict_count;
    const size_t shown = count < MOST_CONFLICTS ? count : MOST_CONFLICTS;
    phrase name = {0};
    int width = 0;
    if (count == 0) return;
    phrase_field(
        file, INDENT, LABEL - INDENT, "conflict", "these cannot hold together");
    for (size_t i = 0; i < shown; i++) {
        phrase_empty(p);
        put_conflict(k, &s->conflicts[i], p);
        if ((int)p->length > width && p->length < 40) width = (int)p->length;
    }
    for (size_t i = 0; i < shown; i++) {
        const dae_party *party = &s->conflicts[i];
        const uint32_t line = check_party_line(k, party);
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
    if (!phrase_done(&name)) p->failed = true;
}

static void put_missing(const check *k, phrase *p)
{
    const dae_start_findings *s = &k->analysis->start;
    const size_t first = s->missing < s->could_fix_count ? s->missing
                                                         : s->could_fix_count;
    phrase_add(
        p, "%zu value%s", s->missing, number_plural((int64_t)s->missing));
    if (first) phrase_put(p, ", such as ");
    put_slots(k, s->could_fix, first, p);
    if (s->could_fix_count == first) return;
    phrase_put(p, "; instead of these also ");
    put_slots(k, s->could_fix + first, s->could_fix_count - first, p);
}

static void put_undetermined(const check *k, phrase *p)
{
    const dae_start_findings *s = &k->analysis->start;
    size_t shown = 0, count = 0;
    for (size_t i = 0; i < s->undetermined_count; i++) {
        const dae_slot slot = s->undetermined[i];
        if (!check_shows_slot(k, slot) || count++ >= MOST_NAMES) continue;
        if (shown++) phrase_put(p, ", ");
        check_put_slot(k, (size_t)slot.unknown, slot.order, p);
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
    if (!a->start.is_too_large) return;
    (void)fputs("\nstart\n", file);
    phrase_empty(p);
    if (a->structural_index > DAE_SERIES_TERMS_MAX)
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

static void print_start(const check *k, phrase *p, FILE *file)
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
        put_parties(k, s->redundant, s->redundant_count, p);
        phrase_add(
            p, " follow%s from the others", s->redundant_count == 1 ? "s" : "");
        field(p, "redundant", file);
    }
    print_conflicts(k, p, file);
    if (s->missing) put_missing(k, p), field(p, "missing", file);
    put_undetermined(k, p);
    if (p->length) field(p, "not fixed", file);
    if (s->verdict == DAE_START_INCONSISTENT) return;
    put_found(k, p);
    if (p->length)
        field(
            p, s->verdict == DAE_START_UNSOLVED ? "stopped at" : "found", file);
}

bool check_print(const check *k, const check_view *v, FILE *file)
{
    phrase p = {0};
    put_verdict(k, v, &p);
    phrase_field(file, 0, 0, "", phrase_text(&p));
    const dae_analysis *a = k->analysis;
    if (k->singular) {
        print_part("too many equations", &k->singular->over, &p, file);
        print_part("too few equations", &k->singular->under, &p, file);
    } else if (a) {
        (void)fputc('\n', file);
        print_counts(k, file);
        if (a->verdict == DAE_INDEX_FOUND) print_index(k, &p, file);
        else print_no_index(k, &p, file);
        print_hidden(k, v->is_verbose, &p, file);
        print_start(k, &p, file);
        if (v->is_verbose && !check_tables(k, file)) p.failed = true;
    }
    return phrase_done(&p);
}
