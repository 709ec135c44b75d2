#include "programs.h"
#include "code/compile.h"
#include "sema/lower.h"
#include "syntax/parse.h"
#include <string.h>

/* Together they hold scalar and block code, columns that are read in place, by
 * strides and by indices, sums, chained definitions, and every instruction
 * that takes a whole number. */
static const char *const texts[] = {
    /* scalar code only */
    "var A = 1, B = 0, C ~ 0\n"
    "A' = -0.04*A + 1e4*B*C\n"
    "B' = 0.04*A - 1e4*B*C - 3e7*B^2\n"
    "A + B + C = 1\n"
    "output s = sinc(A)' + cosc(B) + sincc(C) + stumpff(3, A) + hypot(B, C)\n",
    /* in place, several blocks of rows */
    "param n = 300\n"
    "var u[0..n] = 1\n"
    "u[0] = 0\n"
    "u[n] = sin(t)\n"
    "u[i]' = (u[i-1] - 2*u[i] + u[i+1])*n^2 - u[i]^3 for i in 1..n-1\n",
    /* two dimensions, indices, a choice, calls */
    "param n = 12\n"
    "var u[n, n] = 1, v[n, n] = 2\n"
    "u[i,j]' = u[mod(i, n) + 1,j] - u[i,mod(j, n) + 1]\n"
    "    + (if v[i,j] > 1 then exp(-u[i,j]) else sqrt(v[i,j]))\n"
    "    for i in 1..n, j in 1..n\n"
    "v[i,j]' = max(u[j,i], v[i,j])*abs(v[i,j]) for i in 1..n, j in 1..n\n",
    /* sums into one target, definitions on levels, strides */
    "param n = 40\n"
    "var x[n] = 1, s\n"
    "let q[i in 1..n] = x[i]^2 + s, w = sum(q[i]*x[i] for i in 1..n)\n"
    "x[2*i]' = -q[2*i]*w for i in 1..n/2\n"
    "x[2*i-1]' = q[2*i] - floor(q[2*i-1]) for i in 1..n/2\n"
    "s = sum(stumpff(2, x[i]) for i in 1..n) + w'\n"
    "init sum(x[i]' for i in 1..n) = 1\n",
};
#define TEXT_COUNT (sizeof texts / sizeof *texts)
#define PROGRAMS_MAX 64

/* Kept to the end of the process, as are the models behind them. */
static struct {
    arena arenas[TEXT_COUNT];
    dae_source sources[TEXT_COUNT];
    intern_table names[TEXT_COUNT];
    lowered models[TEXT_COUNT];
    compiled *compiled[TEXT_COUNT];
    const program *items[PROGRAMS_MAX];
    size_t count;
} made;

static void keep(const task *t)
{
    if (t->program && made.count < PROGRAMS_MAX)
        made.items[made.count++] = t->program;
}

static void keep_all(const compiled *c)
{
    keep(&c->residual);
    keep(&c->condition);
    keep(&c->observation);
    keep(&c->start);
    keep(&c->guess);
    keep(&c->jacobian.all);
    keep(&c->jacobian.varying);
    keep(&c->condition_jacobian.all);
}

static dae_status make(size_t k)
{
    const dae_allocator *libc = dae_allocator_default();
    arena *a = &made.arenas[k];
    ast_file *file;
    arena_init(a, libc, 0);
    intern_init(&made.names[k], a);
    lower_request request = {.arena = a, .allocator = libc};
    dae_status st = source_init(
        &made.sources[k], a, "f.dae", texts[k], strlen(texts[k]));
    if (!st) st = parse_file(&made.sources[k], a, &made.names[k], NULL, &file);
    if (st) return st;
    request.file = file;
    st = lower_model(&request, &made.models[k]);
    if (!st)
        st = compiled_create(
            &made.models[k].system, 0, NULL, &made.compiled[k]);
    if (!st) keep_all(made.compiled[k]);
    return st;
}

const program *programs_get(size_t k)
{
    for (size_t i = 0; made.count == 0 && i < TEXT_COUNT; i++)
        if (make(i)) return NULL;
    return made.items[k % made.count];
}
