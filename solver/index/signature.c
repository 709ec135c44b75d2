/* The first room of an analysis: what structure is made of. Generic points
 * keep what is not zero, the start what generic points cannot see, and noise.c
 * takes out what was never there. */
#include "index/signature.h"

#include "index/noise.h"
#include "index/points.h"
#include <math.h>
#include <string.h>

/* Generic points. Two would do; a third is insurance. */
enum { POINTS = 3 };

typedef struct survey {
    sampler *s;
    const layout *layout;
    const dae_allocator *allocator;
    const dae_pattern *pattern;
    size_t entries;
    uint8_t *is_present;     /* entries: not 0 at some point */
    uint8_t *is_large;       /* entries: beyond doubt at some point */
    uint8_t *is_found;       /* entries: scratch */
    uint8_t *is_slight;      /* entries: so small in units of row and unknown */
    double *row_largest;     /* n */
    double *row_unit, *unit; /* n: those of rows and of unknowns */
    int32_t *stamp; /* n: the last unknown that has an entry in the row */
} survey;

static void survey_clear(survey *w)
{
    const size_t n = w->layout->unknowns;
    alloc_free(w->allocator, w->is_present, w->entries, 1);
    alloc_free(w->allocator, w->is_large, w->entries, 1);
    alloc_free(w->allocator, w->is_found, w->entries, 1);
    alloc_free(w->allocator, w->is_slight, w->entries, 1);
    alloc_free(w->allocator, w->row_largest, n, sizeof *w->row_largest);
    alloc_free(w->allocator, w->row_unit, n, sizeof *w->row_unit);
    alloc_free(w->allocator, w->unit, n, sizeof *w->unit);
    alloc_free(w->allocator, w->stamp, n, sizeof *w->stamp);
    sampler_free(w->s);
}

static dae_status survey_init(survey *w, const dae_problem *problem)
{
    const size_t n = w->layout->unknowns;
    const dae_status st = sampler_create(
        problem, w->layout, w->allocator, &w->s);
    if (st) return st;
    w->pattern = sampler_pattern(w->s);
    w->entries = sampler_entries(w->s);
    w->is_present = alloc_zeroed(w->allocator, w->entries, 1);
    w->is_large = alloc_zeroed(w->allocator, w->entries, 1);
    w->is_found = alloc_zeroed(w->allocator, w->entries, 1);
    w->is_slight = alloc_zeroed(w->allocator, w->entries, 1);
    w->row_largest = alloc_zeroed(w->allocator, n, sizeof *w->row_largest);
    w->row_unit = alloc_zeroed(w->allocator, n, sizeof *w->row_unit);
    w->unit = alloc_zeroed(w->allocator, n, sizeof *w->unit);
    w->stamp = alloc_zeroed(w->allocator, n, sizeof *w->stamp);
    return w->is_present && w->is_large && w->is_found && w->is_slight
            && w->row_largest && w->row_unit && w->unit && w->stamp
        ? DAE_OK
        : DAE_MEMORY;
}

/* ---- which entries count ---------------------------------------------------------- */

/* What the sampler's point shows. */
static void look(survey *w)
{
    const double *v = sampler_values(w->s);
    const int32_t *row = w->pattern->row;
    const double doubt = noise_doubted(w->s);
    memset(w->row_largest, 0, w->layout->unknowns * sizeof *w->row_largest);
    for (size_t p = 0; p < w->entries; p++)
        w->row_largest[row[p]] = fmax(w->row_largest[row[p]], fabs(v[p]));
    for (size_t p = 0; p < w->entries; p++) {
        if (v[p] != 0) w->is_present[p] = 1;
        if (fabs(v[p]) > doubt * w->row_largest[row[p]]) w->is_large[p] = 1;
    }
}

/* One pass over all entries, in units of unknowns so far: of each row the
 * largest, or, in units of the rows, of each unknown; then what is slight. */
typedef enum unit_pass { OF_ROWS, OF_UNKNOWNS, SLIGHT } unit_pass;

static void pass_units(survey *w, unit_pass pass)
{
    const layout *l = w->layout;
    const double *v = sampler_values(w->s);
    const double doubt = noise_doubted(w->s);
    double *to = pass == OF_ROWS ? w->row_unit : w->unit;
    double *largest = w->row_largest; /* both have n */
    memset(largest, 0, l->unknowns * sizeof *largest);
    size_t j = 0;
    for (size_t c = 0; c < l->states + l->unknowns; c++) {
        if (c >= l->states) j = c - l->states;
        else
            while (l->first[j + 1] <= c) j++;
        const int64_t end = w->pattern->column_start[c + 1];
        for (int64_t k = w->pattern->column_start[c]; k < end; k++) {
            const size_t i = (size_t)w->pattern->row[k];
            const double size = fabs(v[k]) / (w->row_unit[i] * w->unit[j]);
            const size_t at = pass == OF_ROWS ? i : j;
            if (pass == SLIGHT) w->is_slight[k] = size <= doubt;
            else largest[at] = fmax(largest[at], size);
        }
    }
    for (size_t k = 0; k < l->unknowns && pass != SLIGHT; k++)
        if (largest[k] > 0 && isfinite(to[k] * largest[k])) to[k] *= largest[k];
}

/* What is next to nothing where rows and unknowns have units in which their
 * largest entries are 1 [Rui01]: beside small ones of its row an error may be
 * large for the unit of its unknown alone. Told of constants: others may be flat
 * at this point. */
static void find_slight(survey *w)
{
    enum { SWEEPS = 3 };
    for (size_t k = 0; k < w->layout->unknowns; k++)
        w->row_unit[k] = w->unit[k] = 1;
    for (int k = 0; k < SWEEPS; k++) {
        pass_units(w, OF_ROWS);
        pass_units(w, OF_UNKNOWNS);
    }
    pass_units(w, SLIGHT);
}

static bool may_vary(const survey *w, size_t p)
{
    return !w->pattern->kind || w->pattern->kind[p] == DAE_ENTRY_VARYING;
}

/* Entries that are there, but never more than an error could be, are tested at
 * every point: errors are 0 at many. Afterwards is_large says which were, and
 * is_found which are errors. */
static dae_status doubt(survey *w, unsigned points)
{
    bool some = false;
    dae_status st = DAE_OK;
    for (size_t p = 0; p < w->entries; p++) {
        w->is_large[p] = w->is_present[p]
            && (!w->is_large[p] || (w->is_slight[p] && !may_vary(w, p)));
        some = some || w->is_large[p];
    }
    for (unsigned k = 0; some && k < points; k++) {
        st = points_sample(w->s, k);
        if (!st) st = noise_remove(w->s, w->is_large, w->is_present);
        if (st && st != DAE_RETRY) return st;
    }
    for (size_t p = 0; p < w->entries; p++)
        w->is_found[p] = w->is_large[p] && !w->is_present[p];
    return DAE_OK;
}

static bool is_any_doubtful(const survey *w)
{
    for (size_t p = 0; p < w->entries; p++)
        if (!w->is_large[p]) return true;
    return false;
}

/* Entries that nobody would take for an error. */
static void look_for_large(survey *w)
{
    static const double LARGE = 1e-3; /* of the largest in its row */
    const double *v = sampler_values(w->s);
    const int32_t *row = w->pattern->row;
    memset(w->row_largest, 0, w->layout->unknowns * sizeof *w->row_largest);
    for (size_t p = 0; p < w->entries; p++)
        w->row_largest[row[p]] = fmax(w->row_largest[row[p]], fabs(v[p]));
    for (size_t p = 0; p < w->entries; p++)
        if (v[p] != 0 && fabs(v[p]) >= LARGE * w->row_largest[row[p]])
            w->is_present[p] = w->is_large[p] = 1;
}

/* Entries that are 0 near the guesses and are something here, be it small: an
 * exponential that has run out. */
static dae_status look_for_lost(survey *w)
{
    const double *v = sampler_values(w->s);
    bool some = false;
    for (size_t p = 0; p < w->entries; p++) {
        w->is_found[p] = !w->is_present[p] && v[p] != 0;
        if (w->is_found[p]) w->is_present[p] = w->is_large[p] = 1;
        some = some || w->is_found[p];
    }
    return some ? noise_remove(w->s, w->is_found, w->is_present) : DAE_OK;
}

/* What is zero near the guesses, or next to nothing, may be flat there alone. */
static dae_status look_elsewhere(survey *w)
{
    for (unsigned k = POINTS_ELSEWHERE; k < POINTS_ELSEWHERE_END; k++) {
        if (!w->s->varies || !is_any_doubtful(w)) return DAE_OK;
        const dae_status st = points_sample(w->s, k);
        if (st && st != DAE_RETRY) return st;
        if (!st) look_for_large(w);
        const dae_status lost = st ? DAE_OK : look_for_lost(w);
        if (lost && lost != DAE_RETRY) return lost;
    }
    return DAE_OK;
}

static dae_status sample(survey *w, bool *is_sampled)
{
    const unsigned points = w->s->varies ? POINTS : 1;
    dae_status st = sampler_evaluate_start(w->s);
    *is_sampled = false;
    if (st && st != DAE_RETRY) return st;
    if (!st) look(w);
    for (unsigned k = 0; k < points; k++) {
        st = points_sample(w->s, k);
        if (st && st != DAE_RETRY) return st;
        if (st) continue;
        look(w);
        if (!*is_sampled) find_slight(w);
        *is_sampled = true;
    }
    if (*is_sampled) {
        const dae_status elsewhere = look_elsewhere(w);
        return elsewhere ? elsewhere : doubt(w, points);
    }
    memset(w->is_present, 1, w->entries);
    memset(w->is_found, 0, w->entries);
    return DAE_OK;
}

/* ---- the table ---------------------------------------------------------------------- */

/* Not one that is 0 by what the text says. */
static bool may_count(const survey *w, size_t p)
{
    return w->pattern->kind && w->pattern->kind[p] != DAE_ENTRY_CONSTANT;
}

static void note_zero(const survey *w, signature *s, size_t p, size_t column,
    size_t order, bool is_put)
{
    const size_t k = s->zero_count++;
    if (!is_put) return;
    s->zero_row[k] = w->pattern->row[p];
    s->zero_column[k] = (int32_t)column;
    s->zero_order[k] = (int32_t)order;
    s->zero_varies[k] = w->pattern->kind[p] == DAE_ENTRY_VARYING;
}

/* Passes over the slots of every unknown from the highest derivative down, so
 * that the first entry in a row is the one that counts, and what is 0 now is
 * noted only where it would have counted. Counts the entries, or
 * puts them in place. */
static void pass_entries(survey *w, signature *s, bool is_put)
{
    const layout *l = w->layout;
    int64_t at = 0;
    for (size_t j = 0; j < l->unknowns; j++) w->stamp[j] = -1;
    s->zero_count = 0;
    for (size_t j = 0; j < l->unknowns; j++) {
        for (size_t o = l->order[j] + (size_t)1; o-- > 0;) {
            const bool is_top = o == l->order[j] && o > 0;
            const size_t c = is_top ? l->states + j : l->first[j] + o;
            const int64_t end = w->pattern->column_start[c + 1];
            for (int64_t k = w->pattern->column_start[c]; k < end; k++) {
                const size_t p = (size_t)k;
                const int32_t i = w->pattern->row[p];
                if (w->stamp[i] == (int32_t)j) continue;
                if (!w->is_present[p]) {
                    if (may_count(w, p)) note_zero(w, s, p, j, o, is_put);
                    continue;
                }
                w->stamp[i] = (int32_t)j;
                if (is_put) {
                    s->row[at] = i;
                    s->order[at] = (int32_t)o;
                    s->entry[at] = k;
                }
                at++;
            }
        }
        s->column_start[j + 1] = at;
    }
}

static dae_status make_table(survey *w, signature *s)
{
    const size_t n = w->layout->unknowns;
    s->column_start = alloc_zeroed(
        w->allocator, n + 1, sizeof *s->column_start);
    if (!s->column_start) return DAE_MEMORY;
    pass_entries(w, s, false);
    s->entries = (size_t)s->column_start[n];
    s->row = alloc_zeroed(w->allocator, s->entries, sizeof *s->row);
    s->order = alloc_zeroed(w->allocator, s->entries, sizeof *s->order);
    s->entry = alloc_zeroed(w->allocator, s->entries, sizeof *s->entry);
    const size_t zeros = s->zero_room = s->zero_count;
    s->zero_row = alloc_zeroed(w->allocator, zeros, sizeof *s->zero_row);
    s->zero_column = alloc_zeroed(w->allocator, zeros, sizeof *s->zero_column);
    s->zero_order = alloc_zeroed(w->allocator, zeros, sizeof *s->zero_order);
    s->zero_varies = alloc_zeroed(w->allocator, zeros, 1);
    if (!s->row || !s->order || !s->entry || !s->zero_row || !s->zero_column
        || !s->zero_order || !s->zero_varies)
        return DAE_MEMORY;
    pass_entries(w, s, true);
    s->place_count = w->entries;
    s->is_error = alloc_zeroed(w->allocator, w->entries, 1);
    if (!s->is_error) return DAE_MEMORY;
    memcpy(s->is_error, w->is_found, w->entries);
    s->table = (dae_signature){n, n, s->column_start, s->row, s->order};
    return DAE_OK;
}

dae_status signature_create(const dae_problem *problem, const layout *l,
    const dae_allocator *allocator, signature **out)
{
    survey w = {.layout = l, .allocator = alloc_or_default(allocator)};
    *out = NULL;
    signature *s = alloc_zeroed(w.allocator, 1, sizeof *s);
    if (!s) return DAE_MEMORY;
    s->allocator = w.allocator;
    s->unknowns = l->unknowns;
    dae_status st = survey_init(&w, problem);
    if (!st) st = sample(&w, &s->is_sampled);
    if (!st) st = make_table(&w, s);
    survey_clear(&w);
    if (st) {
        signature_free(s);
        return st;
    }
    *out = s;
    return DAE_OK;
}

void signature_free(signature *s)
{
    if (!s) return;
    const dae_allocator *a = s->allocator;
    alloc_free(a, s->column_start, s->unknowns + 1, sizeof *s->column_start);
    alloc_free(a, s->row, s->entries, sizeof *s->row);
    alloc_free(a, s->order, s->entries, sizeof *s->order);
    alloc_free(a, s->entry, s->entries, sizeof *s->entry);
    alloc_free(a, s->zero_row, s->zero_room, sizeof *s->zero_row);
    alloc_free(a, s->zero_column, s->zero_room, sizeof *s->zero_column);
    alloc_free(a, s->zero_order, s->zero_room, sizeof *s->zero_order);
    alloc_free(a, s->zero_varies, s->zero_room, 1);
    alloc_free(a, s->is_error, s->place_count, 1);
    alloc_free(a, s, 1, sizeof *s);
}
