/* What people write that the language spells otherwise: signs pasted from
 * printed pages, words of other languages, numbers that are none. */
#ifndef SYNTAX_SPELLING_H
#define SYNTAX_SPELLING_H

#include "syntax/scan.h"

/* Reports the first byte that is not UTF-8 and the first NUL (E0104). */
void spelling_encoding(scanner *s);
/* A text in UTF-16, which is reported and cannot be read on. */
bool spelling_is_wide(scanner *s);
/* The end of a comment's line: before "\n" or "\r\n", or the text's end. */
const unsigned char *spelling_line_end(
    const scanner *s, const unsigned char *start);
/* The end of a text that a quote opens; reports one that does not end on
 * its line (E0103). One that ends on the next is read up to there. */
const unsigned char *spelling_text(scanner *s, const unsigned char *start);
/* Reports a number that is none (E0105); the kind to go on with. */
uint8_t spelling_number(
    scanner *s, const unsigned char *start, const unsigned char *end);
/* Reports a range with too many points (E0101). */
void spelling_dots(
    scanner *s, const unsigned char *start, const unsigned char *end);
/* Reports a sign that begins nothing (E0101): the kind that was most likely
 * meant, or TOKEN_BAD. Moves `end` where more than the sign is consumed. */
uint8_t spelling_sign(
    scanner *s, const unsigned char *start, const unsigned char **end);

/* The statement that a word at a statement's beginning was meant to be:
 * `parameter` and `parm` are `param`. NULL where nothing is near. */
const char *spelling_statement(const char *word);

#endif
