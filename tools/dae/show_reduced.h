/* dae show --equations --reduced: the system that a run steps. */
#ifndef SHOW_REDUCED_H
#define SHOW_REDUCED_H

#include "command.h"

exit_status show_reduced(const args *a);

#endif
