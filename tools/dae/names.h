/* Names of a model, whatever their length. */
#ifndef NAMES_H
#define NAMES_H

#include <dae/model.h>
#include <stdbool.h>

/* The name, in a buffer that is made or made larger at need and that the
 * caller frees; start with *buffer == NULL. Without memory: "?". */
const char *name_unknown(const dae_model *model, size_t j, char **buffer);
const char *name_observation(const dae_model *model, size_t k, char **buffer);
/* Unknown j with `order` primes. */
const char *name_derivative(
    const dae_model *model, size_t j, int order, char **buffer);
/* The problem's number of the model's unknown j: internal unknowns may stand
 * between them. SIZE_MAX where there is none. */
size_t name_problem_unknown(
    const dae_model *model, const dae_problem *problem, size_t j);
/* Whether observation k is a let or an output, which have columns. */
bool name_is_output(const dae_model *model, size_t k);
/* The observation or unknown called `name`; SIZE_MAX where there is none. */
size_t name_find_output(const dae_model *model, const char *name);
size_t name_find_unknown(const dae_model *model, const char *name);

#endif
