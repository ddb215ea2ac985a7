# Output that documents quote equals the output of the package.

test_that("documents quote the comparison of the example study", {
  compared <- compare_runs(read_study(example_run("study")))
  for (page in c("README.md", file.path("docs", "tutorials", "data-in-r.md"))) {
    line <- grep("^compare_runs\\(study\\)", readLines(repository(page)), value = TRUE)
    quoted <- trimws(sub("^[^#]*#", "", line))
    expect_length(quoted, 1)
    expect_true(startsWith(comparison_words(compared), quoted), info = page)
  }
})

test_that("citation() states the author, the version and the year of CITATION.cff", {
  stated <- readLines(repository("CITATION.cff"))
  field <- \(name) trimws(sub(".*:", "", grep(paste0("^ *-? *", name, ":"), stated, value = TRUE)[1]))
  meta <- list(Version = read.dcf(repository("analysis", "DESCRIPTION"), "Version")[[1]])
  found <- utils::readCitationFile(repository("analysis", "inst", "CITATION"), meta)
  expect_equal(field("version"), meta$Version)
  expect_match(found$note, meta$Version, fixed = TRUE)
  expect_equal(format(found$author), field("name"))
  expect_equal(found$year, substr(field("date-released"), 1, 4))
  expect_match(found$title, paste0("^", field("title")))
})

test_that("NEWS.md describes the version of the package", {
  file <- repository("analysis", "NEWS.md")
  version <- read.dcf(repository("analysis", "DESCRIPTION"), "Version")[[1]]
  expect_match(readLines(file, 1), paste("# tetrastat", version), fixed = TRUE)
})
