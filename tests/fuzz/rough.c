#include "mutation.h"
#include <string.h>

/* ---- mutations of tokens --------------------------------------------------------- */

static void delete_pieces(mutation *m)
{
    size_t first = mutation_below(m, m->count), many = 1 + mutation_below(m, 3);
    size_t last = first + many < m->count ? first + many : m->count;
    mutation_replace(
        m, m->pieces[first].begin, m->pieces[last - 1].end, NULL, 0);
}

static void duplicate_pieces(mutation *m)
{
    size_t first = mutation_below(m, m->count), many = 1 + mutation_below(m, 6);
    size_t last = first + many < m->count ? first + many : m->count;
    size_t length = mutation_take(
        m, m->pieces[first].begin, m->pieces[last - 1].end);
    size_t at = m->pieces[last - 1].end;
    mutation_replace(m, at, at, m->snippet, length);
}

static void copy_piece(mutation *m)
{
    piece from = m->pieces[mutation_below(m, m->count)];
    piece to = m->pieces[mutation_below(m, m->count)];
    size_t length = mutation_take(m, from.begin, from.end);
    mutation_replace(m, to.begin, to.end, m->snippet, length);
}

static void swap_pieces(mutation *m)
{
    piece a = m->pieces[mutation_below(m, m->count)],
          b = m->pieces[mutation_below(m, m->count)];
    uint8_t kept[MUTATION_SNIPPET];
    if (a.begin > b.begin) {
        piece other = a;
        a = b;
        b = other;
    }
    if (a.begin == b.begin || a.end - a.begin > sizeof kept) return;
    size_t length = a.end - a.begin;
    memcpy(kept, m->text + a.begin, length);
    size_t other = mutation_take(m, b.begin, b.end);
    mutation_replace(m, b.begin, b.end, kept, length);
    mutation_replace(m, a.begin, a.end, m->snippet, other);
}

static void change_number(mutation *m)
{
    piece p;
    if (!mutation_piece(m, PIECE_NUMBER, &p)) return;
    size_t length = mutation_grow(m, GROW_NUMBER);
    mutation_replace(m, p.begin, p.end, m->snippet, length);
}

static void change_name(mutation *m)
{
    piece p;
    if (!mutation_piece(m, PIECE_NAME, &p)) return;
    size_t length = mutation_grow(m, GROW_NAME);
    mutation_replace(m, p.begin, p.end, m->snippet, length);
}

static void add_prime(mutation *m)
{
    size_t begin, end;
    if (mutation_operand(m, &begin, &end))
        mutation_replace(m, end, end, "'", 1);
}

/* ---- mutations of expressions ------------------------------------------------------ */

static void grow_operand(mutation *m)
{
    size_t begin, end;
    if (!mutation_operand(m, &begin, &end)) return;
    size_t length = mutation_grow(m, GROW_EXPRESSION);
    mutation_replace(m, begin, end, m->snippet, length);
}

static void splice_operand(mutation *m)
{
    size_t begin, end, from, to;
    if (!mutation_operand(m, &from, &to) || !mutation_operand(m, &begin, &end))
        return;
    size_t length = mutation_take(m, from, to);
    mutation_replace(m, begin, end, m->snippet, length);
}

/* operand -> operand + expression, and so on */
static void extend_operand(mutation *m)
{
    static const char signs[][5] = {
        "+", "-", "*", "/", "^", " < ", "or ", ".."};
    size_t begin, end;
    if (!mutation_operand(m, &begin, &end)) return;
    const char *sign = signs[mutation_below(m, 8)];
    size_t length = mutation_grow(m, GROW_EXPRESSION);
    mutation_replace(m, end, end, m->snippet, length);
    mutation_replace(m, end, end, sign, strlen(sign));
}

/* operand -> ((operand)), f(operand), -operand, many times over */
static void nest_operand(mutation *m)
{
    static const char *const wraps[][2] = {{"(", ")"}, {"-", ""}, {"sin(", ")"},
        {"[", "]"}, {"not ", ""}, {"1/", ""}, {"(", ")'"}, {"2^", ""},
        {"if true then ", " else 0"}, {"sum(", " for i in 1..2)"}};
    const char *const *wrap =
        wraps[mutation_below(m, sizeof wraps / sizeof *wraps)];
    size_t begin, end;
    size_t times = mutation_below(m, 4) ? 1 + mutation_below(m, 3)
                                        : 1 + mutation_below(m, 300);
    if (!mutation_operand(m, &begin, &end)) return;
    for (size_t k = 0; k < times; k++)
        mutation_replace(m, end, end, wrap[1], strlen(wrap[1]));
    for (size_t k = 0; k < times; k++)
        mutation_replace(m, begin, begin, wrap[0], strlen(wrap[0]));
}

static void insert_suffix(mutation *m)
{
    piece p;
    if (!mutation_piece(m, PIECE_LINE, &p)) return;
    size_t length = mutation_grow(m, GROW_SUFFIX);
    mutation_replace(m, p.begin, p.begin, m->snippet, length);
}

/* ---- mutations of lines --------------------------------------------------------------- */

static void insert_statement(mutation *m)
{
    size_t begin, end;
    mutation_line(m, &begin, &end);
    size_t length = mutation_grow(m, GROW_STATEMENT);
    mutation_replace(m, begin, begin, m->snippet, length);
}

static void replace_line(mutation *m)
{
    size_t begin, end;
    mutation_line(m, &begin, &end);
    size_t length = mutation_grow(m, GROW_STATEMENT);
    mutation_replace(m, begin, end, m->snippet, length);
}

static void insert_model(mutation *m)
{
    size_t length = mutation_grow(m, GROW_MODEL);
    if (mutation_below(m, 2)) m->size = 0;
    mutation_replace(m, m->size, m->size, m->snippet, length);
}

static void delete_line(mutation *m)
{
    size_t begin, end;
    mutation_line(m, &begin, &end);
    mutation_replace(m, begin, end, NULL, 0);
}

static void copy_line(mutation *m)
{
    size_t begin, end, to, behind;
    mutation_line(m, &begin, &end);
    mutation_line(m, &to, &behind);
    size_t length = mutation_take(m, begin, end);
    mutation_replace(m, to, to, m->snippet, length);
}

/* Every name that is written like one of them becomes another. */
static void rename_all(mutation *m)
{
    piece p;
    uint8_t name[64];
    if (!mutation_piece(m, PIECE_NAME, &p) || p.end - p.begin > sizeof name)
        return;
    size_t length = p.end - p.begin;
    memcpy(name, m->text + p.begin, length);
    size_t other = mutation_grow(m, GROW_NAME);
    for (size_t k = m->count; k > 0; k--) {
        const piece *q = &m->pieces[k - 1];
        if (q->end - q->begin == length
            && memcmp(m->text + q->begin, name, length) == 0)
            mutation_replace(m, q->begin, q->end, m->snippet, other);
    }
}

typedef void mutate_fn(mutation *m);

void mutate_rough(mutation *m)
{
    static mutate_fn *const mutations[] = {delete_pieces, duplicate_pieces,
        copy_piece, swap_pieces, change_number, change_number, change_name,
        change_name, add_prime, grow_operand, grow_operand, splice_operand,
        splice_operand, extend_operand, extend_operand, nest_operand,
        insert_suffix, insert_statement, insert_statement, replace_line,
        delete_line, copy_line, rename_all, insert_model};
    size_t choices = sizeof mutations / sizeof *mutations;
    mutations[mutation_below(m, choices)](m);
}
