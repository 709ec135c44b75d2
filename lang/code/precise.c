/* The programs that make residual and observations run once more in another
 * arithmetic, over arrays of their own that the first call makes. */
#include "code/precise.h"
#include "code/long_run.h"

typedef struct precise {
    size_t size; /* of all numbers below, which are one block */
    dae_long *params, *held, *definitions, *scratch;
    dae_long *constants[2]; /* of the programs below */
    bool has_params;        /* they are those of the tables */
} precise;

enum { RESIDUAL, OBSERVATION };

static const task *task_of(const compiled *c, int which)
{
    return which == RESIDUAL ? &c->residual : &c->observation;
}

static size_t constant_count(const compiled *c, int which)
{
    const program *p = task_of(c, which)->program;
    return p ? long_run_constant_count(p) : 0;
}

static size_t scratch_count(const compiled *c)
{
    size_t most = 0;
    for (int which = RESIDUAL; which <= OBSERVATION; which++) {
        const program *p = task_of(c, which)->program;
        const size_t count = p ? long_run_scratch(p) : 0;
        if (count > most) most = count;
    }
    return most;
}

static bool count_all(const compiled *c, size_t *size)
{
    *size = c->s->param_values.count;
    return size_add(*size, c->held_count + 1, size)
        && size_add(*size, c->defs.count, size)
        && size_add(*size, scratch_count(c), size)
        && size_add(*size, constant_count(c, RESIDUAL), size)
        && size_add(*size, constant_count(c, OBSERVATION), size);
}

static dae_status make(compiled *c)
{
    size_t size;
    if (!count_all(c, &size)) return DAE_LIMIT;
    precise *e = alloc_zeroed(c->allocator, 1, sizeof *e);
    dae_long *all = alloc_zeroed(c->allocator, size, sizeof *all);
    if (!e || !all) {
        alloc_free(c->allocator, e, 1, sizeof *e);
        alloc_free(c->allocator, all, size, sizeof *all);
        return DAE_MEMORY;
    }
    e->size = size;
    e->params = all;
    e->held = e->params + c->s->param_values.count;
    e->definitions = e->held + c->held_count + 1;
    e->scratch = e->definitions + c->defs.count;
    e->constants[RESIDUAL] = e->scratch + scratch_count(c);
    e->constants[OBSERVATION] = e->constants[RESIDUAL]
        + constant_count(c, RESIDUAL);
    for (int which = RESIDUAL; which <= OBSERVATION; which++) {
        const program *p = task_of(c, which)->program;
        if (p) long_run_constants(p, e->constants[which]);
    }
    c->precise = e;
    return DAE_OK;
}

static void clear_targets(const task *what, dae_long *const *outs)
{
    for (int o = 0; o < OUT_COUNT; o++)
        for (size_t k = 0; k < what->clear[o].count; k++) {
            const index_range range = what->clear[o].items[k];
            for (uint32_t i = range.begin; i < range.end; i++) outs[o][i] = 0;
        }
}

static dae_status run(compiled *c, int which, dae_long t, const dae_long *x,
    const dae_long *xp, dae_long *values)
{
    dae_status st;
    const task *what = task_of(c, which);
    if (!what->program) return DAE_OK;
    if (!c->precise && (st = make(c))) return st;
    precise *e = c->precise;
    if (!e->has_params) system_params_long(c->s, e->params);
    e->has_params = true;
    for (size_t k = 0; k <= c->held_count; k++)
        e->held[k] = (dae_long)c->held[k];
    const long_places at = {
        .in = {[AT_X] = x,
            [AT_XP] = xp,
            [AT_PARAM] = e->params,
            [AT_DEF] = e->definitions,
            [AT_TIME] = &t,
            [AT_HELD] = e->held},
        .out = {[OUT_MAIN] = values, [OUT_DEF] = e->definitions},
        .constants = e->constants[which],
        .scratch = e->scratch,
    };
    clear_targets(what, at.out);
    long_run(what->program, &at);
    return DAE_OK;
}

dae_status precise_residual(void *self, dae_long t, const dae_long *x,
    const dae_long *xp, dae_long *res)
{
    return run(self, RESIDUAL, t, x, xp, res);
}

dae_status precise_observe(compiled *c, dae_long t, const dae_long *x,
    const dae_long *xp, dae_long *values)
{
    return run(c, OBSERVATION, t, x, xp, values);
}

void precise_forget_params(compiled *c)
{
    if (c->precise) c->precise->has_params = false;
}

void precise_free(compiled *c)
{
    precise *e = c->precise;
    if (!e) return;
    alloc_free(c->allocator, e->params, e->size, sizeof *e->params);
    alloc_free(c->allocator, e, 1, sizeof *e);
    c->precise = NULL;
}
