# Figures of the package's example data, compared as SVG with the last reviewed versions. Other
# versions of ggplot2 draw different SVG, so the comparison runs only with the version of Debian 12,
# which the gate uses. To accept a changed figure, delete its file in _snaps/figures and run the
# tests twice.

drawn <- function(name, figure) vdiffr::expect_doppelganger(name, figure)

draws_alike <- function() {
  testthat::skip_if_not_installed("vdiffr")
  testthat::skip_if(utils::packageVersion("ggplot2") >= "3.5.0", "the SVG files were drawn by ggplot2 3.4")
}

test_that("figures of a run, a study and a training are unchanged", {
  draws_alike()
  drawn("run", autoplot(read_run(example_run("games"))))
  drawn("study", autoplot(read_study(example_run("study"))))
  drawn("training", autoplot(read_training(example_run("training"))))
})

test_that("figures of Sprints are unchanged", {
  draws_alike()
  games <- bind_rows(map(c(sprint = "capstone-sprint", blitz = "capstone-blitz"),
    \(name) read_run(file.path(example_run("sprint"), name))$games), .id = "run")
  games$run <- factor(games$run)
  drawn("sprint", figure_sprint(games))
  drawn("clears", figure_clears(clear_kinds(games)))
})

test_that("figures of boards are unchanged", {
  draws_alike()
  drawn("placement", plot_boards(example_run("choices"), game = 0, pieces = 200))
})
