/* The files of -o: opened before the run, one row per output time. Columns
 * are t, the unknowns, the discrete variables, the lets, the outputs. Of an
 * event there are two, before it and after it. */
#ifndef OUTPUT_H
#define OUTPUT_H

#include "messages.h"
#include "result_file.h"
#include "write_json.h"
#include <dae/run.h>

typedef struct output_file {
    result_file file;
    json json; /* where `is_json`; its outermost object stays open */
    bool is_json;
    bool has_failed; /* and this was said */
    int64_t rows;    /* written */
} output_file;

typedef struct output_picture {
    const char *path;
    bool is_drawn;
} output_picture;

typedef struct outputs {
    const dae_model *model;
    messages *messages;
    output_file *files;
    size_t file_count;
    output_picture *pictures; /* drawn at the end, by others */
    size_t picture_count;
    dae_columns *columns; /* behind that of the time; NULL: none yet */
    double *row;
} outputs;

/* Somebody will ask what happened. */
bool outputs_want_events(const args *a);
/* Opens and writes the heads; sees that pictures can be drawn. */
dae_status outputs_open(outputs *o, const args *a, dae_run *r, messages *m);
dae_status outputs_row(outputs *o, const dae_point *p);
/* Ends the tables. JSON files stay open for the members that follow. */
void outputs_end_rows(outputs *o);
/* Tells where the rows of a run that did not come to its end will be kept. */
void outputs_tell_kept(const outputs *o);
/* Closes: the files take their targets' places, or, not whole, stay beside them. A run
 * without a start leaves none. DAE_IO where anything could not be written. */
dae_status outputs_finish(outputs *o, bool is_whole);
/* Of a file that is closed: the name that it has now. */
const char *output_file_name(const output_file *f);
void outputs_clear(outputs *o);

#endif
