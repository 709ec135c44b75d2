#include "console.h"
#include "draw.h"
#include "gnuplot.h"
#include "memory.h"
#include "phrase.h"
#include "result_file.h"
#include "session.h"
#include "show.h"
#include <string.h>

enum { MOST_REPAIRS = 10 };

static void refuse_large(session *s, size_t n)
{
    messages_add(&s->messages, "E0004",
        "the structure of %zu unknowns is too large for text, which shows %d: "
        "-o FILE.svg, .png or .pdf makes a picture of any size",
        n, DRAW_TEXT_LARGEST);
    s->status = DAE_LIMIT;
}

/* An SVG needs nobody else. */
static void write_picture(session *s, const drawing *d, const char *path)
{
    canvas to = {.format = picture_format_of(path)};
    draw_picture(d, &to);
    if (memory_was_lost()) s->status = DAE_MEMORY;
    else if (to.format == PICTURE_SVG)
        s->status = result_file_put(path, phrase_text(&to.script),
            to.script.length, true, &s->messages);
    else
        s->status = gnuplot_draw_script(
            &to.script, path, true, &s->limits, &s->messages);
}

/* Before the analysis, which may take long. */
static bool can_draw(session *s)
{
    const string_list *files = &s->args->outputs;
    if (!files->count) return true;
    const char *path = files->items[0];
    s->status = picture_format_of(path) == PICTURE_SVG
        ? result_file_expect(path, s->model, &s->messages)
        : gnuplot_expect(path, s->model, &s->messages);
    return !s->status;
}

/* What is drawn are the equations as they stand. */
static void put_repairs(const check *k)
{
    const dae_analysis *a = k->analysis;
    if (a->repair_count == 0) return;
    (void)fputs(
        "\nthe equations as they stand; `dae check` repairs them\n", stdout);
    for (size_t r = 0; r < a->repair_count && r < MOST_REPAIRS; r++)
        phrase_field(stdout, 2, 2, "", a->repairs[r].text);
    if (a->repair_count > MOST_REPAIRS)
        (void)printf("    and %zu more\n", a->repair_count - MOST_REPAIRS);
}

static void draw(session *s)
{
    drawing d;
    const args *a = s->args;
    s->status = draw_init(&d, &s->check);
    if (s->status) {
        /* told with what else takes memory */
    } else if (a->outputs.count) {
        write_picture(s, &d, a->outputs.items[0]);
    } else if (d.n > DRAW_TEXT_LARGEST) {
        refuse_large(s, d.n);
    } else {
        draw_text(&d, stdout);
        put_repairs(&s->check);
    }
}

exit_status show_structure(const args *a)
{
    session s;
    if (session_open(&s, a, a->paths.items[0]) && can_draw(&s)) {
        session_analyse(&s, true);
        if (!s.status && !s.check.analysis->structure->is_regular)
            s.status = DAE_MODEL;
        if (!s.status) draw(&s);
    }
    return session_end_show(&s, a);
}
