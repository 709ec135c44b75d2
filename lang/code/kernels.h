/* Rows into kernels, kernels into tasks.
 *
 * A kernel reads each hole from one space in all its rows, and writes each
 * result to one array; so the rows of a shape are parted by the spaces of
 * their holes, by what their partials write, and definitions by level. Parts
 * are in the order in which their first rows stand, rows in their own order.
 *
 * A result is stored where every row of it is the only one of its kernel and
 * the first of all that writes its target; otherwise it is added, and exactly
 * the targets that no store covers are cleared before. */
#ifndef CODE_KERNELS_H
#define CODE_KERNELS_H

#include "code/bytecode.h"
#include "code/compile.h"

typedef struct kernel_item {
    kernel kernel;
    kernel_output *outputs; /* the kernel's, not const */
} kernel_item;
typedef struct kernel_set {
    compiled *c;
    bool use_border; /* internal unknowns stand for their definitions */
    ARRAY(kernel_item) items;
} kernel_set;

/* Everything but the list itself lies in the scratch arena: mark before,
 * clear and release after. */
void kernels_clear(kernel_set *k);
/* Values of the definitions with `bit`. */
dae_status kernels_add_definitions(kernel_set *k, uint16_t bit) DAE_MUST_CHECK;
/* Values of rows, into OUT_MAIN. */
dae_status kernels_add_values(
    kernel_set *k, const row_sets *sets) DAE_MUST_CHECK;
/* Gradients of the definitions with `bit`, into OUT_JAC. */
dae_status kernels_add_definition_gradients(
    kernel_set *k, uint16_t bit) DAE_MUST_CHECK;
/* Gradients of equation-like rows: entries into OUT_MAIN, factors into
 * OUT_JAC; with DAE_VARYING only what varying entries need. */
dae_status kernels_add_gradients(kernel_set *k, const row_sets *sets,
    const jacobian *j, dae_scope scope) DAE_MUST_CHECK;

/* Further writers of targets after the program, and what the program need not
 * write at all. */
typedef struct task_request {
    size_t main_count;    /* of OUT_MAIN */
    bool clear_untouched; /* targets of OUT_MAIN that nothing writes */
    const chain_link *outer, *inner; /* add to OUT_MAIN, OUT_JAC */
    size_t outer_count, inner_count;
} task_request;
dae_status kernels_build(
    kernel_set *k, const task_request *request, task *out) DAE_MUST_CHECK;

void task_free(const dae_allocator *a, task *t);
/* Clears and runs; a task that was never built does nothing. `at` has the caller's
 * places and gets the program's own. */
void task_run(const task *t, double *at[AT_COUNT], void *scratch);
/* The same in parts, for several points: once, then for each with its places. */
void task_open(
    const task *t, uint32_t runs, double *at[AT_COUNT], void *scratch);
void task_repeat(const task *t, double *const at[AT_COUNT]);

#endif
