#include "probe/region.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "probe/kernel_files.h"

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif

size_t rk_small_page(void)
{
    return (size_t)sysconf(_SC_PAGESIZE);
}

size_t rk_huge_page(void)
{
    const int64_t size = rk_number_in("/sys/kernel/mm/transparent_hugepage/hpage_pmd_size");
    return size == INT64_MAX ? (size_t)2 << 20 : (size_t)size;
}

void rk_unmap(struct rk_region *region)
{
    if (region->start)
        munmap(region->start, region->size_bytes);
    *region = (struct rk_region){NULL, 0};
}

/* The share of a mapping that lies in huge pages, of what is in memory (proc(5), smaps). The
 * kernel merges adjacent mappings that requested the same pages; then it is the share of both. */
static double rk_huge_share(const struct rk_region *region)
{
    char line[512];
    long long present = 0, in_huge = 0;
    unsigned long first, end;
    int inside = 0;
    const unsigned long start = (unsigned long)region->start;
    FILE *smaps = fopen("/proc/self/smaps", "re");
    while (smaps && fgets(line, sizeof line, smaps)) {
        if (sscanf(line, "%lx-%lx ", &first, &end) == 2)
            inside = first <= start && start < end;
        else if (inside && sscanf(line, "AnonHugePages: %lld", &in_huge) == 1)
            break;
        else if (inside)
            sscanf(line, "Rss: %lld", &present); /* an earlier line */
    }
    if (smaps)
        fclose(smaps);
    return present ? (double)in_huge / (double)present : 0;
}

int rk_wants_huge(struct rk_context *c)
{
    const char *pages = rk_text(c, "pages");
    if (strcmp(pages, "huge") == 0)
        return 1;
    return strcmp(pages, "small") == 0 ? 0 : rk_unsupported(c, "pages are small or huge");
}

int rk_require_room(struct rk_context *c, size_t size_bytes)
{
    const int64_t available = rk_available_bytes();
    if (available < 0 || size_bytes <= (size_t)available / 9 * 8)
        return 0;
    return rk_unsupported(c,
                          "%zu MiB with their page tables do not fit into the %lld MiB available",
                          size_bytes >> 20, (long long)available >> 20);
}

size_t rk_whole_pages(size_t size_bytes, int huge)
{
    const size_t page = huge ? rk_huge_page() : rk_small_page();
    return size_bytes > SIZE_MAX - page ? SIZE_MAX : (size_bytes + page - 1) & ~(page - 1);
}

int rk_reserve(struct rk_context *c, struct rk_region *region, size_t size_bytes, int huge)
{
    const size_t alignment = rk_huge_page(), size = rk_whole_pages(size_bytes, huge);
    *region = (struct rk_region){NULL, 0};
    if (!size)
        return 0;
    char *const start = mmap(NULL, size + alignment, PROT_READ | PROT_WRITE,
                             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (start == MAP_FAILED)
        return rk_refused(c, "mmap", errno);
    char *const aligned = (char *)(((uintptr_t)start + alignment - 1) & ~(alignment - 1));
    if (aligned > start)
        munmap(start, (size_t)(aligned - start));
    munmap(aligned + size, alignment - (size_t)(aligned - start));
    *region = (struct rk_region){aligned, size};
    madvise(aligned, size, huge ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
    return 0;
}

int rk_require_huge(struct rk_context *c, const struct rk_region *region)
{
    if (!region->start || rk_huge_share(region) == 1)
        return 0;
    return rk_unsupported(c, "huge pages are not available here (transparent_hugepage is off, or "
                             "memory is fragmented)");
}

/* By one call where the kernel has it (Linux 5.14), which takes half as long; else page by page. */
int rk_touch(const struct rk_region *region)
{
    if (madvise(region->start, region->size_bytes, MADV_POPULATE_WRITE) == 0)
        return 0;
    if (errno != EINVAL)
        return errno;
    for (size_t i = 0, page = rk_small_page(); i < region->size_bytes; i += page)
        region->start[i] = 1;
    return 0;
}

int rk_map(struct rk_context *c, struct rk_region *region, size_t size_bytes, int huge)
{
    *region = (struct rk_region){NULL, 0};
    int status = rk_require_room(c, rk_whole_pages(size_bytes, huge));
    if (!status)
        status = rk_reserve(c, region, size_bytes, huge);
    if (status || !region->start)
        return status;
    const int error = rk_touch(region);
    if (error)
        status = rk_refused(c, "touching the memory", error);
    else if (huge)
        status = rk_require_huge(c, region);
    if (status)
        rk_unmap(region);
    return status;
}
