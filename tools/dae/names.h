/* Names of a model, whatever their length. */
#ifndef NAMES_H
#define NAMES_H

#include <dae/model.h>
#include <stdbool.h>

/* Room for one name; starts as zero. */
typedef struct name_buffer {
    char *text;
    size_t room;
    bool failed; /* memory ran out: some name was given as "?" */
} name_buffer;

/* The name, in a buffer that grows at need: valid until its next use. */
const char *name_unknown(const dae_model *model, size_t j, name_buffer *b);
const char *name_observation(const dae_model *model, size_t k, name_buffer *b);
/* Equation i of the problem. */
const char *name_equation(const dae_model *model, size_t i, name_buffer *b);
/* Unknown j's derivative of that order: "x'", "der(x, 4)". */
const char *name_derivative(
    const dae_model *model, size_t j, int order, name_buffer *b);
/* What else a problem names: discrete variables, whens, switches. */
const char *name_of(
    const dae_problem *problem, dae_name_kind kind, size_t i, name_buffer *b);
/* The numbers of the model's unknowns in the order of the text, in which they
 * are shown; NULL: no memory. To be dropped. */
size_t *name_text_order(const dae_model *model);
/* Likewise of another kind; where in the text one of them stands, SIZE_MAX:
 * nowhere. */
size_t *name_text_order_of(
    const dae_problem *problem, dae_name_kind kind, size_t count);
size_t name_text_place(
    const dae_problem *problem, dae_name_kind kind, size_t i);
/* Of some, each once, the one that follows `last` in the text; SIZE_MAX: the
 * first, or none does. */
size_t name_text_next(const dae_problem *problem, dae_name_kind kind,
    const size_t *some, size_t count, size_t last);
/* Frees the buffer; false where memory ran out for a name. */
bool name_done(name_buffer *b);
/* The problem's number of the model's unknown j: internal unknowns may stand
 * between them. SIZE_MAX where there is none. */
size_t name_problem_unknown(
    const dae_model *model, const dae_problem *problem, size_t j);
/* Whether observation k is a let or an output, which have columns. */
bool name_is_output(const dae_model *model, size_t k);
/* The observation or unknown called `name`; SIZE_MAX where there is none. */
dae_status name_find_output(
    const dae_model *model, const char *name, size_t *found);
dae_status name_find_unknown(
    const dae_model *model, const char *name, size_t *found);
dae_status name_find_discrete(
    const dae_problem *problem, const char *name, size_t *found);

#endif
