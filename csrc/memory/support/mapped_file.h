/* mapped_file.h: files mapped to be touched, for memory/fault. */
#ifndef RK_MAPPED_FILE_H
#define RK_MAPPED_FILE_H

#include "probe/region.h"
#include "probe/scratch.h"

/* Bytes of `touches` steps for each of n samples; PTRDIFF_MAX where they overflow. */
size_t bytes_of(size_t n, int64_t touches, size_t step);

/* A file, mapped; both are given back together. */
struct mapped {
    int fd;
    struct rk_region region;
};

/* How a file is made and mapped. */
struct mapping {
    size_t size_bytes;
    int cold;      /* no page of it is in the page cache; else all are */
    int in_memory; /* the folder may lie in memory */
    int protection, advice;
};

/* Makes an unnamed file in that folder and maps it. 0 or a status; unmap_file() is due in either
 * case. */
int make_file(struct rk_context *, struct mapped *, const char *dir, const struct mapping *);
void unmap_file(struct mapped *);

#endif
