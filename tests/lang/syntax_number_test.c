/* Numbers of a text are the doubles nearest to them: against the C library's
 * reading, bit for bit, for numbers of every length and size. */
#include "base/number.h"
#include "check.h"
#include "random.h"

static void check_number(const char *text)
{
    double value = number_value(text, strlen(text));
    double expected = strtod(text, NULL);
    if (memcmp(&value, &expected, sizeof value) == 0) return;
    fail_msg("%s is read as %.17g, not %.17g", text, value, expected);
}

/* Digits without a zero in front, a point anywhere, an exponent. */
static void make_number(random_state *r, char *text, size_t digits)
{
    size_t at = 0, point = random_below(r, digits + 1);
    for (size_t k = 0; k < digits; k++) {
        if (k == point && k > 0) text[at++] = '.';
        size_t digit = k ? random_below(r, 10) : 1 + random_below(r, 9);
        text[at++] = "0123456789"[digit];
    }
    int exponent = (int)random_below(r, 60) - 30;
    if (random_below(r, 8) == 0) exponent = (int)random_below(r, 640) - 330;
    if (random_below(r, 3) == 0) exponent = 0;
    text[at] = '\0';
    if (exponent) (void)snprintf(text + at, 8, "e%d", exponent);
}

static void random_numbers(void **state)
{
    (void)state;
    random_state r = {20};
    char text[64];
    for (size_t digits = 1; digits <= 30; digits++) {
        for (int k = 0; k < 2000; k++) {
            make_number(&r, text, digits);
            check_number(text);
        }
    }
}

/* Fractions of few digits are one division, which rounds once. */
static void short_fractions(void **state)
{
    (void)state;
    char text[32];
    for (int places = 1; places <= 4; places++) {
        for (int k = 0; k < 10000; k++) {
            (void)snprintf(text, sizeof text, "%.*f", places, k * 1e-4);
            check_number(text);
        }
    }
}

/* Integers around 2^53, the first that is no double, at several powers of
 * ten. */
static void the_largest_exact_integers(void **state)
{
    (void)state;
    char text[48];
    for (int64_t k = -40; k <= 40; k++) {
        for (int exponent = -25; exponent <= 25; exponent++) {
            (void)snprintf(text, sizeof text, "%llde%d",
                (long long)((INT64_C(1) << 53) + k), exponent);
            check_number(text);
            (void)snprintf(text, sizeof text, "%llde%d",
                (long long)((INT64_C(1) << 54) + k), exponent);
            check_number(text);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_numbers),
        cmocka_unit_test(short_fractions),
        cmocka_unit_test(the_largest_exact_integers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
