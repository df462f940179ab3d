/* pages.c: prints what csrc/probe/region.c says of two regions that touch and asked for huge pages,
 * of which the second got small ones, for tests/csrc/memory/test_counted.py. */
#include "probe/region.c" /* for its static function */

int main(void)
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

int rk_refused(struct rk_context *c, const char *what, int error)
{
    (void)c, (void)what;
    return -error;
}

int rk_unsupported(struct rk_context *c, const char *reason)
{
    (void)c, (void)reason;
    return -EOPNOTSUPP;
}

const char *rk_text(const struct rk_context *c, const char *name)
{
    (void)c;
    return name;
}

int64_t rk_available_bytes(void)
{
    return -1;
}
