/* Runs programs in the arithmetic of power series: every value, in memory and
 * in registers, is terms + 1 doubles; params, constants and what is held are
 * plain numbers. */
#ifndef CODE_SERIES_RUN_H
#define CODE_SERIES_RUN_H

#include "code/bytecode.h"
#include "code/series_core.h"

/* What an instruction does: `inner`, then `outer` where there is one. */
typedef struct series_operation {
    uint8_t inner, outer; /* node_op; NODE_CONST: none */
    bool is_from;         /* outer's first operand is c */
} series_operation;
extern const series_operation series_operations[OP_COUNT];

/* One instruction of a program, with its number k: the result is in a
 * temporary, or is the operand itself. All temporaries but those of operands. */
const double *series_execute(const series_room *m, const program *p,
    unsigned op, uint32_t k, const double *const operand[3]);

/* Series of scratch that a run needs. */
size_t series_run_scratch(const program *p);
/* `at`: arrays of series, those of the definitions twice (AT_DEF and
 * AT_OUT_DEF), those of params and of what is held of plain numbers;
 * at[AT_SLOT] is scratch, the others beyond AT_JAC are not used. All
 * temporaries. */
void series_run(
    const series_room *m, const program *p, double *const at[AT_COUNT]);

#endif
