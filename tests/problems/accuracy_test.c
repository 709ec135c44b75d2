/* Every model of the library follows its tolerance: at the end of its
 * interval it is less than 100 tolerances from the reference (more where the
 * problem itself makes errors grow: accuracy_fault in accuracy.h), and a
 * smaller tolerance brings it nearer. */
#include "accuracy.h"
#include "check.h"

static void follows_its_tolerance(void **state)
{
    const accuracy_case *c = *state;
    double last = (double)INFINITY;
    for (size_t k = 0; k < ACCURACY_RTOLS; k++) {
        double rtol = accuracy_rtols[k];
        accuracy_result r;
        accuracy_run(c, rtol, &r);
        const char *fault = accuracy_fault(c, k, &r, last);
        if (fault) {
            fail_msg("%s at %g: %s: error %.3g, %s off by %.3g tolerances; "
                     "before, the error was %.3g: %s",
                c->model, rtol, fault, r.error, r.worst_name, r.worst,
                last / rtol, r.message);
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
