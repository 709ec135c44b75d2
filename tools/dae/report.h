/* What a solving command says at its end: text for people, members of a JSON
 * document for scripts. */
#ifndef REPORT_H
#define REPORT_H

#include "session.h"
#include "write_json.h"
#include <dae/run.h>

/* The events of a run: a list for people, and the member "events". Where none are noted,
 * there are none. */

void event_report_print(const dae_run *r, FILE *file);
void event_report_json(const dae_run *r, json *j);
/* Final values and outputs. */
void report_values(session *s, FILE *file);
/* What it cost: one line, or all counters. */
void report_cost(session *s, double total, FILE *file);
void report_stats(session *s, FILE *file);
/* How an index above 1 was dealt with: one line, or nothing. */
void report_reduction(session *s, FILE *file);
/* --drift, `error = global` and --estimate-error, where they were requested. */
void report_drifts(const session *s, FILE *file);
void report_global(const session *s, FILE *file);
void report_estimate(session *s, FILE *file);
/* Members "reduction", where there is one, "values" and "derivatives", "outputs", "stats",
 * "seconds", and those of what was requested. */
void report_json_reduction(session *s, json *j);
void report_json_values(session *s, json *j);
void report_json_derivatives(session *s, json *j);
void report_json_outputs(session *s, json *j);
void report_json_stats(session *s, json *j);
void report_json_seconds(const run_seconds *s, json *j);
void report_json_drifts(const session *s, json *j);
void report_json_global(const session *s, json *j);
void report_json_atol_check(const session *s, json *j);
void report_json_estimate(session *s, json *j);

#endif
