#include "check_text.h"
#include "check_changes.h"
#include "check_reason.h"
#include "check_start.h"
#include "check_tables.h"
#include "memory.h"
#include "number.h"
#include <math.h>
#include <string.h>

/* Lists are cut here: the document of --json has everything. */
enum { MOST_NAMES = 8, MOST_HIDDEN = 20, MOST_REPAIRS = 5, MOST_ZEROS = 5 };
enum { LABEL = 13, INDENT = 2 };

/* ---- the first line --------------------------------------------------------
 */

/* Whether the value of a param takes terms away. */
static bool has_zero_param(const check *k)
{
    const dae_analysis *a = k->analysis;
    for (size_t z = 0; a && z < a->zero_count; z++)
        if (!a->zeros[z].varies) return true;
    return false;
}

static void put_counts(const check *k, phrase *p)
{
    const dae_singular *s = k->singular;
    const size_t m = s->equations, n = s->unknowns;
    const size_t by = m > n ? m - n : n - m;
    if (by == 0) {
        phrase_put(p, "the model is structurally singular");
        if (has_zero_param(k))
            phrase_put(p, " with these values of its params");
        return;
    }
    phrase_add(p, "the model has %zu equation%s for %zu unknown%s", m,
        number_plural((int64_t)m), n, number_plural((int64_t)n));
    if (s->over.equation_count && s->under.unknown_count) {
        phrase_put(p, ", too many for some of them and too few for others");
        return;
    }
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
        return "not uniquely solvable: some unknowns are determined up to "
               "a common constant";
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
    if (index < 0) {
        phrase_put(p, "index not known");
    } else {
        phrase_add(p, "%sindex %lld%s", is_confirmed ? "" : "structural ",
            (long long)index,
            is_singular_here ? " (not confirmed at the start)" : "");
    }
    if (freedom == 0) phrase_put(p, ", no degrees of freedom");
    else if (freedom > 0)
        phrase_add(p, ", %lld degree%s of freedom", (long long)freedom,
            number_plural(freedom));
}

/* What a repaired structure has missed takes some of them. */
static bool is_missing_bound(const dae_analysis *a)
{
    return a->repair_count > 0 && a->repaired != a->structure
        && a->certificate == DAE_NOT_CERTIFIED;
}

/* Values that satisfy the equations are not yet those of a solution. */
static void put_consistent(const dae_start_findings *s, phrase *p)
{
    phrase_put(p,
        s->onward == DAE_ONWARD_OPEN ? "consistent, but singular at the start, "
                                     : "consistent, ");
}

static void put_start_verdict(const check *k, const check_view *v, phrase *p)
{
    const dae_start_findings *s = &k->analysis->start;
    switch (s->verdict) {
    case DAE_START_CONSISTENT:
        if (v->status != DAE_MODEL) put_consistent(s, p);
        break;
    case DAE_START_INCONSISTENT:
        phrase_put(p, "the initial conditions are inconsistent, ");
        break;
    case DAE_START_UNDERDETERMINED:
        phrase_add(p,
            "the initial conditions are too few, %s%zu more %s needed, ",
            is_missing_bound(k->analysis) ? "up to " : "", s->missing,
            s->missing == 1 ? "is" : "are");
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

static size_t count_blocks(const dae_analysis *a, bool is_singular)
{
    size_t count = 0;
    for (size_t b = 0; a->blocks && b < a->repaired->fine_count; b++)
        count += is_singular ? a->blocks[b] == DAE_SINGULAR
                             : a->blocks[b] != DAE_CERTIFIED;
    return count;
}

static void put_certificate(const check *k, phrase *p)
{
    const dae_analysis *a = k->analysis;
    const size_t doubtful = count_blocks(a, false);
    if (a->certificate == DAE_CERTIFIED) {
        phrase_put(p, ", confirmed by numbers");
    } else if (a->certificate == DAE_SINGULAR_HERE) {
        phrase_put(p,
            ", not certified: regular at other points, but not at the start");
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

/* What does not count now, and would with another value of a param. */
static void print_zeros(const check *k, phrase *p, FILE *file)
{
    const dae_analysis *a = k->analysis;
    const size_t count = a->zero_count;
    const size_t shown = count < MOST_ZEROS ? count : MOST_ZEROS;
    if (count == 0) return;
    phrase_empty(p);
    for (size_t z = 0; z < shown; z++) {
        const size_t i = (size_t)a->zeros[z].equation;
        const dae_slot slot = a->zeros[z].slot;
        phrase_join(p, z, shown, count);
        check_put_slot(k, (size_t)slot.unknown, slot.order, p);
        phrase_put(p, " in ");
        check_put_equation(k, i, 0, p);
        phrase_add(
            p, " (line %u)", (unsigned)dae_model_equation_line(k->model, i));
    }
    phrase_more(p, shown, count);
    phrase_put(p,
        has_zero_param(k)
            ? ": for this value of a param; another value may change "
              "index and freedom"
            : ": at all points that were tried; a param that is 0, or terms "
              "that cancel");
    phrase_field(file, 0, LABEL, "factor 0", phrase_text(p));
}

/* "2, confirmed by numbers: ..." */
static void put_index_field(const check *k, phrase *p)
{
    const dae_analysis *a = k->analysis;
    if (a->index >= 0) {
        phrase_add(p, "%lld", (long long)a->index);
        put_certificate(k, p);
        phrase_put(p, ": ");
        check_put_reason(k, p);
        return;
    }
    phrase_add(p, "not known; by structure alone %lld",
        (long long)a->structural_index);
    const size_t refuted = count_blocks(a, true);
    if (refuted)
        phrase_add(p, ", refuted by numbers in %zu of %zu block%s", refuted,
            a->repaired->fine_count,
            number_plural((int64_t)a->repaired->fine_count));
}

static void print_index(const check *k, phrase *p, FILE *file)
{
    const dae_analysis *a = k->analysis;
    phrase_empty(p);
    put_index_field(k, p);
    phrase_field(file, 0, LABEL, "index", phrase_text(p));
    print_repairs(a, file);
    phrase_empty(p);
    if (a->degrees_of_freedom < 0)
        phrase_add(p, "not known; by structure alone %lld",
            (long long)a->structural_freedom);
    else if (a->degrees_of_freedom == 0)
        phrase_put(p, "0: no initial value may be chosen");
    else
        phrase_add(p, "%lld: %lld initial value%s may be chosen",
            (long long)a->degrees_of_freedom, (long long)a->degrees_of_freedom,
            number_plural(a->degrees_of_freedom));
    phrase_field(file, 0, LABEL, "freedom", phrase_text(p));
    print_zeros(k, p, file);
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
    check_put_slots(k, a->loose, a->loose_count, p);
    if (a->loose_count)
        phrase_field(file, 0, LABEL, "not fixed", phrase_text(p));
    phrase_empty(p);
    check_put_parties(k, a->dependent, a->dependent_count, p);
    if (a->dependent_count)
        phrase_field(file, 0, LABEL, "dependent", phrase_text(p));
}

/* ---- hidden constraints
 * -------------------------------------------------------------- */

/* Factors that vary with the point are known at points only. */
static void put_no_formula(const check *k, const dae_hidden *h, phrase *p)
{
    const dae_repair *r = h->repair >= 0 ? &k->analysis->repairs[h->repair]
                                         : NULL;
    dae_party last = {.index = -1};
    size_t count = 0;
    bool varies = false;
    for (size_t t = 0; r && t < r->term_count; t++)
        varies = varies || isnan(r->terms[t].weight);
    phrase_put(p, varies ? "(" : "(too long to be written)");
    for (size_t t = 0; varies && t < r->term_count; t++) {
        const dae_term *one = &r->terms[t];
        if (one->equation == last.index && one->order == last.order) continue;
        last = (dae_party){.index = one->equation, .order = one->order};
        if (count++ >= MOST_NAMES) continue;
        phrase_put(p, count > 1 ? ", " : "");
        check_put_equation(k, (size_t)one->equation, one->order, p);
    }
    if (!varies) return;
    phrase_more(p, count < MOST_NAMES ? count : MOST_NAMES, count);
    phrase_put(p, " with varying factors, no closed formula)");
}

static void print_one_hidden(
    const check *k, const dae_hidden *h, int width, phrase *p, FILE *file)
{
    phrase name = {0};
    check_put_hidden(k, h, &name);
    phrase_empty(p);
    if (!check_put_formula(k, h, p)) p->failed = true;
    if (p->length == 0) put_no_formula(k, h, p);
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
    } else if (check_determined(k, h, &slot)) {
        phrase_put(p, h->is_alone ? "determines " : "helps to determine ");
        check_put_slot(k, (size_t)slot.unknown, slot.order, p);
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
        check_put_hidden(l->check, &a->hidden[i], p);
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
            number_plural((int64_t)others));
        phrase_field(file, INDENT, width, "", phrase_text(p));
    }
    if (l->count > printed)
        (void)fprintf(file, "%*sand %zu more; --verbose lists all\n", INDENT,
            "", l->count - printed);
}

static void print_hidden(const check *k, bool is_verbose, phrase *p, FILE *file)
{
    if (k->analysis->hidden_count == 0) return;
    int64_t *most = block_maxima(k->analysis->repaired);
    if (!most) p->failed = true;
    const hidden_list l = list_hidden(k, most, is_verbose);
    if (l.count)
        (void)fprintf(
            file, "\nhidden constraint%s\n", number_plural((int64_t)l.count));
    if (l.count) print_list(&l, p, file);
    memory_drop(most);
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
        if (!check_print_changes(k, LABEL, file)) p.failed = true;
        print_hidden(k, v->is_verbose, &p, file);
        check_print_start(k, &p, file);
        if (v->is_verbose && !check_tables(k, file)) p.failed = true;
    }
    return phrase_done(&p);
}
