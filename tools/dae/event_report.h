/* What is said of the events of a run: a list for people, members of the JSON
 * document, and what discrete variables and switches a model has. */
#ifndef EVENT_REPORT_H
#define EVENT_REPORT_H

#include "event_log.h"
#include "write_json.h"

/* --events. */
void event_report_print(const event_log *l, FILE *file);
/* The members "events" and, of many, "events_left_out"; `l` may be NULL. */
void event_report_json(const event_log *l, json *j);

#endif
