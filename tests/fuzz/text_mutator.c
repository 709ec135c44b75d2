/* Mutations of a model's text that know its tokens and its grammar: half of
 * them mostly leave a model that compiles, so that the later stages get
 * something to do; others leave a text that at least looks like one.
 * libFuzzer's own mutations take their turn. */
#include "mutation.h"
#include "mutator.h"
#include <string.h>

static void split(mutation *m)
{
    m->count = pieces_split(m->text, m->size, m->pieces, MUTATION_PIECES);
}

/* Another text: a small model, and lines that go well with it. */
static void start_again(mutation *m)
{
    m->size = m->count = 0;
    for (size_t k = mutation_below(m, 4) + 1; k > 0; k--) {
        char symbol = m->size ? GROW_MORE : GROW_MODEL;
        size_t length = mutation_grow(m, symbol);
        mutation_replace(m, m->size, m->size, m->snippet, length);
        split(m);
    }
}

size_t LLVMFuzzerCustomMutator(
    uint8_t *data, size_t size, size_t limit, unsigned seed)
{
    mutation m;
    m.random = seeded(seed);
    m.text = data;
    m.size = size;
    m.limit = limit;
    size_t choice = mutation_below(&m, 8);
    if (choice == 0) return LLVMFuzzerMutate(data, size, limit);
    split(&m);
    if (choice == 1 || m.count == 0) start_again(&m);
    size_t times = mutation_below(&m, 2) ? 1 : 1 + mutation_below(&m, 4);
    for (; times > 0 && m.count; times--) {
        if (choice < 6) mutate_gentle(&m);
        else mutate_rough(&m);
        split(&m);
    }
    return m.size ? m.size : LLVMFuzzerMutate(data, size, limit);
}

/* The line that holds byte `at`: up to its beginning. */
static size_t line_begin(const uint8_t *text, size_t at)
{
    while (at > 0 && text[at - 1] != '\n') at--;
    return at;
}

/* Lines of one, then lines of the other. Seldom: two models declare the same
 * names. */
size_t LLVMFuzzerCustomCrossOver(const uint8_t *a, size_t a_size,
    const uint8_t *b, size_t b_size, uint8_t *out, size_t limit, unsigned seed)
{
    random_state r = seeded(seed);
    if (random_below(&r, 8)) return 0;
    size_t head = line_begin(a, random_below(&r, a_size + 1));
    size_t from = line_begin(b, random_below(&r, b_size + 1));
    size_t to = from + random_below(&r, b_size - from + 1);
    size_t tail = random_below(&r, 2) ? a_size - head : 0;
    if (head > limit) head = limit;
    if (to - from > limit - head) to = from + (limit - head);
    if (tail > limit - head - (to - from)) tail = limit - head - (to - from);
    if (head) memcpy(out, a, head);
    if (to > from) memcpy(out + head, b + from, to - from);
    if (tail) memcpy(out + head + (to - from), a + head, tail);
    return head + (to - from) + tail;
}
