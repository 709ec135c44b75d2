#include "write_json.h"
#include "number.h"
#include <math.h>
#include <string.h>

json json_on(FILE *file)
{
    return (json){.file = file};
}

static void begin_value(json *j)
{
    if (j->has_items && !j->after_key) (void)fputs(", ", j->file);
    j->has_items = true;
    j->after_key = false;
}

static void put_string(json *j, const char *text);

void json_key(json *j, const char *key)
{
    /* members of the outermost object stand on lines of their own */
    if (j->has_items) (void)fputs(j->depth == 1 ? ",\n " : ", ", j->file);
    put_string(j, key);
    (void)fputs(": ", j->file);
    j->has_items = true;
    j->after_key = true;
}

static void open_with(json *j, char bracket)
{
    begin_value(j);
    (void)fputc(bracket, j->file);
    j->depth++;
    j->has_items = false;
}

static void close_with(json *j, char bracket)
{
    (void)fputc(bracket, j->file);
    j->depth--;
    j->has_items = true;
    if (j->depth == 0) (void)fputc('\n', j->file);
}

void json_begin_object(json *j)
{
    open_with(j, '{');
}
void json_end_object(json *j)
{
    close_with(j, '}');
}
void json_begin_array(json *j)
{
    open_with(j, '[');
}
void json_end_array(json *j)
{
    close_with(j, ']');
}

void json_number(json *j, double value)
{
    char text[NUMBER_SIZE];
    begin_value(j);
    (void)fputs(isfinite(value) ? number_exact(value, text) : "null", j->file);
}

void json_integer(json *j, int64_t value)
{
    begin_value(j);
    (void)fprintf(j->file, "%lld", (long long)value);
}

void json_boolean(json *j, bool value)
{
    begin_value(j);
    (void)fputs(value ? "true" : "false", j->file);
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

static void put_string(json *j, const char *text)
{
    (void)fputc('"', j->file);
    for (const unsigned char *p = (const unsigned char *)text; *p;) {
        if (*p >= 0x80) {
            size_t n = utf8_length(p);
            if (n) (void)fwrite(p, 1, n, j->file);
            else (void)fputs("\xEF\xBF\xBD", j->file);
            p += n ? n : 1;
            continue;
        }
        if (*p == '"' || *p == '\\') (void)fprintf(j->file, "\\%c", *p);
        else if (*p < 0x20 || *p == 0x7F) (void)fprintf(j->file, "\\u%04x", *p);
        else (void)fputc(*p, j->file);
        p++;
    }
    (void)fputc('"', j->file);
}

void json_string(json *j, const char *text)
{
    begin_value(j);
    if (text) put_string(j, text);
    else (void)fputs("null", j->file);
}
