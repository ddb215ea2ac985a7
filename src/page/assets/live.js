// The Live view: any board and any weights, every placement ranked, and playing on.
"use strict";

class Live {
  constructor(page, engine) {
    Object.assign(this, { engine, timer: null, rows: [], playing: null });
    const kinds = { classic: new ClassicLive(page), guideline: new GuidelineLive(page) };
    const { classic, guideline } = engine.call({ presets: {} });
    const mine = page.config.game;
    const own = page.controller && kinds[mine] ? [{ ...page.controller, title: "who played here", kind: kinds[mine] }] : [];
    const others = [...classic.map((preset) => ({ ...preset, kind: kinds.classic })), ...guideline.map((preset) => ({ ...preset, kind: kinds.guideline }))];
    this.presets = [...own, ...others.filter((preset) => !own.length || preset.name !== own[0].name)];
    const group = (kind, label) => el("optgroup", { label }, this.presets.map((preset, place) => preset.kind === kind && el("option", { value: place, text: preset.name, title: preset.title })).filter(Boolean));
    this.preset = el("select", { "aria-label": "controller", onchange: () => this.load(Number(this.preset.value)) }, group(kinds.classic, "classic games"), group(kinds.guideline, "guideline games"));
    this.board = el("div");
    this.ranking = el("div", { class: "ranking" });
    this.weights = el("div");
    this.bars = el("div");
    this.said = el("p", { role: "status" });
    this.text = el("input", { size: 24, "aria-label": "board, rows in hexadecimal from the floor", onchange: () => this.read(this.text.value) });
    const button = (text, act) => el("button", { type: "button", text, onclick: act });
    this.runs = button("let it play", () => this.toggle());
    this.view = el("div", {},
      el("p", { class: "quiet", text: "The engine itself, in this page. Click cells to fill or clear them; change a weight and see what would be played." }),
      el("div", { class: "bar" }, el("label", {}, "controller ", this.preset), button("clear", () => this.read("0")), this.runs, el("label", {}, "board ", this.text)),
      this.bars, this.said, el("div", { class: "columns" }, this.board, el("div", {}, this.ranking)), el("h2", { text: "Weights" }), this.weights);
    this.load(0);
  }

  // Creates the input fields for a game's settings.
  drawFields() {
    const { settings, fields } = this.kind;
    const field = ({ name, values, text, number, check }) => {
      const set = (value) => { settings[name] = value; this.reset(); };
      const input = values ? el("select", { "aria-label": name, onchange: (event) => set(event.target.value) }, values.map((one) => el("option", { value: one, text: one || "none", selected: one === settings[name] })))
        : check ? el("input", { type: "checkbox", "aria-label": name, checked: settings[name], onchange: (event) => set(event.target.checked) })
          : number ? el("input", { type: "number", min: 0, max: number, value: settings[name], "aria-label": name, onchange: (event) => set(Number(event.target.value)) })
            : el("input", { size: 8, value: settings[name], "aria-label": text, onchange: (event) => set(event.target.value.toUpperCase()) });
      return el("label", {}, `${name} `, input);
    };
    this.bars.replaceChildren(...fields.map((bar) => el("div", { class: "bar" }, bar.map(field))));
  }

  load(place) {
    const preset = this.presets[place];
    this.preset.value = place;
    if (this.kind !== preset.kind) this.rows = [];
    this.kind = preset.kind;
    this.controller = { name: preset.name, measured: preset.measured, tie: preset.tie, weights: { ...preset.weights } };
    if (this.kind.fit(preset)) this.rows = [];
    const range = Math.max(...Object.values(preset.weights).map(Math.abs)) * 2 || 10;
    this.weights.replaceChildren(tableOf([{ name: "feature" }, { name: "weight" }, { name: "" }], Object.entries(preset.weights).map(([name, weight]) => {
      const number = el("input", { type: "number", step: "any", value: weight, "aria-label": `weight of ${name}` });
      const slider = el("input", { type: "range", min: -range, max: range, step: range / 200, value: weight, "aria-label": `weight of ${name}, slider` });
      const changed = (from, to) => () => { to.value = from.value; if (from.value !== "") { this.controller.weights[name] = Number(from.value); this.reset(); } };
      number.addEventListener("input", changed(number, slider));
      slider.addEventListener("input", changed(slider, number));
      return [name, number, el("div", { class: "slider" }, slider)];
    }), { caption: "weights" }));
    this.reset();
  }

  // Any change starts a new game on this board.
  reset() {
    this.kind.begin();
    this.playing = null;
    this.drawFields();
    this.draw();
  }

  read(hex) {
    if (!/^[0-9a-f]*(:[0-9a-f]*)*$/i.test(hex.trim())) { this.said.textContent = `'${hex}' is no board: write rows in hexadecimal from the floor, for example 3fe:001`; return; }
    this.rows = rowsOf(hex.trim()).map((row) => row & ((1 << this.kind.width) - 1));
    this.reset();
  }

  draw(chosen = 0) {
    const { kind } = this, { piece } = kind.settings;
    this.text.value = hexOf(this.rows, kind.width);
    let ranked = [];
    try {
      ranked = kind.rank(this.engine, this.controller, this.rows);
      const { pieces, lines } = this.playing ?? {};
      this.said.textContent = this.playing ? `${shown(pieces)} pieces, ${shown(lines)} lines` : ranked.length ? `${ranked.length} placements of ${piece}` : `${piece} can't be placed here`;
    } catch (error) {
      this.said.textContent = error.message;
    }
    this.drawBoard(ranked[chosen]);
    const features = ranked[chosen] ? kind.features(ranked[chosen]) : {};
    const terms = ranked[chosen] ? Object.entries(ranked[chosen].products).map(([name, value]) => ({ name, value, words: `${shown(value)} (${shown(features[name])})` })) : [];
    terms.sort((a, b) => Math.abs(b.value) - Math.abs(a.value));
    this.ranking.replaceChildren(
      tableOf([{ name: "rank", number: true }, ...kind.columns], ranked.map((one, index) => ({ chosen: index === chosen, cells: [index + 1, ...kind.row(one)] })), { caption: "all placements", onrow: (place) => this.draw(place) }),
      el("h2", { text: "What it is worth: weight x feature (feature)" }), bars(terms));
  }

  drawBoard(placement) {
    const { width, height, settings } = this.kind, piece = placement?.piece ?? settings.piece;
    const cells = placement ? this.kind.cells(placement) : [];
    this.board.replaceChildren(boardPicture({ rows: this.rows, width, height: Math.max(height, this.rows.length), piece, cells, label: `board with ${piece} where it would be placed`,
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

  step() {
    try {
      const told = this.kind.step(this.engine, this.controller, this.rows);
      this.rows = told.rows;
      this.playing = told;
      this.drawFields();
      this.drawBoard(null);
      this.text.value = hexOf(this.rows, this.kind.width);
      this.ranking.replaceChildren();
      this.said.textContent = `${shown(told.pieces)} pieces, ${shown(told.lines)} lines${told.over ? ": the game is over" : told.placed ? `; last: ${told.placed}` : ""}`;
      if (told.over) { this.toggle(); this.kind.begin(); this.playing = null; }
    } catch (error) {
      this.said.textContent = error.message;
      this.toggle();
    }
  }
}
