/* Tables have a column for each order and a block of rows for each variable: the
 * steps, then the order that they show. */
#include "number.h"
#include "orders_view.h"
#include "phrase.h"
#include <assert.h>
#include <math.h>
#include <string.h>

/* Variables shown; of more than that so many of each role. */
enum { MOST_VARIABLES = 12, MOST_OF_A_ROLE = 3, MOST_EARLY = 8 };

/* ---- which variables ---- */

static bool is_shown(const orders_view *v, size_t k)
{
    const snippet role = orders_role(v, k);
    size_t before = 0;
    if (v->variable_count <= MOST_VARIABLES) return true;
    while (before < k && strcmp(orders_role(v, k - before - 1).s, role.s) == 0)
        before++;
    return before < MOST_OF_A_ROLE;
}

static size_t count_hidden(const orders_view *v)
{
    size_t count = 0;
    for (size_t k = 0; k < v->variable_count; k++) count += !is_shown(v, k);
    return count;
}

/* ---- cells ---- */

/* Behind a mark where it is not to be believed: MARKS tell why. */
static void put_error(
    table *t, const dae_orders_row *row, double error, const char *mark)
{
    if (row->is_short) table_add(t, "-");
    else if (isnan(error))
        table_add(t,
            row->status ? orders_failure_code(&row->failure, "failed") : "-");
    else if (!(fabs(error) > 0)) table_add(t, "0");
    else table_addf(t, "%s%.3e", mark, error);
}

static void put_observed(table *t, double order)
{
    if (isnan(order)) table_add(t, "-");
    else table_addf(t, "%.2f", order + 0.0);
}

/* The variable is named in its first row, that of the longest step. */
static void put_place(
    const orders_view *v, table *t, size_t k, size_t row, double step)
{
    if (row == 0) TABLE_ADD(t, orders_view_name(v, k), orders_role(v, k).s);
    else TABLE_ADD(t, "", "");
    table_addf(t, "%.6g", step);
}

/* Columns of a variable, its role and the step, and so many others. */
static table table_of_steps(size_t others)
{
    table t = table_of("llrrrrrrrrrrrrrr");
    assert(others <= TABLE_COLUMNS - 3);
    t.columns = 3 + others;
    TABLE_ADD(&t, "variable", "", "step");
    return t;
}

/* ---- errors ---- */

static const char *const MARKS[] = {"", "~", "?", ""};

/* A table for methods of one way, as far as there is room: formulas of a method are
 * kept together. */
enum { COLUMNS = 6 };
typedef struct table_part {
    size_t begin, end;
} table_part;

static table_part part_from(const dae_orders_steps *f, size_t begin)
{
    table_part c = {begin, begin};
    const size_t count = dae_orders_formula_count(f);
    while (c.end < count) {
        const size_t length = orders_formulas_alike(f, c.end);
        const bool is_full = c.end + length - begin > COLUMNS;
        const bool is_other_way = dae_orders_formula_at(f, c.end)->is_unreduced
            != dae_orders_formula_at(f, begin)->is_unreduced;
        if (c.end > begin && (is_full || is_other_way)) break;
        c.end += length;
    }
    return c;
}

static void put_block(const orders_view *v, table *t, const dae_orders_steps *f,
    table_part c, dae_orders_error list, size_t k)
{
    for (size_t s = 0; s < dae_orders_step_count(f); s++) {
        put_place(v, t, k, s, dae_orders_row_at(f, 0, s)->step);
        for (size_t o = c.begin; o < c.end; o++) {
            const dae_orders_row *row = dae_orders_row_at(f, o, s);
            put_error(t, row, row->errors[list][k],
                MARKS[dae_orders_worth_of(row, list, k)]);
        }
    }
    TABLE_ADD(t, "", "", "order");
    for (size_t o = c.begin; o < c.end; o++)
        put_observed(t, dae_orders_observed(f, o, list, k));
}

/* Whether a list has anything but rounding for a variable, be it that there are
 * no errors. */
static bool has_errors(
    const dae_orders_steps *f, table_part c, dae_orders_error list, size_t k)
{
    bool has_rounding = false;
    for (size_t o = c.begin; o < c.end; o++)
        for (size_t s = 0; s < dae_orders_step_count(f); s++) {
            const dae_orders_worth w = dae_orders_worth_of(
                dae_orders_row_at(f, o, s), list, k);
            if (w > DAE_WORTH_ROUNDING) return true;
            has_rounding = has_rounding || w == DAE_WORTH_ROUNDING;
        }
    return !has_rounding;
}

/* The names of those without, in one line. */
static void print_exact(const orders_view *v, FILE *file,
    const dae_orders_steps *f, table_part c, dae_orders_error list)
{
    size_t count = 0;
    for (size_t k = 0; k < v->variable_count; k++) {
        if (!is_shown(v, k) || has_errors(f, c, list, k)) continue;
        (void)fprintf(file, "%s%s",
            count++ ? ", " : "  rounding alone: ", orders_view_name(v, k));
    }
    if (count) (void)fputc('\n', file);
}

static bool is_told(const orders_view *v, const dae_orders_steps *f,
    table_part of, dae_orders_error list, int64_t least_index, size_t k)
{
    return is_shown(v, k) && has_errors(f, of, list, k)
        && orders_variable(v, k)->index >= least_index;
}

/* What the marks of a table mean, if it has them; 0 is no mark. */
static void print_marks(const orders_view *v, FILE *file,
    const dae_orders_steps *f, table_part of, dae_orders_error list,
    int64_t least_index)
{
    bool has[DAE_WORTH_BELIEVED + 1] = {false};
    for (size_t k = 0; k < v->variable_count; k++) {
        if (!is_told(v, f, of, list, least_index, k)) continue;
        for (size_t o = of.begin; o < of.end; o++)
            for (size_t s = 0; s < dae_orders_step_count(f); s++) {
                const dae_orders_row *row = dae_orders_row_at(f, o, s);
                if (fabs(row->errors[list][k]) > 0)
                    has[dae_orders_worth_of(row, list, k)] = true;
            }
    }
    if (has[DAE_WORTH_ROUNDING])
        (void)fprintf(
            file, "  %s no more than rounding\n", MARKS[DAE_WORTH_ROUNDING]);
    if (has[DAE_WORTH_REFERENCE])
        (void)fprintf(file,
            "  %s less than 10 times what the reference is wrong by\n",
            MARKS[DAE_WORTH_REFERENCE]);
}

static void print_errors(const orders_view *v, FILE *file,
    const dae_orders_steps *f, table_part of, dae_orders_error list,
    int64_t least_index, const char *title)
{
    table t = table_of_steps(of.end - of.begin);
    (void)fprintf(file, "\n%s\n", title);
    for (size_t o = of.begin; o < of.end; o++)
        table_add(&t, dae_orders_formula_at(f, o)->name);
    for (size_t k = 0; k < v->variable_count; k++)
        if (is_told(v, f, of, list, least_index, k))
            put_block(v, &t, f, of, list, k);
    table_print(&t, file);
    print_marks(v, file, f, of, list, least_index);
    print_exact(v, file, f, of, list);
}

/* ", index reduced", where there are two ways. */
static const char *way_of(const orders_view *v, const dae_orders_formula *f)
{
    if (v->index <= 1) return "";
    return f->is_unreduced ? ", as it stands" : ", index reduced";
}

static void print_by_method(const orders_view *v, FILE *file)
{
    const dae_orders_steps *f = v->fixed;
    char title[160];
    table_part of;
    for (size_t o = 0; o < dae_orders_formula_count(f); o = of.end) {
        const char *way = way_of(v, dae_orders_formula_at(f, o));
        of = part_from(f, o);
        (void)snprintf(title, sizeof title, "largest error of the run%s", way);
        print_errors(v, file, f, of, DAE_ORDERS_LARGEST, 0, title);
        (void)snprintf(title, sizeof title, "error at the end, t = %.10g%s",
            dae_run_end(v->session->run), way);
        print_errors(v, file, f, of, DAE_ORDERS_END, 0, title);
    }
}

static void print_bdf(const orders_view *v, FILE *file)
{
    const table_part all = part_from(v->fixed, 0);
    char title[160];
    (void)snprintf(title, sizeof title,
        "error of one step from exact values, to t = %.10g",
        dae_run_end(v->session->run));
    print_errors(v, file, v->fixed, all, DAE_ORDERS_ONE_STEP, 0, title);
    print_errors(v, file, v->fixed, all, DAE_ORDERS_LARGEST, 0,
        "largest error of the run");
    (void)snprintf(title, sizeof title, "error at the end, t = %.10g",
        dae_run_end(v->session->run));
    print_errors(v, file, v->fixed, all, DAE_ORDERS_END, 0, title);
    if (v->unequal)
        print_errors(v, file, v->unequal, all, DAE_ORDERS_SETTLED, 3,
            "steps h, 2h, h, 2h, ...: largest error behind the start");
}

static void print_fixed(const orders_view *v, FILE *file)
{
    if (v->is_by_method) print_by_method(v, file);
    else print_bdf(v, file);
    const size_t hidden = count_hidden(v);
    if (hidden)
        (void)fprintf(file, "\n%zu more variable%s in --json\n", hidden,
            NUMBER_PLURAL(hidden));
}

/* ---- a wrong start ---- */

static size_t early_columns(const dae_orders_steps *f, size_t order)
{
    size_t count = 2 * (size_t)dae_orders_formula_at(f, order)->order + 2;
    if (count > MOST_EARLY) count = MOST_EARLY;
    for (size_t s = 0; s < dae_orders_step_count(f); s++) {
        const int64_t steps = dae_orders_row_at(f, order, s)->steps;
        if (steps < (int64_t)count) count = steps > 1 ? (size_t)steps : 1;
    }
    return count;
}

static void put_early(
    const orders_view *v, table *t, size_t order, size_t k, size_t columns)
{
    const dae_orders_steps *f = v->wrong;
    for (size_t s = 0; s < dae_orders_step_count(f); s++) {
        const dae_orders_row *row = dae_orders_row_at(f, order, s);
        put_place(v, t, k, s, row->step);
        for (size_t e = 0; e < columns; e++)
            put_error(t, row, row->early[e * row->unknown_count + k], "");
    }
}

static void print_wrong(const orders_view *v, FILE *file, size_t order)
{
    const size_t columns = early_columns(v->wrong, order);
    table t = table_of_steps(columns);
    (void)fprintf(file, "\nwrong start, %s: errors of the first steps\n",
        orders_method_name(dae_orders_formula_at(v->wrong, order)->order).s);
    for (size_t e = 0; e < columns; e++) table_count(&t, (int64_t)e + 1);
    for (size_t k = 0; k < v->variable_count; k++)
        if (is_shown(v, k)) put_early(v, &t, order, k, columns);
    table_print(&t, file);
}

/* ---- tolerances ---- */

static void put_run(const orders_view *v, table *t, const dae_orders_run *row)
{
    const bool has_ways = v->index > 1;
    table_add(t, row->method);
    if (has_ways) table_add(t, row->is_unreduced ? "as it stands" : "reduced");
    if (row->max_order) table_count(t, row->max_order);
    else table_add(t, "chosen");
    table_addf(t, "%.0e", row->rtol);
    if (row->status == DAE_LIMIT) table_add(t, "too many");
    else if (row->status)
        table_add(t, orders_failure_code(&row->failure, "failed"));
    else table_addf(t, "%s%.2e", row->is_doubted ? "?" : "", row->error);
    table_count(t, row->stats.steps);
    table_count(t, row->stats.residual_evals);
    table_count(t, row->stats.jacobian_evals);
    table_count(t, row->stats.factorizations);
    if (v->args->no_times) return;
    table_addf(t, "%.2g", row->seconds);
}

static void print_doubts(const orders_view *v, FILE *file)
{
    for (size_t i = 0; i < v->run_count; i++) {
        if (!orders_run(v, i)->is_doubted) continue;
        (void)fprintf(file,
            "  ? less than 10 times what the reference is wrong by (%.1e)\n",
            orders_run(v, i)->uncertainty);
        return;
    }
}

static void print_runs(const orders_view *v, FILE *file)
{
    const bool has_ways = v->index > 1, has_times = !v->args->no_times;
    const char *const heads[] = {"method", "equations", "order", "rtol",
        "error", "steps", "residuals", "Jacobians", "factorizations",
        "seconds"};
    table t = table_of(&"llrrrrrrrr"[!has_ways]);
    t.columns -= !has_times;
    for (size_t c = 0; c < 9 + (size_t)has_times; c++)
        if (c != 1 || has_ways) table_add(&t, heads[c]);
    for (size_t i = 0; i < v->run_count; i++) put_run(v, &t, orders_run(v, i));
    (void)fputs("\nsteps and orders chosen: largest error of the run, of each "
                "variable by its largest value\n",
        file);
    table_print(&t, file);
    print_doubts(v, file);
}

/* ---- all of it ---- */

static void print_part(const orders_view *v, FILE *file,
    void (*tell)(const orders_view *, phrase *))
{
    phrase text = {.text = NULL};
    tell(v, &text);
    if (text.length) {
        (void)fputc('\n', file);
        phrase_field(file, 0, 0, "", phrase_text(&text));
    }
}

/* Studies may have different ones. */
static void print_reference(const orders_view *v, FILE *file, const char *what)
{
    (void)fprintf(file, "errors against %s%s\n",
        dae_orders_reference_of_steps(v->orders).is_mixed
            ? "closed forms of expect lines; of unknowns without one "
            : "",
        what);
}

static void print_head(const orders_view *v, FILE *file)
{
    const dae_run *r = v->session->run;
    char runs[160];
    const char *const fixed = orders_reference_sentence(v);
    orders_runs_sentence(v, runs, sizeof runs);
    print_reference(v, file, v->fixed ? fixed : runs);
    if (v->fixed && v->run_count && strcmp(fixed, runs) != 0)
        (void)fprintf(file, "  at tolerances against %s\n", runs);
    (void)fprintf(file, "t = %.10g .. %.10g%s\n", dae_run_begin(r),
        dae_run_end(r),
        orders_view_is_long(v) ? ", in extended precision" : "");
}

void orders_text(const orders_view *v, FILE *file)
{
    print_head(v, file);
    /* who asks for a wrong start has seen the right one */
    if (v->fixed && !v->wrong) {
        print_fixed(v, file);
        print_part(v, file, orders_tell_steps);
        print_part(v, file, orders_tell_methods);
    }
    for (size_t o = 0; v->wrong && o < dae_orders_formula_count(v->wrong); o++)
        print_wrong(v, file, o);
    print_part(v, file, orders_tell_wrong);
    if (v->run_count) print_runs(v, file);
    print_part(v, file, orders_tell_runs);
    print_part(v, file, orders_tell_notes);
}
