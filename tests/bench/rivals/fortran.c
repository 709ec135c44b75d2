/* DASPK and RADAU5 as compiled into R's package deSolve. Its library is
 * opened directly and R itself never runs: what the codes would print or
 * stop by is answered here. The problem of the moment is a file variable,
 * since these codes hand no context to their callbacks. */
#include "rivals.h"

#include <dlfcn.h>
#include <math.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef void any_fn(void);

static const rival_problem *current;
static run_result *result;
static int next_output;
static double output_times[OUTPUTS];
static any_fn *daspk_entry, *radau5_entry, *dense_entry;

/* --- R's part --- */

static jmp_buf stop;

void Rprintf(const char *format, ...);
void REprintf(const char *format, ...);
void Rf_warning(const char *format, ...);
void Rf_error(const char *format, ...);
void rexit_(const char *text, size_t length);

void Rprintf(const char *format, ...)
{
    (void)format;
}
void REprintf(const char *format, ...)
{
    (void)format;
}
void Rf_warning(const char *format, ...)
{
    (void)format;
}

void Rf_error(const char *format, ...)
{
    snprintf(result->message, sizeof result->message, "%s", format);
    longjmp(stop, 1);
}

void rexit_(const char *text, size_t length)
{
    snprintf(result->message, sizeof result->message, "%.*s",
        (int)(length < 100 ? length : 100), text);
    longjmp(stop, 1);
}

static any_fn *entry(void *library, const char *name)
{
    any_fn *f = NULL;
    void *symbol = dlsym(library, name);
    memcpy(&f, &symbol, sizeof f);
    if (!f) fprintf(stderr, "no %s in the library\n", name);
    return f;
}

bool fortran_open(const char *library)
{
    if (!dlopen("libR.so", RTLD_NOW | RTLD_GLOBAL)
        && !dlopen("/usr/lib/R/lib/libR.so", RTLD_NOW | RTLD_GLOBAL)) {
        fprintf(stderr, "%s\n", dlerror());
        return false;
    }
    void *opened = dlopen(library, RTLD_LAZY | RTLD_LOCAL);
    if (!opened) {
        fprintf(stderr, "%s\n", dlerror());
        return false;
    }
    daspk_entry = entry(opened, "ddaspk_");
    radau5_entry = entry(opened, "radau5_");
    dense_entry = entry(opened, "contr5_");
    return daspk_entry && radau5_entry && dense_entry;
}

static void begin(const rival_problem *p, run_result *r)
{
    current = p;
    result = r;
    next_output = 0;
    problem_outputs(p, output_times);
}

/* --- DASPK --- */

typedef void daspk_fn(any_fn *res, const int *n, double *t, double *x,
    double *xp, const double *tout, int *info, const double *rtol,
    const double *atol, int *idid, double *rwork, const int *lrw, int *iwork,
    const int *liw, double *rpar, int *ipar, any_fn *jac, any_fn *psol);

static void daspk_residual(const double *t, const double *x, const double *xp,
    const double *c, double *res, int *ires, double *rpar, int *ipar)
{
    (void)c, (void)rpar, (void)ipar;
    result->residuals++;
    if (problem_residual(current, *t, x, xp, res)) *ires = -1;
    if (result->residuals > 4 * STEPS_MAX) *ires = -2; /* stop */
}

static void daspk_matrix(const double *t, const double *x, const double *xp,
    double *a, const double *c, double *rpar, int *ipar)
{
    (void)xp, (void)rpar, (void)ipar;
    result->jacobians++;
    problem_matrix(current, *t, *c, x, a);
}

static void nothing(void)
{
}

/* Its least step is a few units in the last place of tout, so long intervals
 * need outputs on the way: here it gets all of them. */
static int daspk_outputs(double *rwork, int lrw, int *iwork, int liw,
    double rtol, double atol, double *x, double *xp)
{
    int info[25] = {0}, n = current->n, idid = 0, ipar[1] = {0};
    double t = 0, rpar[1] = {0};
    daspk_fn *daspk = (daspk_fn *)daspk_entry;
    info[3] = 1;
    rwork[0] = current->t1;
    info[4] = 1;
    info[15] = problem_index(current) > 1;
    for (int j = 0; info[15] && j < n; j++)
        iwork[40 + j] = problem_is_untested(current, j) ? -1 : 1;
    info[20] = n; /* every unknown is of index 1, or else */
    for (int k = 0; info[15] && k < 3; k++) info[20 + k] = current->by_index[k];
    while (next_output < OUTPUTS) {
        daspk((any_fn *)daspk_residual, &n, &t, x, xp,
            &output_times[next_output], info, &rtol, &atol, &idid, rwork, &lrw,
            iwork, &liw, rpar, ipar, (any_fn *)daspk_matrix, nothing);
        info[0] = 1;
        if (idid == -1 && iwork[10] < STEPS_MAX) continue; /* 500 steps done */
        if (idid < 2) return idid;
        memcpy(result->x[next_output++], x, sizeof *x * (size_t)n);
    }
    return idid;
}

void run_daspk(const rival_problem *p, double rtol, double atol, run_result *r)
{
    enum { LRW = 100 + 30 * UNKNOWNS_MAX + UNKNOWNS_MAX * UNKNOWNS_MAX };
    static double rwork[LRW], x[UNKNOWNS_MAX], xp[UNKNOWNS_MAX];
    static int iwork[100 + 5 * UNKNOWNS_MAX];
    const int lrw = 100 + 30 * p->n + p->n * p->n, liw = 100 + 5 * p->n;
    memset(rwork, 0, sizeof *rwork * (size_t)lrw);
    memset(iwork, 0, sizeof *iwork * (size_t)liw);
    begin(p, r);
    p->start(x, xp);
    volatile int idid = -99;
    if (!setjmp(stop))
        idid = daspk_outputs(rwork, lrw, iwork, liw, rtol, atol, x, xp);
    r->ok = next_output == OUTPUTS;
    if (!r->ok && !r->message[0])
        snprintf(r->message, sizeof r->message, "idid = %d", idid);
    r->steps = iwork[10];
    r->factorizations = r->jacobians;
    r->error_failures = iwork[13];
    r->convergence_failures = iwork[14];
    r->iterations = iwork[18];
}

/* --- RADAU5 --- */

typedef void radau5_fn(const int *n, any_fn *f, double *t, double *x,
    const double *t1, double *h, const double *rtol, const double *atol,
    const int *itol, any_fn *jac, const int *ijac, const int *mljac,
    const int *mujac, any_fn *mas, const int *imas, const int *mlmas,
    const int *mumas, any_fn *solout, const int *iout, double *work,
    const int *lwork, int *iwork, const int *liwork, double *rpar, int *ipar,
    int *idid);
/* deSolve's version gives all n components at once. */
typedef void dense_fn(const int *n, const double *t, const double *cont,
    const int *lrc, double *x);

/* There is no way to say that f has no value: huge ones fail Newton. */
static void radau5_f(const int *n, const double *t, const double *x, double *f,
    double *rpar, int *ipar)
{
    (void)rpar, (void)ipar;
    result->residuals++;
    if (!current->f(*t, x, f)) return;
    for (int i = 0; i < *n; i++) f[i] = 1e60;
}

static void radau5_slope(const int *n, const double *t, const double *x,
    double *df, const int *ld, double *rpar, int *ipar)
{
    (void)rpar, (void)ipar;
    result->jacobians++;
    memset(df, 0, sizeof *df * (size_t)(*ld * *n));
    current->slope(*t, x, df);
}

/* deSolve's RADAU5 hands the band to the Jacobian as well. */
static void radau5_jacobian(const int *n, const double *t, const double *x,
    const int *ml, const int *mu, double *df, const int *ld, double *rpar,
    int *ipar)
{
    (void)ml, (void)mu;
    radau5_slope(n, t, x, df, ld, rpar, ipar);
}

static void radau5_mass(
    const int *n, double *mass, const int *ld, double *rpar, int *ipar)
{
    (void)rpar, (void)ipar;
    memset(mass, 0, sizeof *mass * (size_t)(*ld * *n));
    for (int k = 0; k < current->mass_count; k++) {
        const mass_entry *m = &current->mass[k];
        mass[m->row - m->column + current->mass_band + m->column * *ld] =
            m->value;
    }
}

static void radau5_output(const int *nr, const double *told, const double *t,
    const double *x, const double *cont, const int *lrc, const int *n,
    double *rpar, int *ipar, int *irtrn)
{
    (void)nr, (void)told, (void)rpar, (void)ipar, (void)irtrn;
    dense_fn *at = (dense_fn *)dense_entry;
    for (; next_output < OUTPUTS; next_output++) {
        double tout = output_times[next_output], *out = result->x[next_output];
        if (tout > *t) return;
        if (tout < *t) at(n, &tout, cont, lrc, out);
        else memcpy(out, x, sizeof *x * (size_t)*n);
    }
}

void run_radau5(const rival_problem *p, double rtol, double atol, run_result *r)
{
    enum {
        LWORK = 100 + 8 * UNKNOWNS_MAX * UNKNOWNS_MAX + 40 * UNKNOWNS_MAX,
        LIWORK = 100 + 3 * UNKNOWNS_MAX
    };
    static double work[LWORK], x[UNKNOWNS_MAX], xp[UNKNOWNS_MAX];
    static int iwork[LIWORK];
    int n = p->n, zero = 0, one = 1, liwork = 100 + 3 * n;
    int lwork = 100 + 8 * n * n + 40 * n;
    memset(work, 0, sizeof *work * (size_t)lwork);
    memset(iwork, 0, sizeof *iwork * (size_t)liwork);
    begin(p, r);
    p->start(x, xp);
    int imas = p->mass != NULL, ipar[1] = {0};
    static int idid;
    double t = 0, h = fmin(rtol, 1e-3 * p->t1), rpar[1] = {0};
    iwork[1] = 10 * STEPS_MAX; /* the reference takes small steps */
    for (int k = 0; problem_index(p) > 1 && k < 3; k++)
        iwork[4 + k] = p->by_index[k];
    if (rtol < 1e-10) work[0] = 1.2e-16; /* its bounds on tolerances */
    idid = -99;
    if (!setjmp(stop))
        ((radau5_fn *)radau5_entry)(&n, (any_fn *)radau5_f, &t, x, &p->t1, &h,
            &rtol, &atol, &zero, (any_fn *)radau5_jacobian, &one, &n, &n,
            (any_fn *)radau5_mass, &imas, &p->mass_band, &p->mass_band,
            (any_fn *)radau5_output, &one, work, &lwork, iwork, &liwork, rpar,
            ipar, &idid);
    r->ok = idid > 0 && next_output == OUTPUTS;
    if (!r->ok && !r->message[0])
        snprintf(r->message, sizeof r->message, "idid = %d", idid);
    r->steps = iwork[16];
    r->factorizations = iwork[18];
    r->iterations = iwork[19];
    r->error_failures = iwork[17];
}

/* --- MEBDFI, where a user has it (the R package deTestSet brings it) --- */

typedef void mebdfi_fn(const int *n, double *t, double *h, double *x,
    double *xp, const double *tout, const double *t1, const int *mf, int *idid,
    const int *lwork, double *work, const int *liwork, int *iwork, int *mbnd,
    const int *maxder, const int *itol, const double *rtol, const double *atol,
    double *rpar, int *ipar, any_fn *pderv, any_fn *resid, int *ierr);

static any_fn *mebdfi_entry;

bool mebdfi_open(void)
{
    const char *path = getenv("RIVALS_MEBDFI");
    void *opened = path ? dlopen(path, RTLD_LAZY | RTLD_LOCAL) : NULL;
    if (path && !opened) fprintf(stderr, "%s\n", dlerror());
    if (opened) mebdfi_entry = entry(opened, "mebdfi_");
    return mebdfi_entry != NULL;
}

/* It hands over the step times the coefficient. */
static void mebdfi_matrix(const double *t, const double *x, const double *xp,
    double *a, const double *c, double *rpar, int *ipar)
{
    const double coefficient = 1 / *c;
    daspk_matrix(t, x, xp, a, &coefficient, rpar, ipar);
}

/* Its first call begins, each further one comes to an output. */
static int mebdfi_outputs(double *work, int lwork, int *iwork, int liwork,
    double rtol, double atol, double *x, double *xp)
{
    int n = current->n, mf = 21, idid = 1, mbnd[4] = {n, n, n, n};
    int maxder = 7, itol = 2, ierr = 0, ipar[3] = {0};
    double t = 0, h = fmin(rtol, 1e-3 * current->t1), rpar[1] = {0};
    while (next_output < OUTPUTS) {
        const bool is_begun = idid == 0;
        ((mebdfi_fn *)mebdfi_entry)(&n, &t, &h, x, xp,
            &output_times[next_output], &current->t1, &mf, &idid, &lwork, work,
            &liwork, iwork, mbnd, &maxder, &itol, &rtol, &atol, rpar, ipar,
            (any_fn *)mebdfi_matrix, (any_fn *)daspk_residual, &ierr);
        if (idid == 1) idid = 0;
        else if (idid) return idid;
        if (is_begun)
            memcpy(result->x[next_output++], x, sizeof *x * (size_t)n);
    }
    return 0;
}

void run_mebdfi(const rival_problem *p, double rtol, double atol, run_result *r)
{
    enum {
        LWORK = (40 + 2 * UNKNOWNS_MAX) * UNKNOWNS_MAX + 64,
        LIWORK = UNKNOWNS_MAX + 64
    };
    static double work[LWORK], x[UNKNOWNS_MAX], xp[UNKNOWNS_MAX];
    static int iwork[LIWORK];
    const int lwork = (40 + 2 * p->n) * p->n + 64, liwork = p->n + 64;
    memset(work, 0, sizeof *work * (size_t)lwork);
    memset(iwork, 0, sizeof *iwork * (size_t)liwork);
    iwork[0] = p->n;
    for (int k = 0; problem_index(p) > 1 && k < 3; k++)
        iwork[k] = p->by_index[k];
    iwork[13] = STEPS_MAX;
    begin(p, r);
    p->start(x, xp);
    volatile int idid = -99;
    if (!setjmp(stop))
        idid = mebdfi_outputs(work, lwork, iwork, liwork, rtol, atol, x, xp);
    r->ok = next_output == OUTPUTS;
    if (!r->ok && !r->message[0])
        snprintf(r->message, sizeof r->message, "idid = %d", idid);
    r->steps = iwork[4];
    r->factorizations = iwork[8];
    r->iterations = iwork[9];
    r->error_failures = iwork[5];
}
