/* The parts of the report of `dae check`, a file each: what it prints for people, and the
 * document of --json, whose keys docs/cli.md has. */
#ifndef CHECK_PARTS_H
#define CHECK_PARTS_H

#include "check_names.h"
#include "write_json.h"

typedef struct check_view {
    const char *name; /* of the model */
    dae_status status;
    size_t errors;
    bool is_verbose;
} check_view;

/* check_text: the verdict in one line, then counts, index with its reason, hidden
 * constraints, start. */
void check_print(const check *k, const check_view *v, FILE *file);
/* check_json: members "equations", "unknowns", "structure", "hidden_constraints", "initial",
 * as far as they are known; null where nothing is. `is_verbose`: all hidden constraints with
 * their formulas, however many there are. */
void check_json(const check *k, bool is_verbose, json *j);

/* check_reason: "`rod` is differentiated twice before `lam` is determined" */
void check_put_reason(const check *k, phrase *p);
/* "once", "twice", "3 times". */
void check_put_times(int64_t count, phrase *p);
/* check_start: `p` is for what is being written. */
void check_print_start(const check *k, phrase *p, FILE *file);
/* check_tables, what --verbose adds: offsets, the transversal, blocks. */
void check_tables(const check *k, FILE *file);
/* check_changes: discrete variables, whens, and on which side each switch is where the model
 * starts; nothing where nothing changes. */
void check_print_changes(const check *k, int width, FILE *file);
void check_json_changes(const check *k, json *j);
/* check_hidden_constraints: as text. Of more than 20, unless all are wanted, the first of
 * each equation with how many follow; without those that follow along. */
void check_print_hidden(const check *k, bool is_verbose, phrase *p, FILE *file);
/* The member "hidden_constraints"; `text` is scratch. Of more than 10000, unless
 * all are wanted, the first of each equation, of which 10000 have formulas. */
void check_json_hidden(const check *k, bool is_verbose, json *j, phrase *text);

#endif
