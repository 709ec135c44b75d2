/* The sentence is about motions that should not grow and do, for there a method
 * fails; then about those that should grow and do not. */
#include "stability_view.h"
#include <math.h>
#include <string.h>

/* Parts of an eigenvalue that are rounding, beside its modulus. */
static const double ROUNDING = 1e-11;

/* ---- choosing ---- */

static bool is_word(const char *word, size_t length, const char *name)
{
    return strlen(name) == length && strncmp(word, name, length) == 0;
}

static bool has_method(const stability_view *v, const dae_method *m)
{
    for (size_t k = 0; k < v->method_count; k++)
        if (v->methods[k] == m) return true;
    return false;
}

/* Every method of this name or family; false: there is none. */
static bool add_methods(stability_view *v, const char *word, size_t length)
{
    const dae_method *m;
    bool is_known = false;
    for (size_t k = 0; (m = dae_method_at(k)); k++) {
        if (word && !is_word(word, length, m->name)
            && !is_word(word, length, m->family))
            continue;
        is_known = true;
        if (v->method_count == VIEW_METHODS || has_method(v, m)) continue;
        v->traits[v->method_count] = dae_stability_traits_of(m);
        v->methods[v->method_count++] = m;
    }
    return is_known;
}

bool stability_view_init(stability_view *v, const args *a, FILE *errors)
{
    *v = (stability_view){.step = a->step, .is_chosen = a->methods != NULL};
    const char *word = a->methods;
    if (!word) return add_methods(v, NULL, 0);
    for (;;) {
        const size_t length = strcspn(word, ",");
        if (!add_methods(v, word, length)) {
            (void)fprintf(errors,
                "dae: there is no method `%.*s`; `dae stability` lists those "
                "whose regions are known\n",
                (int)length, word);
            return false;
        }
        if (!word[length]) return true;
        word += length + 1;
    }
}

/* ---- eigenvalues ---- */

bool stability_view_stands(const stability_view *v, size_t k)
{
    return !(v->e->finite[k].im < 0);
}

dae_complex stability_view_value(const stability_view *v, size_t k)
{
    dae_complex z = v->e->finite[k];
    const double size = hypot(z.re, z.im);
    if (fabs(z.re) <= ROUNDING * size) z.re = 0;
    if (fabs(z.im) <= ROUNDING * size) z.im = 0;
    return z;
}

dae_complex stability_view_scaled(const stability_view *v, size_t k)
{
    const dae_complex z = stability_view_value(v, k);
    return (dae_complex){z.re * v->step, z.im * v->step};
}

bool stability_view_has_step(const stability_view *v)
{
    return v->e && !isnan(v->step);
}

/* ---- the sentence without a model ---- */

/* Whether method i belongs to a list, about eigenvalue k, or of kind k. */
typedef bool pick_fn(const stability_view *v, size_t i, size_t k);

/* How many methods in a row, from the i-th, are picked and follow each other in
 * order: "bdf3 to bdf6" says more than four names. */
static size_t run_length(
    const stability_view *v, const bool *is_picked, size_t i)
{
    size_t length = 1;
    for (; i + length < v->method_count && is_picked[i + length]; length++) {
        const dae_method *m = v->methods[i + length - 1];
        const dae_method *next = v->methods[i + length];
        if (strcmp(m->family, next->family) != 0 || next->order != m->order + 1)
            break;
    }
    return length;
}

/* "bdf1, bdf2 and rk4" of the methods picked, into `p` if it is not NULL; how
 * many. */
static size_t put_methods(
    const stability_view *v, pick_fn *picks, size_t k, phrase *p)
{
    bool is_picked[VIEW_METHODS] = {false};
    size_t count = 0, left;
    for (size_t i = 0; i < v->method_count; i++)
        count += is_picked[i] = picks(v, i, k);
    left = count;
    for (size_t i = 0; i < v->method_count && p; i++) {
        if (!is_picked[i]) continue;
        size_t length = run_length(v, is_picked, i);
        if (length < 3) length = 1;
        if (left < count) phrase_put(p, left == length ? " and " : ", ");
        phrase_put(p, v->methods[i]->name);
        if (length > 1)
            phrase_add(p, " to %s", v->methods[i + length - 1]->name);
        left -= length;
        i += length - 1;
    }
    return count;
}

/* A-stable, with a wedge, bounded. */
static bool is_of_kind(const stability_view *v, size_t i, size_t kind)
{
    const double alpha = v->traits[i].alpha;
    return kind == (alpha >= 90 ? 0 : alpha > 0 ? 1 : 2);
}

static void tell_regions(const stability_view *v, phrase *p)
{
    static const struct {
        const char *one, *more;
    } kinds[] = {
        {"has the whole left half plane in its region",
            "have the whole left half plane in their regions"},
        {"lacks a part of it beside the imaginary axis: not for motions "
         "that oscillate with little damping",
            "lack a part of it beside the imaginary axis, each more than the "
            "order below: not for motions that oscillate with little damping"},
        {"is stable for small steps only, however fast a decay is",
            "are stable for small steps only, however fast a decay is"},
    };
    bool is_first = true;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        if (put_methods(v, is_of_kind, i, NULL) == 0) continue;
        if (!is_first) phrase_put(p, "; ");
        is_first = false;
        const size_t count = put_methods(v, is_of_kind, i, p);
        phrase_add(p, " %s", count == 1 ? kinds[i].one : kinds[i].more);
    }
    phrase_put(p, ".");
}

/* ---- the sentence about a model ---- */

static dae_stability_side side_at(const stability_view *v, size_t i, size_t k)
{
    return dae_stability_side_of(v->methods[i], stability_view_scaled(v, k));
}

static bool grows_at(const stability_view *v, size_t i, size_t k)
{
    return side_at(v, i, k) == DAE_STABILITY_OUTSIDE;
}

static bool decays_at(const stability_view *v, size_t i, size_t k)
{
    return side_at(v, i, k) == DAE_STABILITY_INSIDE;
}

/* A motion that should not grow, told once for a pair. */
static bool should_not_grow(const stability_view *v, size_t k)
{
    return stability_view_stands(v, k) && !(stability_view_value(v, k).re > 0);
}

static size_t count_steady(const stability_view *v)
{
    size_t count = 0;
    for (size_t k = 0; k < v->e->finite_count; k++)
        count += should_not_grow(v, k);
    return count;
}

/* No motion that should not grow does. */
static bool is_fine(const stability_view *v, size_t i, size_t unused)
{
    (void)unused;
    for (size_t k = 0; k < v->e->finite_count; k++)
        if (should_not_grow(v, k) && grows_at(v, i, k)) return false;
    return true;
}

/* How fast the fastest of the methods that fail lets it grow; 1: none does. */
static double growth_of(
    const stability_view *v, size_t k, const dae_method **worst)
{
    double most = 1;
    *worst = NULL;
    for (size_t i = 0; i < v->method_count; i++) {
        if (!grows_at(v, i, k)) continue;
        const double growth = dae_stability_root_modulus(
            v->methods[i], stability_view_scaled(v, k));
        if (!(growth > most)) continue;
        most = growth;
        *worst = v->methods[i];
    }
    return most;
}

static size_t count_wrong(const stability_view *v, size_t k)
{
    size_t wrong = 0;
    for (size_t i = 0; i < v->method_count; i++)
        if (grows_at(v, i, k))
            wrong += isinf(v->traits[i].at_infinity) ? 1 : VIEW_METHODS;
    return wrong;
}

/* The motion about which most methods that are not explicit are wrong, or where
 * none of those is, most of all methods; of several the one that grows fastest.
 * *count: how many are told of at all. SIZE_MAX: nobody is wrong. */
static size_t find_worst(const stability_view *v, size_t *count)
{
    size_t best = SIZE_MAX, most = 0;
    double fastest = 1;
    *count = 0;
    for (size_t k = 0; k < v->e->finite_count; k++) {
        const dae_method *of;
        if (!should_not_grow(v, k)) continue;
        const size_t wrong = count_wrong(v, k);
        *count += wrong > 0;
        if (wrong == 0 || wrong < most) continue;
        const double growth = growth_of(v, k, &of);
        if (wrong == most && !(growth > fastest)) continue;
        most = wrong;
        fastest = growth;
        best = k;
    }
    return best;
}

static void put_motion(const stability_view *v, size_t k, phrase *p)
{
    const double two_pi = 6.28318530717958647692;
    const dae_complex z = stability_view_value(v, k);
    if (z.im > 0)
        phrase_add(p, "the oscillation of period %.4g", two_pi / z.im);
    else if (fabs(z.re) > 0)
        phrase_add(p, "the motion of time constant %.4g", 1 / fabs(z.re));
    else phrase_put(p, "what is constant");
    if (z.im > 0 && z.re < 0)
        phrase_add(p, ", which decays with time constant %.4g,", -1 / z.re);
}

/* "by 1.13 (bdf5)": the fastest growth, of methods with that failure. */
static void put_growth(const stability_view *v, size_t k, phrase *p)
{
    const dae_method *worst;
    const double most = growth_of(v, k, &worst);
    if (worst && isfinite(most))
        phrase_add(p, ", by a factor of up to %.6g in each step (%s)", most,
            worst->name);
}

static void tell_failure(
    const stability_view *v, size_t k, size_t count, phrase *p)
{
    phrase_add(p, "At h = %.6g ", v->step);
    put_motion(v, k, p);
    phrase_put(p, " grows with ");
    (void)put_methods(v, grows_at, k, p);
    put_growth(v, k, p);
    if (count > 1)
        phrase_add(p,
            "; %zu of %zu motions that should not grow do so with "
            "some method",
            count, count_steady(v));
    if (put_methods(v, is_fine, 0, NULL) == 0) {
        phrase_put(p, "; no method listed keeps all such motions bounded.");
        return;
    }
    phrase_put(p, "; no motion that should not grow does with ");
    (void)put_methods(v, is_fine, 0, p);
    phrase_put(p, ".");
}

/* What grows and is damped: stability is not accuracy. */
static void tell_damped(const stability_view *v, phrase *p)
{
    for (size_t k = v->e->finite_count; k-- > 0;) {
        const dae_complex z = stability_view_value(v, k);
        if (!(z.re > 0) || !stability_view_stands(v, k)) continue;
        if (put_methods(v, decays_at, k, NULL) == 0) continue;
        phrase_add(p,
            " A motion that grows with time constant %.4g is damped "
            "by ",
            1 / z.re);
        (void)put_methods(v, decays_at, k, p);
        phrase_put(p, ": this step does not see it.");
        return;
    }
}

static size_t count_growing(const stability_view *v)
{
    size_t count = 0;
    for (size_t k = 0; k < v->e->finite_count; k++)
        count += stability_view_value(v, k).re > 0;
    return count;
}

static void tell_without_step(const stability_view *v, phrase *p)
{
    const size_t count = v->e->finite_count, growing = count_growing(v);
    const dae_complex slow = stability_view_value(v, 0);
    const dae_complex fast = stability_view_value(v, count - 1);
    const double least = hypot(slow.re, slow.im);
    const double most = hypot(fast.re, fast.im);
    if (growing == 0)
        phrase_put(p, "No eigenvalue belongs to a motion that grows");
    else
        phrase_add(p,
            "%zu of %zu finite eigenvalues belong%s to motions that grow",
            growing, count, growing == 1 ? "s" : "");
    if (least > 0 && most > 1.1 * least)
        phrase_add(p,
            "; the fastest motion is %.3g times as fast as the slowest",
            most / least);
    phrase_put(p, ". --step H puts h*lambda into the methods' regions.");
}

void stability_view_tell(const stability_view *v, phrase *p)
{
    if (!v->e) {
        tell_regions(v, p);
        return;
    }
    if (v->e->finite_count == 0) {
        phrase_put(p,
            "No eigenvalue is finite: nothing moves by itself, all "
            "follows from time at once.");
        return;
    }
    if (!stability_view_has_step(v)) {
        tell_without_step(v, p);
        return;
    }
    size_t count;
    const size_t worst = find_worst(v, &count);
    if (worst == SIZE_MAX)
        phrase_add(p,
            "At h = %.6g no motion that should not grow does, with any method "
            "listed.",
            v->step);
    else tell_failure(v, worst, count, p);
    tell_damped(v, p);
}
