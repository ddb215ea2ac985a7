# The study as a pipeline of the R package targets. targets::tar_make() runs only the steps whose
# inputs have changed.
library(targets)
tar_option_set(packages = "tetrastat")

# Plays or resumes the study in `file` and returns the folder of its runs. tetrastat refuses a changed
# study file until this folder is removed.
play_study <- function(file, out = "study") {
  status <- system2(tetrastat::tetrastat_program(), c("study", file, "--out", out))
  if (status != 0) stop("tetrastat study failed")
  out
}

# Writes the report from the computed objects and returns its path.
write_report <- function(document, study, compared, drawn) {
  known <- list2env(list(study = study, compared = compared, drawn = drawn), parent = globalenv())
  rmarkdown::render(document, envir = known, quiet = TRUE)
}

list(
  tar_target(study_file, "study.toml", format = "file"),
  tar_target(folder, play_study(study_file), format = "file"),
  tar_target(study, read_tetrastat(folder)),
  tar_target(compared, compare_runs(study)),
  tar_target(drawn, figures(folder)),
  tar_target(document, "report.Rmd", format = "file"),
  tar_target(report, write_report(document, study, compared, drawn), format = "file")
)
