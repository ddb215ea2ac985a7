// Line charts by uPlot. Each is redrawn when colours or width change.
"use strict";

const charts = new Set();
const redraw = () => { for (const chart of charts) { if (chart.holder.isConnected) chart.draw(); else charts.delete(chart); } };
addEventListener("resize", () => { clearTimeout(redraw.waiting); redraw.waiting = setTimeout(redraw, 150); });

// Returns the ticks of a log axis: at most eight powers of ten, with 2 and 5 times each if few.
const logTicks = (min, max) => {
  const [from, to] = [Math.floor(Math.log10(min) + 1e-9), Math.ceil(Math.log10(max) - 1e-9)], every = Math.max(1, Math.ceil((to - from) / 8));
  const ticks = [];
  for (let power = from; power <= to; power += 1) {
    if ((power - from) % every) continue;
    for (const digit of to - from <= 2 ? [1, 2, 5] : [1]) ticks.push(Number(`${digit}e${power}`));
  }
  return ticks.filter((tick) => tick >= min * (1 - 1e-9) && tick <= max * (1 + 1e-9));
};
// Formats a tick of a log axis, for example as 1e-7 instead of 0.
const logTick = (tick) => (tick !== 0 && (Math.abs(tick) < 1e-3 || Math.abs(tick) >= 1e6) ? tick.toExponential().replace("e+", "e") : tick.toLocaleString("en", { maximumSignificantDigits: 3 }));

// Returns a chart of lines over a common axis.
// Each of `lines` is {name, x, y, low, high, colour, dash, points, step, breaks}.
// A line whose values are all the same is no chart, but a sentence.
const lineChart = ({ title, caption, lines, x, y, height = 280, label, cursorAt }) => {
  const different = new Set(lines.flatMap((line) => line.y.filter((value) => value !== null && value !== undefined)));
  if (different.size === 1 && !y.share) return el("figure", {}, el("strong", { text: title }), el("p", { text: `always ${shown([...different][0])}` }), caption ? el("figcaption", { text: caption }) : null);
  const holder = el("div", { role: "img", "aria-label": label ?? title });
  const figure = el("figure", {}, el("strong", { text: title }), holder, caption ? el("figcaption", { text: caption }) : null);
  let plot = null;
  const draw = () => {
    const width = Math.max(240, figure.clientWidth || 900);
    const parts = lines.map((line) => [line.x, line.y, ...(line.low ? [line.low, line.high] : [])]);
    const data = parts.length === 1 ? parts[0] : uPlot.join(parts);
    const told = (_, value) => (value === null || value === undefined ? "" : shown(value));
    const series = [{ label: x.label, value: told }], bands = [];
    for (const [place, line] of lines.entries()) {
      const stroke = line.colour ?? colour(place);
      const paths = line.points ? () => null : line.step ? uPlot.paths.stepped({ align: 1 }) : undefined;
      const style = { stroke, paths, spanGaps: !line.breaks, value: told };
      series.push({ ...style, label: line.name, width: 2, dash: line.dash ?? (place >= PALETTE.length ? [6, 3] : undefined),
        points: { show: Boolean(line.points), size: line.points ? (line.x.length < 100 ? 8 : 4) : 0, fill: stroke } });
      if (line.low) {
        const edge = { ...style, width: 0, points: { show: false } };
        series.push({ ...edge, label: `${line.name}, from` }, { ...edge, label: `${line.name}, to` });
        bands.push({ series: [series.length - 1, series.length - 2], fill: `${stroke}2b` });
      }
    }
    const axis = { stroke: css("--text"), grid: { stroke: css("--grid"), width: 1 }, ticks: { stroke: css("--line"), width: 1 }, font: "12px system-ui" };
    // Ticks that lie near each other need more digits than a value.
    const values = (_, ticks) => {
      const near = ticks.length > 1 && Math.abs(ticks[1] - ticks[0]) < 1;
      return ticks.map((tick) => (tick === null ? "" : near ? tick.toLocaleString("en", { maximumFractionDigits: 4 }) : shown(tick)));
    };
    // One grid line per label, instead of nine per power of ten.
    const logAxis = { splits: (_, axis, min, max) => logTicks(min, max), filter: (_, ticks) => ticks, values: (_, ticks) => ticks.map(logTick) };
    // Between whole numbers, such as generations and lines, a tick would have no meaning.
    const incrs = (axis) => (lines.every((line) => line[axis].every((value) => value === null || Number.isInteger(value))) ? { incrs: whole } : {});
    const whole = Array.from({ length: 13 }, (_, power) => [1, 2, 5].map((digit) => digit * 10 ** power)).flat();
    const options = {
      width, height, series, bands, legend: { live: true },
      cursor: { drag: { x: true, y: false } },
      scales: { x: { time: false, distr: x.log ? 3 : 1 }, y: { distr: y.log ? 3 : 1, range: y.range } },
      axes: [{ ...axis, label: x.label, labelFont: "12px system-ui", ...(x.log ? logAxis : { values, ...incrs("x") }) },
        { ...axis, label: y.label, labelFont: "12px system-ui", size: 64, ...(y.log ? logAxis : { values: y.share ? (_, ticks) => ticks.map(share) : values, ...incrs("y") }) }],
      hooks: { draw: cursorAt ? [(self) => {
        const at = self.valToPos(cursorAt(), "x", true);
        self.ctx.save();
        self.ctx.strokeStyle = css("--text");
        self.ctx.setLineDash([4, 4]);
        self.ctx.beginPath();
        self.ctx.moveTo(at, self.bbox.top);
        self.ctx.lineTo(at, self.bbox.top + self.bbox.height);
        self.ctx.stroke();
        self.ctx.restore();
      }] : [] },
    };
    plot?.destroy();
    holder.replaceChildren();
    plot = new uPlot(options, data, holder);
    // The edges of a band are hidden in the legend, since they are not lines of their own.
    const edges = bands.flatMap((band) => band.series);
    for (const [place, entry] of holder.querySelectorAll(".u-legend .u-series").entries()) if (edges.includes(place)) entry.style.display = "none";
  };
  charts.add({ holder, draw, get plot() { return plot; } });
  requestAnimationFrame(() => { if (holder.isConnected) draw(); });
  figure.redraw = () => plot?.redraw(false);
  return figure;
};

// Returns estimates with their intervals, one per row of {name, value, low, high, words}.
// A missing end is drawn as an arrow.
const forest = ({ title, caption, rows, log, mark }) => {
  const ends = rows.flatMap((row) => [row.value, row.low, row.high]).filter((value) => Number.isFinite(value) && (!log || value > 0));
  if (mark !== undefined) ends.push(mark);
  const at = log ? Math.log : (value) => value;
  const [least, most] = [Math.min(...ends), Math.max(...ends)].map(at);
  const place = (value) => 4 + (92 * (at(value) - least)) / (most - least || 1);
  const picture = (row, index) => {
    const [from, to] = [Number.isFinite(row.low) ? place(row.low) : 1, Number.isFinite(row.high) ? place(row.high) : 99];
    const stroke = colour(row.colour ?? index);
    // An interval without ends is unknown, so none is drawn.
    const known = Number.isFinite(row.low) || Number.isFinite(row.high);
    const parts = known ? [svg("line", { x1: from, x2: to, y1: 9, y2: 9, stroke, "stroke-width": 3, "vector-effect": "non-scaling-stroke" })] : [];
    if (mark !== undefined) parts.unshift(svg("line", { x1: place(mark), x2: place(mark), y1: 0, y2: 18, stroke: "var(--quiet)", "stroke-dasharray": "3 2", "vector-effect": "non-scaling-stroke" }));
    if (Number.isFinite(row.value)) parts.push(svg("rect", { x: place(row.value) - 0.6, y: 3, width: 1.2, height: 12, fill: stroke }));
    return svg("svg", { viewBox: "0 0 100 18", preserveAspectRatio: "none", width: "100%", height: 18, role: "presentation" }, ...parts);
  };
  const table = tableOf([{ name: "" }, { name: "estimate", number: true }, { name: "95 % CI" }, { name: log ? "(log scale)" : "" }],
    rows.map((row, index) => [row.name, row.value, row.words, el("div", { class: "span" }, picture(row, index))]), { caption: title });
  return el("figure", {}, el("strong", { text: title }), table, caption ? el("figcaption", { text: caption }) : null);
};
