/* processor.h: what the processor's counter and instructions allow. */
#ifndef RK_PROCESSOR_H
#define RK_PROCESSOR_H

/* NULL, or why clock.h cannot be used here: a sentence without its full stop. */
const char *rk_counter_missing(void);

/* The current CPU, as CPUID describes it. */
struct rk_model {
    char vendor[16];
    unsigned family, model;
    unsigned core_type; /* 0: not a hybrid processor */
};

/* Cycles from one 64-bit multiply to the next that needs its result; 0 if not known. */
int rk_known_multiply_cycles(const struct rk_model *);
int rk_multiply_cycles(void); /* of the CPU that runs */

/* 1 if a counter that one CPU read can be compared with one that another CPU read: the processor
 * reports it, or the kernel offers the counter as its clock (in the tree `sys`). */
int rk_counters_agree(int processor_says_so, const char *sys);
int rk_counter_is_invariant(void);

#endif
