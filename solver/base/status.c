/* The phrases of dae_status; diagnostics say the rest. */
#include <dae/status.h>

#define TEXT(x) #x
#define DOTTED(a, b, c) TEXT(a) "." TEXT(b) "." TEXT(c)

const char *dae_version(void)
{
    return DOTTED(DAE_VERSION_MAJOR, DAE_VERSION_MINOR, DAE_VERSION_PATCH);
}

const char *dae_status_text(dae_status status)
{
    switch (status) {
    case DAE_OK: return "done";
    case DAE_MEMORY: return "out of memory";
    case DAE_ARGUMENT: return "an argument that is not allowed";
    case DAE_MODEL: return "the model is wrong";
    case DAE_UNSUPPORTED: return "not available in this version";
    case DAE_INCONSISTENT: return "inconsistent initial conditions";
    case DAE_NUMERIC: return "the numbers failed";
    case DAE_IO: return "a file could not be read or written";
    case DAE_LIMIT: return "a limit was reached";
    case DAE_INTERRUPTED: return "interrupted";
    case DAE_RETRY: return "no value here";
    case DAE_STOPPED: return "stopped by an event of the model";
    }
    return "unknown status";
}
