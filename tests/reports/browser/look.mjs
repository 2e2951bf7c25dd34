// Open a report in Chromium and tell what is seen, as JSON: `node look.mjs MODULES CHROMIUM PAGE LARGE FOLDER`.
// MODULES is a folder with node_modules; screenshots go into FOLDER.

import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
import { readFileSync } from "node:fs";
import { join } from "node:path";

const [modules, chromium, page, large, folder] = process.argv.slice(2);
const require = createRequire(pathToFileURL(join(modules, "package.json")));
const axe = readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");
const ARGUMENTS = [
  "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
  "--disable-component-update", "--disable-sync",
];
const SIZES = { desktop: { width: 1400, height: 1000 }, narrow: { width: 400, height: 800 } };
const PLACES = ["causes", "card", "matrix", "items", "losses", "about", "item"];

const browser = await require("playwright-core").chromium.launch({ executablePath: chromium, args: ARGUMENTS });
const seen = { problems: [], requests: [], violations: [], wide: [], torn: [], labels: [] };

async function open(file, size, colorScheme, options = {}) {
  const context = await browser.newContext({ viewport: SIZES[size], colorScheme, bypassCSP: false, ...options });
  const tab = await context.newPage();
  tab.on("console", (message) => ["error", "warning"].includes(message.type()) && seen.problems.push(message.text()));
  tab.on("pageerror", (error) => seen.problems.push(String(error)));
  tab.on("dialog", (dialog) => { seen.problems.push(`dialog: ${dialog.message()}`); dialog.dismiss(); });
  tab.on("request", (request) => request.url().startsWith("file:") || seen.requests.push(request.url()));
  await tab.goto(pathToFileURL(file).href);
  return tab;
}

async function goTo(tab, place) {
  if (place === "card") return tab.locator("#cause-1 > summary").click();
  await tab.evaluate((name) => {
    location.hash = name === "item" ? document.querySelector(".cause a.item").hash : name;
  }, place);
  await tab.waitForTimeout(80);
}

/** Barriers, and whether the page is wider than the window. */
async function judge(tab, name) {
  // Run from outside: the page's own policy lets no other script in.
  await tab.evaluate(axe);
  const { violations } = await tab.evaluate(() => window.axe.run(document, { resultTypes: ["violations"] }));
  for (const { id, help, nodes } of violations) seen.violations.push(`${name}: ${id}: ${help}: ${nodes[0].html.slice(0, 200)}`);
  if (await tab.evaluate(() => document.documentElement.scrollWidth > window.innerWidth)) seen.wide.push(name);
  // At some width any id meets the end of a line.
  const size = tab.viewportSize();
  for (const less of name.includes("narrow") ? [0, 12, 24, 36, 48] : [0]) {
    await tab.setViewportSize({ ...size, width: size.width - less });
    seen.torn.push(...(await tab.evaluate(torn)).map((text) => `${name}, ${less} narrower: ${text}`));
  }
  await tab.setViewportSize(size);
}

/** Ids that stand on several lines. Run in the page. */
function torn() {
  const ids = [...document.querySelectorAll(".whole, .id")].filter((one) => one.checkVisibility());
  return ids.filter((one) => {
    const range = document.createRange();
    range.selectNodeContents(one);
    const tops = [...range.getClientRects()].map(({ top }) => top);
    return Math.max(...tops) - Math.min(...tops) > 10;
  }).map((one) => one.textContent);
}

/** What stands in the cells of the first route, as it is read, and whether they are below its name. Run in the page. */
function labels() {
  const cells = [...document.querySelectorAll("#matrix tbody tr:first-child td")];
  return cells.map((cell) => {
    const route = cell.parentElement.querySelector("th").getBoundingClientRect();
    return [getComputedStyle(cell, "::before").content, cell.getBoundingClientRect().top >= route.bottom - 1];
  });
}

for (const size of Object.keys(SIZES)) {
  for (const scheme of ["light", "dark"]) {
    const tab = await open(page, size, scheme);
    // Each size and each theme is judged once: the other pairs are for who looks at the screenshots.
    const judged = (size === "desktop") === (scheme === "light");
    for (const place of judged ? PLACES : ["causes", "item"]) {
      await goTo(tab, place);
      if (size === "narrow" && place === "matrix") seen.labels = await tab.evaluate(labels);
      if (judged) await judge(tab, `${place}, ${size}, ${scheme}`);
      await tab.screenshot({ path: join(folder, `${place}-${size}-${scheme}.png`) });
    }
    await tab.context().close();
  }
}

const tab = await open(page, "desktop", "light");
seen.title = await tab.title();
seen.open = await tab.locator("details[open]").count();
await tab.locator("#cause-1 > summary").press("Enter");
await tab.locator("#cause-1 .excerpt .ln").first().waitFor();
seen.excerpt = await tab.locator("#cause-1 .excerpt .ln.wrong").count();
await goTo(tab, "item");
seen.chips = await tab.locator("#item .body").evaluateAll((bodies) =>
  bodies.map((body) => [...body.querySelectorAll(".id b")].map((chip) => chip.textContent).join("")));
seen.item = await tab.locator("#item").innerText();
seen.names = await tab.locator("#item dt").allTextContents();
seen.scripts = await tab.locator("#item script, #item img").count();
await tab.keyboard.press("Escape");
await tab.waitForTimeout(80);
await tab.keyboard.press("/");
await tab.waitForTimeout(50);
seen.focus = await tab.evaluate(() => document.activeElement.name);
await tab.keyboard.type("no such words");
await tab.waitForTimeout(300);
seen.status = await tab.locator("#shown").innerText();
await tab.keyboard.press("Escape");
await tab.evaluate(() => document.getElementById("filters").reset());
await tab.waitForTimeout(50);
await tab.keyboard.press("j");
seen.next = await tab.evaluate(() => document.activeElement.tagName);
await goTo(tab, "matrix");
await tab.locator(".cell").first().click();
await tab.waitForTimeout(100);
seen.cell = await tab.locator("#shown").innerText();
await tab.context().close();

const bare = await open(page, "desktop", "light", { javaScriptEnabled: false });
await bare.locator("#cause-1 > summary").press("Enter");
seen.bare = await bare.locator("#cause-1").innerText();
await bare.context().close();

const heavy = await open(large, "desktop", "light");
await heavy.locator("#cause-1 > summary").click();
await heavy.locator("#cause-1 .excerpt .ln").first().waitFor();
seen.milliseconds = await heavy.evaluate(() => performance.getEntriesByType("navigation")[0].loadEventEnd);
const started = Date.now();
await goTo(heavy, "items");
await heavy.locator("#items .rows li").first().waitFor();
seen.itemsMilliseconds = Date.now() - started;

await browser.close();
console.log(JSON.stringify(seen));
