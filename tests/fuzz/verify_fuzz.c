/* A valid program, damaged: either the verifier refuses it, or running it
 * stays inside its arrays, writes none that it only reads, and reads nothing
 * that it has not written. Undamaged it is accepted, and gives the same bits
 * at every width of vectors. */
#include "edits.h"
#include "harness.h"
#include "programs.h"
#include "support/random.h"
#include <stdlib.h>
#include <string.h>

/* More takes too long, or too much, to be run here. */
#define RUN_ROWS 4096
#define RUN_SCRATCH ((size_t)1 << 22)

/* The arrays of a run, each of just its size. */
typedef struct arrays {
    double *spaces[SPACE_COUNT], *outs[OUT_COUNT];
    program_sizes sizes;
} arrays;

static double *filled(size_t count, random_state *r)
{
    double *values = harness_numbers(count);
    for (size_t k = 0; k < count; k++) values[k] = 3 * random_unit(r);
    return values;
}

static void arrays_make(arrays *a, const program *p, uint8_t seed)
{
    random_state r = {seed + UINT64_C(0x9E3779B97F4A7C15)};
    a->sizes = p->sizes;
    /* definitions are one array, read and written */
    size_t *read = &a->sizes.space[SPACE_DEF], *write = &a->sizes.out[OUT_DEF];
    if (*read < *write) *read = *write;
    *write = 0;
    for (int k = 0; k < SPACE_COUNT; k++)
        a->spaces[k] = filled(a->sizes.space[k], &r);
    for (int k = 0; k < OUT_COUNT; k++)
        a->outs[k] = k == OUT_DEF ? a->spaces[SPACE_DEF]
                                  : filled(a->sizes.out[k], &r);
}

static void arrays_free(arrays *a)
{
    for (int k = 0; k < SPACE_COUNT; k++) free(a->spaces[k]);
    for (int k = 0; k < OUT_COUNT; k++)
        if (k != OUT_DEF) free(a->outs[k]);
}

static bool are_same(const double *a, const double *b, size_t count)
{
    return count == 0 || memcmp(a, b, count * sizeof *a) == 0;
}

static void compare_written(const arrays *a, const arrays *b, const char *what)
{
    bool same = are_same(
        a->spaces[SPACE_DEF], b->spaces[SPACE_DEF], a->sizes.space[SPACE_DEF]);
    for (int k = 0; k < OUT_COUNT; k++)
        same = same && are_same(a->outs[k], b->outs[k], a->sizes.out[k]);
    harness_require(same, what);
}

static void compare_read(const arrays *a, const arrays *b)
{
    for (int k = 0; k < SPACE_COUNT; k++)
        harness_require(k == SPACE_DEF
                || are_same(a->spaces[k], b->spaces[k], a->sizes.space[k]),
            "what a program reads is not written");
}

/* Scratch of just the promised size that begins with the same rubbish. */
static void run_with(const program *p, arrays *a, uint8_t rubbish)
{
    size_t size = program_scratch(p);
    void *scratch = malloc(size + !size);
    if (!scratch) abort();
    memset(scratch, rubbish, size);
    program_run(p, (const double *const *)a->spaces, a->outs, scratch);
    free(scratch);
}

static bool is_small(const program *p)
{
    size_t rows = 0;
    for (size_t k = 0; k < p->sections.count; k++) {
        const section *s = &p->sections.items[k];
        if (s->is_block && s->rows > RUN_ROWS) return false;
        rows += s->rows;
    }
    return rows <= 4 * RUN_ROWS && program_scratch(p) <= RUN_SCRATCH;
}

static void run_twice(const program *p, uint8_t seed)
{
    arrays before, first, second;
    if (!is_small(p)) return;
    arrays_make(&before, p, seed);
    arrays_make(&first, p, seed);
    arrays_make(&second, p, seed);
    run_with(p, &first, 0);
    run_with(p, &second, 0xFF);
    compare_written(&first, &second, "nothing is read before it is written");
    compare_read(&before, &first);
    arrays_free(&before);
    arrays_free(&first);
    arrays_free(&second);
}

static void compare_lanes(program *p, uint8_t seed)
{
    arrays one, many;
    unsigned widest = p->lanes;
    arrays_make(&one, p, seed);
    p->lanes = 1;
    run_with(p, &one, 0);
    for (p->lanes = widest; p->lanes > 1; p->lanes /= 2) {
        arrays_make(&many, p, seed);
        run_with(p, &many, 0);
        compare_written(&one, &many, "every width gives the same bits");
        arrays_free(&many);
    }
    p->lanes = widest;
    arrays_free(&one);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < EDIT_HEAD) return 0;
    const program *valid = programs_get(data[0]);
    program *p = valid ? program_copy(valid) : NULL;
    if (!p) return 0;
    size_t count = (size - EDIT_HEAD) / EDIT_SIZE;
    if (count > EDIT_LIMIT) count = EDIT_LIMIT;
    for (size_t k = 0; k < count; k++)
        program_edit(p, data + EDIT_HEAD + k * EDIT_SIZE);
    dae_status st = program_verify(p);
    harness_require(count > 0 || !st, "a valid program is accepted");
    if (!st) run_twice(p, data[1]);
    if (count == 0) compare_lanes(p, data[1]);
    program_drop(p);
    return 0;
}
