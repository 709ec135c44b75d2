/* `dae explain`: the embedded pages by code. */
#include "base/diag_pages.h"
#include <dae/diag.h>
#include <string.h>

const char *dae_diagnostic_explain(const char *code)
{
    if (!code) return NULL;
    for (size_t i = 0; i < diag_page_count; i++)
        if (strcmp(diag_pages[i].code, code) == 0)
            return (const char *)diag_pages[i].text;
    return NULL;
}
