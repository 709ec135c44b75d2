#include "run_make.h"
#include <math.h>

static dae_status set_numbers(dae_run *r, const args *a)
{
    const double none = (double)NAN;
    const bool has_step = a->step > 0 && a->command != COMMAND_STABILITY;
    const struct {
        const char *name;
        double value;
    } given[] = {{"from", a->from}, {"to", a->to}, {"rtol", a->rtol},
        {"atol", a->atol}, {"first-step", a->first_step},
        {"max-step", a->max_step}, {"every", a->every},
        {"step", has_step ? a->step : none},
        {"max-steps", a->max_steps ? (double)a->max_steps : none},
        {"points", a->points ? (double)a->points : none},
        {"order", a->order ? a->order : none},
        {"homotopy", a->homotopy ? 1 : none}, {"strict", a->strict ? 1 : none},
        {"all-steps", a->all_steps ? 1 : none}};
    dae_status st = DAE_OK;
    for (size_t k = 0; !st && k < sizeof given / sizeof *given; k++)
        st = dae_run_set_number(r, given[k].name, given[k].value);
    return st;
}

static dae_status set_words(dae_run *r, const args *a)
{
    static const char *const starts[] = {"fine", "exact", "ramp"};
    static const char *const linear[] = {
        "auto", "dense", "klu", "umfpack", "list", "direct", "gmres"};
    static const char *const reduce[] = {
        "auto", "project", "stabilize", "never"};
    static const char *const condense[] = {"auto", "never"};
    static const char *const error[] = {NULL, "local", "global"};
    dae_status st = dae_run_set_word(r, "method", a->method);
    if (!st) st = dae_run_set_word(r, "start", starts[a->start]);
    if (!st && a->has_linear)
        st = dae_run_set_word(r, "linear", linear[a->linear]);
    if (!st) st = dae_run_set_word(r, "reduce", reduce[a->reduce]);
    if (!st) st = dae_run_set_word(r, "condense", condense[a->condense]);
    return st ? st : dae_run_set_word(r, "error", error[a->error]);
}

static dae_status set_atols(dae_run *r, const args *a, messages *m)
{
    dae_status st = DAE_OK;
    for (size_t k = 0; !st && k < a->atols.count; k++) {
        const dae_override *o = &a->atols.items[k];
        double value;
        if (!parse_number(o->value, &value) || value < 0) {
            messages_add(m, "E0505", DAE_ERROR, NULL, NULL,
                "--atol %s wants a number", o->name);
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
    if (!st) st = set_numbers(*out, a);
    if (!st) st = set_words(*out, a);
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
        messages_add(m, "E0505", DAE_ERROR, NULL, NULL,
            "--at %.10g is outside of the interval from %.10g to %.10g (--to "
            "makes it longer)",
            at, t0, t1);
        return DAE_ARGUMENT;
    }
    if (!st) st = dae_run_set_number(r, "to", fabs(at - t0) > 0 ? at : t0 + 1);
    return st ? st : dae_run_prepare(r, DAE_RUN_UNWATCHED);
}

dae_status run_make(dae_run **out, const args *a, limits *l, messages *m,
    dae_model *model, double factor)
{
    const unsigned solves = COMMAND_RUN | COMMAND_TEST | COMMAND_ORDERS;
    const unsigned flags = DAE_RUN_UNWATCHED
        | (a->command & solves ? 0 : DAE_RUN_START_ALONE);
    dae_status st = run_set_up(out, a, l, m, model);
    if (!st) st = dae_run_scale_tolerances(*out, factor);
    if (!st) st = dae_run_prepare(*out, flags);
    if (!st && a->command == COMMAND_STABILITY) st = end_at_place(*out, a, m);
    return st;
}
