/* Measured signals: functions of one argument that are a polynomial between any
 * two neighbouring knots.
 *
 * Two operations make one of them (ops.def). PIECE(a) is the number of the
 * piece that a lies in, from 0, and which part of it has gone by: it rises with
 * a, and is a whole number exactly at a knot. TABLE(a, k) is the value at a of
 * the polynomial of piece floor(k), or its derivative. So TABLE(t, PIECE(t)) is
 * the signal itself, and TABLE(t, FLOOR(PIECE(t))) has a switch for what jumps
 * or has a kink at its knots: held between them, it is a polynomial there.
 *
 * The numbers of a signal are a block of doubles, so that programs can read
 * them in one array:
 *     [0] count of pieces   [1] degree   [2], [3] lowest and highest argument
 *     [4..7] 0   then the count begins of the pieces, ascending; the first
 *     piece goes on below its begin as far as [2] allows
 *     then count * (degree + 1) coefficients: sum of c[j]*(a - begin)^j */
#ifndef IR_SIGNAL_H
#define IR_SIGNAL_H

#include "base/source.h"
#include <dae/long.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SIGNAL_HEADER 8
/* Signals begin at multiples of this in the common array: what is left of the
 * number is room for the order of a derivative. */
#define SIGNAL_ALIGN 8
#define SIGNAL_DEGREE_MOST 5

typedef struct measured {
    const char *text;      /* how the model calls it, for messages */
    const char *key;       /* equal for equal signals */
    const double *numbers; /* size */
    uint32_t offset;       /* in the array of all; a multiple of SIGNAL_ALIGN */
    uint32_t size;
    uint8_t smoothness; /* continuous derivatives; 0: has a kink or jumps */
    text_span span;     /* where the model names it */
} measured;

/* The number in an instruction: which signal, which derivative. */
static inline uint32_t signal_number(uint32_t offset, unsigned order)
{
    return offset | order;
}
static inline uint32_t signal_offset(uint32_t number)
{
    return number & ~(uint32_t)(SIGNAL_ALIGN - 1);
}
static inline unsigned signal_order(uint32_t number)
{
    return number & (SIGNAL_ALIGN - 1);
}

static inline size_t signal_pieces(const double *numbers)
{
    return (size_t)numbers[0];
}
static inline unsigned signal_degree(const double *numbers)
{
    return (unsigned)numbers[1];
}
/* Doubles of a signal, with what fills up to SIGNAL_ALIGN; 0: beyond 32 bits. */
uint32_t signal_size(size_t pieces, unsigned degree);
/* Whether `room` doubles begin with a signal that may be evaluated. */
bool signal_is_sound(const double *numbers, size_t room);

/* PIECE, and TABLE or its derivative of an order up to SIGNAL_DEGREE_MOST. NaN
 * for an argument of NaN; TABLE is NaN too where the argument is more than
 * rounding below the lowest or above the highest one. */
double signal_piece(const double *numbers, double a);
double signal_value(const double *numbers, unsigned order, double a, double k);
dae_long signal_piece_long(const double *numbers, dae_long a);
dae_long signal_value_long(
    const double *numbers, unsigned order, dae_long a, dae_long k);

/* The Taylor coefficients at a of the polynomial of piece floor(k):
 * degree + 1 of them. */
void signal_taylor(const double *numbers, unsigned order, double a, double k,
    double coefficients[SIGNAL_DEGREE_MOST + 1]);

/* The nearest knot above a (direction 1) or below (-1); +-HUGE_VAL: none. */
double signal_next_knot(const double *numbers, double a, int direction);

#endif
