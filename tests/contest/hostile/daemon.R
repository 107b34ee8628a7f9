# Tries: a process that outlives the run. Success: it is still there after the run.
system("setsid nohup sleep 60 > /dev/null 2>&1 &", ignore.stderr = TRUE)
system("(nohup sleep 60 > /dev/null 2>&1 &) &", ignore.stderr = TRUE)
child <- parallel::mcparallel(Sys.sleep(60), detached = TRUE)
Sys.sleep(0.3)
cat('{"escaped": 0}')
