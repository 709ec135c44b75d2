/* What a run is asked to do: the settings by name, each from the caller, the model's
 * `solve` line or the program. */
#ifndef RUN_SETTINGS_H
#define RUN_SETTINGS_H

#include "base/arena.h"
#include "base/report.h"
#include <dae/run.h>

/* A request that cannot be met: says why, as printf does, and is DAE_ARGUMENT. */
#define RUN_REFUSE(ds, ...)                                                    \
    (report((ds), DIAG_E0505, NULL, (text_span){0, 0}, __VA_ARGS__),           \
        DAE_ARGUMENT)

/* In the order of the table in settings.c. */
typedef enum setting_id {
    SETTING_FROM,
    SETTING_TO,
    SETTING_RTOL,
    SETTING_ATOL,
    SETTING_FIRST_STEP,
    SETTING_MAX_STEP,
    SETTING_MAX_STEPS,
    SETTING_ORDER,
    SETTING_METHOD,
    SETTING_STEP,
    SETTING_START,
    SETTING_LINEAR,
    SETTING_REDUCE,
    SETTING_CONDENSE,
    SETTING_HOMOTOPY,
    SETTING_ERROR,
    SETTING_CHECK_ATOL,
    SETTING_STRICT,
    SETTING_POINTS,
    SETTING_EVERY,
    SETTING_ALL_STEPS,
    SETTING_COUNT
} setting_id;

/* An absolute tolerance of one unknown, or of an array's elements. */
typedef struct own_atol {
    const char *name;
    double value;
} own_atol;

typedef struct settings {
    arena texts;
    /* by the caller: NaN and NULL, not given */
    double number[SETTING_COUNT];
    const char *word[SETTING_COUNT];
    ARRAY(own_atol) atols;
} settings;

void settings_init(settings *s, const dae_allocator *a);
void settings_clear(settings *s);
/* Into empty ones. */
dae_status settings_copy(settings *s, const settings *from);
/* SETTING_COUNT: there is none of this name. */
setting_id settings_find(const char *name);
/* What holds: the caller's value, the model's or the default. */
dae_setting settings_at(
    const settings *s, const dae_model *model, setting_id id);
/* The same of one alone. */
double settings_number(
    const settings *s, const dae_model *model, setting_id id);
const char *settings_word(
    const settings *s, const dae_model *model, setting_id id);
/* The place of its word among those that it may have; -1: it is another one. */
int settings_choice(const settings *s, const dae_model *model, setting_id id);
bool settings_are_given(const settings *s, setting_id id);

/* Says what a setting may be; DAE_ARGUMENT. */
dae_status settings_refuse(setting_id id, dae_diagnostics *ds);

/* As dae_run_set_number and dae_run_set_word; what cannot be is reported. */
dae_status settings_set(settings *s, const char *name, double number,
    const char *word, dae_diagnostics *ds);
dae_status settings_set_atol(
    settings *s, const char *name, double value, dae_diagnostics *ds);

#endif
