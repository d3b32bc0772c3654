// The pictures, by D3's modules. Each has a table behind it, which main.js makes.
import { select } from "d3-selection";
import { scaleLinear, scaleUtc } from "d3-scale";
import { axisBottom, axisLeft } from "d3-axis";
import { zoom, zoomIdentity, zoomTransform } from "d3-zoom";
import { line, curveStepAfter } from "d3-shape";
import { forceSimulation, forceLink, forceManyBody, forceX, forceY } from "d3-force";
import { h, fill, number } from "./dom.js";

/// The families of events, and how a type's name begins.
export const families = [
  ["people", /^(Profile|Account|BaseLocation|Sport|Send|WeeklyGoal|Premium)/],
  ["follows", /^(UserFollowed|UserUnfollowed)/],
  ["friends, blocks", /^(Friend|User(Blocked|Unblocked)|Block)/],
  ["workouts", /^Workout/],
  ["chups, comments", /^(Chup|BigChup|Comment|Heart|Reaction)/],
  ["groups, messages", /./],
];
export const familyOf = (type) => families.findIndex(([, pattern]) => pattern.test(type));

const day = 86_400_000;

/// Events by family over time, with the revision as a line, and bookmarks; zoomed by wheel, pinch
/// and keys, and moved by dragging; a click goes there.
export class EventsPicture {
  constructor(place, { tracks, family, bookmarks, onseek, onzoom }) {
    Object.assign(this, { place, tracks, family, bookmarks, onseek, onzoom });
    this.only = null;
    this.height = 150;
    this.margin = { left: 44, right: 8, top: 8, bottom: 22 };
    const svg = select(place).append("svg").attr("role", "img");
    this.svg = svg;
    svg.append("title");
    this.bars = svg.append("g");
    this.x = svg.append("g").attr("class", "axis");
    this.y = svg.append("g").attr("class", "axis");
    this.marks = svg.append("g").attr("class", "marks");
    this.cursor = svg.append("line").attr("class", "cursor");
    const { times, events } = tracks;
    this.first = events ? times[0] : 0;
    this.last = events ? Math.max(times[events - 1], this.first + 1) : 1;
    this.zoom = zoom().scaleExtent([1, Math.max(1, (this.last - this.first) / 60_000)])
      .on("zoom", () => {
        this.transform = zoomTransform(svg.node());
        this.draw();
        const [from, until] = this.scale().domain().map((date) => date.getTime());
        onzoom(from, until, this.transform.k === 1);
      });
    this.transform = zoomIdentity;
    svg.call(this.zoom).on("dblclick.zoom", null);
    svg.node().addEventListener("click", (event) => {
      const box = svg.node().getBoundingClientRect();
      onseek(this.scale().invert(event.clientX - box.left).getTime());
    });
    this.legend = h("p", { class: "legend" }, families.map(([name], i) =>
      h("span", {}, h("i", { class: `f${i}` }), name)),
      h("button", { onclick: () => this.by(2) }, "Zoom in"),
      h("button", { onclick: () => this.by(0.5) }, "Zoom out"),
      h("button", { onclick: () => svg.call(this.zoom.transform, zoomIdentity) }, "All"));
    place.append(this.legend);
    new ResizeObserver(() => this.draw()).observe(place);
  }

  by(factor) { this.svg.call(this.zoom.scaleBy, factor); }

  /// Shows a part of time only.
  show(from, until) {
    if (!(until > from)) return this.svg.call(this.zoom.transform, zoomIdentity);
    const k = Math.min((this.last - this.first) / (until - from),
      this.zoom.scaleExtent()[1]);
    const [start] = this.base().range();
    const x = this.base()(from);
    this.svg.call(this.zoom.transform, zoomIdentity.translate(start - x * k, 0).scale(k));
  }

  base() {
    const width = this.place.clientWidth || 600;
    return scaleUtc([this.first, this.last], [this.margin.left, width - this.margin.right]);
  }

  scale() { return this.transform.rescaleX(this.base()); }

  /// How many events of each family there are in each of the bins that are seen.
  bins() {
    const scale = this.scale();
    const [from, until] = scale.domain().map((date) => date.getTime());
    const [left, right] = scale.range();
    const count = Math.max(8, Math.min(160, Math.floor((right - left) / 6)));
    const bins = Array.from({ length: count }, () => new Uint32Array(families.length));
    const { times, types, events } = this.tracks;
    const add = (i) => {
      const at = times[i];
      if (at < from || at > until) return;
      const bin = Math.min(count - 1, Math.floor((at - from) / (until - from) * count));
      bins[bin][this.family[types[i]] ?? families.length - 1] += 1;
    };
    if (this.only) for (const seq of this.only) add(seq - 1);
    else for (let i = 0; i < events; i++) add(i);
    return { bins, from, until };
  }

  draw() {
    const width = this.place.clientWidth;
    if (!width) return;
    const { height, margin } = this;
    const scale = this.scale();
    const { bins, from, until } = this.bins();
    this.shown = { bins, from, until };
    const most = Math.max(1, ...bins.map((bin) => bin.reduce((a, b) => a + b, 0)));
    const y = scaleLinear([0, most], [height - margin.bottom, margin.top]);
    this.svg.attr("viewBox", `0 0 ${width} ${height}`).attr("width", width).attr("height", height);
    this.svg.select("title").text(`Events by family over time: at most ${most} at once`);
    const [left, right] = scale.range();
    const step = (right - left) / bins.length;
    const rects = [];
    bins.forEach((bin, i) => {
      let below = 0;
      bin.forEach((value, f) => {
        if (!value) return;
        rects.push({ x: left + i * step, y: y(below + value), h: y(below) - y(below + value), f });
        below += value;
      });
    });
    this.bars.selectAll("rect").data(rects).join("rect")
      .attr("class", (d) => `f${d.f}`).attr("x", (d) => d.x).attr("y", (d) => d.y)
      .attr("width", Math.max(1, step - 1)).attr("height", (d) => d.h);
    this.x.attr("transform", `translate(0,${height - margin.bottom})`)
      .call(axisBottom(scale).ticks(Math.max(2, width / 110)).tickSizeOuter(0));
    this.y.attr("transform", `translate(${margin.left},0)`).call(axisLeft(y).ticks(3));
    this.marks.selectAll("path").data(this.bookmarks).join("path")
      .attr("d", (d) => {
        const at = scale(this.tracks.times[Math.max(0, d.seq - 1)]);
        return `M${at},${margin.top}l-5,-7h10z`;
      });
    this.at(this.seq ?? 0);
  }

  /// Moves the line to a revision.
  at(seq) {
    this.seq = seq;
    const { times } = this.tracks;
    const x = this.scale()(seq > 0 ? times[seq - 1] : this.first);
    this.cursor.attr("x1", x).attr("x2", x).attr("y1", this.margin.top)
      .attr("y2", this.height - this.margin.bottom);
  }
}

/// A number over time, as steps.
export function valuePicture(place, points, { at, name, onseek }) {
  const [width, height] = [place.clientWidth || 600, 130];
  const margin = { left: 44, right: 12, top: 8, bottom: 22 };
  fill(place);
  if (points.length === 0) return;
  const x = scaleUtc([points[0].time, points[points.length - 1].time],
    [margin.left, width - margin.right]);
  const values = points.map((point) => point.value ?? 0);
  const y = scaleLinear(
    [values.reduce((a, b) => Math.min(a, b), 0), values.reduce((a, b) => Math.max(a, b), 1)],
    [height - margin.bottom, margin.top]).nice();
  const svg = select(place).append("svg").attr("viewBox", `0 0 ${width} ${height}`)
    .attr("width", width).attr("height", height).attr("role", "img");
  svg.append("title").text(`${name} over time: ${number(values[values.length - 1])} at the end`);
  svg.append("g").attr("class", "axis").attr("transform", `translate(0,${height - margin.bottom})`)
    .call(axisBottom(x).ticks(Math.max(2, width / 110)).tickSizeOuter(0));
  svg.append("g").attr("class", "axis").attr("transform", `translate(${margin.left},0)`)
    .call(axisLeft(y).ticks(4));
  svg.append("path").attr("class", "value").attr("d",
    line().x((d) => x(d.time)).y((d) => y(d.value ?? 0)).curve(curveStepAfter)(points));
  if (at) {
    svg.append("line").attr("class", "cursor").attr("x1", x(at)).attr("x2", x(at))
      .attr("y1", margin.top).attr("y2", height - margin.bottom);
  }
  if (onseek) {
    svg.node().addEventListener("click", (event) => {
      onseek(x.invert(event.clientX - svg.node().getBoundingClientRect().left).getTime());
    });
  }
}

/// Who follows whom and who are friends, on a canvas; up to a few thousand people. Where somebody
/// stands is kept from moment to moment.
export class GraphPicture {
  constructor(place, { onpick }) {
    this.place = place;
    this.canvas = h("canvas", { role: "img" });
    place.append(this.canvas, h("p", { class: "legend" },
      h("span", {}, h("i", { class: "follow" }), "follows"),
      h("span", {}, h("i", { class: "friend" }), "friends")));
    this.nodes = new Map();
    this.canvas.addEventListener("click", (event) => {
      const box = this.canvas.getBoundingClientRect();
      const [x, y] = [event.clientX - box.left, event.clientY - box.top];
      let best = null;
      for (const node of this.drawn ?? []) {
        const distance = Math.hypot(this.toX(node.x) - x, this.toY(node.y) - y);
        if (distance < 18 && (!best || distance < best.distance)) best = { node, distance };
      }
      if (best) onpick(best.node.id);
    });
    new ResizeObserver(() => this.draw()).observe(place);
  }

  /// - people: {id, name, degree}; links: {source, target, isFriend}, by id.
  show(people, links, picked) {
    this.picked = picked;
    const nodes = people.map((person) => {
      const node = this.nodes.get(person.id) ?? { id: person.id };
      this.nodes.set(person.id, Object.assign(node, person));
      return node;
    });
    const isNew = nodes.some((node) => node.x === undefined);
    const there = new Set(nodes.map((node) => node.id));
    this.links = links.filter((l) => there.has(l.source) && there.has(l.target))
      .map((l) => ({ ...l }));
    this.drawn = nodes;
    this.simulation?.stop();
    const many = nodes.length > 400;
    const simulation = forceSimulation(nodes)
      .force("charge", forceManyBody().strength(many ? -40 : -160).theta(many ? 1.2 : 0.9))
      .force("link", forceLink(this.links).id((node) => node.id).distance(60)
        .strength(many ? (l) => 0.3 / Math.min(l.source.degree, l.target.degree) : 0.25))
      .force("x", forceX(0).strength(0.06)).force("y", forceY(0).strength(0.12)).stop();
    this.simulation = simulation;
    // A few thousand people take some ten milliseconds a tick: they stay where they stand unless
    // there are new ones.
    const ticks = many ? (!isNew ? 0 : this.isLaidOut ? 3 : 40) : (isNew ? 160 : 20);
    this.isLaidOut = true;
    simulation.alpha(isNew && ticks > 3 ? 1 : 0.15).alphaDecay(1 - 0.02 ** (1 / Math.max(ticks, 1)));
    simulation.tick(ticks);
    this.draw();
  }

  toX(x) { return (x - this.box.x) * this.box.scale + this.box.left; }
  toY(y) { return (y - this.box.y) * this.box.scale + this.box.top; }

  draw() {
    const nodes = this.drawn;
    const width = this.place.clientWidth;
    if (!nodes || !width) return;
    const height = Math.min(440, Math.max(260, width * 0.6));
    const ratio = window.devicePixelRatio || 1;
    const { canvas } = this;
    canvas.width = width * ratio;
    canvas.height = height * ratio;
    canvas.style.width = `${width}px`;
    canvas.style.height = `${height}px`;
    const first = nodes.slice(0, 5).map((node) => node.name).join(", ");
    canvas.setAttribute("aria-label",
      `${nodes.length} people and ${this.links.length} follows and friendships`
      + (nodes.length ? `; the most followed: ${first}` : ""));
    const xs = nodes.map((n) => n.x), ys = nodes.map((n) => n.y);
    const pad = 36;
    const [x0, x1, y0, y1] = [xs.reduce((a, b) => Math.min(a, b), 0),
      xs.reduce((a, b) => Math.max(a, b), 1), ys.reduce((a, b) => Math.min(a, b), 0),
      ys.reduce((a, b) => Math.max(a, b), 1)];
    const scale = Math.min((width - 2 * pad) / (x1 - x0), (height - 2 * pad) / (y1 - y0), 1.6);
    this.box = { x: (x0 + x1) / 2, y: (y0 + y1) / 2, scale, left: width / 2, top: height / 2 };
    const style = getComputedStyle(document.documentElement);
    const colour = (name) => style.getPropertyValue(name).trim();
    const g = canvas.getContext("2d");
    g.scale(ratio, ratio);
    const many = nodes.length > 400;
    // Of thousands of lines only those show something that lead to the most followed, or to the one
    // who is picked.
    const labelled = new Set([...nodes].sort((a, b) => b.degree - a.degree).slice(0, many ? 12 : 60));
    const isDrawn = (l) => !many || l.source.id === this.picked || l.target.id === this.picked
      || (this.picked < 0 && labelled.has(l.source) && labelled.has(l.target));
    for (const isFriend of [false, true]) {
      g.strokeStyle = colour(isFriend ? "--friend" : "--follow");
      g.globalAlpha = 0.6;
      g.lineWidth = isFriend ? 2 : 1;
      g.beginPath();
      for (const l of this.links) {
        if (l.isFriend !== isFriend || !isDrawn(l)) continue;
        const [ax, ay] = [this.toX(l.source.x), this.toY(l.source.y)];
        const [bx, by] = [this.toX(l.target.x), this.toY(l.target.y)];
        g.moveTo(ax, ay);
        g.lineTo(bx, by);
        if (!isFriend && !many) {
          const angle = Math.atan2(by - ay, bx - ax);
          const [ex, ey] = [bx - 8 * Math.cos(angle), by - 8 * Math.sin(angle)];
          g.moveTo(ex, ey);
          g.lineTo(ex - 6 * Math.cos(angle - 0.4), ey - 6 * Math.sin(angle - 0.4));
          g.moveTo(ex, ey);
          g.lineTo(ex - 6 * Math.cos(angle + 0.4), ey - 6 * Math.sin(angle + 0.4));
        }
      }
      g.stroke();
    }
    g.globalAlpha = 1;
    g.font = "12px system-ui, sans-serif";
    g.textAlign = "center";
    const names = [];
    for (const node of nodes) {
      const [x, y] = [this.toX(node.x), this.toY(node.y)];
      const size = many ? 1 + Math.min(9, Math.sqrt(node.degree) / 3)
        : 5 + Math.min(8, Math.sqrt(node.degree));
      g.fillStyle = colour(node.id === this.picked ? "--mark" : "--node");
      g.beginPath();
      g.arc(x, y, node.id === this.picked ? size + 2 : size, 0, 7);
      g.fill();
      if (labelled.has(node) || node.id === this.picked) names.push([node.name, x, y - size - 4]);
    }
    g.lineWidth = 3;
    g.strokeStyle = colour("--panel");
    g.fillStyle = colour("--text");
    for (const [name, x, y] of names) {
      g.strokeText(name.slice(0, 16), x, y);
      g.fillText(name.slice(0, 16), x, y);
    }
  }
}

export const startOfDay = (time) => Math.floor(time / day) * day;
export { day };
