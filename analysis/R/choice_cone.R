# The weights that explain every choice of a player who always takes its best candidate.
#
# Each candidate that was passed over says that the weights give it no more than the chosen one: w'(x_i - x_chosen) <= 0. All
# weights for which that holds are a cone of directions, and the data cannot tell them apart. The conditional logit with
# a vanishing ridge takes the one with the widest margin, which a few narrow choices push off the middle. Cosine with the
# true weights of bcts on 10x10, by decisions (270, 1,443, 5,015): 0.9764, 0.9969, 0.9954 by the margin, 0.9950, 0.9990,
# 0.9994 by the cone's analytic centre, which is taken here. The cone's mean direction lies between (0.998 of 5,015).

# The middle of the weights in SDs that explain all choices, of length 1, and how far each reaches, by so many draws (none
# for 0); `w` itself, where the search for them begins, if none were found.
explained_weights <- function(data, w, draws) {
  passed_over <- choice_differences(data)
  found <- explaining_direction(passed_over, w)
  if (is.null(found)) return(tibble(weight = w, error = NA_real_, low = NA_real_, high = NA_real_))
  centre <- cone_centre(passed_over, found / 2)
  range <- if (draws > 0) with_seed(1, cone_range(passed_over, centre, draws)) else matrix(NA_real_, 2, length(w))
  tibble(weight = centre$w / sqrt(sum(centre$w^2)), error = NA_real_, low = range[1, ], high = range[2, ])
}

# The 95 % range of each weight in draws from the cone, of length 1: a row of lower bounds and one of upper bounds.
cone_range <- function(passed_over, centre, draws) {
  inside <- cone_draws(passed_over, centre, draws)
  inside <- inside[colSums(passed_over %*% t(inside) > 0) == 0, , drop = FALSE]
  apply(inside / sqrt(rowSums(inside^2)), 2, quantile, c(0.025, 0.975), names = FALSE)
}

# Features of each candidate passed over less those of the chosen one, as directions, without those that are alike.
choice_differences <- function(data) {
  order <- data$decision[data$chosen]
  chosen <- data$x[data$chosen, , drop = FALSE][match(data$decision, order), , drop = FALSE]
  apart <- (data$x - chosen)[!data$chosen, , drop = FALSE]
  size <- sqrt(rowSums(apart^2))
  unique(round(apart[size > 1e-9, , drop = FALSE] / size[size > 1e-9], 9))
}

# Weights of length 1 near `w` that explain all choices, by moving off the worst explained one (the relaxation method of
# Agmon 1954); NULL when `steps` moves find none.
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

# The analytic centre of the cone's part inside the unit ball, from a point in it, by Newton's method, and the shape of that part:
# list(w, shape), `shape` a square root of the inverse curvature of the logarithmic barrier there.
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

# Draws of the part of the cone inside the unit ball, of all differences by those that bound it: the nearest to its centre
# first, then whatever a draw violates. In each round the chain learns the shape of the cone, and goes on.
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

# Hit and run (Smith 1984) from a point: each step goes to a random place of the chord in a random direction, drawn of this
# shape. Of p weights every p-th point is kept.
hit_and_run <- function(rows, x, shape, draws) {
  kept <- matrix(0, draws, length(x))
  for (i in seq_len(draws)) {
    for (step in seq_along(x)) x <- chord_point(rows, x, shape)
    kept[i, ] <- x
  }
  kept
}

# A random place on the chord through `x`.
chord_point <- function(rows, x, shape) {
  u <- drop(shape %*% rnorm(length(x)))
  u <- u / sqrt(sum(u^2))
  slope <- drop(rows %*% u)
  reach <- -drop(rows %*% x) / slope
  along <- sum(x * u)
  half <- sqrt(along^2 - sum(x^2) + 1)
  x + runif(1, max(-along - half, reach[slope < 0]), min(-along + half, reach[slope > 0])) * u
}
