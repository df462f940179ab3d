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
    (void)out, (void)n; /* Your part: fill the n samples. */
    return rk_unsupported(c, "time_new_pages() is not written yet");
}

RK_PROBE("exercises/new_pages", .op = "page", .timed = "the first write to each of `pages` pages",
         .params = RK_PARAMS(RK_INTEGER("pages", 1000, 1, 100000, "pages a trial")),
         .trials = time_new_pages);
