/* Messages say what was found, what could have stood there, and, where a
 * mistake is a frequent one, what to type. Each kind of mistake that has a
 * better message than that stands in a function of its own; they are asked
 * one after the other. */
#include "syntax/complain.h"
#include "base/report.h"
#include "syntax/advice.h"
#include "syntax/complain_events.h"
#include "syntax/spelling.h"
#include <assert.h>
#include <stdio.h>
#include <string.h>

enum {
    SHOWN_LONGEST = 40, /* bytes of the user's text in a message */
    ERRORS_TOLD = 100   /* more than a collection keeps: the rest is counted,
                           so that a text of nothing but errors takes no time */
};

/* A token as the user wrote it, in backquotes. */
static void show(const parser *p, token t, char text[SHOWN_LONGEST + 8])
{
    const char *from = p->build.source->text + t.span.begin;
    uint32_t length = t.span.end - t.span.begin;
    if (t.kind == TOKEN_END_OF_TEXT || length == 0) {
        (void)snprintf(text, SHOWN_LONGEST + 8, "the end of the %s",
            t.kind == TOKEN_END_OF_TEXT ? "text" : "line");
        return;
    }
    bool is_cut = length > SHOWN_LONGEST;
    if (is_cut) length = SHOWN_LONGEST;
    while (is_cut && ((unsigned char)from[length] & 0xC0) == 0x80) length--;
    (void)snprintf(text, SHOWN_LONGEST + 8, "`%.*s%s`", (int)length, from,
        is_cut ? "..." : "");
}

static void begin_report(
    parser *p, diag_code code, text_span span, const char *message)
{
    p->build.errors++;
    p->last_error = span.begin;
    report(p->build.ds, code, p->build.source, span, "%s", message);
}

static bool is_same_line(const parser *p, uint32_t a, uint32_t b)
{
    assert(a <= b);
    return !memchr(p->build.source->text + a, '\n', b - a);
}

/* ---- mistakes with a message of their own ----------------------------- */

static bool is_operator(unsigned kind)
{
    switch (kind) {
    case TOKEN_LT:
    case TOKEN_LE:
    case TOKEN_GT:
    case TOKEN_GE:
    case TOKEN_EQEQ:
    case TOKEN_NE:
    case TOKEN_EQ:
    case TOKEN_TILDE:
    case TOKEN_COMMA:
    case TOKEN_DOT:
    case TOKEN_MINUS:
    case TOKEN_ARROW:
    case TOKEN_AT2: return true;
    default: return false;
    }
}

/* A line that begins with an operator: most likely the end of an expression
 * that the line before began. */
static bool complain_operator(parser *p, const scene *s)
{
    token t = p->first;
    if (!is_operator(t.kind) || !t.is_first || t.span.begin == 0) return false;
    bool is_stray = s->found.begins
        || (t.kind == TOKEN_MINUS && s->found.kind == TOKEN_NL
            && !s->equals.kind);
    if (!is_stray) return false;
    p->build.errors++;
    report(p->build.ds, DIAG_E0108, p->build.source, t.span,
        "a statement begins with the operator %s", token_spelling(t.kind));
    report_help(p->build.ds,
        "to go on with the line before, put the operator at its end");
    return true;
}

static bool complain_second_equals(parser *p, const scene *s)
{
    if (s->found.kind != TOKEN_EQ || !s->equals.kind || s->depth) return false;
    if (p->first.kind != TOKEN_NAME && p->first.kind != TOKEN_NUMBER
        && token_is_word(p->first.kind))
        return false;
    bool is_iterator = s->last.kind == TOKEN_NAME
        && (s->before.kind == TOKEN_FOR || s->before.kind == TOKEN_COMMA);
    if (is_iterator) return false;
    begin_report(p, DIAG_E0102, s->found.span, "found a second `=`");
    report_label(p->build.ds, "the equation has one already");
    report_also(p->build.ds, p->build.source, s->equals.span, "here");
    if (!is_same_line(p, s->equals.span.begin, s->found.span.begin)
        && s->dangling.kind)
        report_also(p->build.ds, p->build.source, s->dangling.span,
            "the statement goes on in the next line because this one ends "
            "with an operator");
    if (s->last.span.begin == s->equals.span.begin)
        report_help(p->build.ds, "remove one of them");
    else
        report_help(
            p->build.ds, "begin a new line for each equation; `==` compares");
    return true;
}

static bool complain_comparison(parser *p, const scene *s)
{
    if (s->found.kind != TOKEN_NL || !s->compares.kind || s->equals.kind)
        return false;
    if (!scene_accepts(p, TOKEN_EQ)) return false;
    begin_report(p, DIAG_E0102, s->compares.span,
        "found `==` where an equation has `=`");
    report_help(p->build.ds, "write `=` for an equation; `==` compares");
    return true;
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* The offset of a comma at the place with a digit on either side, or 0. */
static uint32_t comma_in_digits(const parser *p, const scene *s)
{
    const token near[] = {s->found, s->last, s->before};
    const char *text = p->build.source->text;
    for (size_t i = 0; i < sizeof near / sizeof *near; i++) {
        uint32_t at = near[i].span.begin;
        if (near[i].kind == TOKEN_COMMA && at > 0 && is_digit(text[at - 1])
            && is_digit(text[at + 1]))
            return at;
    }
    return 0;
}

static bool complain_decimal_comma(parser *p, const scene *s)
{
    uint32_t comma = s->depth == 0 ? comma_in_digits(p, s) : 0;
    if (!comma) return false;
    const char *text = p->build.source->text;
    text_span span = {comma, comma + 1};
    while (span.begin > 0 && is_digit(text[span.begin - 1])) span.begin--;
    while (is_digit(text[span.end])) span.end++;
    int before = (int)(comma - span.begin), after = (int)(span.end - comma) - 1;
    /* `1.5,2` are two numbers, `0..0,5` ends with one */
    bool has_point = span.begin > 0 && text[span.begin - 1] == '.'
        && (span.begin < 2 || text[span.begin - 2] != '.');
    if (has_point || before + after > SHOWN_LONGEST) return false;
    const char *from = text + span.begin;
    p->build.errors++;
    p->last_error = s->found.span.begin;
    report(p->build.ds, DIAG_E0105, p->build.source, span,
        "`%.*s` is not a number", before + after + 1, from);
    report_help(p->build.ds, "write `%.*s.%.*s`, with a point", before, from,
        after, from + before + 1);
    return true;
}

bool complain_is_fun_end(const parser *p, token t)
{
    const builder *b = &p->build;
    return t.kind == TOKEN_END && t.begins && b->block_count > 0
        && b->blocks[b->block_count - 1].kind == TOKEN_FUN;
}

static bool complain_no_result(parser *p, const scene *s)
{
    if (!complain_is_fun_end(p, s->found)) return false;
    char name[SHOWN_LONGEST + 8];
    token word = p->build.blocks[p->build.block_count - 1];
    layout_start_at(&p->again, p->build.source, word.span.end);
    show(p, layout_next(&p->again), name);
    p->build.errors++;
    p->last_error = s->found.span.begin;
    report(p->build.ds, DIAG_E0102, p->build.source, s->found.span,
        "%s returns nothing", name);
    report_also(
        p->build.ds, p->build.source, word.span, "the function begins here");
    report_help(
        p->build.ds, "write `return` and an expression on a line before `end`");
    return true;
}

static bool complain_stray_end(parser *p, const scene *s)
{
    unsigned kind = s->found.kind;
    if (!s->found.begins) return false;
    if (kind != TOKEN_END && kind != TOKEN_ELSE && kind != TOKEN_ELSEIF)
        return false;
    p->build.errors++;
    p->last_error = s->found.span.begin;
    report(p->build.ds, DIAG_E0102, p->build.source, s->found.span,
        "found %s, but no block is open that it could %s", token_spelling(kind),
        kind == TOKEN_END ? "close" : "belong to");
    report_help(p->build.ds,
        kind == TOKEN_END
            ? "remove it; `for`, `if`, `when`, `fun` over lines have an `end`"
            : "write `if` and its condition on a line before");
    return true;
}

/* `if c then` at the end of a line, as other languages begin a block. */
static bool is_block_then(const scene *s)
{
    return s->first.kind == TOKEN_IF && s->dangling.kind == TOKEN_THEN
        && s->found.kind != TOKEN_NL;
}

static bool complain_block_then(parser *p, const scene *s)
{
    if (!is_block_then(s)) return false;
    begin_report(p, DIAG_E0102, s->dangling.span,
        "found `then` at the end of the line that begins a block");
    report_help(p->build.ds,
        "leave out `then`: a block has its condition alone on the line");
    return true;
}

static const char *copy_word(builder *b, token t)
{
    return arena_copy(
        b->arena, b->source->text + t.span.begin, t.span.end - t.span.begin);
}

/* A word at the statement's beginning that is nearly one of the language. */
static const char *misspelled(parser *p, const scene *s)
{
    if ((p->first.kind != TOKEN_NAME && p->first.kind != TOKEN_AT)
        || s->count != 1)
        return NULL;
    if (s->found.kind != TOKEN_NAME && s->found.kind != TOKEN_NL
        && s->found.kind != TOKEN_STRING && s->found.kind != TOKEN_NUMBER
        && !token_is_contextual(s->found.kind))
        return NULL;
    const char *word = copy_word(&p->build, p->first);
    return word ? spelling_statement(word) : NULL;
}

static void complain_misspelled(
    parser *p, const scene *s, const char *statement)
{
    char word[SHOWN_LONGEST + 8], found[SHOWN_LONGEST + 8];
    show(p, p->first, word);
    show(p, s->found, found);
    p->build.errors++;
    p->last_error = s->found.span.begin;
    report(p->build.ds, DIAG_E0102, p->build.source, p->first.span,
        "%s begins no statement", word);
    report_label(p->build.ds, "a name here is followed by `=` or an operator");
    report_also(p->build.ds, p->build.source, s->found.span, "found %s", found);
    if (strcmp(word, "`every`") == 0)
        report_help(p->build.ds,
            "write `when t >= next`, with `next := next + 1` and `discrete "
            "next = 1`");
    else report_help(p->build.ds, "did you mean `%s`?", statement);
}

static void complain_generally(parser *p, const scene *s)
{
    char found[SHOWN_LONGEST + 8], expected[400];
    show(p, s->found, found);
    scene_expected(p, expected, sizeof expected);
    p->build.errors++;
    p->last_error = s->found.span.begin;
    report(p->build.ds, DIAG_E0102, p->build.source, s->found.span,
        "found %s, expected %s", found, expected);
    if (s->depth) {
        text_span open = {s->open, s->open + 1};
        report_also(p->build.ds, p->build.source, open, "this bracket is open");
    } else if (s->dangling.kind) {
        report_also(p->build.ds, p->build.source, s->dangling.span,
            "the statement goes on because the line ends with this");
    }
    const char *help = advice_for(p, s);
    if (advice_is_unit(p, s)) {
        report_help(p->build.ds, "a unit stands in braces: `{%.*s}`",
            (int)strlen(found) - 2, found + 1);
    } else if (help) {
        report_help(p->build.ds, "%s", help);
    }
}

static opened what_opens(parser *p, const scene *s, const char *statement)
{
    if (advice_is_row_end(p, s)) return OPENED_ROWS;
    if (is_block_then(s)) return OPENED_STATEMENTS;
    if (s->found.kind == TOKEN_COLON && complain_begins_when(p, p->first))
        return OPENED_OTHER;
    switch (s->first.kind) {
    case TOKEN_FOR:
        return s->found.kind == TOKEN_LP ? OPENED_ROWS_AND_STATEMENTS
                                         : OPENED_STATEMENTS;
    case TOKEN_MODEL: return OPENED_STATEMENTS;
    case TOKEN_ELSE: /* the machine has left the `if` with its `else` */
    case TOKEN_ELSEIF:
        if (s->found.begins || p->build.block_count == 0) return OPENED_NOTHING;
        p->build.block_count--;
        return OPENED_STATEMENTS;
    case TOKEN_IF:
        return s->has_then || s->equals.kind ? OPENED_NOTHING
                                             : OPENED_STATEMENTS;
    case TOKEN_FUN:
        return layout_line_has(&p->again, s->first, TOKEN_EQ)
            ? OPENED_NOTHING
            : OPENED_STATEMENTS;
    case TOKEN_WHEN:
    case TOKEN_REACTIONS: return OPENED_OTHER;
    default: break;
    }
    if (s->found.kind == TOKEN_WHEN && s->count == 1
        && s->first.kind == TOKEN_NAME)
        return OPENED_OTHER; /* a label without its colon */
    if (s->found.kind == TOKEN_COLON && s->last.kind == TOKEN_STRING
        && layout_line_has(&p->again, s->found, TOKEN_WHEN))
        return OPENED_OTHER;
    if (!statement) return OPENED_NOTHING;
    if (strcmp(statement, "for") == 0 || strcmp(statement, "model") == 0
        || strcmp(statement, "fun") == 0)
        return OPENED_STATEMENTS;
    if (strcmp(statement, "when") == 0 || strcmp(statement, "reactions") == 0)
        return OPENED_OTHER;
    return OPENED_NOTHING;
}

/* The scanner has told of something in this statement already: what follows
 * from it is no news. */
static bool is_told(const parser *p, token t)
{
    const dae_source *source = p->build.source;
    uint32_t fault = p->lines.scan.fault, last = t.span.begin;
    if (t.kind == TOKEN_NL) { /* stands where the last token ends */
        const char *end = memchr(
            source->text + last, '\n', source->length - last);
        last = end ? (uint32_t)(end - source->text) : source->length;
    }
    return fault > p->first.span.begin && fault <= last + 1;
}

opened complain(parser *p, token t)
{
    scene s;
    scene_read(p, t, &s);
    const char *statement = misspelled(p, &s);
    if (p->build.errors >= ERRORS_TOLD) p->build.errors++;
    else if (t.kind != TOKEN_BAD && t.span.begin != p->last_error
        && !is_told(p, t) && !complain_event(p, &s) && !complain_operator(p, &s)
        && !complain_block_then(p, &s) && !complain_second_equals(p, &s)
        && !complain_comparison(p, &s) && !complain_decimal_comma(p, &s)
        && !complain_no_result(p, &s) && !complain_stray_end(p, &s)) {
        if (statement) complain_misspelled(p, &s, statement);
        else complain_generally(p, &s);
    }
    return what_opens(p, &s, statement);
}

/* ---- blocks ------------------------------------------------------------------ */

void complain_open_block(parser *p, token t)
{
    builder *b = &p->build;
    token opener = b->blocks[b->block_count - 1];
    b->errors++;
    report(b->ds, DIAG_E0107, b->source, opener.span, "%s has no `end`",
        token_spelling(opener.kind));
    report_label(b->ds, "opened here");
    if (t.kind != TOKEN_END_OF_TEXT)
        report_also(b->ds, b->source, t.span, "%s cannot stand inside",
            token_spelling(t.kind));
    if (opener.kind == TOKEN_FOR)
        report_help(b->ds,
            "close it with `end`; the `for` that belongs to "
            "one equation stands at the end of its line");
    else report_help(b->ds, "close it with `end` on a line of its own");
}

void complain_after_end(parser *p, token t)
{
    char found[SHOWN_LONGEST + 8];
    show(p, t, found);
    p->build.errors++;
    report(p->build.ds, DIAG_E0102, p->build.source, t.span,
        "found %s, expected the end of the line", found);
    report_help(p->build.ds, "%s",
        t.kind == TOKEN_FOR
            ? "write the loop around the block: `for i in 1..n`, the block, "
              "and another `end`"
            : "`end` stands alone on its line");
}

void complain_after_return(parser *p, token t)
{
    char found[SHOWN_LONGEST + 8];
    show(p, t, found);
    p->build.errors++;
    report(p->build.ds, DIAG_E0102, p->build.source, t.span,
        "found %s after the `return` of a function, expected `end`", found);
    report_help(p->build.ds,
        "a function returns once, in its last line: `return if c then a "
        "else b`");
}
