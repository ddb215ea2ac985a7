# Draws every figure function of the package and checks the result: unique tick labels, no empty
# panel, text inside the page, the stated n, and rows in the order of their ranks. A figure function
# without an entry fails.

# ---- The checker ----------------------------------------------------------------------------------------------------

# Returns the single plots of a figure.
plots_of <- function(figure) {
  if (!inherits(figure, "patchwork")) return(list(figure))
  last <- figure
  class(last) <- setdiff(class(last), "patchwork")
  c(unlist(map(figure$patches$plots, \(plot) if (inherits(plot, "ggplot")) plots_of(plot)), recursive = FALSE), list(last))
}

# Finds duplicate tick labels, and axes with fewer than two tick labels.
tick_faults <- function(plot, built) {
  panels <- built$layout$panel_params
  scales <- list(x = built$layout$panel_scales_x, y = built$layout$panel_scales_y)
  unlist(map(c("x", "y"), \(axis) {
    if (is.null(scales[[axis]][[1]]$breaks)) return(NULL) # an axis that deliberately has no ticks
    of_words <- unlist(map(built$data, \(data) if (any(grepl("no result yet", data$label))) as.integer(as.character(data$PANEL))))
    unlist(imap(panels, \(panel, i) {
      if (i %in% of_words) return(NULL) # a panel that contains only text
      labels <- as.character(panel[[axis]]$get_labels())
      labels <- labels[!is.na(labels) & nzchar(labels)]
      discrete <- isTRUE(panel[[axis]]$is_discrete())
      c(if (anyDuplicated(labels)) paste0(axis, " axis has the label ", labels[duplicated(labels)][1], " twice"),
        if (!discrete && length(labels) < 2) paste0(axis, " axis has ", length(labels), " tick labels"))
    }))
  }))
}

# Finds panels that contain nothing except reference lines and text.
empty_panels <- function(plot, built) {
  marks <- c("GeomHline", "GeomVline", "GeomAbline", "GeomBlank", "GeomText", "GeomLabel")
  drawn <- map2(built$plot$layers, built$data, \(layer, data) if (nrow(data) > 0 && any(grepl("no result yet", data$label))) {
    as.integer(as.character(data$PANEL)) # the text explains why the panel is empty
  } else if (!class(layer$geom)[1] %in% marks && nrow(data) > 0) {
    place <- rowSums(is.na(data[intersect(c("x", "y", "xmin", "ymin"), names(data))])) < length(intersect(c("x", "y", "xmin", "ymin"), names(data)))
    as.integer(as.character(data$PANEL))[place]
  })
  words <- any(map_lgl(built$plot$layers, \(layer) class(layer$geom)[1] == "GeomText"))
  if (all(map_lgl(drawn, is.null)) && words) return(NULL) # a column of text
  absent <- setdiff(seq_len(nrow(built$layout$layout)), unlist(drawn))
  if (length(absent) > 0) paste("panel", absent, "is empty")
}

# Returns the width in inches of the widest line of a text at a size in points.
text_inches <- function(text, size, face = "plain") {
  lines <- unlist(strsplit(text, "\n"))
  if (length(lines) == 0) return(0)
  max(map_dbl(lines, \(line) grid::convertWidth(grid::grobWidth(grid::textGrob(line, gp = grid::gpar(fontsize = size, fontface = face))), "inches", valueOnly = TRUE)))
}

# Finds titles, subtitles and captions that are wider than the page, and text at the right edge of
# panels that is wider than the margin.
clipped_words <- function(figure) {
  facts <- attr(figure, "figure")
  wide <- function(text, element, room, what) {
    if (length(text) == 0 || !is.character(text) || !nzchar(text)) return(NULL)
    inches <- text_inches(text, element$size, element$face %||% "plain")
    if (inches > room) sprintf("%s is %.2f inches wide, of %.2f: %s", what, inches, room, substr(text, 1, 60))
  }
  theme <- theme_tetrastat()
  page_width <- drawn_size(figure, facts$width, facts$height)$width %||% facts$width
  annotation <- if (inherits(figure, "patchwork")) figure$patches$annotation
  caption <- annotation$caption %||% figure$labels$caption
  page <- list(caption = caption, title = annotation$title %||% figure$labels$title, subtitle = annotation$subtitle %||% figure$labels$subtitle)
  if (inherits(figure, "patchwork") && is.null(annotation$title)) page[c("title", "subtitle")] <- NULL
  found <- imap(page, \(text, what) wide(text, calc_element(paste0("plot.", what), theme), page_width - 24 / 72, what))
  margins <- map(plots_of(figure), \(plot) {
    right <- as.numeric((plot$theme$plot.margin %||% theme$plot.margin)[2]) / 72
    built <- ggplot_build(plot)
    map2(built$plot$layers, built$data, \(layer, data) {
      if (class(layer$geom)[1] != "GeomText" || nrow(data) == 0) return(NULL)
      out <- data$x == Inf & data$hjust == 0
      if (!any(out)) return(NULL)
      inches <- max(map_dbl(which(out), \(i) text_inches(as.character(data$label[i]), data$size[i] * .pt)))
      if (inches > right) sprintf("words at the right are %.2f inches wide, the margin %.2f", inches, right)
    })
  })
  c(unlist(found), unlist(margins))
}

# Finds strips next to rows of panels that are longer than the panels are high.
clipped_strips <- function(figure) {
  facts <- attr(figure, "figure")
  unlist(map(plots_of(figure), \(plot) {
    if (!inherits(plot$facet, "FacetGrid") || is.null(plot$facet$params$switch)) return(NULL)
    angle <- plot$theme$strip.text.y.left$angle
    if (identical(angle, 0)) return(NULL) # horizontal text gets the space it needs
    rows <- ggplot_build(plot)$layout$layout
    names <- as.character(unique(rows[[names(plot$facet$params$rows)[1]]]))
    room <- drawn_size(figure, facts$width, facts$height)$height %||% ((facts$height - 1.2) / max(rows$ROW))
    long <- names[map_dbl(names, text_inches, size = 11) > room]
    if (length(long) > 0) paste("strip is longer than its panel is high:", long[1])
  }))
}

# Returns all faults of a figure.
figure_faults <- function(figure) {
  facts <- attr(figure, "figure")
  file <- tempfile(fileext = ".png")
  grDevices::png(file, width = facts$width, height = facts$height, units = "in", res = 72, type = "cairo")
  on.exit({ grDevices::dev.off(); unlink(file) })
  warned <- character()
  plots <- withCallingHandlers({ print(figure); plots_of(figure) }, warning = \(w) { warned <<- c(warned, conditionMessage(w)); invokeRestart("muffleWarning") })
  inside <- unlist(map(plots, \(plot) {
    built <- suppressWarnings(ggplot_build(plot))
    c(tick_faults(plot, built), empty_panels(plot, built))
  }))
  clauses <- strsplit(facts$alt, "(?<=[.]) ", perl = TRUE)[[1]]
  doubled <- clauses[duplicated(clauses) & nchar(clauses) > 8]
  c(inside, clipped_words(figure), clipped_strips(figure), if (length(doubled) > 0) paste("the alternative text says twice:", doubled[1]),
    if (grepl("..", facts$alt, fixed = TRUE)) "the alternative text has two full stops", grep("non-missing|no non|NaNs|infinite", warned, value = TRUE))
}

# Returns the labels of a discrete y axis from the top down.
from_top <- function(plot) rev(as.character(ggplot_build(plot)$layout$panel_params[[1]]$y$get_labels()))

# ---- The figures ----------------------------------------------------------------------------------------------------

folders <- list(
  sprint = \() file.path(example_run("sprint"), c("capstone-sprint", "capstone-blitz")),
  estimate = \() repository("data", "estimates", "bcts-next"),
  trainings = \() repository("data", "training", c("own-10x10", "own-10x10-columns", "guide"))
)

# Figures that are drawn once: the example games, five runs, Sprints.
guideline_figures <- local({ kept <- NULL; function() kept <<- kept %||% analyse_guideline(folders$sprint())$figures })
blitz_figures <- local({ kept <- NULL; function() kept <<- kept %||% analyse_guideline(guideline_run("blitz"))$figures })
study_figures <- local({ kept <- NULL; function() kept <<- kept %||% figures(example_run("study")) })
liap_figures <- local({ kept <- NULL; function() kept <<- kept %||% analyse_liap(liap_run())$figures })
evidence_figures <- local({ kept <- NULL; function() kept <<- kept %||% reproduction_figures(made_evidence()) })
# The example games as eight runs, which is more than there are colours.
eight_runs <- function(what) what(set_names(rep(list(read_run(example_run("games"), max_rows = 0)), 8), letters[1:8]))

exact_rows <- function() {
  path <- file.path(scratch, "exact.csv")
  writeLines(c("board,rules,queue,search,player,lines_mean,of_optimal,z_lines,games", "4x4,simplified,uniform,greedy,optimal,30,1,0.1,100",
      "4x4,simplified,uniform,greedy,bcts,27,0.9,0.2,100", "4x4,simplified,uniform,next,bcts,33,1.1,0.2,100", "4x5,simplified,uniform,greedy,optimal,80,1,NA,NA"), path)
  path
}
# Returns a ranking as `tetrastat compare --format csv` prints it: all games of lee finished, and
# none of bcts.
ranking_rows <- function(open = TRUE) {
  path <- file.path(scratch, "ranking.csv")
  bcts <- if (open) c("mean,bcts,NA,1,30,30,NA,11997,NA,exponential,no_game_ended,NA,NA,NA,NA", "ratio,bcts,lee,NA,30,0,NA,NA,NA,NA,NA,NA,1.4e-13,1.4e-13,log-rank")
    else c("mean,bcts,NA,1,30,0,900,700,1200,exponential,NA,900,NA,NA,NA", "ratio,bcts,lee,NA,30,0,3,2.1,4.2,paired_bootstrap,NA,NA,1e-5,1e-5,sign-flip")
  writeLines(c("estimate,first,second,rank,n,censored,mean,low,high,method,warnings,sd,p,p_adjusted,test", bcts,
      "mean,lee,NA,2,30,0,300,220,410,exponential,NA,300,NA,NA,NA"), path)
  read_ranking(path)
}
small_training <- function() read_training(example_run("training"))
choices <- function() autoplot(fit_choice(example_run("choices")))

# Lists each figure function with calls that draw it, and the pattern of the n that its caption must
# state.
every_figure <- list(
  figure_lines = list(\() example_figures()$lines, \() study_figures()$lines, n = "lee \\(200\\)"),
  figure_survival = list(\() example_figures()$survival, \() study_figures()$survival, \() figure_survival(eight_runs(kaplan_meier), eight_runs(lifetimes)), n = "200 games, 200 finished"),
  figure_risk = list(\() example_figures()$risk, \() figure_risk(eight_runs(kaplan_meier), eight_runs(lifetimes)), n = "n = 200 games"),
  figure_trajectories = list(\() example_figures()$trajectories, n = "lee \\("),
  figure_death = list(\() example_figures()$death, n = "n = lee \\("),
  figure_profile = list(\() example_figures()$profile, \() guideline_figures()$profile, n = "lee \\(6,976\\)"),
  figure_wells = list(\() example_figures()$wells, \() guideline_figures()$wells, n = "wells"),
  figure_mirror = list(\() example_figures()$mirror, n = "thinned, untied wells"),
  figure_freeform = list(\() {
    run <- read_run(fresh_run("walls", "--controller", "bcts", "--games", "8", "--max-pieces", "4000", "--placements", "csv.gz"))
    found <- map(stacking(run)[c("entropy", "memory", "pooled")], \(table) mutate(table, run = factor("bcts")))
    figure_freeform(found$entropy, found$memory, found$pooled)
  }, n = "games with at least 100 boards"),
  figure_heat = list(\() example_figures()$heat, n = "lee \\(6,976\\) placements"),
  figure_margins = list(\() example_figures()$margins, n = "n = placements with a runner-up: lee"),
  figure_comparison = list(\() study_figures()$compared, \() autoplot(compare_runs(example_run("study"), "rmst")), n = "n = 80 common seeds"),
  figure_wins = list(\() study_figures()$paired, n = "n = 80 decided games"),
  figure_contrast = list(\() autoplot(contrast(example_run("study"), ~ search)), \() autoplot(contrast(fresh_study(), ~ controller * board)), n = "n = 80 games per contrast"),
  figure_sprint = list(\() guideline_figures()$sprint, \() autoplot(read_run(folders$sprint()[1]), reported = c(106, 107)), n = "Games won: capstone-sprint \\(25\\)"),
  figure_points_by_source = list(\() blitz_figures()$points, n = "Games: guideline-blitz \\("),
  figure_clears = list(\() guideline_figures()$clears, n = "Clears: "),
  figure_course = list(\() blitz_figures()$course, n = "Games at the first point: guideline-blitz"),
  figure_all_means = list(\() figure_all_means(tibble(name = c("a", "b"), method = c("play", "estimate"), mean = c(101, 60000),
    low = c(100, 55000), high = c(102, 65000))), n = "1 conditions were played, 1 were estimated"),
  figure_means = list(\() figure_means(tibble(label = factor(c("a", "b")), measure = c("pieces", "points"), games = 12L, mean = c(101, 60000),
    low = c(100, 55000), high = c(102, 65000))), n = "over 24 games"),
  figure_scores = list(\() autoplot(aggregate_scores(made_scores(40, 1))),
                       n = "n = games: a \\(120\\)"),
  figure_improvement = list(\() autoplot(improvement(made_scores(40, 1))), n = "b \\(120\\)"),
  figure_performance = list(\() autoplot(performance_profile(made_scores(40, 1))),
                            n = "Score 1 is the mean of a"),
  figure_openings = list(\() guideline_figures()$openings, n = "Games: capstone-sprint \\("),
  figure_learning = list(\() figure_learning(small_training()), \() figure_learning(read_training(folders$trainings()[1])), n = "n = "),
  figure_weight_paths = list(\() figure_weight_paths(small_training()), n = "generations"),
  figure_trainings = list(\() {
    trainings <- map(folders$trainings(), read_training)
    figure_trainings(compare_curves(trainings), compare_training(trainings))
  }, n = "games of candidates"),
  figure_weights = list(choices, n = "n = 270 decisions"),
  figure_danger = list(\() autoplot(read_labels(example_run("rollout"))), n = "n = 58 boards"),
  figure_levels = list(\() figure_levels(read_estimate(folders$estimate())), n = "replications"),
  figure_estimates = list(\() figure_estimates(read_estimate(folders$estimate())), \() figure_estimates(read_estimate(folders$estimate()), histogram = TRUE), n = "independent replications"),
  figure_heights = list(\() figure_heights(read_estimate(folders$estimate())), n = "placements of main paths"),
  figure_forest = list(\() evidence_figures()$forest, n = "n = 337 games in 7 conditions"),
  figure_ratio = list(\() evidence_figures()$ratio, n = "n = 6 comparisons"),
  figure_exact = list(\() figure_exact(read_exact(exact_rows())), n = "n = 4 exact means"),
  figure_ranking = list(\() figure_ranking(ranking_rows(), "made"), \() figure_ranking(ranking_rows(open = FALSE), "made"), n = "n = 30"),
  figure_accuracy = list(\() liap_figures()$accuracy, n = "Declarations: "),
  figure_calibration = list(\() liap_figures()$calibration, n = "100 %"),
  figure_points = list(\() liap_figures()$points, n = "Matches: "),
  plot_boards = list(\() plot_boards(example_run("choices"), 0, pieces = 200), \() plot_boards(fresh_run("boards", "--controller", "lee", "--games", "1", "--max-pieces", "40", "--placements", "csv"), 0, pieces = 1:9),
    \() { need_program(); plot_boards(fresh_run("death", "--controller", "lee", "--games", "2", "--max-pieces", "none", "--placements", "csv")) }, n = "Grey")
)

# ---- The tests ------------------------------------------------------------------------------------------------------

test_that("every figure function has an entry", {
  package <- asNamespace("tetrastat")
  functions <- keep(ls(package), \(name) is.function(get(name, package)) && grepl("^(figure|plot)_", name))
  functions <- setdiff(functions, c("figure_data", "figure_facts", "plot_tables"))
  expect_gte(length(functions), 40)
  expect_equal(sort(names(every_figure)), sort(functions))
})

for (name in names(every_figure)) {
  test_that(paste(name, "draws figures without faults"), {
    entry <- every_figure[[name]]
    drawn <- map(keep(entry, is.function), \(draw) draw())
    for (figure in drawn) {
      expect_s3_class(figure, "ggplot")
      expect_equal(as.character(figure_faults(figure)), character(), info = name)
    }
    expect_match(caption(drawn[[1]]), entry$n, info = name)
  })
}

test_that("the checker detects each kind of fault", {
  rows <- tibble(x = 1:4, y = 10^-(6:9), z = "a")
  twice <- figure(ggplot(rows, aes(.data$x, .data$y)) + geom_point() + scale_y_log10(labels = \(x) rep("0", length(x))), caption = "n")
  expect_match(figure_faults(twice), "label 0 twice", all = FALSE)
  empty <- figure(ggplot(rows, aes(.data$x, .data$y)) + geom_vline(xintercept = 2), caption = "n")
  expect_match(figure_faults(empty), "panel 1 is empty", all = FALSE)
  narrow <- figure(ggplot(rows, aes(.data$x, .data$y)) + geom_point() + labs(title = strrep("w", 100)), width = 3, caption = strrep("x", 200))
  expect_match(figure_faults(narrow), "caption is", all = FALSE)
  expect_match(figure_faults(narrow), "title is", all = FALSE)
  bare <- figure(ggplot(rows, aes(.data$x, .data$y)) + geom_point() + scale_y_log10(breaks = 1), caption = "n")
  expect_match(figure_faults(bare), "y axis has 0 tick labels", all = FALSE)
})

test_that("ranks run from the top down, and a mean without finished games is a bound", {
  for (open in c(TRUE, FALSE)) {
    panels <- plots_of(figure_ranking(ranking_rows(open), "made"))
    expect_equal(from_top(panels[[1]]), c("1  bcts", "2  lee"))
  }
  section <- ranking_section({ ranking_rows(); file.path(scratch, "ranking.csv") })
  expect_equal(section$table[[4]][1], "above 11,997 (no game finished)")
})

test_that("the wells figure states the drawn n, and no p-value below the resolution of its permutations", {
  run <- read_run(example_run("games"))
  found <- stacking(run)
  words <- unlist(map(plots_of(example_figures()$wells), \(plot) plot$facet$params$labeller(tibble(run = "lee"))))
  expect_match(paste(words, collapse = " "), paste0("n = ", tidy_number(sum(found$counts$n))), fixed = TRUE)
  expect_equal(permutation_p(1 / 201, 200), "p <= 0.005")
  expect_equal(permutation_p(0.2, 200), "p = 0.2")
})

test_that("small numbers on a log axis have distinct labels", {
  expect_equal(number_labels(c(1e-9, 1e-8, 1e-3, 0.25, 1, 12345, NA, 0)), c("1e-09", "1e-08", "0.001", "0.25", "1", "12,345", "", "0"))
  expect_equal(number_labels(c(0.1, 1e-7)), c("0.1", "1e-07"))
  expect_equal(percent_labels(c(1e-5, 0.5)), c("0.001 %", "50 %"))
})
