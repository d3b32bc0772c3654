// Elements are made of names and texts, never of markup: nothing that a log says is ever parsed.

export const $ = (id) => document.getElementById(id);

/// An element with attributes, `on…` handlers, and children that are elements or texts.
export function h(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return element;
}

export const fill = (element, ...children) => element.replaceChildren(
  ...children.flat().filter((child) => child !== null && child !== undefined));

const longest = 400;

/// A text that may be long or hostile: shortened, characters that turn or hide text made visible.
export function said(text, limit = longest) {
  const shown = [...String(text).slice(0, limit * 4)].slice(0, limit).join("");
  const safe = shown.replace(
    /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/g,
    (c) => `<${c.codePointAt(0).toString(16).toUpperCase().padStart(4, "0")}>`);
  const element = h("bdi", {}, safe);
  if (shown.length < String(text).length) element.append(` … (${String(text).length} characters)`);
  return element;
}

export const number = (value) => Number(value).toLocaleString("en-US");

/// `1 comment`, `2 comments`.
export const counted = (count, word) => `${number(count)} ${word}${count === 1 ? "" : "s"}`;

/// A value of the state, as words.
export function words(value) {
  if (value === null || value === undefined) return "none";
  if (Array.isArray(value)) return value.join(", ");
  return String(value);
}

/// A table of rows; a column is a heading and what makes a cell of a row.
export function table(rows, columns, caption, limit = 200) {
  const shown = rows.slice(0, limit);
  return h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": caption },
    h("table", {}, h("caption", {}, caption
      + (rows.length > limit ? ` (the first ${number(limit)} of ${number(rows.length)})` : "")),
      h("thead", {}, h("tr", {}, columns.map(([title]) => h("th", { scope: "col" }, title)))),
      h("tbody", {}, shown.map((row) =>
        h("tr", {}, columns.map(([, cell]) => h("td", {}, cell(row) ?? "")))))));
}
