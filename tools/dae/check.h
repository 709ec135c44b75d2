/* What a model is, as `dae check` shows it: a report (<dae/report.h>) or why there is none. */
#ifndef CHECK_H
#define CHECK_H

#include "limits.h"
#include "phrase.h"
#include "write_json.h"
#include <dae/names.h>
#include <dae/report.h>

typedef struct check {
    const dae_model *model;       /* NULL: it does not compile */
    dae_report *report;           /* NULL: not made */
    const dae_analysis *analysis; /* its */
    /* Which equations and unknowns do not go together; NULL: all do, or it is
     * not known. */
    const dae_singular *singular;
    double seconds, atol; /* for unknowns without one of their own */
    double t0;            /* where it starts */
} check;

/* Analyses the model as `r` would solve it; `skip_start`: not its start. `ds`
 * may be NULL. DAE_OK: there is a report, whatever it says, to be freed. */
dae_status check_make(check *k, dae_run *r, bool skip_start, const limits *l,
    dae_diagnostics *ds);
/* Index and degrees of freedom; -1: none. */
int64_t check_index(const check *k);
int64_t check_freedom(const check *k);
/* Equations and unknowns that the user knows; others are never shown. */
bool check_shows_equation(const check *k, size_t i);
bool check_shows_unknown(const check *k, size_t j);
/* Slots that the equations contain: what differentiation adds to them is of no
 * use where it is not determined. */
bool check_shows_slot(const check *k, dae_slot slot);
/* A block that has any of these. */
bool check_shows_block(
    const check *k, const dae_structure *s, const dae_block *b);
/* The numbers confirm the index, at the start too. */
bool check_is_certified(const check *k);

/* How equations, values and hidden constraints are called in a check. */

/* "rod", "rod''", "der(rod, 12)"; "x", "x'"; what takes part in a contradiction, a value
 * as "x". Valid until the next name (memory_name). */
const char *check_equation_name(const check *k, size_t i, int64_t order);
const char *check_slot_name(const check *k, dae_slot slot);
const char *check_unknown_name(const check *k, size_t j);
const char *check_party_name(const check *k, const dae_party *party);
/* The i-th condition of the start, in the order of the text. */
dae_party check_condition(const check *k, size_t i);
/* " `x = y`" behind the name of a condition; nothing of others. */
void check_put_party_text(const check *k, const dae_party *party, phrase *p);
bool check_is_bound(const dae_party *party);
/* "x, y and 12 more"; "rod (line 8), x `x = 2` (line 3)". */
void check_put_slots(
    const check *k, const dae_slot *slots, size_t count, phrase *p);
void check_put_parties(
    const check *k, const dae_party *parties, size_t count, phrase *p);

/* The parts of the report of `dae check`: what it prints for people, and the
 * document of --json, whose keys docs/cli.md has. */

typedef struct check_view {
    const char *name; /* of the model */
    dae_status status;
    size_t errors;
    bool is_verbose;
} check_view;

/* check_text: the verdict in one line, then counts, index with its reason, hidden
 * constraints, start. */
void check_print(const check *k, const check_view *v, FILE *file);
/* "once", "twice", "3 times". */
snippet check_times(int64_t count);
/* check_start: `p` is for what is being written. */
void check_print_start(const check *k, phrase *p, FILE *file);
/* changes: discrete variables, whens, and on which side each switch is where the model
 * starts; nothing where nothing changes. */
void check_print_changes(const check *k, int width, FILE *file);
void check_json_changes(const check *k, json *j);
/* check_hidden_constraints: as text. Of more than 20, unless all are wanted, the first of
 * each equation with how many follow; without those that follow along. */
void check_print_hidden(const check *k, bool is_verbose, phrase *p, FILE *file);
/* The member "hidden_constraints". Of more than 10000, unless
 * all are wanted, the first of each equation, of which 10000 have formulas. */
void check_json_hidden(const check *k, bool is_verbose, json *j);

#endif
