/* CSV as RFC 4180 describes it, but with lines that end in "\n". */
#ifndef WRITE_CSV_H
#define WRITE_CSV_H

#include <dae/diag.h>
#include <stddef.h>

/* One field; quoted where it holds a comma, a quote or a line end. The
 * writer keeps its errors for itself. */
void csv_text(dae_write_fn *write, void *context, const char *text);
/* A whole line of numbers. */
void csv_row(dae_write_fn *write, void *context, double t, const double *values,
    size_t count);

#endif
