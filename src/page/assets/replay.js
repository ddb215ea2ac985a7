// The Replay: a logged game, placement by placement.
"use strict";

const barOf = (value, widest) => {
  const bar = el("i");
  Object.assign(bar.style, { background: value < 0 ? "var(--bad)" : "var(--good)", width: `${(50 * Math.abs(value)) / widest}%`, [value < 0 ? "right" : "left"]: "50%" });
  return bar;
};

const bars = (terms) => {
  const widest = Math.max(1e-9, ...terms.map(({ value }) => Math.abs(value)));
  return el("div", { class: "terms" }, terms.flatMap(({ name, value, words }) => [
    el("span", { text: name }),
    gainBar(value, widest),
    el("span", { text: words ?? shown(value) }),
  ]));
};

// Draws a gain over the runner-up as a bar to the right of the middle, a loss to the left.
const gainBar = (gain, widest) => el("span", { class: "track" }, el("i", { class: "middle" }), barOf(gain, widest));

class Replay {
  constructor(page) {
    Object.assign(this, { page, game: page.games[0], at: 0, timer: null, feature: null });
    this.view = el("div", { tabindex: -1 });
    this.view.addEventListener("keydown", (event) => this.key(event));
    this.choose(0);
  }

  // Returns the value of a column at a placement.
  get(name, at = this.at) {
    const place = this.game.columns.findIndex((column) => column.name === name);
    return place < 0 ? null : this.game.data[place][at];
  }

  get length() { return this.game.data[0].length; }
  cells(at = this.at) { return cellsOf(this.game.data[this.game.columns.length][at]); }

  // Returns the rows of the board before a placement, or null if it was not logged.
  before(at = this.at) {
    const first = this.get("piece_no", at) === 1;
    if (first) return rowsOf(this.game.start ?? "0");
    if (this.game.rises) return this.undone(at);
    if (at === 0 || this.get("piece_no", at - 1) !== this.get("piece_no", at) - 1) return null;
    const hex = this.get("board", at - 1);
    return hex === null ? null : rowsOf(hex);
  }

  // Returns the rows of the board before a placement, from the board after it and the removed rows.
  undone(at) {
    const [hex, removed] = [this.get("board", at), this.get("cleared_rows", at)];
    if (hex === null || (removed === null && this.get("lines", at) > 0)) return null;
    const rows = rowsOf(hex);
    for (const row of (removed ?? "").split(";").filter(Boolean)) rows.splice(Number(row), 0, 2 ** this.game.board[0] - 1);
    for (const [x, y] of this.cells(at)) rows[y] &= ~(1 << x);
    return rows;
  }

  choose(place) {
    this.game = this.page.games[place];
    this.at = 0;
    const numeric = this.game.columns.filter((column) => ["integer", "count", "real"].includes(column.kind) && !["game", "piece_no"].includes(column.name));
    this.feature = numeric.some((column) => column.name === this.feature) ? this.feature : (numeric.find((column) => column.name === "holes") ?? numeric[0])?.name;
    const names = this.page.games.map((game) => `${game.condition ? `${game.condition}, ` : ""}game ${game.game}, ${game.label}: ${shown(game.pieces)} pieces`);
    const games = el("select", { "aria-label": "game", onchange: () => this.choose(games.selectedIndex) }, names.map((name, index) => el("option", { text: name, selected: index === place })));
    this.slider = el("input", { type: "range", min: 0, max: this.length - 1, value: 0, "aria-label": "placement", oninput: () => this.go(Number(this.slider.value)) });
    const features = el("select", { "aria-label": "what is drawn", onchange: () => { this.feature = features.value; this.drawCourse(); } }, numeric.map((column) => el("option", { value: column.name, text: column.name, title: column.meaning, selected: column.name === this.feature })));
    this.play = el("button", { type: "button", text: "play", "aria-pressed": "false", onclick: () => this.toggle() });
    const button = (text, label, act) => el("button", { type: "button", text, "aria-label": label, onclick: act });
    this.board = el("div");
    this.said = el("div", { "aria-live": "polite" });
    this.terms = el("div");
    this.course = el("div");
    this.view.replaceChildren(
      el("div", { class: "bar" }, games),
      this.length < this.game.pieces ? el("p", { class: "quiet", text: `Shown are ${shown(this.length)} of ${shown(this.game.pieces)} placements: the first ${shown(this.game.head)} and the end, or those that were logged.` }) : "",
      this.slider,
      el("div", { class: "bar" }, button("|◀", "first placement", () => this.go(0)), button("◀", "placement before", () => this.go(this.at - 1)), this.play,
        button("▶", "next placement", () => this.go(this.at + 1)), button("▶|", "last placement", () => this.go(this.length - 1)), ...this.jumps(button)),
      el("p", { class: "quiet", text: "Keys: left and right, Page Up and Page Down, Home and End, space to play." }),
      el("div", { class: "columns" }, this.board, el("div", {}, this.said, this.terms)),
      el("div", { class: "bar" }, el("label", {}, "in the course of the game: ", features)), this.course);
    this.go(0);
    this.drawCourse();
  }

  // Returns the buttons that jump to notable placements.
  jumps(button) {
    const places = (holds) => Array.from({ length: this.length }, (_, at) => at).filter(holds);
    const kinds = [
      ["tetris", places((at) => this.get("lines", at) === 4)],
      ["T-spin", places((at) => this.get("t_spin", at) !== null && this.get("t_spin", at) !== "none" && this.get("lines", at) > 0)],
    ];
    const buttons = kinds.filter(([, found]) => found.length).map(([name, found]) =>
      button(`next ${name} (${found.length})`, `next ${name}`, () => this.go(found.find((at) => at > this.at) ?? found[0])));
    const margin = this.get("margin", 0) === null ? [] : places((at) => this.get("margin", at) !== null).sort((a, b) => this.get("margin", a) - this.get("margin", b)).slice(0, 10);
    if (margin.length) buttons.push(button("next close call", "next of the ten smallest margins", () => { const near = [...margin].sort((a, b) => a - b); this.go(near.find((at) => at > this.at) ?? near[0]); }));
    buttons.push(button("last 50", "the last fifty placements", () => this.go(Math.max(0, this.length - 50))));
    return buttons;
  }

  key(event) {
    if (["SELECT", "INPUT"].includes(event.target.tagName) && event.target !== this.slider) return;
    const steps = { ArrowLeft: -1, ArrowRight: 1, PageUp: -20, PageDown: 20 };
    if (event.key in steps) this.go(this.at + steps[event.key]);
    else if (event.key === "Home") this.go(0);
    else if (event.key === "End") this.go(this.length - 1);
    else if (event.key === " " && event.target.tagName !== "BUTTON") this.toggle();
    else return;
    event.preventDefault();
  }

  toggle() {
    clearInterval(this.timer);
    const plays = this.timer === null;
    this.timer = plays ? setInterval(() => { if (this.at + 1 < this.length) this.go(this.at + 1); else this.toggle(); }, 160) : null;
    this.play.setAttribute("aria-pressed", String(plays));
    this.play.textContent = plays ? "stop" : "play";
  }

  go(at) {
    this.at = Math.max(0, Math.min(this.length - 1, at));
    this.slider.value = this.at;
    const piece = this.get("piece"), after = this.get("board"), before = this.before();
    const [width, height] = this.game.board;
    const rows = before ?? rowsOf(after);
    const told = `placement ${shown(this.get("piece_no"))}: ${piece}`;
    const other = before && this.page.shapes ? this.runnerUp(piece, before) : [];
    this.board.replaceChildren(boardPicture({ rows, width, height: Math.max(height, ...(before ? [] : [rows.length])), piece, cells: before ? this.cells() : [], other, label: `${told} on the board before it` }));
    this.board.dataset.after = after ?? "";
    this.board.dataset.pieceNo = this.get("piece_no");
    const previews = [1, 2, 3, 4, 5].map((k) => this.get(`next_${k}`)).filter(Boolean).join(" ");
    const facts = [["piece", piece], ["next", previews || null], ["hold", this.get("hold_before")], ["rows removed", this.get("lines")], ["rows so far", this.get("lines_total")],
      ["clear", this.get("clear_type")], ["T-spin", this.get("t_spin")], ["points", this.get("points_total")], ["value", this.value()], ["margin over the runner-up", this.get("margin")]];
    this.said.replaceChildren(el("strong", { text: `${told}${before ? "" : " (the board before it was not logged; this is the one after it)"}` }),
      tableOf([{ name: "" }, { name: "" }], facts.filter(([, value]) => value !== null && value !== "none"), { caption: "placement" }),
      el("p", { class: "quiet", text: other.length ? "Dashed: the runner-up." : "" }));
    this.drawTerms();
    this.course.firstChild?.redraw?.();
  }

  // Returns the cells of the runner-up where it would come to rest.
  runnerUp(piece, rows) {
    const [orientation, column] = [this.get("rank2_orientation"), this.get("rank2_column")];
    const shape = this.page.shapes[piece]?.[orientation];
    if (!shape || column === null) return [];
    const free = (low) => shape.every(([x, y]) => !(((rows[low + y] ?? 0) >> (column + x)) & 1));
    let low = Math.max(rows.length, this.game.board[1]);
    while (low > 0 && free(low - 1)) low -= 1;
    return shape.map(([x, y]) => [column + x, low + y]);
  }

  // Returns one entry per term: `name`, `weight`, `value`, `other` (null without a runner-up),
  // `product`, and `gain` over the runner-up.
  termsAt({ terms, weights: ofGame }, [mine, other, , , , , weights = ofGame]) {
    const numbers = (text) => text.split(",").map(Number), values = numbers(mine), others = other === null ? null : numbers(other);
    return terms.map((name, k) => {
      const [weight, value, other] = [weights[k], values[k], others ? others[k] : null];
      return { name, weight, value, other, product: weight * value, gain: others ? weight * (value - other) : 0 };
    });
  }

  // Draws every term with its contribution, the most decisive first, and the best placements.
  drawTerms() {
    const explained = this.game.explained, choice = explained?.rows[this.at];
    if (!choice) {
      const problem = !explained ? "" : explained.missing ?? "The board before this placement was not logged, so that it cannot be explained.";
      return this.terms.replaceChildren(problem ? el("p", { class: "quiet", text: explained.missing ? `Not explained: ${problem}` : problem }) : "");
    }
    const [, other, why, count, chosen, best] = choice, has = other !== null;
    const terms = this.termsAt(explained, choice).sort((a, b) => Math.abs(b.gain) - Math.abs(a.gain) || Math.abs(b.product) - Math.abs(a.product));
    const sum = terms.reduce((total, term) => total + term.product, 0), gain = terms.reduce((total, term) => total + term.gain, 0);
    const value = this.value();
    // Sums of fractions differ in their last digits.
    const rest = value === null || Math.abs(value - sum) <= 1e-6 * Math.max(1, Math.abs(value)) ? 0 : value - sum;
    const columns = [{ name: "term" }, { name: "weight", number: true }, { name: "value", number: true }, { name: "weight × value", number: true }, ...(has ? [{ name: "runner-up's value", number: true }, { name: "gain", number: true }, { name: "" }] : [])];
    const widest = Math.max(1e-9, ...terms.map((term) => Math.abs(term.gain)));
    const row = (term) => ({
      data: { term: term.name, product: term.product, gain: term.gain },
      cells: [term.name, term.weight, term.value, term.product, ...(has ? [term.other, term.gain, gainBar(term.gain, widest)] : [])],
    });
    const total = (name, number, by) => ({ chosen: true, data: { sum: name, product: number }, cells: [name, "", "", number, ...(has ? ["", by, ""] : [])] });
    const [telling, silent] = [terms.filter((term) => term.product !== 0 || term.gain !== 0), terms.filter((term) => term.product === 0 && term.gain === 0)];
    const sums = [total(`sum of ${terms.length} terms`, sum, gain)];
    if (rest !== 0) sums.push(total(explained.rest ?? "not explained by the terms", rest, ""), total("value in the log", value, ""));
    const parts = [el("h2", { text: "What it is worth" }), tableOf(columns, [...telling.map(row), ...sums], { caption: "terms" })];
    if (silent.length) parts.push(el("details", {}, el("summary", { class: "quiet", text: `${silent.length === 1 ? "1 term is" : `${silent.length} terms are`} 0${has ? " for both" : ""}` }), tableOf(columns, silent.map(row), { caption: "terms of 0" })));
    if (rest !== 0 && explained.rest) parts.push(el("p", { class: "quiet", text: `Terms are those of the placement by itself. The value in the log also has a part by ${explained.rest}.` }));
    parts.push(el("p", { class: "quiet", text: `Measured ${explained.measured}. Terms that differ most from the runner-up come first.` }));
    parts.push(el("h2", { text: has ? "Why not the next best" : "Why this one" }), el("p", { class: "why", text: why }));
    parts.push(el("h2", { text: "Placements by value" }), tableOf([{ name: "rank", number: true }, { name: "placement" }, { name: "rows", number: true }, { name: "value", number: true }, { name: "" }],
      best.split(";").map((one) => one.split("|")).map(([rank, where, lines, score]) => ({ chosen: Number(rank) === chosen, cells: [Number(rank) + 1, where, Number(lines), score === "" ? "loses" : Number(score), Number(rank) === chosen ? "chosen" : Number(rank) === (chosen === 0 ? 1 : 0) ? "runner-up" : ""] })), { caption: "placements" }),
      el("p", { class: "quiet", text: `${shown(count)} placements there were${explained.rest ? ", each by itself" : ""}.` }));
    this.terms.replaceChildren(...parts);
  }

  // Returns the value of the placement in the log.
  value() { return this.get("score"); }

  drawCourse() {
    const place = this.game.columns.findIndex((column) => column.name === this.feature);
    if (place < 0) return;
    const numbers = this.game.data[this.game.columns.findIndex((column) => column.name === "piece_no")];
    // Left-out placements are drawn as a gap instead of a connecting line.
    const [x, y] = [[], []];
    for (const [at, number] of numbers.entries()) {
      if (at > 0 && number > numbers[at - 1] + 1) { x.push(numbers[at - 1] + 1); y.push(null); }
      x.push(number);
      y.push(this.game.data[place][at]);
    }
    const breaks = x.length > numbers.length && x.length < 2 * numbers.length - 1;
    this.course.replaceChildren(lineChart({ title: this.feature, lines: [{ name: this.feature, x, y, breaks }], height: 200, x: { label: "placement" },
      y: { label: this.feature }, caption: this.game.columns[place].meaning, cursorAt: () => this.get("piece_no") }));
  }
}

// Shows a game that plays by itself, unless the user wants less motion, with `beside` at its right.
const playingOf = (page, beside) => {
  const replay = new Replay(page);
  const name = el("p", { class: "quiet", text: `game ${page.games[0].game}, ${page.games[0].label}` });
  if (!matchMedia("(prefers-reduced-motion: reduce)").matches) replay.toggle();
  return el("div", { class: "columns" }, el("div", {}, replay.board, name, el("div", { class: "bar" }, replay.play)), el("div", {}, beside));
};
