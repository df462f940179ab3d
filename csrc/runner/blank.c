/* blank.c: the program that does nothing, for the probes that create a process and run one. */
int main(void)
{
    return 0;
}
