# What the scripts beside this file share: options of the command line, and calls of the program.

# The options that were given, as `--name value`, over those `given` by default.
options_of <- function(words, given) {
  while (length(words) > 0) {
    name <- sub("^--", "", words[1])
    if (!name %in% names(given) || length(words) < 2) stop("unknown or unfinished option ", words[1], call. = FALSE)
    given[[name]] <- words[2]
    words <- words[-(1:2)]
  }
  if (given$out == "") stop("give --out DIR", call. = FALSE)
  given
}

parts <- function(text, by = ",") Filter(nzchar, strsplit(text, by, fixed = TRUE)[[1]])

# Runs the program; what it prints as JSON.
tetrastat <- function(given, words) {
  if (!given$threads %in% "") words <- c(words, "--threads", given$threads)
  said <- suppressWarnings(system2(given$program, shQuote(words), stdout = TRUE, env = "TETRASTAT_PROGRESS=none"))
  status <- attr(said, "status")
  # 3: printed, but less than was asked for.
  if (!is.null(status) && status != 3) stop("tetrastat ", paste(words, collapse = " "), " ended with ", status, call. = FALSE)
  jsonlite::fromJSON(paste(said, collapse = "\n"))
}
