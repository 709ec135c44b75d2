/* Rows as text in the user's names, for messages and listings. */
#ifndef CODE_NAMES_H
#define CODE_NAMES_H

#include "code/compile.h"
#include "ir/print.h"

/* A row whose holes give a shape its names; `row` NULL: the holes' numbers
 * stand for themselves (u0, p1, d2). */
typedef struct row_names {
    const compiled *c;
    const uint32_t *row;
} row_names;
/* A print_leaf_fn over a row_names. */
dae_status names_write_leaf(void *names, leaf_kind kind, uint32_t number,
    unsigned order, dae_write_fn *write, void *context);
/* A shape under a row, at most `limit` bytes (0: no limit). */
dae_status names_write_shape(const compiled *c, node_id root,
    const uint32_t *row, size_t limit, dae_write_fn *write,
    void *context) DAE_MUST_CHECK;
/* An expression of parameters alone. */
dae_status names_write_param(const compiled *c, node_id id, size_t limit,
    dae_write_fn *write, void *context) DAE_MUST_CHECK;

/* Text into a buffer as snprintf does. */
typedef struct text_buffer {
    char *text;
    size_t size, length;
} text_buffer;
int text_buffer_write(void *buffer, const char *text, size_t length);
void text_buffer_printf(text_buffer *b, const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 2, 3)))
#endif
    ;

/* The derivative of what has that name, as messages write it: "x'", beyond three
 * primes "der(x, 4)". */
void names_derivative(
    const char *name, unsigned order, char *text, size_t size);

/* Name of an unknown, internal ones too, without primes. */
size_t names_unknown(
    const compiled *c, size_t unknown, char *text, size_t size);

#endif
