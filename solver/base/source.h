/* One source text: its bytes with a final NUL, and where its lines start. */
#ifndef BASE_SOURCE_H
#define BASE_SOURCE_H

#include "base/arena.h"
#include <dae/diag.h>
#include <dae/status.h>

typedef struct dae_source {
    const char *name; /* as the user gave it */
    const char *text; /* length bytes, then NUL */
    uint32_t length;
    uint32_t line_count;
    const uint32_t *line_start; /* offset of each line */
} dae_source;

/* A range of bytes of a source. */
typedef struct text_span {
    uint32_t begin, end;
} text_span;

/* Copies the text into the arena. DAE_LIMIT above 1 GiB. */
dae_status source_init(dae_source *s, arena *a, const char *name,
    const char *text, size_t length) DAE_MUST_CHECK;
/* Reads a whole file; DAE_IO with a diagnostic E0001 where it cannot. */
dae_status source_read(dae_source *s, arena *a, const char *path,
    dae_diagnostics *ds) DAE_MUST_CHECK;
/* Line and column (code points), both from 1, of a byte offset. */
void source_position(
    const dae_source *s, uint32_t offset, uint32_t *line, uint32_t *column);
/* The line alone, which long lines do not make slower. */
uint32_t source_line_at(const dae_source *s, uint32_t offset);
/* The bytes of a line (from 1) without its end. */
const char *source_line(const dae_source *s, uint32_t line, uint32_t *length);

#endif
