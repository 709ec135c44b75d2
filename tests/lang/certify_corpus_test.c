/* The corpus from its texts to the certificates: every square entry is written
 * as a model and compiled; signature, offsets, blocks and the ranks of the
 * system Jacobian are those that the corpus knows. */
#include "check.h"
#include "corpus.h"
#include "index/block_regularity.h"
#include <dae/model.h>

enum { MOST = 200 };

static json_value *corpus;

static int open_corpus(void **state)
{
    (void)state;
    corpus = corpus_read();
    return corpus ? 0 : 1;
}

static int close_corpus(void **state)
{
    (void)state;
    json_free(corpus);
    return 0;
}

/* The entries whose Jacobian is singular everywhere: fine blocks that are, and
 * the ranks of all blocks together. Where a block above the diagonal makes up
 * for one on it that is less than the rank of the whole. By hand. */
static const struct {
    const char *name;
    int singular;
    int64_t rank;
} failing[] = {
    {"pendulum_redundant", 2, 2},
    {"robot_arm", 1, 4},
    {"transistor_amp", 3, 5},
    {"ring_modulator_cs0", 1, 14},
    {"floating_circuit", 2, 2},
    {"gear_petzold", 1, 1},
    {"bcp_singular_ltv", 1, 1},
    {"choquet_linear", 1, 3},
    {"implicit_mass_singular", 1, 1},
    {"matlab_toode", 1, 2},
    {"diff_redundant", 1, 1},
};

static int failing_place(const char *name)
{
    for (int k = 0; k < (int)(sizeof failing / sizeof *failing); k++)
        if (strcmp(failing[k].name, name) == 0) return k;
    return -1;
}

/* ---- one entry, compiled -------------------------------------------------------- */

typedef struct subject {
    const json_value *entry;
    dae_model *model;
    const dae_problem *problem;
    layout l;
    signature *g;
    dae_structure *s;
    blocks_request q;
    dae_certificate certificates[MOST];
    int64_t rank[MOST];
} subject;

static void subject_init(subject *w, const json_value *e, corpus_start start)
{
    dae_diagnostics *ds;
    char *text = corpus_text(e, start);
    *w = (subject){.entry = e};
    assert_non_null(text);
    CHECK_STATUS(dae_diagnostics_create(NULL, &ds), DAE_OK);
    CHECK_STATUS(dae_model_parse(json_text(e, "name"), text, strlen(text), NULL,
                     NULL, ds, &w->model),
        DAE_OK);
    dae_diagnostics_free(ds);
    free(text);
    w->problem = dae_model_problem(w->model);
    CHECK_STATUS(layout_init(&w->l, w->problem, NULL), DAE_OK);
    CHECK_STATUS(signature_create(w->problem, &w->l, NULL, &w->g), DAE_OK);
    CHECK_STATUS(
        dae_structure_analyse(&w->g->table, NULL, NULL, &w->s), DAE_OK);
    w->q = (blocks_request){.problem = w->problem,
        .layout = &w->l,
        .signature = w->g,
        .structure = w->s};
    assert_true(w->s->is_regular && w->s->fine_count <= MOST);
}

static void subject_clear(subject *w)
{
    dae_structure_free(w->s);
    signature_free(w->g);
    layout_clear(&w->l);
    dae_model_free(w->model);
}

static bool is_honest_zero(const subject *w)
{
    return strcmp(json_text(w->entry, "name"), "formal_cancel") == 0;
}

/* ---- structure ------------------------------------------------------------------- */

static void check_signature(const subject *w)
{
    const json_value *rows = json_member(w->entry, "signature");
    size_t known = 0;
    for (const json_value *r = rows->first; r; r = r->next) known += r->count;
    /* x' - (x' - y) has no x' in it */
    if (is_honest_zero(w)) known--;
    assert_int_equal(w->g->entries, known);
    size_t j = 0;
    for (const json_value *v = json_member(w->entry, "variables")->first; v;
         v = v->next, j++) {
        for (int64_t p = w->g->column_start[j]; p < w->g->column_start[j + 1];
             p++) {
            const json_value *r = rows->first;
            for (int32_t i = w->g->row[p]; i > 0; i--) r = r->next;
            assert_int_equal(w->g->order[p], (int)json_number(r, v->text));
        }
    }
}

static void check_list(
    const json_value *list, const int64_t *values, size_t count)
{
    size_t k = 0;
    assert_int_equal(list->count, count);
    for (const json_value *v = list->first; v; v = v->next, k++)
        assert_int_equal(values[k], (int64_t)v->number);
}

static int compare_down(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (y > x) - (y < x);
}

static void check_sizes(
    const json_value *list, const dae_block *blocks, size_t count)
{
    int64_t sizes[MOST];
    for (size_t k = 0; k < count; k++)
        sizes[k] = blocks[k].end - blocks[k].begin;
    qsort(sizes, count, sizeof *sizes, compare_down);
    check_list(list, sizes, count);
}

static void check_structure(const subject *w)
{
    const json_value *known = json_member(w->entry, "structural");
    const dae_structure *s = w->s;
    assert_int_equal(w->problem->unknown_count, s->n);
    assert_true(w->g->is_sampled);
    check_signature(w);
    if (is_honest_zero(w)) {
        const json_value *after = json_member(w->entry, "after_remedy");
        check_list(json_member(after, "c"), s->c, s->n);
        check_list(json_member(after, "d"), s->d, s->n);
        return;
    }
    check_list(json_member(known, "c"), s->c, s->n);
    check_list(json_member(known, "d"), s->d, s->n);
    assert_int_equal(s->index, (int64_t)json_number(known, "structural_index"));
    assert_int_equal(
        s->degrees_of_freedom, (int64_t)json_number(known, "dof_by_sigma"));
    check_sizes(
        json_member(known, "coarse_blocks"), s->coarse, s->coarse_count);
    check_sizes(json_member(known, "fine_blocks"), s->fine, s->fine_count);
}

/* ---- ranks ------------------------------------------------------------------------ */

static int64_t sum_of_ranks(const subject *w)
{
    int64_t sum = 0;
    for (size_t f = 0; f < w->s->fine_count; f++) sum += w->rank[f];
    return sum;
}

static int count_of(const subject *w, dae_certificate c)
{
    int count = 0;
    for (size_t f = 0; f < w->s->fine_count; f++)
        count += w->certificates[f] == c;
    return count;
}

/* All of them are certified or, if they are to be, singular. */
static void check_verdicts(const subject *w)
{
    const json_value *known = json_member(w->entry, "structural");
    const int k = failing_place(json_text(w->entry, "name"));
    if (k < 0) {
        assert_int_equal(count_of(w, DAE_CERTIFIED), (int)w->s->fine_count);
        assert_int_equal(sum_of_ranks(w), (int64_t)w->s->n);
        if (!is_honest_zero(w))
            assert_int_equal(
                sum_of_ranks(w), (int64_t)json_number(known, "generic_rank_J"));
        return;
    }
    assert_int_equal(count_of(w, DAE_SINGULAR), failing[k].singular);
    assert_int_equal(count_of(w, DAE_CERTIFIED),
        (int)w->s->fine_count - failing[k].singular);
    assert_int_equal(sum_of_ranks(w), failing[k].rank);
    assert_true(
        failing[k].rank <= (int64_t)json_number(known, "generic_rank_J"));
}

typedef bool value_fn(
    const json_value *e, const char *variable, int order, double *value);

static bool special_value(
    const json_value *e, const char *variable, int order, double *value)
{
    return corpus_special_value(e, 0, variable, order, value);
}

/* Certificates at a point of the corpus; what it does not know is 0. */
static void certify_at(subject *w, value_fn *value_of)
{
    double x[4 * MOST] = {0}, xp[MOST] = {0};
    size_t j = 0;
    for (const json_value *v = json_member(w->entry, "variables")->first; v;
         v = v->next, j++) {
        for (int o = 0; o <= w->l.order[j]; o++) {
            const size_t slot = w->l.first[j] + (size_t)o;
            double value = 0;
            (void)value_of(w->entry, v->text, o, &value);
            if (slot < w->l.first[j + 1]) x[slot] = value;
            else xp[j] = value;
        }
    }
    CHECK_STATUS(blocks_certify_at(&w->q, json_number(w->entry, "t0"), x, xp,
                     w->certificates, w->rank),
        DAE_OK);
}

static void check_entry(const json_value *e, corpus_start start)
{
    subject w;
    print_message("%s\n", json_text(e, "name"));
    subject_init(&w, e, start);
    check_structure(&w);
    CHECK_STATUS(blocks_certify(&w.q, w.certificates, w.rank), DAE_OK);
    check_verdicts(&w);
    /* in the corpus no consistent point has less rank than points anywhere */
    certify_at(&w, corpus_value);
    check_verdicts(&w);
    subject_clear(&w);
}

static int check_all(corpus_start start)
{
    int count = 0;
    for (const json_value *e = json_member(corpus, "entries")->first; e;
         e = e->next) {
        if (json_truth(json_member(e, "structural"), "structurally_singular"))
            continue;
        check_entry(e, start);
        count++;
    }
    return count;
}

static void test_with_guesses(void **state)
{
    (void)state;
    assert_int_equal(check_all(CORPUS_GUESSES), 55);
}

/* Nothing is known of where values might be. */
static void test_without_start(void **state)
{
    (void)state;
    assert_int_equal(check_all(CORPUS_BARE), 55);
}

static void test_special_points(void **state)
{
    (void)state;
    int count = 0;
    for (const json_value *e = json_member(corpus, "entries")->first; e;
         e = e->next) {
        const json_value *points = json_member(e, "special_points");
        subject w;
        if (!points) continue;
        subject_init(&w, e, CORPUS_CHOSEN);
        CHECK_STATUS(blocks_certify(&w.q, w.certificates, w.rank), DAE_OK);
        certify_at(&w, special_value);
        assert_int_equal(
            sum_of_ranks(&w), (int64_t)json_number(points->first, "rank_J"));
        assert_int_equal(count_of(&w, DAE_SINGULAR_HERE), 1);
        assert_int_equal(count_of(&w, DAE_CERTIFIED), (int)w.s->fine_count - 1);
        subject_clear(&w);
        count++;
    }
    assert_int_equal(count, 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_with_guesses),
        cmocka_unit_test(test_without_start),
        cmocka_unit_test(test_special_points),
    };
    return cmocka_run_group_tests(tests, open_corpus, close_corpus);
}
