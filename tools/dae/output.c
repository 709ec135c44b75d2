#include "output.h"
#include "gnuplot.h"
#include "gnuplot_script.h"
#include "memory.h"
#include "write_csv.h"
#include <math.h>
#include <string.h>

bool outputs_want_events(const args *a)
{
    if (a->command == COMMAND_TEST) return false;
    for (size_t i = 0; i < a->outputs.count; i++)
        if (args_ends_in(a->outputs.items[i], ".json")) return true;
    return a->json || a->events;
}

static dae_status check_columns(const args *a, messages *m)
{
    size_t tables = 0;
    for (size_t i = 0; i < a->outputs.count; i++)
        tables += picture_format_of(a->outputs.items[i]) == PICTURE_NONE;
    if (!a->columns || tables) return DAE_OK;
    messages_add(m, "E0505",
        "--columns are those of a table, and none is written: -o FILE.csv "
        "writes one");
    return DAE_ARGUMENT;
}

static dae_status refuse_file(outputs *o, output_file *f)
{
    f->has_failed = true;
    return result_file_refuse(&f->file, o->messages);
}

/* Room for every name, so that no head is written without one. */
static dae_status make_names(outputs *o)
{
    for (size_t k = 0; k < dae_columns_count(o->columns); k++)
        (void)dae_columns_name(o->columns, k);
    return dae_columns_lost(o->columns) ? DAE_MEMORY : DAE_OK;
}

static void write_csv_head(outputs *o, result_file *f)
{
    csv_text(result_file_write, f, dae_model_settings(o->model)->independent);
    for (size_t k = 0; k < dae_columns_count(o->columns); k++) {
        if (result_file_write(f, ",", 1)) return;
        csv_text(result_file_write, f, dae_columns_name(o->columns, k));
    }
    if (result_file_write(f, "\n", 1)) return; /* which keeps it */
}

/* {"model": ..., "columns": [...], "rows": [[...], ...], and then the members
 * of the run's document */
static void write_json_head(outputs *o, json *j)
{
    json_begin_object(j, NULL);
    json_begin_array(j, "columns");
    json_string(j, NULL, dae_model_settings(o->model)->independent);
    for (size_t k = 0; k < dae_columns_count(o->columns); k++)
        json_string(j, NULL, dae_columns_name(o->columns, k));
    json_end_array(j);
    json_begin_array(j, "rows");
}

static dae_status open_file(outputs *o, const char *path)
{
    output_file *f = &o->files[o->file_count++];
    f->is_json = args_ends_in(path, ".json");
    f->json = json_to(result_file_write, &f->file);
    if (!result_file_open(
            &f->file, path, RESULT_ROWS, f->is_json ? "]}\n" : "", o->model))
        return refuse_file(o, f);
    if (f->is_json) write_json_head(o, &f->json);
    else write_csv_head(o, &f->file);
    result_file_mark(&f->file);
    return f->file.error ? refuse_file(o, f) : DAE_OK;
}

dae_status outputs_open(outputs *o, const args *a, dae_run *r, messages *m)
{
    const dae_model *model = dae_run_model(r);
    *o = (outputs){.model = model, .messages = m};
    if (a->outputs.count == 0 && !a->columns) return DAE_OK;
    o->files = memory_take(a->outputs.count + 1, sizeof *o->files);
    o->pictures = memory_take(a->outputs.count + 1, sizeof *o->pictures);
    if (!o->files || !o->pictures) return DAE_MEMORY;
    dae_status chosen = dae_columns_create(
        r, a->columns, "--columns", &o->columns);
    if (!chosen) chosen = check_columns(a, m);
    if (chosen) return chosen;
    o->row = memory_take(dae_columns_count(o->columns) + 1, sizeof *o->row);
    if (!o->row || (a->outputs.count && make_names(o))) return DAE_MEMORY;
    for (size_t i = 0; i < a->outputs.count; i++) {
        const char *path = a->outputs.items[i];
        const bool is_picture = picture_format_of(path) != PICTURE_NONE;
        dae_status st = is_picture ? gnuplot_expect(path, model, m)
                                   : open_file(o, path);
        if (st) return st;
        if (is_picture) o->pictures[o->picture_count++].path = path;
    }
    return DAE_OK;
}

static dae_status write_row(outputs *o, output_file *f, double t, size_t count)
{
    if (f->has_failed) return DAE_IO;
    if (!f->is_json) {
        csv_row(result_file_write, &f->file, t, o->row, count);
    } else {
        json_begin_array(&f->json, NULL);
        json_number(&f->json, NULL, t);
        for (size_t k = 0; k < count; k++)
            json_number(&f->json, NULL, o->row[k]);
        json_end_array(&f->json);
    }
    result_file_mark(&f->file);
    if (f->file.error) return refuse_file(o, f);
    f->rows++;
    return DAE_OK;
}

dae_status outputs_row(outputs *o, const dae_point *p)
{
    if (o->file_count == 0) return DAE_OK;
    const size_t n = dae_columns_count(o->columns);
    for (size_t k = 0; k < n; k++)
        o->row[k] = dae_point_value(o->model, dae_columns_at(o->columns, k), p);
    dae_status st = DAE_OK;
    for (size_t i = 0; i < o->file_count; i++) {
        dae_status written = write_row(o, &o->files[i], p->t, n);
        if (written) st = written; /* the others get the row all the same */
    }
    return st;
}

void outputs_end_rows(outputs *o)
{
    for (size_t i = 0; i < o->file_count; i++)
        if (o->files[i].is_json) json_end_array(&o->files[i].json);
}

void outputs_tell_kept(const outputs *o)
{
    for (size_t i = 0; i < o->file_count; i++)
        if (result_file_has_rows(&o->files[i].file))
            result_file_tell_kept(&o->files[i].file, o->messages);
}

dae_status outputs_finish(outputs *o, bool is_whole)
{
    dae_status st = DAE_OK;
    for (size_t i = 0; i < o->file_count; i++) {
        output_file *f = &o->files[i];
        const bool is_fine = result_file_finish(&f->file, is_whole && f->rows);
        if (f->file.is_kept) result_file_tell_kept(&f->file, o->messages);
        if (f->has_failed || (!is_fine && f->file.error)) st = DAE_IO;
        if (!f->has_failed && f->file.error) st = refuse_file(o, f);
    }
    return st;
}

const char *output_file_name(const output_file *f)
{
    return f->file.is_kept ? f->file.beside : f->file.name;
}

void outputs_clear(outputs *o)
{
    for (size_t i = 0; i < o->file_count; i++)
        result_file_clear(&o->files[i].file);
    dae_columns_free(o->columns);
    memset(o, 0, sizeof *o);
}
