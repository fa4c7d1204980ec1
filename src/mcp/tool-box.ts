import { setTimeout as delay } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";

import type { JsonObject } from "#contract/json.ts";
import type { CallOutcome, CallRequest, ToolBox } from "#contract/tool.ts";

import { CountersignError, messageOf } from "../base/errors.ts";
import type { OAuth } from "./auth/oauth.ts";
import { createSecretLog } from "./call/masking.ts";
import { createOutputCheck } from "./call/outcome.ts";
import { type BuiltinParts, builtinServer, builtinTools, callBuiltin } from "./catalogue/builtins.ts";
import { mergeTools } from "./catalogue/catalogue.ts";
import type { McpServerConfig } from "./config.ts";
import { createLauncher } from "./connect/launcher.ts";
import type { McpLog, NegotiatedProtocolStore, SessionRecords } from "./ports.ts";
import { createServer, type ManagedServer } from "./server.ts";

export interface ToolBoxOptions {
  /** In order: the last one wins a bare tool name that several offer. */
  servers: McpServerConfig[];
  /** Of this product, told to the servers. */
  version: string;
  cwd: string;
  /** The parent's environment; only an allow-listed part of it reaches a server. */
  env: NodeJS.ProcessEnv;
  log: McpLog;
  /**
   * Longest time to connect to a server over an address, and to list its tools; one that is launched has its own.
   * Default 10 000.
   */
  discoveryTimeoutMs?: number;
  /** Keeps which revision each server speaks, so that a restart need not negotiate again. */
  protocols?: NegotiatedProtocolStore;
  /** Keeps the sessions of servers, for the next process and other replicas. Without it each process has its own. */
  sessions?: SessionRecords;
  /** The accounts of people with servers; without it a server with `oauth` authorises nobody. */
  oauth?: OAuth;
  /** Fixed arguments of a tool beside those of its server. */
  fixedArguments?: (tool: { id: string; name: string }) => JsonObject | undefined;
  /** What the built-in tools need of the product. */
  builtins?: BuiltinParts;
  /** Back-off between tries of a server that is down. Default 1 000 to 30 000. */
  retry?: { minMs: number; maxMs: number };
}

export interface ManagedToolBox extends ToolBox {
  /** Resolves when every server has been tried once, or after this time, in milliseconds: tries go on beside. */
  start(limitMs?: number): Promise<void>;
  /**
   * Takes other servers over. Those whose entries are equal stay as they are; what runs on one that is gone, or is
   * another now, ends there first. `isFixed`: fixed arguments changed, so that all are listed anew.
   */
  apply(servers: McpServerConfig[], options: { isFixed: boolean }): void;
  /** Ends all connections and every process that was launched. Takes less than 5 s. */
  stop(): Promise<void>;
  /** Somebody looks at how the servers are: those over HTTP are looked at again beside, unless that was just now. */
  freshen(): void;
  /** The catalogue or a server's status changed. Returns what takes the listener off again. */
  onChange(listener: () => void): () => void;
}

interface Entry {
  config: McpServerConfig;
  server: ManagedServer;
}

/** One that is launched, and listens at an address. */
function isDaemon({ command, url, sse_url: sse }: McpServerConfig): boolean {
  return command !== undefined && (url !== undefined || sse !== undefined);
}

/** Names that are said to be offered more than once. */
const mostTold = 1_000;

/** The tools of all configured servers and the built-in ones. See the port for the contract. */
export function createToolBox(options: ToolBoxOptions): ManagedToolBox {
  const log = createSecretLog(options.log);
  checkNames(options.servers);
  const launcher = createLauncher({ ...options, log });
  const check = createOutputCheck(log);
  const listeners = new Set<() => void>();
  const told = new Set<string>();
  const builtins = builtinTools();
  let catalogue = mergeTools([builtins]);

  const { discoveryTimeoutMs = 10_000, retry = { minMs: 1_000, maxMs: 30_000 } } = options;
  const shared = { ...options, launcher, log, check, discoveryTimeoutMs, retry, onChange: changed };
  const open = (config: McpServerConfig): Entry => ({ config, server: createServer({ ...shared, config }) });
  let entries = options.servers.map(open);
  /** What those that are gone still do. */
  const leaving = new Set<ManagedServer>();

  function serverOf(name: string): ManagedServer | undefined {
    return entries.find(({ server }) => server.name === name)?.server;
  }

  function changed(): void {
    catalogue = mergeTools(
      [builtins, ...entries.map(({ server }) => server.tools())],
      entries.map(({ server }) => server.name),
    );
    for (const duplicate of catalogue.duplicates) {
      const key = JSON.stringify(duplicate);
      // A server whose names are others at every look would fill the log.
      if (told.has(key) || told.size >= mostTold) continue;
      told.add(key);
      const { name, winner } = duplicate;
      log.warn(duplicate, `tool name ${name} is offered more than once; it means ${winner}`);
    }
    for (const listener of listeners) {
      try {
        listener();
      } catch (error) {
        log.error({ error: messageOf(error) }, "listener of the tool catalogue failed");
      }
    }
  }

  async function retire(server: ManagedServer): Promise<void> {
    leaving.add(server);
    await server.retire();
    leaving.delete(server);
  }

  async function call(request: CallRequest): Promise<CallOutcome> {
    const { tool, args, signal } = request;
    if (tool.server === builtinServer) return callBuiltin(tool.name, args, options.builtins ?? {}, signal);
    const server = serverOf(tool.server);
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
    tools: () => catalogue.tools,
    find: (name) => catalogue.find(name),
    servers: () => entries.map(({ server }) => server.status()),
    call,
    freshen() {
      for (const { server } of entries) server.freshen();
    },
    apply(given, { isFixed }) {
      checkNames(given);
      const before = entries;
      entries = given.map(
        (config) => before.find((one) => isDeepStrictEqual(one.config, config)) ?? open(config),
      );
      const isSame = before.length === entries.length && before.every((one, at) => one === entries[at]);
      if (isSame && !isFixed) return;
      const gone = before.filter((one) => !entries.includes(one)).map(({ server }) => server);
      const retired = new Map(gone.map((server) => [server.name, retire(server)]));
      changed();
      for (const { config, server } of entries) {
        const isKept = before.some((one) => one.server === server);
        if (isKept && !isFixed) continue;
        // Two processes would want one address.
        const isFree = isDaemon(config) ? retired.get(server.name) : undefined;
        void Promise.resolve(isFree).then(() => server.start());
      }
    },
    async start(limitMs) {
      const tried = Promise.all(entries.map(({ server }) => server.start()));
      await (limitMs === undefined
        ? tried
        : Promise.race([tried, delay(limitMs, undefined, { ref: false })]));
    },
    async stop() {
      await Promise.all([...entries.map(({ server }) => server), ...leaving].map((server) => server.stop()));
      await launcher.stop();
    },
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

/** Two servers of one name could not be told apart by tool ids. Throws `server_name_taken`. */
export function checkNames(servers: McpServerConfig[]): void {
  const names = new Set([builtinServer]);
  for (const { name } of servers) {
    const why =
      // What stands before the first dot of a tool's id is its server.
      (name.includes(".") && `names without a dot, got ${name}`) ||
      (names.has(name) && `unique names other than ${builtinServer}, got ${name} again`);
    if (why !== false) throw new CountersignError("server_name_taken", `servers: expected ${why}; rename it`);
    names.add(name);
  }
}
