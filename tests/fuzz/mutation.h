/* A text being mutated: where its pieces are, and how it is changed. */
#ifndef FUZZ_MUTATION_H
#define FUZZ_MUTATION_H

#include "grow.h"
#include "pieces.h"

#define MUTATION_PIECES 2048
#define MUTATION_SNIPPET 1024 /* bytes that one mutation inserts */

typedef struct mutation {
    random_state random;
    uint8_t *text;
    size_t size, limit;
    piece pieces[MUTATION_PIECES]; /* before the mutation */
    size_t count;
    char snippet[MUTATION_SNIPPET];
} mutation;

/* 0 <= value < limit */
size_t mutation_below(mutation *m, size_t limit);

/* The bytes begin..end become `length` others, which lie elsewhere; nothing
 * happens where that would be too long. */
void mutation_replace(
    mutation *m, size_t begin, size_t end, const void *bytes, size_t length);
void mutation_insert(mutation *m, size_t at, const char *text);
/* A part of the text, as far as it has room, in the snippet: its length. */
size_t mutation_take(mutation *m, size_t begin, size_t end);
/* A text for a symbol of grow.h in the snippet: its length. */
size_t mutation_grow(mutation *m, char symbol);

/* Whether a piece is a word that declares names with values. */
bool mutation_declares(const mutation *m, const piece *p);

/* Places at random; false where none is found. */
bool mutation_operand(mutation *m, size_t *begin, size_t *end);
bool mutation_piece(mutation *m, piece_kind kind, piece *found);
/* A line, with its newline. */
void mutation_line(mutation *m, size_t *begin, size_t *end);

/* One of the mutations that care little for what the text means (rough.c), or
 * of those that mostly leave a model that compiles (gentle.c). There is at
 * least one piece. */
void mutate_rough(mutation *m);
void mutate_gentle(mutation *m);

#endif
