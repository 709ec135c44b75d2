/* More wrong models: shapes that do not fit, ranges and indices that are none,
 * derivatives, options and checks. Code, line and column were written down
 * before the first run; a case gives exactly the diagnostics listed. */
#include "lang/sema_support.h"

static const wrong_model shapes[] = {
    {"var x[2], s\nx = 1\ns = if t > 1 then x else [1, 2, 3]\n",
        {{"E0204", 3, 5}}},
    {"var x[2], s\nx = if x > 1 then 1 else 2\ns = 1\n", {{"E0204", 2, 8}}},
    {"var x[2], s\nx = 1\ns = outer(x, s)\n", {{"E0204", 3, 5}}},
    {"var x[2], s\nx = 1\ns = outer(s, x)\n", {{"E0204", 3, 5}}},
    {"var x[2], s\nx = 1\ns = transpose(x)\n", {{"E0204", 3, 5}}},
    {"var x[2], s\nx = 1\ns = transpose(s)\n", {{"E0204", 3, 5}}},
    {"var x[3], y[2]\ny = 1\nx = cross(x, y)\n", {{"E0204", 3, 5}}},
    {"var x[3], s\ns = 1\nx = cross(s, x)\n", {{"E0204", 3, 5}}},
    {"var X[2,2], s\nX = 1\ns = dot(X, X)\n", {{"E0204", 3, 5}}},
    {"var x[2], s\nx = 1\ns = dot(x, s)\n", {{"E0204", 3, 5}}},
    {"var x[2], y[3], s\nx = 1\ny = 1\ns = dot(x, y)\n", {{"E0204", 4, 5}}},
    {"var A[2,2,2], b[2]\nA = 1\nb = A*[[1, 2], [3, 4]]\n", {{"E0204", 3, 5}}},
    {"var A[2,2], b[3]\nA = 1\nb = b*A\n", {{"E0204", 3, 5}}},
    {"var x[2], y\nx = [x, 1]\ny = 1\n", {{"E0204", 2, 9}}},
    {"var x[2], y\nx = [1, x]\ny = 1\n", {{"E0204", 2, 9}}},
    {"var x[2], y[3]\nx = 1\ny = [x, y, x][1]\n", {{"E0204", 3, 9}}},
    {"var x\nx = [[[[[[[[[1]]]]]]]]]\n", {{"E0204", 2, 5}}},
    {"var x[1,1,1,1,1,1,1,1,1]\nx = 1\n", {{"E0204", 1, 5}}},
    {"var x[i in 1..4 step 2]\nx = 1\n", {{"E0204", 1, 7}}},
    {"var x[4..1]\nx = 1\n", {{"E0204", 1, 7}}},
    {"param k = [1, 2]\nvar x\nx = k[3]\n", {{"E0205", 3, 7}}},
    {"param k[3] = [1, 2]\nvar x\nx = k[1]\n", {{"E0204", 1, 14}}},
    {"var x\nlet a[2] = [x, 2*x, 3]\nx = a[1]\n", {{"E0204", 2, 12}}},
    {"var x[3] = 1\nx' = -x\ninit x' = [1, 2]\n", {{"E0204", 3, 6}}},
    {"var x[3]\nx = [not x, 1, 2]\n", {{"E0204", 2, 10}}},
    {"var x[3]\nx = x and true\n", {{"E0204", 2, 5}}},
    {"var x[2], s\nx = 1\ns = sum(if j > 29 then [1, 2, 3] else j*x for j in "
     "1..30)\n",
        {{"E0204", 3, 9}}},
    {"var x[2], s\nx = 1\ns = sum(if j > 29 then 1 else j*x for j in 1..30)\n",
        {{"E0204", 3, 9}}},
    /* however many there are */
    {"var x[2]\nx = max(j*x for j in 1..30)\n", {{"E0204", 2, 9}}},
    {"var x[2]\nx = max(j*x for j in 1..3)\n", {{"E0204", 2, 9}}},
    {"var x\nx = sum(zeros(-1))\n", {{"E0204", 2, 15}}},
    {"var x[2], s\nx = 1\ns = sum([x for i in 1..2])\n", {{"E0204", 3, 10}}},
};

static const wrong_model indices[] = {
    {"var x[3], y[5]\nx = 1\ny = x[1..5]\n", {{"E0205", 3, 10}}},
    {"var x[3], y[2]\nx = 1\ny = x[0..1]\n", {{"E0205", 3, 7}}},
    {"var x[3], y[2]\nx = 1\ny = x[1..y[1]]\n", {{"E0206", 3, 10}}},
    {"var x[3], y[2]\nx = 1\ny = x[y[1]..2]\n", {{"E0206", 3, 7}}},
    {"var x[3], y\nx = 1\ny = x[[1, 2]]\n", {{"E0204", 3, 7}}},
    {"var x[3], y\nx = 1\ny = (2*x)[4]\n", {{"E0205", 3, 11}}},
    {"var y\ny = [1, 2][0]\n", {{"E0205", 2, 12}}},
    {"var x[0], y\ny = (x + 1)[1]\n", {{"E0205", 2, 13}}},
    {"var x[2], y\nx = 1\ny = x[1][1]\n", {{"E0203", 3, 5}}},
    {"var x[2], y\nx = 1\ny = (2*x)[1,1]\n", {{"E0204", 3, 5}}},
    {"var x[2], y\nx = 1\ny = x[1,1]\n", {{"E0204", 3, 5}}},
    {"var x[2], y\nx = 1\ny = x[2.5]\n", {{"E0206", 3, 7}}},
    {"var x[2], y\nx = 1\ny = x[1e300]\n", {{"E0206", 3, 7}}},
    {"var x[0..inf]\nx = 1\n", {{"E0206", 1, 10}}},
    {"var x[1..3, 2..t]\nx = 1\n", {{"E0206", 1, 16}}},
    {"var x[2]\nx[i] = 1 for i in 1..2 step 0\n", {{"E0206", 2, 29}}},
    {"var x[2], y\ny = 1\nx[i] = 1 for i in y..2\n", {{"E0206", 3, 19}}},
    {"var x[2], y\ny = 1\nx[i] = 1 for i in 1..y\n", {{"E0206", 3, 22}}},
    {"var x[2], y\ny = 1\nx[i] = 1 for i in 1..2 step y\n", {{"E0206", 3, 29}}},
    {"var x[2]\nx[i] = 1 for i in 1..2 where x[i] > 0\n", {{"E0206", 2, 30}}},
    {"var x[2], y\nx = 1\ny = sum(x[i] for i in 1..2 where x[i] > 0)\n",
        {{"E0206", 3, 34}}},
    {"var x[2], y\nx = 1\ny = prod(x[i] for i in 1..y)\n", {{"E0206", 3, 27}}},
    {"var x[2], y\nx = 1\ny = sum([x[i] for i in 1..y])\n", {{"E0206", 3, 27}}},
    {"var x\nx = 1\nif x > 0\n  x' = 1\nend\n", {{"E0206", 3, 4}}},
    {"var x[2]\nfor i in 1..2\n  if x[i] > 0\n    x[i] = 1\n  end\nend\n",
        {{"E0206", 3, 6}}},
    {"var x\nx = 1\nif q > 0\n  x' = 1\nend\n", {{"E0201", 3, 4}}},
    {"var x\nx = sum(identity(x))\n", {{"E0206", 2, 18}}},
    /* not even the other way round */
    {"param n = 2, k[m] = 1, m = k[1]\nvar x\nx = n\n", {{"E0208", 1, 14}}},
};

static const wrong_model calls[] = {
    {"var x = 1\nx' = max()\n", {{"E0207", 2, 6}}},
    {"var x = 1\nx' = stumpff(1)\n", {{"E0207", 2, 6}}},
    {"var x = 1\nx' = der()\n", {{"E0207", 2, 6}}},
    {"var x = 1\nx' = der(x, 1, 2)\n", {{"E0207", 2, 6}}},
    {"var x = 1\nx' = min(x[1..0])\n", {{"E0203", 2, 10}}},
    {"var x[1] = 1\nx' = min(x[1..0])\n", {{"E0207", 2, 6}}},
    {"var x = 1\nx' = sin(a = x)\n", {{"E0207", 2, 14}}},
    {"fun f(a, b) = a\nvar x = 1\nx' = f(x, b = 2)\n", {{"E0207", 3, 15}}},
    {"var x = 1\nx' = (x + 1)(2)\n", {{"E0203", 2, 6}}},
    {"fun f(a) = a(2)\nvar x = 1\nx' = f(x)\n", {{"E0203", 1, 12}}},
    {"fun f(a)\n  a + 1 = 2\n  return a\nend\nvar x = 1\nx' = f(x)\n",
        {{"E0203", 2, 3}}},
    {"fun f(a)\n  init a = 1\n  return a\nend\nvar x = 1\nx' = -x\n",
        {{"E0203", 2, 3}}},
    {"fun f(a)\n  b = a/0\n  return b\nend\nvar x = 1\nx' = f(x)\n",
        {{"E0213", 2, 7}}},
    {"fun f(a) = a\nvar x = 1\nx' = f(\"text\")\n", {{"E0203", 3, 8}}},
    {"fun f(a) = a\nfun f(b) = b\nvar x = 1\nx' = f(x)\n", {{"E0202", 2, 5}}},
    {"var x = 1\nx' = der(x, -1)\n", {{"E0216", 2, 6}}},
    {"var x = 1\nx' = der(x, 65)\n", {{"E0216", 2, 6}}},
    {"var x = 1\nx' = der(x, x)\n", {{"E0206", 2, 13}}},
    {"var x = 1\nx' = der(der(x, 40), 40)\n", {{"E0216", 2, 6}}},
    {"var x[2] = 1\nx' = der(der(x, 40), 40)\n", {{"E0216", 2, 6}}},
    {"var x = 1\nx' = stumpff(65, x)\n", {{"E0213", 2, 14}}},
    {"var x = 1\nx' = stumpff(-1, x)\n", {{"E0213", 2, 14}}},
    {"var x = 1\nx' = stumpff(x, 1)\n", {{"E0206", 2, 14}}},
    {"var x = 1\nx' = x*mod(1, 0)\n", {{"E0213", 2, 8}}},
    {"param k = 1\nvar x = 1\nx' = -k/0\n", {{"E0213", 3, 6}}},
    {"var x = 1\nx' = sum(x/(j - 30) for j in 1..30)\n", {{"E0213", 2, 10}}},
    {"var x = 1\nx' = prod(x/(j - 30) for j in 1..30)\n", {{"E0213", 2, 11}}},
    {"var x = 1\nx' = sum(1/(j - 3) for j in 1..3)\n", {{"E0213", 2, 10}}},
    {"var x[30] = 1\nx' = -x/0\n", {{"E0213", 2, 6}}},
    {"var x[3] = 1\nx' = [log(0), 1, sqrt(-1)]\n", {{"E0213", 2, 7}}},
    {"fun f(a) = dx/dy\nvar x = 1\nx' = f(x)\n",
        {{"E0201", 1, 12}, {"E0201", 1, 15}}},
};

static const wrong_model others[] = {
    {"var x'\nx' = 1\n", {{"E0203", 1, 5}}},
    {"var x = 1\nx' = -x\ninit 1 ~ x'\n", {{"E0203", 3, 6}}},
    {"var x = 1\nx' = -x\ninit x' ~ x\n", {{"E0203", 3, 6}}},
    {"var x = 1\nx' = -x\ninit sum(x[1]) = 0\n", {{"E0203", 3, 10}}},
    {"var x = 1\nx' = -x\nlet r\n", {{"E0209", 3, 5}}},
    {"var x = 1 {min = x}\nx' = -x\n", {{"E0206", 1, 18}}},
    {"var x = 1 {zzzz = 2}\nx' = -x\n", {{"E0214", 1, 12}}},
    {"var x = 1 {nominal = 0}\nx' = -x\n", {{"E0214", 1, 22}}},
    {"var x = 1 {max = [1, 2]}\nx' = -x\n", {{"E0204", 1, 18}}},
    {"var x = 1\nx' = -x\nsolve t in 0..inf\n", {{"E0206", 3, 15}}},
    {"var x = 1\nx' = -x\nsolve t in x..1\n", {{"E0206", 3, 12}}},
    {"var x = 1\nx' = -x\nsolve t in 0..1 step 2\n", {{"E0214", 3, 22}}},
    {"var x = 1\nx' = -x\nsolve t in 0..1, order = 2.5\n", {{"E0214", 3, 26}}},
    {"var x = 1\nx' = -x\nsolve t in 0..1, points = 1e10\n",
        {{"E0214", 3, 27}}},
    {"var x = 1\nx' = -x\nsolve t in 0..1, grid = 5\n", {{"E0214", 3, 25}}},
    {"var x = 1\nx' = -x\nsolve t in 0..1, grid = \"cubic\"\n",
        {{"E0214", 3, 25}}},
    {"var x = 1\nx' = -x\nsolve t in 0..1, method = 3\n", {{"E0214", 3, 27}}},
    {"var x = 1\nx' = -x\nsolve t in 0..1, rtol = x\n", {{"E0206", 3, 25}}},
    {"var x = 1\nx' = -x\nsolve t in 0..1, rtol = q\n", {{"E0201", 3, 25}}},
    {"var x = 1\nx' = -x\nsolve t in 0..1, rtol = inf\n", {{"E0214", 3, 25}}},
    {"var x = 1\nx' = -x\nsolve t in 0..1, qqqqqqq = 1\n", {{"E0214", 3, 18}}},
    {"var x[3] = 1\nx' = -x\nexpect x ~ [1, 2] within 1\n", {{"E0204", 3, 1}}},
    /* an expectation is never left out silently */
    {"var x = 1\nx' = -x\nexpect index > 3\n", {{"E0203", 3, 8}}},
    {"var x = 1\nx' = -x\nexpect dof != x\n", {{"E0203", 3, 8}}},
    {"var x = 1\nx' = -x\nexpect 3 == index\n", {{"E0201", 3, 13}}},
    {"var x = 1\nx' = -x\nexpect index\n", {{"E0201", 3, 8}}},
    {"param a = inf - inf\nvar x = 1\nx' = a\n", {{"E0213", 1, 11}}},
    {"param n = log(0), m = n\nvar x[m] = 1\nx' = -x\n", {{"E0213", 1, 11}}},
    {"var x = 1\nx' = -x\nexpect index == x\n", {{"E0206", 3, 17}}},
    {"var x = 1\nx' = -x\nexpect index == q\n", {{"E0201", 3, 17}}},
    {"var x = 1\nx' = -x\nexpect x ~ 1 within 1 at x\n", {{"E0206", 3, 26}}},
    {"var x[2] = 1\nx' = -x\nexpect x[3] > 1 and x[1] > 0\n",
        {{"E0205", 3, 10}}},
    {"var x[2] = 1\nx' = -x\nexpect x[1] > 1 and x[0] > 0\n",
        {{"E0205", 3, 23}}},
    {"var x[2] = 1\nx' = -x\nexpect x[1] ~ x[3] within 1\n",
        {{"E0205", 3, 17}}},
    {"var x[2] = 1\nx' = -x\nexpect x[1] ~ x[2] within x\n",
        {{"E0204", 3, 27}}},
    {"var x[2] = 1\nx' = -x\nplot x over x\n", {{"E0204", 3, 13}}},
    {"var x[2] = 1\nx' = -x\nplot x, x[3]\n", {{"E0205", 3, 11}}},
    {"var x[2] = 1\nx' = -x\nplot initial(x/0)\n", {{"E0213", 3, 14}}},
    {"var x = 1, y\nL2a: x' = -x\nL: y = 1\nL3: y = 2\n", {{"E0215", 4, 1}}},
    /* a circle of six shows four of its members */
    {"let a = b\nlet b = c\nlet c = d\nlet d = e\nlet e = f\nlet f = a\n"
     "var x = 1\nx' = a\n",
        {{"E0208", 1, 5}}},
};

static void shapes_that_do_not_fit(void **state)
{
    (void)state;
    check_wrong_models(shapes, sizeof shapes / sizeof *shapes);
}

static void indices_and_ranges_that_are_none(void **state)
{
    (void)state;
    check_wrong_models(indices, sizeof indices / sizeof *indices);
}

static void calls_that_cannot_be_made(void **state)
{
    (void)state;
    check_wrong_models(calls, sizeof calls / sizeof *calls);
}

static void starts_options_and_checks(void **state)
{
    (void)state;
    check_wrong_models(others, sizeof others / sizeof *others);
}

/* Seventy names that nobody declared: told up to twenty, never twice. */
static void more_missing_names_than_are_told(void **state)
{
    (void)state;
    char text[2000], *at = text;
    at += sprintf(at, "var x = 1\nx' = 1");
    for (int k = 0; k < 70; k++) at += sprintf(at, "\n  + m%d*m%d", k, k);
    strcpy(at, "\n");
    dae_diagnostics *ds;
    dae_model *model;
    CHECK_STATUS(dae_diagnostics_create(NULL, &ds), DAE_OK);
    CHECK_STATUS(
        dae_model_parse("many.dae", text, strlen(text), NULL, NULL, ds, &model),
        DAE_MODEL);
    assert_true(dae_diagnostics_count(ds) >= 20);
    for (uint32_t k = 0; k < 20; k++) CHECK_DIAG(ds, "E0201", 3 + k, 5);
    dae_diagnostics_free(ds);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shapes_that_do_not_fit),
        cmocka_unit_test(indices_and_ranges_that_are_none),
        cmocka_unit_test(calls_that_cannot_be_made),
        cmocka_unit_test(starts_options_and_checks),
        cmocka_unit_test(more_missing_names_than_are_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
