/* Repairs of the corpus' entries whose system Jacobian is singular: what was
 * combined, in words, and the structure it leads to. */
#include "analysis/report.h"
#include "check.h"
#include "corpus.h"
#include "repair/repair.h"
#include <dae/model.h>

enum { MOST = 40, REPAIRS = 4 };

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

typedef struct subject {
    dae_model *model;
    layout l;
    signature *g;
    dae_structure *s;
    blocks_request q;
    dae_certificate certificates[MOST];
    repair_findings f;
    arena texts;
} subject;

static void subject_init(subject *w, const char *name, corpus_start start)
{
    dae_diagnostics *ds;
    char *text = corpus_text(corpus_entry(corpus, name), start);
    assert_non_null(text);
    print_message("%s\n", name);
    *w = (subject){0};
    arena_init(&w->texts, NULL, 0);
    CHECK_STATUS(dae_diagnostics_create(NULL, &ds), DAE_OK);
    CHECK_STATUS(
        dae_model_parse(name, text, strlen(text), NULL, NULL, ds, &w->model),
        DAE_OK);
    dae_diagnostics_free(ds);
    free(text);
    const dae_problem *p = dae_model_problem(w->model);
    CHECK_STATUS(layout_init(&w->l, p, NULL), DAE_OK);
    CHECK_STATUS(signature_create(p, &w->l, NULL, &w->g), DAE_OK);
    CHECK_STATUS(
        dae_structure_analyse(&w->g->table, NULL, NULL, &w->s), DAE_OK);
    w->q = (blocks_request){
        .problem = p, .layout = &w->l, .signature = w->g, .structure = w->s};
    assert_true(w->s->is_regular && w->s->fine_count <= MOST);
    CHECK_STATUS(blocks_certify(&w->q, w->certificates, NULL), DAE_OK);
    CHECK_STATUS(repair_all(&w->q, w->certificates, &w->f), DAE_OK);
    CHECK_STATUS(
        report_repairs(p, w->f.repairs, w->f.count, &w->texts), DAE_OK);
}

static void subject_clear(subject *w)
{
    arena_clear(&w->texts);
    repair_findings_clear(&w->f);
    dae_structure_free(w->s);
    signature_free(w->g);
    layout_clear(&w->l);
    dae_model_free(w->model);
}

/* ---- those that can be repaired ---------------------------------------------- */

typedef struct expectation {
    const char *name;
    int64_t index, freedom; /* of the structure after the repairs */
    const char *text[REPAIRS];
    int32_t replaces[REPAIRS]; /* counted from 1; 0: none */
    const char *differentiate; /* a digit for each equation */
} expectation;

/* Index, degrees of freedom and what is combined are the corpus'. */
static const expectation repaired[] = {
    {"transistor_amp", 1, 5,
        {"f1 + f2 contains no derivative, so it replaces f2",
            "f4 + f5 contains no derivative, so it replaces f5",
            "f7 + f8 contains no derivative, so it replaces f8: by these 3 "
            "repairs degrees of freedom 8 become 5"},
        {2, 5, 8}, "11011011"},
    {"ring_modulator_cs0", 2, 10,
        {"f3 - f4 + f5 - f6 does not contain y3, y4, y5, y6 and y7, so it "
         "replaces f6: degrees of freedom 11 become 10"},
        {6}, "001111000000000"},
    {"gear_petzold", 1, 0,
        {"f1' - f2 contains no derivative, so it replaces f2: degrees of "
         "freedom 1 become 0"},
        {2}, "10"},
    {"choquet_linear", 2, 0,
        {"f3 - f4 does not contain x3 and x4, so it replaces f4: degrees of "
         "freedom 2 become 1",
            "f1 + f2 - f3 + f3' - f4' contains no derivative, so it replaces "
            "f3: degrees of freedom 1 become 0"},
        {4, 3}, "1122"},
    {"implicit_mass_singular", 1, 0,
        {"f1 - f2 contains no derivative, so it replaces f2: degrees of "
         "freedom 2 become 1",
            "f1 - f1' + f2' contains no derivative, so it replaces f1: degrees "
            "of freedom 1 become 0"},
        {2, 1}, "11"},
};

static void check_repaired(const expectation *e, corpus_start start)
{
    subject w;
    size_t count = 0;
    subject_init(&w, e->name, start);
    for (size_t k = 0; k < w.f.count; k++)
        print_message("  %s\n", w.f.repairs[k].text);
    while (count < REPAIRS && e->text[count]) count++;
    assert_int_equal(w.f.count, count);
    for (size_t k = 0; k < count; k++) {
        assert_string_equal(w.f.repairs[k].text, e->text[k]);
        assert_int_equal(w.f.repairs[k].replaces, e->replaces[k] - 1);
    }
    assert_non_null(w.f.structure);
    assert_true(w.f.is_complete);
    assert_int_equal(w.f.structure->index, e->index);
    assert_int_equal(w.f.structure->degrees_of_freedom, e->freedom);
    for (size_t k = 0; k < w.f.structure->fine_count; k++)
        assert_int_equal(w.f.certificates[k], DAE_CERTIFIED);
    assert_int_equal(strlen(e->differentiate), w.s->n);
    for (size_t i = 0; i < w.s->n; i++)
        assert_int_equal(w.f.differentiate[i], e->differentiate[i] - '0');
    const json_value *known = corpus_entry(corpus, e->name);
    assert_int_equal(
        e->freedom, (int64_t)json_number(known, "degrees_of_freedom"));
    subject_clear(&w);
}

static void check_all_repaired(corpus_start start)
{
    for (size_t k = 0; k < sizeof repaired / sizeof *repaired; k++)
        check_repaired(&repaired[k], start);
}

static void test_repaired(void **state)
{
    (void)state;
    check_all_repaired(CORPUS_BARE);
}

/* What is known of the start does not matter. */
static void test_repaired_beside_guesses(void **state)
{
    (void)state;
    check_all_repaired(CORPUS_GUESSES);
}

/* Offsets of the remedied systems, where the corpus combines the same. */
static void check_offsets(const char *name, const int64_t *c, const int64_t *d)
{
    subject w;
    subject_init(&w, name, CORPUS_BARE);
    for (size_t k = 0; k < w.f.structure->n; k++) {
        assert_int_equal(w.f.structure->c[k], c[k]);
        assert_int_equal(w.f.structure->d[k], d[k]);
    }
    subject_clear(&w);
}

static void test_offsets(void **state)
{
    (void)state;
    check_offsets("transistor_amp", (const int64_t[]){0, 1, 0, 0, 1, 0, 0, 1},
        (const int64_t[]){1, 1, 1, 1, 1, 1, 1, 1});
    check_offsets("choquet_linear", (const int64_t[]){0, 0, 1, 1},
        (const int64_t[]){1, 1, 0, 0});
}

/* ---- terms and what cancels -------------------------------------------------- */

static void check_terms(
    const dae_repair *r, const dae_term *terms, size_t count)
{
    assert_int_equal(r->term_count, count);
    for (size_t k = 0; k < count; k++) {
        assert_int_equal(r->terms[k].equation, terms[k].equation);
        assert_int_equal(r->terms[k].order, terms[k].order);
        assert_true(r->terms[k].weight == terms[k].weight);
    }
}

static void check_slots(
    const dae_repair *r, const dae_slot *slots, size_t count)
{
    assert_int_equal(r->independent_count, count);
    for (size_t k = 0; k < count; k++) {
        assert_int_equal(r->independent[k].unknown, slots[k].unknown);
        assert_int_equal(r->independent[k].order, slots[k].order);
    }
}

static void test_terms(void **state)
{
    (void)state;
    subject w;
    subject_init(&w, "choquet_linear", CORPUS_BARE);
    check_terms(
        &w.f.repairs[0], (const dae_term[]){{2, 0, 1.0}, {3, 0, -1.0}}, 2);
    check_slots(&w.f.repairs[0], (const dae_slot[]){{2, 0}, {3, 0}}, 2);
    check_terms(&w.f.repairs[1],
        (const dae_term[]){
            {0, 0, 1.0}, {1, 0, 1.0}, {2, 0, -1.0}, {2, 1, 1.0}, {3, 1, -1.0}},
        5);
    /* -x2 + sin(t) + cos(t) - 1 is left */
    check_slots(&w.f.repairs[1],
        (const dae_slot[]){{0, 1}, {1, 1}, {2, 0}, {2, 1}, {3, 0}, {3, 1}}, 6);
    subject_clear(&w);

    subject_init(&w, "gear_petzold", CORPUS_BARE);
    check_terms(
        &w.f.repairs[0], (const dae_term[]){{0, 1, 1.0}, {1, 0, -1.0}}, 2);
    check_slots(&w.f.repairs[0], (const dae_slot[]){{0, 1}, {1, 1}}, 2);
    subject_clear(&w);
}

/* ---- those that cannot ------------------------------------------------------- */

/* x' - (x' - y): its zeros are found before. */
static void test_nothing_to_repair(void **state)
{
    (void)state;
    subject w;
    subject_init(&w, "formal_cancel", CORPUS_BARE);
    assert_int_equal(w.f.count, 0);
    assert_null(w.f.structure);
    assert_null(w.f.differentiate);
    assert_true(w.f.is_complete);
    assert_int_equal(w.s->index, 2);
    assert_int_equal(w.s->degrees_of_freedom, 0);
    subject_clear(&w);
}

static void check_not_repaired(const char *name)
{
    subject w;
    subject_init(&w, name, CORPUS_BARE);
    assert_false(w.f.is_complete);
    assert_int_equal(w.f.count, 0);
    assert_null(w.f.structure);
    subject_clear(&w);
}

/* In a combination of their equations no unknown is left. */
static void test_redundant(void **state)
{
    (void)state;
    check_not_repaired("pendulum_redundant");
    check_not_repaired("floating_circuit");
    check_not_repaired("diff_redundant");
}

/* Only with weights that vary derivatives cancel: the ranks of their arrays tell
 * the index. */
static void test_varying_weights(void **state)
{
    (void)state;
    check_not_repaired("matlab_toode");
    check_not_repaired("robot_arm");
    check_not_repaired("bcp_singular_ltv");
}

/* All other entries are left as they are. */
static void test_certified_ones(void **state)
{
    (void)state;
    int count = 0;
    for (const json_value *e = json_member(corpus, "entries")->first; e;
         e = e->next) {
        const json_value *known = json_member(e, "structural");
        const char *method = json_text(e, "sigma_method");
        subject w;
        if (json_truth(known, "structurally_singular")) continue;
        if (strcmp(method, "succeeds") != 0) continue;
        if ((size_t)json_number(e, "n_equations") > MOST) continue;
        subject_init(&w, json_text(e, "name"), CORPUS_BARE);
        assert_int_equal(w.f.count, 0);
        assert_null(w.f.structure);
        assert_true(w.f.is_complete);
        subject_clear(&w);
        count++;
    }
    assert_true(count >= 40);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_repaired),
        cmocka_unit_test(test_repaired_beside_guesses),
        cmocka_unit_test(test_offsets),
        cmocka_unit_test(test_terms),
        cmocka_unit_test(test_nothing_to_repair),
        cmocka_unit_test(test_redundant),
        cmocka_unit_test(test_varying_weights),
        cmocka_unit_test(test_certified_ones),
    };
    return cmocka_run_group_tests(tests, open_corpus, close_corpus);
}
