/* Differentiation index and degrees of freedom by the ranks of the derivative
 * array: what the corpus knows, and starts, branches and dependencies. */
#include "index/derivative_array.h"
#include "index/free_levels.h"
#include "lang/sema_support.h"
#include "support/corpus.h"

typedef struct model {
    dae_diagnostics *ds;
    dae_model *model;
    array_request q;
    array_findings f;
} model;

static void open_array(
    model *m, const char *text, const dae_override *set, size_t count)
{
    *m = (model){0};
    const dae_model_options options = {
        .overrides = set, .override_count = count};
    CHECK_STATUS(dae_diagnostics_create(NULL, &m->ds), DAE_OK);
    CHECK_STATUS(dae_model_parse("array.dae", text, strlen(text), &options,
                     NULL, m->ds, &m->model),
        DAE_OK);
    m->q = (array_request){
        .problem = dae_model_problem(m->model), .is_generic = 1};
}

static void close_array(model *m)
{
    array_findings_clear(&m->f, NULL);
    dae_model_free(m->model);
    dae_diagnostics_free(m->ds);
}

static void examine(model *m)
{
    array_findings_clear(&m->f, NULL);
    CHECK_STATUS(array_examine(&m->q, &m->f), DAE_OK);
}

static void check_found(
    const model *m, const char *what, int64_t index, int64_t freedom)
{
    if (m->f.outcome == ARRAY_FOUND && m->f.index == index
        && m->f.degrees_of_freedom == freedom)
        return;
    print_error("%s: outcome %d, index %d and %d degrees of freedom, "
                "expected %d and %d\n",
        what, (int)m->f.outcome, (int)m->f.index, (int)m->f.degrees_of_freedom,
        (int)index, (int)freedom);
    fail();
}

/* Names with a space between them; of equations with their primes. */
static void name_loose(const model *m, char *text, size_t size)
{
    size_t at = 0;
    text[0] = '\0';
    for (size_t k = 0; k < m->f.loose_count; k++) {
        assert_int_equal(m->f.loose[k].order, 0);
        if (k > 0) text[at++] = ' ';
        at += m->q.problem->name(m->q.problem->self, DAE_NAME_UNKNOWN,
            (size_t)m->f.loose[k].unknown, text + at, size - at);
        assert_true(at + 2 < size);
    }
}

static void name_dependent(const model *m, char *text, size_t size)
{
    size_t at = 0;
    text[0] = '\0';
    for (size_t k = 0; k < m->f.dependent_count; k++) {
        const dae_party *p = &m->f.dependent[k];
        assert_int_equal(p->kind, DAE_PARTY_EQUATION);
        if (k > 0) text[at++] = ' ';
        at += m->q.problem->name(m->q.problem->self, DAE_NAME_EQUATION,
            (size_t)p->index, text + at, size - at);
        for (int32_t o = 0; o < p->order; o++) text[at++] = '\'';
        text[at] = '\0';
        assert_true(at + 8 < size);
    }
}

static void check_no_index(const model *m, dae_index_verdict verdict,
    const char *loose, const char *dependent, int is_compatible)
{
    char text[200];
    assert_int_equal(m->f.outcome, ARRAY_NO_INDEX);
    assert_int_equal(m->f.index, -1);
    name_loose(m, text, sizeof text);
    assert_string_equal(text, loose);
    name_dependent(m, text, sizeof text);
    assert_string_equal(text, dependent);
    assert_int_equal(m->f.verdict, verdict);
    assert_int_equal(m->f.is_compatible, is_compatible);
}

/* ---- the corpus -------------------------------------------------------------- */

/* With the parameters that the corpus' own check was made with. */
static void open_entry(model *m, const json_value *entry, corpus_start start)
{
    enum { MOST = 32 };
    dae_override set[MOST];
    char value[MOST][40];
    size_t count = 0;
    const json_value *scaled = json_member(
        entry, "index_checked_with_parameters");
    for (const json_value *v = scaled ? scaled->first : NULL; v; v = v->next) {
        assert_true(count < MOST);
        (void)snprintf(value[count], sizeof value[count], "%.17g", v->number);
        set[count] = (dae_override){v->key, value[count]};
        count++;
    }
    char *text = corpus_text(entry, start);
    assert_non_null(text);
    open_array(m, text, set, count);
    free(text);
}

static bool has_index(const json_value *entry)
{
    return json_member(entry, "differentiation_index")->kind == JSON_NUMBER;
}

static size_t check_corpus(bool is_consistent, bool is_generic)
{
    json_value *corpus = corpus_read();
    size_t count = 0;
    assert_non_null(corpus);
    for (const json_value *e = json_member(corpus, "entries")->first; e;
         e = e->next) {
        model m;
        if (!has_index(e)) continue;
        /* its point is one of the physical parameters */
        if (is_consistent && json_member(e, "index_checked_with_parameters"))
            continue;
        open_entry(&m, e, CORPUS_GUESSES);
        m.q.is_consistent = is_consistent;
        m.q.is_generic = is_generic;
        examine(&m);
        check_found(&m, json_text(e, "name"),
            (int64_t)json_number(e, "differentiation_index"),
            (int64_t)json_number(e, "degrees_of_freedom"));
        close_array(&m);
        count++;
    }
    json_free(corpus);
    return count;
}

static void generic_points_give_the_corpus_index_and_freedom(void **state)
{
    (void)state;
    assert_int_equal(check_corpus(false, true), 51);
}

static void consistent_points_give_the_corpus_index_and_freedom(void **state)
{
    (void)state;
    assert_int_equal(check_corpus(true, false), 50);
}

static void check_entry_without(const char *name, dae_index_verdict verdict,
    const char *loose, const char *dependent)
{
    json_value *corpus = corpus_read();
    model m;
    open_entry(&m, corpus_entry(corpus, name), CORPUS_GUESSES);
    examine(&m);
    check_no_index(&m, verdict, loose, dependent, 1);
    m.q.is_generic = 0;
    m.q.is_consistent = 1;
    examine(&m);
    check_no_index(&m, verdict, loose, dependent, 1);
    close_array(&m);
    json_free(corpus);
}

static void the_four_without_an_index_get_their_verdict(void **state)
{
    (void)state;
    check_entry_without(
        "pendulum_redundant", DAE_INDEX_REDUNDANT, "l1 l2", "f3 f4");
    check_entry_without("diff_redundant", DAE_INDEX_REDUNDANT, "x y", "f1 f2'");
    check_entry_without(
        "floating_circuit", DAE_INDEX_FLOATING, "e1 e2", "f1 f2");
    check_entry_without(
        "bcp_singular_ltv", DAE_INDEX_NOT_UNIQUE, "x1 x2", "f1' f2'");
}

static void physical_units_are_never_judged_wrong(void **state)
{
    json_value *corpus = corpus_read();
    const json_value *e = corpus_entry(corpus, "ring_modulator_cs0");
    (void)state;
    for (int is_generic = 0; is_generic < 2; is_generic++) {
        model m;
        char *text = corpus_text(e, CORPUS_GUESSES);
        open_array(&m, text, NULL, 0);
        m.q.is_consistent = 1;
        m.q.is_generic = is_generic;
        examine(&m);
        if (m.f.outcome == ARRAY_FOUND) check_found(&m, "physical", 2, 10);
        assert_int_not_equal(m.f.outcome, ARRAY_NO_INDEX);
        free(text);
        close_array(&m);
    }
    json_free(corpus);
}

/* ---- branches and special starts ----------------------------------------------- */

static void the_index_is_that_of_the_branch(void **state)
{
    /* 0 = x2*(1 - x2): x2 = 0 gives index 1, x2 = 1 index 2 */
    static const char text[] = "var x1 = 0.5, x2 ~ 1, x3 ~ 1\n"
                               "init x1' ~ 1\n"
                               "x1' = x3\n"
                               "0 = x2*(1 - x2)\n"
                               "0 = x1*x2 + x3*(1 - x2) - t\n"
                               "solve t in 0.5..1\n";
    const double lower[] = {1, 0, 0.5}, lower_rate[] = {0.5, 0, 0};
    model m;
    (void)state;
    open_array(&m, text, NULL, 0);
    m.q.is_consistent = 1;
    m.q.is_generic = 0;
    examine(&m);
    check_found(&m, "upper branch", 2, 0);
    m.q.is_generic = 1;
    examine(&m);
    check_found(&m, "near the upper branch", 2, 0);
    m.q.t = 0.5;
    m.q.x = lower;
    m.q.xp = lower_rate;
    examine(&m);
    check_found(&m, "near the lower branch", 1, 1);
    m.q.is_generic = 0;
    examine(&m);
    check_found(&m, "lower branch", 1, 1);
    close_array(&m);
}

static void a_point_at_rest_is_not_special(void **state)
{
    static const char text[] = "var x = 0, y ~ 1, l ~ 4.905\n"
                               "init x' = 0\ninit y' ~ 0\n"
                               "x'' = -2*l*x\ny'' = 9.81 - 2*l*y\n"
                               "x^2 + y^2 = 1\nsolve t in 0..1\n";
    model m;
    (void)state;
    open_array(&m, text, NULL, 0);
    m.q.is_consistent = 1;
    examine(&m);
    check_found(&m, "near the bottom", 3, 2);
    m.q.is_generic = 0;
    examine(&m);
    check_found(&m, "at the bottom", 3, 2);
    close_array(&m);
}

/* x'^2 + x^2 = 1 at x = 1: x' = 0 is a double root there. */
static void a_turning_point_is_left_for_a_generic_one(void **state)
{
    model m;
    (void)state;
    open_array(&m, "var x = 1\ninit x' ~ 0\nx'^2 + x^2 = 1\nsolve t in 0..1\n",
        NULL, 0);
    examine(&m);
    check_found(&m, "beside the turning point", 0, 1);
    m.q.is_consistent = 1;
    m.q.is_generic = 0;
    examine(&m);
    assert_false(m.f.outcome == ARRAY_FOUND && m.f.index == 0);
    close_array(&m);
}

static void zeros_that_are_none_do_not_count(void **state)
{
    model m;
    (void)state;
    open_array(&m,
        "var x = 1, y ~ 1\nx'' - x'' + x' = y\ny = x\nsolve t in 0..1\n", NULL,
        0);
    examine(&m);
    check_found(&m, "x'' - x''", 1, 1);
    close_array(&m);
}

/* ---- dependencies ---------------------------------------------------------------- */

/* Three parallel rods; their constraints depend on each other where they hold
 * alone: the platform does not turn. */
static void a_platform_on_three_rods_is_redundant(void **state)
{
    static const char text[] =
        "param b = 0.4, J = 0.2, g = 9.81\n"
        "var x = 0.8, y = 0.6, psi = 0, l1 ~ 0.981, l2 ~ 0.981, l3 ~ 0.981\n"
        "init x' = 0\ninit y' ~ 0\ninit psi' = 0\n"
        "let u1 = x - b*(cos(psi) - 1)\nlet v1 = y - b*sin(psi)\n"
        "let u3 = x + b*(cos(psi) - 1)\nlet v3 = y + b*sin(psi)\n"
        "fx: x'' = -2*(l1*u1 + l2*x + l3*u3)\n"
        "fy: y'' = g - 2*(l1*v1 + l2*y + l3*v3)\n"
        "turn: J*psi'' = -2*l1*b*(u1*sin(psi) - v1*cos(psi))"
        " + 2*l3*b*(u3*sin(psi) - v3*cos(psi))\n"
        "rod1: u1^2 + v1^2 = 1\n"
        "rod2: x^2 + y^2 = 1\n"
        "rod3: u3^2 + v3^2 = 1\n"
        "solve t in 0..1\n";
    model m;
    (void)state;
    open_array(&m, text, NULL, 0);
    m.q.is_consistent = 1;
    m.q.is_generic = 0;
    examine(&m);
    check_no_index(&m, DAE_INDEX_REDUNDANT, "l1 l2 l3", "rod1 rod2 rod3", 1);
    m.q.is_generic = 1;
    examine(&m);
    assert_int_not_equal(m.f.outcome, ARRAY_FOUND);
    close_array(&m);
}

static void contradictions_are_told_from_repetitions(void **state)
{
    static const char pendulum[] =
        "var x ~ 0.6, y ~ 0.8, l1 ~ 1, l2 ~ 2\n"
        "fx: x'' = -(l1 + l2)*x\nfy: y'' = 9.81 - (l1 + l2)*y\n"
        "rod: x^2 + y^2 = 1\nagain: 2*x^2 + 2*y^2 = 3\nsolve t in 0..1\n";
    static const char rate[] = "var x ~ 1, y ~ 1\nsum: x + y = t\n"
                               "rate: x' + y' = 2\nsolve t in 0..1\n";
    model m;
    (void)state;
    open_array(&m, pendulum, NULL, 0);
    examine(&m);
    check_no_index(&m, DAE_INDEX_CONTRADICTORY, "l1 l2", "rod again", 0);
    close_array(&m);
    open_array(&m, rate, NULL, 0);
    examine(&m);
    check_no_index(&m, DAE_INDEX_CONTRADICTORY, "x y", "sum' rate", 0);
    close_array(&m);
}

/* Twice the same equation is what there is to say, not that a derivative of one
 * of them follows from another, too. */
static void dependencies_of_low_derivatives_come_first(void **state)
{
    static const char text[] = "param p = 0\nvar x ~ 1, y ~ 1, z ~ 1\n"
                               "a: x + y = 1\nb: x' + y' = 0\n"
                               "c: 2*x + 2*y + p*z = 2\nsolve t in 0..1\n";
    model m;
    (void)state;
    open_array(&m, text, NULL, 0);
    examine(&m);
    check_no_index(&m, DAE_INDEX_REDUNDANT, "x y z", "a c", 1);
    close_array(&m);
}

/* No z is real, so no point satisfies the rest; but 100000*a - b is 0 at any
 * point, in whatever units a and b are. */
static void dependencies_hold_off_the_constraints(void **state)
{
    static const char text[] = "var x ~ 1, y ~ 1, z ~ 1\na: x + y = 1\n"
                               "b: 1e5*x + 1e5*y = 1e5\nz^2 + 1 = 0\n"
                               "solve t in 0..1\n";
    model m;
    (void)state;
    open_array(&m, text, NULL, 0);
    examine(&m);
    check_no_index(&m, DAE_INDEX_REDUNDANT, "x y", "a b", 1);
    close_array(&m);
}

/* The coefficient of z is 0 up to t = 0.002, where the index is 2, and 1 after
 * that: nothing holds for both. */
static void points_that_disagree_are_unsure(void **state)
{
    static const char text[] = "var x ~ 1, z ~ 1\nx' = z\n"
                               "0 = max(t - 0.002, 0)*z + x - 1 - t\n"
                               "solve t in 0..1\n";
    model m;
    (void)state;
    open_array(&m, text, NULL, 0);
    examine(&m);
    assert_int_equal(m.f.outcome, ARRAY_UNSURE);
    m.q.is_generic = 0; /* at one point alone it is what it is there */
    examine(&m);
    check_found(&m, "before the change", 2, 0);
    close_array(&m);
}

/* ---- what is in the way ------------------------------------------------------------ */

static void kinks_are_in_the_way_where_they_are(void **state)
{
    model m;
    (void)state;
    open_array(&m,
        "var x = 0, y ~ 0\nx' = -y\ny = abs(x) + t\nsolve t in 0..1\n", NULL,
        0);
    examine(&m);
    check_found(&m, "beside the kink", 1, 1);
    m.q.is_consistent = 1;
    m.q.is_generic = 0;
    examine(&m);
    assert_int_equal(m.f.outcome, ARRAY_TOO_LARGE);
    close_array(&m);
}

static void no_solution_is_no_point(void **state)
{
    model m;
    (void)state;
    open_array(&m, "var x = 2\nx'^2 + x^2 + 1 = 0\nsolve t in 0..1\n", NULL, 0);
    examine(&m);
    assert_int_equal(m.f.outcome, ARRAY_NO_POINT);
    close_array(&m);
}

static void budgets_are_kept(void **state)
{
    json_value *corpus = corpus_read();
    model m;
    (void)state;
    open_entry(&m, corpus_entry(corpus, "pendulum"), CORPUS_GUESSES);
    m.q.largest = 11; /* index 3: four times three equations */
    examine(&m);
    assert_int_equal(m.f.outcome, ARRAY_TOO_LARGE);
    m.q.largest = 12;
    examine(&m);
    check_found(&m, "pendulum in 12 rows", 3, 2);
    dae_problem p = *m.q.problem;
    p.series = NULL;
    m.q.problem = &p;
    examine(&m);
    assert_int_equal(m.f.outcome, ARRAY_TOO_LARGE);
    close_array(&m);
    json_free(corpus);
}

static int stop(void *context)
{
    int *left = context;
    return (*left)-- == 0;
}

static void an_interrupt_is_heard(void **state)
{
    json_value *corpus = corpus_read();
    model m;
    (void)state;
    open_entry(&m, corpus_entry(corpus, "andrews_squeezer"), CORPUS_GUESSES);
    for (int at = 0; at < 6; at++) {
        int left = at;
        m.q.interrupt = stop;
        m.q.interrupt_context = &left;
        CHECK_STATUS(array_examine(&m.q, &m.f), DAE_INTERRUPTED);
    }
    close_array(&m);
    json_free(corpus);
}

/* A sum that stands in all equations becomes an unknown of its own: it is
 * determined by the others, and neither state nor target. */
static void internal_unknowns_do_not_raise_the_index(void **state)
{
    size_t internal = 0;
    model m;
    (void)state;
    open_array(&m,
        "var x[150] ~ 0.5\nlet s = sum(x[i]^2 for i in 1..150)\n"
        "x[i]' = -s*x[i] for i in 1..150\nsolve t in 0..1\n",
        NULL, 0);
    const dae_problem *p = m.q.problem;
    for (size_t j = 0; j < p->unknown_count; j++)
        internal += p->index_group && p->index_group[j] == 255;
    assert_int_equal(internal, 1);
    examine(&m);
    check_found(&m, "internal unknown", 0, 150);
    close_array(&m);
}

/* ---- memory --------------------------------------------------------------------------- */

static void sweep(const char *name)
{
    json_value *corpus = corpus_read();
    dae_status st = DAE_MEMORY;
    model m;
    open_entry(&m, corpus_entry(corpus, name), CORPUS_GUESSES);
    for (size_t k = 0; st; k += 1 + k / 50) {
        failing_memory memory;
        failing_init(&memory, k);
        m.q.allocator = &memory.allocator;
        st = array_examine(&m.q, &m.f);
        if (st) CHECK_STATUS(st, DAE_MEMORY);
        array_findings_clear(&m.f, &memory.allocator);
        assert_int_equal(memory.live, 0);
    }
    m.q.allocator = NULL;
    close_array(&m);
    json_free(corpus);
}

static void failing_memory_leaves_nothing(void **state)
{
    (void)state;
    sweep("pendulum");
    sweep("floating_circuit");
    sweep("bcp_singular_ltv");
}

/* ---- floating levels without an array ---------------------------------------------------- */

static void check_floating(
    const char *text, const uint8_t *candidates, size_t loose)
{
    dae_status st = DAE_MEMORY;
    model m;
    open_array(&m, text, NULL, 0);
    m.f.outcome = ARRAY_TOO_LARGE;
    for (size_t k = 0; st; k++) {
        failing_memory memory;
        failing_init(&memory, k);
        m.q.allocator = &memory.allocator;
        st = floating_find(m.q.problem, candidates, m.q.allocator, &m.f);
        if (st) CHECK_STATUS(st, DAE_MEMORY);
        else assert_int_equal(m.f.loose_count, loose);
        assert_int_equal(m.f.outcome == ARRAY_NO_INDEX, !st && loose > 0);
        if (!st && loose) assert_int_equal(m.f.verdict, DAE_INDEX_FLOATING);
        array_findings_clear(&m.f, &memory.allocator);
        assert_int_equal(memory.live, 0);
    }
    m.q.allocator = NULL;
    close_array(&m);
}

static void levels_float_where_all_sums_are_zero(void **state)
{
    (void)state;
    /* all of them; two of three as they are named */
    check_floating("var x, y\nx' - y' = 1\n(x - y)^2 = 4\n", NULL, 2);
    static const char *const part = "var x, y, z = 1\nx' - y' = z\n"
                                    "z = (x - y)^3\nz' = -z\n";
    static const uint8_t named[] = {1, 1, 0}, wrong[] = {1, 0, 1};
    check_floating(part, NULL, 0);
    check_floating(part, named, 2);
    check_floating(part, wrong, 0);
    /* a difference of states, but not of derivatives; a level at one point alone */
    check_floating("var x, y\nx' + y' = 1\nx - y = 2\n", NULL, 0);
    check_floating("var x, y\nx' = x*y - y^2\nx - y = 1\n", NULL, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(generic_points_give_the_corpus_index_and_freedom),
        cmocka_unit_test(consistent_points_give_the_corpus_index_and_freedom),
        cmocka_unit_test(the_four_without_an_index_get_their_verdict),
        cmocka_unit_test(physical_units_are_never_judged_wrong),
        cmocka_unit_test(the_index_is_that_of_the_branch),
        cmocka_unit_test(a_point_at_rest_is_not_special),
        cmocka_unit_test(a_turning_point_is_left_for_a_generic_one),
        cmocka_unit_test(zeros_that_are_none_do_not_count),
        cmocka_unit_test(a_platform_on_three_rods_is_redundant),
        cmocka_unit_test(contradictions_are_told_from_repetitions),
        cmocka_unit_test(dependencies_of_low_derivatives_come_first),
        cmocka_unit_test(dependencies_hold_off_the_constraints),
        cmocka_unit_test(points_that_disagree_are_unsure),
        cmocka_unit_test(kinks_are_in_the_way_where_they_are),
        cmocka_unit_test(no_solution_is_no_point),
        cmocka_unit_test(budgets_are_kept),
        cmocka_unit_test(an_interrupt_is_heard),
        cmocka_unit_test(internal_unknowns_do_not_raise_the_index),
        cmocka_unit_test(failing_memory_leaves_nothing),
        cmocka_unit_test(levels_float_where_all_sums_are_zero),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
