# The guide's ladder of projections: four controllers x queue x search, each varied alone.

# Queue and search of a step, in the order of the figure.
ladder_steps <- c("uniform greedy" = "uniform,\ngreedy", "bag greedy" = "7-bag,\ngreedy",
                  "uniform next" = "uniform,\nnext", "bag next" = "7-bag,\nnext")

ladder_change_words <- c(queue = "7-bag, not uniform", search = "next piece, not greedy",
                         both = "both at once (the guide)", controller = "another controller")

# The conditions of the table "ladder" behind controller (a factor in file order) and step (a factor); none
# when that was not played.
ladder_conditions <- function(measured) {
  filter(measured, .data$table == "ladder") |>
    mutate(controller = factor(.data$controller, unique(.data$controller)),
           step = factor(paste(.data$queue, .data$search), names(ladder_steps)))
}

# What was published of these conditions: controller, step and the columns of `published_numbers`.
ladder_published <- function(conditions, published) {
  inner_join(select(conditions, "name", "controller", "step"), select(published, -"table"), by = "name")
}

# What each change brings: a row for each pair of conditions that differ in one setting only, and, since the guide
# changed these two together, in queue and search. change (which), from, to, with (the settings they share), ratio of means to / from with its 95 % interval, and the guide's
# projection of the same change (projected_low, projected_high; NA where it has none).
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

# The change of each pair in words.
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

# The factors that the guide's projections imply between the conditions of each pair that it has both of.
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
