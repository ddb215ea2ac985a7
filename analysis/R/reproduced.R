# Results of `tetrastat study` with published values: means of tetrastat and published numbers. The unit is a
# condition. It has one row per published number, or one row if there is none.

# Returns the path of a reproduction's table: in its folder, or `path` itself if it is a file.
reproduced_file <- function(path) {
  if (!file.exists(path)) fail("no folder or file ", path, "; create one: tetrastat study reproduce:lee --quick --out ", path)
  if (!dir.exists(path)) return(path)
  file <- table_file(path, "reproduced")
  if (is.na(file)) fail("no reproduced.csv in ", path, "; use a study with published values, such as tetrastat study reproduce:lee")
  file
}

# Reads a study with published values, or its reproduced.csv (see read_tetrastat()). `rows` has the first
# measure of the table. `kind` is "open" if no game finished, "certain" if all games are equal, else "mean".
read_reproduction <- function(path) {
  file <- reproduced_file(path)
  rows <- one_measure(check_columns(read_csv_typed(file, shipped_book(), "reproduced"), "reproduced", file))
  measured <- measured_means(rows)
  if (nrow(measured) == 0) fail(file, " has no complete condition; run the study to completion")
  structure(list(dir = if (dir.exists(path)) path, rows = rows, measured = measured, published = add_verdicts(published_numbers(rows))),
      class = "tetrastat_reproduction")
}

# Returns the rows of the first measure of a table, since lines, pieces and points have no common
# axis.
one_measure <- function(rows) {
  if (!"measure" %in% names(rows)) return(rows)
  filter(rows, as.character(.data$measure) == as.character(.data$measure[1]))
}

# Returns half of the last digit that a published number states: 3,800 stands for 3,750 to 3,850.
half_digit <- function(value) {
  digits <- map_int(value, \(x) {
    if (is.na(x) || x == 0) return(NA_integer_)
    text <- sub("0+$", "", sub("[.]", "", format(abs(x), scientific = FALSE, digits = 15, trim = TRUE)))
    max(2L, nchar(sub("^0+", "", text))) # a single digit before zeros counts as two: 100 is read as 1.0 x 10^2
  })
  10^(floor(log10(abs(value))) - digits + 1) / 2
}

# Adds verdicts that allow for rounding and for the number of comparisons. The p-value of a ratio is
# that of its logarithm, whose standard error follows from the 95 % interval. Rounding allows the
# published number to be anywhere within half of its last digit.
add_verdicts <- function(published) {
  half <- half_digit(published$value)
  nearest <- with(published, {
    slack <- c(log1p(half / value))
    pmax(0, abs(log(ratio)) - slack)
  })
  error <- with(published, (log(ratio_high) - log(ratio_low)) / (2 * qnorm(0.975)))
  p <- 2 * pnorm(-nearest / error)
  adjusted <- p.adjust(p, "holm")
  judge <- \(p) case_when(is.na(p) ~ published$verdict, p > 0.05 ~ "agrees", TRUE ~ published$verdict)
  mutate(published, p = .env$p, p_adjusted = .env$adjusted, verdict_rounded = judge(.env$p), verdict_adjusted = judge(.env$adjusted))
}

# Returns one row per complete condition: table and name (factors in file order), settings, games,
# ended, mean, low, high, total lines, censored games, and `kind`: "open" if no game finished (`low`
# is then a one-sided bound), "certain" if all games are equal (no interval), else "mean".
measured_means <- function(rows) {
  rows |>
    mutate(table = factor(.data$table, unique(.data$table)), name = factor(.data$name, unique(.data$name))) |>
    distinct(.data$name, .keep_all = TRUE) |>
    filter(!is.na(.data$games)) |>
    transmute(.data$table, .data$name, .data$folder, .data$controller, .data$queue, .data$search,
              .data$games, .data$ended, censored = .data$games - .data$ended,
              .data$mean, .data$low, .data$high,
              lines = if_else(.data$ended > 0, .data$mean * .data$ended, .data$low * -log(0.05)),
              kind = case_when(.data$ended == 0 ~ "open", is.na(.data$low) ~ "certain", TRUE ~ "mean"))
}

# Returns each published number of a complete condition: table, name, source, kind, value, low,
# high, games, ratio with its interval, verdict. `bounds` is the origin of low and high: "stated" by
# the source; "implied" by its number of games for exponential lines (2 n mean / chi-square with 2 n
# degrees of freedom); or "none".
published_numbers <- function(rows) {
  rows |>
    mutate(table = factor(.data$table, unique(.data$table)), name = factor(.data$name, unique(.data$name))) |>
    filter(!is.na(.data$source), !is.na(.data$games)) |>
    transmute(.data$table, .data$name, .data$source, kind = as.character(.data$kind), value = .data$published,
              bounds = case_when(!is.na(.data$published_low) | !is.na(.data$published_high) ~ "stated",
                  !is.na(.data$published_games) & !is.na(.data$published) ~ "implied", TRUE ~ "none"),
              low = if_else(.data$bounds == "implied", implied_end(.data$value, .data$published_games, 0.975), .data$published_low),
              high = if_else(.data$bounds == "implied", implied_end(.data$value, .data$published_games, 0.025), .data$published_high),
              games = .data$published_games, .data$ratio, .data$ratio_low, .data$ratio_high,
              verdict = as.character(.data$verdict))
}

# Returns a limit of the exact interval of an exponential mean of `games` finished games.
implied_end <- function(mean, games, probability) {
  games <- coalesce(games, 1)
  2 * games * mean / qchisq(probability, 2 * games)
}

# Returns the ratios of tetrastat to published numbers as the ratio figure shows them: `ratio`,
# `low`, `high`, and `of`. `of` is "number" (the interval of the table) or "range" (tetrastat's mean
# over both ends of the range; its lower bound if no game finished).
comparisons <- function(reproduction) {
  ours <- select(reproduction$measured, "name", mean_here = "mean", low_here = "low", kind_here = "kind")
  reproduction$published |>
    inner_join(ours, by = "name") |>
    mutate(of = if_else(is.na(.data$value), "range", "number"), here = coalesce(.data$mean_here, .data$low_here),
           open = .data$kind_here == "open",
           over_low = if_else(.data$open, NA_real_, .data$here / .data$low), over_high = .data$here / .data$high) |>
    transmute(.data$table, .data$name, .data$source, .data$kind, .data$verdict, .data$of, .data$open, .data$ratio,
              after_all = coalesce(.data$verdict_adjusted == "agrees" & .data$verdict != "agrees", FALSE),
              low = if_else(.data$of == "range", .data$over_high, .data$ratio_low),
              high = if_else(.data$of == "range", .data$over_low, .data$ratio_high))
}

# Counts comparisons by verdict (in the order of the code book).
verdict_counts <- function(published) {
  count(published, verdict = factor(.data$verdict, known_levels$verdict), .drop = FALSE) |> filter(!is.na(.data$verdict))
}

# Formats counts as "19 agree, 6 lower, 4 higher, 8 open".
verdict_words_of <- function(counts) paste(counts$n, sub("agrees", "agree", counts$verdict), collapse = ", ")

# Returns the runs of a reproduction's folder, each with its `table`.
reproduction_runs <- function(reproduction) {
  measured <- reproduction$measured
  dirs <- set_names(file.path(reproduction$dir, measured$folder), measured$name)
  Map(\(dir, table) c(read_run(dir, max_rows = 0), table = table) |> structure(class = c("tetrastat_run")), dirs, as.character(measured$table))
}

# Returns one formatted row per comparison, and per condition without a comparison.
reproduction_table <- function(reproduction) {
  here <- transmute(reproduction$measured, .data$table, .data$name, `mean lines (95 % CI)` = mean_words(reproduction$measured),
      games = tidy_number(.data$games), ended = tidy_number(.data$ended))
  of_each <- transmute(reproduction$published, .data$name, .data$source, published = published_words(reproduction$published),
      kind = .data$kind, `ratio (95 % CI)` = ratio_words(.data$ratio, .data$ratio_low, .data$ratio_high), verdict = .data$verdict)
  left_join(here, of_each, by = "name") |>
    mutate(across(c("source", "published", "kind", "ratio (95 % CI)", "verdict"), \(x) coalesce(x, "-")))
}

# Formats numbers of lines; from a million on in millions.
lines_words <- function(x) {
  text <- if_else(coalesce(abs(x) >= 1e6 & is.finite(x), FALSE), paste(formatC(signif(x / 1e6, 3), digits = 3, format = "fg", big.mark = ","), "M"), tidy_number(x))
  trimws(gsub(" +", " ", text))
}

# Formats a mean: "5,236 (4,891 to 5,618)", "above 10.7 M" or "11, always".
mean_words <- function(measured) {
  ends <- paste0(" (", lines_words(measured$low), " to ", lines_words(measured$high), ")")
  case_when(measured$kind == "open" ~ paste("above", lines_words(measured$low)),
            measured$kind == "certain" ~ paste0(lines_words(measured$mean), ", always"),
            TRUE ~ paste0(lines_words(measured$mean), ends))
}

# Formats a published number: "35 M (28 M to 42 M)", "3,800" or "100,000 to 660,000".
published_words <- function(published) {
  range <- paste(lines_words(published$low), "to", lines_words(published$high))
  case_when(is.na(published$value) ~ range,
            published$bounds == "stated" ~ paste0(lines_words(published$value), " (", range, ")"),
            TRUE ~ lines_words(published$value))
}

# Formats a factor with two decimals, with one from ten on, or with two digits if it is small.
factor_words <- function(x) {
  if (is.na(x) || is.infinite(x) || abs(x) >= 100 || x == 1) return(lines_words(x))
  if (abs(x) < 0.095) formatC(x, digits = 2, format = "g") else formatC(x, digits = if (abs(x) < 10) 2 else 1, format = "f")
}

# Formats a ratio: "0.97 (0.90 to 1.04)", "above 0.31" or "below 0.50"; "-" if everything is
# unknown.
ratio_words <- function(ratio, low, high) {
  number <- \(x) map_chr(x, factor_words)
  ends <- paste0(" (", number(low), " to ", number(high), ")")
  case_when(!is.na(ratio) ~ paste0(number(ratio), if_else(is.na(low), "", ends)),
            !is.na(low) & (is.na(high) | is.infinite(high)) ~ paste("above", number(low)),
            !is.na(high) & low == 0 ~ paste("below", number(high)), TRUE ~ "-")
}
