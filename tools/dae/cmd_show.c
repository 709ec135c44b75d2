/* dae show: what the compiler made of a model. */
#include "command.h"
#include "console.h"
#include "session.h"
#include "show.h"

static const dae_show LISTINGS[] = {DAE_SHOW_TOKENS, DAE_SHOW_AST,
    DAE_SHOW_EQUATIONS, DAE_SHOW_JACOBIAN, DAE_SHOW_BYTECODE};

/* Tokens and tree need no model that compiles. */
static dae_status show_text(session *s, dae_show what)
{
    char *text;
    size_t length;
    const char *path = s->args->paths.items[0];
    const dae_status st = load_text(path, &s->messages, &text, &length);
    return st ? st
              : dae_show_text(load_display_name(path), text, length, what,
                  &s->limits.allocator, s->messages.library,
                  console_write_clean, stdout);
}

static dae_status show_all(session *s)
{
    const args *a = s->args;
    dae_status st = DAE_OK;
    unsigned wanted = a->show ? a->show : 1u << DAE_SHOW_EQUATIONS;
    for (size_t i = 0; i < sizeof LISTINGS / sizeof *LISTINGS && !st; i++) {
        dae_show what = LISTINGS[i];
        if (!(wanted & 1u << what)) continue;
        if (what == DAE_SHOW_TOKENS || what == DAE_SHOW_AST) {
            st = show_text(s, what);
            continue;
        }
        if (!s->model)
            st = load_model(a, a->paths.items[0], &s->limits, &s->messages,
                &s->model, NULL);
        if (!st)
            st = dae_model_show(s->model, what, console_write_clean, stdout);
    }
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

static exit_status show_listings(const args *a)
{
    session s;
    if (session_begin(&s, a)) s.status = show_all(&s);
    return session_end_show(&s, a);
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
