/* The document of `dae stability --json`: docs/cli.md has its keys. */
#ifndef STABILITY_JSON_H
#define STABILITY_JSON_H

#include "stability_view.h"
#include "write_json.h"

/* Members "methods", with a model "step", "index", "infinite", "eigenvalues",
 * and "summary". False: memory ran out for a sentence. */
bool stability_json(const stability_view *v, json *j);

#endif
