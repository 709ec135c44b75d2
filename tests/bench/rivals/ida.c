/* SUNDIALS IDA with its own defaults: our equations, our derivatives. Steps
 * are taken towards the end of the interval, outputs are interpolated. */
#include "rivals.h"

#include <ida/ida.h>
#include <nvector/nvector_serial.h>
#include <stdio.h>
#include <string.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunlinsol/sunlinsol_klu.h>
#include <sunmatrix/sunmatrix_dense.h>
#include <sunmatrix/sunmatrix_sparse.h>

typedef struct ida_run {
    const rival_problem *problem;
    sunindextype start[UNKNOWNS_MAX + 1];
    sunindextype row[UNKNOWNS_MAX * UNKNOWNS_MAX];
    char *message;
} ida_run;

static int residual(realtype t, N_Vector x, N_Vector xp, N_Vector res, void *u)
{
    const ida_run *run = u;
    return problem_residual(run->problem, t, N_VGetArrayPointer(x),
        N_VGetArrayPointer(xp), N_VGetArrayPointer(res));
}

static int dense(realtype t, realtype c, N_Vector x, N_Vector xp, N_Vector res,
    SUNMatrix a, void *u, N_Vector w1, N_Vector w2, N_Vector w3)
{
    (void)xp, (void)res, (void)w1, (void)w2, (void)w3;
    const ida_run *run = u;
    problem_matrix(
        run->problem, t, c, N_VGetArrayPointer(x), SUNDenseMatrix_Data(a));
    return 0;
}

static int sparse(realtype t, realtype c, N_Vector x, N_Vector xp, N_Vector res,
    SUNMatrix a, void *u, N_Vector w1, N_Vector w2, N_Vector w3)
{
    (void)xp, (void)res, (void)w1, (void)w2, (void)w3;
    const ida_run *run = u;
    int n = run->problem->n;
    double full[UNKNOWNS_MAX * UNKNOWNS_MAX];
    problem_matrix(run->problem, t, c, N_VGetArrayPointer(x), full);
    sunindextype *start = SUNSparseMatrix_IndexPointers(a);
    sunindextype *row = SUNSparseMatrix_IndexValues(a);
    double *value = SUNSparseMatrix_Data(a);
    for (int j = 0; j <= n; j++) start[j] = run->start[j];
    for (int j = 0; j < n; j++)
        for (sunindextype p = start[j]; p < start[j + 1]; p++) {
            row[p] = run->row[p];
            value[p] = full[row[p] + n * j];
        }
    return 0;
}

static void find_pattern(ida_run *run)
{
    const rival_problem *p = run->problem;
    bool has[UNKNOWNS_MAX * UNKNOWNS_MAX];
    int n = p->n;
    problem_pattern(p, has);
    for (int i = 0; !p->mass && i < n; i++) has[i + n * i] = true;
    for (int k = 0; k < p->mass_count; k++)
        has[p->mass[k].row + n * p->mass[k].column] = true;
    sunindextype count = 0;
    for (int j = 0; j < n; j++) {
        run->start[j] = count;
        for (int i = 0; i < n; i++)
            if (has[i + n * j]) run->row[count++] = i;
    }
    run->start[n] = count;
}

static void keep_message(
    int code, const char *module, const char *function, char *text, void *u)
{
    (void)module, (void)function;
    const ida_run *run = u;
    if (code < 0) snprintf(run->message, 160, "%s", text);
}

static bool integrate(void *ida, const rival_problem *p, N_Vector x,
    N_Vector xp, N_Vector out, run_result *r)
{
    double at[OUTPUTS], t = 0;
    problem_outputs(p, at);
    for (int k = 0; k < OUTPUTS;) {
        int flag = IDASolve(ida, p->t1, &t, x, xp, IDA_ONE_STEP);
        if (flag < 0) return false;
        IDAGetNumSteps(ida, &r->steps);
        if (r->steps > STEPS_MAX) {
            snprintf(r->message, sizeof r->message, "too many steps");
            return false;
        }
        for (; k < OUTPUTS && (at[k] <= t || flag == IDA_TSTOP_RETURN); k++) {
            if (IDAGetDky(ida, at[k], 0, out) < 0) return false;
            memcpy(r->x[k], N_VGetArrayPointer(out),
                sizeof(double) * (size_t)p->n);
        }
    }
    return true;
}

static void counts(void *ida, run_result *r)
{
    IDAGetNumSteps(ida, &r->steps);
    IDAGetNumResEvals(ida, &r->residuals);
    IDAGetNumJacEvals(ida, &r->jacobians);
    IDAGetNumLinSolvSetups(ida, &r->factorizations);
    IDAGetNumNonlinSolvIters(ida, &r->iterations);
    IDAGetNumErrTestFails(ida, &r->error_failures);
    IDAGetNumNonlinSolvConvFails(ida, &r->convergence_failures);
}

static void run_ida(const rival_problem *p, double rtol, double atol,
    bool use_klu, run_result *r)
{
    ida_run run = {.problem = p, .message = r->message};
    SUNContext context;
    SUNContext_Create(NULL, &context);
    N_Vector x = N_VNew_Serial(p->n, context), xp = N_VClone(x);
    N_Vector out = N_VClone(x);
    p->start(N_VGetArrayPointer(x), N_VGetArrayPointer(xp));
    if (use_klu) find_pattern(&run);
    SUNMatrix a = use_klu
        ? SUNSparseMatrix(p->n, p->n, run.start[p->n], CSC_MAT, context)
        : SUNDenseMatrix(p->n, p->n, context);
    SUNLinearSolver solver = use_klu ? SUNLinSol_KLU(x, a, context)
                                     : SUNLinSol_Dense(x, a, context);
    void *ida = IDACreate(context);
    IDAInit(ida, residual, 0, x, xp);
    IDASetUserData(ida, &run);
    IDASetErrHandlerFn(ida, keep_message, &run);
    IDASStolerances(ida, rtol, atol);
    IDASetLinearSolver(ida, solver, a);
    IDASetJacFn(ida, use_klu ? sparse : dense);
    IDASetMaxNumSteps(ida, STEPS_MAX);
    IDASetStopTime(ida, p->t1);
    N_Vector tested = N_VClone(x);
    for (int j = 0; j < p->n; j++)
        NV_Ith_S(tested, j) = problem_is_untested(p, j) ? 0 : 1;
    if (problem_index(p) > 1) {
        IDASetId(ida, tested);
        IDASetSuppressAlg(ida, SUNTRUE);
    }
    r->ok = integrate(ida, p, x, xp, out, r);
    counts(ida, r);
    IDAFree(&ida);
    N_VDestroy(x);
    N_VDestroy(xp);
    N_VDestroy(out);
    N_VDestroy(tested);
    SUNMatDestroy(a);
    SUNLinSolFree(solver);
    SUNContext_Free(&context);
}

void run_ida_dense(
    const rival_problem *p, double rtol, double atol, run_result *r)
{
    run_ida(p, rtol, atol, false, r);
}

void run_ida_klu(
    const rival_problem *p, double rtol, double atol, run_result *r)
{
    run_ida(p, rtol, atol, true, r);
}
