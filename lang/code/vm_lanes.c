/* Every array of a program has VM_LANES values in the place of one, all in one room, so
 * that operands are pointers. Loops over points are of a constant even length. */
#include "code/vm_lanes.h"
#include "base/real.h"
#include "base/unrolled.h"
#include "code/vm_bodies.h"
#include <assert.h>
#include <math.h>
#include <string.h>

/* Doubles that a first cache holds. */
enum { ROOM_MOST = 4096 };

typedef struct bound {
    double *d;
    const double *of[3]; /* a, b, c */
    const scalar_ins *ins;
    opcode op;
} bound;

/* A number for all points, which may change between runs. */
typedef struct number {
    double *to;
    size_t index;
    bool is_held; /* of SPACE_HELD, else of SPACE_PARAM */
} number;

struct vm_lanes {
    const program *p;
    const dae_allocator *a;
    double *at[AT_COUNT]; /* in the room */
    double *room;
    size_t room_size;
    bound *code;
    size_t count;
    number *numbers;
    size_t number_count, number_room;
};

/* --- operands --- */

/* Where each array begins, in values; how many there are. */
static size_t find_places(const program *p, size_t begin[AT_COUNT])
{
    size_t used = 0;
    for (int k = 0; k < SPACE_COUNT; k++) {
        begin[AT_X + k] = used;
        used += p->sizes.space[k];
    }
    begin[AT_MAIN] = used, used += p->sizes.out[OUT_MAIN];
    begin[AT_OUT_DEF] = begin[AT_DEF]; /* the same array */
    begin[AT_JAC] = used, used += p->sizes.out[OUT_JAC];
    begin[AT_CONST] = used, used += p->constants.count;
    begin[AT_SLOT] = used, used += p->slots;
    return used;
}

/* Doubles; 0: such a program is not for this. */
static size_t room_of(const program *p)
{
    size_t begin[AT_COUNT];
    for (size_t i = 0; i < p->sections.count; i++)
        if (p->sections.items[i].is_block) return 0;
    const size_t values = find_places(p, begin);
    return values <= ROOM_MOST / VM_LANES ? values * VM_LANES : 0;
}

/* Numbers that are read are marked in the room until all are known. */
static void note_number(vm_lanes *v, unsigned at, uint32_t index)
{
    double *to = v->at[at] + (size_t)index * VM_LANES;
    if ((at != AT_PARAM && at != AT_HELD) || *to > 0) return;
    *to = 1;
    v->numbers[v->number_count++] = (number){to, index, at == AT_HELD};
}

static bound bind(vm_lanes *v, const scalar_ins *i)
{
    const opcode op = (opcode)scalar_op(i);
    const char *operands = opcode_operands[op];
    bound b = {.ins = i, .op = op};
    b.d = v->at[scalar_d_at(i)] + (size_t)i->d * VM_LANES;
    for (int k = 0; k < 3; k++) b.of[k] = b.d;
    for (int k = 0; operands[k] && operands[k] != 'k'; k++) {
        const uint32_t index = scalar_index(i, k);
        b.of[k] = v->at[scalar_at(i, k)] + (size_t)index * VM_LANES;
        note_number(v, scalar_at(i, k), index);
    }
    return b;
}

static void bind_all(vm_lanes *v)
{
    const program *p = v->p;
    size_t n = 0;
    for (size_t s = 0; s < p->sections.count; s++) {
        const code_range code = p->sections.items[s].scalar;
        for (size_t i = 0; i < code.count; i++)
            v->code[n++] = bind(v, &p->scalar.items[code.first + i]);
    }
    assert(n == v->count);
    for (size_t k = 0; k < v->number_count; k++) *v->numbers[k].to = 0;
    for (size_t i = 0; i < p->constants.count * VM_LANES; i++)
        v->at[AT_CONST][i] = p->constants.items[i / VM_LANES];
}

dae_status vm_lanes_create(
    const program *p, const dae_allocator *allocator, vm_lanes **out)
{
    const dae_allocator *a = alloc_or_default(allocator);
    const size_t room = room_of(p);
    size_t begin[AT_COUNT] = {0};
    *out = NULL;
    if (room == 0) return DAE_OK;
    vm_lanes *v = alloc_zeroed(a, 1, sizeof *v);
    if (!v) return DAE_MEMORY;
    *v = (vm_lanes){.p = p, .a = a, .room_size = room};
    v->count = p->scalar.count;
    v->number_room = p->sizes.space[SPACE_PARAM] + p->sizes.space[SPACE_HELD];
    v->room = alloc_zeroed(a, room, sizeof *v->room);
    v->code = alloc_zeroed(a, v->count, sizeof *v->code);
    v->numbers = alloc_zeroed(a, v->number_room, sizeof *v->numbers);
    if (!v->room || !v->code || !v->numbers) {
        vm_lanes_free(v);
        return DAE_MEMORY;
    }
    (void)find_places(p, begin);
    for (int k = 0; k <= AT_SLOT; k++) v->at[k] = v->room + begin[k] * VM_LANES;
    bind_all(v);
    *out = v;
    return DAE_OK;
}

void vm_lanes_free(vm_lanes *v)
{
    if (!v) return;
    alloc_free(v->a, v->room, v->room_size, sizeof *v->room);
    alloc_free(v->a, v->code, v->count, sizeof *v->code);
    alloc_free(v->a, v->numbers, v->number_room, sizeof *v->numbers);
    alloc_free(v->a, v, 1, sizeof *v);
}

/* --- a run --- */

UNROLLED void spread_of(const size_t points, const double *const *from,
    size_t count, double *restrict to)
{
    const double *row[VM_LANES];
    for (size_t l = 0; l < points; l++) row[l] = from[l];
    for (size_t i = 0; i < count; i++, to += VM_LANES)
        for (size_t l = 0; l < points; l++) to[l] = row[l][i];
}

UNROLLED void collect_of(const size_t points, const double *restrict from,
    size_t count, double *const *to)
{
    double *row[VM_LANES];
    for (size_t l = 0; l < points; l++) row[l] = to[l];
    for (size_t i = 0; i < count; i++, from += VM_LANES)
        for (size_t l = 0; l < points; l++) row[l][i] = from[l];
}

/* The values of each point; the lanes that are over keep what they have. */
UNROLLED void open_of(const size_t points, vm_lanes *v, const vm_points *q)
{
    const size_t *sizes = v->p->sizes.space;
    spread_of(points, q->x, sizes[SPACE_X], v->at[AT_X]);
    spread_of(points, q->xp, sizes[SPACE_XP], v->at[AT_XP]);
    for (size_t l = 0; l < points; l++) v->at[AT_TIME][l] = q->t[l];
}

/* Numbers that the last run has not left there. */
static void spread_numbers(vm_lanes *v, const vm_points *q)
{
    const number *end = v->numbers + v->number_count;
    for (const number *n = v->numbers; n < end; n++) {
        const double now = (n->is_held ? q->held : q->param)[n->index];
        if (value_bits(*n->to) == value_bits(now)) continue;
        for (size_t l = 0; l < VM_LANES; l++) n->to[l] = now;
    }
}

static void clear(vm_lanes *v, const index_ranges *ranges)
{
    static const uint8_t places[OUT_COUNT] = {
        [OUT_MAIN] = AT_MAIN, [OUT_DEF] = AT_OUT_DEF, [OUT_JAC] = AT_JAC};
    for (size_t o = 0; ranges && o < OUT_COUNT; o++)
        for (size_t k = 0; k < ranges[o].count; k++) {
            const index_range r = ranges[o].items[k];
            memset(v->at[places[o]] + (size_t)r.begin * VM_LANES, 0,
                (size_t)(r.end - r.begin) * VM_LANES * sizeof(double));
        }
}

#define A (i->of[0][l])
#define B (i->of[1][l])
#define C (i->of[2][l])
#define RARE1 vm_scalar_rare(i->ins, tables, A, 0)
#define RARE2 vm_scalar_rare(i->ins, tables, A, B)

/* The result may be one of the operands. */
UNROLLED void run_of(const size_t width, const vm_lanes *v, size_t points)
{
    const double *tables = v->p->tables;
    const bound *end = v->code + v->count;
    double d[VM_LANES];
    for (const bound *i = v->code; i < end; i++) {
        switch (i->op) {
#define CASE(name, value)                                                      \
    case OP_##name:                                                            \
        for (size_t l = 0; l < width; l++) d[l] = (double)(value);             \
        for (size_t l = 0; l < width; l++) i->d[l] = d[l];                     \
        break;
#define CALL(name, value)                                                      \
    case OP_##name:                                                            \
        for (size_t l = 0; l < points; l++) i->d[l] = (double)(value);         \
        break;
            BODIES
#undef CASE
#undef CALL
        default: return; /* block code: there is none */
        }
    }
}

static void run(vm_lanes *v, size_t points)
{
    if (points <= 4) run_of(4, v, points);
    else if (points <= 6) run_of(6, v, points);
    else run_of(8, v, points);
}

/* Calls a function that is unrolled for the usual numbers of stages. */
#define BY_POINTS(function, points, ...)                                       \
    switch (points) {                                                          \
    case 3: function(3, __VA_ARGS__); break;                                   \
    case 5: function(5, __VA_ARGS__); break;                                   \
    default: function(points, __VA_ARGS__); break;                             \
    }

void vm_lanes_run(vm_lanes *v, const vm_points *q)
{
    assert(q->count <= VM_LANES);
    BY_POINTS(open_of, q->count, v, q)
    spread_numbers(v, q);
    clear(v, q->clear);
    run(v, q->count);
    BY_POINTS(collect_of, q->count, v->at[AT_MAIN], v->p->sizes.out[OUT_MAIN],
        q->main)
}
