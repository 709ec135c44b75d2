/* The machine may have reduced before it refused a token, and then its
 * states no longer know all that could have followed. So the statement is
 * read again, with states alone, from where it began. */
#include "syntax/scene.h"
#include <stdio.h>
#include <string.h>

static void note(scene *s, const layout *l, token t)
{
    if (t.is_first && s->count)
        s->dangling = l->depth > 0 ? (token){.kind = 0} : s->last;
    if (s->count == 0) s->first = t;
    if (s->count == 2 && s->last.kind == TOKEN_COLON
        && s->before.kind == TOKEN_NAME)
        s->first = t;
    if (t.kind == TOKEN_THEN) s->has_then = true;
    if (l->depth == 0 && t.kind == TOKEN_EQ && !s->equals.kind) s->equals = t;
    if (l->depth == 0 && t.kind == TOKEN_EQEQ && !s->compares.kind)
        s->compares = t;
    s->before = s->last;
    s->last = t;
    s->count++;
    s->depth = l->depth;
    if (l->depth && l->depth <= AST_MAX_DEPTH) s->open = l->open[l->depth - 1];
}

void scene_read(parser *p, token found, scene *s)
{
    layout *l = &p->again;
    memset(s, 0, sizeof *s);
    s->found = found;
    s->first = found;
    p->work.count = p->start.count;
    memcpy(
        p->work.items, p->start.items, p->start.count * sizeof *p->work.items);
    layout_start_at(l, p->build.source, p->first.span.begin);
    for (;;) {
        token t = layout_next(l);
        if (t.span.begin >= found.span.begin && t.kind == found.kind) {
            if (t.is_first && s->count && l->depth == 0) s->dangling = s->last;
            return;
        }
        if (t.span.begin > found.span.begin || t.kind == TOKEN_END_OF_TEXT)
            return;
        if (!pushdown_states_feed(&p->work, t.kind, false)) return;
        note(s, l, t);
    }
}

static bool states_accept(parser *p, unsigned kind)
{
    p->trial.count = p->work.count;
    memcpy(
        p->trial.items, p->work.items, p->work.count * sizeof *p->trial.items);
    return pushdown_states_feed(&p->trial, kind, true);
}

bool scene_accepts(parser *p, unsigned kind)
{
    return states_accept(p, kind);
}

enum { KINDS = 128, PHRASES_MOST = 6 };

typedef struct phrases {
    const char *items[KINDS];
    int count;
} phrases;

static void add(phrases *list, const char *phrase)
{
    if (list->count < PHRASES_MOST) list->items[list->count++] = phrase;
}

static void drop(bool *can, const uint8_t *kinds, size_t count)
{
    for (size_t i = 0; i < count; i++) can[kinds[i]] = false;
}

/* Kinds that are told of as a group, so that a list stays short. */
static const uint8_t begins_expression[] = {TOKEN_NAME, TOKEN_NUMBER, TOKEN_LP,
    TOKEN_LB, TOKEN_PLUS, TOKEN_MINUS, TOKEN_NOT, TOKEN_IF, TOKEN_TRUE,
    TOKEN_FALSE};
static const uint8_t continues_expression[] = {TOKEN_PLUS, TOKEN_MINUS,
    TOKEN_STAR, TOKEN_SLASH, TOKEN_POW, TOKEN_LT, TOKEN_LE, TOKEN_GT, TOKEN_GE,
    TOKEN_EQEQ, TOKEN_NE, TOKEN_AND, TOKEN_OR, TOKEN_PRIME, TOKEN_DOT, TOKEN_LP,
    TOKEN_LB};
static const uint8_t block_words[] = {
    TOKEN_END, TOKEN_ELSE, TOKEN_ELSEIF, TOKEN_RETURN};
/* What is told first: it is most often what is missing. */
static const uint8_t first_kinds[] = {TOKEN_RP, TOKEN_RB, TOKEN_RC, TOKEN_EQ,
    TOKEN_ASSIGN, TOKEN_TILDE, TOKEN_COMMA, TOKEN_IN, TOKEN_DOTDOT, TOKEN_THEN,
    TOKEN_ELSE, TOKEN_ELSEIF, TOKEN_WITHIN, TOKEN_AT2, TOKEN_NAME};

static void group_phrases(bool *can, phrases *list)
{
    if (can[TOKEN_PARAM] && can[TOKEN_VAR]) {
        add(list, "a statement");
        for (size_t i = 0; i < sizeof block_words; i++)
            if (can[block_words[i]]) add(list, token_spelling(block_words[i]));
        memset(can, 0, KINDS * sizeof *can);
        return;
    }
    bool expression = can[TOKEN_NUMBER] && can[TOKEN_NAME] && can[TOKEN_LP]
        && can[TOKEN_NOT];
    bool operation = !expression && can[TOKEN_STAR] && can[TOKEN_PLUS];
    if (expression) drop(can, begins_expression, sizeof begins_expression);
    if (operation) drop(can, continues_expression, sizeof continues_expression);
    for (size_t i = 0; i < sizeof first_kinds; i++)
        if (can[first_kinds[i]]) {
            add(list, token_spelling(first_kinds[i]));
            can[first_kinds[i]] = false;
        }
    if (expression) add(list, "an expression");
    if (operation) add(list, "an operator");
}

void scene_expected(parser *p, char *text, size_t size)
{
    bool can[KINDS] = {false};
    phrases list = {.count = 0};
    for (unsigned kind = 1; kind < KINDS; kind++)
        can[kind] = token_name(kind)[0] && kind != TOKEN_BAD
            && states_accept(p, kind);
    bool line_end = can[TOKEN_NL] && !can[TOKEN_PARAM];
    can[TOKEN_NL] = false;
    group_phrases(can, &list);
    for (unsigned kind = 1; kind < KINDS; kind++)
        if (can[kind]) add(&list, token_spelling(kind));
    if (line_end && list.count == PHRASES_MOST) list.count--;
    if (line_end) add(&list, token_spelling(TOKEN_NL));
    if (list.count == 0) add(&list, token_spelling(TOKEN_END_OF_TEXT));
    size_t used = 0;
    text[0] = '\0';
    for (int i = 0; i < list.count && used < size; i++)
        used += (size_t)snprintf(text + used, size - used, "%s%s",
            i == 0                   ? ""
                : i + 1 < list.count ? ", "
                                     : " or ",
            list.items[i]);
}
