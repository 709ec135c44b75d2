/* A co-simulation: a controller in C and a room in a model take turns. Every ten minutes
 * the controller reads the temperature and sets the heating, which the model sees as its
 * param `heating` and which is held in between; the weather comes from another program,
 * here a function. */
#include <dae/run.h>
#include <math.h>
#include <stdio.h>

static const char room[] = "\"A room\"\n"
                           "param heating = 0 {W}\n"
                           "param outside = 278 {K}\n"
                           "param capacity = 4e5 {J/K}\n"
                           "param loss = 80 {W/K}\n"
                           "var T = 288 {K}\n"
                           "capacity*T' = heating - loss*(T - outside)\n"
                           "let flow = loss*(T - outside)\n"
                           "solve t in 0..86400\n";

enum { STEP = 600, DAY = 86400 };

/* A proportional and integral controller that knows nothing of the model. */
typedef struct controller {
    double wanted, sum;
} controller;

static double control(controller *c, double temperature)
{
    const double off = c->wanted - temperature;
    double power = 400 * off + 0.1 * c->sum;
    if (power < 0) power = 0;
    if (power > 3000) power = 3000;
    else c->sum += off * STEP;
    return power;
}

static double weather(double t)
{
    return 278 + 5 * sin(2 * 3.141592653589793 * t / DAY);
}

static dae_status simulate(dae_run *run, double *temperature)
{
    controller c = {.wanted = 293};
    dae_status st = dae_run_start(run);
    for (int t = 0; !st && t < DAY; t += STEP) {
        st = dae_run_final(run, "T", temperature);
        if (!st) st = dae_run_input(run, "heating", control(&c, *temperature));
        if (!st) st = dae_run_input(run, "outside", weather(t));
        if (!st) st = dae_run_to(run, t + STEP);
        if (!st && t % 14400 == 0)
            printf("%5.1f h  %7.3f K\n", t / 3600.0, *temperature);
    }
    return st ? st : dae_run_final(run, "T", temperature);
}

int main(void)
{
    dae_diagnostics *ds;
    dae_run *run = NULL;
    double temperature = 0;
    dae_status st = dae_diagnostics_create(NULL, &ds);
    if (st) return 1;
    st = dae_run_parse("room.dae", room, sizeof room - 1, NULL, NULL, ds, &run);
    if (!st) st = simulate(run, &temperature);
    for (size_t i = 0; i < dae_diagnostics_count(ds); i++)
        fprintf(stderr, "%s\n", dae_diagnostics_at(ds, i)->message);
    if (!st) printf("at the end %.3f K\n", temperature);
    dae_run_free(run);
    dae_diagnostics_free(ds);
    return st || fabs(temperature - 293) > 0.5;
}
