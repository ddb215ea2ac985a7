# Simulates the stop rule of `tetrastat estimate --until-halfwidth 20%` with several minimum numbers of replications:
#   tetrastat estimate --controller dellacherie --board 10x12 --search next --budget 60000000 --out estimate
#   Rscript data/estimates/stop_rule.R estimate
# Each of 20,000 samples draws replications of the estimate with replacement until the rule stops. The mean of all replications is the
# truth. Then the same for fixed numbers of replications.
replications <- read.csv(file.path(commandArgs(trailingOnly = TRUE)[1], "replications.csv"))
x <- replications$lines
y <- replications$weighted_deaths
truth <- sum(x) / sum(y)
target <- 0.2
most <- 3000
n <- seq_len(most)
quantiles <- c(NA, qt(0.975, n[-1] - 1))
set.seed(1)

# Returns the mean, the reach of its logarithmic interval and the half-width after each number of the replications `drawn`.
estimates <- function(drawn) {
  x <- x[drawn]
  y <- y[drawn]
  X <- cumsum(x)
  Y <- cumsum(y)
  squares <- cumsum(y^2) * (n / Y)^2 + cumsum(x^2) * (n / X)^2 - 2 * cumsum(x * y) * n^2 / (X * Y)
  reach <- quantiles * sqrt(pmax(squares, 0) / (n - 1) / n)
  list(mean = X / Y, reach = reach, width = sinh(reach))
}
minimum <- c(20, 50, 100)
fixed <- c(20, 100, 200)
samples <- replicate(20000, {
  found <- estimates(sample(length(x), most, replace = TRUE))
  stops <- vapply(minimum, \(least) which(n >= least & found$width <= target)[1], 1)
  at <- c(stops, fixed)
  rbind(at, found$mean[at] / truth, abs(log(found$mean[at] / truth)) <= found$reach[at])
})
rows <- data.frame(
  rule = c(paste("at least", minimum), paste("exactly", fixed)),
  covered = 100 * rowMeans(samples[3, , ]),
  quantile_99.5 = apply(samples[2, , ], 1, quantile, 0.995),
  replications = rowMeans(samples[1, , ])
)
print(rows, digits = 3, row.names = FALSE)
