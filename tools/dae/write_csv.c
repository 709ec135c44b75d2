#include "write_csv.h"
#include "number.h"
#include <string.h>

static void put(
    dae_write_fn *write, void *context, const char *bytes, size_t length)
{
    if (write(context, bytes, length)) return; /* which keeps it */
}

void csv_text(dae_write_fn *write, void *context, const char *text)
{
    if (!strpbrk(text, ",\"\r\n")) {
        put(write, context, text, strlen(text));
        return;
    }
    put(write, context, "\"", 1);
    for (const char *p = text; *p; p++) {
        if (*p == '"') put(write, context, "\"", 1);
        put(write, context, p, 1);
    }
    put(write, context, "\"", 1);
}

void csv_row(dae_write_fn *write, void *context, double t, const double *values,
    size_t count)
{
    char text[NUMBER_SIZE + 1];
    for (size_t i = 0; i <= count; i++) {
        (void)number_exact(i ? values[i - 1] : t, text);
        const size_t length = strlen(text);
        text[length] = i < count ? ',' : '\n';
        put(write, context, text, length + 1);
    }
}
