#include "pieces.h"
#include <string.h>

static int is_letter(uint8_t c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'
        || c >= 0x80;
}

static int is_digit(uint8_t c)
{
    return c >= '0' && c <= '9';
}

static size_t number_end(const uint8_t *text, size_t size, size_t at)
{
    while (at < size && is_digit(text[at])) at++;
    if (at + 1 < size && text[at] == '.' && text[at + 1] != '.') {
        at++;
        while (at < size && is_digit(text[at])) at++;
    }
    if (at < size && (text[at] == 'e' || text[at] == 'E')) {
        at++;
        if (at < size && (text[at] == '-' || text[at] == '+')) at++;
        while (at < size && is_digit(text[at])) at++;
    }
    return at;
}

static size_t text_end(const uint8_t *text, size_t size, size_t at)
{
    for (at++; at < size && text[at] != '\n'; at++)
        if (text[at] == '"') return at + 1;
    return at;
}

/* Signs of two characters stay together. */
static size_t sign_end(const uint8_t *text, size_t size, size_t at)
{
    static const char *const pairs[] = {
        "..", ":=", "==", "!=", "<=", ">=", "->", "=>"};
    for (size_t k = 0; at + 1 < size && k < sizeof pairs / sizeof *pairs; k++)
        if (memcmp(text + at, pairs[k], 2) == 0) return at + 2;
    return at + 1;
}

static piece read_piece(const uint8_t *text, size_t size, size_t at)
{
    uint8_t c = text[at];
    piece p = {PIECE_SIGN, at, at + 1};
    if (is_letter(c)) {
        p.kind = PIECE_NAME;
        while (
            p.end < size && (is_letter(text[p.end]) || is_digit(text[p.end])))
            p.end++;
    } else if (is_digit(c)) {
        p.kind = PIECE_NUMBER;
        p.end = number_end(text, size, at);
    } else if (c == '"') {
        p.kind = PIECE_TEXT;
        p.end = text_end(text, size, at);
    } else if (c == '\n' || c == ';') {
        p.kind = PIECE_LINE;
    } else if (c && strchr("([{", c)) {
        p.kind = PIECE_OPEN;
    } else if (c && strchr(")]}", c)) {
        p.kind = PIECE_CLOSE;
    } else {
        p.end = sign_end(text, size, at);
    }
    return p;
}

size_t pieces_split(
    const uint8_t *text, size_t size, piece *pieces, size_t room)
{
    size_t count = 0, at = 0;
    while (at < size && count < room) {
        uint8_t c = text[at];
        if (c == '#') {
            while (at < size && text[at] != '\n') at++;
        } else if (c == ' ' || c == '\t' || c == '\r') {
            at++;
        } else {
            pieces[count] = read_piece(text, size, at);
            at = pieces[count++].end;
        }
    }
    return count;
}

/* Behind the bracket that closes the one at k, or behind the last piece. */
static size_t bracket_end(const piece *pieces, size_t count, size_t k)
{
    size_t depth = 0;
    for (; k < count; k++) {
        if (pieces[k].kind == PIECE_OPEN) depth++;
        if (pieces[k].kind == PIECE_CLOSE && --depth == 0) return k + 1;
    }
    return count;
}

size_t pieces_operand(
    const uint8_t *text, const piece *pieces, size_t count, size_t k)
{
    if (k >= count) return k;
    if (pieces[k].kind == PIECE_NUMBER) return k + 1;
    if (pieces[k].kind == PIECE_OPEN) return bracket_end(pieces, count, k);
    if (pieces[k].kind != PIECE_NAME) return k;
    for (k++; k < count; k++) {
        if (pieces[k].kind == PIECE_OPEN && text[pieces[k].begin] != '{')
            k = bracket_end(pieces, count, k) - 1;
        else if (pieces[k].kind != PIECE_SIGN || text[pieces[k].begin] != '\'')
            break;
    }
    return k;
}
