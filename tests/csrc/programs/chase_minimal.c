/* chase_minimal.c: what memory/latency/random is compared with. It has nothing of the library:
 * `chase_minimal 16384 small 16384 20` prints the median over 20 trials of the nanoseconds that one
 * of 16384 loads takes in a random cycle through 16384 bytes of small pages. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "median.h"

#define LINE 64

static __attribute__((noinline)) void *chase(void *p, long n)
{
    while (n--)
        p = *(void **)p;
    return p;
}

/* Sattolo's rk_shuffle makes one cycle at once: each line points to where its content is swapped
 * to.
 */
static void link_lines(char *memory, size_t lines)
{
    size_t *next = malloc(lines * sizeof *next);
    for (size_t i = 0; i < lines; i++)
        next[i] = i;
    for (size_t i = lines - 1; i > 0; i--) {
        const size_t j = (size_t)random() % i, held = next[i];
        next[i] = next[j];
        next[j] = held;
    }
    for (size_t i = 0; i < lines; i++)
        *(void **)(memory + i * LINE) = memory + next[i] * LINE;
    free(next);
}

int main(int argc, char **argv)
{
    if (argc != 5)
        return 2;
    const size_t size = strtoull(argv[1], NULL, 10), unit = 2 << 20;
    const long loads = atol(argv[3]), trials = atol(argv[4]);
    char *const memory = aligned_alloc(unit, (size + unit - 1) / unit * unit);
    if (!memory || loads < 1 || trials < 1 ||
        madvise(memory, (size + unit - 1) / unit * unit,
                strcmp(argv[2], "huge") ? MADV_NOHUGEPAGE : MADV_HUGEPAGE))
        return 1;
    srandom((unsigned)time(NULL) ^ (unsigned)(size_t)&size);
    link_lines(memory, size / LINE);
    double *const took = malloc(trials * sizeof *took);
    void *p = chase(memory, size / LINE < 1 << 18 ? (long)(size / LINE) : 1 << 18);
    for (long i = 0; i < trials; i++) {
        const double begin = now_ns();
        p = chase(p, loads);
        took[i] = (now_ns() - begin) / loads;
    }
    qsort(took, trials, sizeof *took, ascending);
    printf("%.4f\n", p ? took[trials / 2] : 0);
    return 0;
}
