#include "code/series_apply.h"
#include "code/series_choice.h"
#include "code/series_family.h"
#include "code/series_function.h"
#include "code/series_signal.h"

static void apply_function(const series_room *m, const node *n, const double *a,
    const double *b, double *out)
{
    const bool is_pair = node_arity((node_op)n->op) > 1;
    size_t count = series_known(m, a);
    bool is_constant = series_is_constant(m, a);
    if (is_pair) {
        count = series_least(count, series_known(m, b));
        is_constant = is_constant && series_is_constant(m, b);
    }
    double value = node_apply(n, a[0], is_pair ? b[0] : 0, 0);
    if (is_constant) {
        series_set(m, value, out);
        return;
    }
    out[0] = value;
    if (count > 1 && isfinite(value))
        count = node_is_family((node_op)n->op)
            ? series_family(m, n, a, count, out)
            : series_function(m, n, a, b, count, out);
    else if (count > 1) count = 1;
    series_close(m, (double)count, out);
}

void series_apply(const series_room *m, const node *n, const double *a,
    const double *b, const double *c, double *out)
{
    switch ((node_op)n->op) {
    case NODE_ADD: series_add(m, a, b, out); return;
    case NODE_SUB: series_sub(m, a, b, out); return;
    case NODE_MUL: series_mul(m, a, b, out); return;
    case NODE_DIV: series_div(m, a, b, out); return;
    case NODE_NEG: series_scale(m, a, -1, out); return;
    case NODE_POWI: series_power(m, a, n->exponent, out); return;
    default: break;
    }
    if (node_has_signal((node_op)n->op)) series_signal(m, n, a, b, out);
    else if (series_is_choice((node_op)n->op))
        series_choice(m, n, a, b, c, out);
    else apply_function(m, n, a, b, out);
}

const char *series_flaw(node_op op)
{
    switch (op) {
    case NODE_ABS:
    case NODE_MIN:
    case NODE_MAX:
    case NODE_HYPOT: return "has a kink here";
    case NODE_SIGN:
    case NODE_FLOOR:
    case NODE_CEIL:
    case NODE_MOD:
    case NODE_ATAN2: return "jumps here";
    case NODE_LT:
    case NODE_LE:
    case NODE_EQ:
    case NODE_NE:
    case NODE_AND:
    case NODE_OR:
    case NODE_NOT:
    case NODE_SELECT: return "switches here";
    case NODE_PIECE:
    case NODE_TABLE: return "has a knot here";
    case NODE_SQRT:
    case NODE_CBRT:
    case NODE_POW:
    case NODE_ASIN:
    case NODE_ACOS:
    case NODE_ACOSH: return "has no derivative of that order here";
    default: return NULL;
    }
}
