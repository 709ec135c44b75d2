/* CSV as RFC 4180 describes it, but with lines that end in "\n". */
#ifndef WRITE_CSV_H
#define WRITE_CSV_H

#include <stddef.h>
#include <stdio.h>

/* One field; quoted where it holds a comma, a quote or a line end. Write
 * errors stay in the stream (ferror). */
void csv_text(FILE *file, const char *text);
/* A whole line of numbers. */
void csv_row(FILE *file, double t, const double *values, size_t count);

#endif
