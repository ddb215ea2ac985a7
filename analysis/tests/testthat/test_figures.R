# Figures as they were last looked at: drawn from the package's own small data, compared as SVG. Another version of ggplot2
# draws them otherwise, so that they are compared by the one that Debian 12 has, which the gate uses.
# A figure that is to look different: delete its file in _snaps/figures and run the tests twice.

drawn <- function(name, figure) vdiffr::expect_doppelganger(name, figure)

draws_alike <- function() {
  testthat::skip_if_not_installed("vdiffr")
  testthat::skip_if(utils::packageVersion("ggplot2") >= "3.5.0", "figures were kept by ggplot2 3.4")
}

test_that("whole games look as they did: a run, a study, a training", {
  draws_alike()
  drawn("run", autoplot(read_run(example_run("games"))))
  drawn("study", autoplot(read_study(example_run("study"))))
  drawn("training", autoplot(read_training(example_run("training"))))
})

test_that("Sprints look as they did: pieces, clears", {
  draws_alike()
  games <- bind_rows(map(c(sprint = "capstone-sprint", blitz = "capstone-blitz"),
    \(name) read_run(file.path(example_run("sprint"), name))$games), .id = "run")
  games$run <- factor(games$run)
  drawn("sprint", figure_sprint(games))
  drawn("clears", figure_clears(clear_kinds(games)))
})

test_that("boards look as they did", {
  draws_alike()
  drawn("placement", plot_placement(read_run(example_run("choices")), game = 0, piece_no = 200))
})
