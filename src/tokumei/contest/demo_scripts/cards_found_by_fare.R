# The share of cards that somebody finds who knows the day and the fare of every ride, and trusts
# only those that a single card has.
#
# Row by row, both files have the same rides.
paths <- commandArgs(trailingOnly = TRUE)
tables <- lapply(paths[1:2], read.csv, fileEncoding = "UTF-8", colClasses = "character")
original <- tables[[1]]
submitted <- tables[[2]]
stopifnot(nrow(original) == nrow(submitted))

known <- unique(data.frame(
  key = paste(substr(original$time, 1, 10), original$fare),
  card = original$card
))
alone <- known[!(known$key %in% known$key[duplicated(known$key)]), ]
place <- match(paste(substr(submitted$time, 1, 10), submitted$fare), alone$key)
seen <- !is.na(place)

owner <- original$card[!duplicated(submitted$card)]
names(owner) <- submitted$card[!duplicated(submitted$card)]
found <- 0
if (any(seen)) {
  votes <- table(submitted$card[seen], alone$card[place[seen]])
  said <- colnames(votes)[max.col(votes, ties.method = "first")]
  found <- sum(owner[rownames(votes)] == said)
}
cat(sprintf("{\"cards_found_by_fare\": %.8f}\n", found / length(unique(original$card))))
