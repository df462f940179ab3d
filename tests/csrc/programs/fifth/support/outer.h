int fifth_outer(void);
