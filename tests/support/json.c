#include "json.h"
#include "check.h"
#include "syntax.h"

enum { DEPTH = 64 }; /* of nesting */

/* Everything lives in two blocks: the text, in which strings are ended and
 * unescaped in place, and the values, of which there are fewer than bytes. */
typedef struct document {
    json_value root; /* first: json_free casts back */
    char *text;
    json_value *values;
    size_t count, room;
    char *at;
} document;

static bool parse_value(document *d, json_value *v, int depth);

/* strspn; checked by sanitizers, that one reads all that follows each time. */
static size_t span(const char *text, const char *set)
{
    size_t length = 0;
    while (text[length] && strchr(set, text[length])) length++;
    return length;
}

static void pass_space(document *d)
{
    d->at += span(d->at, " \t\r\n");
}

/* The next character that means something, passed over if it is `c`. */
static bool take(document *d, char c)
{
    pass_space(d);
    if (*d->at != c) return false;
    d->at++;
    return true;
}

/* The character of \uXXXX as UTF-8; those in two halves are not needed. */
static bool unescape_code(document *d, char **to)
{
    char digits[5] = {0};
    if (span(d->at, "0123456789abcdefABCDEF") < 4) return false;
    memcpy(digits, d->at, 4);
    d->at += 4;
    const unsigned long code = strtoul(digits, NULL, 16);
    if (code >= 0xD800 && code < 0xE000) return false;
    if (code < 0x80) {
        *(*to)++ = (char)code;
    } else if (code < 0x800) {
        *(*to)++ = (char)(0xC0 | (code >> 6));
        *(*to)++ = (char)(0x80 | (code & 0x3F));
    } else {
        *(*to)++ = (char)(0xE0 | (code >> 12));
        *(*to)++ = (char)(0x80 | ((code >> 6) & 0x3F));
        *(*to)++ = (char)(0x80 | (code & 0x3F));
    }
    return true;
}

static bool unescape(document *d, char **to)
{
    static const char from[] = "\"\\/bfnrt", into[] = "\"\\/\b\f\n\r\t";
    const char c = *d->at++;
    const char *found = c ? strchr(from, c) : NULL;
    if (c == 'u') return unescape_code(d, to);
    if (!found) return false;
    *(*to)++ = into[found - from];
    return true;
}

/* NULL where there is none. */
static const char *parse_string(document *d)
{
    if (!take(d, '"')) return NULL;
    char *begin = d->at, *to = begin;
    while (*d->at != '"') {
        const char c = *d->at++;
        if (c == '\0') return NULL;
        if (c != '\\') *to++ = c;
        else if (!unescape(d, &to)) return NULL;
    }
    d->at++;
    *to = '\0';
    return begin;
}

static bool parse_items(document *d, json_value *v, char end, int depth)
{
    json_value **last = &v->first;
    if (take(d, end)) return true;
    do {
        if (d->count == d->room) return false;
        json_value *item = &d->values[d->count++];
        if (v->kind == JSON_OBJECT) {
            item->key = parse_string(d);
            if (!item->key || !take(d, ':')) return false;
        }
        if (!parse_value(d, item, depth + 1)) return false;
        *last = item;
        last = &item->next;
        v->count++;
    } while (take(d, ','));
    return take(d, end);
}

static bool parse_word(document *d, json_value *v)
{
    static const char *const words[] = {"null", "false", "true"};
    for (int k = 0; k < 3; k++) {
        const size_t length = strlen(words[k]);
        if (strncmp(d->at, words[k], length) != 0) continue;
        d->at += length;
        v->kind = (json_kind)k;
        return true;
    }
    /* a copy, for the same reason as `span` */
    char digits[100], *end;
    const size_t length = span(d->at, "+-.0123456789eE");
    if (length == 0 || length >= sizeof digits) return false;
    memcpy(digits, d->at, length);
    digits[length] = '\0';
    v->kind = JSON_NUMBER;
    v->number = strtod(digits, &end);
    d->at += length;
    return end == digits + length;
}

static bool parse_value(document *d, json_value *v, int depth)
{
    if (depth > DEPTH) return false;
    pass_space(d);
    if (*d->at == '"') {
        v->kind = JSON_TEXT;
        v->text = parse_string(d);
        return v->text != NULL;
    }
    if (take(d, '[')) {
        v->kind = JSON_ARRAY;
        return parse_items(d, v, ']', depth);
    }
    if (take(d, '{')) {
        v->kind = JSON_OBJECT;
        return parse_items(d, v, '}', depth);
    }
    return parse_word(d, v);
}

json_value *json_read(const char *path)
{
    document *d = calloc(1, sizeof *d);
    size_t length = 0;
    if (!d) return NULL;
    d->text = read_text(path, &length);
    for (size_t k = 0; d->text && k < length; k++)
        d->room += d->text[k] == ',' || d->text[k] == '[' || d->text[k] == '{';
    d->values = calloc(d->room + 1, sizeof *d->values);
    d->at = d->text;
    if (d->text && d->values && parse_value(d, &d->root, 0)) {
        pass_space(d);
        if (d->at == d->text + length) return &d->root;
    }
    json_free(&d->root);
    return NULL;
}

void json_free(json_value *root)
{
    document *d = (document *)root;
    if (!d) return;
    free(d->text);
    free(d->values);
    free(d);
}

const json_value *json_member(const json_value *v, const char *key)
{
    if (!v || v->kind != JSON_OBJECT) return NULL;
    for (const json_value *m = v->first; m; m = m->next)
        if (strcmp(m->key, key) == 0) return m;
    return NULL;
}

static const json_value *need(
    const json_value *v, const char *key, json_kind kind)
{
    const json_value *m = json_member(v, key);
    if (m && m->kind == kind) return m;
    print_error("\"%s\" is missing or of another kind\n", key);
    fail();
    return NULL;
}

const char *json_text(const json_value *v, const char *key)
{
    return need(v, key, JSON_TEXT)->text;
}

double json_number(const json_value *v, const char *key)
{
    return need(v, key, JSON_NUMBER)->number;
}

bool json_truth(const json_value *v, const char *key)
{
    const json_value *m = json_member(v, key);
    if (m && m->kind == JSON_TRUE) return true;
    return need(v, key, JSON_FALSE)->kind == JSON_TRUE;
}
