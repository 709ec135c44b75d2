/* Any bytes as a text: the scanner's tokens ascend and end, the layout keeps
 * its word about the ends of statements, numbers have the values that the C
 * library gives them. */
#include "base/number.h"
#include "harness.h"
#include "syntax/layout.h"
#include <stdlib.h>
#include <string.h>

/* The C library's value, where it reads the same bytes. */
static void check_number(const char *text, size_t length)
{
    char copy[512], *end;
    double value = number_value(text, length);
    harness_require(value >= 0, "a number is not negative and not a NaN");
    if (length >= sizeof copy) return;
    memcpy(copy, text, length);
    copy[length] = 0;
    if (strspn(copy, "0123456789.eE+-") < length) return; /* 0x10 is a fault */
    double expected = strtod(copy, &end);
    if (end == copy + length)
        harness_require(value == expected, "a number has its nearest double");
}

static uint32_t scan_all(const dae_source *source, dae_diagnostics *ds)
{
    scanner s;
    uint32_t end = 0;
    scan_start(&s, source, ds);
    for (token t = scan_token(&s); t.kind != TOKEN_END_OF_TEXT;
         t = scan_token(&s)) {
        harness_require(t.span.begin >= end && t.span.end > t.span.begin
                && t.span.end <= source->length,
            "tokens ascend within the text");
        end = t.span.end;
        if (t.kind == TOKEN_NUMBER)
            check_number(source->text + t.span.begin, end - t.span.begin);
    }
    harness_require(scan_token(&s).kind == TOKEN_END_OF_TEXT,
        "the end of the text comes again");
    return s.faults;
}

static void check_layout(const dae_source *source, dae_diagnostics *ds)
{
    layout l;
    token last = {.kind = TOKEN_NL};
    size_t budget = 2 * (size_t)source->length + 2;
    layout_start(&l, source, ds);
    for (token t = layout_next(&l); t.kind != TOKEN_END_OF_TEXT;
         t = layout_next(&l)) {
        harness_require(
            t.kind != TOKEN_NEWLINE && t.kind != TOKEN_COMMENT && budget-- > 0,
            "the parser sees no comments, and an end");
        harness_require(t.kind != TOKEN_NL || last.kind != TOKEN_NL,
            "a statement ends once");
        last = t;
    }
    harness_require(last.kind == TOKEN_NL, "the last statement ends");
}

static void check_source(harness *h, const dae_source *source)
{
    uint32_t faults = scan_all(source, h->ds);
    harness_require(!faults == !dae_diagnostics_error_count(h->ds)
            && scan_all(source, NULL) == faults,
        "faults are the same, reported or not");
    dae_diagnostics_clear(h->ds);
    check_layout(source, h->ds);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    harness h;
    arena a;
    dae_source source;
    if (!harness_start(&h)) return 0;
    arena_init(&a, &h.allocator, 0);
    if (!source_init(&source, &a, "f.dae", (const char *)data, size))
        check_source(&h, &source);
    arena_clear(&a);
    dae_status st = dae_show_text("f.dae", (const char *)data, size,
        DAE_SHOW_TOKENS, &h.allocator, h.ds, harness_discard, NULL);
    harness_check_failure(&h, st);
    harness_finish(&h);
    return 0;
}
