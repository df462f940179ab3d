/* owner.h: what a probe makes outside its process is named after the process, so that the next one
 * removes what a killed one left. As reckon/computer/scratch.py names its folders. */
#ifndef RK_OWNER_H
#define RK_OWNER_H

#define RK_OWNER_MAX 96

/* This process as "SPACE-PID-STARTED": a number is unique in a boot and a PID namespace, until it
 * is used again. 0, or -1 if /proc does not report it. */
int rk_owner_name(char name[RK_OWNER_MAX]);

/* 1 if a process of that name was in this PID namespace and has ended. */
int rk_owner_has_ended(const char *name);

#endif
