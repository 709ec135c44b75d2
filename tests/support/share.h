/* How much of its repetitions a test makes. */
#ifndef SUPPORT_SHARE_H
#define SUPPORT_SHARE_H

#include <stddef.h>

/* One of this many: the environment's DAE_TEST_SHARE, 1 (all of them) where it
 * is not set. tools/test sets it where the same work costs most. */
size_t test_share(void);

/* `count` repetitions divided by the share, but not fewer than `least`. */
size_t test_shared(size_t count, size_t least);

#endif
