/* dae check: what a model is, and whether its start is consistent. */
#include "check.h"
#include "command.h"
#include "console.h"
#include "report.h"
#include <math.h>

static void put_line(json *j, uint32_t line)
{
    if (line) json_integer(j, "line", line);
}

/* ---- structure ---- */
static void put_named(
    json *j, const char *key, const dae_named *list, size_t count)
{
    json_begin_array(j, key);
    for (size_t k = 0; k < count; k++) {
        json_begin_object(j, NULL);
        json_string(j, "name", list[k].name);
        put_line(j, list[k].line);
        json_end_object(j);
    }
    json_end_array(j);
}

static void put_part(json *j, const char *key, const dae_singular_part *part)
{
    json_begin_object(j, key);
    put_named(j, "equations", part->equations, part->equation_count);
    put_named(j, "unknowns", part->unknowns, part->unknown_count);
    json_end_object(j);
}

static void put_singular(const check *k, json *j)
{
    if (!k->singular) {
        json_string(j, "singular", NULL);
        return;
    }
    json_begin_object(j, "singular");
    put_part(j, "overdetermined", &k->singular->over);
    put_part(j, "underdetermined", &k->singular->under);
    json_end_object(j);
}

/* Offsets by name, in the model's order. */
static void put_offsets(const check *k, json *j)
{
    const dae_structure *s = k->analysis ? k->analysis->repaired : NULL;
    const bool is_known = s && s->is_regular;
    json_begin_object(j, "equation_offsets");
    for (size_t i = 0; is_known && i < dae_model_equation_count(k->model);
         i++) {
        const size_t at = dae_report_equation_at(k->report, i);
        json_integer(j, check_equation_name(k, at, 0), s->c[at]);
    }
    json_end_object(j);
    json_begin_object(j, "variable_offsets");
    for (size_t i = 0; is_known && i < dae_model_unknown_count(k->model); i++) {
        const size_t at = dae_report_unknown_at(k->report, i);
        json_integer(j, check_unknown_name(k, at), s->d[at]);
    }
    json_end_object(j);
}

static void put_block(
    const check *k, const dae_structure *s, const dae_block *b, json *j)
{
    json_begin_object(j, NULL);
    json_begin_array(j, "equations");
    for (int32_t p = b->begin; p < b->end; p++) {
        const size_t i =
            (size_t)s->row_at[dae_report_place_at(k->report, (size_t)p)];
        if (!check_shows_equation(k, i)) continue;
        json_string(j, NULL, check_equation_name(k, i, 0));
    }
    json_end_array(j);
    json_begin_array(j, "unknowns");
    for (int32_t p = b->begin; p < b->end; p++) {
        const size_t u =
            (size_t)s->column_at[dae_report_place_at(k->report, (size_t)p)];
        if (!check_shows_unknown(k, u)) continue;
        json_string(j, NULL, check_unknown_name(k, u));
    }
    json_end_array(j);
    json_count(j, "index", b->index);
    json_count(j, "degrees_of_freedom", b->degrees_of_freedom);
    json_end_object(j);
}

static void put_blocks(const check *k, json *j)
{
    const dae_structure *s = k->analysis ? k->analysis->repaired : NULL;
    json_begin_array(j, "blocks");
    for (size_t b = 0; s && b < s->fine_count; b++)
        if (check_shows_block(k, s, &s->fine[b]))
            put_block(k, s, &s->fine[b], j);
    json_end_array(j);
}

/* What has a factor 0 and would count otherwise. */
static void put_zeros(const check *k, json *j)
{
    const dae_analysis *a = k->analysis;
    json_begin_array(j, "zeros");
    for (size_t z = 0; a && z < a->zero_count; z++) {
        const dae_zero *zero = &a->zeros[z];
        json_begin_object(j, NULL);
        json_string(
            j, "equation", check_equation_name(k, (size_t)zero->equation, 0));
        json_string(j, "unknown", check_slot_name(k, zero->slot));
        json_boolean(j, "by_param", !zero->varies);
        json_end_object(j);
    }
    json_end_array(j);
}

static void put_structure(const check *k, json *j)
{
    const dae_analysis *a = k->analysis;
    if (!a && !k->singular) {
        json_string(j, "structure", NULL);
        return;
    }
    json_begin_object(j, "structure");
    json_boolean(j, "regular", a && a->structure->is_regular);
    json_count(j, "index", check_index(k));
    json_count(j, "structural_index",
        a && a->structure->is_regular ? a->structural_index : -1);
    json_boolean(j, "certified", check_is_certified(k));
    json_begin_array(j, "repairs");
    for (size_t r = 0; a && r < a->repair_count; r++)
        json_string(j, NULL, a->repairs[r].text);
    json_end_array(j);
    put_zeros(k, j);
    json_boolean(j, "high_index", check_index(k) > 1);
    json_count(j, "degrees_of_freedom", check_freedom(k));
    put_offsets(k, j);
    put_blocks(k, j);
    put_singular(k, j);
    json_end_object(j);
}

/* ---- the start ---- */

static void put_slots(const check *k, const char *key, const dae_slot *slots,
    size_t count, json *j)
{
    json_begin_array(j, key);
    for (size_t i = 0; i < count; i++) {
        if (!check_shows_slot(k, slots[i])) continue;
        json_string(j, NULL, check_slot_name(k, slots[i]));
    }
    json_end_array(j);
}

/* Values by their slots, then general conditions. */
static void put_given(const check *k, json *j)
{
    const dae_start_findings *s = &k->analysis->start;
    json_begin_array(j, "given");
    for (size_t i = 0; i < s->given_count; i++)
        json_string(j, NULL, check_slot_name(k, s->given[i]));
    for (size_t i = 0; i < s->condition_count; i++) {
        const dae_party condition = check_condition(k, i);
        json_string(j, NULL, check_party_name(k, &condition));
    }
    json_end_array(j);
}

static void put_redundant(const check *k, json *j)
{
    const dae_start_findings *s = &k->analysis->start;
    json_begin_array(j, "redundant");
    for (size_t i = 0; i < s->redundant_count; i++)
        json_string(j, NULL, check_party_name(k, &s->redundant[i]));
    json_end_array(j);
}

/* What is left of a row and what its sides are; what a value should be; a bound. */
static void put_numbers(const dae_party *party, json *j)
{
    if (check_is_bound(party)) {
        json_string(j, "bound",
            party->kind == DAE_PARTY_MINIMUM ? "minimum" : "maximum");
        json_number(j, "value", party->residual);
        return;
    }
    if (party->kind == DAE_PARTY_VALUE) {
        if (isfinite(party->wanted)) json_number(j, "wanted", party->wanted);
        return;
    }
    json_number(j, "residual", party->residual);
    if (!isfinite(party->left) || !isfinite(party->right)) return;
    json_number(j, "left", party->left);
    json_number(j, "right", party->right);
}

static void put_parties(const check *k, const char *key, const dae_party *list,
    size_t count, json *j)
{
    json_begin_array(j, key);
    for (size_t i = 0; i < count; i++) {
        const dae_party *party = &list[i];
        dae_party plain = *party;
        if (party->kind == DAE_PARTY_EQUATION) plain.order = 0;
        json_begin_object(j, NULL);
        json_string(j, "name", check_party_name(k, &plain));
        put_line(j, dae_party_line(k->model, party));
        if (party->kind == DAE_PARTY_EQUATION)
            json_count(j, "differentiated", party->order);
        put_numbers(party, j);
        json_end_object(j);
    }
    json_end_array(j);
}

/* An unknown of the block in which the search ended. */
static void put_stalled(const check *k, const dae_stalled *u, json *j)
{
    json_begin_object(j, NULL);
    json_string(j, "name", check_slot_name(k, u->slot));
    json_number(j, "guess", u->guess);
    json_number(j, "value", u->value);
    if (!isnan(u->minimum)) json_number(j, "minimum", u->minimum);
    if (!isnan(u->maximum)) json_number(j, "maximum", u->maximum);
    json_end_object(j);
}

/* Where no start was found: what is left of which equations, and where. */
static void put_stall(const check *k, json *j)
{
    const dae_start_findings *s = &k->analysis->start;
    if (s->stalled_count == 0) return;
    json_begin_object(j, "stalled");
    put_parties(k, "equations", s->left, s->left_count, j);
    json_begin_array(j, "unknowns");
    for (size_t i = 0; i < s->stalled_count; i++)
        put_stalled(k, &s->stalled[i], j);
    json_end_array(j);
    json_end_object(j);
}

static void put_values(const check *k, bool derivatives, json *j)
{
    const dae_start_findings *s = &k->analysis->start;
    const size_t count = s->values ? dae_model_unknown_count(k->model) : 0;
    json_begin_object(j, derivatives ? "derivatives" : "values");
    for (size_t i = 0; i < count; i++) {
        const size_t u = dae_report_unknown_at(k->report, i);
        const size_t first = s->value_first[u];
        const size_t slots = s->value_first[u + 1] - first;
        for (size_t o = derivatives; o < (derivatives ? slots : 1); o++) {
            json_number(j,
                check_slot_name(k, (dae_slot){(int32_t)u, (int32_t)o}),
                s->values[first + o]);
        }
    }
    json_end_object(j);
}

static void put_initial(const check *k, json *j)
{
    static const char *const verdicts[] = {
        "consistent", "inconsistent", "underdetermined", "unsolved"};
    if (!k->analysis || k->analysis->start.verdict == DAE_START_UNKNOWN) {
        json_string(j, "initial", NULL);
        return;
    }
    const dae_start_findings *s = &k->analysis->start;
    json_begin_object(j, "initial");
    json_string(j, "verdict", verdicts[s->verdict]);
    if (s->onward != DAE_ONWARD_SURE) json_string(j, "onward", "open");
    json_count(j, "degrees_of_freedom", check_freedom(k));
    put_given(k, j);
    put_redundant(k, j);
    put_parties(k, "conflicts", s->conflicts, s->conflict_count, j);
    if (s->conflict_count) json_boolean(j, "proved", s->conflict_is_proved);
    put_stall(k, j);
    json_count(j, "missing", (int64_t)s->missing);
    put_slots(k, "could_fix", s->could_fix, s->could_fix_count, j);
    put_values(k, false, j);
    put_values(k, true, j);
    put_slots(k, "undetermined", s->undetermined, s->undetermined_count, j);
    json_number(j, "residual", s->residual);
    json_end_object(j);
}

/* check_json: members "equations", "unknowns", "structure", "hidden_constraints", "initial",
 * as far as they are known; null where nothing is. `is_verbose`: all hidden constraints with
 * their formulas, however many there are. */
static void check_json(const check *k, bool is_verbose, json *j)
{
    const dae_singular *s = k->singular;
    json_count(j, "equations",
        k->model ? (int64_t)dae_model_equation_count(k->model)
            : s  ? (int64_t)s->equations
                 : -1);
    json_count(j, "unknowns",
        k->model ? (int64_t)dae_model_unknown_count(k->model)
            : s  ? (int64_t)s->unknowns
                 : -1);
    put_structure(k, j);
    check_json_hidden(k, is_verbose, j);
    put_initial(k, j);
}

/* ---- the command ---- */

static void put_document(session *s)
{
    char name[256];
    json j = json_on(stdout);
    json_begin_object(&j, NULL);
    session_name(s, s->args->paths.items[0], name, sizeof name);
    json_string(&j, "model", name);
    check_json(&s->check, s->args->verbose, &j);
    if (!s->args->no_times) report_json_seconds(&s->seconds, &j);
    check_json_changes(&s->check, &j);
    messages_json(&s->messages, &j);
    json_end_object(&j);
}

static void put_text(session *s)
{
    char name[256];
    session_name(s, s->args->paths.items[0], name, sizeof name);
    const check_view view = {.name = name,
        .status = s->status,
        .errors = messages_errors(&s->messages),
        .is_verbose = s->args->verbose};
    check_print(&s->check, &view, stdout);
    if (s->counts.held && !s->counts.failed && !s->counts.codes_missing)
        (void)printf(s->counts.held == 1 ? "\n%zu expectation holds\n"
                                         : "\n%zu expectations hold\n",
            s->counts.held);
}

exit_status cmd_check(const args *a)
{
    session s;
    if (session_open(&s, a, a->paths.items[0])) session_check(&s);
    session_explain_stop(&s);
    if (a->json) put_document(&s);
    else if (!a->quiet) put_text(&s);
    return session_end(&s);
}
