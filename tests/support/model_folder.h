/* Every model of a folder that can be loaded, one after the other. */
#ifndef MODEL_FOLDER_H
#define MODEL_FOLDER_H

#include "check.h"
#include <dae/model.h>
#include <dirent.h>
#include <stdio.h>
#include <string.h>

/* `file` is the model's name in the folder. */
typedef void model_visit(const dae_problem *p, const char *file, void *context);

/* `folder` below the root of the sources. How many models there were. */
static inline size_t visit_models(
    const char *folder, model_visit *visit, void *context)
{
    char path[600];
    size_t count = 0;
    (void)snprintf(path, sizeof path, "%s/%s", TEST_ROOT, folder);
    DIR *d = opendir(path);
    assert_non_null(d);
    for (struct dirent *e; (e = readdir(d));) {
        dae_diagnostics *ds;
        dae_model *model;
        if (!strstr(e->d_name, ".dae")) continue;
        (void)snprintf(
            path, sizeof path, "%s/%s/%s", TEST_ROOT, folder, e->d_name);
        CHECK_STATUS(dae_diagnostics_create(NULL, &ds), DAE_OK);
        if (!dae_model_load(path, NULL, NULL, ds, &model)) {
            visit(dae_model_problem(model), e->d_name, context);
            dae_model_free(model);
            count++;
        }
        dae_diagnostics_free(ds);
    }
    closedir(d);
    return count;
}

#endif
