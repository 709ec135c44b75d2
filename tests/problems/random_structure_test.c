/* Ten thousand small systems with a known index, known degrees of freedom and a
 * start that is known to be consistent or not, judged by dae_analyse.
 *
 *   problems_random_structure_test           the first thousand, of which a
 *                                            sanitized build does 500
 *   problems_random_structure_test all       all, for tools/check
 *   problems_random_structure_test NUMBER    one, with its text
 *   problems_random_structure_test FIRST END those from FIRST to END - 1 that
 *                                            are not judged right or not certain
 */
#include "check.h"
#include "random_judge.h"
#include "share.h"
#include <limits.h>

typedef struct totals {
    int cases, proved, exact, made;
    int structure[3], start[3];
    int unnamed;
    int shown;
    judgement worth_showing; /* and what is worse */
} totals;

/* Not by cmocka, which cuts what is long. */
static void show(const random_dae *d, const random_verdict *v)
{
    printf("%s---- %s; index %d, dof %d, start %d, missing %d\n", d->text,
        v->why[0] ? v->why : "right", d->index, d->degrees_of_freedom,
        (int)d->start, d->missing);
}

static void run(uint64_t first, uint64_t end, int most_shown, totals *sum)
{
    for (uint64_t k = first; k < end; k++) {
        random_dae d;
        random_verdict v;
        sum->cases++;
        if (!random_dae_make(k, &d)) continue;
        sum->made++;
        sum->exact += d.is_exact;
        sum->proved += d.is_proved;
        random_judge(&d, &v);
        sum->structure[v.structure]++;
        sum->unnamed += v.is_unnamed;
        sum->start[v.start]++;
        judgement worst = v.structure > v.start ? v.structure : v.start;
        if (worst >= sum->worth_showing && sum->shown++ < most_shown)
            show(&d, &v);
        random_dae_clear(&d);
    }
    print_message(
        "%d systems: index and degrees of freedom: %d right, %d not "
        "certified, %d wrong; start: %d right, %d unsolved, %d wrong\n",
        sum->made, sum->structure[RIGHT], sum->structure[UNCERTAIN],
        sum->structure[WRONG], sum->start[RIGHT], sum->start[UNCERTAIN],
        sum->start[WRONG]);
}

static uint64_t case_count = 1000;

static void test_random_systems_are_judged_right(void **state)
{
    totals sum = {.worth_showing = WRONG};
    (void)state;
    run(0, test_shared(case_count, 300), 10, &sum);
    assert_int_equal(sum.made, sum.cases);
    /* what is known is proved by other means */
    assert_int_equal(sum.proved, sum.exact);
    assert_int_equal(sum.structure[WRONG], 0);
    assert_int_equal(sum.start[WRONG], 0);
    assert_true(20 * sum.structure[UNCERTAIN] <= sum.made);
    assert_int_equal(sum.unnamed, 0);
    assert_true(20 * sum.start[UNCERTAIN] <= sum.made);
}

/* Systems in which values out of proportion seemed to solve what they did not. */
static void test_what_was_judged_wrong_is_not_any_more(void **state)
{
    static const uint64_t cases[] = {6730, 7662, 8754, 9727, 11798, 40988,
        54798, 900385, 4233, 2002203, 2003069, 8259, 15567, 16263, 18663, 51567,
        54099, 13533, 2002410, 53187, 900889, 4803, 2004714, 5561, 7941, 16744,
        22939, 2005058, 2005485, 2005685, 2008874, 2010828, 2012337, 2014388,
        2014661};
    totals sum = {.worth_showing = WRONG};
    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
        run(cases[k], cases[k] + 1, 10, &sum);
    assert_int_equal(sum.structure[WRONG] + sum.start[WRONG], 0);
}

/* The number of a case determines its text. */
static void test_a_number_gives_one_text(void **state)
{
    (void)state;
    for (uint64_t k = 0; k < 40; k++) {
        random_dae one, other;
        assert_true(random_dae_make(k, &one));
        assert_true(random_dae_make(k, &other));
        assert_string_equal(one.text, other.text);
        random_dae_clear(&one);
        random_dae_clear(&other);
    }
}

static int show_one(uint64_t k)
{
    random_dae d;
    random_verdict v;
    if (!random_dae_make(k, &d)) return 1;
    random_judge(&d, &v);
    show(&d, &v);
    random_dae_clear(&d);
    return v.structure == WRONG || v.start == WRONG;
}

int main(int argc, char **argv)
{
    if (argc > 2) {
        totals sum = {.worth_showing = UNCERTAIN};
        run(strtoull(argv[1], NULL, 10), strtoull(argv[2], NULL, 10), INT_MAX,
            &sum);
        return 0;
    }
    if (argc > 1 && strcmp(argv[1], "all") == 0) case_count = 10000;
    else if (argc > 1) return show_one(strtoull(argv[1], NULL, 10));
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_was_judged_wrong_is_not_any_more),
        cmocka_unit_test(test_a_number_gives_one_text),
        cmocka_unit_test(test_random_systems_are_judged_right),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
