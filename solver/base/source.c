/* Lines end in "\n"; a "\r" before it is not part of the line. A column is
 * the number of code points before the place, plus 1; bytes that are not
 * UTF-8 count as one each, a byte order mark at the beginning as none. */
#include "base/source.h"
#include "base/report.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>

#define SOURCE_LARGEST ((size_t)1 << 30)

static dae_status index_lines(dae_source *s, arena *a)
{
    uint32_t count = 1, line = 0;
    for (uint32_t i = 0; i < s->length; i++) count += s->text[i] == '\n';
    uint32_t *start = ARENA_ARRAY(a, uint32_t, count);
    if (!start) return DAE_MEMORY;
    start[line++] = 0;
    for (uint32_t i = 0; i < s->length; i++)
        if (s->text[i] == '\n') start[line++] = i + 1;
    s->line_count = count;
    s->line_start = start;
    return DAE_OK;
}

dae_status source_init(
    dae_source *s, arena *a, const char *name, const char *text, size_t length)
{
    memset(s, 0, sizeof *s);
    if (length > SOURCE_LARGEST) return DAE_LIMIT;
    s->name = arena_copy(a, name, strlen(name));
    s->text = arena_copy(a, text, length);
    s->length = (uint32_t)length;
    if (s->name && s->text && index_lines(s, a) == DAE_OK) return DAE_OK;
    memset(s, 0, sizeof *s);
    return DAE_MEMORY;
}

typedef struct bytes {
    const dae_allocator *allocator;
    ARRAY(char) text;
} bytes;

/* Reads to the end; works on pipes too, whose size is not known before. */
static dae_status read_all(FILE *file, bytes *into)
{
    for (;;) {
        if (!ARRAY_RESERVE(into->allocator, &into->text, 65536))
            return DAE_MEMORY;
        size_t room = into->text.capacity - into->text.count;
        size_t got = fread(into->text.items + into->text.count, 1, room, file);
        into->text.count += got;
        if (into->text.count > SOURCE_LARGEST) return DAE_LIMIT;
        if (got < room) return ferror(file) ? DAE_IO : DAE_OK;
    }
}

static void report_unread(
    dae_diagnostics *ds, dae_status st, const char *path, int error)
{
    const text_span none = {0, 0};
    if (st == DAE_LIMIT)
        report(ds, DIAG_E0004, NULL, none, "`%s` is larger than 1 GiB", path);
    else if (st == DAE_MEMORY)
        report(ds, DIAG_E0003, NULL, none, "no memory left while reading `%s`",
            path);
    else
        report(ds, DIAG_E0001, NULL, none, "cannot read `%s`: %s", path,
            error ? strerror(error) : "read error");
}

dae_status source_read(
    dae_source *s, arena *a, const char *path, dae_diagnostics *ds)
{
    bytes read = {.allocator = a->allocator};
    dae_status st = DAE_IO;
    memset(s, 0, sizeof *s);
    errno = 0;
    FILE *file = fopen(path, "rb");
    if (file) st = read_all(file, &read);
    int error = errno;
    if (file) (void)fclose(file);
    if (st == DAE_IO && error == ENOMEM) st = DAE_MEMORY;
    if (st == DAE_OK)
        st = source_init(s, a, path, read.text.items, read.text.count);
    if (st) report_unread(ds, st, path, error);
    ARRAY_FREE(read.allocator, &read.text);
    return st;
}

/* Bytes of a byte order mark, which no editor shows. */
static uint32_t mark_length(const dae_source *s)
{
    return s->length >= 3 && memcmp(s->text, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0;
}

uint32_t source_line_at(const dae_source *s, uint32_t offset)
{
    uint32_t low = 0, high = s->line_count; /* start[low] <= offset */
    if (offset > s->length) offset = s->length;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (s->line_start[middle] <= offset) low = middle;
        else high = middle;
    }
    return low + 1;
}

void source_position(
    const dae_source *s, uint32_t offset, uint32_t *line, uint32_t *column)
{
    if (offset > s->length) offset = s->length;
    *line = source_line_at(s, offset);
    uint32_t count = 1;
    uint32_t begin = s->line_start[*line - 1];
    if (*line == 1) begin += mark_length(s);
    for (uint32_t i = begin; i < offset; i++)
        count += ((unsigned char)s->text[i] & 0xC0) != 0x80;
    *column = count;
}

const char *source_line(const dae_source *s, uint32_t line, uint32_t *length)
{
    *length = 0;
    if (line == 0 || line > s->line_count) return "";
    uint32_t begin = s->line_start[line - 1];
    uint32_t end = line < s->line_count ? s->line_start[line] - 1 : s->length;
    if (end > begin && s->text[end - 1] == '\r') end--;
    *length = end - begin;
    return s->text + begin;
}
