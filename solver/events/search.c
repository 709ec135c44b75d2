/* From cheap to dear. All g at both ends and at one point between say of most
 * switches that they stay far from their thresholds; three points more, and then four,
 * make polynomials for the others. A piece of the step on which a polynomial is no
 * good is halved, from its start on: what is found first is what comes first. */
#include "events/search.h"

#include "events/course.h"
#include "reduce/thresholds.h"
#include <float.h>
#include <math.h>
#include <string.h>

/* Steps in the beginning, without that knowledge, in which nobody is left alone. */
enum { STEPS_NEW = 2 };
/* A step is halved so often: 1024 pieces. */
enum { DEPTH_MAX = 10 };
/* Values that are evaluated one by one in a search. */
enum { LOOKS_MAX = 64 };
/* Values close together. */
enum { PROBES = 6, ROOMS = 4 };

struct search {
    const dae_switch *switches;
    size_t count, found_on_steps; /* those that are looked for on steps */
    double *from, *mid, *to;      /* all g: ends of the step, and between */
    double *y[FIT_POINTS];        /* all g along a piece */
    double *room[ROOMS];
    double *rate;                 /* how fast g has been, 1/time */
    double *noise;                /* of g; of candidates */
    double *seen, *seen_again;    /* of g, by differences */
    double *held, *lower, *upper; /* values as last met, and their thresholds */
    uint8_t *is_returning, *returns_next; /* at this piece's start and end */
    size_t *candidates;
    size_t candidate_count;
    passing *passings;
    size_t passing_count;
    search_crossing *crossings;
    const search_step *step;
    int64_t evaluations;
    dae_status failed; /* of a look */
    double kept_at;    /* t of `from` */
    bool has_kept, has_probed, has_regions;
    int steps, looks;
};

/* A piece of a step. */
typedef struct piece {
    double a, b;
    int depth;
    bool has_end; /* y[FIT_DEGREE] is there */
} piece;

static bool take_vectors(search *s, arena *a)
{
    double **const vectors[] = {&s->from, &s->mid, &s->to, &s->rate, &s->noise,
        &s->seen, &s->seen_again, &s->held, &s->lower, &s->upper};
    bool has_all = true;
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++)
        has_all &= TAKE(a, *vectors[i], s->count);
    for (int i = 0; i < FIT_POINTS; i++) has_all &= TAKE(a, s->y[i], s->count);
    for (int i = 0; i < ROOMS; i++) has_all &= TAKE(a, s->room[i], s->count);
    return has_all;
}

dae_status search_init(
    search **out, const dae_switch *switches, size_t count, arena *a)
{
    *out = NULL;
    search *s = ARENA_NEW(a, search);
    if (!s) return DAE_MEMORY;
    s->switches = switches;
    s->count = count;
    for (size_t i = 0; i < count; i++)
        if (switches[i].domain != DAE_DOMAIN_BREAK) s->found_on_steps++;
    if (!take_vectors(s, a) || !TAKE(a, s->is_returning, count)
        || !TAKE(a, s->returns_next, count) || !TAKE(a, s->candidates, count)
        || !TAKE(a, s->passings, count) || !TAKE(a, s->crossings, count))
        return DAE_MEMORY;
    *out = s;
    return DAE_OK;
}

void search_forget(search *s)
{
    s->has_kept = false;
}

int64_t search_evaluations(const search *s)
{
    return s->evaluations;
}

/* All g at t; NaN where they have no values. */
static dae_status values_at(search *s, double t, double *g)
{
    const dae_status st = s->step->values(s->step->self, t, g);
    s->evaluations++;
    if (st != DAE_RETRY) return st;
    for (size_t i = 0; i < s->count; i++) g[i] = (double)NAN;
    return DAE_OK;
}

/* Thresholds, where what is held is not what it was. */
static void find_regions(search *s)
{
    const size_t bytes = s->count * sizeof *s->held;
    if (s->has_regions && memcmp(s->held, s->step->held, bytes) == 0) return;
    memcpy(s->held, s->step->held, bytes);
    s->has_regions = true;
    for (size_t i = 0; i < s->count; i++) {
        region r = {-HUGE_VAL, HUGE_VAL};
        if (s->switches[i].domain != DAE_DOMAIN_BREAK)
            r = region_of(s->switches[i].kind, s->held[i]);
        s->lower[i] = r.lower;
        s->upper[i] = r.upper;
    }
}

static bool has_turned(const search *s, size_t i)
{
    return s->step->has_turned && s->step->has_turned[i];
}

static bool has_jumped(const search *s, size_t i)
{
    return s->step->has_turned && s->step->has_turned[i] == SEARCH_JUMPED;
}

/* A switch is left alone if it is farther from its thresholds than its values along the
 * step differ, some times, and than it has moved in a step of that length lately. How
 * much farther than need be all are from their thresholds, by three values each, and
 * how fast they are: loops without branches. A value that is none leaves one. */
static void measure(const search *s, double *spare)
{
    const double h = fabs(s->step->to - s->step->from), per_h = 1 / h;
    const double *const from = s->from, *const mid = s->mid, *const to = s->to;
    const double *const lower = s->lower, *const upper = s->upper;
    double *const speed = s->rate;
    for (size_t i = 0; i < s->count; i++) {
        const double a = from[i], m = mid[i], b = to[i];
        const double less = a < m ? a : m, more = a > m ? a : m;
        const double below = (less < b ? less : b) - lower[i];
        const double above = upper[i] - (more > b ? more : b);
        const double swing = fabs(m - a) + fabs(b - m);
        const double rate = swing * per_h, before = WAIT_SHARE * speed[i];
        const double far = below < above ? below : above;
        spare[i] = far - FAR_SWINGS * swing - h * speed[i];
        speed[i] = rate > before && rate <= DBL_MAX ? rate : before;
    }
}

/* Chooses those that may turn. */
static void screen_all(search *s)
{
    double *const spare = s->room[0];
    const bool is_new = s->steps < STEPS_NEW;
    measure(s, spare);
    s->candidate_count = 0;
    for (size_t i = 0; i < s->count; i++) {
        if (spare[i] > 0 && !is_new) continue;
        if (!(s->lower[i] > -HUGE_VAL) && !(s->upper[i] < HUGE_VAL)) continue;
        if (!isnan(s->from[i])) s->candidates[s->candidate_count++] = i;
    }
}

/* Of what g is made of, by its values along the step: beside a pole one of them
 * says nothing. */
static double size_along(const search *s, size_t i)
{
    const double a = fabs(s->from[i]), m = fabs(s->mid[i]), b = fabs(s->to[i]);
    const double middle = fmax(fmin(a, b), fmin(fmax(a, b), m));
    const double size = fmin(fmax(a, b), SIZES_APART * middle);
    return isfinite(size) ? size : 0;
}

static void begin_candidates(search *s)
{
    for (size_t k = 0; k < s->candidate_count; k++) {
        const size_t i = s->candidates[k];
        const region r = {s->lower[i], s->upper[i]};
        const double known = s->step->size ? s->step->size[i] : 0;
        const double size = fmax(size_along(s, i), known);
        s->noise[i] = G_UNITS * DBL_EPSILON * size;
        s->is_returning[i] = has_turned(s, i)
            && region_beyond(r, s->from[i]) > 0;
    }
}

static double time_unit(const search_step *p)
{
    const double unit = DBL_EPSILON / 2 * fmax(fabs(p->from), fabs(p->to));
    return p->to > p->from ? unit : -unit;
}

static double time_at(const piece *p, double share)
{
    if (share <= -1) return p->a;
    if (share >= 1) return p->b;
    return p->a + (p->b - p->a) * ((1 + share) / 2);
}

/* The largest third difference of values close together from t on, of candidates.
 * HUGE_VAL: they are so large beside those along the step that a pole is near. */
static dae_status difference(search *s, double t, double shift, double *most)
{
    memset(most, 0, s->count * sizeof *most);
    for (int j = 0; j < PROBES; j++) {
        const dae_status st = values_at(s, t + j * shift, s->room[j % ROOMS]);
        if (st) return st;
        if (j + 1 < ROOMS) continue;
        const double *const w = s->room[(j + 1) % ROOMS];
        const double *const x = s->room[(j + 2) % ROOMS];
        const double *const y = s->room[(j + 3) % ROOMS];
        const double *const z = s->room[j % ROOMS];
        for (size_t k = 0; k < s->candidate_count; k++) {
            const size_t i = s->candidates[k];
            const double off = fabs(z[i] - w[i] - 3 * (y[i] - x[i]));
            const double size = size_along(s, i);
            const bool is_pole = size > 0
                && fmax(fabs(w[i]), fabs(z[i])) > SIZES_APART * size;
            if (is_pole) most[i] = HUGE_VAL;
            else if (off > most[i] && isfinite(off)) most[i] = off;
        }
    }
    return DAE_OK;
}

/* Rounding as it is seen: third differences of values close together, which of
 * anything smooth are far below it. */
static dae_status probe(search *s, const piece *p)
{
    if (s->has_probed) return DAE_OK;
    s->has_probed = true;
    const double h = s->step->to - s->step->from;
    const double units = TIME_UNITS * time_unit(s->step);
    const double shift = units / h > PROBE_SHARE ? units : PROBE_SHARE * h;
    if (shift / h > 4 * PROBE_SHARE || (p->b - p->a) / shift < PROBES)
        return DAE_OK;
    bool is_doubtful = false;
    dae_status st = difference(s, p->a, shift, s->seen);
    for (size_t k = 0; k < s->candidate_count; k++)
        is_doubtful |= isinf(s->seen[s->candidates[k]]);
    if (!st && is_doubtful)
        st = difference(s, time_at(p, 2 * GOLDEN - 1), shift, s->seen_again);
    for (size_t k = 0; k < s->candidate_count && !st; k++) {
        const size_t i = s->candidates[k];
        const double off = isinf(s->seen[i]) ? s->seen_again[i] : s->seen[i];
        if (off > s->noise[i] && !isinf(off) && !has_jumped(s, i))
            s->noise[i] = off;
    }
    return st;
}

/* The points of a piece with these numbers: first, first + stride, ... */
static dae_status sample(search *s, const piece *p, int first, int stride)
{
    for (int j = first; j < FIT_DEGREE; j += stride) {
        const double t = time_at(p, fit_points[j]);
        const dae_status st = values_at(s, t, s->y[j]);
        if (st) return st;
    }
    return DAE_OK;
}

/* By five points: whether candidate i cannot get to a threshold in this piece, with
 * what the last terms leave open counted four times, and as fast as it has been. */
static bool is_far_off(const search *s, const piece *p, size_t i)
{
    double y[FIT_POINTS] = {0};
    double least = HUGE_VAL, most = -HUGE_VAL;
    for (int j = 0; j < FIT_POINTS; j += 2) {
        y[j] = s->y[j][i];
        if (!isfinite(y[j])) return false;
        least = fmin(least, y[j]), most = fmax(most, y[j]);
    }
    const double far = fmin(least - s->lower[i], s->upper[i] - most);
    const double moved = s->rate[i] * fabs(p->b - p->a);
    return far > course_bend(y) + moved + s->noise[i];
}

typedef struct looker {
    search *s;
    const piece *at;
    size_t index;
} looker;

static bool look(void *self, double share, double *g)
{
    const looker *l = self;
    search *s = l->s;
    if (s->failed || s->looks >= LOOKS_MAX) return false;
    s->looks++;
    s->failed = values_at(s, time_at(l->at, share), s->room[0]);
    if (!s->failed) *g = s->room[0][l->index];
    return !s->failed;
}

static course_kind judge(
    search *s, const piece *p, size_t i, course *c, passing *found)
{
    looker l = {s, p, i};
    for (int j = 0; j < FIT_POINTS; j++) c->y[j] = s->y[j][i];
    const double units = (p->b - p->a) / time_unit(s->step);
    c->check = 2 * GOLDEN - 1;
    c->check_y = s->mid[i];
    c->within = (region){s->lower[i], s->upper[i]};
    c->noise = s->noise[i];
    c->is_start = !(fabs(p->a - s->step->from) > 0);
    c->is_end = !(fabs(p->b - s->step->to) > 0);
    c->is_whole = p->depth >= DEPTH_MAX || units < WHOLE;
    c->is_returning = s->is_returning[i] != 0;
    c->look = look;
    c->self = &l;
    return course_judge(c, found);
}

/* As the course has found it, in time. */
static void note_passing(search *s, const piece *p, size_t i, passing f)
{
    const double half = fabs(p->b - p->a) / 2;
    const bool is_out = f.is_exact && f.root <= -1;
    f.index = i;
    f.noise = s->noise[i];
    f.is_jump = is_out && PART_GONE * f.at_hi > f.noise;
    f.lo = time_at(p, f.lo), f.hi = time_at(p, f.hi);
    f.root = time_at(p, f.root);
    f.slope /= half;
    f.blur *= half;
    f.spread = isfinite(f.spread) ? f.spread * half : 0;
    s->passings[s->passing_count++] = f;
}

/* What the candidates do in a piece. */
typedef struct account {
    bool is_unsure, is_at_start;
    size_t lost; /* the count of switches: none */
    double lost_at;
} account;

static void judge_all(search *s, const piece *p, account *out)
{
    *out = (account){.lost = s->count};
    s->passing_count = 0;
    for (size_t k = 0; k < s->candidate_count; k++) {
        const size_t i = s->candidates[k];
        course c;
        passing f;
        s->returns_next[i] = 0;
        if (is_far_off(s, p, i)) continue;
        const course_kind kind = judge(s, p, i, &c, &f);
        s->returns_next[i] = c.is_returning;
        if (kind == COURSE_PASSES) {
            note_passing(s, p, i, f);
            if (f.is_exact && f.root <= -1) out->is_at_start |= c.is_start;
        } else if (kind == COURSE_UNSURE) {
            out->is_unsure = true;
        } else if (kind == COURSE_LOST) {
            const double t = time_at(p, f.hi);
            if (out->lost == s->count || (out->lost_at - t) / (p->b - p->a) > 0)
                out->lost = i, out->lost_at = t;
        }
    }
}

static bool is_open(const search *s, const account *a)
{
    return a->is_unsure || a->lost < s->count || s->passing_count > 0;
}

/* Whether rounding that is larger than that of g itself may tell otherwise. */
static bool depends_on_noise(const search *s, const account *a)
{
    if (a->is_unsure || a->lost < s->count) return true;
    for (size_t k = 0; k < s->passing_count; k++) {
        const passing *p = s->passings + k;
        /* what turned at the start may have made a hop within rounding */
        if (has_turned(s, p->index)) return true;
        if (p->is_exact || PART_GONE * p->at_hi < p->noise) return true;
    }
    return false;
}

static bool are_all_far(search *s, const piece *p)
{
    for (size_t k = 0; k < s->candidate_count; k++)
        if (!is_far_off(s, p, s->candidates[k])) return false;
    for (size_t k = 0; k < s->candidate_count; k++)
        s->returns_next[s->candidates[k]] = 0;
    return true;
}

static dae_status examine(search *s, const piece *p, account *out)
{
    dae_status st = DAE_OK;
    *out = (account){.lost = s->count};
    s->passing_count = 0;
    if (!p->has_end) st = values_at(s, p->b, s->y[FIT_DEGREE]);
    if (st || (st = sample(s, p, 2, 2))) return st;
    if (are_all_far(s, p)) return DAE_OK;
    if ((st = sample(s, p, 1, 2))) return st;
    if (p->depth > 0 && (st = values_at(s, time_at(p, 2 * GOLDEN - 1), s->mid)))
        return st;
    judge_all(s, p, out);
    if (s->failed || s->has_probed || !depends_on_noise(s, out))
        return s->failed;
    if ((st = probe(s, p))) return st;
    judge_all(s, p, out);
    return s->failed;
}

/* ---- one instant ------------------------------------------------------------------ */

/* Out of what has been found roughly: the earliest passing, located on the true root
 * functions, and all that pass with it. Regula falsi of the Illinois kind, halved where
 * that is slow: its first guess is the root of a polynomial that agrees to nearly all
 * digits, so what is left is to look on both sides of it. */
enum { ROUNDS_MAX = 200, SLOW = 3 };

typedef struct instant {
    double t;
    size_t count; /* of those that pass there; 0: nothing does, after all, or */
    const passing *lost; /* this one loses its value first; NULL */
} instant;

static double beyond(const passing *p, const double *g)
{
    return p->direction > 0 ? g[p->index] - p->threshold
                            : p->threshold - g[p->index];
}

/* Where a root is, f <= 0 at lo and not at hi. */
typedef struct bracket {
    double lo, hi, at_lo, at_hi;
    double weight_lo, weight_hi; /* of Illinois: 1, less where an end stays */
    double before;               /* width when it was last halved */
    int rounds;                  /* since then */
    bool has_hi;                 /* at_hi has been evaluated */
} bracket;

static void narrow(bracket *b, double t, double f)
{
    if (f <= 0) {
        b->weight_hi = b->weight_lo < 1 ? b->weight_hi : b->weight_hi / 2;
        b->weight_lo = 1;
        b->lo = t, b->at_lo = f;
    } else {
        b->weight_lo = b->weight_hi < 1 ? b->weight_lo : b->weight_lo / 2;
        b->weight_hi = 1;
        b->hi = t, b->at_hi = f, b->has_hi = true;
    }
    b->rounds++;
    if (fabs(b->hi - b->lo) > b->before / 2) return;
    b->before = fabs(b->hi - b->lo);
    b->rounds = 0;
}

/* The next place to look, strictly inside. */
static double inside(const bracket *b, double unit)
{
    const double lo = b->weight_lo * b->at_lo, hi = b->weight_hi * b->at_hi;
    const double middle = b->lo + (b->hi - b->lo) / 2;
    double t = b->lo + (b->hi - b->lo) * (lo / (lo - hi));
    if (b->rounds >= SLOW || !isfinite(t)) t = middle;
    if ((t - b->lo) / unit < 1) t = b->lo + unit;
    if ((b->hi - t) / unit < 1) t = b->hi - unit;
    return t;
}

/* Behind the guess and before it, as its slope says. */
static double opposite(
    const bracket *b, const passing *p, double f, double unit)
{
    const double off = fabs(f) / p->slope / fabs(unit);
    const double step = (isfinite(off) ? 2 * off : 0) + TIME_UNITS;
    const double t = f <= 0 ? b->lo + step * unit : b->hi - step * unit;
    const bool is_inside = (t - b->lo) / unit > 0 && (b->hi - t) / unit > 0;
    return is_inside ? t : inside(b, unit);
}

/* Whether what is left of a bracket is a jump of g itself: it is as high as all that
 * g does beside it, where a smooth g changes by so many times more. */
static dae_status see_jump(
    search *s, passing *p, const bracket *b, double unit, double *g)
{
    const double much = DOUBTED * p->noise, height = b->at_hi - b->at_lo;
    if (!(b->at_lo < -much) || !(b->at_hi > much)) return DAE_OK;
    dae_status st = values_at(s, b->lo - UNITS_OFF * unit, g);
    const double before = fabs(b->at_lo - beyond(p, g));
    if (!st) st = values_at(s, b->hi + UNITS_OFF * unit, g);
    const double after = fabs(b->at_hi - beyond(p, g));
    p->is_jump = !isfinite(height) || height >= before + after;
    return st;
}

static dae_status locate(search *s, passing *p, double unit, double *g)
{
    bracket b = {p->lo, p->hi, p->at_lo, p->at_hi, 1, 1, HUGE_VAL, 0, false};
    double t = p->root, f = 0;
    for (int k = 0; k < ROUNDS_MAX; k++) {
        /* nothing is left that is a unit away from both */
        if (k > 0 && (b.hi - b.lo) / unit <= 2) break;
        if (k == 1) t = opposite(&b, p, f, unit);
        else if (k > 1) t = inside(&b, unit);
        const dae_status st = values_at(s, t, g);
        if (st) return st;
        narrow(&b, t, f = beyond(p, g));
    }
    p->is_exact = true;
    p->blur = 0;
    if (!b.has_hi) {
        const dae_status st = values_at(s, b.hi, g);
        if (st) return st;
        b.at_hi = beyond(p, g);
        p->is_void = b.at_hi < -p->noise;
    }
    p->is_lost = isnan(b.at_hi)
        && b.at_lo < -p->noise - G_UNITS * p->slope * fabs(unit);
    p->root = fabs(b.at_lo) <= fabs(b.at_hi) || isnan(b.at_hi) ? b.lo : b.hi;
    const dae_status st = see_jump(s, p, &b, unit, g);
    if (!p->is_jump) return st;
    p->root = b.hi;
    p->at_hi = b.at_hi;
    return st;
}

/* The one whose root comes first; NULL: all are void. */
static passing *first_of(passing *list, size_t count, double unit)
{
    passing *first = NULL;
    for (size_t i = 0; i < count; i++)
        if (!list[i].is_void
            && (!first || (first->root - list[i].root) / unit > 0))
            first = list + i;
    return first;
}

/* One that may come before t after all: its root is rough and could, or it has
 * been passed there. */
static passing *earlier_than(
    passing *list, size_t count, double t, double unit, const double *g)
{
    for (size_t i = 0; i < count; i++) {
        passing *p = list + i;
        if (p->is_void || p->is_exact) continue;
        const double slack = G_UNITS * fabs(unit) + p->blur;
        const double much = p->noise + G_UNITS * p->slope * fabs(unit);
        const bool has_begun = (t - p->lo) / unit > 0;
        if ((p->root - t) / unit * fabs(unit) < -slack) return p;
        if (has_begun && (p->hi - t) / unit >= 0 && beyond(p, g) > much)
            return p;
    }
    return NULL;
}

/* One that may jump at t, and is not known well enough to tell: what is rounded as
 * another one is does it a little before or after that. */
static passing *rough_at(passing *list, size_t count, double t, double unit)
{
    for (size_t i = 0; i < count; i++) {
        passing *p = list + i;
        if (p->is_void || p->is_exact) continue;
        if ((p->lo - t) / unit <= G_UNITS && (t - p->hi) / unit <= G_UNITS)
            return p;
    }
    return NULL;
}

static bool is_there(
    const passing *p, const instant *at, double unit, const double *g)
{
    const double late = (p->root - at->t) / unit;
    if (p->is_exact) return late <= G_UNITS;
    const double near = p->noise + G_UNITS * p->slope * fabs(unit);
    return late <= G_UNITS + p->blur / fabs(unit) && beyond(p, g) >= -near;
}

static void collect(search *s, double unit, const double *g, instant *found)
{
    for (size_t i = 0; i < s->passing_count; i++) {
        const passing *p = s->passings + i;
        if (p->is_void || !is_there(p, found, unit, g)) continue;
        const double slope = unit > 0 ? p->slope : -p->slope;
        search_crossing *c = s->crossings + found->count++;
        *c = (search_crossing){.index = p->index,
            .direction = p->direction,
            .slope = p->direction * slope,
            .blur = p->spread,
            .behind = (double)NAN};
        if (p->is_jump) c->behind = p->threshold + p->direction * p->at_hi;
    }
}

/* Located as far as `unit` (time, signed as the run) tells times apart; those that pass
 * there come into s->crossings, by index. Where it would be before `earliest` it is put
 * there. */
static dae_status find_instant(
    search *s, double earliest, double unit, instant *found)
{
    passing *const list = s->passings, *first;
    const size_t count = s->passing_count;
    double *const g = s->room[0];
    *found = (instant){0};
    while ((first = first_of(list, count, unit))) {
        dae_status st = DAE_OK;
        if (!first->is_exact && (st = locate(s, first, unit, g))) return st;
        if (first->is_void) continue;
        if (first->is_lost) break;
        found->t = first->root;
        if ((earliest - found->t) / unit > 0) found->t = earliest;
        if ((st = values_at(s, found->t, g))) return st;
        passing *other = earlier_than(list, count, first->root, unit, g);
        if (!other && first->is_jump)
            other = rough_at(list, count, first->root, unit);
        if (!other) break;
        if ((st = locate(s, other, unit, g))) return st;
    }
    found->lost = first && first->is_lost ? first : NULL;
    if (first && !found->lost) collect(s, unit, g, found);
    return DAE_OK;
}

/* ---- the pieces --------------------------------------------------------------------- */

static bool is_before(const search *s, double t, double other)
{
    return s->step->to > s->step->from ? t < other : t > other;
}

static void lose(search_found *found, size_t index, double t)
{
    *found = (search_found){.kind = SEARCH_LOST, .t = t, .lost = index};
}

/* What a piece that is done comes to; nothing if all that passed turns out not to. */
static dae_status conclude(search *s, const account *a, search_found *found)
{
    const search_step *p = s->step;
    const double unit = time_unit(p);
    double earliest = p->from + (unit > 0 ? p->least : -p->least);
    if (unit > 0 ? earliest > p->to : earliest < p->to) earliest = p->to;
    instant in = {0};
    if (s->passing_count > 0) {
        const dae_status st = find_instant(s, earliest, unit, &in);
        if (st) return st;
    }
    if (in.lost) lose(found, in.lost->index, in.lost->root);
    if (in.count > 0)
        *found = (search_found){SEARCH_TURNS, in.t, 0, s->crossings, in.count};
    if (a->lost < s->count
        && (found->kind == SEARCH_NONE || is_before(s, a->lost_at, found->t)))
        lose(found, a->lost, a->lost_at);
    return DAE_OK;
}

static void swap(double **a, double **b)
{
    double *const c = *a;
    *a = *b;
    *b = c;
}

/* The pieces of the step from its start on, halved where that is required. */
static dae_status examine_pieces(search *s, search_found *found)
{
    piece waiting[DEPTH_MAX + 2]; /* the first one last */
    int count = 1;
    waiting[0] = (piece){s->step->from, s->step->to, 0, true};
    while (count > 0 && found->kind == SEARCH_NONE) {
        piece *p = waiting + count - 1;
        account a;
        dae_status st = examine(s, p, &a);
        if (st) return st;
        const bool is_decided = a.is_at_start || !a.is_unsure;
        if (is_decided && (st = conclude(s, &a, found))) return st;
        const bool is_void = found->kind == SEARCH_NONE && is_open(s, &a);
        if (is_void && p->depth < DEPTH_MAX) {
            const double middle = time_at(p, 0);
            const piece first = {p->a, middle, p->depth + 1, true};
            *p = (piece){middle, p->b, p->depth + 1, false};
            waiting[count++] = first;
            swap(&s->y[FIT_DEGREE / 2], &s->y[FIT_DEGREE]);
            continue;
        }
        count--;
        swap(&s->y[0], &s->y[FIT_DEGREE]);
        uint8_t *const next = s->returns_next;
        s->returns_next = s->is_returning;
        s->is_returning = next;
    }
    return DAE_OK;
}

static dae_status take_values(search *s)
{
    const search_step *p = s->step;
    /* no motion whose period divides the step is at rest there */
    const double m = p->from + GOLDEN * (p->to - p->from);
    dae_status st = DAE_OK;
    if (!s->has_kept || fabs(p->from - s->kept_at) > 0)
        st = values_at(s, p->from, s->from);
    s->has_kept = false;
    if (st || (st = values_at(s, m, s->mid))) return st;
    return values_at(s, p->to, s->to);
}

dae_status search_run(search *s, const search_step *step, search_found *found)
{
    dae_status st;
    *found = (search_found){.kind = SEARCH_NONE};
    if (s->found_on_steps == 0 || !(fabs(step->to - step->from) > 0))
        return DAE_OK;
    s->step = step;
    s->failed = DAE_OK, s->has_probed = false, s->looks = 0;
    find_regions(s);
    if ((st = take_values(s))) return st;
    screen_all(s);
    s->steps += s->steps < STEPS_NEW;
    if (s->candidate_count > 0) {
        begin_candidates(s);
        memcpy(s->y[0], s->from, s->count * sizeof *s->from);
        memcpy(s->y[FIT_DEGREE], s->to, s->count * sizeof *s->to);
        if ((st = examine_pieces(s, found))) return st;
    }
    if (found->kind != SEARCH_NONE) return DAE_OK;
    swap(&s->from, &s->to);
    s->kept_at = step->to;
    s->has_kept = true;
    return DAE_OK;
}
