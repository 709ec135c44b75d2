/* Programs as machine code (private to this folder): an optional second back end
 * for scalar code, on x86-64 systems with mmap. The interpreter (vm_scalar.c) is the
 * reference: every value is the same to the last bit, but for which NaN a
 * NaN is. Where there is no machine code the interpreter runs, and nothing else
 * changes: no memory for it, another processor, an instruction that is not known.
 *
 * A program that is run often is translated once; runs are counted, no time is
 * taken. Memory is written first and made executable then, never both. */
#ifndef CODE_NATIVE_H
#define CODE_NATIVE_H

#include "code/bytecode.h"

/* From now on the program's runs are counted, or (not allowed) it stays as it is. */
void native_allow(program *p, bool is_allowed);
/* Translates. Not while the program is run by another thread. Nothing changes where
 * that fails. */
void native_make(program *p);
void native_free(program *p);

#endif
