import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { createInterface } from "node:readline";

import { serve } from "#app/commands/start.ts";
import { codeOf, messageOf } from "#src/base/errors.ts";

/** What a test sends on its connection, in one line, to have a product started. */
export interface Wanted {
  /** The path of its configuration; the demo's without it. */
  config?: string;
  env: NodeJS.ProcessEnv;
}

/**
 * A process with many products, each for as long as its connection: what it logs is what is written there, and half of
 * the connection closed is what asks it to stop. Starting a process and loading the product takes ten times what
 * starting one more here does. Its first line on stdout is the port that it listens on.
 */
async function host(socket: Socket): Promise<void> {
  let stop: (why: string) => void = () => {};
  const stopped = new Promise<string>((resolve) => (stop = resolve));
  // Of a test that is gone as well.
  socket.on("error", () => stop("the connection was lost"));
  socket.on("close", () => stop("the connection was closed"));
  socket.on("end", () => stop("the connection was closed"));
  const [first] = (await once(createInterface({ input: socket }), "line")) as [string];
  const { env, ...options } = JSON.parse(first) as Wanted;
  const log = { kind: "lines", write: (line: string) => void socket.write(line) } as const;
  try {
    await serve({ options, env, log, stopped, onReload: () => {} });
  } catch (error) {
    socket.write(`${JSON.stringify({ level: "fatal", msg: `${messageOf(error)} [${codeOf(error)}]` })}\n`);
  }
  socket.end();
}

const server = createServer({ allowHalfOpen: true }, (socket) => void host(socket));
server.listen(0, "127.0.0.1");
await once(server, "listening");
console.log((server.address() as AddressInfo).port);
// Ends with the test run, whatever becomes of that.
process.stdin.resume().once("close", () => process.exit(0));
