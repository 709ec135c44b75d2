/* Messages say what was found, what could have stood there, and, where a
 * mistake is a frequent one, what to type. Each kind of mistake that has a
 * better message than that stands in a function of its own; they are asked
 * one after the other. */
#include "syntax/complain.h"
#include "base/report.h"
#include "syntax/scene.h"
#include "syntax/spelling.h"
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
    if (a > b) return is_same_line(p, b, a);
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
    if (p->first.kind != TOKEN_NAME || s->count != 1) return NULL;
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
    report_help(p->build.ds, "did you mean `%s`?", statement);
}

/* ---- help for frequent mistakes ------------------------------------------ */

static bool ends_operand(unsigned kind)
{
    return kind == TOKEN_NAME || kind == TOKEN_NUMBER || kind == TOKEN_RP
        || kind == TOKEN_RB || kind == TOKEN_PRIME || token_is_contextual(kind);
}

static bool is_function(const parser *p, token t)
{
    static const char *const names[] = {"sin", "cos", "tan", "exp", "log",
        "sqrt", "abs", "asin", "acos", "atan", "sinh", "cosh", "tanh", "sum",
        "min", "max", "der"};
    size_t length = t.span.end - t.span.begin;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strlen(names[i]) == length
            && !memcmp(p->build.source->text + t.span.begin, names[i], length))
            return true;
    return false;
}

/* A bracket that the next statement begins inside of. */
static const char *help_open_bracket(const parser *p, const scene *s)
{
    bool is_over = s->found.is_first || s->found.kind == TOKEN_NL;
    if (s->depth == 0 || !is_over || !ends_operand(s->last.kind)) return NULL;
    switch (p->build.source->text[s->open]) {
    case '(': return "close the bracket with `)`";
    case '[': return "close the bracket with `]`";
    default: return "close the bracket with `}`";
    }
}

static bool is_declaration(const scene *s)
{
    unsigned first = s->first.kind;
    return first == TOKEN_PARAM || first == TOKEN_VAR || first == TOKEN_LET
        || first == TOKEN_INPUT || first == TOKEN_OUTPUT;
}

/* `param d = 5 km` */
static bool is_unit(const scene *s)
{
    return is_declaration(s) && s->depth == 0 && s->last.kind == TOKEN_NUMBER
        && s->found.kind == TOKEN_NAME && !s->found.is_first;
}

static const char *help_after_name(const parser *p, const scene *s)
{
    unsigned found = s->found.kind, first = s->first.kind;
    bool is_operand = found == TOKEN_NAME || found == TOKEN_NUMBER;
    if (is_operand && s->last.kind == TOKEN_NAME && is_function(p, s->last))
        return "the arguments of a function stand in parentheses: `sin(x)`";
    if (is_operand && (first == TOKEN_CONNECT || first == TOKEN_PLOT))
        return "put a `,` between them";
    if (is_declaration(s) && is_operand && s->depth == 0)
        return found == TOKEN_NAME ? "put a `,` between declarations"
                                   : "write `name = value`";
    if (!is_operand || !ends_operand(s->last.kind)) return NULL;
    if (s->count == 1 && found == TOKEN_NAME
        && layout_line_has_equals(&p->again, s->found))
        return "an equation needs no keyword; a label is written `name: x = 1`";
    if (s->equals.kind && !s->depth
        && layout_line_has_equals(&p->again, s->found))
        return "put each equation on a line of its own, or `;` between them";
    return "a product is written with `*`";
}

static const char *help_ranges(const scene *s)
{
    if (s->found.kind == TOKEN_EQ
        && (s->first.kind == TOKEN_FOR || s->first.kind == TOKEN_SOLVE)
        && !s->equals.kind)
        return s->first.kind == TOKEN_FOR ? "write `for i in 1..n`"
                                          : "write `solve t in 0..10`";
    if (s->found.kind == TOKEN_COLON && (s->depth || s->last.kind))
        return "a range is written `1..n`";
    return NULL;
}

static bool is_row_end(const parser *p, const scene *s)
{
    return s->found.kind == TOKEN_NL && s->depth
        && p->build.source->text[s->found.span.begin] == ';';
}

static const char *help_signs(parser *p, const scene *s)
{
    unsigned found = s->found.kind, last = s->last.kind;
    if (found == TOKEN_STAR && last == TOKEN_STAR)
        return "a power is written with `^`";
    if (found == TOKEN_SLASH && last == TOKEN_SLASH)
        return "a comment begins with `#`";
    if (found == TOKEN_ASSIGN)
        return "an equation is written with `=`; `:=` assigns at an event, "
               "inside `when`";
    if (found == TOKEN_EQ && scene_accepts(p, TOKEN_ASSIGN))
        return "at an event a value is assigned with `:=`";
    if (found == TOKEN_GT && last == TOKEN_LT) return "unequal is written `!=`";
    if (found == TOKEN_EQ && last == TOKEN_GT) return "write `>=`";
    if (found == TOKEN_EQ && last == TOKEN_LT) return "write `<=`";
    if (found == TOKEN_EQ
        && (last == TOKEN_PLUS || last == TOKEN_MINUS || last == TOKEN_STAR))
        return "write the equation in full: `x = x0 + 1`";
    if (found == TOKEN_LC && scene_accepts(p, TOKEN_LB))
        return "a vector is written `[a, b]`; braces hold the unit in a "
               "declaration";
    if (is_row_end(p, s)) return "a matrix is written `[[a, b], [c, d]]`";
    return NULL;
}

static bool is_comparison(unsigned kind)
{
    return kind == TOKEN_LT || kind == TOKEN_LE || kind == TOKEN_GT
        || kind == TOKEN_GE || kind == TOKEN_EQEQ || kind == TOKEN_NE;
}

static const char *help_statement(parser *p, const scene *s)
{
    unsigned found = s->found.kind;
    if (found == TOKEN_IF && s->last.kind == TOKEN_ELSE)
        return "write `elseif`";
    if (found == TOKEN_EQ && s->first.kind == TOKEN_EXPECT)
        return "compare with `==`, or write `expect x ~ 1 within 1e-6`";
    if (found == TOKEN_COMMA && s->equals.kind && !s->depth)
        return "put each equation on a line of its own, or `;` between them";
    if (found == TOKEN_NL && scene_accepts(p, TOKEN_THEN))
        return "write `if c then a else b`; a block has its condition alone "
               "on the line of `if`";
    if (found == TOKEN_NL && scene_accepts(p, TOKEN_ELSE))
        return "an `if` in an expression has an `else`; a line that ends "
               "with `else` goes on";
    if (found == TOKEN_NL && !s->depth && !s->equals.kind
        && scene_accepts(p, TOKEN_EQ)
        && (ends_operand(s->first.kind) || s->first.kind == TOKEN_LP))
        return "an equation is written `left = right`";
    if (found == TOKEN_THEN && scene_accepts(p, TOKEN_NL))
        return "leave out `then`: a block has its condition alone on the line";
    if (s->last.kind == TOKEN_COMMA && layout_begins_declaration(found))
        return "begin a new line for it";
    if (is_comparison(found) && scene_accepts(p, TOKEN_STAR))
        return "write `a < b and b < c`";
    if (found == TOKEN_LC && s->equals.kind)
        return "a unit stands in a declaration: `param k = 1 {m}`";
    return NULL;
}

static const char *help_for(parser *p, const scene *s)
{
    const char *help = help_signs(p, s);
    if (!help && !is_row_end(p, s)) help = help_open_bracket(p, s);
    if (!help) help = help_ranges(s);
    if (!help) help = help_statement(p, s);
    if (!help && token_is_word(s->found.kind)
        && !token_is_contextual(s->found.kind) && scene_accepts(p, TOKEN_NAME)
        && !s->found.begins)
        return "this word is reserved; choose another name";
    if (!help) help = help_after_name(p, s);
    return help;
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
    const char *help = help_for(p, s);
    if (is_unit(s)) {
        report_help(p->build.ds, "a unit stands in braces: `{%.*s}`",
            (int)strlen(found) - 2, found + 1);
    } else if (help) {
        report_help(p->build.ds, "%s", help);
    }
}

static opened what_opens(parser *p, const scene *s, const char *statement)
{
    if (is_row_end(p, s)) return OPENED_ROWS;
    if (is_block_then(s)) return OPENED_STATEMENTS;
    switch (s->first.kind) {
    case TOKEN_FOR:
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
        return layout_line_has_equals(&p->again, s->first) ? OPENED_NOTHING
                                                           : OPENED_STATEMENTS;
    case TOKEN_WHEN:
    case TOKEN_REACTIONS: return OPENED_OTHER;
    default: break;
    }
    if (!statement) return OPENED_NOTHING;
    if (strcmp(statement, "for") == 0 || strcmp(statement, "model") == 0)
        return OPENED_STATEMENTS;
    if (strcmp(statement, "when") == 0 || strcmp(statement, "reactions") == 0)
        return OPENED_OTHER;
    return OPENED_NOTHING;
}

opened complain(parser *p, token t)
{
    scene s;
    scene_read(p, t, &s);
    const char *statement = misspelled(p, &s);
    if (p->build.errors >= ERRORS_TOLD) p->build.errors++;
    else if (t.kind != TOKEN_BAD && t.span.begin != p->last_error
        && t.span.begin + 1 != p->lines.scan.sign && !complain_operator(p, &s)
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
    report_help(p->build.ds, "`end` stands alone on its line");
}
