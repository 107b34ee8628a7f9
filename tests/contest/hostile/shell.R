# Tries: the same by programs of the system. Success: the server sees it, or escaped = 1.
commands <- c(
  "bash -c 'exec 3<>/dev/tcp/127.0.0.1/@PORT@'", "cat /etc/passwd", "cat @ANSWERS@",
  "touch @WRITABLE@/written", "unshare --user true", "mount -t tmpfs x /mnt", "su -c id"
)
results <- sapply(commands, function(one) {
  suppressWarnings(system(one, ignore.stdout = TRUE, ignore.stderr = TRUE))
})
cat(sprintf('{"escaped": %d}', as.integer(any(results == 0))))
