/* What a solving command says at its end: text for people, members of a JSON
 * document for scripts. */
#ifndef REPORT_H
#define REPORT_H

#include "run.h"
#include "write_json.h"

/* Above this many unknowns people get a summary of the final values. */
enum { REPORT_MOST_VALUES = 10000 };

/* Final values and outputs. */
void report_values(const run *r, FILE *file);
/* What it cost: one line, or all counters. */
void report_cost(const run *r, double total, FILE *file);
void report_stats(const run *r, FILE *file);
/* How an index above 1 was dealt with: one line, or nothing. */
void report_reduction(const run *r, FILE *file);

/* Member "reduction", where there is one. */
void report_json_reduction(const run *r, json *j);
/* Members "values" and "derivatives", "outputs", "stats", "seconds". */
void report_json_values(const run *r, json *j);
void report_json_outputs(const run *r, json *j);
void report_json_stats(const run *r, json *j);
typedef struct run_seconds {
    double compile, analyse, initialize, solve;
    bool has_solve;
} run_seconds;
void report_json_seconds(const run_seconds *s, json *j);

#endif
