#include "why.h"
#include "memory.h"
#include "number.h"
#include "phrase.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { STATES_SHOWN = 10, NAME_SIZE = 200, SHARE_SIZE = 48 };

static const char *const limit_names[WHY_LIMITS] = {
    "error", "longest", "event", "newton"};

/* States are few, and ascend by their keys until why_finish. */
static dae_status count_state(why_log *w, int64_t key)
{
    size_t low = 0, high = w->state_count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (w->states[middle].key < key) low = middle + 1;
        else high = middle;
    }
    if (low == w->state_count || w->states[low].key != key) {
        if (!memory_grow(
                &w->states, w->state_count, &w->capacity, sizeof *w->states))
            return DAE_MEMORY;
        memmove(w->states + low + 1, w->states + low,
            (w->state_count++ - low) * sizeof *w->states);
        w->states[low] = (why_state){key, 0};
    }
    w->states[low].steps++;
    return DAE_OK;
}

static why_limit limit_of(dae_run *r, bool is_solved)
{
    if (dae_solver_stands_at_event(dae_run_solver(r))) return WHY_EVENT;
    if (!is_solved) return WHY_NEWTON;
    /* rounding of a difference of two times */
    const double h = fabs(dae_solver_last_step(dae_run_solver(r)));
    const double longest = dae_solver_longest_step(dae_run_solver(r));
    return h >= longest * (1 - 1e-9) ? WHY_LONGEST : WHY_ERROR;
}

dae_status why_note(why_log *w, dae_run *r)
{
    const dae_stats *s = dae_solver_stats(dae_run_solver(r));
    const int64_t unsolved = s->convergence_failures + s->nonfinite_failures;
    const why_limit limit = limit_of(r, unsolved == w->unsolved);
    w->unsolved = unsolved;
    w->steps++;
    w->limited[limit]++;
    const int64_t key = dae_solver_largest_error(dae_run_solver(r), NULL);
    return limit == WHY_ERROR && key >= 0 ? count_state(w, key) : DAE_OK;
}

static int by_steps(const void *a, const void *b)
{
    const why_state *x = a, *y = b;
    if (x->steps != y->steps) return x->steps < y->steps ? 1 : -1;
    return (x->key > y->key) - (x->key < y->key);
}

void why_finish(why_log *w)
{
    if (w->state_count)
        qsort(w->states, w->state_count, sizeof *w->states, by_steps);
}

static void name_state(const dae_run *r, int64_t key, char name[NAME_SIZE])
{
    (void)dae_solver_error_name(dae_run_solver(r), key, name, NAME_SIZE);
}

/* ---- for people ----------------------------------------------------------------------- */

static void add_row(table *t, const char *name, int64_t steps, int64_t all)
{
    table_add(t, name);
    table_count(t, steps);
    table_addf(t, "%.0f %%", 100 * (double)steps / (double)all);
}

static void print_table(const why_log *w, const dae_run *r, FILE *file)
{
    static const char *const texts[WHY_LIMITS] = {"the error test",
        "the longest step allowed", "an event at the end",
        "an attempt that Newton's method did not solve"};
    char name[NAME_SIZE];
    table t = table_of("lrr");
    TABLE_ADD(&t, "steps set by", "steps", "");
    for (int l = 0; l < WHY_LIMITS; l++)
        if (w->limited[l] > 0) add_row(&t, texts[l], w->limited[l], w->steps);
    if (w->state_count > 0) TABLE_ADD(&t, "largest error", "", "");
    for (size_t k = 0; k < w->state_count && k < STATES_SHOWN; k++) {
        name_state(r, w->states[k].key, name);
        add_row(&t, name, w->states[k].steps, w->steps);
    }
    table_print(&t, file);
}

static void print_sentence(const why_log *w, dae_run *r, FILE *file)
{
    int most = 0;
    for (int l = 1; l < WHY_LIMITS; l++)
        if (w->limited[l] > w->limited[most]) most = l;
    const long long count = w->limited[most], all = w->steps;
    char name[NAME_SIZE];
    switch ((why_limit)most) {
    case WHY_LONGEST:
        if (dae_run_options(r)->step > 0)
            (void)fprintf(file,
                "%lld of %lld steps are as long as --step says (%.4g): their "
                "error is not looked at\n",
                count, all, dae_run_options(r)->step);
        else
            (void)fprintf(file,
                "%lld of %lld steps are as long as allowed (%.4g): the "
                "accuracy "
                "needs fewer, --max-step sets them\n",
                count, all, dae_solver_longest_step(dae_run_solver(r)));
        return;
    case WHY_EVENT:
        (void)fprintf(file,
            "%lld of %lld steps end at an event: --events lists what changes "
            "side\n",
            count, all);
        return;
    case WHY_NEWTON:
        (void)fprintf(file,
            "%lld of %lld steps follow an attempt without a solution: "
            "equations change "
            "faster than the error shows, or have no value nearby\n",
            count, all);
        return;
    case WHY_ERROR:
    case WHY_LIMITS: break;
    }
    if (w->state_count == 0) return;
    name_state(r, w->states[0].key, name);
    (void)fprintf(file,
        "`%s` sets the most steps, %lld of %lld: where its accuracy matters "
        "less, a larger "
        "atol for it saves steps\n",
        name, (long long)w->states[0].steps, all);
}

void why_print(const why_log *w, dae_run *r, FILE *file)
{
    if (w->steps == 0) return;
    print_table(w, r, file);
    print_sentence(w, r, file);
}

/* ---- for programs ----------------------------------------------------------------------- */

void why_json(const why_log *w, const dae_run *r, json *j)
{
    char name[NAME_SIZE];
    json_begin_object(j, "why");
    json_integer(j, "steps", w->steps);
    json_begin_object(j, "limited_by");
    for (int l = 0; l < WHY_LIMITS; l++)
        json_integer(j, limit_names[l], w->limited[l]);
    json_end_object(j);
    json_begin_array(j, "largest_error");
    for (size_t k = 0; k < w->state_count && k < STATES_SHOWN; k++) {
        name_state(r, w->states[k].key, name);
        json_begin_object(j, NULL);
        json_string(j, "unknown", name);
        json_integer(j, "steps", w->states[k].steps);
        json_end_object(j);
    }
    json_end_array(j);
    json_end_object(j);
}
