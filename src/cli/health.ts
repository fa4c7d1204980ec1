import type { Health, SurfaceStatus } from "#contract/core.ts";
import type { ToolBox } from "#contract/tool.ts";

import type { ModelSelector } from "../model/selector.ts";
import type { ToolWatch } from "../plan/tool-watch.ts";
import type { Store } from "../store/open.ts";

/** Composes the state of the parts; `started` says that every server was tried once. */
export function createHealth(parts: {
  version: string;
  tools: ToolBox;
  models: ModelSelector;
  store: Store;
  /** What is wrong with the last entries of the audit record. */
  auditFault: () => string | undefined;
  toolWatch: ToolWatch;
  /** By name; filled as surfaces start. */
  surfaces: ReadonlyMap<string, () => SurfaceStatus>;
}): (started: boolean) => Promise<Health> {
  return async (started) => {
    const { damage: found = [], ...store } = await parts.store.check();
    const fault = parts.auditFault();
    const damage = fault === undefined ? found : [...found, `audit: ${fault}`];
    const servers = parts.tools.servers();
    const { provider, model, reachable, reason } = parts.models.current();
    const surfaces = [...parts.surfaces].map(([name, read]): [string, SurfaceStatus] => [name, read()]);
    const isWhole =
      store.ok &&
      damage.length === 0 &&
      servers.every(({ status }) => status === "up" || status === "waiting") &&
      surfaces.every(([, surface]) => surface.status !== "down") &&
      (reachable || provider === "builtin");
    const notices = parts.toolWatch
      .changes()
      .map(({ tool, at }) => `${tool} is described otherwise since ${new Date(at).toISOString()}`);
    return {
      status: started ? (isWhole ? "ok" : "degraded") : "starting",
      version: parts.version,
      model: { provider, model, reachable, ...(reason === undefined ? {} : { reason }) },
      servers,
      store: { kind: parts.store.kind, ...store, ...(damage.length === 0 ? {} : { damage }) },
      ...(notices.length === 0 ? {} : { notices }),
      ...(surfaces.length === 0 ? {} : { surfaces: Object.fromEntries(surfaces) }),
    };
  };
}
