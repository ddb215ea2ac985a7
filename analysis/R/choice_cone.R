# Weights that explain every choice of a controller that always takes one of its best candidates.
#
# Each rejected candidate implies that the weights do not value it above the chosen one: w'd >= 0,
# where d is the chosen candidate's features minus those of the rejected one. All weights that satisfy
# these inequalities form a closed cone, and the data cannot distinguish them. Candidates of equal
# value satisfy them with equality, whichever way the tie was broken. So the cone includes its faces,
# and the weights of a controller with many ties lie on one of them.
#
# The choices do not determine the scale of the weights. They are scaled so that, averaged over the
# decisions, the value of the chosen candidate exceeds the mean value of all candidates of its decision by 1.
# This is linear, and above 0 for all weights of the cone that do not value all
# candidates of each decision equally. So these weights form a bounded polytope, whose extremes in each
# weight are linear programs.

# Returns the weights, in SDs, that explain all choices of `choice_data()`: their mean, and the least and
# the greatest value of each weight. NULL if no weights explain all choices. `basis` are the directions
# that the choices determine.
explaining_weights <- function(data, basis) {
  rows <- choice_differences(replace(data, "x", list(data$x %*% basis)))
  scale <- drop(choice_advantage(data) %*% basis)
  inside <- explaining_point(rows, scale)
  if (is.null(inside)) return(NULL)
  goals <- rbind(basis, -basis)
  extremes <- accumulate(seq_len(nrow(goals)), .init = inside, \(w, i) furthest_point(goals[i, ], rows, scale, w))[-1]
  points <- do.call(rbind, extremes)
  # The tolerance is that of rounding: the range may be a single point.
  range <- apply(points %*% t(basis), 2, range) + c(-1, 1) * 1e-8
  range[, undetermined(basis)] <- c(-Inf, Inf)
  tibble(weight = drop(basis %*% polytope_mean(points, rows)), error = NA_real_, low = range[1, ], high = range[2, ])
}

# Returns the features of each chosen candidate minus those of the rejected ones, as unique rows of
# length 1.
choice_differences <- function(data) {
  chosen <- data$x[data$chosen, , drop = FALSE][data$decision, , drop = FALSE]
  apart <- (chosen - data$x)[!data$chosen, , drop = FALSE]
  size <- sqrt(rowSums(apart^2))
  apart <- apart[size > 1e-9, , drop = FALSE] / size[size > 1e-9]
  apart[!duplicated(round(apart, 9)), , drop = FALSE]
}

# Returns each feature of the chosen candidate minus that of the mean candidate, averaged over the
# decisions.
choice_advantage <- function(data) {
  decisions <- max(data$decision)
  colSums(data$x * (data$chosen - 1 / tabulate(data$decision)[data$decision])) / decisions
}

# Rounding errors of values: an inequality is satisfied if it is violated by less than this. The small
# random part separates vertices that would coincide, so that furthest_point() cannot run in circles.
cone_slack <- function(n) with_seed(1, runif(n, 1, 2)) * 1e-9

# Returns a point w with rows %*% w >= 0 and scale'w = 1, or NULL if there is none. The point
# minimises the greatest violation t, with t as a further coordinate.
explaining_point <- function(rows, scale) {
  w <- scale / sum(scale^2)
  violation <- max(0, -(rows %*% w))
  relaxed <- rbind(cbind(rows, 1), c(0 * scale, 1))
  found <- furthest_point(c(0 * scale, -1), relaxed, c(scale, 0), c(w, violation))
  if (found[length(found)] < 1e-7) found[seq_along(scale)]
}

# Returns the point w with the greatest goal'w among those with rows %*% w >= 0 (within rounding) and
# scale'w = 1, from the feasible point `w`: an active-set method. Each step follows the goal inside
# the face of the rows that hold with equality. At the best point of a face it leaves the row whose
# multiplier has the wrong sign.
furthest_point <- function(goal, rows, scale, w, steps = 10000) {
  room <- drop(rows %*% w) + cone_slack(nrow(rows))
  active <- integer()
  for (step in seq_len(steps)) {
    face <- qr(t(rbind(scale, rows[active, , drop = FALSE])), tol = 1e-11)
    along <- qr.resid(face, goal)
    if (sqrt(sum(along^2)) < 1e-9) {
      multipliers <- qr.coef(face, goal)[-1]
      if (length(active) == 0 || max(multipliers) < 1e-9) return(w)
      active <- active[-which.max(multipliers)]
      next
    }
    along <- along / sqrt(sum(along^2))
    slope <- drop(rows %*% along)
    slope[active] <- 0
    ahead <- which(slope < -1e-9)
    reach <- room[ahead] / -slope[ahead]
    far <- max(0, min(reach))
    w <- w + far * along
    room <- room + far * slope
    active <- c(active, ahead[which.min(reach)])
  }
  fail("the range of the weights was not found in ", steps, " steps; use fewer features")
}

# Returns the mean of a polytope by hit and run (Smith 1984): each step moves to a random point of the
# chord in a random direction. `points` are points of the polytope that span it. Rows that hold with
# equality everywhere in it have no influence on the chord. The weights make all directions of the
# cone equally probable.
polytope_mean <- function(points, rows, draws = 1000) {
  x <- colMeans(points)
  spread <- sweep(points, 2, x)
  rows <- rows[apply(abs(rows %*% t(spread)), 1, max) > 1e-7, , drop = FALSE]
  if (nrow(rows) == 0) return(x)
  sum <- 0 * x
  total <- 0
  with_seed(1, for (draw in seq_len(draws)) {
    along <- drop(rnorm(nrow(spread)) %*% spread)
    slope <- drop(rows %*% along)
    reach <- -drop(rows %*% x) / slope
    x <- x + runif(1, max(reach[slope > 0]), min(reach[slope < 0])) * along
    weight <- sum(x^2)^(-(length(x) + 1) / 2)
    sum <- sum + weight * x
    total <- total + weight
  })
  sum / total
}
