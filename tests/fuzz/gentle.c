#include "mutation.h"
#include <string.h>

/* ---- places ---------------------------------------------------------------- */

static bool is_in(const char *set, uint8_t c)
{
    return c && strchr(set, c);
}

/* Whether a name or number is a value: it stands behind an operator, and is
 * neither called nor indexed. */
static bool is_value(const mutation *m, size_t k)
{
    const piece *p = &m->pieces[k];
    if (k == 0 || (p->kind != PIECE_NAME && p->kind != PIECE_NUMBER))
        return false;
    if (!is_in("+-*/=~<>(,", m->text[p[-1].begin])) return false;
    return k + 1 == m->count || !is_in("([:=~\"", m->text[p[1].begin]);
}

static bool find_value(mutation *m, piece *found)
{
    for (int tries = 0; tries < 32; tries++) {
        size_t k = mutation_below(m, m->count);
        *found = m->pieces[k];
        if (is_value(m, k)) return true;
    }
    return false;
}

/* The first piece of a line, and the newline that ends it. */
static bool find_statement(mutation *m, size_t *first, size_t *last)
{
    size_t k = mutation_below(m, m->count);
    for (*first = k; *first > 0 && m->pieces[*first - 1].kind != PIECE_LINE;)
        --*first;
    for (*last = k; *last < m->count && m->pieces[*last].kind != PIECE_LINE;)
        ++*last;
    return *last<m->count && * last> * first;
}

/* ---- mutations ------------------------------------------------------------- */

static void tune_number(mutation *m)
{
    piece p;
    if (!mutation_piece(m, PIECE_NUMBER, &p)) return;
    size_t length = mutation_grow(m, GROW_MODEST);
    mutation_replace(m, p.begin, p.end, m->snippet, length);
}

static void wrap_value(mutation *m)
{
    static const char *const heads[] = {"sin(", "-(", "exp(", "sqrt(", "abs(",
        "(1 + ", "(2*", "tanh(", "(t + "};
    piece p;
    if (!find_value(m, &p)) return;
    const char *head = heads[mutation_below(m, sizeof heads / sizeof *heads)];
    mutation_insert(m, p.end, ")");
    mutation_insert(m, p.begin, head);
}

static void grow_value(mutation *m)
{
    piece p;
    if (!find_value(m, &p)) return;
    size_t length = mutation_grow(m, GROW_TERM);
    mutation_replace(m, p.begin, p.end, m->snippet, length);
}

static void add_term(mutation *m)
{
    static const char *const signs[] = {" + ", " - ", "*", "/"};
    piece p;
    if (!find_value(m, &p)) return;
    const char *sign = signs[mutation_below(m, 4)];
    size_t length = mutation_grow(m, GROW_TERM);
    mutation_replace(m, p.end, p.end, m->snippet, length);
    mutation_insert(m, p.end, sign);
}

static void prime_value(mutation *m)
{
    piece p;
    if (find_value(m, &p) && p.kind == PIECE_NAME)
        mutation_insert(m, p.end, "'");
}

static void change_sign(mutation *m)
{
    static const char signs[] = "+-*/";
    for (int tries = 0; tries < 32; tries++) {
        piece p = m->pieces[mutation_below(m, m->count)];
        if (p.kind != PIECE_SIGN || p.end - p.begin > 1
            || !is_in(signs, m->text[p.begin]))
            continue;
        m->text[p.begin] = (uint8_t)signs[mutation_below(m, 4)];
        return;
    }
}

/* A guess becomes a condition, or the other way round. */
static void change_demand(mutation *m)
{
    size_t first, last;
    if (!find_statement(m, &first, &last)
        || !mutation_declares(m, &m->pieces[first]))
        return;
    for (size_t k = first; k < last; k++) {
        uint8_t *c = m->text + m->pieces[k].begin;
        if ((*c != '=' && *c != '~') || mutation_below(m, 2)) continue;
        *c = *c == '=' ? '~' : '=';
        return;
    }
}

static void add_lines(mutation *m)
{
    size_t length = mutation_grow(m, GROW_MORE);
    mutation_replace(m, m->size, m->size, m->snippet, length);
    if (m->size > length && m->text[m->size - length - 1] != '\n')
        mutation_insert(m, m->size - length, "\n");
}

/* What a model can do without: its checks, its start, its outputs. */
static void drop_statement(mutation *m)
{
    static const char first_letters[] = "ispoe#";
    size_t first, last;
    if (!find_statement(m, &first, &last)) return;
    const piece *p = &m->pieces[first];
    if (p->end - p->begin < 4 || !is_in(first_letters, m->text[p->begin]))
        return;
    mutation_replace(m, p->begin, m->pieces[last].end, NULL, 0);
}

/* `, rtol = 1` behind a solve line. */
static void add_option(mutation *m)
{
    size_t first, last;
    for (int tries = 0; tries < 16; tries++) {
        if (!find_statement(m, &first, &last)) continue;
        const piece *p = &m->pieces[first];
        if (p->end - p->begin != 5 || memcmp(m->text + p->begin, "solve", 5))
            continue;
        size_t at = m->pieces[last - 1].end;
        size_t length = mutation_grow(m, GROW_OPTION);
        mutation_replace(m, at, at, m->snippet, length);
        return;
    }
}

typedef void mutate_fn(mutation *m);

void mutate_gentle(mutation *m)
{
    static mutate_fn *const mutations[] = {tune_number, tune_number, wrap_value,
        grow_value, grow_value, add_term, add_term, prime_value, change_sign,
        change_demand, add_lines, add_lines, drop_statement, add_option};
    size_t choices = sizeof mutations / sizeof *mutations;
    mutations[mutation_below(m, choices)](m);
}
