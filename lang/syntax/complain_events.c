/* An equation where an event assigns, an assignment where an equation stands,
 * and statements that a `when` cannot hold. They are frequent because other
 * languages have them, so each has a message of its own. */
#include "syntax/complain_events.h"
#include "base/report.h"
#include <stdio.h>
#include <string.h>

/* Of the text of a target that a help repeats, in bytes. */
enum { LONGEST_TARGET = 60 };

static void tell(parser *p, diag_code code, text_span span, const char *message,
    const char *help)
{
    p->build.errors++;
    p->last_error = span.begin;
    report(p->build.ds, code, p->build.source, span, "%s", message);
    report_help(p->build.ds, "%s", help);
}

/* The innermost open block is a `when`. */
static bool is_in_when(const parser *p)
{
    const builder *b = &p->build;
    return b->block_count > 0
        && b->blocks[b->block_count - 1].kind == TOKEN_WHEN;
}

static bool is_word(const parser *p, token t, const char *word)
{
    size_t length = t.span.end - t.span.begin;
    return strlen(word) == length
        && !memcmp(p->build.source->text + t.span.begin, word, length);
}

static bool begins_with(const parser *p, token t, const char *word)
{
    const char *text = p->build.source->text + t.span.begin;
    return strncmp(text, word, strlen(word)) == 0;
}

static bool is_declaration(unsigned first)
{
    return first == TOKEN_PARAM || first == TOKEN_VAR || first == TOKEN_LET
        || first == TOKEN_INPUT || first == TOKEN_OUTPUT || first == TOKEN_DISC
        || first == TOKEN_SPECIES || first == TOKEN_FUN || first == TOKEN_SOLVE
        || first == TOKEN_EXPECT;
}

void complain_misplaced(parser *p, token t)
{
    const builder *b = &p->build;
    char message[80];
    (void)snprintf(message, sizeof message, "%s cannot stand inside a `when`",
        token_spelling(t.kind));
    tell(p, DIAG_E0222, t.span, message,
        "write it outside; a `when` holds `x := ...`, `stop` and `print`");
    report_also(b->ds, b->source, b->blocks[b->block_count - 1].span,
        "inside this one");
}

static const char help_loop[] =
    "assign the whole array, as in `x := [0 for k in 1..n]`, or write the loop "
    "around the `when`";

/* ---- inside a `when` --------------------------------------------------------- */

/* Nothing but blanks follows on the line, or a comment. */
static bool ends_line(const parser *p, token t)
{
    const char *at = p->build.source->text + t.span.end;
    while (*at == ' ' || *at == '\t' || *at == '\r') at++;
    return *at == '\n' || *at == '\0' || *at == '#';
}

static bool is_operand(unsigned kind)
{
    return kind == TOKEN_NAME || kind == TOKEN_NUMBER || kind == TOKEN_STRING;
}

/* Blocks and conditions of other languages. */
static bool complain_inner_block(parser *p, const scene *s)
{
    const token t = s->found;
    const bool begins = t.begins && s->count == 0;
    const bool is_elsewhen = s->count == 1
        && (is_word(p, s->first, "elsewhen") || is_word(p, s->first, "elif"));
    if (is_elsewhen || (begins && t.kind == TOKEN_ELSEIF)
        || (begins && t.kind == TOKEN_ELSE)) {
        tell(p, DIAG_E0222, is_elsewhen ? s->first.span : t.span,
            "a `when` has one condition and no `else`",
            "write a second `when`, or choose the value: "
            "`x := if c then a else b`");
    } else if ((begins && t.kind == TOKEN_WHEN)
        || (s->count == 1 && complain_begins_when(p, p->first))) {
        complain_nested_when(p, p->first);
    } else if (begins && layout_begins_declaration(t.kind)
        && t.kind != TOKEN_END) {
        complain_misplaced(p, t);
    } else if (s->count == 1 && !s->depth && is_operand(t.kind)
        && (s->first.kind == TOKEN_PLOT || s->first.kind == TOKEN_EXPECT)) {
        complain_misplaced(p, s->first);
    } else if (begins && t.kind == TOKEN_FOR) {
        tell(p, DIAG_E0222, t.span, "a loop cannot stand inside a `when`",
            help_loop);
    } else if (begins && t.kind == TOKEN_IF) {
        tell(p, DIAG_E0222, t.span,
            "an `if` block cannot stand inside a `when`",
            "choose the value: `x := if c then a else x`");
    } else {
        return false;
    }
    return true;
}

static const char *help_text(unsigned word)
{
    return word == TOKEN_STOP
        ? "write `stop`, or `stop \"reason\"`"
        : "write `print \"text\"`; values are seen by `output` and `plot`";
}

static bool complain_text(parser *p, const scene *s)
{
    const unsigned word = s->first.kind;
    if (word != TOKEN_STOP && word != TOKEN_PRINT) return false;
    tell(p, DIAG_E0222,
        s->found.kind == TOKEN_NL ? s->first.span : s->found.span,
        word == TOKEN_STOP ? "`stop` takes a text in quotes or nothing"
                           : "`print` takes one text in quotes",
        help_text(word));
    return true;
}

/* Words with which other languages end a run or put something out. */
static const char *act_help(const parser *p, token first)
{
    static const struct {
        const char *word, *help;
    } acts[] = {
        {"exit", "write `stop \"reason\"`"},
        {"quit", "write `stop \"reason\"`"},
        {"halt", "write `stop \"reason\"`"},
        {"abort", "write `stop \"reason\"`"},
        {"terminate", "write `stop \"reason\"`"},
        {"printf", "write `print \"text\"`"},
        {"println", "write `print \"text\"`"},
        {"puts", "write `print \"text\"`"},
        {"disp", "write `print \"text\"`"},
        {"reinit", "an event assigns: `v := -e*v`"},
    };
    for (size_t i = 0; i < sizeof acts / sizeof *acts; i++)
        if (is_word(p, first, acts[i].word)) return acts[i].help;
    return NULL;
}

/* A line that assigns nothing: a name, a sum or a call alone. */
static bool complain_idle(parser *p, const scene *s)
{
    const unsigned found = s->found.kind;
    const char *help = act_help(p, s->first);
    const bool is_sum = found == TOKEN_PLUS || found == TOKEN_MINUS
        || found == TOKEN_STAR || found == TOKEN_SLASH || found == TOKEN_POW;
    if (help && (found == TOKEN_NL || found == TOKEN_STRING || s->depth)) {
        char message[80];
        const uint32_t length = s->first.span.end - s->first.span.begin;
        (void)snprintf(message, sizeof message,
            "`%.*s` is not of this language", (int)length,
            p->build.source->text + s->first.span.begin);
        tell(p, DIAG_E0222, s->first.span, message, help);
        return true;
    }
    if (s->depth || s->count == 0 || !scene_accepts(p, TOKEN_ASSIGN))
        return false;
    if (found != TOKEN_NL && !is_sum) return false;
    if (begins_with(p, s->first, "end")) return false; /* `endwhen` */
    tell(p, DIAG_E0222, s->first.span, "this line does nothing",
        "a `when` holds `x := ...`, `stop` and `print`");
    return true;
}

/* `x, v := v, x`, `(x, v) := (v, x)`, `x := 1, v := 2`. */
static bool complain_several(parser *p, const scene *s)
{
    if (s->found.kind != TOKEN_COMMA || s->depth > 1) return false;
    if (!layout_line_has(&p->again, s->first, TOKEN_ASSIGN)) return false;
    if (s->depth == 1
        && (s->first.kind != TOKEN_LP || s->open != s->first.span.begin))
        return false;
    if (!s->depth && !scene_accepts(p, TOKEN_ASSIGN))
        tell(p, DIAG_E0220, s->found.span, "found `,` behind an assignment",
            "begin a new line for each assignment");
    else
        tell(p, DIAG_E0220, s->found.span,
            "an assignment has one variable on its left",
            "write a line for each, as `x := v` and `v := x`: all right sides "
            "see the values just before the event");
    return true;
}

/* `n++`, `q[2] *= e`: with what stands there. */
static void complain_step(parser *p, const scene *s, bool is_changed)
{
    char help[240];
    const text_span left = {s->first.span.begin, s->found.span.begin};
    const char *text = p->build.source->text;
    size_t length = left.end - left.begin;
    while (length > 0 && text[left.begin + length - 1] == ' ') length--;
    const char sign = text[s->found.span.begin];
    if (length > LONGEST_TARGET || memchr(text + left.begin, '\n', length))
        (void)snprintf(help, sizeof help,
            "write the assignment in full: `x := x %c 1`", sign);
    else
        (void)snprintf(help, sizeof help,
            "write the assignment in full: `%.*s := %.*s %c %s`", (int)length,
            text + left.begin, (int)length, text + left.begin, sign,
            is_changed ? "..." : "1");
    tell(p, DIAG_E0220, s->found.span,
        "found an operator where an event assigns", help);
}

/* `x <- 1`, `1 -> x`, `n++`, `n += 1`. */
static bool complain_sign(parser *p, const scene *s)
{
    const unsigned found = s->found.kind;
    const char next = p->build.source->text[s->found.span.end];
    if (!scene_accepts(p, TOKEN_ASSIGN)) return false;
    const bool is_step = (found == TOKEN_PLUS && next == '+')
        || (found == TOKEN_MINUS && next == '-');
    const bool is_changed = next == '='
        && (found == TOKEN_PLUS || found == TOKEN_MINUS || found == TOKEN_STAR
            || found == TOKEN_SLASH);
    if (found == TOKEN_EQEQ)
        tell(p, DIAG_E0220, s->found.span,
            "found `==`, which compares, where an event assigns", "write `:=`");
    else if (found == TOKEN_EQ)
        tell(p, DIAG_E0220, s->found.span,
            "found `=` inside a `when`, where an event assigns",
            "write `x := ...`; an equation stands outside of `when`");
    else if (found == TOKEN_ARROW || (found == TOKEN_LT && next == '-'))
        tell(p, DIAG_E0220, s->found.span,
            "found an arrow where an event assigns",
            "write `:=`, with the variable on its left");
    else if (is_step || is_changed) complain_step(p, s, is_changed);
    else return false;
    return true;
}

/* The line goes on with an operator where `:=` could stand. */
static bool complain_left_side(parser *p, const scene *s)
{
    const unsigned found = s->found.kind;
    const bool is_negated = found == TOKEN_MINUS && s->count == 0;
    if (!is_negated && !scene_accepts(p, TOKEN_ASSIGN)) return false;
    if (layout_line_has(&p->again, s->found, TOKEN_ASSIGN)) {
        const bool is_rate = found == TOKEN_SLASH && s->count == 1
            && p->build.source->text[s->first.span.begin] == 'd';
        if (found != TOKEN_PLUS && found != TOKEN_MINUS && found != TOKEN_STAR
            && found != TOKEN_SLASH && found != TOKEN_POW)
            return false;
        tell(p, DIAG_E0217, s->found.span,
            "an event assigns variables, not this",
            is_rate ? "a derivative is written with a prime: `x'`"
                    : "on the left of `:=` stands an unknown, a discrete "
                      "variable, an element of one, or a derivative such as "
                      "x'");
        return true;
    }
    if (!layout_line_has(&p->again, s->found, TOKEN_EQ)) return false;
    tell(p, DIAG_E0220, s->found.span,
        "an equation cannot stand inside a `when`",
        "what happens is written `x := ...`; equations stand outside");
    return true;
}

static bool complain_action(parser *p, const scene *s)
{
    const unsigned found = s->found.kind;
    const bool is_open = scene_accepts(p, TOKEN_ASSIGN);
    if (complain_several(p, s) || complain_sign(p, s)
        || complain_left_side(p, s) || complain_idle(p, s))
        return true;
    if (is_open && found == TOKEN_COLON)
        tell(p, DIAG_E0222, s->found.span,
            "what happens in a `when` has no label",
            "the label stands before `when`: `bounce: when h < 0`");
    else if (!is_open && found == TOKEN_EQ && !s->depth)
        tell(p, DIAG_E0220, s->found.span, "found `=` in an assignment",
            "a comparison is written `==`");
    else if (!is_open && found == TOKEN_ASSIGN && !s->depth)
        tell(p, DIAG_E0220, s->found.span, "found a second `:=`",
            "begin a new line for each assignment");
    else if (!is_open && found == TOKEN_FOR && !s->depth && s->count > 2)
        tell(p, DIAG_E0222, s->found.span,
            "a loop cannot stand inside a `when`", help_loop);
    else return false;
    return true;
}

/* ---- outside ------------------------------------------------------------------- */

static bool complain_assignment(parser *p, const scene *s)
{
    const builder *b = &p->build;
    const unsigned first = s->first.kind;
    const bool is_branch = first == TOKEN_IF
        || (b->block_count > 0
            && b->blocks[b->block_count - 1].kind == TOKEN_IF);
    if (s->found.kind != TOKEN_ASSIGN || s->depth || is_declaration(first))
        return false;
    tell(p, DIAG_E0220, s->found.span, "`:=` stands inside a `when` only",
        first == TOKEN_INIT ? "a condition at the start is written with `=`"
            : is_branch
            ? "`if` chooses between equations; what happens once, where a "
              "condition turns true, is assigned between `when c` and `end`"
            : "an equation is written with `=`; what an event changes is "
              "assigned between `when c` and `end`");
    return true;
}

static bool complain_outside(parser *p, const scene *s)
{
    const unsigned first = s->first.kind, found = s->found.kind;
    const bool ends = found == TOKEN_NL || found == TOKEN_WHEN
        || is_operand(found);
    if ((first == TOKEN_STOP || first == TOKEN_PRINT) && s->count == 1
        && ends) {
        tell(p, DIAG_E0222, s->first.span,
            first == TOKEN_STOP ? "`stop` stands inside a `when` only"
                                : "`print` stands inside a `when` only",
            "write `when c`, this, and `end`, on lines of their own");
        return true;
    }
    if (found == TOKEN_WHEN && s->count == 1 && first == TOKEN_NAME) {
        char help[80];
        const uint32_t length = s->first.span.end - s->first.span.begin;
        (void)snprintf(help, sizeof help, "write `%.*s: when ...`",
            length > 40 ? 40 : (int)length,
            p->build.source->text + s->first.span.begin);
        tell(p, DIAG_E0222, s->found.span, "a label is followed by a colon",
            help);
        return true;
    }
    return complain_assignment(p, s);
}

/* ---- the line of the condition ---------------------------------------------- */

static const char help_below[] =
    "write what happens on the lines below, up to `end`";
static const char help_around[] =
    "write the loop around the `when`: `for i in 1..n`, the `when` with its "
    "`end`, and another `end`";

/* "x crosses 0.5", "x falls below 1": a comparison in words. */
static bool complain_words(parser *p, const scene *s)
{
    static const char *const words[] = {"crosses", "cross", "becomes",
        "reaches", "passes", "falls", "rises", "drops", "exceeds", "hits", "is",
        "turns", "gets", "goes", "equals", "below", "above", "leaves"};
    if (!scene_accepts(p, TOKEN_NL)) return false;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (!is_word(p, s->found, words[i])) continue;
        tell(p, DIAG_E0222, s->found.span,
            "a condition is a comparison, not words",
            "write `when x < 0.5`: it fires where the comparison turns true");
        return true;
    }
    return false;
}

/* What follows the condition, or stands in its place. */
static bool complain_condition(parser *p, const scene *s)
{
    const unsigned found = s->found.kind;
    const bool is_over = scene_accepts(p, TOKEN_NL);
    if (found == TOKEN_NL && s->count == 1)
        tell(p, DIAG_E0102, s->found.span, "this `when` has no condition",
            "write when it fires, such as `when x < 0`");
    else if (found == TOKEN_FOR)
        tell(p, DIAG_E0222, s->found.span,
            "a loop cannot stand in the condition of a `when`", help_around);
    else if (found == TOKEN_WHEN)
        tell(p, DIAG_E0222, s->found.span, "a second `when` in one condition",
            "join the conditions: `when a and b`");
    else if (is_over && found == TOKEN_COMMA)
        tell(p, DIAG_E0222, s->found.span, "a `when` has one condition",
            "join them: `when a or b` fires where one of them turns true while "
            "neither was, `when a and b` where both are true");
    else if (is_over && found == TOKEN_STRING)
        tell(p, DIAG_E0222, s->found.span,
            "a text cannot stand behind a condition",
            "name the event by a label before it, `hit: when c`, or write "
            "`print \"text\"` on the line below");
    else return complain_words(p, s);
    return true;
}

/* `when c: x := 1`, `when c x := 1`: the rest of the line is not part of the
 * condition. */
static bool complain_head(parser *p, const scene *s)
{
    const unsigned found = s->found.kind;
    if (s->first.kind != TOKEN_WHEN || s->depth || s->count < 1) return false;
    if (s->found.begins && found != TOKEN_NL) return false;
    const bool is_act = found == TOKEN_STOP || found == TOKEN_PRINT
        || (found == TOKEN_NAME
            && layout_line_has(&p->again, s->found, TOKEN_ASSIGN));
    const bool is_label = found == TOKEN_COLON && s->count == 2
        && s->last.kind == TOKEN_NAME
        && !layout_line_has(&p->again, s->found, TOKEN_ASSIGN)
        && !ends_line(p, s->found);
    if (is_label)
        tell(p, DIAG_E0222, s->found.span,
            "a label cannot stand inside the condition",
            "the label stands before `when`: `bounce: when h < 0`");
    else if (found == TOKEN_COLON || found == TOKEN_ASSIGN
        || is_word(p, s->found, "do") || (is_act && scene_accepts(p, TOKEN_NL)))
        tell(p, DIAG_E0222, s->found.span,
            "the condition of a `when` stands alone on its line", help_below);
    else return complain_condition(p, s);
    return true;
}

bool complain_event(parser *p, const scene *s)
{
    if (complain_head(p, s)) return true;
    if (!is_in_when(p)) return complain_outside(p, s);
    return complain_inner_block(p, s) || complain_text(p, s)
        || complain_action(p, s);
}

/* ---- one `when` inside another --------------------------------------------------- */

bool complain_begins_when(parser *p, token t)
{
    if (t.kind == TOKEN_WHEN) return true;
    if (t.kind != TOKEN_NAME && !token_is_contextual(t.kind)) return false;
    layout_start_at(&p->again, p->build.source, t.span.begin);
    (void)layout_next(&p->again);
    return layout_next(&p->again).kind == TOKEN_COLON
        && layout_next(&p->again).kind == TOKEN_WHEN;
}

void complain_nested_when(parser *p, token t)
{
    const builder *b = &p->build;
    tell(p, DIAG_E0222, t.span, "a `when` cannot stand inside another one",
        "join the conditions: `when a and b`; or let one assign a discrete "
        "variable that the other asks for");
    report_also(b->ds, b->source, b->blocks[b->block_count - 1].span,
        "inside this one");
}
