/* dae show: what the compiler made of a model. */
#include "command.h"
#include "console.h"
#include "load.h"
#include "memory.h"
#include "show.h"
#include <stdlib.h>

static const dae_show LISTINGS[] = {DAE_SHOW_TOKENS, DAE_SHOW_AST,
    DAE_SHOW_EQUATIONS, DAE_SHOW_JACOBIAN, DAE_SHOW_BYTECODE};

/* Tokens and tree need no model that compiles. */
static dae_status show_text(
    const args *a, dae_show what, limits *l, messages *m)
{
    char *text;
    size_t length;
    dae_status st = load_text(a->paths.items[0], m, &text, &length);
    if (st) return st;
    st = dae_show_text(load_display_name(a->paths.items[0]), text, length, what,
        &l->allocator, m->library, console_write_clean, stdout);
    memory_drop(text);
    return st;
}

static dae_status show_all(const args *a, limits *l, messages *m)
{
    dae_model *model = NULL;
    dae_status st = DAE_OK;
    unsigned wanted = a->show ? a->show : 1u << DAE_SHOW_EQUATIONS;
    for (size_t i = 0; i < sizeof LISTINGS / sizeof *LISTINGS && !st; i++) {
        dae_show what = LISTINGS[i];
        if (!(wanted & 1u << what)) continue;
        if (what == DAE_SHOW_TOKENS || what == DAE_SHOW_AST) {
            st = show_text(a, what, l, m);
            continue;
        }
        if (!model) st = load_model(a, a->paths.items[0], l, m, &model, NULL);
        if (!st) st = dae_model_show(model, what, console_write_clean, stdout);
    }
    if (st == DAE_MEMORY && !messages_have(m, "E0003"))
        messages_add(m, "E0003", "out of memory");
    dae_model_free(model);
    return st;
}

/* One way of looking at a model at a time reads standard input. */
static bool asks_many(const args *a)
{
    unsigned ways = a->show;
    const bool has_own = a->show_reduced || a->show_condensed;
    if ((a->show_structure || a->events) && (ways || has_own)) return true;
    if (a->show_structure && a->events) return true;
    return (ways & (ways - 1)) != 0;
}

/* No session that explains it: the only limit of time is that of --untrusted. */
static dae_status explain_limit(
    const args *a, const limits *l, messages *m, dae_status st)
{
    const bool is_stopped = st == DAE_INTERRUPTED
        || (st == DAE_MEMORY && l->was_stopped);
    if (!is_stopped || !l->time_over) return st;
    m->hidden = "E0003 E0005";
    messages_add(
        m, "E0004", "the time limit of %g s was reached", a->time_limit);
    return DAE_LIMIT;
}

static exit_status show_listings(const args *a)
{
    limits l;
    messages m;
    if (!messages_init(&m, NULL)) return command_no_memory();
    limits_start(&l, a);
    limits_arm(&l, a);
    const dae_status shown = show_all(a, &l, &m);
    dae_status st = explain_limit(a, &l, &m, shown);
    bool flushed = console_flush();
    if (a->json && messages_count(&m)) {
        json j = json_on(stdout);
        json_begin_object(&j, NULL);
        messages_json(&m, &j);
        json_end_object(&j);
    }
    messages_print(&m, a);
    if (!st && messages_are_incomplete(&m)) st = DAE_MEMORY;
    messages_clear(&m);
    memory_use_none();
    return flushed ? exit_of(st) : EXIT_FILE;
}

exit_status cmd_show(const args *a)
{
    exit_status status = EXIT_DONE;
    const char *path = a->paths.items[0];
    if (asks_many(a) && path[0] == '-' && !path[1]) {
        (void)fputs(
            "dae: standard input can be shown in one way only\n", stderr);
        return EXIT_USAGE;
    }
    if (a->show_reduced) status = show_reduced(a);
    else if (a->show_condensed) status = show_condensed(a);
    else if (a->show || !(a->show_structure || a->events))
        status = show_listings(a);
    if (!status && a->show_structure) status = show_structure(a);
    if (!status && a->events) status = show_events(a);
    return status;
}
