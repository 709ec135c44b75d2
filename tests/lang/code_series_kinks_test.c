/* Power series at kinks, jumps and edges of domains: which terms exist, and
 * what they are, by hand. */
#include "lang/series_support.h"

typedef struct edge {
    const char *what;
    node n;
    double a[8], b[8]; /* of s^0 ...; NaN ahead: constant, its value next */
    size_t terms;      /* that exist, of 8 */
    double out[8];
} edge;
#define FIXED(value)                                                           \
    {                                                                          \
        (double)NAN, (value)                                                   \
    }

static const edge edges[] = {
    {"|s|", {.op = NODE_ABS}, {0, 1}, {0}, 1, {0}},
    {"|-s^2|", {.op = NODE_ABS}, {0, 0, -1, 2}, {0}, 8, {0, 0, 1, -2}},
    {"|s^3|", {.op = NODE_ABS}, {0, 0, 0, 1}, {0}, 3, {0}},
    {"|-2+s|", {.op = NODE_ABS}, {-2, 1}, {0}, 8, {2, -1}},
    {"|0|", {.op = NODE_ABS}, FIXED(0), {0}, 8, {0}},
    {"sign s", {.op = NODE_SIGN}, {0, 1}, {0}, 0, {0}},
    {"sign s^2", {.op = NODE_SIGN}, {0, 0, 1}, {0}, 0, {0}},
    {"sign 3-s", {.op = NODE_SIGN}, {3, -1}, {0}, 8, {1}},
    {"floor 2+s", {.op = NODE_FLOOR}, {2, 1}, {0}, 0, {2}},
    {"floor 2+s^2", {.op = NODE_FLOOR}, {2, 0, 1}, {0}, 8, {2}},
    {"floor 2-s^2", {.op = NODE_FLOOR}, {2, 0, -1}, {0}, 0, {2}},
    {"ceil 2-s^2", {.op = NODE_CEIL}, {2, 0, -1}, {0}, 8, {2}},
    {"ceil 2.5+s", {.op = NODE_CEIL}, {2.5, 1}, {0}, 8, {3}},
    {"mod 4+s, 2", {.op = NODE_MOD}, {4, 1}, FIXED(2), 0, {0}},
    {"mod 5+s, 2", {.op = NODE_MOD}, {5, 1}, FIXED(2), 8, {1, 1}},
    {"mod 5, 2+s", {.op = NODE_MOD}, FIXED(5), {2, 1}, 8, {1, -2}},
    {"min s, 0", {.op = NODE_MIN}, {0, 1}, FIXED(0), 1, {0}},
    {"min 1+s, 1+2s", {.op = NODE_MIN}, {1, 1}, {1, 2}, 1, {1}},
    {"min 1+s, 1+s+s^2", {.op = NODE_MIN}, {1, 1}, {1, 1, 1}, 8, {1, 1}},
    {"max 1+s, 1+s+s^2", {.op = NODE_MAX}, {1, 1}, {1, 1, 1}, 8, {1, 1, 1}},
    {"max s, s+s^3", {.op = NODE_MAX}, {0, 1}, {0, 1, 0, 1}, 3, {0, 1}},
    {"max 2, 2", {.op = NODE_MAX}, FIXED(2), FIXED(2), 8, {2}},
    {"max 1, 2+s", {.op = NODE_MAX}, FIXED(1), {2, 1}, 8, {2, 1}},
    {"s < 0", {.op = NODE_LT}, {0, 1}, FIXED(0), 0, {0}},
    {"s^2 < 0", {.op = NODE_LT}, {0, 0, 1}, FIXED(0), 8, {0}},
    {"s^2 <= 0", {.op = NODE_LE}, {0, 0, 1}, FIXED(0), 0, {1}},
    {"-s^2 <= 0", {.op = NODE_LE}, {0, 0, -1}, FIXED(0), 8, {1}},
    {"s == 0", {.op = NODE_EQ}, {0, 1}, FIXED(0), 0, {1}},
    {"2 == 2", {.op = NODE_EQ}, FIXED(2), FIXED(2), 8, {1}},
    {"1+s != 0", {.op = NODE_NE}, {1, 1}, FIXED(0), 8, {1}},
    {"s and 0", {.op = NODE_AND}, {0, 1}, FIXED(0), 8, {0}},
    {"s and 1", {.op = NODE_AND}, {0, 1}, FIXED(1), 0, {0}},
    {"s or 1", {.op = NODE_OR}, {0, 1}, FIXED(1), 8, {1}},
    {"s or 0", {.op = NODE_OR}, {0, 1}, FIXED(0), 0, {0}},
    {"not s", {.op = NODE_NOT}, {0, 1}, {0}, 0, {1}},
    {"sqrt s", {.op = NODE_SQRT}, {0, 1}, {0}, 1, {0}},
    {"sqrt s^2", {.op = NODE_SQRT}, {0, 0, 1}, {0}, 1, {0}},
    {"sqrt s^3", {.op = NODE_SQRT}, {0, 0, 0, 1}, {0}, 2, {0}},
    /* s^2 sqrt(4 + s) = s^2 (2 + s/4 - s^2/64 + s^3/512): 8 - 4 terms */
    {"sqrt 4s^4+s^5", {.op = NODE_SQRT}, {0, 0, 0, 0, 4, 1}, {0}, 6,
        {0, 0, 2, 0.25, -1.0 / 64, 1.0 / 512}},
    {"sqrt 0", {.op = NODE_SQRT}, FIXED(0), {0}, 8, {0}},
    {"cbrt s", {.op = NODE_CBRT}, {0, 1}, {0}, 1, {0}},
    {"cbrt s^2", {.op = NODE_CBRT}, {0, 0, 1}, {0}, 1, {0}},
    {"cbrt s^5", {.op = NODE_CBRT}, {0, 0, 0, 0, 0, 1}, {0}, 2, {0}},
    /* -s cbrt(8 + s) = -s (2 + s/12 - s^2/288 + 5 s^3/20736 + ...) */
    {"cbrt -8s^3-s^4", {.op = NODE_CBRT}, {0, 0, 0, -8, -1}, {0}, 6,
        {0, -2, -1.0 / 12, 1.0 / 288, -5.0 / 20736, 5.0 / 248832}},
    {"s^2.5", {.op = NODE_POW}, {0, 1}, FIXED(2.5), 3, {0}},
    {"s^3", {.op = NODE_POW}, {0, 1}, FIXED(3), 8, {0, 0, 0, 1}},
    {"s^0", {.op = NODE_POW}, {0, 1}, FIXED(0), 8, {1}},
    {"(s-1)^2", {.op = NODE_POW}, {-1, 1}, FIXED(2), 8, {1, -2, 1}},
    {"(s^4)^0.5", {.op = NODE_POW}, {0, 0, 0, 0, 1}, FIXED(0.5), 6, {0, 0, 1}},
    {"s^(2+s)", {.op = NODE_POW}, {0, 1}, {2, 1}, 2, {0}},
    {"2^s", {.op = NODE_POW}, FIXED(1), {0, 1}, 8, {1}},
    {"s^2", {.op = NODE_POWI, .exponent = 2}, {0, 1}, {0}, 8, {0, 0, 1}},
    {"(1e-10+s)^3", {.op = NODE_POWI, .exponent = 3}, {1e-10, 1}, {0}, 8,
        {1e-30, 3e-20, 3e-10, 1}},
    {"asin 1-s", {.op = NODE_ASIN}, {1, -1}, {0}, 1, {1.5707963267948966}},
    {"acos 1-s^2", {.op = NODE_ACOS}, {1, 0, -1}, {0}, 1, {0}},
    {"acosh 1+s", {.op = NODE_ACOSH}, {1, 1}, {0}, 1, {0}},
    {"hypot s, 0", {.op = NODE_HYPOT}, {0, 1}, FIXED(0), 1, {0}},
    {"hypot 3s^2, 4s^2", {.op = NODE_HYPOT}, {0, 0, 3}, {0, 0, 4}, 8,
        {0, 0, 5}},
    {"hypot 0, 2+s", {.op = NODE_HYPOT}, FIXED(0), {2, 1}, 8, {2, 1}},
    {"atan2 s, s", {.op = NODE_ATAN2}, {0, 1}, {0, 1}, 0, {0}},
    {"atan2 s, -1", {.op = NODE_ATAN2}, {0, 1}, FIXED(-1), 0,
        {3.1415926535897932}},
    {"atan2 s^2, -1", {.op = NODE_ATAN2}, {0, 0, 1}, FIXED(-1), 8,
        {3.1415926535897932, 0, -1, 0, 0, 0, 1.0 / 3}},
    {"atan2 0, s-1", {.op = NODE_ATAN2}, FIXED(0), {-1, 1}, 8,
        {3.1415926535897932}},
};

static series read_edge(const workshop *w, const double *a)
{
    return isnan(a[0]) ? constant(w, a[1]) : varying(w, 8, a);
}

static void kinks_end_a_series(void **state)
{
    workshop w;
    (void)state;
    workshop_init(&w, 8);
    for (size_t i = 0; i < COUNT_OF(edges); i++) {
        const edge *e = &edges[i];
        series a = read_edge(&w, e->a), b = read_edge(&w, e->b);
        series got = apply(&w, &e->n, &a, &b, NULL);
        if (known(&w, &got) != e->terms)
            fail_msg("%s has %zu terms, not %zu", e->what, known(&w, &got),
                e->terms);
        for (size_t k = 0; k < 8; k++)
            if (k > 0 && k >= e->terms) assert_true(isnan(got.at[k]));
            else if (!(fabs(got.at[k] - e->out[k]) <= 2e-16 * fabs(e->out[k])))
                fail_msg("%s, term %zu: %.17g, not %.17g", e->what, k,
                    got.at[k], e->out[k]);
    }
}

/* A factor that vanishes lifts what is missing: max(0, s)^2 has two terms,
 * its square four; s*|s| has two, s*sign(s) one. */
static void zeros_lift_a_kink(void **state)
{
    workshop w;
    (void)state;
    workshop_init(&w, 8);
    series s = VARYING(&w, 0, 1), zero = constant(&w, 0);
    const node mul = {.op = NODE_MUL}, sign_node = {.op = NODE_SIGN};
    const node max = {.op = NODE_MAX}, magnitude = {.op = NODE_ABS};
    series ramp = apply(&w, &max, &zero, &s, NULL);
    series square = apply(&w, &mul, &ramp, &ramp, NULL);
    assert_int_equal(known(&w, &square), 2);
    series fourth = apply(&w, &mul, &square, &square, NULL);
    assert_int_equal(known(&w, &fourth), 4);
    series bend = apply(&w, &magnitude, &s, NULL, NULL);
    series both = apply(&w, &mul, &s, &bend, NULL);
    assert_int_equal(known(&w, &both), 2);
    series jump = apply(&w, &sign_node, &s, NULL, NULL);
    both = apply(&w, &mul, &jump, &s, NULL);
    assert_int_equal(known(&w, &both), 1);
    both = apply(&w, &mul, &zero, &jump, NULL); /* 0 times whatever is 0 */
    assert_true(series_is_constant(&w.room, both.at));
    /* a step beside its jump is a constant: floor(t) == 1 at 1.5 */
    const node floor_node = {.op = NODE_FLOOR}, equal = {.op = NODE_EQ};
    series t = VARYING(&w, 1.5, 1), one = constant(&w, 1);
    series step = apply(&w, &floor_node, &t, NULL, NULL);
    both = apply(&w, &equal, &step, &one, NULL);
    assert_int_equal(known(&w, &both), 8);
}

/* if c then a else b, where c switches: as many terms as a and b share; where
 * it does not, a branch without value does no harm. */
static void choices_keep_what_their_branches_share(void **state)
{
    workshop w;
    (void)state;
    workshop_init(&w, 8);
    const node less = {.op = NODE_LT}, choose = {.op = NODE_SELECT};
    const node root = {.op = NODE_SQRT};
    series s = VARYING(&w, 0, 1), zero = constant(&w, 0);
    series condition = apply(&w, &less, &s, &zero, NULL);
    series a = VARYING(&w, 1, 2, 3), b = VARYING(&w, 1, 2, 4);
    series r = apply(&w, &choose, &condition, &a, &b);
    assert_int_equal(known(&w, &r), 2);
    assert_true(r.at[0] == 1 && r.at[1] == 2);
    r = apply(&w, &choose, &condition, &a, &zero);
    assert_int_equal(known(&w, &r), 0);
    assert_true(r.at[0] == 0);
    series below = VARYING(&w, -1, 1);
    series nothing = apply(&w, &root, &below, NULL, NULL);
    condition = apply(&w, &less, &below, &zero, NULL);
    r = apply(&w, &choose, &condition, &a, &nothing);
    assert_int_equal(known(&w, &r), 8);
    assert_true(r.at[2] == 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kinks_end_a_series),
        cmocka_unit_test(zeros_lift_a_kink),
        cmocka_unit_test(choices_keep_what_their_branches_share),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
