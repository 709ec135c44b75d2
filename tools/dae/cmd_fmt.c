/* dae fmt: canonical layout in place. A file is replaced as a whole, so that a
 * full disk costs no model. */
#include "command.h"
#include "memory.h"
#include "phrase.h"
#include "result_file.h"
#include "session.h"
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
    return exit_of(
        result_file_put(path, RESULT_TEXT, b->text, b->length, true, m));
}

static exit_status format_one(const args *a, const char *path)
{
    session s;
    phrase b = {0};
    char *text = NULL;
    size_t length;
    exit_status status = EXIT_DONE;
    if (session_begin(&s, a))
        s.status = load_text(path, &s.messages, &text, &length);
    if (text)
        s.status = dae_format_text(load_display_name(path), text, length, NULL,
            s.messages.library, phrase_write, &b);
    if (memory_was_lost()) s.status = DAE_MEMORY;
    if (!s.status) status = put_result(a, path, text, length, &b, &s.messages);
    session_explain_stop(&s);
    const exit_status ended = session_end(&s);
    return ended > status ? ended : status;
}

exit_status cmd_fmt(const args *a)
{
    exit_status worst = EXIT_DONE;
    for (size_t i = 0; i < a->paths.count; i++) {
        exit_status status = format_one(a, a->paths.items[i]);
        if (status > worst) worst = status;
    }
    return worst;
}
