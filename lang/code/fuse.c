/* Three passes over the events: backwards to find which operations join into
 * one instruction (a value used once can be computed where it is used, or
 * straight into its target), forwards to find each value's last use, forwards
 * again to give slots and write instructions. */
#include "code/fuse.h"
#include <string.h>

/* How a value is computed. */
enum {
    BY_ITSELF,
    BY_USER, /* inside the instruction that uses it */
    BY_STORE /* by an instruction that writes its target */
};

/* An instruction before it has slots. An operand that is NO_INDEX is the
 * target itself. */
typedef struct draft {
    opcode op;
    uint32_t operands[3];
} draft;

void fuse_init(fuser *f, program *p, const dae_allocator *allocator)
{
    *f = (fuser){.allocator = allocator, .program = p};
}

void fuse_clear(fuser *f)
{
    ARRAY_FREE(f->allocator, &f->values);
    ARRAY_FREE(f->allocator, &f->events);
    ARRAY_FREE(f->allocator, &f->free_slots);
    alloc_free(f->allocator, f->table, f->table_size, sizeof *f->table);
    f->table = NULL;
    f->table_size = 0;
}

static size_t hash_value(const fuse_value *v)
{
    uint64_t h = v->op | (uint64_t)v->at << 8;
    h = (h ^ v->a) * 0x9E3779B97F4A7C15u;
    h = ((h ^ h >> 29) ^ v->b) * 0xBF58476D1CE4E5B9u;
    h = ((h ^ h >> 31) ^ v->c) * 0x94D049BB133111EBu;
    return (size_t)(h ^ h >> 32);
}

static bool grow_table(fuser *f)
{
    size_t size = f->table_size ? 2 * f->table_size : 64;
    uint32_t *table = alloc_zeroed(f->allocator, size, sizeof *table);
    if (!table) return false;
    alloc_free(f->allocator, f->table, f->table_size, sizeof *table);
    f->table = table;
    f->table_size = size;
    for (size_t i = 0; i < f->values.count; i++) {
        fuse_value *v = &f->values.items[i];
        size_t s = hash_value(v) & (size - 1);
        while (table[s]) s = (s + 1) & (size - 1);
        table[s] = (uint32_t)i + 1;
        v->hash_slot = (uint32_t)s;
    }
    return true;
}

/* The value equal to `key`, made where there is none; *is_new says which. */
static uint32_t intern_value(fuser *f, fuse_value key, bool *is_new)
{
    *is_new = false;
    if (f->failed) return NO_INDEX;
    if (2 * (f->values.count + 1) > f->table_size && !grow_table(f)) {
        f->failed = true;
        return NO_INDEX;
    }
    size_t mask = f->table_size - 1, s = hash_value(&key) & mask;
    for (; f->table[s]; s = (s + 1) & mask) {
        const fuse_value *v = &f->values.items[f->table[s] - 1];
        if (v->op == key.op && v->at == key.at && v->a == key.a && v->b == key.b
            && v->c == key.c)
            return f->table[s] - 1;
    }
    key.inner = NO_INDEX;
    key.hash_slot = (uint32_t)s;
    if (f->values.count >= NO_INDEX / 4
        || !ARRAY_PUSH(f->allocator, &f->values, key)) {
        f->failed = true;
        return NO_INDEX;
    }
    f->table[s] = (uint32_t)f->values.count;
    *is_new = true;
    return (uint32_t)f->values.count - 1;
}

uint32_t fuse_load(fuser *f, place at, uint32_t index)
{
    bool is_new;
    fuse_value v = {.op = OP_COUNT, .at = (uint8_t)at, .a = index};
    if (at == AT_DEF) v.b = f->epoch;
    v.index = index;
    return intern_value(f, v, &is_new);
}

uint32_t fuse_const(fuser *f, double value)
{
    bool is_new;
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    fuse_value v = {.op = OP_COUNT,
        .at = AT_CONST,
        .a = (uint32_t)bits,
        .b = (uint32_t)(bits >> 32)};
    v.index = (uint32_t)f->program->constants.count;
    uint32_t id = intern_value(f, v, &is_new);
    if (is_new && !ARRAY_PUSH(f->allocator, &f->program->constants, value)) {
        f->failed = true;
        return NO_INDEX;
    }
    return id;
}

static void push_event(fuser *f, fuse_event e)
{
    if (f->events.count >= NO_INDEX - 1
        || !ARRAY_PUSH(f->allocator, &f->events, e))
        f->failed = true;
}

/* Operations of a node commute where IEEE arithmetic says so: sums and
 * products have one order, so a*b and b*a are one value. */
uint32_t fuse_op(fuser *f, opcode op, uint32_t a, uint32_t b, uint32_t c)
{
    bool is_new;
    if ((op == OP_ADD || op == OP_MUL) && a > b) {
        uint32_t t = a;
        a = b;
        b = t;
    }
    fuse_value v = {.op = (uint8_t)op, .at = AT_SLOT, .a = a, .b = b, .c = c};
    uint32_t id = intern_value(f, v, &is_new);
    if (is_new) push_event(f, (fuse_event){.value = id});
    return id;
}

uint32_t fuse_gather(fuser *f, uint32_t port)
{
    return fuse_op(f, OP_GATHER, port, 0, 0);
}

void fuse_store(fuser *f, uint32_t value, place at, uint32_t index,
    store_mode mode, bool is_scatter)
{
    if (f->failed) return;
    push_event(f,
        (fuse_event){.value = value,
            .is_store = 1,
            .is_scatter = is_scatter,
            .mode = (uint8_t)mode,
            .at = (uint8_t)at,
            .index = index});
    if (at == AT_OUT_DEF) f->def_written = true;
}

void fuse_level(fuser *f)
{
    if (f->def_written) f->epoch++;
    f->def_written = false;
}

static bool is_joinable(opcode op)
{
    return op == OP_ADD || op == OP_SUB || op == OP_MUL;
}

/* Whether `id` may be computed inside the one instruction that uses it. */
static bool may_join(const fuser *f, uint32_t id)
{
    const fuse_value *v = &f->values.items[id];
    return v->uses == 1 && v->at == AT_SLOT && is_joinable((opcode)v->op);
}

/* The operands that are values; how many. */
static int value_operands(const fuse_value *v, uint32_t operands[3])
{
    const char *kinds = opcode_operands[v->op];
    uint32_t all[3] = {v->a, v->b, v->c};
    int count = 0;
    for (int i = 0; kinds[i]; i++)
        if (kinds[i] != 'k' && kinds[i] != 'p') operands[count++] = all[i];
    return count;
}

static void count_uses(fuser *f)
{
    for (size_t i = 0; i < f->events.count; i++) {
        const fuse_event *e = &f->events.items[i];
        uint32_t operands[3];
        if (e->is_store) {
            f->values.items[e->value].uses++;
            continue;
        }
        int count = value_operands(&f->values.items[e->value], operands);
        while (count > 0) f->values.items[operands[--count]].uses++;
    }
}

static void join_value(fuser *f, fuse_value *v)
{
    if (!is_joinable((opcode)v->op)) return;
    if (may_join(f, v->b)) v->inner = v->b;
    else if (may_join(f, v->a)) v->inner = v->a;
    if (v->inner != NO_INDEX) f->values.items[v->inner].how = BY_USER;
}

static void join_store(fuser *f, const fuse_event *e)
{
    fuse_value *v = &f->values.items[e->value];
    if (e->is_scatter || v->uses != 1 || v->at != AT_SLOT) return;
    if (e->mode == STORE_SET && v->op != OP_GATHER) v->how = BY_STORE;
    else if (e->mode != STORE_NEG && is_joinable((opcode)v->op))
        v->how = BY_USER;
}

/* Backwards, so that an outer operation chooses before an inner one does. */
static void join_events(fuser *f)
{
    for (size_t i = f->events.count; i-- > 0;) {
        const fuse_event *e = &f->events.items[i];
        fuse_value *v = &f->values.items[e->value];
        if (e->is_store) join_store(f, e);
        else if (v->how != BY_USER) join_value(f, v);
    }
}

static draft draft_value(const fuser *f, const fuse_value *v)
{
    draft d = {(opcode)v->op, {v->a, v->b, v->c}};
    if (v->inner == NO_INDEX) return d;
    const fuse_value *inner = &f->values.items[v->inner];
    bool is_left = v->inner == v->a;
    d.op = opcode_pair((opcode)v->op, (opcode)inner->op, is_left);
    d.operands[0] = inner->a;
    d.operands[1] = inner->b;
    d.operands[2] = is_left ? v->b : v->a;
    return d;
}

static draft draft_store(const fuser *f, const fuse_event *e)
{
    static const opcode scatters[] = {
        OP_SCATTER_SET, OP_SCATTER_NEG, OP_SCATTER_ADD, OP_SCATTER_SUB};
    const fuse_value *v = &f->values.items[e->value];
    opcode outer = e->mode == STORE_ADD ? OP_ADD : OP_SUB;
    if (e->is_scatter)
        return (draft){scatters[e->mode], {e->value, e->index, 0}};
    if (v->how == BY_STORE) return draft_value(f, v);
    if (v->how == BY_USER)
        return (draft){
            opcode_pair(outer, (opcode)v->op, false), {v->a, v->b, NO_INDEX}};
    if (e->mode == STORE_SET) return (draft){OP_MOVE, {e->value, 0, 0}};
    if (e->mode == STORE_NEG) return (draft){OP_NEG, {e->value, 0, 0}};
    return (draft){outer, {NO_INDEX, e->value, 0}};
}

/* Whether the event makes an instruction, and which. */
static bool draft_event(const fuser *f, const fuse_event *e, draft *d)
{
    const fuse_value *v = &f->values.items[e->value];
    if (!e->is_store && v->how != BY_ITSELF) return false;
    *d = e->is_store ? draft_store(f, e) : draft_value(f, v);
    return true;
}

static void find_last_uses(fuser *f)
{
    draft d;
    for (size_t i = 0; i < f->events.count; i++) {
        if (!draft_event(f, &f->events.items[i], &d)) continue;
        const char *kinds = opcode_operands[d.op];
        for (int k = 0; kinds[k]; k++)
            if (kinds[k] != 'k' && kinds[k] != 'p' && d.operands[k] != NO_INDEX)
                f->values.items[d.operands[k]].last = (uint32_t)i;
    }
}

static uint32_t take_slot(fuser *f)
{
    if (f->free_slots.count > 0)
        return f->free_slots.items[--f->free_slots.count];
    return f->slots++;
}

/* An operand's place and index. A gathered column is named by its port. */
static void operand_place(
    const fuser *f, uint32_t id, const fuse_event *e, uint8_t *at, uint32_t *x)
{
    if (id == NO_INDEX) {
        *at = e->at;
        *x = e->index;
        return;
    }
    const fuse_value *v = &f->values.items[id];
    *at = v->op == OP_GATHER ? (uint8_t)AT_PORT : v->at;
    *x = v->op == OP_GATHER ? v->a : v->index;
}

/* Slots of operands that are used here for the last time. */
static bool free_operands(fuser *f, const draft *d, uint32_t position)
{
    const char *kinds = opcode_operands[d->op];
    for (int k = 0; kinds[k]; k++) {
        uint32_t id = d->operands[k];
        if (kinds[k] == 'k' || kinds[k] == 'p' || id == NO_INDEX) continue;
        fuse_value *v = &f->values.items[id];
        if (v->at != AT_SLOT || v->last != position) continue;
        v->last = NO_INDEX; /* once, where it is two operands */
        if (!ARRAY_PUSH(f->allocator, &f->free_slots, v->index)) return false;
    }
    return true;
}

static void write_operands(
    const fuser *f, const draft *d, const fuse_event *e, scalar_ins *ins)
{
    const char *kinds = opcode_operands[d->op];
    uint8_t at[3] = {0};
    uint32_t x[3] = {0};
    for (int k = 0; kinds[k]; k++) {
        if (kinds[k] == 'k' || kinds[k] == 'p') x[k] = d->operands[k];
        else operand_place(f, d->operands[k], e, &at[k], &x[k]);
    }
    ins->head = scalar_head(d->op, 0, at[0], at[1], at[2]);
    ins->a = x[0], ins->b = x[1], ins->c = x[2];
}

static bool write_event(fuser *f, size_t position)
{
    const fuse_event *e = &f->events.items[position];
    scalar_ins ins = {0};
    draft d;
    if (!draft_event(f, e, &d)) return true;
    write_operands(f, &d, e, &ins);
    if (!free_operands(f, &d, (uint32_t)position)) return false;
    if (e->is_store) {
        ins.head |= (uint32_t)e->at << 8;
        ins.d = e->index;
    } else {
        fuse_value *v = &f->values.items[e->value];
        ins.head |= (uint32_t)AT_SLOT << 8;
        ins.d = v->index = take_slot(f);
    }
    return ARRAY_PUSH(f->allocator, &f->program->scalar, ins);
}

/* Empties tables and lists; what they cost is what they held. */
static void start_again(fuser *f)
{
    for (size_t i = 0; i < f->values.count; i++)
        f->table[f->values.items[i].hash_slot] = 0;
    f->values.count = f->events.count = f->free_slots.count = 0;
    f->slots = f->epoch = 0;
    f->def_written = false;
}

dae_status fuse_finish(fuser *f, code_range *range, uint32_t *slots)
{
    range->first = f->program->scalar.count;
    if (f->failed) return DAE_MEMORY;
    count_uses(f);
    join_events(f);
    find_last_uses(f);
    for (size_t i = 0; i < f->events.count; i++)
        if (!write_event(f, i)) return DAE_MEMORY;
    range->count = f->program->scalar.count - range->first;
    *slots = f->slots;
    start_again(f);
    return DAE_OK;
}
