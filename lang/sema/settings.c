/* The `solve` line. */
#include "sema/lowering.h"

#include <math.h>
#include <string.h>

typedef enum option_kind {
    OPTION_POSITIVE,
    OPTION_NOT_NEGATIVE,
    OPTION_COUNT,
    OPTION_WORD,
    OPTION_GRID,
    OPTION_ERROR,
    OPTION_SWITCH
} option_kind;
typedef struct option_field {
    const char *name;
    option_kind kind;
    size_t offset;
} option_field;

#define FIELD(name, kind, field)                                               \
    {                                                                          \
        name, kind, offsetof(dae_settings, field)                              \
    }
static const option_field fields[] = {
    FIELD("rtol", OPTION_NOT_NEGATIVE, rtol),
    FIELD("atol", OPTION_POSITIVE, atol),
    FIELD("method", OPTION_WORD, method),
    FIELD("order", OPTION_COUNT, order),
    FIELD("points", OPTION_COUNT, points),
    FIELD("grid", OPTION_GRID, log_grid),
    FIELD("first", OPTION_POSITIVE, log_first),
    FIELD("first_step", OPTION_POSITIVE, first_step),
    FIELD("max_step", OPTION_POSITIVE, max_step),
    FIELD("linear", OPTION_WORD, linear),
    FIELD("error", OPTION_ERROR, global_error),
    FIELD("sliding", OPTION_SWITCH, sliding),
};
enum { FIELD_COUNT = sizeof fields / sizeof fields[0] };

static const option_field *find_field(const char *name)
{
    for (size_t k = 0; k < FIELD_COUNT; k++) {
        if (strcmp(fields[k].name, name) == 0) return &fields[k];
    }
    return NULL;
}

/* How other programs call them. */
static const char *option_meant(const char *name)
{
    static const char *const others[][2] = {{"RelTol", "rtol"},
        {"reltol", "rtol"}, {"tolerance", "rtol"}, {"AbsTol", "atol"},
        {"abstol", "atol"}, {"MaxStep", "max_step"}, {"MaxOrder", "order"},
        {"dt", "max_step"}, {"h", "max_step"}, {"steps", "points"},
        {"n", "points"}, {"interval", "points"}, {"solver", "method"}};
    for (size_t k = 0; k < sizeof others / sizeof others[0]; k++) {
        if (strcmp(name, others[k][0]) == 0) return others[k][1];
    }
    const char *names[FIELD_COUNT];
    for (size_t k = 0; k < FIELD_COUNT; k++) names[k] = fields[k].name;
    return nearest_name(name, names, FIELD_COUNT);
}

static void unknown_option(lowering *l, const ast_option *o, const char *name)
{
    fail_value(
        l, DIAG_E0214, o->span, "`%s` is not an option of `solve`", name);
    const char *near = option_meant(name);
    if (strcmp(name, "step") == 0) {
        report_help(l->ds,
            "steps of one length are chosen on the command line, --step H; "
            "`max_step` is the longest step of those that the error chooses");
    } else if (near) {
        report_help(l->ds, "did you mean `%s`?", near);
    } else {
        report_help(l->ds,
            "options: rtol, atol, method, order, points, grid, first, "
            "first_step, max_step, linear, error, sliding");
    }
}

/* method = bdf and method = "bdf" are the same. */
static const char *option_word(lowering *l, const ast_option *o)
{
    const ast_expr *e = o->value;
    if (e->kind == AST_NAME || e->kind == AST_STRING) {
        return word_text(l, e->name);
    }
    fail_value(
        l, DIAG_E0214, e->span, "`%s` needs a word", word_text(l, o->name));
    return NULL;
}

static bool option_number(
    lowering *l, const ast_option *o, bool is_zero_fine, double *number)
{
    size_t errors = error_count(l);
    resolve_one(l, o->value);
    if (error_count(l) > errors) return false;
    value v = lower_scalar(l, o->value);
    if (!value_force(l, v, o->value->span, "an option", number)) {
        return false;
    }
    if (*number > 0 && isfinite(*number)) return true;
    if (*number == 0 && is_zero_fine) return true;
    fail_value(l, DIAG_E0214, o->value->span, "`%s` must be %s, but is %.17g",
        word_text(l, o->name), is_zero_fine ? "0 or positive" : "positive",
        *number);
    return false;
}

static void set_grid(lowering *l, const ast_option *o, const char *word)
{
    if (!word) return;
    if (strcmp(word, "log") == 0) {
        l->out->settings.log_grid = 1;
    } else if (strcmp(word, "even") != 0) {
        fail_value(l, DIAG_E0214, o->value->span,
            "`grid` is \"log\" or \"even\", not \"%s\"", word);
    }
}

static void set_error(lowering *l, const ast_option *o, const char *word)
{
    if (!word) return;
    l->out->settings.global_error = strcmp(word, "global") == 0;
    if (l->out->settings.global_error || strcmp(word, "local") == 0) return;
    fail_value(l, DIAG_E0214, o->value->span,
        "`error` is \"local\" or \"global\", not \"%s\"", word);
}

static void set_switch(lowering *l, const ast_option *o, const char *word)
{
    if (!word) return;
    l->out->settings.sliding = strcmp(word, "on") == 0;
    if (l->out->settings.sliding || strcmp(word, "off") == 0) return;
    fail_value(l, DIAG_E0214, o->value->span, "`%s` is on or off, not \"%s\"",
        word_text(l, o->name), word);
}

/* `rtol = 1e-3, rtol = 1e-6`: the last would silently win. */
static bool is_given_before(lowering *l, const ast_stmt *stmt, uint32_t k)
{
    const ast_option *o = &stmt->options[k];
    uint32_t first;
    if (!names_seen(l, o->name, k, &first)) return false;
    fail_value(
        l, DIAG_E0202, o->span, "`%s` is given twice", word_text(l, o->name));
    report_also(l->ds, l->source, stmt->options[first].span, "first here");
    return true;
}

static void set_option(lowering *l, const ast_option *o)
{
    const char *name = word_text(l, o->name);
    const option_field *f = find_field(name);
    if (!f) {
        unknown_option(l, o, name);
        return;
    }
    char *at = (char *)&l->out->settings + f->offset;
    double number;
    if (f->kind == OPTION_GRID) {
        set_grid(l, o, option_word(l, o));
    } else if (f->kind == OPTION_ERROR) {
        set_error(l, o, option_word(l, o));
    } else if (f->kind == OPTION_SWITCH) {
        set_switch(l, o, option_word(l, o));
    } else if (f->kind == OPTION_WORD) {
        const char *word = option_word(l, o);
        memcpy(at, &word, sizeof word);
    } else if (option_number(l, o, f->kind == OPTION_NOT_NEGATIVE, &number)) {
        if (f->kind == OPTION_POSITIVE || f->kind == OPTION_NOT_NEGATIVE) {
            memcpy(at, &number, sizeof number);
        } else if (number > 1e9) {
            fail_value(l, DIAG_E0214, o->value->span,
                "`%s` is at most 1e9, not %.9g", name, number);
        } else if (number != floor(number)) {
            fail_value(l, DIAG_E0214, o->value->span,
                "`%s` must be a whole number, but is %.17g", name, number);
        } else if (strcmp(name, "order") == 0) {
            l->out->settings.order = (int)number;
        } else {
            l->out->settings.points = (int64_t)number;
        }
    }
}

static bool bound(lowering *l, const ast_expr *e, const char *what, double *t)
{
    value v = lower_scalar(l, e);
    if (!value_force(l, v, e->span, what, t)) return false;
    if (isfinite(*t)) return true;
    fail_value(l, DIAG_E0206, e->span, "%s is not finite", what);
    return false;
}

static void set_interval(lowering *l, const ast_stmt *stmt)
{
    dae_settings *s = &l->out->settings;
    bool ok = bound(l, stmt->iter->first, "the start of the run", &s->t0)
        && bound(l, stmt->iter->last, "the end of the run", &s->t1);
    if (ok && stmt->iter->step) {
        fail_value(
            l, DIAG_E0214, stmt->iter->step->span, "`solve` has no step here");
        report_help(l->ds, "write points = ... for output times");
    }
    if (ok && s->t0 == s->t1) {
        fail_value(l, DIAG_E0206, stmt->iter->span,
            "the run ends where it starts, at %.17g", s->t0);
    }
}

/* The caller's start takes the place of the line's, once that was checked. */
static void set_start(lowering *l)
{
    if (l->request->has_start) l->out->settings.t0 = l->request->start;
}

/* Expressions ask for it before the line is read. */
dae_status sliding_find(lowering *l)
{
    for (size_t k = 0; k < l->stmts.count; k++) {
        const ast_stmt *stmt = l->stmts.items[k].stmt;
        if (stmt->kind != AST_SOLVE) continue;
        for (uint32_t i = 0; i < stmt->option_count; i++) {
            const ast_option *o = &stmt->options[i];
            const bool is_word = o->value->kind == AST_NAME
                || o->value->kind == AST_STRING;
            if (strcmp(word_text(l, o->name), "sliding") == 0 && is_word)
                l->slides = l->s->slides = strcmp(word_text(l, o->value->name),
                                               "on")
                    == 0;
        }
    }
    return DAE_OK;
}

dae_status lower_settings(lowering *l)
{
    const ast_stmt *first = NULL;
    l->out->settings.rtol = (double)NAN;
    for (size_t k = 0; k < l->stmts.count; k++) {
        const ast_stmt *stmt = l->stmts.items[k].stmt;
        if (stmt->kind != AST_SOLVE) continue;
        if (first) {
            fail_value(l, DIAG_E0202, stmt->keyword, "a second `solve`");
            report_also(l->ds, l->source, first->keyword, "first here");
            continue;
        }
        first = stmt;
        l->out->settings.has_solve = 1;
        l->out->settings.span = place_in_text(l, stmt->span);
        set_interval(l, stmt);
        names_begin(l);
        for (uint32_t i = 0; i < stmt->option_count; i++) {
            if (!is_given_before(l, stmt, i)) set_option(l, &stmt->options[i]);
        }
    }
    set_start(l);
    return l->failed_memory ? DAE_MEMORY : DAE_OK;
}
