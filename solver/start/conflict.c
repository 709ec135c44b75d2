#include "start/conflict.h"
dae_status conflict_find(init_system *s, const solution *failed,
    bool *is_solved, bool *is_found)
{
    (void)s;
    (void)failed;
    *is_solved = *is_found = false;
    return DAE_OK;
}
dae_status conflict_of_value(
    init_system *s, size_t slot, double given, bool *is_found)
{
    (void)s;
    (void)slot;
    (void)given;
    *is_found = false;
    return DAE_OK;
}
