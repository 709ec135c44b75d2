/* From cheap to dear. All g at both ends and at one point between say of most
 * switches that they stay far from their thresholds; three points more, and then four,
 * make polynomials for the others. A piece of the step on which a polynomial is no
 * good is halved, from its start on: what is found first is what comes first. */
#include "events/search.h"

#include "events/course.h"
#include "events/instant.h"
#include "reduce/thresholds.h"
#include <float.h>
#include <math.h>
#include <string.h>

/* Steps in the beginning, without that knowledge, in which nobody is left alone. */
enum { STEPS_NEW = 2 };
/* A step is halved so often: 1024 pieces. */
enum { DEPTH_MAX = 10 };
/* Values that are asked for by themselves in one search. */
enum { LOOKS_MAX = 64 };
/* Values close together. */
enum { PROBES = 6, ROOMS = 4 };
/* How far behind a jump its g is looked at: these powers of 2 of the step. */
enum { OFF_FIRST = -40, OFF_LAST = -20, OFF_BY = 10 };

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
    sampler all;
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
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) {
        *vectors[i] = ARENA_ARRAY(a, double, s->count);
        has_all = has_all && *vectors[i];
    }
    for (int i = 0; i < FIT_POINTS; i++) {
        s->y[i] = ARENA_ARRAY(a, double, s->count);
        has_all = has_all && s->y[i];
    }
    for (int i = 0; i < ROOMS; i++) {
        s->room[i] = ARENA_ARRAY(a, double, s->count);
        has_all = has_all && s->room[i];
    }
    return has_all;
}

dae_status search_init(
    search **out, const dae_switch *switches, size_t count, arena *a)
{
    *out = NULL;
    search *s = ARENA_NEW(a, search);
    if (!s) return DAE_MEMORY;
    s->switches = switches;
    s->count = s->all.count = count;
    for (size_t i = 0; i < count; i++)
        if (switches[i].domain != DAE_DOMAIN_BREAK) s->found_on_steps++;
    s->is_returning = ARENA_ARRAY(a, uint8_t, count);
    s->returns_next = ARENA_ARRAY(a, uint8_t, count);
    s->candidates = ARENA_ARRAY(a, size_t, count);
    s->passings = ARENA_ARRAY(a, passing, count);
    s->crossings = ARENA_ARRAY(a, search_crossing, count);
    if (!take_vectors(s, a) || !s->is_returning || !s->returns_next
        || !s->candidates || !s->passings || !s->crossings)
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
    return s->all.evaluations;
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
        const double rate = swing * per_h, before = SPEED_KEPT * speed[i];
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

static double rounding_at(const search *s, size_t i, double size)
{
    const double known = s->step->size ? s->step->size[i] : 0;
    return G_UNITS * DBL_EPSILON * fmax(size, known);
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
        s->noise[i] = rounding_at(s, i, size_along(s, i));
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
        const dae_status st = sampler_at(
            &s->all, t + j * shift, s->room[j % ROOMS]);
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
        const dae_status st = sampler_at(&s->all, t, s->y[j]);
        if (st) return st;
    }
    return DAE_OK;
}

/* By five points: whether candidate i cannot get to a threshold in this piece, with
 * what the last terms leave open counted four times, and as fast as it has been. */
static bool is_far_off(const search *s, const piece *p, size_t i)
{
    double y[FIT_POINTS] = {0};
    coarse_fit f;
    double least = HUGE_VAL, most = -HUGE_VAL;
    for (int j = 0; j < FIT_POINTS; j += 2) {
        y[j] = s->y[j][i];
        if (!isfinite(y[j])) return false;
        least = fmin(least, y[j]), most = fmax(most, y[j]);
    }
    fit_coarse(y, &f);
    const double far = fmin(least - s->lower[i], s->upper[i] - most);
    const double moved = s->rate[i] * fabs(p->b - p->a);
    return far > f.bend + DOUBTED * f.error + moved + s->noise[i];
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
    s->failed = sampler_at(&s->all, time_at(l->at, share), s->room[0]);
    if (!s->failed) *g = s->room[0][l->index];
    return !s->failed;
}

/* Behind a pole g says nothing of the size of what it is made of. */
static double noise_of(const search *s, size_t i)
{
    if (!has_jumped(s, i)) return s->noise[i];
    const double size = fmax(
        fabs(s->y[FIT_DEGREE / 2][i]), fabs(s->y[FIT_DEGREE][i]));
    return rounding_at(s, i, isfinite(size) ? size : 0);
}

static course_kind judge(
    search *s, const piece *p, size_t i, course *c, course_passing *found)
{
    looker l = {s, p, i};
    for (int j = 0; j < FIT_POINTS; j++) c->y[j] = s->y[j][i];
    const double units = (p->b - p->a) / time_unit(s->step);
    c->check = 2 * GOLDEN - 1;
    c->check_y = s->mid[i];
    c->within = (region){s->lower[i], s->upper[i]};
    c->noise = noise_of(s, i);
    c->is_start = !(fabs(p->a - s->step->from) > 0);
    c->is_end = !(fabs(p->b - s->step->to) > 0);
    c->is_whole = p->depth >= DEPTH_MAX || units < WHOLE;
    c->is_returning = s->is_returning[i] != 0;
    c->look = look;
    c->self = &l;
    return course_judge(c, found);
}

static void note_passing(
    search *s, const piece *p, size_t i, const course_passing *f)
{
    const double half = fabs(p->b - p->a) / 2, noise = noise_of(s, i);
    const bool is_out = f->is_exact && f->root <= -1;
    s->passings[s->passing_count++] = (passing){.index = i,
        .direction = f->direction,
        .threshold = f->threshold,
        .lo = time_at(p, f->lo),
        .hi = time_at(p, f->hi),
        .at_lo = f->at_lo,
        .at_hi = f->at_hi,
        .root = time_at(p, f->root),
        .slope = f->slope / half,
        .noise = noise,
        .blur = f->blur * half,
        .spread = isfinite(f->spread) ? f->spread * half : 0,
        .is_exact = f->is_exact,
        .is_jump = is_out && PART_GONE * f->at_hi > noise};
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
        course_passing f;
        s->returns_next[i] = 0;
        if (is_far_off(s, p, i)) continue;
        const course_kind kind = judge(s, p, i, &c, &f);
        s->returns_next[i] = c.is_returning;
        if (kind == COURSE_PASSES) {
            note_passing(s, p, i, &f);
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
    if (!p->has_end) st = sampler_at(&s->all, p->b, s->y[FIT_DEGREE]);
    if (st || (st = sample(s, p, 2, 2))) return st;
    if (are_all_far(s, p)) return DAE_OK;
    if ((st = sample(s, p, 1, 2))) return st;
    if (p->depth > 0
        && (st = sampler_at(&s->all, time_at(p, 2 * GOLDEN - 1), s->mid)))
        return st;
    judge_all(s, p, out);
    if (s->failed || s->has_probed || !depends_on_noise(s, out))
        return s->failed;
    if ((st = probe(s, p))) return st;
    judge_all(s, p, out);
    return s->failed;
}

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
        const dae_status st = instant_find(&s->all, s->passings,
            s->passing_count, earliest, unit, s->room[0], &in, s->crossings);
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

/* The pieces of the step from its start on, halved where that is asked for. */
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

/* Jumped across its threshold at the start, and rounding has it on the old side. */
static bool is_before_jump(const search *s, size_t i)
{
    if (!has_jumped(s, i)) return false;
    const region r = {s->lower[i], s->upper[i]};
    return !(region_beyond(r, s->from[i]) <= 0);
}

/* Such a one is taken from a little further on, as soon as it is inside there. */
static dae_status step_off_jumps(search *s)
{
    const double h = s->step->to - s->step->from;
    for (int m = OFF_FIRST; m <= OFF_LAST; m += OFF_BY) {
        size_t k = 0;
        while (k < s->count && !is_before_jump(s, k)) k++;
        if (k == s->count) return DAE_OK;
        const double t = s->step->from + ldexp(h, m);
        const dae_status st = sampler_at(&s->all, t, s->room[0]);
        if (st) return st;
        for (; k < s->count; k++) {
            const region r = {s->lower[k], s->upper[k]};
            if (is_before_jump(s, k) && region_beyond(r, s->room[0][k]) <= 0)
                s->from[k] = s->room[0][k];
        }
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
        st = sampler_at(&s->all, p->from, s->from);
    s->has_kept = false;
    if (!st) st = step_off_jumps(s);
    if (st || (st = sampler_at(&s->all, m, s->mid))) return st;
    return sampler_at(&s->all, p->to, s->to);
}

dae_status search_run(search *s, const search_step *step, search_found *found)
{
    dae_status st;
    *found = (search_found){.kind = SEARCH_NONE};
    if (s->found_on_steps == 0 || !(fabs(step->to - step->from) > 0))
        return DAE_OK;
    s->step = step;
    s->all.values = step->values, s->all.self = step->self;
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
