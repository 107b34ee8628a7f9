# Tries: a place in the queue for ever. Success: it is not stopped.
Sys.sleep(3600)
