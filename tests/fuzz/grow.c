#include "grow.h"
#include <stdio.h>
#include <string.h>

/* A symbol and one text for it; %s stands for the symbol s. A symbol's first
 * text is short, and is taken where the depth is used up. */
typedef struct production {
    char symbol;
    const char *text;
} production;

static const production productions[] = {
    /* expressions */
    {'e', "%n"},
    {'e', "%k"},
    {'e', "%n'"},
    {'e', "%e + %e"},
    {'e', "%e - %e"},
    {'e', "%e*%e"},
    {'e', "%e/%e"},
    {'e', "%e^%k"},
    {'e', "%e^%e"},
    {'e', "-%e"},
    {'e', "(%e)"},
    {'e', "(%e)'"},
    {'e', "(%e)''"},
    {'e', "%f(%e)"},
    {'e', "%g(%e, %e)"},
    {'e', "if %c then %e else %e"},
    {'e', "if %c then %e elseif %c then %e else %e"},
    {'e', "%n[%i]"},
    {'e', "%n[%i,%i]"},
    {'e', "%n(%e)"},
    {'e', "sum(%e for %r)"},
    {'e', "prod(%e for %r)"},
    {'e', "max(%e for %r where %c)"},
    {'e', "min(%e, %e, %e)"},
    {'e', "sum(%n)"},
    {'e', "[%e, %e]"},
    {'e', "[%e, %e, %e]"},
    {'e', "[[%e, %e], [%e, %e]]"},
    {'e', "[%e for %r]"},
    {'e', "dot(%e, %e)"},
    {'e', "cross(%n, %e)"},
    {'e', "norm(%e)"},
    {'e', "outer(%e, %e)"},
    {'e', "transpose(%e)"},
    {'e', "identity(%k)"},
    {'e', "zeros(%k, %k)"},
    {'e', "ones(%k)"},
    {'e', "der(%e, %k)"},
    {'e', "initial(%e)"},
    {'e', "stumpff(%k, %e)"},
    {'e', "t"},
    {'e', "pi"},
    {'e', "%n.%n"},
    {'e', "%c"},
    {'e', "table(\"a.csv\", x = \"x\", y = \"y\"%I%I)"},
    {'e', "%n.count"},
    /* conditions */
    {'c', "true"},
    {'c', "false"},
    {'c', "%e < %e"},
    {'c', "%e >= %e"},
    {'c', "%e == %e"},
    {'c', "%e != %e"},
    {'c', "not %c"},
    {'c', "%c and %c"},
    {'c', "%c or %c"},
    {'c', "%n > %k"},
    /* indices, ranges, loops */
    {'i', "i"},
    {'i', "1"},
    {'i', "%k"},
    {'i', "i+1"},
    {'i', "n-i"},
    {'i', ":"},
    {'i', "1..2"},
    {'i', "i..n"},
    {'i', "%e"},
    {'i', "mod(i, n) + 1"},
    {'r', "i in 1..2"},
    {'r', "i in 1..n"},
    {'r', "i in 0..%k"},
    {'r', "i in 1..n, j in i..n"},
    {'r', "j in %e..%e"},
    {'r', "i in n..1 step -1"},
    {'r', "i in 1..%k step %k"},
    {'x', ""},
    {'x', ""},
    {'x', " for %r"},
    {'x', " for %r where %c"},
    /* functions of one and of two */
    {'f', "sin"},
    {'f', "cos"},
    {'f', "exp"},
    {'f', "log"},
    {'f', "sqrt"},
    {'f', "abs"},
    {'f', "tanh"},
    {'f', "atan"},
    {'f', "floor"},
    {'f', "sign"},
    {'f', "sinc"},
    {'f', "cosc"},
    {'f', "sincc"},
    {'f', "cbrt"},
    {'f', "log1p"},
    {'f', "erf"},
    {'f', "acosh"},
    {'f', "asin"},
    {'f', "%n"},
    {'g', "min"},
    {'g', "max"},
    {'g', "atan2"},
    {'g', "hypot"},
    {'g', "mod"},
    {'g', "dot"},
    {'g', "%n"},
    /* declarations */
    {'d', "%n%z%v%t"},
    {'d', "%n = %e"},
    {'d', "%n%z ~ %e"},
    {'d', "%n%v"},
    {'z', ""},
    {'z', ""},
    {'z', "[%k]"},
    {'z', "[n]"},
    {'z', "[0..n]"},
    {'z', "[i in 1..n]"},
    {'z', "[n, %k]"},
    {'z', "[%e]"},
    {'v', ""},
    {'v', " = %k"},
    {'v', " ~ %k"},
    {'v', " = %e"},
    {'v', " ~ %e"},
    {'t', ""},
    {'t', ""},
    {'t', " {m/s^2}"},
    {'t', " {min = %k, max = %k}"},
    {'t', " {nominal = %e}"},
    {'t', " {kg, atol = %k, state = 1}"},
    {'t', " \"text\""},
    /* statements */
    {'s', "%q\n"},
    {'s', "var %d\n"},
    {'s', "var %d, %d\n"},
    {'s', "param %d\n"},
    {'s', "let %d\n"},
    {'s', "input %d\n"},
    {'s', "output %d\n"},
    {'s', "param %n = table(\"a.csv\")\n"},
    {'s', "input %n = table(\"a.csv\", x = \"%n\", y = \"%n\"%I%I%I)\n"},
    {'s', "init %e = %e%x\n"},
    {'s', "init %n = %e, %n' ~ %e\n"},
    {'s', "fun %n(a, b) = %e\n"},
    {'s', "fun %n(%n)\n  a = %e\n  return %e\nend\n"},
    {'s', "for %r\n  %s%send\n"},
    {'s', "if %c\n  %selse\n  %send\n"},
    {'s', "if %c\n  %selseif %c\n  %send\n"},
    {'s', "%n: %q\n"},
    {'s', "solve %n in %e..%e%o\n"},
    {'s', "solve t in 0..1%o%o\n"},
    {'s', "plot %e, %e over %e\n"},
    {'s', "expect %e ~ %e within %e%p\n"},
    {'s', "expect %c%p\n"},
    {'s', "expect \"E0301\"\n"},
    {'s', "\"text\"\n"},
    {'s', "# %n\n"},
    {'s', "#set %n=%e\n"},
    {'s', "%n%z' = %e%x\n"},
    {'s', "when %c\n  %n := %e\n  stop\nend\n"},
    {'s', "when %c\n%Aend\n"},
    {'s', "%n: when %c\n%A%A%Aend\n"},
    {'s', "for %r\n  when %n[i] < %e\n  %n[i] := %e\n%Aend\nend\n"},
    {'s', "stop \"text\"\n"},
    {'s', "%n := %e\n"},
    {'s', "model %n(%d)\n%send\n"},
    {'s', "reactions\n  2 %n + %n -> %n @ %e\nend\n"},
    {'s', "discrete %d\n"},
    {'s', "use %n a, b(%n = %e)\n"},
    {'s', "connect a.%n, b.%n\n"},
    {'s', "import \"a.dae\" as %n\n"},
    {'s', "port P = %n, flow %n {A}\n"},
    {'I', ""},
    {'I', ", interp = \"hold\""},
    {'I', ", interp = \"linear\""},
    {'I', ", interp = \"spline3\""},
    {'I', ", interp = \"spline5\""},
    {'I', ", interp = %e"},
    {'I', ", extrapolate = \"refuse\""},
    {'I', ", extrapolate = \"hold\""},
    {'I', ", extrapolate = \"linear\""},
    {'I', ", at = %e"},
    {'I', ", %n = %e"},
    {'A', ""},
    {'A', "  %n := %e\n"},
    {'A', "  %n[%i] := %e\n"},
    {'A', "  %n' := %e\n"},
    {'A', "  der(%n, %k) := %e; %n := %e\n"},
    {'A', "  %e := %e\n"},
    {'A', "  stop \"text\"\n"},
    {'A', "  print \"text\"\n"},
    {'A', "  print %e\n"},
    {'A', "  %q\n"},
    {'A', "  %s"},
    {'q', "%n' = %e"},
    {'q', "%e = %e%x"},
    {'q', "%n = %e%x"},
    {'q', "%n[i]' = %e for %r"},
    {'q', "%n'' = %e"},
    {'q', "%e = %e  \"text\""},
    {'o', ""},
    {'o', ", rtol = %k"},
    {'o', ", order = %k"},
    {'o', ", atol = %e"},
    {'o', ", points = %k"},
    {'o', ", method = \"bdf\""},
    {'o', ", grid = \"log\""},
    {'o', ", max_step = %k"},
    {'o', ", first_step = %k"},
    {'o', ", linear = \"klu\""},
    {'o', ", linear = \"umfpack\""},
    {'p', ""},
    {'p', " always"},
    {'p', " final"},
    {'p', " at %k"},
    /* models that compile, mostly */
    {'m', "var x = 1\nx' = -x\n"},
    {'m', "param a = %k\nvar x = 1, y ~ 0\nx' = %e\ny = %e\n"},
    {'m', "param n = 3\nvar x[n] = 1, y\nx[i]' = %e for i in 1..n\ny = %e\n"},
    {'m',
        "var x = 1, y = 0, z ~ 0\nx'' = -z*x\ny'' = -z*y - %k\nx^2 + y^2 = "
        "1\n"},
    {'m', "var x, y\nx' = %e\ny' = %e\ninit %e = %k, %e = %k\n"},
    {'m', "var x = 1\nlet a = %e, b = %e*a\nx' = a + b' + %e\noutput c = %e\n"},
    /* terms of declared names, and lines that go well with a whole model */
    {'h', "%u"},
    {'h', "%j"},
    {'h', "t"},
    {'h', "%u*%h"},
    {'h', "(%h + %h)"},
    {'h', "(%h - %u)"},
    {'h', "sin(%h)"},
    {'h', "cos(%h)"},
    {'h', "exp(-(%h)^2)"},
    {'h', "tanh(%h)"},
    {'h', "%u^2"},
    {'h', "%u^3"},
    {'h', "sqrt(1 + %h^2)"},
    {'h', "%u'"},
    {'h', "abs(%h)"},
    {'h', "max(%h, %j)"},
    {'h', "-%h"},
    {'h', "(if %h > %j then %h else %h)"},
    {'h', "%h/(1 + %h^2)"},
    {'h', "(%h)'"},
    {'h', "atan2(%h, %j)"},
    {'h', "hypot(%h, %h)"},
    {'h', "stumpff(2, %h)"},
    {'h', "sinc(%h)"},
    {'h', "log(%h)"},
    {'h', "sqrt(%h)"},
    {'h', "%h/%u"},
    {'h', "sum(%h*k for k in 1..5)"},
    {'h', "dot([%h, %u, 1], [%u, 2, %h])"},
    {'h', "initial(%u)"},
    {'h', "%u''"},
    {'h', "exp(%h)"},
    {'h', "floor(%h)"},
    {'h', "mod(%h, %j)"},
    {'h', "%u^%h"},
    {'l', "var %w = %j\n%w' = %h\n"},
    {'l', "var %w ~ %j\n%w = %h\n"},
    {'l', "var %w\n%w'' = %h\ninit %w = %j, %w' = %h\n"},
    {'l', "let %w = %h\n"},
    {'l', "output %w = %h\n"},
    {'l', "param %w = %j\n"},
    {'l', "input %w = sin(%j*t)\n"},
    {'l', "expect %h ~ %h within %j always\n"},
    {'l', "var %w[7] = %j\n%w[i]' = %h*i - %w[i] for i in 1..7\n"},
    {'l',
        "var %w[0..20] = %j\n%w[i]' = %w[mod(i+1, 21)] - %h for i in 0..20\n"},
    {'l', "var %w ~ %j\n0 = %w^3 + %w - %h\n"},
    {'l', "init %u' ~ %j\n"},
    {'l', "var %w = %j {min = %j, nominal = %j}\n%w' = %h\n"},
    {'l', "var %w[3] = 1\n%w' = cross(%w, [%h, 1, %u])\n"},
    {'l', "fun %w(a, b) = a*b + %j\n"},
    {'l', "plot %u, %h over %h\n"},
    {'l', "when %u < %h\n  %u := %j\nend\n"},
    {'l', "discrete %w = %j\nwhen %h > %w\n  %w := %w + %j\nend\n"},
    {'l',
        "discrete %w = %j, %wc[3] = %j\nvar %wb = %j\n%wb' = %w - %h\n"
        "%we: when %wb < %h and %u > %wb\n  %w := %h\n  %wb := %j*%wb\n"
        "  %wc := [%h, %w, %u]\n  print \"text\"\nend\n"},
    {'l',
        "var %w[3] = %j\n%w' = -%w\nfor k in 1..3\n  when %w[k] < %h\n"
        "    %w[k] := %j\n  end\nend\n"},
    {'l', "when t > %j\n  stop \"text\"\nend\n"},
    {'l', "var %w, %wb\n%w' + %wb' = %h\n%w = %wb*%j\n"},
};
#define PRODUCTIONS (sizeof productions / sizeof *productions)

/* Where sizes wrap, sums overflow, indices end. */
static const char *const numbers[] = {"1", "0", "2", "3", "-1", "0.5", "10",
    "1e-3", "64", "65", "1000", "1001", "65536", "100000", "1e6", "2147483647",
    "2147483648", "4294967295", "4294967296", "9007199254740993",
    "9223372036854775807", "9223372036854775808", "18446744073709551616",
    "1e19", "1e154", "1e308", "1.8e308", "1e400", "5e-324", "2.2e-308",
    "1e-400", "inf", "-inf", "(0/0)", "nan", ".5", "1.", "1e", "0x10"};

static const char *const modest[] = {"1", "0", "2", "0.5", "-1", "3", "10",
    "-0.1", "1e-3", "100", "1e3", "1e-6", "1e6", "1e10", "1e-12", "-5"};

static const char *const common_names[] = {"x", "y", "z", "n", "i", "t", "a"};

static void put(grower *g, const char *text, size_t length)
{
    if (length > g->room - g->length) return;
    if (length) memcpy(g->text + g->length, text, length);
    g->length += length;
}

static void put_text(grower *g, const char *text)
{
    put(g, text, strlen(text));
}

static void put_name(grower *g)
{
    size_t common = sizeof common_names / sizeof *common_names;
    size_t k = random_below(g->random, 3 * g->name_count + common);
    if (k < common) put_text(g, common_names[k]);
    else put(g, g->names[(k - common) / 3], g->lengths[(k - common) / 3]);
}

/* The common ones, small and whole, half of the time. */
static void put_number(grower *g)
{
    size_t count = sizeof numbers / sizeof *numbers;
    if (random_below(g->random, 2)) count = 9;
    put_text(g, numbers[random_below(g->random, count)]);
}

static void put_modest(grower *g)
{
    size_t count = sizeof modest / sizeof *modest;
    put_text(g, modest[random_below(g->random, count)]);
}

static void put_declared(grower *g)
{
    if (g->declared_count == 0) {
        put_text(g, "t");
        return;
    }
    size_t k = random_below(g->random, g->declared_count);
    put(g, g->declared[k], g->declared_lengths[k]);
    if (g->is_array[k]) put_text(g, "[1]");
}

static void put_fresh(grower *g)
{
    char name[16];
    (void)snprintf(name, sizeof name, "w%u", g->fresh);
    put_text(g, name);
}

/* Symbols that are not made of productions. */
static bool put_special(grower *g, char symbol)
{
    switch (symbol) {
    case GROW_NAME: put_name(g); return true;
    case GROW_NUMBER: put_number(g); return true;
    case GROW_MODEST: put_modest(g); return true;
    case 'u': put_declared(g); return true;
    case 'w': put_fresh(g); return true;
    default: return false;
    }
}

/* A production of the symbol; NULL where it has none. */
static const char *choose(const grower *g, char symbol)
{
    size_t first = 0, count = 0;
    while (first < PRODUCTIONS && productions[first].symbol != symbol) first++;
    while (first + count < PRODUCTIONS
        && productions[first + count].symbol == symbol)
        count++;
    if (count == 0) return NULL;
    if (g->depth == 0) return productions[first].text;
    return productions[first + random_below(g->random, count)].text;
}

void grow(grower *g, char symbol)
{
    if (put_special(g, symbol)) return;
    const char *text = choose(g, symbol);
    unsigned depth = g->depth;
    if (!text) return;
    g->depth = depth ? depth - 1 : 0;
    for (; *text; text++) {
        if (*text != '%') put(g, text, 1);
        else grow(g, *++text);
    }
    g->depth = depth;
}
