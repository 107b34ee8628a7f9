# Tries: a score that is missing, as R spells it. Success: it is a score.
cat(sprintf('{"loss": %f}', NaN))
