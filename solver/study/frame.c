#include "study/frame.h"

#include "linalg/naming.h"
#include <stdint.h>
#include <stdio.h>

enum { LINE_SIZE = 400, REASON_SIZE = 200 };

static const char *name_of(
    const frame *f, dae_name_kind kind, size_t index, char *text)
{
    text[0] = '\0';
    if (index != SIZE_MAX)
        (void)naming_text(f->problem, kind, index, text, NAMING_SIZE);
    return text;
}

/* Begins the diagnostic at the place of the equation, else of the unknown. */
static void begin(
    const frame *f, diag_code code, const step_fault *fault, const char *line)
{
    const dae_source *source = NULL;
    text_span span = {0, 0};
    char equation[NAMING_SIZE], unknown[NAMING_SIZE];
    name_of(f, DAE_NAME_EQUATION, fault->equation, equation);
    name_of(f, DAE_NAME_UNKNOWN, fault->unknown, unknown);
    if (fault->equation != SIZE_MAX)
        naming_place(
            f->problem, DAE_NAME_EQUATION, fault->equation, &source, &span);
    else if (fault->unknown != SIZE_MAX)
        naming_place(
            f->problem, DAE_NAME_UNKNOWN, fault->unknown, &source, &span);
    report(f->ds, code, source, span, "%s", line);
    report_numeric(f->ds, fault->t, fault->h, fault->order,
        *equation ? equation : NULL, *unknown ? unknown : NULL);
}

dae_status frame_tell_singular(
    const frame *f, const matrix *m, step_fault fault)
{
    char line[LINE_SIZE], equation[NAMING_SIZE], unknown[NAMING_SIZE];
    int64_t row = -1, column = -1;
    matrix_singular_at(m, &row, &column);
    fault.equation = row >= 0 ? (size_t)row : SIZE_MAX;
    fault.unknown = column >= 0 ? (size_t)column : SIZE_MAX;
    name_of(f, DAE_NAME_EQUATION, fault.equation, equation);
    name_of(f, DAE_NAME_UNKNOWN, fault.unknown, unknown);
    size_t end = (size_t)snprintf(line, sizeof line,
        "the iteration matrix is singular at t = %.10g (h = %.3g)", fault.t,
        fault.h);
    if (*equation && *unknown)
        (void)snprintf(line + end, sizeof line - end,
            ": `%s` does not determine `%s`", equation, unknown);
    else if (*unknown)
        (void)snprintf(line + end, sizeof line - end,
            ": nothing determines `%s`", unknown);
    begin(f, DIAG_E0502, &fault, line);
    report_help(
        f->ds, "equations may follow from each other here: see `dae check`");
    return DAE_NUMERIC;
}

dae_status frame_tell_nonfinite(const frame *f, step_fault fault)
{
    const dae_problem *p = f->problem;
    char line[LINE_SIZE], reason[REASON_SIZE] = "", equation[NAMING_SIZE];
    name_of(f, DAE_NAME_EQUATION, fault.equation, equation);
    if (p->explain && fault.equation != SIZE_MAX
        && p->explain(p->self, DAE_NAME_EQUATION, fault.equation, fault.t,
               fault.x, fault.xp, reason, sizeof reason)
            == SIZE_MAX)
        report_lost(f->ds);
    (void)snprintf(line, sizeof line,
        "%s%s%s not finite at t = %.10g (h = %.3g)%s%s", *equation ? "`" : "",
        *equation ? equation : "a value of the equations",
        *equation ? "` is" : " is", fault.t, fault.h, *reason ? ": " : "",
        reason);
    begin(f, DIAG_E0503, &fault, line);
    report_help(f->ds, "try smaller steps, or a lower order");
    return DAE_NUMERIC;
}

dae_status frame_tell_convergence(const frame *f, step_fault fault)
{
    char line[LINE_SIZE], equation[NAMING_SIZE];
    name_of(f, DAE_NAME_EQUATION, fault.equation, equation);
    (void)snprintf(line, sizeof line,
        "Newton's method does not converge in the step to t = %.10g (h = %.3g, "
        "order %d)%s%s%s",
        fault.t, fault.h, fault.order, *equation ? ", worst in `" : "",
        equation, *equation ? "`" : "");
    begin(f, DIAG_E0512, &fault, line);
    report_help(f->ds, "the step is given and is not cut: try a smaller one");
    return DAE_NUMERIC;
}

dae_status frame_ask(const frame *f, double t)
{
    const dae_study *s = f->study;
    if (!s->interrupt || !s->interrupt(s->interrupt_context)) return DAE_OK;
    report(f->ds, DIAG_E0005, NULL, (text_span){0, 0},
        "interrupted at t = %.10g", t);
    return DAE_INTERRUPTED;
}
