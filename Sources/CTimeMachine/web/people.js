// The people as of the moment: cards, the graph, what one of them sees, numbers over time.
import { $, h, fill, said, number, counted, words, table } from "./dom.js";
import { ask } from "./core.js";
import { state, log, time, stamp, viewer, refresh, pick, eventLink, pathLink } from "./main.js";
import { valuePicture } from "./pictures.js";

/// How many people are drawn, the most followed first.
const most = 2000;

/// Who has an account, and which follows and friendships there are, at a revision.
export function society(seq) {
  const { all, count } = log.tracks;
  const people = new Map();
  const links = [];
  const person = (id) => {
    if (!people.has(id)) {
      people.set(id, { id, name: log.users[id], followers: 0, following: 0, friends: 0,
        degree: 0, isOpen: false });
    }
    return people.get(id);
  };
  for (let i = 0; i < count; i++) {
    const at = i * 5;
    if (all[at + 3] > seq) break;
    if (all[at + 4] !== 0 && all[at + 4] <= seq) continue;
    const [kind, a, b] = [all[at], all[at + 1], all[at + 2]];
    if (kind === 0) { person(a).isOpen = true; continue; }
    links.push({ source: a, target: b, isFriend: kind === 2 });
    const [one, other] = [person(a), person(b)];
    one.degree += 1;
    other.degree += 1;
    if (kind === 1) { one.following += 1; other.followers += 1; }
    else { one.friends += 1; other.friends += 1; }
  }
  const sorted = [...people.values()].sort((a, b) =>
    b.followers - a.followers || (a.name < b.name ? -1 : 1));
  return { people: sorted, links };
}

export const query = (name, input = {}, caller = viewer()) =>
  ask("query", { do: name, with: input, at: state.r, ...caller });

export async function showPeople(graph, isCurrent) {
  const { people, links } = society(state.r);
  const picked = log.users.indexOf(state.who);
  let shown = people;
  if (state.near && picked >= 0) {
    const near = new Set([picked]);
    for (const link of links) {
      if (link.source === picked) near.add(link.target);
      if (link.target === picked) near.add(link.source);
    }
    shown = people.filter((person) => near.has(person.id));
  }
  graph.show(shown.slice(0, most), links, picked);
  fill($("table-graph"), table(shown, [
    ["person", (row) => h("button", { class: "link", onclick: () => pick(row.name) },
      said(row.name, 60))],
    ["followers", (row) => number(row.followers)], ["follows", (row) => number(row.following)],
    ["friends", (row) => number(row.friends)]],
  `${number(people.length)} people and ${number(links.length)} follows and friendships at `
    + `revision ${state.r}`));
  const wanted = shown.filter((person) => person.id !== picked).slice(0, picked >= 0 ? 5 : 6)
    .map((person) => person.name);
  if (picked >= 0) wanted.unshift(state.who);
  const cards = [];
  for (const user of wanted) {
    const { result, message } = await query("GetProfile", { user });
    if (!isCurrent()) return;
    cards.push(card(user, result, message));
  }
  fill($("cards"), cards);
}

function card(user, profile, message) {
  const name = h("button", { class: "link", onclick: () => pick(user) }, said(user, 60));
  const about = { class: user === state.who ? "card picked" : "card" };
  if (!profile) return h("div", about, name, h("p", { class: "faint" }, said(message)));
  const linked = (kind, count, text) => count === null || count === undefined ? null
    : [pathLink(`${kind}/${quoted(user)}.count`, text), " "];
  return h("div", about,
    h("strong", {}, profile.handle ? said(`@${profile.handle}`) : "no handle"), " ",
    profile.displayName ? said(profile.displayName, 80) : null, h("br"), name,
    profile.isPublic ? null : h("span", { class: "faint" }, " private"),
    profile.bio ? h("p", {}, said(profile.bio, 200)) : null,
    h("p", {}, linked("followers", profile.followerCount, counted(profile.followerCount, "follower")),
      linked("following", profile.followingCount, `follows ${profile.followingCount}`),
      linked("friends", profile.friendCount, counted(profile.friendCount, "friend"))),
    profile.relationship && profile.relationship !== "none"
      ? h("p", { class: "faint" }, profile.relationship) : null);
}

/// An id as paths have it.
export const quoted = (id) => /^[A-Za-z0-9_-]+$/.test(id) ? id : `"${id.replaceAll('"', '""')}"`;

const tabs = {
  feed: ["GetFeed", { limit: 20 }], workouts: ["GetFeed", { limit: 50 }],
  friends: ["GetFriends", {}], notifications: ["GetNotifications", {}],
  messages: ["GetConversations", {}],
};

/// A feed, friends, notifications or messages, as the person picked has them.
export async function showSelf(isCurrent) {
  for (const tab of Object.keys(tabs)) {
    $(`show-${tab}`).setAttribute("aria-selected", String(state.show === tab));
  }
  const who = state.who;
  if (!who) {
    await showConversation(isCurrent);
    return fill($("shown"), h("p", { class: "faint" }, "Pick a person in the graph, or by name."));
  }
  const [name, input] = tabs[state.show] ?? tabs.feed;
  const wanted = state.show === "workouts" ? { ...input, owner: who } : input;
  const { result, message } = await query(name, wanted, { as: who });
  if (!isCurrent()) return;
  if (!result) {
    fill($("shown"), h("p", { class: "faint" }, said(message)));
    return showConversation(isCurrent);
  }
  if (state.show === "feed" || state.show === "workouts") {
    fill($("shown"), result.length ? result.map(item) : "Nothing yet.");
  } else if (state.show === "friends") {
    fill($("shown"), h("div", {}, result.length
      ? result.map((row) => card(row.user, row)) : "No friends yet."));
  } else if (state.show === "notifications") {
    fill($("shown"), table(result, [["time", (row) => row.time], ["kind", (row) => row.kind],
      ["by", (row) => row.user ? said(row.user, 60) : "–"],
      ["about", (row) => said(row.text ?? row.workout ?? row.group ?? "", 100)],
      ["read", (row) => row.unread ? "no" : "yes"]], `notifications of ${who}`));
  } else {
    fill($("shown"), result.length ? result.map(talk) : "No messages yet.");
  }
  await showConversation(isCurrent);
}

function item(row) {
  return h("article", { class: "item" },
    h("strong", {}, said(row.displayName ?? row.handle ?? row.owner, 80)), " ",
    said([row.workoutType, row.totalTime, row.totalDistance ? `${number(row.totalDistance)} m` : null]
      .filter(Boolean).join(", "), 120),
    h("div", { class: "faint" }, row.date, " ", row.audience),
    row.text ? h("p", {}, said(row.text)) : null,
    h("button", { class: "link", onclick: () => converse(row.workout) },
      `${counted(row.chupCount, "chup")}, ${counted(row.commentCount, "comment")}`), " ",
    pathLink(`workout/${quoted(row.workout)}`));
}

function talk(row) {
  return h("article", { class: "item" },
    h("button", { class: "link", onclick: () => converse(`talk/${row.other.user}`) },
      said(row.other.user, 60)),
    h("p", {}, said(row.lastMessage?.text ?? "", 200)),
    row.unread ? `${row.unread} unread` : null);
}

/// - what: a workout's id, or `talk/` and a user's: the messages with them.
function converse(what) {
  state.item = what;
  return refresh();
}

/// The comments and chups of a workout, as the viewer sees them; or messages of the person picked.
async function showConversation(isCurrent) {
  if (!state.item) return fill($("conversation"));
  if (state.item.startsWith("talk/")) return showMessages(state.item.slice(5), isCurrent);
  const [comments, chups] = [await query("GetComments", { workout: state.item }),
    await query("GetChups", { workout: state.item })];
  if (!isCurrent()) return;
  if (!comments.result) {
    return fill($("conversation"), h("h3", {}, said(state.item, 60)), h("p", {},
      said(comments.message)));
  }
  fill($("conversation"), h("h3", {}, "About ", said(state.item, 60)),
    h("p", {}, counted(chups.result.count, "chup"), chups.result.users.length ? ": " : "",
      said(chups.result.users.map((row) => row.handle ?? row.user).join(", "))),
    comments.result.map((row) => h("div", { class: "item" },
      h("strong", {}, said(row.handle ?? row.user, 60)), " ",
      h("span", { class: "faint" }, row.time, row.replyTo ? ` in reply to ${row.replyTo}` : ""),
      h("p", {}, said(row.text)), row.hearts ? counted(row.hearts, "heart") : null)));
}

async function showMessages(other, isCurrent) {
  const { result, message } = await query("GetMessages", { with: other }, { as: state.who });
  if (!isCurrent()) return;
  fill($("conversation"), h("h3", {}, said(state.who, 60), " and ", said(other, 60)),
    result ? result.toReversed().map((row) => h("p", {}, h("strong", {}, said(row.sender, 60)), " ",
      said(row.text), " ", eventLink(row.position, `event ${row.position}`)))
      : h("p", {}, said(message)));
}

const week = 7 * 86_400_000;
/// The Monday, 0:00 UTC, of a time's week; 1970 began on a Thursday.
const monday = (at) => Math.floor((at - 4 * 86_400_000) / week) * week + 4 * 86_400_000;

let plotted = null;

/// Plots a number of somebody, which stays until another is asked for.
export async function plotNumber(isCurrent, onseek) {
  const [kind, whom] = [$("number").value, $("whom").value.trim() || state.who];
  if (!whom) throw new Error("enter the id of a person");
  $("whom").value = whom;
  let points;
  if (kind === "workouts") {
    points = weeks(whom);
  } else {
    const { rows } = await ask("history", { path: `${kind}/${quoted(whom)}.count` });
    points = rows.map((row) => ({ time: time(row.seq), value: row.after ?? 0, seq: row.seq }));
  }
  if (!isCurrent()) return;
  if (points.length === 0) throw new Error(`${whom} has no numbers to plot`);
  const name = `${$("number").selectedOptions[0].textContent} ${whom}`;
  const end = Math.max(time(log.seq), points.at(-1).time);
  plotted = { of: log.tracks, name, onseek,
    points: [...points, { time: end, value: points.at(-1).value }] };
  drawNumber();
  fill($("table-number"), table(points, [
    ["time", (row) => stamp(row.time)], ["value", (row) => words(row.value)],
    ["event", (row) => row.seq ? eventLink(row.seq) : "–"]], name));
}

/// Draws it as of the moment.
export function drawNumber() {
  if (plotted?.of !== log.tracks) return;
  const { points, name, onseek } = plotted;
  valuePicture($("plot-number"), points, { at: time(state.r), name, onseek });
}

/// How many workouts somebody shared in each week, by when it was recorded.
function weeks(whom) {
  const [person, type] = [log.users.indexOf(whom), log.types.indexOf("WorkoutShared")];
  const counts = new Map();
  const { times, actors, types } = log.tracks;
  times.forEach((at, i) => {
    if (actors[i] !== person || types[i] !== type) return;
    counts.set(monday(at), (counts.get(monday(at)) ?? 0) + 1);
  });
  if (counts.size === 0) return [];
  const [first, last] = [Math.min(...counts.keys()), Math.max(...counts.keys())];
  const points = [];
  for (let at = first; at <= last; at += week) points.push({ time: at, value: counts.get(at) ?? 0 });
  return points;
}
