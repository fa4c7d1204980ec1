import type { CallOutcome, CallRequest, ServerStatus, Tool, ToolBox } from "#contract/tool.ts";

import { CountersignError, messageOf } from "../base/errors.ts";
import type { OAuth } from "./auth/oauth.ts";
import { createSecretLog } from "./call/masking.ts";
import { createOutputCheck } from "./call/outcome.ts";
import { type BuiltinParts, builtinServer, builtinTools, callBuiltin } from "./catalogue/builtins.ts";
import { mergeTools } from "./catalogue/catalogue.ts";
import type { McpServerConfig } from "./config.ts";
import { createLauncher } from "./connect/launcher.ts";
import type { McpLog, NegotiatedProtocolStore, SessionRecords } from "./ports.ts";
import { createServer } from "./server.ts";

export interface ToolBoxOptions {
  /** In order: the last one wins a bare tool name that several offer. */
  servers: McpServerConfig[];
  /** Of this product, told to the servers. */
  version: string;
  cwd: string;
  /** The parent's environment; only an allow-listed part of it reaches a server. */
  env: NodeJS.ProcessEnv;
  log: McpLog;
  /** Longest time to connect to a server and list its tools. Default 10 000. */
  discoveryTimeoutMs?: number;
  /** Keeps which revision each server speaks, so that a restart need not negotiate again. */
  protocols?: NegotiatedProtocolStore;
  /** Keeps the sessions of servers, for the next process and other replicas. Without it each process has its own. */
  sessions?: SessionRecords;
  /** The accounts of people with servers; without it a server with `oauth` authorises nobody. */
  oauth?: OAuth;
  /** What the built-in tools need of the product. */
  builtins?: BuiltinParts;
  /** Back-off between tries of a server that is down. Default 1 000 to 30 000. */
  retry?: { minMs: number; maxMs: number };
}

export interface ManagedToolBox extends ToolBox {
  /** Resolves when every server has been tried once, or the time for discovery has passed. */
  start(): Promise<void>;
  /** Ends all connections and every process that was launched. Takes less than 5 s. */
  stop(): Promise<void>;
  /** The catalogue or a server's status changed. Returns what takes the listener off again. */
  onChange(listener: () => void): () => void;
}

/** Names that are said to be offered more than once. */
const mostTold = 1_000;

/** The tools of all configured servers and the built-in ones. See the port for the contract. */
export function createToolBox(options: ToolBoxOptions): ManagedToolBox {
  const log = createSecretLog(options.log);
  checkNames(options.servers);
  const launcher = createLauncher({ ...options, log });
  const check = createOutputCheck(log);
  const discoveryTimeoutMs = options.discoveryTimeoutMs ?? 10_000;
  const listeners = new Set<() => void>();
  const told = new Set<string>();
  const builtins = builtinTools();
  let catalogue = mergeTools([builtins]);

  const servers = options.servers.map((config) =>
    createServer({
      config,
      version: options.version,
      launcher,
      log,
      check,
      discoveryTimeoutMs,
      retry: options.retry ?? { minMs: 1_000, maxMs: 30_000 },
      protocols: options.protocols,
      sessions: options.sessions,
      oauth: options.oauth,
      onChange: changed,
    }),
  );
  const byName = new Map(servers.map((server) => [server.name, server]));

  function changed(): void {
    catalogue = mergeTools([builtins, ...servers.map((server) => server.tools())], [...byName.keys()]);
    for (const duplicate of catalogue.duplicates) {
      const key = JSON.stringify(duplicate);
      // A server whose names are others at every look would fill the log.
      if (told.has(key) || told.size >= mostTold) continue;
      told.add(key);
      log.warn(
        duplicate,
        `tool name ${duplicate.name} is offered more than once; it means ${duplicate.winner}`,
      );
    }
    for (const listener of listeners) {
      try {
        listener();
      } catch (error) {
        log.error({ error: messageOf(error) }, "listener of the tool catalogue failed");
      }
    }
  }

  async function call(request: CallRequest): Promise<CallOutcome> {
    const { tool } = request;
    if (tool.server === builtinServer)
      return callBuiltin(tool.name, request.args, options.builtins ?? {}, request.signal);
    const server = byName.get(tool.server);
    if (server === undefined || catalogue.find(tool.id)?.id !== tool.id) {
      const message = `There is no tool ${tool.id}; it may have been removed since it was planned.`;
      return { ok: false, data: null, error: { code: "unknown_tool", sent: "no", message } };
    }
    return server.call({ ...request, onProgress: guarded(request) });
  }

  function guarded({ onProgress, tool }: CallRequest): NonNullable<CallRequest["onProgress"]> {
    return (progress) => {
      try {
        onProgress?.(progress);
      } catch (error) {
        log.error({ tool: tool.id, error: messageOf(error) }, "progress listener failed");
      }
    };
  }

  return {
    tools: (): Tool[] => catalogue.tools,
    find: (name): Tool | undefined => catalogue.find(name),
    servers: (): ServerStatus[] => servers.map((server) => server.status()),
    call,
    async start() {
      await Promise.all(servers.map((server) => server.start()));
    },
    async stop() {
      await Promise.all(servers.map((server) => server.stop()));
      await launcher.stop();
    },
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

/** Two servers of one name could not be told apart by tool ids. */
function checkNames(servers: McpServerConfig[]): void {
  const names = new Set([builtinServer]);
  for (const { name } of servers) {
    // What stands before the first dot of a tool's id is its server.
    if (name.includes(".")) {
      const message = `servers: expected names without a dot, got ${name}; rename it`;
      throw new CountersignError("server_name_taken", message);
    }
    if (names.has(name)) {
      const message = `servers: expected unique names other than ${builtinServer}, got ${name} again; rename it`;
      throw new CountersignError("server_name_taken", message);
    }
    names.add(name);
  }
}
