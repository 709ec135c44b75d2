/* Reads JSON, for corpora and references. */
#ifndef SUPPORT_JSON_H
#define SUPPORT_JSON_H

#include <stdbool.h>
#include <stddef.h>

typedef enum json_kind {
    JSON_NULL,
    JSON_FALSE,
    JSON_TRUE,
    JSON_NUMBER,
    JSON_TEXT,
    JSON_ARRAY,
    JSON_OBJECT
} json_kind;

typedef struct json_value {
    json_kind kind;
    double number;
    const char *text; /* without escapes; ends in NUL */
    const char *key;  /* of a member of an object, else NULL */
    size_t count;     /* items of an array, members of an object */
    struct json_value *first, *next; /* of these; of what this is one of */
} json_value;

/* The file below the project's root; NULL where it cannot be read or is not
 * JSON. json_free frees all of it. */
json_value *json_read(const char *path);
void json_free(json_value *root);

/* The member, or NULL where there is none or `v` is none (NULL too). */
const json_value *json_member(const json_value *v, const char *key);
/* Text, number or truth of a member that has to be one: fails the test that
 * runs where it is not. */
const char *json_text(const json_value *v, const char *key);
double json_number(const json_value *v, const char *key);
bool json_truth(const json_value *v, const char *key);

#endif
