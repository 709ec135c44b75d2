/* Block code over few rows as scalar code (private to native.c): every instruction
 * once for each row, columns put in. */
#ifndef CODE_NATIVE_ROWS_H
#define CODE_NATIVE_ROWS_H

#include "code/bytecode.h"

/* Instructions of the section's rows; 0: it is no block code or stays what it is. */
size_t native_rows_count(const program *p, const section *s);
/* Writes them, and returns how many there are: no more than that. Registers lie where the block
 * has them. `marks`: of OUT_MAIN, then OUT_JAC, 0 before and after. */
size_t native_rows_write(
    const program *p, const section *s, uint8_t *marks, scalar_ins *to);

/* Instructions that need the program's own copy of them (vm_scalar_rare). */
bool native_is_rare(unsigned op, uint32_t b);

#endif
