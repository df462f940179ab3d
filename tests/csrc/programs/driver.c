/* driver.c: `driver LIBRARY PROBE PARAMETERS` runs a probe in its own process, for tests under an
 * emulator. Prints the status, the reason and the median of ticks over operations. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

#include "reckon.h"

#define SAMPLES 9

static int by_value(const void *a, const void *b)
{
    const double *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

int main(int argc, char **argv)
{
    void *const library = argc == 4 ? dlopen(argv[1], RTLD_NOW) : NULL;
    if (!library)
        return 2;
    int (*run)(const struct rk_request *, struct rk_sample *, struct rk_witness *,
               struct rk_outcome *) =
        (int (*)(const struct rk_request *, struct rk_sample *, struct rk_witness *,
                 struct rk_outcome *))dlsym(library, "rk_run");
    const struct rk_request request = {.probe = argv[2],
                                       .params = argv[3],
                                       .samples = SAMPLES,
                                       .warmup = 1,
                                       .cpu = -1};
    struct rk_sample samples[SAMPLES];
    struct rk_witness witnesses[SAMPLES];
    struct rk_outcome outcome;
    double each[SAMPLES] = {0};
    const int status = run(&request, samples, witnesses, &outcome);
    for (int i = 0; i < SAMPLES && !status; i++)
        each[i] = (double)samples[i].ticks / (double)samples[i].ops;
    qsort(each, SAMPLES, sizeof *each, by_value);
    printf("%d|%s|%g\n", status, outcome.reason, each[SAMPLES / 2]);
    return 0;
}
