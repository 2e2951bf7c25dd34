// llm-bridge (https://github.com/supermemoryai/llm-bridge) as a child process; the protocol is in protocol/PROTOCOL.md.
// It translates requests and errors. A reply that is no stream it does not translate: there is no such function.
import { createRequire } from "node:module";
import { createInterface } from "node:readline";
import { parseProviderError, translateBetweenProviders, translateError } from "llm-bridge";

const version = createRequire(import.meta.url)("./package.json").dependencies["llm-bridge"];

// Our names for the formats, and theirs.
const THEIRS = {
  anthropic: "anthropic",
  gemini: "google",
  openai_chat: "openai",
  openai_responses: "openai-responses",
};
// Errors of both of OpenAI's APIs have one form, which is called so here.
const ERRORS = { ...THEIRS, openai_responses: "openai" };

const routes = new Map();

function request(route, body) {
  const named = route.client === "gemini" && route.upstream === "gemini" ? body : { ...body, model: route.upstream_model };
  const produced = translateBetweenProviders(THEIRS[route.client], THEIRS[route.upstream], named);
  if (route.upstream !== "gemini") return produced;
  const { model, ...rest } = produced; // which a client puts into the URL
  return rest;
}

function error(route, { status, headers, body }) {
  const universal = parseProviderError(body, ERRORS[route.upstream], new Response(null, { status, headers }));
  const { statusCode, body: translated } = translateError(universal, ERRORS[route.client]);
  return { status: statusCode, body: translated };
}

function answer(message) {
  const route = routes.get(message.session);
  switch (message.op) {
    case "hello":
      return { protocol: 1, name: "llm-bridge", version };
    case "open":
      if (!(message.route.client in THEIRS && message.route.upstream in THEIRS))
        return { unsupported: "llm-bridge has no such provider" };
      routes.set(message.session, message.route);
      return { operations: ["request", "error"] };
    case "request":
      return { body: request(route, message.body) };
    case "error":
      return error(route, message);
    case "close":
      routes.delete(message.session);
      return {};
    default:
      return { unsupported: `no operation ${message.op}` };
  }
}

for await (const line of createInterface({ input: process.stdin })) {
  const message = JSON.parse(line);
  let said;
  try {
    said = answer(message);
  } catch (failure) {
    said = { failed: String(failure), traceback: failure?.stack ?? "" };
  }
  process.stdout.write(`${JSON.stringify({ seq: message.seq, ...said })}\n`);
}
