/* dae fmt: canonical layout in place. A file is replaced as a whole, so that a
 * full disk costs no model. */
#include "command.h"
#include "console.h"
#include "load.h"
#include "memory.h"
#include "phrase.h"
#include "result_file.h"
#include <string.h>

static exit_status put_result(const args *a, const char *path, const char *text,
    size_t length, const phrase *b, messages *m)
{
    bool is_same = b->length == length
        && (length == 0 || memcmp(b->text, text, length) == 0);
    bool is_stdin = strcmp(path, "-") == 0;
    if (a->check_only) {
        if (!is_same && !a->quiet) (void)printf("%s\n", path);
        return is_same ? EXIT_DONE : EXIT_CHECK;
    }
    if (is_stdin) {
        (void)fwrite(b->text, 1, b->length, stdout);
        return EXIT_DONE;
    }
    if (is_same) return EXIT_DONE;
    return exit_of(result_file_put(path, b->text, b->length, true, m));
}

static exit_status format_one(const args *a, const char *path)
{
    messages m;
    phrase b = {0};
    char *text = NULL;
    size_t length;
    const size_t mark = memory_mark();
    if (!messages_init(&m, NULL)) return command_no_memory();
    dae_status st = load_text(path, &m, &text, &length);
    if (!st)
        st = dae_format_text(load_display_name(path), text, length, NULL,
            m.library, phrase_write, &b);
    const bool is_lost = memory_was_lost();
    if (is_lost) st = DAE_MEMORY;
    exit_status status = exit_of(st);
    if (!st) status = put_result(a, path, text, length, &b, &m);
    if (is_lost && text)
        messages_add(
            &m, "E0003", "no memory left for the layout of `%s`", path);
    memory_found();
    messages_print(&m, a);
    messages_clear(&m);
    memory_release(mark);
    return status;
}

exit_status cmd_fmt(const args *a)
{
    exit_status worst = EXIT_DONE;
    for (size_t i = 0; i < a->paths.count; i++) {
        exit_status status = format_one(a, a->paths.items[i]);
        if (status > worst) worst = status;
    }
    return console_flush() ? worst : EXIT_FILE;
}
