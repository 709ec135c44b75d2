/* Programs against loops written by hand: the heat equation on a square grid
 * with walls, a reaction a*b*b - c*a, and Robertson's three equations, where
 * overhead counts. Both run in turns in one process; the least time of each
 * stands in the table. Nothing here fails a build.
 *
 *     program_bench [side] */
#include "code/program.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* As with -O3 and -march= of the processor it runs on. */
#if defined(__GNUC__) && !defined(__clang__) && defined(__x86_64__)            \
    && defined(__GLIBC__)
#define BY_HAND                                                                \
    __attribute__((noinline, optimize("O3"),                                   \
        target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#elif defined(__GNUC__)
#define BY_HAND __attribute__((noinline))
#else
#define BY_HAND
#endif

#define REPEATS 15

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void *take(size_t count, size_t size)
{
    void *block = calloc(count ? count : 1, size);
    if (!block) exit(1);
    return block;
}

static node_id add(shape_pool *p, node_id a, node_id b)
{
    return shape_binary(p, NODE_ADD, a, b);
}

static node_id sub(shape_pool *p, node_id a, node_id b)
{
    return shape_binary(p, NODE_SUB, a, b);
}

static node_id mul(shape_pool *p, node_id a, node_id b)
{
    return shape_binary(p, NODE_MUL, a, b);
}

/* ---- a program and its data ------------------------------------------------ */

typedef struct bench {
    program *program;
    void *scratch;
    const double *spaces[SPACE_COUNT];
    double *outs[OUT_COUNT];
    double build_seconds;
} bench;

static void build(bench *b, const shape_pool *pool, const kernel *kernels,
    size_t count, const program_sizes *sizes)
{
    double start = now();
    if (program_build(pool, kernels, count, sizes, NULL, &b->program)) {
        fprintf(stderr, "the program was not built\n");
        exit(1);
    }
    b->build_seconds = now() - start;
    b->scratch = take(program_scratch(b->program), 1);
}

static int print_text(void *context, const char *text, size_t length)
{
    return fwrite(text, 1, length, context) != length;
}

typedef void hand_fn(void *data);

/* Runs both in turns and prints a line; `items`: what the times are per. */
static void compare(const char *name, bench *b, hand_fn *hand, void *data,
    size_t items, size_t inner)
{
    double best_hand = 1e9, best_program = 1e9;
    for (int i = 0; i < REPEATS; i++) {
        double t0 = now();
        for (size_t k = 0; k < inner; k++) hand(data);
        double t1 = now();
        for (size_t k = 0; k < inner; k++)
            program_run(b->program, b->spaces, b->outs, b->scratch);
        double t2 = now();
        if (t1 - t0 < best_hand) best_hand = t1 - t0;
        if (t2 - t1 < best_program) best_program = t2 - t1;
    }
    double scale = 1e9 / ((double)items * (double)inner);
    printf("%-24s %9lu %8.3f %8.3f %7.2f   %.4f\n", name, (unsigned long)items,
        best_hand * scale, best_program * scale, best_program / best_hand,
        b->build_seconds);
    if (getenv("PROGRAM_BENCH_SHOW")
        && program_show(b->program, print_text, stdout))
        exit(1);
    program_free(b->program);
    free(b->scratch);
}

static void check_equal(const double *a, const double *b, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        double size = a[i] < 0 ? -a[i] : a[i], d = a[i] - b[i];
        if ((d < 0 ? -d : d) > 1e-9 * (1 + size)) {
            printf(
                "  differs at %lu: %g and %g\n", (unsigned long)i, a[i], b[i]);
            return;
        }
    }
}

/* ---- the heat equation ------------------------------------------------------ */

typedef struct heat {
    size_t side, n, entries;
    double *t, *tp, *res, *jac, param[2];
    double *res_hand, *jac_hand;
    uint32_t *position; /* of each entry, row by row, in column order */
    uint32_t *columns[6], *targets[6], *wall, *wall_target, *uniform[2];
    size_t inner, walls;
} heat;

static bool is_wall(const heat *h, size_t q)
{
    size_t i = q % h->side, j = q / h->side;
    return i == 0 || j == 0 || i == h->side - 1 || j == h->side - 1;
}

/* Positions in column order: rows of a column ascend, so a column holds, of
 * its neighbours that are not walls, north, west, itself, east, south. */
static void heat_positions(heat *h)
{
    size_t m = h->side;
    const size_t from[5] = {m, 1, 0, (size_t)-1, (size_t)-m};
    uint32_t *starts = take(5 * h->n, sizeof *starts), next = 0;
    for (size_t c = 0; c < h->n; c++)
        for (size_t k = 5; k-- > 0;) {
            size_t row = c + from[k];
            bool there = from[k] == 0 || (row < h->n && !is_wall(h, row));
            if (there) starts[5 * c + k] = next++;
        }
    h->entries = next;
    size_t e = 0;
    for (size_t q = 0; q < h->n; q++) {
        if (is_wall(h, q)) {
            h->position[e++] = starts[5 * q + 2];
            continue;
        }
        for (size_t k = 0; k < 5; k++)
            h->position[e++] = starts[5 * (q - from[k]) + k];
    }
    free(starts);
}

static void heat_columns(heat *h)
{
    size_t r = 0, w = 0, e = 0, m = h->side;
    const size_t from[5] = {(size_t)-m, (size_t)-1, 0, 1, m};
    for (size_t q = 0; q < h->n; q++) {
        if (is_wall(h, q)) {
            h->wall[w] = (uint32_t)q;
            h->wall_target[w++] = h->position[e++];
            continue;
        }
        for (size_t k = 0; k < 5; k++) {
            h->columns[k][r] = (uint32_t)(q + from[k]);
            h->targets[k][r] = h->position[e++];
        }
        h->targets[5][r] = (uint32_t)h->entries + h->targets[2][r];
        h->uniform[0][r] = 0;
        h->uniform[1][r] = 1;
        r++;
    }
    h->inner = r;
    h->walls = w;
}

static void heat_init(heat *h, size_t side)
{
    size_t n = side * side;
    memset(h, 0, sizeof *h);
    h->side = side;
    h->n = n;
    h->t = take(n, sizeof(double));
    h->tp = take(n, sizeof(double));
    h->res = take(n, sizeof(double));
    h->res_hand = take(n, sizeof(double));
    h->jac = take(10 * n, sizeof(double));
    h->jac_hand = take(5 * n, sizeof(double));
    h->position = take(5 * n, sizeof(uint32_t));
    h->wall = take(n, sizeof(uint32_t));
    h->wall_target = take(n, sizeof(uint32_t));
    for (size_t k = 0; k < 6; k++) {
        h->columns[k] = take(n, sizeof(uint32_t));
        h->targets[k] = take(n, sizeof(uint32_t));
    }
    for (size_t k = 0; k < 2; k++) h->uniform[k] = take(n, sizeof(uint32_t));
    for (size_t q = 0; q < n; q++) {
        h->t[q] = (double)(q * 37 % 1013) / 1013;
        h->tp[q] = (double)(q * 91 % 509) / 509;
    }
    h->param[0] = 1.5;
    h->param[1] = 1.0 / ((double)side - 1);
    heat_positions(h);
    heat_columns(h);
}

static void heat_clear(heat *h)
{
    free(h->t), free(h->tp), free(h->res), free(h->res_hand);
    free(h->jac), free(h->jac_hand), free(h->position);
    free(h->wall), free(h->wall_target);
    for (size_t k = 0; k < 6; k++) free(h->columns[k]), free(h->targets[k]);
    free(h->uniform[0]), free(h->uniform[1]);
}

BY_HAND static void heat_res_hand(void *data)
{
    heat *h = data;
    size_t m = h->side;
    double c = h->param[0] / (h->param[1] * h->param[1]);
    const double *restrict u = h->t, *restrict up = h->tp;
    double *restrict r = h->res_hand;
    for (size_t i = 0; i < m; i++) {
        r[i] = u[i];
        r[(m - 1) * m + i] = u[(m - 1) * m + i];
    }
    for (size_t j = 1; j < m - 1; j++) {
        const double *v = u + j * m, *vp = up + j * m;
        double *restrict q = r + j * m;
        q[0] = v[0];
        q[m - 1] = v[m - 1];
        for (size_t i = 1; i < m - 1; i++)
            q[i] = vp[i]
                - c * (v[i - 1] + v[i + 1] + v[i - m] + v[i + m] - 4 * v[i]);
    }
}

BY_HAND static void heat_jac_hand(void *data)
{
    heat *h = data;
    size_t m = h->side;
    const uint32_t *restrict p = h->position;
    double c = h->param[0] / (h->param[1] * h->param[1]), cj = 0;
    double *restrict v = h->jac_hand;
    for (size_t i = 0; i < m; i++) v[*p++] = 1;
    for (size_t j = 1; j < m - 1; j++) {
        v[*p++] = 1;
        for (size_t i = 1; i < m - 1; i++, p += 5) {
            v[p[0]] = -c;
            v[p[1]] = -c;
            v[p[2]] = cj + 4 * c;
            v[p[3]] = -c;
            v[p[4]] = -c;
        }
        v[*p++] = 1;
    }
    for (size_t i = 0; i < m; i++) v[*p++] = 1;
}

/* One kernel for inner points, one for walls. */
static void bench_heat_res(heat *h)
{
    shape_pool pool;
    shape_pool_init(&pool, NULL);
    node_id n[8];
    for (uint32_t j = 0; j < 8; j++)
        n[j] = shape_hole(&pool, j < 6 ? LEAF_UNKNOWN : LEAF_PARAM,
            j < 5 ? j : j - 5, j == 5);
    node_id c = shape_binary(&pool, NODE_DIV, n[6], shape_powi(&pool, n[7], 2));
    node_id sum = add(&pool, add(&pool, add(&pool, n[0], n[1]), n[3]), n[4]);
    sum = sub(&pool, sum, mul(&pool, shape_const(&pool, 4), n[2]));
    node_id root = sub(&pool, n[5], mul(&pool, c, sum));
    kernel_column columns[8];
    for (size_t j = 0; j < 5; j++)
        columns[j] = (kernel_column){n[j], SPACE_X, h->columns[j]};
    columns[5] = (kernel_column){n[5], SPACE_XP, h->columns[2]};
    columns[6] = (kernel_column){n[6], SPACE_PARAM, h->uniform[0]};
    columns[7] = (kernel_column){n[7], SPACE_PARAM, h->uniform[1]};
    kernel_output out = {root, OUT_MAIN, false, false, h->columns[2]};
    kernel_column wall = {n[0], SPACE_X, h->wall};
    kernel_output wall_out = {n[0], OUT_MAIN, false, false, h->wall};
    kernel kernels[] = {{0, h->inner, columns, 8, &out, 1},
        {0, h->walls, &wall, 1, &wall_out, 1}};
    program_sizes sizes = {{h->n, h->n, 2, 0, 0}, {h->n, 0, 0}};
    bench b = {.spaces = {h->t, h->tp, h->param}, .outs = {h->res}};
    build(&b, &pool, kernels, 2, &sizes);
    compare("heat residual", &b, heat_res_hand, h, h->n, 1);
    check_equal(h->res, h->res_hand, h->n);
    shape_pool_clear(&pool);
}

static void bench_heat_jac(heat *h)
{
    shape_pool pool;
    shape_pool_init(&pool, NULL);
    node_id d = shape_hole(&pool, LEAF_PARAM, 0, 0);
    node_id s = shape_hole(&pool, LEAF_PARAM, 1, 0);
    node_id one = shape_const(&pool, 1);
    node_id c = shape_binary(&pool, NODE_DIV, d, shape_powi(&pool, s, 2));
    node_id four = mul(&pool, c, shape_const(&pool, 4));
    kernel_column columns[] = {
        {d, SPACE_PARAM, h->uniform[0]}, {s, SPACE_PARAM, h->uniform[1]}};
    kernel_output out[6];
    for (size_t k = 0; k < 6; k++)
        out[k] = (kernel_output){
            c, OUT_JAC, false, k != 2 && k != 5, h->targets[k]};
    out[2].root = four;
    out[5].root = one;
    kernel_output wall = {one, OUT_JAC, false, false, h->wall_target};
    kernel kernels[] = {
        {0, h->inner, columns, 2, out, 6}, {0, h->walls, NULL, 0, &wall, 1}};
    program_sizes sizes = {{0, 0, 2, 0, 0}, {0, 0, 2 * h->entries}};
    bench b = {.spaces = {NULL, NULL, h->param}, .outs = {NULL, NULL, h->jac}};
    build(&b, &pool, kernels, 2, &sizes);
    compare("heat Jacobian", &b, heat_jac_hand, h, h->entries, 1);
    check_equal(h->jac, h->jac_hand, h->entries);
    shape_pool_clear(&pool);
}

/* ---- a reaction ------------------------------------------------------------- */

typedef struct reaction {
    size_t n;
    double *x, *res, *hand, *jac, *jac_hand, param;
    uint32_t *first, *second, *same, *targets[3];
} reaction;

BY_HAND static void reaction_res_hand(void *data)
{
    reaction *r = data;
    const double *restrict a = r->x, *restrict b = r->x + r->n, c = r->param;
    double *restrict out = r->hand;
    for (size_t i = 0; i < r->n; i++) out[i] = a[i] * b[i] * b[i] - c * a[i];
}

BY_HAND static void reaction_jac_hand(void *data)
{
    reaction *r = data;
    const double *restrict a = r->x, *restrict b = r->x + r->n, c = r->param;
    const uint32_t *restrict t = r->targets[0], *restrict u = r->targets[1];
    double *restrict out = r->jac_hand;
    for (size_t i = 0; i < r->n; i++) {
        out[t[i]] = b[i] * b[i] - c;
        out[u[i]] = 2 * a[i] * b[i];
    }
}

static void bench_reaction(reaction *r, bool jacobian)
{
    shape_pool pool;
    shape_pool_init(&pool, NULL);
    node_id a = shape_hole(&pool, LEAF_UNKNOWN, 0, 0);
    node_id b = shape_hole(&pool, LEAF_UNKNOWN, 1, 0);
    node_id c = shape_hole(&pool, LEAF_PARAM, 2, 0);
    kernel_column columns[] = {{a, SPACE_X, r->first}, {b, SPACE_X, r->second},
        {c, SPACE_PARAM, r->same}};
    kernel_output res = {
        sub(&pool, mul(&pool, mul(&pool, a, b), b), mul(&pool, c, a)), OUT_MAIN,
        false, false, r->first};
    kernel_output jac[] = {
        {sub(&pool, shape_powi(&pool, b, 2), c), OUT_JAC, 0, 0, r->targets[0]},
        {mul(&pool, mul(&pool, shape_const(&pool, 2), a), b), OUT_JAC, 0, 0,
            r->targets[1]}};
    kernel k = {0, r->n, columns, 3, jacobian ? jac : &res, jacobian ? 2 : 1};
    program_sizes sizes = {{2 * r->n, 0, 1, 0, 0}, {r->n, 0, 2 * r->n}};
    bench made = {
        .spaces = {r->x, NULL, &r->param}, .outs = {r->res, NULL, r->jac}};
    build(&made, &pool, &k, 1, &sizes);
    if (jacobian)
        compare("reaction Jacobian", &made, reaction_jac_hand, r, 2 * r->n,
            r->n < 100000 ? 100 : 1);
    else
        compare("reaction residual", &made, reaction_res_hand, r, r->n,
            r->n < 100000 ? 100 : 1);
    if (jacobian) check_equal(r->jac, r->jac_hand, 2 * r->n);
    else check_equal(r->res, r->hand, r->n);
    shape_pool_clear(&pool);
}

static void bench_reactions(size_t n)
{
    reaction r = {.n = n, .param = 0.7};
    r.x = take(2 * n, sizeof(double));
    r.res = take(n, sizeof(double));
    r.hand = take(n, sizeof(double));
    r.jac = take(2 * n, sizeof(double));
    r.jac_hand = take(2 * n, sizeof(double));
    r.first = take(n, sizeof(uint32_t));
    r.second = take(n, sizeof(uint32_t));
    r.same = take(n, sizeof(uint32_t));
    r.targets[0] = take(n, sizeof(uint32_t));
    r.targets[1] = take(n, sizeof(uint32_t));
    for (size_t i = 0; i < n; i++) {
        r.x[i] = (double)(i * 37 % 1013) / 1013;
        r.x[n + i] = (double)(i * 91 % 509) / 509;
        r.first[i] = (uint32_t)i;
        r.second[i] = (uint32_t)(n + i);
        r.targets[0][i] = (uint32_t)(2 * i);
        r.targets[1][i] = (uint32_t)(2 * i + 1);
    }
    bench_reaction(&r, false);
    bench_reaction(&r, true);
    free(r.x), free(r.res), free(r.hand), free(r.jac), free(r.jac_hand);
    free(r.first), free(r.second), free(r.same);
    free(r.targets[0]), free(r.targets[1]);
}

/* ---- Robertson's equations: rows that are fused ------------------------------ */

/* `copies` independent ones, each row a kernel of its own. */
typedef struct robertson {
    size_t copies;
    double *x, *xp, *res, *hand, param[3];
    uint32_t *index; /* 0, 1, 2, ... */
} robertson;

BY_HAND static void robertson_hand(void *data)
{
    robertson *r = data;
    const double *p = r->param;
    for (size_t i = 0; i < 3 * r->copies; i += 3) {
        const double *x = r->x + i, *xp = r->xp + i;
        double slow = p[0] * x[0], fast = p[1] * x[1] * x[2];
        double last = p[2] * (x[1] * x[1]);
        r->hand[i] = xp[0] - (fast - slow);
        r->hand[i + 1] = xp[1] - (slow - fast - last);
        r->hand[i + 2] = xp[2] - last;
    }
}

/* Three roots over x (holes 0 to 2), param (3 to 5) and xp (6). */
static void robertson_shapes(shape_pool *pool, node_id h[7], node_id roots[3])
{
    for (uint32_t j = 0; j < 3; j++) {
        h[j] = shape_hole(pool, LEAF_UNKNOWN, j, 0);
        h[3 + j] = shape_hole(pool, LEAF_PARAM, j, 0);
    }
    h[6] = shape_hole(pool, LEAF_UNKNOWN, 3, 1);
    node_id slow = mul(pool, h[3], h[0]);
    node_id fast = mul(pool, mul(pool, h[4], h[1]), h[2]);
    node_id last = mul(pool, h[5], shape_powi(pool, h[1], 2));
    roots[0] = sub(pool, h[6], sub(pool, fast, slow));
    roots[1] = sub(pool, h[6], sub(pool, sub(pool, slow, fast), last));
    roots[2] = sub(pool, h[6], last);
}

static void build_robertson(bench *b, robertson *r)
{
    shape_pool pool;
    shape_pool_init(&pool, NULL);
    node_id h[7], roots[3];
    size_t n = 3 * r->copies;
    robertson_shapes(&pool, h, roots);
    kernel_column *columns = take(7 * n, sizeof *columns);
    kernel_output *outs = take(n, sizeof *outs);
    kernel *kernels = take(n, sizeof *kernels);
    for (size_t i = 0; i < n; i++) {
        kernel_column *c = columns + 7 * i;
        for (size_t j = 0; j < 3; j++) {
            c[j] = (kernel_column){h[j], SPACE_X, r->index + i / 3 * 3 + j};
            c[3 + j] = (kernel_column){h[3 + j], SPACE_PARAM, r->index + j};
        }
        c[6] = (kernel_column){h[6], SPACE_XP, r->index + i};
        outs[i] = (kernel_output){roots[i % 3], OUT_MAIN, 0, 0, r->index + i};
        kernels[i] = (kernel){0, 1, c, 7, &outs[i], 1};
    }
    program_sizes sizes = {{n, n, 3, 0, 0}, {n, 0, 0}};
    build(b, &pool, kernels, n, &sizes);
    free(columns), free(outs), free(kernels);
    shape_pool_clear(&pool);
}

static void bench_robertson(size_t copies)
{
    robertson r = {.copies = copies, .param = {0.04, 1e4, 3e7}};
    size_t n = 3 * copies;
    r.x = take(n, sizeof(double));
    r.xp = take(n, sizeof(double));
    r.res = take(n, sizeof(double));
    r.hand = take(n, sizeof(double));
    r.index = take(n, sizeof(uint32_t));
    for (size_t i = 0; i < n; i++) {
        r.x[i] = (double)(i % 17) / 16;
        r.xp[i] = (double)(i % 5) / 4;
        r.index[i] = (uint32_t)i;
    }
    bench b = {.spaces = {r.x, r.xp, r.param}, .outs = {r.res}};
    build_robertson(&b, &r);
    printf("  %lu fused instructions\n",
        (unsigned long)program_count(b.program).fused_instructions);
    compare(
        "Robertson residual", &b, robertson_hand, &r, n, 100000 / copies + 1);
    check_equal(r.res, r.hand, n);
    free(r.x), free(r.xp), free(r.res), free(r.hand), free(r.index);
}

int main(int argc, char **argv)
{
    size_t side = argc > 1 ? strtoul(argv[1], NULL, 10) : 1000;
    heat h;
    if (side < 3 || side > 10000) return 2;
    printf("%-24s %9s %8s %8s %7s   %s\n", "", "items", "by hand", "program",
        "ratio", "build");
    printf(
        "%-24s %9s %8s %8s %7s   %s\n", "", "", "ns/item", "ns/item", "", "s");
    heat_init(&h, side);
    bench_heat_res(&h);
    bench_heat_jac(&h);
    heat_clear(&h);
    bench_reactions(side * side);
    bench_reactions(2000);
    bench_robertson(1);
    bench_robertson(100);
    bench_robertson(10000);
    return 0;
}
