"use strict";
// What files hold is put on the page as text only (textContent), never as markup.
const data = JSON.parse(document.getElementById("data").textContent);
const OURS = 1, BASE = 2, THEIRS = 4, RESULT = 8;
const SIDES = ["ours", "base", "theirs"];
const KINDS = ["conflict", "overwritten", "theirs", "ours", "merged", "comment"];
const CONTEXT = 3;   // lines around a change
const CHUNK = 80;    // lines that are put on the page at once
const state = { kind: "all", wide: false, stops: [], at: -1 };

function make(name, options = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(options)) {
    if (key === "text") element.textContent = value;
    else if (key === "click") element.addEventListener("click", value);
    else if (value !== undefined) element.setAttribute(key, value);
  }
  element.append(...children);
  return element;
}

// --- what the merge holds ---------------------------------------------------------------------------------------------

data.files.forEach((file, number) => {
  file.number = number;
  file.choices = new Map();              // hunk number → "ours" | "base" | "theirs" | { text } | { masked: { side, text } }
  file.hunks = [];
  file.rows.forEach((row, at) => {
    if (Array.isArray(row)) return;
    row.number = file.hunks.length;
    file.hunks.push(at);
  });
  file.at = new Map();                   // row → its decisions
  for (const decision of file.decisions) {
    if (!file.at.has(decision.row)) file.at.set(decision.row, []);
    file.at.get(decision.row).push(decision);
  }
});

const isHunk = (row) => !Array.isArray(row);
const left = (file) => file.hunks.length - file.choices.size;
const isShown = (kind) => state.kind === "all" || state.kind === kind;
const shownAt = (file, at) => (file.at.get(at) || []).filter((decision) => isShown(decision.kind));

// What somebody typed.
const ownText = (choice) => (choice.masked || choice).text;

// The lines that stand in the place of a hunk; none where nobody has chosen yet.
function chosenLines(file, hunk) {
  const choice = file.choices.get(hunk.number);
  if (choice === undefined) return undefined;
  if (typeof choice === "string") return hunk.hunk[SIDES.indexOf(choice)] || [];
  const lines = ownText(choice).split("\n");
  if (lines[lines.length - 1] === "") lines.pop();
  return lines;
}

// A hunk as it stands in the file.
function markedLines(file, hunk) {
  const markers = [...hunk.markers];
  const marked = hunk.hunk.map((side) => (side ? [markers.shift(), ...side] : []));
  if (file.hides_base) marked[SIDES.indexOf("base")] = [];
  return [...marked.flat(), markers.shift()];
}

// The file as it was chosen; hunks that are left have conflict markers.
function resolvedText(file) {
  const lines = [];
  for (const row of file.rows) {
    if (!isHunk(row)) {
      if (row[0] & RESULT) lines.push(row[1]);
      continue;
    }
    lines.push(...(chosenLines(file, row) || markedLines(file, row)));
  }
  const text = lines.map((line) => line + "\n").join("");
  const last = file.rows[file.rows.length - 1];
  return file.ends || isHunk(last) ? text : text.slice(0, -1);
}

// --- rows -------------------------------------------------------------------------------------------------------------

// Who has a line, in words, and how it looks.
function look(mask) {
  const own = mask & OURS, old = mask & BASE, their = mask & THEIRS;
  if (mask & RESULT) {
    if (own && old && their) return ["", ""];
    if (old) return ["kept", ""];
    if (own && their) return ["+ both", "ours"];
    if (own) return ["+ ours", "ours"];
    if (their) return ["+ theirs", "theirs"];
    return ["+ merge", "theirs"];
  }
  if (old && own && their) return ["- merge", "lost"];
  if (old && own) return ["- theirs", "gone"];
  if (old && their) return ["- ours", "gone"];
  if (old) return ["- both", "gone"];
  return [own ? "! ours" : "! theirs", "lost"];
}

function line(row) {
  const [mask, text] = row;
  const [who, kind] = look(mask);
  const shown = text.replace(/\r$/, "");
  const cell = (bits) => make("span", { text: mask & bits ? shown : "" });
  // What only the base has stands where it would be in the result.
  const middle = mask === BASE ? BASE : RESULT;
  const cells = state.wide ? [cell(OURS), cell(middle), cell(THEIRS)] : [make("span", { text: shown })];
  return make("div", { class: `row ${kind}` }, make("span", { class: "who", text: who }), ...cells);
}

function decisionElement(decision) {
  const element = make("div", { class: "decision" }, make("span", { class: `kind ${decision.kind}`, text: decision.kind }),
    make("b", { text: decision.path }), make("span", { text: decision.why }));
  if (decision.role !== "value") element.append(make("span", { text: `(${decision.role})` }));
  decision.element = element;
  return element;
}

function hunkElement(file, hunk) {
  const element = make("div", { class: "hunk", "data-hunk": hunk.number });
  const choice = file.choices.get(hunk.number);
  const picked = typeof choice === "object" ? "edited" : choice;
  const title = picked ? `Conflict ${hunk.number + 1}: ${picked}` : `Conflict ${hunk.number + 1} of ${file.hunks.length}`;
  const bar = make("div", { class: "bar" }, make("b", { text: title }));
  ["ours", "theirs", "base"].forEach((side, at) => {
    if (!hunk.hunk[SIDES.indexOf(side)]) return;
    const click = () => choose(file, hunk, side);
    bar.append(make("button", { type: "button", text: `${at + 1} ${data.labels[side]}`, "aria-pressed": picked === side, click }));
  });
  if (isEditable(file)) bar.append(make("button", { type: "button", text: "e Edit", click: () => edit(file, hunk) }));
  if (picked) bar.append(make("button", { type: "button", text: "u Undo", click: () => choose(file, hunk, undefined) }));
  const sides = make("div", { class: "sides" });
  for (const side of ["ours", "base", "theirs"]) {
    const lines = hunk.hunk[SIDES.indexOf(side)];
    if (!lines) continue;
    sides.append(make("div", { class: picked === side ? "side chosen" : "side" }, make("h3", { text: data.labels[side] }),
      make("pre", { text: lines.map((text) => text.replace(/\r$/, "")).join("\n") || "(nothing)" })));
  }
  if (picked === "edited") {
    sides.append(make("div", { class: "side chosen" }, make("h3", { text: "edited" }), make("pre", { text: ownText(choice) })));
  }
  element.append(bar, sides);
  for (const fault of (picked && picked !== "edited" && hunk.faults[SIDES.indexOf(picked)]) || []) {
    element.append(make("p", { class: "fault", text: `With this choice: ${fault}` }));
  }
  hunk.element = element;
  return element;
}

// The rows that are shown, and the runs of rows between them that are folded.
function views(file) {
  const isChange = (at) => {
    const row = file.rows[at];
    if (isHunk(row)) return state.kind === "all" || state.kind === "conflict";
    if (shownAt(file, at).length > 0) return true;
    return state.kind === "all" && look(row[0])[1] !== "";
  };
  const wanted = new Uint8Array(file.rows.length);
  file.rows.forEach((_, at) => {
    if (!isChange(at)) return;
    wanted.fill(1, Math.max(0, at - CONTEXT), at + CONTEXT + 1);
  });
  const found = [];
  let from = 0;
  while (from < file.rows.length) {
    let to = from;
    while (to < file.rows.length && wanted[to] === wanted[from]) to += 1;
    if (wanted[from] || to - from < CONTEXT) for (let at = from; at < to; at += 1) found.push(at);
    else found.push({ from, to });
    from = to;
  }
  return found;
}

function viewElements(file, view) {
  if (typeof view !== "number") {
    const button = make("button", { type: "button", class: "fold", text: `⋯ ${view.to - view.from} lines` });
    button.addEventListener("click", () => {
      const rows = [];
      for (let at = view.from; at < view.to; at += 1) rows.push(...viewElements(file, at));
      button.replaceWith(...rows);
    });
    return [button];
  }
  const row = file.rows[view];
  const above = shownAt(file, view).map(decisionElement);
  return [...above, isHunk(row) ? hunkElement(file, row) : line(row)];
}

// Chunks are filled when they come near the screen.
const watcher = new IntersectionObserver((entries) => {
  for (const entry of entries) if (entry.isIntersecting) fill(entry.target);
}, { rootMargin: "1200px 0px" });

function fill(chunk) {
  if (!chunk.pending) return;
  const { file, views } = chunk.pending;
  chunk.pending = undefined;
  watcher.unobserve(chunk);
  chunk.style.minHeight = "";
  chunk.append(...views.flatMap((view) => viewElements(file, view)));
}

function fileElement(file) {
  const actions = make("span", { class: "actions" });
  const section = make("section", { id: `file-${file.number}` }, make("h2", {}, make("span", { text: file.path }), actions));
  file.actions = actions;
  file.section = section;
  if (file.note) section.append(make("p", { class: "note", text: file.note }));
  if (file.secret) section.append(make("p", { class: "note", text: `This file holds a Secret: its values are hidden. ${secretHelp()}` }));
  if (file.unchecked) {
    const later = data.serves ? "Write checks the file." : "Check the file with kmerge check.";
    section.append(make("p", { class: "note", text: `There are too many conflicts to check each choice here. ${later}` }));
  }
  file.message = make("div", { role: "alert" });
  section.append(file.message);
  const rows = make("div", { class: "rows" }, make("div", { class: "columns" }, make("span"), make("span", { text: data.labels.ours }),
    make("span", { text: "result" }), make("span", { text: data.labels.theirs })));
  const all = views(file);
  file.chunkOf = new Map();
  for (let at = 0; at < all.length; at += CHUNK) {
    const chunk = make("div");
    chunk.pending = { file, views: all.slice(at, at + CHUNK) };
    chunk.style.minHeight = `${20 * chunk.pending.views.length}px`;
    for (const view of chunk.pending.views) if (typeof view === "number") file.chunkOf.set(view, chunk);
    rows.append(chunk);
    watcher.observe(chunk);
  }
  section.append(rows);
  showActions(file);
  return section;
}

// --- choices ----------------------------------------------------------------------------------------------------------

function choose(file, hunk, choice) {
  if (choice === undefined) file.choices.delete(hunk.number);
  else file.choices.set(hunk.number, choice);
  const old = hunk.element;
  const isCurrent = old && old.classList.contains("current");
  if (old) old.replaceWith(hunkElement(file, hunk));
  if (isCurrent) hunk.element.classList.add("current");
  file.message.replaceChildren();
  showActions(file);
  showCounts();
}

// The page does not know hidden values. Whoever serves it does, and puts them back.
const isEditable = (file) => !file.secret || data.serves;
const secretHelp = () => data.serves
  ? "If you edit a conflict, leave *** where a value stays as it is, or write a new value."
  : "To edit a conflict, use kmerge review --serve, or edit the file.";

function edit(file, hunk) {
  if (!hunk.element || !isEditable(file)) return;
  const old = file.choices.get(hunk.number);
  const side = typeof old === "string" ? old : old?.masked?.side || "ours";
  const start = (chosenLines(file, hunk) || hunk.hunk[0]).map((text) => text + "\n").join("");
  const area = make("textarea", { "aria-label": "The lines in place of the conflict", spellcheck: "false" });
  area.value = start;
  const take = () => choose(file, hunk, file.secret ? { masked: { side, text: area.value } } : { text: area.value });
  hunk.element.querySelectorAll("textarea, .take").forEach((element) => element.remove());
  hunk.element.append(area, make("div", { class: "bar take" }, make("b"), make("button", { type: "button", text: "Take this", click: take })));
  area.addEventListener("keydown", (event) => { if (event.key === "Escape") choose(file, hunk, file.choices.get(hunk.number)); });
  area.focus();
}

function showActions(file) {
  const buttons = [];
  const button = (text, click) => buttons.push(make("button", { type: "button", text, click }));
  if (left(file) > 0) buttons.push(make("span", { text: left(file) === 1 ? "1 conflict left" : `${left(file)} conflicts left` }));
  if (!file.secret) {
    button("Copy", () => navigator.clipboard.writeText(resolvedText(file)));
    button("Download", () => download(file));
  }
  if (data.serves) button("Write", () => write(file, false));
  file.actions.replaceChildren(...buttons);
}

function download(file) {
  const address = URL.createObjectURL(new Blob([resolvedText(file)], { type: "application/yaml" }));
  make("a", { href: address, download: file.path.split("/").pop() }).click();
  setTimeout(() => URL.revokeObjectURL(address), 1000);
}

async function write(file, anyway) {
  const hunks = {};
  for (const [number, choice] of file.choices) hunks[number] = choice;
  const reply = await fetch("write", { method: "POST", body: JSON.stringify({ file: file.number, hunks, anyway }) })
    .then((answer) => answer.json()).catch((error) => ({ error: `kmerge does not answer: ${error.message}`, faults: [] }));
  const lines = reply.faults.map((fault) => make("p", { class: "fault", text: fault }));
  if (reply.error) lines.push(make("p", { class: "fault", text: reply.error }));
  else if (reply.written) lines.push(make("p", { class: "note", text: reply.left ? `Written, ${reply.left} conflicts left.` : "Written." }));
  else lines.push(make("button", { type: "button", text: "Write anyway", click: () => write(file, true) }));
  file.message.replaceChildren(...lines);
}

// --- the frame --------------------------------------------------------------------------------------------------------

function counts() {
  const found = Object.fromEntries(KINDS.map((kind) => [kind, 0]));
  for (const file of data.files) {
    for (const decision of file.decisions) if (decision.kind !== "conflict") found[decision.kind] += 1;
    found.conflict += file.hunks.length;
  }
  return found;
}

function showCounts() {
  const open = data.files.reduce((sum, file) => sum + left(file), 0);
  const files = data.files.length === 1 ? "1 file" : `${data.files.length} files`;
  const conflicts = open === 1 ? "1 conflict left" : `${open} conflicts left`;
  document.getElementById("summary").textContent = `${files}, ${conflicts}`;
  for (const file of data.files) if (file.count) file.count.textContent = left(file) > 0 ? `${left(file)} ✗` : "✓";
}

function showFilters() {
  const found = counts();
  const button = (kind, text) => make("button", { type: "button", "data-kind": kind, "aria-pressed": state.kind === kind, text,
    click: () => { state.kind = kind; show(); } });
  const kinds = KINDS.filter((kind) => found[kind] > 0).map((kind) => button(kind, `${kind} ${found[kind]}`));
  document.getElementById("filters").replaceChildren(button("all", "all"), ...kinds);
}

function showTree() {
  const links = [];
  for (const file of data.files) {
    file.count = make("span", { class: "count" });
    links.push(make("a", { href: `#file-${file.number}` }, make("span", { text: file.path }), file.count));
    const resources = new Map();
    for (const decision of file.decisions) {
      if (!decision.resource) continue;
      if (!resources.has(decision.resource)) resources.set(decision.resource, []);
      resources.get(decision.resource).push(decision);
    }
    for (const [name, decisions] of resources) {
      const link = make("a", { class: "resource", href: `#file-${file.number}` }, make("span", { text: name }),
        make("span", { class: "count", text: String(decisions.length) }));
      link.addEventListener("click", (event) => { event.preventDefault(); reveal(file, decisions[0].row); });
      links.push(link);
    }
  }
  document.getElementById("tree").replaceChildren(...links);
}

// The element of a row, put on the page if it is not there yet.
function reveal(file, at) {
  const chunk = file.chunkOf.get(at);
  if (!chunk) return file.section.scrollIntoView();
  fill(chunk);
  const row = file.rows[at];
  const decision = shownAt(file, at)[0];
  const element = isHunk(row) ? row.element : decision && decision.element;
  document.querySelectorAll(".current").forEach((old) => old.classList.remove("current"));
  if (!element) return chunk.scrollIntoView({ block: "center" });
  element.classList.add("current");
  element.scrollIntoView({ block: "center" });
}

function findStops() {
  state.stops = [];
  state.at = -1;
  for (const file of data.files) {
    const rows = new Set(file.decisions.filter((decision) => isShown(decision.kind)).map((decision) => decision.row));
    if (isShown("conflict")) file.hunks.forEach((at) => rows.add(at));
    for (const at of [...rows].sort((one, other) => one - other)) state.stops.push({ file, at });
  }
}

function go(step, isWanted) {
  for (let at = state.at + step; at >= 0 && at < state.stops.length; at += step) {
    const stop = state.stops[at];
    if (!isWanted(stop)) continue;
    state.at = at;
    reveal(stop.file, stop.at);
    return;
  }
}

function withHunk(act) {
  const stop = state.stops[state.at];
  const row = stop && stop.file.rows[stop.at];
  if (row && isHunk(row)) act(stop.file, row);
}

const KEYS = {
  j: () => go(1, () => true),
  k: () => go(-1, () => true),
  n: () => go(1, (stop) => isHunk(stop.file.rows[stop.at])),
  p: () => go(-1, (stop) => isHunk(stop.file.rows[stop.at])),
  1: () => withHunk((file, hunk) => choose(file, hunk, "ours")),
  2: () => withHunk((file, hunk) => choose(file, hunk, "theirs")),
  3: () => withHunk((file, hunk) => { if (hunk.hunk[1]) choose(file, hunk, "base"); }),
  e: () => withHunk(edit),
  u: () => withHunk((file, hunk) => choose(file, hunk, undefined)),
  v: () => { state.wide = !state.wide; show(); },
  "?": () => document.getElementById("help").showModal(),
};

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("textarea, input, dialog")) return;
  const act = KEYS[event.key];
  if (!act) return;
  event.preventDefault();
  act();
});

function show() {
  const main = document.getElementById("files");
  watcher.disconnect();
  main.classList.toggle("side-by-side", state.wide);
  main.replaceChildren(...data.files.map(fileElement));
  const layout = document.getElementById("layout");
  layout.textContent = state.wide ? "One column" : "Side by side";
  findStops();
  showFilters();
  showCounts();
}

document.getElementById("title").textContent = data.labels.title;
document.title = `${data.labels.title} – kmerge review`;
document.getElementById("layout").addEventListener("click", KEYS.v);
document.getElementById("help-button").addEventListener("click", KEYS["?"]);
const done = document.getElementById("done");
done.hidden = !data.serves;
done.addEventListener("click", async () => {
  await fetch("done", { method: "POST" }).catch(() => undefined);
  document.getElementById("summary").textContent = "Done. You can close this page.";
  done.hidden = true;
});
showTree();
show();
