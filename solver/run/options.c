#include "run/options.h"

#include "base/report.h"
#include "methods/bdf.h"
#include "methods/bdf_flc.h"
#include "methods/euler.h"
#include "methods/leapfrog.h"
#include "methods/leapfrog_turning.h"
#include "methods/ndf.h"
#include "methods/rk4.h"
#include "methods/trapezoid.h"
#include "step/parts.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- methods ------------------------------------------------------------------------- */

/* Every method that the step machine knows. A method does not know its fellows; here
 * they meet. NULL after the last one. */
static const formula *method_at(size_t index)
{
    switch (index) {
    case 0: return bdf_formula();
    case 1: return bdf_flc_formula();
    case 2: return ndf_formula();
    case 3: return trapezoid_formula();
    case 4: return euler_linear_formula();
    case 5: return euler_formula();
    case 6: return symplectic_euler_formula();
    case 7: return verlet_formula();
    case 8: return leapfrog_1_formula();
    case 9: return leapfrog_2_formula();
    case 10: return leapfrog_3_formula();
    case 11: return rk4_formula();
    default: return NULL;
    }
}

/* NULL: there is none of this name. */
static const formula *find_method(const char *name)
{
    const formula *f;
    for (size_t i = 0; (f = method_at(i)); i++)
        if (strcmp(f->name, name) == 0) return f;
    return NULL;
}

dae_integrator dae_integrator_at(size_t index)
{
    const formula *f = method_at(index);
    if (!f) return (dae_integrator){.name = NULL};
    return (dae_integrator){.name = f->name,
        .formula = f->text,
        .max_order = f->max_order,
        .max_order_fixed = f->max_order_fixed};
}

/* ---- checks --------------------------------------------------------------------------- */

/* "a, b, c" as far as there is room. */
static void list_methods(char *text, size_t size)
{
    assert(size > 0);
    const formula *f;
    size_t used = 0;
    text[0] = '\0';
    for (size_t i = 0; (f = method_at(i)) && used < size; i++) {
        const int n = snprintf(
            text + used, size - used, "%s%s", i ? ", " : "", f->name);
        used += n > 0 ? (size_t)n : 0;
    }
}

static dae_status refuse_method(dae_diagnostics *ds, const char *name)
{
    char names[200];
    list_methods(names, sizeof names);
    report(ds, DIAG_E0505, NULL, (text_span){0, 0}, "there is no method `%s`",
        name);
    report_help(ds, "the methods are: %s", names);
    return DAE_UNSUPPORTED;
}

static dae_status refuse(
    dae_diagnostics *ds, const char *what, double value, const char *allowed)
{
    report(ds, DIAG_E0505, NULL, (text_span){0, 0}, "`%s` cannot be %g", what,
        value);
    report_help(ds, "%s", allowed);
    return DAE_ARGUMENT;
}

static dae_status check_tolerances(const dae_options *o, dae_diagnostics *ds)
{
    /* Below this every step is rounding; above it no digit is asked for. */
    if (!(o->rtol >= 10 * DBL_EPSILON && o->rtol < 1))
        return refuse(ds, "rtol", o->rtol, "choose 3e-15 <= rtol < 1");
    if (!(o->atol >= 0 && isfinite(o->atol)))
        return refuse(ds, "atol", o->atol, "choose a finite atol >= 0");
    return DAE_OK;
}

static dae_status check_steps(const dae_options *o, dae_diagnostics *ds)
{
    if (!(o->first_step >= 0 && isfinite(o->first_step)))
        return refuse(ds, "first_step", o->first_step, "0: chosen by itself");
    if (!(o->max_step >= 0))
        return refuse(ds, "max_step", o->max_step, "0: no limit");
    if (o->max_steps < 0)
        return refuse(ds, "max_steps", (double)o->max_steps, "0: 10^7 in all");
    if (!(o->step >= 0 && isfinite(o->step)))
        return refuse(ds, "step", o->step, "0: the error chooses");
    if (o->start < DAE_START_FINE || o->start > DAE_START_RAMP)
        return refuse(ds, "start", o->start, "choose fine, exact or ramp");
    if (!isfinite(o->t_end))
        return refuse(ds, "t_end", o->t_end, "choose a finite end");
    return DAE_OK;
}

static dae_status check_order(
    const dae_options *o, const formula *f, dae_diagnostics *ds)
{
    const bool is_fixed = o->step > 0;
    if (f->one_step && (is_fixed || method_estimates(f)))
        return DAE_OK; /* it has one */
    if (f->one_step) {
        report(ds, DIAG_E0505, NULL, (text_span){0, 0},
            "`%s` cannot choose its step: it has no estimate of its error",
            f->name);
        report_help(ds, "give the length of all steps: --step H");
        return DAE_ARGUMENT;
    }
    const int most = is_fixed ? f->max_order_fixed : f->max_order;
    if (o->max_order >= 0 && o->max_order <= most) return DAE_OK;
    report(ds, DIAG_E0505, NULL, (text_span){0, 0}, "`order` cannot be %d",
        o->max_order);
    report_help(ds, "`%s` has the orders 1 to %d%s", f->name, most,
        is_fixed || f->max_order_fixed == most ? ""
                                               : ", and more at fixed steps");
    return DAE_ARGUMENT;
}

/* What takes the caller's exact solution needs it. */
static dae_status check_start(const dae_options *o, dae_diagnostics *ds)
{
    if (!(o->step > 0) || o->start != DAE_START_EXACT || o->exact)
        return DAE_OK;
    report(ds, DIAG_E0505, NULL, (text_span){0, 0},
        "`start` cannot be exact without an exact solution");
    return DAE_ARGUMENT;
}

dae_status options_check(
    const dae_options *o, dae_diagnostics *ds, const formula **f)
{
    assert(o && f);
    dae_status st;
    *f = find_method(o->method ? o->method : "bdf");
    if (!*f) return refuse_method(ds, o->method);
    if ((st = check_tolerances(o, ds))) return st;
    if ((st = check_steps(o, ds))) return st;
    if (o->reduce < DAE_REDUCE_AUTO || o->reduce > DAE_REDUCE_NEVER)
        return refuse(ds, "reduce", o->reduce,
            "choose auto, project, stabilize or never");
    if (o->condense < DAE_CONDENSE_AUTO || o->condense > DAE_CONDENSE_NEVER)
        return refuse(ds, "condense", o->condense, "choose auto or never");
    if ((st = check_start(o, ds))) return st;
    return check_order(o, *f, ds);
}
