// The two kinds of games of the Live view: their settings, engine requests, and steps of play.
// Each has `fields` (the settings, in bars), `settings`, `width`, `height`, and ranking columns.
"use strict";

const LETTERS = [..."IOTSZJL"];

class ClassicLive {
  constructor({ config, shapes }) {
    const mine = config.game === "classic" ? config : {};
    [this.width, this.height] = mine.board?.split("x").map(Number) ?? [10, 20];
    this.shapes = shapes;
    this.fields = [
      [{ name: "rules", values: ["simplified", "standard"] }, { name: "search", values: ["greedy", "next", "expect"] }],
      [{ name: "piece", values: LETTERS }, { name: "next", values: LETTERS }],
    ];
    this.settings = { rules: mine.rules === "standard" ? "standard" : "simplified", search: "greedy", piece: "T", next: "I" };
    this.columns = ["orientation", "column", "rows", "score"].map((name) => ({ name, number: true }));
  }

  // Adopts the board width of a controller of column heights. Returns true if the board changes.
  fit(controller) {
    const changes = Boolean(controller.board_width) && controller.board_width !== this.width;
    if (changes) this.width = controller.board_width;
    return changes;
  }

  rank(engine, controller, rows) {
    const { rules, search, piece, next } = this.settings, { width, height } = this;
    return engine.call({ rank: { controller, rules, search, board: hexOf(rows, width), width, height, piece, next: search === "next" ? next : undefined } }).placements;
  }

  row(one) { return [one.orientation, one.column, one.lines, one.loses ? "lost" : one.score]; }
  features(one) { return one.features; }
  cells(one) { return this.shapes[this.settings.piece][one.orientation].map(([x, y]) => [x + one.column, y + one.landing_row]); }
  begin() { this.state = null; }

  // Plays one placement with the engine's own queue.
  step(engine, controller, rows) {
    const { rules, search } = this.settings, { width, height } = this;
    const start = this.state ? { state: this.state } : { board: hexOf(rows, width), width, height, queue: "uniform", seed: 1 + Math.floor(Math.random() * 2 ** 31) };
    const told = engine.call({ play: { controller, rules, search, ...start, pieces: 1 } });
    this.state = told.over ? null : told.state;
    if (told.next) this.settings.piece = told.next;
    return { rows: rowsOf(told.board), pieces: told.pieces, lines: told.lines, placed: told.placements[0]?.piece, over: told.over };
  }
}

// Guideline games with hold, previews, combo and back-to-back: a Sprint of 40 rows, or no end.
class GuidelineLive {
  constructor({ config }) {
    const mine = config.game === "guideline" ? config : {};
    [this.width, this.height] = [10, 20];
    this.fields = [
      [{ name: "rules", values: ["guideline", "capstone"] }, { name: "mode", values: ["blitz", "sprint"] }, { name: "movement", values: ["hard-drop", "full"] }, { name: "search", values: ["greedy", "beam"] }],
      [{ name: "piece", values: LETTERS }, { name: "next", text: "pieces that are seen" }, { name: "hold", values: ["", ...LETTERS] }, { name: "combo", number: 99 }, { name: "back-to-back", check: true }],
    ];
    this.settings = {
      rules: mine.rules === "capstone" ? "capstone" : "guideline", mode: mine.mode === "sprint" ? "sprint" : "blitz", movement: mine.movement === "full" ? "full" : "hard-drop",
      search: mine.search === "beam" ? "beam" : "greedy", piece: "T", next: "IOSZL", hold: "", combo: 0, "back-to-back": false,
    };
    this.columns = [{ name: "piece" }, { name: "orientation" }, { name: "column", number: true }, { name: "rows", number: true }, { name: "T-spin" }, { name: "score", number: true }];
    this.begin();
  }

  fit() { return false; }

  rank(engine, { name, measured, weights }, rows) {
    const { rules, mode, movement, search, piece, next, hold, combo, "back-to-back": back_to_back } = this.settings;
    const left = mode === "sprint" ? Math.max(1, 40 - this.lines) : undefined;
    return engine.call({ guideline_rank: { controller: { name, measured, weights }, rules, search, movement, board: hexOf(rows, this.width), piece, next, hold: hold || undefined, combo, back_to_back, sprint_lines: left } }).placements;
  }

  row(one) { return [one.used_hold ? `${one.piece} (hold)` : one.piece, one.orientation, one.column, one.lines, one.t_spin, one.loses ? "lost" : one.score ?? one.own_score]; }
  features(one) { return one.terms; }
  cells(one) { return one.cells; }
  begin() { Object.assign(this, { pieces: 0, lines: 0, bag: [] }); }

  // Deals the next piece of shuffled bags of seven.
  dealt() {
    if (!this.bag.length) {
      this.bag = [...LETTERS];
      for (let k = 6; k > 0; k -= 1) {
        const other = Math.floor(Math.random() * (k + 1));
        [this.bag[k], this.bag[other]] = [this.bag[other], this.bag[k]];
      }
    }
    return this.bag.pop();
  }

  // Plays the first-ranked placement. The engine computes the result; the next piece is dealt here.
  step(engine, controller, rows) {
    const [chosen] = this.rank(engine, controller, rows), { settings } = this;
    if (!chosen || chosen.loses) return { rows, pieces: this.pieces, lines: this.lines, over: true };
    const seen = [...settings.next], previews = seen.length;
    // The first piece that goes to the hold lets the next one be played.
    if (chosen.used_hold && !settings.hold) seen.shift();
    Object.assign(settings, { hold: chosen.hold ?? "", combo: chosen.combo, "back-to-back": chosen.back_to_back, piece: seen.shift() ?? this.dealt() });
    while (seen.length < previews) seen.push(this.dealt());
    settings.next = seen.join("");
    this.pieces += 1;
    this.lines += chosen.lines;
    return { rows: rowsOf(chosen.after), pieces: this.pieces, lines: this.lines, placed: chosen.piece, over: settings.mode === "sprint" && this.lines >= 40 };
  }
}
