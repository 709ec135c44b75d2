#include "write_json.h"
#include "console.h"
#include "number.h"
#include <math.h>
#include <string.h>

json json_on(FILE *file)
{
    return json_to(console_write, file);
}

json json_to(dae_write_fn *write, void *context)
{
    return (json){.write = write, .context = context};
}

static void put_bytes(json *j, const void *bytes, size_t length)
{
    if (j->write(j->context, bytes, length)) return; /* which keeps it */
}

static void put(json *j, const char *text)
{
    put_bytes(j, text, strlen(text));
}

static void put_string(json *j, const char *text);

/* Members of the outermost object stand on lines of their own. */
static void begin_value(json *j, const char *key)
{
    if (j->has_items) put(j, key && j->depth == 1 ? ",\n " : ", ");
    if (key) put_string(j, key), put(j, ": ");
    j->has_items = true;
}

static void open_with(json *j, const char *key, char bracket)
{
    begin_value(j, key);
    put_bytes(j, &bracket, 1);
    j->depth++;
    j->has_items = false;
}

static void close_with(json *j, char bracket)
{
    put_bytes(j, &bracket, 1);
    j->depth--;
    j->has_items = true;
    if (j->depth == 0) put(j, "\n");
}

void json_begin_object(json *j, const char *key)
{
    open_with(j, key, '{');
}
void json_end_object(json *j)
{
    close_with(j, '}');
}
void json_begin_array(json *j, const char *key)
{
    open_with(j, key, '[');
}
void json_end_array(json *j)
{
    close_with(j, ']');
}

void json_number(json *j, const char *key, double value)
{
    char text[NUMBER_SIZE];
    begin_value(j, key);
    put(j, isfinite(value) ? number_exact(value, text) : "null");
}

void json_integer(json *j, const char *key, int64_t value)
{
    char text[32];
    (void)snprintf(text, sizeof text, "%lld", (long long)value);
    begin_value(j, key);
    put(j, text);
}

void json_count(json *j, const char *key, int64_t value)
{
    if (value >= 0) json_integer(j, key, value);
    else json_string(j, key, NULL);
}

void json_boolean(json *j, const char *key, bool value)
{
    begin_value(j, key);
    put(j, value ? "true" : "false");
}

/* The length of the UTF-8 sequence at p, 0 where there is none. */
static size_t utf8_length(const unsigned char *p)
{
    size_t n = p[0] < 0xC2 ? 0 : p[0] < 0xE0 ? 2 : p[0] < 0xF0 ? 3 : 4;
    if (n == 0 || p[0] > 0xF4) return 0;
    for (size_t i = 1; i < n; i++)
        if ((p[i] & 0xC0) != 0x80) return 0;
    if (p[0] == 0xE0 && p[1] < 0xA0) return 0;
    if (p[0] == 0xED && p[1] > 0x9F) return 0; /* surrogates */
    if (p[0] == 0xF0 && p[1] < 0x90) return 0;
    return p[0] == 0xF4 && p[1] > 0x8F ? 0 : n;
}

static void put_escaped(json *j, unsigned c)
{
    char text[16];
    const bool has_sign = c == '"' || c == '\\';
    (void)snprintf(text, sizeof text, has_sign ? "\\%c" : "\\u%04x", c);
    put(j, text);
}

/* C1 in UTF-8, which some terminals obey. */
static bool is_control(const unsigned char *p)
{
    return p[0] == 0xC2 && p[1] < 0xA0;
}

static bool is_plain(unsigned char c)
{
    return c >= 0x20 && c < 0x7F && c != '"' && c != '\\';
}

static void put_string(json *j, const char *text)
{
    put(j, "\"");
    for (const char *p = text; *p;) {
        size_t n = 0;
        while (is_plain((unsigned char)p[n])) n++;
        if (n) {
            put_bytes(j, p, n);
        } else if ((unsigned char)*p >= 0x80) {
            n = utf8_length((const unsigned char *)p);
            if (n && is_control((const unsigned char *)p))
                put_escaped(j, (unsigned char)p[1]);
            else if (n) put_bytes(j, p, n);
            else put(j, "\xEF\xBF\xBD");
        } else {
            put_escaped(j, (unsigned char)*p);
        }
        p += n ? n : 1;
    }
    put(j, "\"");
}

void json_string(json *j, const char *key, const char *text)
{
    begin_value(j, key);
    if (text) put_string(j, text);
    else put(j, "null");
}
