/* int80.h: the 32-bit entry point of system calls, where the kernel has it (x86-64,
 * CONFIG_IA32_EMULATION). */
#ifndef RK_INT80_H
#define RK_INT80_H

#include "probe/probe.h"

#define INT80_GETPID 20 /* arch/x86/entry/syscalls/syscall_32.tbl */
#define INT80_GETCWD 183

/* Arguments are cut to 32 bits: a buffer above 4 GiB gives -EFAULT, which looks fast. */
static inline long rk_int80(long number, uint32_t first, uint32_t second)
{
#if defined(__x86_64__)
    long result;
    __asm__ volatile("int $0x80"
                     : "=a"(result)
                     : "a"(number), "b"((long)first), "c"((long)second)
                     : "r8", "r9", "r10", "r11", "memory");
    return (int)result;
#else
    (void)number, (void)first, (void)second;
    return -ENOSYS;
#endif
}

/* The state of such a probe. */
struct int80 {
    char *page; /* below 4 GiB, since a pointer is cut to 32 bits */
};

/* Unsupported where the kernel has no such entry point. */
int open_int80(struct rk_context *);
int close_int80(struct rk_context *);

#endif
