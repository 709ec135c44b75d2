/* Runs programs in extended precision: every value, in memory and in registers,
 * is a dae_long. */
#ifndef CODE_LONG_RUN_H
#define CODE_LONG_RUN_H

#include "code/bytecode.h"

/* The arrays by their places; the definitions' stand twice (AT_DEF and
 * AT_OUT_DEF). at[AT_SLOT] is scratch, AT_CELL is not used. */
typedef struct long_places {
    const dae_long *in[AT_HELD + 1];
    dae_long *out[AT_JAC + 1 - AT_MAIN];
    const dae_long *constants; /* long_run_constants */
    dae_long *scratch;         /* long_run_scratch */
} long_places;

/* How many numbers of each a run needs. */
size_t long_run_scratch(const program *p);
size_t long_run_constant_count(const program *p);
/* The program's constants as the text has them (ir/digits.h). */
void long_run_constants(const program *p, dae_long *constants);

void long_run(const program *p, const long_places *at);

#endif
