import { startHttp } from "#adapters/http/start.ts";
import { createCards } from "#views/cards/cards.ts";

import { loadSettings } from "../settings/load.ts";
import type { CommandLine } from "./command-line.ts";
import { createProduct } from "./product.ts";

/** Serves until SIGTERM or SIGINT; then lets running turns end. */
export async function start(line: Extract<CommandLine, { kind: "run" }>): Promise<number> {
  const settings = await loadSettings({
    ...(line.config === undefined ? {} : { file: line.config }),
    env: process.env,
    cwd: process.cwd(),
  });
  const product = await createProduct(settings, {
    log: { kind: process.stdout.isTTY ? "pretty" : "json" },
    env: process.env,
  });
  const { log } = product;
  try {
    const http = await startHttp(product.core, createCards(), {
      ...settings.http,
      version: product.version,
      examples: settings.examples.map((example) => example.message),
      log,
    });
    log.info({ url: http.url, data: settings.data_dir }, `listening on ${http.url}`);
    await product.ready();
    const health = await product.core.health();
    log.info({ status: health.status, model: health.model, servers: health.servers }, `ready: open ${http.url}`);
    const signal = await terminated();
    log.info({ signal }, "stopping");
    await http.stop();
  } finally {
    await product.close();
  }
  log.info({}, "stopped");
  return 0;
}

function terminated(): Promise<string> {
  return new Promise((resolve) => {
    for (const signal of ["SIGTERM", "SIGINT"] as const) process.once(signal, () => resolve(signal));
  });
}
