import type { JsonObject } from "#contract/json.ts";

import { createMask, type Mask } from "./masking.ts";
import type { McpLog } from "./options.ts";

/** A log in which what a server was lately sent stays masked, whatever the server writes to its own log. */
export interface SecretLog extends McpLog {
  /** From now on these are masked in lines about the server, and in no others. */
  sent(server: string, secrets: readonly string[]): void;
}

/** Sites a server is remembered to have been sent to; the one longest unused goes. */
const mostRemembered = 100;

export function createSecretLog(log: McpLog): SecretLog {
  const remembered = new Map<string, Map<string, readonly string[]>>();
  const masks = new Map<string, Mask>();

  function masked<Level extends keyof McpLog>(level: Level): McpLog[Level] {
    return (data, message) => {
      const mask = "server" in data ? masks.get(String(data.server)) : undefined;
      if (mask === undefined) log[level](data, message);
      else log[level](mask.json(data as JsonObject), mask.text(message));
    };
  }

  return {
    debug: masked("debug"),
    info: masked("info"),
    warn: masked("warn"),
    error: masked("error"),
    sent(server, secrets) {
      const known = remembered.get(server) ?? new Map<string, readonly string[]>();
      remembered.set(server, known);
      const key = JSON.stringify(secrets);
      const isNew = !known.delete(key);
      known.set(key, secrets);
      if (!isNew) return;
      const [oldest] = known.keys();
      if (known.size > mostRemembered && oldest !== undefined) known.delete(oldest);
      masks.set(server, createMask([...known.values()].flat()));
    },
  };
}
