/* kernel_files.h: numbers that the kernel tells in files, as in /proc and in control groups. */
#ifndef RK_KERNEL_FILES_H
#define RK_KERNEL_FILES_H

#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* A file that holds one number; "max" and what cannot be read are INT64_MAX: no limit. */
static inline int64_t rk_number_in(const char *path)
{
    FILE *file = fopen(path, "re");
    long long value = INT64_MAX;
    if (!file)
        return INT64_MAX;
    if (fscanf(file, "%lld", &value) != 1)
        value = INT64_MAX;
    fclose(file);
    return value;
}

/* The value after `name` at the beginning of a line, 0 if there is none. */
static inline int64_t rk_field_in(const char *path, const char *name)
{
    FILE *file = fopen(path, "re");
    char line[256];
    long long value = 0;
    if (!file)
        return 0;
    while (fgets(line, sizeof line, file))
        if (strncmp(line, name, strlen(name)) == 0 &&
            sscanf(line + strlen(name), "%lld", &value) == 1)
            break;
    fclose(file);
    return value;
}

#endif
