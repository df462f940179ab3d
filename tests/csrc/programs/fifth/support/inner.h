int fifth_inner(void);
