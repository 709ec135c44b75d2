/* The events of a run: a list for people, and the member "events". Where none are noted,
 * there are none. */
#ifndef EVENT_REPORT_H
#define EVENT_REPORT_H

#include "write_json.h"
#include <dae/run.h>

void event_report_print(const dae_run *r, FILE *file);
void event_report_json(const dae_run *r, json *j);

#endif
