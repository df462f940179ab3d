/* files/cache at -O0, as the reports compiled it, but in a control group with a memory limit; the
 * reports had all memory. */
#include "files/support/limited_reader.h"
#include "probe/stamps.h"

/* t470: backwards, block by block, `passes` times, after one pass forwards. */
static int read_t470(struct rk_reader *r)
{
    int status = rk_read_all(r);
    for (size_t i = 0; i < r->n && !status; i++) {
        RK_TIME_BARE(r->samples + i, 1, {
            for (int64_t pass = 0; pass < r->passes; pass++)
                for (uint32_t block = r->blocks.count; block > 0 && !status; block--)
                    status = rk_read_block(&r->blocks, block - 1);
        });
        r->samples[i].ops = (uint64_t)r->passes * r->blocks.count;
    }
    return status;
}

/* i7_10750h: 64 KiB at a time from the beginning; a figure is the whole file's. Its first figures
 * of 8 GB/s are faster than its disk, so the file was cached: one pass before. */
static int read_i7_10750h(struct rk_reader *r)
{
    int status = rk_read_all(r);
    for (size_t i = 0; i < r->n && !status; i++)
        RK_TIME_PAOLONI(r->samples + i, 1, status = rk_read_all(r));
    return status;
}

/* hpe_i7_860: one pass, and the mean of `passes` (in the report, the last 10 of 11). */
static int read_hpe_i7_860(struct rk_reader *r)
{
    int status = rk_read_all(r);
    for (size_t i = 0; i < r->n && !status; i++) {
        RK_TIME_PAOLONI(r->samples + i, 1, {
            for (int64_t pass = 0; pass < r->passes && !status; pass++)
                status = rk_read_all(r);
        });
        r->samples[i].ops = (uint64_t)r->passes * r->blocks.count;
    }
    return status;
}

#define PASSES(default_)                                                                           \
    RK_INTEGER("passes", default_, 1, 1000, "timed passes over the file in a trial")
#define LIMITED(...)                                                                               \
    RK_PARAMS(RK_FILE(4 << 20), RK_LIMIT(8 << 20), RK_GROUPS, RK_DIR, ##__VA_ARGS__)

RK_PROBE("files/cache/t470", .op = "block", .reports = "t470",
         .timed = "passes over the file in blocks of 4 KiB, backwards, after one forwards, -O0, in "
                  "a control group with a memory limit (the report: 10 passes, all memory)",
         .needs = RK_NEEDS_DISK | RK_NEEDS_STAMPS, .params = LIMITED(PASSES(2)),
         RK_LIMITED_READER(rk_open_reader, .read = read_t470, .index = RK_OWN_FILE,
                           .block_bytes = 4096, .has_passes = 1));
RK_PROBE("files/cache/i7_10750h", .op = "file", .reports = "i7_10750h",
         .timed = "a pass over the file in blocks of 64 KiB, after one, -O0, in a control group "
                  "with a memory limit (the report: all memory); the whole file is one operation",
         .needs = RK_NEEDS_DISK | RK_NEEDS_STAMPS, .params = LIMITED(),
         RK_LIMITED_READER(rk_open_reader, .read = read_i7_10750h, .index = RK_OWN_FILE,
                           .block_bytes = 65536));
RK_PROBE("files/cache/hpe_i7_860", .op = "block", .reports = "hpe_i7_860",
         .timed = "passes over the file in blocks of 4 KiB, after one, -O0, in a control group "
                  "with a memory limit (the report: 10 passes, all memory)",
         .needs = RK_NEEDS_DISK | RK_NEEDS_STAMPS, .params = LIMITED(PASSES(10)),
         RK_LIMITED_READER(rk_open_reader, .read = read_hpe_i7_860, .index = RK_OWN_FILE,
                           .block_bytes = 4096, .has_passes = 1));
