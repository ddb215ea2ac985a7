# Rscript data-raw/code_book.R
#
# Writes inst/extdata/code_book.csv, the code book of data/README.md as a table: what the package falls back on for
# tables that no datapackage.json describes (those of older runs, of trainings, estimates and LIAP). A test holds
# the two together. Run it in analysis/ after the code book has changed.

pkgload::load_all(".", helpers = FALSE, quiet = TRUE)
book <- parse_code_book(file.path("..", "data", "README.md"))
readr::write_csv(book, file.path("inst", "extdata", "code_book.csv"), na = "NA")
