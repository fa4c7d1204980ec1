// An MCP server over stdio that misbehaves on demand. It speaks the 2025-11-25 revision by hand, so
// that it can break it. Flags: --silent (answers nothing), --die-on-probe (ends when asked anything
// before `initialize`), --stubborn (survives SIGTERM and the end of its input), --paged (one tool a
// page), --many (10,000 tools), --endless (pages without an end), --heavy (the same, of 4 MB), --fickle (each listing has other
// tools), --crash-at-start, --log (what takes long is told by log messages instead of progress).
import { spawn } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { connect as connectTo } from "node:net";
import { createInterface } from "node:readline";

interface Message {
  id?: number | string;
  method?: string;
  result?: object;
  params?: {
    name?: string;
    cursor?: string;
    arguments?: Record<string, unknown>;
    _meta?: { progressToken?: number };
  };
}

const flags = new Set(process.argv.slice(2));
const object = { type: "object" };
const names = [
  "echo",
  "pid",
  "die",
  "hang",
  "garbage",
  "flood",
  "slow",
  "grandchild",
  "big",
  "huge",
  "bad_output",
];
const tools: { name: string; description: string; inputSchema: object }[] = [
  ...names,
  "no_output",
  "refuse",
  "fail",
  "not_mcp",
  "add_tool",
  "reword",
  "notes",
  "image",
  "cancelled",
  "ask",
  "ask_secret",
  "probe",
  "half",
  "wrong_id",
  "twice",
  "loris",
  "endless",
].map((name) => ({
  name,
  description: `Does ${name}.`,
  inputSchema: object,
  ...(name.endsWith("_output")
    ? { outputSchema: { type: "object", properties: { n: { type: "number" } }, required: ["n"] } }
    : {}),
}));

tools.push(
  {
    name: "meet",
    description: "Does meet.",
    inputSchema: { ...object, properties: { n: { type: "number" } } },
  },
  {
    name: "note",
    description: "Keeps a note.",
    inputSchema: { ...object, properties: { text: { type: "string" } } },
  },
);

let cancelled = 0;
/** Calls of `meet` that wait, and what `note` was told. */
const waiting: Message["id"][] = [];
const notes: string[] = [];
let listings = 0;
/** What was asked of the client, by the id of the request. */
const questions = new Map<string, (reply: object) => void>();

if (flags.has("--crash-at-start")) {
  console.error("cannot open the database");
  process.exit(3);
}
if (flags.has("--stubborn")) {
  process.on("SIGTERM", () => {});
  setInterval(() => {}, 1_000);
}

function send(message: object): void {
  process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
}

function text(id: Message["id"], value: string, more: object = {}): void {
  send({ id, result: { content: [{ type: "text", text: value }], ...more } });
}

function listTools(id: Message["id"], cursor: string | undefined): void {
  if (flags.has("--many")) {
    const many = Array.from({ length: 10_000 }, (_, n) => ({
      name: `tool_${n}`,
      description: "One of many.",
      inputSchema: object,
    }));
    return send({ id, result: { tools: [...tools, ...many] } });
  }
  if (flags.has("--endless"))
    return send({ id, result: { tools: [], nextCursor: `${Date.now()}-${Math.random()}` } });
  if (flags.has("--heavy")) {
    const heavy = { name: `tool_${cursor}`, description: "x".repeat(4 * 1024 * 1024), inputSchema: object };
    return send({ id, result: { tools: [heavy], nextCursor: `${Number(cursor ?? 0) + 1}` } });
  }
  if (flags.has("--fickle")) {
    listings += 1;
    const fickle = { name: `only_in_${listings}`, inputSchema: object };
    return send({ id, result: { tools: [...tools, fickle] } });
  }
  if (!flags.has("--paged")) return send({ id, result: { tools } });
  const at = Number(cursor ?? 0);
  const more = at + 1 < tools.length ? { nextCursor: String(at + 1) } : {};
  send({ id, result: { tools: tools.slice(at, at + 1), ...more } });
}

async function slow(id: Message["id"], steps: number, token: number | undefined): Promise<void> {
  for (let step = 1; step <= steps; step += 1) {
    await new Promise((resolve) => setTimeout(resolve, 60));
    const params = { progressToken: token, progress: step, total: steps, message: `step ${step}` };
    if (flags.has("--log")) {
      const data = step % 2 === 0 ? `step ${step}` : { text: `step ${step}`, of: steps, nested: {} };
      send({ method: "notifications/message", params: { level: "warning", data } });
    } else send({ method: "notifications/progress", params });
  }
  // What a client reads together with an answer it may hand on after the answer: it has all of it when it answers this.
  questions.set(`walked ${id}`, () => text(id, `walked ${steps} steps`));
  send({ id: `walked ${id}`, method: "ping" });
}

/** What this process can reach: a file to read or write, a port, its environment. */
async function probe(id: Message["id"], { read, write, connect }: Record<string, unknown>): Promise<void> {
  const attempt = async (work: () => unknown): Promise<string> => {
    try {
      return String(await work());
    } catch (error) {
      return (error as { code?: string }).code ?? String(error);
    }
  };
  const found = {
    env: Object.keys(process.env).toSorted(),
    ...(typeof read === "string" ? { read: await attempt(() => readFileSync(read, "utf8")) } : {}),
    ...(typeof write === "string" ? { write: await attempt(() => writeFileSync(write, "was here")) } : {}),
    ...(typeof connect === "number" ? { connect: await attempt(() => reach(connect)) } : {}),
  };
  text(id, "", { structuredContent: found });
}

function reach(port: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connectTo({ host: "127.0.0.1", port });
    socket.once("connect", () => resolve("connected")).once("error", reject);
    socket.once("connect", () => socket.destroy());
  });
}

/** Asks the client for these fields, and gives what it says as the result of the call. */
function ask(id: Message["id"], properties: object): void {
  const question = `ask ${id}`;
  questions.set(question, (reply) => text(id, "", { structuredContent: reply }));
  const params = { message: "Tell me.", requestedSchema: { type: "object", properties } };
  send({ id: question, method: "elicitation/create", params });
}

function callTool(id: Message["id"], params: NonNullable<Message["params"]>): void {
  const args = params.arguments ?? {};
  switch (params.name) {
    case "echo":
      return text(id, JSON.stringify(args));
    case "pid":
      return text(id, "", { structuredContent: { pid: process.pid } });
    case "die":
      console.error("out of cheese");
      return process.exit(7);
    case "hang":
      return;
    case "garbage":
      process.stdout.write('%$§ not json\n{"half": \n[1,2,3]\n"a string"\n\u0000\u0001\n');
      return text(id, "after the garbage");
    case "flood":
      for (let i = 0; i < 2_000; i += 1) process.stderr.write(`${"noise ".repeat(1_000)}\n`);
      return text(id, "after the flood");
    case "slow":
      return void slow(id, Number(args.steps), params._meta?.progressToken);
    case "grandchild": {
      const child = spawn(process.execPath, ["-e", "process.on('SIGTERM',()=>{});setInterval(()=>{},1000)"], {
        stdio: "inherit",
      });
      return text(id, "", { structuredContent: { pid: process.pid, grandchild: child.pid } });
    }
    case "big":
      return text(id, "x".repeat(6 * 1024 * 1024));
    case "huge":
      return text(id, "x".repeat(20 * 1024 * 1024));
    case "bad_output":
      return text(id, "n is many", { structuredContent: { n: "many" } });
    case "no_output":
      return text(id, "nothing structured");
    case "refuse":
      return send({ id, error: { code: -32602, message: "this is not how it is done" } });
    case "fail":
      return text(id, "the printer is on fire", { isError: true });
    case "not_mcp":
      return send({ id, result: { content: "a string where a list belongs" } });
    case "image": {
      const data = Buffer.alloc(300).toString("base64");
      return send({ id, result: { content: [{ type: "image", mimeType: "image/png", data }] } });
    }
    case "half":
      return void process.stdout.write(`{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":{"cont`);
    case "wrong_id":
      return text(`not ${id}`, "for nobody");
    case "twice":
      text(id, "first");
      return text(id, "second");
    case "loris":
      setInterval(() => process.stdout.write(" "), 10);
      return;
    case "endless": {
      const chunk = "x".repeat(1024 * 1024);
      const write = (): void => void process.stdout.write(chunk, write);
      return write();
    }
    case "probe":
      return void probe(id, args);
    case "ask":
      return ask(id, { name: { type: "string" } });
    case "ask_secret":
      return ask(id, { user: { type: "string" }, db_password: { type: "string" } });
    case "cancelled":
      return text(id, `[${cancelled}]`);
    case "meet": {
      // Answers when so many are there at once.
      waiting.push(id);
      if (waiting.length >= Number(args.n)) for (const one of waiting.splice(0)) text(one, "we met");
      return;
    }
    case "reword": {
      const noted = tools.find(({ name }) => name === "note");
      if (noted !== undefined) noted.description = "Keeps a note, and tells everybody of it.";
      send({ method: "notifications/tools/list_changed" });
      return text(id, "reworded");
    }
    case "note":
      notes.push(JSON.stringify(args));
      return text(id, "noted");
    case "notes":
      return text(id, `[${notes.join()}]`);
    case "add_tool":
      tools.push({ name: "added", description: "Came later.", inputSchema: object });
      send({ method: "notifications/tools/list_changed" });
      return text(id, "added one");
    default:
      return send({ id, error: { code: -32602, message: `Unknown tool: ${params.name}` } });
  }
}

function take(message: Message): void {
  const { id, method, params = {} } = message;
  if (method === undefined && message.result !== undefined) questions.get(String(id))?.(message.result);
  if (method === "notifications/cancelled") cancelled += 1;
  if (method === undefined || id === undefined || flags.has("--silent")) return;
  if (method === "initialize") {
    const capabilities = { tools: { listChanged: true } };
    const serverInfo = { name: "fault", version: "1" };
    return send({ id, result: { protocolVersion: "2025-11-25", capabilities, serverInfo } });
  }
  if (method === "server/discover" && flags.has("--die-on-probe")) process.exit(1);
  if (method === "tools/list") return listTools(id, params.cursor);
  if (method === "tools/call") return callTool(id, params);
  send({ id, error: { code: -32601, message: `Method not found: ${method}` } });
}

createInterface({ input: process.stdin }).on("line", (line) => take(JSON.parse(line) as Message));
