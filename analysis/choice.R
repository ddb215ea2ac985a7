# Rscript analysis/choice.R RUN_DIR [-o OUT.png] [--ridge X]
#
# Reads the run's candidates table (tetrastat simulate --candidates ...), fits a conditional logit
# and sets the recovered weights beside the controller's own from run.json.

here <- dirname(normalizePath(gsub("~+~", " ", sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE)[1]), fixed = TRUE)))
source(file.path(here, "load.R"))
load_analysis(here)

usage <- "usage: Rscript analysis/choice.R RUN_DIR [-o OUT.png] [--ridge X]"

read_candidates <- function(dir, book) {
  check_run_dir(dir)
  candidates <- read_table(dir, "candidates", book)
  if (is.null(candidates)) fail("no candidates table in ", dir, "; play again with --candidates")
  need <- c("game", "piece_no", "chosen")
  absent <- setdiff(need, names(candidates))
  if (length(absent) > 0) fail("the candidates table in ", dir, " lacks ", paste(absent, collapse = ", "),
      "; see data/README.md")
  candidates
}

main <- function(arguments) {
  given <- parse_arguments(arguments, c("-o" = "out", "--out" = "out", "--ridge" = "ridge"))
  if (length(given$positions) != 1) fail("give one run folder; ", usage)
  book <- read_code_book(file.path(here, "..", "data", "README.md"))
  candidates <- read_candidates(given$positions, book)
  manifest <- read_manifest(given$positions)
  truth <- unlist(manifest$config$controller$weights)
  features <- intersect(names(truth), feature_names(candidates)) # a controller's own, when known
  if (length(truth) == 0) features <- feature_names(candidates)
  if (length(features) == 0) fail("the candidates table in ", given$positions,
      " has no feature columns; write it with --columns controller")
  fit <- fit_choice(candidates, features, ridge = as.numeric(given$ridge %||% "1e-5"))
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
