/* The texts of `dae help`. The full page is docs/cli.md. */
#include "command.h"
#include <dae/stability.h>
#include <string.h>

static const char OVERVIEW[] =
    "dae solves differential-algebraic equations written in .dae files\n"
    "\n"
    "  dae run MODEL       compile, make the start consistent, integrate\n"
    "  dae check MODEL     structure, index, hidden constraints, the start\n"
    "  dae init MODEL      consistent initial values and derivatives\n"
    "  dae orders MODEL    errors against step and work, observed orders\n"
    "  dae stability       the methods' regions, a model's eigenvalues in "
    "them\n"
    "  dae test PATH...    run models and check their `expect` lines\n"
    "  dae show MODEL      what the compiler made of a model\n"
    "  dae fmt FILE...     canonical layout, in place\n"
    "  dae explain CODE    the explanation of a diagnostic such as E0201\n"
    "  dae help TOPIC      a command above, or `methods`\n"
    "  dae -V | --version\n"
    "\n"
    "MODEL may be `-` for standard input.\n"
    "\n"
    "exit status: 0 done, 1 a check does not hold, 2 wrong use, 3 the model\n"
    "is wrong, 4 the numbers failed, 5 a file, 6 a limit, 130 interrupted,\n"
    "143 and 129 ended by SIGTERM and SIGHUP\n";

/* Options of commands that solve, and which of them a command does not take. */
enum { SOLVES = 1, NO_METHOD = 2, NO_STEPS = 4, LIMITS = 8 };

static const char SOLVING[] =
    "\nmodel\n"
    "  --set NAME=VALUE      a param, or an initial value as 'x(0)=2'\n"
    "  --from T --to T       the interval\n"
    "integrator\n"
    "  --rtol R --atol A     tolerances; --atol NAME=A for one unknown\n";
static const char SOLVING_METHOD[] =
    "  --method NAME         see `dae help methods`\n"
    "  --order K             highest order, 1 to 5; with --step the order\n";
static const char SOLVING_STEPS[] =
    "  --step H              steps of this length, whatever their error\n"
    "  --start fine|exact|ramp   the first points of a multistep formula at\n"
    "                        fixed steps: from an integration at tight\n"
    "                        tolerances, the model's closed form, lower "
    "orders\n";
static const char SOLVING_MORE[] =
    "  --first-step H --max-step H --max-steps N\n"
    "  --linear auto|direct|gmres|list|dense|klu|umfpack\n"
    "  --reduce auto|project|stabilize|never\n"
    "                        an index above 1: dummy derivatives, projection,\n"
    "                        multipliers that stabilize, or as it stands\n"
    "  --condense auto|never unknowns that constants determine: taken out of\n"
    "                        linear systems, or left in\n"
    "  --native auto|never   machine code for what is evaluated often (with "
    "the\n"
    "                        same results), or none\n"
    "  --homotopy            the start by homotopy from the guesses first\n"
    "  --strict              warnings about the start are errors\n"
    "limits\n"
    "  --time-limit S --memory-limit MIB\n"
    "reports\n"
    "  --json --no-times --quiet\n"
    "  --color auto|always|never --progress auto|always|never\n";

static const char UNTRUSTED[] =
    "texts of unknown origin\n"
    "  --untrusted           10 s, 256 MiB, 64 MiB of output, no other files\n";

static const char RUN[] =
    "dae run MODEL [options]\n"
    "\n"
    "Prints the final values and what the run cost, checks the model's\n"
    "`expect` lines, and with -o writes the trajectory.\n"
    "\noutput\n"
    "  -o FILE               .csv or .json, `-` for CSV on standard output;\n"
    "                        .svg, .png, .pdf: the `plot` lines as a picture,\n"
    "                        drawn by gnuplot; may be given more than once\n"
    "  --points N            N evenly spaced times\n"
    "  --every DT            a time every DT\n"
    "  --all-steps           the solver's own steps\n"
    "  --columns A,B,C[3]    these columns alone, of an array all elements\n"
    "  --plot A,B,C[3]       a picture of these in place of the `plot` lines\n"
    "  --all                 every final value, also those of long arrays\n"
    "  --events              a list of them: time, label, before and after\n"
    "  --estimate-error      a second run at a tenth of the tolerances\n"
    "  --error local|global  what the tolerances are for: a step, or the\n"
    "                        solution at any time (found by several runs)\n"
    "  --drift OUTPUT        its distance from its value at the start: "
    "largest,\n"
    "                        mean, final\n"
    "  --stats               all counters\n"
    "  --why                 what set the steps: error test, events, unknowns\n"
    "  --repeat N            solve N times; `seconds` are medians\n";

static const char CHECK[] =
    "dae check MODEL [options]\n"
    "\n"
    "Says what the model is without integrating it: how many equations and\n"
    "unknowns there are, the index and where it comes from, hidden\n"
    "constraints, and whether the initial conditions are consistent. Checks\n"
    "`expect index`, `expect dof` and expected codes.\n"
    "\n"
    "  --verbose             offsets, transversal and blocks as well\n"
    "  --set NAME=VALUE      a param, or an initial value as 'x(0)=2'\n"
    "  --from T              where the model starts\n"
    "  --rtol R --atol A     tolerances of the start\n"
    "  --homotopy            the start by homotopy from the guesses first\n"
    "  --strict              warnings about the start are errors\n"
    "  --native auto|never   machine code for what is evaluated often, or "
    "none\n"
    "  --time-limit S --memory-limit MIB --untrusted\n"
    "  --json --no-times --quiet --color auto|always|never\n"
    "\n"
    "exit status: 0 consistent, 1 inconsistent or too few conditions, 3 the\n"
    "model is wrong, 4 no start was found\n";

static const char INIT[] =
    "dae init MODEL [options]\n"
    "\n"
    "Computes consistent initial values and derivatives, and prints what is\n"
    "left of the equations and hidden constraints.\n"
    "\n"
    "  --as-dae              as `init` lines to paste into the model\n";

static const char ORDERS[] =
    "dae orders MODEL [options]\n"
    "\n"
    "Measures what the order of a formula means for each unknown of a model:\n"
    "errors at fixed steps from exact values, with the orders that they show,\n"
    "then errors and costs with steps and orders chosen at tolerances. Errors\n"
    "are against lines `expect x ~ formula of t within ... always` where the\n"
    "model has them, of other unknowns against runs that are much more\n"
    "accurate.\n"
    "\n"
    "  --orders LIST         1..5 (as if not given), 1,2,5, up to 6; with\n"
    "                        --methods radau 5,9,13 (as if not given)\n"
    "  --steps LIST          0.1,0.05 or 1e-1..1e-3, which is halved; those\n"
    "                        that do not divide the interval are shortened\n"
    "  --pattern LIST        steps h*1, h*2, h*1, ... by 1,2\n"
    "  --perturb NAME=D      what a start that is wrong by D leads to\n"
    "  --tolerances LIST     1e-3..1e-8 (as if not given), by tens; --rtol R\n"
    "  --methods LIST        names with commas, see `dae help methods`: both\n"
    "                        studies by these, reduced and as it stands\n"
    "  --study steps|tolerances|both\n"
    "  -o FILE               .svg, .png, .pdf: errors against step and work\n"
    "                        as a picture, drawn by gnuplot\n";

static const char STABILITY[] =
    "dae stability [MODEL] [options]\n"
    "\n"
    "The stability regions of the methods in numbers: wedge, limits along the\n"
    "axes, error constant. With a model the eigenvalues of its linearised\n"
    "equations at a point, their time constants and periods, and with --step\n"
    "what each method makes of them in one step.\n"
    "\n"
    "  --at T                where along the solution; its start if not given\n"
    "  --step H              lays h*lambda into the regions\n"
    "  --methods LIST        names or families with commas: bdf2,ndf,rk4\n"
    "  -o FILE               .svg, .png, .pdf: the regions as a picture, with\n"
    "                        h*lambda in them; drawn by gnuplot\n";

static const char TEST[] =
    "dae test PATH... [options]\n"
    "\n"
    "Runs each model, and every *.dae below a folder, and checks `expect`\n"
    "lines. A model with `expect \"E0301\"` passes when that code arises. One\n"
    "without a `solve` line, or that expects a code of structure (E03..), is\n"
    "checked as `dae check` does.\n"
    "\noutput times\n"
    "  --points N | --every DT | --all-steps\n";

static const char SHOW[] =
    "dae show MODEL [listing...]\n"
    "\n"
    "  --tokens --ast        the text as it was read\n"
    "  --equations           the equations (where nothing else is requested)\n"
    "  --equations --reduced those that a run solves above index 1: states,\n"
    "                        dummy derivatives, what is solved for what;\n"
    "                        with --reduce project, ... by that way\n"
    "  --jacobian            the pattern and kinds of its entries\n"
    "  --jacobian --condensed  what a run factorizes in place of the matrix\n"
    "                        of a step, and which unknowns are taken out\n"
    "  --bytecode            the programs\n"
    "  --structure           the signature matrix with transversal and "
    "blocks:\n"
    "                        as text up to 40 unknowns\n"
    "  --events              discrete variables, what happens at events, and\n"
    "                        each switch: its kind, how it is found\n"
    "  -o FILE               .svg, .png, .pdf: of any size, as a picture;\n"
    "                        the last two with gnuplot\n"
    "  --set NAME=VALUE --memory-limit MIB --untrusted\n";

static const char FMT[] =
    "dae fmt FILE... [--check]\n"
    "\n"
    "Rewrites each file in canonical layout; comments stay. `-` formats\n"
    "standard input to standard output. --check changes nothing, prints the\n"
    "names of files that would change, and exits with 1 where there are any.\n";

static const char EXPLAIN[] =
    "dae explain CODE\n"
    "\n"
    "Prints what a diagnostic means, with an example and the way out.\n";

static const char METHODS[] =
    "What --method takes; `bdf` is the default, `auto` takes radau for small "
    "models\nwithout events, else bdf, and --stats says why. Without --step "
    "the error "
    "chooses step\n"
    "and order, with --step H all steps are of length H and order --order K "
    "(5).\n"
    "\n";

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

static const struct {
    const char *topic, *text;
    int options;          /* of those that solve; 0: none */
    const char *examples; /* NULL: none */
} TOPICS[] = {
    {"run", RUN, SOLVES | LIMITS,
        "  dae run models/chemistry/robertson.dae\n"
        "  dae run models/mechanics/pendulum.dae -o swing.csv --points 200\n"
        "  dae run models/mechanics/pendulum.dae --columns x,y -o - --rtol "
        "1e-8\n"
        "  dae run models/mechanics/pendulum.dae --json --no-times\n"},
    {"check", CHECK, 0,
        "  dae check models/mechanics/pendulum.dae\n"
        "  dae check models/mechanics/pendulum.dae --verbose --json\n"},
    {"init", INIT, SOLVES | LIMITS,
        "  dae init models/mechanics/pendulum.dae\n"
        "  dae init models/mechanics/pendulum.dae --as-dae\n"},
    {"orders", ORDERS, SOLVES | LIMITS | NO_METHOD | NO_STEPS,
        "  dae orders models/mechanics/pendulum.dae --study steps --to 0.5\n"
        "  dae orders models/mechanics/pendulum.dae --orders 1,2 --steps "
        "0.1,0.05 --to 0.5\n"},
    {"stability", STABILITY, SOLVES | LIMITS | NO_STEPS,
        "  dae stability\n"
        "  dae stability models/mechanics/pendulum.dae --at 0.5 --step 0.1 "
        "--methods bdf,rk4\n"},
    {"test", TEST, SOLVES, "  dae test models/mechanics/pendulum.dae\n"},
    {"show", SHOW, 0,
        "  dae show models/mechanics/pendulum.dae --structure\n"
        "  dae show models/mechanics/pendulum.dae --equations --reduced\n"},
    {"fmt", FMT, 0, "  dae fmt --check models/mechanics/pendulum.dae\n"},
    {"explain", EXPLAIN, 0, "  dae explain E0401\n"},
    {"methods", METHODS, 0, NULL},
    {"help", OVERVIEW, 0, NULL},
};

static void print_solving(int options)
{
    (void)fputs(SOLVING, stdout);
    if (!(options & NO_METHOD)) (void)fputs(SOLVING_METHOD, stdout);
    if (!(options & NO_STEPS)) (void)fputs(SOLVING_STEPS, stdout);
    (void)fputs(SOLVING_MORE, stdout);
    if (options & LIMITS) (void)fputs(UNTRUSTED, stdout);
}

bool help_print(const char *topic)
{
    if (!topic) topic = "help";
    for (size_t i = 0; i < sizeof TOPICS / sizeof *TOPICS; i++) {
        if (strcmp(topic, TOPICS[i].topic) != 0) continue;
        (void)fputs(TOPICS[i].text, stdout);
        if (TOPICS[i].options) print_solving(TOPICS[i].options);
        if (TOPICS[i].examples)
            (void)printf("\nexamples\n%s", TOPICS[i].examples);
        if (TOPICS[i].text == METHODS) print_integrators(), print_formulas();
        return true;
    }
    return false;
}
