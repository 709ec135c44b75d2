#include "command.h"
#include "console.h"
#include "memory.h"
#include <ctype.h>
#include <dae/diag.h>

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

static exit_status print_help(const char *topic)
{
    if (help_print(topic)) return console_flush() ? EXIT_DONE : EXIT_FILE;
    (void)fprintf(stderr, "dae: there is no help on `%s`\n", topic);
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
