#include "command.h"
#include "console.h"
#include "memory.h"
#include "options.h"
#include <ctype.h>
#include <dae/diag.h>
#include <dae/stability.h>
#include <string.h>

/* The texts of `dae help`. The full page is docs/cli.md. */

/* Where the text of an option begins, and the longest line. */
enum { INDENT = 24, WIDTH = 79 };

/* Words, from column `at` on; lines after the first begin at `indent`. */
static void put_words(const char *text, size_t at, size_t indent)
{
    const char *before = "";
    while (*text) {
        const size_t n = strcspn(text, " ");
        if (at > indent && at + 1 + n > WIDTH) {
            (void)printf("\n%*s", (int)indent, "");
            at = indent;
            before = "";
        }
        (void)printf("%s%.*s", before, (int)n, text);
        at += n + strlen(before);
        before = " ";
        text += n + strspn(text + n, " ");
    }
    (void)putchar('\n');
}

static void put_entry(const char *left, const char *text)
{
    const int n = printf("  %s", left);
    const bool fits = n >= 0 && n < INDENT;
    (void)printf(fits ? "%*s" : "\n%*s", fits ? INDENT - n : INDENT, "");
    put_words(text, INDENT, INDENT);
}

static void put_option(const option *o)
{
    enum { LEFT_MOST = 80 };
    char left[LEFT_MOST];
    if (o->brief && !o->value)
        (void)snprintf(left, sizeof left, "%s, %s", o->brief, o->name);
    else
        (void)snprintf(left, sizeof left, "%s%s%s",
            o->brief ? o->brief : o->name, o->value ? " " : "",
            o->value ? o->value : "");
    put_entry(left, o->help);
}

static void put_options(command c)
{
    for (option_group g = 0; g < GROUP_COUNT; g++) {
        bool is_first = true;
        for (size_t k = 0; k < option_count; k++) {
            const option *o = &options[k];
            if (!(o->commands & c) || o->group != g || !o->help) continue;
            if (is_first)
                (void)printf("\n%s%s", group_titles[g] ? group_titles[g] : "",
                    group_titles[g] ? "\n" : "");
            is_first = false;
            put_option(o);
        }
    }
}

static void put_examples(const char *text)
{
    (void)fputs("\nexamples\n", stdout);
    for (const char *end; (end = strchr(text, '\n')); text = end + 1)
        (void)printf("  %.*s\n", (int)(end - text), text);
}

static void put_exits(const char *text)
{
    (void)putchar('\n');
    const int n = printf("exit status: ");
    put_words(text, n < 0 ? 0 : (size_t)n, 0);
}

static void put_overview(void)
{
    (void)printf("%s\n\n", overview_text);
    for (size_t k = 0; k < topic_count; k++) {
        char left[40];
        if (!topics[k].summary) continue;
        (void)snprintf(
            left, sizeof left, "dae %s %s", topics[k].name, topics[k].operands);
        put_entry(left, topics[k].summary);
    }
    put_entry("dae -V | --version", "the version");
    (void)fputs("\nMODEL may be `-` for standard input.\n", stdout);
    put_exits(exit_text);
}

/* "s 1 to 5, at fixed steps to 6", after "order". */
static const char *orders_of(const dae_integrator *m, char *text, size_t size)
{
    if (m->orders) {
        size_t used = 0;
        for (const int *k = m->orders; *k > 0 && used < size; k++) {
            const int n = snprintf(text + used, size - used, "%s%d",
                k == m->orders ? "s " : ", ", *k);
            used += n > 0 ? (size_t)n : 0;
        }
    } else if (m->max_order == 0)
        (void)snprintf(text, size, " %d, at fixed steps", m->max_order_fixed);
    else if (m->max_order_fixed == m->max_order)
        (void)snprintf(text, size, "s 1 to %d", m->max_order);
    else
        (void)snprintf(text, size, "s 1 to %d, at fixed steps to %d",
            m->max_order, m->max_order_fixed);
    return text;
}

static void print_integrators(void)
{
    char orders[60];
    dae_integrator m;
    for (size_t k = 0; (m = dae_integrator_at(k)).name; k++)
        (void)printf("  %s, order%s:\n      %s\n", m.name,
            orders_of(&m, orders, sizeof orders), m.formula);
    (void)fputs("\nNot available yet: mebdf.\n"
                "\nAt constant step h, with f the slope, as `dae stability` "
                "looks at them:\n\n",
        stdout);
}

/* Every formula, and what del is. */
static void print_formulas(void)
{
    const dae_method *m;
    for (size_t k = 0; (m = dae_method_at(k)); k++)
        (void)printf("  %-10s %s\n", m->name, m->formula);
    (void)fputs("\ndel x[n] = x[n] - x[n-1], del^2 x[n] = del x[n] - "
                "del x[n-1], ...\n",
        stdout);
}

/* Help on standard output; false where there is no such topic. */
static bool help_print(const char *name)
{
    if (!name) name = "help";
    for (size_t k = 0; k < topic_count; k++) {
        const topic *t = &topics[k];
        if (strcmp(name, t->name) != 0) continue;
        if (!t->text) {
            put_overview();
            return true;
        }
        if (t->command)
            (void)printf("dae %s %s [options]\n\n", name, t->operands);
        put_words(t->text, 0, 0);
        if (t->command) put_options(t->command);
        else (void)putchar('\n'), print_integrators(), print_formulas();
        if (t->exits) put_exits(t->exits);
        if (t->examples) put_examples(t->examples);
        return true;
    }
    return false;
}

static exit_status exit_of_signal(void)
{
    const int signal = limits_signal();
    return signal ? (exit_status)(EXIT_SIGNAL + signal) : EXIT_INTERRUPT;
}

exit_status exit_of(dae_status status)
{
    switch (status) {
    case DAE_OK:
    case DAE_STOPPED: return EXIT_DONE;
    case DAE_INCONSISTENT: return EXIT_CHECK;
    case DAE_ARGUMENT: return EXIT_USAGE;
    case DAE_MODEL:
    case DAE_UNSUPPORTED: return EXIT_MODEL;
    case DAE_NUMERIC:
    case DAE_RETRY: return EXIT_NUMBERS;
    case DAE_IO: return EXIT_FILE;
    case DAE_MEMORY:
    case DAE_LIMIT: return EXIT_LIMIT;
    case DAE_INTERRUPTED: return exit_of_signal();
    }
    return EXIT_NUMBERS;
}

static exit_status print_help(const char *name)
{
    if (help_print(name)) return console_flush() ? EXIT_DONE : EXIT_FILE;
    (void)fprintf(stderr, "dae: there is no help on `%s`\n", name);
    return EXIT_USAGE;
}

/* The page of a diagnostic. */
static exit_status explain(const args *a)
{
    char code[8] = {0};
    for (size_t i = 0; i < 7 && a->paths.items[0][i]; i++)
        code[i] = (char)toupper((unsigned char)a->paths.items[0][i]);
    const char *page = dae_diagnostic_explain(code);
    if (!page) {
        (void)fprintf(stderr,
            "dae: there is no diagnostic `%s`; codes look like E0201\n",
            a->paths.items[0]);
        return EXIT_USAGE;
    }
    (void)fputs(page, stdout);
    return console_flush() ? EXIT_DONE : EXIT_FILE;
}

static exit_status run_command(const args *a, const char *name)
{
    if (a->command == COMMAND_HELP)
        return print_help(a->paths.count ? a->paths.items[0] : NULL);
    if (a->wants_help) return print_help(name);
    switch (a->command) {
    case COMMAND_RUN: return cmd_run(a);
    case COMMAND_CHECK: return cmd_check(a);
    case COMMAND_INIT: return cmd_init(a);
    case COMMAND_STABILITY: return cmd_stability(a);
    case COMMAND_ORDERS: return cmd_orders(a);
    case COMMAND_TEST: return cmd_test(a);
    case COMMAND_SHOW: return cmd_show(a);
    case COMMAND_FMT: return cmd_fmt(a);
    case COMMAND_EXPLAIN: return explain(a);
    default: break;
    }
    (void)printf("dae %s\n", dae_version());
    return console_flush() ? EXIT_DONE : EXIT_FILE;
}

exit_status command_run(int argc, char **argv)
{
    args a;
    exit_status status = EXIT_USAGE;
    if (args_parse(&a, argc, argv, stderr)) status = run_command(&a, argv[1]);
    else if (a.is_out_of_memory) status = EXIT_LIMIT;
    memory_release(0);
    return status;
}
