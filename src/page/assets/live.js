// The engine in the page: any board, any weights, every placement ranked; and it plays on.
"use strict";

class Live {
  constructor(page, engine) {
    Object.assign(this, { page, engine, timer: null, state: null, lines: 0, pieces: 0 });
    const { one_piece: presets } = engine.call({ presets: {} });
    this.presets = page.controller && !page.config.game ? [{ ...page.controller, title: "who played here" }, ...presets.filter((preset) => preset.name !== page.controller.name)] : presets;
    const [width, height] = (page.config.game ? null : page.config.board)?.split("x").map(Number) ?? [10, 20];
    Object.assign(this, { width, height, rows: [], piece: "T", next: "I", rules: page.config.rules === "standard" ? "standard" : "simplified", search: "greedy" });
    this.view = el("div");
    this.build();
    this.load(0);
  }

  build() {
    const select = (label, values, value, act) => el("label", {}, `${label} `, el("select", { "aria-label": label, onchange: (event) => act(event.target.value) }, values.map((one) => el("option", { text: one, selected: one === value }))));
    const button = (text, act) => el("button", { type: "button", text, onclick: act });
    this.preset = el("select", { "aria-label": "controller", onchange: () => this.load(this.preset.selectedIndex) }, this.presets.map((preset) => el("option", { text: preset.name, title: preset.title })));
    this.board = el("div");
    this.ranking = el("div", { class: "ranking" });
    this.weights = el("div");
    this.said = el("p", { role: "status" });
    this.text = el("input", { size: 24, "aria-label": "board, rows in hexadecimal from the floor", onchange: () => this.read(this.text.value) });
    this.runs = button("let it play", () => this.toggle());
    const set = (name) => (value) => { this[name] = value; this.reset(); };
    this.view.replaceChildren(
      el("p", { class: "quiet", text: "The engine itself, in this page. Click cells to fill or clear them; change a weight and see what would be played." }),
      el("div", { class: "bar" }, el("label", {}, "controller ", this.preset), select("rules", ["simplified", "standard"], this.rules, set("rules")), select("search", ["greedy", "next", "expect"], this.search, set("search"))),
      el("div", { class: "bar" }, select("piece", [..."IOTSZJL"], this.piece, set("piece")), select("next", [..."IOTSZJL"], this.next, set("next")), button("clear", () => this.read("0")), this.runs, el("label", {}, "board ", this.text)),
      this.said, el("div", { class: "columns" }, this.board, el("div", {}, this.ranking)), el("h2", { text: "Weights" }), this.weights);
  }

  load(place) {
    const preset = this.presets[place];
    this.preset.selectedIndex = place;
    this.controller = { name: preset.name, measured: preset.measured, tie: preset.tie, weights: { ...preset.weights } };
    if (preset.board_width && preset.board_width !== this.width) { this.width = preset.board_width; this.rows = []; }
    const range = Math.max(...Object.values(preset.weights).map(Math.abs)) * 2 || 10;
    this.weights.replaceChildren(tableOf([{ name: "feature" }, { name: "weight" }, { name: "" }], Object.entries(preset.weights).map(([name, weight]) => {
      const number = el("input", { type: "number", step: "any", value: weight, "aria-label": `weight of ${name}` });
      const slider = el("input", { type: "range", min: -range, max: range, step: range / 200, value: weight, "aria-label": `weight of ${name}, slider` });
      const changed = (from, to) => () => { to.value = from.value; if (from.value !== "") { this.controller.weights[name] = Number(from.value); this.reset(); } };
      number.addEventListener("input", changed(number, slider));
      slider.addEventListener("input", changed(slider, number));
      return [name, number, el("div", { style: "min-width:140px" }, slider)];
    }), { caption: "weights" }));
    this.reset();
  }

  // Whatever was changed begins a new game on this board.
  reset() { this.state = null; this.draw(); }

  read(hex) {
    if (!/^[0-9a-f]*(:[0-9a-f]*)*$/i.test(hex.trim())) { this.said.textContent = `'${hex}' is no board: write rows in hexadecimal from the floor, for example 3fe:001`; return; }
    this.rows = rowsOf(hex.trim()).map((row) => row & ((1 << this.width) - 1));
    this.reset();
  }

  asked() {
    const { controller, rules, search, width, height, piece, next } = this;
    return { controller, rules, search, board: hexOf(this.rows, width), width, height, piece, next: search === "next" ? next : undefined };
  }

  draw(chosen = 0) {
    this.text.value = hexOf(this.rows, this.width);
    let ranked = [];
    try {
      ranked = this.engine.call({ rank: this.asked() }).placements;
      this.said.textContent = this.state ? `${shown(this.pieces)} pieces, ${shown(this.lines)} lines` : ranked.length ? `${ranked.length} placements of ${this.piece}` : `${this.piece} can't be placed here`;
    } catch (error) {
      this.said.textContent = error.message;
    }
    this.ranked = ranked;
    this.drawBoard(ranked[chosen]);
    const terms = ranked[chosen] ? Object.entries(ranked[chosen].products).map(([name, value]) => ({ name, value, words: `${shown(value)} (${shown(ranked[chosen].features[name])})` })) : [];
    this.ranking.replaceChildren(
      tableOf([{ name: "rank", number: true }, { name: "orientation", number: true }, { name: "column", number: true }, { name: "rows", number: true }, { name: "score", number: true }],
        ranked.map((one, index) => ({ chosen: index === chosen, cells: [index + 1, one.orientation, one.column, one.lines, one.loses ? "lost" : one.score] })), { caption: "all placements", onrow: (place) => this.draw(place) }),
      el("h2", { text: "What it is worth: weight x feature (feature)" }), bars(terms));
  }

  drawBoard(placement) {
    const shape = placement ? this.page.shapes[this.piece][placement.orientation] : [];
    const cells = shape.map(([x, y]) => [x + placement.column, y + placement.landing_row]);
    this.board.replaceChildren(boardPicture({ rows: this.rows, width: this.width, height: this.height, piece: this.piece, cells, label: `board with ${this.piece} where it would be placed`,
      oncell: ([x, y], filled) => {
        while (this.rows.length <= y) this.rows.push(0);
        this.rows[y] = filled ? this.rows[y] | (1 << x) : this.rows[y] & ~(1 << x);
        this.reset();
      } }));
  }

  toggle() {
    clearInterval(this.timer);
    const plays = this.timer === null;
    this.timer = plays ? setInterval(() => this.step(), 120) : null;
    this.runs.textContent = plays ? "stop" : "let it play";
  }

  // One placement by the engine's own dealer.
  step() {
    const { controller, rules, search, width, height } = this;
    try {
      const start = this.state ? { state: this.state } : { board: hexOf(this.rows, width), width, height, queue: "uniform", seed: 1 + Math.floor(Math.random() * 2 ** 31) };
      const told = this.engine.call({ play: { controller, rules, search, ...start, pieces: 1 } });
      Object.assign(this, { state: told.state, rows: rowsOf(told.board), pieces: told.pieces, lines: told.lines });
      const placed = told.placements[0];
      if (told.next) this.piece = told.next;
      this.drawBoard(null);
      this.text.value = told.board;
      this.ranking.replaceChildren();
      this.said.textContent = `${shown(told.pieces)} pieces, ${shown(told.lines)} lines${told.over ? ": the game is over" : placed ? `; last: ${placed.piece}` : ""}`;
      if (told.over) { this.toggle(); this.state = null; }
    } catch (error) {
      this.said.textContent = error.message;
      this.toggle();
    }
  }
}
