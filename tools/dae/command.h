/* What the parts of the command share: exit statuses and entries. */
#ifndef COMMAND_H
#define COMMAND_H

#include "args.h"
#include <dae/status.h>

/* The meanings are a contract: docs/cli.md. */
typedef enum exit_status {
    EXIT_DONE = 0,
    EXIT_CHECK = 1, /* checked and does not hold */
    EXIT_USAGE = 2,
    EXIT_MODEL = 3,
    EXIT_NUMBERS = 4,
    EXIT_FILE = 5,
    EXIT_LIMIT = 6,
    EXIT_SIGNAL = 128, /* and the number of the signal that ended it */
    EXIT_INTERRUPT = 130,
} exit_status;

exit_status exit_of(dae_status status);
/* The whole command: from its words to its exit status. */
exit_status command_run(int argc, char **argv);
exit_status cmd_run(const args *a);
exit_status cmd_check(const args *a);
exit_status cmd_init(const args *a);
exit_status cmd_stability(const args *a);
exit_status cmd_orders(const args *a);
exit_status cmd_test(const args *a);
exit_status cmd_show(const args *a);
exit_status cmd_fmt(const args *a);

#endif
