# Tries: a link to the answers and a pipe, under names that a server might read.
# Success: the answers are read, or the server waits.
for (name in c("result.json", "output", "stdout")) {
  suppressWarnings(file.symlink("@ANSWERS@", name))
  suppressWarnings(system(paste0("mkfifo ", name, ".pipe"), ignore.stderr = TRUE))
}
found <- tryCatch(suppressWarnings(readLines("result.json")), error = function(e) character())
cat(sprintf('{"escaped": %d}', as.integer(length(found) > 0)))
