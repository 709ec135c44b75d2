/* A panel of a picture in characters, for terminals. */
#ifndef PLOT_TEXT_H
#define PLOT_TEXT_H

#include "picture.h"
#include <stdio.h>

void plot_text(const picture_panel *panel, FILE *file);

#endif
