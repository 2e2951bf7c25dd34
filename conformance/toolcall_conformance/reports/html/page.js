// The page's parts, its keys, and its links: #causes, #items, #matrix, #losses, #about, #cause=3, #item=NODEID.

const VIEWS = ["causes", "matrix", "items", "losses", "about", "item"];
const MORE_ROWS = 200;
let listed = [];
let current = -1;
let before = "#causes";

function show(name) {
  for (const view of VIEWS) document.getElementById(view).hidden = view !== name;
  for (const link of document.querySelectorAll("nav a")) {
    const isIt = link.hash === `#${name}` || (name === "item" && link.hash === "#items");
    if (isIt) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  FORM.hidden = !["causes", "items"].includes(name);
}

function row(number) {
  const count = textOf(number, "count");
  const rules = rulesOf(number);
  const few = rules.length > 2 ? `${rules.slice(0, 2).join(", ")} and ${rules.length - 2} more` : rules.join(", ");
  return h("li", {}, h("span", { class: `level v-${count}` }, `${SIGNS[count]} ${VERDICT_WORDS[count]}`), itemLink(number), h("code", {}, few));
}

function showRows(list, from) {
  list.append(...listed.slice(from, from + MORE_ROWS).map(row));
  const rest = listed.length - from - MORE_ROWS;
  if (rest > 0) {
    const button = h("button", { type: "button", onclick: () => { button.remove(); showRows(list, from + MORE_ROWS); } },
      `Show ${Math.min(rest, MORE_ROWS)} more of ${many(rest, "item")}`);
    list.after(button);
  }
}

/** Show what the filter leaves, in the causes or in the items. */
function refresh() {
  const filter = wanted();
  const view = VIEWS.find((name) => !document.getElementById(name).hidden);
  const status = document.getElementById("shown");
  if (view === "causes") {
    const shown = filterCauses(filter);
    status.textContent = filter.any ? `${shown} of ${many(DATA.new, "cause")}` : "";
  } else if (view === "items") {
    listed = filterItems(filter);
    const section = document.getElementById("items");
    const list = h("ol", { class: "rows" });
    section.replaceChildren(section.querySelector("h2"), list);
    showRows(list, 0);
    status.textContent = filter.any ? `${listed.length.toLocaleString("en")} of ${many(DATA.items.length, "item")}` : many(listed.length, "item");
  }
}

function showItem(nodeid) {
  const number = numberOf(nodeid);
  const section = document.getElementById("item");
  show("item");
  current = number === undefined ? -1 : number;
  section.replaceChildren(...(number === undefined
    ? [h("h2", { tabindex: "-1" }, "No such item"), h("p", {}, "This report has no item ", said(nodeid), ".")]
    : itemElements(number)));
  window.scrollTo(0, 0);
  section.querySelector("h2").focus({ preventScroll: true });
}

function showCause(number) {
  const details = document.getElementById(`cause-${number}`);
  if (!details) return;
  if (details.closest("li").hidden) FORM.reset();
  refresh();
  details.open = true;
  details.scrollIntoView();
  details.querySelector("summary").focus({ preventScroll: true });
}

/** Go where the address says. */
function route() {
  const hash = location.hash.slice(1);
  if (hash.startsWith("item=")) return showItem(decodeURIComponent(hash.slice(5)));
  if (hash.startsWith("finding-")) return undefined; // within the item that is shown
  const name = hash.startsWith("cause") ? "causes" : VIEWS.includes(hash) ? hash : "causes";
  before = `#${name}`;
  current = -1;
  show(name);
  refresh();
  if (/^cause[=-]\d+$/.test(hash)) showCause(Number(hash.slice(6)));
  return undefined;
}

/** Fill the place for the bodies of a cause that is opened. */
function fillExcerpt(details) {
  const place = details.querySelector(".excerpt");
  if (!details.open || place.childNodes.length) return;
  const cause = DATA.causes[details.dataset.cause - 1];
  place.append(...excerpt(cause.example, cause.rules).filter(Boolean));
}

/** The next or previous item, cause or row. */
function step(by) {
  if (!document.getElementById("item").hidden) {
    const numbers = listed.length ? listed : filterItems(wanted());
    const next = numbers[numbers.indexOf(current) + by];
    if (next !== undefined) location.hash = `item=${encodeURIComponent(nodeidOf(next))}`;
    return;
  }
  const places = [...document.querySelectorAll("main > section:not([hidden]) :is(summary, .rows a, .cell)")].filter((one) => one.offsetParent);
  const at = places.indexOf(document.activeElement);
  const next = places[at < 0 ? 0 : at + by];
  if (next) {
    next.focus();
    next.scrollIntoView({ block: "nearest" });
  }
}

function onKey(event) {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const typing = event.target.matches("input, select, textarea");
  if (event.key === "Escape") {
    if (typing) event.target.blur();
    else if (!document.getElementById("item").hidden) location.hash = before;
  } else if (typing) {
    return;
  } else if (event.key === "/") {
    event.preventDefault();
    if (FORM.hidden) location.hash = "#items";
    setTimeout(() => FORM.elements.text.focus(), 0);
  } else if (event.key === "j" || event.key === "k") step(event.key === "j" ? 1 : -1);
}

const THEMES = { "": "as the system", light: "light", dark: "dark" };

function setTheme(name) {
  const root = document.documentElement;
  if (name) root.dataset.theme = name;
  else delete root.dataset.theme;
  document.getElementById("theme").textContent = `Theme: ${THEMES[name]}`;
  try {
    localStorage.setItem("toolcall-theme", name);
  } catch {
    // A page from a file may have no storage: then the choice ends with the page.
  }
}

function storedTheme() {
  try {
    return localStorage.getItem("toolcall-theme") || "";
  } catch {
    return "";
  }
}

function start() {
  for (const one of document.querySelectorAll(".scripted, #theme")) one.hidden = false;
  setTheme(storedTheme() in THEMES ? storedTheme() : "");
  document.getElementById("theme").addEventListener("click", () => {
    const names = Object.keys(THEMES);
    setTheme(names[(names.indexOf(document.documentElement.dataset.theme || "") + 1) % names.length]);
  });
  FORM.querySelector(".more").addEventListener("click", (event) => {
    event.target.setAttribute("aria-expanded", FORM.classList.toggle("all"));
  });
  let waiting;
  FORM.addEventListener("input", () => { clearTimeout(waiting); waiting = setTimeout(refresh, 120); });
  FORM.addEventListener("reset", () => setTimeout(refresh, 0));
  FORM.addEventListener("submit", (event) => event.preventDefault());
  document.getElementById("matrix").addEventListener("click", (event) => {
    const cell = event.target.closest(".cell");
    if (!cell) return;
    FORM.reset();
    for (const name of ["client", "upstream", "check"]) FORM.elements[name].value = cell.dataset[name];
  });
  document.querySelectorAll("[data-cause]").forEach((details) => details.addEventListener("toggle", () => fillExcerpt(details)));
  document.addEventListener("keydown", onKey);
  window.addEventListener("hashchange", route);
  route();
}

start();
