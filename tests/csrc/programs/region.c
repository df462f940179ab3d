/* region.c: `region shares` prints the share in huge pages of two regions that are one mapping, of
 * which the second got small pages; `region most` prints whether 16 huge pages of 16 are enough,
 * and 15; `region room` prints whether a byte in a huge page is mapped
 * where half a huge page is available, and where 64 are. For tests/csrc/memory/test_counted.py. */
#include <stdio.h>

#include "probe/kernel_files.c"
#include "probe/region.c" /* for its static function */

static int64_t available = -1;

int64_t rk_available_bytes(void)
{
    return available;
}

int rk_refused(struct rk_context *c, const char *what, int error)
{
    (void)c, (void)what;
    return -error;
}

int rk_error(struct rk_context *c, int error, const char *format, ...)
{
    (void)c, (void)format;
    return -error;
}

const char *rk_text(const struct rk_context *c, const char *name)
{
    (void)c;
    return name;
}

static int print_shares(void)
{
    struct rk_region both, half[2];
    if (rk_reserve(NULL, &both, 8 * rk_huge_page(), 1))
        return 2;
    for (int i = 0; i < 2; i++)
        half[i] =
            (struct rk_region){both.start + (size_t)i * both.size_bytes / 2, both.size_bytes / 2};
    const int bad = rk_touch(&half[0]);
    madvise(half[1].start, half[1].size_bytes, MADV_NOHUGEPAGE);
    if (bad || rk_touch(&half[1]))
        return 3;
    printf("%.3f %.3f", rk_huge_share(&half[0]), rk_huge_share(&half[1]));
    madvise(half[1].start, half[1].size_bytes, MADV_HUGEPAGE); /* one mapping again */
    printf(" %.3f %.3f\n", rk_huge_share(&half[0]), rk_huge_share(&half[1]));
    return 0;
}

static int print_most(void)
{
    struct rk_region region;
    if (rk_reserve(NULL, &region, 16 * rk_huge_page(), 1) || rk_touch(&region))
        return 2;
    printf("%d ", rk_require_huge(NULL, &region));
    madvise(region.start, rk_small_page(), MADV_DONTNEED); /* splits the first */
    printf("%d\n", rk_require_huge(NULL, &region));
    return 0;
}

static int print_room(void)
{
    struct rk_region region;
    const int64_t huge_page = (int64_t)rk_huge_page();
    available = huge_page / 2;
    printf("%d ", rk_map(NULL, &region, 1, 1));
    available = 64 * huge_page;
    printf("%d\n", rk_map(NULL, &region, 1, 1));
    return 0;
}

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "most") == 0)
        return print_most();
    return argc > 1 && strcmp(argv[1], "room") == 0 ? print_room() : print_shares();
}
