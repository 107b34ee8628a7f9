# Tries: the processor for ever. Success: it is not stopped.
repeat {}
