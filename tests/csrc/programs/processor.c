/* processor.c: `processor SAYS_SO SYS` prints whether the counters of two CPUs can be compared, for
 * tests/csrc/runner/test_run.py. */
#include <stdio.h>
#include <stdlib.h>

#include "probe/kernel_files.c"
#include "probe/processor.c"

int main(int argc, char **argv)
{
    if (argc != 3)
        return 2;
    printf("%d\n", rk_counters_agree(atoi(argv[1]), argv[2]));
    return 0;
}
