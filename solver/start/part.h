/* Some rows and some free slots of the start's equations. */
#ifndef START_PART_H
#define START_PART_H

#include "start/system.h"

typedef struct part {
    int32_t *rows, *slots; /* ascending */
    size_t row_count, slot_count;
} part;

#endif
