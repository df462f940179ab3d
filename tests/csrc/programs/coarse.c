/* coarse.c: `coarse STEP_TICKS STEP_NS TICKS...` prints whether such samples are long enough for
 * such a counter, for tests/csrc/runner/test_run.py. */
#include <stdio.h>
#include <stdlib.h>

#include "probe/clock.c"

#define SAMPLES_MAX 16

int main(int argc, char **argv)
{
    struct rk_sample samples[SAMPLES_MAX];
    size_t n = 0;
    if (argc < 4)
        return 2;
    const struct rk_resolution step = {atoll(argv[1]), atof(argv[2])};
    for (int i = 3; i < argc && n < SAMPLES_MAX; i++)
        samples[n++] = (struct rk_sample){atoll(argv[i]), 1};
    printf("%d\n", rk_long_enough(samples, n, &step));
    return 0;
}
