/* Ticks at round numbers. Where all numbers of an axis are large or small they
 * share a power of ten, and where they differ by little they share what they
 * have in common: four digits at a tick are as many as a reader compares. */
#include "ticks.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

/* Beyond these the numbers share a power of ten. */
static const double LARGE = 1e5, SMALL = 1e-3;
/* Numbers that agree in more than this share what they agree in. */
static const double ALIKE = 1e4;

static void put_minus(char *text, size_t size, double value, int decimals)
{
    char digits[TICK_TEXT];
    (void)snprintf(digits, sizeof digits, "%.*f", decimals, fabs(value));
    const bool is_zero = strspn(digits, "0.") == strlen(digits);
    (void)snprintf(
        text, size, "%s%s", value < 0 && !is_zero ? "−" : "", digits);
}

char *ticks_power(int exponent, char text[TICK_TEXT])
{
    static const char *const raised[] = {
        "⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
    char digits[16];
    (void)snprintf(digits, sizeof digits, "%d", exponent);
    size_t n = (size_t)snprintf(text, TICK_TEXT, "10");
    for (const char *d = digits; *d && n < TICK_TEXT; d++)
        n += (size_t)snprintf(
            text + n, TICK_TEXT - n, "%s", *d == '-' ? "⁻" : raised[*d - '0']);
    return text;
}

/* The nearest of 1, 2 and 5 times a power of ten. */
static double round_step(double range, int wanted)
{
    const double raw = range / wanted, power = pow(10, floor(log10(raw)));
    const double steps[] = {1, 2, 5}, limits[] = {1.4, 3.2, 7.1};
    for (size_t k = 0; k < 3; k++)
        if (raw < limits[k] * power) return steps[k] * power;
    return 10 * power;
}

/* The least number of decimals that tells multiples of `step`. */
static int decimals_of(double step)
{
    const int n = (int)ceil(-log10(step) - 1e-9);
    return n < 0 ? 0 : n > 15 ? 15 : n;
}

static int thousands(double size)
{
    if (size < LARGE && size >= SMALL) return 0;
    return 3 * (int)floor(log10(size) / 3 + 1e-12);
}

/* What the numbers of an axis share. */
typedef struct common {
    double base;
    int power;
} common;

static common find_common(double low, double high)
{
    const double size = fmax(fabs(low), fabs(high));
    if (size < ALIKE * (high - low)) return (common){0, thousands(size)};
    /* the roundest number that is not far away */
    double unit = pow(10, ceil(log10(size))), base = 0;
    for (int k = 0; k < 20; k++, unit /= 10) {
        base = round((low + high) / 2 / unit) * unit;
        if (fabs(base - (low + high) / 2) <= 5 * (high - low)) break;
    }
    return (common){base, thousands(fmax(high - base, base - low))};
}

static void put_note(ticks *t, const common *c)
{
    char base[TICK_TEXT] = "", power[TICK_TEXT];
    const bool has_base = fabs(c->base) > 0;
    if (has_base)
        (void)snprintf(base, sizeof base, "%s%.15g", c->base < 0 ? "−" : "",
            fabs(c->base));
    (void)ticks_power(c->power, power);
    if (has_base && c->power)
        (void)snprintf(t->note, sizeof t->note, "%s + …×%s", base, power);
    else if (has_base) (void)snprintf(t->note, sizeof t->note, "%s + …", base);
    else if (c->power) (void)snprintf(t->note, sizeof t->note, "×%s", power);
}

void ticks_linear(ticks *t, double low, double high, int wanted)
{
    const double step = round_step(high - low, wanted);
    const common c = find_common(low, high);
    const double scale = pow(10, c.power);
    const int decimals = decimals_of(step / scale);
    const double slack = 1e-9 * step;
    const double first = ceil((low - c.base - slack) / step);
    t->count = 0;
    t->note[0] = '\0';
    put_note(t, &c);
    for (double k = first; t->count < TICKS_MOST; k++) {
        tick *at = &t->items[t->count];
        at->at = c.base + k * step;
        if (!(at->at <= high + slack)) break;
        put_minus(at->text, sizeof at->text, k * step / scale, decimals);
        t->count++;
    }
}

/* ---- logarithmic ---- */

static const double PART_OF_DECADE = 0.7;

typedef enum log_text { TEXT_NONE, TEXT_POWER, TEXT_PLAIN } log_text;

static void add_log(ticks *t, double at, double low, double high, log_text how)
{
    if (t->count == TICKS_MOST || at < low * (1 - 1e-9)
        || at > high * (1 + 1e-9))
        return;
    tick *new = &t->items[t->count++];
    new->at = at;
    new->text[0] = '\0';
    if (how == TEXT_NONE) return;
    if (how == TEXT_PLAIN) {
        (void)snprintf(new->text, sizeof new->text, "%.10g", at);
        return;
    }
    const int exponent = (int)floor(log10(at) + 1e-9);
    const double factor = at / pow(10, exponent);
    if (fabs(factor - 1) < 1e-6) (void)ticks_power(exponent, new->text);
    else {
        char power[TICK_TEXT];
        (void)snprintf(new->text, sizeof new->text, "%.0f×%.24s", factor,
            ticks_power(exponent, power));
    }
}

/* Within a part of a decade even steps read best, in a whole one they would crowd
 * at its end; within two, 1, 2 and 5 have texts where there is room, as they are
 * written where they are neither large nor small; where there
 * are many decades only those with a text have a tick. */
void ticks_log(ticks *t, double low, double high, int wanted)
{
    const int first = (int)floor(log10(low) + 1e-9);
    const int last = (int)ceil(log10(high) - 1e-9);
    const double decades = log10(high / low);
    const int every = (int)ceil(decades / wanted - 1e-9);
    const int stride = every < 1 ? 1 : every;
    const bool has_two = decades < 2 && 3 * decades <= wanted + 1;
    const bool is_plain = has_two && low >= SMALL / 2 && high < LARGE;
    const log_text text = is_plain ? TEXT_PLAIN : TEXT_POWER;
    if (decades < PART_OF_DECADE) {
        ticks_linear(t, low, high, wanted);
        return;
    }
    t->count = 0;
    t->note[0] = '\0';
    for (int e = first; e <= last; e++) {
        const bool is_named = e % stride == 0;
        if (!is_named && decades > 60) continue;
        add_log(t, pow(10, e), low, high, is_named ? text : TEXT_NONE);
        for (int k = 2; k <= 9 && decades <= 8; k++)
            add_log(t, k * pow(10, e), low, high,
                has_two && (k == 2 || k == 5) ? text : TEXT_NONE);
    }
}
