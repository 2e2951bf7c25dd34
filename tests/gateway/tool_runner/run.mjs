// Runs the official tool runner once: `node run.mjs MODULES URL WHOLE|STREAMED`, and prints the last words.
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const [modules, baseURL, way] = process.argv.slice(2);
const sdk = createRequire(pathToFileURL(`${modules}/`));
const Anthropic = sdk("@anthropic-ai/sdk").default;
const { betaTool } = sdk("@anthropic-ai/sdk/helpers/beta/json-schema");

const gauge = betaTool({
  name: "read_gauge",
  description: "Read a gauge.",
  inputSchema: { type: "object", properties: { gauge: { type: "string" } }, required: ["gauge"] },
  run: () => "1.1 bar",
});
const client = new Anthropic({ apiKey: "key", baseURL, maxRetries: 0 });
const runner = client.beta.messages.toolRunner({
  model: "mine",
  max_tokens: 100,
  messages: [{ role: "user", content: "Is the pressure at gauge 7 too high?" }],
  tools: [gauge],
  ...(way === "STREAMED" && { stream: true }),
});
const last = await runner.runUntilDone();
process.stdout.write(last.content.map((block) => block.text ?? "").join(""));
