/* Names by open addressing with linear probing; the table is at most half
 * full. The hash is FNV-1a with a final mix; only the order of first
 * appearance is ever visible. */
#include "base/intern.h"
#include <string.h>

void intern_init(intern_table *t, arena *texts)
{
    memset(t, 0, sizeof *t);
    t->arena = texts;
    t->allocator = texts->allocator;
}

void intern_clear(intern_table *t)
{
    ARRAY_FREE(t->allocator, &t->names);
    alloc_free(t->allocator, t->slots, t->slot_count, sizeof *t->slots);
    t->slots = NULL;
    t->slot_count = 0;
}

static uint32_t hash_text(const char *text, size_t length)
{
    uint32_t h = 2166136261u;
    for (size_t i = 0; i < length; i++)
        h = (h ^ (unsigned char)text[i]) * 16777619u;
    h ^= h >> 15;
    h *= 0x2c1b3c6du;
    return h ^ (h >> 12);
}

/* The slot that holds the text, or the empty one where it would go. */
static size_t find_slot(
    const intern_table *t, const char *text, size_t length, uint32_t hash)
{
    size_t mask = t->slot_count - 1, s = hash & mask;
    for (;; s = (s + 1) & mask) {
        if (t->slots[s] == 0) return s;
        const intern_entry *e = &t->names.items[t->slots[s] - 1];
        if (e->hash == hash && e->length == length
            && memcmp(e->text, text, length) == 0)
            return s;
    }
}

static bool grow_slots(intern_table *t)
{
    size_t count = t->slot_count ? t->slot_count * 2 : 64;
    uint32_t *slots = alloc_zeroed(t->allocator, count, sizeof *slots);
    if (!slots) return false;
    alloc_free(t->allocator, t->slots, t->slot_count, sizeof *t->slots);
    t->slots = slots;
    t->slot_count = count;
    for (size_t id = 0; id < t->names.count; id++) {
        size_t s = t->names.items[id].hash & (count - 1);
        while (slots[s]) s = (s + 1) & (count - 1);
        slots[s] = (uint32_t)id + 1;
    }
    return true;
}

uint32_t intern_find(const intern_table *t, const char *text, size_t length)
{
    if (t->slot_count == 0) return INTERN_NONE;
    uint32_t id = t->slots[find_slot(t, text, length, hash_text(text, length))];
    return id ? id - 1 : INTERN_NONE;
}

uint32_t intern_add(intern_table *t, const char *text, size_t length)
{
    if (length >= UINT32_MAX || t->names.count >= INTERN_NONE - 1)
        return INTERN_NONE;
    uint32_t hash = hash_text(text, length);
    if (t->slot_count) {
        uint32_t id = t->slots[find_slot(t, text, length, hash)];
        if (id) return id - 1;
    }
    if (t->names.count >= t->slot_count / 2 && !grow_slots(t))
        return INTERN_NONE;
    if (!ARRAY_RESERVE(t->allocator, &t->names, 1)) return INTERN_NONE;
    char *copy = arena_copy(t->arena, text, length);
    if (!copy) return INTERN_NONE;
    uint32_t id = (uint32_t)t->names.count++;
    t->names.items[id] = (intern_entry){copy, (uint32_t)length, hash};
    t->slots[find_slot(t, text, length, hash)] = id + 1;
    return id;
}

const char *intern_text(const intern_table *t, uint32_t id)
{
    return t->names.items[id].text;
}

/* Longer names are not compared: nobody mistypes sixty letters into one that
 * is worth suggesting, and the rows below live on the stack. */
enum { NAME_LONGEST = 64 };

/* The code points of a text, or -1 where there are too many. Bytes that are
 * not UTF-8 stand for themselves: only equality matters here. */
static int decode(const char *text, uint32_t *points)
{
    int count = 0;
    for (const unsigned char *p = (const unsigned char *)text; *p;) {
        if (count == NAME_LONGEST) return -1;
        uint32_t c = *p++;
        if (c >= 0xC0)
            while ((*p & 0xC0) == 0x80 && c < 0x1000000) c = c << 8 | *p++;
        points[count++] = c;
    }
    return count;
}

static int min3(int a, int b, int c)
{
    int m = a < b ? a : b;
    return m < c ? m : c;
}

/* Insertions, deletions, substitutions and swaps of neighbours that turn `a`
 * into `b`; limit + 1 as soon as it is known to be more than `limit`. */
static int edit_distance(
    const uint32_t *a, int na, const uint32_t *b, int nb, int limit)
{
    int rows[3][NAME_LONGEST + 1];
    int *before = rows[0], *last = rows[1], *row = rows[2];
    for (int j = 0; j <= nb; j++) before[j] = last[j] = j;
    for (int i = 1; i <= na; i++) {
        int least = row[0] = i;
        for (int j = 1; j <= nb; j++) {
            int d = min3(last[j] + 1, row[j - 1] + 1,
                last[j - 1] + (a[i - 1] != b[j - 1]));
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]
                && before[j - 2] + 1 < d)
                d = before[j - 2] + 1;
            row[j] = d;
            if (d < least) least = d;
        }
        if (least > limit) return limit + 1;
        int *spare = before;
        before = last;
        last = row;
        row = spare;
    }
    return last[nb];
}

const char *nearest_name(
    const char *text, const char *const *names, size_t count)
{
    uint32_t a[NAME_LONGEST], b[NAME_LONGEST];
    int na = decode(text, a);
    if (na <= 0) return NULL;
    int limit = na / 3 > 1 ? na / 3 : 1;
    const char *best = NULL;
    for (size_t i = 0; i < count && limit >= 0; i++) {
        int nb = names[i] ? decode(names[i], b) : -1;
        if (nb < na - limit || nb > na + limit) continue;
        int d = edit_distance(a, na, b, nb, limit);
        /* at least one letter must be common: `y` is not near `x` */
        if (d > limit || d >= (na > nb ? na : nb)) continue;
        best = names[i];
        limit = d - 1;
    }
    return best;
}
