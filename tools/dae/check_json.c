#include "check_json.h"
#include "check_hidden_constraints.h"
#include "check_names.h"
#include <math.h>

static void put_count(json *j, const char *key, int64_t value)
{
    json_key(j, key);
    if (value >= 0) json_integer(j, value);
    else json_string(j, NULL);
}

static void put_flag(json *j, const char *key, bool value)
{
    json_key(j, key);
    json_boolean(j, value);
}

static void put_line(json *j, uint32_t line)
{
    if (line) json_key(j, "line"), json_integer(j, line);
}

/* ---- structure --------------------------------------------------------------
 */

static void put_named(
    json *j, const char *key, const dae_named *list, size_t count)
{
    json_key(j, key);
    json_begin_array(j);
    for (size_t k = 0; k < count; k++) {
        json_begin_object(j);
        json_key(j, "name"), json_string(j, list[k].name);
        put_line(j, list[k].line);
        json_end_object(j);
    }
    json_end_array(j);
}

static void put_part(json *j, const char *key, const dae_singular_part *part)
{
    json_key(j, key);
    json_begin_object(j);
    put_named(j, "equations", part->equations, part->equation_count);
    put_named(j, "unknowns", part->unknowns, part->unknown_count);
    json_end_object(j);
}

static void put_singular(const check *k, json *j)
{
    json_key(j, "singular");
    if (!k->singular) {
        json_string(j, NULL);
        return;
    }
    json_begin_object(j);
    put_part(j, "overdetermined", &k->singular->over);
    put_part(j, "underdetermined", &k->singular->under);
    json_end_object(j);
}

/* Offsets by name, in the model's order. */
static void put_offsets(const check *k, json *j, phrase *name)
{
    const dae_structure *s = k->analysis ? k->analysis->repaired : NULL;
    const bool is_known = s && s->is_regular;
    json_key(j, "equation_offsets");
    json_begin_object(j);
    for (size_t i = 0; is_known && i < dae_model_equation_count(k->model);
         i++) {
        const size_t at = (size_t)k->equation_at[i];
        phrase_empty(name);
        check_put_equation(k, at, 0, name);
        json_key(j, phrase_text(name)), json_integer(j, s->c[at]);
    }
    json_end_object(j);
    json_key(j, "variable_offsets");
    json_begin_object(j);
    for (size_t i = 0; is_known && i < dae_model_unknown_count(k->model); i++) {
        const size_t at = (size_t)k->unknown_at[i];
        phrase_empty(name);
        check_put_slot(k, at, 0, name);
        json_key(j, phrase_text(name)), json_integer(j, s->d[at]);
    }
    json_end_object(j);
}

static void put_block(const check *k, const dae_structure *s,
    const dae_block *b, json *j, phrase *name)
{
    json_begin_object(j);
    json_key(j, "equations");
    json_begin_array(j);
    for (int32_t p = b->begin; p < b->end; p++) {
        const size_t i = (size_t)s->row_at[k->evaluated[p]];
        if (!check_shows_equation(k, i)) continue;
        phrase_empty(name);
        check_put_equation(k, i, 0, name);
        json_string(j, phrase_text(name));
    }
    json_end_array(j);
    json_key(j, "unknowns");
    json_begin_array(j);
    for (int32_t p = b->begin; p < b->end; p++) {
        const size_t u = (size_t)s->column_at[k->evaluated[p]];
        if (!check_shows_unknown(k, u)) continue;
        phrase_empty(name);
        check_put_slot(k, u, 0, name);
        json_string(j, phrase_text(name));
    }
    json_end_array(j);
    put_count(j, "index", b->index);
    put_count(j, "degrees_of_freedom", b->degrees_of_freedom);
    json_end_object(j);
}

static void put_blocks(const check *k, json *j, phrase *name)
{
    const dae_structure *s = k->analysis ? k->analysis->repaired : NULL;
    json_key(j, "blocks");
    json_begin_array(j);
    for (size_t b = 0; s && b < s->fine_count; b++)
        if (check_shows_block(k, s, &s->fine[b]))
            put_block(k, s, &s->fine[b], j, name);
    json_end_array(j);
}

/* What has a factor 0 and would count otherwise. */
static void put_zeros(const check *k, json *j, phrase *name)
{
    const dae_analysis *a = k->analysis;
    json_key(j, "zeros");
    json_begin_array(j);
    for (size_t z = 0; a && z < a->zero_count; z++) {
        const dae_zero *zero = &a->zeros[z];
        json_begin_object(j);
        json_key(j, "equation");
        phrase_empty(name);
        check_put_equation(k, (size_t)zero->equation, 0, name);
        json_string(j, phrase_text(name));
        json_key(j, "unknown");
        phrase_empty(name);
        check_put_slot(k, (size_t)zero->slot.unknown, zero->slot.order, name);
        json_string(j, phrase_text(name));
        put_flag(j, "by_param", !zero->varies);
        json_end_object(j);
    }
    json_end_array(j);
}

static void put_structure(const check *k, json *j, phrase *name)
{
    const dae_analysis *a = k->analysis;
    json_key(j, "structure");
    if (!a && !k->singular) {
        json_string(j, NULL);
        return;
    }
    json_begin_object(j);
    put_flag(j, "regular", a && a->structure->is_regular);
    put_count(j, "index", check_index(k));
    put_count(j, "structural_index",
        a && a->structure->is_regular ? a->structural_index : -1);
    put_flag(j, "certified", check_is_certified(k));
    json_key(j, "repairs");
    json_begin_array(j);
    for (size_t r = 0; a && r < a->repair_count; r++)
        json_string(j, a->repairs[r].text);
    json_end_array(j);
    put_zeros(k, j, name);
    put_flag(j, "high_index", check_index(k) > 1);
    put_count(j, "degrees_of_freedom", check_freedom(k));
    put_offsets(k, j, name);
    put_blocks(k, j, name);
    put_singular(k, j);
    json_end_object(j);
}

/* ---- the start
 * ------------------------------------------------------------------ */

static void put_slots(const check *k, const char *key, const dae_slot *slots,
    size_t count, json *j, phrase *name)
{
    json_key(j, key);
    json_begin_array(j);
    for (size_t i = 0; i < count; i++) {
        if (!check_shows_slot(k, slots[i])) continue;
        phrase_empty(name);
        check_put_slot(k, (size_t)slots[i].unknown, slots[i].order, name);
        json_string(j, phrase_text(name));
    }
    json_end_array(j);
}

/* Values by their slots, then general conditions. */
static void put_given(const check *k, json *j, phrase *name)
{
    const dae_start_findings *s = &k->analysis->start;
    json_key(j, "given");
    json_begin_array(j);
    for (size_t i = 0; i < s->given_count + s->condition_count; i++) {
        const bool is_value = i < s->given_count;
        const dae_party condition = {.kind = DAE_PARTY_CONDITION,
            .index = is_value ? 0 : k->condition_at[i - s->given_count]};
        phrase_empty(name);
        if (is_value)
            check_put_slot(
                k, (size_t)s->given[i].unknown, s->given[i].order, name);
        else check_put_party(k, &condition, name);
        json_string(j, phrase_text(name));
    }
    json_end_array(j);
}

static void put_redundant(const check *k, json *j, phrase *name)
{
    const dae_start_findings *s = &k->analysis->start;
    json_key(j, "redundant");
    json_begin_array(j);
    for (size_t i = 0; i < s->redundant_count; i++) {
        phrase_empty(name);
        check_put_party(k, &s->redundant[i], name);
        json_string(j, phrase_text(name));
    }
    json_end_array(j);
}

/* What is left of a row and what its sides are; what a value should be; a bound. */
static void put_numbers(const dae_party *party, json *j)
{
    if (check_is_bound(party)) {
        json_key(j, "bound");
        json_string(
            j, party->kind == DAE_PARTY_MINIMUM ? "minimum" : "maximum");
        json_key(j, "value"), json_number(j, party->residual);
        return;
    }
    if (party->kind == DAE_PARTY_VALUE) {
        if (isfinite(party->wanted))
            json_key(j, "wanted"), json_number(j, party->wanted);
        return;
    }
    json_key(j, "residual"), json_number(j, party->residual);
    if (!isfinite(party->left) || !isfinite(party->right)) return;
    json_key(j, "left"), json_number(j, party->left);
    json_key(j, "right"), json_number(j, party->right);
}

static void put_parties(const check *k, const char *key, const dae_party *list,
    size_t count, json *j, phrase *name)
{
    json_key(j, key);
    json_begin_array(j);
    for (size_t i = 0; i < count; i++) {
        const dae_party *party = &list[i];
        phrase_empty(name);
        dae_party plain = *party;
        if (party->kind == DAE_PARTY_EQUATION) plain.order = 0;
        check_put_party(k, &plain, name);
        json_begin_object(j);
        json_key(j, "name"), json_string(j, phrase_text(name));
        put_line(j, check_party_line(k, party));
        if (party->kind == DAE_PARTY_EQUATION)
            put_count(j, "differentiated", party->order);
        put_numbers(party, j);
        json_end_object(j);
    }
    json_end_array(j);
}

/* An unknown of the block in which the search ended. */
static void put_stalled(
    const check *k, const dae_stalled *u, json *j, phrase *name)
{
    phrase_empty(name);
    check_put_slot(k, (size_t)u->slot.unknown, u->slot.order, name);
    json_begin_object(j);
    json_key(j, "name"), json_string(j, phrase_text(name));
    json_key(j, "guess"), json_number(j, u->guess);
    json_key(j, "value"), json_number(j, u->value);
    if (!isnan(u->minimum)) json_key(j, "minimum"), json_number(j, u->minimum);
    if (!isnan(u->maximum)) json_key(j, "maximum"), json_number(j, u->maximum);
    json_end_object(j);
}

/* Where no start was found: what is left of which equations, and where. */
static void put_stall(const check *k, json *j, phrase *name)
{
    const dae_start_findings *s = &k->analysis->start;
    if (s->stalled_count == 0) return;
    json_key(j, "stalled");
    json_begin_object(j);
    put_parties(k, "equations", s->left, s->left_count, j, name);
    json_key(j, "unknowns");
    json_begin_array(j);
    for (size_t i = 0; i < s->stalled_count; i++)
        put_stalled(k, &s->stalled[i], j, name);
    json_end_array(j);
    json_end_object(j);
}

static void put_values(const check *k, bool derivatives, json *j, phrase *name)
{
    const dae_start_findings *s = &k->analysis->start;
    const size_t count = s->values ? dae_model_unknown_count(k->model) : 0;
    json_key(j, derivatives ? "derivatives" : "values");
    json_begin_object(j);
    for (size_t i = 0; i < count; i++) {
        const size_t u = (size_t)k->unknown_at[i];
        const size_t first = s->value_first[u];
        const size_t slots = s->value_first[u + 1] - first;
        for (size_t o = derivatives; o < (derivatives ? slots : 1); o++) {
            phrase_empty(name);
            check_put_slot(k, u, (int64_t)o, name);
            json_key(j, phrase_text(name));
            json_number(j, s->values[first + o]);
        }
    }
    json_end_object(j);
}

static void put_initial(const check *k, json *j, phrase *name)
{
    static const char *const verdicts[] = {
        "consistent", "inconsistent", "underdetermined", "unsolved"};
    json_key(j, "initial");
    if (!k->analysis || k->analysis->start.verdict == DAE_START_UNKNOWN) {
        json_string(j, NULL);
        return;
    }
    const dae_start_findings *s = &k->analysis->start;
    json_begin_object(j);
    json_key(j, "verdict"), json_string(j, verdicts[s->verdict]);
    if (s->onward != DAE_ONWARD_SURE)
        json_key(j, "onward"), json_string(j, "open");
    put_count(j, "degrees_of_freedom", check_freedom(k));
    put_given(k, j, name);
    put_redundant(k, j, name);
    put_parties(k, "conflicts", s->conflicts, s->conflict_count, j, name);
    if (s->conflict_count)
        json_key(j, "proved"), json_boolean(j, s->conflict_is_proved);
    put_stall(k, j, name);
    put_count(j, "missing", (int64_t)s->missing);
    put_slots(k, "could_fix", s->could_fix, s->could_fix_count, j, name);
    put_values(k, false, j, name);
    put_values(k, true, j, name);
    put_slots(
        k, "undetermined", s->undetermined, s->undetermined_count, j, name);
    json_key(j, "residual"), json_number(j, s->residual);
    json_end_object(j);
}

bool check_json(const check *k, bool is_verbose, json *j)
{
    phrase name = {0};
    const dae_singular *s = k->singular;
    put_count(j, "equations",
        k->model ? (int64_t)dae_model_equation_count(k->model)
            : s  ? (int64_t)s->equations
                 : -1);
    put_count(j, "unknowns",
        k->model ? (int64_t)dae_model_unknown_count(k->model)
            : s  ? (int64_t)s->unknowns
                 : -1);
    put_structure(k, j, &name);
    check_json_hidden(k, is_verbose, j, &name);
    put_initial(k, j, &name);
    return phrase_done(&name);
}
