/* What the text of an equation tells that its rows do not: which factor stands
 * first, and whether the right side is 0. The text is looked at word by word,
 * without its grammar: what it tells changes how a formula looks, never what
 * it means. */
#ifndef CODE_FORMULA_WORDS_H
#define CODE_FORMULA_WORDS_H

#include "code/compile.h"

typedef struct words {
    const char *begin, *end;
} words;

/* Empty where there is no text. */
words words_of_equation(const compiled *c, uint32_t equation);
words words_of_condition(const compiled *c, uint32_t condition);
/* Whether "word*other" stands in the text, with an index, primes or a power
 * behind the word or without; other NULL: "word*". */
bool words_have_product(words w, const char *word, const char *other);
/* Whether the left side of the text is the word, with an index or primes or
 * without, and whether the right side is its negative. */
bool words_begin_with(words w, const char *word);
bool words_end_in_minus(words w, const char *word);
/* Whether the text ends in "= 0". */
bool words_end_in_zero(words w);

#endif
