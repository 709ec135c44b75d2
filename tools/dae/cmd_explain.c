/* dae explain: the page of a diagnostic. */
#include "command.h"
#include "console.h"
#include <ctype.h>
#include <dae/diag.h>

exit_status cmd_explain(const args *a)
{
    char code[8] = {0};
    for (size_t i = 0; i < 7 && a->paths.items[0][i]; i++)
        code[i] = (char)toupper((unsigned char)a->paths.items[0][i]);
    const char *page = dae_diagnostic_explain(code);
    if (!page) {
        (void)fprintf(stderr,
            "dae: there is no diagnostic `%s`; codes look like E0201\n",
            a->paths.items[0]);
        return EXIT_USAGE;
    }
    (void)fputs(page, stdout);
    return console_flush() ? EXIT_DONE : EXIT_FILE;
}
