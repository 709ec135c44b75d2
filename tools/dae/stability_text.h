/* `dae stability` for people: tables and a sentence. */
#ifndef STABILITY_TEXT_H
#define STABILITY_TEXT_H

#include "stability_view.h"

/* False: memory ran out for a part. */
bool stability_text_methods(const stability_view *v, FILE *file);
bool stability_text_eigenvalues(const stability_view *v, FILE *file);
/* What is seen, in lines of readable length. */
bool stability_text_sentence(const stability_view *v, FILE *file);

#endif
