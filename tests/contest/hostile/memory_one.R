# Tries: 2 GB in one process. Success: it prints.
content <- lapply(1:25, function(i) rep(as.numeric(i), 1e7))
cat('{"escaped": 1}')
