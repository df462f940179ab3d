/* faults.h: how many faults the kernel counted, and files mapped to be touched. */
#ifndef RK_FAULTS_H
#define RK_FAULTS_H

#include "probe/region.h"
#include "probe/scratch.h"

struct fault_count {
    int64_t minor, major;
};

/* Of this thread so far, and since then. */
struct fault_count faults_now(void);
struct fault_count faults_since(struct fault_count before);

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
