/* Standard output, standard error and the terminal behind them. */
#ifndef CONSOLE_H
#define CONSOLE_H

#include "args.h"

/* Whether diagnostics on standard error get colours (--color, NO_COLOR). */
bool console_colors(const args *a);
/* A terminal that knows no escape sequences (TERM=dumb). */
bool console_is_dumb(void);
bool console_is_terminal(FILE *stream);
/* Seconds of a clock that only goes forward. */
double console_clock(void);
/* A dae_write_fn whose context is a FILE. */
int console_write(void *file, const char *text, size_t length);
/* The same of a text that has parts of a model as they stand: what could steer a
 * terminal becomes `?`. */
int console_write_clean(void *file, const char *text, size_t length);
/* Flushes standard output; false, with a message, where it failed. */
bool console_flush(void);

#endif
