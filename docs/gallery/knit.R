# Computes a page of the gallery from the games of two seeds: `Rscript docs/gallery/knit.R NAME FOLDER FOLDER`.
# The page sees the folders as `first` and `second`.
source("analysis/load.R")
load_analysis("analysis")
suppressPackageStartupMessages(library(dplyr))
library(ggplot2)
theme_set(tetrastat:::theme_tetrastat() + theme(legend.text = element_text(margin = margin(l = 4, r = 12))))
options(ggplot2.discrete.colour = tetrastat:::palette_runs, ggplot2.discrete.fill = tetrastat:::palette_runs)
arguments <- commandArgs(trailingOnly = TRUE)
name <- arguments[1]
first <- arguments[2]
second <- arguments[3]
# Pools a contrast of both seeds, which have equally many games: the geometric mean of the ratios, with a 95 % interval.
pool <- function(found, again) {
  bind_rows(found, again) |>
    group_by(contrast, levels, within) |>
    summarise(log_error = sqrt(sum(log_error^2)) / n(), ratio = exp(mean(log(ratio))), .groups = "drop") |>
    mutate(low = ratio * exp(qnorm(0.025) * log_error), high = ratio * exp(qnorm(0.975) * log_error))
}
setwd("docs/gallery")
knitr::opts_chunk$set(
  comment = "#>", message = FALSE, warning = FALSE, error = FALSE, echo = FALSE, dev = "svglite",
  fig.path = paste0("pictures/", name, "-"), fig.width = 8, fig.height = 4.5
)
# knitr writes a figure with a description as HTML, which the site does not resolve.
as_markdown <- function(text) gsub('<img src="([^"]+)" alt="([^"]+)"[^>]*>', "![\\2](\\1)", text)
page <- as_markdown(readLines(knitr::knit(paste0(name, ".Rmd"), paste0(name, ".md"), quiet = TRUE, envir = new.env())))
writeLines(page[!(page == "" & c("", head(page, -1)) == "")], paste0(name, ".md"))
