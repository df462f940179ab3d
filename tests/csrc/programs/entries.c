/* entries.c: counts the entries into every function of a program compiled with
 * -finstrument-functions. Preloaded; at exit it writes "file offset entries" lines to $ENTRIES. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

#define QUIET __attribute__((no_instrument_function))
#define SLOTS 65536

static struct {
    void *function;
    unsigned long entries;
} table[SLOTS];

QUIET void __cyg_profile_func_enter(void *function, void *site)
{
    size_t slot = (size_t)function / 8 % SLOTS;
    (void)site;
    while (table[slot].function && table[slot].function != function)
        slot = (slot + 1) % SLOTS;
    table[slot].function = function;
    table[slot].entries++;
}

QUIET void __cyg_profile_func_exit(void *function, void *site)
{
    (void)function, (void)site;
}

QUIET __attribute__((destructor)) static void write_entries(void)
{
    FILE *file = getenv("ENTRIES") ? fopen(getenv("ENTRIES"), "w") : NULL;
    Dl_info info;
    for (size_t slot = 0; file && slot < SLOTS; slot++)
        if (table[slot].function && dladdr(table[slot].function, &info))
            fprintf(file, "%s %lx %lu\n", info.dli_fname,
                    (unsigned long)table[slot].function - (unsigned long)info.dli_fbase,
                    table[slot].entries);
    if (file)
        fclose(file);
}
