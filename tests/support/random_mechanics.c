/* Points held by random quadrics, for random_dae.h, in multiplier form: index 3
 * and 2 (n - m) degrees of freedom for n coordinates and m independent
 * constraints; 2 and 2 n - m with the constraints differentiated once; 1 and
 * 2 n with them differentiated twice [BCP96 6.2]. */
#include "random_maker.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COORDINATES = 4, HOLDS = 2 };

typedef struct bodies {
    int n, m, level; /* constraints are differentiated 3 - level times */
    bool is_split;   /* velocities are unknowns */
    int mass[COORDINATES];
    int square[HOLDS][COORDINATES], line[HOLDS][COORDINATES], cross[HOLDS];
    double q[COORDINATES], v[COORDINATES], g[HOLDS];
    double gradient[HOLDS][COORDINATES];
    int dependent[HOLDS]; /* coordinates that the others determine */
} bodies;

static double value(const bodies *b, int k, const double *q)
{
    double sum = b->cross[k] * q[0] * q[1];
    for (int i = 0; i < b->n; i++)
        sum += b->square[k][i] * q[i] * q[i] + b->line[k][i] * q[i];
    return sum;
}

static void draw(maker *m, bodies *b)
{
    memset(b, 0, sizeof *b);
    b->n = 2 + (int)random_below(&m->r, COORDINATES - 1);
    b->m = b->n > 2 && maker_chance(m, 40) ? 2 : 1;
    b->level = maker_chance(m, 60) ? 3 : maker_chance(m, 60) ? 2 : 1;
    b->is_split = b->n * 2 + b->m <= MAKER_UNKNOWNS && maker_chance(m, 50);
    for (int i = 0; i < b->n; i++) {
        b->mass[i] = 1 + (int)random_below(&m->r, 4);
        b->q[i] = maker_number(m, 3) / 2.0;
        b->v[i] = maker_number(m, 8) / 8.0;
    }
    for (int k = 0; k < b->m; k++) {
        for (int i = 0; i < b->n; i++) {
            b->square[k][i] = maker_chance(m, 70) ? maker_number(m, 2) : 0;
            b->line[k][i] = maker_chance(m, 40) ? maker_number(m, 3) : 0;
        }
        b->cross[k] = maker_chance(m, 40) ? maker_number(m, 2) : 0;
        b->g[k] = value(b, k, b->q);
        for (int i = 0; i < b->n; i++)
            b->gradient[k][i] = 2 * b->square[k][i] * b->q[i] + b->line[k][i]
                + (i < 2 ? b->cross[k] * b->q[1 - i] : 0);
    }
}

static double determinant(const bodies *b, int i, int j)
{
    const double *first = b->gradient[0], *second = b->gradient[1];
    return b->m == 1 ? first[i] : first[i] * second[j] - first[j] * second[i];
}

/* A constraint on one coordinate alone, differentiated, falls into branches of
 * different index: x*x' = 0. */
static bool is_branched(const bodies *b, int k)
{
    int used = b->cross[k] ? 2 : 0;
    for (int i = 0; i < b->n; i++) used += b->square[k][i] || b->line[k][i];
    return used < 2;
}

/* Chooses what depends on what, and velocities along the constraints. False:
 * the gradients are too near to each other or to 0. */
static bool settle(bodies *b)
{
    double best = 0, less[HOLDS] = {0};
    for (int k = 0; k < b->m; k++)
        if (is_branched(b, k)) return false;
    for (int i = 0; i < b->n; i++)
        for (int j = 0; j < (b->m == 1 ? 1 : b->n); j++)
            if (fabs(determinant(b, i, j)) > best) {
                best = fabs(determinant(b, i, j));
                b->dependent[0] = i;
                b->dependent[1] = b->m == 1 ? -1 : j;
            }
    if (best < 0.5) return false;
    int i = b->dependent[0], j = b->dependent[1];
    for (int k = 0; k < b->m; k++)
        for (int c = 0; c < b->n; c++)
            if (c != i && c != j) less[k] += b->gradient[k][c] * b->v[c];
    if (b->m == 1) {
        b->v[i] = -less[0] / b->gradient[0][i];
    } else {
        double all = determinant(b, i, j);
        b->v[i] = (b->gradient[0][j] * less[1] - b->gradient[1][j] * less[0])
            / all;
        b->v[j] = (b->gradient[1][i] * less[0] - b->gradient[0][i] * less[1])
            / all;
    }
    return fabs(b->v[i]) < 20 && (j < 0 || fabs(b->v[j]) < 20);
}

/* ---- text ------------------------------------------------------------------------ */

static void write_gradient(const bodies *b, int k, int i, term_text *out)
{
    text_say(out, "(%d + %d*x%d", b->line[k][i], 2 * b->square[k][i], i + 1);
    if (i < 2 && b->cross[k]) text_say(out, " + (%d)*x%d", b->cross[k], 2 - i);
    text_say(out, ")");
}

static void write_position(const bodies *b, int k, term_text *out)
{
    text_say(out, "%d*x1*x2", b->cross[k]);
    for (int i = 0; i < b->n; i++) {
        if (b->square[k][i])
            text_say(out, " %c %d*x%d^2", b->square[k][i] < 0 ? '-' : '+',
                abs(b->square[k][i]), i + 1);
        if (b->line[k][i])
            text_say(out, " %c %d*x%d", b->line[k][i] < 0 ? '-' : '+',
                abs(b->line[k][i]), i + 1);
    }
}

/* Where velocities are unknowns, a constraint on them is written in them. */
static void write_constraint(const bodies *b, int k, term_text *out)
{
    text_say(out, "rod%d: ", k + 1);
    if (b->level == 3) {
        write_position(b, k, out);
        text_say(out, " = %.17g\n", b->g[k]);
    } else if (!b->is_split) {
        text_say(out, "(");
        write_position(b, k, out);
        text_say(out, ")%s = 0\n", b->level == 2 ? "'" : "''");
    } else {
        text_say(out, "(");
        for (int i = 0; i < b->n; i++) {
            if (i) text_say(out, " + ");
            write_gradient(b, k, i, out);
            text_say(out, "*v%d", i + 1);
        }
        text_say(out, ")%s = 0\n", b->level == 2 ? "" : "'");
    }
}

static void write_force(maker *m, const bodies *b, int i, term_text *out)
{
    int other = (int)random_below(&m->r, (size_t)b->n) + 1;
    if (b->is_split) text_say(out, "x%d' = v%d\n", i + 1, i + 1);
    text_say(out, "%d*%s%d%s = %d", b->mass[i], b->is_split ? "v" : "x", i + 1,
        b->is_split ? "'" : "''", maker_number(m, 9));
    if (maker_chance(m, 30)) text_say(out, " + sin(t)");
    if (maker_chance(m, 30)) text_say(out, " - x%d", other);
    if (maker_chance(m, 30)) text_say(out, " - x%d'*x%d", i + 1, other);
    for (int k = 0; k < b->m; k++) {
        text_say(out, " - l%d*", k + 1);
        write_gradient(b, k, i, out);
    }
    text_say(out, "\n");
}

/* One value, given or guessed, of coordinate i or its derivative. */
static void write_value(maker *m, const bodies *b, int i, int order,
    bool is_given, double more, term_text *out)
{
    double at = order ? b->v[i] : b->q[i];
    text_say(out, "init %s%d%s ", order && b->is_split ? "v" : "x", i + 1,
        order && !b->is_split ? "'" : "");
    if (is_given) text_say(out, "= %.17g\n", at + more);
    else text_say(out, "~ %.3g\n", at + 0.01 * random_unit(&m->r));
}

static void write_start(maker *m, const bodies *b, term_text *out)
{
    random_start start = m->out->start;
    bool is_free[2] = {b->level < 3, b->level < 2}; /* all may be given */
    int left_out = start == RANDOM_SHORT
        ? (int)random_below(&m->r, (size_t)(2 * (b->n - b->m)))
        : -1;
    int more = b->level == 3 ? (int)random_below(&m->r, 2) : 1;
    for (int order = 0; order < 2; order++)
        for (int i = 0; i < b->n; i++) {
            bool is_dependent = i == b->dependent[0] || i == b->dependent[1];
            bool is_given = !is_dependent || is_free[order];
            double off = 0;
            if (!is_dependent && left_out-- == 0) is_given = false;
            if (i == b->dependent[0] && order == more && !is_free[order]
                && (start == RANDOM_EXCESS || start == RANDOM_CONFLICT)) {
                is_given = true;
                off = start == RANDOM_CONFLICT ? 0.375 : 0;
            }
            if (start == RANDOM_OPEN) is_given = false;
            write_value(m, b, i, order, is_given, off, out);
        }
}

/* The position that a conflict is to give breaks a constraint, also at the other
 * values that the constraints would allow. */
static bool is_broken(const bodies *b)
{
    double q[COORDINATES];
    memcpy(q, b->q, sizeof q);
    q[b->dependent[0]] += 0.375;
    return b->m == 1 && fabs(value(b, 0, q) - b->g[0]) > 0.1;
}

bool mechanics_write(maker *m)
{
    bodies b;
    random_dae *out = m->out;
    static const random_start each[] = {
        RANDOM_CONSISTENT, RANDOM_EXCESS, RANDOM_CONFLICT, RANDOM_SHORT};
    draw(m, &b);
    if (!settle(&b)) return false;
    out->start = out->number % 3 ? RANDOM_OPEN : each[out->number / 3 % 4];
    if (b.level == 1 && out->start != RANDOM_OPEN)
        out->start = RANDOM_CONSISTENT;
    if (out->start == RANDOM_CONFLICT && !is_broken(&b)) return false;
    out->index = b.level;
    out->degrees_of_freedom = 2 * b.n - (b.level - 1) * b.m;
    out->unknowns = out->equations = b.n * (b.is_split ? 2 : 1) + b.m;
    out->predicted = b.level;
    out->missing = out->start == RANDOM_SHORT ? 1
        : out->start == RANDOM_OPEN           ? out->degrees_of_freedom
                                              : 0;
    snprintf(out->traits, sizeof out->traits, "mechanical");
    term_text text = {malloc(MAKER_TEXT), 0, MAKER_TEXT};
    if (!text.text) return false;
    text_say(&text, "# %llu: mechanical\n", (unsigned long long)out->number);
    for (int i = 0; i < b.n; i++)
        text_say(
            &text, b.is_split ? "var x%d, v%d\n" : "var x%d\n", i + 1, i + 1);
    for (int k = 0; k < b.m; k++) text_say(&text, "var l%d\n", k + 1);
    for (int i = 0; i < b.n; i++) write_force(m, &b, i, &text);
    for (int k = 0; k < b.m; k++) write_constraint(&b, k, &text);
    write_start(m, &b, &text);
    text_say(&text, "expect index == %d\nexpect dof == %d\nsolve t in 0..1\n",
        out->index, out->degrees_of_freedom);
    out->text = text.text;
    return true;
}
