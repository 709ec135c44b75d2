#include "code/tape.h"
#include "ir/collect.h"
#include <string.h>

/* ---- keys -------------------------------------------------------------------- */

static uint64_t scramble(uint64_t h)
{
    h ^= h >> 32;
    h *= 0xd6e8feb86659fd93u;
    h ^= h >> 29;
    h *= 0x9e3779b97f4a7c15u;
    return h ^ h >> 32;
}

static tape_key mix(tape_key k, uint64_t word)
{
    k.first = scramble(k.first ^ word) + 0x165667b19e3779f9u;
    k.second = scramble(k.second + word * 0xc2b2ae3d27d4eb4fu) ^ k.first;
    return k;
}

static tape_key key_of(uint64_t op, uint64_t number, uint64_t more)
{
    return mix(mix((tape_key){op + 1, op + 0x51ed270b}, number), more);
}

static tape_key join(tape_key k, tape_key operand)
{
    k = mix(k, operand.first);
    return mix(k, operand.second);
}

static bool is_before(tape_key a, tape_key b)
{
    return a.first != b.first ? a.first < b.first : a.second < b.second;
}

/* Operands that may be exchanged are taken in the order of their keys: rows may
 * have them in either order. */
static tape_key key_of_two(node_op op, tape_key a, tape_key b)
{
    const bool may_turn = op == NODE_ADD || op == NODE_MUL || op == NODE_EQ
        || op == NODE_NE || op == NODE_AND || op == NODE_OR;
    const bool is_turned = may_turn && is_before(b, a);
    const tape_key k = key_of(op, 0, 2);
    return join(join(k, is_turned ? b : a), is_turned ? a : b);
}

/* ---- classes ------------------------------------------------------------------ */

static uint8_t larger(uint8_t a, uint8_t b)
{
    return a > b ? a : b;
}

/* Of an operation; `of` are the classes of its operands, 0 where there is none. */
static uint8_t class_of(const node *n, const uint8_t of[3], bool is_held)
{
    const uint8_t most = larger(of[0], larger(of[1], of[2]));
    const uint8_t bent = larger(most, TAPE_TIME);
    if (most == TAPE_FIXED) return TAPE_FIXED;
    if (n->op == NODE_PIECE && most == TAPE_AFFINE) return TAPE_PIECE;
    if (most == TAPE_PIECE && n->op != NODE_FLOOR) return TAPE_TIME;
    switch ((node_op)n->op) {
    case NODE_ADD:
    case NODE_SUB:
    case NODE_NEG: return most;
    case NODE_MUL: return of[0] && of[1] ? bent : most;
    case NODE_DIV: return of[1] ? bent : most;
    case NODE_MOD: return of[1] || !is_held ? bent : most;
    case NODE_ABS:
    case NODE_MIN:
    case NODE_MAX: return is_held ? most : bent;
    case NODE_SELECT: return of[0] ? bent : most;
    case NODE_LT:
    case NODE_LE:
    case NODE_EQ:
    case NODE_NE:
    case NODE_SIGN:
    case NODE_FLOOR:
    case NODE_CEIL: return is_held ? TAPE_FIXED : bent;
    default: return bent;
    }
}

/* ---- tapes --------------------------------------------------------------------- */

static dae_status take(
    tape *t, const node_id *nodes, size_t count, arena *memory)
{
    t->count = count;
    t->nodes = ARENA_ARRAY(memory, node_id, count);
    t->notes = ARENA_ARRAY(memory, tape_note, count);
    t->operand = arena_take(memory, count, sizeof *t->operand);
    if (!t->nodes || !t->notes || !t->operand) return DAE_MEMORY;
    if (count) memcpy(t->nodes, nodes, count * sizeof *nodes);
    for (size_t i = 0; i < count; i++) {
        const node *n = shape_node(t->pool, nodes[i]);
        for (int k = 0; k < node_arity((node_op)n->op); k++)
            t->operand[i][k] = (uint32_t)collect_place(
                nodes, count, node_operand(n, k));
    }
    return DAE_OK;
}

dae_status tape_make(const shape_pool *p, const node_id *roots,
    size_t root_count, arena *memory, tape *out)
{
    node_id *nodes;
    size_t count;
    *out = (tape){.pool = p};
    dae_status st = shape_needed(p, roots, root_count, &nodes, &count);
    if (st) return st;
    st = take(out, nodes, count, memory);
    alloc_free(p->allocator, nodes, count, sizeof *nodes);
    return st;
}

static tape_note note_of_hole(const system_tables *s, const node *n,
    const uint32_t *row, const uint8_t *changes)
{
    const leaf l = {0, n->a, n->kind, n->order};
    uint32_t object = n->kind == LEAF_TIME ? 0 : row[1 + n->a];
    uint64_t order = n->order;
    uint8_t class = TAPE_FIXED;
    if (n->kind == LEAF_DEFINITION) {
        object = leaf_definition(s, &l, row);
        order = 0;
        class = changes[object];
    }
    if (n->kind == LEAF_UNKNOWN) class = TAPE_POINT;
    if (n->kind == LEAF_TIME) class = TAPE_AFFINE;
    return (tape_note){
        key_of(NODE_HOLE | (uint64_t)n->kind << 8, object, order), class};
}

static tape_note note_of_node(
    const tape *t, size_t i, const node *n, bool is_held)
{
    const int arity = node_arity((node_op)n->op);
    const tape_note *note[3];
    uint8_t of[3] = {0, 0, 0};
    for (int k = 0; k < arity; k++) {
        note[k] = &t->notes[t->operand[i][k]];
        of[k] = note[k]->changes;
    }
    tape_note result = {.changes = class_of(n, of, is_held)};
    if (arity == 2)
        result.key = key_of_two((node_op)n->op, note[0]->key, note[1]->key);
    else {
        const bool has_exponent = n->op == NODE_POWI;
        result.key = key_of(
            n->op, has_exponent ? (uint32_t)n->exponent : n->order, 1);
        for (int k = 0; k < arity; k++)
            result.key = join(result.key, note[k]->key);
    }
    if (node_has_signal((node_op)n->op))
        result.key = mix(mix(result.key, n->c), n->order);
    return result;
}

void tape_run(tape *t, const system_tables *s, const uint32_t *row,
    const uint8_t *changes, bool is_held)
{
    for (size_t i = 0; i < t->count; i++) {
        const node *n = shape_node(t->pool, t->nodes[i]);
        uint64_t bits;
        if (n->op == NODE_CONST) {
            memcpy(&bits, &n->value, sizeof bits);
            t->notes[i] = (tape_note){key_of(NODE_CONST, bits, 0), TAPE_FIXED};
        } else if (n->op == NODE_HOLE) {
            t->notes[i] = note_of_hole(s, n, row, changes);
        } else {
            t->notes[i] = note_of_node(t, i, n, is_held);
        }
    }
}

static const tape_note *note_at(const tape *t, node_id id)
{
    return &t->notes[collect_place(t->nodes, t->count, id)];
}

static bool is_zero(const tape *t, node_id id)
{
    double value;
    return shape_is_const(t->pool, id, &value) && value == 0;
}

/* As the makers of shapes make it: a - 0 is a, 0 - b is -b. */
tape_note tape_edge(const tape *t, node_id at)
{
    const held_edge e = held_edge_of(t->pool, at);
    const node made = {.op = e.is_ratio ? NODE_DIV : NODE_SUB};
    const tape_note *a = note_at(t, e.a);
    tape_note note = *a;
    if (e.b != NODE_NONE && (e.is_ratio || !is_zero(t, e.b))) {
        const tape_note *b = note_at(t, e.b);
        const uint8_t of[3] = {a->changes, b->changes, 0};
        note.changes = class_of(&made, of, true);
        note.key = !e.is_ratio && is_zero(t, e.a)
            ? join(key_of(NODE_NEG, 0, 1), b->key)
            : key_of_two((node_op)made.op, a->key, b->key);
    }
    note.key = mix(note.key, e.kind);
    return note;
}
