/* scratch.h: files of real data on the disk that is measured. A probe creates one without a name,
 * which cannot be left behind, or reads one of the run's (reckon/computer/scratch.py). */
#ifndef RK_SCRATCH_H
#define RK_SCRATCH_H

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "probe/probe.h"

#define RK_DIR                                                                                     \
    RK_TEXT("dir", "", "a folder on the disk that is measured; if empty, SCRATCH's or /var/tmp")
/* A probe with `file_bytes` reads `files` files (or one) of at least that size; Python creates them
 * for the run. */
#define RK_FILE(default_)                                                                          \
    RK_INTEGER("file_bytes", default_, 4096, (int64_t)1 << 42,                                     \
               "how much of a file of real data is read")

/* The folder on the disk that is measured. */
const char *rk_scratch_dir(const struct rk_context *);

/* An empty file without a name, where `size_bytes` have room and a limit allows them. The
 * descriptor or a negative status. `on_a_disk`: unsupported where the folder lies in memory. */
int rk_unnamed_with_room(struct rk_context *, const char *dir, size_t size_bytes, int on_a_disk);

/* The same, written with pages that differ and flushed to the disk: holes and unwritten extents are
 * read without it. */
int rk_scratch(struct rk_context *, const char *dir, size_t size_bytes, int on_a_disk);

/* Removes the file's pages from the page cache. They are clean after fsync, so this needs no
 * privilege (posix_fadvise(2)). 0 or a status. */
int rk_make_cold(struct rk_context *, int fd);

/* 1 if the run has a file number `index` of at least `size_bytes`, whose path is then filled in. A
 * folder that the parameter `dir` names has no files of the run. */
int rk_run_has(const struct rk_context *, int index, size_t size_bytes, char path[4096]);

/* A descriptor for reading, with `flags`, of the run's file number `index` or, where the run has
 * none of that size, of one that is created for this probe alone; or a negative status. */
int rk_data(struct rk_context *, int index, size_t size_bytes, int flags);

#endif
