/* topology.c: `topology SYS CPUS` prints the CPU that would measure and its partner, of the CPUs 0
 * to CPUS - 1, for tests/csrc/runner/test_topology.py. */
#include <stdio.h>
#include <stdlib.h>

#include "probe/kernel_files.c"
#include "probe/topology.c"

int main(int argc, char **argv)
{
    cpu_set_t allowed;
    CPU_ZERO(&allowed);
    for (int cpu = 0; argc == 3 && cpu < atoi(argv[2]); cpu++)
        CPU_SET(cpu, &allowed);
    const int chosen = argc == 3 ? rk_fastest_cpu(argv[1], &allowed) : -1;
    printf("%d %d\n", chosen, rk_partner_cpu(argv[1], &allowed, chosen));
    return 0;
}
