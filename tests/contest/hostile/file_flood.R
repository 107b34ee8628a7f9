# Tries: 600 MB of files. Success: escaped = 1.
chunk <- raw(1e7)
written <- 0
for (i in 1:60) {
  done <- tryCatch({ suppressWarnings(writeBin(chunk, tempfile())); 1 }, error = function(e) 0)
  written <- written + done
}
files <- list.files(tempdir(), full.names = TRUE)
cat(sprintf('{"escaped": %d}', as.integer(sum(file.size(files), na.rm = TRUE) > 1.5e8)))
