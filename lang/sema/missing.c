/* A name that is missing is one mistake, however often it is used: its first
 * place in the text gets the error, up to three more are shown with it. The
 * help knows how other languages call things. */
#include "sema/missing.h"

#include <stdlib.h>
#include <string.h>

/* More than a collection keeps; the others are news after these. */
#define NAMES_TOLD 64

static const struct {
    const char *word, *help;
} foreign[] = {
    {"ln", "did you mean `log`? it is the natural logarithm"},
    {"lg", "did you mean `log10`?"},
    {"log2", "write `log(x)/log(2)`"},
    {"pow", "a power is written `a^b`"},
    {"power", "a power is written `a^b`"},
    {"sqr", "a square is written `x^2`"},
    {"square", "a square is written `x^2`"},
    {"fabs", "did you mean `abs`?"},
    {"arcsin", "did you mean `asin`?"},
    {"arccos", "did you mean `acos`?"},
    {"arctan", "did you mean `atan`?"},
    {"arctan2", "did you mean `atan2`?"},
    {"arctg", "did you mean `atan`?"},
    {"tg", "did you mean `tan`?"},
    {"sen", "did you mean `sin`?"},
    {"cot", "write `1/tan(x)`"},
    {"ctg", "write `1/tan(x)`"},
    {"sgn", "did you mean `sign`?"},
    {"signum", "did you mean `sign`?"},
    {"fmod", "did you mean `mod`?"},
    {"rem", "did you mean `mod`?"},
    {"round", "write `floor(x + 0.5)`"},
    {"heaviside", "write `if t >= 0 then 1 else 0`"},
    {"Heaviside", "write `if t >= 0 then 1 else 0`"},
    {"step", "write `if t >= 0 then 1 else 0`"},
    {"ifelse", "write `if c then a else b`"},
    {"where", "write `if c then a else b`"},
    {"d", "a derivative is written `x'`"},
    {"D", "a derivative is written `x'`"},
    {"diff", "a derivative is written `x'`"},
    {"ddt", "a derivative is written `x'`"},
    {"integral", "an integral is an unknown with an equation: `q' = x`"},
    {"integrate", "an integral is an unknown with an equation: `q' = x`"},
    {"int", "an integral is an unknown with an equation: `q' = x`"},
    {"rand", "nothing here is random; `input` gives a function of time"},
    {"random", "nothing here is random; `input` gives a function of time"},
    {"delay", "delays are not part of the language"},
    {"size", "give the size a name: `param n = 3`"},
    {"length", "give the size a name: `param n = 3`"},
    {"len", "give the size a name: `param n = 3`"},
    {"Dt", "a derivative is written `x'`"},
    {"pre",
        "the right sides of an event see the values just before it: write the "
        "name alone"},
    {"edge", "a `when` fires where its condition turns true: `when c`"},
    {"sample",
        "write `when t >= next`, with `next := next + 1` and `discrete next`"},
    {"any",
        "write `min(x) < c`: true where one element is below; above: `max(x) > "
        "c`"},
    {"all",
        "write `max(x) < c`: true where all elements are below; above: `min(x) "
        "> c`"},
    {"rising", "a `when` fires where its condition turns true: `when x > 0`"},
    {"falling", "a `when` fires where its condition turns true: `when x < 0`"},
    {"crosses", "a `when` fires where its condition turns true: `when x > 0`"},
    {"crossing", "a `when` fires where its condition turns true: `when x > 0`"},
    {"change", "compare with a discrete variable that keeps the value before"},
};

/* Names without arguments. A derivative that is written as a name says so. */
static const char derivative[] = "a derivative is written with a prime: `x'`";
static const struct {
    const char *word, *help;
} foreign_names[] = {
    {"e", "a power of e is written `exp(x)`"},
    {"start",
        "`start` stands alone in the condition of a `when`, or beside `or`: "
        "`when start or c`"},
    {"initial", "what is done at the start stands in `when start`"},
    {"M_PI", "did you mean `pi`?"},
    {"True", "did you mean `true`?"},
    {"TRUE", "did you mean `true`?"},
    {"False", "did you mean `false`?"},
    {"FALSE", "did you mean `false`?"},
    {"infinity", "did you mean `inf`?"},
    {"Infinity", "did you mean `inf`?"},
    {"\u1e8b", derivative},
    {"\u1e8f", derivative},
    {"\u017c", derivative},
    {"\u1e59", derivative},
    {"\u1e57", derivative},
    {"\u1e23", derivative},
    {"\u1e8d", derivative},
};

/* The name that differs from `text` in upper and lower case alone. */
static const char *other_case(
    const char *text, const char *const *names, size_t count)
{
    for (size_t k = 0; k < count; k++) {
        const char *a = text, *b = names[k];
        while (*a
            && (*a == *b
                || ((*a ^ *b) == 0x20 && (*a | 0x20) >= 'a'
                    && (*a | 0x20) <= 'z'))) {
            a++;
            b++;
        }
        if (*a == *b) return names[k];
    }
    return NULL;
}

/* The function in whose text a place is, or NULL. */
static const ast_stmt *function_around(const lowering *l, text_span at)
{
    for (size_t k = 0; k < l->symbols.count; k++) {
        const symbol *s = l->symbols.items[k];
        if (s->kind == SYMBOL_FUN && at.begin >= s->stmt->span.begin
            && at.end <= s->stmt->span.end)
            return s->stmt;
    }
    return NULL;
}

static const char **candidates(
    lowering *l, const missing_name *m, size_t *count)
{
    const bool is_call = m->is_call;
    const ast_stmt *fun = function_around(l, m->places[0]);
    const size_t arguments = fun && !is_call ? fun->param_count : 0;
    static const char *const constants[] = {"pi", "inf"};
    size_t room = arguments + l->symbols.count + builtin_count() + 2;
    const char **names = ARENA_ARRAY(&l->scratch, const char *, room + 1);
    *count = 0;
    if (!names) return NULL;
    for (size_t k = 0; k < arguments; k++)
        names[(*count)++] = word_text(l, fun->params[k]);
    for (size_t k = 0; k < l->symbols.count; k++) {
        const symbol *s = l->symbols.items[k];
        if (is_call != (s->kind == SYMBOL_FUN)) continue;
        names[(*count)++] = word_text(l, s->name);
    }
    for (size_t k = 0; is_call && k < builtin_count(); k++) {
        names[(*count)++] = builtin_at(k)->name;
    }
    for (size_t k = 0; !is_call && k < 2; k++) {
        names[(*count)++] = constants[k];
    }
    return names;
}

static const char *foreign_help(const char *text)
{
    for (size_t k = 0; k < sizeof foreign / sizeof foreign[0]; k++) {
        if (strcmp(foreign[k].word, text) == 0) return foreign[k].help;
    }
    return NULL;
}

/* `xdot`, `x_dot` where x is declared. */
static bool is_dotted(const lowering *l, const char *text)
{
    size_t length = strlen(text);
    if (length < 4 || strcmp(text + length - 3, "dot") != 0) return false;
    length -= text[length - 4] == '_' ? 4 : 3;
    uint32_t id = intern_find(l->names, text, length);
    return id != INTERN_NONE && symbol_find(l, id);
}

/* `time`, `t`: the independent variable under another name. */
static bool is_other_time(const lowering *l, const char *text)
{
    return strcmp(text, "time") == 0
        || (strcmp(text, "t") == 0 && strcmp(l->s->time_name, "t") != 0);
}

/* True where a name of another language was told about. */
static bool suggest_name(lowering *l, const char *text)
{
    if (is_other_time(l, text)) {
        report_help(
            l->ds, "the independent variable is `%s` here", l->s->time_name);
        return true;
    }
    if (is_dotted(l, text)) {
        report_help(l->ds, "%s", derivative);
        return true;
    }
    size_t count = sizeof foreign_names / sizeof foreign_names[0];
    for (size_t k = 0; k < count; k++) {
        if (strcmp(foreign_names[k].word, text) != 0) continue;
        report_help(l->ds, "%s", foreign_names[k].help);
        return true;
    }
    return false;
}

/* The texts of --set are not places where a name could be declared. */
static bool is_outside(const lowering *l)
{
    return l->source != l->request->file->source;
}

static void suggest(lowering *l, const missing_name *m)
{
    const char *text = word_text(l, m->name);
    const bool is_call = m->is_call;
    size_t count;
    const char **names = candidates(l, m, &count);
    if (!names) {
        report_lost(l->ds);
        return;
    }
    const char *near = other_case(text, names, count);
    const char *help = near || !is_call ? NULL : foreign_help(text);
    if (near) {
        report_help(
            l->ds, "did you mean `%s`? upper and lower case differ", near);
    } else if (!is_call && suggest_name(l, text)) {
        return;
    } else if (help) {
        report_help(l->ds, "%s", help);
    } else if (text[1] && (near = nearest_name(text, names, count))) {
        report_help(l->ds, "did you mean `%s`?", near);
    } else if (is_outside(l) && !is_call) {
        report_help(l->ds,
            "write --set k=2, or 'x(0)=2' for a start; values are made of "
            "numbers and params");
    } else if (m->is_index) {
        report_help(l->ds,
            m->is_in_event
                ? "an index needs its range: a loop `for %s in 1..n` around "
                  "the `when`"
                : "an index needs its range: `for %s in 1..n` behind the "
                  "equation",
            text);
    } else if (m->is_target) {
        report_help(l->ds,
            m->is_rate
                ? "`:=` changes unknowns, their derivatives and discrete "
                  "variables: declare `var %s = ...` and write its equation"
                : "`:=` changes discrete variables and unknowns: declare "
                  "`discrete %s = ...`, with its value at the start",
            text);
    } else if (!is_call) {
        report_help(l->ds,
            "declare it: `var %s` for an unknown, `param %s = ...` for a "
            "number",
            text, text);
    }
}

/* ---- gathering -------------------------------------------------------------- */

static bool is_before(text_span a, text_span b)
{
    return a.begin < b.begin;
}

/* Keeps the first places in the order of the text. */
static void add_place(missing_name *m, text_span span)
{
    uint32_t at = m->count < MISSING_PLACES ? m->count++ : MISSING_PLACES;
    if (at == MISSING_PLACES) {
        if (!is_before(span, m->places[at - 1])) return;
        at--;
    }
    for (; at > 0 && is_before(span, m->places[at - 1]); at--) {
        m->places[at] = m->places[at - 1];
    }
    m->places[at] = span;
}

static missing_name *find(lowering *l, uint32_t name)
{
    for (size_t k = 0; k < l->missing.count; k++) {
        if (l->missing.items[k].name == name) return &l->missing.items[k];
    }
    if (l->missing.count == NAMES_TOLD) return NULL;
    missing_name m = {.name = name};
    if (!ARRAY_PUSH(l->allocator, &l->missing, m)) {
        l->failed_memory = true;
        return NULL;
    }
    return &l->missing.items[l->missing.count - 1];
}

static void note(
    lowering *l, uint32_t name, text_span span, bool is_call, bool is_quotient)
{
    missing_name *m = l->has_later ? NULL : find(l, name);
    if (!m || m->is_silent) return;
    if (m->count == 0 || is_before(span, m->places[0])) {
        m->is_call = is_call;
        m->is_quotient = is_quotient;
    }
    add_place(m, span);
}

void missing_note(lowering *l, const ast_expr *e, bool is_call)
{
    note(l, e->name, e->span, is_call, false);
}

void missing_index(lowering *l, const ast_expr *e)
{
    for (size_t k = 0; k < l->missing.count; k++)
        if (l->missing.items[k].name == e->name)
            l->missing.items[k].is_index = true;
}

void missing_in_event(lowering *l, const ast_expr *e)
{
    for (size_t k = 0; k < l->missing.count; k++) {
        missing_name *m = &l->missing.items[k];
        for (uint32_t i = 0; i < m->count; i++)
            if (m->places[i].begin >= e->span.begin
                && m->places[i].end <= e->span.end)
                m->is_in_event = true;
    }
}

void missing_silence(lowering *l, uint32_t name)
{
    missing_name *m = symbol_find(l, name) ? NULL : find(l, name);
    if (m) m->is_silent = true;
}

void missing_target(lowering *l, const ast_expr *e)
{
    bool is_rate = false;
    while (e->kind == AST_PRIME || e->kind == AST_INDEX) {
        is_rate |= e->kind == AST_PRIME;
        e = e->a;
    }
    if (e->kind != AST_NAME) return;
    for (size_t k = 0; k < l->missing.count; k++) {
        missing_name *m = &l->missing.items[k];
        if (m->name != e->name || m->is_call) continue;
        m->is_target = true;
        m->is_rate |= is_rate;
    }
}

bool missing_definition(lowering *l, const ast_stmt *stmt)
{
    const ast_expr *e = stmt->left;
    if (stmt->kind != AST_EQUATION || e->kind != AST_CALL) return false;
    if (e->a->kind != AST_NAME || symbol_find(l, e->a->name)) return false;
    bool is_foreign = foreign_help(word_text(l, e->a->name)) != NULL;
    if (is_foreign || builtin_find(word_text(l, e->a->name))) return false;
    for (uint32_t k = 0; k < e->count; k++) {
        if (e->items[k]->kind != AST_NAME) return false;
    }
    note(l, e->a->name, e->a->span, true, false);
    missing_name *m = find(l, e->a->name);
    if (m) m->is_definition = true;
    return true;
}

/* ---- what stands for something else ------------------------------------------ */

static const ast_expr *undeclared(const lowering *l, const ast_expr *e)
{
    bool is_name = e->kind == AST_NAME && !symbol_find(l, e->name);
    return is_name && word_text(l, e->name)[0] == 'd' ? e : NULL;
}

/* `t` is the time also where no text says so. */
static bool is_time(const lowering *l, const char *text)
{
    uint32_t id = intern_find(l->names, text, strlen(text));
    const symbol *s = id == INTERN_NONE ? NULL : symbol_find(l, id);
    return s ? s->kind == SYMBOL_TIME : strcmp(text, "t") == 0;
}

bool missing_quotient(lowering *l, const ast_expr *e)
{
    if (e->kind != AST_CHAIN || e->count < 2 || e->ops[1] != AST_DIV) {
        return false;
    }
    const ast_expr *first = e->items[0];
    bool is_call = first->kind == AST_CALL && first->a->kind == AST_NAME
        && strcmp(word_text(l, first->a->name), "d") == 0;
    const ast_expr *above = undeclared(l, is_call ? first->a : first);
    const ast_expr *below = undeclared(l, e->items[1]);
    if (!above || !below) return false;
    if (!is_time(l, word_text(l, below->name) + 1)) return false;
    text_span span = {above->span.begin, below->span.end};
    note(l, above->name, span, is_call, !is_call);
    return true;
}

bool missing_prefix(lowering *l, const ast_expr *field)
{
    static const char *const prefixes[] = {
        "np", "numpy", "math", "Math", "cmath", "scipy", "sympy", "jnp"};
    if (field->a->kind != AST_NAME || symbol_find(l, field->a->name)) {
        return false;
    }
    const char *prefix = word_text(l, field->a->name);
    for (size_t k = 0; k < sizeof prefixes / sizeof prefixes[0]; k++) {
        if (strcmp(prefix, prefixes[k]) != 0) continue;
        report(l->ds, DIAG_E0201, l->source, field->a->span,
            "`%s` is not declared", prefix);
        report_help(l->ds,
            "functions and constants have no prefix here: `sin(x)`, `pi`");
        return true;
    }
    return false;
}

/* ---- telling ------------------------------------------------------------------ */

static int compare_places(const void *a, const void *b)
{
    const missing_name *x = a, *y = b;
    return (x->places[0].begin > y->places[0].begin)
        - (x->places[0].begin < y->places[0].begin);
}

static void tell(lowering *l, const missing_name *m)
{
    const char *text = word_text(l, m->name);
    report(l->ds, DIAG_E0201, l->source, m->places[0],
        m->is_call ? "there is no function `%s`" : "`%s` is not declared",
        text);
    for (uint32_t k = 1; k < m->count; k++) {
        report_also(l->ds, l->source, m->places[k], "also here");
    }
    if (m->is_definition) {
        report_help(l->ds, "a function is declared: fun %s(a) = ...", text);
    } else if (m->is_quotient) {
        report_help(
            l->ds, "a derivative is written with a prime: `%s'`", text + 1);
    } else {
        suggest(l, m);
    }
}

void missing_tell(lowering *l)
{
    size_t count = l->missing.count;
    arena_position mark = arena_mark(&l->scratch);
    if (count) {
        qsort(
            l->missing.items, count, sizeof *l->missing.items, compare_places);
    }
    for (size_t k = 0; k < count; k++) {
        if (!l->missing.items[k].is_silent) tell(l, &l->missing.items[k]);
    }
    arena_release(&l->scratch, mark);
    ARRAY_FREE(l->allocator, &l->missing);
}
