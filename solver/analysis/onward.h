/* Values that satisfy all equations where these lose rank: does a solution leave
 * them? */
#ifndef ANALYSIS_ONWARD_H
#define ANALYSIS_ONWARD_H

#include "analysis/analysis.h"

/* Fills found.start.onward. After the certificates are those of the start. A
 * smooth solution satisfies the equations differentiated as often as one likes,
 * so where those of the singular components are not solved by any values, being
 * differentiated once more, none leaves the start; small models that can be
 * differentiated are asked. Changes nothing else. */
dae_status onward_find(analysis *a) DAE_MUST_CHECK;

#endif
