/* int80.h: the 32-bit entry point of system calls, where the kernel has it (x86-64,
 * CONFIG_IA32_EMULATION). */
#ifndef RK_INT80_H
#define RK_INT80_H

#include <setjmp.h>
#include <signal.h>
#include <sys/mman.h>

#include "probe/probe.h"

#if defined(__x86_64__)
#define INT80_GETPID 20 /* arch/x86/entry/syscalls/syscall_32.tbl */
#define INT80_GETCWD 183

/* Arguments are cut to 32 bits: a buffer above 4 GiB gives -EFAULT, quickly. */
static inline long rk_int80(long number, uint32_t first, uint32_t second)
{
    long result;
    __asm__ volatile("int $0x80"
                     : "=a"(result)
                     : "a"(number), "b"((long)first), "c"((long)second)
                     : "r8", "r9", "r10", "r11", "memory");
    return (int)result;
}

static sigjmp_buf int80_missing;

static void int80_fault(int number)
{
    (void)number;
    siglongjmp(int80_missing, 1);
}

/* A kernel without it answers INT 0x80 with a general protection fault. */
static inline int rk_int80_works(void)
{
    struct sigaction action = {.sa_handler = int80_fault}, old;
    sigaction(SIGSEGV, &action, &old);
    const int works = sigsetjmp(int80_missing, 1) == 0 && rk_int80(INT80_GETPID, 0, 0) > 0;
    sigaction(SIGSEGV, &old, NULL);
    return works;
}

static inline char *rk_low_page(void)
{
    char *page =
        mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0);
    return page == MAP_FAILED ? NULL : page;
}
#else
#define INT80_GETPID 0
#define INT80_GETCWD 0
static inline long rk_int80(long number, uint32_t first, uint32_t second)
{
    (void)number, (void)first, (void)second;
    return -ENOSYS;
}
static inline int rk_int80_works(void)
{
    return 0;
}
static inline char *rk_low_page(void)
{
    return NULL;
}
#endif

#define RK_NO_INT80 "this kernel has no INT 0x80 entry point"

/* A page below 4 GiB, since a pointer is cut to 32 bits. */
struct int80 {
    char *page;
};

static inline int open_int80(struct rk_context *c)
{
    struct int80 *state = rk_state(c);
    if (!rk_int80_works())
        return rk_unsupported(c, RK_NO_INT80);
    state->page = rk_low_page();
    return state->page ? 0 : rk_failed(c, "mmap below 4 GiB", errno);
}

static inline int close_int80(struct rk_context *c)
{
    struct int80 *state = rk_state(c);
    if (state->page)
        munmap(state->page, 4096);
    return 0;
}

#endif
