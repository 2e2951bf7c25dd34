"use strict";
// Elements are made of texts, never of markup: nothing that a translator sent can run.

/** An element with attributes and children; texts become text nodes. A key of `on…` is a listener. */
function h(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [key, value] of Object.entries(attributes)) {
    if (value === undefined || value === null || value === false) continue;
    if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
    else element.setAttribute(key, value === true ? "" : value);
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== ""));
  return element;
}

// As in words.py.
const UNSEEN =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]|[\ud800-\udfff]/gu;

/** The text with what nobody sees written out: ⟨U+202E⟩. */
function visible(text) {
  return String(text).replace(UNSEEN, (found) => `⟨U+${found.codePointAt(0).toString(16).toUpperCase().padStart(4, "0")}⟩`);
}

/** A sentence; what stands between two backticks is code. As in markup.py. */
function prose(text) {
  return visible(text).split(/`([^`]+)`/).map((piece, index) => (index % 2 ? h("code", {}, piece) : piece));
}

/** A node id or a title in parts, each of which stays in one line where it has the room. As in markup.py. */
function whole(text) {
  const pieces = visible(text).split(/((?<=::)| (?=[·→] ))/);
  return h("bdi", {}, pieces.flatMap((piece, index) => (index % 2 ? [piece, h("wbr")] : [h("span", { class: "whole" }, piece)])));
}

/** A text of the translator's: seen in full, its direction of writing kept to itself. */
function said(text) {
  return h("bdi", {}, visible(text));
}

function many(count, name) {
  return `${count.toLocaleString("en")} ${name}${count === 1 ? "" : "s"}`;
}

/** A command to copy. */
function command(text) {
  const button = h("button", { type: "button", onclick: () => copy(text, button) }, "Copy");
  return [h("pre", { class: "command", tabindex: "0" }, visible(text)), button];
}

async function copy(text, button) {
  try {
    await navigator.clipboard.writeText(text);
    button.textContent = "Copied";
  } catch {
    button.textContent = "Select it above"; // a file's page may have no clipboard
  }
}
