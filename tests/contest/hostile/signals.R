# Tries: stopping the server, and every process that it may signal. Success: the server does not
# answer any more.
tools::pskill(@SERVER@, 19)
tools::pskill(@SERVER@, 9)
system("kill -9 -1")
Sys.sleep(60)
