#include "fifth/support/inner.h"
int fifth_inner(void)
{
    return 0;
}
