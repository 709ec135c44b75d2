/* What a mode violates is proposed: all of it is turned at once. For complementarity
 * (0 = min(i, v)) this ends in few steps as a rule; the systematic part is complete. */
#include "base/modes.h"
#include <assert.h>
#include <math.h>
#include <string.h>

/* Modes tried, and those for each switch. */
enum { TRIED_LEAST = 50, TRIED_PER_SWITCH = 10 };

dae_status modes_init(modes *m, size_t count, size_t most, arena *a)
{
    const size_t size = count + 1;
    *m = (modes){.count = count, .most = most, .fewest = SIZE_MAX};
    if (most == 0) m->most = TRIED_PER_SWITCH * count;
    if (most == 0 && m->most < TRIED_LEAST) m->most = TRIED_LEAST;
    m->tried = ARENA_ARRAY(a, uint8_t, size * (m->most + 1));
    m->mode = ARENA_ARRAY(a, uint8_t, size);
    m->proposal = ARENA_ARRAY(a, uint8_t, size);
    m->flipped = ARENA_ARRAY(a, size_t, size);
    return m->tried && m->mode && m->proposal && m->flipped ? DAE_OK
                                                            : DAE_MEMORY;
}

static void count_tried(modes *m)
{
    assert(m->tried_count <= m->most);
    memcpy(m->tried + m->tried_count++ * m->count, m->mode, m->count);
}

void modes_begin(modes *m, bool has_first)
{
    m->tried_count = m->distance = 0;
    m->has_proposal = false;
    memset(m->mode, 0, m->count);
    if (has_first) {
        count_tried(m);
        return;
    }
    memset(m->proposal, 0, m->count);
    m->has_proposal = true;
}

static bool has_been_tried(const modes *m, const uint8_t *mode)
{
    for (size_t k = 0; k < m->tried_count; k++)
        if (memcmp(m->tried + k * m->count, mode, m->count) == 0) return true;
    return false;
}

/* The next combination of m->distance switches, then the first of one more; false:
 * there is none. */
static bool advance(modes *m)
{
    const size_t d = m->distance;
    size_t k = d;
    while (k > 0 && m->flipped[k - 1] == m->count - d + k - 1) k--;
    if (k > 0) {
        m->flipped[k - 1]++;
        for (; k < d; k++) m->flipped[k] = m->flipped[k - 1] + 1;
        return true;
    }
    if (d == m->count) return false;
    m->distance++;
    for (size_t i = 0; i < m->distance; i++) m->flipped[i] = i;
    return true;
}

bool modes_next(modes *m)
{
    if (m->tried_count >= m->most) return false;
    const bool is_proposed = m->has_proposal && !has_been_tried(m, m->proposal);
    m->has_proposal = false;
    if (is_proposed) memcpy(m->mode, m->proposal, m->count);
    while (!is_proposed) {
        if (!advance(m)) return false;
        memset(m->mode, 0, m->count);
        for (size_t k = 0; k < m->distance; k++) m->mode[m->flipped[k]] = 1;
        if (!has_been_tried(m, m->mode)) break;
    }
    count_tried(m);
    return true;
}

bool modes_is_nearer(modes *m, size_t *first)
{
    size_t count = 0;
    for (size_t k = m->count; k-- > 0;) {
        if (m->proposal[k] == m->mode[k]) continue;
        count++;
        *first = k;
    }
    if (count == 0 || count >= m->fewest) return false;
    m->fewest = count;
    return true;
}

double modes_other_side(uint8_t kind, double side)
{
    switch ((dae_switch_kind)kind) {
    case DAE_SWITCH_BELOW:
    case DAE_SWITCH_NOT_ABOVE: return 1 - side;
    case DAE_SWITCH_SIGN: return side != 0 ? -side : (double)NAN;
    default: return (double)NAN;
    }
}
