/* The corpus of tests/data/structure: offsets, index, degrees of freedom,
 * blocks of every regular entry; rank and parts of the others. */
#include "check.h"
#include "json.h"
#include "signatures.h"
#include "structure_proof.h"

enum { MOST = 160, MOST_ENTRIES = 8000 };

static json_value *corpus;

static int open_corpus(void **state)
{
    (void)state;
    corpus = json_read("tests/data/structure/corpus.json");
    return corpus ? 0 : 1;
}

static int close_corpus(void **state)
{
    (void)state;
    json_free(corpus);
    return 0;
}

/* The place of a text in a list of texts, or of objects with that name. */
static int32_t place_of(const json_value *list, const char *text)
{
    int32_t at = 0;
    for (const json_value *v = list->first; v; v = v->next, at++) {
        const char *own = v->kind == JSON_OBJECT ? json_text(v, "name")
                                                 : v->text;
        if (strcmp(own, text) == 0) return at;
    }
    print_error("%s is not listed\n", text);
    fail();
    return -1;
}

static void read_signature(const json_value *e, made_signature *m)
{
    static signature_entry list[MOST_ENTRIES];
    const json_value *variables = json_member(e, "variables");
    size_t count = 0;
    int32_t row = 0;
    for (const json_value *v = json_member(e, "signature")->first; v;
         v = v->next, row++) {
        for (const json_value *x = v->first; x; x = x->next) {
            assert_true(count < MOST_ENTRIES);
            list[count++] = (signature_entry){
                row, place_of(variables, x->key), (int32_t)x->number};
        }
    }
    assert_int_equal(row, (int)json_number(e, "n_equations"));
    assert_true(signature_make(m, (size_t)row, variables->count, list, count));
}

static void check_list(
    const json_value *list, const int64_t *values, size_t count)
{
    size_t k = 0;
    assert_non_null(list);
    assert_int_equal(list->count, count);
    for (const json_value *v = list->first; v; v = v->next, k++)
        assert_int_equal(values[k], (int64_t)v->number);
}

static int compare_down(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (y > x) - (y < x);
}

/* The corpus lists sizes, the largest first. */
static void check_sizes(
    const json_value *list, const dae_block *blocks, size_t count)
{
    int64_t sizes[MOST];
    assert_true(count <= MOST);
    for (size_t k = 0; k < count; k++)
        sizes[k] = blocks[k].end - blocks[k].begin;
    qsort(sizes, count, sizeof *sizes, compare_down);
    check_list(list, sizes, count);
}

/* What the orders along the corpus' transversal add up to. */
static int64_t value_of(const json_value *e, const json_value *transversal)
{
    const json_value *equations = json_member(e, "equations");
    int64_t sum = 0;
    for (const json_value *v = transversal->first; v; v = v->next) {
        int32_t row = place_of(equations, v->first->text);
        const json_value *line = json_member(e, "signature")->first;
        while (row-- > 0) line = line->next;
        sum += (int64_t)json_number(line, v->first->next->text);
    }
    return sum;
}

static void check_regular(const json_value *e, const dae_structure *s)
{
    const json_value *known = json_member(e, "structural");
    const json_value *transversal = json_member(known, "transversal");
    assert_true(s->is_regular);
    assert_int_equal(s->matching.rank, s->rows);
    check_list(json_member(known, "c"), s->c, s->n);
    check_list(json_member(known, "d"), s->d, s->n);
    assert_int_equal(s->index, (int64_t)json_number(known, "structural_index"));
    assert_int_equal(
        s->degrees_of_freedom, (int64_t)json_number(known, "dof_by_sigma"));
    assert_int_equal(
        s->degrees_of_freedom, (int64_t)json_number(known, "value"));
    assert_int_equal(transversal->count, s->n);
    assert_int_equal(s->degrees_of_freedom, value_of(e, transversal));
    check_sizes(
        json_member(known, "coarse_blocks"), s->coarse, s->coarse_count);
    check_sizes(json_member(known, "fine_blocks"), s->fine, s->fine_count);
}

/* The members of a part are those that the corpus names. */
static void check_part(const json_value *named, const json_value *list,
    const uint8_t *parts, dae_part part)
{
    size_t count = 0;
    for (size_t k = 0; k < list->count; k++) count += parts[k] == part;
    assert_int_equal(count, named->count);
    for (const json_value *v = named->first; v; v = v->next)
        assert_int_equal(parts[place_of(list, v->text)], part);
}

static void check_singular(const json_value *e, const dae_structure *s)
{
    static const char *const names[] = {"well", "over", "under"};
    const json_value *known = json_member(e, "structural");
    const json_value *parts = json_member(known, "dulmage_mendelsohn");
    assert_false(s->is_regular);
    assert_null(s->c);
    assert_int_equal(s->fine_count, 0);
    assert_int_equal(
        s->matching.rank, (size_t)json_number(known, "structural_rank"));
    for (int k = 0; k < 3; k++) {
        const json_value *part = json_member(parts, names[k]);
        check_part(json_member(part, "equations"), json_member(e, "equations"),
            s->matching.row_part, (dae_part)k);
        check_part(json_member(part, "variables"), json_member(e, "variables"),
            s->matching.column_part, (dae_part)k);
    }
}

static void test_all_entries(void **state)
{
    (void)state;
    int regular = 0, singular = 0;
    for (const json_value *e = json_member(corpus, "entries")->first; e;
         e = e->next) {
        made_signature m;
        dae_structure *s;
        print_message("%s\n", json_text(e, "name"));
        read_signature(e, &m);
        CHECK_STATUS(dae_structure_analyse(&m.s, NULL, NULL, &s), DAE_OK);
        if (json_truth(json_member(e, "structural"), "structurally_singular")) {
            check_singular(e, s);
            singular++;
        } else {
            check_regular(e, s);
            const char *wrong = structure_wrong(&m.s, s);
            if (wrong) fail_msg("%s", wrong);
            regular++;
        }
        dae_structure_free(s);
        signature_drop(&m);
    }
    assert_int_equal(regular, 55);
    assert_int_equal(singular, 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_entries),
    };
    return cmocka_run_group_tests(tests, open_corpus, close_corpus);
}
