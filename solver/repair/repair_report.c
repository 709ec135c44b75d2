/* Sentences about repairs that are kept, and about a step that shows that no
 * repair helps. Written while plan and view exist, since the findings keep the
 * sentence only. */
#include "repair/repair_report.h"
#include "linalg/naming.h"
#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* A sentence ends in "..." where it would be longer; lists say how many they
 * leave out. */
enum { LENGTH = 600, TERMS_SHOWN = 6, NAMES_SHOWN = 4 };

typedef struct sentence {
    const text_request *q;
    char text[LENGTH];
    size_t length;
    bool is_full;
} sentence;

static void say(sentence *s, const char *words)
{
    const size_t length = strlen(words);
    if (s->is_full) return;
    if (s->length + length + 4 > LENGTH) {
        memcpy(s->text + s->length, "...", 4);
        s->is_full = true;
        return;
    }
    memcpy(s->text + s->length, words, length + 1);
    s->length += length;
}

static void say_count(sentence *s, int64_t count)
{
    char number[32];
    snprintf(number, sizeof number, "%" PRId64, count);
    say(s, number);
}

static void say_derived(sentence *s, const char *name, int32_t order)
{
    char text[NAMING_SIZE + 32];
    if (order <= 3)
        snprintf(text, sizeof text, "%s%.*s", name, (int)order, "'''");
    else snprintf(text, sizeof text, "der(%s, %d)", name, (int)order);
    say(s, text);
}

static void say_unknown(sentence *s, int32_t j, int32_t order)
{
    char name[NAMING_SIZE];
    naming_text(s->q->problem, DAE_NAME_UNKNOWN, (size_t)j, name, sizeof name);
    say_derived(s, name, order);
}

static void say_equation(sentence *s, int32_t i, int32_t order)
{
    char name[NAMING_SIZE];
    naming_text(s->q->problem, DAE_NAME_EQUATION, (size_t)i, name, sizeof name);
    say_derived(s, name, order);
}

/* " - 2*", or at the beginning "-2*". */
static void say_weight(sentence *s, double weight, bool is_first)
{
    char number[40];
    const double size = fabs(weight);
    if (is_first) say(s, weight < 0 ? "-" : "");
    else say(s, weight < 0 ? " - " : " + ");
    if (size == 1) return;
    snprintf(number, sizeof number, "%.6g*", size);
    say(s, number);
}

/* "a, b and c", of `shown` names "a, b and 7 more". */
static void say_link(sentence *s, size_t k, size_t shown, size_t count)
{
    if (k == 0) return;
    say(s, k + 1 < shown || shown < count ? ", " : " and ");
}

static void say_rest(sentence *s, size_t shown, size_t count)
{
    if (shown == count) return;
    say(s, " and ");
    say_count(s, (int64_t)(count - shown));
    say(s, " more");
}

/* ---- combinations of equations ------------------------------------------------- */

static void say_terms(sentence *s, const plan_row *r, bool with_weights)
{
    const size_t count = r->count;
    const size_t shown = count > TERMS_SHOWN ? NAMES_SHOWN : count;
    for (size_t k = 0; k < shown; k++) {
        const dae_term *t = &r->term[k];
        if (with_weights) say_weight(s, t->weight, k == 0);
        else say_link(s, k, shown, count);
        say_equation(s, t->equation, t->order);
    }
    if (!with_weights) say_rest(s, shown, count);
}

static const plan_row *row_of(const sentence *s)
{
    const repair_step *step = s->q->step;
    assert(s->q->plan->row[step->member[step->count - 1]]);
    return s->q->plan->row[step->member[step->count - 1]];
}

static void say_combination(sentence *s)
{
    const plan_row *r = row_of(s);
    if (r->members > 1) {
        say(s, "a combination of ");
        say_terms(s, r, false);
        say(s, " with factors that vary");
    } else if (r->count > TERMS_SHOWN) {
        say(s, "a combination of ");
        say_terms(s, r, false);
    } else {
        say_terms(s, r, true);
    }
}

/* Whether an unknown occurs in what is left is told only where no derivative
 * is. */
static void say_cancelled(sentence *s)
{
    const leftover *l = s->q->left;
    size_t rates = 0;
    for (size_t k = 0; k < l->cancel_count; k++)
        rates += l->cancels[k].order > 0;
    if (rates > 0 && !l->has_rate) {
        say(s, " contains no derivative");
        return;
    }
    const size_t count = l->cancel_count;
    const size_t shown = count > TERMS_SHOWN ? NAMES_SHOWN : count;
    if (count == 0) return;
    say(s, " does not contain ");
    for (size_t k = 0; k < shown; k++) {
        say_link(s, k, shown, count);
        say_unknown(s, l->cancels[k].unknown, l->cancels[k].order);
    }
    say_rest(s, shown, count);
}

static void say_rows(sentence *s)
{
    const repair_step *step = s->q->step;
    const int32_t replaced = step->member[step->count - 1];
    say_combination(s);
    say_cancelled(s);
    say(s, s->q->left->cancel_count > 0 ? ", so it replaces " : " replaces ");
    say_equation(s, replaced, 0);
}

/* ---- what came of it ----------------------------------------------------------- */

static void say_fall(sentence *s, const char *what, int64_t from,
    const char *becomes, int64_t to)
{
    say(s, what);
    say_count(s, from);
    say(s, becomes);
    say_count(s, to);
}

static void say_outcome(sentence *s, const text_outcome *o)
{
    if (!o) return;
    say(s, ": ");
    if (o->mass_rank > 0) {
        say_fall(s, "the mass matrix has rank ", (int64_t)o->mass_rank,
            ", not ", (int64_t)o->before->n);
        say(s, "; ");
    }
    if (o->steps > 1) {
        say(s, "by these ");
        say_count(s, (int64_t)o->steps);
        say(s, " repairs ");
    }
    if (o->index_before != o->index_after) {
        say_fall(s, "structural index ", o->index_before, " becomes ",
            o->index_after);
        say(s, ", ");
    }
    say_fall(s, "degrees of freedom ", o->before->degrees_of_freedom,
        " become ", o->after->degrees_of_freedom);
}

static char *finish(const sentence *s, arena *a)
{
    return arena_copy(a, s->text, strlen(s->text));
}

char *text_of_step(const text_request *q, arena *a)
{
    sentence s = {.q = q};
    say_rows(&s);
    say_outcome(&s, q->outcome);
    return finish(&s, a);
}

char *text_of_end(const text_request *q, arena *a)
{
    sentence s = {.q = q};
    say_combination(&s);
    say(&s,
        q->left->is_zero
            ? " is 0 whatever the unknowns are: one of these equations follows "
              "from the others"
            : " contains no unknown, and is not 0: these equations contradict "
              "each other");
    return finish(&s, a);
}

char *text_of_singular(const text_request *q, arena *a)
{
    sentence s = {.q = q};
    say_rows(&s);
    say(&s, ": after that the equations cannot determine all unknowns");
    return finish(&s, a);
}
