#include "probe/kernel_files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

ssize_t rk_read_text(const char *path, char *text, size_t size)
{
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    const ssize_t got = fd < 0 ? -1 : read(fd, text, size - 1);
    if (fd >= 0)
        close(fd);
    text[got > 0 ? got : 0] = 0;
    return got;
}

int rk_write_text(const char *path, const char *text)
{
    const int fd = open(path, O_WRONLY | O_CLOEXEC);
    if (fd < 0)
        return -errno;
    const ssize_t done = write(fd, text, strlen(text));
    const int error = done < 0 ? errno : EIO;
    close(fd);
    return done == (ssize_t)strlen(text) ? 0 : -error;
}

int64_t rk_number_in(const char *path)
{
    char text[64], *end;
    rk_read_text(path, text, sizeof text);
    const int64_t number = strtoll(text, &end, 10);
    return end == text ? INT64_MAX : number;
}

int64_t rk_field_in(const char *path, const char *format, int64_t missing)
{
    FILE *file = fopen(path, "re");
    char line[256];
    long long value = missing;
    while (file && fgets(line, sizeof line, file))
        if (sscanf(line, format, &value) == 1)
            break;
    if (file)
        fclose(file);
    return value;
}
