#include "limits.h"
#include "command.h"
#include "console.h"
#include "memory.h"
#include "result_file.h"
#include <math.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* A signal handler has nothing but statics to write to. */
static volatile sig_atomic_t is_held, caught, seconds_then, guarded, is_over;
static struct timespec
    over_then[2]; /* when it was over: by the clock, in work */

/* Behind a limit or a signal, in ms: time for a pass to see it. What has not had the
 * processor for so long, on a busy machine, is given more by the clock. */
enum { GRACE = 150, LEAST_WORK = 75, LONGEST = 600 };
/* What --untrusted lets out, in MiB, and what is left of it. */
enum { OUTPUT_MIB = 64 };
static size_t output_left = SIZE_MAX;
static char limit_text[64]; /* what the time limit is told by */
static bool wants_document, has_timer;
static timer_t timer;

/* The program has its own group, and with it what it has begun. */
static void end_guarded(void)
{
    if (guarded > 0) (void)kill((pid_t)-guarded, SIGKILL);
}

static void write_words(int stream, const char *const *words)
{
    /* nothing is left to do where this fails */
    for (; *words; words++)
        if (write(stream, *words, strlen(*words)) < 0) break;
}

/* Where the command stands: what it has no time to report itself. */
static void end_here(void)
{
    const char *code = caught ? "E0005" : "E0004";
    const char *text = caught ? limits_signal_text() : limit_text;
    end_guarded();
    write_words(STDERR_FILENO,
        (const char *const[]){"error[", code, "]: ", text, "\n", NULL});
    if (wants_document)
        write_words(STDOUT_FILENO,
            (const char *const[]){"{\"status\": \"",
                caught ? "interrupted" : "limit",
                "\", \"diagnostics\": [{\"code\": \"", code,
                "\", \"severity\": \"error\", \"message\": \"", text,
                "\", \"file\": null, \"line\": null, \"column\": null, "
                "\"end_line\": null, \"end_column\": null, \"notes\": []}]}\n",
                NULL});
    result_files_abandon();
    _exit(caught ? EXIT_SIGNAL + caught : EXIT_LIMIT);
}

static void set_timer(double seconds)
{
    const double whole = floor(seconds);
    const struct itimerspec at = {
        .it_value = {(time_t)whole, (long)((seconds - whole) * 1e9)}};
    if (has_timer) (void)timer_settime(timer, 0, &at, NULL);
}

static long milliseconds_since(const struct timespec *then, clockid_t clock)
{
    struct timespec now = *then;
    (void)clock_gettime(clock, &now);
    return (long)(now.tv_sec - then->tv_sec) * 1000
        + (now.tv_nsec - then->tv_nsec) / 1000000;
}

static void begin_grace(void)
{
    if (is_over) return;
    is_over = 1;
    (void)clock_gettime(CLOCK_MONOTONIC, &over_then[0]);
    (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &over_then[1]);
    set_timer(GRACE / 1e3);
}

static void on_alarm(int signal)
{
    (void)signal;
    if (!is_over) begin_grace();
    else if (milliseconds_since(&over_then[1], CLOCK_PROCESS_CPUTIME_ID)
            >= LEAST_WORK
        || milliseconds_since(&over_then[0], CLOCK_MONOTONIC) >= LONGEST)
        end_here();
    else set_timer(GRACE / 5e3);
}

/* One signal may arrive twice, from the terminal and from a program that
 * passes it on; a second one in earnest comes later. After the first one nobody may
 * ask for it in time: a factorization, a disk. */
static void on_signal(int signal)
{
    struct timespec now = {0, 0};
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    sig_atomic_t seconds = (sig_atomic_t)(now.tv_sec & 0xFFFFFF);
    bool is_second = caught && seconds > seconds_then + 1;
    if (!is_held || is_second) {
        end_guarded();
        result_files_abandon();
        _exit(EXIT_SIGNAL + signal);
    }
    if (caught) return;
    seconds_then = seconds;
    caught = signal;
    begin_grace();
}

/* Beyond a limit of the shell's a write fails, which is told.
 * Calls begin again after a signal: a row on its way into a pipe is written
 * to its end. A signal to hang up stays ignored where nohup says so. */
void limits_catch_signals(void)
{
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
    struct sigaction ignored = {.sa_handler = SIG_IGN};
    if (sigemptyset(&ignored.sa_mask) == 0)
        (void)sigaction(SIGXFSZ, &ignored, NULL);
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESTART};
    if (sigfillset(&action.sa_mask)) return; /* one after the other */
    for (size_t k = 0; k < sizeof signals / sizeof *signals; k++) {
        struct sigaction before;
        if (sigaction(signals[k], NULL, &before)) continue;
        if (signals[k] == SIGHUP && before.sa_handler == SIG_IGN) continue;
        (void)sigaction(signals[k], &action, NULL);
    }
    action.sa_handler = on_alarm;
    has_timer = sigaction(SIGALRM, &action, NULL) == 0
        && timer_create(CLOCK_MONOTONIC, NULL, &timer) == 0;
}

/* The heap grows by much more than this at a time (memory_keep_pages): whether it
 * has grown is asked once in so many bytes. A model that needs less never asks: to
 * clear a large page for it takes as long as half its run. */
enum { MORE_PAGES = 1 << 20 };

/* Every pass that takes long takes memory, and every pass knows the way out
 * where there is none: so this is also where one ends that has no time left. What was
 * computed is reported whatever the limits. */
static void *resize_counted(
    void *context, void *block, size_t old_size, size_t size)
{
    limits *l = context;
    const size_t kept = l->memory_used - (block ? old_size : 0);
    const bool grows = !l->is_reporting
        && (size > old_size || (size && !block));
    if (grows && limits_stop(l)) {
        l->was_stopped = true;
        return NULL;
    }
    const bool is_beyond = size > l->memory_limit
        || kept > l->memory_limit - size;
    if (grows && is_beyond) {
        l->memory_refused = true;
        return NULL;
    }
    const dae_allocator *libc = dae_allocator_default();
    void *resized = libc->resize(libc->context, block, old_size, size);
    if (resized || size == 0) l->memory_used = kept + size;
    if (l->memory_used >= l->memory_seen) {
        memory_enlarge_pages();
        l->memory_seen = l->memory_used + MORE_PAGES;
    }
    return resized;
}

void limits_start(limits *l, const args *a)
{
    *l = (limits){.started = console_clock(), .deadline = (double)INFINITY};
    l->allocator = (dae_allocator){resize_counted, l};
    l->memory_limit = a->memory_limit ? a->memory_limit : SIZE_MAX;
    l->memory_seen = MORE_PAGES;
    if (!isnan(a->time_limit)) l->deadline = l->started + a->time_limit;
    output_left = a->untrusted ? (size_t)OUTPUT_MIB << 20 : SIZE_MAX;
    memory_use(l);
}

void limits_spend_output(size_t bytes)
{
    if (output_left == SIZE_MAX) return;
    if (bytes <= output_left) {
        output_left -= bytes;
        return;
    }
    end_guarded();
    (void)fflush(stdout);
    (void)fprintf(stderr,
        "error[E0004]: the limit of %d MiB of output was reached\n",
        OUTPUT_MIB);
    result_files_abandon();
    _exit(EXIT_LIMIT);
}

void limits_arm(const limits *l, const args *a)
{
    const double rest = l->deadline - console_clock();
    wants_document = a->json;
    if (!isfinite(rest) || rest > 1e8) return;
    (void)snprintf(limit_text, sizeof limit_text,
        "the time limit of %g s was reached", a->time_limit);
    set_timer(rest < 1e-3 ? 1e-3 : rest); /* a timer of 0 is none */
}

void limits_begin_report(limits *l)
{
    l->is_reporting = true;
    wants_document = false;
    if (l->time_over || caught) set_timer(0);
}

void limits_hold_interrupts(void)
{
    is_held = 1;
}

void limits_guard_child(int process)
{
    guarded = process;
}

int limits_signal(void)
{
    return (int)caught;
}

const char *limits_signal_text(void)
{
    switch (caught) {
    case SIGTERM: return "ended by SIGTERM";
    case SIGHUP: return "ended by SIGHUP";
    default: return "interrupted";
    }
}

int limits_stop(void *context)
{
    limits *l = context;
    const bool has_deadline = isfinite(l->deadline);
    if (has_deadline && console_clock() > l->deadline) l->time_over = true;
    return l->time_over || caught;
}
