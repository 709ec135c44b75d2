#include "limits.h"
#include "command.h"
#include "console.h"
#include <math.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

/* A signal handler has nothing but statics to write to. */
static volatile sig_atomic_t is_held, was_interrupted, seconds_then;

/* One Ctrl-C may arrive twice, from the terminal and from a program that
 * passes it on; a second one in earnest comes later. */
static void on_interrupt(int signal)
{
    (void)signal;
    struct timespec now = {0, 0};
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    sig_atomic_t seconds = (sig_atomic_t)(now.tv_sec & 0xFFFFFF);
    bool is_second = was_interrupted && seconds > seconds_then + 1;
    if (!is_held || is_second) _exit(EXIT_INTERRUPT);
    if (!was_interrupted) seconds_then = seconds;
    was_interrupted = 1;
}

static void *resize_counted(
    void *context, void *block, size_t old_size, size_t size)
{
    limits *l = context;
    size_t kept = l->memory_used - (block ? old_size : 0);
    if (size > l->memory_limit || kept > l->memory_limit - size) {
        if (size > old_size || !block) {
            l->memory_refused = true;
            return NULL;
        }
    }
    const dae_allocator *libc = dae_allocator_default();
    void *resized = libc->resize(libc->context, block, old_size, size);
    if (resized || size == 0) l->memory_used = kept + size;
    return resized;
}

void limits_start(limits *l, const args *a)
{
    *l = (limits){.started = console_clock(), .deadline = (double)INFINITY};
    l->allocator = (dae_allocator){resize_counted, l};
    l->memory_limit = a->memory_limit ? a->memory_limit : SIZE_MAX;
    if (!isnan(a->time_limit)) l->deadline = l->started + a->time_limit;
    struct sigaction action = {.sa_handler = on_interrupt};
    if (sigemptyset(&action.sa_mask) == 0)
        (void)sigaction(SIGINT, &action, NULL);
}

void limits_hold_interrupts(void)
{
    is_held = 1;
}

bool limits_interrupted(void)
{
    return was_interrupted != 0;
}

int limits_stop(void *context)
{
    limits *l = context;
    if (console_clock() > l->deadline) l->time_over = true;
    return l->time_over || was_interrupted;
}
