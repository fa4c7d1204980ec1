import { CountersignError } from "../base/errors.ts";
import { durationMs } from "../settings/duration.ts";
import { openEmbeddedStoreForReading } from "../store/open.ts";
import { forgetMemories } from "../turn/memory.ts";
import type { CommandCall } from "./command-line.ts";
import { print, printJson } from "./output.ts";
import { readSettings } from "./read-settings.ts";

/** Drops what was remembered, also while the product runs: one statement, which its own writes wait for. */
export async function forget({ options }: CommandCall): Promise<number> {
  const { conversation, "older-than": age, all } = options;
  if (typeof conversation !== "string" && typeof age !== "string" && all !== true) {
    const message = "memory forget: expected --conversation ID, --older-than TIME or --all, got none of them";
    throw new CountersignError("wrong_use", message);
  }
  const ms = typeof age === "string" ? durationMs(age) : undefined;
  if (typeof age === "string" && ms === undefined)
    throw new CountersignError("wrong_use", `--older-than: expected a time such as 24h or 30d, got ${age}`);
  const settings = await readSettings(options);
  const store =
    settings.store.url === ""
      ? openEmbeddedStoreForReading(settings.data_dir, { mayWrite: true })
      : await (await import("../store/open-postgres.ts")).openPostgresStoreForReading(settings.store.url);
  try {
    const forgotten = await forgetMemories(store.db, {
      ...(typeof conversation === "string" ? { conversationId: conversation } : {}),
      ...(ms === undefined ? {} : { before: Date.now() - ms }),
    });
    if (options.json === true) printJson({ forgotten });
    else print(`Forgot ${forgotten} passages.`);
    return 0;
  } finally {
    await store.close();
  }
}
