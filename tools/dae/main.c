/* The command `dae`: uses the public headers and nothing else. */
#include "command.h"

int main(int argc, char **argv)
{
    return (int)command_run(argc, argv);
}
