/* What `dae check` says of discrete variables, switches and whens: on which side
 * each switch is where the model starts. */
#ifndef CHECK_CHANGES_H
#define CHECK_CHANGES_H

#include "check.h"
#include "write_json.h"

/* Both: nothing where nothing changes; false: memory ran out. */
bool check_print_changes(const check *k, int width, FILE *file);
bool check_json_changes(const check *k, json *j);

#endif
