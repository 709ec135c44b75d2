#include "names.h"
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Buffers are at least this long, so that nearly no name needs a second. */
enum { USUAL = 256, PRIMES = 16 };

typedef size_t name_fn(const dae_model *m, size_t i, char *text, size_t size);

static const char *fill(
    const dae_model *model, size_t i, name_fn *ask, char **buffer)
{
    if (!*buffer) *buffer = calloc(USUAL + PRIMES, 1);
    if (!*buffer) return "?";
    size_t length = ask(model, i, *buffer, USUAL);
    if (length < USUAL) return *buffer;
    char *longer = realloc(*buffer, length + 1 + PRIMES);
    if (!longer) return *buffer;
    *buffer = longer;
    (void)ask(model, i, longer, length + 1);
    return longer;
}

const char *name_unknown(const dae_model *model, size_t j, char **buffer)
{
    return fill(model, j, dae_model_unknown_name, buffer);
}

const char *name_observation(const dae_model *model, size_t k, char **buffer)
{
    return fill(model, k, dae_model_observation_name, buffer);
}

const char *name_derivative(
    const dae_model *model, size_t j, int order, char **buffer)
{
    const char *name = name_unknown(model, j, buffer);
    if (!*buffer) return name;
    size_t n = strlen(*buffer);
    for (int i = 0; i < order && i < PRIMES; i++) (*buffer)[n++] = '\'';
    (*buffer)[n] = '\0';
    return *buffer;
}

size_t name_problem_unknown(
    const dae_model *model, const dae_problem *problem, size_t j)
{
    char mine[USUAL], other[USUAL];
    (void)dae_model_unknown_name(model, j, mine, sizeof mine);
    for (size_t i = j; i < problem->unknown_count; i++) {
        (void)problem->name(
            problem->self, DAE_NAME_UNKNOWN, i, other, sizeof other);
        if (strcmp(mine, other) == 0) return i;
    }
    return SIZE_MAX;
}

bool name_is_output(const dae_model *model, size_t k)
{
    dae_observed kind = dae_model_observation_kind(model, k);
    return kind == DAE_OBSERVED_LET || kind == DAE_OBSERVED_OUTPUT;
}

size_t name_find_output(const dae_model *model, const char *name)
{
    char *buffer = NULL;
    size_t found = SIZE_MAX, count = dae_model_observation_count(model);
    for (size_t k = 0; k < count && found == SIZE_MAX; k++)
        if (name_is_output(model, k)
            && strcmp(name_observation(model, k, &buffer), name) == 0)
            found = k;
    free(buffer);
    return found;
}

size_t name_find_unknown(const dae_model *model, const char *name)
{
    char *buffer = NULL;
    size_t found = SIZE_MAX, count = dae_model_unknown_count(model);
    for (size_t j = 0; j < count && found == SIZE_MAX; j++)
        if (strcmp(name_unknown(model, j, &buffer), name) == 0) found = j;
    free(buffer);
    return found;
}
