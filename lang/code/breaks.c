/* Every function f has levels: 0, the whole numbers, or the knots of a signal; it
 * turns where f, as it is rounded, goes over one, f < level on one side and
 * f >= level on the other. Rounding keeps f monotone, so there is one floating
 * number where that happens: the line through two values comes near to it, and
 * bisection between floating numbers finds it. */
#include "code/breaks.h"
#include "code/modes.h"
#include "code/rows.h"
#include "code/run.h"
#include <float.h>
#include <math.h>

enum {
    SECANTS = 4,    /* towards a level, before bisection */
    WIDENINGS = 300 /* of a bracket, by WIDER: past all numbers */
};
static const double WIDER = 16;
/* Which estimates may be the next break: as a part of the distance. */
static const double NEARBY = 1e-3;
/* Breaks that are so many units in the last place apart are one. */
static const int TOGETHER = 4;

enum { AT_ZERO, AT_WHOLE, AT_KNOTS };
typedef struct break_rule {
    uint8_t levels;
    double sign;         /* of the function: -1 for ceil */
    const double *knots; /* a signal's numbers */
} break_rule;

/* ---- tables --------------------------------------------------------------------- */

static break_rule rule_of(const compiled *c, uint8_t kind, node_id root)
{
    const node *n = shape_node(&c->s->shapes, root);
    if (n->op == NODE_PIECE && kind == DAE_SWITCH_FLOOR)
        return (break_rule){AT_KNOTS, 1, n->table};
    if (kind == DAE_SWITCH_FLOOR) return (break_rule){AT_WHOLE, 1, NULL};
    if (kind == DAE_SWITCH_CEIL) return (break_rule){AT_WHOLE, -1, NULL};
    return (break_rule){AT_ZERO, 1, NULL};
}

static size_t count_breaks(const compiled *c, const row_set *set)
{
    size_t count = 0;
    for (size_t r = 0; r < set->count; r++)
        count += c->switches[set_row(set, r)[0]].domain == DAE_DOMAIN_BREAK;
    return count;
}

/* The rows of a shape whose breaks are told, numbered anew. */
static dae_status take_rows(compiled *c, const row_set *from, row_set *to)
{
    shape_pool *p = &c->s->shapes;
    const size_t count = count_breaks(c, from);
    size_t size, used = 0;
    *to = *from;
    to->count = count;
    if (count == 0) return DAE_OK;
    if (!size_mul(count, from->width, &size)) return DAE_LIMIT;
    uint32_t *data = ARENA_ARRAY(&c->memory, uint32_t, size);
    if (!data) return DAE_MEMORY;
    to->data = data;
    for (size_t r = 0; r < from->count; r++) {
        const uint32_t *row = set_row(from, r);
        const dae_switch *s = &c->switches[row[0]];
        if (s->domain != DAE_DOMAIN_BREAK) continue;
        c->break_rules[c->break_count] = rule_of(c, s->kind, from->root);
        data[used] = (uint32_t)c->break_count++;
        for (uint32_t k = 1; k < from->width; k++) data[used + k] = row[k];
        used += from->width;
    }
    if (c->break_rules[data[0]].levels != AT_KNOTS) return DAE_OK;
    leaf *leaves;
    to->root = shape_node(p, from->root)->a; /* the signal's argument */
    const dae_status st = leaves_below(
        p, &to->root, 1, &c->memory, &leaves, &to->leaf_count);
    to->leaves = leaves;
    return st;
}

dae_status breaks_init(compiled *c)
{
    size_t count = 0;
    dae_status st = DAE_OK;
    for (size_t k = 0; k < c->switch_count; k++)
        count += c->switches[k].domain == DAE_DOMAIN_BREAK;
    if (count == 0) return DAE_OK;
    c->break_rules = ARENA_ARRAY(&c->memory, break_rule, count);
    c->break_values = ARENA_ARRAY(&c->memory, double, 4 * count);
    c->breaks.items = ARENA_ARRAY(&c->memory, row_set, c->roots.count);
    if (!c->break_rules || !c->break_values || !c->breaks.items)
        return DAE_MEMORY;
    for (size_t k = 0; k < c->roots.count && !st; k++) {
        row_set *to = &c->breaks.items[c->breaks.count];
        st = take_rows(c, &c->roots.items[k], to);
        c->breaks.count += to->count > 0;
    }
    return st;
}

/* ---- one function ------------------------------------------------------------------ */

typedef struct looking {
    compiled *c;
    double t, direction;
    double *values; /* of all functions, at the point run last */
} looking;

static void run(const looking *w, double t, double *values)
{
    compiled *c = w->c;
    /* where switches inside are free, they look at some point */
    run_task(c, &c->break_task, t, c->x, c->xp, values);
    for (size_t k = 0; k < c->break_count; k++)
        values[k] *= c->break_rules[k].sign;
}

static double value_at(const looking *w, size_t k, double t)
{
    run(w, t, w->values);
    return w->values[k];
}

/* The lowest level above a value; infinite: none. */
static double level_above(const break_rule *r, double value)
{
    double level = HUGE_VAL;
    if (r->levels == AT_ZERO && value < 0) level = 0;
    if (r->levels == AT_WHOLE) level = floor(value) + 1;
    if (r->levels == AT_KNOTS) level = signal_next_knot(r->knots, value, 1);
    return level > value ? level : HUGE_VAL;
}

/* The highest level below a value, or (`or_at`) at it. */
static double level_below(const break_rule *r, double value, bool or_at)
{
    if (r->levels == AT_ZERO)
        return value > 0 || (or_at && value == 0) ? 0 : -HUGE_VAL;
    if (r->levels == AT_WHOLE) {
        const double level = floor(value);
        return or_at || level < value ? level : level - 1;
    }
    if (or_at) value = nextafter(value, HUGE_VAL);
    return signal_next_knot(r->knots, value, -1);
}

static double toward(const looking *w, double t, double distance)
{
    return t + w->direction * distance;
}

static bool is_past(const looking *w, double a, double b)
{
    return (a - b) * w->direction > 0;
}

/* Near the time at which function k has a value, by lines through (t, before). */
static double estimate(
    const looking *w, size_t k, double before, double level, double at)
{
    for (int n = 0; n < SECANTS; n++) {
        const double value = value_at(w, k, at);
        if (value == level || value == before || !isfinite(value)) break;
        const double next = w->t
            + (at - w->t) * ((level - before) / (value - before));
        if (!isfinite(next) || next == at || !is_past(w, next, w->t)) break;
        at = next;
    }
    return at;
}

/* Where a bracket begins to widen. */
static double unit_at(double t)
{
    return nextafter(fabs(t), HUGE_VAL) - fabs(t);
}

/* Function k on its way to a level. */
typedef struct approach {
    const looking *w;
    size_t k;
    double before, level; /* its value at w->t */
} approach;

static bool is_there(const approach *a, double t)
{
    const double value = value_at(a->w, a->k, t);
    return a->before < a->level ? value >= a->level : value <= a->level;
}

/* Two times, `near` towards w->t, of which the other alone is there; false: not
 * found. */
static bool bracket(const approach *a, double *near, double *far)
{
    const looking *w = a->w;
    const double middle = *near;
    double step = unit_at(middle);
    bool has_far = false;
    while (is_there(a, *near)) {
        *far = *near;
        has_far = true;
        if (*near == w->t) return false;
        *near = toward(w, middle, -step);
        if (!is_past(w, *near, w->t)) *near = w->t;
        step *= WIDER;
    }
    step = unit_at(*near);
    for (int n = 0; n < WIDENINGS && !has_far; n++, step *= WIDER) {
        const double next = toward(w, *near, step);
        if (!isfinite(next)) return false;
        has_far = is_there(a, next);
        *(has_far ? far : near) = next;
    }
    return has_far;
}

/* Where rounding keeps a falling function at the level a little longer. */
static double last_of_level(const approach *a, double t)
{
    const double first = t;
    const looking *w = a->w;
    for (int n = 0; n < TOGETHER; n++) {
        const double next = nextafter(t, w->direction * HUGE_VAL);
        if (fabs(next - first) > TOGETHER * DBL_EPSILON * fabs(first)
            || value_at(w, a->k, next) < a->level)
            break;
        t = next;
    }
    return t;
}

/* The break at a level; infinite: none, or at w->t itself. */
static double break_at(
    const looking *w, size_t k, double before, double level, double guess)
{
    const approach a = {w, k, before, level};
    if (before == level) return w->direction * HUGE_VAL;
    double near = estimate(w, k, before, level, guess), far = w->t;
    if (!is_past(w, near, w->t)) near = w->t;
    if (!isfinite(near) || !bracket(&a, &near, &far))
        return w->direction * HUGE_VAL;
    for (;;) {
        const double middle = near + (far - near) / 2;
        if (middle == near || middle == far) break;
        *(is_there(&a, middle) ? &far : &near) = middle;
    }
    double found = far;
    if (before > level)
        found = value_at(w, k, far) == level ? last_of_level(&a, far) : near;
    if (fabs(found) < DBL_MIN) found = 0; /* where quotients underflow */
    return is_past(w, found, w->t) ? found : w->direction * HUGE_VAL;
}

/* What is known of all functions at w->t. */
typedef struct outlook {
    const double *before, *after; /* values there, and `aside` later */
    double aside;
    double *at; /* by function: the next break, near enough */
} outlook;

/* Where the line through the two values has a level. */
static double guess_at(
    const looking *w, const outlook *o, size_t k, double level)
{
    const double slope = o->after[k] - o->before[k];
    return toward(w, w->t, o->aside * ((level - o->before[k]) / slope));
}

/* The next level; infinite: there is none. */
static double level_of(const looking *w, const outlook *o, size_t k)
{
    const break_rule *r = &w->c->break_rules[k];
    const double slope = o->after[k] - o->before[k];
    if (!isfinite(slope) || slope == 0) return HUGE_VAL;
    return slope > 0 ? level_above(r, o->before[k])
                     : level_below(r, o->before[k], true);
}

/* A function that has come down to a level at w->t goes on to the one below. */
static double exact(const looking *w, const outlook *o, size_t k)
{
    const double level = level_of(w, o, k);
    double found = break_at(
        w, k, o->before[k], level, guess_at(w, o, k, level));
    if (isfinite(found) || o->after[k] > o->before[k]) return found;
    const double lower = level_below(&w->c->break_rules[k], level, false);
    if (!isfinite(lower)) return found;
    return break_at(w, k, o->before[k], lower, guess_at(w, o, k, lower));
}

static double nearer(const looking *w, double a, double b)
{
    return is_past(w, a, b) ? b : a;
}

/* Guesses; where one is at w->t itself, its break. The nearest of all. */
static double look_ahead(const looking *w, outlook *o)
{
    const double none = w->direction * HUGE_VAL;
    double nearest = none;
    for (size_t k = 0; k < w->c->break_count; k++) {
        const double level = level_of(w, o, k);
        o->at[k] = isfinite(level) ? guess_at(w, o, k, level) : none;
        if (!isfinite(o->at[k])) o->at[k] = none;
        else if (fabs(o->at[k] - w->t) <= 64 * DBL_EPSILON * fabs(w->t))
            o->at[k] = exact(w, o, k);
        nearest = nearer(w, nearest, o->at[k]);
    }
    return nearest;
}

/* Two that rounding has put apart are one, the later. */
static double join(const looking *w, double a, double b)
{
    if (!isfinite(a) || !isfinite(b)) return nearer(w, a, b);
    const bool is_one = fabs(a - b) <= TOGETHER * DBL_EPSILON * fabs(a);
    return is_one == is_past(w, a, b) ? a : b;
}

static double next_of_all(const looking *w, outlook *o)
{
    double found = w->direction * HUGE_VAL;
    const double nearest = look_ahead(w, o);
    if (!isfinite(nearest)) return nearest;
    const double limit = toward(w, nearest,
        NEARBY * fabs(nearest - w->t) + 64 * DBL_EPSILON * fabs(nearest));
    for (size_t k = 0; k < w->c->break_count; k++)
        if (isfinite(o->at[k]) && !is_past(w, o->at[k], limit))
            found = join(w, found, exact(w, o, k));
    return found;
}

dae_status breaks_next(void *self, double t, int direction, double *next)
{
    compiled *c = self;
    double *before = c->break_values, *after = before + c->break_count;
    const looking w = {.c = c,
        .t = t,
        .direction = direction < 0 ? -1 : 1,
        .values = after + c->break_count};
    outlook o = {.before = before,
        .after = after,
        .aside = 1 + fabs(t),
        .at = after + 2 * c->break_count};
    run(&w, t, before);
    run(&w, toward(&w, t, o.aside), after);
    *next = next_of_all(&w, &o);
    return DAE_OK;
}
