/* Matrix products of every pair of shapes, element by element: what is worked
 * out by hand here has no two sizes and no two entries alike. */
#include "lang/sema_support.h"

/* A is 2 x 3, B is 3 x 2; A*B = [[58, 64], [139, 154]]. */
static void two_matrices(void **state)
{
    (void)state;
    fixture f;
    open_model(&f,
        "param A[2,3] = [[1,2,3],[4,5,6]]\n"
        "param B[3,2] = [[7,8],[9,10],[11,12]]\n"
        "var P[2,2], Q[3,3]\n"
        "P = A*B\n"
        "Q = B*A\n");
    evaluate(&f, 0);
    const double ab[4] = {58, 64, 139, 154};
    const double ba[9] = {39, 54, 69, 49, 68, 87, 59, 82, 105};
    for (size_t k = 0; k < 4; k++) CHECK_NEAR(f.res[k], f.x[k] - ab[k], 0);
    for (size_t k = 0; k < 9; k++)
        CHECK_NEAR(f.res[4 + k], f.x[4 + k] - ba[k], 0);
    close_model(&f);
}

static void a_matrix_and_a_vector(void **state)
{
    (void)state;
    fixture f;
    open_model(&f,
        "param A[2,3] = [[1,2,3],[4,5,6]]\n"
        "param u[2] = [7,8], v[3] = [9,10,11]\n"
        "var p[2], q[3], R[2,2]\n"
        "p = A*v\n"
        "q = u*A\n"
        "R = A[:,1..2]*A[:,2..3]\n");
    evaluate(&f, 0);
    const double expected[9] = {62, 152, 39, 54, 69,
        /* [1 2; 4 5] [2 3; 5 6] */
        12, 15, 33, 42};
    for (size_t k = 0; k < 9; k++)
        CHECK_NEAR(f.res[k], f.x[k] - expected[k], 0);
    close_model(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_matrices),
        cmocka_unit_test(a_matrix_and_a_vector),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
