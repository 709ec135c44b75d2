/* Everything: the language, runs and the solver. */
#ifndef DAE_DAE_H
#define DAE_DAE_H

#include <dae/diag.h>
#include <dae/events.h>
#include <dae/memory.h>
#include <dae/model.h>
#include <dae/names.h>
#include <dae/orders.h>
#include <dae/problem.h>
#include <dae/reduction.h>
#include <dae/report.h>
#include <dae/run.h>
#include <dae/solver.h>
#include <dae/status.h>
#include <dae/structure.h>
#include <dae/study.h>
#include <dae/table.h>

#endif
