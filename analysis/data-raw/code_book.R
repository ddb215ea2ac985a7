# Rscript data-raw/code_book.R
#
# Writes inst/extdata/code_book.csv, the code book of data/README.md as a table. The package uses it
# for tables without a datapackage.json (trainings, estimates and LIAP). Run this script
# in analysis/ after a change of the code book; a test compares the two.

pkgload::load_all(".", helpers = FALSE, quiet = TRUE)
source(file.path("data-raw", "parse_code_book.R"))
book <- parse_code_book(file.path("..", "data", "README.md"))
readr::write_csv(book, file.path("inst", "extdata", "code_book.csv"), na = "NA")
