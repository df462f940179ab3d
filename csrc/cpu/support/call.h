/* call.h: procedures of 0 to 7 integer arguments, for cpu/call at -O2 and at -O0.
 *
 * The procedures do nothing. They must be called all the same, with every argument passed: NOIPA
 * keeps the compiler from looking inside (a test counts the calls and moves in the object). */
#ifndef RK_CALL_H
#define RK_CALL_H

#include "probe/stamps.h"

#if defined(__clang__)
#define NOIPA __attribute__((noinline, optnone))
#else
#define NOIPA __attribute__((noipa))
#endif

#define ARGUMENTS RK_INTEGER("arguments", 0, 0, 7, "integer arguments of the procedure")
/* Calls per iteration of the loop, so that the cost of the loop is negligible (hpe_i7_860: 50). */
#define GROUP 50
#define CALLS(default_)                                                                            \
    RK_INTEGER("calls", default_, 50, 1000000000, "calls a trial, in groups of 50")

NOIPA static void take0(void)
{
    __asm__ volatile("");
}
NOIPA static void take1(int a)
{
    (void)a;
    __asm__ volatile("");
}
NOIPA static void take2(int a, int b)
{
    (void)a, (void)b;
    __asm__ volatile("");
}
NOIPA static void take3(int a, int b, int c)
{
    (void)a, (void)b, (void)c;
    __asm__ volatile("");
}
NOIPA static void take4(int a, int b, int c, int d)
{
    (void)a, (void)b, (void)c, (void)d;
    __asm__ volatile("");
}
NOIPA static void take5(int a, int b, int c, int d, int e)
{
    (void)a, (void)b, (void)c, (void)d, (void)e;
    __asm__ volatile("");
}
NOIPA static void take6(int a, int b, int c, int d, int e, int f)
{
    (void)a, (void)b, (void)c, (void)d, (void)e, (void)f;
    __asm__ volatile("");
}
NOIPA static void take7(int a, int b, int c, int d, int e, int f, int g)
{
    (void)a, (void)b, (void)c, (void)d, (void)e, (void)f, (void)g;
    __asm__ volatile("");
}

#define CALL0 take0()
#define CALL1 take1(1)
#define CALL2 take2(1, 2)
#define CALL3 take3(1, 2, 3)
#define CALL4 take4(1, 2, 3, 4)
#define CALL5 take5(1, 2, 3, 4, 5)
#define CALL6 take6(1, 2, 3, 4, 5, 6)
#define CALL7 take7(1, 2, 3, 4, 5, 6, 7)

#define TIMES10(call) call, call, call, call, call, call, call, call, call, call
#define TIMES50(call) TIMES10(call), TIMES10(call), TIMES10(call), TIMES10(call), TIMES10(call)

/* `statement` of the call with that number of arguments, CALL0 to CALL7 for `call` CALL; chosen
 * outside what is timed. */
#define FOR_ARGUMENTS(arguments, statement, call)                                                  \
    switch (arguments) {                                                                           \
        WITH_ARGUMENTS(case 0, statement, call##0)                                                 \
        WITH_ARGUMENTS(case 1, statement, call##1)                                                 \
        WITH_ARGUMENTS(case 2, statement, call##2)                                                 \
        WITH_ARGUMENTS(case 3, statement, call##3)                                                 \
        WITH_ARGUMENTS(case 4, statement, call##4)                                                 \
        WITH_ARGUMENTS(case 5, statement, call##5)                                                 \
        WITH_ARGUMENTS(case 6, statement, call##6)                                                 \
        WITH_ARGUMENTS(default, statement, call##7)                                                \
    }
#define WITH_ARGUMENTS(label, statement, call)                                                     \
    label:                                                                                         \
    statement(call);                                                                               \
    break;

#define GROUPS_OF_CALLS(call) RK_TIME_TRIALS(out, n, groups, TIMES50(call))

/* The probe that both files have: groups of calls, nothing subtracted. */
#define RUN_GROUPS(function)                                                                       \
    static int function(struct rk_context *c, struct rk_sample *out, size_t n)                     \
    {                                                                                              \
        const int64_t groups = rk_integer(c, "calls") / GROUP;                                     \
        FOR_ARGUMENTS(rk_integer(c, "arguments"), GROUPS_OF_CALLS, CALL)                           \
        for (size_t i = 0; i < n; i++)                                                             \
            out[i].ops *= GROUP;                                                                   \
        return 0;                                                                                  \
    }

#endif
