# Simulated data with a known answer, on which the tests check each model.

# Simulates a games table with exponential lifetimes of mean `mean_lines`, censored at `limit`
# lines.
made_games <- function(n, mean_lines, limit = Inf, seed = 1) {
  lines <- with_seed(seed, ceiling(rexp(n, 1 / mean_lines)))
  censored <- lines > limit
  tibble(game = seq_len(n) - 1, pieces = pmin(lines, limit) * 2.5, lines = pmin(lines, limit),
         end_reason = factor(if_else(censored, "line_limit", "top_out"), known_levels$end_reason), censored)
}

# Simulates games with a danger that does a random walk between 0 and 10. After each piece the game
# dies on the next one with probability plogis(intercept + slope * danger); `noise` has no effect.
# Returns list(games, placements).
made_deaths <- function(n, intercept = -9, slope = 0.7, limit = 3000, seed = 1) {
  one <- function(game) {
    danger <- abs(cumsum(sample(c(-1, 1), limit, replace = TRUE))) %% 10
    end <- match(TRUE, runif(limit - 1) < plogis(intercept + slope * danger[-limit])) + 1
    pieces <- coalesce(end, limit)
    tibble(game, piece_no = seq_len(pieces), danger = danger[seq_len(pieces)], noise = rnorm(pieces),
        died = !is.na(end))
  }
  placements <- with_seed(seed, bind_rows(map(seq_len(n) - 1, one)))
  games <- summarise(group_by(placements, .data$game), pieces = n(), censored = !first(.data$died))
  list(games = games, placements = placements)
}

# Simulates surfaces whose heights are independent and identically distributed in each column, so
# left and right do not differ.
made_surfaces <- function(n, width = 10, seed = 1) {
  heights <- with_seed(seed, matrix(rpois(n * width, 4), n))
  colnames(heights) <- paste0("h", seq_len(width) - 1)
  well <- deepest_well(heights)
  bind_cols(tibble(game = (seq_len(n) - 1) %/% 500, piece_no = (seq_len(n) - 1) %% 500 + 1), as_tibble(heights)) |>
    mutate(well_column = well$column, well_depth = well$depth, well_tied = well$tied)
}

# Simulates a candidates table: `n` decisions among `k` candidates with normal features, chosen by
# the weights `w` with Gumbel noise (conditional logit). With `noise` 0 the best candidate is always
# chosen.
made_candidates <- function(n, w, k = 12, noise = 1, seed = 1) {
  with_seed(seed, {
    x <- matrix(round(rnorm(n * k * length(w)), 2), n * k, dimnames = list(NULL, names(w)))
    value <- drop(x %*% w) - noise * log(-log(runif(n * k)))
  })
  tibble(game = 0, piece_no = rep(seq_len(n), each = k), candidate = rep(seq_len(k), n) - 1, as_tibble(x), value) |>
    group_by(.data$piece_no) |>
    mutate(chosen = row_number() == which.max(.data$value)) |>
    ungroup() |>
    select(-"value")
}

# Returns a run with these tables, as read_run() returns it.
made_run <- function(placements, games = NULL, every = 1, ...) {
  structure(list(name = "made", kind = "classic", dir = "made", manifest = list(config = list(board = "10x10")), logged = logged_part(list()), every = every,
                 games = games, placements = placements, ...), class = c("tetrastat_classic", "tetrastat_run"))
}
