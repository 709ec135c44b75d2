/* The command `dae`: uses the public headers and nothing else. */
#include "command.h"
#include "limits.h"

int main(int argc, char **argv)
{
    limits_catch_signals();
    return (int)command_run(argc, argv);
}
