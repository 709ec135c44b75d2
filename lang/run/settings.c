#include "run/settings.h"
#include "base/intern.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

typedef enum setting_kind {
    KIND_TIME,      /* finite */
    KIND_POSITIVE,  /* above 0, finite */
    KIND_TOLERANCE, /* 0 or more, finite */
    KIND_COUNT,     /* a whole number above 0, of 64 bits */
    KIND_FLAG,      /* 0 or 1 */
    KIND_NAME,      /* any word */
    KIND_WORD       /* one of `words` */
} setting_kind;

/* The first is the default; their order is that of the enums in dae/solver.h. */
static const char *const STARTS[] = {"fine", "exact", "ramp", NULL};
static const char *const LINEAR[] = {
    "auto", "dense", "klu", "umfpack", "list", "direct", "gmres", NULL};
static const char *const REDUCE[] = {
    "auto", "project", "stabilize", "never", NULL};
static const char *const IF_USEFUL[] = {"auto", "never", NULL};
static const char *const ERRORS[] = {"local", "global", NULL};

static const struct known {
    const char *name;
    setting_kind kind;
    const char *const *words;
} table[SETTING_COUNT] = {
    [SETTING_FROM] = {"from", KIND_TIME, NULL},
    [SETTING_TO] = {"to", KIND_TIME, NULL},
    [SETTING_RTOL] = {"rtol", KIND_TOLERANCE, NULL},
    [SETTING_ATOL] = {"atol", KIND_TOLERANCE, NULL},
    [SETTING_FIRST_STEP] = {"first-step", KIND_POSITIVE, NULL},
    [SETTING_MAX_STEP] = {"max-step", KIND_POSITIVE, NULL},
    [SETTING_MAX_STEPS] = {"max-steps", KIND_COUNT, NULL},
    [SETTING_ORDER] = {"order", KIND_COUNT, NULL},
    [SETTING_METHOD] = {"method", KIND_NAME, NULL},
    [SETTING_STEP] = {"step", KIND_POSITIVE, NULL},
    [SETTING_START] = {"start", KIND_WORD, STARTS},
    [SETTING_LINEAR] = {"linear", KIND_WORD, LINEAR},
    [SETTING_REDUCE] = {"reduce", KIND_WORD, REDUCE},
    [SETTING_CONDENSE] = {"condense", KIND_WORD, IF_USEFUL},
    [SETTING_HOMOTOPY] = {"homotopy", KIND_FLAG, NULL},
    [SETTING_ERROR] = {"error", KIND_WORD, ERRORS},
    [SETTING_CHECK_ATOL] = {"check-atol", KIND_WORD, IF_USEFUL},
    [SETTING_STRICT] = {"strict", KIND_FLAG, NULL},
    [SETTING_POINTS] = {"points", KIND_COUNT, NULL},
    [SETTING_EVERY] = {"every", KIND_POSITIVE, NULL},
    [SETTING_ALL_STEPS] = {"all-steps", KIND_FLAG, NULL},
};

void settings_init(settings *s, const dae_allocator *a)
{
    *s = (settings){.texts = {0}};
    arena_init(&s->texts, a, 0);
    for (int i = 0; i < SETTING_COUNT; i++) s->number[i] = (double)NAN;
}

void settings_clear(settings *s)
{
    ARRAY_FREE(s->texts.allocator, &s->atols);
    arena_clear(&s->texts);
}

/* max_step, as in a `solve` line, is max-step. */
static bool is_same(const char *a, const char *b)
{
    for (; *a && (*a == *b || (*a == '-' && *b == '_')); a++) b++;
    return *a == *b;
}

setting_id settings_find(const char *name)
{
    int i = 0;
    while (i < SETTING_COUNT && !is_same(table[i].name, name)) i++;
    return (setting_id)i;
}

bool settings_are_given(const settings *s, setting_id id)
{
    return !isnan(s->number[id]) || s->word[id];
}

/* ---- words ---- */

/* The place of a word in a list, -1: it is not there. */
static int place_of(const char *const *list, const char *word)
{
    for (int i = 0; list[i]; i++)
        if (strcmp(list[i], word) == 0) return i;
    return -1;
}

/* The model's; NULL: it says nothing. */
static const char *word_of_model(const dae_settings *m, setting_id id)
{
    switch (id) {
    case SETTING_METHOD: return m->method;
    case SETTING_LINEAR: return m->linear;
    case SETTING_ERROR: return m->global_error ? "global" : NULL;
    default: return NULL;
    }
}

static const char *default_word(setting_id id)
{
    return id == SETTING_METHOD ? "bdf" : table[id].words[0];
}

const char *settings_word(
    const settings *s, const dae_model *model, setting_id id)
{
    const char *own = word_of_model(dae_model_settings(model), id);
    return s->word[id] ? s->word[id] : own;
}

int settings_choice(const settings *s, const dae_model *model, setting_id id)
{
    const char *word = settings_word(s, model, id);
    return word ? place_of(table[id].words, word) : 0;
}

/* ---- numbers ---- */

static double if_positive(double value)
{
    return value > 0 ? value : (double)NAN;
}

/* The model's; NaN: it says nothing. */
static double number_of_model(const dae_settings *m, setting_id id)
{
    switch (id) {
    case SETTING_FROM: return m->has_solve ? m->t0 : (double)NAN;
    case SETTING_TO: return m->has_solve ? m->t1 : (double)NAN;
    case SETTING_RTOL: return m->rtol;
    case SETTING_ATOL: return if_positive(m->atol);
    case SETTING_FIRST_STEP: return if_positive(m->first_step);
    case SETTING_MAX_STEP: return if_positive(m->max_step);
    case SETTING_ORDER: return if_positive(m->order);
    case SETTING_POINTS: return if_positive((double)m->points);
    default: return (double)NAN;
    }
}

static double default_number(const dae_model *model, setting_id id)
{
    const dae_options o = dae_options_default();
    const dae_start *start = dae_model_problem(model)->start;
    switch (id) {
    case SETTING_FROM: return start ? start->t0 : 0;
    case SETTING_TO: return (double)NAN;
    case SETTING_RTOL: return o.rtol;
    case SETTING_ATOL: return o.atol;
    default: return 0;
    }
}

double settings_number(const settings *s, const dae_model *model, setting_id id)
{
    if (!isnan(s->number[id])) return s->number[id];
    const double own = number_of_model(dae_model_settings(model), id);
    return isnan(own) ? default_number(model, id) : own;
}

/* ---- what holds ---- */

dae_setting settings_at(
    const settings *s, const dae_model *model, setting_id id)
{
    const dae_settings *m = dae_model_settings(model);
    dae_setting is = {.name = table[id].name, .origin = DAE_FROM_DEFAULT};
    const bool is_word = table[id].kind >= KIND_NAME;
    is.number = is_word ? (double)NAN : settings_number(s, model, id);
    is.word = is_word ? settings_word(s, model, id) : NULL;
    if (settings_are_given(s, id)) is.origin = DAE_FROM_CALLER;
    else if (!isnan(number_of_model(m, id)) || word_of_model(m, id))
        is.origin = DAE_FROM_MODEL;
    if (is_word && !is.word) is.word = default_word(id);
    return is;
}

/* ---- what is given ---- */

static bool may_be(const struct known *k, double number, const char *word)
{
    if (word && !*word) return false;
    if (k->kind == KIND_NAME) return word != NULL;
    if (k->kind == KIND_WORD) return word && place_of(k->words, word) >= 0;
    if (word || !isfinite(number)) return false;
    switch (k->kind) {
    case KIND_TIME: return true;
    case KIND_TOLERANCE: return number >= 0;
    case KIND_COUNT:
        return number >= 1 && number < (double)INT64_MAX
            && !(number > floor(number));
    case KIND_FLAG: return !(fabs(number) > 0) || !(fabs(number - 1) > 0);
    default: return number > 0;
    }
}

static dae_status refuse_name(const char *name, dae_diagnostics *ds)
{
    const char *names[SETTING_COUNT];
    for (int i = 0; i < SETTING_COUNT; i++) names[i] = table[i].name;
    const char *near = nearest_name(name, names, SETTING_COUNT);
    const dae_status st = RUN_REFUSE(ds, "there is no setting `%s`", name);
    if (near) report_help(ds, "did you mean `%s`?", near);
    return st;
}

dae_status settings_refuse(setting_id id, dae_diagnostics *ds)
{
    const struct known *k = &table[id];
    static const char *const wanted[] = {[KIND_TIME] = "a finite number",
        [KIND_POSITIVE] = "a finite number above 0",
        [KIND_TOLERANCE] = "a finite number, 0 or above",
        [KIND_COUNT] = "a whole number above 0 and below 2^63",
        [KIND_FLAG] = "0 or 1",
        [KIND_NAME] = "a word",
        [KIND_WORD] = "one of the words"};
    char words[100] = "";
    for (size_t i = 0, n = 0; k->words && k->words[i]; i++)
        n += (size_t)snprintf(
            words + n, sizeof words - n, "%s%s", i ? ", " : " ", k->words[i]);
    return RUN_REFUSE(
        ds, "the setting %s wants %s%s", k->name, wanted[k->kind], words);
}

dae_status settings_set(settings *s, const char *name, double number,
    const char *word, dae_diagnostics *ds)
{
    const setting_id id = settings_find(name);
    const bool is_taken_back = isnan(number) && !word;
    if (id == SETTING_COUNT) return refuse_name(name, ds);
    if (!is_taken_back && !may_be(&table[id], number, word))
        return settings_refuse(id, ds);
    const char *copy = NULL;
    if (word && !(copy = arena_copy(&s->texts, word, strlen(word))))
        return DAE_MEMORY;
    s->number[id] = number;
    s->word[id] = copy;
    return DAE_OK;
}

dae_status settings_set_atol(
    settings *s, const char *name, double value, dae_diagnostics *ds)
{
    if (!isfinite(value) || value < 0) return settings_refuse(SETTING_ATOL, ds);
    const own_atol o = {arena_copy(&s->texts, name, strlen(name)), value};
    if (!o.name) return DAE_MEMORY;
    return ARRAY_PUSH(s->texts.allocator, &s->atols, o) ? DAE_OK : DAE_MEMORY;
}

dae_status settings_copy(settings *s, const settings *from)
{
    dae_status st = DAE_OK;
    for (int i = 0; !st && i < SETTING_COUNT; i++)
        st = settings_set(
            s, table[i].name, from->number[i], from->word[i], NULL);
    for (size_t k = 0; !st && k < from->atols.count; k++)
        st = settings_set_atol(
            s, from->atols.items[k].name, from->atols.items[k].value, NULL);
    return st;
}
