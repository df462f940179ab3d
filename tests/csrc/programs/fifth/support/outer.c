#include "fifth/support/inner.h"
#include "fifth/support/outer.h"
int fifth_outer(void)
{
    return fifth_inner();
}
