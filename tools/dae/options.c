#include "options.h"

/* Kind and place, short name; command and group. */
#define BRIEF(kind, field, brief) OPTION_##kind, offsetof(args, field), brief
#define INTO(kind, field) BRIEF(kind, field, NULL)
#define LISTING(name) OPTION_SHOW, DAE_SHOW_##name, NULL
#define OWN(name) COMMAND_##name, GROUP_OWN
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
    {"--verbose", NULL, INTO(FLAG, verbose), OWN(CHECK),
        "offsets, transversal and blocks as well"},
    {"--as-dae", NULL, INTO(FLAG, as_dae), OWN(INIT),
        "as `init` lines to paste into the model"},
    {"--check", NULL, INTO(FLAG, check_only), OWN(FMT),
        "changes nothing; prints the names of files that would change, and "
        "exits with 1 where there are any"},
    {"--tokens", NULL, LISTING(TOKENS), OWN(SHOW), "the text as words"},
    {"--ast", NULL, LISTING(AST), OWN(SHOW), "the text as a tree"},
    {"--equations", NULL, LISTING(EQUATIONS), OWN(SHOW),
        "the equations (where nothing else is requested)"},
    {"--reduced", NULL, INTO(FLAG, show_reduced), OWN(SHOW),
        "with --equations: those that a run solves above index 1: states, "
        "dummy derivatives, what is solved for what"},
    {"--reduce", "auto|project|stabilize|never", INTO(CHOICE, reduce),
        OWN(SHOW), "with --reduced: by that way"},
    {"--jacobian", NULL, LISTING(JACOBIAN), OWN(SHOW),
        "the pattern and kinds of its entries"},
    {"--condensed", NULL, INTO(FLAG, show_condensed), OWN(SHOW),
        "with --jacobian: what a run factorizes in place of the matrix of a "
        "step, and which unknowns are taken out"},
    {"--bytecode", NULL, LISTING(BYTECODE), OWN(SHOW), "the programs"},
    {"--structure", NULL, INTO(FLAG, show_structure), OWN(SHOW),
        "the signature matrix with transversal and blocks: as text up to 40 "
        "unknowns"},
    {"--events", NULL, INTO(FLAG, events), OWN(SHOW),
        "discrete variables, what happens at events, and each switch: its "
        "kind, how it is found"},
    {"--output", "FILE", BRIEF(TEXTS, outputs, "-o"), OWN(SHOW),
        ".svg, .png, .pdf: the matrix of --structure, of any size, as a "
        "picture; the last two with gnuplot"},
    {"--at", "T", INTO(NUMBER, at), OWN(STABILITY),
        "where along the solution; its start if not given"},
    {"--step", "H", INTO(POSITIVE, step), OWN(STABILITY),
        "lays h*lambda into the regions"},
    {"--methods", "LIST", INTO(TEXT, methods), OWN(STABILITY),
        "names or families with commas: bdf2,ndf,rk4"},
    {"--output", "FILE", BRIEF(TEXTS, outputs, "-o"), OWN(STABILITY),
        ".svg, .png, .pdf: the regions as a picture, with h*lambda in them; "
        "drawn by gnuplot"},
    {"--orders", "LIST", INTO(TEXT, orders), OWN(ORDERS),
        "1..5 (as if not given), 1,2,5, up to 6; with --methods radau 5,9,13 "
        "(as if not given)"},
    {"--steps", "LIST", INTO(TEXT, steps), OWN(ORDERS),
        "0.1,0.05 or 1e-1..1e-3, which is halved; those that do not divide the "
        "interval are shortened"},
    {"--plot", "A,B,C[3]", INTO(TEXT, plot), OWN(ORDERS),
        "the unknowns in the picture of -o; four if not given, those of the "
        "highest index first"},
    {"--pattern", "LIST", INTO(TEXT, pattern), OWN(ORDERS),
        "steps h*1, h*2, h*1, ... by 1,2"},
    {"--perturb", "NAME=D", INTO(PAIRS, perturbs), OWN(ORDERS),
        "what a start that is wrong by D leads to"},
    {"--tolerances", "LIST", INTO(TEXT, tolerances), OWN(ORDERS),
        "1e-3..1e-8 (as if not given), by tens; --rtol R for one"},
    {"--methods", "LIST", INTO(TEXT, methods), OWN(ORDERS),
        "names with commas, see `dae help methods`: both studies by these, "
        "reduced and as it stands"},
    {"--study", "steps|tolerances|both", INTO(TEXT, study), OWN(ORDERS),
        "one of the two alone"},
    {"--output", "FILE", BRIEF(TEXTS, outputs, "-o"), OWN(ORDERS),
        ".svg, .png, .pdf: errors against step and work as a picture, drawn by "
        "gnuplot"},

    {"--output", "FILE", BRIEF(TEXTS, outputs, "-o"), COMMAND_RUN, GROUP_OUTPUT,
        ".csv or .json, `-` for CSV on standard output; .svg, .png, .pdf: the "
        "`plot` lines as a picture, drawn by gnuplot; may be given more than "
        "once"},
    {"--points", "N", INTO(COUNT, points), GRID, GROUP_OUTPUT,
        "N evenly spaced times"},
    {"--every", "DT", INTO(POSITIVE, every), GRID, GROUP_OUTPUT,
        "a time every DT"},
    {"--all-steps", NULL, INTO(FLAG, all_steps), GRID, GROUP_OUTPUT,
        "the solver's own steps"},
    {"--columns", "A,B,C[3]", INTO(TEXT, columns), COMMAND_RUN, GROUP_OUTPUT,
        "these columns alone, of an array all elements"},
    {"--plot", "A,B,C[3]", INTO(TEXT, plot), COMMAND_RUN, GROUP_OUTPUT,
        "a picture of these in place of the `plot` lines"},
    {"--overlay", "FILE.csv", INTO(TEXTS, overlays), COMMAND_RUN, GROUP_OUTPUT,
        "adds curves of another run, or of measurements, to the picture; may "
        "be given more than once"},
    {"--profile", "A,B", INTO(TEXT, profile), COMMAND_RUN, GROUP_OUTPUT,
        "a picture of arrays over their index, or by 'A,B over X' over another "
        "array, a curve for each time of --at; likewise"},
    {"--at", "T1,T2", INTO(NUMBERS, times), COMMAND_RUN, GROUP_OUTPUT,
        "times of --profile; five if not given"},
    {"--all", NULL, INTO(FLAG, all_values), COMMAND_RUN, GROUP_OUTPUT,
        "every final value, also those of long arrays"},
    {"--events", NULL, INTO(FLAG, events), COMMAND_RUN, GROUP_OUTPUT,
        "a list of them: time, label, before and after"},
    {"--estimate-error", NULL, INTO(FLAG, estimate_error), COMMAND_RUN,
        GROUP_OUTPUT, "a second run at a tenth of the tolerances"},
    {"--drift", "OUTPUT", INTO(TEXTS, drifts), COMMAND_RUN, GROUP_OUTPUT,
        "its distance from its value at the start: largest, mean, final"},
    {"--stats", NULL, INTO(FLAG, stats), COMMAND_RUN, GROUP_OUTPUT,
        "all counters"},
    {"--why", NULL, INTO(FLAG, why), COMMAND_RUN, GROUP_OUTPUT,
        "what set the steps: error test, events, unknowns"},
    {"--repeat", "N", INTO(COUNT, repeat), COMMAND_RUN, GROUP_OUTPUT,
        "solve N times; `seconds` are medians"},

    {"--set", "NAME=VALUE", INTO(PAIRS, sets), STARTS | COMMAND_SHOW,
        GROUP_MODEL, "a param, or an initial value as 'x(0)=2'"},
    {"--from", "T", INTO(NUMBER, from), STARTS, GROUP_MODEL, "start time"},
    {"--to", "T", INTO(NUMBER, to), SOLVES, GROUP_MODEL, "end time"},

    {"--rtol", "R", INTO(NOT_NEGATIVE, rtol), STARTS, GROUP_INTEGRATOR,
        "relative tolerance"},
    {"--atol", "A", OPTION_ATOL, 0, NULL, STARTS, GROUP_INTEGRATOR,
        "absolute tolerance; NAME=A for one unknown"},
    {"--error", "local|global", INTO(CHOICE, error), GRID, GROUP_INTEGRATOR,
        "what the tolerances bound: the error of a step, or that of the "
        "solution at any time (by several runs)"},
    {"--check-atol", "auto|never", INTO(CHOICE, check_atol), GRID,
        GROUP_INTEGRATOR,
        "where an unknown is small beside its absolute tolerance: a second run "
        "at a millionth of it, and a warning where it differs"},
    {"--method", "NAME", OPTION_METHOD, 0, NULL, CHOOSES, GROUP_INTEGRATOR,
        "see `dae help methods`"},
    {"--order", "K", OPTION_ORDER, 0, NULL, CHOOSES, GROUP_INTEGRATOR,
        "highest order, 1 to 5, of radau 5, 9 or 13; with --step the order"},
    {"--step", "H", INTO(POSITIVE, step), STEPS, GROUP_INTEGRATOR,
        "steps of this length, whatever their error"},
    {"--start", "fine|exact|ramp", INTO(CHOICE, start), STEPS, GROUP_INTEGRATOR,
        "how the first points of a multistep formula are found: by an "
        "integration at tight tolerances, the model's closed form, lower "
        "orders"},
    {"--first-step", "H", INTO(POSITIVE, first_step), SOLVES, GROUP_INTEGRATOR,
        "the length of the first step"},
    {"--max-step", "H", INTO(POSITIVE, max_step), SOLVES, GROUP_INTEGRATOR,
        "no step is longer"},
    {"--max-steps", "N", INTO(COUNT, max_steps), SOLVES, GROUP_INTEGRATOR,
        "ends a run after N steps"},
    {"--linear", "auto|direct|gmres|list|dense|klu|umfpack",
        INTO(CHOICE, linear), SOLVES, GROUP_INTEGRATOR,
        "how linear systems are solved; list: a list of operations for small "
        "ones"},
    {"--reduce", "auto|project|stabilize|never", INTO(CHOICE, reduce), SOLVES,
        GROUP_INTEGRATOR,
        "an index above 1: dummy derivatives, projection, multipliers that "
        "stabilize, or as it stands"},
    {"--condense", "auto|never", INTO(CHOICE, condense), SOLVES,
        GROUP_INTEGRATOR,
        "unknowns that constants determine: taken out of linear systems, or "
        "left in"},
    {"--native", "auto|never", INTO(CHOICE, native), STARTS, GROUP_INTEGRATOR,
        "machine code for what is evaluated often (with the same results), or "
        "none"},
    {"--homotopy", NULL, INTO(FLAG, homotopy), STARTS, GROUP_INTEGRATOR,
        "the start by homotopy from the guesses first"},
    {"--strict", NULL, INTO(FLAG, strict), STARTS, GROUP_INTEGRATOR,
        "warnings about the start are errors"},

    {"--time-limit", "S", INTO(POSITIVE, time_limit), STARTS, GROUP_LIMITS,
        "seconds, all in all"},
    {"--memory-limit", "MIB", OPTION_MEMORY, 0, NULL, STARTS | COMMAND_SHOW,
        GROUP_LIMITS, "of text, model, solver and tables"},
    {"--untrusted", NULL, INTO(FLAG, untrusted),
        (STARTS | COMMAND_SHOW) & ~(unsigned)COMMAND_TEST, GROUP_LIMITS,
        "for texts of unknown origin: 10 s, 256 MiB, 64 MiB of output, no "
        "other files"},

    {"--json", NULL, INTO(FLAG, json), STARTS | COMMAND_SHOW, GROUP_REPORTS,
        "one JSON document on standard output"},
    {"--no-times", NULL, INTO(FLAG, no_times), STARTS, GROUP_REPORTS,
        "no seconds: equal input gives equal bytes"},
    {"--quiet", NULL, INTO(FLAG, quiet), ANY, GROUP_REPORTS, "errors only"},
    {"--color", "auto|always|never", INTO(WHEN, color), ANY, GROUP_REPORTS,
        "of diagnostics"},
    {"--progress", "auto|always|never", INTO(WHEN, progress), STARTS,
        GROUP_REPORTS, "one line on standard error"},
    {"--help", NULL, BRIEF(FLAG, wants_help, "-h"), ANY, GROUP_REPORTS,
        "this text"},

    {"--units", NULL, OPTION_MISSING_VALUE, 0, NULL, ANY, GROUP_OWN, NULL},
    {"--path", NULL, OPTION_MISSING_VALUE, 0, NULL, ANY, GROUP_OWN, NULL},
    {"--threads", NULL, OPTION_MISSING_VALUE, 0, NULL, ANY, GROUP_OWN, NULL},
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
