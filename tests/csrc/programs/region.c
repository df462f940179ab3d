/* region.c: `region` prints whether a byte in a huge page is mapped where half a huge page is
 * available, and where 64 are, for tests/csrc/memory/test_counted.py. */
#include <stdio.h>

#include "probe/region.c"

static int64_t available;

int64_t rk_available_bytes(void)
{
    return available;
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

int main(void)
{
    struct rk_region region;
    const int64_t huge_page = (int64_t)rk_huge_page();
    available = huge_page / 2;
    printf("%d ", rk_map(NULL, &region, 1, 1));
    available = 64 * huge_page;
    printf("%d\n", rk_map(NULL, &region, 1, 1));
    return 0;
}
