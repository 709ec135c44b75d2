/* `dae show --structure`. */
#ifndef SHOW_STRUCTURE_H
#define SHOW_STRUCTURE_H

#include "command.h"

/* The picture on standard output, or as SVG in the file of -o. */
exit_status show_structure(const args *a);

#endif
