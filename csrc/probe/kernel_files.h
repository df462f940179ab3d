/* kernel_files.h: text and numbers in the files of the kernel: /proc, /sys and control groups. */
#ifndef RK_KERNEL_FILES_H
#define RK_KERNEL_FILES_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* The beginning of the file, at most size - 1 bytes and ended by a 0; their number, or -1. */
ssize_t rk_read_text(const char *path, char *text, size_t size);

/* Writes the text into a file that exists. 0 or -errno. */
int rk_write_text(const char *path, const char *text);

/* The number that the file holds. INT64_MAX, which is no limit, for "max" and for a file that
 * cannot be read. */
int64_t rk_number_in(const char *path);

/* The number in the first line that matches "NAME: %lld" (scanf(3)), else `missing`. */
int64_t rk_field_in(const char *path, const char *format, int64_t missing);

#endif
