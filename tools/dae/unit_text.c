#include "unit_text.h"

void unit_put(phrase *p, const char *unit)
{
    static const char *const raised[] = {
        "⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
    bool is_raised = false;
    for (; *unit; unit++) {
        const bool is_digit = *unit >= '0' && *unit <= '9';
        const char next = unit[1] == '-' ? unit[2] : unit[1];
        if (is_raised && is_digit) phrase_put(p, raised[*unit - '0']);
        else if (is_raised && *unit == '-') phrase_put(p, "⁻");
        else {
            is_raised = *unit == '^' && next >= '0' && next <= '9';
            if (is_raised) continue;
            if (*unit == '*') phrase_put(p, "·");
            else phrase_put(p, (const char[]){*unit, '\0'});
        }
    }
}
