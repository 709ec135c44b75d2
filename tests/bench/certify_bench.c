/* How long the certificates of a large model take, and what memory beside the
 * model's own: its signature with honest zeros, its structure, its blocks at
 * generic points and at the start. Times are the processor's. Nothing here
 * fails a build.
 *
 *     certify_bench [model] [n] */
#include "index/block_regularity.h"
#include <dae/model.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef struct account {
    size_t live, peak;
} account;

static void *resize_counted(
    void *context, void *block, size_t old_size, size_t size)
{
    account *a = context;
    void *to = NULL;
    if (size > 0 && !(to = realloc(block, size))) return NULL;
    if (size == 0) free(block);
    a->live += size - (block ? old_size : 0);
    if (a->peak < a->live) a->peak = a->live;
    return to;
}

static double now(void)
{
    return (double)clock() / CLOCKS_PER_SEC;
}

static void tell(const char *what, double *since, account *memory)
{
    const double at = now();
    printf("%-12s %8.3f s %8.1f MiB\n", what, at - *since,
        (double)memory->peak / 1048576);
    *since = at;
    memory->peak = memory->live;
}

static void count(const dae_certificate *certificates, size_t blocks)
{
    size_t counts[4] = {0};
    for (size_t f = 0; f < blocks; f++) counts[certificates[f]]++;
    printf("%zu blocks: %zu certified, %zu not, %zu singular here, %zu "
           "singular\n",
        blocks, counts[DAE_CERTIFIED], counts[DAE_NOT_CERTIFIED],
        counts[DAE_SINGULAR_HERE], counts[DAE_SINGULAR]);
}

static int measure(const dae_problem *p)
{
    account memory = {0};
    const dae_allocator counted = {resize_counted, &memory};
    layout l;
    signature *g = NULL;
    dae_structure *s = NULL;
    dae_certificate *certificates = NULL;
    double since = now();
    int failed = 1;
    if (layout_init(&l, p, &counted)) return 1;
    if (signature_create(p, &l, &counted, &g)) goto done;
    tell("signature", &since, &memory);
    if (dae_structure_analyse(&g->table, NULL, &counted, &s)) goto done;
    tell("structure", &since, &memory);
    certificates = calloc(s->fine_count + 1, sizeof *certificates);
    const blocks_request q = {.problem = p,
        .layout = &l,
        .signature = g,
        .structure = s,
        .allocator = &counted};
    if (!certificates || blocks_certify(&q, certificates, NULL)) goto done;
    tell("blocks", &since, &memory);
    if (p->start
        && blocks_certify_at(
            &q, p->start->t0, p->start->x, p->start->xp, certificates, NULL))
        goto done;
    tell("at the start", &since, &memory);
    count(certificates, s->fine_count);
    failed = 0;
done:
    free(certificates);
    dae_structure_free(s);
    signature_free(g);
    layout_clear(&l);
    return failed;
}

int main(int argc, char **argv)
{
    const char *path = argc > 1 ? argv[1] : "models/pde/heat2d.dae";
    const dae_override size = {"n", argc > 2 ? argv[2] : "1000"};
    const dae_model_options options = {
        .overrides = &size, .override_count = argc > 2 || argc == 1};
    dae_diagnostics *ds = NULL;
    dae_model *model = NULL;
    account memory = {0};
    double since = now();
    int failed = dae_diagnostics_create(NULL, &ds)
        || dae_model_load(path, &options, NULL, ds, &model);
    if (!failed) {
        tell("compile", &since, &memory);
        printf("%zu unknowns\n", dae_model_problem(model)->unknown_count);
        failed = measure(dae_model_problem(model));
    }
    dae_model_free(model);
    dae_diagnostics_free(ds);
    return failed;
}
