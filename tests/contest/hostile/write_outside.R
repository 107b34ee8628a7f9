# Tries: writing where every user may write, and changing its input. Success: a file appears in the
# writable folder outside, or escaped = 1.
input <- commandArgs(trailingOnly = TRUE)[1]
escaped <- 0
for (path in c("@WRITABLE@/written", "/var/tmp/@TOKEN@", "/@TOKEN@", "/usr/lib/R/library/@TOKEN@", input)) {
  done <- tryCatch({ suppressWarnings(writeLines("x", path)); 1 }, error = function(e) 0)
  escaped <- max(escaped, done)
}
unlink(c("@WRITABLE@/present", input))
if (!file.exists(input)) escaped <- 1
cat(sprintf('{"escaped": %d}', escaped))
