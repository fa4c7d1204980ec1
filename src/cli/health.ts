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
  toolWatch: ToolWatch;
  /** By name; filled as surfaces start. */
  surfaces: ReadonlyMap<string, () => SurfaceStatus>;
}): (started: boolean) => Promise<Health> {
  return async (started) => {
    const store = await parts.store.check();
    const servers = parts.tools.servers();
    const { provider, model, reachable, reason } = parts.models.current();
    const surfaces = [...parts.surfaces].map(([name, read]): [string, SurfaceStatus] => [name, read()]);
    const isWhole =
      store.ok &&
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
      store: { kind: parts.store.kind, ...store },
      ...(notices.length === 0 ? {} : { notices }),
      ...(surfaces.length === 0 ? {} : { surfaces: Object.fromEntries(surfaces) }),
    };
  };
}
