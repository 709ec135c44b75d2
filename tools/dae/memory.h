/* Memory of the command's own and of SuiteSparse's, counted by the same limits
 * as what the libraries take through their allocator. */
#ifndef COMMAND_MEMORY_H
#define COMMAND_MEMORY_H

#include "limits.h"
#include <dae/names.h>

/* Freed pages stay with the process, which asks for them again at once: given back
 * they cost a large model a tenth of its time, cleared anew each time. Blocks above
 * 32 MiB (malloc's bound) are given back. To be called first. */
void memory_keep_pages(void);
/* To be called after an allocation: what the heap has grown by gets large pages. A
 * run of 90 000 unknowns then meets 2300 page faults in place of 30 000. */
void memory_enlarge_pages(void);

/* From now on these functions, and SuiteSparse's process-wide hooks, which
 * carry no context, take from `l`, until memory_use_none. */
void memory_use(limits *l);
void memory_use_none(void);

/* As calloc, realloc and free do. Blocks may be freed under other limits than
 * they were taken under. */
void *memory_take(size_t count, size_t size);
void *memory_resize(void *block, size_t size);
void memory_drop(void *block);

/* The numbers of the first `count` of a kind in the order of the text, to be dropped. */
size_t *memory_text_order(
    const dae_problem *problem, dae_name_kind kind, size_t count);

#endif
