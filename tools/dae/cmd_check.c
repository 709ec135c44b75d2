/* dae check: what a model is, and whether its start is consistent. */
#include "check_parts.h"
#include "command.h"
#include "console.h"
#include "report.h"

static void put_document(session *s)
{
    char name[256];
    json j = json_on(stdout);
    json_begin_object(&j, NULL);
    session_name(s, s->args->paths.items[0], name, sizeof name);
    json_string(&j, "model", name);
    check_json(&s->check, s->args->verbose, &j);
    if (!s->args->no_times) report_json_seconds(&s->seconds, &j);
    check_json_changes(&s->check, &j);
    messages_json(&s->messages, &j);
    json_end_object(&j);
}

static void put_text(session *s)
{
    char name[256];
    session_name(s, s->args->paths.items[0], name, sizeof name);
    const check_view view = {.name = name,
        .status = s->status,
        .errors = messages_errors(&s->messages),
        .is_verbose = s->args->verbose};
    check_print(&s->check, &view, stdout);
    if (s->counts.held && !s->counts.failed && !s->counts.codes_missing)
        (void)printf(s->counts.held == 1 ? "\n%zu expectation holds\n"
                                         : "\n%zu expectations hold\n",
            s->counts.held);
}

exit_status cmd_check(const args *a)
{
    session s;
    if (session_open(&s, a, a->paths.items[0])) session_check(&s);
    session_explain_stop(&s);
    if (a->json) put_document(&s);
    else if (!a->quiet) put_text(&s);
    return session_end(&s);
}
