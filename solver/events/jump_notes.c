#include "events/jump_notes.h"
#include "base/report.h"
#include "linalg/naming.h"
#include "reduce/thresholds.h"
#include <math.h>
#include <stdio.h>

/* Names told. */
enum { TOLD_MOST = 3 };

static double moved_by(const run *r, size_t j, double from, double to)
{
    const dae_scales *s = r->problem->scales;
    const double nominal = s && s->nominal && s->nominal[j] > 0 ? s->nominal[j]
                                                                : 1;
    const double tolerance = r->options.rtol * fmax(fabs(from), fabs(to))
        + r->options.atol * nominal;
    return from == to ? 0 : fabs(to - from) / tolerance;
}

static bool has_moved(const run *r, size_t j, double from, double to)
{
    return !(moved_by(r, j, from, to) <= HAS_JUMPED);
}

static void note(run *r, const layout *l, size_t slot, double from, double to)
{
    jump_note *jump = &r->events->reports.jump;
    char name[NAMING_SIZE];
    const size_t length = jump->length, room = sizeof jump->text - length;
    if (jump->count++ >= TOLD_MOST) return;
    naming_slot(r->problem, l, slot, name, sizeof name);
    if (length == 0) snprintf(jump->name, sizeof jump->name, "%s", name);
    const int more = snprintf(jump->text + length, room,
        "%s`%s` from %.6g to %.6g", length > 0 ? ", " : "", name, from, to);
    if (more > 0 && (size_t)more < room) jump->length += (size_t)more;
    else jump->text[length] = '\0';
}

void jump_notes_add(run *r, const reduction *d, const double *before,
    const double *after, const uint8_t *is_open, bool is_least)
{
    const extended *e = d->extended;
    const uint8_t *order = r->problem->order;
    size_t first = 0;
    for (size_t j = 0; j < e->unknowns; j++) {
        const size_t q = order ? order[j] : 1;
        for (size_t o = 0; o < q; o++) {
            const size_t c = e->column_first[j] + o;
            if (!is_open[c] || !has_moved(r, j, before[c], after[c])) continue;
            note(r, &d->layout, first + o, before[c], after[c]);
            r->events->reports.jump.is_least = is_least;
        }
        first += q > 0 ? q : 1;
    }
}

void jump_notes_add_slots(run *r, const layout *l, const double *before,
    const double *after, const uint8_t *is_assigned)
{
    const uint8_t *order = r->problem->order;
    size_t slot = 0;
    for (size_t j = 0; j < r->problem->unknown_count; j++) {
        const size_t q = order ? order[j] : 1;
        for (size_t o = 0; o < q; o++) {
            const size_t s = slot + o;
            const bool is_own = is_assigned && is_assigned[s];
            if (is_own || !has_moved(r, j, before[s], after[s])) continue;
            note(r, l, s, before[s], after[s]);
            r->events->reports.jump.is_least = true;
        }
        slot += q > 0 ? q : 1;
    }
}

double jump_notes_most(const run *r, const double *before, const double *after)
{
    const uint8_t *order = r->problem->order;
    double most = 0;
    size_t first = 0;
    for (size_t j = 0; j < r->problem->unknown_count; j++) {
        const size_t q = order ? order[j] : 1;
        for (size_t s = first; s < first + q; s++)
            most = fmax(most, moved_by(r, j, before[s], after[s]));
        first += q > 0 ? q : 1;
    }
    return most;
}

void jump_notes_clear(event_loop *e)
{
    e->reports.jump.count = e->reports.jump.length = 0;
    e->reports.jump.text[0] = '\0';
    e->reports.jump.is_least = false;
}

void jump_notes_report(run *r)
{
    event_loop *e = r->events;
    const jump_note *jump = &e->reports.jump;
    const dae_source *source = NULL;
    text_span span = {0, 0};
    char cause[NAMING_SIZE];
    if (jump->count == 0 || e->reports.has_jump) return;
    e->reports.has_jump = true;
    const dae_name_kind kind = e->whens.fired_count > 0 ? DAE_NAME_WHEN
                                                        : DAE_NAME_SWITCH;
    const size_t i = e->whens.fired_count > 0 ? e->whens.fired[0]
        : e->whens.turned_count > 0           ? e->whens.turned[0]
                                              : 0;
    naming_text(r->problem, kind, i, cause, sizeof cause);
    naming_place(r->problem, kind, i, &source, &span);
    report(r->ds, DIAG_W0527, source, span,
        "after `%s` at t = %.10g values jump that nobody assigns, and the "
        "equations leave open how far: %s%s",
        cause, e->stop.t, jump->text, jump->count > TOLD_MOST ? ", ..." : "");
    report_help(r->ds,
        jump->is_least
            ? "nothing tells how the jump is shared; the least change was "
              "taken: assign `%s := ...` where it matters"
            : "they share the jump as a blow would, by the equations without "
              "what stays bounded; assign `%s := ...` where it is another one",
        jump->name);
}
