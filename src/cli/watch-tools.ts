import type { ToolBox } from "#contract/tool.ts";
import type { Logger } from "pino";

import type { Transact } from "../ledger/transact.ts";
import { createToolWatch, type ToolWatch } from "../plan/tool-watch.ts";
import { createKeyv } from "../store/keyv.ts";
import type { Store } from "../store/open.ts";

/** Notices tools that change, from one start to the next as well, and writes each change to the audit log. */
export function watchTools(
  tools: ToolBox,
  { db, now }: Pick<Store, "db" | "now">,
  { transact, log }: { transact: Transact; log: Logger },
): ToolWatch {
  return createToolWatch({
    tools: () => tools.tools(),
    known: createKeyv(db, "tool-digests"),
    now,
    log,
    onChange: (change) =>
      transact((_tx, note) => {
        note({ kind: "tool.changed", data: { ...change } });
        return Promise.resolve();
      }),
  });
}
