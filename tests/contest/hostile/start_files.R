# Tries: a start file that R would read for the next script. Success: escaped = 1.
escaped <- 0
for (path in c("~/.Rprofile", ".Rprofile", "/etc/R/Rprofile.site", file.path(R.home("etc"), "Rprofile.site"))) {
  done <- tryCatch({ suppressWarnings(cat("q()", file = path, append = TRUE)); 1 }, error = function(e) 0)
  if (done == 1 && !startsWith(normalizePath(path), "/scratch/")) escaped <- 1
}
cat(sprintf('{"escaped": %d}', escaped))
