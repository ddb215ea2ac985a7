# The table "ladder": four controllers x queue x search, each varied alone, with the projections of
# the strategy guide.

# Queue and search of each step, in the order of the figure.
ladder_steps <- c("uniform greedy" = "uniform,\ngreedy", "bag greedy" = "7-bag,\ngreedy",
                  "uniform next" = "uniform,\nnext", "bag next" = "7-bag,\nnext")

ladder_change_words <- c(queue = "7-bag instead of uniform", search = "next instead of greedy",
                         both = "both changes at once", controller = "other controller")

# Returns the conditions of the table "ladder" with controller (a factor in file order) and step (a
# factor); no row if this table was not played.
ladder_conditions <- function(measured) {
  filter(measured, .data$table == "ladder") |>
    mutate(controller = factor(.data$controller, unique(.data$controller)),
           step = factor(paste(.data$queue, .data$search), names(ladder_steps)))
}

# Returns the published numbers of these conditions: controller, step and the columns of
# `published_numbers()`.
ladder_published <- function(conditions, published) {
  inner_join(select(conditions, "name", "controller", "step"), select(published, -"table"), by = "name")
}

# Returns one row per pair of conditions that differ in one setting only, or, as in the guide, in
# queue and search. Columns: change; from, to; with (the common settings); the ratio of means to /
# from with its 95 % interval; projected_low and projected_high (the guide's projection of this
# change; NA if there is none).
ladder_changes <- function(conditions, published) {
  first <- levels(conditions$controller)[1]
  pairs <- expand_grid(rename_with(conditions, \(name) paste0(name, "_0")), conditions)
  same <- \(name) pairs[[name]] == pairs[[paste0(name, "_0")]]
  change <- case_when(
    same("controller") & same("search") & pairs$queue_0 == "uniform" & pairs$queue == "bag" ~ "queue",
    same("controller") & same("queue") & pairs$search_0 == "greedy" & pairs$search == "next" ~ "search",
    same("controller") & pairs$step_0 == "uniform greedy" & pairs$step == "bag next" ~ "both",
    same("queue") & same("search") & pairs$controller_0 == first & pairs$controller != first ~ "controller")
  pairs <- mutate(pairs, change = factor(change, names(ladder_change_words))) |> filter(!is.na(.data$change)) |>
    arrange(.data$change, .data$controller, .data$step)
  ratio <- with(pairs, exponential_ratio(lines, ended, censored, lines_0, ended_0, censored_0))
  bind_cols(change_words(pairs), ratio) |> left_join(projected_changes(pairs, published), by = c("name_0", "name"))
}

# Describes the change of each pair.
change_words <- function(pairs) {
  pick <- \(queue, search, both, controller) case_when(pairs$change == "queue" ~ queue, pairs$change == "search" ~ search,
      pairs$change == "both" ~ both, TRUE ~ controller)
  with(pairs, {
    step_0 <- paste0(queue_0, ", ", search_0)
    step <- paste0(queue, ", ", search)
    tibble(change, name_0 = as.character(name_0), name = as.character(name),
           from = pick(queue_0, search_0, step_0, as.character(controller_0)),
           to = pick(queue, search, step, as.character(controller)),
           with = pick(paste0(controller, ", ", search), paste0(controller, ", ", queue), as.character(controller), step))
  })
}

# Returns the factors that the guide's projections imply, for pairs with a projection of both
# conditions.
projected_changes <- function(pairs, published) {
  ends <- filter(published, .data$kind == "projected") |>
    transmute(.data$name, low = coalesce(.data$value, .data$low), high = coalesce(.data$value, .data$high)) |>
    group_by(.data$name) |> summarise(low = min(.data$low), high = max(.data$high))
  select(pairs, "name_0", "name") |>
    mutate(across(everything(), as.character)) |>
    inner_join(mutate(ends, name = as.character(.data$name)), by = "name") |>
    inner_join(mutate(ends, name_0 = as.character(.data$name), name = NULL), by = "name_0", suffix = c("", "_of")) |>
    transmute(.data$name_0, .data$name, projected_low = .data$low / .data$high_of, projected_high = .data$high / .data$low_of)
}
