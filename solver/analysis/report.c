/* The last stage: turns the findings of the others into errors and warnings, each with
 * a name, a position and a remedy. It only selects which of several findings is
 * reported, and under which code. */
#include "analysis/report.h"
#include "analysis/analysis.h"
#include "analysis/components.h"
#include "base/report.h"
#include "linalg/listing.h"
#include "linalg/naming.h"
#include "start/initial_whens.h"
#include "start/report.h"
#include "start/report_names.h"
#include <assert.h>
#include <math.h>
#include <string.h>

enum { NAMED = 4 };

/* Names in one line: "`a`, `b` and 3 more". */
typedef struct name_list {
    text line;
    size_t named, all;
} name_list;

static void put_name(name_list *l, const char *name)
{
    l->all++;
    if (l->named == NAMED) return;
    text_add(&l->line, "%s`%s`", l->named++ ? ", " : "", name);
}

static const char *end_names(name_list *l, const char *none)
{
    assert(l->named <= NAMED && l->named <= l->all);
    if (l->all == 0) return none;
    if (l->all > l->named)
        text_add(&l->line, " and %zu more", l->all - l->named);
    return l->line.s;
}

/* "rod''", "der(x, 4)". */
static void put_derived(
    const analysis *a, name_list *l, dae_name_kind kind, size_t i, int order)
{
    char name[NAMING_SIZE + 16];
    put_name(l, naming_derived(a->problem, kind, i, order, name, sizeof name));
}

static void equation_place(
    const analysis *a, size_t i, const dae_source **source, text_span *span)
{
    naming_place(a->problem, DAE_NAME_EQUATION, i, source, span);
}

/* ---- repairs ---------------------------------------------------------------- */

enum { ALL_SHOWN = 6, FEW_SHOWN = 4 }; /* longer lists: so many */

static void add_name(text *t, const dae_problem *p, dae_name_kind kind,
    int32_t index, int32_t order)
{
    char name[NAMING_SIZE + 16];
    text_add(t, "%s",
        naming_derived(p, kind, (size_t)index, (int)order, name, sizeof name));
}

/* " - 2*", or at the beginning "-2*". */
static void add_weight(text *t, double weight, bool is_first)
{
    const char *minus = is_first ? "-" : " - ", *plus = is_first ? "" : " + ";
    text_add(t, "%s", weight < 0 ? minus : plus);
    if (fabs(weight) != 1) text_add(t, "%.6g*", fabs(weight));
}

static void add_combination(text *t, const dae_problem *p, const dae_repair *r)
{
    const bool is_long = r->term_count > ALL_SHOWN;
    const size_t shown = is_long ? FEW_SHOWN : r->term_count;
    if (is_long) text_add(t, "a combination of ");
    for (size_t k = 0; k < shown; k++) {
        const dae_term *of = &r->terms[k];
        if (!is_long) add_weight(t, of->weight, k == 0);
        else if (k > 0) text_add(t, ", ");
        add_name(t, p, DAE_NAME_EQUATION, of->equation, of->order);
    }
    if (is_long) text_add(t, " and %zu more", r->term_count - shown);
}

/* Lists the slots that cancel; but if derivatives are among them and none is left in
 * the sum, says only that. */
static void add_cancelled(text *t, const dae_problem *p, const dae_repair *r)
{
    const size_t shown = r->independent_count > ALL_SHOWN
        ? FEW_SHOWN
        : r->independent_count;
    size_t rates = 0;
    for (size_t k = 0; k < r->independent_count; k++)
        rates += r->independent[k].order > 0;
    if (rates > 0 && !r->has_derivative) {
        text_add(t, " contains no derivative");
        return;
    }
    text_add(t, " does not contain ");
    for (size_t k = 0; k < shown; k++) {
        if (k > 0)
            text_add(t, "%s", k + 1 < r->independent_count ? ", " : " and ");
        add_name(t, p, DAE_NAME_UNKNOWN, r->independent[k].unknown,
            r->independent[k].order);
    }
    if (shown < r->independent_count)
        text_add(t, " and %zu more", r->independent_count - shown);
}

/* How the degrees of freedom changed stands in the last of a round. */
static dae_status write_repair(
    const dae_problem *p, dae_repair *r, arena *memory)
{
    text t = {.length = 0};
    add_combination(&t, p, r);
    add_cancelled(&t, p, r);
    text_add(&t, ", so it replaces ");
    add_name(&t, p, DAE_NAME_EQUATION, r->replaces, 0);
    if (r->round_steps > 0) text_add(&t, ": ");
    if (r->round_steps > 1)
        text_add(&t, "by these %zu repairs ", r->round_steps);
    if (r->round_steps > 0)
        text_add(&t, "degrees of freedom %lld become %lld",
            (long long)r->freedom_before, (long long)r->freedom_after);
    r->text = arena_copy(memory, t.s, strlen(t.s));
    return r->text ? DAE_OK : DAE_MEMORY;
}

dae_status report_repairs(
    const dae_problem *p, dae_repair *repairs, size_t count, arena *memory)
{
    dae_status st = DAE_OK;
    for (size_t k = 0; k < count && !st; k++)
        st = write_repair(p, &repairs[k], memory);
    return st;
}

/* ---- structure --------------------------------------------------------------- */

static void name_witness(const analysis *a, const int32_t *list, size_t count,
    dae_name_kind kind, name_list *to)
{
    for (size_t k = 0; k < count; k++)
        if (is_visible(a->problem, (size_t)list[k]))
            put_derived(a, to, kind, (size_t)list[k], 0);
}

/* Does the value of a parameter make terms 0? */
static bool is_by_parameter(const analysis *a)
{
    for (size_t k = 0; k < a->found.zero_count; k++)
        if (!a->found.zeros[k].varies) return true;
    return false;
}

static bool is_listed(const int32_t *list, size_t count, int32_t wanted)
{
    while (count > 0 && list[count - 1] != wanted) count--;
    return count > 0;
}

/* What the value of a parameter takes out of an equation that is too many, and would be
 * determined; NULL: nothing. */
static const dae_zero *find_taken(
    const analysis *a, const dae_witness *over, const dae_witness *under)
{
    for (size_t k = 0; k < a->found.zero_count; k++) {
        const dae_zero *z = &a->found.zeros[k];
        if (!z->varies && is_listed(over->rows, over->row_count, z->equation)
            && is_listed(under->columns, under->column_count, z->slot.unknown))
            return z;
    }
    return NULL;
}

static void help_with_excess(
    analysis *a, const dae_zero *taken, const char *open)
{
    name_list unknown = {.all = 0}, equation = {.all = 0};
    if (!taken) {
        report_help(a->ds, "no equation determines %s: %s", open,
            is_by_parameter(a) ? "params take away what would do so"
                               : "all its terms are 0 or cancel");
        return;
    }
    put_derived(a, &unknown, DAE_NAME_UNKNOWN, (size_t)taken->slot.unknown,
        taken->slot.order);
    put_derived(a, &equation, DAE_NAME_EQUATION, (size_t)taken->equation, 0);
    report_help(a->ds,
        "no equation determines %s: the value of a param takes %s out of %s",
        open, end_names(&unknown, ""), end_names(&equation, ""));
}

static void report_excess(
    analysis *a, const dae_witness *over, const dae_witness *under)
{
    name_list rows = {.all = 0}, columns = {.all = 0}, open = {.all = 0};
    const dae_source *source = NULL;
    text_span span = {0, 0};
    name_witness(a, over->rows, over->row_count, DAE_NAME_EQUATION, &rows);
    name_witness(
        a, over->columns, over->column_count, DAE_NAME_UNKNOWN, &columns);
    name_witness(
        a, under->columns, under->column_count, DAE_NAME_UNKNOWN, &open);
    if (over->row_count)
        equation_place(a, (size_t)over->rows[0], &source, &span);
    report(a->ds, DIAG_E0302, source, span, "%stoo many equations, %s, for %s",
        is_by_parameter(a) ? "with these parameter values, " : "",
        end_names(&rows, "none"), end_names(&columns, "no unknown"));
    for (size_t k = 1; k < over->row_count && k < NAMED; k++) {
        equation_place(a, (size_t)over->rows[k], &source, &span);
        if (source) report_also(a->ds, source, span, "the same unknowns");
    }
    help_with_excess(
        a, find_taken(a, over, under), end_names(&open, "the rest"));
}

static dae_status report_singular(analysis *a)
{
    const dae_signature *g = &a->signature->table;
    const dae_incidence p = {g->rows, g->columns, g->column_start, g->row};
    arena *m = &a->memory;
    const size_t n = g->rows > g->columns ? g->rows : g->columns;
    dae_witness over = {.rows = ARENA_ARRAY(m, int32_t, n + 1),
        .columns = ARENA_ARRAY(m, int32_t, n + 1)};
    dae_witness under = {.rows = ARENA_ARRAY(m, int32_t, n + 1),
        .columns = ARENA_ARRAY(m, int32_t, n + 1)};
    if (!over.rows || !over.columns || !under.rows || !under.columns)
        return DAE_MEMORY;
    dae_status st = dae_structure_excess(
        &p, &a->structure->matching, a->allocator, &over);
    if (!st)
        st = dae_structure_shortage(
            &p, &a->structure->matching, a->allocator, &under);
    if (!st) report_excess(a, &over, &under);
    return st;
}

/* ---- kinks ------------------------------------------------------------------- */

/* The first unknown without derivatives that cannot be found before equation
 * `from` has been differentiated; unknown_count: none. Along the entries with
 * d - c = order: an unknown needs the one beside it in its equation. */
static size_t find_needer(analysis *a, size_t from)
{
    const dae_structure *s = a->structure;
    const dae_signature *g = &a->signature->table;
    const size_t n = a->problem->unknown_count;
    const arena_position mark = arena_mark(&a->memory);
    uint8_t *is_met = ARENA_ARRAY(&a->memory, uint8_t, n);
    int32_t *queue = ARENA_ARRAY(&a->memory, int32_t, n);
    size_t count = 0, best = n;
    if (is_met && queue) {
        queue[count++] = s->matching.column_of[from];
        is_met[queue[0]] = 1;
    }
    for (size_t k = 0; k < count; k++) {
        const int32_t j = queue[k];
        assert(j >= 0 && count <= n); /* each is met once */
        if (s->d[j] == 0 && is_visible(a->problem, (size_t)j)
            && (size_t)j < best)
            best = (size_t)j;
        for (int64_t p = g->column_start[j]; p < g->column_start[j + 1]; p++) {
            const int32_t i = g->row[p], next = s->matching.column_of[i];
            if (s->d[j] - s->c[i] != g->order[p] || is_met[next]) continue;
            is_met[next] = 1;
            queue[count++] = next;
        }
    }
    arena_release(&a->memory, mark);
    return best;
}

/* "`c1`", or the equation's own unknown where none without derivatives needs
 * it. */
static void put_needer(analysis *a, size_t i, name_list *to)
{
    size_t j = find_needer(a, i);
    int order = 0;
    if (j == a->problem->unknown_count) {
        j = (size_t)a->structure->matching.column_of[i];
        order = (int)a->structure->d[j];
    }
    put_derived(a, to, DAE_NAME_UNKNOWN, j, order);
}

/* "`gamma''`" of a name, else the equation's own derivative. */
static void put_needed(analysis *a, size_t i, int times, name_list *to)
{
    char kinked[NAMING_SIZE];
    naming_text(a->problem, DAE_NAME_KINKED, i, kinked, sizeof kinked);
    const bool is_name = kinked[0] && !strpbrk(kinked, "( +-*/^<>");
    put_derived(a, to, is_name ? DAE_NAME_KINKED : DAE_NAME_EQUATION, i, times);
}

static void report_kink(analysis *a, size_t i, int times)
{
    const dae_problem *p = a->problem;
    char why[2 * NAMING_SIZE];
    name_list needer = {.all = 0}, needed = {.all = 0};
    const dae_source *source;
    text_span span, first;
    put_needer(a, i, &needer);
    put_needed(a, i, times, &needed);
    naming_text(p, DAE_NAME_KINK, i, why, sizeof why);
    equation_place(a, i, &source, &first);
    report(a->ds, DIAG_E0303, source, first, "%s needs %s: %s", needer.line.s,
        needed.line.s, why);
    report_label(a->ds, "must be differentiated %s",
        times == 1       ? "once"
            : times == 2 ? "twice"
                         : "several times");
    naming_place(p, DAE_NAME_KINK, i, &source, &span);
    if (source && (span.begin != first.begin || span.end != first.end))
        report_also(a->ds, source, span, "has no such derivative");
    report_help(a->ds,
        "use a smoother signal, or `smooth(...)` if the kink does "
        "not matter");
}

/* Without the parts that require a search of all equations. */
static void count_kink(analysis *a, size_t i, int times)
{
    name_list needed = {.all = 0};
    const dae_source *source;
    text_span span;
    put_derived(a, &needed, DAE_NAME_EQUATION, i, times);
    equation_place(a, i, &source, &span);
    report(a->ds, DIAG_E0303, source, span, "%s does not exist", needed.line.s);
}

/* As many errors are kept; the others of a large model are only counted. */
enum { KINKS_EXPLAINED = 20 };

static void report_kinks(analysis *a)
{
    const uint8_t *smoothness = a->problem->smoothness;
    size_t count = 0;
    for (size_t i = 0; a->plan.kink_count && i < a->problem->unknown_count;
         i++) {
        if (smoothness[i] == DAE_SMOOTH) continue;
        if (a->plan.times[i] <= smoothness[i]) continue;
        if (count++ < KINKS_EXPLAINED) report_kink(a, i, a->plan.times[i]);
        else count_kink(a, i, a->plan.times[i]);
    }
}

/* ---- no index ---------------------------------------------------------------- */

static void name_loose(const analysis *a, name_list *to)
{
    const dae_analysis *f = &a->found;
    for (size_t k = 0; k < f->loose_count; k++)
        put_derived(a, to, DAE_NAME_UNKNOWN, (size_t)f->loose[k].unknown,
            f->loose[k].order);
}

/* Equations of the dependency; the place of the last one, which the others
 * make superfluous. */
static void name_dependent(const analysis *a, name_list *to,
    const dae_source **source, text_span *span)
{
    const dae_analysis *f = &a->found;
    for (size_t k = 0; k < f->dependent_count; k++) {
        const dae_party *d = &f->dependent[k];
        put_derived(a, to, DAE_NAME_EQUATION, (size_t)d->index, d->order);
        equation_place(a, (size_t)d->index, source, span);
    }
}

/* Places beside the first one, each text once: equations of one loop, and
 * derivatives of one equation, have the same. */
static void place_dependent(const analysis *a, text_span first)
{
    const dae_analysis *f = &a->found;
    const dae_source *source;
    text_span placed[1 + NAMED] = {first};
    size_t count = 1;
    for (size_t k = 0; k + 1 < f->dependent_count && count <= NAMED; k++) {
        bool is_placed = false;
        equation_place(
            a, (size_t)f->dependent[k].index, &source, &placed[count]);
        for (size_t p = 0; p < count; p++)
            is_placed = is_placed || placed[p].begin == placed[count].begin;
        if (!source || is_placed) continue;
        report_also(a->ds, source, placed[count++], "dependent equation");
    }
}

static void report_redundant(analysis *a, const char *equations,
    const char *open, const dae_source *source, text_span span)
{
    const bool is_error = a->found.is_wrong != 0;
    report(a->ds, is_error ? DIAG_E0304 : DIAG_W0305, source, span,
        "redundant equations: %s are dependent, and no equation "
        "determines %s",
        equations, open);
    place_dependent(a, span);
    report_help(a->ds,
        is_error ? "replace one of these by an independent equation"
                 : "remove one of these equations and one of the unknowns");
}

static void report_contradictory(analysis *a, const char *equations,
    const dae_source *source, text_span span)
{
    report(a->ds, DIAG_E0304, source, span,
        "no solution: %s contradict each other for all values of "
        "the unknowns",
        equations);
    place_dependent(a, span);
    report_help(a->ds,
        "a combination of these equations contains no unknown and is not 0: "
        "correct one of them");
}

static void report_no_index(analysis *a)
{
    name_list loose = {.all = 0}, rows = {.all = 0};
    const dae_source *source = NULL;
    text_span span = {0, 0};
    name_loose(a, &loose);
    name_dependent(a, &rows, &source, &span);
    if (!source && a->found.loose_count)
        naming_place(a->problem, DAE_NAME_UNKNOWN,
            (size_t)a->found.loose[0].unknown, &source, &span);
    const char *open = end_names(&loose, "the unknowns");
    const char *equations = end_names(&rows, "the equations");
    switch (a->found.verdict) {
    case DAE_INDEX_REDUNDANT:
        report_redundant(a, equations, open, source, span);
        break;
    case DAE_INDEX_CONTRADICTORY:
        report_contradictory(a, equations, source, span);
        break;
    case DAE_INDEX_FLOATING:
        report(a->ds, DIAG_E0304, source, span,
            "floating: adding the same number to %s changes no "
            "equation; %s are dependent",
            open, equations);
        place_dependent(a, span);
        report_help(a->ds,
            "replace one of these equations by a value for one of the "
            "unknowns (a ground)");
        break;
    case DAE_INDEX_NOT_UNIQUE:
        report(a->ds, DIAG_E0304, source, span,
            "not uniquely solvable: %s and all their derivatives do "
            "not determine %s",
            equations, open);
        place_dependent(a, span);
        report_help(a->ds,
            "replace one of these equations by one that does not follow from "
            "the others");
        break;
    case DAE_INDEX_FOUND:
    case DAE_INDEX_UNDEFINED: break;
    }
}

/* ---- singular at the start --------------------------------------------------- */

/* Rows or columns of a block that are the user's, in the order of the text. */
static int32_t *list_visible(analysis *a, const dae_structure *s, size_t b,
    dae_name_kind kind, size_t *count)
{
    listing l;
    const dae_problem *p = a->problem;
    const dae_block *block = &s->fine[b];
    const bool is_row = kind == DAE_NAME_EQUATION;
    const int32_t *from = is_row ? s->row_at : s->column_at;
    const size_t most = (size_t)(block->end - block->begin);
    int32_t *list = ARENA_ARRAY(&a->memory, int32_t, most);
    *count = 0;
    for (int32_t k = block->begin; list && k < block->end; k++) {
        const size_t at = (size_t)from[k];
        if (at < p->unknown_count && is_visible(p, at))
            list[(*count)++] = from[k];
    }
    if (!list || listing_init(&l, &a->memory, *count, sizeof *list))
        return NULL;
    for (size_t k = 0; k < *count; k++)
        l.items[k] = (listed){
            .position = naming_position(p, kind, (size_t)list[k])};
    listing_arrange(&l, list, *count, sizeof *list);
    return list;
}

/* Structure is refuted, and ranks have not replaced it. */
static bool is_refuted(const analysis *a, const dae_structure *s, size_t b)
{
    assert(b < s->fine_count && s->fine[b].begin < s->fine[b].end);
    const size_t row = (size_t)s->row_at[s->fine[b].begin];
    return a->found.blocks[b] == DAE_SINGULAR && a->is_consistent
        && row < a->problem->unknown_count
        && a->components[a->component_of[row]].found_index < 0;
}

/* A root v of v*abs(v) = e that nobody has written: e = 0 determines it, though its
 * slope does not. */
static bool is_root(const analysis *a, const dae_structure *s, size_t b)
{
    const dae_problem *p = a->problem;
    const size_t j = (size_t)s->column_at[s->fine[b].begin];
    return s->fine[b].end - s->fine[b].begin == 1 && j < p->unknown_count
        && p->index_group && p->index_group[j] == DAE_GROUP_ROOT;
}

/* Blocks that lose rank at the start: those that do so only there, and refuted ones
 * with an unknown that the start leaves open. NULL: no memory. */
static const uint8_t *find_lost(analysis *a, const dae_structure *s)
{
    const dae_start_findings *f = &a->found.start;
    const size_t n = a->problem->unknown_count;
    uint8_t *is_lost = ARENA_ARRAY(&a->memory, uint8_t, s->fine_count + n);
    if (!is_lost) return NULL;
    uint8_t *is_open = is_lost + s->fine_count;
    for (size_t k = 0; k < f->undetermined_count; k++)
        is_open[f->undetermined[k].unknown] = 1;
    for (size_t b = 0; b < s->fine_count; b++) {
        const bool is_asked = is_refuted(a, s, b);
        is_lost[b] = a->found.blocks[b] == DAE_SINGULAR_HERE
            && !is_root(a, s, b);
        for (int32_t p = s->fine[b].begin; is_asked && p < s->fine[b].end; p++)
            if ((size_t)s->column_at[p] < n && is_open[s->column_at[p]])
                is_lost[b] = 1;
    }
    return is_lost;
}

/* The equations of the blocks after b that are singular here, too. */
static void label_alike(
    analysis *a, const dae_structure *s, size_t b, const uint8_t *is_lost)
{
    name_list rows = {.all = 0};
    for (size_t k = b + 1; k < s->fine_count; k++) {
        if (!is_lost[k]) continue;
        const arena_position mark = arena_mark(&a->memory);
        size_t count;
        const int32_t *row = list_visible(a, s, k, DAE_NAME_EQUATION, &count);
        for (size_t p = 0; row && p < count; p++)
            put_derived(
                a, &rows, DAE_NAME_EQUATION, (size_t)row[p], (int)s->c[row[p]]);
        arena_release(&a->memory, mark);
    }
    if (rows.all)
        report_label(a->ds, "also singular: %s", end_names(&rows, ""));
}

static const char *way_out(const analysis *a, const dae_structure *s, size_t b)
{
    if (is_refuted(a, s, b))
        return "singular at other points too: an independent equation is "
               "missing, or a hidden constraint was not found";
    if (a->found.certificate == DAE_NOT_CERTIFIED)
        return "turning point, branch point, or hidden constraint not "
               "found: start at a nearby point, or write the "
               "differentiated equation";
    return "turning point or branch point: start at a nearby point, or "
           "differentiate the equation and divide by the factor that vanishes";
}

static void report_block(
    analysis *a, const dae_structure *s, size_t b, const uint8_t *is_lost)
{
    name_list rows = {.all = 0}, columns = {.all = 0};
    const dae_source *source = NULL;
    text_span span = {0, 0};
    size_t row_count, column_count;
    const arena_position mark = arena_mark(&a->memory);
    const int32_t *row = list_visible(a, s, b, DAE_NAME_EQUATION, &row_count);
    const int32_t *column = list_visible(
        a, s, b, DAE_NAME_UNKNOWN, &column_count);
    if (!row || !column) report_lost(a->ds);
    for (size_t k = 0; row && k < row_count; k++) {
        const size_t i = (size_t)row[k];
        put_derived(a, &rows, DAE_NAME_EQUATION, i, (int)s->c[i]);
        if (!source) equation_place(a, i, &source, &span);
    }
    for (size_t k = 0; column && k < column_count; k++) {
        const size_t j = (size_t)column[k];
        put_derived(a, &columns, DAE_NAME_UNKNOWN, j, (int)s->d[j]);
    }
    arena_release(&a->memory, mark);
    const bool is_one = rows.all == 1;
    report(a->ds, DIAG_W0306, source, span,
        "singular at the start: %s do%s not determine %s there",
        end_names(&rows, "they"), is_one ? "es" : "",
        end_names(&columns, "their unknowns"));
    label_alike(a, s, b, is_lost);
    report_help(a->ds, "%s%s", way_out(a, s, b),
        a->found.start.redundant_count
            ? "; redundant conditions are redundant to first order only"
            : "");
    report_numeric(a->ds, a->t0, 0, 0, NULL, NULL);
}

static void report_singular_here(analysis *a)
{
    const dae_structure *s = best_structure(a);
    if (a->found.verdict != DAE_INDEX_FOUND)
        return; /* singular at other points, too */
    const uint8_t *is_lost = find_lost(a, s);
    if (!is_lost) {
        report_lost(a->ds);
        return;
    }
    for (size_t b = 0; b < s->fine_count; b++) {
        if (!is_lost[b]) continue;
        report_block(a, s, b, is_lost);
        return;
    }
}

/* ---- no start ------------------------------------------------------------------ */

static void report_not_found(analysis *a)
{
    report(a->ds, DIAG_E0402, NULL, (text_span){0, 0},
        "no consistent start was found");
    report_help(a->ds, "give guesses nearer to the intended start");
    report_numeric(a->ds, a->t0, 0, 0, NULL, NULL);
}

/* Whether the search has recorded the reason of its failure. */
static bool is_explained(const init_findings *f)
{
    return f->outcome != INIT_CONSISTENT && f->failure.kind != INIT_NO_FAILURE;
}

static dae_status report_start(analysis *a)
{
    const examination *x = &a->last.x;
    const init_findings *f = &a->last.findings;
    const bool is_unsolved = a->found.start.verdict == DAE_START_UNSOLVED;
    if (is_unsolved && !is_explained(f)) {
        report_not_found(a);
        return DAE_OK;
    }
    if (!x->problem) return DAE_OK; /* not examined */
    const init_request q = examination_request(x);
    return start_report(
        &q, f, a->found.certificate == DAE_SINGULAR_HERE, a->ds);
}

/* Of a start that was looked for in several modes. */
static void add_modes(analysis *a, size_t reported)
{
    char told[NAMING_MODES_SIZE];
    if (a->modes.tried < 2 || a->is_consistent) return;
    if (report_error_count(a->ds) == reported) return;
    naming_modes(a->problem, &a->modes, told);
    report_help_more(a->ds, told);
}

/* ---- beside the start --------------------------------------------------------- */

/* The slot of the problem itself. */
static size_t slot_of(const analysis *a, dae_slot s)
{
    const layout *l = &a->layout;
    const size_t k = l->first[s.unknown] + (size_t)s.order;
    assert(k <= l->first[s.unknown + 1]); /* the last is in xp */
    return k < l->first[s.unknown + 1] ? k : l->states + (size_t)s.unknown;
}

static void report_rounded(const analysis *a)
{
    const layout *l = &a->layout;
    for (size_t k = 0; k < a->rounded_count; k++) {
        const rounded_entry *r = &a->rounded[k];
        char equation[NAMING_SIZE], unknown[NAMING_SIZE];
        const dae_source *source;
        text_span span;
        naming_text(a->problem, DAE_NAME_EQUATION, (size_t)r->equation,
            equation, sizeof equation);
        naming_slot(
            a->problem, l, slot_of(a, r->slot), unknown, sizeof unknown);
        equation_place(a, (size_t)r->equation, &source, &span);
        report(a->ds, DIAG_W0307, source, span,
            "the coefficient %.3g of `%s` in `%s` is rounding error, "
            "and is taken as nonzero",
            r->value, unknown, equation);
        report_help(a->ds,
            "if it should be 0, remove the term; if not, write the "
            "coefficient as one number");
    }
}

/* ------------------------------------------------------------------------------- */

dae_status analysis_report(dae_analysis *found, dae_diagnostics *ds)
{
    analysis *a = (analysis *)(void *)found; /* its first member */
    dae_status st;
    assert(!a->ds); /* nothing is reported before this stage */
    a->ds = ds;
    if (!ds) return DAE_OK;
    report_rounded(a);
    if (a->found.verdict == DAE_INDEX_UNDEFINED) return report_singular(a);
    report_kinks(a);
    const size_t reported = report_error_count(ds);
    if ((st = report_start(a))) return st;
    add_modes(a, reported);
    report_no_index(a);
    report_singular_here(a);
    start_report_below_atol(a->problem, &a->layout, a->options.atol,
        a->is_consistent ? a->x : NULL, a->ds);
    if (!a->is_consistent || a->options.start_only) return DAE_OK;
    return true_at_start_report(
        a->problem, NULL, a->t0, a->x, a->xp, a->allocator, a->ds);
}
