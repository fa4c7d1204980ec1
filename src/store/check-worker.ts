import { DatabaseSync } from "node:sqlite";
import { parentPort, workerData } from "node:worker_threads";

import { quickCheck } from "./quick-check.ts";

/** The thread of its own in which a large file is looked through, beside the one that serves. */
const { file } = workerData as { file: string };
const db = new DatabaseSync(file, { readOnly: true, timeout: 5_000 });
const finding = quickCheck(db);
db.close();
// oxlint-disable-next-line unicorn/require-post-message-target-origin -- because a port of a thread takes none
parentPort?.postMessage(finding);
