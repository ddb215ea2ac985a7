// The engine in WebAssembly answers what the command does: `node wasm/test.mjs target/debug/tetrastat [engine.wasm]`.
// Boards, presets and pieces are drawn by a fixed generator; every number is compared exactly.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import "../src/page/assets/engine.js";

const [binary, wasm = new URL("../src/page/assets/engine.wasm", import.meta.url)] =
  process.argv.slice(2);
assert.ok(binary, "usage: node wasm/test.mjs TETRASTAT [ENGINE.wasm]");
const engine = await globalThis.tetrastatEngine(readFileSync(wasm));

const command = (...args) => execFileSync(binary, args.map(String), { encoding: "utf8" });
const asJson = (...args) => JSON.parse(command(...args, "--format", "json"));

// mulberry32: small, and the same numbers everywhere.
let drawn = 20;
const below = (bound) => {
  drawn = (drawn + 0x6d2b79f5) | 0;
  let t = Math.imul(drawn ^ (drawn >>> 15), drawn | 1);
  t = (t + Math.imul(t ^ (t >>> 7), t | 61)) ^ t;
  return ((t ^ (t >>> 14)) >>> 0) % bound;
};
const oneOf = (list) => list[below(list.length)];
const pieces = [..."IOTSZJL"];

// A stack of random rows, each with a gap, under empty ones.
const picture = (width, height, most) => {
  const filled = below(most + 1);
  const row = (index) => {
    const cells = Array.from({ length: width }, () => (below(10) < 6 ? "#" : "."));
    cells[below(width)] = ".";
    return index < height - filled ? ".".repeat(width) : cells.join("");
  };
  return Array.from({ length: height }, (_, index) => row(index)).join("/");
};

const tests = {
  "presets are those of the command"() {
    const { classic, guideline } = engine.call({ presets: {} });
    for (const { name, title } of [...classic, ...guideline]) {
      const listed = command("show", "controllers").split("\n").some((line) => line.startsWith(`${name} `) && line.includes(title));
      assert.ok(listed, name);
    }
    assert.ok(classic.length > 20 && guideline.length > 3);
  },

  "rank is the table of features on 200 random boards"() {
    const { classic } = engine.call({ presets: {} });
    for (let board = 0; board < 200; board++) {
      const preset = classic[board % classic.length];
      const width = preset.board_width ?? oneOf([10, 10, 6, 12]);
      const fits = Object.keys(preset.weights).every((name) => !/_(\d+)$/.test(name)) || width === 10;
      const height = oneOf([20, 12]);
      const columns = fits ? width : 10;
      const text = picture(columns, height, height - 4);
      const search = board % 10 === 0 ? oneOf(["next", "expect"]) : "greedy";
      const next = search === "next" ? oneOf(pieces) : undefined;
      const request = { board: text, piece: oneOf(pieces), controller: preset.name, search, next };
      request.rules = oneOf(["simplified", "standard"]);
      const args = ["show", "board", "--picture", text, "--board", `${columns}x${height}`];
      for (const key of ["piece", "controller", "search", "next", "rules"]) {
        if (request[key] !== undefined) args.push(`--${key}`, request[key]);
      }
      const told = engine.call({ rank: request }).placements;
      for (const entry of told) {
        const { products, score } = entry;
        if (search === "greedy" && !entry.loses && !entry.unanswered) {
          const sum = Object.values(products).reduce((a, b) => a + b, 0);
          assert.ok(Math.abs(sum - score) < 1e-6 * Math.max(1, Math.abs(score)));
        }
        for (const key of ["products", "after", "cells", "cleared_rows", "piece"]) delete entry[key];
      }
      assert.deepEqual(told, asJson(...args).placements, JSON.stringify(request));
    }
  },

  "a controller of parts and one of TOML rank as their preset"() {
    const { classic } = engine.call({ presets: {} });
    const { measured, tie, weights } = classic[0];
    const rank = (controller) =>
      engine.call({ rank: { controller, piece: "T", board: "3fe:1ff:01f" } }).placements;
    const toml = readFileSync(new URL("../data/controllers/bcts.toml", import.meta.url), "utf8");
    assert.deepEqual(rank({ measured, tie, weights }), rank("bcts"));
    assert.deepEqual(rank(toml), rank("bcts"));
  },

  "play is the log of simulate, in one request or in several"() {
    const folder = mkdtempSync(join(tmpdir(), "tetrastat-"));
    const games = [
      { controller: "bcts", rules: "simplified", search: "greedy", queue: "uniform", seed: 7 },
      { controller: "dellacherie", rules: "standard", search: "next", queue: "bag", seed: 8 },
      { controller: "lee", rules: "simplified", search: "expect", queue: "least-dealt", seed: 9 },
    ];
    try {
      for (const [number, request] of games.entries()) {
        const out = join(folder, String(number));
        const options = Object.entries(request).flatMap(([key, value]) => [`--${key}`, value]);
        command("simulate", "--games", 3, "--max-pieces", 150, "--placements", "csv", "--out", out, ...options);
        const log = table(readFileSync(join(out, "placements.csv"), "utf8"));
        for (const game of [0, 1, 2]) {
          const rows = log.filter((row) => row.game === String(game));
          assert.deepEqual(played({ ...request, game }, rows.length), rows.map(ofLog));
        }
      }
    } finally {
      rmSync(folder, { recursive: true });
    }
  },

  "guideline_rank is the table of features on 30 random boards"() {
    for (let board = 0; board < 30; board++) {
      const text = picture(10, 20, 12);
      const request = { board: text, piece: oneOf(pieces), hold: oneOf(pieces), combo: below(4) };
      request.next = oneOf(pieces) + oneOf(pieces);
      request.search = board % 3 === 0 ? "beam" : "greedy";
      request.rules = oneOf(["guideline", "capstone"]);
      request.back_to_back = below(2) === 1;
      const args = ["show", "board", "--mode", "blitz", "--picture", text];
      for (const key of ["piece", "hold", "combo", "next", "search", "rules"]) {
        args.push(`--${key}`, request[key]);
      }
      if (request.back_to_back) args.push("--back-to-back");
      const told = engine.call({ guideline_rank: request }).placements;
      for (const entry of told) {
        assert.equal(entry.cells.length, 4);
        for (const key of ["products", "after", "cells", "cleared_rows", "unanswered", "points", "attack", "hold", "combo", "back_to_back"]) delete entry[key];
      }
      assert.deepEqual(told, asJson(...args).placements, JSON.stringify(request));
    }
  },

  "a guideline game is played on from what each placement leaves, as simulate plays it"() {
    const folder = mkdtempSync(join(tmpdir(), "tetrastat-"));
    try {
      const out = join(folder, "run");
      command("simulate", "--rules", "guideline", "--mode", "blitz", "--movement", "full", "--games", 1, "--placements", "csv", "--out", out);
      const log = table(readFileSync(join(out, "placements.csv"), "utf8")).slice(0, 150);
      const known = (value) => (value === "NA" ? undefined : value);
      // What was dealt, as the log shows it; a piece that is held first of all is played without being shown as the next one.
      const dealt = [], begins = [];
      for (const row of log) {
        const at = begins.length ? begins.at(-1).after : 0;
        const skips = row.used_hold === "TRUE" && row.hold_before === "NA";
        dealt[at] ??= skips ? row.hold_after : row.piece;
        if (skips) dealt[at + 1] = row.piece;
        const first = at + (skips ? 2 : 1);
        [1, 2, 3, 4, 5].forEach((place) => { if (known(row[`next_${place}`])) dealt[first + place - 1] = row[`next_${place}`]; });
        begins.push({ at, after: first });
      }
      let left = { after: "0", hold: undefined, combo: 0, back_to_back: false };
      for (const [number, row] of log.entries()) {
        const { at } = begins[number], next = dealt.slice(at + 1, at + 6).join("");
        const { after: board, hold, combo, back_to_back } = left;
        const request = { board, piece: dealt[at], next, hold: hold ?? undefined, combo, back_to_back, movement: "full" };
        [left] = engine.call({ guideline_rank: request }).placements;
        const told = [left.piece, left.used_hold, left.orientation, left.column, left.after, left.hold, left.back_to_back].map((value) => String(value ?? "NA").toUpperCase());
        assert.deepEqual(told, [row.piece, row.used_hold, row.orientation, row.column, row.board, row.hold_after, row.b2b_after].map((value) => value.toUpperCase()), row.piece_no);
      }
    } finally {
      rmSync(folder, { recursive: true });
    }
  },

  "a wrong request says what is wrong, and the next one is answered"() {
    const refusals = [
      [{ rank: { piece: "X" } }, /X/],
      [{ rank: { piece: "T", controller: "nobody" } }, /nobody.*bcts/s],
      [{ rank: { piece: "T", search: "next" } }, /give next/],
      [{ rank: { piece: "T", board: "zz" } }, /hexadecimal/],
      [{ rank: { piece: "T", colour: "red" } }, /colour/],
      [{ rank: { piece: "T", board: "3ff:3ff:3ff:3ff:001", height: 4 } }, /above its top/],
      [{ play: { state: "{}" } }, /earlier answer/],
      [{ play: { pieces: 1e9 } }, /ask again/],
      [{ play: { pieces: 10001 } }, /at most 10000/],
      [{ play: { skip: 1e6 } }, /at most 100000/],
      [{ play: { skip: 2 ** 53, pieces: 0 } }, /at most 100000/],
      [{ play: { skip: 5000, search: "next" } }, /at most 5000/],
      [{ play: { skip: 1000, search: "expect" } }, /at most 1000/],
      [{ guideline_rank: { piece: "T", search: "beam", beam_width: 1e9 } }, /beam_width.*1 to 1024/],
      [{ guideline_rank: { piece: "T", search: "beam", beam_width: 0 } }, /beam_width.*1 to 1024/],
      [{ guideline_rank: { piece: "T", search: "beam", beam_depth: 18 } }, /beam_depth.*1 to 17/],
      [{ rank: { piece: "T", board: "0".repeat(5e6) } }, /4194304 bytes/],
      [{ dance: {} }, /dance/],
    ];
    for (const [request, message] of refusals) {
      assert.throws(() => engine.call(request), message);
    }
    // Nothing of it stopped the engine, which would have a new memory then.
    const { exports } = engine;
    for (const length of [-1, 2 ** 31, 0]) {
      assert.equal(engine.exports.request(length) === 0, length !== 0);
      engine.exports.call();
    }
    assert.equal(engine.call({ rank: { piece: "O" } }).placements.length, 9);
    assert.equal(engine.exports, exports);
    assert.equal(engine.call({ play: { script: "TT", pieces: 9 } }).over, "script_ended");
  },
};

// A CSV without quotes.
function table(text) {
  const [header, ...rows] = text.trim().split("\n").map((line) => line.split(","));
  return rows.map((row) => Object.fromEntries(header.map((name, index) => [name, row[index]])));
}

const SHARED = ["piece_no", "piece", "orientation", "column", "landing_row", "lines", "board"];

const ofLog = (row) =>
  Object.fromEntries([...SHARED, "score", "margin", "candidates"].map((name) => [name, row[name]]));

// The same columns by the engine: ten pieces told, then all but the last ten of the others skipped, then those.
function played(request, pieces) {
  const whole = engine.call({ play: { ...request, pieces } });
  const { controller, rules, search } = request;
  const begun = engine.call({ play: { ...request, pieces: 10 } });
  const end = engine.call({
    play: { controller, rules, search, state: begun.state, skip: pieces - 20, pieces: 10 },
  });
  assert.deepEqual(end.placements, whole.placements.slice(-10));
  assert.equal(end.state, whole.state);
  const number = (value) => (value === null ? "NA" : String(value));
  return whole.placements.map((entry) => ({
    ...Object.fromEntries(SHARED.map((name) => [name, String(entry[name])])),
    score: number(entry.score),
    margin: number(entry.margin),
    candidates: String(entry.candidates),
  }));
}

// How long a page waits: rankings and pieces of a game in a second of processor time.
function speed() {
  const seconds = (work) => {
    const begun = process.cpuUsage();
    work();
    const { user, system } = process.cpuUsage(begun);
    return (user + system) / 1e6;
  };
  const ranked = ["greedy", "next", "expect"].map((search) => {
    const next = search === "next" ? "I" : undefined;
    const rank = { piece: "T", board: "3fe:1ff:01f:3f0", search, next };
    const taken = seconds(() => {
      for (let k = 0; k < 500; k++) engine.call({ rank });
    });
    return `${Math.round(500 / taken)} ${search}`;
  });
  const skipped = 20000 / seconds(() => engine.call({ play: { skip: 20000, pieces: 0 } }));
  console.log(`rankings a second: ${ranked.join(", ")}; ${Math.round(skipped)} pieces played a second`);
}

for (const [name, test] of Object.entries(tests)) {
  test();
  console.log(`ok: ${name}`);
}
speed();
