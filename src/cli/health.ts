import type { Health } from "#contract/core.ts";
import type { ToolBox } from "#contract/tool.ts";

import type { ModelSelector } from "../model/selector.ts";
import type { Store } from "../store/open.ts";

/** Composes the state of the parts; `started` says that every server was tried once. */
export function createHealth(parts: {
  version: string;
  tools: ToolBox;
  models: ModelSelector;
  store: Store;
}): (started: boolean) => Promise<Health> {
  return async (started) => {
    const store = await parts.store.check();
    const servers = parts.tools.servers();
    const { provider, model, reachable, reason } = parts.models.current();
    const isWhole =
      store.ok && servers.every((server) => server.status === "up") && (reachable || provider === "builtin");
    return {
      status: started ? (isWhole ? "ok" : "degraded") : "starting",
      version: parts.version,
      model: { provider, model, reachable, ...(reason === undefined ? {} : { reason }) },
      servers,
      store: { kind: parts.store.kind, ...store },
    };
  };
}
