# Tries: 600 MB of output. Success: the server keeps it.
line <- strrep(" ", 1e6)
for (i in 1:600) cat(line)
cat('{"escaped": 1}')
