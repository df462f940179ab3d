/* region.h: memory of a known size, with pages of a known size, touched before it is used. */
#ifndef RK_REGION_H
#define RK_REGION_H

#include "probe/probe.h"

#define RK_PAGES RK_TEXT("pages", "small", "small or huge (on most machines 4 KiB and 2 MiB)")

struct rk_region {
    char *start;
    size_t size_bytes;
};

/* The sizes of this machine's pages, in bytes. Small ones have 64 KiB in some AArch64 kernels. */
size_t rk_small_page(void);
size_t rk_huge_page(void);

/* 1 for huge pages, 0 for small ones, by the parameter `pages`; else a status. */
int rk_wants_huge(struct rk_context *);

/* 0 if that much, with its page tables and an eighth to spare, is available without swapping or an
 * OOM kill, else a status. */
int rk_require_room(struct rk_context *, size_t size_bytes);

/* That much in whole pages: what is touched where `size_bytes` are requested. */
size_t rk_whole_pages(size_t size_bytes, int huge);

/* Memory that has been touched, in pages of that size. 0 or a status; where it fails, nothing stays
 * mapped. */
int rk_map(struct rk_context *, struct rk_region *, size_t size_bytes, int huge);
void rk_unmap(struct rk_region *);

/* The steps of rk_map, for probes that time one of them: address space of whole pages, a
 * multiple of a huge page's size, with pages of that size requested; nothing is touched. */
int rk_reserve(struct rk_context *, struct rk_region *, size_t size_bytes, int huge);
/* Touches every page. 0 or an errno. */
int rk_touch(const struct rk_region *);
/* 0 if memory that requested huge pages got them, else a status. */
int rk_require_huge(struct rk_context *, const struct rk_region *);

#endif
