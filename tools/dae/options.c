#include "options.h"

#define AT(field) offsetof(args, field)
#define SOLVES                                                                 \
    (COMMAND_RUN | COMMAND_INIT | COMMAND_TEST | COMMAND_STABILITY             \
        | COMMAND_ORDERS)
/* `dae orders` takes all methods and orders asked for, not one */
#define CHOOSES (SOLVES & ~(unsigned)COMMAND_ORDERS)
/* of `dae stability` --step is about something else */
#define STEPS (CHOOSES & ~(unsigned)COMMAND_STABILITY)
#define STARTS (SOLVES | COMMAND_CHECK)
#define GRID (COMMAND_RUN | COMMAND_TEST)
#define ANY 0xFFFu

const char *const group_titles[GROUP_COUNT] = {
    NULL, "output", "model", "integrator", "limits", "reports"};

const option options[] = {
    /* of one command each */
    {"--verbose", NULL, NULL, OPTION_FLAG, AT(verbose), COMMAND_CHECK,
        GROUP_OWN, "offsets, transversal and blocks as well"},
    {"--as-dae", NULL, NULL, OPTION_FLAG, AT(as_dae), COMMAND_INIT, GROUP_OWN,
        "as `init` lines to paste into the model"},
    {"--check", NULL, NULL, OPTION_FLAG, AT(check_only), COMMAND_FMT, GROUP_OWN,
        "changes nothing; prints the names of files that would change, and "
        "exits with 1 where there are any"},
    {"--tokens", NULL, NULL, OPTION_SHOW, DAE_SHOW_TOKENS, COMMAND_SHOW,
        GROUP_OWN, "the text as words"},
    {"--ast", NULL, NULL, OPTION_SHOW, DAE_SHOW_AST, COMMAND_SHOW, GROUP_OWN,
        "the text as a tree"},
    {"--equations", NULL, NULL, OPTION_SHOW, DAE_SHOW_EQUATIONS, COMMAND_SHOW,
        GROUP_OWN, "the equations (where nothing else is requested)"},
    {"--reduced", NULL, NULL, OPTION_FLAG, AT(show_reduced), COMMAND_SHOW,
        GROUP_OWN,
        "with --equations: those that a run solves above index 1: states, "
        "dummy derivatives, what is solved for what"},
    {"--reduce", NULL, "auto|project|stabilize|never", OPTION_CHOICE,
        AT(reduce), COMMAND_SHOW, GROUP_OWN, "with --reduced: by that way"},
    {"--jacobian", NULL, NULL, OPTION_SHOW, DAE_SHOW_JACOBIAN, COMMAND_SHOW,
        GROUP_OWN, "the pattern and kinds of its entries"},
    {"--condensed", NULL, NULL, OPTION_FLAG, AT(show_condensed), COMMAND_SHOW,
        GROUP_OWN,
        "with --jacobian: what a run factorizes in place of the matrix of a "
        "step, and which unknowns are taken out"},
    {"--bytecode", NULL, NULL, OPTION_SHOW, DAE_SHOW_BYTECODE, COMMAND_SHOW,
        GROUP_OWN, "the programs"},
    {"--structure", NULL, NULL, OPTION_FLAG, AT(show_structure), COMMAND_SHOW,
        GROUP_OWN,
        "the signature matrix with transversal and blocks: as text up to 40 "
        "unknowns"},
    {"--events", NULL, NULL, OPTION_FLAG, AT(events), COMMAND_SHOW, GROUP_OWN,
        "discrete variables, what happens at events, and each switch: its "
        "kind, how it is found"},
    {"--output", "-o", "FILE", OPTION_TEXTS, AT(outputs), COMMAND_SHOW,
        GROUP_OWN,
        ".svg, .png, .pdf: the matrix of --structure, of any size, as a "
        "picture; the last two with gnuplot"},
    {"--at", NULL, "T", OPTION_NUMBER, AT(at), COMMAND_STABILITY, GROUP_OWN,
        "where along the solution; its start if not given"},
    {"--step", NULL, "H", OPTION_POSITIVE, AT(step), COMMAND_STABILITY,
        GROUP_OWN, "lays h*lambda into the regions"},
    {"--methods", NULL, "LIST", OPTION_TEXT, AT(methods), COMMAND_STABILITY,
        GROUP_OWN, "names or families with commas: bdf2,ndf,rk4"},
    {"--output", "-o", "FILE", OPTION_TEXTS, AT(outputs), COMMAND_STABILITY,
        GROUP_OWN,
        ".svg, .png, .pdf: the regions as a picture, with h*lambda in them; "
        "drawn by gnuplot"},
    {"--orders", NULL, "LIST", OPTION_TEXT, AT(orders), COMMAND_ORDERS,
        GROUP_OWN,
        "1..5 (as if not given), 1,2,5, up to 6; with --methods radau 5,9,13 "
        "(as if not given)"},
    {"--steps", NULL, "LIST", OPTION_TEXT, AT(steps), COMMAND_ORDERS, GROUP_OWN,
        "0.1,0.05 or 1e-1..1e-3, which is halved; those that do not divide the "
        "interval are shortened"},
    {"--plot", NULL, "A,B,C[3]", OPTION_TEXT, AT(plot), COMMAND_ORDERS,
        GROUP_OWN,
        "the unknowns in the picture of -o; four if not given, those of the "
        "highest index first"},
    {"--pattern", NULL, "LIST", OPTION_TEXT, AT(pattern), COMMAND_ORDERS,
        GROUP_OWN, "steps h*1, h*2, h*1, ... by 1,2"},
    {"--perturb", NULL, "NAME=D", OPTION_PAIRS, AT(perturbs), COMMAND_ORDERS,
        GROUP_OWN, "what a start that is wrong by D leads to"},
    {"--tolerances", NULL, "LIST", OPTION_TEXT, AT(tolerances), COMMAND_ORDERS,
        GROUP_OWN, "1e-3..1e-8 (as if not given), by tens; --rtol R for one"},
    {"--methods", NULL, "LIST", OPTION_TEXT, AT(methods), COMMAND_ORDERS,
        GROUP_OWN,
        "names with commas, see `dae help methods`: both studies by these, "
        "reduced and as it stands"},
    {"--study", NULL, "steps|tolerances|both", OPTION_TEXT, AT(study),
        COMMAND_ORDERS, GROUP_OWN, "one of the two alone"},
    {"--output", "-o", "FILE", OPTION_TEXTS, AT(outputs), COMMAND_ORDERS,
        GROUP_OWN,
        ".svg, .png, .pdf: errors against step and work as a picture, drawn by "
        "gnuplot"},

    {"--output", "-o", "FILE", OPTION_TEXTS, AT(outputs), COMMAND_RUN,
        GROUP_OUTPUT,
        ".csv or .json, `-` for CSV on standard output; .svg, .png, .pdf: the "
        "`plot` lines as a picture, drawn by gnuplot; may be given more than "
        "once"},
    {"--points", NULL, "N", OPTION_COUNT, AT(points), GRID, GROUP_OUTPUT,
        "N evenly spaced times"},
    {"--every", NULL, "DT", OPTION_POSITIVE, AT(every), GRID, GROUP_OUTPUT,
        "a time every DT"},
    {"--all-steps", NULL, NULL, OPTION_FLAG, AT(all_steps), GRID, GROUP_OUTPUT,
        "the solver's own steps"},
    {"--columns", NULL, "A,B,C[3]", OPTION_TEXT, AT(columns), COMMAND_RUN,
        GROUP_OUTPUT, "these columns alone, of an array all elements"},
    {"--plot", NULL, "A,B,C[3]", OPTION_TEXT, AT(plot), COMMAND_RUN,
        GROUP_OUTPUT, "a picture of these in place of the `plot` lines"},
    {"--overlay", NULL, "FILE.csv", OPTION_TEXTS, AT(overlays), COMMAND_RUN,
        GROUP_OUTPUT,
        "adds curves of another run, or of measurements, to the picture; may "
        "be given more than once"},
    {"--profile", NULL, "A,B", OPTION_TEXT, AT(profile), COMMAND_RUN,
        GROUP_OUTPUT,
        "a picture of arrays over their index, or by 'A,B over X' over another "
        "array, a curve for each time of --at; likewise"},
    {"--at", NULL, "T1,T2", OPTION_NUMBERS, AT(times), COMMAND_RUN,
        GROUP_OUTPUT, "times of --profile; five if not given"},
    {"--all", NULL, NULL, OPTION_FLAG, AT(all_values), COMMAND_RUN,
        GROUP_OUTPUT, "every final value, also those of long arrays"},
    {"--events", NULL, NULL, OPTION_FLAG, AT(events), COMMAND_RUN, GROUP_OUTPUT,
        "a list of them: time, label, before and after"},
    {"--estimate-error", NULL, NULL, OPTION_FLAG, AT(estimate_error),
        COMMAND_RUN, GROUP_OUTPUT, "a second run at a tenth of the tolerances"},
    {"--drift", NULL, "OUTPUT", OPTION_TEXTS, AT(drifts), COMMAND_RUN,
        GROUP_OUTPUT,
        "its distance from its value at the start: largest, mean, final"},
    {"--stats", NULL, NULL, OPTION_FLAG, AT(stats), COMMAND_RUN, GROUP_OUTPUT,
        "all counters"},
    {"--why", NULL, NULL, OPTION_FLAG, AT(why), COMMAND_RUN, GROUP_OUTPUT,
        "what set the steps: error test, events, unknowns"},
    {"--repeat", NULL, "N", OPTION_COUNT, AT(repeat), COMMAND_RUN, GROUP_OUTPUT,
        "solve N times; `seconds` are medians"},

    {"--set", NULL, "NAME=VALUE", OPTION_PAIRS, AT(sets), STARTS | COMMAND_SHOW,
        GROUP_MODEL, "a param, or an initial value as 'x(0)=2'"},
    {"--from", NULL, "T", OPTION_NUMBER, AT(from), STARTS, GROUP_MODEL,
        "start time"},
    {"--to", NULL, "T", OPTION_NUMBER, AT(to), SOLVES, GROUP_MODEL, "end time"},

    {"--rtol", NULL, "R", OPTION_NOT_NEGATIVE, AT(rtol), STARTS,
        GROUP_INTEGRATOR, "relative tolerance"},
    {"--atol", NULL, "A", OPTION_ATOL, 0, STARTS, GROUP_INTEGRATOR,
        "absolute tolerance; NAME=A for one unknown"},
    {"--error", NULL, "local|global", OPTION_CHOICE, AT(error), GRID,
        GROUP_INTEGRATOR,
        "what the tolerances bound: the error of a step, or that of the "
        "solution at any time (by several runs)"},
    {"--check-atol", NULL, "auto|never", OPTION_CHOICE, AT(check_atol), GRID,
        GROUP_INTEGRATOR,
        "where an unknown is small beside its absolute tolerance: a second run "
        "at a millionth of it, and a warning where it differs"},
    {"--method", NULL, "NAME", OPTION_METHOD, 0, CHOOSES, GROUP_INTEGRATOR,
        "see `dae help methods`"},
    {"--order", NULL, "K", OPTION_ORDER, 0, CHOOSES, GROUP_INTEGRATOR,
        "highest order, 1 to 5, of radau 5, 9 or 13; with --step the order"},
    {"--step", NULL, "H", OPTION_POSITIVE, AT(step), STEPS, GROUP_INTEGRATOR,
        "steps of this length, whatever their error"},
    {"--start", NULL, "fine|exact|ramp", OPTION_CHOICE, AT(start), STEPS,
        GROUP_INTEGRATOR,
        "how the first points of a multistep formula are found: by an "
        "integration at tight tolerances, the model's closed form, lower "
        "orders"},
    {"--first-step", NULL, "H", OPTION_POSITIVE, AT(first_step), SOLVES,
        GROUP_INTEGRATOR, "the length of the first step"},
    {"--max-step", NULL, "H", OPTION_POSITIVE, AT(max_step), SOLVES,
        GROUP_INTEGRATOR, "no step is longer"},
    {"--max-steps", NULL, "N", OPTION_COUNT, AT(max_steps), SOLVES,
        GROUP_INTEGRATOR, "ends a run after N steps"},
    {"--linear", NULL, "auto|direct|gmres|list|dense|klu|umfpack",
        OPTION_CHOICE, AT(linear), SOLVES, GROUP_INTEGRATOR,
        "how linear systems are solved; list: a list of operations for small "
        "ones"},
    {"--reduce", NULL, "auto|project|stabilize|never", OPTION_CHOICE,
        AT(reduce), SOLVES, GROUP_INTEGRATOR,
        "an index above 1: dummy derivatives, projection, multipliers that "
        "stabilize, or as it stands"},
    {"--condense", NULL, "auto|never", OPTION_CHOICE, AT(condense), SOLVES,
        GROUP_INTEGRATOR,
        "unknowns that constants determine: taken out of linear systems, or "
        "left in"},
    {"--native", NULL, "auto|never", OPTION_CHOICE, AT(native), STARTS,
        GROUP_INTEGRATOR,
        "machine code for what is evaluated often (with the same results), or "
        "none"},
    {"--homotopy", NULL, NULL, OPTION_FLAG, AT(homotopy), STARTS,
        GROUP_INTEGRATOR, "the start by homotopy from the guesses first"},
    {"--strict", NULL, NULL, OPTION_FLAG, AT(strict), STARTS, GROUP_INTEGRATOR,
        "warnings about the start are errors"},

    {"--time-limit", NULL, "S", OPTION_POSITIVE, AT(time_limit), STARTS,
        GROUP_LIMITS, "seconds, all in all"},
    {"--memory-limit", NULL, "MIB", OPTION_MEMORY, 0, STARTS | COMMAND_SHOW,
        GROUP_LIMITS, "of text, model, solver and tables"},
    {"--untrusted", NULL, NULL, OPTION_FLAG, AT(untrusted),
        (STARTS | COMMAND_SHOW) & ~(unsigned)COMMAND_TEST, GROUP_LIMITS,
        "for texts of unknown origin: 10 s, 256 MiB, 64 MiB of output, no "
        "other files"},

    {"--json", NULL, NULL, OPTION_FLAG, AT(json), STARTS | COMMAND_SHOW,
        GROUP_REPORTS, "one JSON document on standard output"},
    {"--no-times", NULL, NULL, OPTION_FLAG, AT(no_times), STARTS, GROUP_REPORTS,
        "no seconds: equal input gives equal bytes"},
    {"--quiet", NULL, NULL, OPTION_FLAG, AT(quiet), ANY, GROUP_REPORTS,
        "errors only"},
    {"--color", NULL, "auto|always|never", OPTION_WHEN, AT(color), ANY,
        GROUP_REPORTS, "of diagnostics"},
    {"--progress", NULL, "auto|always|never", OPTION_WHEN, AT(progress), STARTS,
        GROUP_REPORTS, "one line on standard error"},
    {"--help", "-h", NULL, OPTION_FLAG, AT(wants_help), ANY, GROUP_REPORTS,
        "this text"},

    {"--units", NULL, NULL, OPTION_MISSING_VALUE, 0, ANY, GROUP_OWN, NULL},
    {"--path", NULL, NULL, OPTION_MISSING_VALUE, 0, ANY, GROUP_OWN, NULL},
    {"--threads", NULL, NULL, OPTION_MISSING_VALUE, 0, ANY, GROUP_OWN, NULL},
};
const size_t option_count = sizeof options / sizeof *options;

bool option_wants_value(const option *o)
{
    return o->kind != OPTION_FLAG && o->kind != OPTION_SHOW
        && o->kind != OPTION_MISSING && o->kind != OPTION_MISSING_VALUE;
}

const char overview_text[] =
    "dae solves differential-algebraic equations written in .dae files.";
const char exit_text[] =
    "0 done, 1 a check does not hold, 2 wrong use, 3 the model is wrong, 4 the "
    "numbers failed, 5 a file, 6 a limit, 130 interrupted, 143 and 129 ended "
    "by SIGTERM and SIGHUP";

const topic topics[] = {
    {"run", COMMAND_RUN, "MODEL",
        "compile, make the start consistent, integrate",
        "Prints the final values and what the run cost, checks the model's "
        "`expect` lines, and with -o writes the trajectory.",
        NULL,
        "dae run models/chemistry/robertson.dae\n"
        "dae run models/mechanics/pendulum.dae -o swing.csv --points 200\n"
        "dae run models/mechanics/pendulum.dae --columns x,y -o - --rtol 1e-8\n"
        "dae run models/mechanics/pendulum.dae --json --no-times\n"},
    {"check", COMMAND_CHECK, "MODEL",
        "structure, index, hidden constraints, the start",
        "Says what the model is without integrating it: how many equations and "
        "unknowns there are, the index and where it comes from, hidden "
        "constraints, and whether the initial conditions are consistent. "
        "Checks `expect index`, `expect dof` and expected codes.",
        "0 consistent, 1 inconsistent or too few conditions, 3 the model is "
        "wrong, 4 no start was found",
        "dae check models/mechanics/pendulum.dae\n"
        "dae check models/mechanics/pendulum.dae --verbose --json\n"},
    {"init", COMMAND_INIT, "MODEL", "consistent initial values and derivatives",
        "Computes consistent initial values and derivatives, and prints what "
        "is left of the equations and hidden constraints.",
        NULL,
        "dae init models/mechanics/pendulum.dae\n"
        "dae init models/mechanics/pendulum.dae --as-dae\n"},
    {"orders", COMMAND_ORDERS, "MODEL",
        "errors against step and work, observed orders",
        "Measures what the order of a formula means for each unknown of a "
        "model: errors at fixed steps from exact values, with the orders that "
        "they show, then errors and costs with steps and orders chosen at "
        "tolerances. Errors are against lines `expect x ~ formula of t within "
        "... always` where the model has them, of other unknowns against runs "
        "that are much more accurate.",
        NULL,
        "dae orders models/mechanics/pendulum.dae --study steps --to 0.5\n"
        "dae orders models/mechanics/pendulum.dae --orders 1,2 --steps "
        "0.1,0.05 --to 0.5\n"},
    {"stability", COMMAND_STABILITY, "[MODEL]",
        "stability regions of methods, and a model's eigenvalues in them",
        "The stability regions of the methods in numbers: wedge, limits along "
        "the axes, error constant. With a model the eigenvalues of its "
        "linearised equations at a point, their time constants and periods, "
        "and with --step what each method makes of them in one step.",
        NULL,
        "dae stability\n"
        "dae stability models/mechanics/pendulum.dae --at 0.5 --step 0.1 "
        "--methods bdf,rk4\n"},
    {"test", COMMAND_TEST, "PATH...",
        "run models and check their `expect` lines",
        "Runs each model, and every *.dae below a folder, and checks `expect` "
        "lines. A model with `expect \"E0301\"` passes when that code arises. "
        "One without a `solve` line, or that expects a code of structure "
        "(E03..), is checked as `dae check` does.",
        NULL, "dae test models/mechanics/pendulum.dae\n"},
    {"show", COMMAND_SHOW, "MODEL", "what the compiler made of a model",
        "Prints one or more of these listings.", NULL,
        "dae show models/mechanics/pendulum.dae --structure\n"
        "dae show models/mechanics/pendulum.dae --equations --reduced\n"},
    {"fmt", COMMAND_FMT, "FILE...", "canonical layout, in place",
        "Rewrites each file in canonical layout; comments stay. `-` formats "
        "standard input to standard output.",
        NULL, "dae fmt --check models/mechanics/pendulum.dae\n"},
    {"explain", COMMAND_EXPLAIN, "CODE",
        "the explanation of a diagnostic such as E0201",
        "Prints what a diagnostic means, with an example and the way out.",
        NULL, "dae explain E0401\n"},
    {"help", COMMAND_HELP, "TOPIC", "a command above, or `methods`", NULL, NULL,
        NULL},
    {"methods", COMMAND_NONE, NULL, NULL,
        "What --method takes; `bdf` is the default, `auto` takes radau for "
        "small models without events, else bdf, and --stats says why. Without "
        "--step the error chooses step and order, with --step H all steps are "
        "of length H and order --order K (5).",
        NULL, NULL},
    {"version", COMMAND_VERSION, NULL, NULL, NULL, NULL, NULL},
    {"--version", COMMAND_VERSION, NULL, NULL, NULL, NULL, NULL},
    {"-V", COMMAND_VERSION, NULL, NULL, NULL, NULL, NULL},
    {"--help", COMMAND_HELP, NULL, NULL, NULL, NULL, NULL},
    {"-h", COMMAND_HELP, NULL, NULL, NULL, NULL, NULL},
};
const size_t topic_count = sizeof topics / sizeof *topics;
