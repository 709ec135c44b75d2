/* Errors of operands move a result as far as trying says, but for sums and products:
 * that needs no rules for operations, of which there are many. */
#include "ir/rounding.h"

#include "ir/collect.h"

static const double UNIT = DBL_EPSILON / 2;

double rounding_of_number(double value)
{
    return number_is_whole(value) ? 0 : UNIT * fabs(value);
}

/* Errors are tried so many times larger: what they move is then far above the
 * last digit of the result, and still small. */
static const double LARGER = 1 << 20;

/* How far an error of operand k moves `value`: in a sum or a product as their
 * slopes say, otherwise as trying says. */
static double moved_by(
    const node *n, const double v[3], double value, int k, double error)
{
    const bool is_sum = n->op == NODE_ADD || n->op == NODE_SUB;
    double most = 0;
    if (is_sum || n->op == NODE_MUL) {
        const double by = is_sum ? error : fabs(v[1 - k]) * error;
        return isfinite(by) ? by : 0;
    }
    for (int sign = -1; sign <= 1; sign += 2) {
        double moved[3] = {v[0], v[1], v[2]};
        moved[k] += sign * LARGER * error;
        const double to = node_apply(n, moved[0], moved[1], moved[2]);
        if (isfinite(to)) most = fmax(most, fabs(to - value) / LARGER);
    }
    return most;
}

double rounding_of_node(
    const node *n, const double v[3], const double error[3], double result)
{
    double sum = UNIT * fabs(result);
    bool is_exact = number_is_whole(result);
    for (int k = 0; k < node_arity((node_op)n->op); k++) {
        if (error[k] == 0) continue;
        is_exact = false;
        sum += moved_by(n, v, result, k, error[k]);
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
        error[id] = rounding_of_node(n, v, e, value[id]);
    }
}
