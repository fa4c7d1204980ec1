/** Gives the text of one PDF, page by page. */
import { parentPort, workerData } from "node:worker_threads";

import { extractText } from "unpdf";

const { text } = await extractText(workerData as Uint8Array, { mergePages: false });
const port = parentPort;
port?.postMessage(text.map((page) => page.trim()).join("\n\n"));
