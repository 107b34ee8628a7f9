# Tries: processes without end. Success: the machine stands still, or some are left.
repeat try(parallel::mcparallel(repeat parallel:::mcfork(), detached = TRUE), silent = TRUE)
