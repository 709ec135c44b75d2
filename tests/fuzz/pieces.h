/* A light reading of a model's text: names, numbers, texts, signs and ends of
 * lines, without blanks and comments. It does not use the scanner, which is
 * what is being tried. */
#ifndef FUZZ_PIECES_H
#define FUZZ_PIECES_H

#include <stddef.h>
#include <stdint.h>

typedef enum piece_kind {
    PIECE_NAME, /* also words */
    PIECE_NUMBER,
    PIECE_TEXT,
    PIECE_OPEN, /* ( [ { */
    PIECE_CLOSE,
    PIECE_SIGN,
    PIECE_LINE /* a newline or `;` */
} piece_kind;

typedef struct piece {
    piece_kind kind;
    size_t begin, end;
} piece;

/* The first `room` pieces; how many there are. */
size_t pieces_split(
    const uint8_t *text, size_t size, piece *pieces, size_t room);
/* Behind the operand that begins at piece k: a name with its primes, calls and
 * indices, a number, something in brackets; k where none begins there. */
size_t pieces_operand(
    const uint8_t *text, const piece *pieces, size_t count, size_t k);

#endif
