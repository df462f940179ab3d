#include "probe/trouble.h"

#include <stdarg.h>
#include <stdio.h>

int trouble(struct rk_context *c, int error, const char *format, ...)
{
    char sentence[256];
    va_list list;
    va_start(list, format);
    vsnprintf(sentence, sizeof sentence, format, list);
    va_end(list);
    rk_unsupported(c, "%s", sentence);
    return -error;
}
