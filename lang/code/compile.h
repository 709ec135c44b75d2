/* What the files behind code/problem.h share (private to this folder): the
 * rows as the compiler uses them, the tables over definitions and slots, and
 * the compiled model itself.
 *
 * Columns. While definitions are chained, the number of internal unknowns is
 * not known yet, so columns are numbered provisionally: the model's slots in
 * x, then its xp, then internal unknowns in the order they arise
 * (slots_column makes final columns of them). */
#ifndef CODE_COMPILE_H
#define CODE_COMPILE_H

#include "base/report.h"
#include "code/held.h"
#include "code/problem.h"
#include "ir/diff.h"

#define NONE UINT32_MAX

/* A hole below a root. */
typedef struct leaf {
    node_id node;
    uint32_t hole;
    uint8_t kind, order; /* leaf_kind */
} leaf;

/* One entry of a shape's gradient. */
typedef struct partial {
    leaf by; /* UNKNOWN or DEFINITION */
    node_id value;
} partial;

/* A shape and its rows: row r is data[r*width ...], the target first. */
typedef struct row_set {
    node_id root;
    uint32_t width, leaf_count, partial_count;
    size_t count;
    const uint32_t *data;
    const leaf *leaves;
    const partial *partials; /* NULL before rows_differentiate */
    const held_shape *shape; /* its places that are held; NULL: none */
    /* Where partial k of row r goes: codes[k*count + r], while the Jacobian is
     * being built. NONE: nowhere; with CODE_FACTOR: a factor; else a gradient
     * value of the definition or an entry of the equation. */
    uint32_t *codes;
} row_set;
#define CODE_FACTOR ((uint32_t)1 << 31)

typedef struct row_sets {
    row_set *items;
    size_t count;
} row_sets;

/* Why a definition's value or gradient is needed, one bit each. */
enum {
    NEED_MODEL = 1,     /* by the equations, as the model states them */
    NEED_RESIDUAL = 2,  /* by the equations, internal unknowns given */
    NEED_JACOBIAN = 4,  /* its value, by the Jacobian */
    NEED_CONDITION = 8, /* by the general conditions */
    NEED_CONDITION_JACOBIAN = 16,
    NEED_OBSERVATION = 32,
    NEED_START = 64,
    NEED_ACTIVE = 128,      /* on the path being followed */
    NEED_WHEN = 256,        /* by conditions of whens */
    NEED_ASSIGN = 512,      /* by right sides of assignments */
    NEED_SWITCH = 1024,     /* by root functions */
    NEED_MODE = 2048,       /* by conditions, internal unknowns or not */
    NEED_MODE_OTHER = 4096, /* by observations and the like, likewise */
    NEED_BREAK = 8192,      /* by functions whose breaks are told */
    NEED_FEW = 16384,       /* by the observations of an observer */
    NEED_DIVISOR = 32768    /* by what the equations divide by */
};

/* Tables over definitions. */
typedef struct definition_tables {
    size_t count;
    uint32_t level_count;
    uint32_t *level;  /* above those it uses, from 0; NONE: not needed */
    uint16_t *need;   /* NEED_* */
    uint8_t *depends; /* on an unknown */
    uint32_t *border; /* internal unknown (from 0), or NONE */
    uint32_t *gradient_first, *gradient_count; /* in chains.columns */
} definition_tables;

/* values[target] += temps[factor] * temps[gradient] */
typedef struct chain_link {
    uint32_t target, factor, gradient;
} chain_link;

/* Gradients of definitions. Their values and the factors are temporaries of
 * the Jacobian: gradient values first, then factors. */
typedef struct chain_tables {
    ARRAY(uint32_t) columns; /* provisional, per gradient value */
    ARRAY(uint8_t) kinds;    /* dae_entry_kind of each */
    ARRAY(chain_link) links; /* into gradient values, in order of levels */
    ARRAY(uint32_t) owners;  /* definition of each link */
    uint32_t factor_count;
    ARRAY(uint32_t) borders; /* definition of each internal unknown */
} chain_tables;

typedef struct slot_tables {
    size_t unknowns, total; /* the model's; with internal ones */
    size_t states, total_states;
    uint8_t *order;  /* q_j; room for internal ones */
    uint8_t *occurs; /* in an equation */
    size_t *first;   /* where unknown j begins in x */
} slot_tables;

/* A program and what must be 0 before it runs. */
typedef struct task {
    program *program;
    index_ranges clear[OUT_COUNT];
    bool clears; /* some of them */
} task;

/* Derivatives of one group of equations. */
typedef struct jacobian {
    size_t rows, nonzeros;
    int64_t *column_start;
    int32_t *row;
    uint8_t *kind;
    dae_pattern pattern;
    task all, varying;
    bool has_varying, has_other; /* entries that vary, that do not */
    ARRAY(chain_link) inner;     /* into temporaries */
    ARRAY(chain_link) outer;     /* into entries */
    ARRAY(chain_link) outer_varying;
} jacobian;

/* Memory of evaluations in power series of so many terms; 0: none yet. */
typedef struct series_store {
    size_t terms, size;
    double *memory;
} series_store;

struct compiled {
    const dae_allocator *allocator;
    system_tables *s;
    dae_diagnostics *ds; /* while compiling; may be NULL */
    arena memory;        /* what lives as long as this */
    arena scratch;       /* what is dropped after a stage */
    double t0;

    /* As lowered: what texts are written from. */
    row_sets text_equations, text_definitions;
    row_sets model_equations; /* with held places (code/held.h), as all below */
    row_sets equations;       /* with those of internal unknowns */
    row_sets own;             /* equations of definitions that have one */
    row_sets definitions, conditions, observations, starts;
    row_sets whens, assigned; /* conditions, right sides */
    row_sets roots;           /* root functions of switches */
    row_sets breaks;          /* those whose breaks are told */
    row_sets divisors;        /* what the equations divide by */
    definition_tables defs;
    chain_tables chains;
    slot_tables slots;

    task residual, condition, observation, start, guess;
    task when_task, assign_task, root_task, break_task, divisor_task;
    jacobian jacobian, condition_jacobian;

    node_id *switch_at;  /* per node of the shapes: switches_below */
    node_id *spline_at;  /* per node: the spline below it that has the fewest
                            derivatives; NULL: no model's signals */
    uint32_t *kink_of;   /* per definition: the one with the kink + 1, or 0 */
    uint8_t *class_of;   /* per definition: as `smoothness` */
    uint8_t *is_exposed; /* per definition: used outside what is vouched for */
    uint8_t *smoothness; /* per equation: problem.smoothness */
    uint8_t *smoothness_held, *smoothness_timed; /* the same: as in problem */

    /* Discrete variables, then switches, then one that is always NaN. */
    double *held;
    size_t held_count; /* without that */
    size_t switch_count;
    dae_switch *switches;
    struct mode_switch *mode_switches;
    size_t break_count; /* switches of DAE_DOMAIN_BREAK */
    struct break_rule *break_rules;
    double *break_values;
    size_t divisor_count;
    const struct denominator *divisor_list;
    const uint8_t *divisor_certain;
    uint32_t *divisor_positive;
    double *discrete_start;
    double *def_values;                  /* definitions.count */
    double *observed_free, *sides_aside; /* compiled_observe */
    double *temps;                       /* gradient values, factors */
    size_t temp_count;
    bool is_native; /* programs that are run often may become machine code */
    void *work;     /* scratch of program runs */
    double **residual_at; /* its arrays, but for those of a point */
    struct vm_lanes
        *lanes; /* the residual at several points; NULL: one by one */
    size_t work_size;
    series_store series[3];       /* by series_kind */
    struct series_part *parts[2]; /* likewise; NULL: none asked for yet */
    struct derived *derived[2];   /* of rows, of entries; likewise */
    double *planes;               /* room of both parts; NULL: released */
    size_t planes_size;
    struct formula_tables *formulas; /* NULL: none asked for yet */
    struct precise *precise;         /* NULL: none asked for yet */

    double *x, *xp; /* at the start */
    uint8_t *x_fixed, *xp_fixed;
    uint8_t *x_guessed, *xp_guessed; /* stated with `~` */
    /* of the unknowns; NULL where the text says nothing of any */
    double *nominal, *atol, *minimum, *maximum;
    uint8_t *index_group, *prefer_state;
    dae_start start_tables;
    dae_scales scales;
    dae_events events;
    dae_denominators denominators;
    dae_problem problem;
};

/* The definition that a leaf means in a row. */
static inline uint32_t leaf_definition(
    const system_tables *s, const leaf *l, const uint32_t *row)
{
    uint32_t id = row[1 + l->hole];
    for (unsigned o = l->order; o > 0 && id != NODE_NONE; o--)
        id = s->definitions.items[id].derivative;
    return id;
}
static inline const uint32_t *set_row(const row_set *set, size_t r)
{
    return set->data + r * set->width;
}
/* The row of a definition, and as the text has it. */
static inline const row_set *ref_set(const compiled *c, row_ref ref)
{
    return &c->definitions.items[ref.list];
}
static inline const row_set *text_ref_set(const compiled *c, row_ref ref)
{
    return &c->text_definitions.items[ref.list];
}

#endif
