/* Memory of the command's own, counted by the same limits as what the libraries take
 * through their allocator. It is given back together: a block lives until the session,
 * or a pass that has set a mark, ends; what is large is dropped before. Where there is
 * none left that is noted here, once for all who would have told something. */
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
/* The first `length` bytes of a text, ended. */
char *memory_copy(const char *text, size_t length);
/* Makes room for one more of `size` bytes behind `count` of them in a list, whose address
 * is at `list`; false: it is as it was. */
bool memory_grow(void *list, size_t count, size_t *room, size_t size);
/* The numbers of the first `count` of a kind in the order of the text. */
size_t *memory_text_order(
    const dae_problem *problem, dae_name_kind kind, size_t count);

/* Room for the next name. */
dae_name_buffer *memory_name(void);

/* Everything taken since the mark is given back; 0: everything, and no loss is known. */
size_t memory_mark(void);
void memory_release(size_t mark);

/* A block or a name could not be had, since the last memory_found: something is missing
 * in what is told. A status that says so itself needs no other message. */
bool memory_was_lost(void);
void memory_found(void);
/* The status of a library about something to be told: one that is none of success is
 * such a loss. Whether it is one. */
bool memory_sufficed(dae_status st);

#endif
