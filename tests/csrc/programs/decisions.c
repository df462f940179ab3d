/* decisions.c: what the library decides of made-up processors and machines, for tests/csrc/runner:
 *
 *   decisions partners SYS COUNT CPU
 *     of CPUs 0 to COUNT - 1 the partner of that CPU, and the partner in each relation
 *   decisions caches SYS COUNT
 *     of CPUs 0 to COUNT - 1, how many share a last cache where the fewest do
 *   decisions agree SAYS_SO SYS
 *     whether the counters of two CPUs can be compared
 *   decisions multiply VENDOR FAMILY MODEL CORE_TYPE
 *     the cycles of a multiply, or 0
 *   decisions enough STEP_TICKS STEP_NS TICKS...
 *     whether such samples are long enough */
#include <stdio.h>
#include <stdlib.h>

#include "probe/kernel_files.c"
#include "probe/clock.c"
#include "probe/cpus.c"
#include "probe/processor.c"
#include "probe/topology.c"

#define SAMPLES_MAX 16
#define CPUS_MAX 64

static struct rk_cpu_mask first_cpus(int count)
{
    struct rk_cpu_mask cpus = {0};
    for (int cpu = 0; cpu < count; cpu++)
        rk_add_cpu(&cpus, cpu);
    return cpus;
}

static void print_partners(const char *sys, int count, int chosen)
{
    const struct rk_cpu_mask allowed = first_cpus(count);
    for (int relation = RK_ANY_RELATION; relation <= RK_OTHER_SOCKET; relation++)
        printf("%d ", rk_partner_cpu(sys, &allowed, chosen, relation));
    printf("\n");
}

static void print_fewest(const char *sys, int count)
{
    int cpus[CPUS_MAX];
    for (int cpu = 0; cpu < count; cpu++)
        cpus[cpu] = cpu;
    printf("%d\n", rk_fewest_below_a_cache(sys, cpus, count));
}

static void print_multiply_cycles(char **words)
{
    struct rk_model model = {.vendor = ""};
    snprintf(model.vendor, sizeof model.vendor, "%s", words[0]);
    model.family = (unsigned)strtoul(words[1], NULL, 0);
    model.model = (unsigned)strtoul(words[2], NULL, 0);
    model.core_type = (unsigned)strtoul(words[3], NULL, 0);
    printf("%d\n", rk_known_multiply_cycles(&model));
}

static void print_long_enough(int count, char **words)
{
    const struct rk_resolution step = {atoll(words[0]), atof(words[1])};
    struct rk_sample samples[SAMPLES_MAX];
    size_t n = 0;
    for (int i = 2; i < count && n < SAMPLES_MAX; i++)
        samples[n++] = (struct rk_sample){atoll(words[i]), 1};
    printf("%d\n", rk_long_enough(samples, n, &step));
}

int main(int argc, char **argv)
{
    if (argc == 5 && strcmp(argv[1], "partners") == 0)
        print_partners(argv[2], atoi(argv[3]), atoi(argv[4]));
    else if (argc == 4 && strcmp(argv[1], "caches") == 0 && atoi(argv[3]) <= CPUS_MAX)
        print_fewest(argv[2], atoi(argv[3]));
    else if (argc == 4 && strcmp(argv[1], "agree") == 0)
        printf("%d\n", rk_counters_agree(atoi(argv[2]), argv[3]));
    else if (argc == 6 && strcmp(argv[1], "multiply") == 0)
        print_multiply_cycles(argv + 2);
    else if (argc > 4 && strcmp(argv[1], "enough") == 0)
        print_long_enough(argc - 2, argv + 2);
    else
        return 2;
    return 0;
}
