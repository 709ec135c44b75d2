#include "step/method.h"

#include "step/attempt.h"
#include "step/carry.h"
#include "step/select.h"

#include <assert.h>
#include <string.h>

enum { KEPT_MOST = 9 };

/* All of them are one block. */
static double **rows_of(arena *a, int count, size_t n, bool *is_fine)
{
    double **rows = ARENA_ARRAY(a, double *, (size_t)count + 1);
    size_t all;
    double *block = size_mul((size_t)count, n, &all)
        ? ARENA_ARRAY(a, double, all)
        : NULL;
    *is_fine = *is_fine && rows && block;
    for (int i = 0; *is_fine && i < count; i++) rows[i] = block + (size_t)i * n;
    return rows;
}

dae_status method_take_room(stepper *s, const formula *f, arena *a)
{
    const method_parts none = {.work = f->one_step ? ONE_STEP_WORK : 0};
    const method_parts *p = f->parts ? f->parts : &none;
    const size_t n = s->layout->states;
    method_memory *m = &s->memory;
    bool is_fine = true;
    assert(p->error_order <= SELECT_ORDER_MAX && p->kept <= KEPT_MOST);
    m->work = rows_of(a, p->work, n, &is_fine);
    m->kept = rows_of(a, p->kept, n, &is_fine);
    m->made = rows_of(a, p->kept, n, &is_fine);
    m->numbers = ARENA_ARRAY(a, double, (size_t)p->numbers + 1);
    m->made_numbers = ARENA_ARRAY(a, double, (size_t)p->numbers + 1);
    m->slope = ARENA_ARRAY(a, double, n);
    if (p->error_order > 0) m->error = ARENA_ARRAY(a, double, n);
    if (p->curve) m->end = ARENA_ARRAY(a, double, n);
    if (f->one_step) s->is_velocity = ARENA_ARRAY(a, uint8_t, n);
    return is_fine && m->numbers && m->made_numbers && m->slope
            && (m->error || p->error_order == 0) && (m->end || !p->curve)
            && (s->is_velocity || !f->one_step)
        ? DAE_OK
        : DAE_MEMORY;
}

dae_status method_init(stepper *s, arena *a)
{
    const formula *f = s->formula;
    if (!f->one_step && !f->parts) return DAE_OK;
    if (f->parts && f->parts->remainder > 0)
        s->newton->constant = f->parts->remainder;
    if (f->parts && f->parts->chain > 0)
        newton_chain(s->newton, f->parts->chain);
    return method_take_room(s, f, a);
}

/* An attempt that was stopped and is made again is as the first time. */
static bool has_failed(const tries *t)
{
    int any = 0;
    for (size_t k = 0; k < sizeof t->failures / sizeof *t->failures; k++)
        any |= t->failures[k];
    return any != 0;
}

transition method_transition(stepper *s)
{
    const history *hi = &s->history;
    const method_memory *m = &s->memory;
    point *p = &s->point;
    for (size_t i = 0; i < s->layout->states; i++)
        m->slope[i] = hi->phi[1][i] / hi->scale[1];
    if (m->error) memset(m->error, 0, s->layout->states * sizeof *m->error);
    transition change = {.layout = s->layout,
        .newton = s->newton,
        .task = {.t = p->t, .alpha = p->alpha, .h = s->h},
        .t = hi->t,
        .x = hi->phi[0],
        .slope = m->slope,
        .new_slope = p->slope,
        .work = m->work,
        .is_velocity = s->is_velocity,
        .kept = (const double *const *)m->kept,
        .made = m->made,
        .numbers = m->numbers,
        .made_numbers = m->made_numbers,
        .error = m->error,
        .asked_order = s->asked_order,
        .failures = s->tries.failures[FAILED_CONVERGENCE],
        .has_failed = has_failed(&s->tries)};
    if (s->formula->one_step) {
        const method_parts *own = s->formula->parts;
        change.order = s->formula->one_step->order;
        change.safety = own ? own->safety : 0;
        change.error_order = s->formula->parts ? s->formula->parts->error_order
                                               : 0;
    }
    change.task.x = p->x;
    change.task.xp = p->xp;
    change.task.d = p->d;
    change.task.weights = s->weights;
    return change;
}

static void keep(method_memory *m)
{
    double **rows = m->kept, *numbers = m->numbers;
    m->kept = m->made;
    m->made = rows;
    m->numbers = m->made_numbers;
    m->made_numbers = numbers;
}

void method_begin(stepper *s)
{
    const method_parts *p = s->formula->parts;
    s->memory.has_curve = s->memory.is_cut = false;
    if (!p || !p->begin) return;
    transition at = method_transition(s);
    at.slope = s->point.slope;
    p->begin(&at);
    keep(&s->memory);
}

/* A point that was given has made nothing: it is a start. */
void method_keep(stepper *s)
{
    method_memory *m = &s->memory;
    if (!s->formula->parts) return;
    m->has_curve = m->is_made;
    if (m->is_made) {
        keep(m);
        return;
    }
    attempt_fill_slopes(s->layout, &s->point);
    method_begin(s);
}

/* What is kept of new state i; whether that is of the last step. */
static bool carry_kept(
    stepper *to, const stepper *from, const carry_source *source, size_t i)
{
    const method_parts *p = to->formula->parts;
    const int32_t old = source->state[i];
    const int32_t slope = source->slope ? source->slope[i] : -1;
    double value[KEPT_MOST];
    if (old < 0 && (slope < 0 || !p->carry_slope || !from->memory.has_curve))
        return false;
    if (old < 0) {
        const curve_step step = method_curve_step(from);
        p->carry_slope(&step, (size_t)slope, value);
    }
    for (int k = 0; k < p->kept; k++)
        to->memory.kept[k][i] = old < 0 ? value[k] : from->memory.kept[k][old];
    return true;
}

/* The curve of the last step went with the states of that step; where something new
 * has none it is the machine's until the next one. */
void method_carry(stepper *to, const stepper *from, const carry_source *source)
{
    const method_parts *p = to->formula->parts;
    bool is_known = true;
    if (!p) return;
    attempt_fill_slopes(to->layout, &to->point);
    method_begin(to);
    for (size_t i = 0; i < to->layout->states; i++)
        is_known = carry_kept(to, from, source, i) && is_known;
    to->memory.has_curve = is_known && from->memory.has_curve
        && !from->memory.is_cut;
    /* a method with a curve goes by all of its past, or by none */
    if (p->numbers > 0 && (is_known || !p->curve))
        memcpy(to->memory.numbers, from->memory.numbers,
            (size_t)p->numbers * sizeof *to->memory.numbers);
}
