# Random numbers of the engine (src/core/rng.rs), so that a bootstrap of the same games gives the
# same interval in R and in the engine. The generator is xoshiro256++ (Blackman & Vigna), seeded by
# SplitMix64 (Steele et al. 2014). A 64-bit word is a list of four integer vectors of 16 bits,
# lowest bits first, with one element per stream.

word <- function(hex) {
  digits <- sub("^0x", "", hex)
  digits <- paste0(strrep("0", pmax(0, 16 - nchar(digits))), digits)
  map(c(13, 9, 5, 1), \(from) strtoi(substr(digits, from, from + 3), 16L))
}

word_xor <- function(a, b) map2(a, b, bitwXor)

word_add <- function(a, b) {
  carry <- 0L
  for (i in 1:4) {
    sum <- a[[i]] + b[[i]] + carry
    carry <- bitwShiftR(sum, 16L)
    a[[i]] <- bitwAnd(sum, 65535L)
  }
  a
}

# Multiplies two words. Products of 16-bit parts are exact as doubles.
word_multiply <- function(a, b) {
  carry <- 0
  map(1:4, \(i) {
    sum <- carry + Reduce(`+`, map(seq_len(i), \(j) as.numeric(a[[j]]) * b[[i + 1 - j]]))
    carry <<- floor(sum / 65536)
    as.integer(sum %% 65536)
  })
}

word_left <- function(a, by, around = FALSE) {
  limbs <- by %/% 16
  bits <- by %% 16
  none <- integer(length(a[[1]]))
  at <- \(i) if (i >= 1) a[[i]] else if (around) a[[i + 4]] else none
  map(1:4, \(i) bitwAnd(bitwOr(bitwShiftL(at(i - limbs), bits), bitwShiftR(at(i - limbs - 1), 16L - bits)), 65535L))
}

word_right <- function(a, by) {
  limbs <- by %/% 16
  bits <- by %% 16
  none <- integer(length(a[[1]]))
  at <- \(i) if (i <= 4) a[[i]] else none
  map(1:4, \(i) bitwAnd(bitwOr(bitwShiftR(at(i + limbs), bits), bitwShiftL(at(i + limbs + 1), 16L - bits)), 65535L))
}

golden <- "9e3779b97f4a7c15"

# Computes one step of SplitMix64 from a state; `unmix()` is its inverse.
mix <- function(value) {
  z <- word_add(value, word(golden))
  z <- word_multiply(word_xor(z, word_right(z, 30)), word("bf58476d1ce4e5b9"))
  z <- word_multiply(word_xor(z, word_right(z, 27)), word("94d049bb133111eb"))
  word_xor(z, word_right(z, 31))
}

unmix <- function(z) {
  unshift <- \(z, by) Reduce(\(so_far, i) word_xor(z, word_right(so_far, by)), seq_len(64 %/% by), z)
  z <- word_multiply(unshift(z, 31), word("319642b2d24d8ec3"))
  z <- word_multiply(unshift(z, 27), word("96de1b173f119089"))
  word_add(unshift(z, 30), word("61c8864680b583eb")) # minus the golden constant
}

# Returns the seed of the run to which `games` belong, from the number and the `stream_seed` of the
# first game. A stream is mixed from the run's seed, the purpose (1: pieces) and the number of the
# game, and each step of the mixing is invertible.
run_seed <- function(games) {
  if (!all(c("game", "stream_seed") %in% names(games)) || nrow(games) == 0 || is.na(games$stream_seed[1])) return(1)
  number <- games$game[1]
  index <- map(0:3, \(i) as.integer((number %/% 65536^i) %% 65536))
  unmix(word_xor(unmix(word_xor(unmix(word(games$stream_seed[1])), index)), word("1")))
}

# Advances the generator of all streams by one step; returns list(state, output).
xoshiro_step <- function(s) {
  output <- word_add(word_left(word_add(s[[1]], s[[4]]), 23, around = TRUE), s[[1]])
  shifted <- word_left(s[[2]], 17)
  s[[3]] <- word_xor(s[[3]], s[[1]])
  s[[4]] <- word_xor(s[[4]], s[[2]])
  s[[2]] <- word_xor(s[[2]], s[[3]])
  s[[1]] <- word_xor(s[[1]], s[[4]])
  s[[3]] <- word_xor(s[[3]], shifted)
  s[[4]] <- word_left(s[[4]], 45, around = TRUE)
  list(state = s, output = output)
}

# Converts states to columns of 256 bits; `bits_state()` is the inverse.
state_bits <- function(s) do.call(rbind, unlist(map(s, \(word) map(word, \(limb) t(outer(limb, 0:15, \(x, bit) bitwAnd(bitwShiftR(x, bit), 1L))))), recursive = FALSE))

bits_state <- function(bits) map(0:3, \(w) map(0:3, \(limb) as.integer(colSums(bits[64 * w + 16 * limb + 1:16, , drop = FALSE] * 2^(0:15)))))

# Returns the matrix over GF(2) of 2^k steps, which is computed once.
jump_matrix <- local({
  kept <- list()
  function(k) {
    while (length(kept) <= k) {
      kept[[length(kept) + 1]] <<- if (length(kept) == 0) state_bits(xoshiro_step(bits_state(diag(256)))$state) else {
        last <- kept[[length(kept)]]
        (last %*% last) %% 2
      }
    }
    kept[[k + 1]]
  }
})

# Returns the first `n` numbers below `bound` of the stream that the engine's bootstraps use for a run's seed (Lemire
# 2019, multiply and reject). Consecutive parts of the stream are computed in parallel; a jump finds the start of each
# part.
bootstrap_draws <- function(seed, n, bound) {
  if (is.numeric(seed)) seed <- map(0:3, \(i) as.integer((seed %/% 65536^i) %% 65536))
  stream <- mix(mix(word_xor(mix(seed), word("2")))) # purpose 2: resampling; index 0
  start <- list()
  for (i in 1:4) {
    start[[i]] <- mix(stream)
    stream <- word_add(stream, word(golden))
  }
  k <- max(6, round(log2(1.3 * sqrt(n))))
  bits <- state_bits(start)
  while (2^k * ncol(bits) < n + 64) bits <- cbind(bits, (jump_matrix(k + log2(ncol(bits))) %*% bits) %% 2)
  state <- bits_state(bits)
  drawn <- matrix(0, 2^k, ncol(bits))
  low <- drawn
  for (step in seq_len(2^k)) {
    done <- xoshiro_step(state)
    state <- done$state
    product <- (65536 * done$output[[4]] + done$output[[3]]) * bound # below 2^53 for bounds below 2^21
    drawn[step, ] <- floor(product / 2^32)
    low[step, ] <- product %% 2^32
  }
  taken <- low >= bound | low >= 2^32 %% bound
  drawn[taken][seq_len(n)]
}
