/* division.c: what cpu/division is compared with. It has nothing of the library: a chain of
 * divisions as a compiler writes them, by the system's clock. `division 60` prints the median time
 * of a division with a quotient of 60 bits and of the addition after it, in nanoseconds. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "median.h"

#define TRIALS 201
#define DIVISIONS 1000

int main(int argc, char **argv)
{
    const int bits = argc == 2 ? atoi(argv[1]) : 0;
    if (bits < 1 || bits > 60)
        return 2;
    const uint64_t dividend = UINT64_C(0xfedcba9876543210);
    const uint64_t divisor = dividend / (UINT64_C(1) << (bits - 1)) / 5 * 4;
    /* volatile: else the compiler sees that no division changes x. */
    volatile uint64_t start = dividend, added = dividend - dividend / divisor;
    double took[TRIALS];
    uint64_t x = start;
    const uint64_t rest = added;
    for (int trial = 0; trial < TRIALS; trial++) {
        const double begin = now_ns();
        for (int i = 0; i < DIVISIONS; i++)
            x = x / divisor + rest;
        took[trial] = (now_ns() - begin) / DIVISIONS;
    }
    qsort(took, TRIALS, sizeof *took, ascending);
    printf("%.3f\n", took[TRIALS / 2]);
    return x != dividend;
}
