/* One row for each kind, in no particular order: the numbers are Lemon's. */
#include "syntax/token.h"
#include <stddef.h>
#include <string.h>

typedef enum category { SIGN, WORD, CONTEXTUAL } category;

static const struct {
    const char *name, *spelling;
    category category;
} kinds[] = {
    [TOKEN_END_OF_TEXT] = {"END_OF_TEXT", "the end of the text", SIGN},
    [TOKEN_NAME] = {"NAME", "a name", SIGN},
    [TOKEN_NUMBER] = {"NUMBER", "a number", SIGN},
    [TOKEN_STRING] = {"STRING", "a text in quotes", SIGN},
    [TOKEN_NL] = {"NL", "the end of the line", SIGN},
    [TOKEN_BAD] = {"BAD", "a sign that is not of the language", SIGN},
    [TOKEN_PARAM] = {"PARAM", "`param`", WORD},
    [TOKEN_VAR] = {"VAR", "`var`", WORD},
    [TOKEN_SPECIES] = {"SPECIES", "`species`", WORD},
    [TOKEN_DISC] = {"DISC", "`discrete`", WORD},
    [TOKEN_LET] = {"LET", "`let`", WORD},
    [TOKEN_INPUT] = {"INPUT", "`input`", WORD},
    [TOKEN_OUTPUT] = {"OUTPUT", "`output`", WORD},
    [TOKEN_INIT] = {"INIT", "`init`", WORD},
    [TOKEN_FUN] = {"FUN", "`fun`", WORD},
    [TOKEN_RETURN] = {"RETURN", "`return`", WORD},
    [TOKEN_FOR] = {"FOR", "`for`", WORD},
    [TOKEN_IN] = {"IN", "`in`", WORD},
    [TOKEN_WHERE] = {"WHERE", "`where`", CONTEXTUAL},
    [TOKEN_STEP] = {"STEP", "`step`", CONTEXTUAL},
    [TOKEN_IF] = {"IF", "`if`", WORD},
    [TOKEN_THEN] = {"THEN", "`then`", WORD},
    [TOKEN_ELSEIF] = {"ELSEIF", "`elseif`", WORD},
    [TOKEN_ELSE] = {"ELSE", "`else`", WORD},
    [TOKEN_END] = {"END", "`end`", WORD},
    [TOKEN_AND] = {"AND", "`and`", WORD},
    [TOKEN_OR] = {"OR", "`or`", WORD},
    [TOKEN_NOT] = {"NOT", "`not`", WORD},
    [TOKEN_TRUE] = {"TRUE", "`true`", WORD},
    [TOKEN_FALSE] = {"FALSE", "`false`", WORD},
    [TOKEN_WHEN] = {"WHEN", "`when`", WORD},
    [TOKEN_STOP] = {"STOP", "`stop`", CONTEXTUAL},
    [TOKEN_PRINT] = {"PRINT", "`print`", CONTEXTUAL},
    [TOKEN_REACTIONS] = {"REACTIONS", "`reactions`", WORD},
    [TOKEN_MODEL] = {"MODEL", "`model`", WORD},
    [TOKEN_PORT] = {"PORT", "`port`", CONTEXTUAL},
    [TOKEN_FLOW] = {"FLOW", "`flow`", CONTEXTUAL},
    [TOKEN_USE] = {"USE", "`use`", CONTEXTUAL},
    [TOKEN_CONNECT] = {"CONNECT", "`connect`", CONTEXTUAL},
    [TOKEN_IMPORT] = {"IMPORT", "`import`", CONTEXTUAL},
    [TOKEN_AS] = {"AS", "`as`", CONTEXTUAL},
    [TOKEN_SOLVE] = {"SOLVE", "`solve`", CONTEXTUAL},
    [TOKEN_PLOT] = {"PLOT", "`plot`", CONTEXTUAL},
    [TOKEN_OVER] = {"OVER", "`over`", CONTEXTUAL},
    [TOKEN_EXPECT] = {"EXPECT", "`expect`", CONTEXTUAL},
    [TOKEN_WITHIN] = {"WITHIN", "`within`", CONTEXTUAL},
    [TOKEN_AT] = {"AT", "`at`", CONTEXTUAL},
    [TOKEN_ALWAYS] = {"ALWAYS", "`always`", CONTEXTUAL},
    [TOKEN_FINAL] = {"FINAL", "`final`", CONTEXTUAL},
    [TOKEN_PRIME] = {"PRIME", "`'`", SIGN},
    [TOKEN_LP] = {"LP", "`(`", SIGN},
    [TOKEN_RP] = {"RP", "`)`", SIGN},
    [TOKEN_LB] = {"LB", "`[`", SIGN},
    [TOKEN_RB] = {"RB", "`]`", SIGN},
    [TOKEN_LC] = {"LC", "`{`", SIGN},
    [TOKEN_RC] = {"RC", "`}`", SIGN},
    [TOKEN_COMMA] = {"COMMA", "`,`", SIGN},
    [TOKEN_COLON] = {"COLON", "`:`", SIGN},
    [TOKEN_ASSIGN] = {"ASSIGN", "`:=`", SIGN},
    [TOKEN_DOT] = {"DOT", "`.`", SIGN},
    [TOKEN_DOTDOT] = {"DOTDOT", "`..`", SIGN},
    [TOKEN_EQ] = {"EQ", "`=`", SIGN},
    [TOKEN_EQEQ] = {"EQEQ", "`==`", SIGN},
    [TOKEN_NE] = {"NE", "`!=`", SIGN},
    [TOKEN_LT] = {"LT", "`<`", SIGN},
    [TOKEN_LE] = {"LE", "`<=`", SIGN},
    [TOKEN_GT] = {"GT", "`>`", SIGN},
    [TOKEN_GE] = {"GE", "`>=`", SIGN},
    [TOKEN_TILDE] = {"TILDE", "`~`", SIGN},
    [TOKEN_PLUS] = {"PLUS", "`+`", SIGN},
    [TOKEN_MINUS] = {"MINUS", "`-`", SIGN},
    [TOKEN_STAR] = {"STAR", "`*`", SIGN},
    [TOKEN_SLASH] = {"SLASH", "`/`", SIGN},
    [TOKEN_POW] = {"POW", "`^`", SIGN},
    [TOKEN_AT2] = {"AT2", "`@`", SIGN},
    [TOKEN_ARROW] = {"ARROW", "`->`", SIGN},
    [TOKEN_BIARROW] = {"BIARROW", "`<->`", SIGN},
    [TOKEN_FATARROW] = {"FATARROW", "`=>`", SIGN},
};

static bool is_known(unsigned kind)
{
    return kind < sizeof kinds / sizeof *kinds && kinds[kind].name;
}

const char *token_spelling(unsigned kind)
{
    return is_known(kind) ? kinds[kind].spelling : "";
}

const char *token_name(unsigned kind)
{
    if (kind == TOKEN_NEWLINE) return "NEWLINE";
    if (kind == TOKEN_COMMENT) return "COMMENT";
    return is_known(kind) ? kinds[kind].name : "";
}

bool token_is_word(unsigned kind)
{
    return is_known(kind) && kinds[kind].category != SIGN;
}

bool token_is_contextual(unsigned kind)
{
    return is_known(kind) && kinds[kind].category == CONTEXTUAL;
}

const char *token_text(const dae_source *source, token t, uint32_t *length)
{
    const char *begin = source->text + t.span.begin;
    const char *end = source->text + t.span.end;
    unsigned open = (unsigned char)*begin == 0xC2 ? 2
        : (unsigned char)*begin == 0xE2           ? 3
                                                  : 1;
    begin += open;
    if (end > begin && end[-1] == '"') end--;
    else if (end - begin >= 3 && memcmp(end - 3, "\xe2\x80", 2) == 0) end -= 3;
    else if (end - begin >= 2 && memcmp(end - 2, "\xc2\xbb", 2) == 0) end -= 2;
    *length = (uint32_t)(end - begin);
    return begin;
}
