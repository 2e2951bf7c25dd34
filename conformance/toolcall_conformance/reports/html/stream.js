// A stream as a timeline: its events in their order, what is wrong marked at its event.

const MOST_EVENTS = 200;
const SUMMARY = 140;

/** What kind of event it is: its name, or the type that its data has. */
function eventKind(event) {
  const member = (name) => (event.children || []).find((child) => child.key === `"${name}"`)?.value;
  const type = (member("data")?.children || []).find((child) => child.key === '"type"')?.value;
  const named = type?.token && !type.children ? type : member("event");
  return named ? shownToken(named.token).replace(/^"|"$/g, "") : "";
}

function dataOf(event) {
  return (event.children || []).find((child) => child.key === '"data"')?.value || event;
}

/** The members that the data of all events has alike, as key and text: they tell no event from another. */
function sharedMembers(events) {
  const objects = events.map(({ value }) => dataOf(value)).filter(({ token }) => token === "{");
  if (objects.length < 2) return new Set();
  const sets = objects.map(({ children }) => new Set(children.map(memberText)));
  return new Set([...sets[0]].filter((member) => sets.every((set) => set.has(member))));
}

function memberText({ key, value }) {
  return `${key}: ${piecesOf(value).map((piece) => piece.text).join("")}`;
}

/** The words of an event in one line, ids marked; a long one is cut. */
function summaryPieces(event, values, shared) {
  const data = dataOf(event);
  // Its type stands before it already.
  const children = data.children?.filter((child) => child.key !== '"type"' && !shared.has(memberText(child)));
  const pieces = piecesOf(children ? { ...data, children } : data);
  const shown = [];
  let room = SUMMARY;
  for (const piece of pieces) {
    if (room <= 0) break;
    const isId = piece.kind === "s" && values[piece.text.slice(1, -1)];
    const text = isId || piece.text.length <= room ? piece.text : `${piece.text.slice(0, room)}…`;
    shown.push(shownPiece({ ...piece, text }, {}, values));
    room -= text.length;
  }
  return room <= 0 ? [...shown, " …"] : shown;
}

function eventElement(event, index, marks, values, shared) {
  const mine = marks.filter((mark) => mark.pointer === event.pointer || mark.pointer.startsWith(`${event.pointer}/`));
  const lines = linesOf(event);
  const inside = h("details", {
    ontoggle: (toggled) => {
      const details = toggled.target;
      if (details.open && !details.querySelector(".column")) {
        details.append(bodyColumn(`Event ${index}`, "", lines, { marks: mine, values }));
      }
    },
  });
  const signs = mine.map((mark) => h("a", { href: mark.href, title: mark.title }, `${mark.sign} `));
  const kind = eventKind(event);
  inside.append(h("summary", {}, h("span", { class: "no" }, `${index}`), signs, kind ? h("b", {}, `${kind} `) : "", summaryPieces(event, values, shared)));
  return h("li", { class: mine.length ? "wrong" : "" }, inside);
}

/** The events of one stream, from the text of its JSON: `{"events": […], "rest": …}`. */
function timeline(title, note, text, { marks = [], values = {} }) {
  const tree = readTree(text);
  const member = (name) => (tree.children || []).find((child) => child.key === `"${name}"`)?.value;
  const events = member("events")?.children || [];
  const shared = sharedMembers(events);
  const list = h("ol", { class: "events" }, events.slice(0, MOST_EVENTS).map(({ value }, index) => eventElement(value, index, marks, values, shared)));
  const box = h("div", { class: "timeline", tabindex: "0", role: "group", "aria-label": title }, list);
  if (events.length > MOST_EVENTS) {
    box.append(h("button", { type: "button", onclick: (clicked) => {
      list.append(...events.slice(MOST_EVENTS).map(({ value }, index) => eventElement(value, index + MOST_EVENTS, marks, values, shared)));
      clicked.target.remove();
    } }, `Show ${many(events.length - MOST_EVENTS, "more event")}`));
  }
  for (const name of ["rest", "aside", "broken"]) {
    if (member(name)) box.append(h("p", {}, `${name}: `, shownToken(member(name).token)));
  }
  requestAnimationFrame(() => {
    const first = box.querySelector("li.wrong");
    if (first) box.scrollTop = first.offsetTop - 60;
  });
  return h("div", { class: "column" }, h("h4", {}, title, " ", h("small", {}, `${note ? `${note}, ` : ""}${many(events.length, "event")}`)), box);
}
