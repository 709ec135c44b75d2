/* Conditions as the user wrote them. The tree has < and <= alone; which way round
 * the text has it is seen by looking for either there. */
#include "code/held.h"
#include "code/kinks.h"
#include "code/modes.h"
#include "code/names.h"
#include <assert.h>
#include <stdio.h>
#include <string.h>

enum { LONGEST = 80, EXPRESSION_SIZE = 120, TEXT_SIZE = 2 * EXPRESSION_SIZE };

/* A number alone on a side of a comparison needs no parentheses: "x < (-1)". */
static void bare_number(char *text)
{
    const size_t length = strlen(text);
    char *open = strrchr(text, '(');
    if (!open || open[1] != '-' || text[length - 1] != ')') return;
    if (open != text && open[-1] != ' ') return;
    if (strspn(open + 2, "0123456789.e+-") + 3 != strlen(open)) return;
    memmove(open, open + 1, strlen(open));
    text[length - 2] = '\0';
}

static void print(const compiled *c, const mode_switch *s, node_id at,
    char text[EXPRESSION_SIZE])
{
    text_buffer out = {text, EXPRESSION_SIZE, 0};
    text[0] = '\0';
    if (names_write_shape(c, at, s->row, LONGEST, text_buffer_write, &out))
        text[0] = '\0';
    bare_number(text);
}

/* `b > a` for a < b; false: it is no such comparison. */
static bool turn_round(
    const compiled *c, const mode_switch *s, char text[TEXT_SIZE])
{
    const node *n = shape_node(&c->s->shapes, s->at);
    char a[EXPRESSION_SIZE], b[EXPRESSION_SIZE];
    if (n->op != NODE_LT && n->op != NODE_LE) return false;
    print(c, s, n->a, a);
    print(c, s, n->b, b);
    (void)snprintf(
        text, TEXT_SIZE, "%s %s %s", b, n->op == NODE_LT ? ">" : ">=", a);
    return true;
}

static bool is_fixed(const compiled *c, node_id id)
{
    return !(shape_node(&c->s->shapes, id)->flags
        & (NODE_HAS_UNKNOWN | NODE_HAS_DEFINITION | NODE_HAS_TIME));
}

/* The one input whose text has this place; NULL: none, or several values. */
static const definition *input_at(
    const compiled *c, text_span span, uint32_t *number)
{
    const definition *found = NULL;
    for (uint32_t k = 0; k < c->s->definitions.count && span.end; k++) {
        const definition *d = &c->s->definitions.items[k];
        const bool is_it = d->kind == DEFINITION_INPUT
            && d->span.begin == span.begin && d->span.end == span.end;
        if (is_it && found) return NULL;
        if (is_it) found = d, *number = k;
    }
    return found;
}

/* `row of u` for rows of measured data that an input stands for; else the text, which
 * names the file and all that is said about it. */
static void name_rows(
    const compiled *c, const mode_switch *s, char text[TEXT_SIZE])
{
    uint32_t number = 0;
    char name[EXPRESSION_SIZE];
    if (strncmp(text, "table(", 6) != 0) return;
    if (!input_at(c, s->span, &number)) return;
    (void)definition_text(c->s, number, name, sizeof name);
    (void)snprintf(text, TEXT_SIZE, "row of %s", name);
}

/* The text and its place, which may be that of all that it stands in. */
static void find(const compiled *c, const mode_switch *s, char text[TEXT_SIZE],
    text_span *span)
{
    char turned[TEXT_SIZE];
    *span = s->span;
    print(c, s, s->at, text);
    if (span->end && kinks_narrow(c, text, s->is_definition, span)) return;
    if (!turn_round(c, s, turned)) return;
    const bool is_there = span->end
        && kinks_narrow(c, turned, s->is_definition, span);
    if (is_there || is_fixed(c, shape_node(&c->s->shapes, s->at)->a))
        memcpy(text, turned, TEXT_SIZE);
}

/* "a - b"; without what is 0; "" where memory ran out. */
static void difference(const compiled *c, const mode_switch *s, node_id a,
    node_id b, char text[TEXT_SIZE])
{
    char of_a[EXPRESSION_SIZE], of_b[EXPRESSION_SIZE];
    print(c, s, a, of_a);
    print(c, s, b, of_b);
    const bool is_sum = strpbrk(of_b, "+-") != NULL;
    text[0] = '\0';
    if (!of_a[0] || !of_b[0]) return;
    if (strcmp(of_b, "0") == 0) (void)snprintf(text, TEXT_SIZE, "%s", of_a);
    else
        (void)snprintf(
            text, TEXT_SIZE, is_sum ? "%s - (%s)" : "%s - %s", of_a, of_b);
}

/* Of a weight: the node of e in the v + e that its switches look at, which the makers may
 * have turned into e + v, or v - f for e = -f. */
static node_id weighed(const compiled *c, const mode_switch *s, bool *is_turned)
{
    const shape_pool *p = &c->s->shapes;
    const node *n = shape_node(p, s->at);
    while (n->op == NODE_MIN || n->op == NODE_LT) {
        const node *a = shape_node(p, n->a);
        n = a->op == NODE_CONST ? shape_node(p, n->b) : a;
    }
    assert(n->op == NODE_ADD || n->op == NODE_SUB);
    *is_turned = n->op == NODE_SUB;
    const node *v = shape_node(p, n->a);
    const bool is_first = v->op == NODE_HOLE && v->kind == LEAF_DEFINITION
        && s->row[1 + v->a] == s->row[0];
    assert(is_first || n->op == NODE_ADD);
    return is_first ? n->b : n->a;
}

/* "a > b" where e is a - b, else "e > 0", with the comparison given for e > 0. */
static bool find_weight(
    const compiled *c, size_t number, char op, char text[TEXT_SIZE])
{
    const mode_switch *s = &c->mode_switches[number];
    char a[EXPRESSION_SIZE], b[EXPRESSION_SIZE] = "0";
    bool is_turned;
    if (c->switches[number].weight == DAE_WEIGHT_NONE) return false;
    const node_id e = weighed(c, s, &is_turned);
    const node *n = shape_node(&c->s->shapes, e);
    if (is_turned) op = op == '>' ? '<' : '>';
    print(c, s, n->op == NODE_SUB ? n->a : e, a);
    if (n->op == NODE_SUB) print(c, s, n->b, b);
    (void)snprintf(text, TEXT_SIZE, "%s %c %s", a, op, b);
    return true;
}

static char sense_of(const compiled *c, size_t number)
{
    return c->switches[number].weight == DAE_WEIGHT_ABOVE ? '>' : '<';
}

/* e, its root function. */
static bool find_weighed(const compiled *c, size_t number, char text[TEXT_SIZE])
{
    const mode_switch *s = &c->mode_switches[number];
    bool is_turned;
    if (c->switches[number].weight == DAE_WEIGHT_NONE) return false;
    const node_id e = weighed(c, s, &is_turned);
    const node *n = shape_node(&c->s->shapes, e);
    if (n->op == NODE_SUB) difference(c, s, n->a, n->b, text);
    else print(c, s, e, text);
    return true;
}

size_t modes_edge_text(
    const compiled *c, size_t number, char *text, size_t size)
{
    char condition[TEXT_SIZE], plain[TEXT_SIZE], edge[TEXT_SIZE];
    text_span span;
    text_buffer out = {text, size, 0};
    if (size) text[0] = '\0';
    if (number >= c->switch_count) return 0;
    const mode_switch *s = &c->mode_switches[number];
    if (find_weighed(c, number, condition)) {
        text_buffer_printf(&out, "%s", condition);
        return out.length;
    }
    const held_edge at = held_edge_of(&c->s->shapes, s->at);
    if (at.is_ratio || at.a == NODE_NONE) return 0;
    find(c, s, condition, &span);
    print(c, s, s->at, plain);
    const bool is_turned = strcmp(condition, plain) != 0;
    if (at.b == NODE_NONE) print(c, s, at.a, edge);
    else if (is_turned) difference(c, s, at.b, at.a, edge);
    else difference(c, s, at.a, at.b, edge);
    const bool is_whole = plain[0] && edge[0];
    if (!is_whole) return SIZE_MAX;
    text_buffer_printf(&out, is_turned ? "-(%s)" : "%s", edge);
    return out.length;
}

size_t modes_text(const compiled *c, size_t number, char *text, size_t size)
{
    char found[TEXT_SIZE];
    text_span span;
    text_buffer out = {text, size, 0};
    if (size) text[0] = '\0';
    if (number >= c->switch_count) return 0;
    if (!find_weight(c, number, sense_of(c, number), found)) {
        find(c, &c->mode_switches[number], found, &span);
        name_rows(c, &c->mode_switches[number], found);
    }
    text_buffer_printf(&out, "%s", found);
    return out.length;
}

bool modes_span(const compiled *c, size_t number, text_span *span)
{
    char text[TEXT_SIZE];
    *span = (text_span){0, 0};
    if (number < c->switch_count && c->switches[number].weight)
        *span = c->mode_switches[number].span;
    else if (number < c->switch_count)
        find(c, &c->mode_switches[number], text, span);
    return span->end > 0;
}
