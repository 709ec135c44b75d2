/* Arrays of values: windows on declared arrays (slices, rows, whole arrays,
 * primes of them cost nothing until an element is requested) and arrays of
 * items that operations make. Operations go element by element and leave
 * arrays of items. */
#include "sema/tables.h"

#include "ir/rounding.h"
#include <stdio.h>
#include <string.h>

static value memory_error(lowering *l)
{
    l->failed_memory = true;
    return value_error();
}

/* A new array of `rank` with room for its items; its bounds begin at 1. */
value array_make(lowering *l, uint32_t rank, const int64_t *extent)
{
    value_array *a = ARENA_NEW(&l->scratch, value_array);
    if (!a) return memory_error(l);
    a->rank = rank;
    a->count = 1;
    for (uint32_t d = 0; d < rank; d++) {
        a->lower[d] = 1;
        a->extent[d] = extent[d];
        bool fits = size_mul(a->count, (size_t)extent[d], &a->count);
        if (!fits || a->count > MAX_ELEMENTS) {
            return fail_value(
                l, DIAG_E0004, l->at, "an array here has too many elements");
        }
    }
    a->items = ARENA_ARRAY(&l->scratch, value, a->count ? a->count : 1);
    if (!a->items) return memory_error(l);
    return (value){.kind = VALUE_ARRAY, .array = a};
}

value array_window(lowering *l, symbol *s)
{
    value_array *a = ARENA_NEW(&l->scratch, value_array);
    if (!a) return memory_error(l);
    a->rank = s->rank;
    a->count = s->count;
    a->of = s;
    int64_t stride = 1;
    for (uint32_t d = s->rank; d-- > 0;) {
        a->lower[d] = s->lower[d];
        a->extent[d] = s->extent[d];
        a->stride[d] = stride;
        stride *= s->extent[d];
    }
    return (value){.kind = VALUE_ARRAY, .array = a};
}

value array_item(lowering *l, const value_array *a, size_t flat)
{
    if (a->items) return value_resolve(l, a->items[flat]);
    int64_t at = a->offset, rest = (int64_t)flat;
    for (uint32_t d = a->rank; d-- > 0;) {
        at += rest % a->extent[d] * a->stride[d];
        rest /= a->extent[d];
    }
    return symbol_element(l, a->of, (size_t)at, a->order, a->of->span);
}

bool array_same_shape(const value_array *a, const value_array *b)
{
    if (a->rank != b->rank) return false;
    for (uint32_t d = 0; d < a->rank; d++) {
        if (a->extent[d] != b->extent[d]) return false;
    }
    return true;
}

/* "a number", "an array of 3", "an array of 2 x 4". */
const char *array_shape_text(lowering *l, value v)
{
    if (!is_array(v)) return "a number";
    char text[160];
    int used = snprintf(text, sizeof text, "an array of ");
    for (uint32_t d = 0; d < v.array->rank; d++) {
        used += snprintf(text + used, sizeof text - (size_t)used, "%s%lld",
            d ? " x " : "", (long long)v.array->extent[d]);
    }
    const char *copy = arena_copy(&l->scratch, text, (size_t)used);
    return copy ? copy : "an array";
}

/* ---- element by element --------------------------------------------------- */

value array_binary(lowering *l, node_op op, value a, value b, text_span span)
{
    if (a.kind == VALUE_ERROR) return a;
    if (b.kind == VALUE_ERROR) return b;
    if (!is_array(a) && !is_array(b)) return scalar_binary(l, op, a, b, span);
    if (is_array(a) && is_array(b) && !array_same_shape(a.array, b.array)) {
        return fail_value(l, DIAG_E0204, span, "`%s` between %s and %s",
            node_text(op), array_shape_text(l, a), array_shape_text(l, b));
    }
    const value_array *shape = is_array(a) ? a.array : b.array;
    value r = array_make(l, shape->rank, shape->extent);
    if (!is_array(r)) return r;
    for (size_t k = 0; k < shape->count; k++) {
        value x = is_array(a) ? array_item(l, a.array, k) : a;
        value y = is_array(b) ? array_item(l, b.array, k) : b;
        if (loop_tick(l, span)) return value_error();
        r.array->items[k] = scalar_binary(l, op, x, y, span);
        if (r.array->items[k].kind == VALUE_ERROR) return value_error();
    }
    return r;
}

value array_unary(lowering *l, node_op op, value a, text_span span)
{
    if (!is_array(a)) {
        return node_is_family(op) ? scalar_family(l, op, 0, a)
                                  : scalar_unary(l, op, a, span);
    }
    value r = array_make(l, a.array->rank, a.array->extent);
    if (!is_array(r)) return r;
    for (size_t k = 0; k < a.array->count; k++) {
        value x = array_unary(l, op, array_item(l, a.array, k), span);
        if (x.kind == VALUE_ERROR || loop_tick(l, span)) {
            return value_error();
        }
        r.array->items[k] = x;
    }
    return r;
}

value array_select(lowering *l, value c, value a, value b, text_span span)
{
    if (a.kind == VALUE_ERROR) return a;
    if (b.kind == VALUE_ERROR) return b;
    if (!is_array(a) && !is_array(b)) return scalar_select(l, c, a, b, span);
    if (is_array(a) && is_array(b) && !array_same_shape(a.array, b.array)) {
        return fail_value(l, DIAG_E0204, span,
            "the branches of this `if` are %s and %s", array_shape_text(l, a),
            array_shape_text(l, b));
    }
    const value_array *shape = is_array(a) ? a.array : b.array;
    value r = array_make(l, shape->rank, shape->extent);
    if (!is_array(r)) return r;
    for (size_t k = 0; k < shape->count; k++) {
        value x = is_array(a) ? array_item(l, a.array, k) : a;
        value y = is_array(b) ? array_item(l, b.array, k) : b;
        if (loop_pause(l)) return value_error();
        r.array->items[k] = scalar_select(l, c, x, y, span);
        if (r.array->items[k].kind == VALUE_ERROR) return value_error();
    }
    return r;
}

value array_prime(lowering *l, value a, unsigned order, text_span span)
{
    if (!is_array(a)) return scalar_prime(l, a, order, span);
    if (!a.array->items && a.array->of->kind == SYMBOL_VAR
        && a.array->order + order <= MAX_PRIMES) {
        value_array *w = ARENA_NEW(&l->scratch, value_array);
        if (!w) return memory_error(l);
        *w = *a.array;
        w->order += order;
        return (value){.kind = VALUE_ARRAY, .array = w};
    }
    value r = array_make(l, a.array->rank, a.array->extent);
    if (!is_array(r)) return r;
    for (size_t k = 0; k < a.array->count; k++) {
        value x = scalar_prime(l, array_item(l, a.array, k), order, span);
        if (x.kind == VALUE_ERROR || loop_pause(l)) return value_error();
        r.array->items[k] = x;
    }
    return r;
}

/* ---- the matrix product ----------------------------------------------------- */

static value dot_row(lowering *l, const value_array *a, size_t a_at,
    size_t a_step, const value_array *b, size_t b_at, size_t b_step,
    size_t count, text_span span)
{
    value sum = value_number(0);
    for (size_t k = 0; k < count; k++) {
        value x = array_item(l, a, a_at + k * a_step);
        value y = array_item(l, b, b_at + k * b_step);
        value xy = scalar_binary(l, NODE_MUL, x, y, span);
        sum = k ? scalar_binary(l, NODE_ADD, sum, xy, span) : xy;
        if (sum.kind == VALUE_ERROR || loop_tick(l, span)) return value_error();
    }
    return sum;
}

value array_dot(lowering *l, value a, value b, text_span span)
{
    bool fits = is_array(a) && is_array(b) && a.array->rank == 1
        && array_same_shape(a.array, b.array);
    if (fits) {
        return dot_row(l, a.array, 0, 1, b.array, 0, 1, a.array->count, span);
    }
    if (a.kind == VALUE_ERROR || b.kind == VALUE_ERROR) return value_error();
    return fail_value(l, DIAG_E0204, span,
        "`dot` takes two vectors of one length, not %s and %s",
        array_shape_text(l, a), array_shape_text(l, b));
}

/* Of two arrays of rank 1 or 2, at least one of them a matrix. */
value array_product(lowering *l, value a, value b, text_span span)
{
    const value_array *x = a.array, *y = b.array;
    int64_t inner = x->extent[x->rank - 1];
    if (x->rank > 2 || y->rank > 2 || inner != y->extent[0]) {
        value error = fail_value(l, DIAG_E0204, span,
            "the matrix product of %s and %s", array_shape_text(l, a),
            array_shape_text(l, b));
        report_help(l->ds, "the inner sizes must agree");
        return error;
    }
    int64_t extent[2] = {1, 1};
    uint32_t rank = 0;
    if (x->rank == 2) extent[rank++] = x->extent[0];
    if (y->rank == 2) extent[rank++] = y->extent[1];
    size_t rows = x->rank == 2 ? (size_t)x->extent[0] : 1;
    size_t columns = y->rank == 2 ? (size_t)y->extent[1] : 1;
    const double turns = (double)rows * (double)columns * (double)inner;
    if (loop_reserve(l, turns, span)) return value_error();
    value r = array_make(l, rank, extent);
    if (!is_array(r)) return r;
    for (size_t i = 0; i < rows; i++) {
        for (size_t j = 0; j < columns; j++) {
            value v = dot_row(
                l, x, i * (size_t)inner, 1, y, j, columns, (size_t)inner, span);
            if (v.kind == VALUE_ERROR) return v;
            r.array->items[i * columns + j] = v;
        }
    }
    return r;
}

/* ---- indexing ----------------------------------------------------------------- */

typedef struct selection { /* of one dimension, from 0 */
    int64_t first, count;
    bool is_single;
} selection;

/* The same index outside on both sides of an equation is one mistake. */
static bool is_told(
    lowering *l, const ast_expr *e, const char *name, int64_t index)
{
    uint32_t line, column;
    source_position(l->source, e->span.begin, &line, &column);
    bool is_same = l->outside.name == name && l->outside.index == index
        && l->outside.line == line;
    l->outside.name = name;
    l->outside.index = index;
    l->outside.line = line;
    return is_same;
}

/* The values of the loops' indices that the wrong one is made of. */
static void label_indices(lowering *l, const ast_expr *e)
{
    char text[160] = "";
    size_t used = 0;
    for (size_t k = 0; k < l->locals.count; k++) {
        const local *v = &l->locals.items[k];
        if (v->value.kind != VALUE_NUMBER || !expr_mentions(e, v->name))
            continue;
        int n = snprintf(text + used, sizeof text - used, "%s%s = %.9g",
            used ? ", " : "with ", word_text(l, v->name), v->value.number);
        if (n < 0 || (size_t)n >= sizeof text - used) {
            text[used] = '\0'; /* whole names only */
            break;
        }
        used += (size_t)n;
    }
    if (used) report_label(l->ds, "%s", text);
}

static bool in_range(lowering *l, const ast_expr *e, const char *name,
    int64_t index, int64_t lower, int64_t extent)
{
    if (index >= lower && index - lower < extent) return true;
    if (is_told(l, e, name, index)) return false;
    if (extent == 0) {
        fail_value(l, DIAG_E0205, e->span,
            "index %lld of `%s`, which has no elements", (long long)index,
            name);
    } else {
        fail_value(l, DIAG_E0205, e->span,
            "index %lld of `%s` is outside %lld..%lld", (long long)index, name,
            (long long)lower, (long long)(lower + extent - 1));
    }
    label_indices(l, e);
    table_tell_cell(l, e);
    return false;
}

/* Sums and products of loop indices and whole numbers, as most indices are: exact
 * without the way through values. False: any other, or one that is beyond an array. */
static bool index_of_loops(const lowering *l, const ast_expr *e, double *index)
{
    double next;
    if (e->kind == AST_NAME && e->name < l->name_count
        && l->innermost[e->name]) {
        const value v = l->locals.items[l->innermost[e->name] - 1].value;
        if (v.kind != VALUE_NUMBER) return false;
        *index = v.number;
        return number_is_whole(*index);
    }
    *index = e->number;
    if (e->kind == AST_NUMBER) return number_is_whole(*index);
    if (e->kind != AST_CHAIN || !index_of_loops(l, e->items[0], index))
        return false;
    for (uint32_t k = 1; k < e->count; k++) {
        if (!index_of_loops(l, e->items[k], &next)) return false;
        if (e->ops[k] == AST_ADD) *index += next;
        else if (e->ops[k] == AST_SUB) *index -= next;
        else if (e->ops[k] == AST_MUL) *index *= next;
        else return false;
        if (!(fabs(*index) < (double)UINT32_MAX)) return false;
    }
    return true;
}

static bool index_integer(lowering *l, const ast_expr *e, int64_t *index)
{
    double whole;
    if (index_of_loops(l, e, &whole)) {
        *index = (int64_t)whole;
        return true;
    }
    value v = lower_expr(l, e);
    if (is_array(v)) {
        fail_value(l, DIAG_E0204, e->span, "an index must be a number");
        return false;
    }
    if (value_force_integer(l, v, e->span, "an index", index)) return true;
    if (v.kind != VALUE_ERROR) table_tell_cell(l, e);
    return false;
}

static bool select_one(lowering *l, const ast_expr *e, const char *name,
    int64_t lower, int64_t extent, selection *out)
{
    *out = (selection){0, extent, false};
    if (e->kind == AST_COLON) return true;
    int64_t first, last;
    if (e->kind != AST_RANGE) {
        out->is_single = true;
        out->count = 1;
        if (!index_integer(l, e, &first)) return false;
        out->first = first - lower;
        return in_range(l, e, name, first, lower, extent);
    }
    if (!index_integer(l, e->items[0], &first)) return false;
    if (!index_integer(l, e->items[1], &last)) return false;
    out->first = first - lower;
    out->count = last >= first ? last - first + 1 : 0;
    if (out->count == 0) return true;
    return in_range(l, e->items[0], name, first, lower, extent)
        && in_range(l, e->items[1], name, last, lower, extent);
}

static bool count_indices(
    lowering *l, const ast_expr *e, const char *name, uint32_t rank)
{
    if (e->count <= rank) return true;
    fail_value(l, DIAG_E0204, e->span,
        "`%s` has %u dimension%s, but %u indices are given", name, rank,
        rank == 1 ? "" : "s", e->count);
    return false;
}

/* The window of a window. */
static value narrow(
    lowering *l, const value_array *a, const selection *pick, uint32_t picks)
{
    value_array *w = ARENA_NEW(&l->scratch, value_array);
    if (!w) return memory_error(l);
    *w = *a;
    w->rank = 0;
    w->count = 1;
    for (uint32_t d = 0; d < a->rank; d++) {
        bool is_picked = d < picks;
        if (is_picked) w->offset += pick[d].first * a->stride[d];
        if (is_picked && pick[d].is_single) continue;
        bool is_part = is_picked
            && (pick[d].first != 0 || pick[d].count != a->extent[d]);
        w->lower[w->rank] = is_part ? 1 : a->lower[d];
        w->extent[w->rank] = is_picked ? pick[d].count : a->extent[d];
        w->stride[w->rank] = a->stride[d];
        w->count *= (size_t)w->extent[w->rank];
        w->rank++;
    }
    return (value){.kind = VALUE_ARRAY, .array = w};
}

/* Items seen through a window of their own strides, copied out. */
static value gather(lowering *l, const value_array *a, const value_array *w)
{
    value r = array_make(l, w->rank, w->extent);
    if (!is_array(r)) return r;
    memcpy(r.array->lower, w->lower, sizeof w->lower);
    for (size_t k = 0; k < w->count; k++) {
        int64_t at = w->offset, rest = (int64_t)k;
        for (uint32_t d = w->rank; d-- > 0;) {
            at += rest % w->extent[d] * w->stride[d];
            rest /= w->extent[d];
        }
        r.array->items[k] = a->items[at];
    }
    return r;
}

static value pick_from(
    lowering *l, const value_array *a, const selection *pick, uint32_t picks)
{
    value_array strided = *a;
    if (a->items) {
        int64_t stride = 1;
        strided.offset = 0;
        for (uint32_t d = a->rank; d-- > 0;) {
            strided.stride[d] = stride;
            stride *= a->extent[d];
        }
    }
    value w = narrow(l, &strided, pick, picks);
    if (!is_array(w)) return w;
    if (w.array->rank == 0) {
        if (a->items) {
            return value_resolve(l, a->items[w.array->offset]);
        }
        return symbol_element(
            l, a->of, (size_t)w.array->offset, a->order, a->of->span);
    }
    return a->items ? gather(l, a, w.array) : w;
}

value array_index(lowering *l, const ast_expr *e, value base)
{
    if (base.kind == VALUE_ERROR) return base;
    if (!is_array(base)) {
        return fail_value(l, DIAG_E0203, e->span,
            "an index is given, but this is a number, not an array");
    }
    const value_array *a = base.array;
    const char *name = a->of ? word_text(l, a->of->name) : a->name;
    if (!name) name = "array";
    if (!count_indices(l, e, name, a->rank)) return value_error();
    selection pick[SYSTEM_MAX_RANK];
    for (uint32_t d = 0; d < e->count; d++) {
        if (!select_one(
                l, e->items[d], name, a->lower[d], a->extent[d], &pick[d])) {
            return value_error();
        }
    }
    return pick_from(l, a, pick, e->count);
}

value symbol_index(lowering *l, const ast_expr *e, symbol *s, unsigned order)
{
    if (!symbol_dims(l, s)) return value_error();
    const char *name = word_text(l, s->name);
    if (s->rank == 0) {
        value error = fail_value(l, DIAG_E0203, e->span,
            "`%s` is a single number and takes no index", name);
        report_also(l->ds, l->request->file->source, s->span, "declared here");
        return error;
    }
    if (!count_indices(l, e, name, s->rank)) return value_error();
    selection pick[SYSTEM_MAX_RANK];
    size_t flat = 0;
    bool is_single = e->count == s->rank;
    for (uint32_t d = 0; d < e->count; d++) {
        if (!select_one(
                l, e->items[d], name, s->lower[d], s->extent[d], &pick[d])) {
            return value_error();
        }
        is_single = is_single && pick[d].is_single;
        flat = flat * (size_t)s->extent[d] + (size_t)pick[d].first;
    }
    if (is_single) return symbol_element(l, s, flat, order, e->span);
    value w = array_window(l, s);
    if (!is_array(w)) return w;
    w.array->order = order;
    return pick_from(l, w.array, pick, e->count);
}
