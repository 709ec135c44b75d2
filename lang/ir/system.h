/* The equations of a model as integers: what lowering makes of the tree and
 * everything after it works on.
 *
 * A *row* says what stands in the holes of a shape: its target and one number
 * per hole (unknown, param node, definition; 0 for time). Rows of one shape in
 * one group lie together, so a loop of a million equations is one shape and a
 * million rows. An equation is the sum of its rows (left side minus right
 * side), usually one.
 *
 * Params are a shape pool of their own: every number, param and expression of
 * params that a row mentions is a node there, and the node's id is its place
 * in the vector of param values. So `D/h^2` costs nothing during a run.
 *
 * Definitions are rows `d = g(...)` with a leaf kind of their own: lets and
 * inputs that are not constant, sums of many items, pieces of large products
 * and extrema, and the time derivatives of all these, made on demand. */
#ifndef IR_SYSTEM_H
#define IR_SYSTEM_H

#include "base/intern.h"
#include "base/source.h"
#include "ir/shape.h"

#define SYSTEM_MAX_RANK 8

/* Names for a run of consecutive objects: name, or name[i,j] for arrays. */
typedef struct name_block {
    const char *name;
    size_t first, count;
    uint32_t rank;                   /* 0: a scalar */
    int64_t lower[SYSTEM_MAX_RANK];  /* first index of each dimension */
    int64_t extent[SYSTEM_MAX_RANK]; /* the last varies fastest */
    size_t position;        /* of the first among those of the text: the same as
                        `first` unless they are numbered by what it says */
    text_span span;         /* of the declared name */
    const char *unit, *doc; /* "" where none */
    uint32_t symbol;        /* sema's, for messages */
} name_block;
typedef ARRAY(name_block) name_blocks;

/* Names for equations: label or "L12", with loop indices where there are. */
typedef struct equation_block {
    const char *name;
    size_t first, count;
    size_t position;        /* of the first among those of the text */
    uint32_t rank;          /* indices per equation */
    bool is_grid;           /* all of a grid, the last index varies fastest: */
    const int64_t *indices; /* count * rank; of a grid the least ones, and how
                               many there are of each */
    text_span span;         /* the equation's text */
} equation_block;
typedef ARRAY(equation_block) equation_blocks;

/* Rows of one shape: `data` holds row after row of 1 + hole_count numbers,
 * the target first. */
typedef struct row_list {
    node_id root;
    uint32_t hole_count;
    ARRAY(uint32_t) data;
} row_list;
static inline size_t row_count(const row_list *l)
{
    return l->data.count / (1 + (size_t)l->hole_count);
}

typedef enum row_group_kind {
    GROUP_EQUATION,    /* target: equation */
    GROUP_DEFINITION,  /* target: definition */
    GROUP_CONDITION,   /* target: general initial condition */
    GROUP_OBSERVATION, /* target: observation */
    GROUP_START,       /* target: start value (what initial(...) names) */
    GROUP_WHEN,        /* target: when; its condition */
    GROUP_ASSIGN,      /* target: assignment; its right side */
    GROUP_SWITCH,      /* target: switch; its root function (code/modes.h) */
    GROUP_DIVISOR,     /* target: its number (code/denominators.h) */
    GROUP_OWN, /* target: definition; its own equation, in which it stands
                          itself: it is an internal unknown */
    GROUP_COUNT
} row_group_kind;

typedef struct row_group {
    ARRAY(row_list) lists; /* in the order of first appearance */
    uint32_t *slots;       /* root -> list + 1, open addressing */
    size_t slot_count;
} row_group;

typedef enum definition_kind {
    DEFINITION_LET,
    DEFINITION_INPUT,
    DEFINITION_PART,      /* made by the compiler: a sum, part of a product */
    DEFINITION_DERIVATIVE /* of another */
} definition_kind;
/* Whether a definition has an equation of its own (GROUP_OWN), one row: its value
 * is then only where that equation starts from. */
typedef enum definition_own {
    OWN_NONE,
    OWN_ROOT,  /* v = sign(e)*sqrt(abs(e)), whose slope has no bound at e = 0:
                  e - v*abs(v) = 0 */
    OWN_WEIGHT /* v = sign(e), which may slide: v - max(min(v + e, 1), -1) = 0 is
                  e > 0 with v = 1, e < 0 with v = -1, or e = 0 with v between */
} definition_own;
typedef struct row_ref {
    uint32_t list, row;
} row_ref;
typedef struct definition {
    uint8_t kind;
    bool is_smooth;      /* the text says so: smooth(...) */
    uint8_t own;         /* definition_own */
    uint32_t derivative; /* its time derivative's definition, or NODE_NONE */
    uint32_t of;         /* DERIVATIVE: of which definition */
    uint32_t first_row;  /* in row_refs */
    uint32_t row_count;  /* 0 rows: the value is 0 */
    text_span span;      /* what it stands for; {0, 0}: not known */
} definition;

enum { START_OWN = 2 }; /* the rank of what `init` says of one value alone */

/* A value at the start: x^(order) of an unknown. */
typedef struct start_value {
    uint32_t unknown;
    uint8_t order;
    bool is_condition; /* else a guess */
    uint8_t rank;      /* precedence: 0 declaration of an array, 1 init for
                           an array, START_OWN; higher wins */
    bool is_param;     /* the value is that of a param node */
    union {
        node_id param;
        double value;
    };
    text_span span;
} start_value;

/* A number that rounding may have moved by a good part of itself. */
typedef struct noted_rounding {
    node_id node; /* of `params`: a number, or the hole of an element */
    double value, error;
} noted_rounding;

/* Attributes of an unknown that are given at all; NaN where not. */
typedef struct unknown_scale {
    double minimum, maximum, nominal, atol;
    bool prefer_state;
} unknown_scale;

/* `when c ... end`: its condition is the row of GROUP_WHEN. */
typedef struct when_block {
    const char *name;    /* label with indices, or "L12" */
    uint32_t assignment; /* the first of its assignments, */
    uint32_t assignment_count;
    const char *stop; /* text of `stop`; "" without one; NULL: none */
    const char *const *prints;
    uint32_t print_count;
    bool at_start;  /* `start` is one of what its condition joins by `or` */
    text_span span; /* its condition */
} when_block;

/* `left := right`: the right side is the row of GROUP_ASSIGN. */
typedef struct assignment {
    bool is_discrete;
    bool reads_itself; /* the right side has what is assigned */
    uint8_t order;     /* of an unknown's derivative */
    uint32_t index;    /* discrete variable or unknown */
    text_span span;    /* the left side */
} assignment;

typedef struct system_tables {
    const dae_allocator *allocator;
    arena *arena; /* names, index data */
    const dae_source *source;
    const char *time_name; /* of the independent variable; NULL: t */

    signal_list signals; /* borrowed by both pools */
    shape_pool shapes;   /* expressions of rows */
    row_group groups[GROUP_COUNT];

    shape_pool params;          /* numbers, params and what is made of them */
    ARRAY(double) param_values; /* per node of `params`, kept up to date */
    ARRAY(noted_rounding) roundings;
    ARRAY(double) param_inputs; /* HOLE number k: the k-th param element */
    ARRAY(uint8_t) param_is_structural; /* per element */
    ARRAY(node_id)
    param_nodes;             /* per element: its value; NODE_NONE: the number */
    name_blocks param_names; /* over param elements */

    bool slides; /* signs and choices that can slide have weights */
    size_t unknown_count;
    name_blocks unknowns;
    ARRAY(unknown_scale) scales; /* per name_block of `unknowns` */
    size_t equation_count;
    equation_blocks equations;
    /* The first loop that no equation came of: what is said of its range. */
    const char *empty_range; /* NULL: there is none */
    text_span empty_span;
    ARRAY(definition) definitions;
    ARRAY(row_ref) row_refs;
    name_blocks lets; /* names over definitions (LET and INPUT) */
    size_t condition_count;
    equation_blocks conditions;
    ARRAY(start_value) starts; /* at most one per (unknown, order) */
    size_t observation_count;
    ARRAY(text_span) observation_spans; /* the text each one observes */
    size_t start_count; /* targets of GROUP_START; the k-th one's value
                                 goes to param element start_first + k */
    size_t start_first;

    size_t discrete_count;
    name_blocks discretes;
    ARRAY(node_id) discrete_starts; /* per discrete: its value, in `params` */
    ARRAY(when_block) whens;
    ARRAY(assignment) assignments;
} system_tables;

void system_init(system_tables *s, arena *a, const dae_allocator *allocator);
void system_clear(system_tables *s);

/* Adds a signal, whose numbers live as long as the arena, and gives it its
 * offset. DAE_LIMIT: there are too many numbers. */
dae_status system_add_signal(system_tables *s, measured *added) DAE_MUST_CHECK;

/* Adds a row; `holes` has hole_count numbers. For GROUP_DEFINITION the rows of
 * one definition may be interleaved with others': it is told by `target`;
 * row_refs then lie together only after system_close. */
dae_status system_add_row(system_tables *s, row_group_kind group, node_id root,
    uint32_t hole_count, uint32_t target, const uint32_t *holes) DAE_MUST_CHECK;
/* A new definition, without rows; `span` and rows are the caller's to add, at
 * any time before system_close. */
dae_status system_begin_definition(
    system_tables *s, definition_kind kind, uint32_t *id) DAE_MUST_CHECK;
/* The definition of the order-th time derivative, made where new; it gets its
 * rows (and those it needs are made) when system_close is called. */
dae_status system_definition_derivative(system_tables *s, uint32_t id,
    unsigned order, uint32_t *derivative) DAE_MUST_CHECK;
/* Makes every definition derivative that any row mentions exist, and gives back room
 * that nothing has grown into. Called once after lowering. E0216 where one cannot be taken. */
dae_status system_close(system_tables *s, dae_diagnostics *ds) DAE_MUST_CHECK;

/* Params. `system_param_number` interns a number; the others make nodes by the
 * makers of shape.h and keep param_values up to date. */
node_id system_param_number(system_tables *s, double value);
node_id system_param_element(system_tables *s, size_t element);
dae_status system_params_update(system_tables *s) DAE_MUST_CHECK; /* values
                       of nodes made since the last call */
/* Notes what rounding may have done to the number that a node has now. */
dae_status system_note_rounding(
    system_tables *s, node_id id, double value, double error) DAE_MUST_CHECK;
/* Elements that the text has; others stand for `initial(...)`. */
size_t system_param_count(const system_tables *s);
/* Whether its number may change; what is computed from others, or decides the structure,
 * stays. */
bool system_param_is_free(const system_tables *s, size_t element);
double system_param_value(const system_tables *s, size_t element);
/* Recomputes all values after a change of param_inputs. */
void system_params_evaluate(system_tables *s);
/* All values in extended precision, one for each node of `params`: numbers by
 * ir/digits.h, expressions in that arithmetic. */
void system_params_long(const system_tables *s, dae_long *values);
/* Marks every element that a param node depends on as structural. */
dae_status system_param_mark(system_tables *s, node_id id) DAE_MUST_CHECK;

/* Names as snprintf does. */
size_t name_block_text(
    const name_blocks *b, size_t index, char *text, size_t size);
size_t equation_block_text(
    const equation_blocks *b, size_t index, char *text, size_t size);
const name_block *name_block_find(const name_blocks *b, size_t index);
const equation_block *equation_block_find(
    const equation_blocks *b, size_t index);
/* Its position among those of the text, `index` where it is in no block. */
size_t name_block_position(const name_blocks *b, size_t index);
size_t equation_block_position(const equation_blocks *b, size_t index);
/* A definition's name as the user knows it: the let's, with primes for
 * derivatives; "sum at line 7" for a part. */
size_t definition_text(
    const system_tables *s, uint32_t id, char *text, size_t size);
/* Whether a definition, or the one it is a derivative of, stands for a
 * smooth(...) of the text. */
bool definition_is_vouched(const system_tables *s, uint32_t id);
/* The let or input it is an element of; NULL: the compiler made it. Not for
 * derivatives. */
const name_block *definition_let(const system_tables *s, uint32_t id);
/* Its own span, else that of the let's name, else {0, 0}. */
text_span definition_span(const system_tables *s, uint32_t id);

#endif
