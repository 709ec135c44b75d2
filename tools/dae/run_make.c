#include "run_make.h"
#include "options.h"
#include <math.h>
#include <string.h>

/* The number that an option was given; NaN: it was not, or has none. */
static double number_of(const args *a, const option *o)
{
    const void *at = (const char *)a + o->where;
    switch (o->kind) {
    case OPTION_NUMBER:
    case OPTION_POSITIVE:
    case OPTION_NOT_NEGATIVE: return *(const double *)at;
    case OPTION_COUNT:
        return *(const int64_t *)at ? (double)*(const int64_t *)at
                                    : (double)NAN;
    case OPTION_FLAG: return *(const bool *)at ? 1 : (double)NAN;
    case OPTION_ATOL: return a->atol;
    case OPTION_ORDER: return a->order ? a->order : (double)NAN;
    default: return (double)NAN;
    }
}

/* Options of the command that are settings of runs have their names. --step of `dae
 * stability` is about something else. */
static dae_status set_all(dae_run *r, const args *a)
{
    dae_setting known;
    dae_status st = DAE_OK;
    for (size_t i = 0; !st && i < option_count; i++) {
        const option *o = &options[i];
        const char *name = o->name + strspn(o->name, "-");
        if (!(o->commands & a->command) || dae_run_setting(r, name, &known))
            continue;
        if (a->command == COMMAND_STABILITY && strcmp(name, "step") == 0)
            continue;
        if (!known.word) st = dae_run_set_number(r, name, number_of(a, o));
        else
            st = dae_run_set_word(r, name,
                o->kind == OPTION_METHOD
                    ? a->method
                    : *(const char *const *)((const char *)a + o->where));
    }
    return st;
}

static dae_status set_atols(dae_run *r, const args *a, messages *m)
{
    dae_status st = DAE_OK;
    for (size_t k = 0; !st && k < a->atols.count; k++) {
        const dae_override *o = &a->atols.items[k];
        double value;
        if (!parse_number(o->value, &value) || value < 0) {
            messages_add(m, "E0505", "--atol %s wants a number", o->name);
            return DAE_ARGUMENT;
        }
        st = dae_run_set_atol(r, o->name, value);
    }
    return st;
}

dae_status run_set_up(
    dae_run **out, const args *a, limits *l, messages *m, dae_model *model)
{
    dae_status st = dae_run_create(model, &l->allocator, m->library, out);
    if (st) return st;
    dae_run_call_settings(*out, "--");
    dae_run_on_interrupt(*out, limits_stop, l);
    st = dae_run_keep(*out, NULL);
    if (!st) st = set_all(*out, a);
    return st ? st : set_atols(*out, a, m);
}

/* A run up to one place in the interval; to its start, where that is all. */
static dae_status end_at_place(dae_run *r, const args *a, messages *m)
{
    const double t0 = dae_run_begin(r), t1 = dae_run_end(r);
    const double at = isnan(a->at) ? t0 : a->at;
    dae_setting to;
    dae_status st = dae_run_setting(r, "to", &to);
    if (!st && !isnan(to.number) && (at - t0) * (at - t1) > 0) {
        messages_add(m, "E0505",
            "--at %.10g is outside of the interval from %.10g to %.10g (--to "
            "makes it longer)",
            at, t0, t1);
        return DAE_ARGUMENT;
    }
    if (!st) st = dae_run_set_number(r, "to", fabs(at - t0) > 0 ? at : t0 + 1);
    return st ? st : dae_run_prepare(r, DAE_RUN_UNWATCHED);
}

dae_status run_make(
    dae_run **out, const args *a, limits *l, messages *m, dae_model *model)
{
    const unsigned flags = DAE_RUN_UNWATCHED
        | (a->command == COMMAND_ORDERS ? 0 : DAE_RUN_START_ALONE);
    dae_status st = run_set_up(out, a, l, m, model);
    if (!st) st = dae_run_prepare(*out, flags);
    if (!st && a->command == COMMAND_STABILITY) st = end_at_place(*out, a, m);
    return st;
}
