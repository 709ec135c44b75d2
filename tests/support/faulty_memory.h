/* Memory that fails where a test says: the n-th call alone, or from the n-th
 * call on. One account holds what the library asks of its allocator and what
 * SuiteSparse asks of its hooks, so that KLU and UMFPACK fail too. The hooks
 * are the process's and carry no context: they lead to the memory that was
 * set up last. */
#ifndef SUPPORT_FAULTY_MEMORY_H
#define SUPPORT_FAULTY_MEMORY_H

#include <dae/memory.h>
#include <stdbool.h>
#include <stddef.h>

typedef enum memory_fault {
    MEMORY_FAILS_ONCE, /* a machine short of memory for a moment */
    MEMORY_FAILS_ON,   /* that call and all after it */
} memory_fault;

typedef struct faulty_memory {
    dae_allocator allocator;
    memory_fault fault;
    size_t fail_at;  /* the call that fails, from 0; SIZE_MAX: none does */
    size_t calls;    /* that allocate, since memory_arm */
    size_t failures; /* since memory_arm */
    size_t blocks;   /* allocated and not yet freed */
    size_t mistold;  /* blocks given back with another size than they have */
} faulty_memory;

/* Healthy memory, with SuiteSparse's hooks on it. */
void memory_init(faulty_memory *m);
/* From now on calls are counted, and call `fail_at` fails. */
void memory_arm(faulty_memory *m, memory_fault fault, size_t fail_at);
/* No further call fails. */
void memory_heal(faulty_memory *m);

/* Which of the `share` calls that begin with call block * share is to fail where
 * one of each so many does: by `text` another one, and in each block, so that no
 * call that comes back regularly is always passed over. */
size_t memory_choose(
    const char *text, memory_fault fault, size_t share, size_t block);

#endif
