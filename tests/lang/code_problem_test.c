/* From rows to a dae_problem: residual against shape_eval, Jacobian against
 * differences of the residual, the pattern, kinds of entries, internal
 * unknowns, start values, conditions, observations, allocations that fail. */
#include "lang/system_support.h"

/* ---- the reference --------------------------------------------------------- */

typedef struct reading {
    world *w;
    const uint32_t *row;
} reading;

static double reference_leaf(
    void *context, leaf_kind kind, uint32_t number, unsigned order)
{
    reading *r = context;
    uint32_t object = r->row[1 + number];
    if (kind == LEAF_TIME) return r->w->t;
    if (kind == LEAF_PARAM) return r->w->s.param_values.items[object];
    if (kind == LEAF_UNKNOWN) return r->w->u[object * ORDERS + order];
    for (; order > 0; order--)
        object = r->w->s.definitions.items[object].derivative;
    assert_true(object != NODE_NONE);
    assert_true(r->w->is_set[object]);
    return r->w->v[object];
}

static double reference_row(world *w, const row_list *l, size_t r)
{
    double value;
    reading at = {w, l->data.items + r * (1 + (size_t)l->hole_count)};
    CHECK_STATUS(
        shape_eval(&w->s.shapes, l->root, reference_leaf, &at, NULL, &value),
        DAE_OK);
    return value;
}

/* Whether all definitions that a row reads are known. */
static bool is_ready(world *w, const row_list *l, size_t r)
{
    const uint32_t *row = l->data.items + r * (1 + (size_t)l->hole_count);
    node_id *needed;
    size_t count;
    bool ready = true;
    CHECK_STATUS(
        shape_needed(&w->s.shapes, &l->root, 1, &needed, &count), DAE_OK);
    for (size_t k = 0; k < count; k++) {
        const node *n = shape_node(&w->s.shapes, needed[k]);
        if (n->op != NODE_HOLE || n->kind != LEAF_DEFINITION) continue;
        uint32_t id = row[1 + n->a];
        for (unsigned o = 0; o < n->order; o++)
            id = w->s.definitions.items[id].derivative;
        ready = ready && w->is_set[id];
    }
    alloc_free(w->s.allocator, needed, count, sizeof *needed);
    return ready;
}

static double definition_sum(world *w, uint32_t id, bool *ready)
{
    const definition *d = &w->s.definitions.items[id];
    double sum = 0;
    *ready = true;
    for (uint32_t r = 0; r < d->row_count && *ready; r++) {
        row_ref ref = w->s.row_refs.items[d->first_row + r];
        const row_list *l =
            &w->s.groups[GROUP_DEFINITION].lists.items[ref.list];
        *ready = is_ready(w, l, ref.row);
        if (*ready) sum += reference_row(w, l, ref.row);
    }
    return sum;
}

/* All definitions, those that became unknowns from x; pass after pass until
 * nothing new is known. */
static void reference_definitions(world *w)
{
    bool moved = true;
    memset(w->is_set, 0, w->s.definitions.count + 1);
    for (size_t k = 0; k < w->c->chains.borders.count; k++) {
        uint32_t id = w->c->chains.borders.items[k];
        w->v[id] = w->x[w->c->slots.states + k];
        w->is_set[id] = 1;
    }
    while (moved) {
        moved = false;
        for (uint32_t id = 0; id < w->s.definitions.count; id++) {
            bool ready;
            if (w->is_set[id]) continue;
            double sum = definition_sum(w, id, &ready);
            if (!ready) continue;
            w->v[id] = sum;
            w->is_set[id] = 1;
            moved = true;
        }
    }
}

static void reference_rows(world *w, row_group_kind group, double *values)
{
    const row_group *g = &w->s.groups[group];
    for (size_t k = 0; k < g->lists.count; k++) {
        const row_list *l = &g->lists.items[k];
        for (size_t r = 0; r < row_count(l); r++)
            values[l->data.items[r * (1 + (size_t)l->hole_count)]] +=
                reference_row(w, l, r);
    }
}

static void reference_residual(world *w, double *res)
{
    bool ready;
    memset(res, 0, w->p->unknown_count * sizeof *res);
    reference_rows(w, GROUP_EQUATION, res);
    for (size_t k = 0; k < w->c->chains.borders.count; k++) {
        uint32_t id = w->c->chains.borders.items[k];
        res[w->s.equation_count + k] = definition_sum(w, id, &ready)
            - w->x[w->c->slots.states + k];
    }
}

/* ---- comparing -------------------------------------------------------------- */

static void take_point(world *w, uint64_t seed)
{
    size_t n = w->s.unknown_count, d = w->s.definitions.count + 1;
    free(w->u), free(w->v), free(w->is_set), free(w->x), free(w->xp);
    w->u = calloc(n * ORDERS + 1, sizeof(double));
    w->v = calloc(d, sizeof(double));
    w->is_set = calloc(d, 1);
    w->x = calloc(w->c->slots.total_states + 1, sizeof(double));
    w->xp = calloc(w->c->slots.total + 1, sizeof(double));
    assert_true(w->u && w->v && w->is_set && w->x && w->xp);
    w->t = 0.25 + random_number(&seed) / 8;
    for (size_t k = 0; k < w->c->slots.total_states; k++)
        w->x[k] = 0.6 + random_number(&seed) / 4;
    for (size_t k = 0; k < w->c->slots.total; k++)
        w->xp[k] = 0.6 + random_number(&seed) / 4;
}

/* Unknowns' values from x and xp. */
static void read_point(world *w)
{
    for (size_t j = 0; j < w->s.unknown_count; j++)
        for (unsigned o = 0; o <= compiled_order(w->c, j); o++) {
            size_t index;
            bool in_xp;
            assert_true(compiled_slot(w->c, j, o, &index, &in_xp));
            w->u[j * ORDERS + o] = in_xp ? w->xp[index] : w->x[index];
        }
}

static void check_close(double a, double b, double tolerance)
{
    if (a == b || (isnan(a) && isnan(b))) return;
    CHECK_NEAR(a, b, tolerance * (1 + fabs(b)));
}

static void check_residual(world *w)
{
    size_t n = w->p->unknown_count;
    double *res = calloc(n + 1, sizeof *res), *ref = calloc(n + 1, sizeof *ref);
    read_point(w);
    reference_definitions(w);
    reference_residual(w, ref);
    memset(res, 0xFF, n * sizeof *res);
    CHECK_STATUS(w->p->residual(w->p->self, w->t, w->x, w->xp, res), DAE_OK);
    for (size_t i = 0; i < n; i++) check_close(res[i], ref[i], 1e-13);
    free(res), free(ref);
}

/* Columns in order, rows ascending, each once, all within bounds. */
static void check_pattern(const dae_pattern *p, size_t columns, size_t rows)
{
    assert_int_equal(p->column_start[0], 0);
    for (size_t k = 0; k < columns; k++) {
        assert_true(p->column_start[k] <= p->column_start[k + 1]);
        for (int64_t e = p->column_start[k]; e < p->column_start[k + 1]; e++) {
            assert_true(p->row[e] >= 0 && (size_t)p->row[e] < rows);
            if (e > p->column_start[k]) assert_true(p->row[e] > p->row[e - 1]);
        }
    }
}

typedef struct system_view {
    dae_residual_fn *residual;
    dae_jacobian_fn *jacobian;
    const dae_pattern *pattern;
    size_t rows;
} system_view;

/* Central differences of sixth order of all residuals by one number. */
static void difference(
    world *w, const system_view *v, double *at, double h, double *d)
{
    static const double weight[] = {0.75, -0.15, 1.0 / 60};
    double keep = *at;
    double *a = calloc(v->rows + 1, sizeof *a),
           *b = calloc(v->rows + 1, sizeof *b);
    memset(d, 0, v->rows * sizeof *d);
    for (int k = 1; k <= 3; k++) {
        *at = keep + k * h;
        CHECK_STATUS(v->residual(w->p->self, w->t, w->x, w->xp, a), DAE_OK);
        *at = keep - k * h;
        CHECK_STATUS(v->residual(w->p->self, w->t, w->x, w->xp, b), DAE_OK);
        for (size_t i = 0; i < v->rows; i++)
            d[i] += weight[k - 1] * (a[i] - b[i]) / h;
    }
    *at = keep;
    free(a), free(b);
}

/* Two steps of differences that do not agree tell nothing: NaN. */
static void steady_difference(
    world *w, const system_view *v, double *at, double *d)
{
    double *fine = calloc(v->rows + 1, sizeof *fine);
    difference(w, v, at, 2e-3, d);
    difference(w, v, at, 1e-3, fine);
    for (size_t i = 0; i < v->rows; i++) {
        if (!(fabs(fine[i] - d[i]) <= 1e-8 * (1 + fabs(d[i]))))
            d[i] = (double)NAN;
        else d[i] = fine[i];
    }
    free(fine);
}

static void check_jacobian(world *w, const system_view *v)
{
    size_t states = w->c->slots.total_states;
    size_t columns = states + w->p->unknown_count;
    const dae_pattern *p = v->pattern;
    size_t nonzeros = (size_t)p->column_start[columns];
    double *values = calloc(nonzeros + 1, sizeof *values);
    double *d = calloc(v->rows + 1, sizeof *d);
    check_pattern(p, columns, v->rows);
    memset(values, 0xFF, nonzeros * sizeof *values);
    CHECK_STATUS(
        v->jacobian(w->p->self, DAE_ALL, w->t, w->x, w->xp, values), DAE_OK);
    for (size_t k = 0; k < columns; k++) {
        double *at = k < states ? &w->x[k] : &w->xp[k - states];
        steady_difference(w, v, at, d);
        for (int64_t e = p->column_start[k]; e < p->column_start[k + 1]; e++) {
            w->compared++;
            if (!isfinite(d[p->row[e]])) w->skipped++;
            if (!isfinite(d[p->row[e]])) continue;
            check_close(values[e], d[p->row[e]], 2e-8);
            d[p->row[e]] = 0;
        }
        for (size_t i = 0; i < v->rows; i++) /* nothing outside the pattern */
            if (isfinite(d[i])) CHECK_NEAR(d[i], 0, 1e-9);
    }
    free(values), free(d);
}

static bool same_number(double a, double b)
{
    return a == b || (isnan(a) && isnan(b));
}

/* DAE_VARYING writes the entries that vary and leaves the others; what is
 * called constant or of params is the same at another point. */
static void check_kinds(world *w, const system_view *v, uint64_t seed)
{
    size_t columns = w->c->slots.total_states + w->p->unknown_count;
    const dae_pattern *p = v->pattern;
    size_t nonzeros = (size_t)p->column_start[columns];
    double *a = calloc(nonzeros + 1, sizeof *a);
    double *b = calloc(nonzeros + 1, sizeof *b);
    void *self = w->p->self;
    CHECK_STATUS(v->jacobian(self, DAE_ALL, w->t, w->x, w->xp, a), DAE_OK);
    take_point(w, seed);
    CHECK_STATUS(v->jacobian(self, DAE_ALL, w->t, w->x, w->xp, b), DAE_OK);
    for (size_t e = 0; e < nonzeros; e++) {
        if (p->kind[e] != DAE_ENTRY_VARYING)
            assert_true(same_number(a[e], b[e]));
        a[e] = 777;
    }
    CHECK_STATUS(v->jacobian(self, DAE_VARYING, w->t, w->x, w->xp, a), DAE_OK);
    for (size_t e = 0; e < nonzeros; e++)
        assert_true(
            same_number(a[e], p->kind[e] == DAE_ENTRY_VARYING ? b[e] : 777.0));
    free(a), free(b);
}

static system_view equations_of(const world *w)
{
    return (system_view){
        w->p->residual, w->p->jacobian, w->p->pattern, w->p->unknown_count};
}

static void check_all(world *w)
{
    for (uint64_t seed = 1; seed <= 2; seed++) {
        system_view v = equations_of(w);
        take_point(w, seed);
        check_residual(w);
        check_jacobian(w, &v);
        check_kinds(w, &v, seed + 10);
    }
}

static uint8_t kind_of(const world *w, size_t equation, size_t column)
{
    const dae_pattern *p = w->p->pattern;
    for (int64_t e = p->column_start[column]; e < p->column_start[column + 1];
         e++)
        if ((size_t)p->row[e] == equation) return p->kind[e];
    return 99;
}

/* ---- systems ---------------------------------------------------------------- */

static void test_second_order(void **state)
{
    (void)state;
    world w;
    size_t index;
    bool in_xp;
    world_init(&w, NULL);
    CHECK_STATUS(build_oscillator(&w), DAE_OK);
    CHECK_STATUS(finish(&w), DAE_OK);
    assert_int_equal(w.p->unknown_count, 3);
    assert_int_equal(w.p->order[0], 2);
    assert_int_equal(w.p->order[1], 0);
    assert_int_equal(w.p->order[2], 1);
    assert_int_equal(w.c->slots.total_states, 4);
    assert_true(compiled_slot(w.c, 0, 1, &index, &in_xp));
    assert_true(index == 1 && !in_xp);
    assert_true(compiled_slot(w.c, 0, 2, &index, &in_xp));
    assert_true(index == 0 && in_xp);
    assert_true(compiled_slot(w.c, 1, 0, &index, &in_xp));
    assert_true(index == 2 && !in_xp);
    assert_false(compiled_slot(w.c, 1, 1, &index, &in_xp));
    check_all(&w);
    /* columns: y y' z w | y'' (z') w' */
    assert_int_equal(kind_of(&w, 0, 0), DAE_ENTRY_PARAMETER); /* k */
    assert_int_equal(kind_of(&w, 0, 1), DAE_ENTRY_CONSTANT);  /* 2 */
    assert_int_equal(kind_of(&w, 0, 4), DAE_ENTRY_PARAMETER); /* m */
    assert_int_equal(kind_of(&w, 1, 0), DAE_ENTRY_VARYING);   /* y' */
    assert_int_equal(kind_of(&w, 1, 2), DAE_ENTRY_CONSTANT);
    assert_int_equal(kind_of(&w, 2, 6), DAE_ENTRY_PARAMETER);
    assert_int_equal(kind_of(&w, 2, 5), 99);
    /* params */
    w.s.param_inputs.items[1] = 30;
    CHECK_STATUS(compiled_params_changed(w.c), DAE_OK);
    check_all(&w);
    assert_int_equal(w.skipped, 0);
    world_clear(&w);
}

static void test_definitions(void **state)
{
    (void)state;
    world w;
    char text[40];
    world_init(&w, NULL);
    CHECK_STATUS(build_levels(&w), DAE_OK);
    CHECK_STATUS(finish(&w), DAE_OK);
    /* c' needs b' and a', which need x', y', z' */
    assert_int_equal(w.p->order[0], 1);
    assert_int_equal(w.p->order[2], 1);
    assert_int_equal(w.c->defs.level[0], 2);
    assert_int_equal(w.c->defs.level[1], 0);
    assert_int_equal(w.c->defs.level[2], 1);
    assert_int_equal(w.p->unknown_count, 3);
    uint32_t prime = w.s.definitions.items[0].derivative;
    assert_int_equal(definition_text(&w.s, prime, text, sizeof text), 2);
    assert_string_equal(text, "c'");
    check_all(&w);
    assert_int_equal(w.skipped, 0);
    world_clear(&w);
}

static void test_internal_unknowns(void **state)
{
    (void)state;
    world w;
    char text[40];
    world_init(&w, NULL);
    CHECK_STATUS(build_full(&w, 100), DAE_OK);
    CHECK_STATUS(finish(&w), DAE_OK);
    /* s and s' are unknowns; s2 of two unknowns is not worth one */
    assert_int_equal(w.p->unknown_count, 102);
    assert_int_equal(w.c->slots.total_states, 102);
    assert_int_equal(w.p->order[100], 0);
    assert_int_equal(w.p->index_group[99], 1);
    assert_int_equal(w.p->index_group[100], 255);
    (void)w.p->name(w.p->self, DAE_NAME_UNKNOWN, 100, text, sizeof text);
    assert_string_equal(text, "s");
    (void)w.p->name(w.p->self, DAE_NAME_EQUATION, 101, text, sizeof text);
    assert_string_equal(text, "s'");
    (void)w.p->name(w.p->self, DAE_NAME_EQUATION, 99, text, sizeof text);
    assert_string_equal(text, "flow[100]");
    size_t nonzeros = (size_t)w.p->pattern->column_start[102 + 102];
    assert_true(nonzeros < 1000);
    check_all(&w);
    assert_int_equal(w.skipped, 0);
    world_clear(&w);
}

static void test_internal_start(void **state)
{
    (void)state;
    world w;
    world_init(&w, NULL);
    CHECK_STATUS(build_full(&w, 100), DAE_OK);
    for (uint32_t j = 0; j < 100; j++)
        assert_true(ARRAY_PUSH(w.s.allocator, &w.s.starts,
            (start_value){.unknown = j, .param = NODE_NONE, .value = 2}));
    CHECK_STATUS(finish(&w), DAE_OK);
    CHECK_NEAR(w.p->start->x[100], 400, 1e-10);
    CHECK_NEAR(w.p->start->x[101], 0, 0);
    world_clear(&w);
}

/* A small one of the same kind stays chained. */
static void test_chained(void **state)
{
    (void)state;
    world w;
    world_init(&w, NULL);
    CHECK_STATUS(build_full(&w, 9), DAE_OK);
    CHECK_STATUS(finish(&w), DAE_OK);
    assert_int_equal(w.p->unknown_count, 9);
    check_all(&w);
    assert_int_equal(w.skipped, 0);
    world_clear(&w);
}

/* One sum of 10^5 items in one equation: a full row, no unknown of its own. */
static void test_long_sum(void **state)
{
    (void)state;
    enum { N = 100000 };
    world w;
    uint32_t s;
    world_init(&w, NULL);
    CHECK_STATUS(add_unknowns(&w, "x", N), DAE_OK);
    CHECK_STATUS(add_equations(&w, "flow", N, 0, 5), DAE_OK);
    CHECK_STATUS(add_let(&w, "s", &s), DAE_OK);
    node_id square = shape_powi(&w.s.shapes, un(&w, 0, 0), 2);
    node_id flow = two(&w, NODE_ADD, un(&w, 0, 1), un(&w, 0, 0));
    node_id last = two(
        &w, NODE_SUB, un(&w, 0, 0), one(&w, NODE_SQRT, de(&w, 1, 0)));
    for (uint32_t i = 0; i < N; i++)
        CHECK_STATUS(ROW(&w, GROUP_DEFINITION, square, s, i), DAE_OK);
    for (uint32_t i = 0; i + 1 < N; i++)
        CHECK_STATUS(ROW(&w, GROUP_EQUATION, flow, i, i), DAE_OK);
    CHECK_STATUS(ROW(&w, GROUP_EQUATION, last, N - 1, N - 1, s), DAE_OK);
    CHECK_STATUS(finish(&w), DAE_OK);
    assert_int_equal(w.p->unknown_count, N);
    take_point(&w, 5);
    check_residual(&w);
    const dae_pattern *p = w.p->pattern;
    size_t nonzeros = (size_t)p->column_start[2 * N];
    assert_int_equal(nonzeros, 3 * N - 2);
    double *values = calloc(nonzeros, sizeof *values);
    double norm = 0;
    CHECK_STATUS(
        w.p->jacobian(w.p->self, DAE_ALL, w.t, w.x, w.xp, values), DAE_OK);
    for (int i = 0; i < N; i++) norm += w.x[i] * w.x[i];
    norm = sqrt(norm);
    for (int i = 0; i < N - 1; i++) { /* column i: rows i and N - 1 */
        int64_t e = p->column_start[i];
        assert_int_equal(p->row[e + 1], N - 1);
        CHECK_NEAR(values[e], 1, 0);
        CHECK_NEAR(values[e + 1], -w.x[i] / norm, 1e-12);
    }
    free(values);
    world_clear(&w);
}

/* x[i]' = d*(x[i-1] - 2*x[i] + x[i+1]) - x[i]^3, with walls x = t. */
static void test_grid(void **state)
{
    (void)state;
    enum { N = 100000 };
    world w;
    world_init(&w, NULL);
    CHECK_STATUS(add_unknowns(&w, "x", N), DAE_OK);
    CHECK_STATUS(add_equations(&w, "wall", 2, 0, 5), DAE_OK);
    CHECK_STATUS(add_equations(&w, "inner", N - 2, 6, 9), DAE_OK);
    CHECK_STATUS(add_params(&w, "d", 4), DAE_OK);
    uint32_t d = system_param_element(&w.s, 0);
    uint32_t number = system_param_number(&w.s, 2);
    node_id wall = two(
        &w, NODE_SUB, un(&w, 0, 0), shape_hole(&w.s.shapes, LEAF_TIME, 1, 0));
    node_id flux = two(&w, NODE_ADD,
        two(&w, NODE_SUB, un(&w, 1, 0),
            two(&w, NODE_MUL, pa(&w, 4), un(&w, 2, 0))),
        un(&w, 3, 0));
    node_id inner = two(&w, NODE_SUB, un(&w, 2, 1),
        two(&w, NODE_SUB, two(&w, NODE_MUL, pa(&w, 0), flux),
            shape_powi(&w.s.shapes, un(&w, 2, 0), 3)));
    CHECK_STATUS(ROW(&w, GROUP_EQUATION, wall, 0, 0, 0), DAE_OK);
    CHECK_STATUS(ROW(&w, GROUP_EQUATION, wall, 1, N - 1, 0), DAE_OK);
    for (uint32_t i = 1; i + 1 < N; i++)
        CHECK_STATUS(
            ROW(&w, GROUP_EQUATION, inner, i + 1, d, i - 1, i, i + 1, number),
            DAE_OK);
    CHECK_STATUS(finish(&w), DAE_OK);
    take_point(&w, 3);
    check_residual(&w);
    const dae_pattern *p = w.p->pattern;
    check_pattern(p, 2 * N, N);
    size_t nonzeros = (size_t)p->column_start[2 * N];
    assert_int_equal(nonzeros, 2 + 4 * (N - 2));
    double *values = calloc(nonzeros, sizeof *values);
    CHECK_STATUS(
        w.p->jacobian(w.p->self, DAE_ALL, w.t, w.x, w.xp, values), DAE_OK);
    for (int64_t j = 2; j < N - 2; j++) { /* rows j, j + 1, j + 2 */
        int64_t e = p->column_start[j];
        assert_int_equal(p->row[e], j);
        assert_int_equal(p->kind[e], DAE_ENTRY_PARAMETER);
        assert_int_equal(p->kind[e + 1], DAE_ENTRY_VARYING);
        CHECK_NEAR(values[e], -4, 0);
        CHECK_NEAR(values[e + 1], 8 + 3 * w.x[j] * w.x[j], 1e-13);
        CHECK_NEAR(values[e + 2], -4, 0);
        CHECK_NEAR(values[p->column_start[N + j]], 1, 0);
    }
    free(values);
    system_view v = equations_of(&w);
    check_kinds(&w, &v, 9);
    world_clear(&w);
}

/* ---- random systems ----------------------------------------------------------- */

/* What stands in the holes of random_shape: unknowns at 0..3, time at 9,
 * params at 10 and 11, definitions below `below` at 20 and 21. */
static void random_holes(
    world *w, uint64_t *r, uint32_t definitions, uint32_t *holes)
{
    memset(holes, 0, 22 * sizeof *holes);
    for (int k = 0; k < 4; k++)
        holes[k] = random_below(r, (unsigned)w->s.unknown_count);
    for (int k = 10; k < 12; k++)
        holes[k] = random_below(r, (unsigned)w->s.params.nodes.count);
    for (int k = 20; k < 22; k++) holes[k] = random_below(r, definitions);
}

/* Several roots over several rows each, so that lists have many rows. */
static dae_status build_random(world *w, uint64_t seed)
{
    uint64_t *r = &seed;
    uint32_t n = 3 + random_below(r, 6), m = 1 + random_below(r, 6), id;
    uint32_t holes[22];
    dae_status st = add_unknowns(w, "x", n);
    if (!st) st = add_equations(w, "e", n, 0, 5);
    if (!st) st = add_params(w, "p", 0.7);
    if (system_param_number(&w->s, 1.5) == NODE_NONE) st = DAE_MEMORY;
    for (uint32_t d = 0; d < m && !st; d++) {
        st = system_begin_definition(&w->s, DEFINITION_PART, &id);
        unsigned rows = random_below(r, 3);
        for (unsigned k = 0; k < rows && !st && d > 0; k++) {
            node_id root = random_shape(&w->s.shapes, r, smooth_kind, 3);
            random_holes(w, r, d, holes);
            st = system_add_row(&w->s, GROUP_DEFINITION, root, 22, d, holes);
        }
    }
    for (uint32_t k = 0; k < 4 && !st; k++) {
        node_id root = random_shape(&w->s.shapes, r, smooth_kind, 4);
        for (uint32_t i = 0; i < n && !st; i++) {
            random_holes(w, r, m, holes);
            if (random_below(r, 3))
                st = system_add_row(&w->s, GROUP_EQUATION, root, 22, i, holes);
        }
    }
    for (uint32_t i = 0; i < n && !st; i++)
        st = ROW(w, GROUP_EQUATION, un(w, 0, 0), i, i);
    return st;
}

static void test_random(void **state)
{
    (void)state;
    size_t compared = 0, skipped = 0;
    for (uint64_t seed = 1; seed <= 150; seed++) {
        world w;
        world_init(&w, NULL);
        CHECK_STATUS(build_random(&w, seed), DAE_OK);
        CHECK_STATUS(finish(&w), DAE_OK);
        check_all(&w);
        compared += w.compared;
        skipped += w.skipped;
        world_clear(&w);
    }
    assert_true(compared > 5000 && skipped < compared / 10);
}

/* ---- start, conditions, observations -------------------------------------------- */

static void test_start(void **state)
{
    (void)state;
    world w;
    world_init(&w, NULL);
    CHECK_STATUS(build_oscillator(&w), DAE_OK);
    w.s.scales.items[1].nominal = 50;
    w.s.scales.items[2].minimum = -3;
    w.s.scales.items[2].atol = 1e-4;
    uint32_t k = system_param_element(&w.s, 1);
    start_value given[] = {
        {.unknown = 0, .order = 0, .is_condition = true, .param = k},
        {.unknown = 0, .order = 1, .param = NODE_NONE, .value = 7},
        {.unknown = 0,
            .order = 2,
            .is_condition = true,
            .param = NODE_NONE,
            .value = 9},
        {.unknown = 1, .order = 1, .param = NODE_NONE, .value = 5},
    };
    for (size_t g = 0; g < 4; g++)
        assert_true(ARRAY_PUSH(w.s.allocator, &w.s.starts, given[g]));
    CHECK_STATUS(finish(&w), DAE_OK);
    const dae_start *s = w.p->start;
    CHECK_NEAR(s->t0, 0.25, 0);
    CHECK_NEAR(s->x[0], 3, 0);
    CHECK_NEAR(s->x[1], 7, 0);
    CHECK_NEAR(s->x[2], 50, 0);
    CHECK_NEAR(s->x[3], 0, 0);
    CHECK_NEAR(s->xp[0], 9, 0);
    assert_true(s->x_fixed[0] && !s->x_fixed[1] && !s->x_fixed[2]);
    assert_true(s->xp_fixed[0] && !s->xp_fixed[1]);
    CHECK_NEAR(w.p->scales->minimum[2], -3, 0);
    CHECK_NEAR(w.p->scales->atol[2], 1e-4, 0);
    assert_true(isinf(w.p->scales->maximum[2]));
    w.s.param_inputs.items[1] = 4.5;
    CHECK_STATUS(compiled_params_changed(w.c), DAE_OK);
    CHECK_NEAR(s->x[0], 4.5, 0);
    world_clear(&w);
}

/* y = 1/x + z, so 0 is not in the domain of x; 1 is. */
static void test_start_leaves_zero(void **state)
{
    (void)state;
    world w;
    world_init(&w, NULL);
    CHECK_STATUS(add_unknowns(&w, "x", 1), DAE_OK);
    CHECK_STATUS(add_unknowns(&w, "y", 1), DAE_OK);
    CHECK_STATUS(add_equations(&w, "e", 2, 0, 5), DAE_OK);
    node_id quotient = two(&w, NODE_SUB, un(&w, 1, 1),
        two(&w, NODE_DIV, shape_const(&w.s.shapes, 1), un(&w, 0, 0)));
    CHECK_STATUS(ROW(&w, GROUP_EQUATION, quotient, 0, 0, 1), DAE_OK);
    CHECK_STATUS(ROW(&w, GROUP_EQUATION, un(&w, 0, 0), 1, 1), DAE_OK);
    CHECK_STATUS(finish(&w), DAE_OK);
    CHECK_NEAR(w.p->start->x[0], 1, 0);
    CHECK_NEAR(w.p->start->x[1], 0, 0);
    world_clear(&w);
}

static void test_conditions(void **state)
{
    (void)state;
    world w;
    world_init(&w, NULL);
    CHECK_STATUS(build_levels(&w), DAE_OK);
    uint32_t only;
    CHECK_STATUS(add_let(&w, "only", &only), DAE_OK);
    node_id product = two(&w, NODE_MUL, de(&w, 0, 0), un(&w, 1, 1));
    CHECK_STATUS(ROW(&w, GROUP_DEFINITION, product, only, 1, 0), DAE_OK);
    /* two conditions: only*z - y' , c*x */
    node_id first = two(&w, NODE_SUB,
        two(&w, NODE_MUL, de(&w, 0, 0), un(&w, 1, 0)), un(&w, 2, 1));
    node_id second = two(&w, NODE_MUL, de(&w, 0, 0), un(&w, 1, 0));
    CHECK_STATUS(ROW(&w, GROUP_CONDITION, first, 0, only, 2, 1), DAE_OK);
    CHECK_STATUS(ROW(&w, GROUP_CONDITION, second, 1, 0, 0), DAE_OK);
    w.s.condition_count = 2;
    CHECK_STATUS(finish(&w), DAE_OK);
    assert_int_equal(w.p->start->condition_count, 2);
    take_point(&w, 4);
    read_point(&w);
    reference_definitions(&w);
    double res[2], ref[2] = {0, 0};
    CHECK_STATUS(
        w.p->start->condition_residual(w.p->self, w.t, w.x, w.xp, res), DAE_OK);
    reference_rows(&w, GROUP_CONDITION, ref);
    CHECK_NEAR(res[0], ref[0], 1e-14);
    CHECK_NEAR(res[1], ref[1], 1e-14);
    system_view v = {w.p->start->condition_residual,
        w.p->start->condition_jacobian, &w.p->start->condition_pattern, 2};
    check_jacobian(&w, &v);
    check_all(&w);
    assert_int_equal(w.skipped, 0);
    world_clear(&w);
}

static void test_observations(void **state)
{
    (void)state;
    world w;
    world_init(&w, NULL);
    CHECK_STATUS(build_full(&w, 100), DAE_OK);
    CHECK_STATUS(add_params(&w, "initial(s)", 0), DAE_OK);
    uint32_t kept = system_param_element(&w.s, 0);
    /* s*x[3], and s - initial(s) */
    node_id first = two(&w, NODE_MUL, de(&w, 0, 0), un(&w, 1, 0));
    node_id second = two(&w, NODE_SUB, de(&w, 0, 0), pa(&w, 1));
    CHECK_STATUS(ROW(&w, GROUP_OBSERVATION, first, 0, 0, 2), DAE_OK);
    CHECK_STATUS(ROW(&w, GROUP_OBSERVATION, second, 1, 0, kept), DAE_OK);
    CHECK_STATUS(ROW(&w, GROUP_START, de(&w, 0, 0), 0, 0), DAE_OK);
    w.s.observation_count = 3; /* the third has no row: 0 */
    w.s.start_count = 1;
    CHECK_STATUS(finish(&w), DAE_OK);
    take_point(&w, 8);
    double values[3] = {9, 9, 9}, s = w.x[100];
    CHECK_STATUS(compiled_observe(w.c, w.t, w.x, w.xp, values), DAE_OK);
    CHECK_NEAR(values[0], s * w.x[2], 1e-14);
    CHECK_NEAR(values[1], s, 0);
    CHECK_NEAR(values[2], 0, 0);
    CHECK_STATUS(compiled_set_start(w.c, w.t, w.x, w.xp), DAE_OK);
    w.x[100] = s + 2;
    CHECK_STATUS(compiled_observe(w.c, w.t, w.x, w.xp, values), DAE_OK);
    CHECK_NEAR(values[1], 2, 1e-14);
    world_clear(&w);
}

/* ---- memory ---------------------------------------------------------------------- */

typedef dae_status build_fn(world *w);

static dae_status build_small_full(world *w)
{
    return build_full(w, 70);
}

static void fail_every(build_fn *build)
{
    bool is_done = false;
    for (size_t n = 0; !is_done; n++) {
        world w;
        failing_memory memory;
        failing_init(&memory, n);
        world_init(&w, &memory.allocator);
        dae_status st = build(&w);
        if (!st) st = finish(&w);
        is_done = st == DAE_OK;
        if (!is_done) CHECK_STATUS(st, DAE_MEMORY);
        assert_true(is_done || !w.c);
        world_clear(&w);
        assert_int_equal(memory.live, 0);
    }
}

static void test_memory(void **state)
{
    (void)state;
    fail_every(build_oscillator);
    fail_every(build_levels);
    fail_every(build_small_full);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_second_order),
        cmocka_unit_test(test_definitions),
        cmocka_unit_test(test_internal_unknowns),
        cmocka_unit_test(test_internal_start),
        cmocka_unit_test(test_chained),
        cmocka_unit_test(test_long_sum),
        cmocka_unit_test(test_grid),
        cmocka_unit_test(test_random),
        cmocka_unit_test(test_start),
        cmocka_unit_test(test_start_leaves_zero),
        cmocka_unit_test(test_conditions),
        cmocka_unit_test(test_observations),
        cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
