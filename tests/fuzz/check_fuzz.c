/* Any bytes as a model, and where it compiles: what `dae check` finds, within
 * limits of memory and time. The same text again says the same, and so it does
 * with its lines in reverse, to the last bit. */
#include "claims.h"
#include "findings.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LINES_MOST = 40 };

/* A text with what was found out about it. */
typedef struct finding {
    dae_model *model;
    dae_analysis *analysis;
    dae_diagnostics *ds;
    bool is_whole; /* nothing was lost for memory or time */
    uint64_t digest, told;
} finding;

/* As the command takes them from the `solve` line. */
static dae_analysis_options choose_options(harness *h, const dae_model *model)
{
    const dae_settings *s = dae_model_settings(model);
    const dae_options usual = dae_options_default();
    return (dae_analysis_options){.rtol = s->rtol > 0 ? s->rtol : usual.rtol,
        .atol = s->atol > 0 ? s->atol : usual.atol,
        .interrupt = harness_stop,
        .interrupt_context = h};
}

static void look(harness *h, finding *f)
{
    const dae_analysis_options options = choose_options(h, f->model);
    claims_check(f->model, f->analysis);
    claims_check_told(f->analysis, f->ds);
    claims_check_start(f->model, f->analysis, &options);
    f->is_whole = findings_digest(h, f->model, f->analysis, &f->digest);
    if (!findings_digest_told(f->ds, &f->told)) f->is_whole = false;
}

static void check_failure(const finding *f, dae_status st)
{
    if (!st || st == DAE_INTERRUPTED || st == DAE_MEMORY) return;
    harness_require(dae_diagnostics_error_count(f->ds) > 0,
        "a failure comes with an error");
}

/* The reason for E0301 and E0302 names lines of the text. */
static void check_singular(const dae_singular *s)
{
    const dae_singular_part *parts[] = {&s->over, &s->under};
    for (size_t p = 0; p < 2; p++)
        harness_require(parts[p]->equation_witness <= parts[p]->equation_count
                && parts[p]->unknown_witness <= parts[p]->unknown_count,
            "a witness is part of its part");
}

static dae_status compile(harness *h, finding *f, const char *text, size_t size)
{
    dae_singular *singular = NULL;
    const dae_model_options options = {.memory_limit = HARNESS_MEMORY / 8,
        .interrupt = harness_stop,
        .interrupt_context = h,
        .singular = &singular,
        .canonical = 1};
    const dae_status st = dae_model_parse(
        "f.dae", text, size, &options, &h->allocator, f->ds, &f->model);
    if (singular) check_singular(singular);
    dae_singular_free(singular);
    return st;
}

/* False: there is no analysis. */
static bool find(harness *h, finding *f, const char *text, size_t size)
{
    *f = (finding){.is_whole = false};
    if (dae_diagnostics_create(&h->allocator, &f->ds)) return false;
    dae_status st = compile(h, f, text, size);
    check_failure(f, st);
    if (st || dae_model_problem(f->model)->unknown_count == 0) return false;
    const dae_analysis_options options = choose_options(h, f->model);
    st = dae_analyse(dae_model_problem(f->model), &options, &h->allocator,
        f->ds, &f->analysis);
    check_failure(f, st);
    harness_require(!st == (f->analysis != NULL), "an analysis or a failure");
    if (f->analysis) look(h, f);
    return f->analysis != NULL;
}

static void drop(finding *f)
{
    dae_analysis_free(f->analysis);
    dae_model_free(f->model);
    dae_diagnostics_free(f->ds);
}

/* The same text at other addresses. */
static void check_again(
    harness *h, const finding *first, const char *text, size_t size)
{
    finding f;
    if (find(h, &f, text, size) && f.is_whole)
        harness_require(f.digest == first->digest && f.told == first->told,
            "the same text is the same analysis");
    drop(&f);
}

/* ---- another order ----------------------------------------------------------- */

/* A statement by itself, or nothing. */
static bool is_statement(harness *h, const char *line, size_t length)
{
    dae_diagnostics *ds;
    if (dae_diagnostics_create(&h->allocator, &ds)) return false;
    const dae_status st = dae_format_text(
        "line.dae", line, length, &h->allocator, ds, harness_discard, NULL);
    dae_diagnostics_free(ds);
    return !st;
}

/* The lines of `text` from the last to the first; NULL where one of them is no
 * statement. To be freed. */
static char *reverse_lines(
    harness *h, const char *text, size_t size, size_t *length)
{
    char *to = malloc(size + 1);
    size_t end = size, count = 0;
    bool is_fine = true;
    if (!to) abort();
    *length = 0;
    while (is_fine && end > 0) {
        size_t begin = end - (text[end - 1] == '\n');
        while (begin > 0 && text[begin - 1] != '\n') begin--;
        const size_t own = end - begin - (text[end - 1] == '\n');
        is_fine = count++ < LINES_MOST && is_statement(h, text + begin, own);
        memcpy(to + *length, text + begin, own);
        *length += own;
        if (*length < size) to[(*length)++] = '\n';
        end = begin;
    }
    if (is_fine) return to;
    free(to);
    return NULL;
}

/* Of two guesses for one value the later counts: then the order is part of what
 * is said. The tables hold no other trace of it. */
static bool is_same_start(const dae_problem *p, const dae_problem *q)
{
    const size_t states = dae_problem_state_count(p);
    const size_t size = states * sizeof *p->start->x;
    const size_t own = p->unknown_count * sizeof *p->start->xp;
    return memcmp(p->start->x, q->start->x, size) == 0
        && memcmp(p->start->xp, q->start->xp, own) == 0;
}

static void compare_starts(const dae_start_findings *s,
    const dae_start_findings *other, size_t unknowns)
{
    harness_require(s->verdict == other->verdict,
        "the order of lines does not change the verdict on the start");
    harness_require(s->missing == other->missing
            && s->given_count == other->given_count
            && s->redundant_count == other->redundant_count
            && s->conflict_count == other->conflict_count
            && s->could_fix_count == other->could_fix_count
            && s->undetermined_count == other->undetermined_count
            && s->iterations == other->iterations,
        "the order of lines does not change what is found about the start");
    harness_require(!s->values == !other->values, "values in both orders");
    if (!s->values) return;
    const size_t count = s->value_first[unknowns];
    for (size_t k = 0; k < count; k++)
        harness_require(
            memcmp(&s->values[k], &other->values[k], sizeof *s->values) == 0
                || (isnan(s->values[k]) && isnan(other->values[k])),
            "the order of lines does not change a bit of the values");
}

static void compare(const finding *f, const finding *g)
{
    const dae_problem *p = dae_model_problem(f->model);
    const dae_problem *q = dae_model_problem(g->model);
    const dae_analysis *a = f->analysis, *b = g->analysis;
    harness_require(p->unknown_count == q->unknown_count,
        "the order of lines does not change the number of unknowns");
    if (!is_same_start(p, q)) return;
    harness_require(a->verdict == b->verdict && a->certificate == b->certificate
            && a->index == b->index
            && a->degrees_of_freedom == b->degrees_of_freedom
            && a->structural_index == b->structural_index
            && a->structural_freedom == b->structural_freedom,
        "the order of lines does not change the index");
    harness_require(a->repair_count == b->repair_count
            && a->hidden_count == b->hidden_count
            && a->loose_count == b->loose_count
            && a->dependent_count == b->dependent_count,
        "the order of lines does not change what is hidden");
    compare_starts(&a->start, &b->start, p->unknown_count);
}

static void check_reversed(
    harness *h, const finding *first, const char *text, size_t size)
{
    finding f;
    size_t length;
    char *other = reverse_lines(h, text, size, &length);
    if (!other) return;
    if (find(h, &f, other, length) && f.is_whole) compare(first, &f);
    drop(&f);
    free(other);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *text = (const char *)data;
    harness h;
    finding f;
    if (!harness_start(&h)) return 0;
    const bool is_found = find(&h, &f, text, size);
    /* texts that do not compile are for the target `compile` to keep */
    if (!f.model) harness_forget_reached();
    if (is_found && f.is_whole && !harness_stop(&h)) {
        check_again(&h, &f, text, size);
        if (!harness_stop(&h)) check_reversed(&h, &f, text, size);
    }
    drop(&f);
    harness_finish(&h);
    return 0;
}
