// The run as objects, made of the packed rows (data.py) when they are asked for.

const DATA = JSON.parse(document.getElementById("data").textContent);
const SIGNS = Object.fromEntries(Object.entries(DATA.signs.verdicts).map(([name, { sign }]) => [name, sign]));
const VERDICT_WORDS = Object.fromEntries(Object.entries(DATA.signs.verdicts).map(([name, { word }]) => [name, word]));
const FIELDS = DATA.signs.fields;
const LEVEL_SIGNS = DATA.signs.levels;
const ITEM_COLUMNS = Object.fromEntries(DATA.columns.item.map((name, index) => [name, index]));

/** One text of an item's row, without making the whole item. */
function textOf(number, column) {
  return DATA.texts[DATA.items[number][ITEM_COLUMNS[column]]];
}

function nodeidOf(number) {
  return `toolcall::${textOf(number, "case")}::${textOf(number, "check")}::${textOf(number, "name")}`;
}

function titleOf(number) {
  const variant = textOf(number, "variant");
  const way = `${textOf(number, "client")} → ${textOf(number, "upstream")}${variant ? ` · ${variant}` : ""}`;
  return `${textOf(number, "case")} · ${textOf(number, "check")} · ${way}`;
}

function findingNumbers(number) {
  return DATA.items[number][DATA.columns.item.length] || [];
}

function findingOf(number) {
  const row = DATA.findings[number];
  const found = {};
  DATA.columns.finding.forEach((name, index) => {
    found[name] = name === "cause" ? row[index] : DATA.texts[row[index]];
  });
  return found;
}

function moreOf(number) {
  return DATA.more[number] || {};
}

/** The rules that an item breaks, each once. */
function rulesOf(number) {
  return [...new Set(findingNumbers(number).map((finding) => DATA.texts[DATA.findings[finding][0]]))];
}

let numbersByNodeid = null;

function numberOf(nodeid) {
  if (!numbersByNodeid) numbersByNodeid = new Map(DATA.items.map((_row, number) => [nodeidOf(number), number]));
  return numbersByNodeid.get(nodeid);
}

/** An item's number in the nearest place: the first cause that has it with bodies, or undefined. */
function exampleOf(cause) {
  const { example } = DATA.causes[cause];
  return moreOf(example).bodies ? example : undefined;
}

function itemLink(number, text) {
  return h("a", { class: "item", href: `#item=${encodeURIComponent(nodeidOf(number))}` }, whole(text || titleOf(number)));
}
