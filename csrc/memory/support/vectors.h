/* vectors.h: reading, writing and copying with registers of every width that the machine has. */
#ifndef RK_VECTORS_H
#define RK_VECTORS_H

#include <stddef.h>
#include <stdint.h>

/* One pass over `bytes` bytes, a multiple of RK_PASS_STEP. `value` is what a write stores; a read
 * returns the sum of all 64-bit words, the proof that each was loaded. */
typedef uint64_t rk_pass(char *to, const char *from, size_t bytes, uint64_t value);
#define RK_PASS_STEP 512

/* The kernels of one width. */
struct rk_width {
    const char *name;
    rk_pass *read, *write, *stream, *copy, *copy_stream, *modify;
};

/* The kernels of the width that the probe's parameter `vector` names, or of the widest; NULL where
 * the machine has no such registers. */
const struct rk_width *rk_width(const char *name);

/* The C library's own way, which chooses width and kind of store by itself. */
rk_pass pass_memset, pass_memcpy;

#endif
