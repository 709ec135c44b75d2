#include "check_parts.h"
#include "number.h"
#include "table.h"

/* Longer tables are cut: the document of --json has everything. */
enum { MOST_ROWS = 1000, MOST_NAMES = 8, NUMBER_TEXT = 24 };

static void add_number(table *t, int64_t value)
{
    table_addf(t, "%lld", (long long)value);
}

static void print_rest(size_t count, size_t shown, FILE *file)
{
    if (count > shown) (void)fprintf(file, "  and %zu more\n", count - shown);
}

/* Equation, how often it is differentiated, the unknown it is matched with, up
 * to which derivative that is then known. */
static void print_offsets(const check *k, phrase *p, FILE *file)
{
    const dae_structure *s = k->analysis->repaired;
    const size_t n = dae_model_equation_count(k->model);
    const size_t shown = n < MOST_ROWS ? n : MOST_ROWS;
    table t = table_of(4);
    t.align_right[1] = t.align_right[3] = true;
    table_add(&t, "equation"), table_add(&t, "c");
    table_add(&t, "unknown"), table_add(&t, "d");
    for (size_t row = 0; row < shown; row++) {
        const size_t i = dae_report_equation_at(k->report, row);
        const int32_t j = s->matching.column_of[i];
        table_add(&t, check_equation_name(k, i, p));
        add_number(&t, s->c[i]);
        phrase_empty(p);
        if (check_shows_unknown(k, (size_t)j))
            check_put_slot(k, (size_t)j, 0, p);
        else phrase_put(p, "(a part)");
        table_add(&t, phrase_text(p));
        add_number(&t, s->d[j]);
    }
    (void)fputs("\noffsets, each equation with the unknown of the "
                "transversal beside it\n",
        file);
    table_print(&t, file);
    print_rest(n, shown, file);
}

/* Names of a block's equations or unknowns, cut. */
static void put_members(const check *k, const dae_structure *s,
    const dae_block *b, bool is_equations, phrase *p)
{
    size_t shown = 0, count = 0;
    for (int32_t e = b->begin; e < b->end; e++) {
        const size_t q = dae_report_place_at(k->report, (size_t)e);
        const size_t at = (size_t)(is_equations ? s->row_at[q]
                                                : s->column_at[q]);
        if (!(is_equations ? check_shows_equation(k, at)
                           : check_shows_unknown(k, at)))
            continue;
        if (count++ >= MOST_NAMES) continue;
        if (shown++) phrase_put(p, ", ");
        if (is_equations) check_put_equation(k, at, s->c[at], p);
        else check_put_slot(k, at, s->d[at], p);
    }
    phrase_more(p, shown, count);
}

static const char *certificate_text(dae_certificate c)
{
    static const char *const texts[] = {
        "regular", "not certified", "singular at the start", "singular"};
    return texts[c];
}

static void add_block(
    const check *k, size_t b, size_t number, phrase *p, table *t)
{
    const dae_structure *s = k->analysis->repaired;
    const dae_block *block = &s->fine[b];
    add_number(t, (int64_t)number);
    phrase_empty(p);
    put_members(k, s, block, true, p);
    table_add(t, phrase_text(p));
    phrase_empty(p);
    put_members(k, s, block, false, p);
    table_add(t, phrase_text(p));
    add_number(t, block->index);
    add_number(t, block->degrees_of_freedom);
    table_add(
        t, k->analysis->blocks ? certificate_text(k->analysis->blocks[b]) : "");
}

static void print_blocks(const check *k, phrase *p, FILE *file)
{
    const dae_structure *s = k->analysis->repaired;
    size_t shown = 0, count = 0;
    table t = table_of(6);
    t.align_right[0] = t.align_right[3] = t.align_right[4] = true;
    table_add(&t, ""), table_add(&t, "equations");
    table_add(&t, "determine"), table_add(&t, "index");
    table_add(&t, "freedom"), table_add(&t, "system Jacobian");
    for (size_t b = 0; b < s->fine_count; b++) {
        if (!check_shows_block(k, s, &s->fine[b])) continue;
        if (count++ >= MOST_ROWS) continue;
        add_block(k, b, ++shown, p, &t);
    }
    (void)fprintf(file, "\n%zu block%s, in the order of evaluation\n", count,
        NUMBER_PLURAL(count));
    table_print(&t, file);
    print_rest(count, shown, file);
}

void check_tables(const check *k, FILE *file)
{
    phrase p = {0};
    if (!k->analysis || !k->analysis->repaired->is_regular) return;
    print_offsets(k, &p, file);
    print_blocks(k, &p, file);
}
