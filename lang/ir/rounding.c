/* Errors of operands move a result as far as trying says: that needs no rules
 * for operations, of which there are many. */
#include "ir/rounding.h"

#include "ir/collect.h"
#include <float.h>
#include <math.h>

static const double UNIT = DBL_EPSILON / 2;

static bool is_whole(double value)
{
    return fabs(value) < 1 / UNIT && value == (double)(int64_t)value;
}

double rounding_of_number(double value)
{
    return is_whole(value) ? 0 : UNIT * fabs(value);
}

/* Errors are tried so many times larger: what they move is then far above the
 * last digit of the result, and still small. */
static const double LARGER = 1 << 20;

/* How far an error of operand k moves `value`. */
static double moved_by(
    const node *n, const double v[3], double value, int k, double error)
{
    double most = 0;
    for (int sign = -1; sign <= 1; sign += 2) {
        double moved[3] = {v[0], v[1], v[2]};
        moved[k] += sign * LARGER * error;
        const double to = node_apply(n, moved[0], moved[1], moved[2]);
        if (isfinite(to)) most = fmax(most, fabs(to - value) / LARGER);
    }
    return most;
}

double rounding_of_node(const node *n, const double v[3], const double error[3])
{
    const double value = node_apply(n, v[0], v[1], v[2]);
    double sum = UNIT * fabs(value);
    bool is_exact = is_whole(value);
    for (int k = 0; k < node_arity((node_op)n->op); k++) {
        if (error[k] == 0) continue;
        is_exact = false;
        sum += moved_by(n, v, value, k, error[k]);
    }
    return is_exact ? 0 : sum;
}

/* What folding has noted of numbers; a param that was set since is as it is. */
static void take_noted(const system_tables *s, double *error)
{
    for (size_t k = 0; k < s->roundings.count; k++) {
        const noted_rounding *r = &s->roundings.items[k];
        if (r->node >= s->param_values.count) continue;
        if (s->param_values.items[r->node] == r->value)
            error[r->node] = r->error;
    }
}

void rounding_of_params(const system_tables *s, double *error)
{
    const double *value = s->param_values.items;
    for (size_t id = 0; id < s->param_values.count; id++)
        error[id] = rounding_of_number(value[id]);
    take_noted(s, error);
    for (size_t id = 0; id < s->param_values.count; id++) {
        const node *n = &s->params.nodes.items[id];
        double v[3] = {0, 0, 0}, e[3] = {0, 0, 0};
        if (n->op == NODE_CONST || n->op == NODE_HOLE) continue;
        for (int k = 0; k < node_arity((node_op)n->op); k++) {
            v[k] = value[node_operand(n, k)];
            e[k] = error[node_operand(n, k)];
        }
        error[id] = rounding_of_node(n, v, e);
    }
}
