/* dae test: every model found, its `expect` lines checked. One without an end
 * is checked, not solved; if it then has only expectations about values it
 * never passes. */
#include "command.h"
#include "console.h"
#include "memory.h"
#include "session.h"
#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* ---- the models under a path ---- */

typedef struct found {
    char **paths; /* ascending within each path asked for */
    size_t count, capacity;
} found;

static dae_status push(found *f, char *path)
{
    if (!path
        || !memory_grow(&f->paths, f->count, &f->capacity, sizeof *f->paths))
        return DAE_MEMORY;
    f->paths[f->count++] = path;
    return DAE_OK;
}

static char *joined(const char *folder, const char *name)
{
    size_t n = strlen(folder), size = n + strlen(name) + 2;
    const char *slash = n > 0 && folder[n - 1] != '/' ? "/" : "";
    char *path = memory_take(size, 1);
    if (path) (void)snprintf(path, size, "%s%s%s", folder, slash, name);
    return path;
}

static bool is_folder(const char *path)
{
    struct stat s;
    return stat(path, &s) == 0 && S_ISDIR(s.st_mode);
}

static bool is_link(const char *path)
{
    struct stat s;
    return lstat(path, &s) == 0 && S_ISLNK(s.st_mode);
}

/* Models go to `f`, folders to `folders`. */
static dae_status read_folder(found *f, found *folders, const char *path)
{
    DIR *d = opendir(path);
    if (!d) return errno == ENOMEM ? DAE_MEMORY : DAE_IO;
    dae_status st = DAE_OK;
    const struct dirent *entry;
    while (!st && (entry = readdir(d))) {
        if (entry->d_name[0] == '.') continue;
        char *below = joined(path, entry->d_name);
        if (!below) st = DAE_MEMORY;
        else if (is_folder(below)) /* a link may lead back up */
            st = is_link(below) ? DAE_OK : push(folders, below);
        else if (args_ends_in(below, ".dae")) st = push(f, below);
    }
    (void)closedir(d);
    return st;
}

static int compare_paths(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Adds the path itself, or every *.dae below it where it is a folder. DAE_IO with errno
 * where it cannot be read. Folders wait in a list: no recursion. */
static dae_status find_models(found *f, const char *path)
{
    size_t first = f->count;
    if (!is_folder(path)) return push(f, joined("", path));
    found folders = {0};
    dae_status st = push(&folders, joined("", path));
    for (size_t i = 0; !st && i < folders.count; i++) {
        errno = 0;
        st = read_folder(f, &folders, folders.paths[i]);
    }
    int error = errno;
    if (f->count > first)
        qsort(f->paths + first, f->count - first, sizeof *f->paths,
            compare_paths);
    errno = error;
    return st;
}

/* ---- what is expected ---- */

typedef enum verdict { PASSED, FAILED, NOT_CHECKED, RAN } verdict;

typedef struct totals {
    size_t verdicts[4];
    int worst; /* exit status of the first failure */
} totals;

typedef struct wanted {
    const messages *messages;
    size_t errors;  /* codes of errors */
    size_t missing; /* codes that did not arise */
    char first_missing[8];
} wanted;

static void look_for_code(wanted *w, const char *code)
{
    w->errors += code[0] == 'E';
    if (messages_have(w->messages, code)) return;
    if (w->missing++ == 0)
        (void)snprintf(w->first_missing, sizeof w->first_missing, "%s", code);
}

static bool is_code(const char *p)
{
    if (*p != 'E' && *p != 'W' && *p != 'N') return false;
    for (int i = 1; i <= 4; i++)
        if (p[i] < '0' || p[i] > '9') return false;
    return !p[5];
}

/* Codes in lines `expect "E0301"` of a text by its listing of tokens: the model may be
 * one that does not compile. How many there are. */
static size_t codes_in(const char *tokens, wanted *w)
{
    static const char keyword[] = "EXPECT    expect\n";
    size_t count = 0;
    char code[7];
    while ((tokens = strstr(tokens, keyword))) {
        tokens += sizeof keyword - 1;
        if (sscanf(tokens, "%*u:%*u STRING \"%6[^\"\n]\"", code) != 1
            || !is_code(code))
            continue;
        look_for_code(w, code);
        count++;
    }
    return count;
}

/* A model that was stopped by an error: right where it expects one and all the
 * codes it expects arose. */
static verdict judge_stopped(session *s, const char *path)
{
    char *text = NULL;
    phrase tokens = {0};
    size_t length, count = 0;
    wanted w = {.messages = &s->messages};
    bool is_own_fault = s->status == DAE_IO || s->status == DAE_MEMORY
        || s->status == DAE_INTERRUPTED;
    if (!is_own_fault && strcmp(path, "-") != 0
        && load_text(path, &s->messages, &text, &length) == DAE_OK) {
        if (dae_show_text(path, text, length, DAE_SHOW_TOKENS,
                &s->limits.allocator, NULL, phrase_write, &tokens)
            == DAE_MEMORY)
            (void)memory_sufficed(DAE_MEMORY);
        count = codes_in(phrase_text(&tokens), &w);
    }
    if (count == 0 || w.errors == 0) return FAILED;
    if (w.missing)
        messages_add(&s->messages, "E0601", "expected %s, which did not arise",
            w.first_missing);
    if (messages_are_incomplete(&s->messages)) return FAILED;
    return w.missing || s->counts.failed ? FAILED : PASSED;
}

static verdict judge(session *s, const char *path)
{
    const dae_verdicts *c = &s->counts;
    if (!s->completed) return judge_stopped(s, path);
    if (c->failed || c->codes_missing) return FAILED;
    if (messages_are_incomplete(&s->messages)) return FAILED;
    if (c->held || c->codes) return PASSED;
    return c->unchecked ? NOT_CHECKED : RAN;
}

static const char *verdict_text(verdict v)
{
    static const char *const texts[] = {
        "pass", "FAIL", "not checked", "no expectations"};
    return texts[v];
}

/* Some are codes of structure, which a run does not look at. */
static bool asks_structure_code(const dae_model *model)
{
    for (size_t k = 0; k < dae_model_expect_count(model); k++) {
        const dae_expect *x = dae_model_expect_at(model, k);
        if (x->kind == DAE_EXPECT_CODE && strncmp(x->code + 1, "03", 2) == 0)
            return true;
    }
    return false;
}

/* A model that says no end is one about structure and start, and so is one that
 * expects what only the analysis can find. */
static void solve_or_check(session *s)
{
    const bool has_end = dae_model_settings(s->model)->has_solve
        || !isnan(s->args->to);
    if (has_end && !asks_structure_code(s->model)) {
        session_solve(s, false);
        return;
    }
    session_check(s);
    session_explain_stop(s);
}

static verdict test_one(const args *a, const char *path, totals *t, json *j)
{
    session s;
    if (session_open(&s, a, path)) solve_or_check(&s);
    else session_explain_stop(&s);
    verdict v = judge(&s, path);
    t->verdicts[v]++;
    int status = session_exit(&s);
    if (v == FAILED && t->worst == EXIT_DONE)
        t->worst = status ? status : EXIT_CHECK;
    if (a->json) {
        json_begin_object(j, NULL);
        json_string(j, "model", path);
        json_string(j, "verdict", verdict_text(v));
        json_integer(j, "held", (int64_t)s.counts.held);
        json_integer(j, "failed", (int64_t)s.counts.failed);
        messages_json(&s.messages, j);
        json_end_object(j);
    } else {
        if (!a->quiet || v == FAILED)
            (void)printf("%-16s %s\n", verdict_text(v), path);
        /* errors that were expected are no news */
        if (v != PASSED) messages_print(&s.messages, a);
    }
    session_close(&s);
    return v;
}

static void put_totals(const totals *t)
{
    (void)printf(
        "%zu passed, %zu failed", t->verdicts[PASSED], t->verdicts[FAILED]);
    if (t->verdicts[NOT_CHECKED])
        (void)printf(", %zu not checked", t->verdicts[NOT_CHECKED]);
    if (t->verdicts[RAN])
        (void)printf(", %zu without expectations", t->verdicts[RAN]);
    (void)fputc('\n', stdout);
}

static int find_all(const args *a, found *f)
{
    for (size_t i = 0; i < a->paths.count; i++) {
        size_t before = f->count;
        errno = 0;
        dae_status st = find_models(f, a->paths.items[i]);
        if (st) {
            const char *why = st == DAE_MEMORY ? "out of memory"
                : errno                        ? strerror(errno)
                                               : "read error";
            (void)fprintf(
                stderr, "dae: cannot read `%s`: %s\n", a->paths.items[i], why);
            return (int)exit_of(st);
        }
        if (f->count == before) {
            (void)fprintf(
                stderr, "dae: no models under `%s`\n", a->paths.items[i]);
            return EXIT_FILE;
        }
    }
    return EXIT_DONE;
}

exit_status cmd_test(const args *a)
{
    found f = {0};
    totals t = {.worst = EXIT_DONE};
    json j = json_on(stdout);
    int status = find_all(a, &f);
    if (a->json && !status) json_begin_array(&j, NULL);
    for (size_t i = 0; i < f.count && !status; i++) {
        (void)test_one(a, f.paths[i], &t, &j);
        if (limits_signal()) status = (int)exit_of(DAE_INTERRUPTED);
        else if (!a->json && !console_flush()) status = EXIT_FILE;
    }
    if (a->json && (!status || limits_signal())) json_end_array(&j);
    else if (f.count > 1 && !a->quiet && !status) put_totals(&t);
    bool is_single = f.count == 1;
    if (status != EXIT_FILE && !console_flush()) return EXIT_FILE;
    if (status) return (exit_status)status;
    if (t.verdicts[FAILED])
        return is_single ? (exit_status)t.worst : EXIT_CHECK;
    return t.verdicts[NOT_CHECKED] ? EXIT_CHECK : EXIT_DONE;
}
