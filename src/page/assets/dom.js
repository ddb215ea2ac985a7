// Elements, formatted numbers, and boards as pictures. Text of a table is only ever set as text.
"use strict";

const el = (tag, attributes = {}, ...children) => {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else if (name === "text") made.textContent = value;
    else if (value === true) made.setAttribute(name, "");
    else if (value !== false && value !== undefined && value !== null) made.setAttribute(name, value);
  }
  made.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return made;
};
const svg = (tag, attributes = {}, ...children) => {
  const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
};

// Formats a number: whole numbers with thousands separators, others with four significant digits.
const shown = (value) => {
  if (value === null || value === undefined) return "NA";
  if (typeof value === "boolean") return value ? "TRUE" : "FALSE";
  if (typeof value !== "number") return String(value);
  if (value === 0) return "0";
  if (Number.isInteger(value) || Math.abs(value) >= 1000) return Math.round(value).toLocaleString("en");
  return value.toLocaleString("en", { maximumSignificantDigits: 4 });
};
const share = (value) => `${(100 * value).toLocaleString("en", { maximumSignificantDigits: 3 })} %`;
const pValue = (p) => (p === null ? "NA" : p < 0.001 ? "< 0.001" : p.toFixed(3));

// Returns a table of texts and numbers. `columns` are {name, number, title}.
const tableOf = (columns, rows, { caption, onrow, wraps } = {}) =>
  el("div", { class: wraps ? "scroll wraps" : "scroll", tabindex: 0, role: "region", "aria-label": caption ?? "table" },
    el("table", {},
      el("thead", {}, el("tr", {}, columns.map((column) =>
        el("th", { scope: "col", class: column.number ? "number" : "", title: column.title, text: column.name })))),
      el("tbody", {}, rows.map((row, place) => {
        const cells = (row.cells ?? row).map((cell, index) =>
          cell instanceof Node ? el("td", {}, cell)
            : el("td", { class: columns[index].number ? "number" : "", text: shown(cell) }));
        const act = onrow ? () => onrow(place) : undefined;
        const data = Object.entries(row.data ?? {}).map(([name, value]) => [`data-${name}`, value]);
        return el("tr", {
          ...Object.fromEntries(data), class: row.chosen ? "chosen" : "", tabindex: onrow ? 0 : undefined,
          ...(onrow ? { onclick: act, onkeydown: (event) => { if (event.key === "Enter") act(); } } : {}),
        }, cells);
      }))));

// Parses the rows of a board as logged, "3ff:001" from the floor up, to numbers.
const rowsOf = (hex) => (hex ?? "").split(":").map((row) => parseInt(row || "0", 16) || 0);
const hexOf = (rows, width) => {
  const digits = Math.ceil(width / 4);
  let top = rows.length;
  while (top > 0 && !rows[top - 1]) top -= 1;
  return top === 0 ? "0" : rows.slice(0, top).map((row) => row.toString(16).padStart(digits, "0")).join(":");
};
const cellsOf = (text) => (text ?? "").split(";").filter(Boolean).map((cell) => cell.split(":").map(Number));

// Okabe and Ito's colours, which colour-blind people can distinguish. Pieces also have names.
const PALETTE = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#8a6d00", "#7f7f7f"];
const PIECES = { I: "#56b4e9", O: "#e0c400", T: "#cc79a7", S: "#009e73", Z: "#d55e00", J: "#0072b2", L: "#e69f00" };
const colour = (place) => PALETTE[place % PALETTE.length];
const css = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

// Draws a board: settled cells, those of a piece, and those of another piece as an outline.
const boardPicture = ({ rows, width, height, piece, cells = [], other = [], label, oncell }) => {
  const size = 20, parts = [];
  const y = (row) => (height - 1 - row) * size;
  parts.push(svg("rect", { width: width * size, height: height * size, fill: "var(--cell)" }));
  for (let row = 0; row < height; row += 1) {
    for (let column = 0; column < width; column += 1) {
      const filled = ((rows[row] ?? 0) >> column) & 1;
      parts.push(svg("rect", {
        x: column * size, y: y(row), width: size, height: size, "data-x": column, "data-y": row,
        fill: filled ? "var(--settled)" : "transparent", stroke: "var(--grid)", "stroke-width": 1,
      }));
    }
  }
  for (const [column, row] of cells) {
    parts.push(svg("rect", { x: column * size + 1, y: y(row) + 1, width: size - 2, height: size - 2, rx: 2,
      fill: PIECES[piece] ?? "var(--accent)", "pointer-events": "none" }));
  }
  for (const [column, row] of other) {
    parts.push(svg("rect", { x: column * size + 3, y: y(row) + 3, width: size - 6, height: size - 6, rx: 2, fill: "none",
      stroke: "var(--text)", "stroke-width": 2, "stroke-dasharray": "4 3", "pointer-events": "none" }));
  }
  const picture = svg("svg", { class: "board", viewBox: `0 0 ${width * size} ${height * size}`, role: "img", "aria-label": label ?? "board" }, ...parts);
  if (oncell) {
    let paint = null;
    const at = (event) => {
      const cell = document.elementFromPoint(event.clientX, event.clientY);
      return cell?.dataset?.x === undefined || !picture.contains(cell) ? null : [Number(cell.dataset.x), Number(cell.dataset.y)];
    };
    picture.addEventListener("pointerdown", (event) => {
      const cell = at(event);
      if (cell) { paint = !(((rows[cell[1]] ?? 0) >> cell[0]) & 1); oncell(cell, paint); event.preventDefault(); }
    });
    picture.addEventListener("pointermove", (event) => {
      const cell = paint === null ? null : at(event);
      if (cell) oncell(cell, paint);
    });
    for (const end of ["pointerup", "pointerleave"]) picture.addEventListener(end, () => { paint = null; });
  }
  return picture;
};
