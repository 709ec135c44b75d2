/* The seam between whoever states equations and the solver: F(t, x, x') = 0.
 *
 * Unknowns. A problem has `unknown_count` unknowns and as many equations.
 * Unknown j occurs with derivatives up to order q_j = order[j]. A *slot* is a
 * pair (unknown, derivative order). The slots below the highest order of
 * each unknown are the state vector `x`, of length
 * N = sum over j of max(q_j, 1): unknown 0 with its orders 0, 1, ..., then
 * unknown 1, and so on. The highest derivatives are the vector `xp`, of
 * length `unknown_count`; xp[j] is unread where q_j = 0 (algebraic).
 *
 * So a hand-written first-order problem has N = unknown_count, x the
 * unknowns and xp their derivatives, and fills only `unknown_count` and
 * `residual`. An equation of motion m*y'' = f(y, y') has one unknown of order
 * 2: x = (y, y'), xp = (y''). The rows y' = v that a first-order form needs
 * are never written down; the solver eliminates them exactly.
 *
 * Every pointer is borrowed and must outlive the solver that uses it. */
#ifndef DAE_PROBLEM_H
#define DAE_PROBLEM_H

#include <dae/events.h>
#include <dae/long.h>
#include <dae/status.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct dae_problem dae_problem;

/* Evaluates res[i] = F_i(t, x, xp), unknown_count values. Returns DAE_OK;
 * DAE_RETRY where F has no value here (try a smaller step); anything else
 * stops the run with that status. NaN, Inf and sizes above 2^512 (1.3e154),
 * whose squares overflow, count as RETRY where they are left in `res`. */
typedef dae_status dae_residual_fn(
    void *self, double t, const double *x, const double *xp, double *res);

/* The same at `count` points, each with its own rows of x, xp and res: stages of one step
 * of an implicit Runge-Kutta method. Bit for bit what `residual` gives, one by one. */
typedef dae_status dae_residuals_fn(void *self, size_t count, const double *t,
    const double *const *x, const double *const *xp, double *const *res);

/* The same in extended precision: t, x and xp are dae_long and so is all
 * arithmetic. What is DAE_RETRY is the same, and the values are those of
 * `residual` but for its rounding. For studies (dae/study.h). */
typedef dae_status dae_residual_long_fn(void *self, dae_long t,
    const dae_long *x, const dae_long *xp, dae_long *res);

/* Which entries of the Jacobian to write. */
typedef enum dae_scope {
    DAE_ALL,     /* every entry */
    DAE_VARYING, /* only entries whose kind is DAE_ENTRY_VARYING; the others
                    keep the values of the last DAE_ALL */
} dae_scope;

/* Of entries of the Jacobian's pattern that are `asked` for: which are constants
 * that are not 0 and no larger than what rounding may have left of the numbers
 * and parameters that they are computed of, as 0.1 + 0.2 - 0.3 is. The others
 * get 0. DAE_OK or DAE_MEMORY. */
typedef dae_status dae_rounded_fn(
    void *self, const uint8_t *asked, uint8_t *is_rounded);

/* Evaluates the partial derivatives on the problem's fixed pattern:
 * values[p] = dF_i/d(slot), one value per pattern entry. */
typedef dae_status dae_jacobian_fn(void *self, dae_scope scope, double t,
    const double *x, const double *xp, double *values);

typedef enum dae_entry_kind {
    DAE_ENTRY_VARYING = 0,   /* changes with t, x or xp */
    DAE_ENTRY_PARAMETER = 1, /* changes only when a parameter is set */
    DAE_ENTRY_CONSTANT = 2,  /* never changes */
} dae_entry_kind;

/* The pattern of dF/d(slot), by columns: the slots of x in order (N columns),
 * then xp (unknown_count columns, those of algebraic unknowns empty). Rows
 * of a column ascend. */
typedef struct dae_pattern {
    const int64_t *column_start; /* N + unknown_count + 1 */
    const int32_t *row;          /* column_start[last] */
    const uint8_t *kind;         /* dae_entry_kind each; NULL: all varying */
} dae_pattern;

/* The kinds of names. */
typedef enum dae_name_kind {
    DAE_NAME_EQUATION,  /* equation i */
    DAE_NAME_UNKNOWN,   /* unknown j */
    DAE_NAME_CONDITION, /* general initial condition c */
    DAE_NAME_START,     /* start value of slot p of (x, xp); places only: where
                           it is given, if the text gives it */
    DAE_NAME_KINK,      /* what limits smoothness[i] of equation i, as a
                           sentence: "`gamma` has a kink at `abs(t - 1)`" or
                           "`abs(x - y)` has a kink"; "" where nothing does. Its
                           place is that of the expression where it is known,
                           else of the definition or equation */
    DAE_NAME_KINKED,    /* its subject alone: "gamma", "abs(x - y)" */
    DAE_NAME_SWITCH,    /* switch s of `events` as the text has it: "x < 0",
                           "abs(v)", "mod(t, T)" */
    DAE_NAME_EDGE,      /* its root function: "x - y", "x + v"; "-(x - y)" where
                           the text has it the other way round, x > y. "" where
                           it is not known. No places */
    DAE_NAME_WHEN,      /* when w: its label, or "L12" */
    DAE_NAME_DISCRETE,  /* discrete variable d */
    DAE_NAME_ASSIGNMENT, /* assignment a: its left side, "x'" */
    DAE_NAME_DENOMINATOR /* denominator d: "Km + S" */
} dae_name_kind;

/* Writes a name as the user knows it, at most `size` bytes with the final
 * NUL, and returns its full length as snprintf does. */
typedef size_t dae_name_fn(
    void *self, dae_name_kind kind, size_t index, char *text, size_t size);

/* The place in the user's text of an equation, unknown or condition. Where
 * there is one it adds a span to the diagnostic being written; the handle is
 * opaque to callers other than the solver and the language. */
struct dae_source;
typedef int dae_place_fn(void *self, dae_name_kind kind, size_t index,
    const struct dae_source **source, uint32_t *begin, uint32_t *end);

/* Which one equation, unknown or condition `index` is of its kind where reports
 * list them, from 0: what is computed goes by the numbers, what is told may
 * go by the user's text. No other kind is requested. */
typedef size_t dae_position_fn(void *self, dae_name_kind kind, size_t index);

/* Explains a value that is not finite: of residual or Jacobian row `index` of the
 * equations or conditions (DAE_NAME_EQUATION, DAE_NAME_CONDITION), of what is given of
 * an unknown at the start (DAE_NAME_UNKNOWN), of a switch, a when's condition or an
 * assignment. The subexpression where it arises and its operands, one line, as
 * snprintf; "": nothing to say; SIZE_MAX and "": memory ran out for it. */
typedef size_t dae_explain_fn(void *self, dae_name_kind kind, size_t index,
    double t, const double *x, const double *xp, char *text, size_t size);

/* Power series along a curve. A curve gives each unknown j by its Taylor
 * coefficients at t0, x_j(t0 + s) = sum over k of x[j*stride + k] * s^k, of
 * which the first terms + q_j are read; stride >= terms + the largest q_j. */
#define DAE_SERIES_TERMS_MAX 64

/* The equations along the curve: f[i*terms + k] is the coefficient of s^k in
 * F_i(t0 + s, x(t0 + s), x'(t0 + s), ...), for k < terms; k! times that is the
 * k-th time derivative of equation i.
 *
 * A coefficient is NaN, and so are all after it, where it does not exist: where
 * an operation has a kink or a jump here or is at the edge of its domain
 * (`series_explain` says which), or where it is too large. Beside a kink the
 * active branch is what counts. Values (k = 0) are those of `residual`.
 *
 * DAE_OK; DAE_RETRY where an equation has no value; DAE_ARGUMENT where terms
 * is 0 or above DAE_SERIES_TERMS_MAX, or stride too small; DAE_MEMORY, since
 * the first call with another number of terms makes its scratch. */
typedef dae_status dae_series_fn(void *self, size_t terms, double t0,
    const double *x, size_t stride, double *f);

/* The partial derivatives along the curve: values[p*terms + k] is the
 * coefficient of s^k in dF_i/d(slot), for entry p of the problem's pattern;
 * NaN and status as above. The derivative array follows: with J_o the entry of
 * equation i by the slot (j, o),
 *
 *     d(f_i,k)/d(x_j,l) = sum over o <= min(l, q_j), l - o <= k, of
 *                         l!/(l-o)! * J_o,k-(l-o)
 *
 * and between time derivatives, F_i^(k) = k! f_i,k by x_j^(l) = l! x_j,l, the
 * factor k!/l! comes before the sum. */
typedef dae_status dae_series_jacobian_fn(void *self, size_t terms, double t0,
    const double *x, size_t stride, double *values);

/* As dae_series_fn (need: unknown_count numbers) or dae_series_jacobian_fn
 * (need: one for each entry), where only some coefficients are requested: those
 * below need[i] <= terms of equation or entry i, the same numbers but for the
 * rounding of sums in another order. They stand otherwise: coefficient k of i
 * is f[k*count + i], count equations or entries. What stands in the other places
 * of f is left open. For callers that ask the same again and again. */
typedef dae_status dae_series_part_fn(void *self, const uint8_t *need,
    size_t terms, double t0, const double *x, size_t stride, double *f);

/* Derivatives of equations over slots of every order: F_i^(k) is number
 * row_first[i] + k of the results and x_j^(l) number column_first[j] + l of a
 * point; both have unknown_count + 1 numbers, and what lies beyond a last one is
 * no slot: 0. With `pattern`, of rows by columns, the results are its entries
 * dF_i^(k)/dx_j^(l) instead. */
typedef struct dae_derivation {
    const size_t *row_first, *column_first;
    const dae_pattern *pattern;
} dae_derivation;

/* A program that evaluates them, for who asks again and again. Values are
 * those that `series` gives, but for rounding, the same bits at `count` points as one by one.
 * DAE_RETRY: some value is not finite, and `series` is to be asked, which may know more;
 * DAE_MEMORY. `release` ends it, before the problem's end. */
typedef struct dae_derived {
    void *self;
    dae_status (*evaluate)(void *self, size_t count, const double *t,
        const double *const *points, double *const *results);
    void (*release)(void *self);
} dae_derived;

/* Makes one. DAE_UNSUPPORTED: `series` serves as well or better; DAE_MEMORY. */
typedef dae_status dae_derive_fn(
    void *self, const dae_derivation *wanted, dae_derived *out);

/* Explains a coefficient that is NaN in equation `equation` of `series` or in
 * its row of `series_jacobian`, as dae_explain_fn does; where nothing is
 * missing the text is empty. */
typedef size_t dae_series_explain_fn(void *self, size_t equation, size_t terms,
    double t0, const double *x, size_t stride, char *text, size_t size);

/* The two sides of an equation along a curve (DAE_NAME_EQUATION; its derivative
 * of order `order`), or of a general initial condition (DAE_NAME_CONDITION, of
 * order 0): numbers for a person who reads "4 = 1" beside the text. The curve
 * is that of dae_series_fn, stride >= order + 1 + the largest q_j. Left less
 * right is the residual. A derivative is written as its formula is told: with
 * its sides turned perhaps, and with what equations x' = u say put in, so
 * where one of these does not hold the difference is another one. A side that
 * has no value is not finite.
 *
 * DAE_OK; DAE_UNSUPPORTED: what the sides are is not known; DAE_ARGUMENT: there
 * is no such equation; DAE_MEMORY. */
typedef dae_status dae_sides_fn(void *self, dae_name_kind kind, size_t index,
    size_t order, double t0, const double *x, size_t stride, double sides[2]);

/* Where a guess comes from. */
typedef enum dae_guess {
    DAE_GUESS_NONE = 0,
    DAE_GUESS_STATED = 1, /* with a declaration or for a whole array */
    DAE_GUESS_OWN = 2,    /* for this value alone; there is one such line */
} dae_guess;

/* Initial conditions. `fixed` conditions x(slot) = value need no equation;
 * general ones are residuals over x and xp at the start. */
typedef struct dae_start {
    double t0;               /* start of the interval */
    const double *x;         /* N: values where fixed, guesses elsewhere */
    const double *xp;        /* unknown_count: the same for xp */
    const uint8_t *x_fixed;  /* N: non-zero where x is a condition */
    const uint8_t *xp_fixed; /* unknown_count, the same for xp */
    /* general conditions C_c(t0, x, xp) = 0; NULL and 0 where none */
    size_t condition_count;
    dae_residual_fn *condition_residual;
    dae_jacobian_fn *condition_jacobian;
    dae_pattern condition_pattern;
    /* N, and unknown_count: non-zero (dae_guess) where somebody has stated the
     * guess, which then gives way only where the others cannot; NULL: where it
     * is not 0 */
    const uint8_t *x_guessed, *xp_guessed;
    int is_of_run; /* the values are those at which a run stands: each is known to its
                      tolerance, while a small one that is written down counts to
                      three digits */
} dae_start;

/* Weak information about an unknown, all in its own unit. Arrays of length
 * unknown_count; any may be NULL. */
typedef struct dae_scales {
    const double *nominal; /* typical size > 0; 0 or NaN: not given */
    const double *atol;    /* absolute tolerance; NaN: the solver's option */
    const double *minimum; /* kept by Newton and step control; -inf: none */
    const double *maximum; /* +inf: none */
    /* Absolute tolerance of every state, N numbers; NULL: that of its
     * unknown. */
    const double *state_atol;
    /* Non-zero: to be kept a state where the index is reduced and there is a
     * choice. */
    const uint8_t *prefer_state;
} dae_scales;

/* A slot of any order: derivative `order` of unknown `unknown`. */
typedef struct dae_slot {
    int32_t unknown, order;
} dae_slot;

/* An equation that says no more than that two slots are equal: x' = v. Its
 * residual is one less the other, in either order. */
typedef struct dae_equality {
    int32_t equation;
    dae_slot first, second;
} dae_equality;

/* Numbers that the equations divide by, as evaluate(self, t, x, xp, values) gives `count` of
 * them: a solution takes one through 0 only where what is divided vanishes with it, and
 * where `is_certain`, nowhere. A step across such a place is rejected. */
typedef struct dae_denominators {
    size_t count;
    const uint8_t *is_certain; /* count */
    dae_residual_fn *evaluate;
    /* States: while they are all above 0 no denominator is 0; none: not known. */
    const uint32_t *positive;
    size_t positive_count;
} dae_denominators;

/* Gives back the memory that evaluations need; the next one takes it again, and may
 * then fail with DAE_MEMORY. Called before a large factorization. */
typedef void dae_release_fn(void *self);

struct dae_problem {
    void *self;           /* handed to every function below */
    size_t unknown_count; /* unknowns and equations */
    const uint8_t *order; /* q_j; NULL: 1 for all */
    dae_residual_fn *residual;
    dae_residuals_fn *residuals; /* NULL: `residual`, one by one */
    dae_jacobian_fn *jacobian;   /* NULL: differences, coloured by `pattern` */
    const dae_pattern *pattern;  /* NULL: dense; then `jacobian` writes by
                                   columns, N + unknown_count of them, each
                                   unknown_count long */
    const dae_start *start;      /* NULL: x, xp come from the caller */
    const dae_scales *scales;    /* NULL: nothing known */
    const uint8_t *index_group;  /* structural index group of unknown j: 0, 1
                                    tested; 2, 3 weighted; DAE_GROUP_*; NULL:
                                    all 1 */
    dae_name_fn *name;           /* NULL: "equation 3", "x[3]" */
    dae_place_fn *place;         /* NULL: no text */
    dae_position_fn *position;   /* NULL: by their numbers */
    dae_explain_fn *explain;     /* NULL: nothing more to say */
    const dae_events *events;    /* NULL: nothing switches */
    /* Power series along a curve; NULL: not available. */
    dae_series_fn *series;
    dae_series_jacobian_fn *series_jacobian;
    dae_series_explain_fn *series_explain;
    int is_smooth; /* no equation has a jump or a kink; 0: not known */
    /* How often equation i may be differentiated in time before a jump or kink
     * of its own, or of a definition it uses, is met: 0 where there is one,
     * DAE_SMOOTH where there is none. NULL: any number of times. */
    const uint8_t *smoothness;
    /* The same while every switch is held at a side, whose branch is differentiated; and
     * where those that look at unknowns are. NULL: any number of times. */
    const uint8_t *smoothness_held, *smoothness_timed;
    /* Which equations are equalities of two slots, by equation; they and the
     * slots they name are eliminated exactly where the index is reduced. */
    const dae_equality *equalities;
    size_t equality_count;
    dae_sides_fn *sides; /* NULL: not known */
    /* Parts of `series` and `series_jacobian`; NULL: those are asked. */
    dae_series_part_fn *series_part, *series_jacobian_part;
    dae_derive_fn *derive;   /* of what `series` tells; NULL: not available */
    dae_rounded_fn *rounded; /* NULL: not known */
    dae_residual_long_fn *residual_long;  /* NULL: not available */
    dae_release_fn *release;              /* NULL: there is nothing to give */
    const dae_denominators *denominators; /* NULL: not known */
};

#define DAE_SMOOTH 255

/* Index groups beside 0 to 3. Internal unknowns are not the user's: they are
 * neither counted nor shown. */
enum {
    DAE_GROUP_WEIGHT = 252,  /* internal; solved for and tested as 2 */
    DAE_GROUP_ROOT = 253,    /* the same, which its own equation determines */
    DAE_GROUP_FOLLOWS = 254, /* not tested, but solved for */
    DAE_GROUP_INTERNAL = 255 /* internal: neither; its own equation as well */
};
static inline int dae_group_is_internal(const dae_problem *p, size_t j)
{
    const uint8_t *group = p->index_group;
    return group && group[j] >= DAE_GROUP_WEIGHT
        && group[j] != DAE_GROUP_FOLLOWS;
}
/* Whether an internal unknown counts as the expression that it stands for. */
static inline int dae_group_is_expression(const dae_problem *p, size_t j)
{
    return dae_group_is_internal(p, j) && p->index_group[j] != DAE_GROUP_WEIGHT;
}

/* N, the length of the state vector. */
DAE_API size_t dae_problem_state_count(const dae_problem *problem);

#ifdef __cplusplus
}
#endif
#endif
