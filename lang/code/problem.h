/* From rows to a dae_problem: slots, definitions in levels, the pattern over
 * slots, programs, start values.
 *
 * Definitions are evaluated level by level before whatever uses them. Their
 * Jacobian is chained: the gradient values of each definition are computed
 * once and multiplied into every entry that needs them, by a list of
 * (target, factor, factor). A definition of many unknowns that many equations
 * use would fill the matrix; it becomes a bordered row instead: an internal
 * algebraic unknown with the equation g(...) - v = 0, not counted, not tested
 * for error, not shown. So does one with an equation of its own (definition_own),
 * whatever that costs. */
#ifndef CODE_PROBLEM_H
#define CODE_PROBLEM_H

#include "code/program.h"
#include "ir/system.h"
#include <dae/diag.h>
#include <dae/problem.h>

typedef struct compiled compiled;
struct dae_singular;

/* `s` is borrowed and closed (system_close). Errors: E0301 where equations and
 * unknowns differ in number (with the counts and, where one can be named, an
 * unknown that occurs in no equation and an equation that contains no
 * unknown), E0216 where a condition or observation asks for a derivative of an
 * unknown beyond those in the equations. */
dae_status compiled_create(system_tables *s, double t0, dae_diagnostics *ds,
    compiled **out) DAE_MUST_CHECK;
/* The same; where E0301 or E0302 is the reason, *singular gets the facts, from
 * `allocator` (dae_singular_free). */
dae_status compiled_create_or_explain(system_tables *s, double t0,
    dae_diagnostics *ds, struct dae_singular **singular,
    const dae_allocator *allocator, compiled **out) DAE_MUST_CHECK;
void compiled_free(compiled *c);

/* Whether programs that are run often become machine code; not, before this call. */
void compiled_native(compiled *c, bool is_allowed);

/* The problem; its self is the compiled model. The model's own unknowns come
 * first, internal ones after them. */
const dae_problem *compiled_problem(const compiled *c);

/* Highest derivative order of an unknown, and where slot (unknown, order)
 * stands: *in_xp tells whether the index is into xp. */
unsigned compiled_order(const compiled *c, size_t unknown);
bool compiled_slot(const compiled *c, size_t unknown, unsigned order,
    size_t *index, bool *in_xp);

/* All observations at a point; `values` has observation_count doubles. */
dae_status compiled_observe(compiled *c, double t, const double *x,
    const double *xp, double *values) DAE_MUST_CHECK;
/* In extended precision. */
dae_status compiled_observe_long(compiled *c, dae_long t, const dae_long *x,
    const dae_long *xp, dae_long *values) DAE_MUST_CHECK;
/* Evaluates what initial(...) names and stores it in the params. */
dae_status compiled_set_start(
    compiled *c, double t, const double *x, const double *xp) DAE_MUST_CHECK;
/* After a change of param_inputs: values, start values, constant entries. */
dae_status compiled_params_changed(compiled *c) DAE_MUST_CHECK;

/* N0508 at the first equation or definition that switches; see
 * dae_model_note_switches. */
dae_status compiled_note_switches(
    compiled *c, dae_diagnostics *ds) DAE_MUST_CHECK;

/* `dae show --equations`, `--jacobian`, `--bytecode`. */
dae_status compiled_show_equations(
    const compiled *c, dae_write_fn *write, void *context) DAE_MUST_CHECK;
dae_status compiled_show_jacobian(
    const compiled *c, dae_write_fn *write, void *context) DAE_MUST_CHECK;
dae_status compiled_show_bytecode(
    const compiled *c, dae_write_fn *write, void *context) DAE_MUST_CHECK;

#endif
