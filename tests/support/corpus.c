#include "corpus.h"
#include "check.h"

enum { NAME = 64 };

json_value *corpus_read(void)
{
    return json_read("tests/data/structure/corpus.json");
}

const json_value *corpus_entry(const json_value *corpus, const char *name)
{
    const json_value *e = json_member(corpus, "entries")->first;
    for (; e; e = e->next)
        if (strcmp(json_text(e, "name"), name) == 0) return e;
    print_error("the corpus has no %s\n", name);
    fail();
    return NULL;
}

/* ---- text ---------------------------------------------------------------------- */

typedef struct writer {
    text_sink to;
    bool is_short; /* memory was */
    const json_value *definitions;
} writer;

static void put_part(writer *w, const char *text, size_t length)
{
    if (sink_write(&w->to, text, length)) w->is_short = true;
}

static void put(writer *w, const char *text)
{
    put_part(w, text, strlen(text));
}

/* The shortest text that is the number. */
static void put_number(writer *w, double value)
{
    char text[40];
    int digits = 1;
    do {
        (void)snprintf(text, sizeof text, "%.*g", digits, value);
    } while (digits++ < 17 && strtod(text, NULL) != value);
    put(w, text);
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static size_t word_length(const char *text)
{
    size_t n = 0;
    while (is_letter(text[n]) || is_digit(text[n])) n++;
    return n;
}

static const char *definition_of(
    const json_value *definitions, const char *word, size_t length)
{
    if (!definitions) return NULL;
    for (const json_value *v = definitions->first; v; v = v->next)
        if (strlen(v->key) == length && memcmp(v->key, word, length) == 0)
            return v->text;
    return NULL;
}

/* With definitions put in place, and those that they use: a stack of texts, as
 * they do not use themselves. */
static void put_expression(writer *w, const char *text)
{
    const char *at[16] = {text};
    int depth = 0;
    while (depth >= 0) {
        const char *c = at[depth];
        const size_t n = is_letter(*c) ? word_length(c)
            : is_digit(*c)             ? strspn(c, "0123456789.eE")
                                       : (size_t)(*c != '\0');
        const char *meaning = is_letter(*c)
            ? definition_of(w->definitions, c, n)
            : NULL;
        at[depth] += n;
        if (n == 0) {
            if (depth-- > 0) put(w, ")");
        } else if (meaning && depth < 15) {
            put(w, "(");
            at[++depth] = meaning;
        } else {
            put_part(w, c, n);
        }
    }
}

static void put_primes(writer *w, int order)
{
    while (order-- > 0) put(w, "'");
}

static bool is_chosen(const json_value *entry, const char *variable, int order)
{
    const json_value *point = json_member(entry, "consistent_point");
    const json_value *list = json_member(point, "free_choice");
    char name[NAME];
    (void)snprintf(name, sizeof name, "%s%.*s", variable, order, "'''");
    for (const json_value *v = list ? list->first : NULL; v; v = v->next)
        if (strcmp(v->text, name) == 0) return true;
    return false;
}

/* " = 1", " ~ 1" or nothing. */
static void put_value(writer *w, const json_value *entry, corpus_start start,
    const char *variable, int order)
{
    double value;
    if (start == CORPUS_BARE || !corpus_value(entry, variable, order, &value))
        return;
    const bool is_given = start == CORPUS_CHOSEN
        && is_chosen(entry, variable, order);
    put(w, is_given ? " = " : " ~ ");
    put_number(w, value);
}

static void put_declarations(
    writer *w, const json_value *entry, corpus_start start)
{
    put(w, "\"");
    put(w, json_text(entry, "title"));
    put(w, "\"\n");
    for (const json_value *v = json_member(entry, "parameters")->first; v;
         v = v->next) {
        put(w, "param ");
        put(w, v->key);
        put(w, " = ");
        put_number(w, v->number);
        put(w, "\n");
    }
    for (const json_value *v = json_member(entry, "variables")->first; v;
         v = v->next) {
        put(w, "var ");
        put(w, v->text);
        put_value(w, entry, start, v->text, 0);
        put(w, "\n");
    }
}

static void put_derivatives(
    writer *w, const json_value *entry, corpus_start start)
{
    double value;
    if (start == CORPUS_BARE) return;
    for (const json_value *v = json_member(entry, "variables")->first; v;
         v = v->next) {
        const int highest = corpus_order(entry, v->text);
        for (int k = 1; k <= highest; k++) {
            if (!corpus_value(entry, v->text, k, &value)) continue;
            put(w, "init ");
            put(w, v->text);
            put_primes(w, k);
            put_value(w, entry, start, v->text, k);
            put(w, "\n");
        }
    }
}

char *corpus_text(const json_value *entry, corpus_start start)
{
    writer w = {.definitions = json_member(entry, "definitions")};
    const double t0 = json_number(entry, "t0");
    put_declarations(&w, entry, start);
    for (const json_value *v = json_member(entry, "equations")->first; v;
         v = v->next) {
        put(&w, json_text(v, "name"));
        put(&w, ": ");
        put_expression(&w, json_text(v, "eq"));
        put(&w, "\n");
    }
    put_derivatives(&w, entry, start);
    put(&w, "solve t in ");
    put_number(&w, t0);
    put(&w, "..");
    put_number(&w, t0 + 1);
    put(&w, "\n");
    if (!w.is_short) return w.to.text;
    free(w.to.text);
    return NULL;
}

int corpus_first_line(const json_value *entry)
{
    return 2 + (int)json_member(entry, "parameters")->count
        + (int)json_member(entry, "variables")->count;
}

/* ---- values --------------------------------------------------------------------- */

int corpus_order(const json_value *entry, const char *variable)
{
    int highest = -1;
    for (const json_value *row = json_member(entry, "signature")->first; row;
         row = row->next) {
        const json_value *v = json_member(row, variable);
        if (v && (int)v->number > highest) highest = (int)v->number;
    }
    return highest;
}

static bool find(const json_value *object, const char *name, double *value)
{
    const json_value *v = json_member(object, name);
    if (!v) return false;
    *value = v->number;
    return true;
}

/* The corpus speaks of the first-order form, where x_d1 stands for x'. */
bool corpus_value(
    const json_value *entry, const char *variable, int order, double *value)
{
    const json_value *point = json_member(entry, "consistent_point");
    const json_value *values = json_member(point, "values");
    const json_value *derivatives = json_member(point, "derivatives");
    char name[NAME];
    if (order == 0) return find(values, variable, value);
    (void)snprintf(name, sizeof name, "%s_d%d", variable, order);
    if (find(values, name, value)) return true;
    if (order == 1) (void)snprintf(name, sizeof name, "%s'", variable);
    else (void)snprintf(name, sizeof name, "%s_d%d'", variable, order - 1);
    return find(derivatives, name, value);
}

bool corpus_special_value(const json_value *entry, size_t k,
    const char *variable, int order, double *value)
{
    const json_value *points = json_member(entry, "special_points");
    const json_value *point = points ? points->first : NULL;
    char name[NAME];
    for (; point && k > 0; k--) point = point->next;
    (void)snprintf(name, sizeof name, "%s%.*s", variable, order, "'''");
    return find(json_member(point, "values"), name, value);
}
