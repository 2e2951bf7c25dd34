// A body as numbered lines, each with its JSON Pointer, so that findings and ids are seen in their places.

const INLINE = 72;
const TOKEN = /"(?:[^"\\]|\\.)*"|[[\]{},:]|[^\s[\]{},:"]+/g;
const MOST_CELLS = 4e6;
const MOST_MARKS = 2;
const UNMARKED_LINES = 40;

/** Read JSON text into nodes that keep numbers as they are written: a script's own would change large ones. */
function readTree(text) {
  const tokens = text.match(TOKEN) || [];
  let at = 0;
  function node(pointer) {
    const token = tokens[at++];
    if (token !== "{" && token !== "[") return { pointer, token };
    const end = token === "{" ? "}" : "]";
    const children = [];
    while (tokens[at] !== end && at < tokens.length) {
      let key;
      if (token === "{") {
        key = tokens[at];
        at += 2;
      }
      const step = key === undefined ? children.length : JSON.parse(key).replaceAll("~", "~0").replaceAll("/", "~1");
      children.push({ key, value: node(`${pointer}/${step}`) });
      if (tokens[at] === ",") at += 1;
    }
    at += 1;
    return { pointer, token, end, children };
  }
  return node("");
}

/** A scalar as it is shown: a text with every character seen. */
function shownToken(token) {
  return token.startsWith('"') ? visible(JSON.stringify(JSON.parse(token))) : token;
}

function piecesOf(node) {
  if (!node.children) return [{ kind: node.token.startsWith('"') ? "s" : "n", text: shownToken(node.token), pointer: node.pointer }];
  const pieces = [{ text: node.token }];
  node.children.forEach(({ key, value }, index) => {
    if (index) pieces.push({ text: ", " });
    if (key !== undefined) pieces.push({ kind: "k", text: shownToken(key) }, { text: ": " });
    pieces.push(...piecesOf(value));
  });
  return [...pieces, { text: node.end }];
}

function isFlat(node) {
  return !node.children || node.children.every(({ value }) => !value.children || !value.children.length);
}

/** The lines of a tree: `{depth, pointer, pieces}`. Small objects of plain values take one line. */
function linesOf(node) {
  const lines = [];
  function put(one, depth, before, after) {
    const pieces = isFlat(one) ? piecesOf(one) : [];
    const width = pieces.reduce((sum, piece) => sum + piece.text.length, 0);
    if (!one.children || !one.children.length || (pieces.length && width <= INLINE)) {
      lines.push({ depth, pointer: one.pointer, pieces: [...before, ...(pieces.length ? pieces : piecesOf(one)), ...after] });
      return;
    }
    lines.push({ depth, pointer: one.pointer, pieces: [...before, { text: one.token }] });
    one.children.forEach(({ key, value }, index) => {
      const name = key === undefined ? [] : [{ kind: "k", text: shownToken(key) }, { text: ": " }];
      put(value, depth + 1, name, index + 1 < one.children.length ? [{ text: "," }] : []);
    });
    lines.push({ depth, pointer: one.pointer, closes: true, pieces: [{ text: one.end }, ...after] });
  }
  put(node, 0, [], []);
  return lines;
}

/** The index of the line that shows a pointer: its own, or that of what holds it. */
function lineAt(lines, pointer) {
  for (let place = pointer; ; place = place.slice(0, place.lastIndexOf("/"))) {
    const found = lines.findIndex((line) => line.pointer === place && !line.closes);
    if (found >= 0) return found;
    if (!place) return 0;
  }
}

function plain(line) {
  return line.pieces.map((piece) => piece.text).join("").replace(/,$/, "");
}

/** The indexes of lines on the left that the right does not have, by the longest common sequence; null if too long. */
function differing(left, right) {
  const [one, two] = [left.map(plain), right.map(plain)];
  if (one.length * two.length > MOST_CELLS) return null;
  const width = two.length + 1;
  const table = new Uint16Array((one.length + 1) * width);
  for (let row = one.length - 1; row >= 0; row -= 1) {
    for (let column = two.length - 1; column >= 0; column -= 1) {
      table[row * width + column] =
        one[row] === two[column]
          ? table[(row + 1) * width + column + 1] + 1
          : Math.max(table[(row + 1) * width + column], table[row * width + column + 1]);
    }
  }
  const found = new Set();
  for (let row = 0, column = 0; row < one.length; ) {
    if (column < two.length && one[row] === two[column]) [row, column] = [row + 1, column + 1];
    else if (column < two.length && table[row * width + column + 1] >= table[(row + 1) * width + column]) column += 1;
    else found.add(row++);
  }
  return found;
}

/** The sign of an identity: a letter and a colour, so that both tell which call an id is of. */
function idSign(label) {
  const lost = label.startsWith("?");
  const colour = lost ? "lost" : `id${[...label].reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 65, 0) % 8}`;
  return { colour, name: lost ? "no call" : `call ${label}` };
}

function chip(label, text) {
  const { colour, name } = idSign(label);
  return h("span", { class: `id ${colour}`, title: name }, h("b", {}, label), text);
}

/** A piece with what is unseen marked, and the id it may be. */
function shownPiece(piece, places, values) {
  const label = piece.pointer !== undefined ? places[piece.pointer] || (piece.kind === "s" && values[piece.text.slice(1, -1)]) : "";
  if (label) return chip(label, piece.text);
  const parts = piece.text.split(/(⟨U\+[0-9A-F]+⟩)/).map((part, index) => (index % 2 ? h("span", { class: "u" }, part) : part));
  return piece.kind || parts.length > 1 ? h("span", { class: piece.kind || "" }, parts) : piece.text;
}

/** Marks with signs of their own, and no more than stand beside a line; the last one counts those left out. */
function unlike(marks) {
  const found = [...new Map(marks.map((mark) => [mark.sign, mark])).values()];
  if (found.length <= MOST_MARKS) return found;
  const rest = found.slice(MOST_MARKS - 1);
  return [...found.slice(0, MOST_MARKS - 1), { sign: `+${rest.length}`, title: rest.map(({ title }) => title).join("; ") }];
}

function lineElement(line, index, { wrong, differs, places, values }) {
  const marks = wrong.get(index) || [];
  const gutter = marks.length
    ? unlike(marks).map((mark) => (mark.href ? h("a", { href: mark.href, title: mark.title }, mark.sign) : h("span", { title: mark.title }, mark.sign)))
    : differs && differs.has(index)
      ? [h("span", { title: "not so in the expected body" }, "≠")]
      : [];
  const kind = marks.length ? (marks.some((mark) => mark.wrong) ? ` wrong ${marks.some(({ level }) => level === "MUST") ? "" : "mild"}` : " meant") : gutter.length ? " differs" : "";
  const whole = line.closes ? "" : places[line.pointer];
  const shown = line.pieces.map((piece) => shownPiece(piece, places, values));
  const noId = whole && !line.pieces.some((piece) => piece.pointer === line.pointer) ? [" ", chip(whole, "no id")] : [];
  return h("div", { class: `ln${kind}` }, h("span", { class: "no" }, String(index + 1)), h("span", { class: "gutter" }, gutter),
    h("span", { class: "tx" }, "  ".repeat(line.depth), shown, noId));
}

/**
 * A body as a column. `marks` are `{pointer, sign, title, wrong, href}`; `places` are identities by pointer, `values`
 * by id; with `around`, only so many lines before and behind each mark are shown.
 */
function bodyColumn(title, note, lines, { marks = [], differs = null, places = {}, values = {}, around = 0 }) {
  const wrong = new Map();
  for (const mark of marks) {
    const index = lineAt(lines, mark.pointer);
    wrong.set(index, [...(wrong.get(index) || []), mark]);
  }
  const centres = wrong.size ? [...wrong.keys()] : [...(differs || [])].slice(0, 1);
  const near = (index) => !around || (centres.length ? centres.some((one) => Math.abs(one - index) <= around) : index < UNMARKED_LINES);
  const rows = [];
  let hidden = 0;
  lines.forEach((line, index) => {
    if (near(index)) {
      if (hidden) rows.push(h("div", { class: "gap" }, `… ${many(hidden, "line")}`));
      hidden = 0;
      rows.push(lineElement(line, index, { wrong, differs, places, values }));
    } else hidden += 1;
  });
  if (hidden) rows.push(h("div", { class: "gap" }, `… ${many(hidden, "line")}`));
  const box = h("div", { class: "body", tabindex: "0", role: "group", "aria-label": title }, rows);
  // Scrolled to what is wrong, once it stands on the page.
  requestAnimationFrame(() => {
    const first = box.querySelector(".wrong, .meant, .differs");
    if (first) box.scrollTop = first.offsetTop - box.offsetTop - 60;
  });
  return h("div", { class: "column" }, h("h4", {}, title, note ? h("small", {}, ` ${note}`) : ""), box);
}

/** In the place of a body that never came. */
function emptyColumn(title) {
  return h("div", { class: "column" }, h("h4", {}, title, h("small", {}, " no output")), h("p", { class: "hint" }, "The finding gives the reason."));
}
