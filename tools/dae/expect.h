/* The `expect` lines of a model, checked while it runs. */
#ifndef EXPECT_H
#define EXPECT_H

#include "check.h"
#include "drift.h"

typedef struct expectation {
    bool is_checked, has_failed;
    double t, left, right, within; /* where it was first seen to fail */
    drift gap;                     /* left - right, of `always` */
} expectation;

typedef struct expectations {
    const dae_model *model;
    expectation *items;
    size_t count;
    size_t *always;               /* those that hold `always` */
    const dae_expect **always_at; /* and what they say */
    size_t always_count;
    double *marks; /* times of `at`, in the run's order */
    size_t mark_count;
    size_t curve_count; /* of `always`: what must stay at or below 0 */
} expectations;

typedef struct expect_counts {
    size_t held, failed;
    size_t unchecked; /* values, where nothing was solved */
    size_t codes;     /* expect "E0301" lines */
    size_t codes_missing;
} expect_counts;

dae_status expect_init(
    expectations *e, const dae_model *model, double t0, double t1);
void expect_clear(expectations *e);
/* The kinds of points that `expect_see` has a use for. */
unsigned expect_wants(const expectations *e);
/* The observations that an `always` reads, and how many there are at most. */
size_t expect_observation_count(const expectations *e);
size_t expect_observations(const expectations *e, size_t *observations);
void expect_see(expectations *e, const point *p);
/* Places within a step, in that order. */
void expect_see_inside(expectations *e, const point *p, size_t count);
/* A place out of the order of the run, which `always` alone is asked of. */
void expect_see_peak(expectations *e, const point *p);
/* [curve_count]: what comes to 0 where an `always` ceases to hold, from below: of
 * each comparison minus the distance of its sides, of `~` what that is beyond the
 * allowed one. And above what a peak of each still tells something. */
void expect_measure(const expectations *e, const point *p, double *values);
void expect_interest(const expectations *e, double *least);
/* Counts those about values and codes, and adds a diagnostic E0601 for each
 * that failed. `completed`: the run reached its end; where it did
 * not, what was never reached counts for nothing. `stopped`: when a `stop` ended
 * it, else NaN. */
expect_counts expect_finish(
    const expectations *e, messages *m, bool completed, double stopped);

/* Some are about index or degrees of freedom. */
bool expect_asks_structure(const dae_model *model);
/* Counts those, with E0601 for each that failed. */
expect_counts expect_structure(
    const dae_model *model, const dae_index_report *found, messages *m);
/* Some are codes of structure, which a run does not look at. */
bool expect_asks_structure_code(const dae_model *model);
/* Where nothing is solved: adds codes that arise in compiling and starting;
 * `completed` as above. With `notes_values` values, which are not checked then,
 * count as such and are noted with N0602. */
void expect_of_check(const dae_model *model, messages *m, expect_counts *counts,
    bool completed, bool notes_values);

/* Codes in lines `expect "E0301"` of a text, found without compiling it: the
 * model may be one that does not compile. Calls `see` for each; returns how
 * many there are. */
typedef void expect_code_fn(void *context, const char *code);
size_t expect_codes_in(const char *text, expect_code_fn *see, void *context);

#endif
