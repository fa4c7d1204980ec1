import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";

import { dataFolder } from "../kit/data.ts";
import { messageOf, ToolFailure } from "../kit/tool.ts";

/** The path of the demo shop's database, which is made in the data folder where it is not there yet. */
export function demoDatabase(env: NodeJS.ProcessEnv): string {
  const sql = readFileSync(join(import.meta.dirname, "demo.sql"), "utf8");
  const folder = dataFolder(env);
  // Another demo is another file: this one may be open elsewhere.
  const path = join(folder, `shop-${createHash("sha256").update(sql).digest("hex").slice(0, 8)}.sqlite`);
  if (existsSync(path)) return path;
  const making = `${path}.${process.pid}.tmp`;
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    rmSync(making, { force: true });
    const db = new DatabaseSync(making);
    db.exec(`BEGIN; ${sql} COMMIT`);
    db.close();
    renameSync(making, path);
    return path;
  } catch (error) {
    throw new ToolFailure(
      "store_not_writable",
      `the demo database could not be made at ${path}: ${messageOf(error)}. Make the folder writable, set ` +
        "COUNTERSIGN_DATA to another, or SQL_URL to a database of yours",
      { cause: error },
    );
  }
}
