# Arguments, files and errors of the commands.

# Splits arguments into options with a value, flags and positions; fails on unknown options.
# `options` and `flags` name what is known: c("-o" = "out"), c("--markdown" = "markdown").
parse_arguments <- function(arguments, options = character(), flags = character()) {
  result <- list(positions = character())
  while (length(arguments) > 0) {
    word <- arguments[1]
    arguments <- arguments[-1]
    if (word %in% names(flags)) {
      result[[flags[[word]]]] <- TRUE
    } else if (word %in% names(options)) {
      if (length(arguments) == 0) fail(word, " needs a value")
      result[[options[[word]]]] <- arguments[1]
      arguments <- arguments[-1]
    } else if (startsWith(word, "-")) {
      fail("unknown option ", word, "; known: ", paste(c(names(options), names(flags)), collapse = " "))
    } else {
      result$positions <- c(result$positions, word)
    }
  }
  result
}

# A whole number of at least 1 given as text.
positive_number <- function(text, option) {
  number <- suppressWarnings(as.numeric(text))
  if (is.na(number) || number < 1) fail(option, " needs a number of at least 1, not '", text, "'")
  number
}

# Fails if `path` exists, unless `force`. `remedy` describes how to replace it.
check_free <- function(path, force = FALSE, remedy = "give --force to replace it, or another -o") {
  there <- path[file.exists(path)]
  if (length(there) > 0 && !isTRUE(force)) fail(there[1], " is there already; ", remedy)
  path
}

# The folder for the summary, made when its parent is there.
out_folder <- function(out) {
  if (file.exists(out) && !dir.exists(out)) fail(out, " is a file; give a folder to --out")
  parent <- dirname(out)
  if (!dir.exists(parent)) fail("no folder ", parent, " to put ", basename(out), " in; make it, or give another --out")
  dir.create(out, showWarnings = FALSE)
  out
}

# Runs a command; an error becomes one line on stderr and exit status 1. An error that is not the package's own is one
# of the package, and the line says so.
run_script <- function(main, arguments = commandArgs(trailingOnly = TRUE)) {
  tryCatch(main(arguments), error = function(problem) {
    while (!is.null(problem$parent)) problem <- problem$parent # purrr and dplyr wrap errors
    words <- gsub("\\s*\n\\s*", " ", conditionMessage(problem))
    message("error: ", words, if (!inherits(problem, "tetrastat_error")) " (this is a defect of the analysis; please report it with the run.json of the run)")
    quit(status = 1)
  })
}
