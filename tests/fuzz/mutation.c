#include "mutation.h"
#include <string.h>

size_t mutation_below(mutation *m, size_t limit)
{
    return random_below(&m->random, limit);
}

/* ---- changing the text --------------------------------------------------------- */

/* The bytes begin..end become `length` others, which lie elsewhere. */
void mutation_replace(
    mutation *m, size_t begin, size_t end, const void *bytes, size_t length)
{
    if (m->size - (end - begin) + length > m->limit) return;
    memmove(m->text + begin + length, m->text + end, m->size - end);
    if (length) memcpy(m->text + begin, bytes, length);
    m->size += length - (end - begin);
}

void mutation_insert(mutation *m, size_t at, const char *text)
{
    mutation_replace(m, at, at, text, strlen(text));
}

/* A part of the text, where it is short enough, in the snippet. */
size_t mutation_take(mutation *m, size_t begin, size_t end)
{
    size_t length = end - begin < MUTATION_SNIPPET ? end - begin
                                                   : MUTATION_SNIPPET;
    if (length) memcpy(m->snippet, m->text + begin, length);
    return length;
}

static bool is_written(const mutation *m, const piece *p, const char *word)
{
    size_t length = strlen(word);
    return p->end - p->begin == length
        && memcmp(m->text + p->begin, word, length) == 0;
}

bool mutation_declares(const mutation *m, const piece *p)
{
    static const char *const words[] = {"var", "param", "let", "input"};
    for (size_t k = 0; k < sizeof words / sizeof *words; k++)
        if (is_written(m, p, words[k])) return true;
    return false;
}

static void note_name(const mutation *m, grower *g, const piece *p)
{
    if (g->name_count == GROW_NAMES) return;
    g->names[g->name_count] = (const char *)m->text + p->begin;
    g->lengths[g->name_count++] = p->end - p->begin;
}

static void note_declared(const mutation *m, grower *g, const piece *p)
{
    size_t n = g->declared_count;
    if (n == GROW_NAMES) return;
    g->declared[n] = (const char *)m->text + p->begin;
    g->declared_lengths[n] = p->end - p->begin;
    g->is_array[n] = p + 1 < m->pieces + m->count && m->text[p[1].begin] == '[';
    g->declared_count++;
}

/* Names, and which of them stand where a declaration has its own. */
static void note_names(const mutation *m, grower *g)
{
    bool is_declaration = false, is_next = false;
    int depth = 0;
    for (size_t k = 0; k < m->count; k++) {
        const piece *p = &m->pieces[k];
        bool is_first = k == 0 || p[-1].kind == PIECE_LINE;
        depth += (p->kind == PIECE_OPEN) - (p->kind == PIECE_CLOSE);
        if (is_first) {
            depth = 0;
            is_declaration = is_next = mutation_declares(m, p);
            if (is_declaration) continue;
        }
        if (p->kind == PIECE_NAME) note_name(m, g, p);
        if (is_next && p->kind == PIECE_NAME) note_declared(m, g, p);
        is_next = is_declaration && depth == 0 && m->text[p->begin] == ',';
    }
}

size_t mutation_grow(mutation *m, char symbol)
{
    grower g = {.random = &m->random,
        .text = m->snippet,
        .room = MUTATION_SNIPPET,
        .depth = 1 + (unsigned)mutation_below(m, 4),
        .fresh = (unsigned)mutation_below(m, 1000)};
    note_names(m, &g);
    grow(&g, symbol);
    return g.length;
}

/* ---- places -------------------------------------------------------------------- */

/* An operand at random: begin and end in bytes; false where none is found. */
bool mutation_operand(mutation *m, size_t *begin, size_t *end)
{
    for (int tries = 0; tries < 16 && m->count; tries++) {
        size_t k = mutation_below(m, m->count);
        size_t behind = pieces_operand(m->text, m->pieces, m->count, k);
        if (behind == k) continue;
        *begin = m->pieces[k].begin;
        *end = m->pieces[behind - 1].end;
        return true;
    }
    return false;
}

bool mutation_piece(mutation *m, piece_kind kind, piece *found)
{
    for (int tries = 0; tries < 16 && m->count; tries++) {
        *found = m->pieces[mutation_below(m, m->count)];
        if (found->kind == kind) return true;
    }
    return false;
}

/* A line at random, with its newline. */
void mutation_line(mutation *m, size_t *begin, size_t *end)
{
    size_t at = m->size ? mutation_below(m, m->size) : 0;
    for (*begin = at; *begin > 0 && m->text[*begin - 1] != '\n'; --*begin) {}
    for (*end = at; *end < m->size && m->text[*end] != '\n'; ++*end) {}
    if (*end < m->size) ++*end;
}
