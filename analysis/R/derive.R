# Computes columns that a log leaves out.

# Columns that `derive_columns()` can add. Each is a function of the run (see `read_run()`).
derivations <- list(
  bag_no = \(run) bag_column(run, \(n) (n - 1) %/% 7 + 1),
  bag_pos = \(run) bag_column(run, \(n) (n - 1) %% 7 + 1),
  pieces_since_i = \(run) drought(run),
  clear_type = \(run) if ("lines" %in% names(run$placements)) factor(known_levels$clear_type[run$placements$lines + 1], known_levels$clear_type),
  perfect = \(run) if (has_heights(run$placements) && "lines" %in% names(run$placements))
    run$placements$lines > 0 & rowSums(height_matrix(run$placements)) == 0,
  lost = \(run) lost_placements(run$placements, run$games)
)

# Columns that only this package computes.
own_columns <- c("to_end", "height_top", "height_average", "height_bumpiness")

# Adds the columns of `derivations` and of wells that the placements lack, and always adds `to_end`
# (placements until the last one of the game, 0 = the last, NA in a censored game), `height_top`,
# `height_average` and `height_bumpiness`.
derive_columns <- function(run) {
  placements <- run$placements
  for (name in setdiff(names(derivations), names(placements))) {
    placements[[name]] <- derivations[[name]](run)
  }
  game <- match(placements$game, run$games$game)
  placements$to_end <- if_else(run$games$censored[game], NA_real_, as.numeric(run$games$pieces[game] - placements$piece_no))
  if (!has_heights(placements)) return(placements)
  heights <- height_matrix(placements)
  well <- deepest_well(heights)
  wells <- list(well_column = well$column, well_depth = well$depth, well_tied = if_else(is.na(well$column), NA, well$tied),
                i_dependencies = i_dependencies(heights))
  absent <- setdiff(names(wells), names(placements))
  placements[absent] <- wells[absent]
  mutate(placements,
    height_top = do.call(pmax, map(seq_len(ncol(heights)), \(column) unname(heights[, column]))),
    height_average = rowMeans(heights), height_bumpiness = height_bumpiness(heights)
  )
}

has_heights <- function(placements) all(c("h0", "h1") %in% names(placements))

# Returns the bag number or the position in the bag (both from 1); NA if the queue is not a 7-bag.
bag_column <- function(run, rule) {
  queue <- run$manifest$config$queue %||% "unknown"
  if (identical(queue, "bag")) rule(run$placements$piece_no) else rep(NA_real_, nrow(run$placements))
}

# Returns the number of pieces since the last I: 0 at an I; NA before the first I, and NA if not
# every piece was logged.
drought <- function(run) {
  placements <- run$placements
  if (!"piece" %in% names(placements)) return(NULL)
  if (!identical(scope_words(run$logged), NA_character_)) return(rep(NA_real_, nrow(placements)))
  placements |>
    group_by(.data$game) |>
    mutate(since = .data$piece_no - cummax(if_else(.data$piece == "I", .data$piece_no, -Inf))) |>
    pull("since") |>
    (\(since) replace(since, is.infinite(since), NA_real_))()
}

# Returns TRUE for the placement that ended an uncensored game.
lost_placements <- function(placements, games) {
  game <- match(placements$game, games$game)
  placements$piece_no == games$pieces[game] & !games$censored[game]
}
