// Lends a translator to toolcall-conformance: questions come on standard input, answers go to standard output.
import { randomUUID } from "node:crypto";

// Standard output belongs to the protocol: what else is printed there goes to standard error.
const answerLine = process.stdout.write.bind(process.stdout);
process.stdout.write = process.stderr.write.bind(process.stderr);

type Body = Record<string, any>;
type Headers = Record<string, string>;
type Route = { client: string; upstream: string; client_model: string; upstream_model: string; stream: boolean };

/** This route or operation is not done. */
class Unsupported extends Error {}
/** This input is not taken, and here is why. */
class Refused extends Error {}

// ---------------------------------------------------------------- YOUR TRANSLATOR

const NAME = "my-translator";
const VERSION = "0.1.0";

/**
 * One conversation: what it needs to remember between its turns, it keeps here. Delete the methods that you do not
 * have: the methods that are there are what you say that you do. Each may be async.
 *
 * In bodies, whole numbers that a double cannot hold are of the type bigint, so that none of them changes on its way.
 */
class Session implements Operations {
  route: Route;

  constructor(route: Route) {
    if (route.client !== route.upstream) throw new Unsupported(`no ${route.client}-to-${route.upstream} yet`);
    this.route = route;
  }

  /** Translate the client's request for the upstream. */
  request(body: Body): Body | Promise<Body> {
    return body;
  }

  /** Translate the upstream's reply for the client. */
  response(body: Body): Body | Promise<Body> {
    return body;
  }

  /**
   * Translate the upstream's stream for the client. Yield all output that is ready before you read on. A piece may end
   * anywhere, even inside a character. `chunks` throws if the upstream's connection is lost.
   */
  async *stream(chunks: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
    yield* chunks;
  }

  /** Translate the upstream's error for the client. */
  error(status: number, headers: Headers, body: Body): { status: number; headers?: Headers; body: Body } {
    return { status, headers, body };
  }

  // Within one format (client and upstream are the same) there is more that you may have. Uncomment what you do.

  /** The calls of a reply: {id, name, arguments} each, with keys of your own if you like. */
  // tool_calls(reply: Body): Body[] { throw new Unsupported("no tool calls yet"); }
  /** What follows that reply in the next request (messages, items or contents), for these calls and their results. */
  // tool_results(calls: Body[], results: Body[]): Body[] { throw new Unsupported("no tool results yet"); }
  /** The `tools` of a request, for what an MCP server answered to tools/list. */
  // mcp_tools(listed: Body): Body[] { throw new Unsupported("no MCP tools yet"); }
  /** What follows a reply with this call, for a CallToolResult of an MCP server. */
  // mcp_result(call: Body, result: Body): Body[] { throw new Unsupported("no MCP results yet"); }
  /** OpenTelemetry: {input_messages, output_messages, system_instructions, tool_definitions}. */
  // otel(request: Body, reply: Body): Body { throw new Unsupported("no OpenTelemetry yet"); }
}

// ---------------------------------------------------------------- the protocol; no need to change it

type Result<T> = T | Promise<T>;

interface Operations {
  request?(body: Body): Result<Body>;
  response?(body: Body): Result<Body>;
  stream?(chunks: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array>;
  error?(status: number, headers: Headers, body: Body): Result<{ status: number; headers?: Headers; body: Body }>;
  tool_calls?(reply: Body): Result<Body[]>;
  tool_results?(calls: Body[], results: Body[]): Result<Body[]>;
  mcp_tools?(listed: Body): Result<Body[]>;
  mcp_result?(call: Body, result: Body): Result<Body[]>;
  otel?(request: Body, reply: Body): Result<Body>;
}

const BETWEEN = ["request", "response", "error", "stream"];
const WITHIN = ["tool_calls", "tool_results", "mcp_tools", "mcp_result", "otel"];

const sessions = new Map<string, any>();

function sessionOf(message: any): any {
  const session = sessions.get(message.session);
  if (session === undefined) throw new Error(`no session ${message.session}`);
  return session;
}

async function answer(message: any): Promise<object> {
  if (message.op === "hello") return { protocol: 1, name: NAME, version: VERSION };
  if (message.op === "open") {
    const session: any = new Session(message.route);
    sessions.set(message.session, session);
    return { operations: [...BETWEEN, ...WITHIN].filter((name) => typeof session[name] === "function") };
  }
  if (message.op === "close") {
    sessions.delete(message.session);
    return {};
  }
  const session = sessionOf(message);
  if (typeof session[message.op] !== "function") throw new Unsupported(`no operation ${message.op}`);
  if (message.op === "error") return await session.error(message.status, message.headers, message.body);
  if (WITHIN.includes(message.op)) return { value: await session[message.op](...message.arguments) };
  return { body: await session[message.op](message.body) };
}

function failure(error: unknown): object {
  if (error instanceof Unsupported) return { unsupported: error.message };
  if (error instanceof Refused) return { refused: error.message };
  if (error instanceof Error) return { failed: `${error.name}: ${error.message}`, traceback: error.stack ?? "" };
  return { failed: String(error) };
}

function send(message: any, result: object): void {
  answerLine(`${write({ seq: message.seq, ...result })}\n`);
}

// JSON.parse makes every number a double. So a whole number that does not fit goes through it as a marked text.
const MARK = `whole number ${randomUUID()} `;
const MARKED = new RegExp(`"${MARK}(-?\\d+)"`, "g");

function parse(text: string): any {
  if (!/\d{16}/.test(text)) return JSON.parse(text);
  let inText = false;
  const marked = text.replace(/\\.|"|-?\d[\d.eE+-]*/g, (token) => {
    if (token === '"') inText = !inText;
    const fits = inText || !/^-?\d+$/.test(token) || Number.isSafeInteger(Number(token));
    return fits ? token : `"${MARK}${token}"`;
  });
  return JSON.parse(marked, (_, value) => {
    return typeof value === "string" && value.startsWith(MARK) ? BigInt(value.slice(MARK.length)) : value;
  });
}

function write(value: unknown): string {
  const text = JSON.stringify(value, function (key, entry) {
    return typeof this[key] === "bigint" ? `${MARK}${this[key]}` : entry;
  });
  return text.replace(MARKED, "$1");
}

// For your own JSON.stringify, which refuses a bigint. Node 20 cannot write one exactly: there it becomes a double.
(BigInt.prototype as any).toJSON = function () {
  return (JSON as any).rawJSON?.(String(this)) ?? Number(this);
};

/** The upstream's stream, as `stream` reads it. Before it reads the next piece it answers the last one. */
class Stream {
  message: any; // the message to answer next
  output: string[] = []; // the output since the last answer

  constructor(message: any) {
    this.message = message;
  }

  async *chunks(): AsyncIterable<Uint8Array> {
    while (this.message.op !== "stream-end") {
      await this.advance();
      if (this.message.op === "stream-chunk") yield Buffer.from(this.message.chunk, "base64");
      else if (this.message.end === "lost") throw new Error("the upstream's connection was lost");
    }
  }

  /** Answer, and wait for the next piece or the end. */
  async advance(): Promise<void> {
    send(this.message, { chunks: this.output });
    this.output = [];
    const { value, done } = await questions.next();
    if (done) process.exit(); // the runner has left
    this.message = value;
  }

  async play(): Promise<void> {
    let result = {};
    try {
      for await (const piece of sessionOf(this.message).stream(this.chunks())) {
        this.output.push(Buffer.from(piece).toString("base64"));
      }
      while (this.message.op !== "stream-end") await this.advance(); // the translator stopped reading
    } catch (error) {
      result = failure(error);
    }
    send(this.message, { ...result, chunks: this.output });
  }
}

async function* read() {
  let rest = "";
  process.stdin.setEncoding("utf8");
  for await (const chunk of process.stdin) {
    rest += chunk;
    const lines = rest.split("\n"); // node:readline would also split at U+2028, which may stand inside a JSON text
    rest = lines.pop() ?? "";
    for (const line of lines) yield parse(line);
  }
}

const questions = read();
for (let next = await questions.next(); !next.done; next = await questions.next()) {
  const { op, session } = next.value;
  if (op === "stream-open" && sessions.get(session)?.stream) await new Stream(next.value).play();
  else send(next.value, await answer(next.value).catch(failure));
}
