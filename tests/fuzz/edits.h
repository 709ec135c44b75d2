/* Damage to a program, as bytes: a program's number, a seed for the values it
 * reads, then records of EDIT_SIZE bytes:
 *     what    a field of an item, or a length
 *     how     set, add, flip, copy from another item, swap items
 *     item    2 bytes
 *     value   4 bytes
 * Every record means something, so that a fuzzer's bytes are not wasted. */
#ifndef FUZZ_EDITS_H
#define FUZZ_EDITS_H

#include "code/bytecode.h"

#define EDIT_HEAD 2
#define EDIT_SIZE 8
#define EDIT_LIMIT 64 /* records read of one input */

/* A copy whose arrays have just their size; NULL without memory. */
program *program_copy(const program *from);
void program_drop(program *p);
void program_edit(program *p, const uint8_t record[EDIT_SIZE]);

#endif
