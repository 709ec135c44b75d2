/* The consistent start of a run. The text's unknowns and equations are the problem's first
 * ones: what the compiler made comes behind them. */
#include "base/arena.h"
#include <dae/reduction.h>
#include <dae/report.h>

#include <math.h>

struct dae_found_start {
    dae_run *run;
    dae_reduced_system *reduced; /* NULL: the index is not above 1 */
    arena memory;
    size_t *slots;      /* the problem's unknowns + 1: first slot in x */
    size_t *first;      /* likewise among those of `reduced` */
    uint8_t *is_wanted; /* slots of x, then xp: to be given as well */
    size_t *row_at;     /* equations, then conditions, as the text has them */
    double *conditions; /* residuals of the general conditions */
    double *equations;  /* of the problem's; NULL where it is reduced */
};

/* ---- slots ------------------------------------------------------------------- */

/* The first slot of each of the problem's unknowns. */
static dae_status find_slots(dae_found_start *f, const dae_problem *p)
{
    f->slots = ARENA_ARRAY(&f->memory, size_t, p->unknown_count + 1);
    for (size_t i = 0; f->slots && i < p->unknown_count; i++) {
        const size_t q = p->order ? p->order[i] : 1;
        f->slots[i + 1] = f->slots[i] + (q > 1 ? q : 1);
    }
    if (!f->slots || !f->reduced) return f->slots ? DAE_OK : DAE_MEMORY;
    f->first = ARENA_ARRAY(&f->memory, size_t, p->unknown_count + 1);
    for (size_t k = 0; f->first && k < f->reduced->slot_count; k++)
        f->first[f->reduced->slots[k].slot.unknown + 1] = k + 1;
    return f->first ? DAE_OK : DAE_MEMORY;
}

/* The slot of (x, xp) of a derivative of the problem's unknown i; SIZE_MAX:
 * the equations as they stand do not have it. */
static size_t place_of(const dae_found_start *f, size_t i, int order)
{
    const dae_problem *p = dae_run_problem(f->run);
    const int highest = p->order ? p->order[i] : 1;
    const size_t slot = f->slots[i] + (size_t)order;
    if (slot < f->slots[i + 1]) return slot;
    return order == highest ? f->slots[p->unknown_count] + i : SIZE_MAX;
}

int dae_found_order(const dae_found_start *f, size_t j)
{
    if (!f || j >= dae_model_unknown_count(dae_run_model(f->run))) return -1;
    int order = dae_model_unknown_order(dae_run_model(f->run), j);
    if (!f->reduced) return order;
    for (size_t k = f->first[j]; k < f->first[j + 1]; k++) {
        const dae_reduced_slot *s = &f->reduced->slots[k];
        if (s->role != DAE_ROLE_HELD && s->slot.order > order)
            order = s->slot.order;
    }
    return order;
}

double dae_found_value(const dae_found_start *f, size_t j, int order)
{
    if (order < 0 || order > dae_found_order(f, j)) return (double)NAN;
    const dae_run *r = f->run;
    if (order <= dae_model_unknown_order(dae_run_model(r), j))
        return dae_model_unknown_value(
            dae_run_model(r), j, order, dae_run_x(r), dae_run_xp(r));
    return f->reduced->slots[f->first[j] + (size_t)order].value;
}

/* The slot that the text may say something of; SIZE_MAX: none. */
static size_t model_place(const dae_found_start *f, size_t j, int order)
{
    if (order < 0 || order > dae_found_order(f, j)) return SIZE_MAX;
    if (order > dae_model_unknown_order(dae_run_model(f->run), j))
        return SIZE_MAX;
    return place_of(f, j, order);
}

static size_t state_count(const dae_found_start *f)
{
    return f->slots[dae_run_problem(f->run)->unknown_count];
}

static bool is_given(const dae_found_start *f, size_t place)
{
    const dae_start *s = dae_run_problem(f->run)->start;
    const size_t states = state_count(f);
    if (place < states) return s->x_fixed && s->x_fixed[place];
    return s->xp_fixed && s->xp_fixed[place - states];
}

static bool has_line(const dae_found_start *f, size_t place)
{
    const dae_start *s = dae_run_problem(f->run)->start;
    const size_t states = state_count(f);
    if (!s->x_guessed) return false;
    return (place < states ? s->x_guessed[place]
                           : s->xp_guessed[place - states])
        == DAE_GUESS_OWN;
}

unsigned dae_found_kind(const dae_found_start *f, size_t j, int order)
{
    const size_t place = model_place(f, j, order);
    if (place == SIZE_MAX) return 0;
    return (is_given(f, place) ? DAE_FOUND_CONDITION : 0u)
        | (f->is_wanted[place] ? DAE_FOUND_MISSING : 0u)
        | (has_line(f, place) ? DAE_FOUND_GUESSED : 0u);
}

double dae_found_guess(const dae_found_start *f, size_t j, int order)
{
    const size_t place = model_place(f, j, order);
    if (place == SIZE_MAX || is_given(f, place)) return (double)NAN;
    const dae_start *s = dae_run_problem(f->run)->start;
    const size_t states = state_count(f);
    const double guess = place < states ? s->x[place] : s->xp[place - states];
    const bool is_own = fabs(guess) > 0
        || (order == 0
            && dae_model_unknown_given(dae_run_model(f->run), j)
                == DAE_GIVEN_GUESS);
    return is_own ? guess : (double)NAN;
}

/* ---- equations --------------------------------------------------------------- */

static size_t equation_count(const dae_found_start *f)
{
    return f->reduced ? f->reduced->equation_count
                      : dae_run_problem(f->run)->unknown_count;
}

size_t dae_found_row_count(const dae_found_start *f)
{
    return f
        ? equation_count(f) + dae_run_problem(f->run)->start->condition_count
        : 0;
}

/* The equation of a row of the start's own. */
static size_t equation_of(const dae_found_start *f, size_t row)
{
    return f->reduced ? (size_t)f->reduced->equations[row].equation : row;
}

/* Those of each equation together, as the system has them. */
static dae_status order_rows(dae_found_start *f)
{
    const dae_model *model = dae_run_model(f->run);
    const dae_problem *p = dae_run_problem(f->run);
    const size_t n = p->unknown_count, count = equation_count(f);
    size_t *at = ARENA_ARRAY(&f->memory, size_t, dae_found_row_count(f));
    size_t *begin = ARENA_ARRAY(&f->memory, size_t, n + 1);
    if (!at || !begin) return DAE_MEMORY;
    for (size_t i = 0; i < count; i++)
        begin[1 + dae_model_equation_position(model, equation_of(f, i))]++;
    for (size_t k = 0; k < n; k++) begin[k + 1] += begin[k];
    for (size_t i = 0; i < count; i++)
        at[begin[dae_model_equation_position(model, equation_of(f, i))]++] = i;
    for (size_t c = 0; c < p->start->condition_count; c++)
        at[count + dae_model_condition_position(model, c)] = count + c;
    f->row_at = at;
    return DAE_OK;
}

dae_status dae_found_row_at(
    const dae_found_start *f, size_t k, dae_found_row *out)
{
    if (!out || k >= dae_found_row_count(f)) return DAE_ARGUMENT;
    const size_t equations = equation_count(f), row = f->row_at[k];
    *out = (dae_found_row){.party.kind = DAE_PARTY_CONDITION, .is_of_text = 1};
    if (row >= equations) {
        out->party.index = (int32_t)(row - equations);
        out->residual = f->conditions[row - equations];
        return DAE_OK;
    }
    const size_t i = equation_of(f, row);
    out->party.kind = DAE_PARTY_EQUATION;
    out->party.index = (int32_t)i;
    out->party.order = f->reduced ? f->reduced->equations[row].order : 0;
    out->residual = f->reduced ? f->reduced->equations[row].residual
                               : f->equations[row];
    out->is_of_text = i < dae_model_equation_count(dae_run_model(f->run));
    return DAE_OK;
}

/* What is left where a callback has no value is not a number. */
static dae_status take_residuals(dae_found_start *f)
{
    const dae_run *r = f->run;
    const dae_problem *p = dae_run_problem(r);
    const size_t count = p->start->condition_count;
    const double t = dae_run_begin(r);
    const double *x = dae_run_x(r), *xp = dae_run_xp(r);
    dae_status st = DAE_OK;
    f->conditions = ARENA_ARRAY(&f->memory, double, count);
    if (!f->conditions) return DAE_MEMORY;
    if (count)
        st = p->start->condition_residual(p->self, t, x, xp, f->conditions);
    if ((st && st != DAE_RETRY) || f->reduced)
        return st == DAE_RETRY ? DAE_OK : st;
    f->equations = ARENA_ARRAY(&f->memory, double, p->unknown_count);
    if (!f->equations) return DAE_MEMORY;
    st = p->residual(p->self, t, x, xp, f->equations);
    return st == DAE_RETRY ? DAE_OK : st;
}

/* ---- what is missing --------------------------------------------------------- */

/* The analysis knows which values can be given together. */
static dae_status find_wanted(dae_found_start *f, int finds_missing)
{
    const dae_problem *p = dae_run_problem(f->run);
    dae_analysis *a = NULL;
    f->is_wanted = ARENA_ARRAY(
        &f->memory, uint8_t, state_count(f) + p->unknown_count);
    if (!f->is_wanted) return DAE_MEMORY;
    if (!finds_missing
        || dae_solver_start_report(dae_run_solver(f->run))->degrees_missing
            == 0)
        return DAE_OK;
    const dae_status st = dae_run_analyse(f->run, 0, NULL, &a);
    const dae_start_findings *s = st ? NULL : &a->start;
    for (size_t k = 0; s && k < s->missing && k < s->could_fix_count; k++) {
        const dae_slot slot = s->could_fix[k];
        const size_t place = place_of(f, (size_t)slot.unknown, slot.order);
        if (place != SIZE_MAX) f->is_wanted[place] = 1;
    }
    dae_analysis_free(a);
    return st;
}

/* ---- life -------------------------------------------------------------------- */

dae_status dae_found_start_create(dae_run *run, int finds_missing,
    const dae_allocator *allocator, dae_found_start **out)
{
    if (out) *out = NULL;
    if (!out || !dae_run_has_start(run)
        || fabs(dae_run_time(run) - dae_run_begin(run)) > 0)
        return DAE_ARGUMENT;
    const dae_allocator *a = alloc_or_default(allocator);
    dae_found_start *f = alloc_zeroed(a, 1, sizeof *f);
    if (!f) return DAE_MEMORY;
    f->run = run;
    arena_init(&f->memory, a, 0);
    dae_status st = dae_solver_reduced(dae_run_solver(run), &f->reduced);
    if (!st) st = find_slots(f, dae_run_problem(run));
    if (!st) st = order_rows(f);
    if (!st) st = take_residuals(f);
    if (!st) st = find_wanted(f, finds_missing);
    if (st) dae_found_start_free(f);
    else *out = f;
    return st;
}

void dae_found_start_free(dae_found_start *f)
{
    if (!f) return;
    const dae_allocator *a = f->memory.allocator;
    dae_reduced_system_free(f->reduced);
    arena_clear(&f->memory);
    alloc_free(a, f, 1, sizeof *f);
}
