#include "check_parts.h"
#include "memory.h"

void check_put_times(int64_t count, phrase *p)
{
    if (count == 1) phrase_put(p, "once");
    else if (count == 2) phrase_put(p, "twice");
    else phrase_add(p, "%lld times", (long long)count);
}

static void put_quoted(const check *k, size_t unknown, phrase *p)
{
    phrase_put(p, "`");
    check_put_slot(k, unknown, 0, p);
    phrase_put(p, "`");
}

static void put_algebraic(const check *k, const dae_reason *r, phrase *p)
{
    const size_t count = r->unknown_count;
    if (count) {
        put_quoted(k, r->unknowns[0], p);
        if (count > 1)
            phrase_add(p, " and %zu other unknown%s", count - 1,
                count == 2 ? "" : "s");
        phrase_add(p, " occur%s without derivatives; ", count > 1 ? "" : "s");
    }
    phrase_put(p, "no equation has to be differentiated");
}

/* A repair put another equation in its place. */
static bool is_replaced(const check *k, size_t i)
{
    for (size_t r = 0; r < k->analysis->repair_count; r++)
        if (k->analysis->repairs[r].replaces == (int64_t)i) return true;
    return false;
}

/* Of equations that are not named what needs them is not looked for. */
static void put_needing(const check *k, const dae_reason *r, phrase *p)
{
    const size_t count = r->unknown_count;
    const bool has_others = r->equation_count > DAE_REASON_NAMED;
    const size_t shown = count < DAE_REASON_NAMED ? count : DAE_REASON_NAMED;
    if (count == 0) return;
    phrase_put(p, " before ");
    for (size_t q = 0; q < shown; q++) {
        if (q) phrase_put(p, q + 1 == count && !has_others ? " and " : ", ");
        put_quoted(k, r->unknowns[q], p);
    }
    if (has_others) phrase_put(p, " and others");
    else phrase_more(p, shown, count);
    phrase_put(
        p, count > 1 || has_others ? " are determined" : " is determined");
}

/* "`a`, what replaces `b` and 3 more are differentiated twice before ..." */
static void put_differentiated(const check *k, const dae_reason *r, phrase *p)
{
    const size_t count = r->equation_count;
    for (size_t e = 0; e < count && phrase_next(p, e, count, DAE_REASON_NAMED);
         e++) {
        if (is_replaced(k, r->equations[e])) phrase_put(p, "what replaces ");
        phrase_put(p, "`");
        check_put_equation(k, r->equations[e], 0, p);
        phrase_put(p, "`");
    }
    phrase_put(p, count > 1 ? " are differentiated " : " is differentiated ");
    check_put_times(r->times, p);
    put_needing(k, r, p);
}

void check_put_reason(const check *k, phrase *p)
{
    dae_reason r;
    if (!memory_sufficed(dae_report_reason(k->report, &r))) return;
    switch (r.kind) {
    case DAE_REASON_NONE: break;
    case DAE_REASON_AS_IT_IS:
        phrase_put(p,
            "the equations determine every highest derivative as they stand");
        break;
    case DAE_REASON_ALGEBRAIC: put_algebraic(k, &r, p); break;
    case DAE_REASON_DIFFERENTIATED: put_differentiated(k, &r, p); break;
    case DAE_REASON_RANKS:
        phrase_add(p,
            "by the ranks of the equations with their derivatives; "
            "structure alone says %lld",
            (long long)k->analysis->structural_index);
    }
}
