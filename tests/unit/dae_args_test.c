/* tools/dae/args.c: what the words of a command line mean. */
#include "../../tools/dae/args.h"
#include "support/check.h"

enum { MOST_WORDS = 40 };

/* Reads "run m.dae --points 3" word by word; `message` gets the complaint. */
static bool read_line(args *a, const char *line, char *copy, char *message)
{
    char *words[MOST_WORDS] = {"dae"};
    int count = 1;
    (void)strcpy(copy, line);
    for (char *w = strtok(copy, " "); w; w = strtok(NULL, " "))
        words[count++] = w;
    FILE *errors = tmpfile();
    assert_non_null(errors);
    bool fine = args_parse(a, count, words, errors);
    rewind(errors);
    size_t length = fread(message, 1, 255, errors);
    message[length] = '\0';
    (void)fclose(errors);
    return fine;
}

static void options_are_read(void **state)
{
    (void)state;
    args a;
    char copy[256], message[256];
    assert_true(read_line(&a,
        "run m.dae --set k=2 --set x(0)=-1 --rtol=1e-8 --atol 1e-9 "
        "--atol B=1e-14 -o a.csv -o -",
        copy, message));
    assert_int_equal(a.command, COMMAND_RUN);
    assert_int_equal(a.sets.count, 2);
    assert_string_equal(a.sets.items[1].name, "x(0)");
    assert_string_equal(a.sets.items[1].value, "-1");
    CHECK_NEAR(a.rtol, 1e-8, 0);
    CHECK_NEAR(a.atol, 1e-9, 0);
    assert_int_equal(a.atols.count, 1);
    assert_string_equal(a.atols.items[0].name, "B");
    assert_int_equal(a.outputs.count, 2);
    assert_string_equal(a.outputs.items[0], "a.csv");
    assert_true(isnan(a.from));
    assert_true(read_line(&a,
        "run --from -1 --to 1e2 --order 3 --max-steps 1e6 --linear klu "
        "--reduce stabilize "
        "--memory-limit 10 --no-times -- -x.dae",
        copy, message));
    CHECK_NEAR(a.from, -1, 0);
    assert_int_equal(a.order, 3);
    assert_int_equal(a.max_steps, 1000000);
    assert_string_equal(a.linear, "klu");
    assert_string_equal(a.reduce, "stabilize");
    assert_int_equal(a.memory_limit, 10u << 20);
    assert_string_equal(a.paths.items[0], "-x.dae");
    assert_true(read_line(&a, "show m --tokens --jacobian", copy, message));
    assert_int_equal(a.show, 1u << DAE_SHOW_TOKENS | 1u << DAE_SHOW_JACOBIAN);
}

static void check_refused(const char *line, const char *part)
{
    args a;
    char copy[256], message[256];
    if (read_line(&a, line, copy, message))
        print_error("`%s` was not refused\n", line);
    else if (!strstr(message, part))
        print_error("`%s`: %s, not %s\n", line, message, part);
    else part = NULL;
    assert_null(part);
}

/* Which of them a method has the library says. */
static void orders_go_up_to_13(void **state)
{
    (void)state;
    const char *const lines[] = {"run m --method radau --order 5",
        "run m --method radau --order 6", "run m --method radau --order 13",
        "run m --order 9", "run m --step 1 --order 6"};
    const int orders[] = {5, 6, 13, 9, 6};
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        args a;
        char copy[256], message[256];
        assert_true(read_line(&a, lines[i], copy, message));
        assert_int_equal(a.order, orders[i]);
    }
}

static void wrong_use_is_refused(void **state)
{
    (void)state;
    check_refused("", "a command is wanted");
    check_refused("solve m", "no command `solve`");
    check_refused("run", "wants a model");
    check_refused("run a b", "`b` is one too many");
    check_refused("run m --stepsize 1", "no option `--stepsize`");
    check_refused("run m --rtol", "--rtol wants a value");
    check_refused("run m --rtol x", "a number, not `x`");
    check_refused("run m --rtol -1", "not negative");
    check_refused("run m --to inf", "a number");
    check_refused("run m --points 2.5", "whole number");
    check_refused("run m --points 1", "at least 2");
    check_refused("run m --points 1e30", "wants a whole number from 1 to 9e15");
    check_refused("run m --points 5 --every 1", "exclude");
    check_refused("run m --set k", "NAME=VALUE");
    check_refused("run m --set =3", "NAME=VALUE");
    check_refused("run m --atol B=x", "NAME=NUMBER");
    check_refused("run m --order 6", "--order 6 goes with --step");
    check_refused("run m --order 14", "1 to 6, or 5, 9 or 13 of radau");
    check_refused("run m --order 0", "1 to 6, or 5, 9 or 13 of radau");
    check_refused("run m --method bdf --order 6", "goes with --step");
    check_refused("run m --start ramp", "--start goes with --step");
    check_refused("run m --step 1 --start slow", "fine, exact or ramp");
    check_refused("run m --step 1 --estimate-error", "does not use");
    check_refused("run m --step 1 --error global", "does not use");
    check_refused("run m --error small", "local or global");
    check_refused("stability m --start ramp", "takes no --start");
    check_refused("run m --method leap", "no method `leap`");
    check_refused("run m --color red", "auto, always or never");
    check_refused("run m --json -o -", "standard output");
    check_refused("run m --json=1", "takes no value");
    check_refused("fmt m --rtol 1", "`dae fmt` takes no --rtol");
    check_refused("fmt m --json", "`dae fmt` takes no --json");
    check_refused("init m --json --as-dae", "exclude each other");
    check_refused("explain", "wants a code");
    check_refused("check m --to 3", "`dae check` takes no --to");
    check_refused("run m --reduce always", "auto, project, stabilize or never");
    check_refused("run m --reduce", "wants a value");
    check_refused("show m --reduce never", "--reduce goes with --reduced");
    check_refused("run m --verbose", "`dae run` takes no --verbose");
    check_refused("check m --structure", "takes no --structure");
    check_refused("show m --jacobian --reduced", "goes with --equations");
    check_refused("show m --bytecode --condensed", "goes with --jacobian");
    check_refused("show m --reduced --condensed", "goes with --jacobian");
    check_refused("run m --condensed", "`dae run` takes no --condensed");
    check_refused("run m --condense always", "wants auto or never");
    check_refused("run m --native always", "wants auto or never");
    check_refused("show m --native never", "takes no --native");
    check_refused("show m --condense never", "takes no --condense");
    check_refused("run m --reduced", "`dae run` takes no --reduced");
    check_refused("show m --homotopy", "`dae show` takes no --homotopy");
    check_refused("show m -o x.svg", "with --structure only");
    check_refused("show m --structure -o x.gif", "with --structure only");
}

static void stability_needs_a_model_for_a_point(void **state)
{
    (void)state;
    args a;
    char copy[256], message[256];
    assert_true(read_line(&a, "stability", copy, message));
    assert_int_equal(a.command, COMMAND_STABILITY);
    assert_true(read_line(&a,
        "stability m --at -2 --step 0.5 --methods bdf,rk4 --rtol 1e-4", copy,
        message));
    CHECK_NEAR(a.at, -2, 0);
    CHECK_NEAR(a.step, 0.5, 0);
    assert_string_equal(a.methods, "bdf,rk4");
    check_refused("stability --at 1", "--at wants a model");
    check_refused("stability --step 1", "--step wants a model");
    check_refused("stability m --step 0", "--step wants a number above 0");
    check_refused("stability m --step -1", "--step wants a number above 0");
    check_refused("stability m --at x", "--at wants a number");
    check_refused("stability a b", "`b` is one too many");
    check_refused("stability m --points 3", "takes no --points");
    check_refused("check m --at 1", "`dae check` takes no --at");
    check_refused("run m --methods bdf", "`dae run` takes no --methods");
}

static void orders_takes_lists(void **state)
{
    (void)state;
    args a;
    char copy[256], message[256];
    assert_true(read_line(&a,
        "orders m --orders 1..3 --steps 0.1 --pattern 1,2 --perturb x=1 --to 2",
        copy, message));
    assert_int_equal(a.command, COMMAND_ORDERS);
    assert_string_equal(a.orders, "1..3");
    assert_string_equal(a.steps, "0.1");
    assert_string_equal(a.pattern, "1,2");
    assert_int_equal(a.perturbs.count, 1);
    assert_string_equal(a.perturbs.items[0].name, "x");
    check_refused("orders m --method bdf", "`dae orders` takes no --method");
    check_refused("orders m --order 2", "`dae orders` takes no --order");
    check_refused("orders m --perturb x", "NAME=VALUE");
    check_refused("run m --steps 1", "`dae run` takes no --steps");
    check_refused("orders", "`dae orders` wants a model");
}

static void what_is_not_there_yet_says_so(void **state)
{
    (void)state;
    const char *const words[] = {
        "--units warn", "--path d", "--threads 2", "--method mebdf"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        char line[64];
        (void)snprintf(line, sizeof line, "run m %s", words[i]);
        check_refused(line, "is not available yet");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(options_are_read),
        cmocka_unit_test(orders_go_up_to_13),
        cmocka_unit_test(wrong_use_is_refused),
        cmocka_unit_test(stability_needs_a_model_for_a_point),
        cmocka_unit_test(orders_takes_lists),
        cmocka_unit_test(what_is_not_there_yet_says_so),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
