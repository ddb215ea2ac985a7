# Weights that explain every choice of a controller that always takes one of its best candidates.
#
# Each rejected candidate implies that the weights do not value it above the chosen one: w'd >= 0,
# where d is the chosen candidate's features minus those of the rejected one. All weights that satisfy
# these inequalities form a closed cone, and the data cannot distinguish them. Candidates of equal
# value satisfy them with equality, whichever way the tie was broken. So the cone includes its faces,
# and the weights of a controller with many ties lie on one of them.
#
# The scale is fixed by a sum: on average a chosen candidate is worth 1 more than the mean candidate of
# its decision. This is linear, and above 0 for all weights of the cone that do not value all
# candidates of each decision equally. So these weights form a bounded polytope, whose extremes in each
# weight are linear programs.

# Returns the weights, in SDs, that explain all choices of `choice_data()`: their centre, and the least
# and the greatest value of each weight. NULL if no weights explain all choices. `basis` are the directions
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
  tibble(weight = drop(basis %*% cone_centre(points, rows, scale)), error = NA_real_, low = range[1, ], high = range[2, ])
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
  slack <- cone_slack(nrow(rows))
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
    ahead <- setdiff(which(slope < -1e-9), active)
    reach <- (drop(rows[ahead, , drop = FALSE] %*% w) + slack[ahead]) / -slope[ahead]
    w <- w + max(0, min(reach)) * along
    active <- c(active, ahead[which.min(reach)])
  }
  fail("no optimum")
}

# Returns the analytic centre of the cone: the direction that maximises the product of all `rows` times
# it. Rows that hold with equality everywhere in the cone are left out. `points` span the cone. Newton's
# method inside the unit ball, with step halving.
cone_centre <- function(points, rows, scale, steps = 100) {
  parts <- svd(points, nu = 0)
  span <- parts$v[, parts$d > 1e-7 * parts$d[1], drop = FALSE]
  inner <- rows %*% span
  w <- drop(crossprod(span, colMeans(points)))
  inner <- inner[drop(inner %*% w) > 1e-7, , drop = FALSE]
  w <- w / (2 * sqrt(sum(w^2)))
  barrier <- \(w) if (any(inner %*% w <= 0) || sum(w^2) >= 1) Inf else -sum(log(inner %*% w)) - log(1 - sum(w^2))
  for (step in seq_len(steps)) {
    scaled <- inner / drop(inner %*% w)
    left <- 1 - sum(w^2)
    gradient <- colSums(scaled) - 2 * w / left
    move <- solve(crossprod(scaled) + diag(2 / left, length(w)) + 4 * tcrossprod(w) / left^2, gradient)
    if (sum(gradient * move) < 1e-12) break
    now <- barrier(w)
    w <- w + detect(2^-(0:30), \(part) barrier(w + part * move) < now, .default = 0) * move
  }
  centre <- drop(span %*% w)
  centre / sum(scale * centre)
}
