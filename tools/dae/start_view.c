/* The user's unknowns and equations are the problem's first ones: what the
 * compiler made comes behind them. */
#include "start_view.h"
#include "check_names.h"
#include "memory.h"
#include <math.h>
#include <string.h>

/* ---- slots ------------------------------------------------------------------- */

/* The first slot of each of the problem's unknowns. */
static size_t *find_slots(const dae_problem *p)
{
    size_t *slots = memory_take(p->unknown_count + 1, sizeof *slots);
    if (!slots) return NULL;
    for (size_t i = 0; i < p->unknown_count; i++) {
        size_t q = p->order ? p->order[i] : 1;
        slots[i + 1] = slots[i] + (q > 1 ? q : 1);
    }
    return slots;
}

static size_t *find_reduced(const dae_problem *p, const dae_reduced_system *y)
{
    size_t *first = memory_take(p->unknown_count + 1, sizeof *first);
    if (!first) return NULL;
    for (size_t k = 0; k < y->slot_count; k++)
        first[y->slots[k].slot.unknown + 1] = k + 1;
    return first;
}

/* The slot of (x, xp) of a derivative of the problem's unknown i; SIZE_MAX:
 * the equations as they stand do not have it. */
static size_t place_of(const start_view *v, size_t i, int order)
{
    const dae_problem *p = dae_run_problem(v->run);
    const int highest = p->order ? p->order[i] : 1;
    const size_t slot = v->slots[i] + (size_t)order;
    if (slot < v->slots[i + 1]) return slot;
    return order == highest ? v->slots[p->unknown_count] + i : SIZE_MAX;
}

static size_t model_place(const start_view *v, size_t j, int order)
{
    const dae_run *r = v->run;
    if (order > dae_model_unknown_order(dae_run_model(r), j)) return SIZE_MAX;
    return place_of(v, j, order);
}

int start_view_order(const start_view *v, size_t j)
{
    const dae_run *r = v->run;
    int order = dae_model_unknown_order(dae_run_model(r), j);
    if (!v->reduced) return order;
    for (size_t k = v->first[j]; k < v->first[j + 1]; k++) {
        const dae_reduced_slot *s = &v->reduced->slots[k];
        if (s->role != DAE_ROLE_HELD && s->slot.order > order)
            order = s->slot.order;
    }
    return order;
}

double start_view_value(const start_view *v, size_t j, int order)
{
    const dae_run *r = v->run;
    if (order <= dae_model_unknown_order(dae_run_model(r), j))
        return dae_model_unknown_value(
            dae_run_model(r), j, order, dae_run_x(r), dae_run_xp(r));
    return v->reduced->slots[v->first[j] + (size_t)order].value;
}

static bool is_given(const start_view *v, size_t place)
{
    const dae_run *r = v->run;
    const size_t states = v->slots[dae_run_problem(r)->unknown_count];
    if (place < states)
        return dae_run_problem(r)->start->x_fixed
            && dae_run_problem(r)->start->x_fixed[place];
    return dae_run_problem(r)->start->xp_fixed
        && dae_run_problem(r)->start->xp_fixed[place - states];
}

bool start_view_is_condition(const start_view *v, size_t j, int order)
{
    const size_t place = model_place(v, j, order);
    return place != SIZE_MAX && is_given(v, place);
}

bool start_view_is_wanted(const start_view *v, size_t j, int order)
{
    const size_t place = model_place(v, j, order);
    return place != SIZE_MAX && v->is_wanted[place];
}

bool start_view_has_line(const start_view *v, size_t j, int order)
{
    const dae_run *r = v->run;
    const size_t place = model_place(v, j, order);
    const size_t states = v->slots[dae_run_problem(r)->unknown_count];
    if (place == SIZE_MAX || !dae_run_problem(r)->start->x_guessed)
        return false;
    const int stated = place < states
        ? dae_run_problem(r)->start->x_guessed[place]
        : dae_run_problem(r)->start->xp_guessed[place - states];
    return stated == DAE_GUESS_OWN;
}

double start_view_guess(const start_view *v, size_t j, int order)
{
    const dae_run *r = v->run;
    const size_t place = model_place(v, j, order);
    const size_t states = v->slots[dae_run_problem(r)->unknown_count];
    if (place == SIZE_MAX || is_given(v, place)) return (double)NAN;
    const double guess = place < states
        ? dae_run_problem(r)->start->x[place]
        : dae_run_problem(r)->start->xp[place - states];
    const bool is_own = fabs(guess) > 0
        || (order == 0
            && dae_model_unknown_given(dae_run_model(r), j) == DAE_GIVEN_GUESS);
    return is_own ? guess : (double)NAN;
}

/* ---- equations --------------------------------------------------------------- */

static size_t equation_count(const start_view *v)
{
    return v->reduced ? v->reduced->equation_count
                      : dae_run_problem(v->run)->unknown_count;
}

size_t start_view_row_count(const start_view *v)
{
    return equation_count(v) + dae_run_problem(v->run)->start->condition_count;
}

/* The equation of a row of the view's own. */
static size_t equation_of(const start_view *v, size_t row)
{
    return v->reduced ? (size_t)v->reduced->equations[row].equation : row;
}

/* Those of each equation together, as the system has them. */
static size_t *order_rows(const start_view *v)
{
    const dae_model *model = dae_run_model(v->run);
    const size_t n = dae_run_problem(v->run)->unknown_count,
                 count = equation_count(v);
    const size_t conditions = dae_run_problem(v->run)->start->condition_count;
    size_t *at = memory_take(count + conditions + 1, sizeof *at);
    size_t *begin = memory_take(n + 1, sizeof *begin);
    if (!at || !begin) return NULL;
    for (size_t i = 0; i < count; i++)
        begin[1 + dae_model_equation_position(model, equation_of(v, i))]++;
    for (size_t k = 0; k < n; k++) begin[k + 1] += begin[k];
    for (size_t i = 0; i < count; i++)
        at[begin[dae_model_equation_position(model, equation_of(v, i))]++] = i;
    for (size_t c = 0; c < conditions; c++)
        at[count + dae_model_condition_position(model, c)] = count + c;
    return at;
}

bool start_view_has_row(const start_view *v, size_t row)
{
    if (row >= equation_count(v)) return true;
    return equation_of(v, v->row_at[row])
        < dae_model_equation_count(dae_run_model(v->run));
}

double start_view_row(const start_view *v, size_t row, phrase *name)
{
    const check names = {.model = dae_run_model(v->run)};
    const size_t equations = equation_count(v);
    row = v->row_at[row];
    if (row >= equations) {
        const dae_party party = {
            .kind = DAE_PARTY_CONDITION, .index = (int32_t)(row - equations)};
        check_put_party(&names, &party, name);
        check_put_party_text(&names, &party, name);
        return v->conditions[row - equations];
    }
    if (!v->reduced) {
        check_put_equation(&names, row, 0, name);
        return v->equations[row];
    }
    const dae_reduced_equation *e = &v->reduced->equations[row];
    check_put_equation(&names, (size_t)e->equation, e->order, name);
    return e->residual;
}

/* What is left where a callback has no value is not a number. */
static dae_status take_residuals(start_view *v)
{
    const dae_run *r = v->run;
    const dae_problem *p = dae_run_problem(r);
    const size_t count = dae_run_problem(r)->start->condition_count;
    dae_status st = DAE_OK;
    v->conditions = memory_take(count + 1, sizeof *v->conditions);
    if (!v->conditions) return DAE_MEMORY;
    if (count)
        st = dae_run_problem(r)->start->condition_residual(p->self,
            dae_run_begin(r), dae_run_x(r), dae_run_xp(r), v->conditions);
    if ((st && st != DAE_RETRY) || v->reduced)
        return st == DAE_RETRY ? DAE_OK : st;
    v->equations = memory_take(p->unknown_count + 1, sizeof *v->equations);
    if (!v->equations) return DAE_MEMORY;
    st = p->residual(
        p->self, dae_run_begin(r), dae_run_x(r), dae_run_xp(r), v->equations);
    return st == DAE_RETRY ? DAE_OK : st;
}

/* ---- what is missing --------------------------------------------------------- */

/* The analysis knows which values can be given together. */
static dae_status find_wanted(start_view *v, session *s)
{
    const dae_run *r = v->run;
    const dae_problem *p = dae_run_problem(r);
    const size_t states = v->slots[p->unknown_count];
    v->is_wanted = memory_take(states + p->unknown_count + 1, 1);
    if (!v->is_wanted) return DAE_MEMORY;
    if (dae_solver_start_report(dae_run_solver(r))->degrees_missing == 0)
        return DAE_OK;
    const dae_status st = check_make(
        &s->check, v->run, false, &s->limits, NULL);
    if (st) return st;
    const dae_start_findings *f = &s->check.analysis->start;
    for (size_t k = 0; k < f->missing && k < f->could_fix_count; k++) {
        const dae_slot slot = f->could_fix[k];
        const size_t place = place_of(v, (size_t)slot.unknown, slot.order);
        if (place != SIZE_MAX) v->is_wanted[place] = 1;
    }
    return DAE_OK;
}

dae_status start_view_init(start_view *v, session *s)
{
    *v = (start_view){.run = s->run, .messages = &s->messages};
    dae_status st = dae_solver_reduced(dae_run_solver(s->run), &v->reduced);
    if (st) return st;
    v->slots = find_slots(dae_run_problem(s->run));
    if (!v->slots) return DAE_MEMORY;
    if (v->reduced) {
        v->first = find_reduced(dae_run_problem(s->run), v->reduced);
        if (!v->first) return DAE_MEMORY;
    }
    v->row_at = order_rows(v);
    if (!v->row_at) return DAE_MEMORY;
    if ((st = take_residuals(v))) return st;
    return s->args->as_dae ? find_wanted(v, s) : DAE_OK;
}

void start_view_clear(start_view *v)
{
    dae_reduced_system_free(v->reduced);
    *v = (start_view){.run = NULL};
}
