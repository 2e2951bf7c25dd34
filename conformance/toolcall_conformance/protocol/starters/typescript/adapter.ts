// Lends a translator to toolcall-conformance: questions come on standard input, answers go to standard output.
// Use console.error only: standard output belongs to the protocol.

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

/** One conversation: what it needs to remember between its turns, it keeps here. Methods may be async. */
class Session {
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
}

// ---------------------------------------------------------------- the protocol; no need to change it

const sessions = new Map<string, Session>();

function sessionOf(message: any): Session {
  const session = sessions.get(message.session);
  if (session === undefined) throw new Error(`no session ${message.session}`);
  return session;
}

async function answer(message: any): Promise<object> {
  if (message.op === "hello") return { protocol: 1, name: NAME, version: VERSION };
  if (message.op === "open") {
    sessions.set(message.session, new Session(message.route));
    return { operations: ["request", "response", "stream", "error"] };
  }
  if (message.op === "close") {
    sessions.delete(message.session);
    return {};
  }
  const session = sessionOf(message);
  if (message.op === "request") return { body: await session.request(message.body) };
  if (message.op === "response") return { body: await session.response(message.body) };
  if (message.op === "error") return await session.error(message.status, message.headers, message.body);
  throw new Unsupported(`no operation ${message.op}`);
}

function failure(error: unknown): object {
  if (error instanceof Unsupported) return { unsupported: error.message };
  if (error instanceof Refused) return { refused: error.message };
  if (error instanceof Error) return { failed: `${error.name}: ${error.message}`, traceback: error.stack ?? "" };
  return { failed: String(error) };
}

function send(message: any, result: object): void {
  process.stdout.write(`${JSON.stringify({ seq: message.seq, ...result })}\n`);
}

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
    for (const line of lines) yield JSON.parse(line);
  }
}

const questions = read();
for (let next = await questions.next(); !next.done; next = await questions.next()) {
  if (next.value.op === "stream-open") await new Stream(next.value).play();
  else send(next.value, await answer(next.value).catch(failure));
}
