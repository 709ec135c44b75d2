/* An equation where an event assigns, an assignment where an equation stands,
 * and statements that a `when` cannot hold. They are frequent because other
 * languages have them, so each has a message of its own. */
#include "syntax/complain_events.h"
#include "base/report.h"
#include <stdio.h>
#include <string.h>

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

/* ---- inside a `when` --------------------------------------------------------- */

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
    } else if (begins && t.kind == TOKEN_FOR) {
        tell(p, DIAG_E0222, t.span, "a loop cannot stand inside a `when`",
            "assign the whole array, as in `x := [0 for k in 1..n]`, or write "
            "the loop around the `when`");
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

static bool complain_action(parser *p, const scene *s)
{
    const unsigned found = s->found.kind;
    const bool is_open = scene_accepts(p, TOKEN_ASSIGN);
    if (is_open && found == TOKEN_EQEQ)
        tell(p, DIAG_E0220, s->found.span,
            "found `==`, which compares, where an event assigns", "write `:=`");
    else if (is_open && found == TOKEN_EQ)
        tell(p, DIAG_E0220, s->found.span,
            "found `=` inside a `when`, where an event assigns",
            "write `x := ...`; an equation stands outside of `when`");
    else if (is_open && (found == TOKEN_PLUS || found == TOKEN_MINUS)
        && layout_line_has(&p->again, s->found, TOKEN_EQ)
        && p->build.source->text[s->found.span.end] == '=')
        tell(p, DIAG_E0220, s->found.span,
            "found an operator where an event assigns",
            "write the assignment in full: `x := x + 1`");
    else if (is_open && layout_line_has(&p->again, s->found, TOKEN_EQ))
        tell(p, DIAG_E0220, s->found.span,
            "an equation cannot stand inside a `when`",
            "what happens is written `x := ...`; equations stand outside");
    else if (is_open && found == TOKEN_COLON)
        tell(p, DIAG_E0222, s->found.span,
            "what happens in a `when` has no label",
            "the label stands before `when`: `bounce: when h < 0`");
    else if (is_open && found == TOKEN_NL && s->count > 1
        && is_word(p, s->first, "reinit"))
        tell(p, DIAG_E0222, s->first.span, "`reinit` is not of this language",
            "an event assigns: `v := -e*v`");
    else if (is_open && found == TOKEN_NL && s->count > 1
        && is_word(p, s->first, "terminate"))
        tell(p, DIAG_E0222, s->first.span,
            "`terminate` is not of this language", "write `stop \"reason\"`");
    else if (!is_open && found == TOKEN_EQ && !s->depth)
        tell(p, DIAG_E0220, s->found.span, "found `=` in an assignment",
            "a comparison is written `==`");
    else if (!is_open && found == TOKEN_ASSIGN && !s->depth)
        tell(p, DIAG_E0220, s->found.span, "found a second `:=`",
            "begin a new line for each assignment");
    else return false;
    return true;
}

/* ---- outside ------------------------------------------------------------------- */

static bool complain_outside(parser *p, const scene *s)
{
    const unsigned first = s->first.kind;
    const bool ends = s->found.kind == TOKEN_NL || s->found.kind == TOKEN_STRING
        || s->found.kind == TOKEN_NAME || s->found.kind == TOKEN_NUMBER;
    if ((first == TOKEN_STOP || first == TOKEN_PRINT) && s->count == 1
        && ends) {
        tell(p, DIAG_E0222, s->first.span,
            first == TOKEN_STOP ? "`stop` stands inside a `when` only"
                                : "`print` stands inside a `when` only",
            "write `when c`, this, and `end`, on lines of their own");
        return true;
    }
    if (s->found.kind != TOKEN_ASSIGN || s->depth || is_declaration(first))
        return false;
    if (first == TOKEN_WHEN)
        tell(p, DIAG_E0222, s->found.span,
            "the condition of a `when` stands alone on its line",
            "write what happens on the lines below, up to `end`");
    else
        tell(p, DIAG_E0220, s->found.span, "`:=` stands inside a `when` only",
            first == TOKEN_INIT
                ? "a condition at the start is written with `=`"
                : "an equation is written with `=`; what an event changes is "
                  "assigned between `when c` and `end`");
    return true;
}

/* `when c: x := 1`, `when c x := 1`: the rest of the line is not part of the
 * condition. */
static bool complain_head(parser *p, const scene *s)
{
    const unsigned found = s->found.kind;
    if (s->first.kind != TOKEN_WHEN || s->depth || s->count < 2) return false;
    const bool is_act = found == TOKEN_STOP || found == TOKEN_PRINT
        || (found == TOKEN_NAME
            && layout_line_has(&p->again, s->found, TOKEN_ASSIGN));
    if (found != TOKEN_COLON && !is_word(p, s->found, "do")
        && !(is_act && scene_accepts(p, TOKEN_NL)))
        return false;
    tell(p, DIAG_E0222, s->found.span,
        "the condition of a `when` stands alone on its line",
        "write what happens on the lines below, up to `end`");
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
