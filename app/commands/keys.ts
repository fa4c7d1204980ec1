import { CountersignError } from "#src/base/errors.ts";
import { createFailPoint } from "#src/base/fail-point.ts";
import { count } from "#src/base/text.ts";
import { DAY_MS, durationMs } from "#src/base/time.ts";
import { rotateFolderKey, rotateGivenKey } from "#src/store/rotate-keys.ts";
import { countSealed, createSealer } from "#src/store/sealed.ts";

import type { CommandCall } from "../command-line.ts";
import { answer } from "../output.ts";
import { readSettings } from "../settings.ts";
import { withStore } from "../storage.ts";

/** Replaces the key of what is encrypted, while the product may be running. */
export async function rotate({ options, flags }: CommandCall): Promise<number> {
  const settings = await readSettings(options);
  const { secret_key: next, old_secret_keys: old, data_dir: folder } = settings;
  const handoverMs = options.handover === undefined ? DAY_MS : durationMs(options.handover);
  if (handoverMs === undefined)
    throw new CountersignError(
      "wrong_use",
      `--handover: expected a time such as 1h or 24h, got ${options.handover}`,
    );
  if (next !== undefined && old.length === 0)
    throw new CountersignError(
      "wrong_use",
      "expected a new key in COUNTERSIGN_SECRET_KEY (openssl rand -base64 32) and the one that the product runs with in COUNTERSIGN_SECRET_KEY_OLD, got no old one",
    );
  const kind = settings.store.url === "" ? ("sqlite" as const) : ("postgres" as const);
  const rotated = await withStore(
    settings,
    async (db) => {
      const where = { db, kind, failPoint: createFailPoint(process.env) };
      if (next === undefined) return rotateFolderKey(folder, where, old);
      const { sealed, unreadable } = await countSealed(db, createSealer(next, old));
      if (sealed > 0 && unreadable === sealed)
        throw new CountersignError(
          "sealed_key_unknown",
          `None of the ${count(sealed, "sealed token")} in the store opens with the keys given: expected the key that the product runs with in COUNTERSIGN_SECRET_KEY_OLD. Nothing was changed.`,
        );
      return rotateGivenKey(where, { next, old, handoverMs });
    },
    { mayWrite: true },
  );
  const { keyId, sealed, unreadable } = rotated;
  answer(flags, { key_id: keyId, sealed, unreadable }, () =>
    [
      `${count(sealed, "token")} encrypted anew; the new key is ${keyId}. Whoever is running takes it over with the next token.`,
      next === undefined
        ? "The old key is removed from secret.key. Backups that were made before keep tokens that only the old key opens."
        : `Start every replica with it as COUNTERSIGN_SECRET_KEY from now on. For ${options.handover ?? "24h"} one that starts with the old key is handed the new one; then it is refused.`,
      ...(unreadable === 0
        ? []
        : [
            `${count(unreadable, "token")} cannot be opened with any key at hand: connect these accounts again.`,
          ]),
    ].join("\n"),
  );
  return unreadable === 0 ? 0 : 1;
}
