/* What the files of this folder share: symbols, values, the builder of a
 * term, and the context that carries them. Private to sema.
 *
 * A *value* is what an expression lowers to: a number known now, an expression
 * of params, an expression over the leaves of the term being built, or an
 * array of such. A *builder* collects the leaves of one term; expression nodes
 * are meaningful only together with the builder that was current. */
#ifndef SEMA_LOWERING_H
#define SEMA_LOWERING_H

#include "base/report.h"
#include "ir/diff.h"
#include "sema/lower.h"

#define MAX_CALL_DEPTH 200       /* functions inlined inside functions */
#define MAX_LOWER_DEPTH 2500     /* expressions inside lets inside functions */
#define INLINE_ITEMS 24          /* longer sums become definitions */
#define MAX_ITERATIONS 400000000 /* of all loops together */
#define MAX_INLINED 1000000      /* functions inlined by one call, and */
#define INLINED_PER_TURN 100     /* more for each turn of a loop in it */
#define MAX_INLINED_TURNS 100000 /* turns that count for that */
#define MAX_ELEMENTS (UINT32_MAX / 4) /* of one array */
#define MAX_PRIMES 64                 /* primes on one expression */
#define NO_ELEMENT SIZE_MAX
#define DIFF_BUDGET 200000 /* nodes one derivative may add */

/* ---- values ------------------------------------------------------------ */

typedef enum value_kind {
    VALUE_ERROR,      /* reported; silences what follows */
    VALUE_NUMBER,     /* number */
    VALUE_PARAM,      /* node of the params pool */
    VALUE_EXPR,       /* node of the shapes pool, in the current builder */
    VALUE_DEFINITION, /* id; only stored in symbols, never computed with */
    VALUE_ALIAS,      /* unknown id, order in `number`; only in symbols */
    VALUE_ARRAY       /* array */
} value_kind;

struct symbol;
/* An array of values: items in row-major order, or a window on a symbol's
 * elements (element k of dimension d is offset + k*stride). */
typedef struct value_array {
    uint32_t rank;
    int64_t lower[SYSTEM_MAX_RANK];
    int64_t extent[SYSTEM_MAX_RANK];
    size_t count;
    struct value *items; /* NULL: a window */
    struct symbol *of;
    const char *name; /* of items, for messages; NULL: they have none */
    int64_t offset;
    int64_t stride[SYSTEM_MAX_RANK];
    unsigned order; /* a window on x': derivative order */
} value_array;

typedef struct value {
    value_kind kind;
    union {
        uint32_t node;
        float rounding; /* NUMBER: how far it is from what it was to be, as a
                           part of itself; 0: as a number that is written */
    };
    union {
        double number;
        value_array *array;
    };
} value;

static inline value value_error(void)
{
    return (value){.kind = VALUE_ERROR};
}
static inline value value_number(double x)
{
    return (value){.kind = VALUE_NUMBER, .number = x};
}
static inline bool value_is_constant(value v)
{
    return v.kind == VALUE_NUMBER || v.kind == VALUE_PARAM;
}

/* ---- symbols ------------------------------------------------------------ */

typedef enum symbol_kind {
    SYMBOL_PARAM,
    SYMBOL_VAR,
    SYMBOL_DISCRETE,
    SYMBOL_LET,
    SYMBOL_INPUT,
    SYMBOL_OUTPUT,
    SYMBOL_FUN,
    SYMBOL_CONSTANT, /* pi, inf */
    SYMBOL_TIME,
    SYMBOL_TABLE /* param edge = table("edges.csv") */
} symbol_kind;

typedef enum symbol_state { STATE_NEW, STATE_BUSY, STATE_DONE } symbol_state;

typedef struct symbol {
    symbol_kind kind;
    size_t place; /* among those of the text; sequence.c */
    uint32_t name;
    const ast_decl *decl; /* PARAM..OUTPUT */
    const ast_stmt *stmt;
    text_span span; /* of the name */
    uint8_t dims_state, value_state;
    bool is_structural; /* PARAM: every element */
    bool is_contested;  /* declared twice: what follows from it is no news */
    size_t order_place; /* order.c's: place on its stack + 1 */
    uint32_t rank;
    int64_t lower[SYSTEM_MAX_RANK], extent[SYSTEM_MAX_RANK];
    size_t count;        /* elements */
    size_t first;        /* VAR: first unknown; DISCRETE: first of them */
    value *values;       /* PARAM, LET, INPUT: per element */
    uint8_t *states;     /* LET, INPUT arrays: symbol_state per element */
    uint8_t whole_state; /* of `whole` */
    value whole;         /* the declared value where no dimension has a
                             binder: lowered once, for all elements */
    double constant;     /* CONSTANT */
    const struct csv_table *table; /* TABLE; NULL: none that is sound */
    value_array **columns;         /* TABLE: by column, NULL: not asked for */
} symbol;

/* ---- builder ------------------------------------------------------------ */

typedef struct builder_leaf {
    uint8_t kind; /* leaf_kind */
    uint32_t object;
} builder_leaf;
typedef ARRAY(builder_leaf) builder_leaves;
typedef struct builder {
    builder_leaves leaves;
    uint32_t *slots; /* used above a few leaves */
    size_t slot_count;
} builder;

/* A finished term: a root whose holes are 0..count-1 in order of their first
 * appearance, and what stands in them. Valid until the next term_finish. */
typedef struct term {
    node_id root;
    uint32_t count;
    const uint32_t *holes;
} term;

/* ---- context ------------------------------------------------------------- */

typedef struct local { /* a loop index or a function's argument */
    uint32_t name;
    uint32_t hidden; /* what the name meant before: local + 1, or 0 */
    value value;
} local;

typedef struct nest { /* what encloses a leaf statement, outermost last */
    const struct nest *outer;
    const ast_iters *iters;     /* a loop */
    const ast_branch *branches; /* or branch `taken` of a compile-time if */
    uint32_t taken;
} nest;
typedef struct leaf_stmt {
    const ast_stmt *stmt;
    const nest *nest; /* innermost, NULL: none */
    size_t place;     /* among those of the text; sequence.c */
} leaf_stmt;

/* What is being worked out: a value, a size, a call of a function. A symbol
 * that is requested while it is pending needs itself. */
typedef struct pending {
    const struct pending *outer;
    const symbol *symbol;
    bool is_size;
} pending;

/* An undeclared name and the first places in the text that use it. */
#define MISSING_PLACES 4
typedef struct missing_name {
    uint32_t name;
    uint32_t count; /* places */
    text_span places[MISSING_PLACES];
    bool is_call;
    bool is_index;      /* i of x[i] */
    bool is_target;     /* x of `x := 1` */
    bool is_rate;       /* of `x' := 1` */
    bool is_in_event;   /* used in a `when` */
    bool is_quotient;   /* dx of dx/dt */
    bool is_definition; /* f of f(a) = ... */
    bool is_silent;     /* told of in another way */
} missing_name;

/* A file of numbers; table NULL: it was reported. */
typedef struct table_source {
    const char *path;
    const struct csv_table *table;
} table_source;

/* Rows that a run must not leave. */
typedef struct table_range {
    text_span span;
    const char *file, *column;
    double low, high;
    const ast_expr *at; /* NULL: it is looked up at the time; else its term: */
    node_id root;
    const uint32_t *holes;
} table_range;

/* The definition of each sign that may slide, by a hash of what it is of. */
typedef struct sliding_entry {
    uint64_t hash; /* 0: there is none here */
    uint32_t definition;
    bool is_turned; /* hash_of's, of what the definition is of */
} sliding_entry;
typedef struct sliding_table {
    sliding_entry *entries; /* room, a power of 2 */
    size_t room, count;
} sliding_table;

typedef struct lowering {
    const lower_request *request;
    lowered *out;
    system_tables *s;
    arena *arena;  /* the model's */
    arena scratch; /* released after each statement instance */
    const dae_allocator *allocator;
    dae_diagnostics *ds;
    const dae_source *source;
    intern_table *names;

    ARRAY(symbol *) symbols; /* in the order of work: sequence.c */
    symbol **global;         /* by name, NULL: none; names.count at start */
    uint32_t *innermost;     /* by name: local + 1, 0: none */
    size_t name_count;
    const struct builtin **builtin_of; /* by name, NULL: none */
    struct name_seen {                 /* by name, one more for no name */
        uint32_t list, place;
    } * seen;
    uint32_t list; /* the list of names at hand: names_begin */
    ARRAY(local) locals;
    ARRAY(uint32_t) hidden;    /* what scope_enter put out of sight */
    ARRAY(size_t) elements;    /* and `element` of each scope entered */
    const ast_stmt **label_of; /* by name: the equation with that label */
    ARRAY(table_source) files;
    ARRAY(table_range) ranges; /* of signals that refuse to go on */
    ARRAY(leaf_stmt) stmts;    /* after compile-time ifs at the top level */

    builder *builder;    /* the current term's */
    text_span at;        /* of the statement or declaration being worked on */
    text_span part_span; /* what parts are being made for, for their names */
    text_span unused_guess; /* the last one told to have a condition */
    struct {                /* the last index told to be outside its range */
        const char *name;
        int64_t index;
        uint32_t line;
    } outside;
    struct { /* the last range without a value, since `it` was made NULL */
        const ast_iter *it;
        int64_t first, last;
    } empty;
    bool slides; /* signs and conditions of equations and lets may slide */
    sliding_table weights;
    ARRAY(uint32_t) term_holes;
    builder_leaves
        spare_leaves;   /* of a builder that is cleared, for the next */
    node_id known_root; /* the last root whose holes were all in use */
    size_t known_leaves;
    uint32_t call_depth, depth;
    int64_t inlined;             /* calls inside the outermost one, and */
    text_span outer_call;        /* where that is */
    int64_t turns_before;        /* turns of loops when it began */
    const pending *pending;      /* innermost */
    ARRAY(missing_name) missing; /* empty outside of resolve */
    size_t element;     /* names of arrays mean this element; NO_ELEMENT: all */
    uint64_t pauses;    /* since the caller was asked */
    int64_t iterations; /* turns of loops and calls of functions */
    int64_t calls;      /* the calls among them */
    bool is_placed;     /* the unknowns have their numbers */
    bool is_choosing;   /* what an `if` block asks for is evaluated */
    ARRAY(uint8_t) definition_moves; /* depends on unknowns, per definition */
    bool failed_memory;              /* an allocation failed somewhere */
    bool cannot_go_on; /* later passes would only repeat what is wrong */
    bool failed_file;  /* a file that the text names cannot be read */
    bool hit_limit;    /* a size beyond a limit was reported */
    bool was_interrupted;
    bool allow_initial;   /* initial(e) may stand here */
    size_t errors_before; /* reported to `ds` about something else */
    bool has_later;       /* statements not available yet, which may declare
                           names: unknown names are then no news */
    uint32_t *start_of[MAX_PRIMES + 1]; /* by order, by unknown: start + 1 */
} lowering;

/* Counts this model's errors so that a statement stops at its first bad
 * instance. */
static inline size_t error_count(const lowering *l)
{
    return report_error_count(l->ds) - l->errors_before;
}

/* ---- scalars.c: one number at a time ------------------------------------- */
/* Notes at a node of params that has the number `v` what rounding may have done
 * to it, where that is much; false: no memory. */
bool value_note_rounding(lowering *l, value v, node_id id);
value scalar_unary(lowering *l, node_op op, value a, text_span span);
value scalar_binary(lowering *l, node_op op, value a, value b, text_span span);
/* `c` is not known now. */
value scalar_select(lowering *l, value c, value a, value b, text_span span);
value scalar_family(lowering *l, node_op op, unsigned index, value a);
value scalar_prime(lowering *l, value a, unsigned order, text_span span);
/* A number known now. Params become structural. false: not known (E0206 is
 * reported with `what`) or an error before. */
bool value_force(
    lowering *l, value v, text_span span, const char *what, double *number);
bool value_force_integer(
    lowering *l, value v, text_span span, const char *what, int64_t *integer);
/* The condition of an `if` block, likewise. */
bool value_of_choice(lowering *l, const ast_expr *condition, double *holds);
/* While that is evaluated: what to write instead; else `otherwise`. */
const char *choice_help(const lowering *l, const char *otherwise);

/* ---- builder.c ------------------------------------------------------------ */
void builder_init(builder *b);
void builder_clear(lowering *l, builder *b);
/* The node of a leaf in the current builder. */
value builder_leaf_value(
    lowering *l, leaf_kind kind, uint32_t object, unsigned order);
/* Any scalar value as a node of the current builder. */
node_id builder_node(lowering *l, value v);
/* The term of a root node. */
dae_status term_finish(lowering *l, node_id root, term *out);

/* ---- arrays.c -------------------------------------------------------------- */
value array_make(lowering *l, uint32_t rank, const int64_t *extent);
value array_window(lowering *l, symbol *s);
value array_item(lowering *l, const value_array *a, size_t flat);
/* base[items of e]. */
value array_index(lowering *l, const ast_expr *e, value base);
/* name[items] of a symbol, without making a window for a single element. */
value symbol_index(lowering *l, const ast_expr *e, symbol *s, unsigned order);
/* x' of an array, element by element. */
value array_prime(lowering *l, value a, unsigned order, text_span span);
/* Elementwise with scalars going with every element. */
value array_binary(lowering *l, node_op op, value a, value b, text_span span);
value array_product(lowering *l, value a, value b, text_span span);
value array_dot(lowering *l, value a, value b, text_span span);
bool array_same_shape(const value_array *a, const value_array *b);
/* op of every element; `map` is scalar_unary or alike. */
value array_unary(lowering *l, node_op op, value a, text_span span);
value array_select(lowering *l, value c, value a, value b, text_span span);
const char *array_shape_text(lowering *l, value v);
static inline bool is_array(value v)
{
    return v.kind == VALUE_ARRAY;
}

/* ---- pending.c --------------------------------------------------------------- */
/* E0208 for what needs itself, with the others of the circle. */
void pending_report(lowering *l, const symbol *s, text_span span);
/* The call of `fun` that is pending with no other symbol since, or NULL. */
const pending *pending_call(const lowering *l, const symbol *fun);
/* The param whose value is being worked out, or NULL. */
const symbol *pending_param(const lowering *l);

/* ---- symbols.c --------------------------------------------------------------- */

/* A list in which each name may stand once: whether one was there before its
 * `place`, and where first. INTERN_NONE is a name of its own. */
void names_begin(lowering *l);
bool names_seen(lowering *l, uint32_t name, uint32_t place, uint32_t *first);
symbol *symbol_find(const lowering *l, uint32_t name);
/* The unit of its declaration as written, "" where there is none. */
const char *symbol_unit(lowering *l, const symbol *s);
/* Dimensions; false after an error. */
bool symbol_dims(lowering *l, symbol *s);
/* The value of a scalar symbol or of one element. */
value symbol_element(
    lowering *l, symbol *s, size_t flat, unsigned order, text_span span);
/* Sets up params, lets, inputs not needed by anything else. */
void symbol_force_all(lowering *l, symbol *s);
dae_status symbols_place_unknowns(lowering *l); /* and discretes */
static inline bool symbol_has_no_values(const symbol *s)
{
    return s->kind == SYMBOL_VAR || s->kind == SYMBOL_DISCRETE;
}
const char *word_text(const lowering *l, uint32_t name);
/* A place as diagnostics have it, which outlives the text. */
dae_span place_in_text(lowering *l, text_span span);
/* Definitions and lets are lowered as if at the top of the model: indices and
 * arguments in force are out of sight until scope_leave. */
size_t scope_enter(lowering *l);
void scope_leave(lowering *l, size_t scope);
/* Calls visit for every element of a declaration, its binders pushed. */
typedef bool element_visit(lowering *l, symbol *s, size_t flat, void *context);
bool symbol_each(lowering *l, symbol *s, element_visit *visit, void *context);
bool symbol_at(
    lowering *l, symbol *s, size_t flat, element_visit *visit, void *context);
/* The declared value at an element whose binders are pushed: an array fills
 * the dimensions that have no binder. */
value symbol_declared(lowering *l, symbol *s, size_t flat);

/* ---- order.c ------------------------------------------------------------------- */
/* Works out all params, or all lets, inputs and outputs, what each needs
 * first. */
dae_status order_force(lowering *l, bool params);

/* ---- structural.c: which params must be known before the run --------------- */
void structural_mark(lowering *l);

/* ---- definitions.c ------------------------------------------------------------ */
/* Makes a definition of one term (root over the current builder). */
value define_term(lowering *l, definition_kind kind, node_id root);
/* Makes one that is an internal unknown, with its own equation over `of`; as a
 * leaf of the current builder. `span`: what it stands for. */
value define_unknown(
    lowering *l, definition_own own, node_id root, node_id of, text_span span);
/* By what the own equation of a weight v switches by: `above` where e > 0, `below`
 * where e < 0, or `between` where e = 0. */
node_id weight_choice(shape_pool *p, node_id v, node_id e, node_id above,
    node_id below, node_id between);
bool value_moves(const lowering *l, value v); /* depends on unknowns */
/* A form that is meaningful in any builder (expressions become definitions),
 * and back into a form to compute with in the current one. */
value value_export(lowering *l, definition_kind kind, value v);
value value_resolve(lowering *l, value v);

/* ---- factors.c ---------------------------------------------------------------- */
/* Of what is to be 0, in the current builder: without the factors that never are
 * and that vary. */
value factors_dropped(lowering *l, value v);
/* A product, or an `if`, in the current builder: where it is c times a root that
 * keeps the sign of what it is of, sign(e)*sqrt(abs(e)), the root becomes an
 * internal unknown (OWN_ROOT). As the text may have it: sign(e) and the root
 * anywhere among the factors, what is under the root with factors beside abs(e);
 * `if e > 0 then c*sqrt(e) else -c*sqrt(-e)`. */
value factors_signed_root(lowering *l, value v, text_span span);

/* ---- sliding.c: what chooses becomes a combination (`sliding = on`) ------------- */
/* sign(e), as an internal unknown. */
value sliding_sign(lowering *l, node_id e, text_span span);
/* What a leaf is the weight of, +-e, if it is; else NODE_NONE. */
node_id sliding_of(lowering *l, node_id leaf, node_id e);
/* An `if` by a comparison of what moves; any other value as it is. */
value sliding_choice(lowering *l, value choice, text_span span);
dae_status sliding_end(lowering *l); /* after what may slide */

/* ---- resolve.c ------------------------------------------------------------- */
void resolve_names(lowering *l);
void resolve_one(lowering *l, const ast_expr *e);

/* ---- builtins.c -------------------------------------------------------------- */
typedef struct builtin {
    const char *name;
    int8_t op;           /* node_op, -1: special */
    uint8_t least, most; /* arguments; most 255: any */
    uint8_t special;
} builtin;
const builtin *builtin_find(const char *name);
size_t builtin_count(void);
const builtin *builtin_at(size_t i);
value lower_call(lowering *l, const ast_expr *e);

/* ---- sums.c -------------------------------------------------------------------- */
/* sum, prod, min, max over "e for i in ..."; `op` ADD, MUL, MIN, MAX. */
value lower_comprehension(lowering *l, const ast_expr *e, node_op op);
/* The same over all elements of an array. */
value fold_array(lowering *l, node_op op, const value_array *a, text_span span);
/* [e for i in ...]: a vector of the items. */
value lower_listing(lowering *l, const ast_expr *e);
/* a + b - c ... of many items. */
value lower_long_chain(lowering *l, const ast_expr *e);

/* ---- elementwise.c ------------------------------------------------------------- */
/* The array whose elements `a` (and `b`, may be NULL) combine one by one, where
 * it is large and they do nothing else; NULL otherwise. With l->element set,
 * lower_expr then gives one element's value. */
const symbol *elementwise_shape(
    lowering *l, const ast_expr *a, const ast_expr *b);

/* ---- expr.c ------------------------------------------------------------------- */
value lower_expr(lowering *l, const ast_expr *e);
value lower_scalar(lowering *l, const ast_expr *e); /* E0204 for arrays */

/* ---- loops.c -------------------------------------------------------------------- */
/* Whether the name stands anywhere in the expression. */
bool expr_mentions(const ast_expr *e, uint32_t name);
typedef dae_status loop_body(lowering *l, void *context);
/* Refuses loops of sums within sums that are bound to turn too often. */
dae_status loop_check(lowering *l, const ast_expr *comprehension);
/* Runs body for every combination; false stops. Loops that are bound to turn
 * too often are refused before the first turn. */
dae_status loop_run(
    lowering *l, const ast_iters *iters, loop_body *body, void *context);
/* All loops and ifs around a leaf statement. */
dae_status nest_run(lowering *l, const nest *n, const ast_iters *suffix,
    loop_body *body, void *context);
void local_push(lowering *l, uint32_t name, value v);
void local_pop(lowering *l);
/* Values of the loop indices in force, outermost first; how many. */
size_t nest_indices(const lowering *l, int64_t *indices, size_t room);

/* ---- the passes, in order ------------------------------------------------- */
dae_status collect_symbols(lowering *l); /* collect.c */
dae_status collect_statements(lowering *l);
dae_status sequence_sort(lowering *l);    /* sequence.c */
dae_status sequence_restore(lowering *l); /* the order of the text again */
dae_status lower_attributes(lowering *l); /* attributes.c */
dae_status lower_equations(lowering *l);  /* equations.c */
dae_status lower_discretes(lowering *l);  /* discretes.c */
void discrete_set_start(lowering *l, uint32_t discrete, value v);
dae_status lower_events(lowering *l); /* events.c */
/* Refuses assignments to what the equations determine, and conditions that
 * cannot be found; after system_close. events_check.c */
dae_status events_check(
    const system_tables *s, dae_diagnostics *ds) DAE_MUST_CHECK;
dae_status lower_starts(lowering *l);   /* starts.c */
dae_status lower_settings(lowering *l); /* settings.c */
dae_status sliding_find(lowering *l);   /* `sliding = on`, before it is read */
dae_status lower_checks(lowering *l);   /* checks.c */
/* Where the text has each unknown, equation and condition; names by the line
 * for those without one. */
dae_status sequence_number(lowering *l);

/* Notes the label of an equation or a `when`; E0202 where there are two. */
void label_note(lowering *l, const ast_stmt *stmt);

/* A row of a scalar value in a group; the builder is the current one. */
dae_status add_value_row(
    lowering *l, row_group_kind group, uint32_t target, value v);

/* ---- overrides.c ------------------------------------------------------------ */
lower_override *override_of_param(
    lowering *l, uint32_t name, const int64_t *indices, uint32_t rank);
value override_value(lowering *l, lower_override *o);
dae_status overrides_check(lowering *l);

/* Counts one more turn of a loop: DAE_LIMIT beyond MAX_ITERATIONS,
 * DAE_INTERRUPTED where the caller asks to stop. */
dae_status loop_tick(lowering *l, text_span span);
/* Whether so many more turns are allowed: asked before the first of them. */
dae_status loop_reserve(lowering *l, double turns, text_span span);
/* One more piece of work that counts as no turn: DAE_INTERRUPTED likewise. */
dae_status loop_pause(lowering *l);

/* Reports and gives the poisoned value. */
value fail_value(
    lowering *l, diag_code code, text_span span, const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 4, 5)))
#endif
    ;

#endif
