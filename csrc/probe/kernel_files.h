/* kernel_files.h: numbers in the files of the kernel: /proc and control groups. */
#ifndef RK_KERNEL_FILES_H
#define RK_KERNEL_FILES_H

#include <stdint.h>

/* The number that the file holds. INT64_MAX, which is no limit, for "max" and for a file that
 * cannot be read. */
int64_t rk_number_in(const char *path);

/* The value after `name` at the beginning of a line; 0 if there is none. */
int64_t rk_field_in(const char *path, const char *name);

#endif
