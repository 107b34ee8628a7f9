# Tries: secrets in the environment of any process. Success: escaped = 1.
seen <- paste(Sys.getenv(), collapse = "\n")
for (path in c("/proc/1/environ", "/proc/self/environ", "/proc/@SERVER@/environ")) {
  bytes <- tryCatch(suppressWarnings(readBin(path, "raw", 65536)), error = function(e) raw())
  seen <- paste(seen, rawToChar(bytes[bytes != 0]))
}
cat(sprintf('{"escaped": %d}', as.integer(grepl("@SECRET@", seen, fixed = TRUE))))
