/* witness.h: how busy the core is, and at which clock it runs, in some microseconds. */
#ifndef RK_WITNESS_H
#define RK_WITNESS_H

#include "reckon.h"

/* Of now, on the CPU that runs. */
struct rk_witness rk_take_witness(void);

/* Of two the one whose eight chains took longer against its single one. */
struct rk_witness rk_busier_witness(struct rk_witness, struct rk_witness);

#endif
