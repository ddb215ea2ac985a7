// The views of the page, behind their tabs.
"use strict";

// A page of running work is rewritten regularly. It reloads itself while its overview is shown,
// unless the user unticks the box; a game in view is not interrupted.
const stillRunning = ({ written, every_s }) => {
  const again = el("input", { type: "checkbox", checked: true });
  const at = new Date(1000 * written).toLocaleTimeString(), old = Date.now() / 1000 - written > 120 + 5 * every_s;
  const said = old ? `This page has not been written since ${at}: the work takes its time, or was killed.` : `Still running: this is how it stood at ${at}.`;
  setInterval(() => { if (again.checked && !document.hidden && ["", "#Overview"].includes(location.hash)) location.reload(); }, 1000 * every_s);
  return el("p", { id: "running" }, `${said} `, el("label", {}, again, `load again every ${shown(every_s)} s`));
};

const start = async () => {
  const page = JSON.parse(document.getElementById("data").textContent);
  if (page.running) document.getElementById("notes").append(stillRunning(page.running));
  for (const note of page.notes) document.getElementById("notes").append(el("p", { text: note }));
  const tabs = document.getElementById("tabs"), views = document.getElementById("views");
  const made = new Map();
  let engine = null;
  const builders = [["Overview", () => overview(page)]];
  if (page.games.length) builders.push(["Replay", () => new Replay(page).view]);
  if (page.tables.some((table) => table.data.length)) builders.push(["Placements", () => new RowsView(page).view]);
  builders.push(["Live", () => (engine ? new Live(page, engine).view : el("p", { text: "This browser does not run WebAssembly, which the engine needs." }))]);
  const show = (name) => {
    if (!made.has(name)) {
      const build = builders.find(([known]) => known === name)[1];
      const panel = el("section", { role: "tabpanel", id: `view-${name}`, "aria-label": name });
      views.append(panel);
      made.set(name, panel);
      panel.append(build());
    }
    for (const [known, panel] of made) panel.hidden = known !== name;
    for (const tab of tabs.children) {
      const chosen = tab.dataset.name === name;
      tab.setAttribute("aria-selected", String(chosen));
      tab.tabIndex = chosen ? 0 : -1;
    }
    redraw();
  };
  // After a mouse click the arrow keys step through the replay. From the keyboard they still change
  // tabs: such clicks have no detail.
  const enter = () => made.get("Replay").firstChild.focus({ preventScroll: true });
  for (const [name] of builders) {
    tabs.append(el("button", { type: "button", role: "tab", "data-name": name, text: name === "Placements" ? "Tables" : name, onclick: (event) => { location.hash = name; show(name); if (event.detail && name === "Replay") enter(); } }));
  }
  tabs.addEventListener("keydown", (event) => {
    const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (!by) return;
    const all = [...tabs.children], to = all[(all.indexOf(document.activeElement) + by + all.length) % all.length];
    to.focus();
    to.click();
  });
  const dark = (on) => { document.documentElement.classList.toggle("dark", on); redraw(); };
  dark(matchMedia("(prefers-color-scheme: dark)").matches);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", (event) => dark(event.matches));
  document.getElementById("theme").addEventListener("click", () => dark(!document.documentElement.classList.contains("dark")));
  // Tab names are plain words, so the fragment of the address is compared without decoding.
  const wanted = () => builders.find(([known]) => `#${known}` === location.hash)?.[0] ?? "Overview";
  if (wanted() === "Overview") show("Overview");
  try {
    const packed = Uint8Array.from(atob(document.getElementById("engine").textContent), (letter) => letter.charCodeAt(0));
    const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
    engine = await tetrastatEngine(await new Response(stream).arrayBuffer());
  } catch (error) {
    console.warn(`without the engine: ${error.message}`);
  }
  if (wanted() !== "Overview") show(wanted());
  addEventListener("hashchange", () => show(wanted()));
  globalThis.tetrastatPage = { page, engine, show, made };
};
start();
