import type { CallFile, StoredFile } from "#contract/tool.ts";

import { messageOf } from "../base/errors.ts";
import { newId } from "../base/ids.ts";
import { DAY_MS, HOUR_MS } from "../base/time.ts";
import type { Db } from "../store/schema.ts";

/** Files that calls brought, in the store, so that every surface and replica can show them. */
export interface Files {
  /** Keeps the files of a call and gives them without their bytes. What cannot be kept has no id. */
  keep(turnId: string, toolId: string, files: CallFile[]): Promise<CallFile[]>;
  get(id: string): Promise<StoredFile | undefined>;
}

/** Of one call, in bytes. */
const MOST_BYTES = 32 * 1024 * 1024;
/** Files are for looking at what a turn brought, not an archive. */
const KEPT_MS = 30 * DAY_MS;

export function createFiles(options: {
  db: Db;
  now: () => number;
  log: { warn: (data: object, message: string) => void };
}): Files {
  const { db, now, log } = options;
  let sweptAt = 0;

  /** Forgets old files now and then; what fails is tried again the next time. */
  async function sweep(): Promise<void> {
    if (now() - sweptAt < HOUR_MS) return;
    sweptAt = now();
    const before = Math.round(now() - KEPT_MS);
    await db
      .deleteFrom("files")
      .where("created_at", "<", before)
      .execute()
      .catch((error: unknown) => {
        sweptAt = 0;
        log.warn({ error: messageOf(error) }, "old files could not be forgotten");
      });
  }

  return {
    async keep(turnId, toolId, files) {
      await sweep();
      let left = MOST_BYTES;
      const kept: CallFile[] = [];
      for (const { data, ...file } of files) {
        left -= file.bytes;
        if (data === undefined || left < 0) {
          kept.push(file);
          continue;
        }
        const { name, mediaType: media_type, bytes } = file;
        const row = { id: newId("file"), turn_id: turnId, tool_id: toolId, name, media_type, bytes, data };
        try {
          await db
            .insertInto("files")
            .values({ ...row, created_at: Math.round(now()) })
            .execute();
          kept.push({ ...file, id: row.id });
        } catch (error) {
          const about = { turn: turnId, tool: toolId, error: messageOf(error) };
          log.warn(about, "a file of a call could not be kept");
          kept.push(file);
        }
      }
      return kept;
    },

    async get(id) {
      const row = await db
        .selectFrom("files")
        .select(["id", "turn_id as turnId", "name", "media_type as mediaType", "bytes", "data"])
        .where("id", "=", id)
        .executeTakeFirst();
      return row && { ...row, data: Buffer.from(row.data, "base64") };
    },
  };
}
