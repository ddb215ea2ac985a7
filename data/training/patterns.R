# Rscript data/training/patterns.R DIR
#
# Draws the learning curve of a training by `tetrastat train td` in DIR: checks.csv has the mean lines of 10,000 held-out games
# after some numbers of placements, and history.csv the mean lines of the training's own games. Writes curve.png there.
#
# Needs ggplot2.

suppressPackageStartupMessages(library(ggplot2))

folder <- commandArgs(TRUE)[1]
checks <- read.csv(file.path(folder, "checks.csv"))
history <- read.csv(file.path(folder, "history.csv"))
history <- history[history$finished > 0, ]
kinds <- c("held-out games, best placements", "games of the training, with random placements")
plot <- ggplot() +
  geom_line(aes(placements / 1e6, mean_lines, colour = kinds[2]), history) +
  geom_line(aes(placements / 1e6, mean, colour = kinds[1]), checks) +
  geom_pointrange(aes(placements / 1e6, mean, ymin = low, ymax = high, colour = kinds[1]), checks, size = 0.2) +
  scale_colour_manual(NULL, values = setNames(c("#0072B2", "#999999"), kinds), limits = kinds) +
  scale_y_continuous(limits = c(0, NA)) +
  labs(x = "Placements (millions)", y = "Mean lines, 95 % interval", title = "S or Z by chance on 10x20: 4x4 windows by temporal differences") +
  theme_bw() +
  theme(legend.position = "bottom")
ggsave(file.path(folder, "curve.png"), plot, width = 7, height = 4.5, dpi = 150)
