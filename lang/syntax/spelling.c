/* Every message about a sign says what to type instead. The signs are those
 * that word processors, typeset pages and other languages leave in a text. */
#include "syntax/spelling.h"
#include "base/intern.h"
#include "base/report.h"
#include <string.h>

typedef struct sign {
    const char *text; /* UTF-8 */
    uint8_t kind;     /* what to go on with */
    const char *help;
} sign;

static const sign signs[] = {
    {"\u2212", TOKEN_MINUS, "type `-` for a minus"},
    {"\u2013", TOKEN_MINUS, "type `-` for a minus"},
    {"\u2014", TOKEN_MINUS, "type `-` for a minus"},
    {"\u2010", TOKEN_MINUS, "type `-` for a minus"},
    {"\u2011", TOKEN_MINUS, "type `-` for a minus"},
    {"\u00d7", TOKEN_STAR, "type `*` for a product, `cross(a, b)` of vectors"},
    {"\u00b7", TOKEN_STAR, "type `*` for a product, `dot(a, b)` of vectors"},
    {"\u22c5", TOKEN_STAR, "type `*` for a product, `dot(a, b)` of vectors"},
    {"\u2217", TOKEN_STAR, "type `*` for a product"},
    {"\u00f7", TOKEN_SLASH, "type `/` for a quotient"},
    {"\u2215", TOKEN_SLASH, "type `/` for a quotient"},
    {"\u2044", TOKEN_SLASH, "type `/` for a quotient"},
    {"\u2264", TOKEN_LE, "type `<=`"},
    {"\u2a7d", TOKEN_LE, "type `<=`"},
    {"\u2265", TOKEN_GE, "type `>=`"},
    {"\u2a7e", TOKEN_GE, "type `>=`"},
    {"\u2260", TOKEN_NE, "type `!=`"},
    {"\u2261", TOKEN_EQEQ, "type `==` to compare, `=` for an equation"},
    {"\u2248", TOKEN_TILDE, "type `~` for `about`"},
    {"\u223c", TOKEN_TILDE, "type `~` for `about`"},
    {"\u2254", TOKEN_ASSIGN, "type `:=`"},
    {"\u2192", TOKEN_ARROW, "type `->`"},
    {"\u27f6", TOKEN_ARROW, "type `->`"},
    {"\u2194", TOKEN_BIARROW, "type `<->`"},
    {"\u21cc", TOKEN_BIARROW, "type `<->`"},
    {"\u21d2", TOKEN_FATARROW, "type `=>`"},
    {"\u2019", TOKEN_PRIME, "type `'` for a derivative"},
    {"\u2018", TOKEN_PRIME, "type `'` for a derivative"},
    {"\u00b4", TOKEN_PRIME, "type `'` for a derivative"},
    {"`", TOKEN_PRIME, "type `'` for a derivative"},
    {"\u2033", TOKEN_PRIME, "type `''` for a second derivative"},
    {"\u2026", TOKEN_DOTDOT, "type `..` for a range"},
    {"\u2227", TOKEN_AND, "type `and`"},
    {"\u2228", TOKEN_OR, "type `or`"},
    {"\u00ac", TOKEN_NOT, "type `not`"},
    {"!", TOKEN_NOT, "type `not`; `!=` compares"},
    {"\u221a", TOKEN_BAD, "type `sqrt(x)`"},
    {"\u221e", TOKEN_BAD, "type `inf`"},
    {"\u2202", TOKEN_BAD, "type `x'` for the derivative of x"},
    {"\u2211", TOKEN_BAD, "type `sum(x[i] for i in 1..n)`"},
    {"\u220f", TOKEN_BAD, "type `prod(x[i] for i in 1..n)`"},
    {"\u00b0", TOKEN_BAD, "write the name of the unit: `deg`, `degC`"},
    {"\u00b2", TOKEN_BAD, "type `^2`"},
    {"\u00b3", TOKEN_BAD, "type `^3`"},
    {"\u200b", TOKEN_BAD, "remove this sign, it has no width"},
    {"\ufeff", TOKEN_BAD, "remove this sign, it has no width"},
    {"&", TOKEN_AND, "type `and`"},
    {"|", TOKEN_BAD, "type `or`; the absolute value is `abs(x)`"},
    {"%", TOKEN_BAD, "a comment begins with `#`; a remainder is `mod(a, b)`"},
    {"$", TOKEN_BAD, "a name holds letters, digits and `_`"},
    {"\\", TOKEN_BAD, "write a Greek letter itself or its name"},
    {"?", TOKEN_BAD, "write `if c then a else b`"},
    {"\u2016", TOKEN_BAD, "type `norm(x)`"},
    {"\u00bd", TOKEN_BAD, "type `1/2`"},
    {"\u00bc", TOKEN_BAD, "type `1/4`"},
    {"\u037e", TOKEN_NL, "type `;`"},
    {"\uff1d", TOKEN_EQ, "type `=`"},
    {"\uff08", TOKEN_LP, "type `(`"},
    {"\uff09", TOKEN_RP, "type `)`"},
    {"\uff0c", TOKEN_COMMA, "type `,`"},
    {"\uff0b", TOKEN_PLUS, "type `+`"},
    {"\uff0d", TOKEN_MINUS, "type `-`"},
    {"\uff0a", TOKEN_STAR, "type `*`"},
    {"\r", TOKEN_NEWLINE, "end the line with a line feed"},
};

/* More than a collection keeps: the rest is counted, so that a text of nothing
 * but faults takes no time. */
enum { FAULTS_TOLD = 100 };

static bool count_fault(scanner *s, uint32_t at)
{
    s->fault = at + 1;
    return ++s->faults <= FAULTS_TOLD;
}

/* The code point at `p` and its length in bytes, 0 where the bytes are not
 * UTF-8: overlong forms, surrogates and values past U+10FFFF are not. */
static uint32_t decode(const unsigned char *p, unsigned *length)
{
    *length = 1;
    if (p[0] < 0x80) return p[0];
    unsigned n = p[0] >= 0xF0 ? 4 : p[0] >= 0xE0 ? 3 : 2;
    uint32_t c = p[0] & (0x7Fu >> n);
    *length = 0;
    if (p[0] < 0xC2 || p[0] > 0xF4) return 0;
    for (unsigned i = 1; i < n; i++) {
        if ((p[i] & 0xC0) != 0x80) return 0;
        c = c << 6 | (p[i] & 0x3Fu);
    }
    if ((n == 3 && c < 0x800) || (n == 4 && c < 0x10000) || c > 0x10FFFF
        || (c >= 0xD800 && c <= 0xDFFF))
        return 0;
    *length = n;
    return c;
}

static bool is_dash(uint32_t point)
{
    return point == 0x2212 || (point >= 0x2010 && point <= 0x2014);
}

bool spelling_is_wide(scanner *s)
{
    const char *text = s->source->text;
    bool is_wide = s->source->length >= 2
        && (memcmp(text, "\xFF\xFE", 2) == 0
            || memcmp(text, "\xFE\xFF", 2) == 0);
    if (!is_wide) return false;
    s->faults++;
    report(s->ds, DIAG_E0104, s->source, (text_span){0, 1},
        "the text is not UTF-8 but UTF-16");
    report_help(s->ds, "save the file in the encoding UTF-8");
    return true;
}

static void report_encoding(scanner *s, uint32_t at, bool is_nul)
{
    text_span span = {at, at + 1};
    s->faults++;
    if (is_nul) {
        report(s->ds, DIAG_E0104, s->source, span, "the text holds a NUL");
        report_help(s->ds, "save the file as plain text in UTF-8");
        return;
    }
    report(s->ds, DIAG_E0104, s->source, span,
        "the text is not UTF-8: byte 0x%02X begins no character",
        (unsigned)(unsigned char)s->source->text[at]);
    report_help(s->ds, "save the file in the encoding UTF-8");
}

void spelling_encoding(scanner *s)
{
    const unsigned char *text = (const unsigned char *)s->source->text;
    bool nul_seen = false, byte_seen = false;
    for (uint32_t i = 0; i < s->source->length;) {
        unsigned length = 1;
        if (text[i] >= 0x80) (void)decode(text + i, &length);
        if (text[i] == 0 && !nul_seen) report_encoding(s, i, nul_seen = true);
        if (length == 0) {
            if (!byte_seen) report_encoding(s, i, false);
            byte_seen = true;
            length = 1;
        }
        i += length;
    }
}

const unsigned char *spelling_line_end(
    const scanner *s, const unsigned char *start)
{
    const unsigned char *end = (const unsigned char *)s->source->text
        + s->source->length;
    const unsigned char *p = memchr(start, '\n', (size_t)(end - start));
    if (!p) return end;
    return p[-1] == '\r' ? p - 1 : p;
}

/* `x" = ...`: the quote stands right behind an operand. */
static bool is_after_operand(const scanner *s, const unsigned char *start)
{
    if ((const char *)start == s->source->text) return false;
    unsigned c = start[-1] | 0x20u;
    return (c >= 'a' && c <= 'z') || start[-1] == ']' || start[-1] == ')';
}

/* Where the line after `stop` has a single quote, that is most likely the
 * closing one of a text over two lines: its end; else NULL. */
static const unsigned char *end_on_next_line(
    const unsigned char *stop, const unsigned char *end)
{
    const unsigned char *quote = NULL;
    for (const unsigned char *p = stop + 1; p < end && *p != '\n'; p++) {
        if (*p != '"') continue;
        if (quote) return NULL;
        quote = p;
    }
    return quote ? quote + 1 : NULL;
}

/* Texts are shown to people, on terminals: what could steer one is refused, from C0
 * all but the tab, DEL, and C1, which UTF-8 writes as two bytes. */
static void refuse_controls(
    scanner *s, const unsigned char *from, const unsigned char *to)
{
    for (const unsigned char *p = from; p < to; p++) {
        const bool is_wide = *p == 0xC2 && p[1] >= 0x80 && p[1] < 0xA0;
        if (!is_wide && *p != 0x7F && (*p >= 0x20 || *p == '\t')) continue;
        uint32_t at = (uint32_t)(p - (const unsigned char *)s->source->text);
        if (!count_fault(s, at)) return;
        report(s->ds, DIAG_E0101, s->source, (text_span){at, at + 1 + is_wide},
            "the character U+%04X has no place in a text",
            is_wide ? p[1] : (unsigned)*p);
        p += is_wide;
    }
}

const unsigned char *spelling_text(scanner *s, const unsigned char *start)
{
    const unsigned char *end = (const unsigned char *)s->source->text
        + s->source->length;
    const unsigned char *stop = start + 1;
    while (stop < end && *stop != '"' && *stop != '\n') stop++;
    if (stop < end && *stop == '"') {
        refuse_controls(s, start + 1, stop);
        return stop + 1;
    }
    const unsigned char *closed = end_on_next_line(stop, end);
    if (stop[-1] == '\r') stop--;
    while (stop[-1] == ' ' || stop[-1] == '\t') stop--;
    uint32_t at = (uint32_t)(start - (const unsigned char *)s->source->text);
    const unsigned char *next = closed ? closed : stop;
    if (!count_fault(s, at)) return next;
    report(s->ds, DIAG_E0103, s->source, (text_span){at, at + 1},
        "a text without its closing `\"`");
    report_label(s->ds, "opened here");
    report_help(s->ds,
        is_after_operand(s, start) ? "a second derivative is written `x''`"
                                   : "close it with `\"` on the same line");
    return next;
}

/* `2.5d-3`, `1d0`: an exponent as Fortran writes it. */
static bool has_fortran_exponent(const char *text, size_t length)
{
    size_t mantissa = strspn(text, "0123456789.");
    if (text[mantissa] != 'd' && text[mantissa] != 'D') return false;
    const char *power = text + mantissa + 1;
    if (mantissa + 1 == length && (*power == '+' || *power == '-')) power++;
    return *power >= '0' && *power <= '9';
}

/* `text` has two characters at least: one is none of a number's. */
static const char *number_help(const char *text, size_t length)
{
    if (memchr(text, '_', length)) return "write the digits without `_`";
    if (has_fortran_exponent(text, length))
        return "an exponent is written with `e`: `2.5e-3`";
    if (text[0] == '0' && strchr("xXbBoO", text[1]))
        return "write the number in decimal digits";
    const char *point = memchr(text, '.', length);
    if (point && memchr(point + 1, '.', length - (size_t)(point + 1 - text)))
        return "a number has one point; a range is written `1..3`";
    size_t mantissa = strspn(text, "0123456789.");
    if (text[mantissa] == 'e' || text[mantissa] == 'E')
        return "an exponent has digits: `1e-3`";
    return "a product is written with `*`, a unit in braces; a name begins "
           "with a letter";
}

uint8_t spelling_number(
    scanner *s, const unsigned char *start, const unsigned char *end)
{
    const char *text = (const char *)start;
    uint32_t at = (uint32_t)(text - s->source->text);
    size_t length = (size_t)(end - start);
    int shown = length > 60 ? 60 : (int)length;
    while ((text[shown] & 0xC0) == 0x80) shown--; /* whole characters */
    if (!count_fault(s, at)) return TOKEN_NUMBER;
    unsigned n;
    bool is_open = end[-1] == 'e' || end[-1] == 'E';
    if (is_open && is_dash(decode(end, &n))) return TOKEN_NUMBER;
    report(s->ds, DIAG_E0105, s->source, (text_span){at, at + (uint32_t)length},
        "`%.*s` is not a number", shown, text);
    report_help(s->ds, "%s", number_help(text, length));
    return TOKEN_NUMBER;
}

void spelling_dots(
    scanner *s, const unsigned char *start, const unsigned char *end)
{
    uint32_t at = (uint32_t)(start - (const unsigned char *)s->source->text);
    text_span span = {at, at + (uint32_t)(end - start)};
    if (!count_fault(s, at)) return;
    report(s->ds, DIAG_E0101, s->source, span,
        "`%.*s` is not a sign of the language",
        end - start > 60 ? 60 : (int)(end - start), (const char *)start);
    report_help(s->ds, "type `..` for a range");
}

/* The end of a text in typographic quotes, of which `p` is the first byte after
 * the opening one, or NULL. A line is searched once only for what it has not. */
static const unsigned char *quoted_end(scanner *s, const unsigned char *p)
{
    static const char *const closers[] = {"\u201d", "\u201c", "\u00bb", "\""};
    const unsigned char *text = (const unsigned char *)s->source->text;
    if ((uint32_t)(p - text) <= s->unclosed) return NULL;
    const unsigned char *stop = spelling_line_end(s, p - 1);
    for (; p < stop; p++)
        for (size_t i = 0; i < sizeof closers / sizeof *closers; i++) {
            size_t n = strlen(closers[i]);
            if ((size_t)(stop - p) >= n && memcmp(p, closers[i], n) == 0)
                return p + n;
        }
    s->unclosed = (uint32_t)(stop - text);
    return NULL;
}

/* The same sign was told of on the same line. */
static bool is_repeated(const scanner *s, uint32_t at, unsigned length)
{
    if (s->sign == 0) return false;
    const char *text = s->source->text, *last = text + s->sign - 1;
    return memcmp(last, text + at, length) == 0
        && !memchr(last, '\n', (size_t)(text + at - last));
}

static void report_sign(
    scanner *s, const unsigned char *start, unsigned length, const char *help)
{
    uint32_t at = (uint32_t)(start - (const unsigned char *)s->source->text);
    unsigned n;
    uint32_t point = decode(start, &n);
    text_span span = {at, at + length};
    bool is_told = !count_fault(s, at) || is_repeated(s, at, n);
    s->sign = at + 1;
    if (is_told) return;
    if (point < 0x20 || point == 0x7F || point == 0x200B || point == 0xFEFF)
        report(s->ds, DIAG_E0101, s->source, span,
            "the character U+%04X is not of the language", (unsigned)point);
    else if (point < 0x80)
        report(s->ds, DIAG_E0101, s->source, span,
            "`%c` is not a sign of the language", (int)point);
    else
        report(s->ds, DIAG_E0101, s->source, span,
            "`%.*s` (U+%04X) is not a sign of the language", (int)n,
            (const char *)start, (unsigned)point);
    if (help) report_help(s->ds, "%s", help);
}

/* Between the braces of a declaration, where the unit stands; no unit is
 * longer than what is looked through. */
static bool is_in_braces(const scanner *s, const unsigned char *at)
{
    enum { UNIT_LONGEST = 100 };
    const unsigned char *text = (const unsigned char *)s->source->text;
    if (at - text > UNIT_LONGEST) text = at - UNIT_LONGEST;
    while (at > text && at[-1] != '\n' && at[-1] != '{' && at[-1] != '}') at--;
    return at > text && at[-1] == '{';
}

uint8_t spelling_sign(
    scanner *s, const unsigned char *start, const unsigned char **end)
{
    unsigned length = (unsigned)(*end - start);
    static const char *const openers[] = {"\u201c", "\u201e", "\u00ab"};
    for (size_t i = 0; i < sizeof openers / sizeof *openers; i++) {
        if (length != strlen(openers[i])) continue;
        if (memcmp(start, openers[i], length) != 0) continue;
        const unsigned char *stop = quoted_end(s, *end);
        report_sign(s, start, length, "type the straight quote `\"`");
        if (!stop) return TOKEN_BAD;
        *end = stop;
        return TOKEN_STRING;
    }
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++)
        if (length == strlen(signs[i].text)
            && memcmp(start, signs[i].text, length) == 0) {
            /* `&&` and `||` are one sign */
            bool is_double = (*start == '&' || *start == '|')
                && start[1] == *start;
            *end += is_double;
            const char *help = *start == '%' && is_in_braces(s, start)
                ? "write `{1}`, the unit of a plain number"
                : signs[i].help;
            report_sign(s, start, length + is_double, help);
            return is_double && *start == '|' ? TOKEN_OR : signs[i].kind;
        }
    unsigned n;
    uint32_t point = decode(start, &n);
    bool is_subscript = point >= 0x2080 && point <= 0x2089;
    report_sign(
        s, start, length, is_subscript ? "type the digit itself: `x1`" : NULL);
    return TOKEN_BAD;
}

/* Words for a statement's beginning in other languages and books. */
static const struct {
    const char *word, *statement;
} borrowed[] = {
    {"parameter", "param"},
    {"parameters", "param"},
    {"const", "param"},
    {"constant", "param"},
    {"variable", "var"},
    {"variables", "var"},
    {"real", "var"},
    {"Real", "var"},
    {"double", "var"},
    {"float", "var"},
    {"state", "var"},
    {"unknown", "var"},
    {"define", "let"},
    {"def", "fun"},
    {"function", "fun"},
    {"func", "fun"},
    {"initial", "init"},
    {"simulate", "solve"},
    {"integrate", "solve"},
    {"assert", "expect"},
    {"check", "expect"},
    {"draw", "plot"},
    {"include", "import"},
    {"event", "when"},
    {"algorithm", "when"},
    {"component", "model"},
    {"class", "model"},
    {"foreach", "for"},
    {"while", "when"},
    {"whenever", "when"},
    {"on", "when"},
    {"at", "when"},
    {"once", "when"},
    {"upon", "when"},
    {"after", "when"},
    {"every", "when"},
    {"endfor", "end"},
    {"endif", "end"},
    {"endwhen", "end"},
    {"fi", "end"},
    {"elif", "elseif"},
    {"elsif", "elseif"},
};
static const char *const statements[] = {"param", "var", "let", "input",
    "output", "init", "fun", "for", "if", "end", "elseif", "else", "return",
    "solve", "plot", "expect", "species", "discrete", "when", "reactions",
    "model", "port", "use", "connect", "import"};

const char *spelling_statement(const char *word)
{
    for (size_t i = 0; i < sizeof borrowed / sizeof *borrowed; i++)
        if (strcmp(word, borrowed[i].word) == 0) return borrowed[i].statement;
    return nearest_name(
        word, statements, sizeof statements / sizeof *statements);
}
