/* The listings of `dae show` that are the command's own, a file each. */
#ifndef SHOW_H
#define SHOW_H

#include "command.h"

/* --structure: the matrix on standard output, or as a picture in the file of -o. */
exit_status show_structure(const args *a);
/* --equations --reduced: the system that a run steps. */
exit_status show_reduced(const args *a);

#endif
