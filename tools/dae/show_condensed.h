/* dae show --jacobian --condensed: the matrix that a run factorizes. */
#ifndef SHOW_CONDENSED_H
#define SHOW_CONDENSED_H

#include "command.h"

exit_status show_condensed(const args *a);

#endif
