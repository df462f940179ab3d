/* multiply.c: `multiply VENDOR FAMILY MODEL CORE_TYPE` prints the cycles of a multiply, for
 * tests/csrc/runner/test_run.py. */
#include <stdio.h>
#include <stdlib.h>

#include "probe/kernel_files.c"
#include "probe/processor.c"

int main(int argc, char **argv)
{
    struct rk_model model = {.vendor = ""};
    if (argc != 5)
        return 2;
    snprintf(model.vendor, sizeof model.vendor, "%s", argv[1]);
    model.family = (unsigned)strtoul(argv[2], NULL, 0);
    model.model = (unsigned)strtoul(argv[3], NULL, 0);
    model.core_type = (unsigned)strtoul(argv[4], NULL, 0);
    printf("%d\n", rk_known_multiply_cycles(&model));
    return 0;
}
