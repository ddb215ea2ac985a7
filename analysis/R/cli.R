# Argument parsing, file checks and error messages of the commands.

# Splits `arguments` into options with a value, flags and positional arguments; fails on unknown
# options. `options` and `flags` map option names to the names of the result: c("-o" = "out").
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

# Parses `text` as a number of at least 1; `option` names it in the error.
positive_number <- function(text, option) {
  number <- suppressWarnings(as.numeric(text))
  if (is.na(number) || number < 1) fail(option, " must be a number of at least 1, not '", text, "'")
  number
}

# Fails if `path` exists, unless `force` is true. `remedy` tells the user how to replace the file.
check_free <- function(path, force = FALSE, remedy = "use --force to replace it, or another -o") {
  there <- path[file.exists(path)]
  if (length(there) > 0 && !isTRUE(force)) fail(there[1], " already exists; ", remedy)
  path
}

# Creates the output folder `out`, whose parent must exist, and returns its path.
out_folder <- function(out) {
  if (file.exists(out) && !dir.exists(out)) fail(out, " is a file; --out needs a folder")
  parent <- dirname(out)
  if (!dir.exists(parent)) fail("no folder ", parent, " for ", basename(out), "; create it, or use another --out")
  dir.create(out, showWarnings = FALSE)
  out
}

# Runs a command. An error is printed as one line on stderr, and R exits with status 1. Errors that
# the package did not raise itself are defects of the package, so the line asks for a report.
run_script <- function(main, arguments = commandArgs(trailingOnly = TRUE)) {
  tryCatch(main(arguments), error = function(problem) {
    while (!is.null(problem$parent)) problem <- problem$parent # purrr and dplyr wrap errors
    words <- gsub("\\s*\n\\s*", " ", conditionMessage(problem))
    message("error: ", words, if (!inherits(problem, "tetrastat_error")) " (this is a bug in the R package; please report it with the run.json of the run)")
    quit(status = 1)
  })
}
