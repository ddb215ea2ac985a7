# Rscript analysis/choice.R RUN_DIR [-o OUT.png] [--ridge X] [--max-rows N]
#
# Reads the run's candidates table (tetrastat simulate --candidates ...), fits a conditional logit
# and sets the recovered weights beside the controller's own from run.json. At most N candidates are
# read (1,000,000), the first ones.

here <- dirname(normalizePath(gsub("~+~", " ", sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE)[1]), fixed = TRUE)))
source(file.path(here, "load.R"))
load_analysis(here)

usage <- "usage: Rscript analysis/choice.R RUN_DIR [-o OUT.png] [--ridge X] [--max-rows N]"

read_candidates <- function(dir, book, max_rows) {
  check_run_dir(dir)
  candidates <- read_table(dir, "candidates", book, n_max = max_rows)
  if (is.null(candidates)) fail("no candidates table in ", dir, "; play again with --candidates")
  check_columns(candidates, "candidates", dir)
  if (nrow(candidates) < max_rows) candidates else whole_decisions(candidates)
}

main <- function(arguments) {
  given <- parse_arguments(arguments, c("-o" = "out", "--out" = "out", "--ridge" = "ridge", "--max-rows" = "max_rows"))
  if (length(given$positions) != 1) fail("give one run folder; ", usage)
  ridge <- suppressWarnings(as.numeric(given$ridge %||% "1e-5"))
  if (is.na(ridge) || ridge < 0) fail("--ridge needs a number of at least 0, not '", given$ridge, "'")
  book <- read_code_book(file.path(here, "..", "data", "README.md"))
  candidates <- read_candidates(given$positions, book, positive_number(given$max_rows %||% "1e6", "--max-rows"))
  manifest <- read_manifest(given$positions)
  truth <- true_weights(manifest)
  features <- choice_features(candidates, truth)
  if (length(features) == 0) fail("the candidates table in ", given$positions,
      " has no feature columns; write it with --columns controller")
  fit <- fit_choice(candidates, features, ridge)
  report_fit(fit, truth, run_name(given$positions, manifest), given$out)
}

#' Prints the weights and draws them where the truth is known.
report_fit <- function(fit, truth, name, out) {
  cat(sprintf("%s: %s decisions, chosen candidate is the fit's best in %.2f %%\n", name,
      tidy_number(fit$decisions[1]), 100 * fit$hits[1]))
  if (length(truth) == 0) {
    print(as.data.frame(fit[c("feature", "weight", "error")]), row.names = FALSE)
    return(invisible())
  }
  comparison <- compare_weights(fit, truth)
  cosine <- weight_cosine(fit, truth)
  cat(sprintf("cosine with the true weights %.6f (1 = proportional)\n\n", cosine))
  print(as.data.frame(comparison[c("feature", "true", "recovered", "ratio")]), row.names = FALSE, digits = 4)
  if (is.null(out)) return(invisible())
  drawn <- figure_weights(comparison, cosine, name)
  ggsave(out, drawn$plot, width = drawn$width, height = drawn$height, dpi = 110)
  message("wrote ", out)
}

run_script(main)
