import { createSecretKey } from "node:crypto";
import type { KeyObject } from "node:crypto";

import { bareHost } from "#src/base/host.ts";

import type { ConfigProblem } from "./problem.ts";

/** What the environment says beside and above the file. */
export interface Overrides {
  http: { host?: string; port?: number };
  key: { secret_key?: KeyObject; old_secret_keys: KeyObject[] };
  problems: ConfigProblem[];
}

export function readOverrides(env: NodeJS.ProcessEnv): Overrides {
  const read: Overrides = { http: {}, key: { old_secret_keys: [] }, problems: [] };
  const { HOST: host, PORT: port } = env;
  if (host) read.http.host = bareHost(host);
  if (port) {
    if (/^\d{1,5}$/.test(port) && Number(port) <= 65_535) read.http.port = Number(port);
    else
      read.problems.push(wrongVariable("PORT", "a port from 0 to 65535", JSON.stringify(port.slice(0, 60))));
  }
  const { COUNTERSIGN_SECRET_KEY: secret, COUNTERSIGN_SECRET_KEY_OLD: old } = env;
  if (secret) {
    const key = readKey("COUNTERSIGN_SECRET_KEY", secret, read.problems);
    if (key !== undefined) read.key.secret_key = key;
  }
  for (const text of old?.split(",") ?? []) {
    if (text.trim() === "") continue;
    const key = readKey("COUNTERSIGN_SECRET_KEY_OLD", text.trim(), read.problems);
    if (key !== undefined) read.key.old_secret_keys.push(key);
  }
  return read;
}

function readKey(name: string, text: string, problems: ConfigProblem[]): KeyObject | undefined {
  const bytes = Buffer.from(text, "base64");
  // Decoding skips what is not base64, so only a text that comes back the same is one.
  const isBase64 = bytes.toString("base64").replace(/=+$/, "") === text.replace(/=+$/, "");
  if (isBase64 && bytes.length === 32) return createSecretKey(bytes);
  const found = isBase64 ? `${bytes.length} bytes` : "text that is not base64";
  problems.push({
    ...wrongVariable(name, "32 bytes in base64", found),
    fix: "make one with `openssl rand -base64 32`",
  });
  return undefined;
}

function wrongVariable(name: string, expected: string, found: string): ConfigProblem {
  return { file: "environment", path: name, expected, found };
}
