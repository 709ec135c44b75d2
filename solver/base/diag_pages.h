/* The pages of docs/diagnostics, embedded at build time by
 * tools/cmake/embed_diagnostics.cmake, which writes the table's C file. */
#ifndef BASE_DIAG_PAGES_H
#define BASE_DIAG_PAGES_H

#include <stddef.h>

typedef struct diag_page {
    const char *code;          /* "E0101" */
    const unsigned char *text; /* UTF-8 with a final NUL */
} diag_page;

extern const diag_page diag_pages[]; /* ascending by code; ends in NULLs */
extern const size_t diag_page_count;

#endif
