// What was played and what came of it.
"use strict";

const interval = (found) => (found ? `${shown(found.low)} to ${found.high === null ? "∞" : shown(found.high)}` : "unknown");
const columnOf = (table, name) => {
  const place = table ? table.columns.findIndex((column) => column.name === name) : -1;
  return place < 0 ? null : table.data[place];
};
const namedTable = (page, name) => page.tables.find((table) => table.name === name);

const factsOf = (page) =>
  el("div", { class: "facts" }, page.facts.map(([group, facts]) =>
    el("section", {}, el("h2", { text: group }), tableOf([{ name: "" }, { name: "" }], facts, { caption: group }))));

// Means, survival and values of games, and who is better than whom.
const outcomeOf = ({ measure, total, conditions, comparison, warnings }) => {
  const unit = measure.unit === "-" ? "" : ` (${measure.unit})`;
  const place = new Map(conditions.map((condition, index) => [condition.name, index]));
  const parts = [el("p", { class: "quiet", text: `${measure.name}: ${measure.meaning}` })];
  parts.push(tableOf(
    [{ name: "rank", number: true }, { name: "who" }, { name: "games", number: true }, { name: "cut off", number: true },
      { name: `mean ${measure.name}`, number: true }, { name: "95 % interval" }, { name: "by" }, { name: "median", number: true }, { name: "SD / mean", number: true }],
    comparison.controllers.map((one) => [one.rank, one.controller, one.games, one.censored, one.mean, interval(one.interval), one.method, one.median, one.spread]),
    { caption: "means" }));
  for (const warning of warnings) parts.push(el("p", { class: "quiet", text: warning }));
  if (conditions.length > 1) {
    const spans = comparison.controllers.map((one) => ({ name: one.controller, value: one.mean, low: one.interval?.low, high: one.interval?.high, words: interval(one.interval), colour: place.get(one.controller) }));
    const wide = Math.max(...spans.map((span) => span.value ?? 0)) > 20 * Math.min(...spans.map((span) => span.value ?? Infinity));
    parts.push(forest({ title: `Mean ${measure.name}${unit}`, rows: spans, log: wide }));
    parts.push(el("h2", { text: "Who is better" }), tableOf(
      [{ name: "first" }, { name: "second" }, { name: "difference", number: true }, { name: "95 % interval" }, { name: "ratio", number: true }, { name: "95 % interval" }, { name: "p, adjusted" }, { name: "verdict" }],
      comparison.pairs.map((pair) => [pair.first, pair.second, pair.difference, interval(pair.difference_interval), pair.ratio, interval(pair.ratio_interval),
        pValue(pair.p_adjusted), pair.p_adjusted === null ? "not tested" : pair.differ ? `${pair.first} is better` : "not told apart"]), { caption: "pairs" }),
    el("p", { class: "quiet", text: "Common seeds; p by the test that decides, adjusted for all pairs (Holm); told apart at 0.05." }));
  }
  if (total && conditions.some((condition) => condition.survival.length > 1)) {
    const lines = conditions.map((condition, index) => {
      const begins = { value: 0, share: 1, interval: null };
      const steps = condition.survival[0]?.value > 0 ? [begins, ...condition.survival] : condition.survival;
      return { name: condition.name, x: steps.map((step) => step.value), y: steps.map((step) => step.share), step: true, colour: colour(index),
        ...(conditions.length <= 3 ? { low: steps.map((step) => step.interval?.low ?? null), high: steps.map((step) => step.interval?.high ?? null) } : {}) };
    });
    const cut = conditions.reduce((sum, condition) => sum + condition.survival.reduce((n, step) => n + step.censored, 0), 0);
    parts.push(lineChart({ title: `Games that go on beyond so many ${measure.name}`, lines, x: { label: measure.name }, y: { label: "share of games", share: true, range: [0, 1] },
      caption: `Kaplan-Meier${conditions.length <= 3 ? ", with 95 % intervals" : ""}; ${cut === 0 ? "every game ended" : `${shown(cut)} games were cut off`}.` }));
  }
  const lines = conditions.filter((condition) => condition.values.length > 1).map((condition) => {
    const sorted = Float64Array.from(condition.values).sort();
    return { name: condition.name, x: Array.from(sorted).filter((value, i) => sorted[i + 1] !== value), colour: colour(place.get(condition.name)), step: true,
      y: Array.from(sorted).map((_, i) => (i + 1) / sorted.length).filter((_, i) => sorted[i + 1] !== sorted[i]) };
  });
  const thin = Math.max(1, ...conditions.map((condition) => condition.step));
  if (lines.length) parts.push(lineChart({ title: `Games with at most so many ${measure.name}`, lines, x: { label: measure.name }, y: { label: "share of games", share: true, range: [0, 1] },
    caption: `As observed, games that were cut off at what they had${thin > 1 ? `; one game of ${thin}` : ""}.` }));
  return parts;
};

// The course of a training.
const trainingOf = (page) => {
  const history = namedTable(page, "history"), report = page.report, parts = [];
  const winner = report.winner, held = winner?.held_out;
  if (held) parts.push(el("p", {}, el("strong", { text: `Held out: ${shown(held.value)} (95 % ${held.interval ? `${shown(held.interval[0])} to ${shown(held.interval[1])}` : "unknown"}), ` }), `games that chose nothing, of the controller that was found. Objective: ${report.plan.objective}.`));
  const x = columnOf(history, "generation");
  if (x && x.length > 1) {
    const line = (name, words, more = {}) => { const y = columnOf(history, name); return y && y.some((value) => value !== null) ? { name: words, x, y, ...more } : null; };
    const lines = [line("best", "best of the generation"), line("mean", "mean of the generation"), line("held_out", "check on other games", { points: true })].filter(Boolean);
    const positive = lines.every((one) => one.y.every((value) => value === null || value > 0));
    parts.push(lineChart({ title: "Learning curve", lines, x: { label: "generation" }, y: { label: `${report.plan.objective}${positive ? " (log scale)" : ""}`, log: positive },
      caption: "The best of a generation is flattered by having won; checks are not." }));
    const names = history.columns.map((column) => column.name).filter((name) => name.startsWith("mean_"));
    const paths = names.map((name, place) => {
      const mean = columnOf(history, name), sd = columnOf(history, name.replace(/^mean_/, "sd_"));
      return { name: name.slice(5), x, y: mean, colour: colour(place), ...(sd ? { low: mean.map((m, i) => m - sd[i]), high: mean.map((m, i) => m + sd[i]) } : {}) };
    });
    if (paths.length) parts.push(lineChart({ title: "Weights that are drawn from", lines: paths, height: 340, x: { label: "generation" }, y: { label: "weight" }, caption: "Mean, and one standard deviation on either side." }));
  }
  const names = report.plan.features ?? report.plan.terms ?? [];
  if (winner?.weights && names.length === winner.weights.length) parts.push(el("h2", { text: "Weights found" }), tableOf([{ name: "feature" }, { name: "weight", number: true }], names.map((name, i) => [name, winner.weights[i]]), { caption: "weights" }));
  return parts;
};

// An estimate by each of its methods.
const estimateOf = (page) => {
  const { report } = page, parts = [];
  const ways = ["splitting", "direct", "histogram"].filter((name) => report[name]?.mean).map((name) => {
    const { mean, interval: found } = report[name];
    return { name: name === report.believe ? `${name} (believe this one)` : name, value: mean, low: found?.low, high: found?.high, words: interval(found) };
  });
  parts.push(forest({ title: "Mean lines of a game", rows: ways, log: true, caption: report.disagree?.length ? `Outside of the interval: ${report.disagree.join(", ")}.` : "" }));
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

// Published numbers beside those played here.
const reproductionOf = (table) => {
  const get = (name) => columnOf(table, name);
  const rows = get("name").map((name, i) => ({ name, value: get("ratio")[i], low: get("ratio_low")[i], high: get("ratio_high")[i], words: `${interval({ low: get("ratio_low")[i], high: get("ratio_high")[i] })}: ${get("verdict")[i]}` }));
  return [forest({ title: "Mean here over the mean published", rows, log: true, mark: 1 })];
};

const overview = (page) => {
  const parts = [];
  const reproduced = namedTable(page, "reproduced");
  if (reproduced) parts.push(...reproductionOf(reproduced));
  if (page.outcome) parts.push(...outcomeOf(page.outcome));
  if (page.kind === "training") parts.push(...trainingOf(page));
  if (page.kind === "estimate") parts.push(...estimateOf(page));
  parts.push(factsOf(page));
  return el("div", {}, parts);
};
