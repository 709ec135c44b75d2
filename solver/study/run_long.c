/* A study in extended precision; its matrix is in double. */
#include "base/long_math.h"
#include "study/frame.h"

#define REAL dae_long
#define OWN(f) f##_long
#define STAGES stages_long
#define TASK task_long
#define RUN run_long
#define F(f) LONG_F(f)
#define RESIDUAL residual_long
#define UNIT DAE_LONG_EPSILON
#include "study/stages_real.h"

#include "study/run_real.h"
