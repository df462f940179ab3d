/* exercises/new_pages: what the first touch of a page costs.
 *
 * In each trial, touch `pages` small pages of anonymous memory that nobody has touched before, and
 * give them back to the kernel outside the timing; `ops` counts pages. Compare csrc/memory/fault.c;
 * `make exercise NAME=new_pages` compares the faults that the kernel counted with your pages. */
#include <sys/mman.h>

#include "probe/probe.h"

#define PAGE_BYTES 4096

static int time_new_pages(struct rk_context *c, struct rk_sample *out, size_t n)
{
    const int64_t pages = rk_integer(c, "pages");
    const size_t size = (size_t)pages * PAGE_BYTES;
    for (size_t i = 0; i < n; i++) {
        char *const new =
            mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (new == MAP_FAILED)
            return rk_failed(c, "mmap", errno);
        madvise(new, size, MADV_NOHUGEPAGE);
        volatile char *at = new;
        RK_TIME_TRIALS(out + i, 1, pages, (*at = 1, at += PAGE_BYTES));
        munmap(new, size);
    }
    return 0;
}

RK_PROBE("exercises/new_pages", .op = "page", .timed = "the first write to each of `pages` pages",
         .params = RK_PARAMS(RK_INTEGER("pages", 1000, 1, 100000, "pages a trial")),
         .trials = time_new_pages);
