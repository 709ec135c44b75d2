/* Any bytes as a table: a fault with a place in the file, or columns of finite
 * numbers, which are the same once more from the table as it is written anew.
 * A spline through two of them goes through its rows. */
#include "data/csv.h"
#include "data/spline.h"
#include "harness.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SPLINE_ROWS = 200 };

static void check_fault(const csv_fault *f, const dae_source *source)
{
    harness_require(f->message[0] != '\0', "a fault says something");
    harness_require(
        f->span.begin <= f->span.end && f->span.end <= source->length,
        "a fault is in the file");
}

static void check_column(const csv_table *t, const csv_column *c)
{
    csv_fault f;
    const bool is_known = csv_find(t, c->name) == c;
    harness_require(strlen(c->name) <= t->source->length, "a name ends");
    harness_require(
        !c->flaw || c->flaw_row < t->row_count, "a flaw is in one of the rows");
    for (size_t k = 0; k < t->row_count; k++) {
        const text_span s = csv_cell_span(t, k, (size_t)(c - t->columns));
        harness_require(isfinite(c->values[k]), "numbers are finite");
        harness_require(s.begin <= s.end && s.end <= t->source->length,
            "a cell is in the file");
    }
    harness_require(
        (csv_numbers(t, c->name, &f) == c) == (is_known && !c->flaw),
        "a column without a flaw is given");
    if (!is_known || c->flaw) check_fault(&f, t->source);
    else if (!csv_ascends(t, c, 0, &f)) check_fault(&f, t->source);
}

/* ---- written anew ----------------------------------------------------------- */

static char *put_name(char *to, const char *name)
{
    *to++ = '"';
    for (; *name; name++) {
        if (*name == '"') *to++ = '"';
        *to++ = *name;
    }
    *to++ = '"';
    return to;
}

static size_t room_for(const csv_table *t)
{
    size_t room = 16;
    for (size_t k = 0; k < t->column_count; k++)
        room += 2 * strlen(t->columns[k].name) + 8;
    return room + t->row_count * t->column_count * 32;
}

static size_t write_anew(const csv_table *t, char *text)
{
    char *to = text;
    for (size_t k = 0; k < t->column_count; k++) {
        if (k) *to++ = ',';
        to = put_name(to, t->columns[k].name);
    }
    *to++ = '\n';
    for (size_t i = 0; i < t->row_count; i++)
        for (size_t k = 0; k < t->column_count; k++)
            to += sprintf(to, "%.17g%c", t->columns[k].values[i],
                k + 1 < t->column_count ? ',' : '\n');
    return (size_t)(to - text);
}

static void check_same(const csv_table *t, const csv_table *again)
{
    harness_require(again->column_count == t->column_count
            && again->row_count == t->row_count,
        "a table has its rows and columns again");
    for (size_t k = 0; k < t->column_count; k++) {
        const csv_column *a = &t->columns[k], *b = &again->columns[k];
        harness_require(strcmp(a->name, b->name) == 0, "names are the same");
        harness_require(!b->flaw, "numbers are numbers");
        harness_require(
            memcmp(a->values, b->values, t->row_count * sizeof *a->values) == 0,
            "numbers are the same");
    }
}

static void check_anew(const csv_table *t, arena *a)
{
    csv_fault f;
    dae_source source;
    csv_table again;
    char *text = arena_take(a, room_for(t), 1);
    if (!text) return;
    const size_t length = write_anew(t, text);
    if (source_init(&source, a, "anew.csv", text, length)) return;
    const dae_status st = csv_parse(&again, &source, a, &f);
    bool has_letter = false; /* names of numbers alone are none */
    for (size_t k = 0; k < t->column_count; k++)
        has_letter = has_letter
            || strspn(t->columns[k].name, "0123456789+-.eE \t")
                < strlen(t->columns[k].name);
    if (st == DAE_OK) check_same(t, &again);
    else harness_require(st != DAE_MODEL || !has_letter, f.message);
}

/* ---- splines ------------------------------------------------------------------ */

static void check_spline(const csv_table *t, unsigned degree, arena *a)
{
    csv_fault f;
    const size_t n = t->row_count;
    const csv_column *x = &t->columns[0], *y = &t->columns[1];
    if (n <= degree || n > SPLINE_ROWS || !csv_ascends(t, x, 0, &f)) return;
    double *c = ARENA_ARRAY(a, double, (n - 1) * (degree + 1));
    if (!c || spline_make(degree, x->values, y->values, n, c, a)) return;
    for (size_t k = 0; k + 1 < n; k++) {
        harness_require(c[k * (degree + 1)] == y->values[k],
            "a spline goes through its rows");
        for (unsigned j = 0; j <= degree; j++)
            harness_require(isfinite(c[k * (degree + 1) + j]),
                "a spline has finite coefficients");
    }
}

static void check_table(const csv_table *t, arena *a)
{
    harness_require(t->column_count > 0 && t->column_count <= CSV_COLUMNS_MOST,
        "a table has columns");
    for (size_t k = 1; k < t->row_count; k++)
        harness_require(
            t->row_begin[k] > t->row_begin[k - 1], "rows follow each other");
    if (t->column_count * t->row_count < 5000)
        for (size_t k = 0; k < t->column_count; k++)
            check_column(t, &t->columns[k]);
    check_anew(t, a);
    if (t->column_count < 2) return;
    check_spline(t, 3, a);
    check_spline(t, 5, a);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    harness h;
    arena a;
    dae_source source;
    csv_table t;
    csv_fault f;
    if (!harness_start(&h)) return 0;
    arena_init(&a, &h.allocator, 0);
    if (!source_init(&source, &a, "f.csv", (const char *)data, size)) {
        const dae_status st = csv_parse(&t, &source, &a, &f);
        if (st == DAE_OK) check_table(&t, &a);
        else if (st != DAE_MEMORY) check_fault(&f, &source);
    }
    arena_clear(&a);
    harness_finish(&h);
    return 0;
}
