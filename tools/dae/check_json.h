/* The document of `dae check --json`: docs/cli.md has its keys. */
#ifndef CHECK_JSON_H
#define CHECK_JSON_H

#include "check.h"
#include "write_json.h"

/* Members "equations", "unknowns", "structure", "hidden_constraints",
 * "initial", as far as they are known; null where nothing is. `is_verbose`: all
 * hidden constraints with their formulas, however many there are. False: memory
 * ran out for a name. */
bool check_json(const check *k, bool is_verbose, json *j);

#endif
