/* A limit on a model's memory that is reached at every place where memory is
 * taken: the limit grows by a few bytes until the model compiles. Near the
 * limit the arenas take blocks of just the size that is requested, so that
 * each one of them is the one that fails. */
#include "support/check.h"
#include "support/share.h"
#include "support/syntax.h"

#include <dae/model.h>
#include <stdbool.h>

/* Statements of every kind. */
static const char grammar[] =
    "\"title\"\n"
    "param a = 1 {kg*m^-2/s, min = 0} \"mass\", b[2, 0..3], c[i in 1..3] = i\n"
    "species A = 1\ndiscrete n = 0\nlet r = k\ninput g = t\noutput o = r\n"
    "rod: x'' = -a*(y + 2.5e1)/b[1..2,:] - c^2 for i in 1..2 where i != 1 "
    "\"doc\"\n"
    "init x' = 0, y ~ 1, [1, 2] = z for i in 1..2 step 2\n"
    "fun f(a, b) = a*b \"product\"\n"
    "fun h(a)\n  c = a\n  return c\nend\n"
    "for i in 1..2\n  x[i] = f(i, k = 3, s = \"t\")\nend\n"
    "if a\n  x = 1\nelseif b\n  x = 2\nelse\n  x = 3\nend\n"
    "y = if a and not true or false then b elseif x < 1 then der(x) else +e\n"
    "z = sum(x[i] for i in 1..n, j in i..m step 2 where i >= j)\n"
    "hit: when x > 0 and x <= 1\n  v := -v\n  stop \"on\"\n  print \"p\"\nend\n"
    "reactions\n  a: A + 2 B -> C[i] @ k for i in 1..2\n  E => F @ v\nend\n"
    "model R(a = 1 {ohm}) \"Ohm\"\n  port p, n : Pin\n  x = 1\nend\n"
    "port Pin = v {V}, flow i {A}\nuse R q(k = 1), w[3](2)\n"
    "connect a.p, b[i].n for i in 1..3\nimport \"a.dae\" as src\n"
    "solve t in 0..10, rtol = 1e-6, grid = \"log\"\n"
    "plot x, y' over z\n"
    "expect x ~ 1 within 1 at 2\nexpect x == 0 always\nexpect \"E0301\"\n"
    "expect x != 1 final\n";

static const char model[] =
    "\"a model with much of the language\"\n"
    "param n = 3, k = 2 {1/s}, w[i in 1..30] = i, m = n + 1, q = sqrt(k)\n"
    "param M[2,2] = [[1, 2], [3, k]], list[3] = [i^2 for i in 1..3]\n"
    "let   h = 1/(n + 1), total = sum(x), pair = M*[x[1], y], big = 2*v\n"
    "let   turned = transpose(M)*pair, c = cross(x, [0, 0, y]), d = dot(x, x)\n"
    "input u = sin(t), g[2] = [t, t^2]\n"
    "fun   flow(a, b)\n  d = a - b\n  return k*d*abs(d)\nend\n"
    "fun   longest(a) = sum(a*w[j] for j in 1..30)\n"
    "var   x[i in 1..n] = i*h {m, min = -10, max = 9}, y = 1 \"y\", z ~ 0\n"
    "var   v[30] ~ 1, p, s\n"
    "init  y' = 0, x[1] + y = 1\n"
    "ring: x[i]' = flow(x[mod(i, n) + 1], x[i]) + u*(k*total)'/20 + c[i]  for "
    "i in 1..n\n"
    "y'' = -y + z + norm(pair) + turned[1] + stumpff(1, d) + outer(x, x)[1,2]\n"
    "mass: z + sum(w[j]*v[j] for j in 1..30) = if y > q then 1 else exp(y)\n"
    "v' = -v*p + big + w\n"
    "for i in 1..1\n  if i > m\n    p = 1\n  else\n    p = longest(y)\n  end\n"
    "end\n"
    "s = prod(v) + max(v[j] for j in 1..30) + sum([x[1..2], g][2]) + "
    "identity(2)[1,1]*(if z > 0 or not (y > 1) then x else -x)[2]\n"
    "output peak = max(x), energy[i in 1..2] = i*y^2 + y'^2\n"
    "solve t in 0..1, rtol = 1e-5, atol = 1e-7, points = 5, method = bdf\n"
    "plot x, M over z\n"
    "expect x ~ initial(x) within 1e6 always\n"
    "expect y > 0 and (x[1] > -5 or z < 0) at 1\n"
    "expect index == 1\n";

/* What is wrong is told of, or that memory does not suffice. */
static const char wrong[] =
    "param a = b, b = a, k, e = 1/0\nvar x[2] = [1, 2, 3], y {mim = 1}\n"
    "x' = foo(x) + bar + x[3]\ny = x + [1, 2, 3]\nz = ln(y)\nf: y = sin\n"
    "f: y' = t for i in 1..y\nsolve t in 0..0, rtl = 1\nspecies A = 1\n"
    "init 2*y ~ 1\nexpect x[9] > 0\nfun g(a) = g(a)\ny = g(1)\n";

static dae_status parse_within(const char *text, size_t limit)
{
    parsed p;
    CHECK_STATUS(
        parsed_init(&p, dae_allocator_default(), text, strlen(text)), DAE_OK);
    p.arena.limit = limit;
    dae_status st = parse_file(&p.source, &p.arena, &p.names, p.ds, &p.file);
    parsed_clear(&p);
    return st;
}

static void every_node_may_be_the_one_too_many(void **state)
{
    (void)state;
    dae_status st = DAE_MEMORY;
    size_t limit = strlen(grammar), refused = 0;
    for (; st == DAE_MEMORY; limit += 16, refused++)
        st = parse_within(grammar, limit);
    CHECK_STATUS(st, DAE_OK);
    assert_true(refused > 1000);
}

static dae_status compile_within(const char *text, size_t limit)
{
    failing_memory memory;
    dae_diagnostics *ds;
    dae_model *m;
    dae_model_options options = {.memory_limit = limit};
    failing_init(&memory, SIZE_MAX);
    CHECK_STATUS(dae_diagnostics_create(NULL, &ds), DAE_OK);
    dae_status st = dae_model_parse(
        "limit.dae", text, strlen(text), &options, &memory.allocator, ds, &m);
    assert_int_equal(m != NULL, st == DAE_OK);
    if (st == DAE_LIMIT) CHECK_DIAG(ds, "E0004", 0, 0);
    dae_model_free(m);
    assert_int_equal(memory.live, 0);
    dae_diagnostics_free(ds);
    return st;
}

/* A share of the limits has four times the step. */
static size_t stride(void)
{
    return test_share() > 1 ? 4 : 1;
}

/* Limits from a little on, a step apart, up to the first that suffices. */
static size_t sweep(const char *text, size_t step, dae_status end)
{
    size_t refused = 0;
    step *= stride();
    for (size_t limit = 1000;; limit += step, refused++) {
        dae_status st = compile_within(text, limit);
        if (st == end) return refused;
        CHECK_STATUS(st, DAE_LIMIT);
    }
}

static void compiling_stops_wherever_the_limit_is(void **state)
{
    (void)state;
    assert_true(sweep(model, 97, DAE_OK) > 1000 / stride());
}

static void mistakes_are_told_or_the_limit_is(void **state)
{
    (void)state;
    assert_true(sweep(wrong, 61, DAE_MODEL) > 300 / stride());
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_node_may_be_the_one_too_many),
        cmocka_unit_test(compiling_stops_wherever_the_limit_is),
        cmocka_unit_test(mistakes_are_told_or_the_limit_is),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
