/* A study in double. */
#include "study/frame.h"
#include <float.h>
#include <math.h>

#define REAL double
#define OWN(f) f##_double
#define STAGES stages_double
#define TASK task_double
#define RUN run_double
#define F(f) f
#define RESIDUAL residual
#define UNIT DBL_EPSILON
#include "study/stages_real.h"

#include "study/run_real.h"
