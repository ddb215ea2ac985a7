// The Overview: what was played, and the results.
"use strict";

const interval = (found) => (typeof found?.low === "number" ? `${shown(found.low)} to ${found.high === null ? "∞" : shown(found.high)}` : "unknown");
const columnOf = (table, name) => {
  const place = table ? table.columns.findIndex((column) => column.name === name) : -1;
  return place < 0 ? null : table.data[place];
};
const namedTable = (page, name) => page.tables.find((table) => table.name === name);

const factsOf = (page) =>
  el("div", { class: "facts" }, page.facts.map(([group, facts]) =>
    el("section", {}, el("h2", { text: group }), tableOf([{ name: "" }, { name: "" }], facts, { caption: group }))));

// Shows each warning once, with the names of those that it is about unless it is about all.
const warningsOf = (warnings, names) => {
  const about = new Map();
  for (const warning of warnings) {
    const name = names.find((one) => warning.startsWith(`${one}: `)) ?? "";
    const text = name ? warning.slice(name.length + 2) : warning;
    about.set(text, [...(about.get(text) ?? []), name]);
  }
  return [...about].map(([text, those]) => el("p", { class: "quiet", text: those.length === names.length ? text : `${those.join(", ")}: ${text}` }));
};

// Shows means, survival and values of games, and pairwise comparisons.
// With `means`, conditions were estimated as well, and another table compares all of them.
const outcomeOf = ({ measure, total, conditions, comparison, warnings, per_game }, means) => {
  const unit = measure.unit === "-" ? "" : ` (${measure.unit})`;
  const place = new Map(conditions.map((condition, index) => [condition.name, index]));
  const parts = [means ? el("h2", { text: "Games of the played conditions" }) : null, el("p", { class: "quiet", text: `${measure.name}: ${measure.meaning}` })].filter(Boolean);
  const isOne = conditions.length === 1;
  if (!means) {
    // Rank and name are not informative for a single condition.
    const heads = [{ name: "rank", number: true, of: (one) => one.rank, many: true }, { name: "controller", of: (one) => one.controller, many: true }, { name: "games", number: true, of: (one) => one.n },
      { name: "censored", number: true, of: (one) => one.censored, title: "games that a limit cut off" }, { name: `mean ${measure.name}`, number: true, of: (one) => one.mean }, { name: "95 % CI", of: interval },
      { name: "method", of: (one) => one.method }, { name: "median", number: true, of: (one) => one.median.mean }, { name: "SD", number: true, of: (one) => one.spread?.sd }].filter((column) => !(isOne && column.many));
    parts.push(tableOf(heads, comparison.controllers.map((one) => heads.map((column) => column.of(one))), { caption: "means" }));
    parts.push(...warningsOf(warnings, comparison.controllers.map((one) => one.controller)));
    if (conditions.length > 1) {
      const spans = comparison.controllers.map((one) => ({ name: one.controller, value: one.mean, low: one.low, high: one.high, words: interval(one), colour: place.get(one.controller) }));
      const wide = Math.max(...spans.map((span) => span.value ?? 0)) > 20 * Math.min(...spans.map((span) => span.value ?? Infinity));
      parts.unshift(forest({ title: `Mean ${measure.name}${unit}`, rows: spans, log: wide }));
      const verdict = (pair) => (pair.p_adjusted === null ? "not tested" : pair.differ ? `${pair.first} is better` : "not significant");
      parts.push(el("h2", { text: "Pairwise comparison" }), tableOf(
        [{ name: "first" }, { name: "second" }, { name: "verdict" }, { name: "ratio", number: true }, { name: "95 % CI" }, { name: "difference", number: true }, { name: "95 % CI" }, { name: "adjusted p", number: true }],
        comparison.pairs.map((pair) => [pair.first, pair.second, verdict(pair), pair.ratio.mean, interval(pair.ratio), pair.difference.mean, interval(pair.difference), pValue(pair.p_adjusted)]), { caption: "pairs", wraps: true }),
      el("p", { class: "quiet", text: "Games have common seeds. p is adjusted for all pairs (Holm); a verdict is significant at 0.05." }));
    }
  }
  if (per_game.length) {
    const many = isOne ? [{ name: "mean per game" }] : conditions.map((condition) => ({ name: condition.name }));
    const spread = (found) => (typeof found?.low === "number" ? ` (${interval(found)})${found.method === "gamma" ? " *" : ""}` : "");
    const kinds = ["without rows", "single", "double", "triple"];
    const clear = (name) => name.replace(/^(t_spin|mini)_(\d)$/, (_, spin, rows) => `${spin === "mini" ? "mini T-spin" : "T-spin"} ${kinds[rows]}`);
    parts.push(el("h2", { text: "Means per game" }), tableOf([{ name: "value" }, ...many],
      per_game.map((row) => [clear(row.name), ...row.means.map((found) => `${shown(found?.mean ?? null)}${spread(found)}`)]), { caption: "means per game", wraps: true }),
    el("p", { class: "quiet", text: "95 % intervals of means per game: Student's t; *: gamma (rare events, Fay and Feuer 1997; for single events the exact Poisson interval)" }));
  }
  if (total && conditions.some((condition) => condition.survival.length > 1)) {
    const lines = conditions.map((condition, index) => {
      const begins = { value: 0, share: 1, low: null, high: null };
      const steps = condition.survival[0]?.value > 0 ? [begins, ...condition.survival] : condition.survival;
      return { name: condition.name, x: steps.map((step) => step.value), y: steps.map((step) => step.share), step: true, colour: colour(index),
        ...(conditions.length <= 3 ? { low: steps.map((step) => step.low), high: steps.map((step) => step.high) } : {}) };
    });
    const cut = conditions.reduce((sum, condition) => sum + condition.survival.reduce((n, step) => n + step.censored, 0), 0);
    parts.push(lineChart({ title: `Survival: share of games that last longer, by ${measure.name}`, lines, x: { label: measure.name }, y: { label: "share of games", share: true, range: [0, 1] },
      caption: `Kaplan-Meier${conditions.length <= 3 ? ", with 95 % intervals" : ""}; ${cut === 0 ? "every game ended" : `${shown(cut)} games are censored`}.` }));
  }
  const isSpread = ({ values }) => values.some((value) => value !== values[0]);
  const lines = conditions.filter(isSpread).map((condition) => {
    const sorted = Float64Array.from(condition.values).sort();
    return { name: condition.name, x: Array.from(sorted).filter((value, i) => sorted[i + 1] !== value), colour: colour(place.get(condition.name)), step: true,
      y: Array.from(sorted).map((_, i) => (i + 1) / sorted.length).filter((_, i) => sorted[i + 1] !== sorted[i]) };
  });
  const thin = Math.max(1, ...conditions.map((condition) => condition.step));
  if (lines.length) parts.push(lineChart({ title: `Distribution of ${measure.name}: share of games with at most this value`, lines, x: { label: measure.name }, y: { label: "share of games", share: true, range: [0, 1] },
    caption: `Values as observed; censored games count with what they reached${thin > 1 ? `; one game of ${thin}` : ""}.` }));
  return parts;
};

// Shows the means of all conditions, played and estimated, and the ratios of all pairs of means.
const conditionsOf = (means, contrasts) => {
  const rowsOf = (table) => Array.from({ length: table.rows }, (_, row) => Object.fromEntries(table.columns.map((column, place) => [column.name, table.data[place][row]])));
  const rows = rowsOf(means).map((row) => ({ ...row, words: interval(row) }));
  const known = rows.map((row) => row.mean).filter((mean) => mean !== null);
  const figure = forest({ title: "Mean lines", log: Math.max(...known) > 20 * Math.min(...known), rows: rows.map((row) => ({ name: `${row.name} (${row.method})`, value: row.mean, low: row.low, high: row.high, words: row.words })) });
  const parts = [figure, el("p", { class: "quiet", text: "lines: mean lines of a game that is played to its end" }),
    tableOf([{ name: "condition" }, { name: "method", title: "splitting: estimated; others: played games" }, { name: "games or replications", number: true }, { name: "mean lines", number: true }, { name: "95 % CI" }],
      rows.map((row) => [row.name, row.method, row.n, row.mean, row.words]), { caption: "means" })];
  if (!contrasts) return parts;
  // The larger mean is the numerator, so that ratios are at least 1.
  const larger = ({ levels, ratio, low, high, p_adjusted }) => {
    const [one, other] = levels.split(" / ");
    return ratio !== null && ratio < 1 ? [`${other} / ${one}`, 1 / ratio, interval({ low: 1 / high, high: 1 / low }), pValue(p_adjusted)] : [levels, ratio, ratio === null ? "unknown" : interval({ low, high }), pValue(p_adjusted)];
  };
  return [...parts, el("h2", { text: "Pairwise comparison" }),
    tableOf([{ name: "conditions" }, { name: "ratio of means", number: true }, { name: "95 % CI" }, { name: "adjusted p", number: true }], rowsOf(contrasts).map(larger), { caption: "contrasts", wraps: true }),
    el("p", { class: "quiet", text: "p is adjusted for all pairs (Holm)." })];
};

// Shows the progress of a training.
const trainingOf = (page) => {
  const history = namedTable(page, "history"), report = page.report, parts = [];
  const held = report.summary?.held_out;
  if (held) parts.push(el("p", {}, el("strong", { text: `Held out: ${shown(held.value.mean)} (95 % CI ${interval(held.value)}), ` }), `on games that chose nothing. Objective: ${report.config.objective}.`));
  const x = columnOf(history, "generation");
  if (x && x.length > 1) {
    const line = (name, words, more = {}) => { const y = columnOf(history, name); return y && y.some((value) => value !== null) ? { name: words, x, y, ...more } : null; };
    const lines = [line("best", "best of the generation"), line("mean", "mean of the generation"), line("held_out", "check on other games", { points: true })].filter(Boolean);
    const positive = lines.every((one) => one.y.every((value) => value === null || value > 0));
    parts.push(lineChart({ title: "Learning curve", lines, x: { label: "generation" }, y: { label: `${report.config.objective}${positive ? " (log scale)" : ""}`, log: positive },
      caption: "The best candidate of a generation is chosen by these games, so that its value is too high; checks on other games are not." }));
    const names = history.columns.map((column) => column.name).filter((name) => name.startsWith("mean_"));
    const paths = names.map((name, place) => {
      const mean = columnOf(history, name), sd = columnOf(history, name.replace(/^mean_/, "sd_"));
      return { name: name.slice(5), x, y: mean, colour: colour(place), ...(sd ? { low: mean.map((m, i) => m - sd[i]), high: mean.map((m, i) => m + sd[i]) } : {}) };
    });
    if (paths.length) parts.push(lineChart({ title: "Search distribution of the weights", lines: paths, height: 340, x: { label: "generation" }, y: { label: "weight, scale of the search" }, caption: `Mean, and one standard deviation on either side, on the scale of the search: only ratios of weights matter.${page.weights ? " controller.toml has the same weights on another scale." : ""}` }));
  }
  if (page.weights) parts.push(el("h2", { text: "Weights of controller.toml" }), tableOf([{ name: "feature" }, { name: "weight", number: true }], page.weights.list, { caption: "weights" }), el("p", { class: "quiet", text: page.weights.note ?? "" }));
  return parts;
};

// Shows an estimate by each of its methods.
const estimateOf = (page) => {
  const report = page.report.summary ?? {}, parts = [];
  const ways = ["splitting", "direct", "histogram"].filter((name) => report[name]?.mean).map((name) => {
    const found = report[name];
    return { name: name === report.believe ? `${name} (recommended)` : name, value: found.mean, low: found.low, high: found.high, words: interval(found) };
  });
  parts.push(forest({ title: "Mean lines of a game", rows: ways, log: true, caption: report.disagree?.length ? `Outside of its interval: ${report.disagree.join(", ")}.` : "" }));
  const levels = report.levels ?? [];
  if (levels.length > 1) parts.push(lineChart({ title: "From level to level", lines: [{ name: "goes on to the next level", x: levels.map((level) => level.threshold), y: levels.map((level) => level.onward), points: true }],
    x: { label: "cells on the board" }, y: { label: "share of rises", share: true } }));
  const heights = namedTable(page, "heights"), x = columnOf(heights, "height");
  if (x) {
    const line = (name, words) => { const y = columnOf(heights, name)?.map((value) => (value > 0 ? value : null)); return y ? { name: words, x, y } : null; };
    parts.push(lineChart({ title: "Placements by stack height", lines: [line("main_share", "played"), line("weighted_share", "with splitting"), line("fahey_share", "Fahey's line")].filter(Boolean), x: { label: "height" }, y: { label: "share (log scale)", log: true } }));
  }
  return parts;
};

// Shows published numbers beside those of this reproduction.
const reproductionOf = (table) => {
  const get = (name) => columnOf(table, name);
  const rows = get("name").map((name, i) => ({ name, value: get("ratio")[i], low: get("ratio_low")[i], high: get("ratio_high")[i], words: `${interval({ low: get("ratio_low")[i], high: get("ratio_high")[i] })}: ${get("verdict")[i]}` }));
  return [forest({ title: "Mean here over the mean published", rows, log: true, mark: 1 })];
};

const overview = (page) => {
  const parts = [];
  const reproduced = namedTable(page, "reproduced");
  if (reproduced) parts.push(...reproductionOf(reproduced));
  const means = namedTable(page, "means");
  if (means) parts.push(...conditionsOf(means, namedTable(page, "contrasts")));
  const results = page.outcome ? outcomeOf(page.outcome, means) : [];
  const numbers = results.findIndex((part) => ["FIGURE", "H2"].includes(part.tagName));
  if (page.kind === "run" && page.games.length) parts.push(playingOf(page, results.splice(0, numbers < 0 ? results.length : numbers)));
  parts.push(...results);
  if (page.kind === "training") parts.push(...trainingOf(page));
  if (page.kind === "estimate") parts.push(...estimateOf(page));
  parts.push(factsOf(page));
  return el("div", {}, parts);
};
