/* From a result of an equation down to the operation where what is wrong with
 * it begins, through rows, definitions and partial derivatives: what the
 * explanations of values and of series share. */
#ifndef CODE_SEARCH_H
#define CODE_SEARCH_H

#include "code/compile.h"
#include "code/names.h"

typedef struct search search;
/* Evaluates a shape in a row and sets w->row; where the result is wrong,
 * *birth is the node where that begins, else NODE_NONE. */
typedef dae_status search_find_fn(
    search *w, node_id root, const uint32_t *row, node_id *birth);
/* Whether all partial derivatives of a row are right, where that is cheaper to
 * see than one by one; false says nothing. */
typedef bool search_clear_fn(
    search *w, const row_set *set, const uint32_t *row);
/* Adds to what is said of the node, behind its expression. */
typedef void search_reason_fn(search *w, node_id birth);
/* Whether the sum of an equation's rows is right. */
typedef bool search_whole_fn(const search *w, size_t equation);

struct search {
    compiled *c;
    search_find_fn *find;
    shape_leaf_fn *leaf;       /* a leaf's value in w->row; its context is w */
    search_reason_fn *reason;  /* may be NULL */
    search_clear_fn *is_clear; /* may be NULL */
    const uint32_t *row;       /* the one being evaluated */
    text_buffer out;
    bool is_found;
    uint8_t *is_queued;    /* per definition */
    ARRAY(uint32_t) queue; /* definitions whose gradients are to be seen */
};

/* Writes what it finds to w->out. Takes scratch; search_close gives it back,
 * and gives the answer of dae_explain_fn. */
dae_status search_equation(
    search *w, size_t equation, search_whole_fn *is_whole) DAE_MUST_CHECK;
/* Of the values of rows with a target alone, whatever sets they are in. */
dae_status search_rows(
    search *w, const row_sets *sets, size_t target) DAE_MUST_CHECK;
/* Of an expression of parameters alone, whose value is not finite. */
dae_status search_param(search *w, node_id id) DAE_MUST_CHECK;
size_t search_close(search *w, dae_status st, char *text, size_t size);

#endif
