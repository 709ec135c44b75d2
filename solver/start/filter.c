/* To hold together is shown by a point, to contradict by many searches that
 * find none: those from where a set holds but for one member are the best. */
#include "start/filter.h"
#include "base/splitmix.h"
#include "start/fences.h"
#include "start/fewest.h"
#include "start/scan.h"
#include "start/together.h"
#include <math.h>
#include <string.h>

enum {
    LARGEST = 50000, /* rows, and slots */
    LARGE = 2000,    /* the same, above which fewer points are looked at */
    SET_MOST = 300,  /* rows of a set */
    KEPT = 64,       /* points where some set held */
    KEPT_LARGE = 4,
    RECENT = 2, /* of these are tried again each time */
    SHAKEN = 3, /* places around the guesses */
    SHAKEN_LARGE = 1,
    SHAKEN_MOST = 48, /* before a set is said not to hold */
    ROUNDS = 3,       /* sets that turn out to hold, before none is known */
};
/* Multiplications that all searches may take: half a second or so. */
static const double WORK = 3e8;

typedef struct filter {
    init_system *s;
    together search;
    party_set set, all;
    uint8_t *is_first; /* rows, then slots: was blamed to begin with */
    double **held_at;  /* rows: where the set held but for that row */
    double *points;    /* kept x slots: where the last sets held */
    double *start;     /* slots */
    uint8_t *is_new;   /* rows: scratch */
    double *guess;     /* slots: as they were */
    size_t count;      /* points that there were */
    size_t kept;       /* points kept of them, at most */
    size_t tried;      /* of these, before a member is left out */
    size_t shaken;     /* places around the guesses */
    size_t *row_start; /* rows + 1: what is present, by rows */
    int32_t *row_slot;
    uint8_t *does_count; /* the same: it can be solved for */
    bool is_minimal;
    bool is_within; /* no smaller set but of what was blamed */
} filter;

static bool set_init(party_set *p, init_system *s)
{
    p->is_row = ARENA_ARRAY(&s->arena, uint8_t, s->rows);
    p->is_value = ARENA_ARRAY(&s->arena, uint8_t, s->slots);
    return p->is_row && p->is_value;
}

static void copy_set(const filter *r, party_set *to, const party_set *from)
{
    memcpy(to->is_row, from->is_row, r->s->rows);
    memcpy(to->is_value, from->is_value, r->s->slots);
}

/* What is present of a slot, by rows: counts, or writes where `at` (rows) is
 * not NULL. */
static void put_by_rows(filter *r, size_t slot, size_t *at)
{
    entry_range e[2];
    const int count = unknowns_column(r->s, slot, e);
    for (int q = 0; q < count; q++)
        for (int64_t p = e[q].begin; p < e[q].end; p++) {
            const size_t row = (size_t)e[q].row[p] + e[q].offset;
            if (!entry_is_present(&e[q], p)) continue;
            if (!at) {
                r->row_start[row + 1]++;
                continue;
            }
            r->row_slot[at[row]] = (int32_t)slot;
            r->does_count[at[row]++] = entry_value(&e[q], p) != 0;
        }
}

static dae_status list_by_rows(filter *r)
{
    init_system *s = r->s;
    arena *a = &s->arena;
    r->row_start = ARENA_ARRAY(a, size_t, s->rows + 1);
    size_t *at = ARENA_ARRAY(a, size_t, s->rows);
    if (!r->row_start || !at) return DAE_MEMORY;
    for (size_t k = 0; k < s->slots; k++) put_by_rows(r, k, NULL);
    for (size_t i = 0; i < s->rows; i++) {
        r->row_start[i + 1] += r->row_start[i];
        at[i] = r->row_start[i];
    }
    r->row_slot = ARENA_ARRAY(a, int32_t, r->row_start[s->rows]);
    r->does_count = ARENA_ARRAY(a, uint8_t, r->row_start[s->rows]);
    if (!r->row_slot || !r->does_count) return DAE_MEMORY;
    for (size_t k = 0; k < s->slots; k++) put_by_rows(r, k, at);
    return DAE_OK;
}

static dae_status filter_init(filter *r, const blame *b)
{
    init_system *s = r->s;
    arena *a = &s->arena;
    const bool is_large = s->rows > LARGE || s->slots > LARGE;
    r->kept = is_large ? KEPT_LARGE : KEPT;
    r->tried = RECENT;
    r->shaken = is_large ? SHAKEN_LARGE : SHAKEN;
    r->is_first = ARENA_ARRAY(a, uint8_t, s->rows + s->slots);
    r->points = ARENA_ARRAY(a, double, r->kept * s->slots);
    r->start = ARENA_ARRAY(a, double, s->slots);
    r->guess = ARENA_ARRAY(a, double, s->slots);
    r->held_at = ARENA_ARRAY(a, double *, s->rows);
    r->is_new = ARENA_ARRAY(a, uint8_t, s->rows);
    if (!r->is_new || !r->held_at || !r->is_first || !r->points || !r->start
        || !r->guess || !set_init(&r->set, s) || !set_init(&r->all, s))
        return DAE_MEMORY;
    memcpy(r->guess, s->guess, s->slots * sizeof *r->guess);
    memset(r->all.is_row, 1, s->rows);
    for (size_t k = 0; k < s->slots; k++)
        r->all.is_value[k] = !s->is_free[k] && party_set_meets(s, &r->all, k);
    for (size_t i = 0; i < b->row_count; i++) {
        r->set.is_row[b->rows[i]] = 1;
        r->is_first[b->rows[i]] = 1;
    }
    for (size_t k = 0; k < b->slot_count; k++) {
        r->set.is_value[b->slots[k]] = 1;
        r->is_first[s->rows + (size_t)b->slots[k]] = 1;
    }
    const dae_status st = list_by_rows(r);
    return st ? st : together_init(&r->search, s, WORK);
}

/* ---- one question ----------------------------------------------------------------- */

static void keep_point(filter *r)
{
    double *to = r->points + r->count % r->kept * r->s->slots;
    memcpy(to, r->s->z, r->s->slots * sizeof *to);
    r->count++;
}

/* Around the guesses by as much as they measure, and then by more and less
 * than that, later around 0 as well, the same in every run. */
static void shake(filter *r, size_t number)
{
    static const double reach[] = {1, 1, 1, 3, 10, 0.3};
    const double by = reach[number % (sizeof reach / sizeof *reach)];
    const init_system *s = r->s;
    for (size_t k = 0; k < s->slots; k++) {
        const uint64_t place = (number + 1) * s->slots + k;
        const double part = splitmix_unit(
            splitmix(place * UINT64_C(0x9E3779B97F4A7C15)));
        const double size = fmax(scan_unit(s, k), fabs(r->guess[k]));
        const bool is_about_0 = number >= SHAKEN && number % 2 == 1;
        r->start[k] = (is_about_0 ? 0 : r->guess[k]) + part * by * size;
    }
}

static dae_status search_from(
    filter *r, const party_set *p, const double *start, bool *holds)
{
    const dae_status st = together_search(&r->search, p, start, holds);
    if (!st && *holds) keep_point(r);
    return st;
}

/* From the last points, up to `points` of them, then from where it ended, from
 * the guesses, and from around them. */
static dae_status ask(filter *r, const party_set *p, size_t points, bool *holds)
{
    const size_t slots = r->s->slots;
    const size_t known = r->count < r->kept ? r->count : r->kept;
    const size_t count = points < known ? points : known;
    dae_status st = DAE_OK;
    *holds = false;
    for (size_t c = 0, last = r->count; c < count && !st && !*holds; c++) {
        const double *at = r->points + (last - 1 - c) % r->kept * slots;
        memcpy(r->start, at, slots * sizeof *r->start);
        r->search.is_brief = c >= RECENT;
        st = search_from(r, p, r->start, holds);
    }
    r->search.is_brief = false;
    if (!st && !*holds) st = search_from(r, p, r->search.z, holds);
    if (!together_is_any_free(&r->search, p)) return st;
    if (!st && !*holds) st = search_from(r, p, r->guess, holds);
    for (size_t c = 0; c < r->shaken && !st && !*holds; c++) {
        shake(r, c);
        st = search_from(r, p, r->start, holds);
    }
    return st;
}

/* The same, and from many more places, for half of the work that is left: where
 * to first order nothing leads out of a place, the searches around the
 * guesses may all end in it. */
static dae_status ask_at_length(filter *r, const party_set *p, bool *holds)
{
    dae_status st = ask(r, p, KEPT, holds);
    const double least = together_left(&r->search) / 2;
    if (!together_is_any_free(&r->search, p)) return st;
    r->search.is_brief = true;
    for (size_t c = r->shaken; c < SHAKEN_MOST && !st && !*holds; c++) {
        if (!(together_left(&r->search) > least)) break;
        shake(r, c);
        st = search_from(r, p, r->start, holds);
    }
    r->search.is_brief = false;
    return st;
}

/* ---- leaving out ------------------------------------------------------------------- */

/* Member `m` counts rows, then slots. */
static uint8_t *member(const filter *r, party_set *p, size_t m)
{
    return m < r->s->rows ? &p->is_row[m] : &p->is_value[m - r->s->rows];
}

/* Equations that were not suspected go first, then such conditions, then
 * equations that were. */
static int turn_of(const filter *r, size_t m)
{
    return 2 * r->is_first[m] + (m >= r->s->equations);
}

/* Can a row be solved for a slot that no other one of the set has? */
static bool has_own_slot(const filter *r, const int32_t *uses, size_t row)
{
    for (size_t p = r->row_start[row]; p < r->row_start[row + 1]; p++) {
        const size_t k = (size_t)r->row_slot[p];
        if (uses[k] == 1 && !r->set.is_value[k] && r->does_count[p])
            return true;
    }
    return false;
}

/* The row of the set that a slot is in; rows: none. */
static size_t row_of(const filter *r, size_t slot)
{
    entry_range e[2];
    const int count = unknowns_column(r->s, slot, e);
    for (int q = 0; q < count; q++)
        for (int64_t p = e[q].begin; p < e[q].end; p++) {
            const size_t row = (size_t)e[q].row[p] + e[q].offset;
            if (r->set.is_row[row] && entry_is_present(&e[q], p)) return row;
        }
    return r->s->rows;
}

/* Those that were not suspected and have a slot to be solved for, and those
 * that have one then. `uses` (slots) and `queue` (rows and slots): scratch. */
static bool peel(filter *r, int32_t *uses, size_t *queue)
{
    const init_system *s = r->s;
    size_t count = 0, left_out = 0;
    memset(uses, 0, s->slots * sizeof *uses);
    for (size_t i = 0; i < s->rows; i++) {
        if (!r->set.is_row[i]) continue;
        queue[count++] = i;
        for (size_t p = r->row_start[i]; p < r->row_start[i + 1]; p++)
            uses[r->row_slot[p]]++;
    }
    for (size_t at = 0; at < count; at++) {
        const size_t i = queue[at];
        if (i == s->rows || !r->set.is_row[i] || r->is_first[i]) continue;
        if (!has_own_slot(r, uses, i)) continue;
        r->set.is_row[i] = 0;
        left_out++;
        for (size_t p = r->row_start[i]; p < r->row_start[i + 1]; p++)
            if (--uses[r->row_slot[p]] == 1)
                queue[count++] = row_of(r, (size_t)r->row_slot[p]);
    }
    together_charge(&r->search, 3 * (double)r->row_start[s->rows]);
    return left_out > 0;
}

/* Given values that no row of the set has say nothing. */
static void leave_out_idle(filter *r)
{
    for (size_t k = 0; k < r->s->slots; k++)
        if (r->set.is_value[k] && !party_set_meets(r->s, &r->set, k))
            r->set.is_value[k] = 0;
}

/* Many at once, unless that makes the rest hold. */
static dae_status leave_out_many(filter *r)
{
    init_system *s = r->s;
    party_set before;
    bool holds;
    const arena_position mark = arena_mark(&s->arena);
    int32_t *uses = ARENA_ARRAY(&s->arena, int32_t, s->slots);
    size_t *queue = ARENA_ARRAY(&s->arena, size_t, s->rows + s->slots);
    if (!uses || !queue || !set_init(&before, s)) return DAE_MEMORY;
    dae_status st = together_return(&r->search);
    copy_set(r, &before, &r->set);
    if (!st && peel(r, uses, queue)) {
        st = ask(r, &r->set, RECENT, &holds);
        if (holds || together_is_spent(&r->search))
            copy_set(r, &r->set, &before);
    }
    leave_out_idle(r);
    arena_release(&s->arena, mark);
    return st;
}

static dae_status keep_held(filter *r, size_t row)
{
    init_system *s = r->s;
    double *z = ARENA_ARRAY(&s->arena, double, s->slots);
    if (!z) return DAE_MEMORY;
    memcpy(z, s->z, s->slots * sizeof *z);
    r->held_at[row] = z;
    return DAE_OK;
}

static dae_status leave_out(filter *r, size_t m, bool *is_left_out)
{
    bool holds;
    *member(r, &r->set, m) = 0;
    const dae_status st = ask(r, &r->set, r->tried, &holds);
    *is_left_out = !st && !holds && !together_is_spent(&r->search);
    if (!*is_left_out) *member(r, &r->set, m) = 1;
    return st || !holds || m >= r->s->rows ? st : keep_held(r, m);
}

static dae_status leave_out_all(filter *r)
{
    const size_t members = r->s->rows + r->s->slots;
    bool is_left_out;
    dae_status st = leave_out_many(r);
    for (int turn = 0; turn < 4; turn++) {
        for (size_t m = 0; m < members && !st; m++) {
            if (!*member(r, &r->set, m) || turn_of(r, m) != turn) continue;
            st = leave_out(r, m, &is_left_out);
            if (!st && is_left_out && turn < 2) st = leave_out_many(r);
        }
    }
    return st;
}

/* ---- the whole --------------------------------------------------------------------- */

/* The rows that share a free slot with those of the set, and all that is given
 * in them; false: there are none. */
static bool grow(filter *r)
{
    init_system *s = r->s;
    party_set *p = &r->set;
    bool is_larger = false;
    uint8_t *is_new = r->is_new;
    memset(is_new, 0, s->rows);
    for (size_t k = 0; k < s->slots; k++) {
        entry_range e[2];
        if (!s->is_free[k] || !party_set_meets(s, p, k)) continue;
        const int count = unknowns_column(s, k, e);
        for (int q = 0; q < count; q++)
            for (int64_t at = e[q].begin; at < e[q].end; at++)
                if (entry_is_present(&e[q], at))
                    is_new[(size_t)e[q].row[at] + e[q].offset] = 1;
    }
    for (size_t i = 0; i < s->rows; i++) {
        is_larger = is_larger || (is_new[i] && !p->is_row[i]);
        p->is_row[i] = p->is_row[i] || is_new[i];
    }
    for (size_t k = 0; k < s->slots; k++)
        p->is_value[k] = r->all.is_value[k] && party_set_meets(s, p, k);
    return is_larger;
}

static size_t count_rows(const filter *r)
{
    size_t count = 0;
    for (size_t i = 0; i < r->s->rows; i++) count += r->set.is_row[i];
    return count;
}

/* All rows and all that is given, from a point where the equations hold; does
 * that hold? */
static dae_status take_all(filter *r, bool *holds)
{
    const init_system *s = r->s;
    copy_set(r, &r->set, &r->all);
    memset(r->set.is_value, 0, s->slots);
    memset(r->set.is_row + s->equations, 0, s->rows - s->equations);
    const dae_status st = ask(r, &r->set, RECENT, holds);
    copy_set(r, &r->set, &r->all);
    return st ? st : ask(r, &r->set, KEPT, holds);
}

/* A set that holds, with its neighbours until it does not, or with all. */
static dae_status widen(filter *r, bool is_suspected, filter_outcome *out)
{
    bool holds = true;
    dae_status st = DAE_OK;
    *out = FILTER_DOUBTFUL;
    while (is_suspected && grow(r)) {
        if (count_rows(r) > SET_MOST) return DAE_OK;
        st = ask(r, &r->set, KEPT, &holds);
        if (st || together_is_spent(&r->search)) return st;
        if (!holds) break;
    }
    if (holds && r->s->rows > SET_MOST) return DAE_OK;
    if (holds) st = take_all(r, &holds);
    if (!st && holds && r->search.is_touching) return DAE_OK;
    if (!st && holds) *out = FILTER_HOLDS;
    else if (!st && !together_is_spent(&r->search)) *out = FILTER_SET;
    return st;
}

static dae_status list_members(const filter *r, blame *b)
{
    init_system *s = r->s;
    b->rows = ARENA_ARRAY(&s->arena, int32_t, s->rows);
    b->slots = ARENA_ARRAY(&s->arena, int32_t, s->slots);
    b->row_count = b->slot_count = 0;
    if (!b->rows || !b->slots) return DAE_MEMORY;
    for (size_t i = 0; i < s->rows; i++)
        if (r->set.is_row[i]) b->rows[b->row_count++] = (int32_t)i;
    for (size_t k = 0; k < s->slots; k++)
        if (r->set.is_value[k]) b->slots[b->slot_count++] = (int32_t)k;
    return DAE_OK;
}

/* ---- the fewest ------------------------------------------------------------------- */

/* The members that a smaller set may have, by number, and where some of them
 * hold together. */
typedef struct choice {
    filter *r;
    size_t member[HITTING_MEMBERS];
    size_t count;
    party_set set;
    double *place; /* slots: where some held last */
    struct witness *first;
} choice;

typedef struct witness {
    uint64_t holds;
    double *z;
    struct witness *next;
} witness;

static void take_members(choice *c, uint64_t set)
{
    filter *r = c->r;
    memset(c->set.is_row, 0, r->s->rows);
    memset(c->set.is_value, 0, r->s->slots);
    for (size_t k = 0; k < c->count; k++)
        if (set >> k & 1) *member(r, &c->set, c->member[k]) = 1;
}

/* Those that hold at the point where `set` was found to, which is kept. Where
 * values have grown, rows that nobody asked for may seem to hold. */
static uint64_t look(choice *c, uint64_t set)
{
    const init_system *s = c->r->s;
    const bool is_grown = proportion_is_any_grown(s);
    uint64_t all = set;
    memcpy(c->place, s->z, s->slots * sizeof *c->place);
    for (size_t k = 0; k < c->count && !is_grown; k++) {
        const size_t m = c->member[k];
        const bool holds = m < s->rows
            ? together_does_hold(&c->r->search, m)
            : s->z[m - s->rows] == c->r->search.z[m - s->rows];
        if (holds) all |= UINT64_C(1) << k;
    }
    return all;
}

static dae_status ask_choice(
    void *self, uint64_t set, bool *holds, uint64_t *all)
{
    choice *c = self;
    take_members(c, set);
    const dae_status st = ask_at_length(c->r, &c->set, holds);
    *all = !st && *holds ? look(c, set) : 0;
    return st;
}

static dae_status glance_at_choice(
    void *self, uint64_t set, bool *holds, uint64_t *all)
{
    choice *c = self;
    take_members(c, set);
    c->r->search.is_brief = true;
    const dae_status st = search_from(c->r, &c->set, c->place, holds);
    c->r->search.is_brief = false;
    *all = !st && *holds ? look(c, set) : 0;
    return st;
}

static dae_status keep_witness(void *self, uint64_t set)
{
    choice *c = self;
    init_system *s = c->r->s;
    witness *w = ARENA_ARRAY(&s->arena, witness, 1);
    double *z = ARENA_ARRAY(&s->arena, double, s->slots);
    if (!w || !z) return DAE_MEMORY;
    memcpy(z, c->place, s->slots * sizeof *z);
    *w = (witness){.holds = set, .z = z, .next = c->first};
    c->first = w;
    return DAE_OK;
}

static bool is_choice_spent(void *self)
{
    const choice *c = self;
    return together_is_spent(&c->r->search);
}

static size_t count_members(filter *r, party_set *p)
{
    size_t count = 0;
    for (size_t m = 0; m < r->s->rows + r->s->slots; m++)
        count += *member(r, p, m) != 0;
    return count;
}

/* Values and conditions come first: of sets of equal size that with more of
 * these is the more useful one, since they can be given up. */
static void number_members(choice *c, party_set *p)
{
    const init_system *s = c->r->s;
    const size_t from[] = {s->rows, s->equations, 0};
    const size_t to[] = {s->rows + s->slots, s->rows, s->equations};
    for (int k = 0; k < 3; k++)
        for (size_t m = from[k]; m < to[k]; m++)
            if (*member(c->r, p, m)) c->member[c->count++] = m;
}

/* Those that were blamed and those of the set. */
static void take_blamed(filter *r, party_set *p)
{
    for (size_t m = 0; m < r->s->rows + r->s->slots; m++)
        *member(r, p, m) = r->is_first[m] || *member(r, &r->set, m);
}

/* All there are or, of too many, those of the set and as many rings of its
 * neighbours as there is room for. False: there is none for the set. */
static dae_status choose_members(choice *c, bool *is_room)
{
    filter *r = c->r;
    party_set found, ring;
    if (!set_init(&found, r->s) || !set_init(&ring, r->s)) return DAE_MEMORY;
    copy_set(r, &found, &r->set);
    copy_set(r, &ring, &r->set);
    if (r->is_within) take_blamed(r, &ring);
    *is_room = count_members(r, &ring) <= HITTING_MEMBERS;
    if (!r->is_within && *is_room
        && count_members(r, &r->all) <= HITTING_MEMBERS)
        copy_set(r, &ring, &r->all);
    else
        while (
            *is_room && grow(r) && count_members(r, &r->set) <= HITTING_MEMBERS)
            copy_set(r, &ring, &r->set);
    copy_set(r, &r->set, &found);
    if (*is_room) number_members(c, &ring);
    return DAE_OK;
}

/* Where the set holds but for each of its rows. */
static void find_witnesses(choice *c, uint64_t set)
{
    for (size_t k = 0; k < c->count; k++) {
        const uint64_t others = set & ~(UINT64_C(1) << k);
        if (others == set || c->member[k] >= c->r->s->rows) continue;
        for (const witness *w = c->first; w; w = w->next)
            if ((w->holds & others) == others)
                c->r->held_at[c->member[k]] = w->z;
    }
}

/* From a set without needless members to one of the fewest; *is_doubtful: it
 * holds after all. */
static dae_status take_fewest(filter *r, bool *is_doubtful)
{
    init_system *s = r->s;
    choice c = {.r = r, .place = ARENA_ARRAY(&s->arena, double, s->slots)};
    const fewest_oracle o = {
        &c, ask_choice, glance_at_choice, keep_witness, is_choice_spent};
    fewest_outcome outcome;
    uint64_t set = 0;
    bool is_room;
    if (!c.place || !set_init(&c.set, s)) return DAE_MEMORY;
    if (s->rows > LARGE || s->slots > LARGE) return DAE_OK;
    dae_status st = choose_members(&c, &is_room);
    if (st || !is_room) return st;
    for (size_t k = 0; k < c.count; k++)
        if (*member(r, &r->set, c.member[k])) set |= UINT64_C(1) << k;
    const uint64_t before = set;
    together_allow(&r->search, WORK);
    if ((st = fewest_find(&o, c.count, &s->arena, &set, &outcome))) return st;
    *is_doubtful = outcome == FEWEST_HOLDS;
    if (outcome != FEWEST_FOUND || set == before) return DAE_OK;
    take_members(&c, set);
    copy_set(r, &r->set, &c.set);
    find_witnesses(&c, set);
    return DAE_OK;
}

/* From a set that does not hold to one without needless members and then to a
 * smallest one, unless there is no more work; *is_doubtful: that one holds
 * after all. */
static dae_status shrink(filter *r, bool *is_doubtful)
{
    *is_doubtful = false;
    dae_status st = leave_out_all(r);
    r->is_minimal = !st && !together_is_spent(&r->search);
    if (!r->is_minimal) return st;
    st = ask_at_length(r, &r->set, is_doubtful);
    return st || *is_doubtful ? st : take_fewest(r, is_doubtful);
}

static dae_status ask_within(void *self, bool *holds, bool *is_spent)
{
    filter *r = self;
    const dae_status st = ask(r, &r->set, RECENT, holds);
    *is_spent = together_is_spent(&r->search);
    return st;
}

/* The bounds that take part. */
static dae_status take_fences(filter *r, blame *b)
{
    init_system *s = r->s;
    int32_t *list;
    uint8_t *is_in = ARENA_ARRAY(&s->arena, uint8_t, s->slots);
    if (!is_in) return DAE_MEMORY;
    for (size_t k = 0; k < s->slots; k++)
        is_in[k] = !r->set.is_value[k] && party_set_meets(s, &r->set, k);
    together_allow(&r->search, WORK);
    const dae_status st = fences_find(
        s, is_in, ask_within, r, &list, &b->fence_count);
    b->fences = list;
    return st;
}

/* Once a set has turned out to hold, where it does is known, and others can be
 * asked from there. */
static dae_status settle(filter *r, bool is_suspected, filter_outcome *out)
{
    bool holds = true;
    dae_status st = DAE_OK;
    if (is_suspected) st = ask(r, &r->set, RECENT, &holds);
    if (st || together_is_spent(&r->search)) return st;
    if (!holds) st = shrink(r, &holds);
    *out = FILTER_SET;
    for (int round = 0; round < ROUNDS && !st && holds; round++) {
        r->tried = r->kept;
        st = widen(r, is_suspected && round == 0, out);
        if (st || *out != FILTER_SET) return st;
        st = shrink(r, &holds);
        /* half way it is neither small nor known to contradict itself */
        if (!r->is_minimal) holds = true;
        if (holds) *out = FILTER_DOUBTFUL;
        if (!r->is_minimal) return st;
    }
    return st;
}

dae_status filter_settle(
    init_system *s, blame *b, bool is_within, filter_account *out)
{
    filter r = {.s = s, .is_within = is_within};
    *out = (filter_account){.outcome = FILTER_NONE};
    if (s->rows > LARGEST || s->slots > LARGEST) return DAE_OK;
    dae_status st = filter_init(&r, b);
    if (!st) st = settle(&r, b->row_count > 0, &out->outcome);
    b->fence_count = 0;
    if (st || out->outcome == FILTER_HOLDS) return st;
    if (out->outcome == FILTER_SET && (st = take_fences(&r, b))) return st;
    if ((st = together_return(&r.search))) return st;
    if (out->outcome == FILTER_DOUBTFUL) b->row_count = b->slot_count = 0;
    if (out->outcome != FILTER_SET) return DAE_OK;
    out->held_at = r.held_at;
    out->is_minimal = r.is_minimal;
    return list_members(&r, b);
}
