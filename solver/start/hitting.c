/* Branch and bound over the members of a set that is not met yet, the smallest
 * one first. A member that was branched on is not taken again beside it, so no
 * set is seen twice. */
#include "start/hitting.h"

/* Places in the tree that are looked at. */
enum { PLACES = 20000 };

typedef struct place {
    uint64_t chosen, banned; /* members in, and out, of all sets below */
    uint64_t branches;       /* members still to be taken here */
} place;

int hitting_size(uint64_t set)
{
    int count = 0;
    for (; set; set &= set - 1) count++;
    return count;
}

bool hitting_is_before(uint64_t set, uint64_t other)
{
    const int size = hitting_size(set), others = hitting_size(other);
    const uint64_t apart = set ^ other;
    if (size != others) return size < others;
    return (set & apart & (~apart + 1)) != 0;
}

/* What is still to be done at a place: *branches is the smallest set that is
 * not met, less what is banned; returns how many members more it takes at
 * least, as many as there are sets without common members. */
static int need(
    const uint64_t *sets, size_t count, const place *at, uint64_t *branches)
{
    uint64_t used = 0;
    int least = 0, fewest = HITTING_MEMBERS + 1;
    *branches = 0;
    for (size_t k = 0; k < count; k++) {
        if (sets[k] & at->chosen) continue;
        const uint64_t left = sets[k] & ~at->banned;
        const int size = hitting_size(left);
        if (size < fewest) {
            fewest = size;
            *branches = left;
        }
        if (left & used) continue;
        used |= left;
        least++;
    }
    return least;
}

/* Where to go on below a place; false: nothing better is there. */
static bool open(const uint64_t *sets, size_t count, place *at, uint64_t *least)
{
    const int more = need(sets, count, at, &at->branches);
    const int size = hitting_size(at->chosen);
    if (more == 0 && hitting_is_before(at->chosen, *least)) *least = at->chosen;
    return more > 0 && at->branches && size + more <= hitting_size(*least);
}

bool hitting_find(const uint64_t *sets, size_t count, uint64_t *least)
{
    place stack[HITTING_MEMBERS + 1] = {{.chosen = 0}};
    int depth = 0;
    if (!open(sets, count, &stack[0], least)) return true;
    for (int seen = 0; depth >= 0; seen++) {
        place *at = &stack[depth];
        if (seen == PLACES) return false;
        if (!at->branches) {
            depth--;
            continue;
        }
        const uint64_t next = at->branches & (~at->branches + 1);
        at->branches &= ~next;
        stack[depth + 1] = (place){
            .chosen = at->chosen | next, .banned = at->banned};
        at->banned |= next;
        if (open(sets, count, &stack[depth + 1], least)) depth++;
    }
    return true;
}
