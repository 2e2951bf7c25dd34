// Which causes and items are shown.

const FORM = document.getElementById("filters");

function wanted() {
  const values = Object.fromEntries(new FormData(FORM));
  return { ...values, text: values.text.trim().toLowerCase(), any: Object.values(values).some((value) => value.trim()) };
}

/** The columns that a filter names and that decide about an item; each with the number of the text it must be. */
function exact(filter) {
  const columns = { client: filter.client, upstream: filter.upstream, check: filter.check, count: filter.verdict };
  return Object.entries(columns).filter(([, value]) => value).map(([name, value]) => [ITEM_COLUMNS[name], DATA.texts.indexOf(value)]);
}

const searched = new Map();

/** What a search looks through, of one item. */
function searchText(number) {
  if (!searched.has(number)) {
    const words = findingNumbers(number).flatMap((one) => ["rule", "message", "pointer", "subject"].map((name) =>
      DATA.texts[DATA.findings[one][DATA.columns.finding.indexOf(name)]]));
    searched.set(number, [nodeidOf(number), titleOf(number), ...words].join("\n").toLowerCase());
  }
  return searched.get(number);
}

/** A test of item numbers, made for one filter. `inText`: the words that a cause itself has. */
function matcher(filter) {
  const columns = exact(filter);
  return (number, inText = "") => {
    const row = DATA.items[number];
    return columns.every(([column, value]) => row[column] === value)
      && (!filter.family || textOf(number, "case").startsWith(`${filter.family}/`))
      && (!filter.rule || rulesOf(number).includes(filter.rule))
      && (!filter.text || inText.includes(filter.text) || searchText(number).includes(filter.text));
  };
}

/** Show the causes with an item that fits; returns how many of those that the headline counts. */
function filterCauses(filter) {
  const fits = matcher({ ...filter, rule: "" });
  let shown = 0;
  document.querySelectorAll("[data-cause]").forEach((details) => {
    const cause = DATA.causes[details.dataset.cause - 1];
    const words = filter.text ? details.textContent.toLowerCase() : "";
    const count = !filter.any
      ? cause.items.length
      : filter.rule && !cause.rules.includes(filter.rule) ? 0 : cause.items.filter((number) => fits(number, words)).length;
    details.parentElement.hidden = !count;
    shown += count && "new" in details.dataset ? 1 : 0;
    details.querySelector(".many").textContent = count === cause.items.length ? many(count, "item") : `${count} of ${many(cause.items.length, "item")}`;
  });
  return shown;
}

/** The items that fit: failed ones and those with findings first. */
function filterItems(filter) {
  const fits = matcher(filter);
  const all = DATA.items.map((_row, number) => number).filter((number) => !filter.any || fits(number));
  const rank = { failed: 0, error: 0, refused: 0, unstable: 1, known: 1, warned: 2, blocked: 3 };
  return all.map((number) => [rank[textOf(number, "count")] ?? 4, number]).sort((one, two) => one[0] - two[0] || one[1] - two[1]).map(([, number]) => number);
}
