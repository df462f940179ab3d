/* trouble.h: a failure that is reported in a sentence of its own. */
#ifndef RK_TROUBLE_H
#define RK_TROUBLE_H

#include "probe/probe.h"

/* The sentence is the whole reason, where rk_failed() would append the error. Returns -error. */
__attribute__((format(printf, 3, 4))) int trouble(struct rk_context *, int error,
                                                  const char *format, ...);

#endif
