// An item's page: its findings, and side by side the input, the output, and one right answer.

const PARTS = {
  source: ["Given", "the translator's input"],
  produced: ["Produced", "the translator's output"],
  assembled: ["Assembled", "the reply that the client assembles from the stream"],
  golden: ["Expected", "one right answer"],
};
const STREAMS = {
  sent: ["Sent", "the upstream's stream"],
  received: ["Received", "the client's stream"],
  usual: ["Usual", "the output for the same stream, cut between its events"],
};

/** The findings on one exchange; those behind a comma are about what the client puts together of its stream. */
function findingsOn(findings, exchange, alone) {
  return findings.filter(({ body }) => body === exchange.name || body.startsWith(`${exchange.name}, `) || (alone && body));
}

function mark(finding, pointer, wrong) {
  return {
    pointer, wrong, level: finding.level, sign: `${wrong ? LEVEL_SIGNS[finding.level] : "➜"}${finding.at}`,
    title: `finding ${finding.at}: ${finding.rule}`, href: wrong ? `#finding-${finding.at}` : undefined,
  };
}

/** The columns of one exchange: timelines of its streams, and its bodies. */
function exchangeElements(exchange, findings, { alone, around = 0 }) {
  const mine = findingsOn(findings, exchange, alone);
  const streamed = "received" in exchange.parts;
  const isWhole = ({ body }) => !streamed || body.includes(", ");
  const inWhole = mine.filter(isWhole).map((finding) => mark(finding, finding.pointer, true));
  const inEvents = mine.filter((finding) => !isWhole(finding) && finding.pointer).map((finding) => mark(finding, finding.pointer, true));
  const sources = mine.filter((finding) => finding.source_pointer).map((finding) => mark(finding, finding.source_pointer, false));
  const timelines = Object.keys(STREAMS).filter((name) => name in exchange.parts).map((name) =>
    timeline(...STREAMS[name], DATA.bodies[exchange.parts[name]], { marks: name === "received" ? inEvents : [], values: exchange.ids?.[name] || {} }));
  const bodies = Object.keys(PARTS).filter((name) => name in exchange.parts);
  const lines = Object.fromEntries(bodies.map((name) => [name, linesOf(readTree(DATA.bodies[exchange.parts[name]]))]));
  const columns = bodies.map((name) => {
    const isResult = name === "produced" || name === "assembled";
    const twins = inWhole.map((one) => ({ pointer: one.pointer, sign: "=", title: `the place of ${one.title}` }))
      .filter(({ pointer }) => pointer && lines[name].some((line) => line.pointer === pointer));
    return bodyColumn(...PARTS[name], lines[name], {
      marks: isResult ? inWhole : name === "source" ? sources : twins,
      differs: isResult && lines.golden ? differing(lines[name], lines.golden) : null,
      places: exchange.marks?.[name] || {}, around,
    });
  });
  // An exchange without an answer shows where it would stand.
  if (!streamed && bodies.includes("source") && !bodies.includes("produced")) columns.splice(1, 0, emptyColumn(PARTS.produced[0]));
  const parts = [timelines, columns].filter((one) => one.length).map((one) => h("div", { class: "columns" }, one));
  return [...(inWhole.length ? parts.reverse() : parts), ...differences(exchange.differs)];
}

/** Where what came differs from the expected body, without accepted differences. */
function differences(lines = []) {
  if (!lines.length) return [];
  return [h("details", { class: "small" }, h("summary", {}, `Differs from “${PARTS.golden[0]}” in ${many(lines.length, "place")}, accepted differences apart`),
    h("ul", {}, lines.map((line) => h("li", {}, h("code", {}, said(line))))))];
}

/** What came short, of a cause: the lines around its place. */
function excerpt(number, rules) {
  const { bodies } = moreOf(number);
  if (!bodies) return [];
  const findings = numbered(number).filter(({ rule }) => rules.includes(rule));
  const exchange = bodies.find((one) => findings.some(({ body }) => body === one.name || body.startsWith(`${one.name}, `))) || bodies[0];
  return [...exchangeElements(exchange, findings, { alone: bodies.length === 1, around: 6 }), legend()];
}

/** The findings of an item, the gravest first, numbered. */
function numbered(number) {
  const levels = Object.keys(LEVEL_SIGNS);
  return findingNumbers(number).map(findingOf)
    .sort((one, two) => levels.indexOf(one.level) - levels.indexOf(two.level))
    .map((finding, index) => ({ ...finding, at: index + 1 }));
}

function legend() {
  return h("p", { class: "legend" },
    "✖ ▲ • with a number: a finding. ➜: where it comes from. =: its place in the expected body. ≠: not so in the expected body, which need not be a fault. ",
    "A letter in a box: the call to which an id belongs; the same letter in all bodies is the same call. ?: an id that belongs to no call.");
}

/** What is told of a finding: by the keys of the reports' fields. */
function pairs(entries) {
  return h("dl", {}, entries.filter(([, text]) => text).map(([key, text]) =>
    h("div", { class: `p-${key}` }, h("dt", {}, FIELDS[key]), h("dd", {}, said(text)))));
}

/** Where a finding's place stands in the body that is shown, in words; nothing in a stream, which shows its events. */
function lineWords(finding, bodies = []) {
  const exchange = bodies.find((one) => findingsOn([finding], one, bodies.length === 1).length);
  const part = exchange && ("produced" in exchange.parts ? "produced" : finding.body.includes(", ") ? "assembled" : "");
  if (!part || !(part in exchange.parts)) return "";
  return `, line ${lineAt(linesOf(readTree(DATA.bodies[exchange.parts[part]])), finding.pointer) + 1} of “${PARTS[part][0]}”`;
}

/** A finding; `told` are the rules that an earlier one of the item has explained, by their reasons. */
function findingElement(finding, bodies, told) {
  const rule = aboutMessage(DATA.rules[finding.rule], finding.message);
  const isNew = finding.standing && finding.standing !== "new" ? `, ${finding.standing}` : "";
  const madeUp = finding.own_level ? `, made up by the adapter (otherwise ${finding.own_level})` : "";
  const cause = finding.cause >= 0
    ? h("p", {}, h("a", { href: `#cause=${finding.cause + 1}` }, `Cause ${finding.cause + 1}`), `: ${many(DATA.causes[finding.cause].items.length, "item")}`)
    : h("p", { class: "hint" }, "It repeats another finding of this item, or follows from it.");
  return h("li", { id: `finding-${finding.at}`, class: `f-${finding.level}`, tabindex: "-1" },
    h("h3", {}, h("span", { class: `level l-${finding.level}` }, `${LEVEL_SIGNS[finding.level]}${finding.at} ${finding.level}${isNew}${madeUp} `), h("code", { class: "whole" }, finding.rule)),
    h("p", {}, h("strong", {}, h("bdi", {}, prose(finding.message)))),
    pairs([
      ["subject", finding.subject], ["code", finding.code], ["body", [finding.body, finding.format].filter(Boolean).join(", ")],
      ["pointer", finding.pointer && finding.pointer + lineWords(finding, bodies)], ["source_pointer", finding.source_pointer],
      ["want", finding.want], ["got", finding.got], ["between", finding.between],
      ["note", finding.note], ["near", finding.near], ["known", finding.known],
    ]),
    ...(rule ? reasons(rule, finding, told) : []), cause);
}

/** Why the rule is there, the usual repair, and who says so: once for all findings that share them. */
function reasons(rule, finding, told) {
  const key = `${finding.rule} ${rule.why}`;
  const line = (name, text) => (text ? h("div", {}, h("dt", {}, FIELDS[name]), h("dd", { class: "prose" }, text)) : "");
  if (told.has(key)) return [h("dl", {}, line("why", ["as of ", h("a", { href: `#finding-${told.get(key)}` }, `finding ${told.get(key)}`)]))];
  told.set(key, finding.at);
  const texts = ["why", "fix"].map((name) => line(name, rule[name] && prose(rule[name])));
  return [h("dl", {}, texts), h("details", { class: "small" }, h("summary", {}, "The rule, and its evidence"),
    h("div", { class: "cause" }, h("dl", {}, line("sentence", prose(rule.sentence))), evidenceList(rule.evidence)))];
}

// The texts of a rule for a breach with this message: of its kinds the first that fits says them.
function aboutMessage(rule, message) {
  const kind = rule?.kinds.find((one) => new RegExp(one.message, "u").test(message));
  return kind ? { ...rule, ...kind } : rule;
}

function evidenceList(evidence) {
  return h("ul", { class: "evidence" }, evidence.map(({ kind, url, note }) =>
    h("li", {}, kind, url ? [": ", h("a", { href: url, rel: "noreferrer" }, visible(url))] : "", note ? [h("br"), h("q", {}, prose(note))] : "")));
}

function bodiesElements(number, findings) {
  const { bodies } = moreOf(number);
  if (bodies) {
    return [h("h3", { id: "bodies" }, "Bodies"), legend(), ...bodies.flatMap((one) => [h("h4", {}, said(one.name)), ...exchangeElements(one, findings, { alone: bodies.length === 1 })])];
  }
  if (!findings.length) return [];
  const shown = findings.map(({ cause }) => (cause >= 0 ? exampleOf(cause) : undefined)).find((one) => one !== undefined);
  return [h("h3", {}, "Bodies"),
    h("p", {}, "A report has the bodies of the simplest items of each cause. The command below writes those of this item into a folder. ",
      shown === undefined ? "" : ["The same cause with its bodies: ", itemLink(shown)]),
    command(`${againOf(number)} --toolcall-artifacts=bodies`)];
}

function againOf(number) {
  return `${DATA.again} "${nodeidOf(number)}"`.trim();
}

/** All of an item's page. */
function itemElements(number) {
  const findings = numbered(number);
  const count = textOf(number, "count");
  const more = moreOf(number);
  const reason = textOf(number, "reason");
  const told = new Map();
  return [
    h("h2", { id: "item-title", tabindex: "-1" }, whole(titleOf(number))),
    h("p", {}, h("span", { class: `level v-${count}` }, `${SIGNS[count]} ${VERDICT_WORDS[count]}`), ` with ${many(findings.length, "finding")} `, h("code", {}, whole(nodeidOf(number)))),
    reason ? h("p", {}, said(reason)) : "",
    h("div", { class: "buttons" }, h("a", { href: "#items" }, "All items"),
      h("button", { type: "button", onclick: () => step(-1) }, "Previous (k)"), h("button", { type: "button", onclick: () => step(1) }, "Next (j)"),
      more.bodies ? h("button", { type: "button", onclick: () => document.getElementById("bodies").scrollIntoView() }, "Bodies") : ""),
    findings.length ? h("ol", { class: "findings" }, findings.map((finding) => findingElement(finding, more.bodies, told))) : h("p", {}, "No finding."),
    h("h3", {}, `Run this item ${FIELDS.item_command}`), ...command(againOf(number)),
    ...bodiesElements(number, findings),
    more.left_out ? [h("h3", {}, "Left out"), h("p", {}, "Its request failed with these settings, so it was played without them: ", said(more.left_out.join(", ")))] : "",
    more.witness ? [h("h3", {}, "What the official client did"), h("ul", {}, more.witness.map((one) => h("li", {}, said(`${one.client}, with ${one.body}: ${one.says.join("; ")}`))))] : "",
    more.losses ? [h("h3", {}, "Losses"), h("ul", {}, more.losses.map((one) => h("li", {}, said(`${one.element} (${DATA.signs.losses[one.kind].word}): ${one.count}`))))] : "",
  ].flat(2);
}
