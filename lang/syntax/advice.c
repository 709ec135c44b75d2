/* Grouped by what was found; the first advice that fits is given, so what is
 * special stands before what is general. */
#include "syntax/advice.h"
#include <string.h>

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

static bool is_comparison(unsigned kind)
{
    return kind == TOKEN_LT || kind == TOKEN_LE || kind == TOKEN_GT
        || kind == TOKEN_GE || kind == TOKEN_EQEQ || kind == TOKEN_NE;
}

static bool is_declaration(const scene *s)
{
    unsigned first = s->first.kind;
    return first == TOKEN_PARAM || first == TOKEN_VAR || first == TOKEN_LET
        || first == TOKEN_INPUT || first == TOKEN_OUTPUT || first == TOKEN_DISC;
}

static const char *source_at(const parser *p, token t)
{
    return p->build.source->text + t.span.begin;
}

static bool is_word(const parser *p, token t, const char *word)
{
    size_t length = t.span.end - t.span.begin;
    return strlen(word) == length && !memcmp(source_at(p, t), word, length);
}

static bool is_among(
    const parser *p, token t, const char *const *words, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (is_word(p, t, words[i])) return true;
    return false;
}

/* The next sign on the line after the refused token is `sign`. */
static bool is_followed_by(const parser *p, const scene *s, char sign)
{
    const char *at = p->build.source->text + s->found.span.end;
    while (*at == ' ' || *at == '\t') at++;
    return *at == sign;
}

static char opener(const parser *p, const scene *s)
{
    return s->depth ? p->build.source->text[s->open] : '\0';
}

/* What stands right before the innermost bracket ends with `word`. */
static bool opens_after(const parser *p, const scene *s, const char *word)
{
    size_t length = strlen(word);
    const char *text = p->build.source->text + s->open;
    return s->depth && s->open >= length
        && !memcmp(text - length, word, length);
}

bool advice_is_row_end(const parser *p, const scene *s)
{
    return s->found.kind == TOKEN_NL && s->depth
        && p->build.source->text[s->found.span.begin] == ';';
}

bool advice_is_unit(const parser *p, const scene *s)
{
    return is_declaration(s) && s->depth == 0 && s->last.kind == TOKEN_NUMBER
        && s->found.kind == TOKEN_NAME && !s->found.is_first
        && !is_followed_by(p, s, '=') && !is_followed_by(p, s, '~');
}

/* ---- signs ------------------------------------------------------------- */

/* Operators of other languages that the scanner reads as two tokens. */
static const char *double_signs(parser *p, const scene *s)
{
    unsigned found = s->found.kind, last = s->last.kind;
    if (found == TOKEN_STAR && last == TOKEN_STAR)
        return "a power is written with `^`";
    if (found == TOKEN_SLASH && (last == TOKEN_SLASH || s->count == 0))
        return "a comment begins with `#`";
    if (s->first.kind == TOKEN_MINUS && source_at(p, s->first)[1] == '-')
        return "a comment begins with `#`";
    if ((found == TOKEN_STAR || found == TOKEN_SLASH || found == TOKEN_POW)
        && last == TOKEN_DOT)
        return "operators work element by element without a point: `a*b`";
    if (found == TOKEN_GT && last == TOKEN_LT) return "unequal is written `!=`";
    if (found == TOKEN_TILDE && !s->depth && scene_accepts(p, TOKEN_EQ)
        && !is_followed_by(p, s, '='))
        return "an equation is written with `=`; `~` gives a guess: "
               "`var x ~ 1`";
    if (found == TOKEN_TILDE && scene_accepts(p, TOKEN_NE))
        return is_followed_by(p, s, '=') ? "unequal is written `!=`"
                                         : "compare with `==`";
    if (found == TOKEN_EQ && last == TOKEN_GT) return "write `>=`";
    if (found == TOKEN_EQ
        && (last == TOKEN_LT || source_at(p, s->found)[1] == '<'))
        return "write `<=`";
    if (found == TOKEN_FATARROW && scene_accepts(p, TOKEN_GE))
        return "at least is written `>=`";
    if (found == TOKEN_EQ
        && (last == TOKEN_PLUS || last == TOKEN_MINUS || last == TOKEN_STAR))
        return "write the equation in full: `x = x0 + 1`";
    return NULL;
}

static const char *single_signs(parser *p, const scene *s)
{
    unsigned found = s->found.kind;
    if (found == TOKEN_ASSIGN)
        return is_declaration(s)
            ? "a value is given with `=`"
            : "an equation is written with `=`; `:=` assigns at an event, "
              "inside `when`";
    if (found == TOKEN_EQ && !s->depth
        && (s->first.kind == TOKEN_IF || s->first.kind == TOKEN_ELSEIF))
        return "compare with `==`";
    if (found == TOKEN_EQ && !s->depth && s->first.kind == TOKEN_WHEN)
        return "compare what moves by `<=` or `>=`, for the side that it comes "
               "to, and with `==` what changes in steps";
    if (found == TOKEN_EQEQ && is_declaration(s) && !s->depth
        && scene_accepts(p, TOKEN_EQ))
        return "a value is given with `=`";
    if (found == TOKEN_AT2 && scene_accepts(p, TOKEN_STAR))
        return "products, also those of matrices, are written with `*`";
    if ((found == TOKEN_ARROW || found == TOKEN_BIARROW)
        && scene_accepts(p, TOKEN_STAR))
        return "reactions stand between `reactions` and `end`";
    if (found == TOKEN_PRIME && s->count == 0)
        return "a text stands in double quotes: `\"like this\"`";
    return NULL;
}

/* ---- brackets ---------------------------------------------------------- */

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

/* Braces that open a block elsewhere, or a list. */
static const char *braces(parser *p, const scene *s)
{
    unsigned first = s->first.kind;
    if (s->found.kind != TOKEN_LC) return NULL;
    if (first == TOKEN_IF || first == TOKEN_FOR || first == TOKEN_FUN
        || first == TOKEN_WHEN)
        return "a block has no braces; it ends with `end`";
    if (is_declaration(s) && s->last.kind == TOKEN_RC)
        return "unit and attributes share one pair of braces: `{m, min = 0}`";
    if (is_declaration(s) && s->last.kind == TOKEN_STRING)
        return "the unit stands before the text";
    if (scene_accepts(p, TOKEN_LB))
        return "a vector is written `[a, b]`; braces hold the unit in a "
               "declaration";
    if (s->equals.kind)
        return "a unit stands in a declaration: `param k = 1 {m}`";
    return NULL;
}

static const char *inside_braces(const parser *p, const scene *s)
{
    unsigned found = s->found.kind;
    if (opener(p, s) != '{') return NULL;
    if (is_comparison(found) || found == TOKEN_COLON)
        return "attributes are written `min = 0`, `max = 1`";
    if (found == TOKEN_STRING) return "a unit has no quotes: `{m/s}`";
    return NULL;
}

static const char *inside_parentheses(parser *p, const scene *s)
{
    unsigned found = s->found.kind, first = s->first.kind;
    if (opener(p, s) != '(') return NULL;
    if (found == TOKEN_COMMA && first == TOKEN_PLOT && s->depth == 1)
        return "leave out the parentheses: `plot x, y`";
    if (found == TOKEN_COMMA && first == TOKEN_CONNECT && s->depth == 1)
        return "leave out the parentheses: `connect a.p, b.n`";
    if (found == TOKEN_COMMA && opens_after(p, s, "if"))
        return "write `if c then a else b`";
    if (found == TOKEN_IN || found == TOKEN_DOTDOT || found == TOKEN_FOR)
        return "write `sum(x[i] for i in 1..n)`, with `,` between several "
               "ranges";
    if (found == TOKEN_EQ && first == TOKEN_FUN)
        return "an argument has no default";
    return NULL;
}

/* ---- statements ---------------------------------------------------------- */

static const char *ranges(parser *p, const scene *s)
{
    unsigned found = s->found.kind, first = s->first.kind;
    bool is_iterator = s->last.kind == TOKEN_NAME
        && (s->before.kind == TOKEN_FOR || s->before.kind == TOKEN_COMMA);
    if (found == TOKEN_EQ && (is_iterator || first == TOKEN_FOR)
        && first != TOKEN_SOLVE)
        return "write `for i in 1..n`";
    if (found == TOKEN_LP && s->last.kind == TOKEN_FOR)
        return "write `for i in 1..n`, without parentheses";
    if (first == TOKEN_SOLVE && s->count <= 2
        && (found == TOKEN_EQ || found == TOKEN_LP || found == TOKEN_NAME))
        return "write `solve t in 0..10`";
    if (found == TOKEN_COMMA && !s->depth && s->equals.kind
        && layout_line_has(&p->again, s->found, TOKEN_DOTDOT))
        return "a range follows the equation: `for i in 1..3`";
    if (found == TOKEN_COLON && first == TOKEN_FUN)
        return "write `fun f(x) = x^2`, without `:`";
    if (found == TOKEN_COLON && first == TOKEN_INIT && s->count == 1)
        return "leave out the `:`";
    if (found == TOKEN_COLON && !s->depth && first == TOKEN_NAME
        && s->last.kind == TOKEN_RB && !s->equals.kind)
        return "a label has no index: write `name: equation for i in 1..n`, "
               "and its equations are called `name[1]`, `name[2]`";
    if (found == TOKEN_COLON && (s->depth || s->last.kind)
        && s->last.kind != TOKEN_STRING)
        return "a range is written `1..n`";
    if (first == TOKEN_FOR && is_word(p, s->found, "do"))
        return "leave out `do`: the block begins on the next line";
    if (is_word(p, s->found, "forall")) return "write `for i in 1..n`";
    if (first == TOKEN_SOLVE && found == TOKEN_NUMBER
        && scene_accepts(p, TOKEN_EQ))
        return "an option is written `rtol = 1e-6`";
    if (found == TOKEN_NL && scene_accepts(p, TOKEN_DOTDOT)
        && (first == TOKEN_SOLVE || first == TOKEN_FOR))
        return "a range is written `1..n`, an interval `0..10`";
    return NULL;
}

static const char *declarations(parser *p, const scene *s)
{
    unsigned found = s->found.kind, last = s->last.kind;
    if (s->first.kind == TOKEN_FUN && s->count == 2)
        return "write `fun f(x) = x^2`";
    if (!is_declaration(s) || s->depth) return NULL;
    if (found == TOKEN_LP && scene_accepts(p, TOKEN_LB))
        return "a start is written `var x = 1`, an array `x[3]`";
    if (found == TOKEN_MINUS && scene_accepts(p, TOKEN_LB))
        return "a name has no `-`: write `k_on`";
    if (found == TOKEN_LB && last == TOKEN_RB)
        return "several dimensions share one pair of brackets: `[3, 2]`";
    if (found == TOKEN_EQ && last == TOKEN_RC)
        return "the value stands before the unit: `k = 2 {1/s}`";
    if (found == TOKEN_FOR && s->count > 1 && last != TOKEN_COMMA)
        return "name the index where the size stands: `x[i in 1..n] = i`";
    if (found == TOKEN_STRING && last == TOKEN_EQ)
        return "a value is a number or an expression";
    if (found == TOKEN_NUMBER && last == TOKEN_NUMBER
        && is_followed_by(p, s, '/'))
        return "a unit stands in braces: `{1/s}`";
    if (found == TOKEN_NUMBER && last == TOKEN_COMMA)
        return "several values stand in brackets: `[1, 2, 3]`";
    if (found == TOKEN_NAME && last == TOKEN_PRIME
        && s->before.kind == TOKEN_NUMBER)
        return "a text stands in double quotes: `\"rate\"`";
    return NULL;
}

/* `expect` and `plot`. */
static const char *outputs(const parser *p, const scene *s)
{
    static const char *const over[] = {"vs", "versus", "against"};
    unsigned found = s->found.kind;
    if (s->first.kind == TOKEN_EXPECT && found == TOKEN_EQ)
        return s->before.kind == TOKEN_AT
            ? "give the time alone: `at 2`"
            : "compare with `==`, or write `expect x ~ 1 within 1e-6`";
    if (s->first.kind == TOKEN_PLOT && found == TOKEN_NAME
        && is_among(p, s->found, over, 3))
        return "write `plot x over y`";
    return NULL;
}

/* `if` in a block and in an expression. */
static const char *branches(parser *p, const scene *s)
{
    unsigned found = s->found.kind, first = s->first.kind;
    if (found == TOKEN_EQ && !s->has_then
        && (first == TOKEN_IF || first == TOKEN_ELSEIF))
        return "compare with `==`";
    if (found == TOKEN_IF && s->last.kind == TOKEN_ELSE)
        return "write `elseif`";
    if (found == TOKEN_IF && ends_operand(s->last.kind))
        return "write `if c then a else b`";
    if (found == TOKEN_NL && scene_accepts(p, TOKEN_THEN))
        return "write `if c then a else b`; a block has its condition alone "
               "on the line of `if`";
    if (found == TOKEN_NL && scene_accepts(p, TOKEN_ELSE))
        return "an `if` in an expression has an `else`; a line that ends "
               "with `else` goes on";
    if (found == TOKEN_THEN && scene_accepts(p, TOKEN_NL))
        return "leave out `then`: a block has its condition alone on the line";
    return NULL;
}

static const char *equations(parser *p, const scene *s)
{
    static const char *const headings[] = {"equation", "equations", "begin"};
    unsigned found = s->found.kind;
    if (found == TOKEN_NL && s->count == 1
        && is_among(p, s->first, headings, 3))
        return "equations need no heading: leave this line out";
    if (found == TOKEN_COLON && s->last.kind == TOKEN_STRING)
        return "a label is a name: `decay: x' = -x`";
    if (found == TOKEN_RETURN && s->count == 0)
        return "`return` stands in a function, before its `end`";
    if (found == TOKEN_NL && s->last.kind == TOKEN_COMMA)
        return "remove the `,`, or go on after it";
    if (found == TOKEN_COMMA && s->equals.kind && !s->depth)
        return "put each equation on a line of its own, or `;` between them";
    if (found == TOKEN_NL && !s->depth && !s->equals.kind
        && scene_accepts(p, TOKEN_EQ)
        && (ends_operand(s->first.kind) || s->first.kind == TOKEN_LP))
        return "an equation is written `left = right`";
    if (s->last.kind == TOKEN_COMMA && layout_begins_declaration(found)
        && !is_followed_by(p, s, '='))
        return "begin a new line for it";
    if (is_comparison(found) && scene_accepts(p, TOKEN_STAR))
        return "write `a < b and b < c`";
    return NULL;
}

/* ---- an operand after an operand ------------------------------------------- */

static const char *two_numbers(const scene *s)
{
    bool is_gap = s->last.kind == TOKEN_NUMBER
        || (s->last.kind == TOKEN_PRIME && s->before.kind == TOKEN_NUMBER);
    return s->found.kind == TOKEN_NUMBER && is_gap
        ? "the digits of a number stand together: `10000`"
        : NULL;
}

static const char *two_operands(parser *p, const scene *s)
{
    unsigned found = s->found.kind, first = s->first.kind;
    bool is_operand = found == TOKEN_NAME || found == TOKEN_NUMBER;
    if (!is_operand) return NULL;
    if (s->last.kind == TOKEN_NAME && is_function(p, s->last))
        return "the arguments of a function stand in parentheses: `sin(x)`";
    if (s->before.kind == TOKEN_SLASH && is_word(p, s->last, "dt"))
        return "a derivative is written with a prime: `x'`";
    if (first == TOKEN_CONNECT || first == TOKEN_PLOT)
        return "put a `,` between them";
    if (first == TOKEN_SOLVE && found == TOKEN_NAME && !s->depth)
        return "put a `,` before each option: `solve t in 0..1, rtol = 1e-6`";
    if (two_numbers(s)) return two_numbers(s);
    if (is_declaration(s) && s->depth == 0)
        return found == TOKEN_NAME       ? "put a `,` between declarations"
            : s->last.kind == TOKEN_NAME ? "write `name = value`"
                                         : NULL;
    if (!ends_operand(s->last.kind)) return NULL;
    if (s->count == 1 && found == TOKEN_NAME
        && layout_line_has(&p->again, s->found, TOKEN_EQ))
        return "an equation needs no keyword; a label is written `name: x = 1`";
    if (s->equals.kind && !s->depth
        && layout_line_has(&p->again, s->found, TOKEN_EQ))
        return "put each equation on a line of its own, or `;` between them";
    return "a product is written with `*`";
}

static bool is_reserved(parser *p, const scene *s)
{
    return token_is_word(s->found.kind) && !token_is_contextual(s->found.kind)
        && scene_accepts(p, TOKEN_NAME) && !s->found.begins;
}

const char *advice_for(parser *p, const scene *s)
{
    const char *help = double_signs(p, s);
    if (!help) help = single_signs(p, s);
    if (!help) help = braces(p, s);
    if (!help && advice_is_row_end(p, s))
        return "a matrix is written `[[a, b], [c, d]]`";
    if (!help) help = help_open_bracket(p, s);
    if (!help) help = inside_braces(p, s);
    if (!help) help = inside_parentheses(p, s);
    if (!help) help = outputs(p, s);
    if (!help) help = ranges(p, s);
    if (!help) help = declarations(p, s);
    if (!help) help = branches(p, s);
    if (!help) help = equations(p, s);
    if (!help && is_reserved(p, s))
        return "this word is reserved; choose another name";
    return help ? help : two_operands(p, s);
}
