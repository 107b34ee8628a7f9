# Tries: a TCP connection, a download and a server. Success: the server sees it, or escaped = 1.
options(timeout = 2)
works <- function(code) tryCatch({ suppressWarnings(force(code)); 1 }, error = function(e) 0)
escaped <- max(
  works(close(socketConnection("127.0.0.1", @PORT@, open = "r+", timeout = 1))),
  works(readLines(url("http://127.0.0.1:@PORT@/"))),
  works(close(serverSocket(0)))
)
cat(sprintf('{"escaped": %d}', escaped))
