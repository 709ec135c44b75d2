#include "picture_files.h"
#include "gnuplot.h"
#include "gnuplot_script.h"
#include "number.h"

bool picture_files_are_named(const args *a, FILE *errors)
{
    for (size_t i = 0; i < a->outputs.count; i++) {
        const char *path = a->outputs.items[i];
        if (picture_format_of(path) != PICTURE_NONE) continue;
        (void)fprintf(errors,
            "dae: the name of a picture ends in .svg, .png or .pdf, unlike "
            "`%s`\n",
            path);
        return false;
    }
    return true;
}

void picture_files_expect(session *s)
{
    const string_list *paths = &s->args->outputs;
    for (size_t i = 0; i < paths->count && !s->status; i++)
        s->status = gnuplot_expect(paths->items[i], s->model, &s->messages);
}

void picture_files_draw(session *s, const picture *p)
{
    const string_list *paths = &s->args->outputs;
    for (size_t i = 0; i < paths->count && !s->status; i++)
        s->status = gnuplot_draw(
            p, paths->items[i], true, &s->limits, &s->messages);
}

void picture_files_tell(const session *s, size_t count, const char *what)
{
    const string_list *paths = &s->args->outputs;
    if (s->status) return;
    for (size_t i = 0; i < paths->count; i++)
        (void)printf("%s%s: %zu %s%s\n", i ? "" : "\n", paths->items[i], count,
            what, NUMBER_PLURAL(count));
}
