/* dae show --events: discrete variables, switches and whens of a model. */
#ifndef SHOW_EVENTS_H
#define SHOW_EVENTS_H

#include "command.h"

exit_status show_events(const args *a);

#endif
