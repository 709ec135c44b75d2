#include "findings.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { NAME_ROOM = 64, FORMULA_ROOM = 256, FORMULA_LIMIT = 240 };

/* FNV-1a. */
static int add_bytes(void *context, const char *bytes, size_t count)
{
    uint64_t *hash = context;
    for (size_t k = 0; k < count; k++)
        *hash = (*hash ^ (unsigned char)bytes[k]) * UINT64_C(1099511628211);
    return 0;
}

static void add_integer(uint64_t *hash, int64_t value)
{
    (void)add_bytes(hash, (const char *)&value, sizeof value);
}

/* NaNs are all the same. */
static void add_double(uint64_t *hash, double value)
{
    const double plain = isnan(value) ? 0.5 : value;
    add_integer(hash, isnan(value) != 0);
    (void)add_bytes(hash, (const char *)&plain, sizeof plain);
}

static void add_text(uint64_t *hash, const char *text)
{
    if (text) (void)add_bytes(hash, text, strlen(text) + 1);
    else add_integer(hash, -1);
}

static void add_equation(uint64_t *hash, const dae_model *m, size_t i)
{
    char text[NAME_ROOM];
    (void)dae_model_equation_name(m, i, text, sizeof text);
    add_text(hash, text);
    add_integer(hash, dae_model_equation_line(m, i));
}

static void add_unknown(uint64_t *hash, const dae_model *m, size_t j)
{
    char text[NAME_ROOM];
    (void)dae_model_unknown_name(m, j, text, sizeof text);
    add_text(hash, text);
    add_integer(hash, dae_model_unknown_line(m, j));
}

/* ---- structure --------------------------------------------------------------- */

static void add_structure(
    uint64_t *hash, const dae_model *m, const dae_structure *s)
{
    add_integer(hash, s->is_regular);
    add_integer(hash, s->index);
    add_integer(hash, s->degrees_of_freedom);
    for (size_t i = 0; i < s->rows; i++) {
        if (i < dae_model_equation_count(m)) add_equation(hash, m, i);
        add_integer(hash, s->matching.column_of[i]);
        add_integer(hash, s->matching.row_part[i]);
        if (s->is_regular) add_integer(hash, s->c[i]);
    }
    for (size_t j = 0; j < s->columns; j++) {
        if (j < dae_model_unknown_count(m)) add_unknown(hash, m, j);
        add_integer(hash, s->matching.column_part[j]);
        if (s->is_regular) add_integer(hash, s->d[j]);
    }
    for (size_t b = 0; b < s->fine_count; b++) {
        add_integer(hash, s->fine[b].end);
        add_integer(hash, s->fine[b].index);
    }
}

typedef dae_status witness_fn(const dae_incidence *pattern,
    const dae_matching *m, const dae_allocator *allocator, dae_witness *out);

static bool add_witness(uint64_t *hash, harness *h, const dae_analysis *a,
    witness_fn *find, bool is_excess)
{
    const dae_signature *g = a->signature;
    const dae_incidence pattern = {
        g->rows, g->columns, g->column_start, g->row};
    dae_witness w = {.rows = malloc((g->rows + 1) * sizeof(int32_t)),
        .columns = malloc((g->columns + 1) * sizeof(int32_t))};
    if (!w.rows || !w.columns) abort();
    const dae_status st = find(
        &pattern, &a->structure->matching, &h->allocator, &w);
    harness_require(!st || st == DAE_MEMORY, "a witness is found");
    if (!st && w.row_count + w.column_count > 0)
        harness_require(is_excess ? w.row_count == w.column_count + 1
                                  : w.column_count == w.row_count + 1,
            "a witness is too large by one");
    for (size_t k = 0; !st && k < w.row_count; k++)
        add_integer(hash, w.rows[k]);
    for (size_t k = 0; !st && k < w.column_count; k++)
        add_integer(hash, w.columns[k]);
    free(w.rows);
    free(w.columns);
    return !st;
}

/* ---- hidden constraints ------------------------------------------------------ */

typedef struct formula {
    char text[FORMULA_ROOM];
    size_t length;
} formula;

static int take_formula(void *context, const char *text, size_t length)
{
    formula *f = context;
    harness_require(length <= sizeof f->text - 1 - f->length,
        "a formula keeps to the limit of its length");
    memcpy(f->text + f->length, text, length);
    f->length += length;
    f->text[f->length] = '\0';
    return 0;
}

static bool ends_cut(const formula *f)
{
    return f->length >= 4 && strcmp(f->text + f->length - 4, " ...") == 0;
}

static void read_back(harness *h, const formula *f)
{
    dae_diagnostics *ds;
    if (ends_cut(f) || dae_diagnostics_create(&h->allocator, &ds)) return;
    const dae_status st = dae_format_text("formula.dae", f->text, f->length,
        &h->allocator, ds, harness_discard, NULL);
    dae_diagnostics_free(ds);
    harness_require(!st || st == DAE_MEMORY, "a formula reads back");
}

static bool add_formula(uint64_t *hash, harness *h, const dae_model *m,
    const dae_analysis *a, const dae_hidden *c)
{
    const dae_repair *r = c->repair >= 0 ? &a->repairs[c->repair] : NULL;
    const dae_term plain = {c->equation, 0, 1};
    formula f = {.length = 0};
    if (r && r->term_count == 0) return true;
    const dae_status st = dae_model_formula(m, r ? r->terms : &plain,
        r ? r->term_count : 1, r ? r->independent : NULL,
        r ? r->independent_count : 0, c->differentiated, 1, FORMULA_LIMIT,
        take_formula, &f);
    harness_require(!st || st == DAE_UNSUPPORTED || st == DAE_MEMORY,
        "a hidden constraint has a formula or none");
    if (!st) read_back(h, &f);
    add_integer(hash, st);
    if (!st) add_text(hash, f.text);
    return st != DAE_MEMORY;
}

static bool add_hidden(
    uint64_t *hash, harness *h, const dae_model *m, const dae_analysis *a)
{
    for (size_t r = 0; r < a->repair_count; r++)
        add_text(hash, a->repairs[r].text);
    for (size_t k = 0; k < a->hidden_count; k++) {
        const dae_hidden *c = &a->hidden[k];
        if (harness_stop(h)) return false;
        add_equation(hash, m, (size_t)c->equation);
        add_integer(hash, c->differentiated);
        add_integer(hash, c->restricts_start);
        add_integer(hash, c->determines.unknown);
        add_integer(hash, c->determines.order);
        if (!add_formula(hash, h, m, a, c)) return false;
    }
    return true;
}

/* ---- the start --------------------------------------------------------------- */

static void add_slots(
    uint64_t *hash, const dae_model *m, const dae_slot *slots, size_t count)
{
    add_integer(hash, (int64_t)count);
    for (size_t k = 0; k < count; k++) {
        const size_t j = (size_t)slots[k].unknown;
        if (j < dae_model_unknown_count(m)) add_unknown(hash, m, j);
        add_integer(hash, slots[k].unknown);
        add_integer(hash, slots[k].order);
    }
}

static void add_parties(
    uint64_t *hash, const dae_model *m, const dae_party *list, size_t count)
{
    const dae_problem *p = dae_model_problem(m);
    char text[NAME_ROOM];
    add_integer(hash, (int64_t)count);
    for (size_t k = 0; k < count; k++) {
        const dae_party *party = &list[k];
        const size_t index = (size_t)party->index;
        if (party->kind == DAE_PARTY_EQUATION) {
            add_equation(hash, m, index);
        } else if (party->kind == DAE_PARTY_CONDITION) {
            (void)p->name(
                p->self, DAE_NAME_CONDITION, index, text, sizeof text);
            add_text(hash, text);
            add_integer(hash, dae_model_condition_line(m, index));
        } else if (index < dae_model_unknown_count(m)) {
            add_unknown(hash, m, index);
            add_integer(hash, dae_model_start_line(m, index, party->order));
        }
        add_integer(hash, party->order);
        add_double(hash, party->residual);
        add_double(hash, party->wanted);
    }
}

static void add_start(
    uint64_t *hash, const dae_model *m, const dae_start_findings *s)
{
    const size_t n = dae_model_problem(m)->unknown_count;
    add_integer(hash, s->verdict);
    add_integer(hash, (int64_t)s->missing);
    add_integer(hash, s->iterations);
    add_double(hash, s->residual);
    add_slots(hash, m, s->given, s->given_count);
    add_slots(hash, m, s->could_fix, s->could_fix_count);
    add_slots(hash, m, s->undetermined, s->undetermined_count);
    add_parties(hash, m, s->redundant, s->redundant_count);
    add_parties(hash, m, s->conflicts, s->conflict_count);
    for (size_t k = 0; s->values && k < s->value_first[n]; k++)
        add_double(hash, s->values[k]);
}

bool findings_digest(
    harness *h, const dae_model *model, const dae_analysis *a, uint64_t *out)
{
    *out = UINT64_C(14695981039346656037);
    add_integer(out, a->verdict);
    add_integer(out, a->certificate);
    add_integer(out, a->index);
    add_integer(out, a->degrees_of_freedom);
    add_structure(out, model, a->structure);
    add_slots(out, model, a->loose, a->loose_count);
    add_parties(out, model, a->dependent, a->dependent_count);
    add_start(out, model, &a->start);
    if (!a->structure->is_regular)
        return add_witness(out, h, a, dae_structure_excess, true)
            && add_witness(out, h, a, dae_structure_shortage, false);
    for (size_t b = 0; a->blocks && b < a->repaired->fine_count; b++)
        add_integer(out, a->blocks[b]);
    return add_hidden(out, h, model, a);
}

bool findings_digest_told(const dae_diagnostics *ds, uint64_t *out)
{
    *out = UINT64_C(14695981039346656037);
    add_integer(out, (int64_t)dae_diagnostics_error_count(ds));
    for (size_t i = 0; i < dae_diagnostics_count(ds); i++) {
        const dae_status st = dae_diagnostic_render(
            dae_diagnostics_at(ds, i), 0, add_bytes, out);
        harness_require(!st, "a diagnostic can be rendered");
    }
    return dae_diagnostics_lost(ds) == 0;
}
