#include "args.h"
#include "memory.h"
#include "options.h"
#include <dae/names.h>
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* Formulas of the command line that this version does not integrate with. */
static const char *const later_methods[] = {"mebdf"};

/* More than there are commands, options or methods. */
enum { NAMES_MOST = 200 };

typedef struct reader {
    args *into;
    int argc, at; /* the next word */
    char **argv;
    FILE *errors;
} reader;

#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
static bool
refuse(const reader *r, const char *format, ...)
{
    va_list list;
    (void)fputs("dae: ", r->errors);
    va_start(list, format);
    (void)vfprintf(r->errors, format, list);
    va_end(list);
    (void)fputs(" (see `dae help`)\n", r->errors);
    return false;
}

bool parse_number(const char *text, double *value)
{
    char *end;
    errno = 0;
    double v = strtod(text, &end);
    if (end == text || *end || !isfinite(v)) return false;
    *value = v;
    return true;
}

/* Also "1e6": a count is a number that is whole. */
static bool parse_count(const char *text, int64_t *value)
{
    double v;
    if (!parse_number(text, &v) || v < 1 || v > 9e15 || v < floor(v)
        || v > floor(v))
        return false;
    *value = (int64_t)v;
    return true;
}

/* ---- what was meant ---- */

/* A name that the word begins, or else the nearest one; NULL: neither. */
static const char *meant(
    const char *word, const char *const *names, size_t count)
{
    const size_t n = strlen(word);
    for (size_t k = 0; k < count; k++)
        if (n >= strspn(names[k], "-") + 3 && strncmp(names[k], word, n) == 0)
            return names[k];
    return n < 3 ? NULL : dae_name_nearest(word, names, count);
}

static bool refuse_word(const reader *r, const char *what, const char *word,
    const char *const *names, size_t count)
{
    const char *near = meant(word, names, count);
    if (!near) return refuse(r, "there is no %s `%s`", what, word);
    return refuse(
        r, "there is no %s `%s`; did you mean `%s`?", what, word, near);
}

static bool refuse_memory(const reader *r)
{
    r->into->is_out_of_memory = true;
    return refuse(r, "out of memory");
}

static bool push_text(reader *r, string_list *list, const char *text)
{
    if (!list->items)
        list->items = memory_take((size_t)r->argc, sizeof *list->items);
    if (!list->items) return refuse_memory(r);
    list->items[list->count++] = text;
    return true;
}

static bool push_numbers(
    reader *r, number_list *list, const char *name, const char *text)
{
    size_t most = 1;
    for (const char *at = text; *at; at++) most += *at == ',';
    *list = (number_list){.items = memory_take(most, sizeof *list->items)};
    if (!list->items) return refuse_memory(r);
    for (const char *at = text;; at++) {
        char *end;
        const double v = strtod(at, &end);
        if (end == at || (*end && *end != ',') || !isfinite(v))
            return refuse(
                r, "%s wants numbers with commas, not `%s`", name, text);
        list->items[list->count++] = v;
        at = end;
        if (!*at) return true;
    }
}

/* Cuts NAME=VALUE at its first '='. */
static bool push_pair(
    reader *r, pair_list *list, const char *name, const char *text)
{
    const char *equals = strchr(text, '=');
    if (!equals || equals == text || !equals[1])
        return refuse(r, "%s wants NAME=VALUE, not `%s`", name, text);
    if (!list->items)
        list->items = memory_take((size_t)r->argc, sizeof *list->items);
    char *key = memory_copy(text, (size_t)(equals - text));
    if (!list->items || !key) return refuse_memory(r);
    list->items[list->count++] = (dae_override){key, equals + 1};
    return true;
}

static bool read_atol(reader *r, const char *value)
{
    double v;
    if (!strchr(value, '=')) {
        if (!parse_number(value, &v) || v < 0)
            return refuse(r,
                "--atol wants a number that is not negative, not `%s`", value);
        r->into->atol = v;
        return true;
    }
    if (!push_pair(r, &r->into->atols, "--atol", value)) return false;
    value = strchr(value, '=') + 1;
    if (parse_number(value, &v) && v >= 0) return true;
    return refuse(r, "--atol wants NAME=NUMBER, not `%s`", value);
}

static bool read_method(reader *r, const char *value)
{
    for (size_t i = 0; i < sizeof later_methods / sizeof *later_methods; i++)
        if (strcmp(value, later_methods[i]) == 0)
            return refuse(r, "--method %s is not available yet", value);
    r->into->method = value;
    if (strcmp(value, "auto") == 0) return true;
    const char *names[NAMES_MOST];
    size_t count = 0;
    while ((names[count] = dae_integrator_at(count).name)) {
        if (strcmp(value, names[count]) == 0) return true;
        count++;
    }
    const char *near = meant(value, names, count);
    return refuse(r,
        "there is no method `%s`%s%s%s `dae help methods` lists them", value,
        near ? ": did you mean `" : "", near ? near : "", near ? "`?" : ";");
}

static bool read_order(reader *r, const char *value)
{
    int64_t order;
    if (!parse_count(value, &order) || order > 13)
        return refuse(
            r, "--order wants 1 to 6, or 5, 9 or 13 of radau, not `%s`", value);
    r->into->order = (int)order;
    return true;
}

/* Says what an option wants: "auto, always or never". */
static bool refuse_choice(const reader *r, const option *o, const char *value)
{
    char words[200];
    size_t used = 0;
    const char *last = strrchr(o->value, '|');
    for (const char *at = o->value; *at && used + 5 < sizeof words; at++) {
        const char *between = at == last ? " or " : ", ";
        if (*at != '|') words[used++] = *at;
        else
            for (; *between; between++) words[used++] = *between;
    }
    return refuse(
        r, "%s wants %.*s, not `%s`", o->name, (int)used, words, value);
}

/* The number of the word among those of `value`, -1: it is not there. */
static int choice_of(const option *o, const char *word)
{
    const size_t n = strlen(word);
    const char *at = o->value;
    for (int i = 0;; i++) {
        const size_t length = strcspn(at, "|");
        if (length == n && strncmp(at, word, n) == 0) return i;
        if (!at[length]) return -1;
        at += length + 1;
    }
}

bool args_ends_in(const char *path, const char *ending)
{
    const size_t n = strlen(path), m = strlen(ending);
    return n > m && strcmp(path + n - m, ending) == 0;
}

bool args_choose(const char *given, const char *word)
{
    return given && strcmp(given, word) == 0;
}

static bool read_memory(reader *r, const char *value)
{
    int64_t mib;
    if (!parse_count(value, &mib) || (uint64_t)mib > SIZE_MAX >> 20)
        return refuse(
            r, "--memory-limit wants a number of MiB, not `%s`", value);
    r->into->memory_limit = (size_t)mib << 20;
    return true;
}

static bool read_plain(
    reader *r, const option *o, const char *value, void *into)
{
    double number;
    int choice;
    switch (o->kind) {
    case OPTION_NUMBER:
    case OPTION_POSITIVE:
    case OPTION_NOT_NEGATIVE:
        if (!parse_number(value, &number))
            return refuse(r, "%s wants a number, not `%s`", o->name, value);
        if (o->kind == OPTION_POSITIVE && !(number > 0))
            return refuse(
                r, "%s wants a number above 0, not `%s`", o->name, value);
        if (o->kind == OPTION_NOT_NEGATIVE && !(number >= 0))
            return refuse(r, "%s wants a number that is not negative, not `%s`",
                o->name, value);
        *(double *)into = number;
        return true;
    case OPTION_COUNT:
        if (parse_count(value, into)) return true;
        return refuse(r, "%s wants a whole number from 1 to 9e15, not `%s`",
            o->name, value);
    case OPTION_TEXTS: return push_text(r, into, value);
    case OPTION_TEXT: *(const char **)into = value; return true;
    case OPTION_NUMBERS: return push_numbers(r, into, o->name, value);
    case OPTION_PAIRS: return push_pair(r, into, o->name, value);
    default:
        choice = choice_of(o, value);
        if (choice < 0) return refuse_choice(r, o, value);
        if (o->kind == OPTION_WHEN) *(tristate *)into = (tristate)choice;
        else *(const char **)into = value;
        return true;
    }
}

static bool apply(reader *r, const option *o, const char *value)
{
    void *into = (char *)r->into + o->where;
    switch (o->kind) {
    case OPTION_FLAG: *(bool *)into = true; return true;
    case OPTION_SHOW: r->into->show |= 1u << o->where; return true;
    case OPTION_ATOL: return read_atol(r, value);
    case OPTION_METHOD: return read_method(r, value);
    case OPTION_ORDER: return read_order(r, value);
    case OPTION_MEMORY: return read_memory(r, value);
    case OPTION_MISSING:
    case OPTION_MISSING_VALUE:
        return refuse(r, "%s is not available yet", o->name);
    default: return read_plain(r, o, value, into);
    }
}

/* The command's own, or else whatever has this name. */
static const option *find_option(
    const reader *r, const char *word, size_t length)
{
    const option *found = NULL;
    for (size_t i = 0; i < option_count; i++) {
        const option *o = &options[i];
        if (strlen(o->name) != length || strncmp(o->name, word, length) != 0)
            continue;
        if (o->commands & r->into->command) return o;
        if (!found || o->kind == OPTION_MISSING_VALUE) found = o;
    }
    return found;
}

static bool refuse_option(const reader *r, const char *word, size_t length)
{
    const char *names[NAMES_MOST];
    size_t count = 0;
    char *text = memory_copy(word, length);
    for (size_t i = 0; i < option_count && count < NAMES_MOST; i++)
        if (options[i].commands & r->into->command)
            names[count++] = options[i].name;
    return text ? refuse_word(r, "option", text, names, count)
                : refuse_memory(r);
}

static bool read_option(reader *r, const char *word)
{
    if (strncmp(word, "-o", 2) == 0 && word[1] == 'o' && word[2])
        return apply(r, find_option(r, "--output", 8), word + 2);
    for (size_t i = 0; i < option_count; i++)
        if (options[i].brief && strcmp(word, options[i].brief) == 0)
            word = options[i].name;
    const char *equals = strchr(word, '=');
    size_t length = equals ? (size_t)(equals - word) : strlen(word);
    const option *o = find_option(r, word, length);
    if (!o) return refuse_option(r, word, length);
    if (o->kind != OPTION_MISSING && o->kind != OPTION_MISSING_VALUE
        && !(o->commands & r->into->command))
        return refuse(r, "`dae %s` takes no %s", r->argv[1], o->name);
    if (!option_wants_value(o)) {
        if (equals && o->kind != OPTION_MISSING_VALUE)
            return refuse(r, "%s takes no value", o->name);
        return apply(r, o, NULL);
    }
    if (equals) return apply(r, o, equals + 1);
    if (r->at >= r->argc) return refuse(r, "%s wants a value", o->name);
    return apply(r, o, r->argv[r->at++]);
}

static bool read_command(reader *r, const char *word)
{
    const char *names[NAMES_MOST];
    size_t count = 0;
    for (size_t i = 0; i < topic_count; i++) {
        const char *name = topics[i].name;
        if (!topics[i].command) continue;
        r->into->command = topics[i].command;
        if (strcmp(word, name) == 0) return true;
        if (name[0] != '-' || name[2]) names[count++] = name;
    }
    r->into->command = COMMAND_NONE;
    return refuse_word(r, "command", word, names, count);
}

/* The files of `dae show`. */
static bool are_pictures(const args *a)
{
    if (a->outputs.count == 0) return true;
    const char *path = a->outputs.items[0];
    return a->show_structure && a->outputs.count == 1
        && (args_ends_in(path, ".svg") || args_ends_in(path, ".png")
            || args_ends_in(path, ".pdf"));
}

/* Regions alone: nothing to put into them. */
static bool check_without_model(const reader *r)
{
    const args *a = r->into;
    if (!isnan(a->at)) return refuse(r, "--at wants a model");
    if (!isnan(a->step)) return refuse(r, "--step wants a model");
    return true;
}

static int count_stdout(const args *a)
{
    int count = 0;
    for (size_t i = 0; i < a->outputs.count; i++)
        count += strcmp(a->outputs.items[i], "-") == 0;
    return count;
}

bool args_write_to_stdout(const args *a)
{
    return count_stdout(a) > 0;
}

static bool check_paths(const reader *r)
{
    const args *a = r->into;
    const bool takes_many = a->command == COMMAND_TEST
        || a->command == COMMAND_FMT;
    const char *what = a->command == COMMAND_EXPLAIN ? "code" : "model";
    if (a->command == COMMAND_STABILITY && a->outputs.count && isnan(a->step))
        return refuse(
            r, "a picture shows h*lambda: -o with a model wants --step");
    if (a->paths.count == 0)
        return refuse(r, "`dae %s` wants a %s", r->argv[1], what);
    if (a->paths.count > 1 && !takes_many)
        return refuse(r, "`dae %s` takes one %s; `%s` is one too many",
            r->argv[1], what, a->paths.items[1]);
    return true;
}

/* What can only be judged when every word is read. */
static bool check_together(const reader *r)
{
    const args *a = r->into;
    const bool shows = a->command == COMMAND_SHOW, is_fixed = a->step > 0;
    const bool draws_orders = a->command == COMMAND_ORDERS && a->plot;
    const bool is_global = args_choose(a->error, "global");
    const bool needs_rtol = a->command == COMMAND_ORDERS || is_global
        || a->estimate_error;
    const struct {
        bool is_wrong;
        const char *why;
    } rules[] = {{(a->points > 0) + (a->every > 0) + a->all_steps > 1,
                     "--points, --every and --all-steps exclude each other"},
        {a->rtol <= 0 && needs_rtol,
            "--rtol 0 leaves nothing to compare tolerances by"},
        {is_fixed && a->estimate_error,
            "--estimate-error compares tolerances, which --step does not use"},
        {is_fixed && is_global,
            "--error global is about tolerances, which --step does not use"},
        {!is_fixed && a->order == 6 && !args_choose(a->method, "radau"),
            "--order 6 goes with --step; else 1 to 5"},
        {!is_fixed && a->start, "--start goes with --step"},
        {a->times.count && !a->profile, "--at goes with --profile"},
        {draws_orders && !a->outputs.count, "--plot goes with -o"},
        {a->points == 1, "--points wants at least 2"},
        {a->as_dae && a->json, "--as-dae and --json exclude each other"},
        {shows && !are_pictures(a),
            "`dae show` takes -o FILE.svg, .png or .pdf with --structure only"},
        {a->show_reduced && (a->show & ~(1u << DAE_SHOW_EQUATIONS)),
            "--reduced goes with --equations"},
        {shows && a->reduce && !a->show_reduced
                && !args_choose(a->reduce, "auto"),
            "--reduce goes with --reduced"},
        {a->show_condensed
                && (a->show_reduced || (a->show & ~(1u << DAE_SHOW_JACOBIAN))),
            "--condensed goes with --jacobian"},
        {a->json + count_stdout(a) > 1,
            "only one of `-o -` and --json can have the standard output"}};
    if (a->wants_help || a->command == COMMAND_HELP
        || a->command == COMMAND_VERSION)
        return true;
    if (a->command == COMMAND_STABILITY && a->paths.count == 0)
        return check_without_model(r);
    if (!check_paths(r)) return false;
    for (size_t k = 0; k < sizeof rules / sizeof *rules; k++)
        if (rules[k].is_wrong) return refuse(r, "%s", rules[k].why);
    return true;
}

/* What a text of unknown origin may take. */
static void limit_untrusted(args *a)
{
    static const double SECONDS = 10;
    const size_t bytes = (size_t)256 << 20;
    if (!(a->time_limit < SECONDS)) a->time_limit = SECONDS;
    if (!a->memory_limit || a->memory_limit > bytes) a->memory_limit = bytes;
}

bool args_parse(args *a, int argc, char **argv, FILE *errors)
{
    memset(a, 0, sizeof *a);
    a->from = a->to = a->rtol = a->atol = (double)NAN;
    a->first_step = a->max_step = a->every = a->time_limit = (double)NAN;
    a->at = a->step = (double)NAN;
    reader r = {a, argc, 2, argv, errors};
    if (argc < 2) return refuse(&r, "a command is wanted");
    if (!read_command(&r, argv[1])) return false;
    bool only_paths = false;
    while (r.at < argc) {
        const char *word = argv[r.at++];
        if (!only_paths && strcmp(word, "--") == 0) {
            only_paths = true;
        } else if (only_paths || word[0] != '-' || word[1] == '\0') {
            if (!push_text(&r, &a->paths, word)) return false;
        } else if (!read_option(&r, word)) {
            return false;
        }
    }
    if (a->untrusted) limit_untrusted(a);
    return check_together(&r);
}
