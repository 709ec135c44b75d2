#include "events/event_report.h"
#include "base/report.h"
#include "events/sides.h"
#include "reduce/thresholds.h"
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static named_place name(const event_loop *e, dae_name_kind kind, size_t index)
{
    return naming_of(e->run->problem, kind, index);
}

static named_place name_switch(const event_loop *e, size_t k)
{
    return name(e, DAE_NAME_SWITCH, k);
}

static named_place name_assignment(const event_loop *e, size_t a)
{
    return name(e, DAE_NAME_ASSIGNMENT, a);
}

enum { MESSAGE_SIZE = 400 };

#if defined(__GNUC__)
__attribute__((format(printf, 4, 5)))
#endif
static void
begin(run *r, diag_code code, const named_place *at, const char *format, ...)
{
    char message[MESSAGE_SIZE];
    va_list list;
    va_start(list, format);
    vsnprintf(message, sizeof message, format, list);
    va_end(list);
    report(r->ds, code, at->source, at->span, "%s", message);
}

/* A further place. */
static void also(const event_loop *e, named_place at, const char *text)
{
    if (at.source) report_also(e->run->ds, at.source, at.span, "%s", text);
}

static void add_time(const event_loop *e, double t)
{
    const stepper *s = &e->run->engine->stepper;
    report_numeric(e->run->ds, t, s->last_h, s->last_order, NULL, NULL);
}

static dae_status end(const event_loop *e, double t, const char *help)
{
    add_time(e, t);
    report_help(e->run->ds, "%s", help);
    return DAE_NUMERIC;
}

dae_status event_report_undefined(const event_loop *e, dae_name_kind kind,
    size_t index, double t, const double *x, const double *xp)
{
    const dae_problem *p = e->run->problem;
    const named_place at = name(e, kind, index);
    const char *what = kind == DAE_NAME_SWITCH ? "the condition"
        : kind == DAE_NAME_WHEN                ? "the condition of"
                                               : "the right side of";
    char text[MESSAGE_SIZE] = ""; /* "log(x) with x = -0.1" */
    begin(e->run, DIAG_E0524, &at, "%s `%s` has no value at t = %.10g", what,
        at.text, t);
    const size_t length = !p->explain
        ? 0
        : p->explain(p->self, kind, index, t, x, xp, text, sizeof text);
    if (length > 0 && length != SIZE_MAX) report_label(e->run->ds, "%s", text);
    return end(e, t,
        "a condition, and what is assigned, has to have a value where it is "
        "evaluated: keep it in its domain, as `log(max(x, 1e-9))` does, test "
        "that first, as `x > 0 and log(x) < 1` does, or end the run before");
}

/* ---- assignments ----------------------------------------------------------------- */

/* The when that an assignment is made by, with its indices. */
static named_place name_when(const event_loop *e, size_t assignment)
{
    const dae_events *of = e->of;
    size_t w = 0;
    while (w + 1 < of->when_count
        && assignment
            >= of->whens[w].assignment + of->whens[w].assignment_count)
        w++;
    return name(e, DAE_NAME_WHEN, w);
}

dae_status event_report_clash(const event_loop *e, size_t first,
    double first_value, size_t second, double second_value)
{
    const named_place one = name_assignment(e, first);
    const named_place target = name_assignment(e, second);
    const double t = e->stop.t;
    begin(e->run, DIAG_E0523, &target,
        "`%s` is given two values at t = %.10g: %.10g by `%s` and %.10g by "
        "`%s`",
        target.text, t, first_value, name_when(e, first).text, second_value,
        name_when(e, second).text);
    report_label(e->run->ds, "%.10g", second_value);
    if (one.source)
        report_also(e->run->ds, one.source, one.span, "%.10g", first_value);
    return end(e, t,
        "all assignments of one instant are made at once: let the conditions "
        "exclude each other, or choose in one `when`: `x := if c then 1 else "
        "2`");
}

void event_report_counted(
    event_loop *e, size_t first, size_t second, double value, size_t tie)
{
    const bool is_one = tie == SIZE_MAX;
    if (e->reports.counted) return;
    e->reports.counted = true;
    const named_place one = name_assignment(e, first);
    const named_place other = name_assignment(e, second);
    if (is_one)
        begin(e->run, DIAG_N0530, &other,
            "`%s` and `%s` fire together at t = %.10g, and both make `%s` "
            "%.10g from its value before: that counts once",
            name_when(e, first).text, name_when(e, second).text, e->stop.t,
            other.text, value);
    else
        begin(e->run, DIAG_N0530, &other,
            "`%s` and `%s` are both changed at t = %.10g, and `%s` ties them "
            "together: the two changes are one and count once",
            one.text, other.text, e->stop.t,
            name(e, DAE_NAME_EQUATION, tie).text);
    also(e, one, "and here");
    report_help(e->run->ds, "%s",
        is_one ? "all right sides see the values just before the event; to "
                 "count each, give each `when` a variable of its own and add "
                 "them up"
               : "one of the assignments is enough; to add both changes write "
                 "their sum into it");
}

/* ---- events without an end ----------------------------------------------------------- */

/* What an instant follows from: the when that fires again and again, else the first that
 * has fired, else a switch that has changed side. Whether there is any. */
static bool find_cause(const event_loop *e, dae_name_kind *kind, size_t *i)
{
    uint8_t most = 0; /* what only began it fired once */
    *kind = DAE_NAME_WHEN;
    for (size_t w = e->of->when_count; w-- > 0;) {
        const uint8_t fired = e->whens.has_fired[w];
        const uint8_t often = fired > 2 ? 2 : fired;
        if (often > 0 && often >= most) *i = w, most = often;
    }
    if (most > 0) return true;
    *kind = DAE_NAME_SWITCH;
    for (*i = 0; *i < e->count; ++*i)
        if (e->at[*i].has_turned) return true;
    *i = 0;
    return false;
}

static named_place name_cause(const event_loop *e)
{
    dae_name_kind kind;
    size_t i;
    (void)find_cause(e, &kind, &i);
    return name(e, kind, i);
}

dae_status event_report_rounds(const event_loop *e)
{
    const named_place at = name_cause(e);
    const double t = e->stop.t;
    begin(e->run, DIAG_E0522, &at,
        "events at t = %.10g go on for ever: `%s` and what follows from it "
        "come again and again without time going on",
        t, at.text);
    return end(e, t,
        "what is assigned must not make the same condition turn true again at "
        "the same instant");
}

/* Where constraints hold by tolerances only, rounding turns what they hold at 0. Whether
 * that has been said. */
static bool help_locked(const event_loop *e, size_t k)
{
    const bool has_high = e->engine.index > 1 || e->engine.reported != 0
        || e->run->options.reduce == DAE_REDUCE_NEVER;
    if (e->run->options.reduce == DAE_REDUCE_AUTO || !has_high) return false;
    report_help(e->run->ds,
        "if an equation of a mode holds `%s` at its threshold, as `u > v` "
        "where u - v = 0, leave `reduce` at `auto`: there it rests, with "
        "another way it turns by what tolerances leave of it",
        name_switch(e, k).text);
    return true;
}

/* What a switch compares as the text has it, "x - y"; -1 where that falls as the root
 * function rises, "" where nothing is known, or it is a whole number. */
static int threshold_of(const event_loop *e, size_t k, char *text)
{
    const dae_problem *p = e->run->problem;
    text[0] = '\0';
    if (!p->name) return 1;
    const size_t length = p->name(p->self, DAE_NAME_EDGE, k, text, NAMING_SIZE);
    if (length == SIZE_MAX) report_lost(e->run->ds);
    if (length >= NAMING_SIZE) text[0] = '\0'; /* too long to be of use */
    const bool is_turned = strncmp(text, "-(", 2) == 0
        && text[length - 1] == ')';
    if (is_turned) memmove(text, text + 2, length - 3);
    if (is_turned) text[length - 3] = '\0';
    if (threshold_is_whole(e, k)) text[0] = '\0';
    return is_turned ? -1 : 1;
}

/* `below`, `above`: dg/dt on either side of the threshold. */
static void label_sides(
    const event_loop *e, size_t k, double below, double above)
{
    char threshold[NAMING_SIZE];
    const int way = threshold_of(e, k, threshold);
    const double up = way > 0 ? below : -above, down = way > 0 ? above : -below;
    if (threshold[0])
        report_label(e->run->ds,
            "`%s` changes by %.4g per unit of time where it is below 0 and by "
            "%.4g where it is above",
            threshold, up, down);
    else
        report_label(e->run->ds,
            "what it looks at changes by %.4g per unit of time below and by "
            "%.4g above",
            up, down);
}

dae_status event_report_chattering(
    const event_loop *e, const recurrence_verdict *v)
{
    const size_t k = v->first;
    const named_place at = name_switch(e, k);
    char threshold[NAMING_SIZE], turns[MESSAGE_SIZE] = "";
    /* of a sign or an `if`, not of a `when` */
    bool may_slide = !e->of->slides;
    if (v->turns > 0)
        snprintf(turns, sizeof turns, "it has turned %lld times%s, and ",
            (long long)v->turns,
            v->is_small ? " within what tolerances make of it" : "");
    begin(e->run, DIAG_E0521, &at,
        "`%s` chatters from t = %.10g on: %seither side leads back to where it "
        "turns%s",
        at.text, v->limit, turns,
        v->turns > 0 ? "" : ", so it would turn for ever without getting on");
    label_sides(e, k, v->up, v->down);
    for (size_t w = 0; w < e->of->when_count; w++) {
        const bool fires = e->whens.has_fired[w] > 1;
        may_slide = may_slide && !fires;
        if (fires && v->turns == 0)
            also(e, name(e, DAE_NAME_WHEN, w), "fires each time it turns");
    }
    add_time(e, e->stop.t);
    if (help_locked(e, k)) return DAE_NUMERIC;
    (void)threshold_of(e, k, threshold);
    if (threshold[0])
        report_help(e->run->ds,
            "the solution slides along `%s = 0`: %s, give the switch two "
            "thresholds (hysteresis), or a steep smooth function",
            threshold,
            may_slide
                ? "go on along it with `sliding = on` in `solve` (of a sign, "
                  "or an `if` by one comparison)"
                : "write that as an equation of a mode of its own");
    else
        report_help(e->run->ds,
            "the solution slides along the place where `%s` turns: give the "
            "switch two thresholds (hysteresis), or a steep smooth function",
            at.text);
    return DAE_NUMERIC;
}

dae_status event_report_zeno(const event_loop *e, const recurrence_verdict *v)
{
    const search_crossing *crossing = event_loop_crossing(e, v->first);
    const named_place at = name_switch(e, v->first);
    begin(e->run, DIAG_E0520, &at,
        "`%s` turns ever faster and never gets beyond t = %.10g: %lld times up "
        "to t = %.10g, the last after %.3g, each after %.3g of the time before",
        at.text, v->limit, (long long)v->turns, e->stop.t, fabs(v->last),
        v->ratio);
    report_label(e->run->ds,
        "what it compares comes to the threshold with %.3g per unit of time",
        crossing ? crossing->slope : (double)NAN);
    add_time(e, e->stop.t);
    if (help_locked(e, v->first)) return DAE_NUMERIC;
    report_help(e->run->ds,
        "something comes to rest there: end it before, for instance when its "
        "speed has become small (`stop`, or a mode of its own in which it "
        "rests), or end the run before t = %.6g",
        v->limit);
    return DAE_NUMERIC;
}

/* ---- sliding ------------------------------------------------------------------------- */

static bool is_sliding(const event_loop *e, size_t k)
{
    const size_t other = e->at[k].of->weight == DAE_WEIGHT_ABOVE ? k + 1
                                                                 : k - 1;
    return e->sides[k] == 0 && e->sides[other] == 0;
}

static void report_slide(const event_loop *e, size_t k, const char *what)
{
    const named_place at = name_switch(e, k);
    begin(e->run, DIAG_N0532, &at, "the solution %s `%s = 0` at t = %.10g",
        what, name(e, DAE_NAME_EDGE, k).text, e->stop.t);
}

void event_report_sliding(event_loop *e)
{
    event_reports *of = &e->reports;
    for (size_t k = 0; k < e->count && of->slides == SIZE_MAX; k++) {
        if (!e->at[k].of->weight || !is_sliding(e, k)) continue;
        of->slides = k;
        report_slide(e, k, "begins to slide along");
        report_help(e->run->ds,
            "it stays there as long as a mean of both sides keeps it there, "
            "whose weights are solved for; others that slide are not told");
    }
    if (of->has_slid || of->slides == SIZE_MAX || is_sliding(e, of->slides))
        return;
    of->has_slid = true;
    report_slide(e, of->slides, "leaves");
}

/* ---- no values after an event ------------------------------------------------------------ */

dae_status event_report_nothing(
    run *r, const modes_outcome *tried, dae_status st)
{
    char outcome[NAMING_MODES_SIZE] = "";
    const named_place at = name_cause(r->events);
    const double t = r->events->stop.t;
    const bool has_tried = tried && tried->tried > 1;
    if (has_tried) naming_modes(r->problem, tried, outcome);
    begin(r, DIAG_E0525, &at,
        "after `%s` at t = %.10g no consistent values are found with what is "
        "integrated as it is%s%s",
        at.text, t, has_tried ? ": " : "", outcome);
    (void)end(r->events, t,
        has_tried
            ? "where equations are min(a, b) = 0, neither a nor b may be "
              "negative: check their signs, and that one of them can be 0 "
              "here; an assignment in a `when` may give a value to what jumps"
            : r->options.reduce == DAE_REDUCE_NEVER
            ? "if they have a higher index there, leave `reduce` at `auto`: it "
              "analyses them again and lets jump what has to"
            : "what has no derivative has to have a value on both sides of an "
              "event; an assignment may give a value to what jumps");
    return st;
}

dae_status event_report_against(
    const event_loop *e, size_t equation, dae_status st)
{
    const made_assignment *made = e->whens.made;
    const double t = e->stop.t;
    if (st == DAE_RETRY) st = DAE_NUMERIC;
    if (e->instant.is_trial) return st;
    const named_place at = name_assignment(e, made->assignment);
    if (equation == SIZE_MAX)
        begin(e->run, DIAG_E0525, &at,
            "after the event at t = %.10g the equations have no values with "
            "`%s := %.10g`",
            t, at.text, made->value);
    else
        begin(e->run, DIAG_E0525, &at,
            "`%s := %.10g` at t = %.10g contradicts `%s`", at.text, made->value,
            t, name(e, DAE_NAME_EQUATION, equation).text);
    report_label(e->run->ds, "%s becomes %.10g here", at.text, made->value);
    if (equation != SIZE_MAX)
        also(e, name(e, DAE_NAME_EQUATION, equation),
            "holds after the event, too");
    (void)end(e, t,
        made->of->order < e->layout.order[made->of->index]
            ? "no mode that was tried has a solution with it: assign values "
              "that satisfy the equations, or to fewer of the unknowns that "
              "an equation ties together"
            : "assign to what is integrated; what has no derivative follows "
              "from the equations");
    return st;
}

/* ---- after an event ------------------------------------------------------------------- */

void event_report_behind(run *r)
{
    const event_loop *e = r->events;
    char text[MESSAGE_SIZE];
    dae_name_kind kind;
    size_t i;
    if (!e || !e->stop.is_passed || e->stop.t != r->engine->stepper.history.t)
        return;
    const modes_outcome *tried = &e->instant.tried;
    char outcome[NAMING_MODES_SIZE] = "";
    if (tried->tried > 1) naming_modes(r->problem, tried, outcome);
    snprintf(text, sizeof text, "behind this event, at t = %.10g%s%s",
        e->stop.t, outcome[0] ? ", where no mode is consistent: " : "",
        outcome);
    if (find_cause(e, &kind, &i)) also(e, name(e, kind, i), text);
}

void event_report_index(event_loop *e, int64_t before)
{
    const int64_t index = e->engine.index;
    const uint64_t bit = (uint64_t)1 << (index & 63);
    dae_name_kind kind;
    size_t i;
    if (index == before || (e->engine.reported & bit)) return;
    find_cause(e, &kind, &i);
    if (kind == DAE_NAME_SWITCH && e->at[i].of->weight)
        return; /* event_report_sliding reports it */
    e->engine.reported |= bit;
    const named_place at = name(e, kind, i);
    begin(e->run, DIAG_N0526, &at,
        "after `%s` at t = %.10g the equations have index %lld%s, before it "
        "%lld%s",
        at.text, e->stop.t, (long long)index, index > 1 ? "" : " or less",
        (long long)before, before > 1 ? "" : " or less");
    report_help(
        e->run->ds, "each mode is analysed and integrated with its own index");
}

bool event_report_help_kink(run *r)
{
    event_loop *e = r->events;
    if (!e || e->count == 0 || threshold_see(e, r->engine->stepper.history.t))
        return false;
    /* what goes with a root of t comes no nearer than the root of rounding */
    const double most = fmax(THREE_DIGITS, HALF_DIGITS / r->options.atol);
    size_t k = 0;
    while (k < e->count
        && (e->at[k].of->domain == DAE_DOMAIN_BREAK
            || !(threshold_distance(e, k)
                <= most * e->at[k].noise + e->at[k].rounding)))
        k++;
    if (k == e->count) return false;
    if (help_locked(e, k)) return true;
    report_help(r->ds,
        "`%s` changes side here. If a power of it has an unbounded slope, "
        "write `q = sign(f)*abs(f)^p` as `q*abs(q)^(1/p - 1) = f`; if it is a "
        "min(a, b) = 0, check the signs of a and b: no mode may have a "
        "solution from here on",
        name_switch(e, k).text);
    return true;
}

void event_report_staying(event_loop *e, size_t when, size_t k)
{
    if (e->reports.staying) return;
    e->reports.staying = true;
    const named_place at = name_switch(e, k);
    const named_place cause = name(e, DAE_NAME_WHEN, when);
    begin(e->run, DIAG_W0528, &at,
        "after `%s` at t = %.10g nothing is seen to lead `%s` back: it stays "
        "as it has turned, and `%s` does not fire again until it has",
        cause.text, e->stop.t, at.text, cause.text);
    report_help(e->run->ds,
        "if something is to rest there, say so: a mode of its own in which it "
        "does, or `stop`");
}

/* ---- what jumps --------------------------------------------------------------- */

static double moved_by(const event_loop *e, size_t j, double from, double to)
{
    const dae_scales *s = e->run->problem->scales;
    const double nominal = s && s->nominal && s->nominal[j] > 0 ? s->nominal[j]
                                                                : 1;
    const double tolerance = e->run->options.rtol * fmax(fabs(from), fabs(to))
        + e->run->options.atol * nominal;
    return from == to ? 0 : fabs(to - from) / tolerance;
}

double jump_notes_most(
    const event_loop *e, const double *before, const double *after)
{
    const layout *l = &e->layout;
    double most = 0;
    for (size_t j = 0; j < l->unknowns; j++)
        for (size_t s = l->first[j]; s < l->first[j] + l->order[j]; s++)
            most = fmax(most, moved_by(e, j, before[s], after[s]));
    return most;
}

/* A slot of unknown j, where it has moved. */
static void note(
    event_loop *e, size_t j, size_t slot, double from, double to, bool is_least)
{
    jump_note *jump = &e->reports.jump;
    char own[NAMING_SIZE];
    const size_t length = jump->length, room = sizeof jump->text - length;
    if (moved_by(e, j, from, to) <= HAS_JUMPED) return;
    jump->is_least = is_least;
    if (jump->count++ >= JUMPS_TOLD) return;
    naming_slot(e->run->problem, &e->layout, slot, own, sizeof own);
    if (length == 0) snprintf(jump->name, sizeof jump->name, "%s", own);
    const int more = snprintf(jump->text + length, room,
        "%s`%s` from %.6g to %.6g", length > 0 ? ", " : "", own, from, to);
    if (more > 0 && (size_t)more < room) jump->length += (size_t)more;
    else jump->text[length] = '\0';
}

void jump_notes_add(event_loop *e, const jump_task *jump)
{
    const layout *l = &e->layout;
    for (size_t j = 0; j < l->unknowns; j++)
        for (size_t o = 0; o < l->order[j]; o++) {
            const size_t c = jump->of->extended->column_first[j] + o;
            if (jump->is_open[c])
                note(e, j, l->first[j] + o, jump->before[c], jump->z[c],
                    jump->is_least);
        }
}

void jump_notes_add_slots(event_loop *e, const double *before,
    const double *after, const uint8_t *is_assigned)
{
    const layout *l = &e->layout;
    for (size_t j = 0; j < l->unknowns; j++)
        for (size_t s = l->first[j]; s < l->first[j] + l->order[j]; s++)
            if (!is_assigned || !is_assigned[s])
                note(e, j, s, before[s], after[s], true);
}

void event_report_jumps(event_loop *e)
{
    const jump_note *jump = &e->reports.jump;
    if (jump->count == 0 || e->reports.has_jump) return;
    e->reports.has_jump = true;
    const named_place at = name_cause(e);
    begin(e->run, DIAG_W0527, &at,
        "after `%s` at t = %.10g values jump that nobody assigns, and the "
        "equations leave open how far: %s%s",
        at.text, e->stop.t, jump->text,
        jump->count > JUMPS_TOLD ? ", ..." : "");
    report_help(e->run->ds,
        jump->is_least
            ? "nothing tells how the jump is shared; the least change was "
              "taken: assign `%s := ...` where it matters"
            : "they share the jump as a blow would, by the equations without "
              "what stays bounded; assign `%s := ...` where it is another one",
        jump->name);
}
