#include "code/formula_words.h"
#include <string.h>

/* A text is looked through for every product in it: longer ones are not. */
enum { LONGEST = 4000 };

static words words_of(const compiled *c, const equation_block *b)
{
    if (!b || !c->s->source) return (words){NULL, NULL};
    if (b->span.end - b->span.begin > LONGEST) return (words){NULL, NULL};
    const char *text = c->s->source->text;
    return (words){text + b->span.begin, text + b->span.end};
}

words words_of_equation(const compiled *c, uint32_t equation)
{
    return words_of(c, equation_block_find(&c->s->equations, equation));
}

words words_of_condition(const compiled *c, uint32_t condition)
{
    return words_of(c, equation_block_find(&c->s->conditions, condition));
}

static bool is_word_byte(char c)
{
    return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z')
        || (c >= 'A' && c <= 'Z') || (unsigned char)c >= 0x80;
}

static const char *skip_blanks(const char *at, const char *end)
{
    while (at < end && (*at == ' ' || *at == '\t')) at++;
    return at;
}

/* Behind "[i, j+1]", primes and "^2". */
static const char *skip_index(const char *at, const char *end)
{
    if (at < end && *at == '[') {
        while (at < end && *at != ']') at++;
        if (at < end) at++;
    }
    while (at < end && *at == '\'') at++;
    if (at < end && *at == '^')
        for (at++; at < end && *at >= '0' && *at <= '9';) at++;
    return skip_blanks(at, end);
}

static bool is_word(const char *at, const char *end, const char *word)
{
    size_t length = strlen(word);
    return (size_t)(end - at) >= length && memcmp(at, word, length) == 0
        && (at + length == end || !is_word_byte(at[length]));
}

bool words_have_product(words w, const char *word, const char *other)
{
    for (const char *at = w.begin; at < w.end; at++) {
        if (at > w.begin && is_word_byte(at[-1])) continue;
        if (!is_word(at, w.end, word)) continue;
        const char *next = skip_index(at + strlen(word), w.end);
        if (next >= w.end || *next != '*') continue;
        next = skip_blanks(next + 1, w.end);
        if (!other || is_word(next, w.end, other)) return true;
    }
    return false;
}

static bool is_comparison(const char *text, const char *at, const char *end)
{
    if (at + 1 < end && at[1] == '=') return true;
    return at > text && strchr("<>!=~", at[-1]) != NULL;
}

/* Behind the sign of equality, and blanks; NULL: there is none. */
static const char *right_side(words w)
{
    const char *at = w.begin;
    while (at < w.end && (*at != '=' || is_comparison(w.begin, at, w.end)))
        at++;
    return at < w.end ? skip_blanks(at + 1, w.end) : NULL;
}

static bool is_end(words w, const char *at)
{
    return at == w.end || *at == '#' || *at == '\n' || *at == '\r' || *at == ';'
        || is_word(at, w.end, "for");
}

bool words_end_in_zero(words w)
{
    const char *at = right_side(w);
    return at && at < w.end && *at == '0'
        && is_end(w, skip_blanks(at + 1, w.end));
}

bool words_end_in_minus(words w, const char *word)
{
    const char *at = right_side(w);
    if (!at || at == w.end || *at != '-') return false;
    at = skip_blanks(at + 1, w.end);
    return is_word(at, w.end, word)
        && is_end(w, skip_index(at + strlen(word), w.end));
}

bool words_begin_with(words w, const char *word)
{
    const char *at = skip_blanks(w.begin, w.end), *next = at;
    while (next < w.end && is_word_byte(*next)) next++;
    next = skip_blanks(next, w.end);
    if (next < w.end && *next == ':') at = skip_blanks(next + 1, w.end);
    if (!is_word(at, w.end, word)) return false;
    at = skip_index(at + strlen(word), w.end);
    return at < w.end && *at == '=';
}
