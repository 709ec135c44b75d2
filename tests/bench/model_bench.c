/* Models as a user writes them against loops written by hand: loading (time,
 * peak of memory, growth), then residual and Jacobian of a grid of 10^6
 * unknowns. The hand-written loops know the grid, hold every constant in a
 * register and find a Jacobian entry's place in a map, as a compiled model of
 * such a problem does. Model and loop run in turns in one process, so that
 * both see the same machine; times are processor time. Nothing fails a build;
 * the bars of the project stand beside the figures.
 *
 *     model_bench [REPEATS] */
#include <dae/model.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#if defined(__GNUC__)
#define INLINED static inline __attribute__((always_inline))
#define BY_HAND static __attribute__((noinline))
#else
#define INLINED static inline
#define BY_HAND static
#endif

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void *take(size_t count, size_t size)
{
    void *block = calloc(count ? count : 1, size);
    if (!block) exit(1);
    return block;
}

static void must(dae_status st, const char *what)
{
    if (!st) return;
    fprintf(stderr, "%s: %s\n", what, dae_status_text(st));
    exit(1);
}

/* ---- a grid ----------------------------------------------------------------- */

/* What the loops by hand read and write; rows and unknowns in the model's
 * order. The entries of the Jacobian are emitted in one order always: first
 * to record where they are, later to write their values there. */
typedef struct grid {
    size_t side;  /* points on a side, walls included */
    size_t count; /* unknowns and rows */
    const double *x, *xp;
    double *res, *values;
    uint32_t *place;      /* of each emitted entry, in `values` */
    size_t emitted;       /* how many */
    size_t *row, *column; /* recording: where each one is; else NULL */
} grid;

INLINED void entry(grid *g, bool recording, size_t row, size_t column, double v)
{
    size_t k = g->emitted++;
    if (recording) {
        g->row[k] = row;
        g->column[k] = column;
    } else {
        g->values[g->place[k]] = v;
    }
}

/* ---- the heat equation: models/pde/heat2d.dae --------------------------------- */

BY_HAND void heat_residual(const grid *g)
{
    size_t m = g->side;
    const double scale = (double)(m - 1) * (double)(m - 1);
    double *restrict res = g->res;
    for (size_t i = 1; i < m - 1; i++) {
        const double *restrict u = g->x + i * m, *restrict up = g->xp + i * m;
        for (size_t j = 1; j < m - 1; j++)
            res[j - 1] = up[j]
                - scale
                    * (u[j - m] + u[j + m] + u[j - 1] + u[j + 1] - 4 * u[j]);
        res += m - 2;
    }
    for (size_t j = 0; j < m; j++) *res++ = g->x[j];
    for (size_t j = 0; j < m; j++) *res++ = g->x[(m - 1) * m + j];
    for (size_t i = 1; i < m - 1; i++) *res++ = g->x[i * m];
    for (size_t i = 1; i < m - 1; i++) *res++ = g->x[i * m + m - 1];
}

INLINED void heat_entries(grid *g, bool recording)
{
    size_t m = g->side, row = 0;
    const double scale = (double)(m - 1) * (double)(m - 1);
    g->emitted = 0;
    for (size_t i = 1; i < m - 1; i++)
        for (size_t j = 1; j < m - 1; j++, row++) {
            size_t q = i * m + j;
            entry(g, recording, row, q - m, -scale);
            entry(g, recording, row, q - 1, -scale);
            entry(g, recording, row, q, 4 * scale);
            entry(g, recording, row, q + 1, -scale);
            entry(g, recording, row, q + m, -scale);
            entry(g, recording, row, g->count + q, 1);
        }
    for (size_t j = 0; j < m; j++) entry(g, recording, row++, j, 1);
    for (size_t j = 0; j < m; j++)
        entry(g, recording, row++, (m - 1) * m + j, 1);
    for (size_t i = 1; i < m - 1; i++) entry(g, recording, row++, i * m, 1);
    for (size_t i = 1; i < m - 1; i++)
        entry(g, recording, row++, i * m + m - 1, 1);
}

BY_HAND void heat_record(grid *g)
{
    heat_entries(g, true);
}

BY_HAND void heat_jacobian(grid *g)
{
    heat_entries(g, false);
}

/* ---- the brusselator: models/pde/brusselator2d.dae ---------------------------- */

typedef struct stencil {
    size_t at, north, south, west, east;
} stencil;

INLINED stencil mirrored(size_t m, size_t i, size_t j)
{
    return (stencil){.at = i * m + j,
        .north = (i ? i - 1 : 1) * m + j,
        .south = (i < m - 1 ? i + 1 : m - 2) * m + j,
        .west = i * m + (j ? j - 1 : 1),
        .east = i * m + (j < m - 1 ? j + 1 : m - 2)};
}

static const double A = 1, B = 3.4, ALPHA = 2e-3;

INLINED void brusselator_point(
    const grid *g, double scale, stencil s, double *ru, double *rv)
{
    const double *u = g->x, *v = g->x + g->side * g->side;
    double a = u[s.at], b = v[s.at], made = a * a * b;
    double du = u[s.north] + u[s.south] + u[s.west] + u[s.east] - 4 * a;
    double dv = v[s.north] + v[s.south] + v[s.west] + v[s.east] - 4 * b;
    *ru = g->xp[s.at] - (A + made - (B + 1) * a + scale * du);
    *rv = g->xp[g->side * g->side + s.at] - (B * a - made + scale * dv);
}

BY_HAND void brusselator_residual(const grid *g)
{
    size_t m = g->side;
    const double scale = ALPHA * (double)(m - 1) * (double)(m - 1);
    double *restrict ru = g->res, *restrict rv = g->res + m * m;
    for (size_t i = 0; i < m; i++) {
        size_t r = i * m;
        brusselator_point(g, scale, mirrored(m, i, 0), ru + r, rv + r);
        for (size_t j = 1; j < m - 1; j++) {
            stencil s = mirrored(m, i, 0);
            s.at += j;
            s.north += j;
            s.south += j;
            s.west = s.at - 1;
            s.east = s.at + 1;
            brusselator_point(g, scale, s, ru + r + j, rv + r + j);
        }
        r += m - 1;
        brusselator_point(g, scale, mirrored(m, i, m - 1), ru + r, rv + r);
    }
}

/* At a wall both neighbours across it are one unknown and share an entry. */
INLINED void diffusion(
    grid *g, bool recording, size_t row, size_t shift, stencil s, double scale)
{
    bool one_row = s.north == s.south, one_column = s.west == s.east;
    entry(g, recording, row, shift + s.north, one_row ? -2 * scale : -scale);
    if (!one_row) entry(g, recording, row, shift + s.south, -scale);
    entry(g, recording, row, shift + s.west, one_column ? -2 * scale : -scale);
    if (!one_column) entry(g, recording, row, shift + s.east, -scale);
}

INLINED void brusselator_entries(grid *g, bool recording, bool all)
{
    size_t m = g->side, n = m * m;
    const double scale = ALPHA * (double)(m - 1) * (double)(m - 1);
    const double *u = g->x, *v = g->x + n;
    g->emitted = 0;
    for (size_t i = 0; i < m; i++)
        for (size_t j = 0; j < m; j++) {
            stencil s = mirrored(m, i, j);
            double a = u[s.at], b = v[s.at];
            entry(g, recording, s.at, s.at, B + 1 - 2 * a * b + 4 * scale);
            entry(g, recording, s.at, n + s.at, -a * a);
            entry(g, recording, n + s.at, s.at, 2 * a * b - B);
            entry(g, recording, n + s.at, n + s.at, a * a + 4 * scale);
            if (!all) continue;
            diffusion(g, recording, s.at, 0, s, scale);
            diffusion(g, recording, n + s.at, n, s, scale);
            entry(g, recording, s.at, 2 * n + s.at, 1);
            entry(g, recording, n + s.at, 3 * n + s.at, 1);
        }
}

BY_HAND void brusselator_record(grid *g)
{
    brusselator_entries(g, true, true);
}

BY_HAND void brusselator_record_varying(grid *g)
{
    brusselator_entries(g, true, false);
}

BY_HAND void brusselator_jacobian(grid *g)
{
    brusselator_entries(g, false, true);
}

BY_HAND void brusselator_varying(grid *g)
{
    brusselator_entries(g, false, false);
}

/* ---- model against loop ------------------------------------------------------- */

typedef struct subject {
    const char *name, *file, *size; /* --set n=size */
    size_t walls;                   /* points on a side beyond n */
    void (*residual)(const grid *g);
    void (*record)(grid *g), (*jacobian)(grid *g);
    void (*record_varying)(grid *g), (*varying)(grid *g); /* NULL: none */
} subject;

static const subject subjects[] = {
    {"heat2d", "models/pde/heat2d.dae", "998", 2, heat_residual, heat_record,
        heat_jacobian, NULL, NULL},
    {"brusselator2d", "models/pde/brusselator2d.dae", "700", 0,
        brusselator_residual, brusselator_record, brusselator_jacobian,
        brusselator_record_varying, brusselator_varying},
};

static dae_model *load(const char *file, const char *size)
{
    char path[1024];
    snprintf(path, sizeof path, "%s/%s", TEST_ROOT, file);
    dae_override set = {"n", size};
    dae_model_options options = {.overrides = &set, .override_count = 1};
    dae_diagnostics *ds = NULL;
    dae_model *model = NULL;
    must(dae_diagnostics_create(NULL, &ds), "diagnostics");
    dae_status st = dae_model_load(path, &options, NULL, ds, &model);
    if (st && dae_diagnostics_count(ds))
        fprintf(stderr, "%s\n", dae_diagnostics_at(ds, 0)->message);
    must(st, path);
    dae_diagnostics_free(ds);
    return model;
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* One part of a model (`ours`) beside the loop (`hand`), `times` each. */
typedef struct timing {
    const char *part;
    size_t items; /* equations or entries */
    int times;
    double *ours, *hand;
    double bar; /* 0: none */
} timing;

static void print_timing(const char *name, timing *t)
{
    size_t n = (size_t)t->times;
    qsort(t->ours, n, sizeof *t->ours, ascending);
    qsort(t->hand, n, sizeof *t->hand, ascending);
    double least = t->ours[0] / t->hand[0];
    double middle = t->ours[n / 2] / t->hand[n / 2];
    double ns = 1e9 / (double)t->items;
    printf("%-14s %-17s %8zu  %6.2f %6.2f  %6.2f %6.2f   %5.2f %5.2f", name,
        t->part, t->items, t->hand[0] * ns, t->ours[0] * ns,
        t->hand[n / 2] * ns, t->ours[n / 2] * ns, least, middle);
    if (t->bar > 0)
        printf("  <= %g %s", t->bar, middle <= t->bar ? "holds" : "MISSED");
    printf("\n");
    free(t->ours);
    free(t->hand);
}

static timing timing_begin(
    const char *part, size_t items, int times, double bar)
{
    return (timing){.part = part,
        .items = items,
        .times = times,
        .bar = bar,
        .ours = take((size_t)times, sizeof(double)),
        .hand = take((size_t)times, sizeof(double))};
}

/* Both have the same values but for rounding. */
static void check_equal(
    const char *what, const double *a, const double *b, size_t n, double size)
{
    for (size_t i = 0; i < n; i++) {
        if (fabs(a[i] - b[i]) <= 1e-12 * (size + fabs(b[i]))) continue;
        printf(
            "%s differs at %zu: %.17g, by hand %.17g\n", what, i, a[i], b[i]);
        exit(1);
    }
}

static void time_residual(
    const subject *s, const dae_problem *p, grid *g, int times)
{
    double *ours = take(g->count, sizeof *ours);
    timing t = timing_begin("residual", g->count, times, 3);
    for (int k = 0; k < times; k++) {
        double t0 = now();
        s->residual(g);
        double t1 = now();
        must(p->residual(p->self, 0, g->x, g->xp, ours), "residual");
        double t2 = now();
        t.hand[k] = t1 - t0;
        t.ours[k] = t2 - t1;
    }
    double scale = (double)g->side * (double)g->side;
    check_equal(s->name, ours, g->res, g->count, 10 * scale);
    free(ours);
    print_timing(s->name, &t);
}

/* Finds every recorded entry in the problem's pattern. */
static void find_places(grid *g, const dae_pattern *pattern)
{
    for (size_t k = 0; k < g->emitted; k++) {
        int64_t at = pattern->column_start[g->column[k]];
        int64_t end = pattern->column_start[g->column[k] + 1];
        while (at < end && (size_t)pattern->row[at] != g->row[k]) at++;
        if (at == end) {
            printf("no entry (%zu, %zu)\n", g->row[k], g->column[k]);
            exit(1);
        }
        g->place[k] = (uint32_t)at;
    }
}

static void time_jacobian(
    const subject *s, const dae_problem *p, grid *g, dae_scope scope, int times)
{
    bool all = scope == DAE_ALL;
    size_t entries = (size_t)p->pattern->column_start[2 * g->count];
    g->row = take(entries, sizeof *g->row);
    g->column = take(entries, sizeof *g->column);
    (all ? s->record : s->record_varying)(g);
    find_places(g, p->pattern);
    free(g->row);
    free(g->column);
    if (all && g->emitted != entries)
        printf("%zu entries by hand, %zu in the model\n", g->emitted, entries);
    double *ours = take(entries, sizeof *ours);
    must(p->jacobian(p->self, DAE_ALL, 0, g->x, g->xp, ours), "Jacobian");
    timing t = timing_begin(
        all ? "Jacobian" : "Jacobian, varying", g->emitted, times, 4);
    for (int k = 0; k < times; k++) {
        double t0 = now();
        (all ? s->jacobian : s->varying)(g);
        double t1 = now();
        must(p->jacobian(p->self, scope, 0, g->x, g->xp, ours), "Jacobian");
        double t2 = now();
        t.hand[k] = t1 - t0;
        t.ours[k] = t2 - t1;
    }
    check_equal(s->name, ours, g->values, entries, 1);
    free(ours);
    print_timing(s->name, &t);
}

static size_t count_varying(const dae_pattern *pattern, size_t entries)
{
    size_t count = 0;
    for (size_t k = 0; k < entries; k++)
        count += !pattern->kind || pattern->kind[k] == DAE_ENTRY_VARYING;
    return count;
}

static void evaluate(const subject *s, int times)
{
    dae_model *model = load(s->file, s->size);
    const dae_problem *p = dae_model_problem(model);
    size_t n = p->unknown_count;
    size_t entries = (size_t)p->pattern->column_start[2 * n];
    double *x = take(n, sizeof *x), *xp = take(n, sizeof *xp);
    for (size_t i = 0; i < n; i++) {
        x[i] = 1 + 0.5 * sin(0.1 * (double)i);
        xp[i] = cos(0.3 * (double)i);
    }
    grid g = {.side = strtoul(s->size, NULL, 10) + s->walls,
        .count = n,
        .x = x,
        .xp = xp,
        .res = take(n, sizeof *g.res),
        .values = take(entries, sizeof *g.values),
        .place = take(entries, sizeof *g.place)};
    time_residual(s, p, &g, times);
    time_jacobian(s, p, &g, DAE_ALL, times);
    if (s->varying) {
        time_jacobian(s, p, &g, DAE_VARYING, times);
    } else {
        /* nothing is to be done: what does that cost? */
        double t0 = now();
        must(p->jacobian(p->self, DAE_VARYING, 0, x, xp, g.values), "Jacobian");
        printf("%-14s %-17s %8zu  %.0f microseconds\n", s->name,
            "Jacobian, varying", count_varying(p->pattern, entries),
            1e6 * (now() - t0));
    }
    free(x);
    free(xp);
    free(g.res);
    free(g.values);
    free(g.place);
    dae_model_free(model);
}

/* ---- loading ------------------------------------------------------------------ */

typedef struct loading {
    size_t unknowns;
    double seconds, mebibytes;
} loading;

/* In a process of its own, because the peak of memory is the process's. */
static loading load_apart(const char *file, const char *size)
{
    loading l = {0};
    int ends[2];
    if (pipe(ends)) exit(1);
    fflush(stdout);
    pid_t child = fork();
    if (child < 0) exit(1);
    if (child == 0) {
        double t0 = now();
        dae_model *model = load(file, size);
        l.seconds = now() - t0;
        struct rusage usage;
        getrusage(RUSAGE_SELF, &usage);
        l.mebibytes = (double)usage.ru_maxrss / 1024;
        l.unknowns = dae_model_unknown_count(model);
        _exit(write(ends[1], &l, sizeof l) != (ssize_t)sizeof l);
    }
    close(ends[1]);
    bool whole = read(ends[0], &l, sizeof l) == (ssize_t)sizeof l;
    close(ends[0]);
    int status;
    if (waitpid(child, &status, 0) != child || status || !whole) {
        fprintf(stderr, "%s with n = %s: not loaded\n", file, size);
        exit(1);
    }
    return l;
}

/* The quickest of several. */
static loading load_best(const char *file, const char *size, int times)
{
    loading best = load_apart(file, size);
    for (int k = 1; k < times; k++) {
        loading l = load_apart(file, size);
        if (l.seconds < best.seconds) best.seconds = l.seconds;
    }
    return best;
}

static void time_loading(
    const char *name, const char *file, const char *small, const char *large)
{
    loading a = load_best(file, small, 5), b = load_best(file, large, 3);
    printf("%-14s %8zu  %7.3f s %7.0f MiB\n", name, a.unknowns, a.seconds,
        a.mebibytes);
    printf("%-14s %8zu  %7.3f s %7.0f MiB   < 5 s %s, < 2048 MiB %s\n", name,
        b.unknowns, b.seconds, b.mebibytes, b.seconds < 5 ? "holds" : "MISSED",
        b.mebibytes < 2048 ? "holds" : "MISSED");
    double seconds = b.seconds / a.seconds;
    printf("%-14s   growth  %7.2f   %7.2f       < 12 %s\n", name, seconds,
        b.mebibytes / a.mebibytes,
        seconds < 12 && b.mebibytes / a.mebibytes < 12 ? "holds" : "MISSED");
}

int main(int argc, char **argv)
{
    int times = argc > 1 ? atoi(argv[1]) : 21;
    if (times < 1) times = 1;
    printf("loading: text to problem\n");
    time_loading("heat2d", "models/pde/heat2d.dae", "314", "998");
    time_loading("brusselator2d", "models/pde/brusselator2d.dae", "224", "700");
    printf("\nns per equation or entry, %d runs in turns\n"
           "%-14s %-17s %8s  %13s  %13s   %11s\n"
           "%-14s %-17s %8s  %6s %6s  %6s %6s   %5s %5s\n",
        times, "", "", "", "least", "median", "ratio", "model", "part", "items",
        "hand", "model", "hand", "model", "least", "med.");
    for (size_t i = 0; i < sizeof subjects / sizeof *subjects; i++)
        evaluate(&subjects[i], times);
    return 0;
}
