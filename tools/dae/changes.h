/* What changes while a model runs, apart from its solution: discrete variables,
 * switches, whens; and at a point the side on which each switch is. */
#ifndef CHANGES_H
#define CHANGES_H

#include "phrase.h"
#include "write_json.h"
#include <dae/model.h>
#include <stdbool.h>
#include <stdio.h>

typedef struct changes {
    const dae_model *model;
    const dae_problem *problem;
    double *sides; /* values of the switches; NaN: at an edge, or not known */
    size_t *discrete_at, *switch_at, *when_at; /* in the order of the text */
} changes;

/* Whether there is anything. */
bool changes_any(const dae_problem *problem);
/* x as the problem lays it out, all of it; NULL: no point is known. */
dae_status changes_init(changes *c, const dae_model *model, double t,
    const double *x, const double *xp);

/* Fields for people: "discrete", "switches", "events"; of very many the first
 * ones unless `has_all`. */
void changes_print(const changes *c, int width, bool has_all, FILE *file);
/* The member "events" of `dae check` and `dae init`; nothing where nothing
 * changes. */
void changes_json(const changes *c, json *j);

#endif
