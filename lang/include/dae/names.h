/* Names of a model and of its problem, whatever their length, and the order in which the
 * text has what they name. */
#ifndef DAE_NAMES_H
#define DAE_NAMES_H

#include <dae/analysis.h>
#include <dae/model.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What a word that is none of these names may mean: the nearest one, by letters changed, put
 * in, left out or exchanged with the next one, one or at most a third of them. NULL: none
 * is. */
DAE_API const char *dae_name_nearest(
    const char *word, const char *const *names, size_t count);

/* Room for one name; starts as zero. It is the C library's memory, little more than the
 * longest name. */
typedef struct dae_name_buffer {
    char *text;
    size_t room;
    int failed; /* memory ran out: some name was given as "?" */
} dae_name_buffer;

/* Each gives a name in a buffer that grows at need: valid until the buffer's next use. */
DAE_API const char *dae_name_unknown(
    const dae_model *model, size_t j, dae_name_buffer *b);
DAE_API const char *dae_name_observation(
    const dae_model *model, size_t k, dae_name_buffer *b);
/* Equation i of the problem. */
DAE_API const char *dae_name_equation(
    const dae_model *model, size_t i, dae_name_buffer *b);
/* Unknown j's derivative of that order: "x'", and above DAE_PRIMES_MOST "der(x, 4)". */
enum { DAE_PRIMES_MOST = 3 };
DAE_API const char *dae_name_derivative(
    const dae_model *model, size_t j, int order, dae_name_buffer *b);
/* Derivative `order` of an equation likewise: "rod''". */
DAE_API const char *dae_name_equation_derivative(
    const dae_model *model, size_t i, int order, dae_name_buffer *b);
/* What takes part in a contradiction (dae/analysis.h), and its line, 0: none. */
DAE_API const char *dae_name_party(
    const dae_model *model, const dae_party *party, dae_name_buffer *b);
DAE_API uint32_t dae_party_line(const dae_model *model, const dae_party *party);
/* What else a problem names: discrete variables, whens, switches. */
DAE_API const char *dae_name_of(const dae_problem *problem, dae_name_kind kind,
    size_t i, dae_name_buffer *b);
/* Frees the buffer, which is then as at first; 0 where memory ran out for a name. */
DAE_API int dae_name_done(dae_name_buffer *b);

/* Where in the text one of a kind stands, in bytes; SIZE_MAX: nowhere. */
DAE_API size_t dae_text_place(
    const dae_problem *problem, dae_name_kind kind, size_t i);
/* at[k]: the number of the unknown that is the k-th of the text, which has all of
 * dae_model_unknown_count. */
DAE_API void dae_text_order_unknowns(const dae_model *model, size_t *at);
/* Likewise of the first `count` of another kind. DAE_MEMORY. */
DAE_API dae_status dae_text_order(const dae_problem *problem,
    dae_name_kind kind, size_t count, const dae_allocator *allocator,
    size_t *at) DAE_MUST_CHECK;
/* Of some, each once, the one that follows `last` in the text; `last` SIZE_MAX: the
 * first. SIZE_MAX: there is no further one. */
DAE_API size_t dae_text_next(const dae_problem *problem, dae_name_kind kind,
    const size_t *some, size_t count, size_t last);

#ifdef __cplusplus
}
#endif
#endif
