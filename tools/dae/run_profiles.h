/* Arrays of a run as curves over their index, or over another array of the same indices,
 * one for each of some times: what --profile asks for. */
#ifndef RUN_PROFILES_H
#define RUN_PROFILES_H

#include "args.h"
#include "messages.h"
#include "picture.h"
#include "run_picture.h"
#include <dae/run.h>

/* Elements that follow each other among the columns. */
typedef struct profile {
    char *name; /* of the array */
    size_t first, count;
    double *points; /* of each time that was taken: x and y of each element */
} profile;

/* Those of a file: of each array its points at each time; NULL: it has no columns. */
typedef struct profile_file {
    const overlay *of;
    double **points; /* NaN where its rows do not reach */
    struct profile_file *next;
} profile_file;

typedef struct run_profiles {
    const dae_model *model;
    dae_columns *values; /* of all arrays, one after the other */
    dae_columns *over;   /* NULL: the index */
    profile *items;
    size_t count;
    double *times; /* in the order of the run */
    size_t time_count, taken;
    profile_file *files; /* in their order */
} run_profiles;

/* Of a run that is prepared, as `list` ("A,B" or "A,B over X") and `at` (none: five times,
 * evenly picked among the output times) ask. DAE_ARGUMENT: why not is in the messages.
 * Clear also after failure. */
dae_status run_profiles_init(run_profiles *p, dae_run *run, const char *list,
    const number_list *at, messages *m);
/* Adds, at each of the times, the arrays that a table has columns for, with those of the
 * abscissa: between its rows on the line through both, at a jump as they are after it. The
 * table is borrowed for the call. As run_picture_overlay. */
dae_status run_profiles_overlay(
    run_profiles *p, const overlay *o, size_t *added, messages *m);
/* The run stands at the next of the times. */
void run_profiles_take(run_profiles *p, const dae_point *at);
/* Adds a panel for each array, with the times that were reached. */
void run_profiles_make(const run_profiles *p, picture *into);
void run_profiles_clear(run_profiles *p);

#endif
