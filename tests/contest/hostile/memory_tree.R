# Tries: 6 processes of 300 MB, each below the limit (trap 3). Success: it prints.
for (i in 1:5) parallel::mcparallel({ content <- rep(1.5, 3.75e7); Sys.sleep(20); sum(content) })
content <- rep(1.5, 3.75e7)
Sys.sleep(3)
cat('{"escaped": 1}')
