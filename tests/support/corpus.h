/* The entries of tests/data/structure/corpus.json as models: texts of the
 * language, and the values that the corpus knows. */
#ifndef SUPPORT_CORPUS_H
#define SUPPORT_CORPUS_H

#include "json.h"

/* Free it with json_free; NULL where it cannot be read. */
json_value *corpus_read(void);
/* The entry of that name: fails the test that runs where there is none. */
const json_value *corpus_entry(const json_value *corpus, const char *name);

/* What a text says of the start. */
typedef enum corpus_start {
    CORPUS_BARE,    /* nothing */
    CORPUS_GUESSES, /* every known value is a guess */
    CORPUS_CHOSEN   /* the corpus' free choice is given, the others are
                       guesses */
} corpus_start;

/* The entry as text: its title, parameters, unknowns, equations under their
 * names (with definitions put in place), the start, and a `solve` line that
 * begins at its time. Equations stand in lines of their own, the first in line
 * corpus_first_line. free() it; NULL where memory is short. */
char *corpus_text(const json_value *entry, corpus_start start);
int corpus_first_line(const json_value *entry);

/* The highest derivative of the variable that occurs; -1: none. */
int corpus_order(const json_value *entry, const char *variable);
/* Derivative `order` of the variable at the entry's consistent point, or at its
 * k-th special point; false where it is not known. */
bool corpus_value(
    const json_value *entry, const char *variable, int order, double *value);
bool corpus_special_value(const json_value *entry, size_t k,
    const char *variable, int order, double *value);

#endif
