// The same from C++: the headers compile as C++ and link with C names.
#include <cstdio>
#include <dae/dae.h>
#include <string>

namespace {

dae_status decay(
    void *, double, const double *x, const double *xp, double *res)
{
    res[0] = xp[0] + x[0];
    return DAE_OK;
}

dae_status run(const dae_problem *problem, dae_diagnostics *ds, double *x)
{
    dae_options options = dae_options_default();
    dae_solver *solver = nullptr;
    double xp[1] = {0};
    options.rtol = 1e-9;
    options.atol = 1e-12;
    options.t_end = 1;
    dae_status st = dae_solver_create(problem, &options, nullptr, ds, &solver);
    if (st == DAE_OK)
        st = problem->start ? dae_solver_initialize(solver)
                            : dae_solver_start(solver, 0, x, xp, 1);
    if (st == DAE_OK) st = dae_solver_advance(solver, 1, x, xp);
    dae_solver_free(solver);
    return st;
}

} // namespace

int main()
{
    const std::string text = "var y = 1\ny' = -2*y\nsolve t in 0..1\n";
    dae_problem problem = {};
    problem.unknown_count = 1;
    problem.residual = decay;
    double x[1] = {1};
    dae_diagnostics *ds = nullptr;
    dae_model *model = nullptr;
    dae_status st = dae_diagnostics_create(nullptr, &ds);
    if (st == DAE_OK) st = run(&problem, ds, x);
    if (st == DAE_OK) std::printf("x(1) = %.6f\n", x[0]);
    if (st == DAE_OK)
        st = dae_model_parse("decay.dae", text.data(), text.size(), nullptr,
            nullptr, ds, &model);
    if (st == DAE_OK) st = run(dae_model_problem(model), ds, x);
    if (st == DAE_OK) std::printf("y(1) = %.6f\n", x[0]);
    dae_model_free(model);
    dae_diagnostics_free(ds);
    return st == DAE_OK ? 0 : 1;
}
