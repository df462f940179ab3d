/* trouble.h: a failure told in a sentence of its own. */
#ifndef RK_TROUBLE_H
#define RK_TROUBLE_H

#include <stdarg.h>
#include <stdio.h>

#include "probe/probe.h"

/* The sentence is the whole reason, where rk_failed() would append the error. Returns -error. */
__attribute__((format(printf, 3, 4))) static inline int trouble(struct rk_context *c, int error,
                                                                const char *format, ...)
{
    char sentence[256];
    va_list list;
    va_start(list, format);
    vsnprintf(sentence, sizeof sentence, format, list);
    va_end(list);
    rk_cannot(c, sentence);
    return -error;
}

#endif
