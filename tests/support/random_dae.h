/* Small systems whose index and degrees of freedom are known, as texts: made
 * of parts that are solved one after the other (differential equations, chains
 * in which each unknown is the derivative of the one before, constraints with
 * a multiplier), disguised by a change of variables, by combining equations, by
 * terms that cancel. The number of a case determines it. */
#ifndef SUPPORT_RANDOM_DAE_H
#define SUPPORT_RANDOM_DAE_H

#include <stdbool.h>
#include <stdint.h>

typedef enum random_kind {
    RANDOM_REGULAR,
    RANDOM_REDUNDANT,     /* one equation follows from the others: no index */
    RANDOM_CONTRADICTORY, /* one contradicts them: no index */
    RANDOM_TOO_MANY,      /* one equation more than unknowns */
    RANDOM_TOO_FEW
} random_kind;

typedef enum random_start {
    RANDOM_OPEN,       /* nothing is given */
    RANDOM_CONSISTENT, /* as many values as there are degrees of freedom */
    RANDOM_EXCESS,     /* one more, which agrees with the others */
    RANDOM_CONFLICT,   /* one more, which does not */
    RANDOM_SHORT       /* one less */
} random_start;

enum { RANDOM_UNKNOWNS = 10, RANDOM_ORDERS = 3 };

typedef struct random_dae {
    uint64_t number;
    random_kind kind;
    char traits[96]; /* how it is disguised */
    bool is_linear;
    int unknowns, equations;
    int index, degrees_of_freedom; /* -1: none */
    /* what the construction says of the index; -1: nothing, the index is by
     * exact_index.h alone. Is equal to `index` or the case is wrong. */
    int predicted;
    bool is_exact;      /* exact_index.h was asked */
    bool is_proved;     /* and finds what is said here */
    random_start start; /* of what is RANDOM_REGULAR */
    int missing;        /* conditions */
    /* the solution at the start that is given where that is CONSISTENT or
     * EXCESS: derivative k of unknown j; NaN: there may be others */
    double solution[RANDOM_UNKNOWNS][RANDOM_ORDERS];
    double unit[RANDOM_UNKNOWNS]; /* what unknown j is measured in */
    char *text;
} random_dae;

/* False: memory is short. random_dae_clear frees the text. */
bool random_dae_make(uint64_t number, random_dae *out);
void random_dae_clear(random_dae *d);

#endif
