/* Which of what is held the branches in force look at: dae_needed_fn of dae/events.h. */
#ifndef CODE_GUARDS_H
#define CODE_GUARDS_H

#include "code/compile.h"

dae_status guards_needed(void *self, int is_always, uint8_t *needed);

#endif
