# Functions that other files use while they are loaded; R loads the files in alphabetical order.

# Returns a method that returns `what` of its object, and accepts no further argument. Generics name
# their object `x` or `object`.
method_of_x <- function(what) function(x, ...) {
  rlang::check_dots_empty()
  what(x)
}
method_of_object <- function(what) function(object, ...) {
  rlang::check_dots_empty()
  what(object)
}
