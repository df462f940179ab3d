#include "probe/processor.h"

#include <stdio.h>
#include <string.h>

#include "probe/kernel_files.h"

#define CORE_TYPE_CORE 0x40 /* CPUID leaf 0x1A, EAX 31:24; 0x20 is an Atom */

/* Intel's efficiency cores of family 6, whose multiply takes 4 to 12 cycles, by what CPUID calls
 * the model (arch/x86/include/asm/intel-family.h, INTEL_ATOM_*). */
static const unsigned atoms[] = {0x1c, 0x26, 0x27, 0x35, 0x36, 0x37, 0x4a, 0x4c,
                                 0x4d, 0x5a, 0x5c, 0x5d, 0x5f, 0x65, 0x6e, 0x75,
                                 0x7a, 0x86, 0x96, 0x9c, 0xaf, 0xb6, 0xbe, 0xdd};

/* Agner Fog, "Instruction tables": IMUL r64, r64. */
int rk_known_multiply_cycles(const struct rk_model *model)
{
    /* Zen and later. The families before had 4 and 6. */
    if (strcmp(model->vendor, "AuthenticAMD") == 0 || strcmp(model->vendor, "HygonGenuine") == 0)
        return model->family >= 0x17 ? 3 : 0;
    if (strcmp(model->vendor, "GenuineIntel") != 0 || model->family != 6)
        return 0;
    if (model->core_type)
        return model->core_type == CORE_TYPE_CORE ? 3 : 0;
    for (size_t i = 0; i < sizeof atoms / sizeof *atoms; i++)
        if (model->model == atoms[i])
            return 0;
    return 3;
}

#if defined(__x86_64__)
#include <cpuid.h>

#define VENDOR 0u
#define SIGNATURE 1u
#define CORE_KIND 0x1au
#define EXTENDED_FEATURES 0x80000001u
#define EXTENDED_RDTSCP (1u << 27) /* EDX */
#define POWER_MANAGEMENT 0x80000007u
#define POWER_INVARIANT_TSC (1u << 8) /* EDX: Intel SDM vol. 3, "Invariant TSC" */

static int has(unsigned leaf, unsigned bit)
{
    unsigned a, b, c, d;
    return __get_cpuid(leaf, &a, &b, &c, &d) && d & bit;
}

const char *rk_counter_missing(void)
{
    return has(EXTENDED_FEATURES, EXTENDED_RDTSCP)
               ? NULL
               : "this processor has no RDTSCP instruction, which every probe reads the time by (a "
                 "virtual machine can be given it: CPU type host)";
}

static const char clock_name[] = "tsc"; /* the counter, as the kernel calls it */

int rk_counter_is_invariant(void)
{
    return has(POWER_MANAGEMENT, POWER_INVARIANT_TSC);
}

static struct rk_model this_model(void)
{
    struct rk_model model = {.vendor = ""};
    unsigned a, b, c, d;
    if (__get_cpuid(VENDOR, &a, &b, &c, &d)) {
        const unsigned text[] = {b, d, c};
        memcpy(model.vendor, text, sizeof text);
    }
    if (__get_cpuid(SIGNATURE, &a, &b, &c, &d)) { /* Intel SDM vol. 2, CPUID, figure 3-6 */
        model.family = (a >> 8 & 0xf) + (a >> 20 & 0xff);
        model.model = (a >> 4 & 0xf) | (a >> 12 & 0xf0);
    }
    if (__get_cpuid_count(CORE_KIND, 0, &a, &b, &c, &d))
        model.core_type = a >> 24;
    return model;
}

int rk_multiply_cycles(void)
{
    const struct rk_model model = this_model();
    return rk_known_multiply_cycles(&model);
}

#else

/* From 2 to 5 by core; the counter that names the core is not readable by everyone. */
int rk_multiply_cycles(void)
{
    return 0;
}

const char *rk_counter_missing(void)
{
    return NULL;
}

/* The generic timer is one for the whole system (Arm ARM, D11), whatever the kernel's clock is. */
static const char clock_name[] = "";

int rk_counter_is_invariant(void)
{
    return 1;
}

#endif

int rk_counters_agree(int processor_says_so, const char *sys)
{
    char path[512], clocks[256];
    snprintf(path, sizeof path, "%s/devices/system/clocksource/clocksource0/available_clocksource",
             sys);
    rk_read_text(path, clocks, sizeof clocks);
    if (!clocks[0] || !clock_name[0])
        return processor_says_so;
    /* The kernel takes it off the list where it finds that the CPUs' counters differ, whatever the
     * processor says of each. */
    for (char *rest = clocks, *clock; (clock = strsep(&rest, " \n"));)
        if (strcmp(clock, clock_name) == 0)
            return 1;
    return 0;
}
