import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

import { type JsonStore, openJsonStore } from "#servers/kit/data.ts";
import { ToolFailure } from "#servers/kit/tool.ts";

import type { Deployment } from "../deployment.ts";
import { generate, type World } from "./generate.ts";
import { answer } from "./routes.ts";
import { openRows } from "./rows.ts";

/** The two embedded deployments, whose state is kept in the data folder. `delayMs` is how long each change takes. */
export function openDemo(folder: string, delayMs = 0): (name: World["name"]) => Deployment {
  const rows = openRows(folder);
  const stores = new Map<World["name"], JsonStore<World>>();
  return (name) => {
    const store =
      stores.get(name) ?? openJsonStore(join(folder, `sisense-${name}.json`), () => generate(name));
    stores.set(name, store);
    return {
      name: `${name}.demo`,
      async request(method, path, { query, body, isRead, signal }) {
        if (signal.aborted) throw new ToolFailure("cancelled", "the call was cancelled");
        const asked = { ...(query === undefined ? {} : { query: known(query) }), body };
        const [, model] = /^\/api\/datasources\/([^/]+)\/sql$/.exec(path) ?? [];
        if (model !== undefined) return rows(String(query?.["query"]), signal);
        const isChange = method !== "GET" && isRead !== true;
        if (!isChange) return structuredClone(answer(store.read(), method, path, asked));
        if (delayMs > 0) await sleep(delayMs);
        return structuredClone(store.update((world) => answer(world, method, path, structuredClone(asked))));
      },
    };
  };
}

function known(query: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(query).filter(([, value]) => value !== undefined));
}
