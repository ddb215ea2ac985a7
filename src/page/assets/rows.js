// The Placements view: tables with filters, and a scatter plot of any two columns.
"use strict";

const RELATIONS = { "<=": (a, b) => a <= b, ">=": (a, b) => a >= b, "!=": (a, b) => a !== b, "=": (a, b) => a === b, "<": (a, b) => a < b, ">": (a, b) => a > b };

// Parses comparisons joined by `and`, as in `tetrastat data convert --where`, to a test of a row.
// Throws an error that names the problem.
const filterOf = (text, table) => {
  const tests = text.split(/\s+and\s+/).map((part) => part.trim()).filter(Boolean).map((part) => {
    const found = part.match(/^(\w+)\s*(<=|>=|!=|==?|<|>)\s*([^<>=!].*)$/);
    if (!found) throw new Error(`'${part}': write comparisons joined by and, for example holes > 3 and piece = T`);
    const [, name, sign, raw] = found, place = table.columns.findIndex((column) => column.name === name);
    if (place < 0) throw new Error(`no column ${name}`);
    const words = raw.trim().replace(/^['"]|['"]$/g, ""), relation = RELATIONS[sign === "==" ? "=" : sign];
    const wanted = words === "NA" ? null : words === "TRUE" ? true : words === "FALSE" ? false : words !== "" && !Number.isNaN(Number(words)) && table.columns[place].kind !== "text" && table.columns[place].kind !== "factor" ? Number(words) : words;
    return (row) => {
      let value = table.data[place][row];
      if (table.columns[place].kind === "logical" && typeof wanted === "boolean" && value !== null) value = Boolean(value);
      return value === null && wanted !== null ? false : relation(value, wanted);
    };
  });
  return (row) => tests.every((test) => test(row));
};

class RowsView {
  constructor(page) {
    this.tables = page.tables;
    this.view = el("div");
    this.choose(Math.max(0, this.tables.findIndex((table) => table.name === "placements")));
  }

  choose(place) {
    const table = (this.table = this.tables[place]);
    this.first = 0;
    const tables = el("select", { "aria-label": "table", onchange: () => this.choose(tables.selectedIndex) }, this.tables.map((one, index) => el("option", { text: one.file, selected: index === place })));
    this.filter = el("input", { type: "search", placeholder: "filter, e.g. holes > 3 and piece = T", size: 36, "aria-label": "filter", oninput: () => { this.first = 0; this.draw(); } });
    this.said = el("p", { class: "quiet", role: "status" });
    this.rows = el("div");
    this.scatter = el("div");
    const numeric = table.columns.filter((column) => ["integer", "count", "real"].includes(column.kind));
    const pick = (label, value) => {
      const select = el("select", { "aria-label": label, onchange: () => this.drawScatter() }, numeric.map((column) => el("option", { text: column.name, title: column.meaning, selected: column.name === value })));
      return select;
    };
    this.x = pick("across", numeric.some((column) => column.name === "piece_no") ? "piece_no" : numeric[0]?.name);
    this.y = pick("upwards", ["holes", "lines", "mean", "score"].find((name) => numeric.some((column) => column.name === name)) ?? numeric[1]?.name);
    this.view.replaceChildren(el("div", { class: "bar" }, tables, this.filter), this.said, this.rows,
      numeric.length > 1 ? el("div", { class: "bar" }, el("label", {}, "across ", this.x), el("label", {}, "upwards ", this.y)) : "", this.scatter);
    this.draw();
  }

  draw() {
    const { table } = this, total = table.data[0]?.length ?? 0;
    let holds;
    try {
      holds = filterOf(this.filter.value, table);
      this.filter.setAttribute("aria-invalid", "false");
    } catch (error) {
      this.filter.setAttribute("aria-invalid", "true");
      this.said.textContent = error.message;
      return;
    }
    this.found = Array.from({ length: total }, (_, row) => row).filter(holds);
    const sample = table.step > 1 ? `; the first row of every ${shown(table.step)} of ${shown(table.rows)} rows is on this page` : "";
    this.said.textContent = `${shown(this.found.length)} of ${shown(total)} rows${sample}`;
    const page = this.found.slice(this.first, this.first + 50);
    const turn = (text, by, off) => el("button", { type: "button", text, disabled: off, onclick: () => { this.first += by; this.draw(); } });
    this.rows.replaceChildren(
      tableOf(table.columns.map((column) => ({ name: column.name, title: `${column.meaning}${column.unit === "-" ? "" : `, ${column.unit}`}`, number: !["text", "factor"].includes(column.kind) })),
        page.map((row) => table.data.slice(0, table.columns.length).map((values) => values[row])), { caption: table.name }),
      el("div", { class: "bar" }, turn("before", -50, this.first === 0), turn("next", 50, this.first + 50 >= this.found.length)));
    this.drawScatter();
  }

  drawScatter() {
    const data = (select) => this.table.data[this.table.columns.findIndex((column) => column.name === select.value)];
    const [across, upwards] = [data(this.x), data(this.y)];
    if (!across || !upwards) return this.scatter.replaceChildren();
    const points = this.found.filter((row) => across[row] !== null && upwards[row] !== null).sort((a, b) => across[a] - across[b]);
    // Rows with equal values are drawn beside each other, since the axis has each number once.
    const x = [];
    for (const row of points) x.push(x.length && across[row] <= x.at(-1) ? x.at(-1) + 1e-9 * Math.max(1, Math.abs(x.at(-1))) : across[row]);
    this.scatter.replaceChildren(lineChart({ title: `${this.y.value} by ${this.x.value}`, lines: [{ name: this.y.value, x, y: points.map((row) => upwards[row]), points: true }], x: { label: this.x.value }, y: { label: this.y.value } }));
  }
}
