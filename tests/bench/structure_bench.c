/* How long the structure of a large system takes and what memory: families
 * with a known answer, which is compared, and random systems in one block,
 * whose answer is proved. Rows and columns are permuted. Times are the
 * processor's; the last three figures are seconds, MiB of the analysis and its
 * input, and the growth of the time from a tenth of the size. Nothing here
 * fails a build.
 *
 *     structure_bench [unknowns] [family] */
#include "signatures.h"
#include "structure_proof.h"
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

#define REPEATS 3 /* the least time counts */

/* Of this processor: what else runs on the machine is not counted. */
static double now(void)
{
    return (double)clock() / CLOCKS_PER_SEC;
}

/* ---- memory that is counted --------------------------------------------------- */

typedef struct account {
    size_t live, peak;
} account;

static void *resize_counted(
    void *context, void *block, size_t old_size, size_t size)
{
    account *a = context;
    const dae_allocator *libc = dae_allocator_default();
    void *to = libc->resize(libc->context, block, old_size, size);
    if (size > 0 && !to) return NULL;
    a->live += size - (block ? old_size : 0);
    if (a->peak < a->live) a->peak = a->live;
    return to;
}

/* ---- one system ----------------------------------------------------------------- */

typedef struct figures {
    size_t unknowns, coarse_count, fine_count;
    int64_t index, degrees_of_freedom;
    double seconds;
    double mebibytes;  /* of the analysis and its input */
    const char *wrong; /* NULL: nothing */
} figures;

static void measure(figures *f, const made_signature *m,
    const signature_family *family, size_t parts)
{
    account memory = {0};
    const dae_allocator counted = {resize_counted, &memory};
    dae_structure *found = NULL;
    for (int k = 0; k < REPEATS; k++) {
        dae_structure_free(found);
        const double begin = now();
        if (dae_structure_analyse(&m->s, NULL, &counted, &found)) exit(1);
        const double seconds = now() - begin;
        if (k == 0 || f->seconds > seconds) f->seconds = seconds;
    }
    const size_t entries = (size_t)m->start[m->s.columns];
    const size_t input = m->s.columns * sizeof *m->start
        + entries * (sizeof *m->row + sizeof *m->order);
    f->mebibytes = (double)(memory.peak + input) / 1048576;
    f->unknowns = found->n;
    f->coarse_count = found->coarse_count;
    f->fine_count = found->fine_count;
    f->index = found->index;
    f->degrees_of_freedom = found->degrees_of_freedom;
    f->wrong = family ? signature_wrong(family, parts, found) : NULL;
    if (!f->wrong) f->wrong = structure_wrong(&m->s, found);
    dae_structure_free(found);
}

/* The bars are for a million unknowns. */
static void print_line(
    const char *name, const figures *f, double growth, bool has_bars)
{
    const bool holds = f->seconds < 10 && f->mebibytes < 2048 && growth < 15;
    printf("%-16s %8zu %9lld %9lld %8zu %8zu %7.2f %7.0f %7.1f  %s%s%s\n", name,
        f->unknowns, (long long)f->index, (long long)f->degrees_of_freedom,
        f->coarse_count, f->fine_count, f->seconds, f->mebibytes, growth,
        f->wrong ? "wrong: " : "right", f->wrong ? f->wrong : "",
        !has_bars   ? ""
            : holds ? ", holds"
                    : ", DOES NOT HOLD");
    fflush(stdout);
}

/* ---- what is measured ------------------------------------------------------------ */

/* Random systems: further entries per row, the highest order. */
typedef struct mixture {
    const char *name;
    size_t more, highest;
} mixture;

/* A tenth of the size: their time is that of many rounds of matching. */
static const mixture mixtures[] = {
    {"random, 0..1", 2, 1},
    {"random, 0..2", 2, 2},
};
enum { MIXTURES = sizeof mixtures / sizeof *mixtures };

typedef struct subject {
    const char *name;
    const signature_family *family; /* NULL: a mixture */
    const mixture *mixture;
} subject;

static figures run(const subject *s, size_t n)
{
    random_state r = {12345};
    made_signature m;
    figures f = {0};
    size_t parts = 0;
    const bool is_made = s->family
        ? signature_member(&m, s->family, n, &r, &parts)
        : signature_random(&m, &r, n, s->mixture->more, s->mixture->highest);
    if (!is_made) exit(1);
    measure(&f, &m, s->family, parts);
    signature_drop(&m);
    return f;
}

static void show(const subject *s, size_t n)
{
    const figures small = run(s, n / 10);
    figures large = run(s, n);
    if (!large.wrong) large.wrong = small.wrong;
    print_line(
        s->name, &large, large.seconds / small.seconds, s->family != NULL);
}

int main(int argc, char **argv)
{
    const size_t n = argc > 1 ? strtoull(argv[1], NULL, 10) : 1000000;
    const char *only = argc > 2 ? argv[2] : NULL;
#ifdef __GLIBC__
    /* Each run begins with memory that was never touched, as the one run of a
     * program does; else small sizes would find theirs in the caches. */
    (void)mallopt(M_MMAP_THRESHOLD, 128 * 1024);
#endif
    printf("%-16s %8s %9s %9s %8s %8s %7s %7s %7s\n", "", "n", "index", "dof",
        "coarse", "fine", "s < 10", "< 2048", "< 15");
    for (size_t k = 0; k < SIGNATURE_FAMILIES + MIXTURES; k++) {
        const bool is_family = k < SIGNATURE_FAMILIES;
        const signature_family *f = is_family ? &signature_families[k] : NULL;
        const mixture *x = is_family ? NULL : &mixtures[k - SIGNATURE_FAMILIES];
        const subject s = {f ? f->name : x->name, f, x};
        if (!only || strcmp(only, s.name) == 0)
            show(&s, is_family ? n : n / 10);
    }
    return 0;
}
