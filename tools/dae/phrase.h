/* A sentence that is put together piece by piece, and fields of a report:
 * a label, then a text in lines of readable length. Begins as zero; where memory runs
 * out (memory.h) a part is missing. */
#ifndef PHRASE_H
#define PHRASE_H

#include <dae/status.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

typedef struct phrase {
    char *text; /* NULL: nothing yet */
    size_t length, room;
} phrase;

void phrase_add(phrase *p, const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 2, 3)))
#endif
    ;
/* Text as it is, of any length; the second is a dae_write_fn whose context is a phrase. */
void phrase_put(phrase *p, const char *text);
int phrase_write(void *p, const char *text, size_t length);
/* A short part of a sentence, by value: cut at 63 bytes. */
typedef struct snippet {
    char s[64];
} snippet;
snippet snippet_of(const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 1, 2)))
#endif
    ;
/* " (kg·m²/s²)" of kg*m^2/s^2, without the blank at the beginning; nothing of "". */
void phrase_put_unit(phrase *p, const char *unit);
/* The text, "" where there is none. */
const char *phrase_text(const phrase *p);
/* Begins again, keeping the room. */
void phrase_empty(phrase *p);
/* A library has written to it, behind the first `before` bytes: what is not whole is
 * taken away. */
void phrase_keep(phrase *p, size_t before, dae_status st);
/* Characters that are seen, of UTF-8; 0 of NULL. */
size_t phrase_width(const char *text);
/* "a", "a and b", "a, b and 7 more": puts what stands before member k of `count`, of
 * which so many are named at most, and then how many more there are. Whether this one
 * is to be named. */
bool phrase_next(phrase *p, size_t k, size_t count, size_t most);
void phrase_more(phrase *p, size_t shown, size_t count);
/* "  label    text", wrapped at spaces; continued lines begin below the text.
 * `indent` blanks before the label, which takes `width` columns; a longer one has
 * a line of its own. */
void phrase_field(
    FILE *file, int indent, int width, const char *label, const char *text);

/* Text in columns: every column as wide as its widest cell. Widths are
 * counted in code points, which fits the names of models. */

enum { TABLE_COLUMNS = 16 };

typedef struct table {
    size_t columns;
    char **cells; /* row after row */
    size_t count, capacity;
    bool align_right[TABLE_COLUMNS];
    bool failed; /* nothing is printed */
} table;

/* A letter for each column: l, or r for one that stands at the right. */
table table_of(const char *columns);
/* Fills the next cell, from left to right; the text is copied. */
void table_add(table *t, const char *text);
/* The same, formatted, cut at 99 bytes. */
void table_addf(table *t, const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 2, 3)))
#endif
    ;

void table_number(table *t, double value); /* 10 digits */
void table_count(table *t, int64_t value);
/* The next cells, texts one after the other. */
#define TABLE_ADD(t, ...)                                                      \
    table_add_all((t), (const char *const[]){__VA_ARGS__, NULL})
void table_add_all(table *t, const char *const *texts);

/* Writes all rows, indented; nothing where memory ran out. */
void table_print(const table *t, FILE *file);

#endif
