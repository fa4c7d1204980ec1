import { createSecretKey } from "node:crypto";
import type { KeyObject } from "node:crypto";

import type { ConfigProblem } from "./problem.ts";

/** What the environment says beside and above the file. */
export interface Overrides {
  http: { host?: string; port?: number };
  key: { secret_key?: KeyObject };
  problems: ConfigProblem[];
}

export function readOverrides(env: NodeJS.ProcessEnv): Overrides {
  const read: Overrides = { http: {}, key: {}, problems: [] };
  const { HOST: host, PORT: port, COUNTERSIGN_SECRET_KEY: secret } = env;
  if (host) read.http.host = host;
  if (port) {
    if (/^\d{1,5}$/.test(port) && Number(port) <= 65_535) read.http.port = Number(port);
    else
      read.problems.push(wrongVariable("PORT", "a port from 0 to 65535", JSON.stringify(port.slice(0, 60))));
  }
  if (secret) {
    const bytes = Buffer.from(secret, "base64");
    // Decoding skips what is not base64, so only a text that comes back the same is one.
    const isBase64 = bytes.toString("base64").replace(/=+$/, "") === secret.replace(/=+$/, "");
    if (isBase64 && bytes.length === 32) read.key.secret_key = createSecretKey(bytes);
    else {
      const found = isBase64 ? `${bytes.length} bytes` : "text that is not base64";
      read.problems.push({
        ...wrongVariable("COUNTERSIGN_SECRET_KEY", "32 bytes in base64", found),
        fix: "make one with `openssl rand -base64 32`",
      });
    }
  }
  return read;
}

function wrongVariable(name: string, expected: string, found: string): ConfigProblem {
  return { file: "environment", path: name, expected, found };
}
