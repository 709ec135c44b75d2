/* Every model of the library follows its tolerance: at the end of its
 * interval it is less than 100 tolerances from the reference (more where the
 * problem itself makes errors grow), and a smaller tolerance brings it
 * nearer. */
#include "accuracy.h"
#include "check.h"

/* The tolerances are multiples of each other (rtol and atol alike), so error
 * times rtol is the same norm for all of them and must fall. */
static void follows_its_tolerance(void **state)
{
    const accuracy_case *c = *state;
    double last = (double)INFINITY;
    for (size_t k = 0; k < ACCURACY_RTOLS; k++) {
        double rtol = accuracy_rtols[k];
        accuracy_result r;
        accuracy_run(c, rtol, &r);
        if (r.status) {
            fail_msg("%s at %g: %s: %s", c->model, rtol,
                dae_status_text(r.status), r.message);
        }
        if (!(r.error < accuracy_band(c))) {
            fail_msg("%s at %g: %.3g tolerances from the reference, %s %.3g",
                c->model, rtol, r.error, r.worst_name, r.worst);
        }
        if (!(r.error * rtol < last)) {
            fail_msg("%s at %g: the error %.3g is not below the %.3g of the "
                     "tolerance before",
                c->model, rtol, r.error * rtol, last);
        }
        last = r.error * rtol;
    }
}

int main(void)
{
    struct CMUnitTest tests[ACCURACY_CASES];
    for (size_t i = 0; i < ACCURACY_CASES; i++) {
        tests[i] = (struct CMUnitTest){.name = accuracy_cases[i].model,
            .test_func = follows_its_tolerance,
            .initial_state = (void *)(uintptr_t)&accuracy_cases[i]};
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
