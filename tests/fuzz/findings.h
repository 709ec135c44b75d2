/* Everything that an analysis and its diagnostics say, as one number. */
#ifndef FUZZ_FINDINGS_H
#define FUZZ_FINDINGS_H

#include "harness.h"

/* Walks through all of it as a report does: names, lines, hidden constraints
 * as formulas, which must read back as equations; digests every bit. False:
 * memory or time ran out on the way. */
bool findings_digest(
    harness *h, const dae_model *model, const dae_analysis *a, uint64_t *out);

/* The same of diagnostics, of which none is lost. */
bool findings_digest_told(const dae_diagnostics *ds, uint64_t *out);

#endif
