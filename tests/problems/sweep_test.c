/* Twenty models at ten tolerances, from 1e-2 to 1e-11: no run fails, and what
 * a run ends with is below 100 tolerances from its reference (more for the
 * problems that make errors grow: accuracy.h). */
#include "accuracy.h"
#include "check.h"
#include <math.h>
#include <string.h>

enum { TOLERANCES = 10 };

static const char *const swept[] = {
    "chemistry/robertson.dae",
    "chemistry/robertson_ode.dae",
    "chemistry/robertson_long.dae",
    "chemistry/robertson_ode_long.dae",
    "chemistry/hires.dae",
    "chemistry/pollution.dae",
    "chemistry/oregonator.dae",
    "chemistry/e5.dae",
    "chemistry/chemical_akzo_nobel.dae",
    "circuits/transistor_amplifier.dae",
    "oscillators/van_der_pol.dae",
    "oscillators/van_der_pol_mu.dae",
    "mechanics/pendulum_minimal.dae",
    "mechanics/double_pendulum.dae",
    "mechanics/net2d_damped_tensions.dae",
    "mechanics/rotation_vector_quadratic.dae",
    "mechanics/rigid_body_spring.dae",
    "process/batch_reactor_steady.dae",
    "limits/singular_mass.dae",
    "medicine/medical_akzo_nobel.dae",
};
enum { MODELS = sizeof swept / sizeof *swept };

static const accuracy_case *find_case(const char *model)
{
    for (size_t i = 0; i < ACCURACY_CASES; i++)
        if (strcmp(accuracy_cases[i].model, model) == 0)
            return &accuracy_cases[i];
    fail_msg("%s has no reference", model);
    return NULL;
}

/* Tissue or antibody that a few tolerances have made less than nothing grows without
 * bound in u' = -k u v, a fault of the equations at such tolerances, not of a run. */
static int first_tolerance(const char *model)
{
    return strcmp(model, "medicine/medical_akzo_nobel.dae") == 0;
}

static void every_tolerance_is_kept(void **state)
{
    const accuracy_case *c = find_case(*state);
    for (int k = first_tolerance(c->model); k < TOLERANCES; k++) {
        const double rtol = pow(10, -2 - k);
        accuracy_result r;
        accuracy_run(c, rtol, &r);
        if (r.status)
            fail_msg("%s at %g: %s: %s", c->model, rtol,
                dae_status_text(r.status), r.message);
        if (!(r.error < 100 * c->growth))
            fail_msg("%s at %g: %.3g tolerances off, %s most", c->model, rtol,
                r.error, r.worst_name);
    }
}

int main(void)
{
    struct CMUnitTest tests[MODELS];
    for (size_t i = 0; i < MODELS; i++) {
        tests[i] = (struct CMUnitTest){.name = swept[i],
            .test_func = every_tolerance_is_kept,
            .initial_state = (void *)(uintptr_t)swept[i]};
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
