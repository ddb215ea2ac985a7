# Two controllers on the same boards: where their games part, what one would choose among the
# candidates of the other, and what each feature is worth.

#' Where two controllers part
#'
#' Compares two runs that were dealt the same pieces: in each game the first placement that differs.
#' Up to there both controllers saw the same boards.
#'
#' The agreement describes boards that both controllers reach, which are early boards. To learn what
#' a controller would choose on the boards of another one's whole games, use [score_candidates()].
#'
#' @param run_a,run_b Runs of classic games that [read_tetrastat()] returns, or their folders. Both need
#'   the same rules, board, queue and seed, and all placements (no `--every`).
#' @param until A whole number: the last piece of a game to compare, or `Inf`.
#' @return A `tetrastat_divergence`: a tibble with one row per common game.
#' * `game` (in `run_a`), `stream_seed`: the game.
#' * `decisions`: placements on common boards, the differing one included.
#' * `diverged`: `FALSE` if no compared placement differs.
#' * `piece_no`, `piece`, `board`: the first differing decision (`NA` if there is none): its number
#'   in the game, its piece, and the board before it (`""` if empty; [decode_board()] reads it; `NA`
#'   if the log has no boards, or for the first piece on a start board).
#' * `orientation_a`, `column_a`, `landing_row_a`, and the same with `_b`: both placements.
#'
#' `glance()` returns one row: games, games that diverged, median piece of the divergence,
#' decisions, and the share of decisions that agree, with its 95 % interval clustered by game.
#' `tidy()` returns this share for each piece.
#' @examples
#' if (nzchar(tetrastat_program())) {
#'   play <- function(name) simulate_games(name, 10, board = "10x10", max_pieces = 200)
#'   parted <- divergence(play("bcts"), play("dellacherie"))
#'   glance(parted)
#'   tidy(parted)
#' }
#' @export
divergence <- function(run_a, run_b, until = Inf) {
  if (!identical(until, Inf)) check_count(until, "until")
  dirs <- c(run_folder(run_a), run_folder(run_b))
  manifests <- map(dirs, classic_manifest)
  if (normalizePath(dirs[1]) == normalizePath(dirs[2])) fail("both runs are ", dirs[1], "; give the run of another controller")
  check_comparable(manifests)
  starts <- map(manifests, \(run) run$manifest$config$start)
  if (!identical(starts[[1]], starts[[2]])) fail("the runs differ in their start board")
  placed <- c("orientation", "column", "landing_row")
  tables <- map(dirs, seeded_placements, c("piece", placed), until)
  common <- inner_join(tables[[1]], tables[[2]], by = c("stream_seed", "piece_no"),
                       suffix = c("_a", "_b"))
  if (nrow(common) == 0) {
    fail("the runs have no common game; play both with the same --seed and --queue")
  }
  common <- arrange(common, .data$game_a, .data$piece_no) |>
    mutate(differs = .data$orientation_a != .data$orientation_b | .data$column_a != .data$column_b,
           before = if ("board_a" %in% names(common)) lag(.data$board_a, default = "") else NA)
  same <- group_by(common, game = .data$game_a, .data$stream_seed) |>
    filter(cumsum(lag(.data$differs, default = FALSE)) == 0)
  if (any(same$piece_a != same$piece_b)) {
    fail("the runs were dealt different pieces; play both with the same --seed and --queue")
  }
  rows <- summarise(same, decisions = n(), diverged = any(.data$differs), .groups = "drop")
  parted <- ungroup(filter(same, .data$differs)) |>
    transmute(.data$game, .data$piece_no, piece = .data$piece_a,
              board = if_else(.data$piece_no == 1, if (is.null(starts[[1]])) "" else NA_character_,
                              as.character(.data$before)),
              across(all_of(c(paste0(placed, "_a"), paste0(placed, "_b")))))
  rows <- left_join(rows, parted, by = "game")
  by_piece <- ungroup(same) |> group_by(.data$game, piece = .data$piece_a) |>
    summarise(agree = sum(!.data$differs), decisions = n(), .groups = "drop")
  classed(rows, "tetrastat_divergence", by_piece = by_piece)
}

# Returns the manifest of a run of classic games in the form of a run.
classic_manifest <- function(dir) {
  check_run_dir(dir)
  if (run_kind(dir) != "classic") fail(dir, " has no classic games; only these can be compared")
  manifest <- read_manifest(dir)
  part <- logged_part(manifest)
  if (part$every > 1 || part$from > 1 || is.finite(part$only_last)) {
    fail(dir, " logged ", scope_words(part), "; log all placements (without --every, --from and ",
         "--only-last) to compare them")
  }
  structure(list(kind = "classic", manifest = manifest), class = "tetrastat_run")
}

# Returns placements with the seed of their game, and the board if the log has it.
seeded_placements <- function(dir, columns, until) {
  board <- intersect("board", unlist(read_manifest(dir)$config$log$columns))
  rows <- read_placements(dir, c(columns, board), until = until)
  inner_join(read_table(dir, "games")[c("game", "stream_seed")], rows, by = "game")
}

# Returns the share of agreeing decisions with its interval clustered by game, and the counts.
agreement <- function(by_game) {
  share <- clustered_mean(by_game$agree, by_game$decisions)
  tibble(decisions = sum(by_game$decisions), agreement = share$mean,
         low = pmax(share$low, 0), high = pmin(share$high, 1))
}

#' @export
glance.tetrastat_divergence <- function(x, ...) {
  rlang::check_dots_empty()
  by_game <- transmute(as_tibble(x), .data$decisions, agree = .data$decisions - .data$diverged)
  bind_cols(tibble(games = nrow(x), diverged = sum(x$diverged),
                   median_piece = median(replace(x$decisions, !x$diverged, Inf))),
            agreement(by_game))
}

#' @export
tidy.tetrastat_divergence <- method_of_x(\(x) group_by(attr(x, "by_piece"), .data$piece) |>
    group_modify(\(own, key) agreement(own)) |>
    ungroup() |>
    transmute(term = as.character(.data$piece), estimate = .data$agreement, conf.low = .data$low,
              conf.high = .data$high, .data$decisions))

#' Score candidates by another controller
#'
#' Computes what a controller would choose among the candidates of another one's decisions: the sum
#' of its weights times the features of each candidate.
#'
#' The candidates need all features of the controller: log them with `--candidates --columns all`.
#' Both controllers must measure features at the same time, before or after full rows are removed
#' (`measured` in the controller's file). This is checked unless `controller` is a
#' vector. Equal scores are broken by the order of the candidates.
#'
#' @param x A run that was played with `--candidates`, or its folder.
#' @param controller A run, whose controller is used; a string, the name of a preset or the path of
#'   a TOML file, which the engine reads ([tetrastat_program()]); or a named numeric vector of
#'   weights.
#' @return The candidates with two more columns: `.fitted` is the score by `controller`, `NA` for
#'   candidates that lose the game. `.best` is `TRUE` for the candidate of each decision that
#'   `controller` would choose.
#' @examples
#' # Had bcts no weight for wells, in how many decisions would it choose the same?
#' choices <- example_run("choices")
#' found <- compare_weights(fit_choice(choices))
#' weights <- setNames(found$true, found$feature)
#' scored <- score_candidates(choices, replace(weights, "wells", 0))
#' mean(scored$.best[scored$chosen])
#' @export
score_candidates <- function(x, controller) {
  player <- controller_config(controller)
  own <- read_manifest(run_folder(x))$config$controller$measured
  if (!identical(own %||% player$measured, player$measured %||% own)) {
    fail("the candidates were measured ", own, " and the controller measures ", player$measured,
         " (full rows removed), so its scores cannot be computed from them")
  }
  scored_by(read_candidates(x, Inf), player)
}

# Returns candidates with the scores by the settings of a controller.
scored_by <- function(candidates, player) {
  weights <- true_weights(list(config = list(controller = player)))
  if (is.null(weights)) fail("the controller has no single vector of weights")
  absent <- setdiff(names(weights), names(candidates))
  if (length(absent) > 0) {
    fail("the candidates have no column ", paste(absent, collapse = ", "),
         ", a feature of the controller; log them with --candidates --columns all")
  }
  mark_best(candidates, drop(as.matrix(candidates[names(weights)]) %*% weights))
}

# Returns the settings of a controller, as run.json holds them.
controller_config <- function(controller) {
  if (is.numeric(controller) && !is.null(names(controller))) {
    return(list(weights = as.list(controller)))
  }
  if (inherits(controller, "tetrastat_run")) return(controller$manifest$config$controller)
  if (!is.character(controller) || length(controller) != 1) {
    fail("controller must be a run, a string or a named vector of weights")
  }
  options <- c("simulate", "--dry-run", "--controller", controller, "--games", "1")
  text <- paste(engine_output(options), collapse = "\n")
  jsonlite::fromJSON(text)$controller
}

#' Importance of each feature of a controller
#'
#' Plays games with the controller and with each weight set to zero in turn (ablation), on common
#' seeds, and compares the lines. The time is that of `features + 1` runs of [simulate_games()].
#'
#' A feature that others nearly repeat has a small importance, because these stand in for it. The
#' other weights are not trained again.
#'
#' @param controller As in [score_candidates()].
#' @param games A whole number: games of each run.
#' @param ... Further options of `tetrastat simulate`, by name, as in [simulate_games()].
#' @return A tibble with one row per feature, the most important first:
#' * `feature`, `weight`: the feature and its weight (`NA` if it has several).
#' * `lines`: mean lines of a finished game without the feature.
#' * `ratio`, `low`, `high`: mean lines with all features divided by those without this one, with
#'   its 95 % interval ([compare_runs()]). Above 1, the feature helps. `ratio` is `NA` if no game of a
#'   run finished.
#' * `p`: p-value, Holm-adjusted over the features.
#' @examples
#' if (nzchar(tetrastat_program())) {
#'   importance("lee", games = 20, board = "8x8", max_pieces = 2000)
#' }
#' @export
importance <- function(controller = "bcts", games = 200, ...) {
  player <- controller_config(controller)
  weights <- as.list(player$weights)
  if (any(grepl("@", names(weights), fixed = TRUE)) || length(weights) < 2) {
    fail("importance() needs a controller with weights of at least two features")
  }
  folder <- tempfile("importance")
  dir.create(folder)
  on.exit(unlink(folder, recursive = TRUE))
  play <- \(weights) {
    file <- tempfile(tmpdir = folder, fileext = ".toml")
    writeLines(controller_toml(player, weights), file)
    simulate_games(file, games, ..., placements = "none", out = tempfile("run", folder))
  }
  whole <- play(weights)
  rows <- imap(weights, \(weight, name) {
    run <- play(replace(weights, name, list(0 * weight)))
    pair <- compare_runs(list(with = whole, without = run))
    found <- as_tibble(pair)[c("ratio", "low", "high", "p")]
    if (pair$first == "without") found[1:3] <- 1 / found[c("ratio", "high", "low")]
    bind_cols(tibble(feature = name, weight = if (length(weight) == 1) weight else NA_real_,
                     lines = run_lifetime(run)$mean), found)
  })
  mutate(bind_rows(rows), p = p.adjust(.data$p, "holm")) |> arrange(desc(.data$ratio))
}

# Returns the lines of the TOML file of a controller with these weights.
controller_toml <- function(player, weights) {
  number <- \(x) formatC(x, digits = 17, format = "g", width = 1)
  value <- \(x) if (length(x) == 1) number(x) else paste0("[", toString(number(x)), "]")
  settings <- compact(player[c("measured", "tie")])
  c('name = "ablated"', paste0(names(settings), ' = "', settings, '"'), "", "[weights]",
    paste(names(weights), "=", map_chr(weights, value)))
}
