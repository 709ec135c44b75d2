/* The canonical layout: what it makes of a text, that it makes the same of
 * its own result, and that it does so for every model of the project. */
#include "support/check.h"
#include "support/syntax.h"
#include <dirent.h>
#include <sys/stat.h>

static dae_status format_text(const char *text, size_t length, char **result)
{
    parsed p;
    text_sink sink = {NULL, 0};
    CHECK_STATUS(
        parsed_init(&p, dae_allocator_default(), text, length), DAE_OK);
    dae_status st = format_file(&p.source, &p.arena, p.ds, sink_write, &sink);
    for (size_t i = 0; st == DAE_UNSUPPORTED && i < 1; i++)
        print_error("%s at %u\n", dae_diagnostics_at(p.ds, i)->message,
            dae_diagnostics_at(p.ds, i)->spans[0].line);
    parsed_clear(&p);
    *result = sink.text ? sink.text : calloc(1, 1);
    return st;
}

static const struct {
    const char *before, *after;
} layouts[] = {
    {"", ""},
    {"x=1", "x = 1\n"},
    {"x =a+b * c-d / e ^ 2", "x = a + b*c - d/e^2\n"},
    {"x = - a - - b + 2 ^ - c * - d", "x = -a - -b + 2^-c*-d\n"},
    {"x ' = f ( a , [ 1 , 2 ] , k = 3 )", "x' = f(a, [1, 2], k = 3)\n"},
    {"T [ i - 1 , j ] ' = T[i,j+1]", "T[i-1,j]' = T[i,j+1]\n"},
    {"x = y[1 .. n - 1, :]", "x = y[1..n-1,:]\n"},
    {"x = 1 for i in 0 .. n + 1 ,j in i+1..m where i+j<3",
        "x = 1 for i in 0..n+1, j in i+1..m where i + j < 3\n"},
    {"var T[i in 0..n,j in 0..n]=i*h{K,min=0}\"doc\",u",
        "var T[i in 0..n, j in 0..n] = i*h {K, min = 0} \"doc\", u\n"},
    {"param\tk=1{kg * m / s ^ 2}", "param k = 1 {kg*m/s^2}\n"},
    /* alignments stay, and nothing else that is wider than it need be */
    {"param k  = 1,  b=2\nvar   xx ~ 0   {m}   \"doc\"",
        "param k  = 1,  b = 2\nvar   xx ~ 0   {m}   \"doc\"\n"},
    {"rod:   x'  =  a  +  b\nlength: y=- 1",
        "rod:   x'  =  a + b\n"
        "length: y = -1\n"},
    {"a=1   # one\nbb=2  # two\nc=3 # three",
        "a = 1   # one\nbb = 2  # two\nc = 3  # three\n"},
    {"M = [[1,   20],\n     [10,  2],\n  [3, 4]]",
        "M = [[1,   20],\n     [10,  2],\n    [3, 4]]\n"},
    {"x = T[1,   2]  <  3  and  y", "x = T[1,2] < 3 and y\n"},
    {"x = f(   a   )", "x = f(a)\n"},
    {"a = 1;   b = 2", "a = 1; b = 2\n"},
    {"rod:x=1", "rod: x = 1\n"},
    {"a=1;b=2", "a = 1; b = 2\n"},
    {"a=1;\nb=2;;\n", "a = 1\nb = 2\n"},
    {"a = 1;\n+ b = 2", "a = 1;\n+b = 2\n"},
    {"a=1; # c\nb=2", "a = 1  # c\nb = 2\n"},
    {"a=1; # c", "a = 1  # c\n"},
    {"a=1;\n# c\n# d\n", "a = 1\n# c\n# d\n"},
    {"a=1;\n# c\n+b=2", "a = 1;\n# c\n+b = 2\n"},
    {"x=a+\n\n\nb", "x = a +\n    b\n"},
    {"#\t\n##", "#\n##\n"},
    {"expect(x)>1\nplot(x)", "expect (x) > 1\nplot (x)\n"},
    {"var x[(n+1)-1..(m)]", "var x[(n + 1)-1..(m)]\n"},
    {"x=T[(i),j] + f(a,b)[k,-l]", "x = T[(i),j] + f(a, b)[k,-l]\n"},
    {"f:when x<0\nx:=1\nend\ng:x=1",
        "f: when x < 0\n  x := 1\nend\ng: x = 1\n"},
    {"\n\na=1\n\n\n\nb=2\n\n", "a = 1\n\nb = 2\n"},
    {"#  c  \r\na=1#d\t\r\n# e", "#  c\na = 1  #d\n# e\n"},
    {"x = a +\nb\n  + c", "x = a +\n    b\n    + c\n"},
    {"x = f(a, # first\n b)", "x = f(a,  # first\n    b)\n"},
    {"for i in 1..2\nx[i]=1\nif i==1\ny=1\n# why\nelseif i==2\ny=2\nelse\n"
     "y=3\nend\nend\nz=1",
        "for i in 1..2\n  x[i] = 1\n  if i == 1\n    y = 1\n    # why\n"
        "  elseif i == 2\n    y = 2\n  else\n    y = 3\n  end\nend\nz = 1\n"},
    {"for i in 1..2\n# inside\nx[i]=1\nend",
        "for i in 1..2\n  # inside\n"
        "  x[i] = 1\nend\n"},
    {"fun f(a)=a\nfun g(a)\nb=a\nreturn b\nend",
        "fun f(a) = a\nfun g(a)\n  b = a\n  return b\nend\n"},
    {"if a then b else c = 1\nd=1", "if a then b else c = 1\nd = 1\n"},
    {"hit:when x<0 and not y>1\nv:=-v\nend",
        "hit: when x < 0 and not y > 1\n  v := -v\nend\n"},
    {"for k in 1..3\nlow:when x<q[k];q[k]:=q[k]-1;stop;end\nend",
        "for k in 1..3\n  low: when x < q[k]; q[k] := q[k] - 1; stop; end\n"
        "end\n"},
    {"when x<0#a\n#b\nx:=1 # c\n\n\n#d\nend#e",
        "when x < 0  #a\n  #b\n  x := 1  # c\n\n  #d\nend  #e\n"},
    {"when x<0\nx [ 2 ] ' ' :=f( x )-1\nstop\"a\"\nprint   \"b\"\nend",
        "when x < 0\n  x[2]'' := f(x) - 1\n  stop \"a\"\n"
        "  print   \"b\"\nend\n"},
    {"discrete n=0,m[2]=[1,2]{s}\"t\"",
        "discrete n = 0, m[2] = [1, 2] {s} \"t\"\n"},
    {"when a\n  v    := 1\n  long :=  2\nend",
        "when a\n  v    := 1\n  long :=  2\nend\n"},
    {"when a\nx:=\n1\ny:=if b\nthen 1 else\n2\nend",
        "when a\n  x :=\n      1\n  y := if b\n      then 1 else\n"
        "      2\nend\n"},
    {"when a\nstop:=1\nprint[1]:=2\nstop\nend",
        "when a\n  stop := 1\n  print[1] := 2\n  stop\nend\n"},
    {"reactions\nr:A+2 B->C@k\nend", "reactions\n  r: A + 2 B -> C @ k\nend\n"},
    {"expect -x~1 within 1e-3 at -2", "expect -x ~ 1 within 1e-3 at -2\n"},
    {"solve t in 0..10,rtol=1e-6", "solve t in 0..10, rtol = 1e-6\n"},
    {"plot [a,b] over t", "plot [a, b] over t\n"},
    {"plot=2*at - 3", "plot = 2*at - 3\n"},
    {"x = y[1. .. .5]", "x = y[1. .. .5]\n"},
    {"\xef\xbb\xbfλ\u2032 = 1", "λ' = 1\n"},
    {"use R a ( k = 1 ) , b [ 3 ]", "use R a(k = 1), b[3]\n"},
    {"port p , n:Pin", "port p, n: Pin\n"},
};

static void layouts_are_canonical(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof layouts / sizeof *layouts; i++) {
        char *once, *twice;
        const char *before = layouts[i].before;
        dae_status st = format_text(before, strlen(before), &once);
        if (st) print_error("text: %s\n", before);
        CHECK_STATUS(st, DAE_OK);
        assert_string_equal(once, layouts[i].after);
        CHECK_STATUS(format_text(once, strlen(once), &twice), DAE_OK);
        assert_string_equal(twice, once);
        free(once);
        free(twice);
    }
}

static void mistakes_are_refused(void **state)
{
    (void)state;
    char *result;
    CHECK_STATUS(format_text("x = = 1\n", 8, &result), DAE_MODEL);
    assert_string_equal(result, "");
    free(result);
}

static int count_bytes(void *context, const char *text, size_t length)
{
    (void)text;
    *(size_t *)context += length;
    return 0;
}

static int seen;

static void check_file(const char *path)
{
    size_t length;
    char *once, *twice, *text = read_text(path, &length);
    assert_non_null(text);
    dae_status st = format_text(text, length, &once);
    if (st == DAE_OK) {
        CHECK_STATUS(format_text(once, strlen(once), &twice), DAE_OK);
        assert_string_equal(twice, once);
        free(twice);
        seen++;
    } else {
        bool is_deep = strstr(path, "/wrong/limits/") != NULL;
        dae_status expected = is_deep ? DAE_LIMIT : DAE_MODEL;
        if (st != expected) print_error("%s\n", path);
        CHECK_STATUS(st, expected);
    }
    free(text);
    free(once);
}

static void check_folder(const char *path, int levels)
{
    DIR *folder = opendir(path);
    if (!folder) return;
    for (struct dirent *e; (e = readdir(folder));) {
        char inner[1000];
        struct stat about;
        if (e->d_name[0] == '.') continue;
        (void)snprintf(inner, sizeof inner, "%s/%s", path, e->d_name);
        if (stat(inner, &about)) continue;
        if (S_ISDIR(about.st_mode) && levels > 0)
            check_folder(inner, levels - 1);
        else if (strstr(e->d_name, ".dae")) check_file(inner);
    }
    closedir(folder);
}

static void every_model_keeps_its_meaning(void **state)
{
    (void)state;
    check_folder(TEST_ROOT "/models", 2);
    check_folder(TEST_ROOT "/tests", 2);
    assert_true(seen > 10);
}

static void failing_memory_is_survived(void **state)
{
    (void)state;
    static const char text[] = "for i in 1..2\nx[i]=f(i, 2)  # why\nend\n";
    dae_status st = DAE_MEMORY;
    for (size_t n = 0; st == DAE_MEMORY; n++) {
        failing_memory m;
        parsed p;
        size_t bytes = 0;
        failing_init(&m, n);
        st = parsed_init(&p, &m.allocator, text, strlen(text));
        if (!st)
            st = format_file(&p.source, &p.arena, p.ds, count_bytes, &bytes);
        assert_int_equal(bytes > 0, st == DAE_OK);
        parsed_clear(&p);
        assert_int_equal(m.live, 0);
        assert_true(n < 1000);
    }
    CHECK_STATUS(st, DAE_OK);
}

/* Every example of the language's page is a text without mistakes. */
static void documented_examples_parse(void **state)
{
    (void)state;
    size_t length;
    int count = 0;
    char *page = read_text(TEST_ROOT "/docs/language.md", &length);
    assert_non_null(page);
    for (char *p = page; (p = strstr(p, "```dae\n"));) {
        char *end = strstr(p + 7, "\n```"), *result;
        assert_non_null(end);
        end[1] = '\0';
        dae_status st = format_text(p + 7, strlen(p + 7), &result);
        if (st) print_error("%s\n", p + 7);
        CHECK_STATUS(st, DAE_OK);
        free(result);
        p = end + 2;
        count++;
    }
    assert_true(count > 8);
    free(page);
}

/* Refuses its n-th piece. */
static int refuse(void *context, const char *text, size_t length)
{
    (void)text;
    (void)length;
    long *left = context;
    return (*left)-- == 0;
}

static void a_refusing_writer_is_an_io_error(void **state)
{
    (void)state;
    static const char text[] =
        "var x = 1\nx' = -x\nfor i in 1..2\n  y = 2\nend\n";
    dae_status st = DAE_IO;
    long pieces[3] = {0, 0, 0};
    for (int what = 0; what < 3; what++, st = DAE_IO)
        for (; st == DAE_IO; pieces[what]++) {
            parsed p;
            long left = pieces[what];
            CHECK_STATUS(parse_text(&p, text), DAE_OK);
            st = what == 0
                ? format_file(&p.source, &p.arena, p.ds, refuse, &left)
                : what == 1 ? show_tokens(&p.source, p.ds, refuse, &left)
                            : show_ast(p.file, refuse, &left);
            if (st != DAE_IO) CHECK_STATUS(st, DAE_OK);
            parsed_clear(&p);
        }
    assert_true(pieces[0] > 1 && pieces[1] > 50 && pieces[2] > 30);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(layouts_are_canonical),
        cmocka_unit_test(mistakes_are_refused),
        cmocka_unit_test(every_model_keeps_its_meaning),
        cmocka_unit_test(failing_memory_is_survived),
        cmocka_unit_test(a_refusing_writer_is_an_io_error),
        cmocka_unit_test(documented_examples_parse),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
