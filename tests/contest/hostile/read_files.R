# Tries: reading accounts, homes, another submission and the answers. Success: escaped = 1.
escaped <- 0
for (path in c("/etc/passwd", "/etc/shadow", "@HOME@/canary", "@SUBMISSION@", "@ANSWERS@")) {
  found <- tryCatch(suppressWarnings(readLines(path)), error = function(e) character())
  if (length(found) > 0) escaped <- 1
}
if (length(list.files(c("/root", "/home", "@HOME@"))) > 0) escaped <- 1
cat(sprintf('{"escaped": %d}', escaped))
