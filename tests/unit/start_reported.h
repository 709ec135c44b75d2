/* A search for a start and its report, as a run does both. */
#ifndef START_REPORTED_H
#define START_REPORTED_H

#include "start/report.h"

/* `f` is filled and to be cleared by the caller. */
static inline dae_status start_reported(init_request q, init_findings *f,
    double *x, double *xp, dae_start_report *report, dae_stats *stats,
    dae_diagnostics *ds)
{
    q.findings = f;
    const dae_status st = init_consistent(&q, x, xp, report, stats);
    const dae_status reported = start_report(&q, f, false, ds);
    return reported ? reported : st;
}

#endif
