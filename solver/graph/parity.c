/* By cycles: each of even length turns the sign. */
#include "graph/parity.h"
#include <string.h>

int permutation_sign(size_t n, const int32_t *order, uint8_t *seen)
{
    int sign = 1;
    if (n > 0) memset(seen, 0, n);
    for (size_t i = 0; i < n; i++) {
        size_t length = 0;
        for (size_t j = i; !seen[j]; j = (size_t)order[j]) {
            seen[j] = 1;
            length++;
        }
        if (length > 0 && length % 2 == 0) sign = -sign;
    }
    return sign;
}
