/* What `dae orders` prints for people. */
#ifndef ORDERS_TEXT_H
#define ORDERS_TEXT_H

#include "orders_view.h"

/* Tables and sentences; false: memory ran out for a part. */
bool orders_text(const orders_view *v, FILE *file);

#endif
