#include "check.h"
#include "memory.h"
#include "number.h"
#include "phrase.h"
#include <math.h>
#include <string.h>

snippet check_times(int64_t count)
{
    return count == 1 ? snippet_of("once")
        : count == 2  ? snippet_of("twice")
                      : snippet_of("%lld times", (long long)count);
}

static void put_algebraic(const check *k, const dae_reason *r, phrase *p)
{
    const size_t count = r->unknown_count;
    if (count) {
        phrase_add(p, "`%s`", check_unknown_name(k, r->unknowns[0]));
        if (count > 1)
            phrase_add(p, " and %zu other unknown%s", count - 1,
                count == 2 ? "" : "s");
        phrase_add(p, " occur%s without derivatives; ", count > 1 ? "" : "s");
    }
    phrase_put(p, "no equation has to be differentiated");
}

/* A repair put another equation in its place. */
static bool is_replaced(const check *k, size_t i)
{
    for (size_t r = 0; r < k->analysis->repair_count; r++)
        if (k->analysis->repairs[r].replaces == (int64_t)i) return true;
    return false;
}

/* Of equations that are not named what needs them is not looked for. */
static void put_needing(const check *k, const dae_reason *r, phrase *p)
{
    const size_t count = r->unknown_count;
    const bool has_others = r->equation_count > DAE_REASON_NAMED;
    const size_t shown = count < DAE_REASON_NAMED ? count : DAE_REASON_NAMED;
    if (count == 0) return;
    phrase_put(p, " before ");
    for (size_t q = 0; q < shown; q++)
        phrase_add(p, "%s`%s`",
            q == 0                              ? ""
                : q + 1 == count && !has_others ? " and "
                                                : ", ",
            check_unknown_name(k, r->unknowns[q]));
    if (has_others) phrase_put(p, " and others");
    else phrase_more(p, shown, count);
    phrase_put(
        p, count > 1 || has_others ? " are determined" : " is determined");
}

/* "`a`, what replaces `b` and 3 more are differentiated twice before ..." */
static void put_differentiated(const check *k, const dae_reason *r, phrase *p)
{
    const size_t count = r->equation_count;
    for (size_t e = 0; e < count && phrase_next(p, e, count, DAE_REASON_NAMED);
         e++)
        phrase_add(p, "%s`%s`",
            is_replaced(k, r->equations[e]) ? "what replaces " : "",
            check_equation_name(k, r->equations[e], 0));
    phrase_add(p, " %s differentiated %s", count > 1 ? "are" : "is",
        check_times(r->times).s);
    put_needing(k, r, p);
}

/* check_reason: "`rod` is differentiated twice before `lam` is determined" */
static void check_put_reason(const check *k, phrase *p)
{
    dae_reason r;
    if (!memory_sufficed(dae_report_reason(k->report, &r))) return;
    switch (r.kind) {
    case DAE_REASON_NONE: break;
    case DAE_REASON_AS_IT_IS:
        phrase_put(p,
            "the equations determine every highest derivative as they stand");
        break;
    case DAE_REASON_ALGEBRAIC: put_algebraic(k, &r, p); break;
    case DAE_REASON_DIFFERENTIATED: put_differentiated(k, &r, p); break;
    case DAE_REASON_RANKS:
        phrase_add(p,
            "by the ranks of the equations with their derivatives; "
            "structure alone says %lld",
            (long long)k->analysis->structural_index);
    }
}

/* ---- tables ---- */

/* Longer tables are cut: the document of --json has everything. */
enum { MOST_ROWS = 1000, MOST_MEMBERS = 8, NUMBER_TEXT = 24 };

static void print_rest(size_t count, size_t shown, FILE *file)
{
    if (count > shown) (void)fprintf(file, "  and %zu more\n", count - shown);
}

/* Equation, how often it is differentiated, the unknown it is matched with, up
 * to which derivative that is then known. */
static void print_offsets(const check *k, FILE *file)
{
    const dae_structure *s = k->analysis->repaired;
    const size_t n = dae_model_equation_count(k->model);
    const size_t shown = n < MOST_ROWS ? n : MOST_ROWS;
    table t = table_of("lrlr");
    TABLE_ADD(&t, "equation", "c", "unknown", "d");
    for (size_t row = 0; row < shown; row++) {
        const size_t i = dae_report_equation_at(k->report, row);
        const int32_t j = s->matching.column_of[i];
        table_add(&t, check_equation_name(k, i, 0));
        table_count(&t, s->c[i]);
        table_add(&t,
            check_shows_unknown(k, (size_t)j) ? check_unknown_name(k, (size_t)j)
                                              : "(a part)");
        table_count(&t, s->d[j]);
    }
    (void)fputs("\noffsets, each equation with the unknown of the "
                "transversal beside it\n",
        file);
    table_print(&t, file);
    print_rest(n, shown, file);
}

/* Names of a block's equations or unknowns, cut. */
static void put_members(const check *k, const dae_structure *s,
    const dae_block *b, bool is_equations, phrase *p)
{
    size_t shown = 0, count = 0;
    for (int32_t e = b->begin; e < b->end; e++) {
        const size_t q = dae_report_place_at(k->report, (size_t)e);
        const size_t at = (size_t)(is_equations ? s->row_at[q]
                                                : s->column_at[q]);
        if (!(is_equations ? check_shows_equation(k, at)
                           : check_shows_unknown(k, at)))
            continue;
        if (count++ >= MOST_MEMBERS) continue;
        if (shown++) phrase_put(p, ", ");
        phrase_put(p,
            is_equations ? check_equation_name(k, at, s->c[at])
                         : check_slot_name(
                             k, (dae_slot){(int32_t)at, (int32_t)s->d[at]}));
    }
    phrase_more(p, shown, count);
}

static const char *certificate_text(dae_certificate c)
{
    static const char *const texts[] = {
        "regular", "not certified", "singular at the start", "singular"};
    return texts[c];
}

static void add_block(
    const check *k, size_t b, size_t number, phrase *p, table *t)
{
    const dae_structure *s = k->analysis->repaired;
    const dae_block *block = &s->fine[b];
    table_count(t, (int64_t)number);
    phrase_empty(p);
    put_members(k, s, block, true, p);
    table_add(t, phrase_text(p));
    phrase_empty(p);
    put_members(k, s, block, false, p);
    table_add(t, phrase_text(p));
    table_count(t, block->index);
    table_count(t, block->degrees_of_freedom);
    table_add(
        t, k->analysis->blocks ? certificate_text(k->analysis->blocks[b]) : "");
}

static void print_blocks(const check *k, phrase *p, FILE *file)
{
    const dae_structure *s = k->analysis->repaired;
    size_t shown = 0, count = 0;
    table t = table_of("rllrrl");
    TABLE_ADD(&t, "", "equations", "determine", "index", "freedom",
        "system Jacobian");
    for (size_t b = 0; b < s->fine_count; b++) {
        if (!check_shows_block(k, s, &s->fine[b])) continue;
        if (count++ >= MOST_ROWS) continue;
        add_block(k, b, ++shown, p, &t);
    }
    (void)fprintf(file, "\n%zu block%s, in the order of evaluation\n", count,
        NUMBER_PLURAL(count));
    table_print(&t, file);
    print_rest(count, shown, file);
}

/* check_tables, what --verbose adds: offsets, the transversal, blocks. */
static void check_tables(const check *k, FILE *file)
{
    phrase p = {0};
    if (!k->analysis || !k->analysis->repaired->is_regular) return;
    print_offsets(k, file);
    print_blocks(k, &p, file);
}

/* Lists are cut here: the document of --json has everything. */
enum { MOST_NAMES = 8, MOST_REPAIRS = 5, MOST_ZEROS = 5 };

enum { LABEL = 13, INDENT = 2 };

/* ---- the first line ---- */

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
        NUMBER_PLURAL(m), n, NUMBER_PLURAL(n));
    if (s->over.equation_count && s->under.unknown_count) {
        phrase_put(p, ", too many for some of them and too few for others");
        return;
    }
    phrase_add(p, ", %zu equation%s %s", by, NUMBER_PLURAL(by),
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
            NUMBER_PLURAL(freedom));
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
        phrase_put(p,
            s->conflict_is_proved
                ? "the initial conditions are inconsistent, "
                : "no solution was found for the initial conditions, ");
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
        phrase_add(
            p, "%s, %zu error%s", what, v->errors, NUMBER_PLURAL(v->errors));
    } else if (k->analysis->verdict != DAE_INDEX_FOUND) {
        phrase_put(p, no_index_text(k->analysis));
    } else {
        if (v->status == DAE_MODEL)
            phrase_put(p, "a derivative that is needed does not exist, ");
        put_start_verdict(k, v, p);
        put_index(k, p);
    }
}

/* ---- counts and index ---- */

static void print_counts(const check *k, FILE *file)
{
    char text[80];
    const size_t m = dae_model_equation_count(k->model);
    const size_t n = dae_model_unknown_count(k->model);
    (void)snprintf(
        text, sizeof text, "%zu, for %zu unknown%s", m, n, NUMBER_PLURAL(n));
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
    if (count == 0) return;
    phrase_empty(p);
    for (size_t z = 0; z < count && phrase_next(p, z, count, MOST_ZEROS); z++) {
        const size_t i = (size_t)a->zeros[z].equation;
        const dae_slot slot = a->zeros[z].slot;
        phrase_put(p, check_slot_name(k, slot));
        phrase_put(p, " in ");
        phrase_put(p, check_equation_name(k, i, 0));
        phrase_add(
            p, " (line %u)", (unsigned)dae_model_equation_line(k->model, i));
    }
    phrase_put(p,
        has_zero_param(k)
            ? ": for this value of a param; another value may change "
              "index and freedom"
            : a->sides
            ? ": in the mode of the start; in another one index and freedom "
              "may differ"
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
            a->repaired->fine_count, NUMBER_PLURAL(a->repaired->fine_count));
}

static void print_index(const check *k, phrase *p, FILE *file)
{
    const dae_analysis *a = k->analysis;
    const char *where = a->sides ? " in the mode of the start" : "";
    phrase_empty(p);
    put_index_field(k, p);
    phrase_field(file, 0, LABEL, "index", phrase_text(p));
    print_repairs(a, file);
    phrase_empty(p);
    if (a->degrees_of_freedom < 0)
        phrase_add(p, "not known; by structure alone %lld",
            (long long)a->structural_freedom);
    else if (a->degrees_of_freedom == 0)
        phrase_add(p, "0: no initial value may be chosen%s", where);
    else
        phrase_add(p, "%lld: %lld initial value%s may be chosen%s",
            (long long)a->degrees_of_freedom, (long long)a->degrees_of_freedom,
            NUMBER_PLURAL(a->degrees_of_freedom), where);
    phrase_field(file, 0, LABEL, "freedom", phrase_text(p));
    print_zeros(k, p, file);
}

/* ---- what has no index ---- */

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
        part->equation_witness, NUMBER_PLURAL(part->equation_witness),
        part->unknown_witness, NUMBER_PLURAL(part->unknown_witness),
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

void check_print(const check *k, const check_view *v, FILE *file)
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
        check_print_changes(k, LABEL, file);
        check_print_hidden(k, v->is_verbose, &p, file);
        check_print_start(k, &p, file);
        if (v->is_verbose) check_tables(k, file);
    }
}
