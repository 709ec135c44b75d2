/* The systems of random_dae.h in other units: the text is read line by line,
 * by what random_text.c writes. */
#include "random_rescale.h"
#include "random.h"
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Powers of 10, up to this one and its inverse. */
static const double DECADES = 6;

typedef struct rescaling {
    const random_dae *from;
    random_dae *out;
    random_state r;
    size_t length, size;
} rescaling;

static void say(rescaling *w, const char *text, size_t length)
{
    if (w->length + length >= w->size) return;
    memcpy(w->out->text + w->length, text, length);
    w->length += length;
    w->out->text[w->length] = '\0';
}

static void say_number(rescaling *w, const char *format, double value)
{
    char text[64];
    const int length = snprintf(text, sizeof text, format, value);
    if (length > 0) say(w, text, (size_t)length);
}

static double draw_size(rescaling *w)
{
    return pow(10, DECADES * random_unit(&w->r));
}

/* An unknown such as x3'' at `at`: its length, and its number; 0: there is
 * none. */
static size_t unknown_at(const char *begin, const char *at, int *number)
{
    size_t k = 1;
    if (*at != 'x' || !isdigit((unsigned char)at[1])) return 0;
    if (at > begin && isalnum((unsigned char)at[-1])) return 0;
    *number = atoi(at + 1) - 1;
    while (isdigit((unsigned char)at[k])) k++;
    while (at[k] == '\'') k++;
    return k;
}

/* Every unknown times its unit. */
static void say_in_units(rescaling *w, const char *from, const char *end)
{
    for (const char *at = from; at < end;) {
        int j;
        const size_t length = unknown_at(from, at, &j);
        if (length) {
            say_number(w, "(%.17g*", w->out->unit[j]);
            say(w, at, length);
            say(w, ")", 1);
        } else {
            say(w, at, 1);
        }
        at += length ? length : 1;
    }
}

static const char *find(const char *line, const char *end, char c)
{
    const char *at = memchr(line, c, (size_t)(end - line));
    return at ? at : end;
}

/* "x3' = 2", or a guess; false: it is none. */
static bool say_value(rescaling *w, const char *from, const char *end)
{
    int j;
    const size_t length = unknown_at(from, from, &j);
    const char *after = from + length;
    if (!length || (after < end && *after != ' ')) return false;
    say(w, from, length);
    if (after + 3 < end && (after[1] == '=' || after[1] == '~')) {
        say(w, after, 3);
        say_number(w, "%.17g", atof(after + 3) / w->out->unit[j]);
        return true;
    }
    return after == end;
}

static void say_equation(rescaling *w, const char *line, const char *end)
{
    const char *left = find(line, end, ':') + 2;
    const char *sign = strstr(left, " = ");
    const double by = draw_size(w);
    say(w, line, (size_t)(left - line));
    say_number(w, "%.17g*(", by);
    say_in_units(w, left, sign);
    say_number(w, ") = %.17g*(", by);
    say_in_units(w, sign + 3, end);
    say(w, ")", 1);
}

static bool begins(const char *line, const char *end, const char *word)
{
    const size_t length = strlen(word);
    return (size_t)(end - line) > length && memcmp(line, word, length) == 0;
}

static void say_line(rescaling *w, const char *line, const char *end)
{
    const bool is_init = begins(line, end, "init ");
    if (begins(line, end, "var ") || is_init) {
        const char *from = line + (is_init ? 5 : 4);
        say(w, line, (size_t)(from - line));
        const size_t mark = w->length;
        if (say_value(w, from, end)) return;
        w->length = mark;
        say_in_units(w, from, end);
    } else if (begins(line, end, "let ")) {
        say_in_units(w, line, end);
    } else if (*line == 'e' && isdigit((unsigned char)line[1])) {
        say_equation(w, line, end);
    } else {
        say(w, line, (size_t)(end - line));
    }
}

static void draw_units(rescaling *w)
{
    random_dae *out = w->out;
    for (int j = 0; j < RANDOM_UNKNOWNS; j++) {
        out->unit[j] = draw_size(w);
        for (int k = 0; k < RANDOM_ORDERS; k++)
            out->solution[j][k] = w->from->solution[j][k] / out->unit[j];
    }
}

bool random_dae_rescale(const random_dae *from, bool has_units, random_dae *out)
{
    rescaling w = {.from = from, .out = out};
    *out = *from;
    w.r.s = from->number + UINT64_C(0x9e3779b97f4a7c15);
    w.size = 40 * strlen(from->text) + 1;
    out->text = malloc(w.size);
    if (!out->text) return false;
    out->text[0] = '\0';
    if (has_units) draw_units(&w);
    for (const char *line = from->text; *line;) {
        const char *end = find(line, line + strlen(line), '\n');
        say_line(&w, line, end);
        say(&w, "\n", 1);
        line = *end ? end + 1 : end;
    }
    return true;
}
