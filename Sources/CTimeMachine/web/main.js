// The page: what is shown of which moment, and what the keys and clicks do.
import { $, h, fill, said, number, words, table } from "./dom.js";
import { ask, figures, open, settings, tracks as loadTracks } from "./core.js";
import { EventsPicture, GraphPicture, valuePicture, families, familyOf, day, startOfDay }
  from "./pictures.js";
import { showPeople, showSelf, plotNumber, drawNumber } from "./people.js";

/// What the page shows; the address holds it, so that a link shows the same.
export const state = {
  r: 0, path: "", as: "service", who: "", tab: "history", show: "feed", item: "", only: false,
  near: false, type: "", zoom: "", from: "", to: "", under: "" };
const kept = Object.keys(state);
const usual = { as: "service", tab: "history", show: "feed" };
/// The fields that hold a part of the state as it is.
const fields = { path: "path", viewer: "as", person: "who", type: "type", from: "from", to: "to",
  under: "under" };

export const log = { seq: 0, tracks: null, users: [], types: [], family: [], only: null };
let picture, graph, playing, turn = 0, stops = { of: null, seqs: [], rows: [] };

export const time = (seq) => seq > 0 ? log.tracks.times[seq - 1] : log.tracks.times[0] ?? 0;
export const stamp = (at) => new Date(at).toISOString();

/// Who asks, as questions have it.
export function viewer() {
  if (state.as === "service") return { as: "page", service: true };
  return state.as === "nobody" ? {} : { as: state.as };
}

const fail = (error) => { $("error").hidden = false; fill($("error"), said(error.message)); };
const clear = () => { $("error").hidden = true; };

/// What is shown is always of the state asked for last: answers that come too late are dropped.
async function showing(body) {
  const mine = ++turn;
  clear();
  try { await body(() => mine === turn); } catch (error) { if (mine === turn) fail(error); }
  if (mine === turn) document.body.dataset.shown = location.hash;
}

function readAddress() {
  const items = new URLSearchParams(location.hash.slice(1));
  for (const name of kept) {
    if (name === "r" && !items.has(name)) continue;
    const text = items.get(name) ?? usual[name] ?? "";
    state[name] = typeof state[name] === "boolean" ? text === "1" : text;
  }
  if (!log.types.includes(state.type)) state.type = "";
  state.r = Math.max(0, Math.min(log.seq, Number.parseInt(state.r, 10) || 0));
}

function writeAddress() {
  const items = new URLSearchParams();
  for (const name of kept) {
    const value = state[name];
    if (name === "r" || (value !== "" && value !== false && value !== usual[name])) {
      items.set(name, value === true ? "1" : String(value));
    }
  }
  const hash = "#" + items.toString().replaceAll("%2F", "/");
  if (location.hash !== hash) history.replaceState(null, "", hash);
}

export function pathLink(path, text = path) {
  return h("button", { class: "link", onclick: () => watch(path) }, said(text, 120));
}

export function eventLink(seq, text = String(seq)) {
  return h("button", { class: "link", onclick: () => seek(Number(seq)) }, text);
}

/// Goes to a revision.
export function seek(seq) {
  if (!log.tracks) return undefined;
  state.r = Math.max(0, Math.min(log.seq, seq));
  return refresh();
}

function watch(path) {
  state.path = path.trim();
  $("path").value = state.path;
  return refresh();
}

export function pick(user) {
  if (state.who !== user && state.item.startsWith("talk/")) state.item = "";
  state.who = user;
  $("person").value = user;
  return filter().then(refresh);
}

/// Shows the state: the parts that are quick first.
export function refresh() {
  return showing(async (isCurrent) => {
    writeAddress();
    $("scrubber").value = state.r;
    $("scrubber").setAttribute("aria-valuetext", `revision ${state.r} of ${log.seq}`);
    $("revision").value = state.r;
    fill($("moment"), state.r === 0 ? "Revision 0: the empty log"
      : `Revision ${state.r} of ${log.seq}, ${stamp(time(state.r))}`);
    picture.at(state.r);
    let wrong;
    try { await showWatched(isCurrent); } catch (error) { wrong = error; }
    if (!isCurrent()) return;
    if (wrong) {
      fill($("watched"), "–");
      fill($("plot-value"));
      fill($("about"));
      fail(wrong);
    }
    await showEvent(isCurrent);
    if (!isCurrent()) return;
    if (!playing || playing.ticks % 5 === 0) {
      await showPeople(graph, isCurrent);
      if (isCurrent()) await showSelf(isCurrent);
      if (isCurrent()) drawNumber();
    }
  });
}

// The event.

async function showEvent(isCurrent) {
  if (state.r === 0) return fill($("event-body"), "Before the first event.");
  const found = await ask("event", { at: state.r });
  if (!isCurrent()) return;
  const line = JSON.parse(found.line);
  fill($("event-body"),
    h("h3", {}, `${line.seq}  `, said(line.type)),
    h("dl", {}, [["time", line.time], ["actor", line.actor], ["stream", `${line.stream} @ ${line.rev}`],
      ...Object.entries(line.data)].flatMap(([name, value]) => [h("dt", {}, said(name, 60)),
      h("dd", {}, said(typeof value === "object" ? JSON.stringify(value) : String(value)))]),
    found.cause ? [h("dt", {}, "cause"), h("dd", {}, eventLink(found.cause, `event ${found.cause}`))]
      : []),
    found.changed.length === 0 ? h("p", {}, "It changed nothing.")
      : table(found.changed, [["changed", (row) => pathLink(row.path)],
        ["how", (row) => said(row.words, 200)]], "Changes by this event"),
    h("details", {}, h("summary", {}, "The line in the log"),
      h("pre", {}, said(found.line, 20_000)),
      h("p", {}, `Its checksum ${line.sum} is correct: the XXH64 of these bytes, `
        + `seeded with ${found.previous}, the checksum of the line before.`)));
}

// What is watched.

// A path has neither spaces nor signs outside of quotes; a condition has.
const isCondition = (text) => /[=<>!()&|\s]/.test(text.trim().replace(/"[^"]*"/g, ""));

async function showWatched(isCurrent) {
  const path = state.path;
  for (const tab of ["history", "why", "blame", "facts"]) {
    $(`tab-${tab}`).setAttribute("aria-selected", String(state.tab === tab));
    $(`tab-${tab}`).disabled = path !== "" && isCondition(path) && tab !== "history";
  }
  if (!path) {
    stops = { of: null, seqs: [], rows: [] };
    fill($("watched"), "–");
    fill($("plot-value"));
    return fill($("about"), h("p", { class: "faint" },
      "Write a path, such as followers/USER.count, or click a value anywhere."));
  }
  if (stops.of !== path) await loadStops(path);
  if (!isCurrent()) return;
  const now = valueAt(state.r);
  if (isCondition(path)) fill($("watched"), String(now));
  else {
    const found = await ask("facts", { path, at: state.r });
    if (!isCurrent()) return;
    fill($("watched"), "value" in found ? said(words(found.value), 120)
      : `${found.rows.length} values`);
    stops.facts = found.rows;
  }
  drawValue();
  try {
    await showAbout(isCurrent);
  } catch (error) {
    if (isCurrent()) fill($("about"), h("p", { role: "alert" }, said(error.message, 300)));
  }
}

/// When what is watched changes, for the steps from change to change, and its values.
async function loadStops(path) {
  stops = { of: null, seqs: [], rows: [] };
  if (isCondition(path)) {
    const found = await ask("watch", { expression: path });
    if (state.path !== path) return;
    stops = { of: path, seqs: found.rows.map((row) => row.seq), rows: found.rows,
      starts: found.startsTrue, isCondition: true };
    return;
  }
  let rows = [];
  try { rows = (await ask("history", { path })).rows; } catch (error) {
    if (!/is the state of many/.test(error.message)) throw error;
  }
  if (state.path !== path) return;
  stops = { of: path, seqs: [...new Set(rows.map((row) => row.seq))], rows };
}

function valueAt(seq) {
  const last = stops.rows.findLast((row) => row.seq <= seq);
  if (stops.isCondition) return last ? last.becomes : stops.starts;
  return last?.after ?? null;
}

function drawValue() {
  // Of several values there is no one course.
  if (stops.rows.some((row) => row.path)) return fill($("plot-value"));
  const points = stops.rows.filter((row) => stops.isCondition || typeof row.after === "number"
    || (row.after === null && typeof row.before === "number")).map((row) => ({
    time: time(row.seq), value: stops.isCondition ? Number(row.becomes) : row.after }));
  if (points.length < 2) return fill($("plot-value"));
  points.push({ time: time(log.seq), value: points[points.length - 1].value });
  valuePicture($("plot-value"), points, { at: time(state.r), name: state.path,
    onseek: (at) => seek(seqAt(at)) });
}

const causes = [["event", (row) => eventLink(row.seq)], ["time", (row) => row.time],
  ["actor", (row) => said(row.actor, 60)], ["type", (row) => said(row.type, 60)]];

const change = (row) => row.added || row.removed
  ? [...(row.added ?? []).map((item) => `+${item}`), ...(row.removed ?? []).map((item) => `−${item}`)]
    .join(" ")
  : `${words(row.before)} → ${words(row.after)}`;

async function showAbout(isCurrent) {
  const members = { path: state.path, at: state.r };
  let made;
  if (stops.isCondition) {
    made = table(stops.rows, [...causes, ["becomes", (row) => String(row.becomes)]],
      `events at which ${state.path} becomes true or false; initially ${stops.starts}`);
  } else if (state.tab === "facts") {
    made = table(stops.facts, [["path", (row) => pathLink(row.path)],
      ["value", (row) => said(words(row.value), 300)]], `as of revision ${state.r}`);
  } else if (state.tab === "history") {
    const rows = stops.rows.filter((row) => row.seq <= state.r);
    const path = rows.some((row) => row.path) ? [["path", (row) => pathLink(row.path)]] : [];
    made = table(rows.toReversed(), [...causes, ...path, ["change", (row) => said(change(row), 300)]],
      `changes up to revision ${state.r}, latest first`);
  } else if (state.tab === "why") {
    const found = await ask("why", members);
    made = table(found.rows, [["role", (row) => row.role], ...causes,
      ["change", (row) => said(row.change, 200)],
      ["undone by", (row) => row.undoneBy ? eventLink(row.undoneBy) : "–"],
      ["cause", (row) => typeof row.cause === "number" ? eventLink(row.cause) : row.cause ?? "–"]],
    `${words(found.value)} as of revision ${state.r}, because`);
  } else {
    made = table((await ask("blame", members)).rows, [...causes,
      ["path", (row) => pathLink(row.path)], ["value", (row) => said(words(row.value), 300)]],
    `the event that last set each value, as of revision ${state.r}`);
  }
  if (isCurrent()) fill($("about"), made);
}

// Steps.

/// The last event at or before a time.
function seqAt(at) {
  const { times } = log.tracks;
  let [low, high] = [0, log.seq];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (times[middle] <= at) low = middle + 1; else high = middle;
  }
  return low;
}

/// The next position of a list after or before another.
const after = (list, seq) => list.find((at) => at > seq);
const before = (list, seq) => list.findLast((at) => at < seq);

function step(direction) {
  if (log.only) {
    const next = direction > 0 ? after(log.only, state.r) : before(log.only, state.r);
    return next === undefined ? false : (seek(next), true);
  }
  const next = state.r + direction;
  return next < 0 || next > log.seq ? false : (seek(next), true);
}

function stepDay(direction) {
  if (direction > 0) {
    const next = seqAt(startOfDay(time(state.r)) + day * (state.r === 0 ? 1 : 2) - 1);
    return seek(Math.max(next, Math.min(state.r + 1, log.seq)));
  }
  return seek(seqAt(startOfDay(time(state.r)) - 1));
}

function stepChange(direction) {
  const next = direction > 0 ? after(stops.seqs, state.r) : before(stops.seqs, state.r);
  if (next === undefined) {
    return fail(new Error(stops.of ? `${stops.of} does not change `
      + (direction > 0 ? "after this revision" : "before this revision")
      : "enter a path or condition under Watch first"));
  }
  return seek(next);
}

function play(isOn = !playing) {
  if (playing) clearInterval(playing.timer);
  playing = null;
  if (isOn) {
    if (state.r >= (log.only?.at(-1) ?? log.seq)) state.r = 0;
    playing = { ticks: 0 };
    const speed = () => Number($("speed").value);
    const interval = () => Math.max(1000 / speed(), 100);
    playing.timer = setInterval(() => {
      playing.ticks += 1;
      if (document.getElementById("busy").textContent) return;
      const jump = Math.max(1, Math.round(speed() * interval() / 1000));
      for (let i = 1; i < jump; i++) {
        if (!log.only && state.r < log.seq - 1) state.r += 1;
      }
      if (!step(1)) play(false);
    }, interval());
  }
  $("play").setAttribute("aria-pressed", String(!!playing));
  $("play").textContent = playing ? "❚❚ Pause" : "▶ Play";
  if (!playing && picture) refresh();
}

/// Shows the state in the fields.
function showFields() {
  for (const [id, name] of Object.entries(fields)) $(id).value = state[name];
  $("only").checked = state.only;
  $("near").checked = state.near;
  const [from, until] = state.zoom.split("-").map(Number);
  picture.show(from, until);
  compare();
}

/// Which events are shown and stepped through: of a type, or about a person.
async function filter() {
  log.only = null;
  const type = log.types.indexOf(state.type);
  if (type >= 0) {
    log.only = [];
    log.tracks.types.forEach((of, i) => { if (of === type) log.only.push(i + 1); });
  }
  if (state.only && state.who) {
    try {
      const mine = new Set((await ask("naming", { user: state.who })).seqs);
      const number = log.users.indexOf(state.who);
      log.tracks.actors.forEach((actor, i) => { if (actor === number) mine.add(i + 1); });
      log.only = log.only?.filter((seq) => mine.has(seq)) ?? [...mine].sort((a, b) => a - b);
    } catch (error) { fail(error); }
  }
  picture.only = log.only;
  picture.draw();
  tableOfEvents();
}

function tableOfEvents() {
  const { bins, from, until } = picture.shown ?? { bins: [] };
  const rows = bins.map((bin, i) => ({ bin, at: from + (until - from) * i / bins.length }))
    .filter(({ bin }) => bin.some((value) => value > 0));
  fill($("table-events"), table(rows, [
    ["from", (row) => stamp(row.at)],
    ...families.map(([name], i) => [name, (row) => number(row.bin[i])])],
  "Events by family over time"));
}

async function resolve(text) {
  const wanted = text.trim();
  const bookmark = settings.bookmarks.find((mark) => mark.name === wanted);
  return bookmark ? bookmark.seq : (await ask("resolve", { text: wanted })).seq;
}

/// Of answers to the same question only those to the last one are shown.
const turns = {};
function newest(name) {
  const mine = turns[name] = (turns[name] ?? 0) + 1;
  return () => turns[name] === mine;
}

async function compare() {
  const isCurrent = newest("compare");
  if (!state.from && !state.to && !state.under) return fill($("differences"));
  try {
    const [from, to] = [await resolve(state.from || "0"), await resolve(state.to || "HEAD")];
    const { under } = state;
    const { rows } = await ask("diff", { from, to, ...(under ? { path: under } : {}) });
    if (isCurrent()) fill($("differences"), table(rows, [["path", (row) => pathLink(row.path)],
      [`at ${from}`, (row) => said(words(row.before), 300)],
      [`at ${to}`, (row) => said(words(row.after), 300)]],
    `${number(rows.length)} differences from revision ${from} to ${to}`));
  } catch (error) { fail(error); }
}

async function search() {
  const isCurrent = newest("search");
  try {
    clear();
    const { seqs } = await ask("grep", { text: $("text").value });
    const rows = [];
    for (const seq of seqs.slice(0, 50)) {
      rows.push(JSON.parse((await ask("event", { at: seq })).line));
      if (!isCurrent()) return;
    }
    fill($("found"), table(rows, [["event", (row) => eventLink(row.seq)], ["time", (row) => row.time],
      ["actor", (row) => said(row.actor, 60)], ["type", (row) => said(row.type, 60)],
      ["data", (row) => said(JSON.stringify(row.data), 160)]],
    `${seqs.length === 1000 ? "at least 1,000" : number(seqs.length)} events`
      + (seqs.length > 50 ? ", the first 50" : "")));
  } catch (error) { fail(error); }
}

async function complete(input) {
  try {
    const { words: found } = await ask("complete", { text: input.value });
    fill($("paths"), found.slice(0, 60).map((word) => h("option", { value: word })));
  } catch { /* an unfinished path has no completions */ }
}

// Beginning.

async function load(bytes, name) {
  play(false);
  $("damage").hidden = true;
  await open(bytes, name);
  if (bytes) Object.assign(settings, { name, bookmarks: [], from: 0 });
  const head = await ask("head");
  log.seq = head.seq;
  log.types = head.types;
  log.family = head.types.map(familyOf);
  log.tracks = await loadTracks();
  log.users = log.tracks.users;
  log.only = null;
  stops = { of: null, seqs: [], rows: [] };
  document.title = `${settings.name} – time machine`;
  fill($("name"), said(settings.name, 100));
  fill($("summary"), `${number(head.seq)} events, ${number(figures.bytes)} bytes`
    + (head.seq > 0 ? `, up to ${head.time}` : ""));
  if (head.damage || head.tail) {
    $("damage").hidden = false;
    fill($("damage"), said(head.damage ?? `${head.tail} bytes after the last line are not an event`, 600),
      head.damage ? `. The ${number(head.seq)} events before it are shown.` : "");
  }
  fill($("viewers"), ["service", "nobody", ...log.users.slice(0, 2000)].map((user) =>
    h("option", { value: user })));
  fill($("bookmarks"), settings.bookmarks.map((mark) =>
    [", ", h("button", { class: "link", onclick: (e) => { e.preventDefault(); seek(mark.seq); } },
      said(mark.name))]));
  for (const id of ["plot-events", "graph", "plot-number", "table-number", "differences", "found"]) {
    fill($(id));
  }
  const there = new Set(log.tracks.types);
  fill($("type"), h("option", { value: "" }, "every type"), log.types
    .filter((_, i) => there.has(i)).map((type) => h("option", { value: type }, type)));
  picture = new EventsPicture($("plot-events"), {
    tracks: log.tracks, family: log.family, bookmarks: settings.bookmarks,
    onseek: (at) => seek(seqAt(at)),
    onzoom: (from, until, isWhole) => {
      state.zoom = isWhole ? "" : `${Math.round(from)}-${Math.round(until)}`;
      tableOfEvents();
      if (document.body.dataset.shown) writeAddress();
    } });
  graph = new GraphPicture($("graph"), { onpick: pick });
  $("scrubber").max = log.seq;
  Object.assign(state, { r: bytes ? log.seq : settings.revision ?? log.seq });
  if (bytes) history.replaceState(null, "", location.pathname);
  else if (!location.hash && settings.from > 0) {
    state.zoom = `${time(settings.from)}-${time(log.seq)}`;
  }
  const { zoom } = state;
  readAddress();
  if (!location.hash) Object.assign(state, { zoom, path: (bytes ? null : settings.watched) ?? "" });
  showFields();
  document.querySelector("main").inert = false;
  await filter();
  await refresh();
}

const on = (id, event, body) => $(id).addEventListener(event, (e) => {
  if (event === "submit") e.preventDefault();
  body(e);
});

on("first", "click", () => seek(0));
on("last", "click", () => seek(log.seq));
on("back", "click", () => step(-1));
on("forward", "click", () => step(1));
on("day-back", "click", () => stepDay(-1));
on("day-forward", "click", () => stepDay(1));
on("change-back", "click", () => stepChange(-1));
on("change-forward", "click", () => stepChange(1));
on("play", "click", () => play());
on("speed", "change", () => { if (playing) play(true); });
on("scrubber", "input", () => seek(Number($("scrubber").value)));
on("go", "submit", async () => {
  try { seek(await resolve($("revision").value)); } catch (error) { fail(error); }
});
on("watch-form", "submit", () => watch($("path").value));
for (const id of ["path", "under"]) on(id, "input", () => complete($(id)));
for (const tab of ["history", "why", "blame", "facts"]) {
  on(`tab-${tab}`, "click", () => { state.tab = tab; refresh(); });
}
for (const tab of ["feed", "workouts", "friends", "notifications", "messages"]) {
  on(`show-${tab}`, "click", () => { state.show = tab; refresh(); });
}
on("viewer", "change", () => {
  state.as = $("viewer").value.trim() || "service";
  $("viewer").value = state.as;
  refresh();
});
on("person", "change", () => pick($("person").value.trim()));
on("only", "change", () => { state.only = $("only").checked; filter().then(refresh); });
on("near", "change", () => { state.near = $("near").checked; refresh(); });
on("compare-form", "submit", () => {
  for (const id of ["from", "to", "under"]) state[id] = $(id).value.trim();
  if (!state.from && !state.to && !state.under) state.to = $("to").value = "HEAD";
  clear();
  writeAddress();
  compare();
});
on("type", "change", () => { state.type = $("type").value; filter().then(refresh); });
on("search-form", "submit", search);
const plot = () => plotNumber(newest("plot"), (at) => seek(seqAt(at))).catch(fail);
on("plot-form", "submit", plot);
on("number", "change", () => { if ($("whom").value) plot(); });

document.addEventListener("keydown", (event) => {
  if (!log.tracks || event.ctrlKey || event.metaKey || event.altKey) return;
  // Within a table that scrolls these keys scroll it.
  if (event.target.closest?.(".scroll") && event.target.tagName !== "BUTTON") return;
  if (/^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName) && event.target.type !== "range") return;
  const isButton = event.target.tagName === "BUTTON" || event.target.tagName === "SUMMARY";
  const actions = {
    ArrowLeft: () => step(-1), ArrowRight: () => step(1), PageUp: () => stepDay(-1),
    PageDown: () => stepDay(1), Home: () => seek(0), End: () => seek(log.seq),
    p: () => stepChange(-1), n: () => stepChange(1), ...(isButton ? {} : { " ": () => play() }) };
  const action = actions[event.key];
  if (!action) return;
  event.preventDefault();
  action();
});

async function openFile(file) {
  try {
    await load(new Uint8Array(await file.arrayBuffer()), file.name);
  } catch (error) {
    $("damage").hidden = false;
    fill($("damage"), said(file.name), ": ", said(error.message, 600));
  }
}
on("file", "change", () => { if ($("file").files[0]) openFile($("file").files[0]); });
document.addEventListener("dragover", (event) => {
  event.preventDefault();
  document.body.classList.add("dropping");
});
document.addEventListener("dragleave", () => document.body.classList.remove("dropping"));
document.addEventListener("drop", (event) => {
  event.preventDefault();
  document.body.classList.remove("dropping");
  if (event.dataTransfer.files[0]) openFile(event.dataTransfer.files[0]);
});
addEventListener("hashchange", () => {
  if (!picture) return;
  const old = { ...state };
  readAddress();
  if (kept.every((name) => old[name] === state[name])) return;
  showFields();
  filter().then(refresh);
});

/// For tests and the curious: the core's answers, as JSON.
globalThis.eventlog = { ask, figures, state };

load().catch((error) => {
  $("damage").hidden = false;
  fill($("damage"), said(error.message, 600));
});
