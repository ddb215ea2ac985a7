# The R blocks of README.md and of the tutorials run, one after another, as a reader would run them; so do the shell
# blocks between them, which play what R reads.

# The blocks of a page in these languages: a list of `language` and `code`.
code_blocks <- function(path, languages = c("sh", "r")) {
  lines <- readLines(path, encoding = "UTF-8")
  fences <- grep("^```", lines)
  opening <- fences[c(TRUE, FALSE)]
  closing <- fences[c(FALSE, TRUE)]
  info <- sub("^```", "", lines[opening])
  blocks <- Map(function(language, from, to) {
    list(language = language, code = lines[seq_len(to - from - 1) + from])
  }, info, opening, closing)
  Filter(function(block) block$language %in% languages, blocks)
}

run_in_shell <- function(code) {
  script <- withr::local_tempfile(lines = c("set -euo pipefail", code))
  path <- paste(dirname(tetrastat_program()), Sys.getenv("PATH"), sep = ":")
  withr::local_envvar(PATH = path, TETRASTAT_PROGRESS = "none")
  output <- suppressWarnings(system2("bash", script, stdout = TRUE, stderr = TRUE))
  if (!is.null(attr(output, "status"))) stop(paste(c(code, output), collapse = "\n"))
}

# Evaluates the lines of a block and prints what a console would print.
run_in_r <- function(code, envir) {
  for (call in parse(text = code)) {
    value <- withVisible(eval(call, envir))
    if (value$visible) utils::capture.output(print(value$value))
  }
}

pages <- c("README.md", file.path("docs", "tutorials", "data-in-r.md"))

for (page in pages) {
  test_that(paste("the R blocks of", page, "run"), {
    need_program()
    path <- normalizePath(repository(page))
    withr::local_dir(withr::local_tempdir())
    grDevices::pdf(NULL)
    withr::defer(grDevices::dev.off())
    # README names the first run in a block that builds the program.
    if (page == "README.md") run_in_shell("tetrastat simulate")
    envir <- new.env(parent = globalenv())
    blocks <- code_blocks(path)
    expect_true(any(vapply(blocks, `[[`, "", "language") == "r"))
    for (block in blocks) {
      if (block$language == "sh") run_in_shell(block$code)
      if (block$language == "r") suppressMessages(run_in_r(block$code, envir))
    }
  })
}

test_that("every tutorial with R blocks is among these pages", {
  tutorials <- list.files(repository("docs", "tutorials"), "[.]md$", full.names = TRUE)
  with_r <- Filter(function(path) length(code_blocks(path, "r")) > 0, tutorials)
  expect_setequal(basename(with_r), basename(setdiff(pages, "README.md")))
})
