# Rscript analysis/evidence.R DIR|FILE [DIR|FILE...] --out FOLDER
#
# Draws what speaks for the published numbers and against them. A DIR that tetrastat reproduce has written, or its
# reproduced.csv alone: forest.png, ratio.png, ladder.png and ladder-changes.png where that table was played and,
# of a folder, survival-TABLE.png and exponential.png. A DIR that tetrastat estimate has written: NAME-levels.png,
# NAME-estimates.png and NAME-heights.png. A FILE that tetrastat exact or compare has printed with --format csv:
# exact.png (of all such files), NAME-ranking.png. All figures, behind tables of what they show, stand in evidence.md.

here <- dirname(normalizePath(gsub("~+~", " ", sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE)[1]), fixed = TRUE)))
source(file.path(here, "load.R"))
load_analysis(here)

usage <- "usage: Rscript analysis/evidence.R DIR|FILE [DIR|FILE...] --out FOLDER"

main <- function(arguments) {
  given <- parse_arguments(arguments, c("-o" = "out", "--out" = "out"))
  if (length(given$positions) == 0) fail("no folder or table given; ", usage)
  if (is.null(given$out)) fail("give --out FOLDER; ", usage)
  book <- read_code_book(file.path(here, "..", "data", "README.md"))
  sections <- evidence_sections(given$positions, book)
  out <- out_folder(given$out)
  walk(sections, \(section) iwalk(section$figures, \(drawn, name) save_figure(drawn, file.path(out, paste0(name, ".png")))))
  page <- file.path(out, "evidence.md")
  writeLines(evidence_page(sections), page)
  message("wrote ", page)
}

run_script(main)
