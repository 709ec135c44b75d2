/* Shared by all of start/ that reports, so that slots and rows are called the
 * same everywhere. */
#include "start/wording.h"
#include "base/report.h"
#include "linalg/naming.h"
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void text_add(text *t, const char *format, ...)
{
    va_list args;
    const size_t room = sizeof t->s - t->length;
    va_start(args, format);
    const int n = vsnprintf(t->s + t->length, room, format, args);
    va_end(args);
    if (n > 0 && (size_t)n < room) t->length += (size_t)n;
    else t->s[t->length] = '\0';
}

const char *slot_name(const init_system *s, size_t slot, char name[NAMING_SIZE])
{
    const init_request *r = s->request;
    return naming_slot(r->problem, r->layout, slot, name, NAMING_SIZE);
}

const char *row_name(const init_system *s, size_t row, char name[NAMING_SIZE])
{
    const bool is_f = row < s->equations;
    return naming_text(s->request->problem,
        is_f ? DAE_NAME_EQUATION : DAE_NAME_CONDITION,
        is_f ? row : row - s->equations, name, NAMING_SIZE);
}

void row_place(const init_system *s, size_t row, const dae_source **source,
    text_span *span)
{
    const bool is_f = row < s->equations;
    naming_place(s->request->problem,
        is_f ? DAE_NAME_EQUATION : DAE_NAME_CONDITION,
        is_f ? row : row - s->equations, source, span);
}

void slot_place(const init_system *s, size_t slot, const dae_source **source,
    text_span *span)
{
    int order;
    const size_t j = naming_unknown(s->request->layout, slot, &order);
    naming_place(s->request->problem, DAE_NAME_START, slot, source, span);
    if (*source) return;
    naming_place(s->request->problem, DAE_NAME_UNKNOWN, j, source, span);
}

static bool is_same_place(const init_system *s, size_t slot, size_t other)
{
    const dae_source *source[2];
    text_span span[2];
    slot_place(s, slot, &source[0], &span[0]);
    slot_place(s, other, &source[1], &span[1]);
    return source[0] == source[1] && span[0].begin == span[1].begin
        && span[0].end == span[1].end;
}

/* What is said of slot k and of those after it that have its place. */
static void given_there(
    const init_system *s, const int32_t *slots, size_t k, size_t count, text *t)
{
    char name[NAMING_SIZE];
    const size_t slot = (size_t)slots[k];
    size_t more = 0;
    slot_name(s, slot, name);
    text_add(t, "`%s` given as %g", name, s->z[slot]);
    for (size_t i = k + 1; i < count; i++) {
        const size_t other = (size_t)slots[i];
        if (!is_same_place(s, slot, other)) continue;
        text_add(t, ", `%s` as %g", slot_name(s, other, name), s->z[other]);
        more++;
    }
    if (more || strchr(name, '[')) return;
    *t = (text){.length = 0};
    text_add(t, "given as %g", s->z[slot]);
}

void place_given(const init_system *s, const int32_t *slots, size_t count)
{
    for (size_t k = 0; k < count; k++) {
        const dae_source *source;
        text_span span;
        text label = {.length = 0};
        bool is_told = false;
        for (size_t i = 0; i < k && !is_told; i++)
            is_told = is_same_place(s, (size_t)slots[k], (size_t)slots[i]);
        slot_place(s, (size_t)slots[k], &source, &span);
        if (is_told || !source) continue;
        given_there(s, slots, k, count, &label);
        report_also(s->request->ds, source, span, "%s", label.s);
    }
}

size_t fixed_in_row(
    const init_system *s, size_t row, size_t most, size_t *slots)
{
    size_t count = 0;
    for (size_t k = 0; k < s->slots; k++) {
        entry_range e[2];
        if (s->is_free[k]) continue;
        const int ranges = unknowns_column(s, k, e);
        for (int q = 0; q < ranges; q++) {
            for (int64_t p = e[q].begin; p < e[q].end; p++) {
                if ((size_t)e[q].row[p] + e[q].offset != row) continue;
                if (entry_value(&e[q], p) == 0) continue;
                if (count < most) slots[count] = k;
                count++;
            }
        }
    }
    return count;
}

void list_equations(const init_system *s, const int32_t *rows, size_t count,
    size_t most, text *out)
{
    char name[NAMING_SIZE];
    if (count > 1) text_add(out, "equations ");
    for (size_t k = 0; k < count && k < most; k++) {
        const bool is_last = k > 0 && k + 1 == count;
        text_add(out, "%s`%s`",
            is_last ? " and "
                : k ? ", "
                    : "",
            row_name(s, (size_t)rows[k], name));
    }
    if (count > most) text_add(out, " and %zu more", count - most);
}

size_t list_given(const init_system *s, const int32_t *rows, size_t row_count,
    const int32_t *slots, size_t slot_count, size_t most, text *out)
{
    char name[NAMING_SIZE];
    size_t named = 0;
    const size_t all = slot_count + row_count;
    for (size_t k = 0; k < slot_count && named < most; k++, named++)
        text_add(out, "%s`%s = %g`", named ? ", " : "",
            slot_name(s, (size_t)slots[k], name), s->z[slots[k]]);
    for (size_t k = 0; k < row_count && named < most; k++, named++)
        text_add(out, "%s`%s`", named ? ", " : "",
            row_name(s, (size_t)rows[k], name));
    if (all > named) text_add(out, " and %zu more", all - named);
    return all;
}
