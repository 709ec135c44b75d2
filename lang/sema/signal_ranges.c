/* Whether a run stays within the rows of the signals that refuse to go on: what
 * can be known of that before it begins. */
#include "sema/tables.h"

#include <math.h>

/* At how many times an argument is looked at; of a straight line two do. */
enum { LOOKS = 64 };

/* Definitions that an argument goes through, one inside the other. */
enum { DEPTH_MOST = 100 };

typedef struct look {
    lowering *l;
    const uint32_t *holes;
    double t;
    int depth;
    dae_status *failed;
} look;

static double leaf_value(
    void *context, leaf_kind kind, uint32_t number, unsigned order);

/* A `let` of one number. */
static double definition_value(const look *w, uint32_t number)
{
    const system_tables *s = w->l->s;
    const definition *d = &s->definitions.items[number];
    double result = (double)NAN;
    if (d->row_count != 1 || w->depth >= DEPTH_MOST) return result;
    const row_ref at = s->row_refs.items[d->first_row];
    const row_list *list = &s->groups[GROUP_DEFINITION].lists.items[at.list];
    const size_t stride = 1 + (size_t)list->hole_count;
    look inner = *w;
    inner.holes = &list->data.items[at.row * stride] + 1;
    inner.depth++;
    const dae_status st = shape_eval(
        &s->shapes, list->root, leaf_value, &inner, NULL, &result);
    if (st) *w->failed = st;
    return st ? (double)NAN : result;
}

static double leaf_value(
    void *context, leaf_kind kind, uint32_t number, unsigned order)
{
    const look *w = context;
    if (kind == LEAF_TIME) return w->t;
    if (kind == LEAF_PARAM && order == 0)
        return w->l->s->param_values.items[w->holes[number]];
    if (kind == LEAF_DEFINITION && order == 0)
        return definition_value(w, w->holes[number]);
    return (double)NAN; /* not worked out here */
}

static bool is_outside(const table_range *r, double at)
{
    const double slack = 1e-12 * (r->high - r->low);
    return at < r->low - slack || at > r->high + slack;
}

/* Refuses an argument that leaves the rows; what is not known now passes. */
static dae_status check_argument(
    lowering *l, const table_range *r, double from, double to)
{
    dae_status failed = DAE_OK;
    look w = {.l = l, .holes = r->holes, .failed = &failed};
    const text_span span = r->at->span;
    for (int k = 0; k <= LOOKS; k++) {
        double at;
        /* the ends first */
        const int place = k == 0 ? 0 : k == 1 ? LOOKS : k - 1;
        w.t = place == LOOKS ? to : from + (to - from) * place / LOOKS;
        const dae_status st = shape_eval(
            &l->s->shapes, r->root, leaf_value, &w, NULL, &at);
        if (st || failed) return st ? st : failed;
        if (!is_outside(r, at)) continue;
        fail_value(l, DIAG_E0231, r->span,
            "`%s` has rows for `%.40s` from %.12g to %.12g, but `%.*s` is "
            "%.12g "
            "at %s = %.12g",
            r->file, r->column, r->low, r->high, (int)(span.end - span.begin),
            l->source->text + span.begin, at, l->out->settings.independent,
            w.t);
        report_help(
            l->ds, "say how it goes on: extrapolate = \"hold\" or \"linear\"");
        return DAE_OK;
    }
    return DAE_OK;
}

static void check_interval(
    lowering *l, const table_range *r, double from, double to)
{
    const bool is_late = is_outside(r, fmax(from, to));
    if (!is_late && !is_outside(r, fmin(from, to))) return;
    fail_value(l, DIAG_E0231, r->span,
        "`%s` has rows for `%.40s` from %.12g to %.12g, but %s goes from "
        "%.12g to %.12g",
        r->file, r->column, r->low, r->high, l->out->settings.independent, from,
        to);
    if (is_late && !is_outside(r, fmin(from, to)))
        report_help(l->ds,
            "end the run at %.12g, or say how it goes on: extrapolate = "
            "\"hold\" or \"linear\"",
            r->high);
    else
        report_help(
            l->ds, "say how it goes on: extrapolate = \"hold\" or \"linear\"");
}

dae_status signals_check(lowering *l)
{
    const dae_settings *s = &l->out->settings;
    dae_status st = system_params_update(l->s);
    if (!s->has_solve && !l->request->has_end) return st;
    const double end = l->request->has_end ? l->request->end : s->t1;
    for (size_t k = 0; k < l->ranges.count && !st; k++) {
        const table_range *r = &l->ranges.items[k];
        if (r->at) st = check_argument(l, r, s->t0, end);
        else check_interval(l, r, s->t0, end);
    }
    return st;
}
