/* Expressions in unknown functions of time, small ones for tests: made,
 * substituted, differentiated, printed as the language writes them, and
 * evaluated along power series, in doubles or exactly modulo a prime. */
#ifndef SUPPORT_TERMS_H
#define SUPPORT_TERMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum term_kind {
    TERM_NUMBER,  /* `a` itself */
    TERM_TIME,    /* t */
    TERM_UNKNOWN, /* number `a` */
    TERM_ADD,     /* a + b */
    TERM_MUL,     /* a * b */
    TERM_SIN,
    TERM_COS,
    TERM_EXP,
    TERM_INVERSE,   /* 1 / a */
    TERM_DERIVATIVE /* by time */
} term_kind;

typedef struct term {
    term_kind kind;
    int a, b; /* operands stand before the term */
} term;

enum {
    TERMS_MOST = 1 << 14,
    TERMS_LENGTH = 32, /* of a series */
    TERMS_UNKNOWNS = 16
};

/* All terms of a model; a term is its number. Where there are too many,
 * `is_full` is set and what follows has no meaning. */
typedef struct terms {
    term *at;
    int count;
    bool is_full;
} terms;

bool terms_create(terms *s);
void terms_free(terms *s);

/* Makers. Sums and products with 0 and 1 are simplified. */
int term_number(terms *s, int value);
int term_time(terms *s);
int term_unknown(terms *s, int j);
int term_add(terms *s, int a, int b);
int term_mul(terms *s, int a, int b);
int term_apply(terms *s, term_kind kind, int a);
int term_derivative(terms *s, int a, int times);

/* The term with map[j] in the place of unknown j. */
int term_substitute(terms *s, int root, const int *map);
/* The same without TERM_DERIVATIVE but on unknowns. */
int term_expand(terms *s, int root);

/* How a term is written: names[k] stands for the term named[k]. */
typedef struct term_style {
    const int *named;
    int named_count;
    const char *name;           /* of these: "z" gives z1, z2, ... */
    const int *unknown_numbers; /* x1, x2, ... in this order; NULL: as is */
} term_style;

/* Text that grows up to a limit. */
typedef struct term_text {
    char *text;
    size_t length, size;
} term_text;
void text_say(term_text *out, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* `is_whole`: a name for the root itself is not used. */
void term_print(const terms *s, int root, const term_style *style,
    bool is_whole, term_text *out);

/* ---- series ------------------------------------------------------------------ */

/* A number of one of two fields. */
typedef union scalar {
    double real;
    uint64_t exact; /* modulo SCALAR_PRIME */
} scalar;
#define SCALAR_PRIME UINT64_C(2147483647)

scalar scalar_of(bool is_exact, int64_t value);
scalar scalar_add(bool is_exact, scalar a, scalar b);
scalar scalar_mul(bool is_exact, scalar a, scalar b);
scalar scalar_inverse(bool is_exact, scalar a);
bool scalar_is_zero(bool is_exact, scalar a);

/* Values of all terms along a curve, number `length` each; sin, cos and exp of
 * an exact number are numbers of the field that keep what the functions are to
 * each other, without being these functions: as generic as their values. */
typedef struct term_series {
    const terms *terms;
    bool is_exact;
    int length;
    scalar t0;
    scalar *value;            /* terms by length */
    scalar *tangent;          /* the same */
    bool *is_needed;          /* terms */
    bool *is_fixed;           /* terms: has its value for good */
    scalar per[TERMS_LENGTH]; /* 1/k */
} term_series;

bool term_series_create(
    term_series *e, const terms *s, bool is_exact, int length, scalar t0);
void term_series_free(term_series *e);
/* Values are to be had of these terms alone. */
void term_series_need(term_series *e, const int *roots, int count);
/* Unknown j is along[j * length ..]. */
void term_series_evaluate(term_series *e, const scalar *along);
/* What changes with unknown j in the direction s^l; after evaluate. */
void term_series_differentiate(term_series *e, int j, int l);

#endif
