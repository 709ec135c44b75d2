/* The scanner's rules. The text ends in a NUL, so nothing here counts bytes.
 * Letters are given by blocks of Unicode 15, which is a little wider than the
 * categories and keeps the automaton small; no sign that means something (a
 * prime, a dash, an arrow, an operator) is among them. What is said about
 * signs that are not of the language, and about numbers that are none,
 * stands in spelling.c. */
#include "syntax/scan.h"
#include "syntax/spelling.h"
#include <string.h>

/* The kind of a word. Asked after the name is known, so that the ranges of
 * letters appear once in the automaton and not once for every keyword. */
static uint8_t word_kind(
    const unsigned char *start, const unsigned char *end)
{
    const unsigned char *cursor = start, *marker;
    uint8_t kind = TOKEN_NAME;
    /*!re2c
    re2c:yyfill:enable = 0;
    re2c:encoding:utf8 = 1;
    re2c:define:YYCTYPE = "unsigned char";
    re2c:define:YYCURSOR = cursor;
    re2c:define:YYMARKER = marker;

    "param"     { kind = TOKEN_PARAM; goto found; }
    "var"       { kind = TOKEN_VAR; goto found; }
    "species"   { kind = TOKEN_SPECIES; goto found; }
    "discrete"  { kind = TOKEN_DISC; goto found; }
    "let"       { kind = TOKEN_LET; goto found; }
    "input"     { kind = TOKEN_INPUT; goto found; }
    "output"    { kind = TOKEN_OUTPUT; goto found; }
    "init"      { kind = TOKEN_INIT; goto found; }
    "fun"       { kind = TOKEN_FUN; goto found; }
    "return"    { kind = TOKEN_RETURN; goto found; }
    "for"       { kind = TOKEN_FOR; goto found; }
    "in"        { kind = TOKEN_IN; goto found; }
    "where"     { kind = TOKEN_WHERE; goto found; }
    "step"      { kind = TOKEN_STEP; goto found; }
    "if"        { kind = TOKEN_IF; goto found; }
    "then"      { kind = TOKEN_THEN; goto found; }
    "elseif"    { kind = TOKEN_ELSEIF; goto found; }
    "else"      { kind = TOKEN_ELSE; goto found; }
    "end"       { kind = TOKEN_END; goto found; }
    "and"       { kind = TOKEN_AND; goto found; }
    "or"        { kind = TOKEN_OR; goto found; }
    "not"       { kind = TOKEN_NOT; goto found; }
    "true"      { kind = TOKEN_TRUE; goto found; }
    "false"     { kind = TOKEN_FALSE; goto found; }
    "when"      { kind = TOKEN_WHEN; goto found; }
    "stop"      { kind = TOKEN_STOP; goto found; }
    "print"     { kind = TOKEN_PRINT; goto found; }
    "reactions" { kind = TOKEN_REACTIONS; goto found; }
    "model"     { kind = TOKEN_MODEL; goto found; }
    "port"      { kind = TOKEN_PORT; goto found; }
    "flow"      { kind = TOKEN_FLOW; goto found; }
    "use"       { kind = TOKEN_USE; goto found; }
    "connect"   { kind = TOKEN_CONNECT; goto found; }
    "import"    { kind = TOKEN_IMPORT; goto found; }
    "as"        { kind = TOKEN_AS; goto found; }
    "solve"     { kind = TOKEN_SOLVE; goto found; }
    "plot"      { kind = TOKEN_PLOT; goto found; }
    "over"      { kind = TOKEN_OVER; goto found; }
    "expect"    { kind = TOKEN_EXPECT; goto found; }
    "within"    { kind = TOKEN_WITHIN; goto found; }
    "at"        { kind = TOKEN_AT; goto found; }
    "always"    { kind = TOKEN_ALWAYS; goto found; }
    "final"     { kind = TOKEN_FINAL; goto found; }
    *           { goto found; }
    */
found:
    return cursor == end ? kind : TOKEN_NAME;
}

token scan_token(scanner *s)
{
    const unsigned char *text = (const unsigned char *)s->source->text;
    const unsigned char *cursor = text + s->at, *marker, *context, *start;
    token t = {{s->at, s->at}, TOKEN_END_OF_TEXT, false, false};

next:
    start = cursor;
#define GIVE(k)                                                               \
    do {                                                                      \
        t.kind = (k);                                                         \
        goto done;                                                            \
    } while (0)
    /*!re2c
    re2c:yyfill:enable = 0;
    re2c:encoding:utf8 = 1;
    re2c:define:YYCTYPE = "unsigned char";
    re2c:define:YYCURSOR = cursor;
    re2c:define:YYMARKER = marker;
    re2c:define:YYCTXMARKER = context;

    digit    = [0-9];
    latin    = [a-zA-Z_] | [\xaa\xb5\xba\xc0-\xd6\xd8-\xf6\xf8-\u02af];
    european = [\u0370-\u0373\u0376-\u037d\u037f\u0386\u0388-\u0481]
             | [\u048a-\u0556\u0561-\u0587\u1e00-\u1fbc\u1fc2-\u1ffc];
    eastern  = [\u05d0-\u05f2\u0620-\u064a\u066e-\u06d3\u0710-\u0963]
             | [\u0971-\u0e3a\u0e40-\u0eff\u0f40-\u166c\u166f-\u1dbf];
    asian    = [\u3005-\u3007\u3041-\u31bf\u31f0-\u31ff\u3400-\u4dbf]
             | [\u4e00-\ua48c\uac00-\ud7a3\uf900-\ufaff\U00020000-\U0003ffff];
    special  = [\u2071\u207f\u2090-\u209c\u2102-\u213f\U0001d400-\U0001d7cb];
    letter   = latin | european | eastern | asian | special;
    mark     = [\u0300-\u036f];
    part     = letter | digit | mark;
    exponent = [eE] [+-]? digit+;
    blank    = [ \t\f\v] | [\xa0\u2000-\u200a\u202f\u205f\u3000];
    any      = [\x01-\ud7ff\ue000-\U0010ffff];

    blank+                { goto next; }
    "\r"? "\n"            { GIVE(TOKEN_NEWLINE); }
    "#"                   { cursor = spelling_line_end(s, start); GIVE(TOKEN_COMMENT); }
    ["]                   { cursor = spelling_text(s, start); GIVE(TOKEN_STRING); }

    digit+ ("." digit+)? exponent?          { GIVE(TOKEN_NUMBER); }
    "." digit+ exponent?                    { GIVE(TOKEN_NUMBER); }
    digit+ "." exponent                     { GIVE(TOKEN_NUMBER); }
    digit+ ("." digit*)? part+              { GIVE(spelling_number(s, start, cursor)); }
    "." digit+ part+                        { GIVE(spelling_number(s, start, cursor)); }
    (digit+ ("." digit*)? | "." digit+) [eE] [+-] part*
                                            { GIVE(spelling_number(s, start, cursor)); }
    digit+ "." digit+ ("." digit+)+ part*   { GIVE(spelling_number(s, start, cursor)); }
    digit+ ("." digit+)? exponent ("." digit+)+ part*
                                            { GIVE(spelling_number(s, start, cursor)); }
    digit+ "." / [^.]                       { GIVE(TOKEN_NUMBER); }

    letter part* { GIVE(word_kind(start, cursor)); }

    "'" | "\u2032" { GIVE(TOKEN_PRIME); }
    "("   { GIVE(TOKEN_LP); }
    ")"   { GIVE(TOKEN_RP); }
    "["   { GIVE(TOKEN_LB); }
    "]"   { GIVE(TOKEN_RB); }
    "{"   { GIVE(TOKEN_LC); }
    "}"   { GIVE(TOKEN_RC); }
    ","   { GIVE(TOKEN_COMMA); }
    ";"   { GIVE(TOKEN_NL); }
    ":"   { GIVE(TOKEN_COLON); }
    ":="  { GIVE(TOKEN_ASSIGN); }
    "."   { GIVE(TOKEN_DOT); }
    ".."  { GIVE(TOKEN_DOTDOT); }
    "..." "."* { spelling_dots(s, start, cursor); GIVE(TOKEN_DOTDOT); }
    "="   { GIVE(TOKEN_EQ); }
    "=="  { GIVE(TOKEN_EQEQ); }
    "!="  { GIVE(TOKEN_NE); }
    "<"   { GIVE(TOKEN_LT); }
    "<="  { GIVE(TOKEN_LE); }
    ">"   { GIVE(TOKEN_GT); }
    ">="  { GIVE(TOKEN_GE); }
    "~"   { GIVE(TOKEN_TILDE); }
    "+"   { GIVE(TOKEN_PLUS); }
    "-"   { GIVE(TOKEN_MINUS); }
    "*"   { GIVE(TOKEN_STAR); }
    "/"   { GIVE(TOKEN_SLASH); }
    "^"   { GIVE(TOKEN_POW); }
    "@"   { GIVE(TOKEN_AT2); }
    "->"  { GIVE(TOKEN_ARROW); }
    "<->" { GIVE(TOKEN_BIARROW); }
    "=>"  { GIVE(TOKEN_FATARROW); }

    [\x00] {
        if ((uint32_t)(start - text) < s->source->length) goto next;
        cursor = start;
        GIVE(TOKEN_END_OF_TEXT);
    }
    any { GIVE(spelling_sign(s, start, &cursor)); }
    *   { s->fault = (uint32_t)(start - text) + 1; goto next; }
    */
#undef GIVE

done:
    t.span.begin = (uint32_t)(start - text);
    t.span.end = s->at = (uint32_t)(cursor - text);
    return t;
}

void scan_start(scanner *s, const dae_source *source, dae_diagnostics *ds)
{
    static const char mark[] = "\xEF\xBB\xBF";
    *s = (scanner){.source = source, .ds = ds};
    if (source->length >= 3 && memcmp(source->text, mark, 3) == 0) s->at = 3;
    if (spelling_is_wide(s)) s->at = source->length;
    else spelling_encoding(s);
}
