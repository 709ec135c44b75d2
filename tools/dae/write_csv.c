#include "write_csv.h"
#include "number.h"
#include <string.h>

void csv_text(FILE *file, const char *text)
{
    if (!strpbrk(text, ",\"\r\n")) {
        (void)fputs(text, file);
        return;
    }
    (void)fputc('"', file);
    for (const char *p = text; *p; p++) {
        if (*p == '"') (void)fputc('"', file);
        (void)fputc(*p, file);
    }
    (void)fputc('"', file);
}

void csv_row(FILE *file, double t, const double *values, size_t count)
{
    char text[NUMBER_SIZE];
    (void)fputs(number_exact(t, text), file);
    for (size_t i = 0; i < count; i++) {
        (void)fputc(',', file);
        (void)fputs(number_exact(values[i], text), file);
    }
    (void)fputc('\n', file);
}
