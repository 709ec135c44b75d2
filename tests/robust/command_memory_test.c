/* The command with an allocation that fails: its sources are linked with the
 * linker's --wrap, so that its own calls and those of both libraries fail
 * alike, and so do the C library's functions that have to allocate (a file or
 * a folder opened, a path resolved). Every command ends as if nothing had
 * happened, or with exit status 6 and a message that says why; no file looks
 * complete that is not; and the same command gives the same bytes again. */
#include "../../tools/dae/command.h"
#include "support/check.h"
#include "support/faulty_memory.h"
#include "support/share.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- calls that fail ---- */

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *block, size_t size);
void __real_free(void *block);
FILE *__real_fopen(const char *path, const char *mode);
DIR *__real_opendir(const char *path);
char *__real_realpath(const char *path, char *resolved);
int __real_isatty(int descriptor);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *block, size_t size);
void __wrap_free(void *block);
FILE *__wrap_fopen(const char *path, const char *mode);
DIR *__wrap_opendir(const char *path);
char *__wrap_realpath(const char *path, char *resolved);
int __wrap_isatty(int descriptor);

static struct {
    bool is_inside; /* a command is running */
    bool is_terminal;
    memory_fault fault;
    size_t fail_at, calls, failures;
    ptrdiff_t blocks; /* taken and not given back */
} memory;

static bool must_fail(void)
{
    if (!memory.is_inside) return false;
    const size_t call = memory.calls++;
    const bool fails = memory.fault == MEMORY_FAILS_ONCE
        ? call == memory.fail_at
        : call >= memory.fail_at;
    if (!fails) return false;
    memory.failures++;
    errno = ENOMEM;
    return true;
}

static void *counted(void *block)
{
    memory.blocks += memory.is_inside && block;
    return block;
}

void *__wrap_malloc(size_t size)
{
    return must_fail() ? NULL : counted(__real_malloc(size));
}

void *__wrap_calloc(size_t count, size_t size)
{
    return must_fail() ? NULL : counted(__real_calloc(count, size));
}

void *__wrap_realloc(void *block, size_t size)
{
    if (!block) return __wrap_malloc(size);
    return must_fail() ? NULL : __real_realloc(block, size);
}

void __wrap_free(void *block)
{
    memory.blocks -= memory.is_inside && block;
    __real_free(block);
}

FILE *__wrap_fopen(const char *path, const char *mode)
{
    return must_fail() ? NULL : __real_fopen(path, mode);
}

DIR *__wrap_opendir(const char *path)
{
    return must_fail() ? NULL : __real_opendir(path);
}

char *__wrap_realpath(const char *path, char *resolved)
{
    return must_fail() ? NULL : counted(__real_realpath(path, resolved));
}

/* A picture of the curves is drawn for terminals only. */
int __wrap_isatty(int descriptor)
{
    return memory.is_inside ? memory.is_terminal : __real_isatty(descriptor);
}

/* ---- a command and what it leaves ---- */

#if defined(__SANITIZE_ADDRESS__)
/* Sanitizers report where standard error was, not into what is captured. */
void __sanitizer_set_report_fd(void *descriptor);
static void keep_reports(void)
{
    __sanitizer_set_report_fd((void *)(intptr_t)dup(STDERR_FILENO));
}
#else
static void keep_reports(void)
{
}
#endif

static char folder[] = "/tmp/dae-memory-XXXXXX";

enum { STREAMS = 3, FILES = 4, TEXT_LONGEST = 16384 };
static const char *const written[FILES] = {
    "out.csv", "out.json", "ugly.dae", "out.svg"};

/* What is seen of a command from outside. */
typedef struct outcome {
    int status;
    char streams[STREAMS][TEXT_LONGEST]; /* as numbered; 0 is not used */
    char files[FILES][TEXT_LONGEST];     /* "" where there is none */
    size_t entries;                      /* of the folder */
} outcome;

static int captured[STREAMS];

static void read_whole(int descriptor, char *text)
{
    ssize_t length = pread(descriptor, text, TEXT_LONGEST - 1, 0);
    assert_in_range(length, 0, TEXT_LONGEST - 2);
    text[length] = '\0';
}

static void write_file(const char *name, const char *text)
{
    FILE *file = fopen(name, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, strlen(text), file), strlen(text));
    assert_int_equal(fclose(file), 0);
}

static void read_file(const char *name, char *text)
{
    FILE *file = fopen(name, "rb");
    text[0] = '\0';
    if (!file) return;
    read_whole(fileno(file), text);
    (void)fclose(file);
}

static size_t count_entries(void)
{
    DIR *d = opendir(".");
    size_t count = 0;
    assert_non_null(d);
    while (readdir(d)) count++;
    (void)closedir(d);
    return count;
}

static const char ugly[] = "var x=1\nx'=-x\n";

static int run_inside(char **words, int count)
{
    int kept[STREAMS];
    (void)fflush(stdout);
    (void)fflush(stderr);
    for (int k = 0; k < STREAMS; k++) {
        kept[k] = dup(k);
        if (k) assert_int_equal(ftruncate(captured[k], 0), 0);
        (void)lseek(captured[k], 0, SEEK_SET);
        assert_int_equal(dup2(captured[k], k), k);
    }
    rewind(stdin);
    memory.is_inside = true;
    const int status = (int)command_run(count, words);
    memory.is_inside = false;
    (void)fflush(stdout);
    (void)fflush(stderr);
    for (int k = 0; k < STREAMS; k++) {
        assert_int_equal(dup2(kept[k], k), k);
        (void)close(kept[k]);
    }
    return status;
}

static void run_command(
    const char *line, memory_fault fault, size_t fail_at, outcome *o)
{
    char text[300], *words[24] = {NULL};
    int count = 0;
    snprintf(text, sizeof text, "dae %s", line);
    for (char *w = strtok(text, " "); w; w = strtok(NULL, " "))
        words[count++] = w;
    (void)unlink(written[0]);
    (void)unlink(written[1]);
    (void)unlink(written[3]);
    write_file(written[2], ugly);
    memory.fault = fault;
    memory.fail_at = fail_at;
    memory.calls = memory.failures = 0;
    memory.blocks = 0;
    o->status = run_inside(words, count);
    for (int k = 1; k < STREAMS; k++) read_whole(captured[k], o->streams[k]);
    for (int k = 0; k < FILES; k++) read_file(written[k], o->files[k]);
    o->entries = count_entries();
}

/* ---- judgement ---- */

static bool is_same(const outcome *a, const outcome *b)
{
    for (int k = 1; k < STREAMS; k++)
        if (strcmp(a->streams[k], b->streams[k]) != 0) return false;
    for (int k = 0; k < FILES; k++)
        if (strcmp(a->files[k], b->files[k]) != 0) return false;
    return a->status == b->status;
}

static bool tells_of_memory(const outcome *o)
{
    for (int k = 1; k < STREAMS; k++)
        if (strstr(o->streams[k], "memory")) return true;
    return false;
}

static bool ends_in(const char *text, const char *end)
{
    size_t n = strlen(text), m = strlen(end);
    return n >= m && strcmp(text + n - m, end) == 0;
}

/* Whole rows of the table, the last one perhaps at another time: what was
 * computed up to the failure. */
static bool is_table(const char *csv, const char *whole)
{
    if (!*csv) return true;
    if (!ends_in(csv, "\n")) return false;
    while (*csv) {
        const size_t n = strcspn(csv, "\n") + 1, m = strcspn(whole, "\n") + 1;
        const bool is_row = n == m && strncmp(csv, whole, n) == 0;
        if (!is_row && (csv[n] || !strncmp(csv, "t,", 2))) return false;
        csv += n;
        whole += *whole ? m : 0;
    }
    return true;
}

/* A document that ends says that it is not what was requested. */
static bool is_document(const char *text)
{
    return !ends_in(text, "}\n") || strstr(text, "\"status\": \"limit\"")
        || strstr(text, "E0003");
}

static const char *fault_of(const outcome *o, const outcome *healthy)
{
    if (memory.blocks) return "memory is lost";
    if (o->entries > healthy->entries) return "a file is left behind";
    if (is_same(o, healthy)) return NULL;
    if (!tells_of_memory(o)) return "nothing tells of memory";
    /* what is wrong with a model stays wrong, told in full or not */
    if (o->status != EXIT_LIMIT
        && (o->status != healthy->status || o->status == EXIT_DONE))
        return "another exit status";
    if (strcmp(o->files[0], healthy->files[0]) != 0
        && !is_table(o->files[0], healthy->files[0]))
        return "half a table looks like one";
    if (strcmp(o->files[1], healthy->files[1]) != 0
        && !is_document(o->files[1]))
        return "half a document looks like one";
    if (strcmp(o->files[2], healthy->files[2]) != 0
        && strcmp(o->files[2], ugly) != 0)
        return "a model is damaged";
    if (*o->files[3] && strcmp(o->files[3], healthy->files[3]) != 0)
        return "half a picture looks like one";
    return NULL;
}

static void print_outcome(const char *what, const outcome *o)
{
    print_error("%s: exit status %d\n%s--\n%s--\n%s", what, o->status,
        o->streams[1], o->streams[2], o->files[0]);
}

static void complain(const char *line, const char *fault, const outcome *o,
    const outcome *healthy)
{
    print_error("dae %s, call %zu fails%s: %s\n", line, memory.fail_at,
        memory.fault == MEMORY_FAILS_ON ? " and all after it" : "", fault);
    print_outcome("with the failure", o);
    print_outcome("without", healthy);
    fail();
}

static size_t swept;
/* One of so many calls fails. */
static size_t share = 1;

/* Whether the failure was met. */
static bool sweep_one(const char *line, memory_fault fault, size_t fail_at,
    const outcome *healthy)
{
    static outcome o, again;
    run_command(line, fault, fail_at, &o);
    const bool is_met = memory.failures > 0;
    const char *wrong = fault_of(&o, healthy);
    if (wrong) complain(line, wrong, &o, healthy);
    if (!is_met) {
        if (!is_same(&o, healthy))
            complain(line, "there was no failure", &o, healthy);
        return false;
    }
    run_command(line, fault, SIZE_MAX, &again);
    if (!is_same(&again, healthy))
        complain(line, "not the same afterwards", &again, healthy);
    return true;
}

static void sweep(const char *line, int status)
{
    static outcome healthy;
    run_command(line, MEMORY_FAILS_ONCE, SIZE_MAX, &healthy);
    if (healthy.status != status || memory.blocks)
        complain(line, "wrong without a failure", &healthy, &healthy);
    for (int k = 0; k < 2; k++) {
        const memory_fault fault = k ? MEMORY_FAILS_ON : MEMORY_FAILS_ONCE;
        bool is_met = true;
        for (size_t n = 0; is_met; n++) {
            const size_t call = memory_choose(line, fault, share, n);
            is_met = sweep_one(line, fault, call, &healthy);
            swept += is_met;
        }
    }
}

/* ---- the commands ---- */

/* One of each kind, and all the others. */
typedef struct task {
    const char *line;
    int status;
} task;

static const task few[] = {
    {"run small.dae --json --no-times", EXIT_DONE},
    {"run small.dae -o out.csv -o out.json --no-times --points 4", EXIT_DONE},
    {"run small.dae --stats --no-times --drift y --set k=2", EXIT_DONE},
    {"run wrong.dae --no-times", EXIT_MODEL},
    {"check few.dae --no-times --json", EXIT_DONE},
    {"check uneven.dae --no-times --json", EXIT_MODEL},
    {"init small.dae", EXIT_DONE},
    {"stability small.dae --step 0.1 --methods bdf1 --no-times", EXIT_DONE},
    {"test folder", EXIT_CHECK},
    {"show small.dae", EXIT_DONE},
    {"fmt ugly.dae", EXIT_DONE},
    {"explain E0401", EXIT_DONE},
    {"run ball.dae --json --no-times --drift n", EXIT_DONE},
    {"run ball.dae --error global --json --no-times", EXIT_DONE},
    {"run ball.dae --events -o out.csv -o out.json --no-times --points 3",
        EXIT_DONE},
    {"show ball.dae --events", EXIT_DONE},
};

static const task others[] = {
    {"run small.dae --no-times", EXIT_DONE},
    {"run small.dae -o - --every 0.5 --set k=2 --set x(0)=3", EXIT_DONE},
    {"run small.dae --estimate-error --no-times --atol x=1e-8", EXIT_DONE},
    {"run small.dae --estimate-error --json --no-times --repeat 2", EXIT_DONE},
    {"run small.dae --linear klu --all-steps -o out.csv", EXIT_DONE},
    {"run long.dae -o out.csv --points 3 --stats --no-times", EXIT_DONE},
    {"run long.dae --no-times --json --drift absent", EXIT_USAGE},
    {"run - --quiet", EXIT_DONE},
    {"run failing.dae --no-times", EXIT_CHECK},
    {"run blow.dae --no-times -o out.csv --points 4", EXIT_NUMBERS},
    {"run blow.dae --no-times --json", EXIT_NUMBERS},
    {"run wrong.dae --json --no-times", EXIT_MODEL},
    {"run small.dae --set k=2*", EXIT_USAGE},
    {"run small.dae --points x", EXIT_USAGE},
    {"run small.dae --strict --no-times", EXIT_DONE},
    {"run loose.dae --strict --no-times", EXIT_CHECK},
    {"run absent.dae", EXIT_FILE},
    {"run small.dae -o absent/out.csv", EXIT_FILE},
    {"run small.dae --no-times -o out.svg -o out.csv --points 4", EXIT_DONE},
    {"check few.dae --no-times --verbose", EXIT_DONE},
    {"check small.dae --no-times", EXIT_DONE},
    {"check loose.dae --no-times --strict", EXIT_CHECK},
    {"check uneven.dae --no-times", EXIT_MODEL},
    {"check idle.dae --no-times", EXIT_MODEL},
    {"check wrong.dae --no-times --json", EXIT_MODEL},
    {"stability --methods bdf,rk4", EXIT_DONE},
    {"stability --methods bdf --json", EXIT_DONE},
    {"stability small.dae --at 0.5 --step 0.1 --no-times", EXIT_DONE},
    {"stability small.dae --step 0.1 --json --no-times", EXIT_DONE},
    {"stability --methods bdf2,rk4 -o out.svg --json", EXIT_DONE},
    {"stability small.dae --step 9 --methods euler,bdf3 -o out.svg --no-times",
        EXIT_DONE},
    {"orders small.dae --study steps --orders 1 --steps 1 --no-times",
        EXIT_DONE},
    {"orders small.dae --study steps --orders 1 --steps 0.5 --methods "
     "bdf,trapezoid --no-times",
        EXIT_DONE},
    {"orders blow.dae --to 0.9 --study steps --orders 1 --steps 0.3 --no-times",
        EXIT_NUMBERS},
    {"show few.dae --structure", EXIT_DONE},
    {"show few.dae --structure -o out.svg", EXIT_DONE},
    {"init small.dae --as-dae", EXIT_DONE},
    {"init small.dae --json --no-times", EXIT_DONE},
    {"test small.dae", EXIT_DONE},
    {"test folder --json", EXIT_CHECK},
    {"show small.dae --tokens --ast --jacobian --bytecode", EXIT_DONE},
    {"show wrong.dae --json", EXIT_MODEL},
    {"fmt --check ugly.dae small.dae", EXIT_CHECK},
    {"fmt -", EXIT_DONE},
    {"help run", EXIT_DONE},
    {"run ball.dae --estimate-error --no-times", EXIT_DONE},
    {"run ball.dae -o out.svg --no-times", EXIT_DONE},
    {"run small.dae --error global --no-times", EXIT_DONE},
    {"run small.dae --error global --rtol 1e-14 --no-times", EXIT_DONE},
    {"run blow.dae --error global --no-times --json", EXIT_NUMBERS},
    {"run digits.dae --error global --estimate-error --no-times --rtol 1e-7 "
     "--atol 1e-7",
        EXIT_DONE},
    {"test folder --error global", EXIT_CHECK},
    {"check ball.dae --no-times", EXIT_DONE},
    {"check ball.dae --no-times --json", EXIT_DONE},
    {"init ball.dae --no-times", EXIT_DONE},
    {"init ball.dae --no-times --json", EXIT_DONE},
    {"stability ball.dae --at 0.5 --no-times", EXIT_DONE},
    {"orders ball.dae --to 0.8 --study tolerances --tolerances 1e-2 --orders 2 "
     "--no-times",
        EXIT_DONE},
    {"orders ball.dae --study tolerances --no-times", EXIT_USAGE},
};

static void sweep_tasks(const task *tasks, size_t count)
{
    memory.is_terminal = false;
    for (size_t k = 0; k < count; k++) sweep(tasks[k].line, tasks[k].status);
}

static void every_command_survives(void **state)
{
    (void)state;
    sweep_tasks(few, sizeof few / sizeof *few);
}

static void every_option_survives(void **state)
{
    (void)state;
    sweep_tasks(others, sizeof others / sizeof *others);
}

static void pictures_survive(void **state)
{
    (void)state;
    memory.is_terminal = true;
    sweep("run small.dae --no-times --color never --progress never", EXIT_DONE);
    sweep("run rod.dae --profile u,v --plot u --overlay old.csv --no-times "
          "--color never --progress never",
        EXIT_DONE);
    memory.is_terminal = false;
}

/* ---- models ---- */

static const char small[] = "\"small\"\n"
                            "param k = 1\n"
                            "let   twice = 2*x\n"
                            "var   x = 1 {m}, y ~ 0\n"
                            "x' = -k*x\n"
                            "y + y^3 = twice\n"
                            "solve t in 0..1\n"
                            "plot x, y over t\n"
                            "expect x > 0 always\n";

static const char ball[] = "\"ball\"\n"
                           "var x = 1 {m}, v = 0 {m/s}\n"
                           "discrete n = 0\n"
                           "x' = v\n"
                           "v' = -9.81\n"
                           "bounce: when x < 0\n"
                           "  v := -v/2\n"
                           "  n := n + 1\n"
                           "  print \"hit\"\n"
                           "end\n"
                           "when n > 1\n"
                           "  stop \"twice\"\n"
                           "end\n"
                           "solve t in 0..2\n"
                           "plot x\n"
                           "plot n\n"
                           "expect n < 3 always\n";

static const char loose[] = "var x ~ 1\nx' = -x\nsolve t in 0..1\n";
static const char failing[] =
    "var x = 1\nx' = -x\nsolve t in 0..1\nexpect x > 1 always\n";
static const char rod[] = "var u[1..3] = 1, v[1..3] = 2\nu' = v\nv' = -u\n"
                          "solve t in 0..1\n";
/* consistent to seven digits only */
static const char digits[] =
    "var x = 0.3333333, y = 0.6666666\nx' = -x\nsum: x + y = 1\n"
    "solve t in 0..1, rtol = 1e-6, atol = 1e-6\n";
static const char blow[] = "var x = 1\ngrows: x' = x^2\nsolve t in 0..2\n";
static const char wrong[] = "var x = 1\nx' = -k*x + lnn(x)\nx = 2*)\n";

/* For `check`: index 2; more equations than unknowns; the same by a param. */
static const char few_unknowns[] =
    "var a ~ 0, b ~ 0\nsource: b = 1 + t\nrate: b' = a\n"
    "expect index == 2\n";
static const char uneven[] = "var x, y\nx' = 1\nx = 2\na: y = x\n";
static const char idle[] = "param k = 0\nvar x, y\nx' = 1\nk*y = x\n";

/* A model with a name longer than what usual names need. */
static void write_long(void)
{
    char name[300], text[1000];
    memset(name, 'n', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    snprintf(text, sizeof text, "var %s = 1\n%s' = -%s\nsolve t in 0..1\n",
        name, name, name);
    text[sizeof text - 1] = '\0';
    write_file("long.dae", text);
}

/* In gnuplot's place: reads the script, makes the same picture of each. */
static int make_gnuplot(void)
{
    char path[PATH_MAX];
    if (!getcwd(path, PATH_MAX - 32) || mkdir("bin", 0700)) return -1;
    write_file("bin/gnuplot",
        "#!/bin/sh\ncat >/dev/null\necho '<?xml ?><svg></svg>'\n");
    if (chmod("bin/gnuplot", 0700)) return -1;
    strcat(path, "/bin:/usr/bin:/bin");
    return setenv("PATH", path, 1);
}

static int open_folder(void **state)
{
    (void)state;
    keep_reports();
    if (!mkdtemp(folder) || chdir(folder) || mkdir("folder", 0700)) return -1;
    if (make_gnuplot()) return -1;
    write_file("small.dae", small);
    write_file("ball.dae", ball);
    write_file("loose.dae", loose);
    write_file("failing.dae", failing);
    write_file("blow.dae", blow);
    write_file("rod.dae", rod);
    write_file("old.csv", "t,u[1]\n0,1\n1,2\n");
    write_file("digits.dae", digits);
    write_file("few.dae", few_unknowns);
    write_file("uneven.dae", uneven);
    write_file("idle.dae", idle);
    write_long();
    write_file("wrong.dae", wrong);
    write_file("folder/failing.dae", failing);
    write_file("folder/small.dae", small);
    write_file("folder/wrong.dae",
        "# expect\nexpect \"E0201\"\nvar x = 1\n"
        "x' = -k*x\n");
    write_file("out.csv", "");
    for (int k = 0; k < STREAMS; k++) {
        FILE *file = k ? tmpfile() : fopen("small.dae", "rb");
        if (!file) return -1;
        captured[k] = dup(fileno(file));
        (void)fclose(file);
    }
    return 0;
}

static int close_folder(void **state)
{
    (void)state;
    static const char *const names[] = {"small.dae", "ball.dae", "loose.dae",
        "failing.dae", "blow.dae", "rod.dae", "old.csv", "digits.dae",
        "long.dae", "wrong.dae", "ugly.dae", "few.dae", "uneven.dae",
        "idle.dae", "out.csv", "out.json", "out.svg", "bin/gnuplot",
        "folder/failing.dae", "folder/small.dae", "folder/wrong.dae"};
    for (size_t k = 0; k < sizeof names / sizeof *names; k++)
        (void)unlink(names[k]);
    (void)rmdir("folder");
    (void)rmdir("bin");
    print_message("%zu runs with a failing allocation\n", swept);
    return chdir("/") || rmdir(folder);
}

/* With the argument `all` what takes minutes, and each call of the others. */
int main(int argc, char **argv)
{
    const struct CMUnitTest quick[] = {
        cmocka_unit_test(every_command_survives),
    };
    const struct CMUnitTest all[] = {
        cmocka_unit_test(every_command_survives),
        cmocka_unit_test(every_option_survives),
        cmocka_unit_test(pictures_survive),
    };
    if (argc > 1 && strcmp(argv[1], "all") == 0)
        return cmocka_run_group_tests(all, open_folder, close_folder);
    share = test_share() > 1 ? 18 : 3;
    return cmocka_run_group_tests(quick, open_folder, close_folder);
}
