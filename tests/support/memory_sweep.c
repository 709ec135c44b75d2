#include "memory_sweep.h"

#include "share.h"
#include <inttypes.h>

/* A share of a sweep has as many failures each way. */
enum { LEAST = 7 };

void trial_arm(trial *t)
{
    memory_arm(&t->memory, t->fault, t->fail_at);
}

void trial_open(trial *t)
{
    dae_status st;
    TRIAL_SILENT(t, st, dae_diagnostics_create(&t->memory.allocator, &t->ds));
    CHECK_STATUS(st, DAE_OK);
}

static bool is_about_memory(const dae_diagnostic *d)
{
    return strcmp(d->code, "E0003") == 0;
}

static bool is_explained(const trial *t)
{
    for (size_t i = 0; i < dae_diagnostics_count(t->ds); i++)
        if (is_about_memory(dae_diagnostics_at(t->ds, i))) return true;
    /* there was none for the explanation either */
    return t->fault == MEMORY_FAILS_ON && dae_diagnostics_lost(t->ds) > 0;
}

static void print_place(const trial *t)
{
    if (t->fail_at != SIZE_MAX)
        print_error("%s, call %zu fails%s: ", t->name, t->fail_at,
            t->fault == MEMORY_FAILS_ON ? " and all after it" : "");
    else print_error("%s, no call fails: ", t->name);
}

bool trial_refused(trial *t, dae_status st, bool is_silent)
{
    if (st != DAE_MEMORY) return false;
    if (t->memory.failures == 0 || (!is_silent && !is_explained(t))) {
        print_place(t);
        fail_msg("out of memory, %s",
            t->memory.failures ? "unexplained" : "and there was no failure");
    }
    memory_heal(&t->memory);
    t->refusals++;
    return true;
}

static void add(text_sink *s, const char *text)
{
    assert_int_equal(sink_write(s, text, strlen(text)), 0);
}

void trial_text(trial *t, const char *text)
{
    add(&t->answer, text);
    add(&t->answer, "\n");
}

void trial_note(trial *t, const char *what, dae_status st)
{
    add(&t->answer, what);
    add(&t->answer, ": ");
    trial_text(t, dae_status_text(st));
}

void trial_values(trial *t, const double *values, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        uint64_t bits;
        char text[24];
        memcpy(&bits, &values[i], sizeof bits);
        snprintf(text, sizeof text, "%016" PRIx64, bits);
        trial_text(t, text);
    }
}

/* ---- what was told ---- */

static void add_diagnostic(trial *t, const dae_diagnostic *d)
{
    char place[64];
    const dae_span *at = d->span_count ? d->spans : NULL;
    snprintf(place, sizeof place, "%s %u:%u ", d->code, at ? at->line : 0,
        at ? at->column : 0);
    add(&t->told, place);
    add(&t->told, d->message);
    add(&t->told, "\n");
    for (uint32_t i = 0; i < d->span_count; i++) {
        const dae_span *s = &d->spans[i];
        snprintf(place, sizeof place, "%u:%u ", s->line, s->column);
        add(&t->details, place);
        add(&t->details, s->text ? s->text : "?");
        add(&t->details, s->label ? s->label : "");
        add(&t->details, "\n");
    }
    add(&t->details, d->help ? d->help : "");
    add(&t->details, d->equation ? d->equation : "");
    add(&t->details, d->variable ? d->variable : "");
    add(&t->details, "\n");
}

static void close_diagnostics(trial *t)
{
    t->lost = dae_diagnostics_lost(t->ds);
    for (size_t i = 0; i < dae_diagnostics_count(t->ds); i++) {
        const dae_diagnostic *d = dae_diagnostics_at(t->ds, i);
        if (!is_about_memory(d)) add_diagnostic(t, d);
    }
    dae_diagnostics_free(t->ds);
    t->ds = NULL;
}

/* Whether the lines of `part` are among those of `whole`. */
static bool is_part(const char *part, const char *whole)
{
    while (*part) {
        size_t length = strcspn(part, "\n") + 1;
        const char *p = whole;
        while (*p && strncmp(p, part, length) != 0) p += strcspn(p, "\n") + 1;
        if (!*p) return false;
        part += length;
    }
    return true;
}

/* ---- the sweep ---- */

static const char *text_of(const text_sink *s)
{
    return s->text ? s->text : "";
}

static void clear(trial *t)
{
    free(t->answer.text);
    free(t->told.text);
    free(t->details.text);
}

static void run(trial *t, const char *name, memory_fault fault, size_t fail_at,
    trial_fn *work, const void *what)
{
    *t = (trial){.name = name, .fault = fault, .fail_at = fail_at};
    memory_init(&t->memory);
    work(t, what);
    close_diagnostics(t);
}

static const char *fault_of(const trial *t, const trial *healthy)
{
    if (t->memory.blocks) return "memory is lost";
    if (t->memory.mistold) return "a block is given back with another size";
    if (strcmp(text_of(&t->answer), text_of(&healthy->answer)) != 0)
        return "the answer differs";
    if (t->lost > 0)
        return is_part(text_of(&t->told), text_of(&healthy->told))
            ? NULL
            : "what is told is not true";
    if (strcmp(text_of(&t->told), text_of(&healthy->told)) != 0)
        return "something else is told";
    if (strcmp(text_of(&t->details), text_of(&healthy->details)) != 0)
        return "labels or helps differ";
    return NULL;
}

static void print_pair(const char *what, const char *got, const char *wanted)
{
    if (strcmp(got, wanted) == 0) return;
    print_error("%s:\n%swithout failures:\n%s", what, got, wanted);
}

static void check(const trial *t, const trial *healthy)
{
    const char *fault = fault_of(t, healthy);
    if (!fault) return;
    print_place(t);
    print_error("%s\n", fault);
    print_pair("answer", text_of(&t->answer), text_of(&healthy->answer));
    print_pair("told", text_of(&t->told), text_of(&healthy->told));
    print_pair("details", text_of(&t->details), text_of(&healthy->details));
    fail();
}

size_t memory_sweep(const char *name, trial_fn *work, const void *what)
{
    return memory_sweep_some(name, work, what, SIZE_MAX);
}

size_t memory_sweep_some(
    const char *name, trial_fn *work, const void *what, size_t most)
{
    static const memory_fault faults[] = {MEMORY_FAILS_ONCE, MEMORY_FAILS_ON};
    size_t runs = 0, refusals = 0;
    trial healthy;
    run(&healthy, name, MEMORY_FAILS_ONCE, SIZE_MAX, work, what);
    check(&healthy, &healthy);
    assert_int_equal(healthy.lost + healthy.refusals, 0);
    const size_t calls = healthy.memory.calls;
    const size_t chosen = test_shared(calls < most ? calls : most, LEAST);
    const size_t share = 1 + (chosen < calls ? calls / chosen : 0);
    for (size_t k = 0; k < 2; k++) {
        bool is_met = true;
        for (size_t n = 0; is_met; n++) {
            const size_t call = memory_choose(name, faults[k], share, n);
            trial t;
            run(&t, name, faults[k], call, work, what);
            check(&t, &healthy);
            is_met = t.memory.failures > 0;
            runs += is_met;
            refusals += t.refusals;
            clear(&t);
        }
    }
    clear(&healthy);
    /* a call that fails is not always one that is missed */
    if (refusals == 0) fail_msg("%s: memory never ran out", name);
    return runs;
}
