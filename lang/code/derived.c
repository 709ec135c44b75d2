/* Residual or Jacobian as expressions, their rates, and one kernel of one row,
 * which the program builder makes straight-line code of. The model keeps the last of
 * either: they depend on the equations alone, and every run asks for the same. */
#include "code/derived.h"
#include "code/bytecode.h"
#include "code/expressions.h"
#include "code/rows.h"
#include "code/vm_lanes.h"
#include "ir/rates.h"
#include <assert.h>
#include <math.h>
#include <string.h>

enum {
    ORDER_MOST = 20,
    NODES_MOST = 1 << 16, /* of a model */
    GROWTH_MOST = 12,     /* nodes for each instruction, and so many */
    NODES_FREE = 256 /* without question: beyond, formulas outgrow series */
};

/* What a derivation led to, held by those that asked for it and by the model. */
struct derived {
    const compiled *c;
    dae_derivation wanted; /* copied */
    dae_pattern pattern;
    program *program; /* NULL: series serve as well or better */
    size_t results;
    void *scratch;
    vm_lanes *lanes; /* once several points have been asked for at once, */
    bool has_asked;  /* and may be; then NULL: not by these */
    size_t holders;
    arena memory; /* of the copies */
};

/* While it is made. */
typedef struct making {
    const compiled *c;
    const dae_derivation *wanted;
    expressions e;
    rates rates;
    arena memory;
    const node_id *of[ORDER_MOST + 1]; /* derivatives of e.results */
    const uint8_t *order;              /* highest one of each, and */
    unsigned highest;                  /* of all */
    node_id *roots;                    /* what is computed in the end */
    size_t root_count;
} making;

/* ---- orders ----------------------------------------------------------------- */

static size_t order_of(const making *m, size_t equation)
{
    const size_t *first = m->wanted->row_first;
    assert(first[equation + 1] > first[equation]);
    return first[equation + 1] - first[equation] - 1;
}

/* Constants have no derivatives. */
static dae_status find_orders(making *m)
{
    const jacobian *j = &m->c->jacobian;
    const bool is_jacobian = m->wanted->pattern != NULL;
    uint8_t *order = ARENA_ARRAY(&m->memory, uint8_t, m->e.count);
    if (!order) return DAE_MEMORY;
    m->order = order;
    for (size_t k = 0; k < m->e.count; k++) {
        const size_t most = order_of(m, is_jacobian ? (size_t)j->row[k] : k);
        const bool varies = !is_jacobian || j->kind[k] == DAE_ENTRY_VARYING;
        if (most > ORDER_MOST) return DAE_LIMIT;
        if (varies) order[k] = (uint8_t)most;
        if (m->highest < order[k]) m->highest = order[k];
    }
    return DAE_OK;
}

static bool is_slot(void *context, uint32_t unknown, unsigned order)
{
    const size_t *first = ((const making *)context)->wanted->column_first;
    return order <= UINT8_MAX && order < first[unknown + 1] - first[unknown];
}

/* ---- derivatives -------------------------------------------------------------- */

static dae_status differentiate(making *m, unsigned order)
{
    const node_id *from = m->of[order - 1];
    node_id *to = ARENA_ARRAY(&m->memory, node_id, m->e.count);
    node_id *roots = ARENA_ARRAY(&m->memory, node_id, m->e.count);
    size_t count = 0;
    if (!to || !roots) return DAE_MEMORY;
    for (size_t k = 0; k < m->e.count; k++)
        if (m->order[k] >= order) roots[count++] = from[k];
    const dae_status st = rates_take(&m->rates, roots, count);
    for (size_t k = 0; k < m->e.count && !st; k++)
        if (m->order[k] >= order) to[k] = rates_of(&m->rates, from[k]);
    m->of[order] = to;
    return st;
}

static dae_status find_derivatives(making *m)
{
    dae_status st = DAE_OK;
    m->of[0] = m->e.results;
    for (unsigned order = 1; order <= m->highest && !st; order++)
        st = differentiate(m, order);
    return st;
}

/* ---- roots -------------------------------------------------------------------- */

static dae_status take_roots(making *m, size_t count)
{
    const node_id zero = shape_const(&m->e.pool, 0);
    m->roots = ARENA_ARRAY(&m->memory, node_id, count);
    m->root_count = count;
    if (!m->roots || zero == NODE_NONE) return DAE_MEMORY;
    for (size_t k = 0; k < count; k++) m->roots[k] = zero;
    return DAE_OK;
}

static void place_rows(making *m)
{
    for (size_t i = 0; i < m->e.count; i++)
        for (size_t k = 0; k <= m->order[i]; k++)
            m->roots[m->wanted->row_first[i] + k] = m->of[k][i];
}

static size_t find_entry(const dae_pattern *p, size_t row, size_t column)
{
    int64_t low = p->column_start[column], high = p->column_start[column + 1];
    while (high - low > 1) {
        const int64_t middle = low + (high - low) / 2;
        if ((size_t)p->row[middle] <= row) low = middle;
        else high = middle;
    }
    assert((size_t)p->row[low] == row);
    return (size_t)low;
}

/* dF^(k)/dx^(o+s) = sum of binomial(k, s) (dF/dx^(o))^(k-s), here for an entry
 * and its slot of order o in column `column`. */
static void place_entry(making *m, size_t entry, size_t column)
{
    shape_pool *pool = &m->e.pool;
    const size_t i = (size_t)m->c->jacobian.row[entry], most = order_of(m, i);
    for (size_t k = 0; k <= most; k++) {
        double binomial = 1;
        for (size_t s = k + 1; s-- > 0;) {
            const size_t row = m->wanted->row_first[i] + k;
            if (k - s > m->order[entry]) break;
            node_id *root =
                &m->roots[find_entry(m->wanted->pattern, row, column + s)];
            const node_id factor = shape_const(pool, binomial);
            const node_id term = shape_binary(
                pool, NODE_MUL, factor, m->of[k - s][entry]);
            *root = shape_binary(pool, NODE_ADD, *root, term);
            binomial *= (double)s / (double)(k - s + 1);
        }
    }
}

static void place_column(making *m, size_t slot, size_t column)
{
    const int64_t *start = m->c->jacobian.column_start;
    for (int64_t e = start[slot]; e < start[slot + 1]; e++)
        place_entry(m, (size_t)e, column);
}

static void place_entries(making *m)
{
    const slot_tables *l = &m->c->slots;
    for (size_t j = 0; j < l->total; j++) {
        const size_t column = m->wanted->column_first[j], q = l->order[j];
        for (size_t o = 0; l->first[j] + o < l->first[j + 1]; o++)
            place_column(m, l->first[j] + o, column + o);
        if (q > 0) place_column(m, l->total_states + j, column + q);
    }
}

static dae_status find_roots(making *m)
{
    const dae_derivation *w = m->wanted;
    const size_t n = m->c->slots.total;
    const size_t count = w->pattern
        ? (size_t)w->pattern->column_start[w->column_first[n]]
        : w->row_first[n];
    const dae_status st = take_roots(m, count);
    if (st) return st;
    if (w->pattern) place_entries(m);
    else place_rows(m);
    return m->e.pool.failed ? DAE_MEMORY : DAE_OK;
}

/* ---- the program --------------------------------------------------------------- */

static kernel_column column_of(const making *m, const leaf *l, uint32_t *index)
{
    kernel_column column = {.leaf = l->node, .index = index};
    *index = l->hole;
    switch ((leaf_kind)l->kind) {
    case LEAF_UNKNOWN:
        *index = (uint32_t)m->wanted->column_first[l->hole] + l->order;
        column.space = SPACE_X;
        break;
    case LEAF_PARAM: column.space = SPACE_PARAM; break;
    case LEAF_HELD: column.space = SPACE_HELD; break;
    case LEAF_TIME:
    case LEAF_DEFINITION:
        assert(l->kind == LEAF_TIME);
        column.space = SPACE_TIME;
        break;
    }
    return column;
}

static dae_status take_columns(making *m, kernel *k)
{
    leaf *leaves;
    uint32_t count;
    const dae_status st = leaves_below(
        &m->e.pool, m->roots, m->root_count, &m->memory, &leaves, &count);
    if (st) return st;
    kernel_column *columns = ARENA_ARRAY(&m->memory, kernel_column, count);
    uint32_t *index = ARENA_ARRAY(&m->memory, uint32_t, count);
    if (!columns || !index) return DAE_MEMORY;
    for (uint32_t l = 0; l < count; l++)
        columns[l] = column_of(m, &leaves[l], &index[l]);
    k->columns = columns;
    k->column_count = count;
    return DAE_OK;
}

static dae_status take_outputs(making *m, kernel *k)
{
    kernel_output *outputs = ARENA_ARRAY(
        &m->memory, kernel_output, m->root_count);
    uint32_t *target = ARENA_ARRAY(&m->memory, uint32_t, m->root_count);
    if (!outputs || !target) return DAE_MEMORY;
    for (size_t o = 0; o < m->root_count; o++) {
        target[o] = (uint32_t)o;
        outputs[o] = (kernel_output){
            .root = m->roots[o], .out = OUT_MAIN, .target = &target[o]};
    }
    k->outputs = outputs;
    k->output_count = m->root_count;
    return DAE_OK;
}

static dae_status build(making *m, program **out)
{
    const compiled *c = m->c;
    kernel k = {.row_count = 1};
    program_sizes sizes = {0};
    sizes.space[SPACE_X] = m->wanted->column_first[c->slots.total];
    sizes.space[SPACE_PARAM] = c->s->param_values.count;
    sizes.space[SPACE_TIME] = 1;
    sizes.space[SPACE_HELD] = c->held_count + 1;
    sizes.out[OUT_MAIN] = m->root_count;
    dae_status st = take_columns(m, &k);
    if (!st) st = take_outputs(m, &k);
    return st ? st
              : program_build(&m->e.pool, &k, 1, &sizes, c->allocator, out);
}

static size_t most_nodes(const making *m)
{
    const size_t most = NODES_FREE + GROWTH_MOST * m->e.instructions;
    return most < NODES_MOST ? most : NODES_MOST;
}

static dae_status make(making *m, program **out)
{
    const compiled *c = m->c;
    const bool is_jacobian = m->wanted->pattern != NULL;
    dae_status st = expressions_make(c, is_jacobian, NODES_MOST, &m->e);
    rates_init(&m->rates, &m->e.pool, most_nodes(m), is_slot, m);
    if (!st) st = find_orders(m);
    if (!st) st = find_derivatives(m);
    if (!st) st = find_roots(m);
    return st ? st : build(m, out);
}

/* ---- callbacks ------------------------------------------------------------------ */

static dae_status take_lanes(derived *d)
{
    const dae_status st = d->has_asked
        ? DAE_OK
        : vm_lanes_create(d->program, d->c->allocator, &d->lanes);
    d->has_asked = !st;
    return st;
}

static void run_in_turn(const derived *d, size_t count, const double *t,
    const double *const *points, double *const *results)
{
    const compiled *c = d->c;
    double *at[AT_COUNT] = {
        [AT_PARAM] = c->s->param_values.items, [AT_HELD] = c->held};
    program_places(d->program, d->scratch, at);
    for (size_t k = 0; k < count; k++) {
        at[AT_TIME] = place_of_input(&t[k]);
        at[AT_X] = place_of_input(points[k]);
        at[AT_MAIN] = results[k];
        program_run_places(d->program, at);
    }
}

static void run_at_once(const derived *d, size_t count, const double *t,
    const double *const *points, double *const *results)
{
    const vm_points all = {.count = count,
        .t = t,
        .param = d->c->s->param_values.items,
        .held = d->c->held,
        .x = points,
        .xp = points, /* a space of no values */
        .main = results};
    vm_lanes_run(d->lanes, &all);
}

/* As residuals of problem.c. */
static dae_status evaluate(void *self, size_t count, const double *t,
    const double *const *points, double *const *results)
{
    derived *d = self;
    double lost = 0; /* NaN: a value is not finite */
    const dae_status st = count > 1 ? take_lanes(d) : DAE_OK;
    if (st) return st;
    program_count_runs(d->program, (uint32_t)count);
    const bool is_one = count == 1 || count > VM_LANES || !d->lanes
        || d->program->native.memory;
    (is_one ? run_in_turn : run_at_once)(d, count, t, points, results);
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < d->results; k++) lost += 0 * results[i][k];
    return lost == 0 ? DAE_OK : DAE_RETRY;
}

static void release(void *self)
{
    derived *d = self;
    const dae_allocator *a = d->c->allocator;
    assert(d->holders > 0);
    if (--d->holders > 0) return;
    if (d->scratch) alloc_free(a, d->scratch, program_scratch(d->program), 1);
    vm_lanes_free(d->lanes);
    program_free(d->program);
    arena_clear(&d->memory);
    alloc_free(a, d, 1, sizeof *d);
}

void derived_free(derived *d)
{
    if (d) release(d);
}

/* ---- what is kept ---------------------------------------------------------------- */

static bool is_same(const void *a, const void *b, size_t count, size_t size)
{
    return memcmp(a, b, count * size) == 0;
}

static bool is_for(const derived *d, const dae_derivation *w)
{
    const size_t n = d->c->slots.total;
    const dae_derivation *own = &d->wanted;
    const dae_pattern *p = own->pattern, *q = w->pattern;
    assert(!p == !q);
    if (!is_same(own->row_first, w->row_first, n + 1, sizeof *w->row_first)
        || !is_same(
            own->column_first, w->column_first, n + 1, sizeof *w->column_first))
        return false;
    if (!p) return true;
    const size_t columns = w->column_first[n];
    const int64_t *start = p->column_start;
    return is_same(start, q->column_start, columns + 1, sizeof *start)
        && is_same(p->row, q->row, (size_t)start[columns], sizeof *p->row);
}

static void *copy(arena *a, const void *from, size_t count, size_t size)
{
    void *to = arena_take(a, count, size);
    if (to) memcpy(to, from, count * size);
    return to;
}

static bool take_wanted(derived *d, const dae_derivation *w)
{
    const size_t n = d->c->slots.total, columns = w->column_first[n];
    const dae_pattern *p = w->pattern;
    arena *a = &d->memory;
    d->wanted.row_first = copy(a, w->row_first, n + 1, sizeof *w->row_first);
    d->wanted.column_first = copy(
        a, w->column_first, n + 1, sizeof *w->column_first);
    if (!d->wanted.row_first || !d->wanted.column_first) return false;
    if (!p) return true;
    d->pattern.column_start = copy(
        a, p->column_start, columns + 1, sizeof *p->column_start);
    d->pattern.row = copy(
        a, p->row, (size_t)p->column_start[columns], sizeof *p->row);
    d->wanted.pattern = &d->pattern;
    return d->pattern.column_start && d->pattern.row;
}

/* The program, or that there is none. */
static dae_status fill(derived *d)
{
    const compiled *c = d->c;
    making m = {.c = c, .wanted = &d->wanted};
    arena_init(&m.memory, c->allocator, 0);
    const dae_status st = make(&m, &d->program);
    d->results = m.root_count;
    rates_clear(&m.rates);
    expressions_clear(&m.e);
    arena_clear(&m.memory);
    if (st) return st == DAE_LIMIT || st == DAE_UNSUPPORTED ? DAE_OK : st;
    program_native(d->program, c->is_native);
    d->scratch = alloc_zeroed(c->allocator, program_scratch(d->program), 1);
    return d->scratch ? DAE_OK : DAE_MEMORY;
}

/* In the place of what was kept, held by `c`. */
static dae_status keep(
    compiled *c, const dae_derivation *wanted, derived **kept)
{
    derived *d = alloc_zeroed(c->allocator, 1, sizeof *d);
    if (!d) return DAE_MEMORY;
    d->c = c;
    d->holders = 1;
    arena_init(&d->memory, c->allocator, 0);
    const dae_status st = take_wanted(d, wanted) ? fill(d) : DAE_MEMORY;
    if (st) {
        release(d);
        return st;
    }
    derived_free(*kept);
    *kept = d;
    return DAE_OK;
}

dae_status derived_make(
    void *self, const dae_derivation *wanted, dae_derived *out)
{
    compiled *c = self;
    derived **kept = &c->derived[wanted->pattern != NULL];
    *out = (dae_derived){0};
    if (!*kept || !is_for(*kept, wanted)) {
        const dae_status st = keep(c, wanted, kept);
        if (st) return st;
    }
    if (!(*kept)->program) return DAE_UNSUPPORTED;
    (*kept)->holders++;
    *out = (dae_derived){*kept, evaluate, release};
    return DAE_OK;
}
