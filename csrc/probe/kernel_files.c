#include "probe/kernel_files.h"

#include <stdio.h>
#include <string.h>

int64_t rk_number_in(const char *path)
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

int64_t rk_field_in(const char *path, const char *name)
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
