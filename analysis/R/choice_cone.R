# Weights that explain every choice of a controller that always takes its best candidate.
#
# Each rejected candidate i implies that the weights do not value it above the chosen one: w'(x_i -
# x_chosen) <= 0. All weights that satisfy these inequalities form a cone of directions, which the
# data cannot distinguish. The estimate is the mean of random draws from the cone, so it lies inside
# the interval of these draws. (The conditional logit with a vanishing ridge returns the direction
# with the widest margin. A few narrow choices push that direction away from the centre.)
#
# Ties: a controller that values two candidates equally sometimes chooses one and sometimes the
# other. The choices then contain a difference d and its opposite, so only weights with w'd = 0
# explain both. Such differences become equations, and the cone is restricted to the directions that
# satisfy all of them.

# Returns the mean weights, in SDs and of length about 1, that explain all choices, with their range
# over `draws` draws. With `draws` = 0 it returns the analytic centre without a range. If no weights
# explain all choices, it warns and returns the start `w` of the search.
explained_weights <- function(data, w, draws) {
  differences <- choice_differences(data)
  free <- tied_directions(differences)
  passed_over <- unit_rows(differences %*% free)
  found <- explaining_direction(passed_over, drop(crossprod(free, w)))
  if (is.null(found)) {
    warning("no weights explain every choice (noise, or a missing feature): returning the ridge estimate, without intervals", call. = FALSE)
    return(tibble(weight = w, error = NA_real_, low = NA_real_, high = NA_real_))
  }
  if (ncol(free) == 1) { # ties leave one direction
    only <- drop(free %*% found)
    return(tibble(weight = only, error = NA_real_, low = only, high = only))
  }
  centre <- cone_centre(passed_over, found / 2)
  middle <- drop(free %*% centre$w) / sqrt(sum(centre$w^2))
  if (draws == 0) return(tibble(weight = middle, error = NA_real_, low = NA_real_, high = NA_real_))
  inside <- with_seed(1, cone_inside(passed_over, centre, draws)) %*% t(free)
  range <- apply(inside, 2, quantile, c(0.025, 0.975), names = FALSE)
  tibble(weight = colMeans(inside), error = NA_real_, low = range[1, ], high = range[2, ])
}

# Returns draws from the cone as unit vectors, one per row.
cone_inside <- function(passed_over, centre, draws) {
  inside <- cone_draws(passed_over, centre, draws)
  inside <- inside[colSums(passed_over %*% t(inside) > 0) == 0, , drop = FALSE]
  inside / sqrt(rowSums(inside^2))
}

# Returns an orthonormal basis (in columns) of the weights that value all tied candidates equally.
# Without ties this is the basis of all directions.
tied_directions <- function(differences) {
  key <- \(rows) do.call(paste, asplit(round(rows, 7) + 0, 2)) # + 0: no minus before zero
  ties <- differences[key(differences) %in% key(-differences), , drop = FALSE]
  if (nrow(ties) == 0) return(diag(ncol(differences)))
  parts <- svd(ties, nu = 0, nv = ncol(ties))
  rank <- sum(parts$d > 1e-6 * parts$d[1])
  if (rank == ncol(ties)) return(diag(ncol(differences))) # contradiction: no weights value all of these equally
  parts$v[, seq_len(ncol(ties)) > rank, drop = FALSE]
}

# Returns the rows scaled to unit length, without rows of length 0.
unit_rows <- function(rows) {
  size <- sqrt(rowSums(rows^2))
  rows[size > 1e-6, , drop = FALSE] / size[size > 1e-6]
}

# Returns the features of each rejected candidate minus those of the chosen one, as unique unit
# vectors.
choice_differences <- function(data) {
  order <- data$decision[data$chosen]
  chosen <- data$x[data$chosen, , drop = FALSE][match(data$decision, order), , drop = FALSE]
  apart <- (data$x - chosen)[!data$chosen, , drop = FALSE]
  size <- sqrt(rowSums(apart^2))
  unique(round(apart[size > 1e-9, , drop = FALSE] / size[size > 1e-9], 9))
}

# Returns weights of length 1 near `w` that explain all choices, or NULL if `steps` moves find none.
# Each move corrects the choice that is explained worst (the relaxation method of Agmon 1954).
explaining_direction <- function(passed_over, w, steps = 5000) {
  for (step in seq_len(steps)) {
    w <- w / sqrt(sum(w^2))
    excess <- drop(passed_over %*% w)
    worst <- which.max(excess)
    if (excess[worst] < 0) return(w)
    w <- w - (1.5 * excess[worst] + 1e-6) * passed_over[worst, ]
  }
  NULL
}

# Returns the analytic centre `w` of the part of the cone inside the unit ball, by Newton's method
# from an interior point. `shape` is a square root of the inverse curvature of the logarithmic
# barrier at the centre.
cone_centre <- function(passed_over, w, steps = 50) {
  barrier <- function(w) if (any(passed_over %*% w >= 0) || sum(w^2) >= 1) Inf else -sum(log(-passed_over %*% w)) - log(1 - sum(w^2))
  for (step in seq_len(steps)) {
    slack <- -drop(passed_over %*% w)
    left <- 1 - sum(w^2)
    gradient <- colSums(passed_over / slack) + 2 * w / left
    curvature <- crossprod(passed_over / slack) + diag(2 / left, length(w)) + 4 * tcrossprod(w) / left^2
    move <- solve(curvature, gradient)
    if (sum(gradient * move) < 1e-6) break
    lengths <- 2^-(0:30)
    w <- w - detect(lengths, \(length) barrier(w - length * move) < barrier(w), .default = 0) * move
  }
  list(w = w, shape = t(chol(solve(curvature))))
}

# Draws from the part of the cone inside the unit ball. Only the constraints nearest to the centre
# are used at first, for speed; each round adds those that a draw violates, and adapts the shape of
# the chain to the draws.
cone_draws <- function(passed_over, centre, draws, rounds = 8) {
  near <- order(passed_over %*% centre$w, decreasing = TRUE)[seq_len(min(nrow(passed_over), 40 * ncol(passed_over)))]
  x <- centre$w
  shape <- centre$shape
  for (round in seq_len(rounds)) {
    tried <- hit_and_run(passed_over[near, , drop = FALSE], x, shape, 100)
    violated <- setdiff(which(rowSums(passed_over %*% t(tried) > 0) > 0), near)
    near <- c(near, violated)
    x <- if (length(violated) == 0) tried[nrow(tried), ] else centre$w
    shape <- t(chol(cov(tried) + diag(1e-12, ncol(tried))))
  }
  hit_and_run(passed_over[near, , drop = FALSE], x, shape, draws)
}

# Draws by hit and run (Smith 1984) from the point `x`: each step moves to a random point of the
# chord in a random direction with covariance `shape`. Every p-th point is kept, where p is the
# number of weights.
hit_and_run <- function(rows, x, shape, draws) {
  kept <- matrix(0, draws, length(x))
  for (i in seq_len(draws)) {
    for (step in seq_along(x)) x <- chord_point(rows, x, shape)
    kept[i, ] <- x
  }
  kept
}

# Returns a random point of a chord through `x`.
chord_point <- function(rows, x, shape) {
  u <- drop(shape %*% rnorm(length(x)))
  u <- u / sqrt(sum(u^2))
  slope <- drop(rows %*% u)
  reach <- -drop(rows %*% x) / slope
  along <- sum(x * u)
  half <- sqrt(along^2 - sum(x^2) + 1)
  x + runif(1, max(-along - half, reach[slope < 0]), min(-along + half, reach[slope > 0])) * u
}
