#include "check.h"
#include "console.h"
#include "memory.h"

bool check_shows_equation(const check *k, size_t i)
{
    return i < dae_model_equation_count(k->model);
}

bool check_shows_unknown(const check *k, size_t j)
{
    return j < dae_model_unknown_count(k->model);
}

bool check_shows_slot(const check *k, dae_slot slot)
{
    const size_t j = (size_t)slot.unknown;
    return check_shows_unknown(k, j)
        && slot.order <= dae_model_unknown_order(k->model, j);
}

bool check_shows_block(
    const check *k, const dae_structure *s, const dae_block *b)
{
    for (int32_t p = b->begin; p < b->end; p++)
        if (check_shows_equation(k, (size_t)s->row_at[p])
            || check_shows_unknown(k, (size_t)s->column_at[p]))
            return true;
    return false;
}

bool check_is_certified(const check *k)
{
    return dae_analysis_report(k->analysis).is_certified;
}

int64_t check_index(const check *k)
{
    return dae_analysis_report(k->analysis).index;
}

int64_t check_freedom(const check *k)
{
    return dae_analysis_report(k->analysis).degrees_of_freedom;
}

dae_status check_make(
    check *k, dae_run *r, bool skip_start, const limits *l, dae_diagnostics *ds)
{
    const double before = console_clock();
    *k = (check){.model = dae_run_model(r),
        .atol = dae_run_options(r)->atol,
        .t0 = dae_run_begin(r)};
    const dae_status st = dae_report_create(
        r, skip_start, &l->allocator, ds, &k->report);
    k->analysis = dae_report_analysis(k->report);
    k->singular = dae_report_singular(k->report);
    k->seconds = console_clock() - before;
    return st;
}

/* ---- names ---- */

/* A longer condition would not be read beside its name. */
enum { CONDITION_LENGTH = 60 };

/* Lists are cut here: the document of --json has everything. */
enum { MOST_NAMES = 8 };

const char *check_equation_name(const check *k, size_t i, int64_t order)
{
    return dae_name_equation_derivative(k->model, i, (int)order, memory_name());
}

const char *check_slot_name(const check *k, dae_slot slot)
{
    return dae_name_derivative(
        k->model, (size_t)slot.unknown, slot.order, memory_name());
}

const char *check_unknown_name(const check *k, size_t j)
{
    return dae_name_unknown(k->model, j, memory_name());
}

const char *check_party_name(const check *k, const dae_party *party)
{
    return dae_name_party(k->model, party, memory_name());
}

dae_party check_condition(const check *k, size_t i)
{
    return (dae_party){.kind = DAE_PARTY_CONDITION,
        .index = (int32_t)dae_report_condition_at(k->report, i)};
}

void check_put_party_text(const check *k, const dae_party *party, phrase *p)
{
    char text[CONDITION_LENGTH + 1];
    if (party->kind != DAE_PARTY_CONDITION) return;
    const size_t length = dae_model_condition_text(
        k->model, (size_t)party->index, text, sizeof text);
    if (length && length < sizeof text) phrase_add(p, " `%s`", text);
}

bool check_is_bound(const dae_party *party)
{
    return party->kind == DAE_PARTY_MINIMUM || party->kind == DAE_PARTY_MAXIMUM;
}

/* ---- lists of them ---- */

void check_put_slots(
    const check *k, const dae_slot *slots, size_t count, phrase *p)
{
    for (size_t i = 0; i < count && phrase_next(p, i, count, MOST_NAMES); i++)
        phrase_put(p, check_slot_name(k, slots[i]));
}

void check_put_parties(
    const check *k, const dae_party *parties, size_t count, phrase *p)
{
    for (size_t i = 0; i < count && phrase_next(p, i, count, MOST_NAMES); i++) {
        phrase_put(p, check_party_name(k, &parties[i]));
        check_put_party_text(k, &parties[i], p);
        const uint32_t line = dae_party_line(k->model, &parties[i]);
        if (line) phrase_add(p, " (line %u)", (unsigned)line);
    }
}
