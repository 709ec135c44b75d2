/* Wrong models. Code, line and column were written down before the first run;
 * a case holds exactly the diagnostics listed, so that one mistake is one
 * error. */
#include "lang/sema_support.h"

static const wrong_model models[] = {
    /* names */
    {"var x = 1\nx' = -k*x\n", {{"E0201", 2, 7}}},
    {"param rate = 2\nvar x = 1\nx' = -rat*x\n", {{"E0201", 3, 7}}},
    {"var x = 1\nx' = sine(x)\n", {{"E0201", 2, 6}}},
    {"var x = 1\nx' = foo + bar\n", {{"E0201", 2, 6}, {"E0201", 2, 12}}},
    /* one name, one error: at its first place in the text */
    {"var x = 1\nx' = -k*x + k\nlet r = k\n", {{"E0201", 2, 7}}},
    {"let r = k\nvar x = 1\nx' = -k*x + j\n",
        {{"E0201", 1, 9}, {"E0201", 3, 13}}},
    {"var x = 1\ndx/dt = -x\n", {{"E0201", 2, 1}}},
    {"var x = 1\nx' = np.sin(x)\n", {{"E0201", 2, 6}}},
    {"var x = 1\nx' = -Math.PI*x\n", {{"E0201", 2, 7}}},
    {"var x = 1\nx' = a.b(x)\n", {{"E0203", 2, 6}}},
    {"fun f(a)\n  let b = a\n  return b\nend\nvar x = 1\nx' = f(x)\n",
        {{"E0203", 2, 3}}},
    {"var x = 1\nvar x = 2\nx' = -x\n", {{"E0202", 2, 5}}},
    {"param a = 1\nvar a = 1\na' = -1\n", {{"E0202", 2, 5}}},
    {"var x = 1, y\nf: x' = -x\nf: y = x\n", {{"E0202", 3, 1}}},
    {"var x = 1\nx' = -x\nsolve t in 0..1\nsolve t in 0..2\n",
        {{"E0202", 4, 1}}},
    {"var x[3]\nx[i] = i for i in 1..n\n", {{"E0201", 2, 22}}},
    {"var x = 1\nx' = -i*x\ny = 1 for i in 1..0\n",
        {{"E0201", 2, 7}, {"E0201", 3, 1}}},
    {"fun f(a) = a + b\nvar x = 1\nx' = f(x)\n", {{"E0201", 1, 16}}},
    {"param pi = 3\nvar x = 1\nx' = -x\n", {{"E0215", 1, 7}}},
    {"var t = 1\nt' = 1\n", {{"E0215", 1, 5}}},
    {"fun sin(x) = x\nvar x = 1\nx' = -x\n", {{"E0215", 1, 5}}},
    {"var x = 1\nL7: x' = -x\n", {{"E0215", 2, 1}}},
    /* used for what they are not */
    {"var x = 1\nx' = x(2)\n", {{"E0203", 2, 6}}},
    {"var x = 1\nx' = sin\n", {{"E0203", 2, 6}}},
    {"var x = 1\nx' = x[1]\n", {{"E0203", 2, 6}}},
    {"fun f(a) = 2*a\nvar x = 1\nx' = f\n", {{"E0203", 3, 6}}},
    {"var x = 1\ninput u = 2*x\nx' = u\n", {{"E0203", 2, 11}}},
    {"var x = 1\nx' = -x\n\"a late title\"\n", {{"E0203", 3, 1}}},
    {"var x = 1\nfor i in 1..2\n  var y\nend\nx' = -x\n", {{"E0203", 3, 3}}},
    {"var x = 1\nx' = initial(x)\n", {{"E0203", 2, 6}}},
    {"var x\nx' = -x\ninit 2*x ~ 1\n", {{"E0203", 3, 6}}},
    /* shapes */
    {"var x[2], y[3]\nx = y\n", {{"E0204", 2, 1}}},
    {"var x[2], y[3]\nx + y = 0\n", {{"E0204", 2, 1}}},
    {"var x[2,2]\nx[1,1,1] = 0\n", {{"E0204", 2, 1}}},
    {"var x[2], s\nx = cross(x, x)\ns = 1\n", {{"E0204", 2, 5}}},
    {"param A[2,3] = 1\nvar b[2]\nb = A*b\n", {{"E0204", 3, 5}}},
    {"var x[3], s\nx = 1\ns = if x then 1 else 2\n", {{"E0204", 3, 8}}},
    {"param n = -3\nvar x[n]\nx = 0\n", {{"E0204", 2, 7}}},
    {"var x[3] = [1, 2]\nx = 0\n", {{"E0204", 1, 12}}},
    /* indices */
    {"var x[3]\nx[i] = x[i+1] for i in 1..3\n", {{"E0205", 2, 10}}},
    {"var x[3]\nx[0] = 1\nx[2] = 1\nx[3] = 1\n", {{"E0205", 2, 3}}},
    {"var x[0..2]\nx = 1\nsolve t in 0..1\nplot x[3]\n", {{"E0205", 4, 8}}},
    {"var x[4], y[2]\nx = 1\ny = x[4..5]\n", {{"E0205", 3, 10}}},
    /* not known now */
    {"var n = 3\nvar x[n]\nn' = 1\nx = 0\n", {{"E0206", 2, 7}}},
    {"var x[3], y\nx = 1\ny = x[y]\n", {{"E0206", 3, 7}}},
    {"var x[2.5]\nx = 1\n", {{"E0206", 1, 7}}},
    {"var x = 1\nx' = -x\nparam k = x\n", {{"E0206", 3, 11}}},
    {"var x = 1\nx' = -x\nsolve t in 0..x\n", {{"E0206", 3, 15}}},
    {"var x = 1\nx' = -x\nsolve t in 1..1\n", {{"E0206", 3, 7}}},
    /* arguments */
    {"var x = 1\nx' = atan2(x)\n", {{"E0207", 2, 6}}},
    {"var x = 1\nx' = sin(x, x)\n", {{"E0207", 2, 6}}},
    {"fun f(a, b) = a + b\nvar x = 1\nx' = f(x)\n", {{"E0207", 3, 6}}},
    {"var x = 1\nx' = max(x for i in 1..0)\n", {{"E0207", 2, 10}}},
    /* cycles */
    {"let a = b + 1\nlet b = a\nvar x = 1\nx' = a\n", {{"E0208", 1, 5}}},
    {"param a = b, b = a\nvar x = 1\nx' = a*x\n", {{"E0208", 1, 7}}},
    {"fun f(n) = f(n)\nvar x = 1\nx' = f(x)\n", {{"E0208", 1, 12}}},
    {"fun f(n) = if n < 2 then 1 else n*f(n - 1)\nvar x = 1\nx' = f(3)\n",
        {{"E0208", 1, 35}}},
    {"fun f(n) = g(n)\nfun g(n) = 2*f(n)\nvar x = 1\nx' = f(x)\n",
        {{"E0208", 2, 14}}},
    {"fun f(a) = a + k\nlet k = f(2)\nvar x = 1\nx' = f(x)\n",
        {{"E0208", 2, 5}}},
    {"param a = 1\nvar x = 1\na' = -x\nx' = -x\n", {{"E0203", 3, 1}}},
    {"param a[2] = 1\nvar x = 1\na[2]' = -x\nx' = -x\n", {{"E0203", 3, 1}}},
    /* values */
    {"param k\nvar x = 1\nx' = -k*x\n", {{"E0209", 1, 7}}},
    {"param a = log(-1)\nvar x = 1\nx' = a\n", {{"E0213", 1, 11}}},
    {"param a = 1/0\nvar x = 1\nx' = a\n", {{"E0213", 1, 11}}},
    {"var x = 1 {mim = 0}\nx' = -x\n", {{"E0214", 1, 12}}},
    {"var x = 1 {min = 2, max = 1}\nx' = -x\n", {{"E0214", 1, 21}}},
    {"var x = 1 {atol = -1}\nx' = -x\n", {{"E0214", 1, 19}}},
    {"var x = 1\nx' = -x\nsolve t in 0..1, rtoll = 1e-3\n", {{"E0214", 3, 18}}},
    {"var x = 1\nx' = -x\nsolve t in 0..1, rtol = -1\n", {{"E0214", 3, 25}}},
    /* start */
    {"var x = 1\nx' = -x\ninit x = 2\n", {{"E0212", 3, 6}}},
    {"var x[2] = 1\nx' = -x\ninit x[2] = 1\n", {{"E0212", 3, 6}}},
    /* a guess between them excuses nothing, whatever the order */
    {"var x[2] = 1\nx' = -x\ninit x[2] ~ 5, x[2] = 1\n", {{"E0212", 3, 16}}},
    /* later */
    {"species A = 1\n", {{"E0210", 1, 1}}},
    {"reactions\n  0 -> 0 @ 1\nend\n", {{"E0210", 1, 1}}},
    {"var x = 1\nx' = table(\"a.csv\")\n", {{"E0232", 2, 6}}},
    {"import \"a.dae\"\nvar x = 1\nx' = -x\n", {{"E0210", 1, 1}}},
    {"var x = 1\nx' = a.b\n", {{"E0210", 2, 6}}},
    {"model M\n  var y\n  y = 1\nend\nvar x = 1\nx' = -x\n", {{"E0210", 1, 1}}},
    /* counts */
    {"param a = 1\n", {{"E0211", 2, 1}}},
    {"", {{"E0211", 1, 1}}},
    /* several at once */
    {"param n = 2\nvar x[n] = 1, y\nx[i]' = -q*x[i] for i in 1..n\n"
     "y = x[3]\nsolve t in 0..1, foo = 1\n",
        {{"E0201", 3, 10}, {"E0205", 4, 7}, {"E0214", 5, 18}}},
};

static void wrong_models_are_named_with_their_place(void **state)
{
    (void)state;
    check_wrong_models(models, sizeof models / sizeof models[0]);
}

/* What the first error, its help or its further places say. */
static const struct {
    const char *text, *says;
} advices[] = {
    {"var x = 1\ndx/dt = -x\n", "with a prime: `x'`"},
    {"var x = 1\nx' = -x\nsolve s in 0..1\nplot dx/ds\n", "`x'`"},
    {"var x = 1\nx' = ln(x)\n", "`log`"},
    {"var x = 1\nx' = pow(x, 2)\n", "`a^b`"},
    {"var x = 1\nx' = fabs(x)\n", "`abs`"},
    {"var x = 1\nx' = arctan(x)\n", "`atan`"},
    {"var x = 1\nx' = tg(x)\n", "`tan`"},
    {"var x = 1\nx' = sen(x)\n", "`sin`"},
    {"var x = 1\nx' = heaviside(x)\n", "then 1 else 0"},
    {"var x = 1\nx' = step(x)\n", "then 1 else 0"},
    {"var x = 1\nx' = np.sin(x)\n", "no prefix"},
    {"var x = 1\nx' = -Math.PI\n", "no prefix"},
    {"param X = 1\nvar y = 1\ny' = -x*y\n", "`X`? upper and lower case"},
    {"var x = 1\nx' = Sin(x)\n", "`sin`? upper and lower case"},
    {"var x = 1\nx' = -PI*x\n", "`pi`? upper and lower case"},
    {"var x = 1\nx' = -k*x + k\n", "also here"},
    {"fun f(n) = f(n)\nvar x = 1\nx' = f(x)\n", "`f` calls itself"},
    {"fun f(n) = g(n)\nfun g(n) = f(n)\nvar x = 1\nx' = f(x)\n",
        "`g` needs `f`"},
    {"let a = b\nlet b = c\nlet c = a\nvar x = 1\nx' = a\n", "`c` needs `a`"},
    {"param n = k, k = n\nvar x[n] = 1\nx = 1\n", "`k` needs `n`"},
    {"var x = 1\nparam k = x*2\nx' = -k\n",
        "param `k` cannot depend on the unknown `x`"},
    {"var x = 1\nlet r = x\nparam k = r\nx' = -k\n",
        "param `k` cannot depend on the unknown `x`"},
    {"var n = 1\nparam k[n] = 2\nn' = -1\n", "a size or a condition"},
    {"fun f(a)\n  let b = a\n  return b\nend\nvar x = 1\nx' = f(x)\n",
        "write `b = ...`, without `let`"},
};

static bool first_says(const dae_diagnostics *ds, const char *part)
{
    const dae_diagnostic *d = dae_diagnostics_at(ds, 0);
    bool found = d
        && (strstr(d->message, part) || (d->help && strstr(d->help, part)));
    for (size_t i = 0; d && i < d->span_count; i++) {
        const char *label = d->spans[i].label;
        found = found || (label && strstr(label, part));
    }
    if (!found) print_error("%s is not said of\n", part);
    return found;
}

static void the_first_error_helps(void **state)
{
    (void)state;
    size_t failures = 0;
    for (size_t k = 0; k < sizeof advices / sizeof advices[0]; k++) {
        dae_diagnostics *ds;
        dae_model *model;
        const char *text = advices[k].text;
        CHECK_STATUS(dae_diagnostics_create(NULL, &ds), DAE_OK);
        CHECK_STATUS(dae_model_parse("wrong.dae", text, strlen(text), NULL,
                         NULL, ds, &model),
            DAE_MODEL);
        if (!first_says(ds, advices[k].says)) {
            print_error("%s\n", text);
            describe(ds);
            failures++;
        }
        dae_diagnostics_free(ds);
    }
    assert_int_equal(failures, 0);
}

/* A function of a function's value does not call itself, nor does one whose
 * let calls it again. */
static void calls_within_calls_are_no_circle(void **state)
{
    (void)state;
    static const char text[] =
        "fun f(a) = 2*a\nfun g(a) = f(a) + k\n"
        "fun h(dx, dt) = dx/dt\n"
        "let k = f(f(2))\nvar x = 1\nx' = h(g(f(x)), 2)\n";
    dae_diagnostics *ds;
    dae_model *model;
    CHECK_STATUS(dae_diagnostics_create(NULL, &ds), DAE_OK);
    CHECK_STATUS(dae_model_parse(
                     "right.dae", text, strlen(text), NULL, NULL, ds, &model),
        DAE_OK);
    dae_model_free(model);
    dae_diagnostics_free(ds);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wrong_models_are_named_with_their_place),
        cmocka_unit_test(the_first_error_helps),
        cmocka_unit_test(calls_within_calls_are_no_circle),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
