/* Mutations of the target `verify` by whole records (edits.h), with the values
 * that bounds are made of. */
#include "edits.h"
#include "mutator.h"
#include "support/random.h"
#include <string.h>

static uint32_t choose_value(random_state *r)
{
    static const uint32_t values[] = {0, 1, 2, 3, 7, 8, 9, 63, 64, 65, 127, 128,
        129, 255, 256, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFE, 0xFFFFFFFF};
    size_t count = sizeof values / sizeof *values;
    size_t at = random_below(r, 3 * count);
    if (at < count) return values[at];
    if (at < 2 * count) return (uint32_t)random_below(r, 32);
    return (uint32_t)random_next(r);
}

static void make_record(random_state *r, uint8_t *record)
{
    uint32_t value = choose_value(r);
    record[0] = (uint8_t)random_below(r, 256);
    record[1] = (uint8_t)random_below(r, 256);
    record[2] = (uint8_t)random_below(r, 256);
    record[3] = (uint8_t)(random_below(r, 4) ? 0 : random_below(r, 4));
    for (int k = 0; k < 4; k++) record[4 + k] = (uint8_t)(value >> 8 * k);
}

/* A change of one part of a record. */
static void change_record(random_state *r, uint8_t *record)
{
    uint8_t other[EDIT_SIZE];
    make_record(r, other);
    switch (random_below(r, 5)) {
    case 0: record[0] = other[0]; break;
    case 1: record[1] = other[1]; break;
    case 2: record[2] = (uint8_t)(record[2] + 1); break;
    case 3: record[2] = other[2]; break;
    default: memcpy(record + 4, other + 4, 4); break;
    }
}

size_t LLVMFuzzerCustomMutator(
    uint8_t *data, size_t size, size_t limit, unsigned seed)
{
    random_state r = seeded(seed);
    if (size < EDIT_HEAD || random_below(&r, 8) == 0)
        return LLVMFuzzerMutate(data, size, limit);
    size_t count = (size - EDIT_HEAD) / EDIT_SIZE;
    uint8_t *at = data + EDIT_HEAD
        + (count ? random_below(&r, count) : 0) * EDIT_SIZE;
    size_t whole = EDIT_HEAD + count * EDIT_SIZE;
    size_t choice = random_below(&r, 8);
    if (choice == 0) {
        data[0] = (uint8_t)random_below(&r, 64);
        return size;
    }
    if (choice == 1 && count) {
        memmove(at, at + EDIT_SIZE, (size_t)(data + whole - at) - EDIT_SIZE);
        return whole - EDIT_SIZE;
    }
    if (choice < 5 && count) {
        change_record(&r, at);
        return size;
    }
    if (whole + EDIT_SIZE > limit || count >= EDIT_LIMIT) return size;
    make_record(&r, data + whole);
    return whole + EDIT_SIZE;
}

/* The first records of one, the last of the other. */
size_t LLVMFuzzerCustomCrossOver(const uint8_t *a, size_t a_size,
    const uint8_t *b, size_t b_size, uint8_t *out, size_t limit, unsigned seed)
{
    random_state r = seeded(seed);
    if (a_size < EDIT_HEAD || b_size < EDIT_HEAD) return 0;
    size_t first = random_below(&r, (a_size - EDIT_HEAD) / EDIT_SIZE + 1);
    size_t from = random_below(&r, (b_size - EDIT_HEAD) / EDIT_SIZE + 1);
    size_t head = EDIT_HEAD + first * EDIT_SIZE;
    size_t skip = EDIT_HEAD + from * EDIT_SIZE;
    if (head > limit) return 0;
    size_t rest = b_size - skip < limit - head ? b_size - skip : limit - head;
    memcpy(out, a, head);
    memcpy(out + head, b + skip, rest);
    return head + rest;
}
