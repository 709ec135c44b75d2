#include "share.h"

#include <stdlib.h>

size_t test_share(void)
{
    const char *text = getenv("DAE_TEST_SHARE");
    const long share = text ? strtol(text, NULL, 10) : 1;
    return share > 1 ? (size_t)share : 1;
}

size_t test_shared(size_t count, size_t least)
{
    const size_t part = count / test_share();
    if (part >= least) return part;
    return least < count ? least : count;
}
