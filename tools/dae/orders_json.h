/* Members of `dae orders --json`: docs/cli.md has their meaning. */
#ifndef ORDERS_JSON_H
#define ORDERS_JSON_H

#include "orders_view.h"
#include "write_json.h"

/* False: memory ran out for a name or the summary. */
bool orders_json(const orders_view *v, json *j);

#endif
