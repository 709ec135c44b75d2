#include "run_profiles.h"
#include "memory.h"
#include "number.h"
#include "phrase.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { TIMES_AS_A_RULE = 5 };
static const char OVER[] = " over ";

static dae_status refuse(messages *m, const char *name, const char *why)
{
    messages_add(m, "E0505", "--profile: `%s` %s", name, why);
    return DAE_ARGUMENT;
}

/* ---- arrays ---- */

/* Where the index of an element begins, at its bracket; NULL: it is no element. */
static const char *index_of(const char *name)
{
    const size_t n = strlen(name);
    return n && name[n - 1] == ']' ? strrchr(name, '[') : NULL;
}

static bool is_element_of(const profile *p, const char *name, size_t length)
{
    return strlen(p->name) == length && strncmp(p->name, name, length) == 0;
}

/* Column k belongs to the last array, or begins the next one. */
static dae_status add_element(run_profiles *p, size_t k, messages *m)
{
    const char *name = dae_columns_name(p->values, k);
    const char *index = index_of(name);
    if (dae_columns_lost(p->values)) return DAE_MEMORY;
    if (!index) return refuse(m, name, "is no array");
    if (strchr(index, ','))
        return refuse(m, name, "has several indices; a profile has one");
    const size_t length = (size_t)(index - name);
    profile *last = p->count ? &p->items[p->count - 1] : NULL;
    if (!last || !is_element_of(last, name, length)) {
        last = &p->items[p->count++];
        *last = (profile){.name = memory_copy(name, length), .first = k};
    }
    last->count++;
    return last->name ? DAE_OK : DAE_MEMORY;
}

/* Each array is one, and has the indices that the abscissa has. */
static dae_status check_arrays(run_profiles *p, const char *list, messages *m)
{
    const size_t count = p->over ? dae_columns_count(p->over) : 0;
    for (size_t i = 0; i < p->count; i++) {
        const profile *q = &p->items[i];
        if (q->count == 1)
            return refuse(m, dae_columns_name(p->values, q->first),
                "is a single element");
        bool is_same = !p->over || q->count == count;
        for (size_t k = 0; is_same && k < count; k++) {
            const char *x = index_of(dae_columns_name(p->over, k));
            const char *y = index_of(dae_columns_name(p->values, q->first + k));
            is_same = x && y && strcmp(x, y) == 0;
        }
        if (!is_same) return refuse(m, list, "has arrays of other indices");
    }
    return DAE_OK;
}

static dae_status find_arrays(
    run_profiles *p, dae_run *run, const char *list, messages *m)
{
    const char *over = strstr(list, OVER);
    char *names = memory_copy(
        list, over ? (size_t)(over - list) : strlen(list));
    dae_status st = names
        ? dae_columns_create(run, names, "--profile", &p->values)
        : DAE_MEMORY;
    if (!st && over)
        st = dae_columns_create(
            run, over + strlen(OVER), "--profile", &p->over);
    const size_t count = dae_columns_count(p->values);
    if (!st) p->items = memory_take(count + 1, sizeof *p->items);
    if (!st && !p->items) st = DAE_MEMORY;
    for (size_t k = 0; !st && k < count; k++) st = add_element(p, k, m);
    if (!st) st = check_arrays(p, list, m);
    const bool is_lost = dae_columns_lost(p->values)
        || dae_columns_lost(p->over);
    return is_lost ? DAE_MEMORY : st;
}

/* ---- times ---- */

static double some_time(const dae_run *run, size_t k)
{
    const int64_t rows = dae_run_output_count(run);
    const double part = (double)k / (TIMES_AS_A_RULE - 1);
    const double t0 = dae_run_begin(run), t1 = dae_run_end(run);
    if (rows > 1)
        return dae_run_output_time(run, (int64_t)(part * (double)(rows - 1)));
    return k + 1 < TIMES_AS_A_RULE ? t0 + part * (t1 - t0) : t1;
}

static void turn(double *values, size_t count)
{
    for (size_t k = 0; k < count / 2; k++) {
        const double value = values[k];
        values[k] = values[count - 1 - k];
        values[count - 1 - k] = value;
    }
}

static dae_status choose_times(
    run_profiles *p, const dae_run *run, const number_list *at, messages *m)
{
    const double t0 = dae_run_begin(run), t1 = dae_run_end(run);
    const size_t count = at->count ? at->count : TIMES_AS_A_RULE;
    p->times = memory_take(count, sizeof *p->times);
    if (!p->times) return DAE_MEMORY;
    for (size_t k = 0; k < count; k++) {
        const double t = at->count ? at->items[k] : some_time(run, k);
        p->times[p->time_count++] = t;
        if ((t - t0) * (t - t1) <= 0) continue;
        messages_add(m, "E0505",
            "--at %.10g is outside of the interval from %.10g to %.10g", t, t0,
            t1);
        return DAE_ARGUMENT;
    }
    number_sort(p->times, count);
    if (t1 < t0) turn(p->times, count);
    return DAE_OK;
}

static dae_status take_points(run_profiles *p)
{
    for (size_t i = 0; i < p->count; i++) {
        profile *q = &p->items[i];
        q->points = memory_take(q->count, 2 * p->time_count * sizeof(double));
        if (!q->points) return DAE_MEMORY;
    }
    return DAE_OK;
}

dae_status run_profiles_init(run_profiles *p, dae_run *run, const char *list,
    const number_list *at, messages *m)
{
    *p = (run_profiles){.model = dae_run_model(run)};
    dae_status st = find_arrays(p, run, list, m);
    if (!st) st = choose_times(p, run, at, m);
    return st ? st : take_points(p);
}

void run_profiles_clear(run_profiles *p)
{
    dae_columns_free(p->values);
    dae_columns_free(p->over);
    *p = (run_profiles){0};
}

/* ---- points ---- */

static double abscissa(
    const run_profiles *p, const profile *q, size_t k, const dae_point *at)
{
    if (p->over)
        return dae_point_value(p->model, dae_columns_at(p->over, k), at);
    const char *index = index_of(dae_columns_name(p->values, q->first + k));
    return index ? strtod(index + 1, NULL) : (double)NAN;
}

void run_profiles_take(run_profiles *p, const dae_point *at)
{
    for (size_t i = 0; i < p->count; i++) {
        profile *q = &p->items[i];
        double *to = q->points + 2 * q->count * p->taken;
        for (size_t k = 0; k < q->count; k++) {
            const dae_column y = dae_columns_at(p->values, q->first + k);
            *to++ = abscissa(p, q, k, at);
            *to++ = dae_point_value(p->model, y, at);
        }
    }
    p->taken++;
}

/* ---- curves of files ---- */

/* Between which rows t lies, and how far; false: none. Of rows at one time the last. */
static bool find_time(const dae_table *t, const double *time, double at,
    size_t *row, double *part)
{
    const size_t count = dae_table_row_count(t);
    for (size_t k = count; k-- > 0;) {
        const bool is_there = !(fabs(time[k] - at) > 0);
        const double next = k + 1 < count ? time[k + 1] : time[k];
        if (!is_there && !((time[k] - at) * (next - at) < 0)) continue;
        *row = k;
        *part = is_there ? 0 : (at - time[k]) / (next - time[k]);
        return true;
    }
    return false;
}

/* A column at each time, every second number; NaN where there are no rows. */
static dae_status put_column(const run_profiles *p, const dae_table *t,
    size_t column, size_t stride, double *to, messages *m)
{
    const double *time = dae_table_values(t, 0, m->library);
    const double *values = dae_table_values(t, column, m->library);
    if (!time || !values) return DAE_ARGUMENT;
    for (size_t i = 0; i < p->time_count; i++, to += stride) {
        size_t k;
        double part;
        *to = (double)NAN;
        if (!find_time(t, time, p->times[i], &k, &part)) continue;
        *to = values[k];
        if (part > 0) *to += part * (values[k + 1] - values[k]);
    }
    return DAE_OK;
}

/* The column of element k of an array, and that of its abscissa; SIZE_MAX: none. */
static size_t column_of(const dae_table *t, dae_columns *of, size_t k)
{
    return dae_table_find(t, dae_columns_name(of, k));
}

static bool has_columns(
    const run_profiles *p, const profile *q, const dae_table *t)
{
    for (size_t k = 0; k < q->count; k++)
        if (column_of(t, p->values, q->first + k) == SIZE_MAX
            || (p->over && column_of(t, p->over, k) == SIZE_MAX))
            return false;
    return true;
}

static dae_status put_array(const run_profiles *p, const profile *q,
    const dae_table *t, double *points, messages *m)
{
    const size_t stride = 2 * q->count;
    dae_status st = DAE_OK;
    for (size_t k = 0; !st && k < q->count; k++) {
        double *x = points + 2 * k;
        for (size_t i = 0; !p->over && i < p->time_count; i++)
            x[i * stride] = abscissa(p, q, k, NULL);
        if (p->over)
            st = put_column(p, t, column_of(t, p->over, k), stride, x, m);
        if (!st)
            st = put_column(
                p, t, column_of(t, p->values, q->first + k), stride, x + 1, m);
    }
    return st;
}

dae_status run_profiles_overlay(
    run_profiles *p, const overlay *o, size_t *added, messages *m)
{
    profile_file **last = &p->files;
    dae_status st = DAE_OK;
    while (*last) last = &(*last)->next;
    profile_file *f = *last = memory_take(1, sizeof *f);
    if (f) f->points = memory_take(p->count, sizeof *f->points);
    if (!f || !f->points) return DAE_MEMORY;
    f->of = o;
    for (size_t i = 0; !st && i < p->count; i++) {
        const profile *q = &p->items[i];
        if (!has_columns(p, q, o->table)) continue;
        const size_t each = 2 * p->time_count;
        f->points[i] = memory_take(q->count, each * sizeof(double));
        st = f->points[i] ? put_array(p, q, o->table, f->points[i], m)
                          : DAE_MEMORY;
        ++*added;
    }
    return dae_columns_lost(p->values) || dae_columns_lost(p->over) ? DAE_MEMORY
                                                                    : st;
}

/* ---- the picture ---- */

/* A curve for each time; of a file where it has rows. */
static void put_times(const run_profiles *p, const profile *q,
    const double *points, const overlay *of, picture_panel *panel)
{
    const char *time = dae_model_settings(p->model)->independent;
    phrase name = {0};
    for (size_t i = 0; i < p->taken; i++) {
        const double *from = points + 2 * q->count * i;
        if (of && isnan(from[1])) continue;
        phrase_empty(&name);
        if (of) phrase_add(&name, "%.*s: ", of->label_length, of->label);
        phrase_add(&name, "%s = %.6g", time, p->times[i]);
        picture_curve *c = panel_add_curve(
            panel, CURVE_LINE, phrase_text(&name));
        for (size_t k = 0; k < q->count; k++, from += 2)
            curve_add(c, from[0], from[1]);
    }
}

static void put_panel(const run_profiles *p, const profile *q, picture *into)
{
    phrase title = {0}, x = {0}, y = {0};
    phrase_add(&title, "%s at %zu", q->name, p->taken);
    if (p->taken < p->time_count) phrase_add(&title, " of %zu", p->time_count);
    phrase_add(&title, " time%s", NUMBER_PLURAL(p->time_count));
    phrase_put(&y, q->name);
    phrase_put_unit(&y, dae_columns_unit(p->values, q->first));
    if (p->over) {
        const char *name = dae_columns_name(p->over, 0);
        phrase_add(&x, "%.*s", (int)(index_of(name) - name), name);
        phrase_put_unit(&x, dae_columns_unit(p->over, 0));
    } else {
        phrase_put(&x, "index");
    }
    picture_panel *panel = picture_add_panel(
        into, phrase_text(&title), phrase_text(&x), phrase_text(&y));
    const size_t place = (size_t)(q - p->items);
    put_times(p, q, q->points, NULL, panel);
    for (const profile_file *f = p->files; f; f = f->next)
        if (f->points[place]) put_times(p, q, f->points[place], f->of, panel);
    if (panel) panel->needs_names = true;
}

void run_profiles_make(const run_profiles *p, picture *into)
{
    for (size_t i = 0; i < p->count; i++) put_panel(p, &p->items[i], into);
}
