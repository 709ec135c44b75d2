/* table("file.csv", x = "time", y = "level", ...): a signal of ir/signal.h at the
 * time, or at what `at` says. What jumps or has a kink at its rows gets a switch,
 * FLOOR(PIECE(t)), which is held between them. */
#include "sema/tables.h"

#include "data/spline.h"
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

typedef enum kind { HOLD, LINEAR, SPLINE3, SPLINE5, KIND_COUNT } kind;
typedef enum beyond { REFUSE, KEEP, GO_ON, BEYOND_COUNT } beyond;

static const char *const kind_names[] = {
    "hold", "linear", "spline3", "spline5"};
static const char *const beyond_names[] = {"refuse", "hold", "linear"};
static const unsigned degrees[] = {0, 1, 3, 5};
static const size_t least_rows[] = {1, 2, 4, 6};

/* The arguments of a call. */
typedef struct request {
    const ast_expr *call, *file, *x, *y, *interp, *extrapolate, *at;
    kind kind;
    beyond beyond;
    const csv_table *table;
    const csv_column *time, *level;
} request;

/* ---- arguments -------------------------------------------------------------- */

static const ast_expr **place_of(request *r, const char *name)
{
    if (strcmp(name, "x") == 0) return &r->x;
    if (strcmp(name, "y") == 0) return &r->y;
    if (strcmp(name, "interp") == 0) return &r->interp;
    if (strcmp(name, "extrapolate") == 0) return &r->extrapolate;
    return strcmp(name, "at") == 0 ? &r->at : NULL;
}

static bool take_argument(lowering *l, request *r, uint32_t k)
{
    const ast_expr *e = r->call, *item = e->items[k];
    const bool has_name = e->names && e->names[k] != INTERN_NONE;
    if (!has_name && k == 0) {
        r->file = item;
        return true;
    }
    const char *name = has_name ? word_text(l, e->names[k]) : "";
    const ast_expr **place = place_of(r, name);
    if (!place || *place) {
        if (!has_name)
            fail_value(l, DIAG_E0230, item->span,
                "the arguments of `table` behind its file have names");
        else
            fail_value(l, DIAG_E0230, item->span, "`table` %s `%s`",
                place ? "is given twice an argument" : "has no argument", name);
        report_help(l->ds,
            "table(\"file.csv\", x = \"time\", y = \"level\", interp = "
            "\"linear\", extrapolate = \"refuse\", at = t)");
        return false;
    }
    *place = item;
    return true;
}

static bool is_text(lowering *l, const ast_expr *e, const char *what)
{
    if (e->kind == AST_STRING) return true;
    fail_value(
        l, DIAG_E0230, e->span, "%s is given as a text, in quotes", what);
    return false;
}

static bool refuse_without_columns(lowering *l, const request *r)
{
    if (!r->x && !r->y) {
        fail_value(l, DIAG_E0232, r->call->span,
            "a table without `x` and `y` is data, which a `param` holds");
        report_help(l->ds,
            "name the columns of a signal: table(\"file.csv\", x = \"time\", y "
            "= \"level\")");
        return false;
    }
    fail_value(l, DIAG_E0230, r->call->span,
        "a measured signal has a column `%s` as well", r->x ? "y" : "x");
    report_help(l->ds, r->x ? "add y = \"level\"" : "add x = \"time\"");
    return false;
}

static bool take_arguments(lowering *l, request *r)
{
    for (uint32_t k = 0; k < r->call->count; k++)
        if (!take_argument(l, r, k)) return false;
    if (!r->file) {
        fail_value(l, DIAG_E0230, r->call->span,
            "`table` takes the name of a file as its first argument");
        return false;
    }
    if (!is_text(l, r->file, "the name of a file")) return false;
    if (!r->x || !r->y) return refuse_without_columns(l, r);
    return is_text(l, r->x, "the name of a column")
        && is_text(l, r->y, "the name of a column");
}

/* The first letter is what a slip of the pen leaves. */
static const char *nearest(
    const char *word, const char *const *names, size_t count)
{
    for (size_t k = 0; k < count; k++)
        if (word[0] && (word[0] | 0x20) == names[k][0]) return names[k];
    if (strcmp(word, "cubic") == 0 && count == KIND_COUNT) return "spline3";
    if (strcmp(word, "quintic") == 0 && count == KIND_COUNT) return "spline5";
    return NULL;
}

static bool take_word(lowering *l, const ast_expr *e, const char *what,
    const char *list, const char *const *names, size_t count, int *out)
{
    if (!is_text(l, e, what)) return false;
    const char *word = word_text(l, e->name);
    for (size_t k = 0; k < count; k++) {
        if (strcmp(word, names[k]) != 0) continue;
        *out = (int)k;
        return true;
    }
    fail_value(
        l, DIAG_E0230, e->span, "%s is %s, not \"%.60s\"", what, list, word);
    const char *near = nearest(word, names, count);
    if (near) report_help(l->ds, "did you mean \"%s\"?", near);
    return false;
}

static bool take_words(lowering *l, request *r)
{
    int chosen = LINEAR, after = REFUSE;
    if (r->interp
        && !take_word(l, r->interp, "`interp`",
            "\"hold\", \"linear\", \"spline3\" or \"spline5\"", kind_names,
            KIND_COUNT, &chosen))
        return false;
    if (r->extrapolate
        && !take_word(l, r->extrapolate, "`extrapolate`",
            "\"refuse\", \"hold\" or \"linear\"", beyond_names, BEYOND_COUNT,
            &after))
        return false;
    r->kind = (kind)chosen;
    r->beyond = (beyond)after;
    return true;
}

/* ---- the file ----------------------------------------------------------------- */

/* Times below are one for a run: its steps end at rows, and no step is shorter
 * than what rounding leaves of the time. */
static double least_distance(const request *r)
{
    const double *x = r->time->values;
    const size_t rows = r->table->row_count;
    if (rows == 0) return 0;
    return 16 * DBL_EPSILON * fmax(fabs(x[0]), fabs(x[rows - 1]));
}

static bool take_columns(lowering *l, request *r)
{
    csv_fault fault;
    const text_span span = r->call->span;
    r->table = table_file(l, word_text(l, r->file->name), span);
    if (!r->table) return false;
    r->time = csv_numbers(r->table, word_text(l, r->x->name), &fault);
    if (r->time)
        r->level = csv_numbers(r->table, word_text(l, r->y->name), &fault);
    if (!r->time || !r->level
        || !csv_ascends(r->table, r->time, least_distance(r), &fault)) {
        table_fault(l, span, r->table, &fault);
        return false;
    }
    const size_t rows = r->table->row_count;
    if (rows >= least_rows[r->kind]) return true;
    fail_value(l, DIAG_E0229, span, "`%s` has %zu row%s, but `%s` needs %zu",
        csv_file_name(r->table), rows, rows == 1 ? "" : "s",
        kind_names[r->kind], least_rows[r->kind]);
    const kind less = rows >= 4 ? SPLINE3 : rows >= 2 ? LINEAR : HOLD;
    if (rows > 0)
        report_help(l->ds,
            "give more rows, or interp = \"%s\", which has fewer derivatives",
            kind_names[less]);
    return false;
}

/* ---- the numbers ---------------------------------------------------------------- */

static size_t count_pieces(const request *r)
{
    const size_t rows = r->table->row_count;
    if (r->kind == HOLD) return rows;
    const bool has_ends = r->kind == LINEAR && r->beyond == KEEP;
    return has_ends ? rows + 1 : rows - 1;
}

/* Lines from row to row, and what goes on as it is at the ends. */
static void fill_lines(const request *r, double *begin, double *c)
{
    const double *x = r->time->values, *y = r->level->values;
    const size_t rows = r->table->row_count;
    if (r->beyond == KEEP) {
        *begin++ = x[0] - (x[1] - x[0]);
        *c++ = y[0];
        *c++ = 0;
    }
    for (size_t k = 0; k + 1 < rows; k++) {
        *begin++ = x[k];
        *c++ = y[k];
        *c++ = (y[k + 1] - y[k]) / (x[k + 1] - x[k]);
    }
    if (r->beyond != KEEP) return;
    *begin = x[rows - 1];
    *c++ = y[rows - 1];
    *c = 0;
}

static dae_status fill_pieces(
    lowering *l, const request *r, size_t pieces, double *begin, double *c)
{
    const size_t rows = r->table->row_count;
    if (r->kind == LINEAR) {
        fill_lines(r, begin, c);
    } else {
        memcpy(begin, r->time->values, pieces * sizeof *begin);
        if (r->kind == HOLD) memcpy(c, r->level->values, rows * sizeof *c);
        else
            return spline_make(degrees[r->kind], r->time->values,
                r->level->values, rows, c, &l->scratch);
    }
    for (size_t k = 0; k < pieces * (degrees[r->kind] + 1); k++)
        if (!isfinite(c[k])) return DAE_ARGUMENT;
    return isfinite(begin[0]) ? DAE_OK : DAE_ARGUMENT;
}

/* Whether the pieces themselves go on beyond the rows. */
static bool goes_on(const request *r)
{
    return r->beyond != REFUSE && degrees[r->kind] <= 1;
}

static dae_status make_numbers(lowering *l, const request *r, measured *m)
{
    const size_t pieces = count_pieces(r), rows = r->table->row_count;
    const unsigned degree = degrees[r->kind];
    m->size = signal_size(pieces, degree);
    if (m->size == 0) return DAE_LIMIT;
    double *n = ARENA_ARRAY(l->arena, double, m->size);
    if (!n) return DAE_MEMORY;
    m->numbers = n;
    n[0] = (double)pieces;
    n[1] = degree;
    n[2] = goes_on(r) ? -(double)INFINITY : r->time->values[0];
    n[3] = goes_on(r) ? (double)INFINITY : r->time->values[rows - 1];
    return fill_pieces(
        l, r, pieces, n + SIGNAL_HEADER, n + SIGNAL_HEADER + pieces);
}

static bool report_numbers(lowering *l, const request *r, dae_status st)
{
    if (st == DAE_MEMORY) {
        l->failed_memory = true;
    } else if (st == DAE_LIMIT) {
        fail_value(l, DIAG_E0004, r->call->span,
            "the tables of this model have too many rows");
    } else {
        fail_value(l, DIAG_E0227, r->call->span,
            "`%s`, columns `%.40s` and `%.40s`: rows lie so near to each "
            "other, "
            "or values so far from each other, that `%s` has no finite "
            "coefficients",
            csv_file_name(r->table), r->time->name, r->level->name,
            kind_names[r->kind]);
    }
    return false;
}

/* All that its numbers are made of. */
static const char *key_of(lowering *l, const request *r)
{
    return arena_printf(l->arena, "%s\n%s\n%s\n%s %s", r->table->source->name,
        r->time->name, r->level->name, kind_names[r->kind],
        beyond_names[r->beyond]);
}

/* As the text has it where that is short, so that messages find it there. */
static const char *text_of(lowering *l, const request *r)
{
    enum { SHORT = 78 };
    const text_span s = r->call->span;
    const char *text = l->source->text + s.begin;
    const size_t length = s.end - s.begin;
    const bool is_short = length <= SHORT && !memchr(text, '\n', length);
    if (is_short && !r->at && strncmp(text, "table", 5) == 0)
        return arena_copy(l->arena, text, length);
    return arena_printf(l->arena, "table(\"%s\", y = \"%s\")",
        word_text(l, r->file->name), r->level->name);
}

/* The place in the list; SIZE_MAX: reported. */
static size_t find_signal(lowering *l, const request *r)
{
    const signal_list *list = &l->s->signals;
    measured m = {
        .text = text_of(l, r), .key = key_of(l, r), .span = r->call->span};
    if (!m.text || !m.key) {
        l->failed_memory = true;
        return SIZE_MAX;
    }
    for (size_t k = 0; k < list->items.count; k++)
        if (strcmp(list->items.items[k].key, m.key) == 0) return k;
    dae_status st = make_numbers(l, r, &m);
    if (!st) st = system_add_signal(l->s, &m);
    if (!st) return list->items.count - 1;
    report_numbers(l, r, st);
    return SIZE_MAX;
}

/* ---- the expression --------------------------------------------------------------- */

static value as_value(lowering *l, node_id id)
{
    double number;
    if (id == NODE_NONE) {
        l->failed_memory = true;
        return value_error();
    }
    if (shape_is_const(&l->s->shapes, id, &number)) return value_number(number);
    return (value){.kind = VALUE_EXPR, .node = id};
}

static node_id number_node(lowering *l, double x)
{
    return builder_node(l, value_number(x));
}

/* The signal at an argument within its rows. */
static node_id within(lowering *l, const measured *m, node_id a)
{
    shape_pool *p = &l->s->shapes;
    node_id piece = shape_piece(p, m, a);
    if (signal_pieces(m->numbers) == 1) piece = shape_const(p, 0);
    else if (signal_degree(m->numbers) <= 1)
        piece = shape_unary(p, NODE_FLOOR, piece);
    return shape_table(p, m, 0, a, piece);
}

/* A spline that goes on with its slope: what the argument lacks of the rows. */
static node_id add_slope(lowering *l, const measured *m, node_id sum, node_id a,
    node_op op, double end)
{
    shape_pool *p = &l->s->shapes;
    const double slope = signal_value(
        m->numbers, 1, end, signal_piece(m->numbers, end));
    node_id away = shape_binary(p, NODE_SUB, a, number_node(l, end));
    away = shape_binary(p, op, away, shape_const(p, 0));
    node_id more = shape_binary(p, NODE_MUL, number_node(l, slope), away);
    return shape_binary(p, NODE_ADD, sum, more);
}

static node_id expression(
    lowering *l, const request *r, const measured *m, node_id a)
{
    shape_pool *p = &l->s->shapes;
    if (r->beyond == REFUSE || goes_on(r)) return within(l, m, a);
    const double low = m->numbers[2], high = m->numbers[3];
    node_id kept = shape_binary(p, NODE_MAX, a, number_node(l, low));
    kept = shape_binary(p, NODE_MIN, kept, number_node(l, high));
    node_id sum = within(l, m, kept);
    if (r->beyond == KEEP) return sum;
    sum = add_slope(l, m, sum, a, NODE_MIN, low);
    return add_slope(l, m, sum, a, NODE_MAX, high);
}

/* The argument: the time, or what `at` says. */
static value argument(lowering *l, const request *r)
{
    if (!r->at) return builder_leaf_value(l, LEAF_TIME, 0, 0);
    value v = lower_scalar(l, r->at);
    if (v.kind != VALUE_EXPR || !value_moves(l, v)) return v;
    fail_value(l, DIAG_E0232, r->at->span,
        "a table is looked up at times that are known, not at an unknown");
    report_help(
        l->ds, "write the curve as a `fun`, a polynomial or a sum of powers");
    return value_error();
}

static bool is_beyond(const request *r, double low, double high)
{
    const double *x = r->time->values;
    const size_t rows = r->table->row_count;
    const double slack = 1e-12 * (x[rows - 1] - x[0]);
    return low < x[0] - slack || high > x[rows - 1] + slack;
}

static value refuse_number(lowering *l, const request *r, double at)
{
    const size_t rows = r->table->row_count;
    value error = fail_value(l, DIAG_E0231, r->call->span,
        "`%s` has rows for `%.40s` from %.12g to %.12g, not for %.12g",
        csv_file_name(r->table), r->time->name, r->time->values[0],
        r->time->values[rows - 1], at);
    report_help(l->ds,
        "say how it goes on: extrapolate = \"hold\" or "
        "\"linear\"");
    return error;
}

/* The term of `at`, to be looked at once the interval is known. */
static bool note_argument(
    lowering *l, const request *r, value a, table_range *range)
{
    term t;
    if (term_finish(l, a.node, &t)) return false;
    uint32_t *holes = ARENA_ARRAY(l->arena, uint32_t, t.count + 1);
    if (!holes) return false;
    memcpy(holes, t.holes, t.count * sizeof *holes);
    range->at = r->at;
    range->root = t.root;
    range->holes = holes;
    return true;
}

/* Which runs the rows must cover, for signals_check. */
static bool note_range(lowering *l, const request *r, value a)
{
    const size_t rows = r->table->row_count;
    table_range range = {.span = r->call->span,
        .file = csv_file_name(r->table),
        .column = r->time->name,
        .low = r->time->values[0],
        .high = r->time->values[rows - 1]};
    if (r->beyond != REFUSE || a.kind != VALUE_EXPR) return true;
    if ((!r->at || note_argument(l, r, a, &range))
        && ARRAY_PUSH(l->allocator, &l->ranges, range))
        return true;
    l->failed_memory = true;
    return false;
}

value lower_table(lowering *l, const ast_expr *e)
{
    request r = {.call = e};
    const symbol *param = pending_param(l);
    if (!take_arguments(l, &r) || !take_words(l, &r)) return value_error();
    if (param) {
        value error = fail_value(l, DIAG_E0232, e->span,
            "a measured signal is a function of time, the param `%s` is fixed",
            word_text(l, param->name));
        report_help(l->ds, "write `input %s = ...`", word_text(l, param->name));
        return error;
    }
    if (!take_columns(l, &r)) return value_error();
    const size_t k = find_signal(l, &r);
    if (k == SIZE_MAX) return value_error();
    const value a = argument(l, &r);
    if (a.kind == VALUE_ERROR || !note_range(l, &r, a)) return value_error();
    if (a.kind == VALUE_NUMBER && r.beyond == REFUSE
        && is_beyond(&r, a.number, a.number))
        return refuse_number(l, &r, a.number);
    const measured m = l->s->signals.items.items[k];
    return as_value(l, expression(l, &r, &m, builder_node(l, a)));
}
