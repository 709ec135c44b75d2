/* Interned names: equal texts have equal ids, ids count from 0 in the order
 * of first appearance, so nothing depends on a hash's order. */
#ifndef BASE_INTERN_H
#define BASE_INTERN_H

#include "base/arena.h"

#define INTERN_NONE UINT32_MAX

typedef struct intern_entry {
    const char *text; /* NUL-terminated */
    uint32_t length, hash;
} intern_entry;
typedef struct intern_table {
    arena *arena; /* holds the texts */
    const dae_allocator *allocator;
    ARRAY(intern_entry) names;
    uint32_t *slots; /* open addressing, ids + 1 */
    size_t slot_count;
} intern_table;

void intern_init(intern_table *t, arena *texts);
void intern_clear(intern_table *t);
/* The id of a text, made where it is new; INTERN_NONE without memory. */
uint32_t intern_add(intern_table *t, const char *text, size_t length);
/* The id of a text, or INTERN_NONE. */
uint32_t intern_find(const intern_table *t, const char *text, size_t length);
const char *intern_text(const intern_table *t, uint32_t id);

/* The nearest of `count` names to `text` for a message ("did you mean"), by
 * edit distance over code points, at most a third of its length and at least
 * one edit allowed; NULL where none is near. Ties go to the first. */
const char *nearest_name(
    const char *text, const char *const *names, size_t count);

#endif
