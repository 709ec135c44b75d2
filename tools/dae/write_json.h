/* A JSON document, written as it comes: commas, quoting and nesting are the
 * writer's business. Numbers that are not finite become null. */
#ifndef WRITE_JSON_H
#define WRITE_JSON_H

#include <dae/diag.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

typedef struct json {
    dae_write_fn *write; /* keeps its errors for itself */
    void *context;
    int depth;      /* open objects and arrays */
    bool has_items; /* the open one has a member already */
} json;

/* On a stream: write errors stay in it (ferror). */
json json_on(FILE *file);
json json_to(dae_write_fn *write, void *context);
/* `key` is the name of a member of an object; NULL: an element of an array. */
void json_begin_object(json *j, const char *key);
void json_end_object(json *j);
void json_begin_array(json *j, const char *key);
void json_end_array(json *j);
void json_number(json *j, const char *key, double value);
void json_integer(json *j, const char *key, int64_t value);
/* A number that is not known, below 0, becomes null. */
void json_count(json *j, const char *key, int64_t value);
void json_boolean(json *j, const char *key, bool value);
/* NULL becomes null. Bytes that are not UTF-8 become U+FFFD. */
void json_string(json *j, const char *key, const char *text);

#endif
