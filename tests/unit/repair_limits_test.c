/* Repairs of large systems: how long they take, memory that fails, interrupts. */
#include "unit/repair_support.h"

/* ---- size -------------------------------------------------------------------- */

enum { LARGE = 120, RANK = 90 };

/* A x' + B x = 0, A of small whole numbers and rank 90: 30 constraints, which
 * in general determine 30 unknowns. */
static size_t fill_large(linear_entry *e, random_state *r)
{
    static double left[LARGE][RANK], right[RANK][LARGE];
    size_t count = 0;
    for (int i = 0; i < LARGE; i++)
        for (int k = 0; k < RANK; k++) {
            left[i][k] = (double)random_below(r, 5) - 2;
            right[k][i] = (double)random_below(r, 5) - 2;
        }
    for (int i = 0; i < LARGE; i++)
        for (int j = 0; j < LARGE; j++) {
            double sum = 0;
            for (int k = 0; k < RANK; k++) sum += left[i][k] * right[k][j];
            e[count++] = (linear_entry){i, j, 1, sum};
            e[count++] = (linear_entry){i, j, 0, random_unit(r)};
        }
    return count;
}

static void test_large_block(void **state)
{
    (void)state;
    static linear_entry e[2 * LARGE * LARGE];
    random_state r = {7};
    linear_problem p;
    subject w;
    linear_init(&p, LARGE, e, fill_large(e, &r));
    subject_open(&w, &p.problem);
    const clock_t begin = clock();
    subject_repair(&w);
    print_message("  %.2f s\n", (double)(clock() - begin) / CLOCKS_PER_SEC);
    check_complete(&w, LARGE, RANK);
    assert_int_equal(w.f.count, LARGE - RANK);
    print_message("  %s\n", w.f.repairs[w.f.count - 1].text);
    for (size_t k = 0; k < w.f.count; k++)
        assert_true(strlen(w.f.repairs[k].text) < 600);
    subject_clear(&w);
    linear_clear(&p);
}

/* Pairs as above, each tied to the one before it. */
static size_t repair_pairs(size_t pairs)
{
    linear_entry *e = calloc(8 * pairs, sizeof *e);
    size_t count = 0;
    linear_problem p;
    subject w;
    assert_non_null(e);
    for (size_t k = 0; k < pairs; k++) {
        const int32_t u = (int32_t)(2 * k), v = u + 1;
        const linear_entry own[] = {{u, u, 1, 1}, {u, v, 1, -1}, {v, u, 1, -1},
            {v, v, 1, 1}, {u, u, 0, 0.5}, {v, v, 0, 0.25}, {u, u - 1, 0, 2}};
        const size_t most = k > 0 ? 7 : 6;
        for (size_t q = 0; q < most; q++) e[count++] = own[q];
    }
    linear_init(&p, 2 * pairs, e, count);
    subject_open(&w, &p.problem);
    const size_t calls = p.calls;
    const clock_t begin = clock();
    subject_repair(&w);
    print_message("  %zu pairs: %.2f s\n", pairs,
        (double)(clock() - begin) / CLOCKS_PER_SEC);
    const size_t more = p.calls - calls;
    check_complete(&w, (int64_t)(2 * pairs), (int64_t)pairs);
    assert_int_equal(w.f.count, pairs);
    subject_clear(&w);
    linear_clear(&p);
    free(e);
    return more;
}

/* All in one round: ten thousand ask for as many evaluations as a few. */
static void test_many_blocks(void **state)
{
    (void)state;
    const size_t few = repair_pairs(15);
    assert_int_equal(repair_pairs(10000), few);
}

/* ---- memory and interrupts --------------------------------------------------- */

typedef struct trial_case {
    const dae_problem *problem;
    subject *w;
} trial_case;

static void note_findings(trial *t, const repair_findings *f)
{
    char text[80];
    snprintf(text, sizeof text, "%zu repairs, %d\n", f->count, f->is_complete);
    trial_text(t, text);
    for (size_t k = 0; k < f->count; k++) trial_text(t, f->repairs[k].text);
}

static dae_status repair_and_report(
    const blocks_request *q, const subject *w, repair_findings *f, arena *texts)
{
    dae_status st = repair_all(q, w->c.certificates, f);
    if (!st) st = report_repairs(q->problem, f->repairs, f->count, texts);
    if (st) repair_findings_clear(f);
    return st;
}

static void try_repair(trial *t, const void *what)
{
    const trial_case *c = what;
    blocks_request q = c->w->c.q;
    repair_findings f;
    arena texts;
    dae_status st;
    q.allocator = &t->memory.allocator;
    trial_arm(t);
    arena_init(&texts, q.allocator, 0);
    TRIAL_SILENT(t, st, repair_and_report(&q, c->w, &f, &texts));
    trial_note(t, "repair", st);
    if (!st) note_findings(t, &f);
    arena_clear(&texts);
    repair_findings_clear(&f);
}

static void sweep(const char *name, const dae_problem *p)
{
    subject w;
    subject_open(&w, p);
    const trial_case c = {p, &w};
    assert_true(memory_sweep(name, try_repair, &c) > 10);
    subject_clear(&w);
}

static void test_memory(void **state)
{
    (void)state;
    linear_entry e[] = {{0, 0, 1, 1}, {0, 1, 1, 1}, {0, 0, 0, 1}, {1, 0, 1, 1},
        {1, 1, 1, 1}, {1, 1, 0, -1}};
    linear_entry same[] = {
        {0, 0, 0, 1}, {0, 1, 0, 1}, {1, 0, 0, -2}, {1, 1, 0, -2}};
    linear_problem p;
    dense_problem d;
    linear_init(&p, 2, e, 6);
    sweep("two rounds", &p.problem);
    linear_clear(&p);
    linear_init(&p, 2, same, 4);
    sweep("a dead end", &p.problem);
    linear_clear(&p);
    dense_init(&d, 2, sum_of_rates);
    sweep("not linear", &d.problem);
}

static int count_down(void *context)
{
    int *left = context;
    return (*left)-- <= 0;
}

static void test_interrupt(void **state)
{
    (void)state;
    dense_problem p;
    subject w;
    dense_init(&p, 2, sum_of_rates);
    subject_open(&w, &p.problem);
    for (int k = 0;; k++) {
        int left = k;
        w.c.q.interrupt = count_down;
        w.c.q.interrupt_context = &left;
        const dae_status st = repair_all(&w.c.q, w.c.certificates, &w.f);
        if (st == DAE_OK) {
            assert_true(k > 0);
            break;
        }
        CHECK_STATUS(st, DAE_INTERRUPTED);
        assert_int_equal(w.f.count, 0);
        assert_null(w.f.structure);
    }
    subject_clear(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_large_block),
        cmocka_unit_test(test_many_blocks),
        cmocka_unit_test(test_memory),
        cmocka_unit_test(test_interrupt),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
