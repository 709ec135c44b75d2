/* search.c on polynomials whose roots are known: all that pass, none that touch,
 * in order, as exact as they can be. */
#include "events_ride.h"

enum { DEGREE_MOST = 7 };

/* scale times the product of (t - root). */
typedef struct product {
    int degree;
    double scale, root[DEGREE_MOST];
} product;

static dae_status product_value(void *self, double t, double *g)
{
    const product *p = self;
    *g = p->scale;
    for (int i = 0; i < p->degree; i++) *g *= t - p->root[i];
    return DAE_OK;
}

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Times are told apart so far; a product is exact near its roots. */
static double root_error(double from, double to)
{
    return 8 * DBL_EPSILON * fmax(fabs(from), fabs(to));
}

/* Of roots closer to each other g is no more than its rounding elsewhere: those
 * tests put together on purpose. */
static bool are_apart(product *p, double distance)
{
    qsort(p->root, (size_t)p->degree, sizeof *p->root, compare);
    for (int i = 1; i < p->degree; i++) {
        const double gap = p->root[i] - p->root[i - 1];
        if (gap > 0 && gap < distance) return false;
    }
    return true;
}

static const dae_switch below = {DAE_SWITCH_BELOW, DAE_DOMAIN_POINT, 0, 0, 0};

/* Rides over [from, to] and expects the roots of odd multiplicity inside, in the
 * order of the run. */
static void check_product(product *p, double from, double to, uint64_t seed)
{
    ride r;
    qsort(p->root, (size_t)p->degree, sizeof *p->root, compare);
    ride_begin(&r, 1, &below, product_value, p);
    ride_hold(&r, from);
    assert_true(ride_step(&r, from, to));
    size_t next = 0;
    bool is_right = true;
    for (int k = 0; k < p->degree && is_right;) {
        const int i = to > from ? k : p->degree - 1 - k,
                  way = to > from ? 1 : -1;
        int many = 1;
        while (k + many < p->degree
            && !(fabs(p->root[i + way * many] - p->root[i]) > 0))
            many++;
        k += many;
        if (many % 2 == 0 || (p->root[i] - from) * (to - p->root[i]) <= 0)
            continue;
        is_right = next < r.event_count
            && fabs(r.events[next].t - p->root[i]) <= root_error(from, to);
        next++;
    }
    is_right = is_right && next == r.event_count;
    if (!is_right) {
        print_error("seed %llu: [%.17g, %.17g], roots",
            (unsigned long long)seed, from, to);
        for (int i = 0; i < p->degree; i++) print_error(" %.17g", p->root[i]);
        print_error("\nfound");
        for (size_t i = 0; i < r.event_count; i++)
            print_error(" %.17g", r.events[i].t);
        print_error("\n");
        fail();
    }
    ride_end(&r);
}

static void random_polynomials(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 100000; seed++) {
        uint64_t s = seed * 1000;
        const double start = 20 * ride_unit(&s) - 10;
        const double h = pow(10, -3 + 4 * ride_unit(&s));
        const bool is_back = ride_below(&s, 2);
        product p = {1 + ride_below(&s, 6), ride_unit(&s) - 0.5, {0}};
        for (int i = 0; i < p.degree; i++)
            p.root[i] = start + h * (2 * ride_unit(&s) - 0.5);
        if (!are_apart(&p, 1e-3 * h)) continue;
        if (is_back) check_product(&p, start + h, start, seed);
        else check_product(&p, start, start + h, seed);
    }
}

static void a_root_of_even_multiplicity_is_a_touch(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 20000; seed++) {
        uint64_t s = seed * 1000 + 500;
        const double start = 2 * ride_unit(&s) - 1, h = 0.01 + ride_unit(&s);
        const double twice = start + h * ride_unit(&s);
        product p = {2, ride_unit(&s) - 0.5, {twice, twice}};
        const int more = ride_below(&s, 4);
        for (int i = 0; i < more; i++)
            p.root[p.degree++] = start + h * (3 * ride_unit(&s) - 1);
        if (are_apart(&p, 1e-3 * h)) check_product(&p, start, start + h, seed);
    }
}

static void a_triple_root_passes_once(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 2000; seed++) {
        uint64_t s = seed * 1000 + 600;
        const double start = ride_unit(&s), h = 0.01 + ride_unit(&s);
        const double root = start + h * (0.01 + 0.98 * ride_unit(&s));
        product p = {3, ride_unit(&s) + 0.1, {root, root, root}};
        ride r;
        ride_begin(&r, 1, &below, product_value, &p);
        ride_hold(&r, start);
        assert_true(ride_step(&r, start, start + h));
        assert_int_equal(r.event_count, 1);
        /* g is below its rounding over the step until there */
        CHECK_NEAR(r.events[0].t, root, 1e-4 * h);
        ride_end(&r);
    }
}

static void pairs_close_to_each_other_are_two(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 20000; seed++) {
        uint64_t s = seed * 1000 + 700;
        const double start = 4 * ride_unit(&s) - 2;
        const double h = pow(10, -3 + 3 * ride_unit(&s));
        const double root = start + h * ride_unit(&s);
        product p = {2, ride_unit(&s) - 0.5, {root, root + 1e-6}};
        const int more = ride_below(&s, 4);
        for (int i = 0; i < more; i++)
            p.root[p.degree++] = start + h * (1.1 + 3 * ride_unit(&s));
        if (ride_below(&s, 2)) check_product(&p, start, start + h, seed);
        else check_product(&p, start + h, start, seed);
    }
}

static void roots_at_the_ends(void **state)
{
    (void)state;
    /* at the start: it goes to its new side, or comes from it */
    product p = {1, 1, {2}};
    ride r;
    ride_begin(&r, 1, &below, product_value, &p);
    r.held[0] = 1; /* g < 0 before */
    assert_true(ride_step(&r, 2, 3));
    assert_int_equal(r.event_count, 1);
    CHECK_NEAR(r.events[0].t, 2, 1e-15);
    r.event_count = 0;
    search_forget(r.search);
    assert_true(ride_step(&r, 2, 3)); /* held at its side: nothing */
    assert_int_equal(r.event_count, 0);
    /* at the end */
    r.held[0] = 1;
    search_forget(r.search);
    assert_true(ride_step(&r, 1, 2));
    assert_int_equal(r.event_count, 1);
    CHECK_NEAR(r.events[0].t, 2, 1e-15);
    r.event_count = 0;
    assert_true(ride_step(&r, 2, 3)); /* and not again */
    assert_int_equal(r.event_count, 0);
    ride_end(&r);
}

static void a_touch_at_an_end_is_nothing(void **state)
{
    (void)state;
    for (int way = 0; way < 4; way++) {
        product p = {2, way & 1 ? 3 : -3, {2, 2}};
        ride r;
        ride_begin(&r, 1, &below, product_value, &p);
        ride_hold(&r, 1);
        assert_true(way & 2 ? ride_step(&r, 1, 2) : ride_step(&r, 2, 3));
        if (way & 2) assert_true(ride_step(&r, 2, 4));
        assert_int_equal(r.event_count, 0);
        ride_end(&r);
    }
}

static void touch_lift_and_touch_within_a_step(void **state)
{
    (void)state;
    product p = {3, -1, {0.3, 0.300001, 0.8}};
    check_product(&p, 0, 1, 0);
    product q = {3, -1, {0.3, 0.5, 0.8}};
    check_product(&q, 1, 0, 0);
    product at_start = {3, -1, {0, 1e-6, 0.8}};
    ride r;
    ride_begin(&r, 1, &below, product_value, &at_start);
    r.held[0] = 0; /* comes from above */
    assert_true(ride_step(&r, 0, 1));
    assert_int_equal(r.event_count, 3);
    CHECK_NEAR(r.events[0].t, 0, 1e-15);
    CHECK_NEAR(r.events[1].t, 1e-6, 1e-15);
    CHECK_NEAR(r.events[2].t, 0.8, 1e-15);
    ride_end(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_polynomials),
        cmocka_unit_test(a_root_of_even_multiplicity_is_a_touch),
        cmocka_unit_test(a_triple_root_passes_once),
        cmocka_unit_test(pairs_close_to_each_other_are_two),
        cmocka_unit_test(roots_at_the_ends),
        cmocka_unit_test(a_touch_at_an_end_is_nothing),
        cmocka_unit_test(touch_lift_and_touch_within_a_step),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
