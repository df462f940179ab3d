/* median.h: what programs that measure without the library share: the time, and the order in which
 * qsort(3) finds a median. */
#ifndef MEDIAN_H
#define MEDIAN_H

#include <time.h>

static double now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1e9 + now.tv_nsec;
}

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

#endif
