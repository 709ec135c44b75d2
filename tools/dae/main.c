/* The command `dae`: uses the public headers and nothing else. */
#include "command.h"
#include "limits.h"
#include "memory.h"

int main(int argc, char **argv)
{
    memory_keep_pages();
    limits_catch_signals();
    return (int)command_run(argc, argv);
}
