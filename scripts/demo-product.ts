import { spawn } from "node:child_process";
import { devNull } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../", import.meta.url));

/**
 * Runs the product with this environment and its own data folder under `data/` until it ends or Ctrl+C, and prints
 * its log. `ready` is called with its address when it can be used. Resolves with its exit code.
 */
export async function runProduct(
  name: string,
  environment: Record<string, string>,
  ready: (address: string) => void,
): Promise<number> {
  const product = spawn(process.execPath, ["--max-semi-space-size=4", "countersign.js", "start"], {
    cwd: root,
    // A demo reaches no workspace of yours.
    env: {
      COUNTERSIGN_DATA: join(root, "data", name),
      COUNTERSIGN_ENV: devNull,
      ...process.env,
      ...environment,
    },
    stdio: ["ignore", "pipe", "inherit"],
  });
  process.once("exit", () => product.kill());
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => product.kill("SIGTERM"));

  let address = "";
  for await (const text of createInterface({ input: product.stdout })) {
    const line = entry(text);
    address = line.url ?? address;
    console.log(`  ${line.msg ?? text}`);
    if (line.msg?.startsWith("ready") === true) ready(address);
  }
  return product.exitCode ?? 0;
}

/** A line of the product's log; what is no JSON is shown as it is. */
function entry(text: string): { url?: string; msg?: string } {
  try {
    return JSON.parse(text) as { url?: string; msg?: string };
  } catch {
    return {};
  }
}
